"""An evaluation counts exactly what was changed, and nothing slips through between the counts."""

import dataclasses
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sample_round import changed, chip_event, document, known, sample_round, shifted, unseen

from handreplay.core.events import CardPlaced, CardTurned, ChipsChanged, Event, RackCard, Round
from handreplay.core.readings import Unreadable
from handreplay.errors import FootageError
from handreplay.report.evaluation.clips import Clip, Made, evaluate, find_clips
from handreplay.report.evaluation.compare import compare, pair_rounds
from handreplay.report.evaluation.scores import Score
from handreplay.report.evaluation.tables import as_json, as_text, share

TRUTH = [sample_round()]


def edited(edit: Callable[[Event], Event | None]) -> Round:
    """The sample round with each event changed, or dropped where `edit` gives None."""
    round_ = TRUTH[0]
    events = [event for event in map(edit, round_.events) if event is not None]
    return dataclasses.replace(round_, events=tuple(sorted(events, key=lambda event: event.t)))


def score(*seen: Round, found: dict[str, Any] | None = None) -> Score:
    return compare(TRUTH, seen, document(), found if found is not None else document())


def test_a_perfect_copy_scores_full_marks_everywhere() -> None:
    result = score(TRUTH[0])
    assert (result.cards.right, result.cards.all) == (9, 9)
    assert (result.amounts.exact, result.amounts.all) == (6, 6)
    assert (result.all_events.right, result.all_events.all, result.all_events.invented) == (34, 34, 0)
    assert (result.rounds.exact, result.rounds.rack_exact, result.rounds.verdict_right) == (1, 1, 1)
    assert (result.faults.found, result.faults.all, result.settlements.right) == (1, 1, 3)
    assert result.actors.right == 9
    assert result.notes == []


def test_what_an_operator_declared_is_not_asked_of_a_camera() -> None:
    seen = edited(lambda event: None if type(event).__name__ == "Declared" else event)
    assert score(seen).notes == []


def test_a_dropped_event_is_one_missed_event_and_costs_the_round() -> None:
    result = score(edited(lambda e: None if isinstance(e, ChipsChanged) and e.t == 36.0 else e))
    assert (result.events["chips_changed"].missed, result.all_events.missed, result.all_events.invented) == (1, 1, 0)
    assert (result.amounts.exact, result.amounts.wrong) == (5, 1)
    assert result.rounds.exact == 0


@given(st.sets(st.integers(0, 8)))
def test_every_change_of_chips_that_a_log_lacks_is_missed_once(dropped: set[int]) -> None:
    chips = [event for event in TRUTH[0].events if isinstance(event, ChipsChanged)]
    gone = {id(chips[number]) for number in dropped}
    result = score(edited(lambda event: None if id(event) in gone else event))
    events = result.events["chips_changed"]
    assert (events.right, events.missed, events.invented) == (9 - len(dropped), len(dropped), 0)
    assert result.amounts.all == 6 and result.amounts.missed == 0
    assert result.rounds.exact == (not dropped)


def test_an_added_event_is_one_invented_event() -> None:
    round_ = TRUTH[0]
    extra = chip_event(40.0, "seat3.ante", {}, {"5": 1})
    result = score(dataclasses.replace(round_, events=tuple(sorted((*round_.events, extra), key=lambda e: e.t))))
    assert (result.events["chips_changed"].invented, result.all_events.missed) == (1, 0)
    assert result.amounts.exact == 6
    assert result.rounds.exact == 0


@pytest.mark.parametrize(
    ("read", "counts"), [(known("8h"), (8, 1, 0, 0)), (unseen("glare"), (8, 0, 1, 0)), (None, (8, 0, 0, 1))]
)
def test_a_card_is_wrong_unread_or_missed_and_never_two_of_them(read: Any, counts: tuple[int, ...]) -> None:
    def edit(event: Event) -> Event | None:
        if not (isinstance(event, CardPlaced) and event.card == "c09"):
            return event
        return changed(event, identity=read) if read is not None else None

    cards = score(edited(edit)).cards
    assert (cards.right, cards.wrong, cards.unread, cards.missed) == counts
    assert cards.all == 9 and cards.invented == 0


def test_a_face_that_never_showed_is_invented() -> None:
    def edit(event: Event) -> Event:
        return changed(event, face="up", identity=known("3c")) if getattr(event, "card", "") == "c05" else event

    result = score(edited(edit))
    assert (result.cards.right, result.cards.invented, result.rounds.exact) == (9, 1, 0)


def test_the_two_cards_of_a_hand_may_change_places() -> None:
    swap = {"c01": known("Jd"), "c03": known("Qs")}

    def edit(event: Event) -> Event:
        return (
            changed(event, identity=swap[event.card]) if isinstance(event, CardTurned) and event.card in swap else event
        )

    result = score(edited(edit))
    assert (result.cards.right, result.rounds.exact) == (9, 1)


