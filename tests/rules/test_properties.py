"""What holds of every round, over rounds drawn at random: clean rounds, money, seats, and what was not seen."""

import random
from dataclasses import replace

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handreplay.core.events import ChipsChanged, Event
from handreplay.core.findings import Audit
from handreplay.games.game import Due
from handreplay.rules import audit_rounds
from tests.rules.random_rounds import blurred, due_to_the_house, gapped, house_gain, random_story, with_a_fault
from tests.rules.story import Story

SEEDS = st.integers(0, 10**9).map(random.Random)
MANY = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def told(audit: Audit) -> set[tuple[str, int | None, str | None, int | None]]:
    return {(f.code, f.seat, f.wager, f.variance_cents) for f in audit.findings}


@MANY
@given(SEEDS)
def test_a_round_that_goes_as_the_rules_have_it_is_clean_and_conserves_money(draw: random.Random) -> None:
    story = random_story(draw)
    round_ = story.told()
    audit = audit_rounds([round_], story.table)
    assert told(audit) == set() and audit.rounds[0].verdict == "clean"
    rows = audit.rounds[0].settlement
    assert house_gain(round_) == due_to_the_house(story, [_as_due(row) for row in rows])


def _as_due(row: object) -> object:
    expected = Due(row.expected.result, row.expected.pay_cents)  # type: ignore[attr-defined]
    return type("Row", (), {"wager": row.wager, "staked_cents": row.staked_cents, "expected": expected})  # type: ignore[attr-defined]


@MANY
@given(SEEDS)
def test_what_was_wrongly_paid_is_the_variance_to_the_cent(draw: random.Random) -> None:
    story = random_story(draw)
    right = house_gain(story.told())
    with_a_fault(draw, story)
    round_ = story.told()
    audit = audit_rounds([round_], story.table)
    if all(finding.code.startswith("PY0") for finding in audit.findings):
        assert right - house_gain(round_) == sum(finding.variance_cents or 0 for finding in audit.findings)


@MANY
@given(SEEDS)
def test_the_order_in_which_seats_bet_changes_nothing(draw: random.Random) -> None:
    story = random_story(draw)
    with_a_fault(draw, story)
    before = told(story.audit())
    bets = [event for event in story.phases["betting"] if isinstance(event, ChipsChanged) and event.actor == "player"]
    rest: list[Event] = [event for event in story.phases["betting"] if event not in bets]
    zones: dict[str, list[Event]] = {}
    for event in bets:
        zones.setdefault(event.zone, []).append(event)
    order = list(zones)
    draw.shuffle(order)
    story.phases["betting"] = [event for zone in order for event in zones[zone]] + rest
    assert told(story.audit()) == before


@settings(MANY, max_examples=250)
@given(SEEDS)
def test_what_is_not_seen_never_makes_a_wrong_finding_certain(draw: random.Random) -> None:
    story = random_story(draw)
    with_a_fault(draw, story)
    round_ = story.told()
    true = {(code, seat, wager): variance for code, seat, wager, variance in told(audit_rounds([round_], story.table))}
    for finding in audit_rounds([blurred(draw, round_)], story.table).findings:
        if finding.status == "confirmed":
            key = (finding.code, finding.seat, finding.wager)
            assert key in true, finding.message
            assert finding.variance_cents in (None, true[key]) or true[key] is None


@settings(MANY, max_examples=120)
@given(SEEDS)
def test_what_is_lost_with_the_footage_never_makes_a_wrong_finding_certain(draw: random.Random) -> None:
    story = random_story(draw)
    with_a_fault(draw, story)
    round_ = story.told()
    true = {(code, seat, wager): variance for code, seat, wager, variance in told(audit_rounds([round_], story.table))}
    for finding in audit_rounds([gapped(draw, round_)], story.table).findings:
        if finding.status == "confirmed":
            assert true.get((finding.code, finding.seat, finding.wager), "none") == finding.variance_cents


@MANY
@given(SEEDS)
def test_a_round_with_something_unseen_that_matters_is_never_clean(draw: random.Random) -> None:
    story = random_story(draw)
    with_a_fault(draw, story)
    faults = told(story.audit())
    audit = audit_rounds([blurred(draw, story.told())], story.table)
    if faults and all(code.startswith("PY") for code, *_ in faults):
        assert audit.rounds[0].verdict != "clean"


@example(6)
@given(st.integers(1, 6))
@settings(max_examples=6, deadline=None)
def test_a_shift_of_clean_rounds_is_clean(count: int) -> None:
    draw = random.Random(count)
    stories: list[Story] = [random_story(draw, "pa-641a", dealing="hand") for _ in range(count)]
    rounds = [replace(story.told(), number=number) for number, story in enumerate(stories, start=1)]
    assert told(audit_rounds(rounds, stories[0].table)) == set()


@MANY
@given(SEEDS)
def test_a_log_that_never_says_whose_hand_it_was_raises_questions_and_no_fault(draw: random.Random) -> None:
    story = random_story(draw)
    round_ = story.told()
    unsaid = [replace(e, actor="unknown", to=None) if isinstance(e, ChipsChanged) else e for e in round_.events]
    audit = audit_rounds([replace(round_, events=tuple(unsaid))], story.table)
    assert {finding.status for finding in audit.findings} <= {"review"}
