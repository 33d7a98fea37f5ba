"""What is told of one physical card: where it came to lie, how it was turned, what it was read as, when it left."""

from dataclasses import dataclass, field
from typing import Literal

from handreplay.core.observations import Point, Tint
from handreplay.reconstruct.votes import KNOWN_CARD, CardVotes


@dataclass(frozen=True, slots=True)
class Turn:
    t: float
    frame: int
    face: Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Show:
    """A card's face seen at rest."""

    t: float  # start of the look
    place: Point  # its middle, mm
    visible: float  # share not under another card


@dataclass(slots=True)
class CardStory:
    """One physical card, from the zone where it was placed to the rack."""

    zone: str
    placed: float
    frame: int | None
    face_up: bool  # when it was placed
    place: Point | None = None  # where it was last seen, mm
    came_at: Point | None = None  # where its back came to lie, mm
    tint: Tint | None = None  # of its back
    turns: list[Turn] = field(default_factory=list)
    votes: CardVotes = field(default_factory=CardVotes)
    shows: list[Show] = field(default_factory=list)
    rested: bool = False  # its face was seen when no hand was near
    tucked: str | None = None  # the wager zone that it was tucked under
    tucked_at: float | None = None
    untucked: float | None = None
    turned_there: bool = False  # its face lies at that wager, and not in the hand's own zone
    left: float | None = None  # when it left the felt
    certainty: float = 1.0
    timed: bool = True  # else it was not seen to come, only to have come

    def is_up(self) -> bool:
        return self.turns[-1].face == "up" if self.turns else self.face_up

    def face(self) -> str | None:
        """What it was read as so far, if surely."""
        ranked = sorted(self.votes.probabilities().items(), key=lambda item: -item[1])
        return ranked[0][0] if ranked and ranked[0][1] >= KNOWN_CARD else None

    def shown(self) -> float | None:
        """When its face first showed for good."""
        return next((turn.t for turn in self.turns if turn.face == "up"), None)

    def swap_arrivals(self, other: "CardStory") -> None:
        """It was the other card that came when this one was thought to come."""
        for name in ("placed", "frame", "face_up", "came_at", "certainty", "timed"):
            own = getattr(self, name)
            setattr(self, name, getattr(other, name))
            setattr(other, name, own)
