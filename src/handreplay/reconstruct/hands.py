"""What happened to the cards of one zone in one round.

Backs of squared-up cards look alike, so their number is told from the visits that changed the zone, from what the rules
deal at once, and checked against the faces when they are turned up. A story is written when the round is over, from all
that was seen of the zone.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import Point, SeenCard, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.reconstruct.card_story import CardStory, Show, Turn
from handreplay.reconstruct.deal import UNKNOWN, Deal
from handreplay.reconstruct.votes import CardVotes, center, distance

SAME_BACK_MM = 3.0
CLEARLY_MM = 6.0
WITH_THE_DEAL_SECONDS = 6.0
STRIP_VISIBLE = 0.5  # share of a card; of less the place is rough
STRIP_MM = 15.0
SAME_FACE_MM = 25.0
SAME_PLACE_MM, TAKEN_FOR = 10.0, 0.01  # so near, a face that the new reading gives so much may have been taken for it
NEAR_MM = 45.0  # a card this near to a later one may lie unseen under it
ONE_INDEX_MM = 58.0  # so near a strip may show, or seem to show, the index of the card that lies on it
PLACED_CHANGE = 0.015  # share of the zone that a card laid on another changes at least
NEW_CHANGED = 0.2  # share of its place that a card which has just come changes at least
ON_TOP_CHANGE = 0.025
TURNED_CHANGE = 0.6  # share of a card's place that changes at least when it is turned over
STIRRED = 0.015  # share of the uppermost card's place that a card laid squarely on it changes at least
WIDEST_STEP_MM = 34.0  # between the cards of a hand laid open, each on the one before
SIDE_BY_SIDE_MM = 58.0
HARDLY_COVERED = 0.8
UNREAD_SECONDS = 3.0  # hands that deal cover a place for less; longer, and it could not be read though cards lay there
NOTICED_SECONDS = 1.5  # between a card's coming and its being noticed beside a hand
TAKEN_SECONDS = 1.5  # from the felt to the rack
COUNTED = 0.95  # certainty of a card that one visit of the dealer's hand tells of
EXPECTED = 0.9  # certainty of a card that nothing but the rules of the deal tells of
HAND_FLOOR = 0.5  # motion below this is no hand
NO_CARD_SECONDS = 1.5  # no card lies for so short a time
TUCK_SECONDS = 3.0
TUCKED_CHANGE = 0.15  # share of a wager's place that cards tucked under it change at least


@dataclass(slots=True)
class ZoneCards:
    """The looks at one zone of cards, and at the wagers under which its cards may be tucked, while a round lasts.

    `covered` has the seconds from which on the zone was changed but could not be read, `uncovered` those at which it
    was seen again as before, `racked` those at which something reached the rack; `dealt` is when the deal was over, and
    from `pick_up` on cards only leave. `deal` is what the rules let one expect.
    """

    zone: str
    seen: list[ZoneSeen] = field(default_factory=list)
    covered: list[float] = field(default_factory=list)
    uncovered: list[float] = field(default_factory=list)
    racked: list[float] = field(default_factory=list)
    dealt: float = -math.inf
    pick_up: float = math.inf
    deal: Deal = UNKNOWN

    def reaches_rack(self, left: float) -> bool:
        """Does something reach the rack when a card that left the zone then would?"""
        return any(-0.3 <= t - left <= TAKEN_SECONDS for t in self.racked)


def tell(zone: ZoneCards) -> list[CardStory]:
    """The cards of a zone, in the order in which they came."""
    teller = _Teller(zone)
    for look in zone.seen:
        teller.see(look)
    return teller.told()


@dataclass(slots=True)
class _Teller:
    """Writes the stories of one zone's cards, look by look."""

    whole: ZoneCards
    cards: list[CardStory] = field(default_factory=list)
    rested: float = -math.inf  # start of the last look that showed the whole zone
    faceless: list[CardStory] = field(default_factory=list)  # lay nowhere when the whole zone last showed faces

    def see(self, look: ZoneSeen) -> None:
        if look.zone != self.whole.zone:
            self._see_wager(look)
            return
        ups = _each_once([seen for seen in look.cards if seen.face_up])
        downs = [seen for seen in look.cards if not seen.face_up]
        edges = [seen for seen in ups if _is_edge(seen, downs)]
        ups, downs = [seen for seen in ups if seen not in edges], downs + edges
        if ups:
            self._see_faces(ups, downs, look)
        elif downs:
            self._see_backs(downs, look)
        else:
            for card in _lying(self.cards):
                card.left = look.start
        if not look.partly:
            self.rested = look.start
            _time_last(self.cards, look)

    def told(self) -> list[CardStory]:
        for card in self.faceless:
            if card.certainty < 1.0 and not card.turns and card.tucked is None:
                self.cards.remove(card)
        self.cards = [card for card in self.cards if not self._was_none(card)]
        for card in self.cards:
            if card.left is None and card.untucked is not None:
                card.left = card.untucked
        return self.cards

    def _was_none(self, card: CardStory) -> bool:
        """Was it a sleeve that rested there for a moment? A back that comes and goes at once, and never to the rack."""
        if card.left is None or card.turns or card.face_up or card.tucked is not None:
            return False
        return card.left - card.placed < NO_CARD_SECONDS and not self.whole.reaches_rack(card.left)

    def _see_wager(self, look: ZoneSeen) -> None:
        """Cards that have just left the seat's place, and now lie under a wager, were tucked there.

        Of cards under chips little may show; then that the wager's place changed, and the rack did not, tells.
        """
        changed = bool(look.stacks) and look.changed >= TUCKED_CHANGE
        for card in self.cards:
            if card.left is not None and card.tucked is None and 0 <= look.start - card.left <= TUCK_SECONDS:
                if look.cards or (changed and not self.whole.reaches_rack(card.left)):
                    card.tucked, card.tucked_at, card.left = look.zone, look.start, None
            elif card.tucked == look.zone and card.untucked is None and not look.cards:
                card.untucked = look.start if look.changed >= TUCKED_CHANGE else None
        self._see_turned_there(look)

    def _see_turned_there(self, look: ZoneSeen) -> None:
        """Tucked cards that are turned up where they were tucked, and over the wagers beside, not before the player."""
        tucked = [card for card in self.cards if card.tucked is not None and card.left is None]
        ups = _each_once([seen for seen in look.cards if seen.face_up])
        closed = [card for card in tucked if not card.is_up()]
        unknown = _not_again([card for card in tucked if card.is_up()], ups, look)
        for card, seen in zip(closed, sorted(unknown, key=lambda seen: _value(seen) is None), strict=False):
            card.turns.append(Turn(look.start, look.frame, "up"))
            card.turned_there = True
            _face(card, seen, look)

    def _see_backs(self, downs: Sequence[SeenCard], look: ZoneSeen, ups: Sequence[SeenCard] = ()) -> None:
        """Backs seen, and beside them faces."""
        downs = [seen for seen in downs if seen.changed >= NEW_CHANGED or _is_known(seen, self.cards)]
        lying = _lying(self.cards)
        opened = [card for card in lying if card.is_up() and _shows(card, ups)]
        matched, fresh = _match_backs([card for card in lying if card not in opened], downs, look)
        matched += opened
        fresh = [seen for seen in fresh if not opened or seen.visible >= STRIP_VISIBLE]
        if not lying and self.whole.deal.at_once and self.whole.zone != "community":
            fresh = sorted(downs, key=lambda seen: -seen.visible)  # each strip is a card of the hand
        missing = [card for card in lying if card not in matched]
        for card in missing:
            if card.is_up() and _near(card, downs):
                card.turns.append(Turn(look.start, look.frame, "down"))  # and lies under the backs that are seen
        if not by_dealer(look) or (lying and look.changed < PLACED_CHANGE):
            for card, seen in zip(reversed(missing), fresh, strict=False):  # moved where they lie
                card.place = center(seen)
            fresh = fresh[len(missing) :]
        elif lying and not fresh and self._laid_squarely(lying, look):
            fresh = list(downs[:1])
        if lying and self._taken(look):  # what shows now lay under it
            fresh = [seen for seen in fresh if all(not _near(card, [seen]) for card in lying)]
        self._deal(self._credible(fresh, lying, look), look, first=not lying)

    def _credible(self, fresh: Sequence[SeenCard], lying: Sequence[CardStory], look: ZoneSeen) -> list[SeenCard]:
        """Without the backs that would be too many, unless they lie clearly apart and have come with the deal.

        The outlines of plain backs in a pile are not told to the millimetre, and a card too many is a grave thing.
        """
        backs = None if self.whole.zone == "community" else self.whole.deal.backs(self.whole.zone)
        room = len(fresh) if backs is None else max(0, backs - len(lying))
        kept = list(fresh[:room])
        places = [card.place for card in lying if card.place] + [center(seen) for seen in kept]
        for seen in fresh[room:]:
            apart = min((distance(center(seen), place) for place in places), default=math.inf)
            if apart >= CLEARLY_MM and look.start <= self.whole.dealt + WITH_THE_DEAL_SECONDS:
                kept.append(seen)
                places.append(center(seen))
        return kept

    def _deal(self, fresh: Sequence[SeenCard], look: ZoneSeen, *, first: bool) -> None:
        """Backs that have come; of a hand dealt at once, those too that lie unseen under the others."""
        new = [
            _placed(self.whole.zone, seen, look, certainty=1.0 if first and not number else COUNTED)
            for number, seen in enumerate(fresh)
        ]
        backs = self.whole.deal.backs(self.whole.zone)
        if new and self.whole.deal.at_once and backs is not None and not self._closed():
            new += [_placed(self.whole.zone, fresh[0], look, certainty=EXPECTED) for _ in range(len(new), backs)]
            seen = max(self.rested, *(t for t in self.whole.uncovered if t < look.start), -math.inf)
            for t in [t for t in self.whole.covered if seen < t < look.start - UNREAD_SECONDS][:1]:
                new = [replace(card, placed=t, frame=None) for card in new]
        for card in new:
            if self.whole.zone == "community" and any(_same_place(card, other) for other in self.cards):
                card.place = None  # it did not come to lie on another, but where the eyes found nothing
        self.cards += new

    def _laid_squarely(self, lying: Sequence[CardStory], look: ZoneSeen) -> bool:
        """Did a card come to lie so that no more shows of the cards than before?"""
        backs = self.whole.deal.backs(self.whole.zone)
        return (
            not look.partly
            and look.changed >= (ON_TOP_CHANGE if backs is None else PLACED_CHANGE)
            and any(seen.changed >= STIRRED for seen in look.cards)  # and not only a sleeve beside them has come
            and all(card.placed <= self.rested for card in self.cards)
            and all(not card.turns and not card.face_up for card in lying)  # the deal still goes on
            and (backs is None or len(lying) < backs)
        )

    def _taken(self, look: ZoneSeen) -> bool:
        """Was what changed that a card went to the rack or under a wager, so that none has come?"""
        if look.start <= self.whole.dealt:
            return False
        wagers = (other.start for other in self.whole.seen if other.zone != self.whole.zone and other.cards)
        tucked = any(-0.3 <= t - look.start <= TAKEN_SECONDS for t in wagers)
        return tucked or look.start > self.whole.pick_up or self.whole.reaches_rack(look.start)

    def _closed(self) -> list[CardStory]:
        return [card for card in self.cards if card.left is None and not card.is_up()]

    def _see_faces(self, ups: Sequence[SeenCard], downs: Sequence[SeenCard], look: ZoneSeen) -> None:
        """Faces seen: first those known from before; then cards that lay face down and were turned; else new."""
        zone = self.whole.zone
        if downs and not self._closed() and not look.partly:
            self._see_backs(downs, look, ups)
        elif not self.cards:
            self.cards += self._came_unseen(len(ups), look)
        self._come_back(ups)
        opened = [card for card in _lying(self.cards) if card.is_up()]
        unknown = _not_again(opened, sorted(ups, key=lambda seen: from_left(zone, center(seen))), look)
        closed = self._closed()
        if len(ups) >= self.whole.deal.size(zone):
            _read_anew(opened, unknown, look, room=len(closed))
        turned = self._turned(closed, unknown)
        for card, seen in turned:
            laid_open = zone == "community" and not self.whole.deal.community_down
            if laid_open and _just_laid(card, look) and not card.turns:
                card.face_up = True  # it was turned as it was laid: only beside the hand its back showed
            else:
                card.turns.append(Turn(look.start, look.frame, "up"))
            _face(card, seen, look)
            unknown.remove(seen)
            closed.remove(card)
        more = self._may_be_more(ups, look)
        extra = [seen for seen in unknown if seen.changed >= NEW_CHANGED and seen in more]
        if zone == "community":
            extra = _from_the_end(extra, [card.place for card in self.cards if card.place])
        for seen in extra:
            _face(self._late([card for card, _ in turned], seen, look), seen, look)
        if look.partly:
            return
        if not downs and (len(ups) >= self.whole.deal.size(zone) or _none_between(ups)):
            self.faceless = closed
        for card in opened:
            if any(show.t == look.start for show in card.shows):
                continue  # it was seen at this very rest, at which nothing can have been taken
            if self.whole.reaches_rack(look.start) or not _near(card, look.cards):
                card.left = look.start
            elif not _near(card, ups):
                card.turns.append(Turn(look.start, look.frame, "down"))

    def _come_back(self, ups: Sequence[SeenCard]) -> None:
        """A face that shows again never left: a hand lay over it. A deck has it once."""
        for card in self.cards:
            if card.left is not None and card.tucked is None and card.is_up():
                face = card.face()
                if face is not None and any(_value(seen) == face and _near(card, [seen]) for seen in ups):
                    card.left = None

    def _came_unseen(self, faces: int, look: ZoneSeen) -> Iterator[CardStory]:
        """Hands are dealt face down: faces where no backs were read lay there since the place could not be read."""
        backs = self.whole.deal.backs(self.whole.zone)
        times = [t for t in self.whole.covered if t < look.start]
        if not times or not backs:
            return
        at_once = self.whole.deal.at_once
        for number in range(backs if at_once else min(backs, max(faces, len(times)))):
            placed = times[0] if at_once else times[min(number, len(times) - 1)]
            yield CardStory(self.whole.zone, placed, None, False, certainty=EXPECTED, timed=at_once)

    def _turned(self, closed: Sequence[CardStory], unknown: Sequence[SeenCard]) -> list[tuple[CardStory, SeenCard]]:
        """Which of the cards that lay face down show which face now: first those whose face had shown before."""
        pairs, left, others = [], list(closed), []
        for seen in unknown:
            again = next((card for card in left if card.face() is not None and card.face() == _value(seen)), None)
            if again is None:
                others.append(seen)
            else:
                pairs.append((again, seen))
                left = [card for card in left if card is not again]
        return pairs + self._turned_first(left, others)

    def _turned_first(
        self, closed: Sequence[CardStory], unknown: Sequence[SeenCard]
    ) -> list[tuple[CardStory, SeenCard]]:
        """The same of cards that were never seen face up."""
        if self.whole.zone == "community":  # they lie side by side and are turned where they lie
            pairs = []
            left = list(closed)
            for seen in unknown:
                here = [card for card in left if card.place and distance(card.place, center(seen)) <= SAME_FACE_MM]
                here = here or [card for card in left if card.place is None]
                if here:
                    left.remove(here[0])
                    pairs.append((here[0], seen))
            return pairs
        unknown = [seen for seen in unknown if not _lies_as_before(seen, closed)]
        opens = self.whole.zone == "dealer.cards" and self.whole.deal.dealer_open()
        if opens and len(unknown) == 1 and not any(card.face_up for card in self.cards):
            return []
        sure = sorted(unknown, key=lambda seen: not isinstance(seen.identity, Known))[: len(closed)]
        return list(zip(closed, [seen for seen in unknown if seen in sure], strict=False))

    def _may_be_more(self, ups: Sequence[SeenCard], look: ZoneSeen) -> list[SeenCard]:
        """The faces that may be one more card. One that cannot be read adds none to a full hand, nor beside a hand.

        One that is read adds none to a full hand either, unless more show at once than it holds: of what shows by and
        by one card may have been read twice.
        """
        size = self.whole.deal.size(self.whole.zone)
        full = len(self.cards) >= size  # one that seems gone may lie under a sleeve
        read = [seen for seen in ups if isinstance(seen.identity, Known)]
        if full:
            return read if len(read) > size else []
        return read if look.partly else list(ups)

    def _late(self, turned: Sequence[CardStory], seen: SeenCard, look: ZoneSeen) -> CardStory:
        """A face more than there were backs lay unseen under them; where none lie it was placed face up just now.

        It came when the zone was next changed without being readable, if it was, else with the last back.
        """
        card = _placed(self.whole.zone, seen, look, certainty=1.0)
        under = turned[-1] if turned else self._dealt_with(look)
        if under is None:
            self.cards.append(card)
            return card
        card.placed, card.frame, card.face_up, card.certainty = under.placed, under.frame, False, EXPECTED
        latest = min(look.start, max(self.whole.dealt, under.placed) + WITH_THE_DEAL_SECONDS)
        card.placed = next((t for t in self.whole.covered if under.placed < t < latest), under.placed)
        card.turns.append(Turn(look.start, look.frame, "up"))
        card.timed = self.whole.deal.at_once
        self.cards.insert(self.cards.index(under) + 1, card)
        return card

    def _dealt_with(self, look: ZoneSeen) -> CardStory | None:
        """After the deal, a card of the hand that what shows more of it now must have come with.

        A community card only where they are dealt face down and one may have come unseen.
        """
        hidden = (self.whole.deal.backs(self.whole.zone) or 0) > sum(not card.face_up for card in self.cards)
        here = [card for card in self.cards if card.left is None]
        if not (hidden and here and look.start > self.whole.dealt):
            return None
        unseen = any(here[-1].placed < t < look.start for t in self.whole.covered)
        return here[-1] if unseen or self.whole.zone != "community" else None


