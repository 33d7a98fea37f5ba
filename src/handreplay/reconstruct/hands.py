"""What happened to the cards of one zone in one round.

Backs of squared-up cards look alike, so their number is told from the visits that changed the zone, and checked against
the faces when they are turned up. A story is written when the round is over, from all that was seen of the zone.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from handreplay.core.observations import Point, SeenCard, ZoneSeen
from handreplay.reconstruct.votes import CardVotes, center, distance

SAME_BACK_MM = 3.0
STRIP_VISIBLE = 0.5  # share of a card; of less the place is rough
STRIP_MM = 15.0
SAME_FACE_MM = 25.0
NEAR_MM = 45.0  # a card this near to a later one may lie unseen under it
PLACED_CHANGE = 0.015  # share of the zone that a card laid on another changes at least
NEW_CHANGED = 0.2  # share of its place that a card which has just come changes at least
ON_TOP_CHANGE = 0.025
UNCOVERED = 0.97  # visible share of a card that lies under no other
NOTICED_SECONDS = 1.5  # between a card's coming and its being noticed beside a hand
TAKEN_SECONDS = 1.5  # from the felt to the rack
TUCK_SECONDS = 3.0
TUCKED_CHANGE = 0.15  # share of a wager's place that cards tucked under it change at least


@dataclass(frozen=True, slots=True)
class Turn:
    t: float
    frame: int
    face: Literal["up", "down"]


@dataclass(slots=True)
class CardStory:
    """One physical card, from the zone where it was placed to the rack."""

    zone: str
    placed: float
    frame: int
    face_up: bool  # when it was placed
    place: Point | None = None  # where it was last seen, mm
    turns: list[Turn] = field(default_factory=list)
    votes: CardVotes = field(default_factory=CardVotes)
    tucked: str | None = None  # the wager zone that it was tucked under
    tucked_at: float | None = None
    untucked: float | None = None
    left: float | None = None  # when it left the felt
    certainty: float = 1.0

    def is_up(self) -> bool:
        return self.turns[-1].face == "up" if self.turns else self.face_up

    def shown(self) -> float | None:
        """When its face first showed for good."""
        return next((turn.t for turn in self.turns if turn.face == "up"), None)


@dataclass(slots=True)
class ZoneCards:
    """The looks at one zone of cards, and at the wagers under which its cards may be tucked, while a round lasts.

    `covered` has the seconds from which on the zone was changed but could not be read, `racked` those at which
    something reached the rack; from `pick_up` on cards only leave.
    """

    zone: str
    seen: list[ZoneSeen] = field(default_factory=list)
    covered: list[float] = field(default_factory=list)
    racked: list[float] = field(default_factory=list)
    pick_up: float = math.inf


def tell(zone: ZoneCards) -> list[CardStory]:
    """The cards of a zone, in the order in which they came."""
    cards: list[CardStory] = []
    rested = -math.inf  # start of the last look that showed the whole zone
    for look in zone.seen:
        if look.zone != zone.zone:
            _see_wager(cards, look, zone.racked)
            continue
        ups = [seen for seen in look.cards if seen.face_up]
        downs = [seen for seen in look.cards if not seen.face_up]
        if ups:
            _see_faces(zone, cards, ups, downs, look)
        elif downs:
            gone = [*zone.racked, *(other.start for other in zone.seen if other.zone != zone.zone and other.cards)]
            taken = look.start > zone.pick_up or any(-0.3 <= t - look.start <= TAKEN_SECONDS for t in gone)
            settled = all(card.placed <= rested for card in cards)
            _see_backs(zone.zone, cards, downs, look, taken=taken, settled=settled)
        else:
            for card in _lying(cards):
                card.left = look.start
        if not look.partly:
            rested = look.start
            _time_last(cards, look)
    for card in cards:
        if card.left is None and card.untucked is not None:
            card.left = card.untucked
    return cards


def _time_last(cards: Sequence[CardStory], look: ZoneSeen) -> None:
    """A card first noticed beside a hand came when the whole zone, seen at rest, says that its change was complete."""
    last = max((card for card in cards if card.left is None), key=lambda card: card.placed, default=None)
    before = max((card.placed for card in cards if card is not last), default=-math.inf)
    if last is not None and before < look.start < last.placed <= look.start + NOTICED_SECONDS:
        last.placed, last.frame = look.start, look.frame


def _lying(cards: Iterable[CardStory]) -> list[CardStory]:
    """The cards that are in the zone itself."""
    return [card for card in cards if card.left is None and (card.tucked is None or card.is_up())]


def _see_wager(cards: list[CardStory], look: ZoneSeen, racked: Sequence[float]) -> None:
    """Cards that have just left the seat's place, and now lie under a wager, were tucked there.

    Of cards under chips little may show; then that the wager's place changed, and the rack did not, tells.
    """
    changed = bool(look.stacks) and look.changed >= TUCKED_CHANGE
    for card in cards:
        if card.left is not None and card.tucked is None and 0 <= look.start - card.left <= TUCK_SECONDS:
            to_rack = any(-0.3 <= t - card.left <= TAKEN_SECONDS for t in racked)
            if look.cards or (changed and not to_rack):
                card.tucked, card.tucked_at, card.left = look.zone, look.start, None
        elif card.tucked == look.zone and card.untucked is None and not look.cards and look.changed >= TUCKED_CHANGE:
            card.untucked = look.start


def _see_backs(
    zone: str, cards: list[CardStory], downs: Sequence[SeenCard], look: ZoneSeen, *, taken: bool, settled: bool
) -> None:
    """Backs seen.

    `taken`: what changed was that a card went to the rack or under a wager, so none has come. `settled`: all cards so
    far were there when the whole zone was last seen.
    """
    downs = [seen for seen in downs if seen.changed >= NEW_CHANGED or _is_known(seen, cards)]
    lying = _lying(cards)
    matched, fresh = _match_backs(lying, downs, look)
    missing = [card for card in lying if card not in matched]
    for card in missing:
        if card.is_up() and card.place and any(distance(card.place, center(seen)) <= NEAR_MM for seen in downs):
            card.turns.append(Turn(look.start, look.frame, "down"))  # and lies under the backs that are seen
    dealt = look.dealer_hand >= look.player_hand and (look.changed >= PLACED_CHANGE or not lying)
    if not dealt:
        for card, seen in zip(reversed(missing), fresh, strict=False):  # moved where they lie
            card.place = center(seen)
        fresh = fresh[len(missing) :]
    elif (
        lying and not fresh and not look.partly and look.changed >= ON_TOP_CHANGE and settled and _all_dealt_down(lying)
    ):
        fresh = list(downs[:1])  # laid squarely on the others
    if lying and taken:
        return
    cards += [_placed(zone, seen, look, certainty=0.95 if lying or n else 1.0) for n, seen in enumerate(fresh)]


def _all_dealt_down(lying: Iterable[CardStory]) -> bool:
    """The deal still goes on: no face has been seen."""
    return all(not card.turns and not card.face_up for card in lying)


def _match_backs(
    lying: Sequence[CardStory], downs: Sequence[SeenCard], look: ZoneSeen
) -> tuple[list[CardStory], list[SeenCard]]:
    """The cards that are seen again where they lay, and the backs that are new.

    Of a card under another only a strip is seen, so its place is rough then; strips alone are no new cards.
    """
    matched: list[CardStory] = []
    fresh: list[SeenCard] = []
    for seen in sorted(downs, key=lambda seen: -seen.visible):
        strip = seen.visible < STRIP_VISIBLE
        within = STRIP_MM if strip else SAME_BACK_MM
        near = [
            (distance(card.place, center(seen)), n)
            for n, card in enumerate(lying)
            if card not in matched and card.place
        ]
        reach = [(far, n) for far, n in near if far <= (SAME_FACE_MM if lying[n].is_up() else within)]
        if reach:
            card = lying[min(reach)[1]]
            matched.append(card)
            if card.is_up():
                card.turns.append(Turn(look.start, look.frame, "down"))
                card.place = center(seen)
        else:
            fresh.append(seen)
    whole = [seen for seen in fresh if seen.visible >= STRIP_VISIBLE]
    return matched, whole or ([] if matched else fresh[:1])


def _is_known(seen: SeenCard, cards: Iterable[CardStory]) -> bool:
    return any(card.place is not None and distance(card.place, center(seen)) <= NEAR_MM for card in cards)


def _placed(zone: str, seen: SeenCard, look: ZoneSeen, *, certainty: float) -> CardStory:
    return CardStory(zone, look.start, look.frame, seen.face_up, place=center(seen), certainty=certainty)


def _see_faces(
    whole: ZoneCards, cards: list[CardStory], ups: Sequence[SeenCard], downs: Sequence[SeenCard], look: ZoneSeen
) -> None:
    """Faces seen: first those known from before, by place; then cards that lay face down and were turned; else new."""
    zone = whole.zone
    closed = [card for card in cards if card.left is None and not card.is_up()]
    opened = [card for card in _lying(cards) if card.is_up()]
    unknown: list[SeenCard] = []
    for seen in sorted(ups, key=lambda seen: spread_order(zone, seen)):
        near = [card for card in opened if card.place and distance(card.place, center(seen)) <= SAME_FACE_MM]
        if near:
            best = min(near, key=lambda card: distance(card.place or (0.0, 0.0), center(seen)))
            opened.remove(best)
            _face(best, seen)
        else:
            unknown.append(seen)
    turned = closed[: len(unknown)]
    for card, seen in zip(turned, unknown, strict=False):
        card.turns.append(Turn(look.start, look.frame, "up"))
        _face(card, seen)
    extra = [seen for seen in unknown[len(turned) :] if seen.changed >= NEW_CHANGED]
    if zone == "community":
        extra = _from_the_end(extra, [card.place for card in cards if card.place])
    for seen in extra:
        _face(_late(cards, closed, _placed(zone, seen, look, certainty=1.0), look, whole.covered), seen)
    if look.partly:
        return
    _check_number(cards, closed[len(turned) :], downs, look)
    for card in opened:
        if card.place is None or all(distance(card.place, center(seen)) > NEAR_MM for seen in ups):
            card.left = look.start


def _face(card: CardStory, seen: SeenCard) -> None:
    card.votes.add(seen.probabilities)
    card.place = center(seen)


def _late(
    cards: list[CardStory], closed: Sequence[CardStory], card: CardStory, look: ZoneSeen, covered: Sequence[float]
) -> CardStory:
    """A face more than there were backs lay unseen under them; without backs it was placed face up just now.

    It came when the zone was next changed without being readable, if it was, else with the last back.
    """
    if not closed:
        cards.append(card)
        return card
    under = closed[-1]
    card.placed, card.frame, card.face_up, card.certainty = under.placed, under.frame, False, 0.9
    card.placed = next((t for t in covered if under.placed < t < look.start), under.placed)
    card.turns.append(Turn(look.start, look.frame, "up"))
    cards.insert(cards.index(under) + 1, card)
    return card


def _from_the_end(fresh: list[SeenCard], places: Sequence[Point]) -> list[SeenCard]:
    """Community cards laid together: the one next to those that lay there first, else from the dealer's left."""
    if not places:
        return sorted(fresh, key=lambda seen: -center(seen)[0])
    return sorted(fresh, key=lambda seen: min(distance(center(seen), place) for place in places))


def _check_number(
    cards: list[CardStory], unturned: Sequence[CardStory], downs: Sequence[SeenCard], look: ZoneSeen
) -> None:
    """Backs that were counted by visits alone and are not there when all faces are up never were."""
    if downs or any(seen.visible < 0.2 for seen in look.cards):
        return
    for card in unturned:
        if card.certainty < 1.0 and card.tucked is None:
            cards.remove(card)


def spread_order(zone: str, seen: SeenCard) -> tuple[bool, float]:
    """Sorts the faces of a hand as they were laid: cards under others first, else from the holder's left."""
    x, y = center(seen)
    if not zone.startswith("seat"):
        return seen.visible >= UNCOVERED, -x
    return seen.visible >= UNCOVERED, math.atan2(x, y)
