"""The discard rack: which look at it is a pick-up, which a burn and which the stub."""

from collections.abc import Sequence
from dataclasses import dataclass

from handreplay.core.observations import ZoneSeen

ADDED_CHANGE = 0.006  # share of the rack that one more card changes at least
SAME_ARRIVAL_SECONDS = 0.3
CARRY_SECONDS = 2.5  # longest way from the felt to the rack
USUAL_CARRY_SECONDS = 0.9
BURN_LEAD_SECONDS = 0.7  # no community card can follow its burn faster
BURN_BEFORE_COMMUNITY_SECONDS = 6.0
STUB_LEAD_SECONDS = 1.0  # the stub may be on its way while the last community card is laid


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something came to lie in the rack."""

    t: float
    frame: int
    busy_since: float


def arrivals(looks: Sequence[ZoneSeen]) -> list[Arrival]:
    """The looks at the rack that show one card more, by time."""
    found: list[Arrival] = []
    filled = False
    for look in looks:
        if not look.filled:
            filled = False
            continue
        again = bool(found) and look.start - found[-1].t < SAME_ARRIVAL_SECONDS
        if (not filled or look.changed >= ADDED_CHANGE) and not again:
            found.append(Arrival(look.start, look.frame, look.busy_since))
        filled = True
    return found


def pick_up(left: float, came: Sequence[Arrival]) -> tuple[float, Arrival | None]:
    """When cards that left their zone reached the rack, and the arrival that shows it (None: it was not seen)."""
    for arrival in came:
        if left - 0.3 <= arrival.t <= left + CARRY_SECONDS:
            return (arrival.t if arrival.t <= left + 1.7 else left + USUAL_CARRY_SECONDS), arrival
    return left + USUAL_CARRY_SECONDS, None


def burns_and_stub(unexplained: Sequence[Arrival], community: Sequence[float]) -> tuple[list[Arrival], Arrival | None]:
    """Arrivals that are no pick-up: burns have a community card after them, the stub comes when all cards are out.

    What is neither is left out, since a hand that rests on the rack looks much like a card laid there.
    """
    burns = [arrival for arrival in unexplained if followed_by(arrival, community)]
    others = [arrival for arrival in unexplained if arrival not in burns]
    if not community:
        return burns, others[-1] if others else None
    last = max(community) - STUB_LEAD_SECONDS
    return burns, next((arrival for arrival in others if arrival.t >= last), None)


def followed_by(arrival: Arrival, community: Sequence[float]) -> bool:
    """Does a community card follow, as it does a burn?"""
    return any(BURN_LEAD_SECONDS <= t - arrival.t <= BURN_BEFORE_COMMUNITY_SECONDS for t in community)
