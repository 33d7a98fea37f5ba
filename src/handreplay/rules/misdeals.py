"""MD: the deal, the burns, the community cards, the deck, and what became of a round that was void."""

from collections.abc import Iterator
from itertools import combinations

from handreplay.core.events import CardTurned, ChipsChanged, DeckShuffled
from handreplay.core.findings import Finding, Status
from handreplay.core.money import Cents, usd
from handreplay.core.readings import Known
from handreplay.rules.case import Case, place_name
from handreplay.rules.history import dealt_back
from handreplay.rules.irregularities import (
    bad_stub_counts,
    deal_judgeable,
    first_out_of_order,
    left_out_or_dealt_in,
    stopped_short,
    surely_found,
    used_face_up,
    wrong_counts,
)
from handreplay.rules.replay import Replay
from handreplay.rules.tracks import Card, seat_of

UNNOTICED_S = 2.5  # after the deal a card that is first seen face up was turned, not dealt
BOTH_AT_ONCE_S = 1.0
WHOSE_HAND_UNSEEN = 0.9
DECK_HOURS = {"hand": 4, "manual-shoe": 8, "automated-shoe": 8}


def handled(case: Case) -> str:
    """How the void round was handled, to end a message with."""
    return "and the round was settled all the same" if case.settlement.played_on else "and the procedure was followed"


def card_count(case: Case) -> Iterator[Finding]:
    """MD01: every player dealt in, and the dealer, gets the game's number of cards."""
    for wrong in wrong_counts(case.replay):
        place, number = place_name(wrong.hand).capitalize(), len(wrong.cards)
        text = f"{place} was dealt {number} cards instead of {wrong.needed}, {handled(case)}."
        if not wrong.sure:
            text = f"{place}: {number} of {wrong.needed} cards were seen; the rest were never dealt, or lay under them."
        last = wrong.cards[-1].arrived if wrong.cards else None
        confidence = min((card.placed.confidence for card in wrong.cards), default=1.0)
        status: Status | None = None if wrong.sure else "review"
        yield case.finding("MD01", last, text, seat=seat_of(wrong.hand), confidence=confidence, status=status)


def face_up_card_used(case: Case) -> Iterator[Finding]:
    """MD02: a single card found face up goes to the rack unused."""
    used = used_face_up(case.replay)
    if used is not None:
        card, hand = used
        name = card.known or "a card"
        yield case.finding("MD02", card.arrived, f"{name}, found face up, was dealt to {place_name(hand)}.")
    elif [card.moves for card in case.replay.found_face_up] == [[]]:
        card = case.replay.found_face_up[0]
        text = f"{card.known or 'A card'} was found face up; whether it went to the rack unused was not seen."
        yield case.finding("MD02", card.placed, text, status="review")


def face_up_cards(case: Case) -> Iterator[Finding]:
    """MD03: more than one card found face up voids the round."""
    found = case.replay.found_face_up
    if len(found) > 1:
        names = " and ".join(card.known or "an unread card" for card in found)
        confidence = min(card.placed.confidence for card in found)
        sure = len(surely_found(case.replay)) > 1
        rest = handled(case) if sure else "and were not all seen to leave the shoe"
        text = f"{len(found)} cards were found face up ({names}), {rest}."
        doubtful: Status | None = None if sure else "review"
        yield case.finding("MD03", found[1].placed, text, confidence=confidence, status=doubtful)


def deal_order(case: Case) -> Iterator[Finding]:
    """MD04: ascending seats, then the dealer, one card at a time or whole stacks."""
    card = first_out_of_order(case.replay)
    if card is not None:
        hand = str(card.hand)
        text = f"A card came to {place_name(hand)} before its turn."
        doubtful: Status | None = "review" if case.replay.from_footage else None  # one deal covers another's place
        yield case.finding("MD04", card.arrived, text, seat=seat_of(hand), status=doubtful)


def hand_without_wager(case: Case) -> Iterator[Finding]:
    """MD05: seats with the qualifying wagers are dealt in, others are not."""
    for seat in left_out_or_dealt_in(case.replay):
        cards = case.replay.hand(f"seat{seat.number}")
        if cards:
            text = f"Seat {seat.number} was dealt in without the wagers that this takes."
            yield case.finding("MD05", cards[0].arrived, text, seat=seat.number)
        elif case.replay.dealt_seats:
            text = f"Seat {seat.number} had its wagers down and was not dealt in."
            unread: Status | None = "review" if case.replay.blocked(f"seat{seat.number}.cards") else None
            yield case.finding("MD05", None, text, seat=seat.number, t=case.replay.deal_end_t, status=unread)


