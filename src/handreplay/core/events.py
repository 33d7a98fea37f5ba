"""Physical events, as a camera can see them, and the round that holds them (FORMATS.md, section 2).

Values mirror the round log field by field, so that a log line and a round are the same thing twice.
What an event means (a fold, a 4x Play Wager, a payment) is for games and rules to say.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from handreplay.core.money import Chips
from handreplay.core.readings import Reading

Actor = Literal["dealer", "player", "unknown"]
Face = Literal["up", "down"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    t: float  # seconds from the first picture, to the millisecond
    actor: Actor = "unknown"
    confidence: float = 1.0
    frame: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlaced(Event):
    card: str
    zone: str
    face: Face
    identity: Reading[str]
    back: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTurned(Event):
    card: str
    face: Face
    identity: Reading[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMoved(Event):
    card: str
    source: str
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsChanged(Event):
    zone: str
    before: Reading[Chips]
    after: Reading[Chips]
    to: Literal["tray", "player"] | None = None
    added: Reading[Chips] | None = None  # the stacks that are new in `after`, by themselves; pictures tell, logs don't


@dataclass(frozen=True, slots=True, kw_only=True)
class StubMoved(Event):
    to: str
    exposed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StubCounted(Event):
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckShuffled(Event):
    back: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckChanged(Event):
    back: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared(Event):
    what: str
    note: str | None = None
    seat: int | None = None
    cents: int | None = None
    identity: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FootageGap(Event):
    until: float
    camera_moved: bool = False  # there are pictures, but they no longer fit the table profile
    zone: str | None = None  # the only place that was not seen, because something lay over it; None: nothing was


@dataclass(frozen=True, slots=True)
class RackCard:
    """One card of the discard rack, bottom to top. `hand`: seat<N>, dealer, community, burn, stub, unused."""

    card: str
    identity: Reading[str]
    hand: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    number: int
    table: str
    game: str
    start: float
    end: float
    events: tuple[Event, ...]
    rack: tuple[RackCard, ...] = ()
    clock_start: str | None = None  # ISO 8601 with offset
    source: dict[str, Any] = field(default_factory=dict)
    partial: str | None = None  # why the footage does not show the whole round; None when it does
    extra: dict[str, Any] = field(default_factory=dict)  # unknown top-level fields, kept
