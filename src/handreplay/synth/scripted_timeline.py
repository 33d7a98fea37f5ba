"""Turns a round log into a script: which hand moves what, when, and what lies where; and the log as it is filmed.

The order of the log's events is kept. Their times are stretched to what a hand needs, and long waits are cut short.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    Event,
)
from handreplay.synth.scripted_layout import Layout, Point
from handreplay.synth.scripted_stage import Carry, Change, Thing, Way

GLIMPSE_S = 2.2  # between turning up and down: most of it is the hand's way out and in
_TOGETHER_S = {CardPlaced: 0.06, CardTurned: 0.6, CardMoved: 0.6}


class Unfilmable(Exception):
    """One sentence on what about an event cannot be filmed."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a hand goes, how long it stays, and what happens a little before it leaves."""

    at: Point
    hold: float = 0.0
    do: Callable[[float], None] | None = None
    marks: bool = False  # its arrival is the event's time


class Clockwork:
    """The hands' time table: every act begins when its hand is free and its zone is clear."""

    def __init__(self, layout: Layout, rng: random.Random, pace: float) -> None:
        self.ways: dict[str, Way] = {}
        self.carries: list[Carry] = []
        self.changes: list[Change] = []
        self.holes: list[tuple[float, float]] = []  # (from, until): no pictures are taken
        self.now = 0.0  # of the last event, as filmed
        self._picked = 0.0
        self._layout, self._rng, self._pace = layout, rng, pace
        self._free: dict[str, float] = {}
        self._clear: dict[str, float] = {}
        side = 150.0
        self._add("dealer", (-side, -330.0), (-side, -95.0))
        self._add("dealer's left", (side, -330.0), (side + 40, -95.0))
        for seat in layout.seats():
            spot = layout.spot(f"{seat}.cards")
            self._add(seat, spot.at(rng.uniform(-40, 90), 620), spot.at(rng.uniform(0, 60), 235))

    def _add(self, name: str, shoulder: Point, home: Point) -> None:
        self.ways[name] = Way(name, shoulder, home)

    def away(self, arm: str, target: Point, at_least_mm: float = 265.0) -> Point:
        """Where a hand that has just done something at `target` lets everybody see it again."""
        home = self.ways[arm].home
        far = hypot(home[0] - target[0], home[1] - target[1])
        share = min(1.0, max(0.35, at_least_mm / max(far, 1.0)))
        return target[0] + (home[0] - target[0]) * share, target[1] + (home[1] - target[1]) * share

    def act(self, arm: str, stops: Sequence[Stop], zones: Iterable[str], wait: float) -> float:
        """Let a hand do something as soon as it can, `wait` seconds after the last event at least; the event's time."""
        way, owner = self.ways[arm], arm.partition("'")[0]
        zones = tuple(zones)
        ready = max(self._free.get(owner, 0.0), *(self._clear.get(zone, 0.0) for zone in zones), 0.0)
        last, origin = (way.points[-1][0], way.points[-1][1:]) if way.points else (-9.0, way.home)
        steps = self._steps(origin, stops)
        start = max(ready, self.now + wait - self._until_mark(steps, stops))
        if start - last > 0.9:
            if way.points:
                way.points.append((last + 0.45, *way.home))
            steps = self._steps(way.home, stops)
            start = max(ready, last + 0.45, self.now + wait - self._until_mark(steps, stops))
            origin = way.home
        way.points.append((start, *origin))
        t, marked = start, start
        for step, stop in zip(steps, stops, strict=True):
            t += step
            way.points.append((t, *stop.at))
            marked = t if stop.marks else marked
            if stop.do is not None:
                stop.do(t + 0.65 * stop.hold)
            if stop.hold:
                t += stop.hold
                way.points.append((t, *stop.at))
        self._free[owner] = t
        self._send_home(owner, arm, t)
        for zone in zones:
            self._clear[zone] = t
        self.now = max(marked, self.now + 0.001)
        return self.now

    def _send_home(self, owner: str, arm: str, t: float) -> None:
        """The owner's other hand does not stay over the felt."""
        for name, way in self.ways.items():
            if name.partition("'")[0] == owner and name != arm and way.points and way.points[-1][1:] != way.home:
                way.points.append((max(way.points[-1][0] + 0.45, min(t, way.points[-1][0] + 0.5)), *way.home))

    def finish(self, t: float) -> None:
        for way in self.ways.values():
            if way.points and way.points[-1][1:] != way.home:
                way.points.append((max(way.points[-1][0] + 0.45, min(t, way.points[-1][0] + 0.6)), *way.home))

    def _steps(self, origin: Point, stops: Sequence[Stop]) -> list[float]:
        steps, at = [], origin
        for stop in stops:
            far = hypot(stop.at[0] - at[0], stop.at[1] - at[1])
            steps.append((0.16 + far / 1500) * self._pace * self._rng.uniform(0.92, 1.12))
            at = stop.at
        return steps

    @staticmethod
    def _until_mark(steps: Sequence[float], stops: Sequence[Stop]) -> float:
        total = 0.0
        for step, stop in zip(steps, stops, strict=True):
            total += step
            if stop.marks:
                return total
            total += stop.hold
        return total

    def put(self, t: float, gone: Iterable[str], laid: Iterable[Thing]) -> None:
        self.changes.append(Change(t, tuple(gone), tuple(laid)))

    def arm_of(self, event: Event, zone: str) -> str:
        """Whose hand does it: the player's of that seat, or that of the dealer's which is nearer."""
        seat = zone.partition(".")[0]
        if event.actor == "player" and seat in self._layout.seats():
            return seat
        near = isinstance(event, ChipsChanged | CardTurned) and zone in self._layout.names
        return "dealer's left" if near and self._layout.spot(zone).middle[0] > 330 else "dealer"

    def clear(self, arm: str, at: Point, at_least_mm: float = 265.0) -> Stop:
        """The last stop: the hand is out of the way, which is the event's time."""
        return Stop(self.away(arm, at, at_least_mm), marks=True)

    def pick(self, t: float) -> None:
        """From here on the hand holds what the next `carry` names."""
        self._picked = t

    def carry(self, arm: str, until: float, things: Sequence[Thing], grip: Point) -> None:
        held = tuple(replace(thing, x=thing.x - grip[0], y=thing.y - grip[1]) for thing in things)
        self.carries.append(Carry(arm, self._picked, until, held))


def together(events: Sequence[Event]) -> Iterator[tuple[Event, ...]]:
    """Events that one movement of a hand causes: cards that are dealt, turned or picked up as one."""
    group: list[Event] = []
    for event in events:
        if group and not _one_movement(group[-1], event):
            yield tuple(group)
            group = []
        group.append(event)
    if group:
        yield tuple(group)


def _one_movement(one: Event, other: Event) -> bool:
    if type(one) is not type(other) or other.t - one.t > _TOGETHER_S.get(type(one), -1.0) or one.actor != other.actor:
        return False
    match one, other:
        case CardPlaced(), CardPlaced():
            return one.zone == other.zone and one.face == other.face and one.zone != "shoe"
        case CardTurned(), CardTurned():
            return one.face == other.face and one.card != other.card
        case CardMoved(), CardMoved():
            return one.source == other.source and one.to == other.to
    return False