def test_a_face_shown_for_less_than_a_second_is_counted_apart() -> None:
    def with_glimpse(round_: Round) -> Round:
        up = CardTurned(t=15.0, card="c02", face="up", identity=known("Qh"), actor="dealer")
        down = CardTurned(t=15.4, card="c02", face="down", identity=unseen(), actor="dealer")
        events = [e for e in round_.events if not (isinstance(e, CardTurned) and e.card == "c02")]
        return dataclasses.replace(round_, events=tuple(sorted((*events, up, down), key=lambda e: e.t)))

    result = compare([with_glimpse(TRUTH[0])], [TRUTH[0]], document(), document())
    assert (result.cards.all, result.cards.glimpsed, result.cards.glimpsed_right) == (8, 1, 1)
    assert (result.events["card_turned"].missed, result.events["card_turned"].invented) == (2, 1)


def test_times_off_by_two_seconds_miss_every_event_whose_place_has_no_other() -> None:
    late = dataclasses.replace(TRUTH[0], events=tuple(shifted(event, 2.0) for event in TRUTH[0].events))
    result = score(late)
    events = result.events["chips_changed"]
    assert (events.right, events.missed, events.invented) == (0, 9, 9)
    assert (result.events["deck_shuffled"].missed, result.events["deck_shuffled"].invented) == (1, 1)
    assert result.cards.right == 9
    assert result.amounts.exact == 6


def test_times_off_by_the_tolerance_lose_nothing() -> None:
    late = dataclasses.replace(TRUTH[0], events=tuple(shifted(event, 1.5) for event in TRUTH[0].events))
    result = score(late)
    assert (result.all_events.missed, result.all_events.invented, result.rounds.exact) == (0, 0, 1)


@pytest.mark.parametrize(("after", "counts"), [({"100": 3}, (5, 1, 0)), ({"25": 16}, (6, 0, 0)), (None, (5, 0, 1))])
def test_an_amount_is_judged_by_its_worth(after: dict[str, int] | None, counts: tuple[int, ...]) -> None:
    def edit(event: Event) -> Event:
        if not (isinstance(event, ChipsChanged) and event.t == 16.0):
            return event
        if after is None:
            return changed(event, after=Unreadable("stack behind a hand"))
        return chip_event(16.0, "seat5.play", {}, after)

    amounts = score(edited(edit)).amounts
    assert (amounts.exact, amounts.wrong, amounts.open) == counts


def test_deal_out_of_order_costs_the_round_though_every_card_is_right() -> None:
    swapped = {6.0: 8.0, 8.0: 6.0}
    result = score(edited(lambda e: changed(e, t=swapped[e.t]) if e.t in swapped else e))
    assert (result.cards.right, result.rounds.exact) == (9, 0)


def test_a_rack_is_exact_only_with_its_hands_in_order_and_nothing_made_up() -> None:
    rack = TRUTH[0].rack
    moved = (*rack[:1], *rack[3:], *rack[1:3])
    guessed = (RackCard("c05", known("3c"), "burn"), *rack[1:])
    within_a_hand = (rack[0], rack[2], rack[1], *rack[3:])
    exact = [
        score(dataclasses.replace(TRUTH[0], rack=r)).rounds.rack_exact for r in (rack, moved, guessed, within_a_hand)
    ]
    assert exact == [1, 0, 0, 1]


def test_a_hand_whose_cards_lie_in_another_order_in_the_rack_is_noted() -> None:
    rack = TRUTH[0].rack
    hand = rack[1].hand
    turned = dataclasses.replace(TRUTH[0], rack=(rack[0], rack[2], rack[1], *rack[3:]))
    assert score(turned).notes == [f"round {TRUTH[0].number}: cards of {hand} lie in another order in the rack"]


def test_a_missed_round_counts_all_that_was_in_it() -> None:
    result = score(found={})
    assert (result.rounds.missed, result.rounds.exact) == (1, 0)
    assert (result.cards.missed, result.amounts.missed, result.all_events.missed) == (9, 6, 34)
    assert (result.faults.missed, result.settlements.missing) == (1, 3)


def test_rounds_are_paired_by_the_time_they_share() -> None:
    truth = [sample_round(1, 0.0), sample_round(2, 50.0)]
    one_long = dataclasses.replace(truth[0], end=98.0)
    assert [other is not None for _, other in pair_rounds(truth, [one_long])] == [True, False]
    renumbered = [dataclasses.replace(truth[1], number=7)]
    assert [other and other.number for _, other in pair_rounds(truth, renumbered)] == [None, 7]


def test_findings_are_matched_through_the_logs_own_round_numbers() -> None:
    found = deepcopy(document())
    found["findings"][0]["round"] = found["rounds"][0]["round"] = 9
    result = score(dataclasses.replace(TRUTH[0], number=9), found=found)
    assert (result.faults.found, result.rounds.verdict_right, result.settlements.right) == (1, 1, 3)