def by_dealer(look: ZoneSeen) -> bool:
    """May the dealer have done what changed? A card that is thrown comes without a hand."""
    return look.player_hand - look.dealer_hand <= HAND_FLOOR


def _time_last(cards: Sequence[CardStory], look: ZoneSeen) -> None:
    """A card first noticed beside a hand came when the whole zone, seen at rest, says that its change was complete."""
    last = max((card for card in cards if card.left is None), key=lambda card: card.placed, default=None)
    before = max((card.placed for card in cards if card is not last), default=-math.inf)
    if last is not None and before < look.start < last.placed <= look.start + NOTICED_SECONDS:
        last.placed, last.frame = look.start, look.frame


def _lying(cards: Iterable[CardStory]) -> list[CardStory]:
    """The cards that are in the zone itself."""
    here = (card for card in cards if card.left is None and not card.turned_there)
    return [card for card in here if card.tucked is None or card.is_up()]


def _same_place(one: CardStory, other: CardStory) -> bool:
    return one.place is not None and other.place is not None and distance(one.place, other.place) <= SAME_BACK_MM


def _near(card: CardStory, seen: Iterable[SeenCard]) -> bool:
    """Is one of those so near to the card's place that the card may lie under it?"""
    return card.place is not None and any(distance(card.place, center(other)) <= NEAR_MM for other in seen)


