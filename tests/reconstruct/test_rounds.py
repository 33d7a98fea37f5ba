"""Rounds that are known, seen by perfect eyes, come out as they were."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    Declared,
    Event,
    FootageGap,
    Round,
)
from handreplay.core.observations import Observation, PictureLost, ZoneSeen
from handreplay.core.readings import Known, Reading
from handreplay.core.roundlog import parse_round, read_rounds, round_line
from handreplay.reconstruct.assemble import TableView
from handreplay.reconstruct.deal import Deal
from handreplay.reconstruct.rounds import rounds

from .simulate import observed

LOGS = Path(__file__).parent.parent / "data" / "rounds"
VIEW = TableView("T-01", "ultimate-texas-holdem", Deal(hand=2, dealer=2, community=5))


def known(reading: Reading[object]) -> object:
    return reading.value if isinstance(reading, Known) else None


def essence(event: Event) -> tuple[object, ...]:
    match event:
        case ChipsChanged():
            return ("chips", event.zone, known(event.before), known(event.after), event.actor)
        case CardPlaced():
            return ("placed", event.zone, event.face, known(event.identity))
        case CardTurned():
            return ("turned", event.face, known(event.identity))
        case CardMoved():
            return ("moved", event.source, event.to)
        case _:
            return (type(event).__name__,)


def told(made: Round) -> list[tuple[object, ...]]:
    return sorted((essence(e) for e in made.events if not isinstance(e, Declared)), key=str)


def zones_of(truth: tuple[Round, ...]) -> list[str]:
    names = {getattr(event, "zone", None) for made in truth for event in made.events}
    return sorted({name for name in names if name} | {"rack"})


@pytest.mark.parametrize("name", ["uth-01", "uth-02", "uth-03"])
def test_a_known_clip_comes_out_as_it_was(name: str) -> None:
    truth = read_rounds(LOGS / f"{name}.rounds.jsonl")
    found = list(rounds(observed(list(truth), zones_of(truth), squared=False), VIEW))
    assert [told(made) for made in found] == [told(made) for made in truth]
    assert [made.partial for made in found] == [None] * len(truth)


@pytest.mark.parametrize("name", ["uth-01", "uth-02", "uth-03"])
def test_the_rack_holds_the_cards_in_the_order_of_the_pick_up(name: str) -> None:
    truth = read_rounds(LOGS / f"{name}.rounds.jsonl")
    found = list(rounds(observed(list(truth), zones_of(truth), squared=False), VIEW))
    for made, true in zip(found, truth, strict=True):
        assert [card.hand for card in made.rack] == [card.hand for card in true.rack]
        assert [known(card.identity) for card in made.rack] == [known(card.identity) for card in true.rack]


def test_footage_that_ends_in_a_round_gives_a_partial_round() -> None:
    truth = read_rounds(LOGS / "uth-01.rounds.jsonl")
    looks = [look for look in observed(list(truth), zones_of(truth), squared=False) if look.start < 75.0]
    found = list(rounds(looks, VIEW))
    assert [made.partial for made in found] == [None, "footage ends within the round"]


def test_footage_that_starts_in_a_round_gives_a_partial_round() -> None:
    truth = read_rounds(LOGS / "uth-01.rounds.jsonl")
    looks = [look for look in observed(list(truth), zones_of(truth), squared=False) if look.start > 20.0]
    first = min(look.start for look in looks)
    found = list(rounds([_earlier(look, first) for look in looks], VIEW))
    assert found[0].partial == "footage starts within the round"
    assert found[1].partial is None


def test_a_hole_in_the_footage_stands_in_its_round() -> None:
    truth = read_rounds(LOGS / "uth-01.rounds.jsonl")
    looks = [
        *observed(list(truth), zones_of(truth), squared=False),
        PictureLost(start=60.0, end=61.5, reason="damaged pictures"),
    ]
    found = list(rounds(sorted(looks, key=lambda look: look.start), VIEW))
    gaps = [[e for e in made.events if isinstance(e, FootageGap)] for made in found]
    assert [len(g) for g in gaps] == [0, 1]
    assert (gaps[1][0].t, gaps[1][0].until) == (60.0, 61.5)


def _earlier(look, by):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(look, start=look.start - by, end=look.end - by, busy_since=look.busy_since - by)


def from_there_on(seen: list[Observation], cut: float) -> list[Observation]:
    """What somebody sees who comes at that second: the zones as they lie, all at once, and then the rest."""
    looks = [look for look in seen if isinstance(look, ZoneSeen)]
    lying = {look.zone: replace(look, start=cut, end=cut, busy_since=cut) for look in looks if look.start <= cut}
    coming = [*lying.values(), *(look for look in looks if look.start > cut)]
    return [
        replace(look, start=look.start - cut, end=max(look.end - cut, 0.0), busy_since=max(look.busy_since - cut, 0.0))
        for look in coming
    ]


@pytest.mark.parametrize("cut", [5.0, 12.0, 14.0, 20.0, 30.0, 45.0])
@pytest.mark.parametrize("name", ["uth-01", "uth-03"])
def test_a_recording_that_begins_within_a_round_leaves_a_log_that_can_be_read(name: str, cut: float) -> None:
    truth = read_rounds(LOGS / f"{name}.rounds.jsonl")
    seen = from_there_on(list(observed(list(truth), zones_of(truth), squared=False)), cut)
    for made in rounds(seen, VIEW):
        assert parse_round(json.loads(round_line(made)), "line").number == made.number


def forgotten(truth: Round) -> Round:
    """The round with a player's last card left on the felt."""
    lost = [event.card for event in truth.events if isinstance(event, CardMoved) and event.source.startswith("seat")][
        -1
    ]
    events = tuple(e for e in truth.events if not (isinstance(e, CardMoved) and e.card == lost and e.to == "rack"))
    return replace(truth, events=events, rack=tuple(card for card in truth.rack if card.card != lost))


@pytest.mark.parametrize("name", ["uth-01", "uth-03"])
def test_a_card_left_on_the_felt_does_not_make_one_round_of_two(name: str) -> None:
    first, second = read_rounds(LOGS / f"{name}.rounds.jsonl")
    seen = observed([forgotten(first), second], zones_of((first, second)), squared=False)
    made, other = rounds(seen, VIEW)
    assert (made.partial, other.partial) == (None, None)
    assert made.end < second.start < other.end
    assert len(other.rack) == len(second.rack)


@pytest.mark.parametrize("name", ["uth-01", "uth-02", "uth-03"])
def test_wagers_put_down_before_it_was_told_that_the_felt_is_clear_are_of_the_next_round(name: str) -> None:
    truth = read_rounds(LOGS / f"{name}.rounds.jsonl")
    usual = observed(truth, zones_of(truth))
    gone = max(
        (n for n, look in enumerate(usual) if _of(look, "dealer.cards") and look.start < truth[1].events[1].t),
        key=lambda n: usual[n].start,
    )
    begun = next(n for n, look in enumerate(usual) if n > gone and _of(look, "seat") and look.stacks)
    late = [*usual[:gone], *usual[gone + 1 : begun + 1], usual[gone], *usual[begun + 1 :]]
    assert [_wagers(made) for made in rounds(late, VIEW)] == [_wagers(made) for made in rounds(usual, VIEW)]


def _wagers(made: Round) -> tuple[object, ...]:
    return made.start, made.end, [essence(event) for event in made.events if isinstance(event, ChipsChanged)]


def _of(look: Observation, zone: str) -> bool:
    return isinstance(look, ZoneSeen) and look.zone.startswith(zone)
