"""What voids a round, and what else went wrong with the cards before anybody was paid.

Only these void a round: a wrong number of cards, more than one card found face up, a stub count that does not make
52, a dealer's card exposed early, a jammed automated shoe.
"""

import math
from dataclasses import dataclass

from handreplay.core.cards import DECK
from handreplay.core.events import Declared, Event, StubCounted
from handreplay.games.game import EXPOSED_PLAYER_CARD
from handreplay.rules.replay import Replay, Seat
from handreplay.rules.tracks import Card, Showing


@dataclass(frozen=True, slots=True)
class Irregularity:
    """Something that voids the round, from `t` on. `kind` is a code, or a code with when it came.

    Not `certain`: a gap may hide what would make it none.
    """

    kind: str
    t: float
    event: Event | None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Voided:
    """Why the round is void, and which wagers are settled all the same."""

    causes: tuple[Irregularity, ...]
    plays_on: frozenset[str]

    @property
    def t(self) -> float:
        return min(cause.t for cause in self.causes)

    @property
    def certain(self) -> bool:
        return any(cause.certain for cause in self.causes)


def voided(replay: Replay) -> Voided | None:
    """None: the round stands."""
    causes = [*_seen_first(replay), *_exposed(replay)]
    if not causes:
        return None
    playing = [frozenset(replay.game.plays_on.get(cause.kind, ())) for cause in causes]
    return Voided(tuple(causes), frozenset.intersection(*playing))


def _seen_first(replay: Replay) -> list[Irregularity]:
    """What voids the round apart from a dealer's card that showed."""
    return [*_face_up(replay), *_counts(replay), *_stub(replay), *_jam(replay), *_exposed_player_card(replay)]


def stopped_short(replay: Replay) -> bool:
    """Whether the deal was broken off by something else, so that unfinished hands are no fault of their own."""
    return len(replay.found_face_up) > 1 or "shoe_jam" in replay.declared


@dataclass(frozen=True, slots=True)
class WrongCount:
    hand: str
    cards: tuple[Card, ...]
    needed: int
    sure: bool  # not where a card that was not seen may lie under the others


def wrong_counts(replay: Replay) -> tuple[WrongCount, ...]:
    """Hands of players dealt in, and the dealer's, with a wrong number of cards."""
    if not deal_judgeable(replay):
        return ()
    return tuple(
        WrongCount(hand, replay.hand(hand), needed, len(replay.hand(hand)) > needed or not replay.from_footage)
        for hand, needed in _sizes(replay)
        if len(replay.hand(hand)) != needed and not replay.blocked(f"{hand}.cards")
    )


def _sizes(replay: Replay) -> list[tuple[str, int]]:
    """The hands that were dealt and the number of cards that each must have."""
    hands = [f"seat{seat.number}" for seat in replay.dealt_seats]
    if replay.game.dealer_cards:
        hands.append("dealer")
    return [(hand, replay.game.hand_size(hand)) for hand in hands]


def deal_judgeable(replay: Replay) -> bool:
    """Whether the whole deal was seen and came to its end, so that what is missing from it is a fault."""
    seen = replay.cards_seen(replay.before_deal_t, replay.after_deal_t)
    return bool(replay.hole_cards) and seen and not stopped_short(replay) and not _broken_off(replay)


def _broken_off(replay: Replay) -> bool:
    """Whether dealing simply ended: every card right so far, and more than one hand unfinished."""
    seats = tuple(seat.number for seat in replay.seats if seat.qualified)
    order = [hand for hand in replay.game.deal_order(replay.table.dealing, seats) if hand != "community"]
    came = [str(card.hand) for card in replay.hole_cards]
    return came == order[: len(came)] and len(set(order[len(came) :])) > 1


def bad_stub_counts(replay: Replay) -> tuple[tuple[StubCounted, int], ...]:
    """Counts of the stub that do not make 52 with the cards that had left it, each with the number that had."""
    wrong = []
    for count in replay.stub_counts:
        out = sum(card.placed.t <= count.t and not _back_in_shoe(card, count.t) for card in replay.cards.values())
        if count.count + out != len(DECK) and replay.seen(replay.round.start, count.t):
            wrong.append((count, out))
    return tuple(wrong)


def _back_in_shoe(card: Card, t: float) -> bool:
    moved = [move.to for move in card.moves if move.t <= t]
    return (moved[-1] if moved else card.placed.zone) == "shoe"


@dataclass(frozen=True, slots=True)
class Exposure:
    card: Card
    showing: Showing
    undecided: tuple[int, ...]  # seats that still had to decide


def exposed_dealer_card(replay: Replay) -> Exposure | None:
    """The first time that a dealer's card showed while a player still had to decide."""
    if replay.round.partial is not None:
        return None  # who had decided is not known
    asked = [seat for seat in replay.seats if seat.asked]
    last_act = max((seat.decided_t for seat in asked if not math.isinf(seat.decided_t)), default=-math.inf)
    void_t = min((cause.t for cause in _seen_first(replay)), default=math.inf)
    showings = [(s, card) for card in replay.dealer_hidden for s in card.showings if s.start >= card.arrived_t]
    for showing, card in sorted(showings, key=lambda pair: (pair[0].start, pair[1].order)):
        if showing.start > max(void_t, last_act) and not math.isinf(void_t):
            break  # the round is void already, and nobody decides any more
        undecided = [s for s in asked if s.decided_t > showing.start and replay.wagers_lie(s.number, showing.start)]
        if undecided and not _silent_folds(replay, showing.start, undecided):
            return Exposure(card, showing, tuple(seat.number for seat in undecided))
    return None


