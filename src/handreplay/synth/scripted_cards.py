"""Cards and the deck on a scripted table: where they lie, and how the dealer's hands deal, turn and gather them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from handreplay.core.cards import DECK
from handreplay.core.events import CardMoved, CardPlaced, CardTurned, DeckChanged, DeckShuffled, Round, StubMoved
from handreplay.core.readings import Known
from handreplay.synth.scripted_layout import Layout, Point
from handreplay.synth.scripted_stage import Thing
from handreplay.synth.scripted_timeline import GLIMPSE_S, Clockwork, Stop, Unfilmable

RACK, SHOE = "rack", "shoe"


@dataclass
class _Card:
    zone: str
    back: int
    show: str = ""  # the face that is up
    glaring: bool = False
    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0


class Cards:
    """The round's cards, the deck and the rack. Acts return the event's time."""

    def __init__(self, layout: Layout, clock: Clockwork, rng: random.Random, deck_cards: int) -> None:
        self._layout, self._clock, self._rng = layout, clock, rng
        self._there: dict[str, _Card] = {}
        self._before: dict[str, _Card] = {}  # of the round before, until they are shuffled
        self._deck, self._left, self._deck_cards = 0, deck_cards, deck_cards
        self._round, self._level = -1, 0
        self._shown: set[str] = set()  # every face that the round shows

    def new_round(self, round_: Round) -> None:
        """What the round before has left is old; it stays until the cards are shuffled."""
        faces = [event.identity for event in round_.events if isinstance(event, CardPlaced | CardTurned)]
        self._shown = {face.value for face in faces if isinstance(face, Known)}
        self._before, self._there = self._there, {}
        self._round += 1

    def _key(self, card: str) -> str:
        return f"card {self._round} {card}"

    def _key_before(self, card: str) -> str:
        return f"card {self._round - 1} {card}"

    def place(self, events: Sequence[CardPlaced], wait: float) -> float:
        zone, arm = events[0].zone, self._clock.arm_of(events[0], events[0].zone)
        cards: list[tuple[str, _Card]] = []
        for event in events:
            card = _Card(zone, self._deck if event.back is None else event.back)
            self._show(card, event)
            self._there[event.card] = card
            self._lay_at(event.card, card)
            cards.append((event.card, card))
        self._left -= len(events)
        at = cards[-1][1].x, cards[-1][1].y
        things = [self._card_thing(key, card) for key, card in cards]

        def drop(t: float) -> None:
            self._clock.carry(arm, t, things, at)
            self._clock.put(t, [thing.key for thing in things], things)

        stops = [Stop(self._mouth(), 0.16, self._clock.pick), Stop(at, 0.2, drop), self._clock.clear(arm, at)]
        if zone == SHOE:  # it shows as the one before it leaves the shoe
            stops = [Stop(at, 0.3, lambda t: self._clock.put(t, [], things)), self._clock.clear(arm, at)]
        return self._clock.act(arm, stops, [zone], wait)

    def _lay_at(self, key: str, card: _Card) -> None:
        """Decide where a card comes to lie: face down on the hand's pile, face up in a slot of its own."""
        zone, spot, rng = card.zone, self._layout.spot(card.zone), self._rng
        there = [other for other in self._there.values() if other.zone == zone]
        number = len(there) - 1 if card in there else len(there)
        sloped = rng.gauss(0, 1.2)
        if zone == RACK:
            at = spot.at(rng.gauss(0, 1.5), rng.gauss(0, 2.0))
        elif zone == SHOE:
            at = spot.at(rng.gauss(0, 2.0), rng.gauss(0, 2.0))
        elif zone == "community":
            places = self._layout.community_places
            at = self._layout.slot(zone, min(number, places - 1), places)
            if number >= places:  # no place is left: half over the last card
                at = spot.at(spot.half_right - 40 + 14 * (number - places), 6)
        elif card.show:
            at = self._layout.slot(zone, number, max(number + 1, 2))
            at = spot.at(min(spot.half_right - 36, 70.0), 0) if number > 2 else at
        else:
            at = spot.at(9.0 * (number - 0.5) + rng.gauss(0, 2.5), rng.gauss(0, 2.5))
            sloped = rng.gauss(0, 2.5)
        card.x, card.y, card.turn = *at, spot.turn + sloped

    def turn(self, events: Sequence[CardTurned], wait: float) -> float:
        zone = self.card(events[0].card).zone
        arm, spot = self._clock.arm_of(events[0], zone), self._layout.spot(zone)
        hand = [key for key, card in self._there.items() if card.zone == zone]
        for event in events:
            card = self.card(event.card)
            self._show(card, event)
            if zone.endswith(".cards") and card.show:
                card.x, card.y = self._layout.slot(zone, hand.index(event.card), len(hand))
                card.turn = spot.turn + self._rng.gauss(0, 1.5)
            elif card.show and zone not in (RACK, SHOE, "community"):  # tucked: drawn out from under the chips
                card.x, card.y = spot.at(32 * hand.index(event.card) - 16 * (len(hand) - 1), 40)
            elif zone.endswith(".cards"):
                card.x, card.y = spot.at(self._rng.gauss(0, 3), self._rng.gauss(0, 3))
        turned = [event.card for event in events]
        things = [self._card_thing(key, self.card(key)) for key in (turned if zone == RACK else hand)]
        middle = _mean([(self.card(key).x, self.card(key).y) for key in turned])

        def turn_over(t: float) -> None:
            self._clock.put(t, [thing.key for thing in things], things)

        return self._clock.act(arm, [Stop(middle, 0.55, turn_over), self._clock.clear(arm, middle)], [zone], wait)

    def move(self, events: Sequence[CardMoved], wait: float) -> float:
        source, to = events[0].source, events[0].to
        arm = self._clock.arm_of(events[0], to)
        cards = [(event.card, self.card(event.card)) for event in events]
        was = [self._card_thing(key, card) for key, card in cards]
        origin = _mean([(card.x, card.y) for _, card in cards])
        for key, card in cards:
            card.zone = to
            if to == RACK:
                card.show, card.glaring = "", False
            self._lay_moved(key, card)
        things = [self._card_thing(key, card) for key, card in cards]
        target = _mean([(card.x, card.y) for _, card in cards])

        def pick(t: float) -> None:
            self._clock.pick(t)
            self._clock.put(t, [thing.key for thing in was], [])

        def drop(t: float) -> None:
            gathered = [replace(thing, show="") if to == RACK else thing for thing in things]
            self._clock.carry(arm, t, gathered, target)
            self._clock.put(t, [], things)

        stops = [Stop(origin, 0.4, pick), Stop(target, 0.2, drop), self._clock.clear(arm, target)]
        return self._clock.act(arm, stops, [source, to], wait)

    def _lay_moved(self, key: str, card: _Card) -> None:
        wager = card.zone.partition(".")[2]
        if card.zone in (RACK, SHOE, "community") or wager == "cards":
            self._lay_at(key, card)
            return
        spot = self._layout.spot(card.zone)  # tucked under the wager, towards the player
        at = spot.at(self._rng.gauss(0, 3), 22 + self._rng.gauss(0, 3))
        card.x, card.y, card.turn, card.show = *at, spot.turn + self._rng.gauss(0, 4), ""

    def by_zone(self, events: Sequence[CardTurned]) -> list[list[CardTurned]]:
        """Cards that are turned one after another, by where they lie."""
        parts: list[list[CardTurned]] = []
        for event in events:
            if parts and self.card(parts[-1][-1].card).zone == self.card(event.card).zone:
                parts[-1].append(event)
            else:
                parts.append([event])
        return parts

    def card(self, key: str) -> _Card:
        if key not in self._there:
            raise Unfilmable(f"card {key} has not been placed")
        return self._there[key]

    def _card_thing(self, key: str, card: _Card) -> Thing:
        self._level += 1
        name = self._key(key)
        return Thing(
            name, "card", card.x, card.y, card.turn, card.show, card.back, level=self._level, glaring=card.glaring
        )

    def _mouth(self) -> Point:
        """Where the dealer's hand takes cards from."""
        spot = self._layout.spot(SHOE)
        return spot.middle[0] - 40, spot.middle[1] + 35

    def shoe_thing(self) -> Thing:
        spot = self._layout.spot(SHOE)
        return Thing("shoe", "pack", *spot.middle, spot.turn, back=self._deck, cards=max(1, self._left), level=-1)

    def move_stub(self, event: StubMoved, wait: float) -> float:
        if event.to != RACK:
            raise Unfilmable(f"a stub that goes to {event.to} cannot be filmed")
        spot, shoe = self._layout.spot(RACK), self._layout.spot(SHOE).middle
        self._level += 1
        pack = Thing("stub", "pack", *spot.middle, spot.turn, "", self._deck, (), max(1, self._left), self._level)
        shown = replace(pack, show=self._spare_face()) if event.exposed else pack

        def pick(t: float) -> None:
            self._clock.pick(t)
            self._clock.put(t, ["shoe"], [])

        def drop(t: float) -> None:
            self._clock.carry("dealer", t, [shown], spot.middle)
            self._clock.put(t, [], [shown])

        stops = [Stop(shoe, 0.3, pick), Stop(spot.middle, 0.25, drop), self._clock.clear("dealer", spot.middle)]
        t = self._clock.act("dealer", stops, [RACK, SHOE], wait)
        if event.exposed:
            turn_over = Stop(spot.middle, 0.5, lambda t: self._clock.put(t, ["stub"], [pack]))
            self._clock.act("dealer", [turn_over, self._clock.clear("dealer", spot.middle)], [RACK], GLIMPSE_S)
        return t

    def _spare_face(self) -> str:
        """A face that no card of the round shows."""
        return self._rng.choice([face for face in DECK if face not in self._shown])

    def _show(self, card: _Card, event: CardPlaced | CardTurned) -> None:
        """Which face is up. One that the log could not read lies under a lamp's reflection."""
        card.show, card.glaring = "", False
        if event.face == "down":
            return
        if isinstance(event.identity, Known):
            card.show = event.identity.value
        else:
            likely = event.identity.candidates
            card.show, card.glaring = likely[0][0] if likely else self._spare_face(), True

    def count_stub(self, wait: float) -> float:
        """Five packets are counted down before the dealer and gathered again."""
        arm, packets = "dealer", [Thing(f"packet {n}", "pack", 170.0 - 85 * n, 435.0, 0, "", self._deck, (), 8, 9 + n)
                                  for n in range(5)]  # fmt: skip
        stops = [Stop(self._layout.spot(SHOE).middle, 0.3, lambda t: self._clock.put(t, ["shoe"], []))]
        for packet in packets:
            stops.append(Stop((packet.x, packet.y), 0.7, self._putting(packet)))
        stops.append(self._clock.clear(arm, (packets[-1].x, packets[-1].y)))
        self._clock.act(arm, [*stops[:-1], replace(stops[-1], marks=True)], [SHOE], wait)
        keys, shoe = [packet.key for packet in packets], self.shoe_thing()
        gather = [Stop((packet.x, packet.y), 0.1, self._taking(packet.key)) for packet in packets]
        back = Stop((shoe.x, shoe.y), 0.3, lambda t: self._clock.put(t, keys, [shoe]))
        return self._clock.act(arm, [*gather, back, self._clock.clear(arm, (shoe.x, shoe.y))], [SHOE], 0.8)

    def _putting(self, thing: Thing) -> Callable[[float], None]:
        return lambda t: self._clock.put(t, [], [thing])

    def _taking(self, key: str) -> Callable[[float], None]:
        return lambda t: self._clock.put(t, [key], [])

    def shuffle(self, event: DeckShuffled | None, wait: float, *, strays: bool = True) -> float:
        """The cards of the round before go back to where the dealer deals from; `strays`: those out of the rack too."""
        gone = [self._key_before(card) for card, lain in self._before.items() if lain.zone == RACK]
        stops = [Stop(self._layout.spot(RACK).middle, 0.3, self._gathering([*gone, "stub"]))]
        for card, lain in self._before.items():
            if strays and lain.zone != RACK:
                stops.append(Stop((lain.x, lain.y), 0.3, self._gathering([self._key_before(card)])))
        self._before = {}
        return self._fresh_deck(stops, event.back if event is not None else None, wait)

    @property
    def unaccounted(self) -> bool:
        """Whether a card of the round lies elsewhere than in the rack."""
        return any(card.zone != RACK for card in self._there.values())

    def change_deck(self, event: DeckChanged, wait: float) -> float:
        shoe, home = self._layout.spot(SHOE).middle, self._clock.ways["dealer"].home
        stops = [Stop(shoe, 0.3, self._gathering(["shoe"])), Stop(home, 0.5, self._clock.pick)]
        return self._fresh_deck(stops, event.back, wait)

    def _gathering(self, keys: Sequence[str]) -> Callable[[float], None]:
        def gather(t: float) -> None:
            self._clock.pick(t)
            self._clock.put(t, keys, [])

        return gather

    def _fresh_deck(self, stops: Sequence[Stop], back: int | None, wait: float) -> float:
        """After `stops` the dealer brings a whole deck to where cards are dealt from."""
        self._deck, self._left = self._deck if back is None else back, self._deck_cards
        shoe = self.shoe_thing()
        at = (shoe.x, shoe.y)

        def ready(t: float) -> None:
            self._clock.carry("dealer", t, [shoe], at)
            self._clock.put(t, ["shoe"], [shoe])

        stops = [*stops, Stop(at, 0.3, ready), self._clock.clear("dealer", at)]
        return self._clock.act("dealer", stops, [RACK, SHOE], wait)


def _mean(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
