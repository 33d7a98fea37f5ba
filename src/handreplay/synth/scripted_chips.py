"""Chips on a scripted table: stacks in the wager zones and before the players, and the hands that move them."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from handreplay.core.events import ChipsChanged, Round
from handreplay.core.readings import Known
from handreplay.synth.scripted_layout import STACK_LIMIT, Layout, Point
from handreplay.synth.scripted_stage import Thing
from handreplay.synth.scripted_timeline import Clockwork, Stop, Unfilmable

_TRAY = "tray"


@dataclass
class _Stack:
    key: str
    at: Point
    values: tuple[str, ...]
    glaring: bool = False


class Wagers:
    """What stands in the wager zones. Acts return the event's time."""

    def __init__(self, layout: Layout, clock: Clockwork, rng: random.Random) -> None:
        self._layout, self._clock, self._rng = layout, clock, rng
        self._stacks: dict[str, list[_Stack]] = {}
        self._banks: dict[str, list[_Stack]] = {}
        self._on_felt: dict[str, list[str]] = {}  # zone -> the keys of its stacks as they were last put down
        self._made = 0

    def banks(self, rounds: Sequence[Round]) -> list[Thing]:
        """Chips of their own before every player who takes part."""
        events = [event for round_ in rounds for event in round_.events if isinstance(event, ChipsChanged)]
        values = sorted({value for event in events for value in _denominations(event)})
        seats = {event.zone.partition(".")[0] for event in events} & set(self._layout.seats())
        for seat in sorted(seats):
            self._banks[seat] = []
            for _ in range(self._rng.randint(1, 3)):
                self._add_to_bank(seat, (self._rng.choice(values),) * self._rng.randint(2, 7))
        return [_stack_thing(stack) for seat in sorted(seats) for stack in self._banks[seat]]

    def take_what_is_left(self) -> None:
        """Whoever was left with chips takes them before the next round."""
        for zone in sorted(self._stacks):
            if self._stacks[zone]:
                gone, _ = self._without(zone, Counter(v for stack in self._stacks[zone] for v in stack.values))
                self._stacks[zone] = []
                self._player_chips(zone, zone.partition(".")[0], gone, [], 0.1)

    def change(self, event: ChipsChanged, wait: float) -> float:
        after = _after(event)
        self._agree(event)
        now = Counter(value for stack in self._stacks.get(event.zone, ()) for value in stack.values)
        more, less = Counter(after) - now, now - Counter(after)
        arm = self._clock.arm_of(event, event.zone)
        if event.zone.endswith(".envy") or not (more or less):
            return self._pay_by_hand(event, after, arm, wait)
        gone, kept = self._without(event.zone, less)
        laid = self._with(event.zone, kept, more, beside=event.actor != "player")
        if not isinstance(event.after, Known):
            self._stacks[event.zone] = [replace(stack, glaring=True) for stack in self._stacks[event.zone]]
        if arm in self._layout.seats():
            return self._player_chips(event.zone, arm, gone, laid, wait)
        return self._dealer_chips(event, arm, gone, laid, wait)

    def _agree(self, event: ChipsChanged) -> None:
        """The log's state before must be ours; behind a hole it is what the hole hid."""
        before = dict(event.before.value) if isinstance(event.before, Known) else None
        now = Counter(value for stack in self._stacks.get(event.zone, ()) for value in stack.values)
        if before is None or now == Counter(before) or event.zone.endswith(".envy"):
            return
        if not self._clock.holes:
            raise Unfilmable(f"{event.zone} holds {dict(now)}, not {before}")
        old = [stack.key for stack in self._stacks.get(event.zone, ())]
        self._stacks[event.zone] = []
        self._with(event.zone, [], Counter(before), beside=True)
        t = sum(self._clock.holes[-1]) / 2
        self._clock.put(t, old, [_stack_thing(stack) for stack in self._stacks[event.zone]])

    def _pay_by_hand(self, event: ChipsChanged, after: Mapping[str, int], arm: str, wait: float) -> float:
        """An envy payment has no place on the felt: it is put to the player's own chips."""
        seat = event.zone.partition(".")[0]
        if event.actor == "player" or not after:
            self._clock.now += max(wait, 0.05)
            return self._clock.now
        values = _piled(after)
        stack = self._add_to_bank(seat, values)

        def drop(t: float) -> None:
            self._clock.carry(arm, t, [_stack_thing(stack)], stack.at)
            self._clock.put(t, [stack.key], [_stack_thing(stack)])

        stops = [
            Stop(self._at_tray(), 0.25, self._clock.pick),
            Stop(stack.at, 0.2, drop),
            self._clock.clear(arm, stack.at),
        ]
        return self._clock.act(arm, stops, [event.zone], wait)

    def _without(self, zone: str, less: Mapping[str, int]) -> tuple[list[Thing], list[_Stack]]:
        """What a hand takes away, lying as it lay, and the stacks that stay."""
        left = Counter(less)
        gone: list[Thing] = []
        kept: list[_Stack] = []
        for stack in reversed(self._stacks.get(zone, [])):
            stay: list[str] = []
            taken: list[str] = []
            for value in reversed(stack.values):
                (taken if left[value] > 0 else stay).append(value)
                left[value] -= 1
            if taken:
                gone.append(replace(_stack_thing(stack), values=tuple(reversed(taken))))
            if stay:
                kept.insert(0, replace(stack, values=tuple(reversed(stay))))
        return gone, kept

    def _with(self, zone: str, kept: Sequence[_Stack], more: Mapping[str, int], *, beside: bool) -> list[_Stack]:
        """The zone's stacks with chips added: a payment beside the wager, a player's own on top of it."""
        stacks, places = list(kept), self._layout.stack_places(zone)
        values = _piled(more)
        while values:
            free = [place for place in places if not any(_near(stack.at, place) for stack in stacks)]
            room = STACK_LIMIT - len(stacks[-1].values) if stacks and (not beside or not free) else 0
            if room > 0:
                stacks[-1] = replace(stacks[-1], values=stacks[-1].values + values[:room])
            elif free:
                room = STACK_LIMIT
                at = free[0][0] + self._rng.gauss(0, 2.5), free[0][1] + self._rng.gauss(0, 2.5)
                self._made += 1
                stacks.append(_Stack(f"stack {zone} {self._made}", at, values[:room]))
            else:
                room = len(values)
                stacks[-1] = replace(stacks[-1], values=stacks[-1].values + values)
            values = values[room:]
        before = {stack.key for stack in kept if stack in stacks}
        self._stacks[zone] = stacks
        return [stack for stack in stacks if stack.key not in before]

    def _player_chips(self, zone: str, arm: str, gone: Sequence[Thing], laid: Sequence[_Stack], wait: float) -> float:
        """A player's hand brings chips, or takes them away, or both."""
        home = self._clock.ways[arm].home
        at = laid[0].at if laid else (gone[0].x, gone[0].y)
        change = self._swap(zone)
        brought = [_stack_thing(stack) for stack in laid]

        def act(t: float) -> None:
            if brought:
                self._clock.carry(arm, t, brought, at)
            self._clock.pick(t)
            change(t)

        def take(t: float) -> None:
            if gone:
                self._clock.carry(arm, t, gone, at)

        stops = [Stop(home, 0.05, self._clock.pick), Stop(at, 0.32, act), Stop(home, 0.0, take, marks=True)]
        return self._clock.act(arm, stops, [zone], wait)

    def _dealer_chips(
        self, event: ChipsChanged, arm: str, gone: Sequence[Thing], laid: Sequence[_Stack], wait: float
    ) -> float:
        at = laid[0].at if laid else (gone[0].x, gone[0].y)
        change = self._swap(event.zone)
        brought = [_stack_thing(stack) for stack in laid]
        tray = self._at_tray()
        seat = event.zone.partition(".")[0]

        def act(t: float) -> None:
            if brought:
                self._clock.carry(arm, t, brought, at)
            self._clock.pick(t)
            change(t)

        def let_go(t: float) -> None:
            self._clock.carry(arm, t, gone, at)

        stops = [Stop(tray, 0.25, self._clock.pick)] if laid else []
        stops.append(Stop(at, 0.3, act))
        if gone and event.to == "player" and seat in self._banks:
            cards = self._layout.spot(f"{seat}.cards")  # into the player's hands, over the edge of the felt
            rail = cards.at(self._rng.uniform(-30, 30), cards.half_down + 55)
            stops += [Stop(rail, 0.3, let_go), self._clock.clear(arm, rail, 520)]
        elif gone:
            stops += [Stop(tray, 0.2, let_go, marks=True)]
        else:
            stops.append(self._clock.clear(arm, at))
        return self._clock.act(arm, stops, [event.zone], wait)

    def _swap(self, zone: str) -> Callable[[float], None]:
        """What is there now instead of what was there before; call it when the hand is on it."""
        things = [_stack_thing(stack) for stack in self._stacks[zone]]
        gone = [key for key in self._shown(zone) if key not in {thing.key for thing in things}]
        self._on_felt[zone] = [thing.key for thing in things]
        return lambda t: self._clock.put(t, gone, things)

    def _shown(self, zone: str) -> list[str]:
        return self._on_felt.get(zone, [])

    def _at_tray(self) -> Point:
        spot = self._layout.spot(_TRAY)
        return spot.at(self._rng.uniform(-0.6, 0.6) * spot.half_right, 0)

    def _add_to_bank(self, seat: str, values: tuple[str, ...]) -> _Stack:
        """The stack that the chips make or join."""
        bank = self._banks.setdefault(seat, [])
        if len(bank) < 4:
            bank.append(_Stack(f"bank {seat} {len(bank)}", self._layout.bank(seat, len(bank)), values))
            return bank[-1]
        number = min(range(4), key=lambda n: len(bank[n].values))
        bank[number] = replace(bank[number], values=(bank[number].values + values)[-STACK_LIMIT:])
        return bank[number]


def _near(one: Point, other: Point) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) < 30


def _piled(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The larger values at the bottom."""
    return tuple(value for value in sorted(counts, key=float, reverse=True) for _ in range(counts[value]))


def _after(event: ChipsChanged) -> dict[str, int]:
    """What stands there then; of chips that the log could not read, the likeliest."""
    if isinstance(event.after, Known):
        return dict(event.after.value)
    if not event.after.candidates:
        raise Unfilmable(f"nothing is told of what stands in {event.zone} then; give candidates")
    return dict(event.after.candidates[0][0])


def _denominations(event: ChipsChanged) -> tuple[str, ...]:
    return tuple(value for value, _ in event.after.value) if isinstance(event.after, Known) else ()


def _stack_thing(stack: _Stack) -> Thing:
    return Thing(stack.key, "stack", *stack.at, values=stack.values, glaring=stack.glaring)