def perhaps_decided(replay: Replay, exposure: Exposure) -> bool:
    """Whether footage is missing in which the others may have decided."""
    return not replay.seen(replay.deal_end_t, exposure.showing.start)


def _silent_folds(replay: Replay, t: float, undecided: list[Seat]) -> bool:
    """Whether this is the reveal in due course, and players without a later wager have simply folded unseen.

    A fold need not be seen: it shows in what the dealer does with the wagers afterwards, or in that nobody gives them
    back before the cards are racked.
    """
    if t < replay.reveal_t or not replay.game.folds:
        return False
    complete = sum(up <= t for up in replay.community_up) >= replay.game.community_cards
    settled = any(
        step.actor != "player" and step.to != "player" and step.t > replay.shown_t
        for steps in replay.chips.values()
        for step in steps
    )
    left = all(_left_lying(replay, t, seat) for seat in undecided)
    return complete and (settled or left) and all(seat.play_t is None for seat in undecided)


def _left_lying(replay: Replay, t: float, seat: Seat) -> bool:
    """Whether no chips of the seat moved from then until its cards were racked, as they do when a round is void."""
    racked = min((card.racked.t for card in replay.hand(f"seat{seat.number}") if card.racked), default=-math.inf)
    moved = (step.t for (number, _), steps in replay.chips.items() if number == seat.number for step in steps)
    return t < racked and replay.seen(t, racked) and not any(t < when < racked for when in moved)


def _exposed(replay: Replay) -> list[Irregularity]:
    exposure = exposed_dealer_card(replay)
    if exposure is None or perhaps_decided(replay, exposure):
        return []
    certain = replay.seen(replay.before_deal_t, exposure.showing.start)
    return [Irregularity("EX01", exposure.showing.start, exposure.showing.event, certain)]


def _face_up(replay: Replay) -> list[Irregularity]:
    found = surely_found(replay)
    if len(found) < 2:
        return []
    second = found[1]
    whole = all(len(replay.hand(f"seat{s.number}")) == replay.game.hand_cards for s in replay.dealt_seats)
    whole = whole and len(replay.hand("dealer")) == replay.game.dealer_cards and bool(replay.dealt_seats)
    late = whole and found[1].placed.t > replay.deal_end_t
    return [Irregularity("MD03 after the deal" if late else "MD03", second.placed.t, second.placed)]


def _counts(replay: Replay) -> list[Irregularity]:
    wrong = [count for count in wrong_counts(replay) if count.sure]
    if not wrong:
        return []
    last = wrong[0].cards[-1].arrived if wrong[0].cards else None
    return [Irregularity("MD01", replay.deal_end_t, last)]


def _stub(replay: Replay) -> list[Irregularity]:
    return [Irregularity("MD11", count.t, count) for count, _ in bad_stub_counts(replay)[:1]]


def _jam(replay: Replay) -> list[Irregularity]:
    jams = (e for e in replay.round.events if isinstance(e, Declared) and e.what == "shoe_jam")
    return [Irregularity("shoe_jam", jam.t, jam) for jam in list(jams)[:1]]


def _exposed_player_card(replay: Replay) -> list[Irregularity]:
    """Where the house's own rule makes a player's card that shows during the deal void the round."""
    if EXPOSED_PLAYER_CARD.of(replay.table) != "void":
        return []
    first = min(replay.shown_in_deal.values(), key=lambda showing: showing.start, default=None)
    return [Irregularity("exposed_player_card", first.start, first.event)] if first else []


def surely_found(replay: Replay) -> tuple[Card, ...]:
    """The cards found face up. Of pictures those alone that were seen to go: what stays may be a print on the shoe."""
    return tuple(card for card in replay.found_face_up if card.moves or not replay.from_footage)


def used_face_up(replay: Replay) -> tuple[Card, str] | None:
    """The single card found face up and the hand that it went to; None when it went to the rack, or is not alone."""
    if len(replay.found_face_up) != 1:
        return None
    card = replay.found_face_up[0]
    return (card, card.hand) if card.hand is not None else None


def left_out_or_dealt_in(replay: Replay) -> tuple[Seat, ...]:
    """Seats with the wagers but no cards, or with cards but not the wagers."""
    if not deal_judgeable(replay) or not replay.seen(replay.round.start, replay.close_t):
        return ()
    return tuple(seat for seat in replay.seats if seat.dealt_in != seat.qualified)


def first_out_of_order(replay: Replay) -> Card | None:
    """The first card of the deal that came to a hand before its turn."""
    if not deal_judgeable(replay) or wrong_counts(replay) or left_out_or_dealt_in(replay):
        return None
    seats = tuple(seat.number for seat in replay.dealt_seats)
    order = replay.game.deal_order(replay.table.dealing, seats)
    dealt = [card for card in replay.cards.values() if card.hand is not None and not card.unseen]
    if not replay.game.community_with_deal:
        dealt = [card for card in dealt if card.hand != "community"]
    came = sorted(dealt, key=lambda card: (card.arrived_t, card.order))
    return next((card for card, hand in zip(came, order, strict=False) if card.hand != hand), None)
