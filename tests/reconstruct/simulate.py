"""What perfect eyes would report of a round that is known: one look at a zone after each change in it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckShuffled,
    Event,
    Round,
    StubMoved,
)
from handreplay.core.money import Chips
from handreplay.core.observations import Observation, SeenCard, SeenStack, ZoneSeen
from handreplay.core.readings import Known, Unreadable

CARRY_SECONDS = 0.8


@dataclass
class Eyes:
    """The table as it lies, and the looks that it gives."""

    cards: dict[str, tuple[str, bool, str | None]] = field(default_factory=dict)  # id -> zone, face up, identity
    order: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)  # id -> how many lay in its zone before it
    chips: dict[str, Chips] = field(default_factory=dict)
    racked: int = 0

    def look(self, zone: str, t: float, hand: str, changed: float = 0.2) -> ZoneSeen:
        lying = [card for card in self.order if _home(*self.cards[card]) == zone]
        top = lying[-1] if lying else None
        seen = [self._seen(self.places[card], card == top, *self.cards[card][1:]) for card in lying]
        if zone == "rack" and self.racked:
            seen = [self._seen(0, True, False, None)]
        stacks = ()
        if self.chips.get(zone):
            stacks = (SeenStack(base_mm=(0.0, 0.0), chips=Known(self.chips[zone], 0.99)),)
        return ZoneSeen(
            start=t,
            end=t,
            frame=round(t * 15),
            zone=zone,
            busy_since=t - 0.5,
            changed=changed,
            dealer_hand=5.0 if hand == "dealer" else 0.0,
            player_hand=5.0 if hand == "player" else 0.0,
            cards=tuple(seen[-1:] if seen and not seen[0].face_up else seen),
            stacks=stacks,
            filled=bool(seen or stacks),
        )

    def _seen(self, n: int, on_top: bool, up: bool, identity: str | None) -> SeenCard:
        x = -n * 66.0 if up else n * 8.0
        probabilities = [0.0] * len(DECK)
        if up and identity:
            probabilities[CARD_NUMBER[identity]] = 1.0
        return SeenCard(
            corners_mm=((x, 0.0), (x + 63.5, 0.0), (x + 63.5, 88.9), (x, 88.9)),
            face_up=up,
            face_confidence=0.99,
            identity=Known(identity, 0.99) if up and identity else Unreadable("back"),
            probabilities=tuple(probabilities) if up and identity else (),
            visible=1.0 if on_top or up else 0.1,
        )


def observed(rounds: list[Round], zones: list[str]) -> list[Observation]:
    """All looks, in time order, from the first picture on."""
    eyes = Eyes()
    looks = [eyes.look(zone, 0.3, "none", 1.0) for zone in zones]
    for made in rounds:
        for event in made.events:
            looks += _after(eyes, event)
        eyes.cards, eyes.order, eyes.racked = {}, [], 0
    return sorted(looks, key=lambda look: look.start)


def _after(eyes: Eyes, event: Event) -> Iterator[ZoneSeen]:
    match event:
        case ChipsChanged(after=Known(after)):
            eyes.chips[event.zone] = after
            yield eyes.look(event.zone, event.t, event.actor)
        case CardPlaced(zone="rack"):
            eyes.racked += 1
            yield eyes.look("rack", event.t, "dealer", 0.03)
        case CardPlaced():
            known = event.identity.value if isinstance(event.identity, Known) else None
            eyes.places[event.card] = sum(zone == event.zone for zone, *_ in eyes.cards.values())
            eyes.cards[event.card] = (event.zone, event.face == "up", known)
            eyes.order.append(event.card)
            yield eyes.look(event.zone, event.t, "dealer")
        case CardTurned():
            known = event.identity.value if isinstance(event.identity, Known) else None
            eyes.cards[event.card] = (eyes.cards[event.card][0], event.face == "up", known)
            yield eyes.look(_home(*eyes.cards[event.card]), event.t, "dealer")
        case CardMoved():
            home = _home(event.source, *eyes.cards[event.card][1:])
            eyes.cards[event.card] = (event.to, *eyes.cards[event.card][1:])
            away = event.t - (CARRY_SECONDS if event.to == "rack" else 0.0)
            yield eyes.look(home, away, "dealer")
            eyes.racked += event.to == "rack"
            yield eyes.look(event.to, event.t, "dealer", 0.03)
        case StubMoved():
            eyes.racked += 1
            yield eyes.look("rack", event.t, "dealer", 0.03)
        case DeckShuffled():
            eyes.racked = 0
            yield eyes.look("rack", event.t - 1.5, "dealer", 0.4)


def _home(zone: str, up: bool, identity: str | None) -> str:
    """Tucked cards are turned up in the seat's own place."""
    seat, _, wager = zone.partition(".")
    return f"{seat}.cards" if up and seat.startswith("seat") and wager != "cards" else zone
