"""Missing footage: what is first seen after it may have happened in it, and is no fault that can be told."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from handreplay.core.events import CardMoved, CardPlaced, CardTurned, ChipsChanged, Declared, Event, FootageGap, Round
from handreplay.core.readings import Known
from handreplay.rules import audit_rounds
from tests.rules.rounds import ALL, base, ordinary
from tests.rules.story import Story, worth

LATE_S = 0.01  # after a gap, everything that has changed is seen at once


def as_read(round_: Round, start: float, end: float, draw: random.Random) -> Round:
    """The round as pictures tell it without those seconds: events come late, at once, by nobody's hand, or never."""
    gone = {event.card for event in round_.events if isinstance(event, CardMoved) and start <= event.t <= end}
    events = [
        late
        for event in round_.events
        if not (isinstance(event, CardTurned) and _turn_missed(event, gone, start, end, draw))
        for late in _late(event, start, end, draw)
    ]
    events = [*_merged(sorted(events, key=lambda e: e.t)), FootageGap(t=start, until=end)]
    return replace(round_, events=tuple(sorted(events, key=lambda e: e.t)), extra={"read_from": "footage"})


def _turn_missed(event: CardTurned, gone: set[str], start: float, end: float, draw: random.Random) -> bool:
    """A face that hands still covered when the gap came, and that was gone when they went."""
    return start - 1.0 <= event.t <= end and (event.card in gone or draw.random() < 0.4)


def _late(event: Event, start: float, end: float, draw: random.Random) -> Iterator[Event]:
    if not start <= event.t <= end:
        yield replace(event, confidence=0.96)
    elif isinstance(event, ChipsChanged):
        yield replace(event, t=end + LATE_S, actor="unknown", to=None, confidence=0.96)
    elif isinstance(event, CardPlaced | CardTurned | CardMoved):
        yield replace(event, t=end + draw.choice([LATE_S, 2.0]), confidence=0.96)
    elif isinstance(event, Declared):
        yield event


def _merged(events: list[Event]) -> list[Event]:
    """Changes of one zone that come to light at once are one change, or none; cards are told once they lie."""
    told: list[Event] = []
    placed: set[str] = set()
    for event in events:
        if isinstance(event, CardPlaced):
            placed.add(event.card)
        if isinstance(event, CardTurned | CardMoved) and event.card not in placed:
            continue
        former = next((e for e in told if isinstance(event, ChipsChanged) and _at_once(e, event)), None)
        if not isinstance(former, ChipsChanged) or not isinstance(event, ChipsChanged):
            told.append(event)
            continue
        told.remove(former)
        assert isinstance(former.before, Known) and isinstance(event.after, Known)
        if former.before.value != event.after.value:
            told.append(replace(event, before=former.before))
    return told


def _at_once(former: Event, event: ChipsChanged) -> bool:
    return isinstance(former, ChipsChanged) and (former.zone, former.t) == (event.zone, event.t)


def with_gap(round_: Round, start: float, until: float, zone: str | None = None) -> Round:
    gap = FootageGap(t=start, until=until, zone=zone)
    return replace(round_, events=tuple(sorted([*round_.events, gap], key=lambda e: e.t)))


@pytest.mark.parametrize("rules", ALL)
def test_a_fault_is_confirmed_only_where_nothing_that_bears_on_it_went_unseen(rules: str) -> None:
    story = ordinary(rules)
    story.done[1, base(rules)] = 500
    round_ = story.told()
    middle, end = round_.end / 2 + 0.2, round_.end / 2 + 0.6
    for start, until, zone, status in (
        (0.1, 0.9, None, "confirmed"),  # before any chips lay
        (middle, end, None, "probable"),
        (middle, end, f"seat1.{base(rules)}", "probable"),
        (middle, end, f"seat3.{base(rules)}", "confirmed"),
        (middle, end, "tray", "confirmed"),
    ):
        found = audit_rounds([with_gap(round_, start, until, zone)], story.table).findings
        assert [f.status for f in found if f.code == "PY01"] == [status], (start, zone)


