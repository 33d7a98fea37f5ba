"""A round told zone by zone: how long each card lay where and showed what, and what chips stood on each wager.

Reports and the evaluation ask for states; the log holds changes. Nothing here judges.
"""

from dataclasses import dataclass

from handreplay.core.events import CardMoved, CardPlaced, CardTurned, ChipsChanged, Round
from handreplay.core.money import Chips
from handreplay.core.readings import Known, Reading, Unreadable


@dataclass(frozen=True, slots=True)
class FaceUp:
    """A time in which a card's face showed, in seconds; `identity` as read then."""

    start: float
    end: float
    identity: Reading[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLife:
    """One physical card of a round."""

    card: str
    placed: float
    stays: tuple[tuple[float, str], ...]  # (seconds, zone) from its first place on
    shown: tuple[FaceUp, ...] = ()
    back: int | None = None

    @property
    def zone(self) -> str:
        """Where it was dealt."""
        return self.stays[0][1]

    @property
    def identity(self) -> Reading[str]:
        """The surest reading of its face; Unreadable("never shown") when it stayed face down."""
        known = [up.identity for up in self.shown if isinstance(up.identity, Known)]
        if known:
            return max(known, key=lambda reading: reading.confidence)
        return self.shown[-1].identity if self.shown else Unreadable("never shown")

    @property
    def longest_shown(self) -> float:
        """Seconds of the longest time that its face showed; 0 when it never did."""
        return max((up.end - up.start for up in self.shown), default=0.0)


@dataclass(frozen=True, slots=True)
class ChipState:
    """What stood in a wager zone from `start` to `end`, in seconds."""

    start: float
    end: float
    chips: Reading[Chips]


def card_lives(round_: Round) -> tuple[CardLife, ...]:
    """Every card of the round in the order of its first appearance. A card lying in the rack shows no face."""
    order: list[str] = []
    placed: dict[str, CardPlaced] = {}
    stays: dict[str, list[tuple[float, str]]] = {}
    shown: dict[str, list[FaceUp]] = {}
    open_: dict[str, tuple[float, Reading[str]]] = {}

    def cover(card: str, at: float) -> None:
        if card in open_:
            start, identity = open_.pop(card)
            shown[card].append(FaceUp(start, at, identity))

    for event in round_.events:
        match event:
            case CardPlaced(card=card) if card not in placed:
                order.append(card)
                placed[card], stays[card], shown[card] = event, [(event.t, event.zone)], []
                if event.face == "up":
                    open_[card] = (event.t, event.identity)
            case CardTurned(card=card) if card in placed:
                cover(card, event.t)
                if event.face == "up":
                    open_[card] = (event.t, event.identity)
            case CardMoved(card=card) if card in placed:
                stays[card].append((event.t, event.to))
                if event.to == "rack":
                    cover(card, event.t)
            case _:
                pass
    for card in list(open_):
        cover(card, round_.end)
    return tuple(
        CardLife(card=c, placed=placed[c].t, stays=tuple(stays[c]), shown=tuple(shown[c]), back=placed[c].back)
        for c in order
    )


def chip_states(round_: Round) -> dict[str, tuple[ChipState, ...]]:
    """Wager zone -> what stood there, one state after each change, until the round's end."""
    changes: dict[str, list[ChipsChanged]] = {}
    for event in round_.events:
        if isinstance(event, ChipsChanged):
            changes.setdefault(event.zone, []).append(event)
    states: dict[str, tuple[ChipState, ...]] = {}
    for zone, events in changes.items():
        ends = [*(event.t for event in events[1:]), max(round_.end, events[-1].t)]
        states[zone] = tuple(ChipState(event.t, end, event.after) for event, end in zip(events, ends, strict=True))
    return states
