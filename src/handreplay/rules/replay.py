"""A round replayed: what lay where and when, when betting closed, who could decide and when the dealer showed.

Applying an event never fails because the play was illegal. Whether it was is for the rules to say.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    Declared,
    Event,
    FootageGap,
    Round,
    StubCounted,
)
from handreplay.core.money import Cents, Chips, worth
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.games.game import EXPOSED_PLAYER_CARD, Decision, Game
from handreplay.games.table import TableRules
from handreplay.rules.tracks import Card, Showing, card_tracks, chip_tracks, hand_of, seat_of, wager_of

HAIR_S = 1e-7  # far below the millisecond that times are given to
UNREAD_BEFORE_S, UNREAD_AFTER_S = 1.0, 3.0  # a place is read once hands have gone: what a gap cut short is told later
TIMED_WITHIN_S = 0.5  # as near the moments of events come that are read from pictures
NOTICED_WITHIN_S = 1.5  # after a card came to lie, for the dealer's hand may rest over it
REVEAL_PAUSE_S = 4.0  # the dealer turns the cards of one reveal without a longer pause


@dataclass(frozen=True, slots=True)
class Window:
    """When one decision was open: from `start` until before `end`."""

    number: int
    decision: Decision
    start: float
    end: float

    def holds(self, t: float) -> bool:
        return self.start <= t < self.end


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat that had cards or chips."""

    number: int
    dealt_in: bool
    qualified: bool  # had a wager with which it had to be dealt in, when betting closed
    asked: bool
    play_t: float | None  # a later wager went down
    fold_t: float | None  # its cards or a wager that a fold loses went, before it had a later wager

    @property
    def decided_t(self) -> float:
        return min((t for t in (self.play_t, self.fold_t) if t is not None), default=math.inf)