@pytest.mark.parametrize("rules", ["pa-653a", "pa-677a", "pa-641a", "pa-649a"])
def test_a_later_wager_that_went_down_unseen_is_the_stake_that_counts(rules: str) -> None:
    story = ordinary(rules)
    round_ = story.told()
    made = next(e for e in round_.events if getattr(e, "zone", "") == f"seat1.{story.game.later}")
    lost = replace(round_, events=tuple(event for event in round_.events if event is not made))
    audit = audit_rounds([with_gap(lost, made.t - 0.2, made.t + 0.2)], story.table)
    assert [f.code for f in audit.findings] == ["FT01"]
    row = next(r for r in audit.rounds[0].settlement if (r.seat, r.wager) == (1, story.game.later))
    assert isinstance(made, ChipsChanged) and isinstance(made.after, Known)
    assert row.staked_cents == worth(made.after.value)


def test_the_dealers_open_card_is_no_exposure_where_one_below_it_came_unseen() -> None:
    story = ordinary("pa-641a")
    round_ = story.told()
    lost = next(e for e in round_.events if isinstance(e, CardPlaced) and e.card == story.names["dealer"][2])
    kept = tuple(e for e in round_.events if getattr(e, "card", None) != lost.card)
    damaged = with_gap(replace(round_, events=kept), lost.t - 0.2, lost.t + 0.2)
    assert faults(damaged, story) == []


@pytest.mark.parametrize("rules", ["pa-653a", "pa-677a", "pa-641a", "pa-649a"])
def test_a_reveal_after_seconds_in_which_players_may_have_decided_is_a_question(rules: str) -> None:
    story = ordinary(rules)
    round_ = story.told()
    made = [e for e in round_.events if getattr(e, "zone", "").endswith(f".{story.game.later}")]
    lost = next(e for e in made if getattr(e, "zone", "") == f"seat3.{story.game.later}")
    kept = tuple(e for e in round_.events if getattr(e, "zone", "") != f"seat3.{story.game.later}")
    audit = audit_rounds([with_gap(replace(round_, events=kept), lost.t - 0.2, lost.t + 0.2)], story.table)
    assert not [f for f in audit.findings if f.code in ("EX01", "MD09") and f.status != "review"]


@pytest.mark.parametrize("rules", ALL)
def test_a_bet_that_may_have_been_made_unseen_is_no_missing_wager(rules: str) -> None:
    story = ordinary(rules)
    round_ = story.told()
    zones = {f"seat1.{wager.name}" for wager in story.game.wagers if wager.role == "base"}
    bets = [event for event in story.phases["betting"] if getattr(event, "zone", "") in zones]
    kept = [e for e in round_.events if not (getattr(e, "zone", "") in zones and e.t <= len(story.phases["betting"]))]
    lost = replace(round_, events=tuple(kept))
    assert bets and faults(with_gap(lost, 0.5, len(story.phases["betting"]) + 0.5), story) == []


def faults(round_: Round, story: Story) -> list[tuple[str, int | None, str | None, str]]:
    audit = audit_rounds([round_], story.table)
    told = [f for f in audit.findings if not f.code.startswith("FT") and f.status != "review"]
    return [(f.code, f.seat, f.wager, f.message) for f in told]


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("seconds", [0.4, 2.0, 6.0])
def test_seconds_missing_anywhere_in_a_round_without_fault_bring_up_no_fault(rules: str, seconds: float) -> None:
    story = ordinary(rules)
    round_ = story.told()
    draw = random.Random(seconds)
    for event in round_.events:
        start = max(round_.start, event.t - 0.3)
        damaged = as_read(round_, start, min(round_.end, start + seconds), draw)
        assert faults(damaged, story) == [], start


def test_an_envy_bonus_whose_wager_came_and_went_in_a_gap_is_asked_about_and_not_called_overpaid() -> None:
    story = ordinary("pa-641a")
    round_ = story.told()
    close = next(e.t for e in round_.events if isinstance(e, CardPlaced))
    paid = [replace(story.changed(2, "envy", 5000, "dealer"), t=round_.end - 1.0)]
    bets = [e for e in round_.events if not (isinstance(e, ChipsChanged) and e.zone == "seat2.progressive")]
    gap = FootageGap(t=round_.start, until=close - 0.1)
    events = tuple(sorted([*bets, gap, *paid], key=lambda e: e.t))
    assert ("PY02", 2, "envy") in [
        told[:3] for told in faults(replace(round_, events=tuple(sorted([*bets, *paid], key=lambda e: e.t))), story)
    ]
    assert faults(replace(round_, events=events), story) == []
