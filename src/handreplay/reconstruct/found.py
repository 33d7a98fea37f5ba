"""Cards found face up in the shoe or deck: each that showed there, and where it went."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from handreplay.core.events import CardMoved, CardPlaced, CardTurned, Event
from handreplay.core.observations import Point, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.reconstruct.card_story import CardStory
from handreplay.reconstruct.rack import CARRY_SECONDS, Arrival
from handreplay.reconstruct.votes import center, distance

SHOE = "shoe"
LAID_DOWN_SECONDS = 4.0  # a card that is dealt although it was found face up is turned down sooner
SAME_PLACE_MM = 25.0
LAID_OPEN = ("community", "dealer.cards")  # where cards may be dealt face up, turned as they are drawn


@dataclass(slots=True)
class Found:
    """A face that showed in the shoe, and where it went, as far as that was seen."""

    t: float
    frame: int
    face: Known[str]
    left: float | None = None  # when the shoe was first seen without it, for good
    shown: ZoneSeen | None = None  # the first look at a hand in which it lay open before it was turned down there
    racked: Arrival | None = None
    dealt: CardStory | None = None
    place: Point = (0.0, 0.0)  # its middle when last seen, mm
    instead: "Found | None" = None  # the face that the look before showed at this place

    def went(self) -> bool:
        """Was it seen to come elsewhere?"""
        return self.racked is not None or self.dealt is not None

    def drawn_open(self) -> bool:
        """Was it turned as it was drawn, to be laid face up as the rules have it?"""
        card = self.dealt
        soon = card is not None and card.placed <= self.t + LAID_DOWN_SECONDS
        return card is not None and soon and card.face_up and card.zone in LAID_OPEN

    def may_be(self, arrival: Arrival) -> bool:
        """May this be its arrival in the rack? Nothing is dealt meanwhile, so what comes there next may."""
        return self.left is not None and self.t < arrival.t <= self.left + CARRY_SECONDS

    def lies_open(self, look: ZoneSeen) -> bool:
        """May it lie there now, to be turned down, if its face shows?"""
        soon = self.left is not None and self.t < look.start <= self.left + LAID_DOWN_SECONDS
        return soon and look.zone.endswith(".cards")


def found_face_up(looks: Iterable[ZoneSeen]) -> list[Found]:
    """The faces that the shoe showed, in order; a face that a hand hid for a while is one."""
    found: dict[str, Found] = {}
    for look in looks:
        if look.zone != SHOE:
            continue
        faces = {card.identity.value: card for card in look.cards if isinstance(card.identity, Known)}
        gone = [card for value, card in found.items() if card.left is None and value not in faces]
        for value, seen in faces.items():
            if value not in found and isinstance(seen.identity, Known):
                found[value] = Found(look.start, look.frame, seen.identity)
                near = (card for card in gone if distance(card.place, center(seen)) <= SAME_PLACE_MM)
                found[value].instead = next(near, None)
            found[value].left, found[value].place = None, center(seen)
        for card in gone:
            card.left = look.start
    return list(found.values())


def laid_down(looks: Iterable[ZoneSeen], found: Sequence[Found]) -> list[ZoneSeen]:
    """The looks without those at a hand in which a found card lies open for a moment, before it is turned down."""
    kept = []
    for look in looks:
        faces = {card.identity.value for card in look.cards if isinstance(card.identity, Known)}
        laid = [card for card in found if card.face.value in faces and card.lies_open(look)]
        for card in laid:
            card.shown = card.shown or look
        if not laid:
            kept.append(look)
    return kept


def follow(found: Iterable[Found], stories: Sequence[CardStory], arrivals: Sequence[Arrival]) -> list[Found]:
    """Where each went: to the hand in which its face shows, else to the rack next. What lay elsewhere was misread.

    `arrivals` are those that no card of the felt accounts for.
    """
    free, kept = list(arrivals), []
    for card in found:
        same = next((story for story in stories if story.face() == card.face.value), None)
        zone = same.zone if same else card.shown.zone if card.shown else None
        if zone is not None:
            card.dealt = _came_next(card.t, zone, same, stories)
        if (same is not None and card.dealt is None) or card.drawn_open() or _over(card.t, stories):
            continue
        kept.append(card)
        if zone is None and (arrival := next(filter(card.may_be, free), None)) is not None:
            free.remove(arrival)
            card.racked = arrival
    return _each_once(kept)


def _over(t: float, stories: Sequence[CardStory]) -> bool:
    """Had the cards of the round all come by then, and begun to leave? A hand then holds cards anywhere."""
    dealt = max((story.placed for story in stories), default=math.inf)
    leaves = min((story.left for story in stories if story.left is not None), default=math.inf)
    return t > max(dealt, leaves)


def _each_once(found: Sequence[Found]) -> list[Found]:
    """One card whose face was read otherwise the next time is one, unless both were seen to come elsewhere."""
    kept: list[Found] = []
    for card in found:
        first = next((other for other in kept if other is card.instead), None)
        if first is None or _went_apart(first, card):
            kept.append(card)
            continue
        first.face = max(first.face, card.face, key=lambda face: face.confidence)
        first.left = card.left
        first.racked, first.dealt = first.racked or card.racked, first.dealt or card.dealt
    return kept


def _went_apart(first: Found, second: Found) -> bool:
    return first.went() and second.went() and (first.dealt is None or first.dealt is not second.dealt)


def _came_next(t: float, zone: str, card: CardStory | None, stories: Iterable[CardStory]) -> CardStory | None:
    """The card as the first of its hand that came after `t`; None if none did.

    Backs of one hand look alike until they are turned up: which of them was this one is not seen there.
    """
    later = [story for story in stories if story.zone == zone and story.placed > t]
    came = min(later, key=lambda story: story.placed, default=None)
    if came is None or card is None:
        return came
    if came is not card:
        card.swap_arrivals(came)
    return card


def found_events(card: Found, name: str, back: int | None) -> Iterator[Event]:
    """How it showed in the shoe and left it."""
    yield CardPlaced(
        t=card.t,
        frame=card.frame,
        card=name,
        zone=SHOE,
        face="up",
        identity=card.face,
        actor="dealer",
        back=back,
        confidence=card.face.confidence,
    )
    if card.racked is not None:
        yield CardMoved(t=card.racked.t, frame=card.racked.frame, card=name, source=SHOE, to="rack", actor="dealer")
    if card.dealt is not None:
        came, t, frame = card.dealt, card.dealt.placed, card.dealt.frame
        if card.shown is not None and card.shown.start < t:
            t, frame = card.shown.start, card.shown.frame
        yield CardMoved(t=t, frame=frame, card=name, source=SHOE, to=came.zone, actor="dealer")
        if not came.face_up:
            yield CardTurned(t=came.placed, card=name, face="down", identity=Unreadable("face down"), actor="dealer")
