"""What happened to the chips of one wager zone in one round."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from handreplay.core.events import Actor, ChipsChanged
from handreplay.core.money import Chips, worth
from handreplay.core.observations import SeenStack, ZoneSeen
from handreplay.core.readings import Known, Reading
from handreplay.reconstruct.votes import KNOWN_CHIPS, Piles, distance, fused, likeliest, pile_reading, piles, together

SAME_STACK_MM = 6.0
LITTLE_CHANGE = 0.025
CONTEXT_WEIGHT = 1.5
HAND_FLOOR = 0.3  # motion below this says nothing


@dataclass(slots=True)
class WagerState:
    """What lay in the zone from `start` until the next state."""

    start: float
    frame: int
    stacks: list[tuple[tuple[float, float], Piles]]
    dealer_hand: float = 0.0
    player_hand: float = 0.0
    changed: float = 0.0

    def belief(self) -> Piles:
        from_stacks = (SeenStack(base_mm=base, chips=pile_reading(belief)) for base, belief in self.stacks)
        return together(from_stacks)


@dataclass(slots=True)
class WagerStory:
    """The states of one wager zone, oldest first."""

    zone: str
    states: list[WagerState] = field(default_factory=list)

    def add(self, seen: ZoneSeen) -> None:
        """Take one more look at the zone: the same chips seen again, or a new state."""
        stacks = [(stack.base_mm, piles(stack.chips)) for stack in seen.stacks]
        last = self.states[-1] if self.states else None
        if last is not None:
            stacks, same = _recognised(last, stacks)
            if same or (seen.changed < LITTLE_CHANGE and len(stacks) == len(last.stacks) and _alike(last, stacks)):
                last.stacks = stacks
                return
        elif not stacks:
            return
        self.states.append(WagerState(seen.start, seen.frame, stacks, seen.dealer_hand, seen.player_hand, seen.changed))


def _recognised(
    last: WagerState, stacks: Sequence[tuple[tuple[float, float], Piles]]
) -> tuple[list[tuple[tuple[float, float], Piles]], bool]:
    """The stacks, with those that stood there before read together with what was read then; and whether all did."""
    known, unmatched = [], list(last.stacks)
    for base, belief in stacks:
        earlier = next((old for old in unmatched if distance(old[0], base) <= SAME_STACK_MM), None)
        both = fused(earlier[1], belief) if earlier is not None else None
        if earlier is not None and both is not None and _same_likeliest(earlier[1], belief):
            unmatched.remove(earlier)
            known.append((earlier[0], both))
        else:
            known.append((base, belief))
    whole = len(stacks) == len(last.stacks) and not unmatched
    return known, whole


def _same_likeliest(earlier: Piles, now: Piles) -> bool:
    """Two looks may sharpen each other; two sure ones that differ are of different chips."""
    return likeliest(earlier) == likeliest(now) or min(max(earlier.values()), max(now.values())) < KNOWN_CHIPS


def _alike(last: WagerState, stacks: Sequence[tuple[tuple[float, float], Piles]]) -> bool:
    return all(
        distance(old[0], new[0]) <= SAME_STACK_MM for old, new in zip(sorted(last.stacks), sorted(stacks), strict=True)
    )


def changes(story: WagerStory, *, first_card: float, dealer_shown: float) -> Iterable[ChipsChanged]:
    """The story as events. `first_card`, `dealer_shown`: seconds, infinity if they never came."""
    before: Reading[Chips] = Known((), 1.0)
    for state in story.states:
        after = pile_reading(state.belief())
        if isinstance(before, Known) and isinstance(after, Known) and before.value == after.value:
            continue
        yield ChipsChanged(
            t=round(state.start, 3),
            frame=state.frame,
            zone=story.zone,
            before=before,
            after=after,
            actor=_actor(state, before, after, first_card=first_card, dealer_shown=dealer_shown),
            confidence=min(_confidence(before), _confidence(after)),
        )
        before = after


def _confidence(reading: Reading[Chips]) -> float:
    return reading.confidence if isinstance(reading, Known) else max((p for _, p in reading.candidates), default=0.0)


def _amount(reading: Reading[Chips]) -> float:
    if isinstance(reading, Known):
        return worth(reading.value)
    total = sum(p for _, p in reading.candidates)
    return sum(worth(pile) * p for pile, p in reading.candidates) / total if total else 0.0


def _actor(
    state: WagerState, before: Reading[Chips], after: Reading[Chips], *, first_card: float, dealer_shown: float
) -> Actor:
    """Whose hand it was: what moved on either side of the zone, and a little what is usual at that point."""
    score = math.log((state.dealer_hand + HAND_FLOOR) / (state.player_hand + HAND_FLOOR))
    if _amount(after) > _amount(before):
        score += -CONTEXT_WEIGHT if state.start < dealer_shown else CONTEXT_WEIGHT
        if state.start < first_card:
            score -= CONTEXT_WEIGHT
    if abs(score) < 0.05:
        return "unknown"
    return "dealer" if score > 0 else "player"
