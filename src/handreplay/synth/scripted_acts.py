"""What hands do for each kind of event: the round log's events, one after another, as acts on a table."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckChanged,
    DeckShuffled,
    Event,
    FootageGap,
    Round,
    StubCounted,
    StubMoved,
)
from handreplay.core.readings import Known
from handreplay.errors import LogError
from handreplay.synth.scripted_layout import STACK_LIMIT, Layout, Point
from handreplay.synth.scripted_stage import Carry, Script, Thing
from handreplay.synth.scripted_timeline import Clockwork, Stop, refuse_unread, together

LEAD_S = 2.0  # before the first round and between two
TAIL_S = 2.5
_LONGEST_WAIT_S = 1.6
_ELSEWHERE_S = 60.0  # rounds farther apart than this are filmed with a hole between them
_GLIMPSE_S = 2.2  # between turning up and down: most of it is the hand's way out and in
_RACK, _SHOE, _TRAY = "rack", "shoe", "tray"


@dataclass
class _Card:
    zone: str
    back: int
    show: str = ""  # the face that is up
    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0


@dataclass
class _Stack:
    key: str
    at: Point
    values: tuple[str, ...]


class Director:
    """Plays rounds in order on one table; `script()` is what came of it, `filmed` the rounds as they were filmed."""

    def __init__(self, layout: Layout, seed: int, pace: float, deck_cards: int = 52) -> None:
        self.filmed: list[Round] = []
        self._layout, self._rng = layout, random.Random(seed)
        self._clock = Clockwork(layout, self._rng, pace)
        self._cards: dict[str, _Card] = {}
        self._wagers: dict[str, list[_Stack]] = {}
        self._banks: dict[str, list[_Stack]] = {}
        self._start: list[Thing] = []
        self._holes: list[tuple[float, float]] = []
        self._deck, self._left, self._deck_cards = 0, deck_cards, deck_cards
        self._on_felt: dict[str, list[str]] = {}  # zone -> the keys of its stacks as they were last put down
        self._before: list[str] = []  # keys of the cards of the round before
        self._made, self._level, self._picked = 0, 0, 0.0

    def play(self, rounds: Sequence[Round], where: str) -> None:
        """Raises LogError for what cannot be filmed, ProfileError for zones that the table does not have."""
        refuse_unread(rounds, where)
        self._set_up(rounds)
        for before, round_ in zip((None, *rounds), rounds, strict=False):
            self._between(before, round_)
            self._play_round(round_, where)

    def script(self) -> Script:
        end = self._clock.now + TAIL_S
        self._clock.finish(end)
        changes = sorted(self._clock.changes, key=lambda change: change.t)
        return Script(
            end, tuple(self._start), changes, self._clock.carries, list(self._clock.ways.values()), self._holes
        )

    def _set_up(self, rounds: Sequence[Round]) -> None:
        """Chips of their own before every player who takes part, and the deck in its place."""
        values = sorted({d for r in rounds for e in r.events if isinstance(e, ChipsChanged) for d in _denominations(e)})
        seats = {e.zone.partition(".")[0] for r in rounds for e in r.events if isinstance(e, ChipsChanged)}
        for seat in sorted(seats & set(self._layout.seats())):
            self._banks[seat] = []
            for _ in range(self._rng.randint(1, 3)):
                self._add_to_bank(seat, (self._rng.choice(values),) * self._rng.randint(2, 7))
            self._start += [_stack_thing(stack) for stack in self._banks[seat]]
        self._start.append(self._shoe_thing())

    def _between(self, before: Round | None, after: Round) -> None:
        """Hands rest between two rounds; what is left on the felt is cleared when the cards are shuffled."""
        clock, idle = self._clock, after.start - (before.end if before is not None else 0.0)
        if before is not None and idle > _ELSEWHERE_S:
            self._holes.append((clock.now + 1.0, clock.now + idle - 1.0))
            clock.now += idle
        else:
            clock.now += LEAD_S
        for zone in sorted(self._wagers):
            seat = zone.partition(".")[0]
            if self._wagers[zone] and before is not None:  # whoever was left with chips takes them now
                gone, _ = self._without(zone, Counter(v for stack in self._wagers[zone] for v in stack.values))
                self._wagers[zone] = []
                self._player_chips(zone, seat, gone, [], 0.1)
        if before is not None and not any(isinstance(event, DeckShuffled) for event in after.events):
            self._fresh_deck([*self._before, "stub", "shoe"], None, 0.2)

    def _play_round(self, round_: Round, where: str) -> None:
        start, events, before = self._clock.now, [], round_.start
        self._cards = {}
        for group in together(round_.events):
            wait = min(_LONGEST_WAIT_S, max(0.0, group[0].t - before))
            before = group[-1].t
            try:
                events += self._film(group, wait)
            except _Impossible as fault:
                raise LogError(f"{where}: round {round_.number} at {group[0].t}: {fault}") from None
        end = self._clock.now + 0.4
        self.filmed.append(replace(round_, start=_ms(start), end=_ms(end), events=tuple(events)))
        self._clock.now = end
        self._before = [_card_key(len(self.filmed) - 1, key) for key in self._cards]

    def _film(self, group: Sequence[Event], wait: float) -> list[Event]:
        first = group[0]
        if isinstance(first, CardTurned):
            filmed: list[Event] = []
            if first.face == "down":
                wait = max(wait, _GLIMPSE_S)
            for part in self._by_zone(group):
                t = self._turn(part, wait)
                filmed += _stamped(part, t)
                wait = 0.0
            return filmed
        if isinstance(first, FootageGap):
            t = self._clock.now = self._clock.now + max(wait, 0.6)
            self._clock.now = t + min(first.until - first.t, 4.0)
            self._holes.append((t, self._clock.now))
            return [replace(first, t=_ms(t), until=_ms(self._clock.now))]
        return _stamped(group, self._act(group, first, wait))

    def _act(self, group: Sequence[Event], first: Event, wait: float) -> float:
        match first:
            case CardPlaced():
                return self._place([event for event in group if isinstance(event, CardPlaced)], wait)
            case CardMoved():
                return self._move([event for event in group if isinstance(event, CardMoved)], wait)
            case ChipsChanged():
                return self._change_chips(first, wait)
            case StubMoved():
                return self._move_stub(first, wait)
            case StubCounted():
                return self._count_stub(wait)
            case DeckShuffled():
                return self._shuffle(first, wait)
            case DeckChanged():
                return self._change_deck(first, wait)
        self._clock.now += max(wait, 0.05)  # declared: nothing to see
        return self._clock.now

    # -- cards

    def _place(self, events: Sequence[CardPlaced], wait: float) -> float:
        zone, arm = events[0].zone, self._arm(events[0], events[0].zone)
        cards: list[tuple[str, _Card]] = []
        for event in events:
            show = event.identity.value if event.face == "up" and isinstance(event.identity, Known) else ""
            card = _Card(zone, self._deck if event.back is None else event.back, show)
            self._cards[event.card] = card
            self._lay_at(event.card, card)
            cards.append((event.card, card))
        self._left -= len(events)
        at = cards[-1][1].x, cards[-1][1].y
        things = [self._card_thing(key, card) for key, card in cards]

        def drop(t: float) -> None:
            self._carry(arm, self._picked, t, things, at)
            self._clock.put(t, [thing.key for thing in things], things)

        stops = [Stop(self._mouth(), 0.16, self._pick), Stop(at, 0.2, drop), self._clear(arm, at)]
        if zone == _SHOE:  # it shows as the one before it leaves the shoe
            stops = [Stop(at, 0.3, lambda t: self._clock.put(t, [], things)), self._clear(arm, at)]
        return self._clock.act(arm, stops, [zone], wait)

    def _lay_at(self, key: str, card: _Card) -> None:
        """Decide where a card comes to lie: face down on the hand's pile, face up in a slot of its own."""
        zone, spot, rng = card.zone, self._layout.spot(card.zone), self._rng
        there = [other for other in self._cards.values() if other.zone == zone]
        number = len(there) - 1 if card in there else len(there)
        sloped = rng.gauss(0, 1.2)
        if zone == _RACK:
            at = spot.at(rng.gauss(0, 1.5), rng.gauss(0, 2.0))
        elif zone == _SHOE:
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

    def _turn(self, events: Sequence[CardTurned], wait: float) -> float:
        zone = self._card(events[0].card).zone
        arm, spot = self._arm(events[0], zone), self._layout.spot(zone)
        hand = [key for key, card in self._cards.items() if card.zone == zone]
        for event in events:
            card = self._card(event.card)
            card.show = event.identity.value if event.face == "up" and isinstance(event.identity, Known) else ""
            if zone.endswith(".cards") and card.show:
                card.x, card.y = self._layout.slot(zone, hand.index(event.card), len(hand))
                card.turn = spot.turn + self._rng.gauss(0, 1.5)
            elif card.show and zone not in (_RACK, _SHOE, "community"):  # tucked: drawn out from under the chips
                card.x, card.y = spot.at(32 * hand.index(event.card) - 16 * (len(hand) - 1), 40)
            elif zone.endswith(".cards"):
                card.x, card.y = spot.at(self._rng.gauss(0, 3), self._rng.gauss(0, 3))
        turned = [event.card for event in events]
        things = [self._card_thing(key, self._card(key)) for key in (turned if zone == _RACK else hand)]
        middle = _mean([(self._card(key).x, self._card(key).y) for key in turned])

        def turn_over(t: float) -> None:
            self._clock.put(t, [thing.key for thing in things], things)

        return self._clock.act(arm, [Stop(middle, 0.55, turn_over), self._clear(arm, middle)], [zone], wait)

    def _move(self, events: Sequence[CardMoved], wait: float) -> float:
        source, to = events[0].source, events[0].to
        arm = self._arm(events[0], to)
        cards = [(event.card, self._card(event.card)) for event in events]
        was = [self._card_thing(key, card) for key, card in cards]
        origin = _mean([(card.x, card.y) for _, card in cards])
        for key, card in cards:
            card.zone = to
            if to == _RACK:
                card.show = ""
            self._lay_moved(key, card)
        things = [self._card_thing(key, card) for key, card in cards]
        target = _mean([(card.x, card.y) for _, card in cards])

        def pick(t: float) -> None:
            self._pick(t)
            self._clock.put(t, [thing.key for thing in was], [])

        def drop(t: float) -> None:
            gathered = [replace(thing, show="") if to == _RACK else thing for thing in things]
            self._carry(arm, self._picked, t, gathered, target)
            self._clock.put(t, [], things)

        stops = [Stop(origin, 0.4, pick), Stop(target, 0.2, drop), self._clear(arm, target)]
        return self._clock.act(arm, stops, [source, to], wait)

    def _lay_moved(self, key: str, card: _Card) -> None:
        wager = card.zone.partition(".")[2]
        if card.zone in (_RACK, _SHOE, "community") or wager == "cards":
            self._lay_at(key, card)
            return
        spot = self._layout.spot(card.zone)  # tucked under the wager, towards the player
        at = spot.at(self._rng.gauss(0, 3), 22 + self._rng.gauss(0, 3))
        card.x, card.y, card.turn, card.show = *at, spot.turn + self._rng.gauss(0, 4), ""

    def _card(self, key: str) -> _Card:
        if key not in self._cards:
            raise _Impossible(f"card {key} has not been placed")
        return self._cards[key]

    def _card_thing(self, key: str, card: _Card) -> Thing:
        self._level += 1
        name = _card_key(len(self.filmed), key)
        return Thing(name, "card", card.x, card.y, card.turn, card.show, card.back, level=self._level)

    def _by_zone(self, group: Sequence[Event]) -> list[list[CardTurned]]:
        parts: list[list[CardTurned]] = []
        for event in group:
            assert isinstance(event, CardTurned)
            if parts and self._card(parts[-1][-1].card).zone == self._card(event.card).zone:
                parts[-1].append(event)
            else:
                parts.append([event])
        return parts

    # -- the deck

    def _mouth(self) -> Point:
        """Where the dealer's hand takes cards from."""
        spot = self._layout.spot(_SHOE)
        return spot.middle[0] - 40, spot.middle[1] + 35

    def _shoe_thing(self) -> Thing:
        spot = self._layout.spot(_SHOE)
        return Thing("shoe", "pack", *spot.middle, spot.turn, back=self._deck, cards=max(1, self._left), level=-1)

    def _move_stub(self, event: StubMoved, wait: float) -> float:
        if event.to != _RACK:
            raise _Impossible(f"a stub that goes to {event.to} cannot be filmed")
        spot, shoe = self._layout.spot(_RACK), self._layout.spot(_SHOE).middle
        self._level += 1
        pack = Thing("stub", "pack", *spot.middle, spot.turn, "", self._deck, (), max(1, self._left), self._level)
        shown = replace(pack, show=self._spare_face()) if event.exposed else pack

        def pick(t: float) -> None:
            self._pick(t)
            self._clock.put(t, ["shoe"], [])

        def drop(t: float) -> None:
            self._carry("dealer", self._picked, t, [shown], spot.middle)
            self._clock.put(t, [], [shown])

        stops = [Stop(shoe, 0.3, pick), Stop(spot.middle, 0.25, drop), self._clear("dealer", spot.middle)]
        t = self._clock.act("dealer", stops, [_RACK, _SHOE], wait)
        if event.exposed:
            turn_over = Stop(spot.middle, 0.5, lambda t: self._clock.put(t, ["stub"], [pack]))
            self._clock.act("dealer", [turn_over, self._clear("dealer", spot.middle)], [_RACK], _GLIMPSE_S)
        return t

    def _spare_face(self) -> str:
        """A face that no card of the round shows: what the stub's outermost card is."""
        shown = {card.show for card in self._cards.values()}
        return next(face for face in ("8c", "3d", "Jh", "9s", "4c", "Qd") if face not in shown)

    def _count_stub(self, wait: float) -> float:
        """Five packets are counted down before the dealer and gathered again."""
        arm, packets = "dealer", [Thing(f"packet {n}", "pack", 170.0 - 85 * n, 435.0, 0, "", self._deck, (), 8, 9 + n)
                                  for n in range(5)]  # fmt: skip
        stops = [Stop(self._layout.spot(_SHOE).middle, 0.3, lambda t: self._clock.put(t, ["shoe"], []))]
        for packet in packets:
            stops.append(Stop((packet.x, packet.y), 0.7, self._putting(packet)))
        stops.append(self._clear(arm, (packets[-1].x, packets[-1].y)))
        self._clock.act(arm, [*stops[:-1], replace(stops[-1], marks=True)], [_SHOE], wait)
        keys, shoe = [packet.key for packet in packets], self._shoe_thing()
        gather = [Stop((packet.x, packet.y), 0.1, self._taking(packet.key)) for packet in packets]
        back = Stop((shoe.x, shoe.y), 0.3, lambda t: self._clock.put(t, keys, [shoe]))
        return self._clock.act(arm, [*gather, back, self._clear(arm, (shoe.x, shoe.y))], [_SHOE], 0.8)

    def _putting(self, thing: Thing) -> Callable[[float], None]:
        return lambda t: self._clock.put(t, [], [thing])

    def _taking(self, key: str) -> Callable[[float], None]:
        return lambda t: self._clock.put(t, [key], [])

    def _shuffle(self, event: DeckShuffled, wait: float) -> float:
        """The cards of the round before go from the rack back to where the dealer deals from."""
        return self._fresh_deck([*self._before, "stub", "shoe"], event.back, wait)

    def _change_deck(self, event: DeckChanged, wait: float) -> float:
        return self._fresh_deck(["shoe"], event.back, wait)

    def _fresh_deck(self, old: Sequence[str], back: int | None, wait: float) -> float:
        self._deck = self._deck if back is None else back
        self._left, rack = self._deck_cards, self._layout.spot(_RACK).middle
        shoe = self._shoe_thing()

        def gather(t: float) -> None:
            self._pick(t)
            self._clock.put(t, old, [])

        def ready(t: float) -> None:
            self._carry("dealer", self._picked, t, [shoe], (shoe.x, shoe.y))
            self._clock.put(t, ["shoe"], [shoe])

        stops = [Stop(rack, 0.3, gather), Stop((shoe.x, shoe.y), 0.3, ready), self._clear("dealer", (shoe.x, shoe.y))]
        return self._clock.act("dealer", stops, [_RACK, _SHOE], wait)

    # -- chips

    def _change_chips(self, event: ChipsChanged, wait: float) -> float:
        after = dict(event.after.value) if isinstance(event.after, Known) else {}
        self._agree(event)
        now = Counter(value for stack in self._wagers.get(event.zone, ()) for value in stack.values)
        more, less = Counter(after) - now, now - Counter(after)
        arm = self._arm(event, event.zone)
        if event.zone.endswith(".envy") or not (more or less):
            return self._pay_by_hand(event, after, arm, wait)
        gone, kept = self._without(event.zone, less)
        laid = self._with(event.zone, kept, more, beside=event.actor != "player")
        if arm in self._layout.seats():
            return self._player_chips(event.zone, arm, gone, laid, wait)
        return self._dealer_chips(event, arm, gone, laid, wait)

    def _agree(self, event: ChipsChanged) -> None:
        """The log's state before must be ours; behind a hole it is what the hole hid."""
        before = dict(event.before.value) if isinstance(event.before, Known) else None
        now = Counter(value for stack in self._wagers.get(event.zone, ()) for value in stack.values)
        if before is None or now == Counter(before) or event.zone.endswith(".envy"):
            return
        if not self._holes:
            raise _Impossible(f"{event.zone} holds {dict(now)}, not {before}")
        old = [stack.key for stack in self._wagers.get(event.zone, ())]
        self._wagers[event.zone] = []
        self._with(event.zone, [], Counter(before), beside=True)
        t = sum(self._holes[-1]) / 2
        self._clock.put(t, old, [_stack_thing(stack) for stack in self._wagers[event.zone]])

    def _pay_by_hand(self, event: ChipsChanged, after: Mapping[str, int], arm: str, wait: float) -> float:
        """An envy payment has no place on the felt: it is put to the player's own chips."""
        seat = event.zone.partition(".")[0]
        if event.actor == "player" or not after:
            self._clock.now += max(wait, 0.05)
            return self._clock.now
        values = _piled(after)
        stack = self._add_to_bank(seat, values)

        def drop(t: float) -> None:
            self._carry(arm, self._picked, t, [_stack_thing(stack)], stack.at)
            self._clock.put(t, [stack.key], [_stack_thing(stack)])

        stops = [Stop(self._at_tray(), 0.25, self._pick), Stop(stack.at, 0.2, drop), self._clear(arm, stack.at)]
        return self._clock.act(arm, stops, [event.zone], wait)

    def _without(self, zone: str, less: Mapping[str, int]) -> tuple[list[Thing], list[_Stack]]:
        """What a hand takes away, lying as it lay, and the stacks that stay."""
        left = Counter(less)
        gone: list[Thing] = []
        kept: list[_Stack] = []
        for stack in reversed(self._wagers.get(zone, [])):
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
        self._wagers[zone] = stacks
        return [stack for stack in stacks if stack.key not in before]

    def _player_chips(self, zone: str, arm: str, gone: Sequence[Thing], laid: Sequence[_Stack], wait: float) -> float:
        """A player's hand brings chips, or takes them away, or both."""
        home = self._clock.ways[arm].home
        at = laid[0].at if laid else (gone[0].x, gone[0].y)
        change = self._swap(zone)
        brought = [_stack_thing(stack) for stack in laid]

        def act(t: float) -> None:
            if brought:
                self._carry(arm, self._picked, t, brought, at)
            self._picked = t
            change(t)

        def take(t: float) -> None:
            if gone:
                self._carry(arm, self._picked, t, gone, at)

        stops = [Stop(home, 0.05, self._pick), Stop(at, 0.32, act), Stop(home, 0.0, take, marks=True)]
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
                self._carry(arm, self._picked, t, brought, at)
            self._picked = t
            change(t)

        def let_go(t: float) -> None:
            self._carry(arm, self._picked, t, gone, at)

        stops = [Stop(tray, 0.25, self._pick)] if laid else []
        stops.append(Stop(at, 0.3, act))
        if gone and event.to == "player" and seat in self._banks:
            cards = self._layout.spot(f"{seat}.cards")  # into the player's hands, over the edge of the felt
            rail = cards.at(self._rng.uniform(-30, 30), cards.half_down + 55)
            stops += [Stop(rail, 0.3, let_go), self._clear(arm, rail)]
        elif gone:
            stops += [Stop(tray, 0.2, let_go, marks=True)]
        else:
            stops.append(self._clear(arm, at))
        return self._clock.act(arm, stops, [event.zone], wait)

    def _swap(self, zone: str) -> Callable[[float], None]:
        """What is there now instead of what was there before; call it when the hand is on it."""
        things = [_stack_thing(stack) for stack in self._wagers[zone]]
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

    # -- hands

    def _arm(self, event: Event, zone: str) -> str:
        seat = zone.partition(".")[0]
        if event.actor == "player" and seat in self._layout.seats():
            return seat
        left = isinstance(event, ChipsChanged | CardTurned) and zone in self._layout.names
        return "dealer's left" if left and self._layout.spot(zone).middle[0] > 330 else "dealer"

    def _clear(self, arm: str, at: Point) -> Stop:
        return Stop(self._clock.away(arm, at), 0.0, None, marks=True)

    def _pick(self, t: float) -> None:
        self._picked = t

    def _carry(self, arm: str, start: float, end: float, things: Sequence[Thing], grip: Point) -> None:
        held = tuple(replace(thing, x=thing.x - grip[0], y=thing.y - grip[1]) for thing in things)
        self._clock.carries.append(Carry(arm, start, end, held))


class _Impossible(Exception):
    """One sentence on what about an event cannot be filmed."""


def _stamped(group: Sequence[Event], t: float) -> list[Event]:
    return [replace(event, t=_ms(t + 0.001 * number)) for number, event in enumerate(group)]


def _ms(t: float) -> float:
    return round(t, 3)


def _card_key(round_number: int, card: str) -> str:
    return f"card {round_number} {card}"


def _mean(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _near(one: Point, other: Point) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) < 30


def _piled(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The larger values at the bottom."""
    return tuple(value for value in sorted(counts, key=float, reverse=True) for _ in range(counts[value]))


def _denominations(event: ChipsChanged) -> tuple[str, ...]:
    return tuple(value for value, _ in event.after.value) if isinstance(event.after, Known) else ()


def _stack_thing(stack: _Stack) -> Thing:
    return Thing(stack.key, "stack", *stack.at, values=stack.values)