def _each_once(ups: Sequence[SeenCard]) -> list[SeenCard]:
    """Two outlines of a hand that were read alike are of one card; the one that shows more of it counts.

    One that lies further off, and is no strip, is a card of its own that only shows the other's index.
    """
    kept: dict[int, SeenCard] = {}
    for number, seen in sorted(enumerate(ups), key=lambda pair: -pair[1].visible):
        alike = [other for other in kept.values() if _value(other) == _value(seen) is not None]
        apart = min((distance(center(other), center(seen)) for other in alike), default=math.inf)
        if apart > ONE_INDEX_MM:
            kept[number] = seen
        elif apart > NEAR_MM and seen.visible >= STRIP_VISIBLE:
            kept[number] = replace(seen, identity=Unreadable("shows another card's index"), probabilities=())
    return [kept[number] for number in sorted(kept)]


def _is_edge(seen: SeenCard, downs: Sequence[SeenCard]) -> bool:
    """Of a pile of backs with white edges strips show that look like faces which cannot be read.

    A card that was turned up looks quite other than the back that lay there.
    """
    strip = _value(seen) is None and seen.visible < STRIP_VISIBLE and seen.changed < TURNED_CHANGE
    return strip and any(_beside(seen, other) for other in downs)


def _lies_as_before(seen: SeenCard, closed: Iterable[CardStory]) -> bool:
    """An unread strip where a back showed a strip before: a hand that is turned over is laid out anew."""
    at = center(seen)
    here = any(card.place is not None and distance(card.place, at) <= CLEARLY_MM for card in closed)
    return _value(seen) is None and seen.visible < STRIP_VISIBLE and here


