from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.config import load_profile
from handreplay.core.events import Round
from handreplay.core.findings import Audit, Finding
from handreplay.core.observations import PictureLost, ZoneUncovered
from handreplay.report.wager_verdicts import wager_verdict
from handreplay.rules import audit_rounds
from handreplay.rules.triage import LONGEST_ROUND_SECONDS, Span, as_looked_at, between, close_looks, in_one, joined
from tests.rules.rounds import ordinary
from tests.rules.story import Story

PROFILE = Path(__file__).parents[2] / "sample_footage" / "uth-sample.table.toml"
SUSPICION = Finding(
    code="PY02",
    name="overpaid",
    round=1,
    t=100.0,
    frame=None,
    status="probable",
    confidence=0.9,
    citation="",
    basis="text",
    remedy="",
    message="",
    variance_cents=2500,
)


def audit(*findings: Finding) -> Audit:
    return Audit(rounds=(), findings=findings)


def rounds_of(*borders: tuple[float, float]) -> list[Round]:
    return [
        Round(number=number, table="T", game="g", start=start, end=end, events=())
        for number, (start, end) in enumerate(borders, 1)
    ]


def test_the_whole_round_of_a_suspicion_is_looked_at() -> None:
    [only] = close_looks(rounds_of((10.0, 50.0), (60.0, 110.0)), audit(replace(SUSPICION, round=2)), end=1000.0)
    assert 50.0 < only.start < 60.0 and 110.0 < only.end < 120.0


def test_the_farther_apart_key_pictures_lie_the_more_is_looked_at_around_a_round() -> None:
    [only] = close_looks(rounds_of((40.0, 80.0)), audit(SUSPICION), end=1000.0, apart=10.0)
    assert only == Span(25.0, 95.0)


def test_the_most_money_is_looked_at_first_when_not_all_can_be() -> None:
    small, large = replace(SUSPICION, round=1), replace(SUSPICION, round=2, variance_cents=-90_000)
    [only] = close_looks(rounds_of((10.0, 40.0), (60.0, 100.0)), audit(small, large), end=200.0, share=0.1)
    assert only.start < 60.0 < 100.0 < only.end


@pytest.mark.parametrize("code", ["FT04", "WG04", "MD06"])
def test_what_hangs_on_seconds_or_on_reading_asks_for_no_close_look(code: str) -> None:
    assert close_looks(rounds_of((10.0, 50.0)), audit(replace(SUSPICION, code=code)), end=1000.0) == ()


def test_several_rounds_taken_for_one_are_not_looked_at() -> None:
    assert close_looks(rounds_of((0.0, 900.0)), audit(SUSPICION), end=1000.0) == ()


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(-10_000, 10_000)), max_size=30), st.floats(0, 0.5))
def test_no_more_than_the_share_is_looked_at_or_one_round(suspicions: list[tuple[int, int]], share: float) -> None:
    rounds = rounds_of(*((50.0 * number, 50.0 * number + 40.0) for number in range(20)))
    asked = audit(*(replace(SUSPICION, round=number, variance_cents=cents) for number, cents in suspicions))
    found = close_looks(rounds, asked, 1000.0, share)
    assert sum(span.seconds for span in found) <= max(share * 1000.0, LONGEST_ROUND_SECONDS)
    assert all(before.end < after.start for before, after in pairwise(found))


spans = st.lists(
    st.tuples(st.floats(0, 100), st.floats(0.1, 20)).map(lambda pair: Span(pair[0], sum(pair))), max_size=8
)


@given(spans)
def test_what_is_looked_at_and_what_lies_between_make_the_whole(some: list[Span]) -> None:
    looked_at = joined(some)
    end = max([200.0, *(span.end for span in looked_at)])
    rest = between(looked_at, end)
    assert sum(span.seconds for span in (*looked_at, *rest)) == pytest.approx(end)
    assert joined([*looked_at, *rest])[0] == Span(0.0, end)


def test_the_close_look_stands_for_what_key_pictures_showed_of_its_seconds() -> None:
    coarse = [ZoneUncovered(t=t, zone="coarse") for t in (1.0, 5.0, 9.0)]
    lost = PictureLost(start=4.0, end=6.0, reason="close")
    told = in_one(coarse, [(Span(4.0, 8.0), [lost])])
    assert told == [coarse[0], lost, coarse[2]]


def test_a_round_is_of_triage_only_where_some_of_it_was_passed_over() -> None:
    round_ = Round(number=1, table="T", game="g", start=10.0, end=50.0, events=())
    assert as_looked_at(round_, [Span(0.0, 10.0), Span(50.0, 90.0)]) == round_
    assert as_looked_at(round_, [Span(49.0, 90.0)]).extra["triage"] is True


@pytest.mark.parametrize("partial", [None, "footage ends within the round"])
def test_of_triage_is_said_that_the_recording_has_to_be_audited_not_that_footage_is_missing(
    partial: str | None,
) -> None:
    profile = load_profile(PROFILE)
    empty = Round(number=1, table="T", game=profile.table.game, start=10.0, end=50.0, events=(), partial=partial)
    [asked] = audit_rounds([as_looked_at(empty, [Span(0.0, 90.0)])], profile.rules()).findings
    assert asked.code == "FT01" and "audit the recording in full" in asked.message
    assert asked.remedy.startswith("Audit the recording in full") and "another recording" not in asked.remedy


@pytest.mark.parametrize(("step_s", "asked"), [(None, False), (0.08, False), (0.1, False), (0.16, True)])
def test_of_few_pictures_a_second_nothing_is_told_all_is_asked(step_s: float | None, asked: bool) -> None:
    profile = load_profile(PROFILE)
    empty = Round(number=1, table="T", game=profile.table.game, start=10.0, end=50.0, events=(), partial=None)
    found = audit_rounds([as_looked_at(empty, [], step_s)], profile.rules()).findings
    assert ["fewer than 10 pictures" in one.message for one in found] == [True] * asked
    assert {one.status for one in found} <= {"review"}


def test_of_a_round_that_triage_passed_over_no_wager_is_told_to_be_settled_rightly() -> None:
    story = ordinary("pa-649a")
    full, triaged = story.told(), replace(story.told(), extra={"triage": True})
    assert {wager_verdict(row, ())[0] for row in settlement_of(full, story)} == {"right"}
    assert {wager_verdict(row, ())[0] for row in settlement_of(triaged, story)} == {"open"}


def settlement_of(round_: Round, story: Story) -> list[dict[str, Any]]:
    (verdict,) = audit_rounds([round_], story.table).rounds
    return [asdict(row) for row in verdict.settlement]
