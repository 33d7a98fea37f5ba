"""What a scripted film consists of: things that lie, things that hands carry, and the hands' ways over the felt."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

Point = tuple[float, float]  # table millimetres


@dataclass(frozen=True, slots=True)
class Thing:
    """A card, a stack of chips or a pack of cards; `x`, `y` in table mm, or from the grip while it is carried.

    `show`: the face that is up ("Ah"), or "" for the back. `level`: what lies over what, within cards or stacks.
    `glaring`: a lamp's reflection lies over it, so that it cannot be read.
    """

    key: str
    kind: Literal["card", "stack", "pack"]
    x: float
    y: float
    turn: float = 0.0
    show: str = ""
    back: int = 0
    values: tuple[str, ...] = ()  # of a stack, bottom to top
    cards: int = 1  # of a pack
    level: int = 0
    glaring: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """At `t` the things of these keys are no longer there and others are."""

    t: float
    gone: tuple[str, ...]
    laid: tuple[Thing, ...] = ()


@dataclass(frozen=True, slots=True)
class Carry:
    """Things that go with a hand's grip from `start` to `end`."""

    arm: str
    start: float
    end: float
    things: tuple[Thing, ...]


@dataclass
class Way:
    """One arm's grip over time: (t, x, y), straight between, gently started and stopped. Held before and after."""

    name: str
    shoulder: Point
    home: Point
    points: list[tuple[float, float, float]] = field(default_factory=list)

    def grip(self, t: float) -> Point:
        points = self.points
        if not points or t <= points[0][0]:
            return self.home
        for (t0, x0, y0), (t1, x1, y1) in pairwise(points):
            if t <= t1:
                share = (t - t0) / (t1 - t0) if t1 > t0 else 1.0
                eased = share * share * (3 - 2 * share)
                return x0 + (x1 - x0) * eased, y0 + (y1 - y0) * eased
        return points[-1][1:]

    def is_home(self, t: float) -> bool:
        x, y = self.grip(t)
        return abs(x - self.home[0]) + abs(y - self.home[1]) < 1.0


@dataclass(frozen=True)
class Script:
    """Everything that is to be filmed, `duration` in seconds; no picture is taken within `holes` (from, until)."""

    duration: float
    start: tuple[Thing, ...]
    changes: Sequence[Change]
    carries: Sequence[Carry]
    ways: Sequence[Way]
    holes: Sequence[tuple[float, float]] = ()

    def things(self, t: float) -> dict[str, Thing]:
        """What lies on the table at a moment, by key."""
        there = {thing.key: thing for thing in self.start}
        for change in self.changes:
            if change.t > t:
                break
            apply(there, change)
        return there


def apply(there: dict[str, Thing], change: Change) -> None:
    for key in change.gone:
        there.pop(key, None)
    there.update((thing.key, thing) for thing in change.laid)
