"""The figures of a night: every second has one kind, rates carry their interval, nothing unread counts as right."""

import dataclasses
import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.errors import HandreplayError
from handreplay.report.shift import text
from handreplay.report.shift.coverage import SHORT_READ, Labelled, labelled
from handreplay.report.shift.intervals import wilson
from handreplay.report.shift.numbers import ENOUGH_WAGERS, shift_of
from handreplay.report.shift.tally import TRIAGED, WHY
from handreplay.report.shift.values import Kind, NoRecording, Recording, Shift, Stretch, Window

NIGHT = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
NEW_YORK = "America/New_York"


def row(
    *, seat: int = 1, wager: str = "ante", staked: int | None = 2500, due: Any = ("win", 2500), got: Any = None
) -> Any:
    got = due if got is None else got
    return {
        "seat": seat,
        "wager": wager,
        "staked_cents": staked,
        "expected": {"result": due[0], "pay_cents": due[1]},
        "observed": {"result": got[0], "pay_cents": got[1]},
    }


def played(number: int, start: float, end: float, verdict: str = "clean", rows: Any = None) -> Any:
    return {
        "round": number,
        "start": start,
        "end": end,
        "verdict": verdict,
        "settlement": [row()] if rows is None else rows,
    }


def found(code: str, number: int, status: str = "confirmed", **more: Any) -> Any:
    usual = {
        "code": code, "name": "named", "round": number, "seat": None, "wager": None, "t": 10.0, "status": status,
        "confidence": 0.99, "expected_cents": None, "observed_cents": None, "variance_cents": 0, "message": "So.",
        "citation": "", "remedy": "",
    }  # fmt: skip
    return usual | more


def overpaid(number: int, cents: int = 10000, status: str = "confirmed", **more: Any) -> Any:
    return found("PY02", number, status, seat=1, wager="ante", variance_cents=cents, **more)


def recording(rounds: Any = (), findings: Any = (), **values: Any) -> Recording:
    usual: dict[str, Any] = {
        "name": "cam1.mp4", "table": "UTH-01", "outcome": "audited", "zone": NEW_YORK, "start": NIGHT,
        "expected_s": 3600.0, "read_s": 3600.0, "folder": "runs/UTH-01/cam1",
        "document": {"game": "ultimate-texas-holdem", "rounds": list(rounds), "findings": list(findings)},
    }  # fmt: skip
    return Recording(**usual | values)


def lost(name: str = "bad.mp4", **values: Any) -> Recording:
    usual: dict[str, Any] = {
        "outcome": "set aside",
        "reason": "no picture",
        "document": None,
        "folder": "",
        "read_s": 0.0,
    }
    return recording(name=name, **usual | values)


def seconds(shift: Shift) -> dict[str, float]:
    kinds = {kind.name: shift.seconds(kind) for kind in Kind}
    return {name: value for name, value in kinds.items() if value}


def test_a_clean_night_that_was_seen_whole_is_clean() -> None:
    shift = shift_of([recording([played(1, 10, 70)])])
    assert shift.whole and seconds(shift) == {"JUDGED": 3600.0}
    head = text.headline(shift)
    assert (head.tone, head.title) == ("clean", "1 round judged in full, nothing found")


@pytest.mark.parametrize(
    "other",
    [
        lost(start=NIGHT + timedelta(hours=1)),
        lost(expected_s=None, start=None),
        lost(expected_s=0.0),
        lost(outcome="unfinished", start=NIGHT + timedelta(hours=1)),
        recording([played(1, 10, 70)], name="b", holes=(Stretch(start_s=5.0, end_s=5.5, reason="damaged"),)),
        recording([played(1, 10, 70)], name="b", passed_over=(Stretch(start_s=500.0, end_s=900.0),)),
        recording([played(1, 10, 70, "incomplete")], name="b"),
        recording([played(1, 10, 70, "review")], name="b"),
        recording([played(1, 10, 70, rows=[row(got=(None, None))])], name="b"),
        recording([played(1, 10, 70)], [found("FT02", 9, "review")], name="b"),
    ],
)
def test_nothing_found_is_no_clean_verdict_when_anything_was_left_aside_or_open(other: Recording) -> None:
    shift = shift_of([recording([played(1, 10, 70)]), other])
    head = text.headline(shift)
    assert not shift.whole
    assert head.tone == "open" and head.title.startswith("Nothing found; ")