def _shows(card: CardStory, ups: Iterable[SeenCard]) -> bool:
    """Is its face among those?"""
    return any(_value(seen) == card.face() is not None or _there(card, seen) for seen in ups)


def _there(card: CardStory, seen: SeenCard) -> bool:
    return card.place is not None and distance(card.place, center(seen)) <= SAME_FACE_MM


def _beside(one: SeenCard, other: SeenCard) -> bool:
    return distance(center(one), center(other)) <= NEAR_MM


def _value(seen: SeenCard) -> str | None:
    return seen.identity.value if isinstance(seen.identity, Known) else None


def _none_between(ups: Sequence[SeenCard]) -> bool:
    """Is there no gap between the open cards of a hand in which one more might lie, not found by the eyes?"""
    row = _in_a_row(ups)
    for one, other in pairwise(row):
        apart = distance(center(one), center(other))
        beside = apart >= SIDE_BY_SIDE_MM and min(one.visible, other.visible) >= HARDLY_COVERED
        if apart > WIDEST_STEP_MM and not beside:
            return False
    return True


def _in_a_row(ups: Sequence[SeenCard]) -> list[SeenCard]:
    """From one end of the hand to the other."""
    ends = max(combinations(ups, 2), key=lambda pair: distance(center(pair[0]), center(pair[1])), default=None)
    return list(ups) if ends is None else sorted(ups, key=lambda seen: distance(center(ends[0]), center(seen)))


