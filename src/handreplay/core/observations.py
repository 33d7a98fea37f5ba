"""Where pixels end: what the eyes report about one zone of the table at one moment.

    vision  ->  Observation...  ->  reconstruct
"""

from dataclasses import dataclass

from handreplay.core.money import Chips
from handreplay.core.readings import Reading

Point = tuple[float, float]  # millimetres on the felt


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCard:
    """One card lying on the felt."""

    corners_mm: tuple[Point, Point, Point, Point]  # clockwise from its top left
    face_up: bool
    face_confidence: float
    identity: Reading[str]  # Unreadable for a back
    probabilities: tuple[float, ...] = ()  # over core.cards.DECK, for voting; empty for a back
    visible: float = 1.0  # share of the card not under another card


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenStack:
    """One stack of chips."""

    base_mm: Point
    chips: Reading[Chips]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneSeen:
    """A zone that is at rest and uncovered, read between two changes."""

    start: float  # seconds: first still picture
    end: float  # seconds: last still picture used
    frame: int
    zone: str
    cards: tuple[SeenCard, ...] = ()
    stacks: tuple[SeenStack, ...] = ()
    hand: str = "unknown"  # who reached into the zone since the last rest: dealer, player, both, unknown, none


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneCovered:
    """A zone that stayed covered or in motion from start to end."""

    start: float
    end: float
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLost:
    """Nothing is known between start and end."""

    start: float
    end: float
    reason: str


Observation = ZoneSeen | ZoneCovered | PictureLost
