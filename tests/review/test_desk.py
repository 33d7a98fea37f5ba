"""Corrections replay the round at once; decisions stay with their findings; a blind reviewer sees nobody else."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from handreplay.core.events import Round
from handreplay.core.roundlog import parse_round, round_line
from handreplay.errors import HandreplayError, OutputError, ProfileError
from handreplay.report.findings_json import findings_document
from handreplay.review.corrections import CorrectionError, corrected, read_correction
from handreplay.review.decisions import EntryError, finding_keys
from handreplay.review.desk import Desk, Reviewer
from handreplay.review.rejudge import all_judged_anew, judged_anew, stays_within
from handreplay.review.verify import verify
from handreplay.review.views import event_lines, round_view
from handreplay.rules import audit_rounds
from tests.review.conftest import ANN, BOB, SAMPLE

PAID = "PY02.1.5.blind"


def codes(desk: Desk, reviewer: Reviewer | None = None) -> list[tuple[str, int | None]]:
    return [(f["code"], f["variance_cents"]) for f in desk.state(reviewer).document["findings"]]


def event(desk: Desk, number: int, **wanted: Any) -> str:
    """The name of the last event with these fields."""
    found = [str(n) for n, e in enumerate(desk.lines[number]["events"], 1) if wanted.items() <= e.items()]
    return found[-1]


def paid_blind(desk: Desk) -> str:
    return event(desk, 1, zone="seat5.blind", after={"100": 2})


def test_a_run_that_nobody_touched_shows_what_the_machine_found(desk: Desk) -> None:
    assert codes(desk) == [("PY02", 10000)]
    assert desk.state().document is desk.machine
    assert not desk.log.path.exists()


def test_correcting_an_amount_makes_the_finding_go_and_taking_it_back_brings_it_again(desk: Desk) -> None:
    entry = desk.correct(ANN, 1, {"op": "amount", "event": paid_blind(desk), "after": {"100": 1}})
    assert codes(desk) == []
    view = round_view(desk, desk.state(), 1, history=desk.state().entries)
    assert [finding["code"] for finding in view.gone] == ["PY02"] and view.corrected
    desk.correct(ANN, 1, {"op": "undo", "entry": entry.number})
    assert codes(desk) == [("PY02", 10000)]


def test_correcting_a_card_changes_what_was_due(desk: Desk) -> None:
    """With the queen as a jack seat 5 holds a full house, on which the Blind pays."""
    card = next(e["card"] for e in desk.lines[1]["events"] if e.get("identity") == "Qs")
    before = desk.state().document["rounds"][0]["hands"]["seat5"]["rank"]
    desk.correct(ANN, 1, {"op": "identity", "card": card, "identity": "4s"})
    after = desk.state().document["rounds"][0]["hands"]["seat5"]["rank"]
    assert (before, after) == ("two_pair", "full_house") or (before, after) == ("two pair", "full house")
    assert codes(desk) != [("PY02", 10000)]
    rack = [row for row in desk.state().rounds[0].rack if row.card == card]
    assert [row.identity.value for row in rack] == ["4s"]  # type: ignore[union-attr]


def test_correcting_whose_hand_it_was_and_where_chips_went_is_kept_beside_the_machines_word(desk: Desk) -> None:
    name = event(desk, 1, zone="seat2.ante", after={})
    machine = desk.lines[1]["events"][int(name) - 1].get("actor")
    desk.correct(ANN, 1, {"op": "actor", "event": name, "actor": "player"})
    desk.correct(ANN, 1, {"op": "to", "event": name, "to": "player"})
    now = desk.state().corrected[1]
    assert now.round.events[int(name) - 1].actor == "player" != machine
    assert desk.lines[1]["events"][int(name) - 1].get("actor") == machine
    line = event_lines(desk, now)[int(name) - 1]
    assert line.touched and line.before is not None


def test_the_log_keeps_what_stood_there_beside_each_correction(desk: Desk) -> None:
    name = paid_blind(desk)
    machine = desk.lines[1]["events"][int(name) - 1]
    first = desk.correct(ANN, 1, {"op": "amount", "event": name, "after": {"100": 3}})
    second = desk.correct(ANN, 1, {"op": "amount", "event": name, "after": {"100": 1}})
    assert (first.body or {})["was"] == [machine]
    assert [event["after"] for event in (second.body or {})["was"]] == [{"100": 3}]
    card = next(e["card"] for e in desk.lines[1]["events"] if e.get("identity") == "Qs")
    third = desk.correct(ANN, 1, {"op": "identity", "card": card, "identity": "2s"})
    assert "Qs" in [event["identity"] for event in (third.body or {})["was"]]


def test_a_missed_event_can_be_entered_and_an_invented_one_struck_out(desk: Desk) -> None:
    count = len(desk.lines[1]["events"])
    dealt = next(e["t"] for e in desk.lines[1]["events"] if e["type"] == "card_placed")
    late = {"t": dealt + 1, "type": "chips_changed", "zone": "seat2.ante", "actor": "player", "after": {"25": 2}}
    added = desk.correct(ANN, 1, {"op": "add", "event": late})
    assert len(desk.state().rounds[0].events) == count + 1
    assert "WG03" in [code for code, _ in codes(desk)]
    desk.correct(ANN, 1, {"op": "remove", "event": f"a{added.number}"})
    assert len(desk.state().rounds[0].events) == count
    assert codes(desk) == [("PY02", 10000)]


def test_striking_out_a_cards_placing_strikes_out_the_whole_card(desk: Desk) -> None:
    name = event(desk, 1, type="card_placed", zone="seat2.cards")
    card = desk.lines[1]["events"][int(name) - 1]["card"]
    desk.correct(ANN, 1, {"op": "remove", "event": name})
    round_ = desk.state().rounds[0]
    assert all(getattr(event, "card", None) != card for event in round_.events)
    assert all(row.card != card for row in round_.rack)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {"op": "drop table"},
        {"op": "amount", "event": "999", "after": {}},
        {"op": "amount", "event": "1", "after": {"7": 1}},
        {"op": "amount", "event": "1", "after": {"100": -1}},
        {"op": "amount", "event": "1", "after": {"100": {"a": {"b": 1}}}},
        {"op": "identity", "card": "c01", "identity": "Zz"},
        {"op": "identity", "card": "nobody", "identity": "Kd"},
        {"op": "actor", "event": "1", "actor": "thief"},
        {"op": "actor", "event": ["1"], "actor": "dealer"},
        {"op": "undo", "entry": 99},
        {"op": "undo", "entry": True},
        {"op": "add", "event": {"t": 1e9, "type": "deck_shuffled"}},
        {"op": "add", "event": {"t": 10.0, "type": "explosion"}},
        {"op": "add", "event": {"t": 10.0, "type": "deck_shuffled", "#": "1"}},
        {"op": "right", "event": "1", "extra": 1},
    ],
)
def test_what_does_not_fit_the_round_is_refused_and_not_kept(desk: Desk, raw: object) -> None:
    with pytest.raises(HandreplayError):
        desk.correct(ANN, 1, raw)
    assert not desk.log.path.exists()


def test_a_card_that_never_showed_its_face_has_none_to_correct(desk: Desk) -> None:
    placed = {"t": 20.0, "type": "card_placed", "zone": "seat5.cards", "face": "down", "identity": None}
    desk.correct(ANN, 1, {"op": "add", "event": placed})
    card = next(event.card for event in desk.state().rounds[0].events if getattr(event, "t", 0.0) == 20.0)
    for identity in ("Xx", "Ks"):
        with pytest.raises(HandreplayError, match="never showed its face"):
            desk.correct(ANN, 1, {"op": "identity", "card": card, "identity": identity})


def test_corrections_entered_at_once_that_do_not_fit_each_other_leave_the_page_readable(desk: Desk) -> None:
    name = paid_blind(desk)
    desk.correct(ANN, 1, {"op": "remove", "event": name})
    desk.note(ANN, {"kind": "correction", "round": 1, "correction": {"op": "right", "event": name}})
    state = desk.state()
    assert 1 in state.corrected and name in state.refused[1]


def test_a_correction_needs_its_exact_fields() -> None:
    with pytest.raises(CorrectionError, match="no others"):
        read_correction({"op": "undo", "entry": 1, "by": "me"}, 3)


def test_the_machines_line_is_never_touched(desk: Desk) -> None:
    before = repr(desk.lines[1])
    corrected(desk.lines[1], [read_correction({"op": "remove", "event": "1"}, 2)], desk.limits)
    assert repr(desk.lines[1]) == before


def test_a_decision_stays_with_its_finding_and_is_marked_once_the_finding_changed(desk: Desk) -> None:
    desk.decide(ANN, PAID, {"choice": "confirm", "fault": "dealer", "loss_cents": 10000, "remark": "seen twice"})
    line = round_view(desk, desk.state(), 1, history=()).findings[0]
    assert line.decision is not None and line.decision.by == "Ann" and not line.stale
    desk.correct(ANN, 1, {"op": "amount", "event": paid_blind(desk), "after": {"100": 3}})
    line = round_view(desk, desk.state(), 1, history=()).findings[0]
    assert line.finding["variance_cents"] == 20000 and line.stale


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"choice": "maybe"},
        {"choice": "confirm", "fault": "camera"},
        {"choice": "confirm", "loss_cents": -1},
        {"choice": "confirm", "loss_cents": 1.5},
        {"choice": "confirm", "loss_cents": True},
        {"choice": "confirm", "remark": "x" * 5000},
        {"choice": "confirm", "remark": 7},
    ],
)
def test_a_decision_that_says_nothing_sensible_is_refused(desk: Desk, raw: dict[str, Any]) -> None:
    with pytest.raises(EntryError):
        desk.decide(ANN, PAID, raw)
    with pytest.raises(EntryError):
        desk.decide(ANN, "PY09.1.5.blind", {"choice": "confirm"})
    assert not desk.log.path.exists()


def test_a_blind_reviewer_sees_the_machines_reading_and_their_own_entries_alone(desk: Desk) -> None:
    desk.correct(ANN, 1, {"op": "amount", "event": paid_blind(desk), "after": {"100": 1}})
    assert codes(desk) == [] and codes(desk, BOB) == [("PY02", 10000)]
    desk.decide(BOB, PAID, {"choice": "confirm", "fault": "dealer"})
    assert PAID in desk.state(BOB).decisions and PAID not in desk.state().decisions
    assert desk.state(Reviewer("Cem", blind=True)).decisions == {}


def test_the_agreement_counts_what_both_decided_alike(desk: Desk) -> None:
    desk.decide(ANN, PAID, {"choice": "confirm", "fault": "dealer"})
    desk.decide(BOB, PAID, {"choice": "reject", "fault": "none"})
    (found,) = desk.agreements()
    assert (found.second, found.share, len(found.apart)) == ("Bob", 0.0, 1)
    desk.decide(BOB, PAID, {"choice": "confirm", "fault": "dealer"})
    (found,) = desk.agreements()
    assert (found.share, found.kappa, found.only_first) == (1.0, None, ())


def test_two_desks_on_one_run_see_each_others_entries(run: Path) -> None:
    one, two = Desk(run), Desk(run)
    one.decide(ANN, PAID, {"choice": "confirm"})
    two.decide(Reviewer("Cem"), PAID, {"choice": "open", "remark": "look again"})
    assert one.state().decisions[PAID].by == two.state().decisions[PAID].by == "Cem"
    assert [(entry.body or {})["by"] for entry in one.log.entries()] == ["Ann", "Ann", "Cem"]


def test_a_name_is_needed_and_control_characters_are_left_out() -> None:
    assert Reviewer.named(" Ann\x00\n Lee ").name == "Ann  Lee"
    for bad in ("", "  \x07", 3, "x" * 81):
        with pytest.raises(EntryError):
            Reviewer.named(bad)


def test_findings_of_one_place_get_names_of_their_own() -> None:
    finding = {"code": "DR01", "round": 3, "seat": 1, "wager": None}
    assert finding_keys([finding, finding]) == ("DR01.3.1.-", "DR01.3.1.-.2")


def test_a_run_without_its_profile_asks_for_it_and_takes_no_other(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_bytes((run / "table.toml").read_bytes() + b"\n")
    with pytest.raises(ProfileError, match="is not the profile"):
        Desk(run, table=other)


def test_what_is_no_run_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        Desk(tmp_path)
    with pytest.raises(OutputError):
        verify(tmp_path)
    with pytest.raises(OutputError):
        verify(tmp_path / "none")


def several(count: int = 12) -> tuple[Round, ...]:
    """The sample round again and again, with what looks across rounds in it: one deck, and a deck that was changed."""
    line = json.loads((SAMPLE / "uth-sample.rounds.jsonl").read_text())
    rounds = []
    for number in range(1, count + 1):
        later = json.loads(json.dumps(line))
        later |= {"round": number, "start": line["start"] + 60 * number, "end": line["end"] + 60 * number}
        for event in later["events"]:
            event["t"] = round(event["t"] + 60 * number, 3)
            if event["type"] in ("card_placed", "deck_shuffled"):
                event["back"] = 0 if number % 4 < 2 else 1
        rounds.append(parse_round(later, "made"))
    return tuple(rounds)


@pytest.mark.parametrize(
    "raw",
    [
        {"op": "amount", "event": "{paid}", "after": {"100": 1}},
        {"op": "remove", "event": "{paid}"},
        {"op": "identity", "card": "c01", "identity": "2h"},
        {"op": "remove", "event": "{placed}"},
    ],
)
def test_judging_the_changed_rounds_alone_says_the_same_as_judging_them_all(desk: Desk, raw: dict[str, Any]) -> None:
    rounds = several()
    table = dataclasses.replace(desk.table, decks=2, shuffler_counts_deck=False)
    machine = findings_document(audit_rounds(rounds, table), table)
    assert {"MD11", "MD13", "PY02"} <= {finding["code"] for finding in machine["findings"]}
    named = {"{paid}": paid_blind(desk), "{placed}": event(desk, 1, type="card_placed", zone="seat2.cards")}
    correction = read_correction({key: named.get(str(value), value) for key, value in raw.items()}, 1)
    line = json.loads(round_line(rounds[4]))
    now = (*rounds[:4], corrected(line, [correction], desk.limits).round, *rounds[5:])
    whole = all_judged_anew(machine, now, table)
    if stays_within(line, correction):
        assert judged_anew(machine, now, {5}, table) == whole
    else:
        assert raw["op"] == "remove" and raw["event"] == "{placed}"
    assert whole != machine


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "decision", "finding": PAID},
        {"kind": "correction", "round": 99, "correction": {"op": "right", "event": "1"}},
        {"kind": "correction", "round": 1, "correction": None},
        {"kind": "correction"},
    ],
)
def test_a_well_chained_entry_that_no_review_wrote_is_refused_in_one_line(desk: Desk, body: dict[str, Any]) -> None:
    desk.log.append({"at": "2026-11-30T08:00:00.000Z", "by": "Eve", **body})
    with pytest.raises(HandreplayError):
        desk.state()