def _not_again(opened: list[CardStory], ups: Sequence[SeenCard], look: ZoneSeen) -> list[SeenCard]:
    """Faces that are none of the open cards seen again, by face or place; takes those seen again out of `opened`."""
    unknown: list[SeenCard] = []
    for seen in sorted(ups, key=lambda seen: not isinstance(seen.identity, Known)):
        same = [card for card in opened if isinstance(seen.identity, Known) and card.face() == seen.identity.value]
        near = [card for card in opened if _there(card, seen)]
        again = same or [card for card in near if not isinstance(seen.identity, Known) or _may_be(card, seen)]
        if again:
            best = min(again, key=lambda card: distance(card.place, center(seen)) if card.place else math.inf)
            opened.remove(best)
            _face(best, seen, look)
        elif misread := [card for card in near if _misread(card, seen, look)]:
            opened.remove(misread[0])
            misread[0].votes = misread[0].votes if misread[0].rested else CardVotes()
            _face(misread[0], seen, look)
        else:
            unknown.append(seen)
    return [seen for seen in ups if seen in unknown]


def _read_anew(opened: list[CardStory], unknown: list[SeenCard], look: ZoneSeen, *, room: int) -> None:
    """Give open cards that show no more the faces for which there is no `room`; takes both out of their lists.

    A hand that shows as many faces as it holds has no others: what was read of a strip before was misread.
    """
    for card in [card for card in opened if all(show.visible < STRIP_VISIBLE for show in card.shows)]:
        if len(unknown) <= room or card.place is None:
            return
        place = card.place
        seen = min(unknown, key=lambda seen: distance(place, center(seen)))
        opened.remove(card)
        unknown.remove(seen)
        card.votes = CardVotes()
        _face(card, seen, look)