def test_missing_time_is_no_clean_verdict_either() -> None:
    gap = NoRecording(table="UTH-01", start=NIGHT + timedelta(hours=1), end=NIGHT + timedelta(hours=2))
    shift = shift_of([recording([played(1, 10, 70)])], [gap])
    assert seconds(shift) == {"JUDGED": 3600.0, "UNRECORDED": 3600.0}
    assert text.headline(shift).title == "Nothing found; 50.0% of the time could be judged in full"


def test_a_share_of_which_a_length_is_not_known_is_at_most_that() -> None:
    shift = shift_of([recording([played(1, 10, 70)], [overpaid(1)]), lost(expected_s=None)])
    assert text.headline(shift).title == "1 fault; at most 100% of the time could be judged in full"


def test_a_night_without_a_round_has_judged_none() -> None:
    assert text.headline(shift_of([])).title == text.headline(shift_of([recording()])).title == "No round was judged"


def test_all_and_nothing_are_said_only_of_all_and_nothing() -> None:
    said = [text.share(part, 100_000) for part in (100_000, 99_999, 12_345, 1, 0)]
    assert said == ["100%", "99.9%", "12.3%", "<0.1%", "0.0%"]
    assert text.share(0, 0) == "–"


def test_seconds_are_told_by_kind_and_reason_with_their_rounds() -> None:
    rounds = [
        played(1, 0, 100, "incomplete"), played(2, 100, 200, "review"), played(3, 200, 300, "finding"),
        played(4, 300, 400, "review"), played(5, 400, 500),
    ]  # fmt: skip
    findings = [
        found("FT02", 1, "review"), found("FT01", 1, "review"), found("FT05", 2, "review"), overpaid(3),
        found("FT04", 3, "review"), overpaid(4, status="review"),
    ]  # fmt: skip
    holes = (Stretch(start_s=50.0, end_s=60.0, reason="damaged"), Stretch(start_s=450.0, end_s=460.0, reason="damaged"))
    shift = shift_of([recording(rounds, findings, holes=holes, read_s=3580.0)])
    told = [(line.kind, line.reason, line.seconds, line.rounds) for line in shift.coverage]
    assert told == [
        (Kind.JUDGED, "", 3190.0, ()),
        (Kind.QUESTIONED, "a place that matters was covered", 100.0, (1,)),
        (Kind.QUESTIONED, "a rule could not be decided", 100.0, (3,)),
        (Kind.QUESTIONED, "chips could not be read", 100.0, (2,)),
        (Kind.INCOMPLETE, "the camera had moved", 90.0, (0,)),
        (Kind.UNSEEN, "damaged", 20.0, ()),
    ]


def test_a_file_that_ends_before_its_own_length_was_not_seen_at_its_end() -> None:
    parts = labelled(recording(read_s=3000.0), [])
    assert parts == [
        Labelled(0.0, 3000.0, (Kind.JUDGED, "")),
        Labelled(3000.0, 3600.0, (Kind.UNSEEN, SHORT_READ)),
    ]


def test_a_round_that_runs_on_leaves_its_seconds_in_the_next_recording_unjudged() -> None:
    first = recording([played(1, 3550, 3650, "review")])
    second = recording([played(2, 60, 120)], name="cam1b.mp4", start=NIGHT + timedelta(hours=1))
    shift = shift_of([first, second])
    assert seconds(shift) == {"JUDGED": 7100.0, "QUESTIONED": 100.0}
    assert [take.judged_s for take in shift.takes] == [3550.0, 3550.0]
    assert [(line.kind, line.takes) for line in shift.coverage][1] == (Kind.QUESTIONED, (0, 1))