@pytest.mark.parametrize(
    ("code", "status", "counts"),
    [("PY01", "confirmed", (1, 0, 0)), ("PY01", "probable", (0, 1, 0)), ("PY01", "review", (0, 0, 1)),
     ("FT04", "probable", (0, 0, 1))],
)  # fmt: skip
def test_an_invented_finding_is_counted_by_how_sure_it_was(code: str, status: str, counts: tuple[int, ...]) -> None:
    found = deepcopy(document())
    found["findings"].append(found["findings"][0] | {"code": code, "status": status, "wager": "ante"})
    faults = score(TRUTH[0], found=found).faults
    assert (faults.invented_confirmed, faults.invented_probable, faults.questions) == counts
    assert faults.found == 1


def test_a_fault_only_put_to_review_is_missed_and_said_so() -> None:
    found = deepcopy(document())
    found["findings"][0]["status"] = "review"
    faults = score(TRUTH[0], found=found).faults
    assert (faults.found, faults.missed, faults.left_open, faults.questions) == (0, 1, 1, 0)


def test_the_same_finding_twice_is_one_found_and_one_invented() -> None:
    found = deepcopy(document())
    found["findings"] *= 2
    faults = score(TRUTH[0], found=found).faults
    assert (faults.found, faults.invented_confirmed) == (1, 1)


def test_another_amount_of_the_same_fault_is_found_and_marked() -> None:
    found = deepcopy(document())
    found["findings"][0]["variance_cents"] = 5000
    faults = score(TRUTH[0], found=found).faults
    assert (faults.found, faults.amount_differs) == (1, 1)


def test_a_settlement_row_is_right_wrong_open_or_missing() -> None:
    found = deepcopy(document())
    rows = found["rounds"][0]["settlement"]
    rows[0]["observed"]["pay_cents"] = None
    rows[1]["staked_cents"] = 1
    rows[2]["wager"] = "trips"
    settlements = score(TRUTH[0], found=found).settlements
    assert (settlements.right, settlements.wrong, settlements.open) == (0, 1, 1)
    assert (settlements.missing, settlements.invented) == (1, 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for ending in (".rounds.jsonl", ".table.toml", ".mp4"):
        for name in ("uth-a", "uth-b"):
            (tmp_path / (name + ending)).write_bytes(b"")
    return tmp_path


def test_clips_are_found_by_their_truth(folder: Path) -> None:
    (folder / "uth-a.expected.json").write_text("{}")
    (folder / "stray.mp4").write_bytes(b"")
    first, second = find_clips(folder)
    assert (first.name, first.expected, second.expected) == ("uth-a", folder / "uth-a.expected.json", None)
    assert [clip.name for clip in find_clips(folder, ["uth-b"])] == ["uth-b"]


@pytest.mark.parametrize(
    ("gone", "only", "message"),
    [("uth-a.table.toml", (), "no table profile"), ("uth-b.mp4", (), "no footage"), ("", ("uth-c",), "no clip named")],
)
def test_a_clip_without_its_companions_is_named(folder: Path, gone: str, only: tuple[str, ...], message: str) -> None:
    if gone:
        (folder / gone).unlink()
    with pytest.raises(FootageError, match=message):
        find_clips(folder, only)


def _evaluation(fails: bool = False) -> Any:
    clips = [Clip(name, None, Path("x.toml"), Path("x.jsonl"), None) for name in ("a", "b")]

    def audit(clip: Clip) -> Made:
        if fails and clip.name == "b":
            raise FootageError("b.mp4: the recording was not closed; export it again")
        return Made(TRUTH, document())

    return evaluate(clips, truth_of=lambda clip: Made(TRUTH, document()), audit=audit)


def test_the_sum_is_the_sum_of_the_clips() -> None:
    figures = as_json(_evaluation())
    assert figures["total"]["cards"]["right"] == 18
    assert figures["total"]["events"]["all_types"] == {"right": 68, "missed": 0, "invented": 0}
    assert figures["shares"]["cards_right"] == 1.0
    assert json.loads(json.dumps(figures)) == figures


def test_a_clip_whose_audit_fails_counts_as_missed_and_is_named() -> None:
    evaluation = _evaluation(fails=True)
    figures = as_json(evaluation)
    assert figures["failures"] == {"b": "b.mp4: the recording was not closed; export it again"}
    assert (figures["total"]["cards"]["right"], figures["total"]["cards"]["missed"]) == (9, 9)
    assert figures["shares"]["rounds_exact"] == 0.5


def test_the_table_names_every_clip_and_every_difference() -> None:
    console = Console(width=220, no_color=True)
    with console.capture() as capture:
        console.print(as_text(_evaluation(fails=True), notes=True))
    text = capture.get()
    assert "9/18 50.00%" in text and "not audited" in text and "round 2 (0.0 s): missed" in text


def test_a_share_never_rounds_to_a_claim_that_is_not_true() -> None:
    assert [share(9999999, 10000000), share(1, 10000000), share(5, 5), share(0, 5), share(0, 0)] == [
        "99.99%", "0.01%", "100%", "0%", "–",
    ]  # fmt: skip