def _misread(card: CardStory, seen: SeenCard, look: ZoneSeen) -> bool:
    """Whether another face at a card's very place is its own: nothing can be laid on what lies under others.

    Or it was only ever read beside a hand, and the hand is gone.
    """
    there = card.place is not None and distance(card.place, center(seen)) <= SAME_PLACE_MM
    return there and (seen.visible < STRIP_VISIBLE or not (card.rested or look.partly))


def _may_be(card: CardStory, seen: SeenCard) -> bool:
    """Whether a card that lay just there can be the one whose face is read now, though it was read otherwise.

    Of a card that has taken another's place, the picture all but rules out the other's face.
    """
    face = card.face()
    if face is None:
        return True
    there = card.place is not None and distance(card.place, center(seen)) <= SAME_PLACE_MM
    return there and len(seen.probabilities) == len(DECK) and seen.probabilities[CARD_NUMBER[face]] >= TAKEN_FOR


def _match_backs(
    lying: Sequence[CardStory], downs: Sequence[SeenCard], look: ZoneSeen
) -> tuple[list[CardStory], list[SeenCard]]:
    """The cards that are seen again where they lay, and the backs that are new.

    Of a card under another only a strip is seen, so its place is rough then, as it is of one that was first noticed
    beside the hand which has just laid it; strips beside cards that lay there are no new cards.
    """
    matched: list[CardStory] = []
    fresh: list[SeenCard] = []
    for seen in sorted(downs, key=lambda seen: -seen.visible):
        strip = seen.visible < STRIP_VISIBLE
        near = [
            (distance(card.place, center(seen)), n)
            for n, card in enumerate(lying)
            if card not in matched and card.place
        ]
        reach = [(far, n) for far, n in near if far <= _within(lying[n], look, strip=strip)]
        if reach:
            card = lying[min(reach)[1]]
            card.tint = card.tint or seen.tint
            matched.append(card)
            if card.is_up():
                card.turns.append(Turn(look.start, look.frame, "down"))
                card.place = center(seen)
            elif _just_laid(card, look) and not strip:
                card.place = center(seen)
        else:
            fresh.append(seen)
    whole = [seen for seen in fresh if seen.visible >= STRIP_VISIBLE]
    return matched, whole or ([] if matched else fresh[:1])