def burn(case: Case) -> Iterator[Finding]:
    """MD06: one burn before each of the game's places, none elsewhere.

    A camera sees a burn for a moment, under a hand, and the stub looks like one: from footage it is a question.
    """
    replay = case.replay
    doubtful: Status | None = "review" if replay.from_footage else None
    judgeable = deal_judgeable(replay) and replay.cards_seen(replay.round.start, _board_end(case))
    if not replay.game.burns_before:
        if replay.burns and (judgeable or doubtful):
            yield case.finding(
                "MD06", replay.burns[0].placed, "A card was burned in a game that has no burns.", status=doubtful
            )
        return
    if not judgeable:
        return
    board = replay.hand("community")
    if replay.from_footage and not replay.burns and board:
        yield case.finding("MD06", board[0].placed, "No burn was seen in the whole round.", status=doubtful)
        return
    since = float("-inf")
    missing = False
    for place in range(len(replay.game.burns_before)):
        first = replay.group_start(place)
        if len(board) <= first:
            return
        burned = [card for card in replay.burns if since < card.placed.t < board[first].placed.t]
        since = board[first].placed.t
        if len(burned) != 1:
            text = f"{len(burned) or 'No'} cards were burned before community card {first + 1} instead of one."
            event = burned[1].placed if len(burned) > 1 else board[first].placed
            missing = missing or not burned
            yield case.finding("MD06", event, text, status=doubtful)
    after = [card for card in replay.burns if card.placed.t > since]
    if after and not missing:  # else it is the missing one, come late
        text = "A card was burned after the last place that calls for one."
        yield case.finding("MD06", after[0].placed, text, status=doubtful)


def community(case: Case) -> Iterator[Finding]:
    """MD07: the right number of community cards, the right way up, at the right time."""
    replay = case.replay
    if (
        not replay.game.community_cards
        or stopped_short(replay)
        or not replay.cards_seen(replay.round.start, _board_end(case))
    ):
        return
    board = replay.hand("community")
    yield from _community_number(case, board)
    wrong_way = [card for card in board if card.placed.face != replay.game.community_face]
    if wrong_way:
        text = f"A community card was dealt face {wrong_way[0].placed.face} instead of {replay.game.community_face}."
        doubtful: Status | None = "review" if _came_with_play(replay, wrong_way[0]) else None
        yield case.finding("MD07", wrong_way[0].placed, text, status=doubtful)
        return
    yield from _community_early(case, board)


def _came_with_play(replay: Replay, card: Card) -> bool:
    """Whether a card of the deal was first seen when play was on: turned then, and its back had not been noticed."""
    if not replay.from_footage or not replay.game.community_with_deal:
        return False
    end, seen = replay.deal_end_t, card.placed.t
    played = any(end < event.t < seen for event in replay.round.events if isinstance(event, ChipsChanged | CardTurned))
    return played or seen > end + UNNOTICED_S


def _community_number(case: Case, board: tuple[Card, ...]) -> Iterator[Finding]:
    replay = case.replay
    needed = replay.game.community_cards
    finished = replay.settle_t < replay.round.end and not case.settlement.void and not case.settlement.handed_back
    board_wanted = case.settlement.void is not None and any(
        s.wager.name in case.settlement.void.plays_on for s in case.settlement.wagers
    )
    missing = len(board) < needed and (finished or board_wanted) and bool(replay.hole_cards)
    if len(board) > needed or (missing and not replay.gaps):
        text = f"{len(board)} community cards were dealt instead of {needed}."
        event = board[needed].placed if len(board) > needed else board[-1].placed if board else None
        yield case.finding("MD07", event, text, t=None if board else replay.round.end)
        return
    for place, first in enumerate(replay.game.burns_before):
        before = replay.group_start(place)
        if before != first:
            text = f"{before} community cards lay when the next burn came, instead of {first}."
            yield case.finding("MD07", board[before - 1].placed, text)


def _community_early(case: Case, board: tuple[Card, ...]) -> Iterator[Finding]:
    replay = case.replay
    ups = replay.community_up
    if not ups or not replay.hole_cards:
        return
    if not replay.game.community_with_deal:
        last = replay.hole_cards[-1]
        first = min(board, key=lambda card: card.placed.t)
        if first.placed.t < last.arrived_t:
            text = "A community card was dealt before the hands were complete."
            doubtful: Status | None = "review" if replay.from_footage else None  # a card may be noticed late
            yield case.finding("MD07", first.placed, text, status=doubtful)
        return
    turned = sorted((card.showings[0] for card in board if card.showings), key=lambda showing: showing.start)
    if turned[0].start < replay.deal_end_t:
        text = "A community card was turned up before the deal was finished and any player could act."
        yield case.finding("MD07", turned[0].event, text)
    elif len(turned) > 1 and turned[1].start - turned[0].start <= BOTH_AT_ONCE_S:
        text = "Both community cards were turned at once, which left no second decision."
        yield case.finding("MD07", turned[1].event, text)


def _board_end(case: Case) -> float:
    return max((card.placed.t for card in case.replay.hand("community")), default=case.replay.deal_end_t)


