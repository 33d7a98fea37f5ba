"""What happened to the chips of one wager zone in one round."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from handreplay.core.events import Actor, ChipsChanged
from handreplay.core.money import Chips, worth
from handreplay.core.observations import SeenStack, ZoneSeen
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.reconstruct.votes import KNOWN_CHIPS, Piles, distance, fused, likeliest, pile_reading, piles, together

SAME_STACK_MM = 6.0
LITTLE_CHANGE = 0.025
CONTEXT_WEIGHT = 1.5
LITTLE_MOTION = 1.2  # beside zones next to the tray little of a dealer's arm is seen, so little motion tells little
LITTLE_WEIGHT = 0.35
UNTOLD_SCORE = 0.6
SURENESS = 3.0
WEAK_SCORE = 1.0
NEIGHBOUR_WEIGHT = 0.7
SWEEP_SECONDS = 4.5
HAND_FLOOR = 0.3  # motion below this says nothing
ONE_VISIT_SECONDS = 2.0  # in a longer one the dealer's hand did more than take these chips
PAID_CHANGE = 0.08  # share of a wager's place that changes at least when chips come to lie beside those read
CAPPED = 0.4  # chance that a stack on which another face shows has got one chip more
REACHING = 2.0  # motion on the dealer's side when a hand comes from there
PUSHING = 1.0  # motion on the player's side when that hand goes on to the player


@dataclass(slots=True)
class WagerState:
    """What lay in the zone from `start` until the next state."""

    start: float
    frame: int
    stacks: list[tuple[tuple[float, float], Piles]]
    dealer_hand: float = 0.0
    player_hand: float = 0.0
    changed: float = 0.0
    visit_seconds: float = 0.0
    unwatched: bool = False
    touched: bool = False  # another chip lies on top than before, or the same one turned

    def belief(self) -> Piles:
        return _together(self.stacks)

    def added_to(self, earlier: "WagerState") -> Piles | None:
        """The stacks that stand here beside all of the earlier ones; None when one of those is gone or has changed."""
        if not all(stack in self.stacks for stack in earlier.stacks):
            return None
        return _together([stack for stack in self.stacks if stack not in earlier.stacks])


def _together(stacks: Sequence[tuple[tuple[float, float], Piles]]) -> Piles:
    return together(SeenStack(base_mm=base, chips=Unreadable("", tuple(belief.items()))) for base, belief in stacks)


@dataclass(slots=True)
class WagerStory:
    """The states of one wager zone, oldest first. `unread`: when long times ended in which it could not be read."""

    zone: str
    states: list[WagerState] = field(default_factory=list)
    unread: list[float] = field(default_factory=list)

    def add(self, seen: ZoneSeen) -> None:
        """Take one more look at the zone: the same chips seen again, or a new state.

        A stack with another chip on top may hold more or less than before, however alike the two looks are.
        """
        stacks = [(stack.base_mm, piles(stack.chips)) for stack in seen.stacks]
        touched = not seen.cards and any(stack.other_top for stack in seen.stacks)
        last = self.states[-1] if self.states else None
        if last is not None and not touched:
            stacks, same = self._recognised(stacks)
            if same or (seen.changed < LITTLE_CHANGE and len(stacks) == len(last.stacks) and _alike(last, stacks)):
                last.stacks = stacks
                return
        elif last is None and not stacks:
            return
        hands, visit = (seen.dealer_hand, seen.player_hand), seen.start - seen.busy_since
        self.states.append(
            WagerState(seen.start, seen.frame, stacks, *hands, seen.changed, visit, seen.unwatched, touched)
        )

    def _sharpen(self, base: tuple[float, float], earlier: Piles, told: Piles) -> None:
        """What a later look tells of a stack holds for as long as it has stood there."""
        for state in reversed(self.states):
            if (base, earlier) not in state.stacks:
                return
            state.stacks[state.stacks.index((base, earlier))] = (base, told)

    def _recognised(
        self, stacks: Sequence[tuple[tuple[float, float], Piles]]
    ) -> tuple[list[tuple[tuple[float, float], Piles]], bool]:
        """The stacks, with those that stood there before read together with what was read then; and whether all did."""
        last = self.states[-1]
        known, unmatched = [], list(last.stacks)
        for base, belief in stacks:
            earlier = next((old for old in unmatched if distance(old[0], base) <= SAME_STACK_MM), None)
            both = fused(earlier[1], belief) if earlier is not None else None
            if earlier is not None and both is not None and _same_likeliest(earlier[1], belief):
                unmatched.remove(earlier)
                self._sharpen(*earlier, both)
                known.append((earlier[0], both))
            else:
                known.append((base, belief))
        return known, len(known) == len(last.stacks) and not unmatched


def _same_likeliest(earlier: Piles, now: Piles) -> bool:
    """Two looks may sharpen each other; two sure ones that differ are of different chips."""
    return likeliest(earlier) == likeliest(now) or min(max(earlier.values()), max(now.values())) < KNOWN_CHIPS


def _alike(last: WagerState, stacks: Sequence[tuple[tuple[float, float], Piles]]) -> bool:
    return all(
        distance(old[0], new[0]) <= SAME_STACK_MM for old, new in zip(sorted(last.stacks), sorted(stacks), strict=True)
    )


@dataclass(slots=True)
class Move:
    """One change of the chips in a zone. `score` is above 0 where the dealer's hand is likelier, below for a player."""

    zone: str
    state: WagerState
    before: Reading[Chips]
    after: Reading[Chips]
    score: float
    added: Reading[Chips] | None = None

    @property
    def adds(self) -> bool:
        return _amount(self.after) > _amount(self.before)

    @property
    def seat(self) -> str:
        return self.zone.partition(".")[0]

    def event(self) -> ChipsChanged:
        """Believed as far as it is told who did it; the chips' own confidence lies in their readings."""
        told = 1 / (1 + math.exp(-SURENESS * abs(self.score)))
        actor: Actor = "unknown" if abs(self.score) < UNTOLD_SCORE else "dealer" if self.score > 0 else "player"
        return ChipsChanged(
            t=round(self.state.start, 3),
            frame=self.state.frame,
            zone=self.zone,
            before=self.before,
            after=self.after,
            added=self.added,
            actor=actor,
            to=self._to() if actor == "dealer" and not self.adds else None,
            confidence=round(told, 4),
        )

    def _to(self) -> Literal["tray", "player"] | None:
        """Where the dealer's hand took the chips, from whether it went on over the player's side."""
        state = self.state
        if state.stacks or state.visit_seconds > ONE_VISIT_SECONDS or state.dealer_hand < REACHING:
            return None
        if state.player_hand >= PUSHING:
            return "player"
        return "tray" if state.player_hand < HAND_FLOOR else None


