"""What perfect eyes would report of a round that is known: one look at a zone after each gesture in it."""

from collections.abc import Iterable, Iterator, Sequence
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
BESIDE_SECONDS = 0.4  # from the shoe to the rack beside it
TOGETHER_SECONDS = 0.35  # what a hand does at once, the eyes see only when it has gone
STEP_MM = 9.0  # between cards laid loosely on each other
WIDTH_MM, LENGTH_MM = 63.5, 88.9


@dataclass
class Lying:
    """One card: the zone it lies in, which side is up, its face, and its number in its hand."""

    zone: str
    up: bool
    identity: str | None
    number: int


@dataclass
class Eyes:
    """The table as it lies, and the looks that it gives. Of a `squared` pile of backs only the topmost shows."""

    squared: bool = True
    cards: dict[str, Lying] = field(default_factory=dict)
    chips: dict[str, Chips] = field(default_factory=dict)
    racked: int = 0

    def look(self, zone: str, t: float, hand: str, changed: float = 0.2) -> ZoneSeen:
        seen = list(self._cards(zone))
        if zone == "rack" and self.racked:
            seen = [_seen(0.0, 1.0, False, None)]
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
            cards=tuple(seen),
            stacks=stacks,
            filled=bool(seen or stacks),
        )

    def _cards(self, zone: str) -> Iterator[SeenCard]:
        lying = [card for card in self.cards.values() if _home(card) == zone]
        apart = zone == "community"
        backs = [card for card in lying if not card.up]
        for card in lying:
            way = 1 if zone.startswith("seat") else -1
            beside = way * 66.0 * card.number
            if card.up or apart:
                yield _seen(beside, 1.0, card.up, card.identity)
            elif card is backs[-1] or not self.squared:
                at = 0.0 if self.squared else way * STEP_MM * backs.index(card)
                yield _seen(at, 1.0 if card is backs[-1] else STEP_MM / WIDTH_MM, False, None)


def _seen(x: float, visible: float, up: bool, identity: str | None) -> SeenCard:
    probabilities = [0.0] * len(DECK)
    if up and identity:
        probabilities[CARD_NUMBER[identity]] = 1.0
    return SeenCard(
        corners_mm=((x, 0.0), (x + WIDTH_MM, 0.0), (x + WIDTH_MM, LENGTH_MM), (x, LENGTH_MM)),
        face_up=up,
        face_confidence=0.99,
        identity=Known(identity, 0.99) if up and identity else Unreadable("back"),
        probabilities=tuple(probabilities) if up and identity else (),
        visible=visible,
    )


def observed(rounds: list[Round], zones: list[str], *, squared: bool = True) -> list[Observation]:
    """All looks, in time order, from the first picture on."""
    eyes = Eyes(squared)
    looks = [eyes.look(zone, 0.3, "none", 1.0) for zone in zones]
    for made in rounds:
        for gesture in _gestures(eyes, made.events):
            looks += _after(eyes, gesture)
        eyes.cards, eyes.racked = {}, 0
    return sorted(looks, key=lambda look: look.start)


def _gestures(eyes: Eyes, events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events of one kind in one place that follow each other closely; chips meanwhile are others' doing.

    Lazy: a card's place hangs on what came before.
    """
    gesture: list[Event] = []
    place: tuple[object, ...] = ()
    for event in events:
        chips = isinstance(event, ChipsChanged)
        here = place if chips else _place(eyes, event)
        if gesture and (here != place or event.t - gesture[-1].t > TOGETHER_SECONDS):
            yield gesture
            gesture = []
            here = _place(eyes, event)
        if chips:
            yield [event]
        else:
            gesture.append(event)
            place = here
    if gesture:
        yield gesture


def _place(eyes: Eyes, event: Event) -> tuple[object, ...]:
    match event:
        case CardPlaced():
            return ("placed", event.zone)
        case CardTurned() if event.card in eyes.cards:
            return ("turned", event.face, eyes.cards[event.card].zone)
        case CardMoved():
            return ("moved", event.source, event.to)
        case _:
            return (id(event),)


def _after(eyes: Eyes, gesture: Sequence[Event]) -> Iterator[ZoneSeen]:
    last = gesture[-1]
    t = last.t
    match last:
        case ChipsChanged(after=Known(after)):
            eyes.chips[last.zone] = after
            yield eyes.look(last.zone, t, last.actor)
        case CardPlaced(zone="rack"):
            eyes.racked += len(gesture)
            yield eyes.look("rack", t, "dealer", 0.03)
        case CardPlaced():
            for event in gesture:
                number = sum(card.zone == last.zone for card in eyes.cards.values())
                eyes.cards[event.card] = Lying(last.zone, event.face == "up", _known(event), number)
            yield eyes.look(last.zone, t, "dealer")
        case CardTurned():
            for event in gesture:
                eyes.cards[event.card].up, eyes.cards[event.card].identity = event.face == "up", _known(event)
            yield eyes.look(_home(eyes.cards[last.card]), t, "dealer")
        case CardMoved():
            home = _home(eyes.cards[last.card])
            for event in gesture:
                eyes.cards[event.card].zone = last.to
            carried = BESIDE_SECONDS if home == "shoe" else CARRY_SECONDS
            yield eyes.look(home, t - (carried if last.to == "rack" else 0.0), "dealer")
            eyes.racked += (last.to == "rack") * len(gesture)
            yield eyes.look(last.to, t, "dealer", 0.03 if last.to == "rack" else 0.2)
        case StubMoved():
            eyes.racked += 1
            yield eyes.look("rack", t, "dealer", 0.03)
        case DeckShuffled():
            eyes.racked = 0
            yield eyes.look("rack", t - 1.5, "dealer", 0.4)


def _known(event: CardPlaced | CardTurned) -> str | None:
    return event.identity.value if isinstance(event.identity, Known) else None


def _home(card: Lying) -> str:
    """Tucked cards are turned up in the seat's own place."""
    seat, _, wager = card.zone.partition(".")
    return f"{seat}.cards" if card.up and seat.startswith("seat") and wager != "cards" else card.zone
