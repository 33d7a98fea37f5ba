"""Where pixels end: what the eyes report about one zone of the table at one moment.

vision  ->  Observation...  ->  reconstruct
"""

from dataclasses import dataclass

from handreplay.core.money import Chips
from handreplay.core.readings import Reading

Point = tuple[float, float]  # millimetres on the felt
Tint = tuple[float, float]  # Lab a and b


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCard:
    """One card lying on the felt."""

    corners_mm: tuple[Point, Point, Point, Point]  # clockwise from its top left
    face_up: bool
    face_confidence: float
    identity: Reading[str]  # Unreadable for a back
    probabilities: tuple[float, ...] = ()  # over core.cards.DECK, for voting; empty for a back
    visible: float = 1.0  # share of the card not under another card
    changed: float = 1.0  # share of its place that looks other than at the last look
    tint: Tint | None = None  # of a back's middle, as lit; None where too little of it shows


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenStack:
    """One stack of chips."""

    base_mm: Point
    chips: Reading[Chips]
    top_mm: Point = (0.0, 0.0)  # where on the felt the middle of its topmost face is seen
    other_top: bool = False  # another chip lies on top than at the last look, or the same one turned


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneSeen:
    """A zone that is at rest and uncovered, read between two changes; or still enough to be read while a hand is near.

    `changed` is the share of the zone's pixels that differ from its last rest. `dealer_hand` and `player_hand` say how
    much moved on the dealer's and on the player's side of the zone while it was busy (any unit, to be compared).
    """

    start: float  # seconds: when what lies there had come to rest
    end: float  # seconds: last still picture used
    frame: int  # of `start`
    zone: str
    busy_since: float  # seconds: when the motion before this rest began
    changed: float
    dealer_hand: float = 0.0
    player_hand: float = 0.0
    cards: tuple[SeenCard, ...] = ()
    stacks: tuple[SeenStack, ...] = ()
    filled: bool = False  # something lies there, whether it was read or not
    unwatched: bool = False  # pictures were missing since the last rest: what changed may have changed then
    partly: bool = False  # something covers the rest of the zone: what is not among `cards` may still be there


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneCovered:
    """A zone that could not be read from start to end: something that is neither card nor chip lay over it."""

    start: float
    end: float
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneUncovered:
    """A zone that was covered looks again as it did before."""

    t: float  # seconds
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLost:
    """Nothing is known between start and end."""

    start: float
    end: float
    reason: str
    camera_moved: bool = False  # there are pictures, but they do not fit the table profile


Observation = ZoneSeen | ZoneCovered | ZoneUncovered | PictureLost