def _within(card: CardStory, look: ZoneSeen, *, strip: bool) -> float:
    """How far from a card's last place, mm, a back may be the same card."""
    if card.is_up():
        return SAME_FACE_MM
    return STRIP_MM if strip or _just_laid(card, look) else SAME_BACK_MM


def _just_laid(card: CardStory, look: ZoneSeen) -> bool:
    """Was it first noticed beside the hand that has just gone, or still lies there?"""
    return look.busy_since <= card.placed < look.start


def _is_known(seen: SeenCard, cards: Iterable[CardStory]) -> bool:
    return any(card.place is not None and distance(card.place, center(seen)) <= NEAR_MM for card in cards)


def _placed(zone: str, seen: SeenCard, look: ZoneSeen, *, certainty: float) -> CardStory:
    seconds = look.start - look.busy_since if look.partly else look.end - look.start
    timed = seconds <= NOTICED_SECONDS
    place = center(seen)
    came_at = None if seen.face_up else place
    return CardStory(
        zone,
        look.start,
        look.frame,
        seen.face_up,
        place=place,
        came_at=came_at,
        tint=seen.tint,
        certainty=certainty,
        timed=timed,
    )


def _face(card: CardStory, seen: SeenCard, look: ZoneSeen) -> None:
    card.votes.add(seen.probabilities, whole=seen.visible >= STRIP_VISIBLE)
    card.rested = card.rested or not look.partly
    card.place = center(seen)
    card.shows.append(Show(look.start, card.place, seen.visible))


def _from_the_end(fresh: list[SeenCard], places: Sequence[Point]) -> list[SeenCard]:
    """Community cards laid together: the one next to those that lay there first, else from the dealer's left."""
    if not places:
        return sorted(fresh, key=lambda seen: -center(seen)[0])
    return sorted(fresh, key=lambda seen: min(distance(center(seen), place) for place in places))


def from_left(zone: str, place: Point) -> float:
    """Sorts the places of a hand's cards from its holder's left."""
    x, y = place
    return math.atan2(x, y) if zone.startswith("seat") else -x
