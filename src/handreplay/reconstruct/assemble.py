"""One round from all that was seen of it: stories of cards and chips become events, the rack and the round."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckShuffled,
    Event,
    FootageGap,
    RackCard,
    Round,
    StubMoved,
)
from handreplay.core.observations import PictureLost, Tint, ZoneCovered, ZoneSeen, ZoneUncovered
from handreplay.core.readings import SEEN_CONFIDENCE, Known, Reading, Unreadable
from handreplay.reconstruct.card_story import CardStory
from handreplay.reconstruct.covers import covers, long_covers
from handreplay.reconstruct.deal import UNKNOWN, Deal
from handreplay.reconstruct.decks import Decks
from handreplay.reconstruct.found import SHOE, Found, follow, found_events, found_face_up, laid_down
from handreplay.reconstruct.hands import PLACED_CHANGE, STIRRED, TUCK_SECONDS, ZoneCards, by_dealer, tell
from handreplay.reconstruct.rack import (
    CARRY_SECONDS,
    SAME_ARRIVAL_SECONDS,
    Arrival,
    Laid,
    arrivals,
    before_the_deal,
    followed_by,
    laid,
    pick_up,
)
from handreplay.reconstruct.spread import Habit, in_deal_order
from handreplay.reconstruct.turns import in_turn
from handreplay.reconstruct.votes import one_deck
from handreplay.reconstruct.wagers import WagerStory, moves, with_neighbours

LEAD_SECONDS = 0.4  # the round's borders lie this far outside its first and last event
UNREAD_WAGER_SECONDS = 10.0  # no hand rests on a wager for so long: what lies there could not be read
SHUFFLE_LEAD_SECONDS = 1.2  # the shuffle is not seen itself; it ends about this long before the first wager
SINGLY_SECONDS = 6.0  # between the cards of one hand that are picked up one by one
HALTED_SECONDS = 6.0  # a dealer deals on sooner
UNTOLD_SECONDS = 0.5  # closer together, it cannot be told whether chips or a card came first
STEP = 0.001


@dataclass(frozen=True, slots=True)
class TableView:
    """What reconstruction needs to know of the table."""

    table: str
    game: str
    deal: Deal = UNKNOWN
    clock: datetime | None = None  # time of the first picture, in the table's own time zone
    source: Mapping[str, Any] = field(default_factory=dict)
    backs: tuple[Tint, ...] = ()  # of two decks, as the profile has them


@dataclass(slots=True)
class Sightings:
    """All that was seen while one round lasted."""

    looks: list[ZoneSeen] = field(default_factory=list)
    gaps: list[PictureLost] = field(default_factory=list)
    covered: list[ZoneCovered | ZoneUncovered] = field(default_factory=list)
    emptied: float | None = None  # seconds when the rack was emptied before the round
    latest: dict[str, ZoneSeen] = field(default_factory=dict)
    habit: Habit = field(default_factory=Habit)  # of laying hands open, from this and earlier rounds
    decks: Decks = field(default_factory=Decks)  # seen in this and earlier rounds

    def add(self, look: ZoneSeen) -> None:
        self.looks.append(look)
        self.latest[look.zone] = look

    def take_back(self, looks: Sequence[ZoneSeen]) -> None:
        """As it was before those of them that came last in their zones."""
        for look in reversed(looks):
            self.looks.remove(look)
            earlier = next((other for other in reversed(self.looks) if other.zone == look.zone), None)
            if earlier is None:
                self.latest.pop(look.zone, None)
            else:
                self.latest[look.zone] = earlier

    def has_cards(self) -> bool:
        return any(look.cards and look.zone not in ("rack", SHOE) for look in self.looks)

    def has_wagers(self) -> bool:
        return any(look.stacks for look in self.looks)

    def has_chips(self, zone: str) -> bool:
        return zone in self.latest and bool(self.latest[zone].stacks)

    def carried_over(self) -> "Sightings":
        """What the next round starts with: chips that still lie there, and what was learnt."""
        kept = Sightings(habit=self.habit, decks=self.decks)
        for zone, look in self.latest.items():
            if look.stacks and not look.cards:
                kept.add(look)
            elif zone == "rack":
                kept.latest[zone] = look
        return kept


def assemble(seen: Sightings, *, view: TableView, number: int, partial: str | None) -> Round:
    """The round that these sightings show. Times are seconds from the first picture."""
    open_in_shoe = found_face_up(seen.looks)
    looks = laid_down(seen.looks, open_in_shoe)
    stories = _card_stories(looks, seen, view.deal, open_in_shoe)
    names, readings = _identities(stories)
    rack = [look for look in seen.looks if look.zone == "rack"]
    community = [card.placed for card in stories if card.zone == "community" and not view.deal.community_down]
    came = arrivals(rack, community)
    dealt = max((card.placed for card in stories if not card.face_up), default=math.inf)
    _take_singly(stories, came, community, [look for look in looks if look.start > dealt])
    tints = [card.tint for card in stories if card.tint is not None]
    seen.decks.learn(tints, view.backs)
    deck = seen.decks.in_play(tints)
    first = min((card.placed for card in stories), default=math.inf)
    early = [] if view.deal.burns else before_the_deal(rack, first)
    other = [*early, *_unexplained(stories, came)]
    found = {f"f{n:02d}": card for n, card in enumerate(follow(open_in_shoe, stories, other), 1)}
    other = [arrival for arrival in other if all(card.racked is not arrival for card in found.values())]
    _name_dealt(found.values(), names, readings)
    events: list[Event] = []
    for card in stories:
        own = seen.decks.of(card.tint)
        back = deck if own is None else own
        shoe = next((one for one in found.values() if one.dealt is card), None)
        events += _card_events(card, names[id(card)], readings[names[id(card)]], came, back, shoe)
    for name, one in found.items():
        events += found_events(one, name, deck) if one.dealt is None else ()
    cleared = max((card.left for card in stories if card.left is not None), default=math.inf)
    events += _rack_events(laid(other, view.deal, community=community, dealt=dealt, cleared=cleared), view.deal)
    events += _wager_events(seen, stories, view.deal)
    events += _gap_events(seen, stories, view.deal)
    events = _in_order(events)
    if events:
        shuffled = max(events[0].t - SHUFFLE_LEAD_SECONDS, seen.emptied or 0.0, 0.0)
        events.insert(0, DeckShuffled(t=round(shuffled, 3), actor="dealer", back=deck, confidence=0.9))
    readings |= {name: card.face for name, card in found.items()}
    hands = {names[id(card)]: card.zone.removesuffix(".cards") for card in stories} | dict.fromkeys(found, "unused")
    return _numbered(events, readings, hands, view=view, number=number, partial=partial)


def _name_dealt(found: Iterable[Found], names: Mapping[int, str], readings: dict[str, Reading[str]]) -> None:
    """A card that showed in the shoe is known, though its hand is never turned up."""
    for card in found:
        if card.dealt is not None and not isinstance(readings[names[id(card.dealt)]], Known):
            readings[names[id(card.dealt)]] = card.face


def _card_stories(
    looks: Sequence[ZoneSeen], seen: Sightings, deal: Deal, open_in_shoe: Sequence[Found]
) -> list[CardStory]:
    zones = {look.zone: ZoneCards(look.zone, deal=deal) for look in looks if _holds_hand(look.zone)}
    for look in looks:
        seat = look.zone.partition(".")[0]
        home = look.zone if look.zone in zones else f"{seat}.cards"
        if home in zones and look.zone != "rack":
            zones[home].seen.append(look)
    came = arrivals([look for look in looks if look.zone == "rack"])
    came = [arrival for arrival in came if not any(card.may_be(arrival) for card in open_in_shoe)]
    shown = [look for look in looks if look.zone == "community" and look.cards and not deal.community_down]
    community = [look.start for look in shown]
    dealt = _dealt_until(looks, deal, [arrival.t for arrival in came])
    over = min((a.t for a in came if a.t > dealt and not followed_by(a, community)), default=math.inf)
    for zone in zones.values():
        zone.racked, zone.dealt, zone.pick_up = [arrival.t for arrival in came], dealt, over
    for cover in seen.covered:
        if cover.zone in zones and isinstance(cover, ZoneCovered):
            zones[cover.zone].covered.append(cover.start)
        elif cover.zone in zones and isinstance(cover, ZoneUncovered):
            zones[cover.zone].uncovered.append(cover.t)
    told = {name: tell(zones[name]) for name in sorted(zones)}
    if not deal.at_once:
        in_turn({zone: cards for zone, cards in told.items() if zone != "community"})
    in_deal_order(told, seen.habit)
    stories = [card for cards in told.values() for card in cards]
    return sorted(stories, key=lambda card: (card.placed, card.zone))


def _dealt_until(looks: Sequence[ZoneSeen], deal: Deal, racked: Sequence[float]) -> float:
    """When the deal was over at the earliest: when every hand that was seen while no face showed had got its backs.

    A deal that was broken off is over where it halts and then something goes from a hand to the rack.
    """
    visits: dict[str, list[float]] = {}
    shown, last = math.inf, math.inf
    for look in looks:
        if any(card.face_up for card in look.cards):
            shown = look.start
            break
        if look.partly or not look.cards or deal.backs(look.zone) == 0 or not _holds_hand(look.zone):
            continue
        if look.zone not in visits or (look.changed >= PLACED_CHANGE and by_dealer(look)):
            if look.start > last + HALTED_SECONDS and any(-0.3 <= t - look.start <= CARRY_SECONDS for t in racked):
                break
            visits.setdefault(look.zone, []).append(look.start)
            last = look.start
    most = {zone: 1 if deal.at_once else deal.backs(zone) for zone in visits}
    return max((times[: most[zone]][-1] for zone, times in visits.items()), default=shown)


def _holds_hand(zone: str) -> bool:
    return zone.endswith(".cards") or zone == "community"


def _identities(stories: list[CardStory]) -> tuple[dict[int, str], dict[str, Reading[str]]]:
    names = {id(card): f"c{n:02d}" for n, card in enumerate(stories, 1)}
    return names, one_deck({names[id(card)]: card.votes for card in stories})


def _unexplained(stories: Sequence[CardStory], came: Sequence[Arrival]) -> list[Arrival]:
    """Arrivals in the rack, after the first card was dealt, that no card which left the felt accounts for."""
    first = min((card.placed for card in stories), default=math.inf)
    used = {arrival for card in stories if card.left is not None and (arrival := pick_up(card.left, came)[1])}
    return [arrival for arrival in came if arrival.t > first and arrival not in used]


def _take_singly(
    stories: Sequence[CardStory], came: Sequence[Arrival], community: Sequence[float], looks: Sequence[ZoneSeen]
) -> None:
    """A card taken from under another leaves nothing to see but the visit to its zone and what reaches the rack."""
    for arrival in _unexplained(stories, came):
        if followed_by(arrival, community):
            continue
        for look in looks:
            lying = [c for c in stories if c.zone == look.zone and c.placed < look.start and _lies_until(c, arrival.t)]
            visited = arrival.t - CARRY_SECONDS <= look.start <= arrival.t + SAME_ARRIVAL_SECONDS
            stirred = any(card.changed >= STIRRED for card in look.cards)
            if visited and look.dealer_hand >= look.player_hand and stirred and len(lying) > 1:
                lying[0].left = look.start
                break


def _lies_until(card: CardStory, t: float) -> bool:
    """Face down, and taken too a little later."""
    return not card.is_up() and card.left is not None and t < card.left <= t + SINGLY_SECONDS


def _card_events(
    card: CardStory,
    name: str,
    identity: Reading[str],
    came: Sequence[Arrival],
    back: int | None,
    shoe: Found | None,
) -> Iterator[Event]:
    """`shoe`: how it showed in the shoe before it was dealt."""
    hidden: Reading[str] = Unreadable("face down")
    sure = identity.confidence if isinstance(identity, Known) else 1.0
    if shoe is not None:
        yield from found_events(shoe, name, back)
    else:
        yield CardPlaced(
            t=card.placed,
            frame=card.frame,
            card=name,
            zone=card.zone,
            face="up" if card.face_up else "down",
            identity=identity if card.face_up else hidden,
            actor="dealer",
            back=back,
            confidence=min(card.certainty, sure if card.face_up else 1.0),
        )
    for turn in card.turns:
        yield CardTurned(
            t=turn.t,
            frame=turn.frame,
            card=name,
            face=turn.face,
            identity=identity if turn.face == "up" else hidden,
            actor="dealer",
            confidence=sure if turn.face == "up" else 1.0,
        )
    if card.tucked is not None and card.tucked_at is not None:
        yield CardMoved(t=card.tucked_at, card=name, source=card.zone, to=card.tucked, actor="dealer")
    if card.left is not None:
        t, _ = pick_up(card.left, came)
        yield CardMoved(t=t, card=name, source=card.tucked or card.zone, to="rack", actor="dealer")


def _rack_events(rest: Laid, deal: Deal) -> Iterator[Event]:
    """What came to the rack and was no pick-up."""
    for place, arrival in enumerate(rest.burns, 1):
        yield from _into_rack(arrival, f"b{place:02d}")
    if rest.unseen is not None:
        for place in range(1, deal.unseen + 1):
            yield from _into_rack(replace(rest.unseen, shown=None), f"u{place:02d}")
    if rest.stub is not None:
        face = rest.stub.shown.face if rest.stub.face_up and rest.stub.shown else None
        sure = face.confidence if face else 1.0
        yield StubMoved(
            t=rest.stub.t,
            frame=rest.stub.frame,
            actor="dealer",
            to="rack",
            exposed=face is not None,
            confidence=sure,
        )


def _into_rack(arrival: Arrival, name: str) -> Iterator[Event]:
    """A card that goes straight to the rack, and what showed of its face."""
    hidden: Reading[str] = Unreadable("face down")
    shown = arrival.shown
    yield CardPlaced(
        t=arrival.t,
        frame=arrival.frame,
        card=name,
        zone="rack",
        face="up" if arrival.face_up else "down",
        identity=shown.face if shown and arrival.face_up else hidden,
        actor="dealer",
        confidence=shown.face.confidence if shown and arrival.face_up else 0.97,
    )
    if shown and not arrival.face_up:
        yield CardTurned(
            t=shown.t,
            frame=shown.frame,
            card=name,
            face="up",
            identity=shown.face,
            actor="dealer",
            confidence=shown.face.confidence,
        )
    if shown and not math.isinf(shown.down):
        yield CardTurned(t=shown.down, card=name, face="down", identity=hidden, actor="dealer")


def _gap_events(seen: Sightings, stories: Sequence[CardStory], deal: Deal) -> Iterator[FootageGap]:
    """What was not seen: of the whole table, and of single zones for long."""
    for gap in seen.gaps:
        yield FootageGap(t=round(gap.start, 3), until=round(gap.end, 3), camera_moved=gap.camera_moved)
    for cover in long_covers(seen.covered, seen.looks, _dealer_shown(stories, deal)):
        if not _by_tucked_cards(cover, stories, seen.looks):
            yield FootageGap(t=round(cover.start, 3), until=round(cover.end, 3), zone=cover.zone)


def _by_tucked_cards(cover: ZoneCovered, stories: Sequence[CardStory], looks: Sequence[ZoneSeen]) -> bool:
    """Does a hand that was tucked under a wager lie over the empty place of another one beside it?"""
    home = f"{cover.zone.partition('.')[0]}.cards"
    came = [card.tucked_at for card in stories if card.zone == home and card.tucked_at is not None]
    seen = [look for look in looks if look.zone == cover.zone and look.start <= cover.start]
    empty = bool(seen) and not seen[-1].stacks
    return cover.zone != home and empty and any(abs(t - cover.start) <= TUCK_SECONDS for t in came)


def _dealer_shown(stories: Sequence[CardStory], deal: Deal) -> float:
    """When the hand that decides was shown: from then on wagers are settled."""
    settled_by = "community" if deal.community_down else "dealer.cards"
    times = [t for card in stories if card.zone == settled_by and (t := card.shown())]
    return (max if deal.community_down else min)(times, default=math.inf)


def _wager_events(seen: Sightings, stories: list[CardStory], deal: Deal) -> list[Event]:
    zones: dict[str, WagerStory] = {}
    for look in seen.looks:
        if look.zone.startswith("seat") and not look.zone.endswith(".cards"):
            zones.setdefault(look.zone, WagerStory(look.zone)).add(look)
    first = min((card.placed for card in stories), default=math.inf)
    shown = _dealer_shown(stories, deal)
    again = {(mark.zone, mark.t) for mark in seen.covered if isinstance(mark, ZoneUncovered)}  # nothing had changed
    for cover in covers(seen.covered, seen.looks):
        long = cover.end - cover.start >= UNREAD_WAGER_SECONDS
        if long and cover.zone in zones and (cover.zone, cover.end) not in again:
            zones[cover.zone].unread.append(cover.end)
    all_moves = [move for zone in sorted(zones) for move in moves(zones[zone], first_card=first, dealer_shown=shown)]
    return [_in_time(event, first) for event in with_neighbours(all_moves)]


def _in_time(event: ChipsChanged, first_card: float) -> ChipsChanged:
    """A wager seen just as the deal begins went down before it: chips are seen a little after they came to lie."""
    opening = event.actor != "dealer" and isinstance(event.before, Known) and not event.before.value
    if opening and first_card <= event.t < first_card + UNTOLD_SECONDS:
        return replace(event, t=round(first_card - STEP, 3))
    return event


def _in_order(events: list[Event]) -> list[Event]:
    """By time, to the millisecond; things that happened in one picture keep the order of their stories."""
    ordered, last = [], -math.inf
    for event in sorted(events, key=lambda e: e.t):
        t = max(0.0, round(event.t, 3))  # chips may be told to have come before a card of the very first picture
        if t <= last:
            t = round(last + STEP, 3)
        ordered.append(replace(event, t=t, confidence=min(event.confidence, SEEN_CONFIDENCE)))
        last = t
    return ordered


def _numbered(
    events: list[Event],
    readings: Mapping[str, Reading[str]],
    hands: Mapping[str, str],
    *,
    view: TableView,
    number: int,
    partial: str | None,
) -> Round:
    rack = []
    turned = {e.card: e.identity for e in events if isinstance(e, CardTurned) and e.face == "up"}
    for event in events:
        match event:
            case CardPlaced(zone="rack"):
                hand = "unused" if event.card.startswith("u") else "burn"
                rack.append(RackCard(event.card, turned.get(event.card, event.identity), hand))
            case CardMoved(to="rack"):
                rack.append(RackCard(event.card, readings[event.card], hands[event.card]))
    start = max(0.0, events[0].t - LEAD_SECONDS) if events else 0.0
    end = max(e.until if isinstance(e, FootageGap) else e.t for e in events) + LEAD_SECONDS if events else 0.0
    return Round(
        clock_start=_clock(view.clock, start),
        number=number,
        table=view.table,
        game=view.game,
        start=round(start, 3),
        end=round(end, 3),
        events=tuple(events),
        rack=tuple(rack),
        source=dict(view.source),
        partial=partial,
        extra={"read_from": "footage"},
    )


def _clock(first_picture: datetime | None, seconds: float) -> str | None:
    """The time of day `seconds` into the footage, right also over a change of the clocks."""
    if first_picture is None:
        return None
    moment = (first_picture.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(first_picture.tzinfo)
    return moment.isoformat(timespec="milliseconds")