class Replay:
    """One round under one game's rules. Everything is worked out once, when first asked for."""

    def __init__(self, round_: Round, game: Game, table: TableRules) -> None:
        self.round = _in_strict_order(round_)
        self.game = game
        self.table = table
        self.cards = card_tracks(self.round)
        self.chips = chip_tracks(self.round)
        self._mark_unseen()

    # ---- footage

    @property
    def from_footage(self) -> bool:
        """Whether the round was read from pictures, where some things cannot be seen at all."""
        return self.round.extra.get("read_from") == "footage"

    @property
    def triaged(self) -> bool:
        """Whether key pictures alone were looked at in some of it, so that nothing is told, and all is asked."""
        return bool(self.round.extra.get("triage"))

    @property
    def few_pictures(self) -> bool:
        """Whether the footage has so few pictures a second that short moments may lie between them: all is asked."""
        return bool(self.round.extra.get("few_pictures"))

    @cached_property
    def gaps(self) -> tuple[tuple[float, float], ...]:
        """When nothing is known: gaps, and both sides of a round that the footage does not show whole.

        Around missing footage what was read has other times, or was not read: it counts as missing too.
        """
        gaps = [self._unread(gap) for gap in self._holes]
        if self.round.partial is not None:
            gaps += [(-math.inf, self.round.start), (self.round.end, math.inf)]
        return tuple(sorted(gaps))

    @cached_property
    def _holes(self) -> tuple[FootageGap, ...]:
        return tuple(event for event in self.round.events if isinstance(event, FootageGap))

    def _unread(self, gap: FootageGap) -> tuple[float, float]:
        if not self.from_footage or gap.zone is not None:
            return gap.t, gap.until
        return gap.t - UNREAD_BEFORE_S, gap.until + UNREAD_AFTER_S

    def seen(self, start: float, end: float) -> bool:
        """Whether nothing of that time is missing. Of a round without its start or end nothing is sure to be whole."""
        return self._whole(start, end, self._holes)

    def cards_seen(self, start: float, end: float) -> bool:
        """The same of the places of cards: what lay over a wager alone does not count."""
        return self._whole(start, end, (gap for gap in self._holes if not gap.zone or wager_of(gap.zone) is None))

    def _whole(self, start: float, end: float, holes: Iterable[FootageGap]) -> bool:
        spans = map(self._unread, holes)
        return self.round.partial is None and not any(since < end and start < until for since, until in spans)

    def blocked(self, zone: str) -> bool:
        """Whether something lay over the zone for long."""
        return any(gap.zone == zone for gap in self._holes)

    # ---- cards

    @cached_property
    def hands(self) -> dict[str, tuple[Card, ...]]:
        """The cards of each hand in the order in which they came, unseen ones of an automated shoe left out."""
        hands: dict[str, list[Card]] = {}
        dealt = (c for c in self.cards.values() if c.hand is not None and not c.unseen and not self._discarded(c))
        for card in sorted(dealt, key=lambda card: (card.arrived_t, card.order)):
            hands.setdefault(str(card.hand), []).append(card)
        return {hand: tuple(cards) for hand, cards in hands.items()}

    def _discarded(self, card: Card) -> bool:
        """Whether the house's own rule took a player's card that showed out of the hand, and another came for it."""
        if EXPOSED_PLAYER_CARD.of(self.table) != "discarded" or not card.showings or card.racked is None:
            return False
        gone = card.racked.t
        later = (c for c in self.cards.values() if c.hand == card.hand and c.arrived_t > gone)
        return seat_of(str(card.hand)) is not None and any(later)

    @cached_property
    def shown_in_deal(self) -> dict[int, Showing]:
        """By seat, the first time that a card of the player's showed before the deal was done."""
        found: dict[int, Showing] = {}
        for hand, cards in self.hands.items():
            starts = [s for card in cards for s in card.showings if s.start <= self.deal_end_t]
            seat = seat_of(hand)
            if seat is not None and starts:
                found[seat] = min(starts, key=lambda showing: showing.start)
        return found

    @cached_property
    def voided_hands(self) -> dict[int, float]:
        """Seats whose player had the hand voided where the house leaves that choice, with when the card had shown.

        It shows in what happens: the wagers that the hand was dealt in for all go back before the reveal.
        """
        if EXPOSED_PLAYER_CARD.of(self.table) != "players_choice":
            return {}
        return {seat: s.start for seat, s in self.shown_in_deal.items() if self._base_goes_back(seat, s.start)}

    def _base_goes_back(self, seat: int, since: float) -> bool:
        base = [w for w in self.game.wagers if w.role == "base" and self.has_at_close(seat, w.name)]
        needed = [w for w in base if not w.optional] or base
        return bool(needed) and all(self._goes_back(seat, wager.name, since) for wager in needed)

    def _goes_back(self, seat: int, wager: str, since: float) -> bool:
        """Whether the wager's one change after that time is that all of it goes to the player."""
        steps = [step for step in self.chips.get((seat, wager), ()) if step.t > since]
        if len(steps) != 1 or steps[0].t >= self.turned_t:
            return False
        empty = isinstance(steps[0].after, Known) and not steps[0].after.value
        return empty and (steps[0].actor == "player" or steps[0].to == "player")

    def hand(self, name: str) -> tuple[Card, ...]:
        return self.hands.get(name, ())

    @cached_property
    def burns(self) -> tuple[Card, ...]:
        return tuple(card for card in self.cards.values() if card.straight_to_rack and not card.unseen)

    @cached_property
    def found_face_up(self) -> tuple[Card, ...]:
        return tuple(card for card in self.cards.values() if card.found_face_up)

    @cached_property
    def hole_cards(self) -> tuple[Card, ...]:
        """The cards of players and dealer in the order in which they came."""
        cards = (card for hand, held in self.hands.items() if hand != "community" for card in held)
        return tuple(sorted(cards, key=lambda card: (card.arrived_t, card.order)))

    @cached_property
    def community_up(self) -> tuple[float, ...]:
        """When each community card first showed its face, in time order."""
        return tuple(sorted(card.showings[0].start for card in self.hand("community") if card.showings))

    def group_start(self, place: int) -> int:
        """The number of community cards that lay before the group of that place, counted from 0.

        It is the game's own number unless the burn between the groups came sooner, or behind cards too many: ones
        that followed their group at once. After a pause it is the burn that came late.
        """
        first = self.game.burns_before[place]
        board = [card.placed.t for card in self.hand("community")]
        start = self.game.burns_before[place - 1] if place else 0
        if not place or len(board) <= start:
            return first
        burn_t = min((card.placed.t for card in self.burns if card.placed.t > board[start]), default=None)
        if burn_t is None:
            return first
        before = sum(t < burn_t for t in board)
        pauses = [board[number] - board[number - 1] for number in range(first, before)]
        return before if max(pauses, default=0.0) <= burn_t - board[before - 1] else first

    def _mark_unseen(self) -> None:
        """Cards that leave an automated shoe for the rack unseen are no burns and no part of a hand."""
        left = self.game.unseen_in_shoe if self.table.dealing == "automated-shoe" else 0
        named = {entry.card: entry.hand for entry in self.round.rack}
        unshown = [card for card in self.cards.values() if not card.showings and card.racked is not None]
        straight = [c for c in unshown if c.straight_to_rack and named.get(c.name, "unused") == "unused"]
        via_zone = [c for c in unshown if c.hand is not None and seat_of(c.hand) is None and self._surplus(c, named)]
        for card in (*straight, *via_zone)[:left]:
            card.unseen = True

    def _surplus(self, card: Card, named: dict[str, str]) -> bool:
        """Whether the rack's list calls it unused; without such a list, whether the place holds the whole stack."""
        size = self.game.community_cards if card.hand == "community" else self.game.dealer_cards
        held = sum(other.hand == card.hand for other in self.cards.values())
        whole = held == size + self.game.unseen_in_shoe
        return named.get(card.name) == "unused" or (card.name not in named and whole)

    # ---- when

    @cached_property
    def first_card_t(self) -> float:
        return min((card.placed.t for card in self.cards.values()), default=math.inf)

    @cached_property
    def close_t(self) -> float:
        """When betting closed: `no_more_bets`, else the round's first card."""
        declared = (e.t for e in self.round.events if isinstance(e, Declared) and e.what == "no_more_bets")
        return min(next(declared, math.inf), self.first_card_t)

    @cached_property
    def deal_end_t(self) -> float:
        """When the last card of the deal lay: of the hands, and of a community that comes with them.

        In footage a community card that is first noticed when it is turned up lay there before.
        """
        dealt = [card.arrived_t for card in self.hole_cards]
        if self.game.community_with_deal:
            right = [c for c in self.hand("community") if c.placed.face == self.game.community_face]
            dealt += [card.arrived_t for card in (right if self.from_footage else self.hand("community"))]
        return max(dealt, default=math.inf)

    @cached_property
    def before_deal_t(self) -> float:
        """When something else was last seen before the first card of the deal: from then a gap may hide some of it."""
        earlier = [e.t for e in self.round.events if e.t < self.first_card_t and not isinstance(e, FootageGap)]
        return max(earlier, default=self.round.start)

    @cached_property
    def after_deal_t(self) -> float:
        """When something else was seen after the last card of the deal: till then a gap may hide more of it."""
        dealing = FootageGap | CardPlaced | CardMoved
        later = (e.t for e in self.round.events if e.t > self.deal_end_t and not isinstance(e, dealing))
        return next(later, self.round.end)

    @cached_property
    def dealer_hidden(self) -> tuple[Card, ...]:
        """The dealer's cards that must stay down until the players have decided.

        In a pile that came at once the camera does not tell which of its cards was dealt last: one that lay open from
        the start is taken for that one. So it is where one of the others may have come unseen.
        """
        cards = self.hand("dealer")
        if not self.from_footage and self.seen(self.before_deal_t, self.after_deal_t):
            return cards[: self.game.dealer_open_from]
        came_open = [card for card in cards if card.placed.face == "up"]
        by_rule = came_open[: max(0, self.game.dealer_cards - self.game.dealer_open_from)]
        return tuple(card for card in cards if card not in by_rule)[: self.game.dealer_open_from]

    @cached_property
    def shown_t(self) -> float:
        """When the whole dealer's hand lay open (without a dealer's hand: the whole community); infinite if never.

        What is turned up once every wager went back to its player decides nothing and does not count.
        """
        shown = self.turned_t
        seats = {seat for seat, _ in self.chips}
        if math.isinf(shown) or any(self.wagers_lie(seat, shown) for seat in seats):
            return shown
        return shown if self._settled_before(shown) or self.last_withdrawn is not None else math.inf

    def _settled_before(self, t: float) -> bool:
        """Whether the dealer paid or took a wager after the deal and before that time, other than for a fold."""
        return any(
            self.deal_end_t <= step.t < t
            and step.actor == "dealer"
            and step.to != "player"
            and not (self._decides(seat) and self._forfeitable(step, seat))
            for (seat, name), steps in self.chips.items()
            if name in self._on_felt
            for step in steps
        )

    @cached_property
    def last_withdrawn(self) -> ChipsChanged | None:
        """The step by which a player took the only wager that was left on the table; None where others went back too.

        Bets that players may take back, and forfeits of folds, are not counted.
        """
        gone = [
            step
            for (seat, name), steps in self.chips.items()
            if name in self._on_felt
            for step in steps
            if self.deal_end_t <= step.t < self.turned_t
            and step.after == Known((), step.after.confidence if isinstance(step.after, Known) else 1.0)
            and not (step.actor == "dealer" and step.to != "player")
            and not self._by_right(step.t, name)
        ]
        seats = {seat for seat, _ in self.chips}
        alone = len(gone) == 1 and gone[0].actor == "player"
        return gone[0] if alone and not any(self.wagers_lie(seat, gone[0].t) for seat in seats) else None

    def _by_right(self, t: float, wager: str) -> bool:
        at = self.game.wager(wager).take_back_at
        return at is not None and self._turned_by(t) == self.game.decisions[at].after_community

    def _turned_by(self, t: float) -> int:
        return sum(up <= t for up in self.community_up)

    @cached_property
    def _on_felt(self) -> frozenset[str]:
        """The wagers whose chips lie on the table; a Progressive's are in the tray."""
        return frozenset(wager.name for wager in self.game.wagers if wager.role != "progressive")

    @cached_property
    def turned_t(self) -> float:
        """When the deciding hand was first open as a whole, whatever lay on the table; infinite if never."""
        if not self.game.dealer_cards:
            needed = self.game.community_cards
            return self.community_up[needed - 1] if len(self.community_up) >= needed else math.inf
        cards = self.hand("dealer")
        if self.from_footage:
            shown = [card for card in cards if card.showings]
            cards = tuple(shown) if 2 * len(shown) > len(cards) else cards  # one of a hand laid open may not be read
        starts = sorted(showing.start for card in cards for showing in card.showings)
        return next((t for t in starts if all(card.up_at(t) for card in cards)), math.inf)

    def wagers_lie(self, seat: int, t: float) -> bool:
        """Whether chips of the seat lay on the table at that time, or a stack that could not be read."""
        for (number, name), steps in self.chips.items():
            if number != seat or name not in self._on_felt:
                continue
            before = [step for step in steps if step.t <= t]
            reading = before[-1].after if before else steps[0].before
            if not isinstance(reading, Known) or reading.value:
                return True
        return False

    @cached_property
    def reveal_t(self) -> float:
        """When the turning began that ended with the whole dealer's hand open; infinite if it never was."""
        if math.isinf(self.shown_t) or not self.game.dealer_cards:
            return self.shown_t
        names = {card.name for card in self.dealer_hidden}
        start = self.shown_t
        for event in reversed([e for e in self.round.events if e.t <= self.shown_t]):
            if isinstance(event, CardTurned) and event.card in names and event.face == "up":
                if start - event.t > REVEAL_PAUSE_S:
                    break
                start = event.t
            elif _touches_table(event) and event.t < start:
                break
        return start

    @cached_property
    def settle_t(self) -> float:
        """From when wagers may be settled: the dealer's hand is shown, or every player has folded."""
        if not math.isinf(self.shown_t):
            return self.shown_t
        asked = [seat for seat in self.seats if seat.asked]
        if self.game.folds and asked and all(s.fold_t is not None and s.play_t is None for s in asked):
            return max(s.decided_t for s in asked)
        return math.inf

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """The decisions that were open, in order."""
        found = []
        for number, decision in enumerate(self.game.decisions):
            needed = decision.after_community
            if needed in self.game.burns_before:
                needed = self.group_start(self.game.burns_before.index(needed))
            if needed > len(self.community_up):
                continue
            start = self.community_up[needed - 1] if needed else self.deal_end_t
            closers: list[float] = []
            if decision is not self.game.decisions[-1] or self.game.community_with_deal:
                closers += self.community_up[needed:]
                closers += [card.placed.t for card in self.burns if card.placed.t > start and self.game.burns_before]
            end = min([*closers, self.reveal_t if self.game.dealer_cards else math.inf], default=math.inf)
            if start < end and not math.isinf(start):
                found.append(Window(number, decision, start, end))
        return tuple(found)

    def window_at(self, t: float) -> Window | None:
        """The decision that was open; in footage, whose moments are read from pictures, also one that nearly was."""
        held = next((window for window in reversed(self.windows) if window.holds(t)), None)
        if held is not None or not self.from_footage:
            return held
        return next((one for one in self.windows if one.start - NOTICED_WITHIN_S <= t < one.end + TIMED_WITHIN_S), None)

    # ---- seats

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        numbers = {seat for seat, _ in self.chips}
        numbers |= {number for hand in self.hands if (number := seat_of(hand)) is not None}
        return tuple(self._seat(number) for number in sorted(numbers))

    def seat(self, number: int) -> Seat:
        return next(seat for seat in self.seats if seat.number == number)

    @cached_property
    def dealt_seats(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if seat.dealt_in)

    def lies_at_close(self, seat: int, wager: str) -> Reading[Cents]:
        """What lay in the zone when betting closed, a Progressive that the dealer had taken by then included."""
        steps = self.chips.get((seat, wager), ())
        progressive = wager not in self._on_felt and wager != "envy"
        before = [s for s in steps if s.t < self.close_t and not (progressive and s.actor == "dealer")]
        if before:
            return _cents(before[-1].after)
        if steps and not (progressive and steps[0].actor == "dealer"):
            return _cents(steps[0].before)
        return _cents(steps[0].before) if steps else Known(0, 1.0)

    def has_at_close(self, seat: int, wager: str) -> bool:
        reading = self.lies_at_close(seat, wager)
        return not isinstance(reading, Known) or reading.value > 0

    def _decides(self, seat: int) -> bool:
        """Whether the seat has the wager with which players decide."""
        return self.game.asked_with is None or self.has_at_close(seat, self.game.asked_with)

    def _seat(self, number: int) -> Seat:
        dealt = bool(self.hand(f"seat{number}"))
        had = {wager.name for wager in self.game.wagers if self.has_at_close(number, wager.name)}
        qualified = any(needed <= had for needed in self.game.qualifying)
        asked = dealt and bool(had) and self._decides(number) and number not in self.voided_hands
        play = self._play_t(number) if asked else None
        return Seat(number, dealt, qualified, asked, play, self._fold_t(number) if asked and play is None else None)

    def _play_t(self, seat: int) -> float | None:
        if self.game.later is None:
            return None
        for step in self.chips.get((seat, self.game.later), ()):
            if step.actor != "dealer" and _rises(step):
                return step.t
            if isinstance(step.before, Known) and step.before.value:
                return min(step.t, self.deal_end_t)  # it went down unseen
        return None

    def _fold_t(self, seat: int) -> float | None:
        """When the seat was seen to fold: its cards went, or the dealer took a wager that a fold loses."""
        if not self.game.folds:
            return None
        times = []
        for event in self.round.events:
            if event.t >= self.shown_t:
                break
            left = isinstance(event, Declared) and event.what == "player_left" and event.seat == seat
            if left or (isinstance(event, CardMoved) and hand_of(event.source) == f"seat{seat}"):
                times.append(event.t)
            elif isinstance(event, ChipsChanged) and event.t >= self.deal_end_t and self._forfeitable(event, seat):
                if event.actor != "player" and event.to != "player":
                    times.append(event.t)
                elif isinstance(event.after, Known) and not event.after.value:
                    break  # the wager went back to the player: what follows is no fold
        return min(times, default=None)

    def _forfeitable(self, event: ChipsChanged, seat: int) -> bool:
        """Whether chips leave a wager of the seat that a fold loses."""
        place = wager_of(event.zone)
        if place is None or place[0] != seat or (_rises(event) and event.to is None):
            return False
        wager = next((wager for wager in self.game.wagers if wager.name == place[1]), None)
        return wager is not None and wager.lost_by_fold and wager.role == "base"

    # ---- what was counted or declared

    @cached_property
    def declared(self) -> frozenset[str]:
        return frozenset(e.what for e in self.round.events if isinstance(e, Declared))

    @cached_property
    def stub_counts(self) -> tuple[StubCounted, ...]:
        return tuple(e for e in self.round.events if isinstance(e, StubCounted))

    @cached_property
    def boxes(self) -> tuple[frozenset[int], ...] | None:
        """The seats that each player holds, by the log's own `players`: [[1, 2], [4]]; None where it does not say."""
        told = self.round.extra.get("players")
        if not isinstance(told, list) or not all(isinstance(held, list) for held in told):
            return None
        return tuple(frozenset(seat for seat in held if isinstance(seat, int)) for held in told)

    def one_player(self, seat: int, other: int) -> bool:
        """Whether one player is known to hold both boxes."""
        return seat == other or any({seat, other} <= held for held in self.boxes or ())

    def meter_cents(self, t: float) -> Cents | None:
        """The progressive meter as last declared by then; else as first declared."""
        by_then = [meter.cents for meter in self._meters if meter.t <= t]
        return by_then[-1] if by_then else (self._meters[0].cents if self._meters else None)

    @cached_property
    def _meters(self) -> tuple[Declared, ...]:
        return tuple(e for e in self.round.events if isinstance(e, Declared) and e.what == "progressive_meter")


def _cents(reading: Reading[Chips]) -> Reading[Cents]:
    if isinstance(reading, Known):
        return Known(worth(reading.value), reading.confidence)
    return Unreadable(reading.reason, tuple((worth(pile), chance) for pile, chance in reading.candidates))


def _rises(step: ChipsChanged) -> bool:
    if isinstance(step.before, Known) and isinstance(step.after, Known):
        return worth(step.after.value) > worth(step.before.value)
    return not isinstance(step.after, Known)


def _in_strict_order(round_: Round) -> Round:
    """Events of the same moment keep the log's order: each is set a hair after the one above it."""
    times = [event.t for event in round_.events]
    if all(one < other for one, other in pairwise(times)):
        return round_
    events = tuple(replace(e, t=e.t + place * HAIR_S) for place, e in enumerate(round_.events))
    return replace(round_, events=events)


def _touches_table(event: Event) -> bool:
    return not isinstance(event, Declared | FootageGap | StubCounted)
