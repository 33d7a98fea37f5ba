"""The discard rack: which look at it is a pick-up, which a burn and which the stub."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handreplay.core.observations import ZoneSeen
from handreplay.core.readings import Known
from handreplay.reconstruct.deal import Deal

ADDED_CHANGE = 0.006  # share of the rack that one more card changes at least
NEW_CHANGED = 0.2  # share of its place that a card which has just come to the empty rack changes at least
SAME_ARRIVAL_SECONDS = 0.3
FACE_CONFIDENCE = 0.9  # of a face in the rack, where hands come and go
SOON_SECONDS = 3.0  # a burn's community card comes within that
CARRY_SECONDS = 2.5  # longest way from the felt to the rack
USUAL_CARRY_SECONDS = 0.9
BURN_LEAD_SECONDS = 0.7  # no community card can follow its burn faster
BURN_BEFORE_COMMUNITY_SECONDS = 6.0
STUB_SECONDS = 8.0  # after the deal; where the round is called off, the stub comes when the felt is cleared
STUB_LEAD_SECONDS = 1.0  # the stub may be on its way while the last community card is laid


@dataclass(frozen=True, slots=True)
class Shown:
    """A face that showed in the rack. `down` is when it was turned down again, infinite if it was not seen to be."""

    t: float
    frame: int
    face: Known[str]
    down: float = math.inf


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something came to lie in the rack."""

    t: float
    frame: int | None
    busy_since: float = 0.0
    seen: bool = True  # as a card; else only as something that fills the rack
    shown: Shown | None = None

    @property
    def face_up(self) -> bool:
        return self.shown is not None and self.shown.t == self.t


def arrivals(looks: Sequence[ZoneSeen], community: Sequence[float] = ()) -> list[Arrival]:
    """The looks at the rack that show one card more, by time. `community`: when community cards were laid.

    A face that comes and goes with no community card between is that of one card, turned up and down: of the one that
    came before it if no community card came since, else it came face up.
    """
    found: list[Arrival] = []
    filled = False
    for number, look in enumerate(looks):
        if not look.filled:
            filled = False
            continue
        again = bool(found) and look.start - found[-1].t < SAME_ARRIVAL_SECONDS
        if (not filled or look.changed >= ADDED_CHANGE) and not again:
            last = found[-1] if filled and found else None
            turned = _turned(last, look, looks[number + 1 :], community) if last else None
            if turned is not None:
                found[-1] = turned
            else:
                came, face = any(card.changed >= NEW_CHANGED for card in look.cards), _face(look)
                shown = Shown(look.start, look.frame, face) if face else None
                found.append(Arrival(look.start, look.frame, look.busy_since, came, shown))
        filled = True
    return found


def _face(look: ZoneSeen) -> Known[str] | None:
    """What was read of a face that has come to show with this look, believed less than of a card on the felt."""
    fresh = [card for card in look.cards if card.face_up and card.changed >= NEW_CHANGED]
    read = (card.identity for card in fresh if isinstance(card.identity, Known))
    return next((Known(face.value, min(face.confidence, FACE_CONFIDENCE)) for face in read), None)


def _shows(look: ZoneSeen) -> bool:
    return any(card.face_up for card in look.cards)


def _turned(last: Arrival, look: ZoneSeen, later: Sequence[ZoneSeen], community: Sequence[float]) -> Arrival | None:
    """The last arrival, if what changed is that it was turned up or down; else something came."""
    if last.shown and not _shows(look) and not _between(last.shown.t, look.start, community):
        return replace(last, shown=replace(last.shown, down=look.start))
    face = _face(look)
    hidden = next((other.start for other in later if other.filled and not _shows(other)), math.inf)
    burned = bool(community) and look.start - last.t <= BURN_BEFORE_COMMUNITY_SECONDS
    if face and burned and not _between(last.t, min(hidden, look.start + SOON_SECONDS), community):
        return replace(last, shown=last.shown or Shown(look.start, look.frame, face))
    return None


def _between(start: float, end: float, community: Sequence[float]) -> bool:
    return any(start < t <= end for t in community)


def before_the_deal(looks: Sequence[ZoneSeen], first_card: float) -> list[Arrival]:
    """What came to lie in the empty rack before the first card was dealt, was seen to be a card, and stayed there."""
    early = [look for look in looks if look.start < first_card]
    empty = max((number for number, look in enumerate(early) if not look.cards), default=len(early))
    return [arrival for arrival in arrivals(early[empty + 1 :]) if arrival.seen]


def pick_up(left: float, came: Sequence[Arrival]) -> tuple[float, Arrival | None]:
    """When cards that left their zone reached the rack, and the arrival that shows it (None: it was not seen)."""
    usual = left + USUAL_CARRY_SECONDS
    reached = [arrival for arrival in came if left - 0.3 <= arrival.t <= left + CARRY_SECONDS]
    if not reached:
        return usual, None
    arrival = min(reached, key=lambda arrival: abs(arrival.t - usual))
    return (arrival.t if arrival.t <= left + 1.7 else usual), arrival


@dataclass(frozen=True, slots=True)
class Laid:
    """What came to the rack and was no pick-up, by time: burns, cards that left the shoe unseen (all at once), stub."""

    burns: tuple[Arrival, ...] = ()
    unseen: Arrival | None = None
    stub: Arrival | None = None


def laid(
    unexplained: Sequence[Arrival], deal: Deal, *, community: Sequence[float], dealt: float, cleared: float
) -> Laid:
    """Tell the arrivals apart that are no pick-up. `dealt`: when the last card was dealt; `cleared`: when all had left.

    Where the rules burn, burns have a community card after them and the stub comes when all cards are out; else a burn
    comes while cards are still dealt. What is neither is left out, since a hand that rests on the rack looks much like
    a card laid there.
    """
    if not deal.burns:
        burns = [arrival for arrival in unexplained if arrival.t < dealt - STUB_LEAD_SECONDS and arrival.seen]
        late = [arrival for arrival in unexplained if arrival.t >= dealt - STUB_LEAD_SECONDS]
        unseen = _at_once(late.pop(0), dealt) if deal.unseen and late else None
        stubs = [arrival for arrival in late if arrival.t <= dealt + STUB_SECONDS or arrival.t >= cleared]
        return Laid(tuple(burns), unseen, stubs[0] if stubs else None)
    burns = [arrival for arrival in unexplained if followed_by(arrival, community)]
    others = [arrival for arrival in unexplained if arrival not in burns]
    if not community:
        return Laid(tuple(burns), None, others[-1] if others else None)
    last = max(community) - STUB_LEAD_SECONDS
    return Laid(tuple(burns), None, next((arrival for arrival in others if arrival.t >= last), None))


def _at_once(arrival: Arrival, dealt: float) -> Arrival:
    """What the shoe gives after the hands goes to the rack at once, though arms may hide it there for a while."""
    latest = max(dealt, arrival.busy_since) + USUAL_CARRY_SECONDS
    return arrival if arrival.t <= latest else replace(arrival, t=latest, frame=None)


def followed_by(arrival: Arrival, community: Sequence[float]) -> bool:
    """Does a community card follow, as it does a burn?"""
    return any(BURN_LEAD_SECONDS <= t - arrival.t <= BURN_BEFORE_COMMUNITY_SECONDS for t in community)
