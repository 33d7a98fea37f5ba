"""Events sorted by what they are about: one track a card, one track a wager zone. No event is refused."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from handreplay.core.events import CardMoved, CardPlaced, CardTurned, ChipsChanged, Event, Round
from handreplay.core.readings import Known, Reading, Unreadable

SEAT_ZONE = re.compile(r"seat([1-9][0-9]?)\.(.+)")


@dataclass(frozen=True, slots=True)
class Showing:
    """A time during which a card's face was up. `end` is None while it stays up."""

    start: float
    end: float | None
    event: Event


@dataclass(slots=True)
class Card:
    """One physical card through the round."""

    name: str
    order: int  # of its first placing
    placed: CardPlaced
    hand: str | None = None  # "seat3", "dealer", "community": the first hand it lay in
    arrived: Event | None = None  # the event that brought it there
    back: int | None = None
    racked: Event | None = None
    moves: list[CardMoved] = field(default_factory=list)
    showings: list[Showing] = field(default_factory=list)
    identity: Reading[str] = field(default_factory=lambda: Unreadable("never shown"))
    unseen: bool = False  # left an automated shoe for the rack, as the rules have it

    @property
    def arrived_t(self) -> float:
        return self.arrived.t if self.arrived else self.placed.t

    @property
    def straight_to_rack(self) -> bool:
        return self.placed.zone == "rack"

    @property
    def found_face_up(self) -> bool:
        return self.placed.zone == "shoe" and self.placed.face == "up"

    def up_at(self, t: float) -> bool:
        return any(s.start <= t and (s.end is None or t < s.end) for s in self.showings)

    @property
    def known(self) -> str | None:
        return self.identity.value if isinstance(self.identity, Known) else None

    @property
    def shown_t(self) -> float | None:
        return self.showings[0].start if self.showings else None


def hand_of(zone: str) -> str | None:
    """The hand whose cards lie in the zone; None for a wager, the rack, the shoe."""
    if zone == "dealer.cards":
        return "dealer"
    if zone == "community":
        return "community"
    match = SEAT_ZONE.fullmatch(zone)
    return f"seat{match[1]}" if match and match[2] == "cards" else None


def wager_of(zone: str) -> tuple[int, str] | None:
    """Seat and wager of a zone; None for a place of cards."""
    match = SEAT_ZONE.fullmatch(zone)
    return (int(match[1]), match[2]) if match and match[2] != "cards" else None


def place_seat(zone: str) -> int | None:
    """The seat that a zone of cards or chips belongs to."""
    match = SEAT_ZONE.fullmatch(zone)
    return int(match[1]) if match else None


def seat_of(hand: str) -> int | None:
    return int(hand.removeprefix("seat")) if hand.startswith("seat") else None


def card_tracks(round_: Round) -> dict[str, Card]:
    """Every card that was placed, in the order of placing."""
    cards: dict[str, Card] = {}
    readings: dict[str, list[Reading[str]]] = {}
    dealing = True
    for event in round_.events:
        dealing = dealing and not (cards and isinstance(event, CardTurned | ChipsChanged))
        match event:
            case CardPlaced():
                card = cards.setdefault(event.card, Card(event.card, len(cards), event, back=event.back))
                readings.setdefault(event.card, []).append(event.identity)
                _lies_in(card, event.zone, event)
                _faces(card, event.face, event)
            case CardTurned() if event.card in cards:
                readings[event.card].append(event.identity)
                _faces(cards[event.card], event.face, event)
            case CardMoved() if event.card in cards:
                card = cards[event.card]
                card.moves.append(event)
                if dealing and not card.showings and hand_of(event.to) is not None:
                    card.hand = None  # drawn in error and not exposed: it is used as the next card
                _lies_in(card, event.to, event)
            case _:
                pass
    for entry in round_.rack:
        if entry.card in cards:
            readings[entry.card].append(entry.identity)
    for name, card in cards.items():
        card.identity = best_reading(readings[name])
    return cards


def best_reading(readings: Iterable[Reading[str]]) -> Reading[str]:
    """The surest identity; failing that the candidates with the likeliest value, failing that the last reason."""
    best: Reading[str] = Unreadable("never shown")
    rank = (-1, 0.0)
    for reading in readings:
        if isinstance(reading, Known):
            own = (2, reading.confidence)
        elif reading.candidates:
            own = (1, max(probability for _, probability in reading.candidates))
        else:
            own = (0, 0.0)
        if own > rank:
            best, rank = reading, own
    return best


def _lies_in(card: Card, zone: str, event: Event) -> None:
    hand = hand_of(zone)
    if hand is not None and card.hand is None:
        card.hand, card.arrived = hand, event
    if zone == "rack":
        card.racked = card.racked or event
    elif card.racked is not None:
        card.racked = None  # it came out of the rack again


def _faces(card: Card, face: str, event: Event) -> None:
    last = card.showings[-1] if card.showings else None
    if face == "up" and (last is None or last.end is not None):
        card.showings.append(Showing(event.t, None, event))
    if face == "down" and last is not None and last.end is None:
        card.showings[-1] = Showing(last.start, event.t, last.event)


def chip_tracks(round_: Round) -> dict[tuple[int, str], tuple[ChipsChanged, ...]]:
    """The changes of each wager zone, by seat and wager."""
    tracks: dict[tuple[int, str], list[ChipsChanged]] = {}
    for event in round_.events:
        if isinstance(event, ChipsChanged):
            place = wager_of(event.zone)
            if place is not None:
                tracks.setdefault(place, []).append(event)
    return {place: tuple(steps) for place, steps in sorted(tracks.items())}