def test_time_of_a_recording_set_aside_that_another_one_shows_is_not_lost() -> None:
    again = lost(start=NIGHT + timedelta(minutes=30))
    shift = shift_of([recording([played(1, 10, 70)]), again])
    assert seconds(shift) == {"JUDGED": 3600.0, "SET_ASIDE": 1800.0}
    assert not shift.whole and shift.takes[1].length_s == 1800.0


@given(
    st.lists(st.tuples(st.floats(-50, 150), st.floats(-50, 150)), max_size=6),
    st.lists(st.tuples(st.floats(-50, 150), st.floats(0, 60)), max_size=6),
    st.floats(0, 100),
)
def test_every_second_of_a_recording_has_exactly_one_kind(rounds: Any, holes: Any, read_s: float) -> None:
    flaws = [Labelled(a, b, (Kind.QUESTIONED, "")) for a, b in rounds]
    own = recording(
        expected_s=100.0, read_s=read_s,
        holes=tuple(Stretch(start_s=a, end_s=a + length, reason="damaged") for a, length in holes),
    )  # fmt: skip
    parts = labelled(own, flaws)
    assert parts[0].start_s == 0.0 and parts[-1].end_s == 100.0
    assert all(a.end_s == b.start_s and a.start_s < a.end_s for a, b in pairwise(parts))
    for part in parts:  # in no hole's middle is anything judged
        middle = (part.start_s + part.end_s) / 2
        if any(a < middle < a + length for a, length in holes):
            assert part.label[0] is Kind.UNSEEN


def test_faults_come_by_money_and_questions_apart_from_them() -> None:
    rounds = [played(n, n * 100, n * 100 + 50, "finding") for n in range(1, 6)]
    findings = [overpaid(1, 500), overpaid(2, -90000), overpaid(3, 20000, "probable"), overpaid(4, 777777, "review"),
                found("EX01", 5, variance_cents=None)]  # fmt: skip
    shift = shift_of([recording(rounds, findings)])
    assert [finding.variance_cents for finding in shift.findings] == [-90000, 20000, 500, None, 777777]
    assert [finding.question for finding in shift.findings] == [False] * 4 + [True]
    money = shift.money
    assert (money.lost_cents, money.short_cents, money.likely_lost_cents, money.likely_short_cents) == (
        500, 90000, 20000, 0,
    )  # fmt: skip
    by_code = {line.code: line for line in shift.codes}
    line = by_code["PY02"]
    assert (line.confirmed, line.probable, line.questions) == (2, 1, 1)
    assert (line.lost_cents, line.short_cents, line.rounds) == (20500, 90000, (0, 1, 2, 3))


def test_a_wager_that_could_not_be_judged_counts_neither_as_right_nor_as_wrong() -> None:
    wrong, unread = row(due=("push", 0), got=("win", 2500)), row(seat=2, wager="blind", got=(None, None))
    rounds = [played(1, 0, 50, "finding", [wrong, unread]), played(2, 50, 99, rows=[row(), row(seat=2)])]
    shift = shift_of([recording(rounds, [overpaid(1)])])
    rates = {line.wager: (line.rate.wrong, line.rate.judged, line.rate.open) for line in shift.wagers}
    assert rates == {"ante": (1, 3, 0), "blind": (0, 0, 1)}
    blind = next(line for line in shift.wagers if line.wager == "blind")
    assert (blind.rate.share, blind.rate.low, blind.rate.high, blind.open_rounds) == (None, None, None, (0,))


def test_a_fault_that_only_a_person_can_settle_leaves_its_wager_open() -> None:
    wrong = row(due=("push", 0), got=("win", 2500))
    shift = shift_of([recording([played(1, 0, 50, "review", [wrong])], [overpaid(1, status="review")])])
    assert (shift.wagers_rate.wrong, shift.wagers_rate.judged, shift.wagers_rate.open) == (0, 0, 1)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_ends_of_the_interval_are_the_shares_that_lie_just_1_96_deviations_off(numbers: tuple[int, int]) -> None:
    hits, trials = numbers
    low, high = wilson(hits, trials)
    share = hits / trials
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):
        if 0 < end < 1:
            assert abs(share - end) / math.sqrt(end * (1 - end) / trials) == pytest.approx(1.959964, abs=1e-4)