def moves(story: WagerStory, *, first_card: float, dealer_shown: float) -> Iterator[Move]:
    """The story's changes. `first_card`, `dealer_shown`: seconds, infinity if they never came."""
    before: Reading[Chips] = Known((), 1.0)
    last = WagerState(0.0, 0, [])
    for state in story.states:
        after = pile_reading(state.belief())
        if any(last.start < end <= state.start for end in story.unread):
            before = Unreadable("not seen for long")
        same = isinstance(before, Known) and isinstance(after, Known) and before.value == after.value
        if same and not (state.touched and state.start > first_card):
            continue
        if same:
            after = _one_more(after)
        added = state.added_to(last)
        move = Move(story.zone, state, before, after, 0.0, pile_reading(added) if added else None)
        move.score = _score(move, first_card=first_card, dealer_shown=dealer_shown)
        settles = last.start < dealer_shown < state.start and move.score > -UNTOLD_SCORE
        if settles and _half_read(state, last):
            after = move.after = Unreadable("more lies there than was read")
            move.added = None
        elif same and move.score > -UNTOLD_SCORE:
            continue  # a dealer squares stacks up
        yield move
        before, last = after, state


def _half_read(state: WagerState, last: WagerState) -> bool:
    """Were the stacks touched, and has more changed there since than stacks that are the same show?"""
    alike = len(state.stacks) == len(last.stacks) and _alike(last, state.stacks)
    same = alike and likeliest(state.belief()) == likeliest(last.belief())
    return state.touched and same and state.changed >= PAID_CHANGE


def _one_more(after: Reading[Chips]) -> Reading[Chips]:
    """A stack that a player touched when it had to stand may have got one chip of its like, which hardly shows."""
    pile = after.value if isinstance(after, Known) else ()
    if len(pile) != 1:
        return after
    ((value, count),) = pile
    likely = ((pile, 1 - CAPPED), (((value, count + 1),), CAPPED))
    return Unreadable("touched by the player", likely)


def with_neighbours(all_moves: Sequence[Move]) -> list[ChipsChanged]:
    """The moves as events. A hand that clears or pays a seat goes from wager to wager, so weak evidence for one of
    them is helped by that for the others."""
    helped = []
    for move in all_moves:
        beside = [
            other.score
            for other in all_moves
            if other is not move
            and other.seat == move.seat
            and other.adds == move.adds
            and abs(other.state.start - move.state.start) <= SWEEP_SECONDS
        ]
        weak = abs(move.score) < WEAK_SCORE and not move.state.unwatched
        helped.append(move.score + NEIGHBOUR_WEIGHT * sum(beside) / len(beside) if weak and beside else move.score)
    return [replace(move, score=score).event() for move, score in zip(all_moves, helped, strict=True)]


def _amount(reading: Reading[Chips]) -> float:
    if isinstance(reading, Known):
        return worth(reading.value)
    total = sum(p for _, p in reading.candidates)
    return sum(worth(pile) * p for pile, p in reading.candidates) / total if total else 0.0


def _score(move: Move, *, first_card: float, dealer_shown: float) -> float:
    """Log odds of a dealer's hand: what moved on either side of the zone, and a little what is usual at that point.

    Nothing is told where pictures were missing: the hand that was seen afterwards may not be the one that did it.
    """
    if move.state.unwatched:
        return 0.0
    score = math.log((move.state.dealer_hand + HAND_FLOOR) / (move.state.player_hand + HAND_FLOOR))
    if max(move.state.dealer_hand, move.state.player_hand) < LITTLE_MOTION:
        score *= LITTLE_WEIGHT
    if not move.adds:
        return score
    score += -CONTEXT_WEIGHT if move.state.start < dealer_shown else CONTEXT_WEIGHT
    return score - CONTEXT_WEIGHT if move.state.start < first_card else score