def duplicate_card(case: Case) -> Iterator[Finding]:
    """MD08: one deck has each card once."""
    cards = [card for card in case.replay.cards.values() if card.known is not None]
    for first, second in combinations(cards, 2):
        other_deck = None not in (first.back, second.back) and first.back != second.back
        if first.known != second.known or other_deck:
            continue
        readings = [card.identity.confidence for card in (first, second) if isinstance(card.identity, Known)]
        later = max((c.showings[0].event if c.showings else c.placed for c in (first, second)), key=lambda e: e.t)
        text = f"{first.known} was seen twice: with {_where(first)} and with {_where(second)}."
        one_hand = first.hand == second.hand  # where one may show the other's index
        two_rounds = case.replay.round.partial is not None  # whose border was not seen
        doubtful: Status | None = "review" if case.replay.from_footage and (one_hand or two_rounds) else None
        yield case.finding("MD08", later, text, confidence=min(readings), status=doubtful)


def _where(card: Card) -> str:
    return place_name(card.hand) if card.hand else "the burns" if card.straight_to_rack else "the cards found face up"


def played_on(case: Case) -> Iterator[Finding]:
    """MD09: a void round is not settled."""
    if not case.settlement.played_on or case.settlement.void is None:
        return
    readings = [settled.likeliest for settled in case.settlement.wagers]
    certain = case.settlement.surely_played_on
    unseen = case.replay.from_footage and not case.replay.seen(case.replay.close_t, case.replay.round.end)
    sure = all(len({r.variance for r in settled.readings}) == 1 for settled in case.settlement.wagers)
    variance = _total([r.variance for r in readings]) if sure else None
    first = next((s.tally.first_dealer for s in case.settlement.wagers if s.tally.first_dealer), None)
    causes = ", ".join(dict.fromkeys(cause.kind.split()[0].replace("_", " ") for cause in case.settlement.void.causes))
    amount = "an amount that could not be read" if variance is None else usd(abs(variance))
    side = "less" if variance is not None and variance < 0 else "more"
    text = f"The round was void ({causes}) and was settled; players ended with {amount} {side} than they should."
    yield case.finding(
        "MD09",
        first.event if first else None,
        text,
        confidence=min([s.confidence for s in case.settlement.wagers] + [1.0 if certain else WHOSE_HAND_UNSEEN]),
        expected=_total([r.expected for r in readings]),
        observed=_total([r.observed for r in readings]),
        variance=variance,
        status=None if certain or not unseen else "review",  # what the dealer seems to have done may fall into a gap
    )


def _total(amounts: list[Cents | None]) -> Cents | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def voided_without_cause(case: Case) -> Iterator[Finding]:
    """MD10: a round is called off only for what voids it."""
    if not case.settlement.handed_back or not case.replay.seen(case.replay.round.start, case.replay.round.end):
        return
    given = [s.tally.last for s in case.settlement.wagers if s.tally.last and s.tally.last.t >= case.replay.close_t]
    first = min(given, key=lambda step: step.t, default=None)
    text = "Every wager was handed back or left, the dealer's hand was never shown, and nothing seen calls for that."
    sure = case.settlement.surely_handed_back and not case.replay.from_footage
    status: Status | None = None if sure else "review"  # or they are a fold's forfeits, or the cause was not seen
    yield case.finding("MD10", first.event if first else None, text, variance=None, status=status)


def stub_count(case: Case) -> Iterator[Finding]:
    """MD11: the stub is counted once in five rounds without a counting shuffler, and the count makes 52."""
    for count, out in bad_stub_counts(case.replay)[:1]:
        text = f"The stub counted {count.count} with {out} cards out, which makes {count.count + out}, {handled(case)}."
        yield case.finding("MD11", count, text)
    whole = not case.replay.gaps
    if not case.replay.table.shuffler_counts_deck and whole and case.history.count_due(case.replay):
        text = f"No stub was counted in {case.history.uncounted + 1} rounds running, and the shuffler does not count."
        yield case.finding("MD11", None, text, t=case.replay.round.end)


def deck_change_overdue(case: Case) -> Iterator[Finding]:
    """MD12: the deck is changed every 4 hours when dealt by hand, every 8 from a shoe."""
    age = case.history.deck_age_s(case.replay)
    hours = DECK_HOURS[case.replay.table.dealing]
    if age is not None and age > hours * 3600 and not case.history.deck_reported:
        text = f"The round began {age / 3600:.2f} hours after the deck came, {hours} hours are allowed."
        yield case.finding("MD12", None, text)


def deck_alternation(case: Case) -> Iterator[Finding]:
    """MD13: with two decks in use the same one is never dealt twice running."""
    back = dealt_back(case.replay)
    running = case.history.number is not None and case.history.number + 1 == case.replay.round.number
    if case.replay.table.decks == 2 and running and back is not None and back == case.history.back:
        shuffled = next((e for e in case.replay.round.events if isinstance(e, DeckShuffled)), None)
        doubtful: Status | None = "review" if case.replay.from_footage else None  # a lamp changes a back's colour
        text = f"The deck with back {back} was dealt again, twice running."
        yield case.finding("MD13", shuffled, text, status=doubtful)