def test_the_interval_is_that_of_the_textbook() -> None:
    assert wilson(0, ENOUGH_WAGERS) == pytest.approx((0.0, 0.0370), abs=5e-5)
    assert wilson(10, 100) == pytest.approx((0.0552, 0.1744), abs=5e-5)
    with pytest.raises(ValueError, match="no share"):
        wilson(0, 0)


def dealt(dealer: str | None, wagers: int, wrong: int) -> Recording:
    rows = [row(due=("push", 0), got=("win", 2500)) if n < wrong else row() for n in range(wagers)]
    return recording(
        [played(n, n, n + 1, "finding" if n < wrong else "clean", [one]) for n, one in enumerate(rows)],
        [overpaid(n, 2500) for n in range(wrong)], name=f"{dealer}", dealer=dealer, start=None,
    )  # fmt: skip


def test_dealers_of_whom_too_little_was_judged_have_no_rate_and_nobody_is_ranked() -> None:
    shift = shift_of([dealt("Zoë", 150, 30), dealt("ana", ENOUGH_WAGERS, 0), dealt("Ben", ENOUGH_WAGERS - 1, 9),
                      dealt(None, 20, 0)])  # fmt: skip
    assert [(line.dealer, line.rounds, line.apart) for line in shift.dealers] == [
        ("ana", 100, True),
        ("Zoë", 150, True),
    ]
    assert [line.dealer for line in shift.few] == ["Ben"]
    assert shift.nameless_rounds == 20
    zoe = shift.dealers[1]
    assert (zoe.rate.wrong, zoe.rate.judged, zoe.lost_cents, len(zoe.wrong_rounds)) == (30, 150, 75000, 30)


def test_a_dealer_whose_interval_holds_the_rate_of_all_does_not_stand_apart() -> None:
    shift = shift_of([dealt("A", 200, 4), dealt("B", 200, 6)])
    assert [line.apart for line in shift.dealers] == [False, False]


def night_of(day: int, month: int, hours: int) -> tuple[Recording, ...]:
    """22:00 to 06:00 in New York in recordings of an hour, a round every 30 minutes."""
    start = datetime(2024, month, day, 22, tzinfo=ZoneInfo(NEW_YORK)).astimezone(UTC)
    return tuple(
        recording(
            [played(2 * n + 1, 0, 60), played(2 * n + 2, 1800, 1860)], name=f"{n}.mp4", start=start + timedelta(hours=n)
        )
        for n in range(hours)
    )


@pytest.mark.parametrize(("month", "day", "hours", "until"), [(11, 2, 9, "-05:00"), (3, 9, 7, "-04:00")])
def test_a_night_with_a_clock_change_is_as_long_as_it_was(month: int, day: int, hours: int, until: str) -> None:
    shift = shift_of(night_of(day, month, hours))
    [table] = shift.tables
    assert shift.expected_s == hours * 3600 == shift.judged_s
    assert table.first and table.last and text.clock(table.last, NEW_YORK) == f"06:00:00 {until}"
    assert len(table.hours) == hours and {len(hour.rounds) for hour in table.hours} == {2}
    assert all(hour.read_s == 3600 for hour in table.hours)
    assert table.rounds_per_hour == 2.0


def test_both_half_past_ones_are_told_apart_by_their_offset_and_stay_in_order() -> None:
    shift = shift_of(night_of(2, 11, 9))
    clocks = [text.clock(round_.start, NEW_YORK) for round_ in shift.rounds]
    assert [clock for clock in clocks if clock.startswith("01:30")] == ["01:30:00 -04:00", "01:30:00 -05:00"]
    assert [round_.start for round_ in shift.rounds] == sorted(round_.start for round_ in shift.rounds if round_.start)


def test_a_window_counts_what_lies_in_it_and_names_what_it_cannot_place() -> None:
    night = (*night_of(2, 11, 9), recording([played(99, 0, 9)], name="undated.mp4", start=None))
    since = datetime(2024, 11, 3, 1, 30, tzinfo=ZoneInfo(NEW_YORK))
    gap = NoRecording(table="UTH-01", start=night[0].start or NIGHT, end=since + timedelta(minutes=6))
    shift = shift_of(night, [gap], Window(since, datetime(2024, 11, 3, 4)))
    assert seconds(shift) == {"JUDGED": 3.5 * 3600, "UNRECORDED": 360.0}
    assert [take.name for take in shift.takes] == ["3.mp4", "4.mp4", "5.mp4", "6.mp4"]
    assert [text.clock(round_.start, NEW_YORK)[:5] for round_ in shift.rounds] == [
        "01:30", "01:00", "01:30", "02:00", "02:30", "03:00", "03:30",
    ]  # fmt: skip
    assert shift.left_out == ("undated.mp4",) and not shift.whole


@pytest.mark.parametrize("naive", [datetime(2024, 11, 3, 1, 30), datetime(2024, 3, 10, 2, 30)])
def test_a_time_that_clocks_showed_twice_or_never_is_asked_for_with_its_offset(naive: datetime) -> None:
    with pytest.raises(HandreplayError, match="give its offset"):
        shift_of(night_of(2, 11, 1), (), Window(since=naive))


def test_a_finding_of_no_round_is_still_there() -> None:
    shift = shift_of([recording([played(1, 0, 50)], [found("FT02", 7, "review", t=99.0)])])
    [finding] = shift.findings
    assert (finding.round, finding.take, finding.number) == (None, 0, 7)
    assert [(line.code, line.questions, line.rounds) for line in shift.codes] == [("FT02", 1, ())]


def test_recordings_to_look_at_again_come_with_the_reason_and_most_time_first() -> None:
    shift = shift_of(
        [
            recording([played(1, 0, 50)], name="good"),
            recording([played(1, 0, 3000, "review")], name="half", start=NIGHT + timedelta(hours=1)),
            recording([played(1, 0, 50, "finding")], [overpaid(1, status="probable")], name="likely", start=None),
            recording(name="triage", start=None, passed_over=(Stretch(start_s=0.0, end_s=600.0),)),
            lost(start=None),
        ]
    )
    again = [(shift.takes[line.take].name, line.seconds, line.reasons) for line in shift.again]
    assert again == [
        ("bad.mp4", 3600.0, ("set aside: no picture",)),
        ("half", 3000.0, ("less than half of it could be judged",)),
        ("triage", 600.0, ("triage passed over part of it",)),
        ("likely", 0.0, ("1 probable fault",)),
    ]


def test_findings_are_let_go_one_recording_after_another() -> None:
    alive: list[Any] = []

    class Document(dict[str, Any]):
        def __del__(self) -> None:
            alive.remove(id(self))

    def stream() -> Iterator[Recording]:
        for number in range(20):
            one = recording([played(number, 0, 50)], name=f"{number}", start=None)
            document = Document(one.document or {})
            alive.append(id(document))
            assert len(alive) <= 2
            one = dataclasses.replace(one, document=document)
            del document
            yield one
            del one

    assert len(shift_of(stream()).rounds) == 20


@pytest.mark.parametrize(
    ("stretches", "why"),
    [
        ({"passed_over": (Stretch(start_s=0.0, end_s=90.0),)}, TRIAGED),
        ({"passed_over": (Stretch(start_s=500.0, end_s=900.0),)}, WHY["FT01"]),
        (
            {"passed_over": (Stretch(start_s=0.0, end_s=90.0),), "holes": (Stretch(start_s=20.0, end_s=30.0),)},
            WHY["FT01"],
        ),
        ({}, WHY["FT01"]),
    ],
)
def test_a_round_that_triage_passed_over_lacks_no_footage(stretches: dict[str, Any], why: str) -> None:
    asked = found("FT01", 1, "review")
    shift = shift_of([recording([played(1, 10.0, 60.0, "incomplete")], [asked], **stretches)])
    assert shift.rounds[0].why == why
