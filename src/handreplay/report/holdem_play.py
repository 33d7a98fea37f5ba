"""Ultimate Texas Hold 'Em at its best play, over every deal: which of raising, checking and folding brings most.

All boards are gone through that stay different however the suits are renamed (134,459 of 2,598,960), with every hand
of the player and of the dealer. Sums are whole numbers, so the edge is an exact fraction. About two minutes.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from math import comb, lcm, prod

import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK, RANKS, SUITS
from handreplay.errors import HandreplayError
from handreplay.games.best_play import PRIMES, returns
from handreplay.games.counting import unlike_hands
from handreplay.games.game import Game
from handreplay.games.hands import five_card
from handreplay.games.odds import TableOdds, with_best_play
from handreplay.games.paytables import Paytable, chosen

Ints = NDArray[np.int64]
CARDS = {card: number for number, card in enumerate(DECK)}
PAIRS = list(combinations(range(52), 2))
PAIR_INDEX: Ints = np.full((52, 52), -1, dtype=np.int64)
for _place, (_one, _other) in enumerate(PAIRS):
    PAIR_INDEX[_one, _other] = PAIR_INDEX[_other, _one] = _place
RANK_OF: Ints = np.arange(52) // 4
SUIT_OF: Ints = np.arange(52) % 4
DEALERS = comb(45, 2)


def best_play_edge(game: Game, blind: Paytable, progress: Callable[[int, int], None] | None = None) -> Fraction:
    """The house edge in the Ante of Ante, Blind and Play together. `progress` is told boards done and boards in all."""
    tables = _Tables(blind)
    sums = _Sums(game, tables.scale)
    boards = list(unlike_hands(5))
    for number, (board, weight) in enumerate(boards):
        sums.add(tuple(CARDS[card] for card in board), weight, *tables.returns_on(board))
        if progress is not None and number % 1000 == 0:
            progress(number, len(boards))
    return -sums.best() / tables.scale


def with_long_play(told: TableOdds, say: Callable[[str], None]) -> TableOdds:
    """The table's odds with the edge of its base wagers at the best play.

    Raises HandreplayError for a game whose base wagers are worked out otherwise, or not at all.
    """
    if told.game.long_play is None:
        raise HandreplayError(f"{told.game.title}: every board is gone through for Ultimate Texas Hold 'Em alone")

    def progress(done: int, boards: int) -> None:
        if done % 10_000 == 0:
            say(f"{done:,} of {boards:,} boards")

    return with_best_play(told, best_play_edge(told.game, chosen(told.table, told.game.long_play)[0], progress))


class _Tables:
    """Strength of seven cards by their ranks and by the ranks of a flush; what the Blind brings by strength."""

    def __init__(self, blind: Paytable) -> None:
        self.scale = lcm(*(line.den for line in blind.entries))
        strengths: dict[int, int] = {}
        brings = np.zeros(7464, dtype=np.int64)
        for ranks in combinations_with_replacement(RANKS, 7):
            if max(map(ranks.count, ranks)) <= 4:
                hand = tuple(rank + SUITS[place % 4] for place, rank in enumerate(ranks))
                strengths[prod(PRIMES[RANKS.index(rank)] for rank in ranks)] = self._note(hand, blind, brings)
        self.keys: Ints = np.array(sorted(strengths), dtype=np.int64)
        self.strengths: Ints = np.array([strengths[key] for key in sorted(strengths)], dtype=np.int64)
        self.flushes = np.zeros(1 << 13, dtype=np.int64)
        for mask in range(1 << 13):
            if 5 <= mask.bit_count() <= 7:
                suited = tuple(rank + "c" for place, rank in enumerate(RANKS) if mask >> place & 1)
                self.flushes[mask] = self._note(suited, blind, brings)
        self.brings = brings
        pair = five_card(("2c", "2d", "3h", "4s", "5c"))
        assert pair is not None
        self.lowest_pair = pair.strength[0]
        primes: Ints = np.array(PRIMES, dtype=np.int64)
        self.outer: Ints = primes[:, None] * primes[None, :]

    def _note(self, hand: tuple[str, ...], blind: Paytable, brings: Ints) -> int:
        ranked = five_card(hand)
        assert ranked is not None
        strength = ranked.strength[0]
        brings[strength] = int(returns(blind, ranked.labels) * self.scale)
        return strength

    def returns_on(self, board: tuple[str, ...]) -> tuple[Ints, Ints, Ints]:
        """For each pair of cards of the other 47: the pair, what Ante and Blind bring, and what each 1x of a Play does.

        Summed over the 990 hands that the dealer may have, times the scale.
        """
        held = {CARDS[card] for card in board}
        left: Ints = np.array([card for card in range(52) if card not in held], dtype=np.int64)
        first, second = (left[index] for index in np.triu_indices(47, 1))
        strength = self._strength(board, first, second)
        worse, better, unqualified = self._against(first, second, strength)
        qualified_worse = np.where(strength >= self.lowest_pair, worse - unqualified, 0)
        qualified_better = np.where(strength >= self.lowest_pair, better, DEALERS - unqualified)
        blind = worse * self.brings[strength] - better * self.scale
        ante = (qualified_worse - qualified_better) * self.scale
        return PAIR_INDEX[first, second], ante + blind, (worse - better) * self.scale

    def _strength(self, board: tuple[str, ...], first: Ints, second: Ints) -> Ints:
        key = prod(PRIMES[RANKS.index(card[0])] for card in board)
        by_rank = self.strengths[np.minimum(np.searchsorted(self.keys, self.outer * key), len(self.keys) - 1)]
        strength: Ints = by_rank[RANK_OF[first], RANK_OF[second]]
        for number, suit in enumerate(SUITS):
            mask = sum(1 << RANKS.index(card[0]) for card in board if card[1] == suit)
            if mask.bit_count() >= 3:
                masks = np.full(len(first), mask, dtype=np.int64)
                for cards in (first, second):
                    masks |= np.where(SUIT_OF[cards] == number, 1 << RANK_OF[cards], 0)
                strength = np.maximum(strength, self.flushes[masks])
        return strength

    def _against(self, first: Ints, second: Ints, strength: Ints) -> tuple[Ints, Ints, Ints]:
        """Dealer's hands of the other 45 cards that are worse, better and below a pair, for each hand of the player."""
        levels, level = np.unique(strength, return_inverse=True)
        count = len(levels)
        by_card = np.bincount(first * count + level, minlength=52 * count) + np.bincount(
            second * count + level, minlength=52 * count
        )
        up_to = np.cumsum(by_card.reshape(52, count), axis=1)
        every = np.cumsum(np.bincount(level, minlength=count))

        def below(limit: Ints) -> Ints:
            """Hands of a level under the limit, none of them with either of the player's cards."""
            there = limit > 0
            at = np.maximum(limit - 1, 0)
            found: Ints = np.where(there, every[at] - up_to[first, at] - up_to[second, at], 0)
            return found + (limit > level)  # the player's own hand was left out twice

        worse = below(level)
        better = DEALERS - below(level + 1)
        pairs = np.full(len(level), np.searchsorted(levels, self.lowest_pair), dtype=np.int64)
        return worse, better, below(pairs)


class _Sums:
    """What each course of play brings in all, by the player's cards, and by the flop with them."""

    def __init__(self, game: Game, scale: int) -> None:
        self.multiples = [_ends(decision.multiples) for decision in game.decisions]
        self.fold = -2 * DEALERS * scale
        self.flops = {hand: place for place, hand in enumerate(_suit_classes())}
        self.now = np.zeros((len(self.multiples[0]), 169), dtype=np.int64)
        size = (len(self.flops), len(PAIRS))
        self.at_flop = np.zeros((len(self.multiples[1]), *size), dtype=np.int64)
        self.at_end = np.zeros(size, dtype=np.int64)
        ranks = np.array([(max(a // 4, b // 4), min(a // 4, b // 4), a % 4 == b % 4) for a, b in PAIRS])
        self.classes: Ints = np.where(ranks[:, 2] == 1, ranks[:, 0] * 13 + ranks[:, 1], ranks[:, 1] * 13 + ranks[:, 0])

    def add(self, board: tuple[int, ...], weight: int, pairs: Ints, base: Ints, play: Ints) -> None:
        """One board that stands for `weight` boards."""
        for place, multiple in enumerate(self.multiples[0]):
            sums = np.bincount(self.classes[pairs], weights=(base + multiple * play).astype(np.float64), minlength=169)
            self.now[place] += weight * sums.astype(np.int64)
        end = weight * np.maximum(np.max([base + m * play for m in self.multiples[2]], axis=0), self.fold)
        one, other = _cards_of(pairs)
        for flop in combinations(board, 3):
            place, renamed = self._canonical(flop)
            own = PAIR_INDEX[renamed[one], renamed[other]]
            self.at_end[place, own] += end
            for number, multiple in enumerate(self.multiples[1]):
                self.at_flop[number, place, own] += weight * (base + multiple * play)

    def _canonical(self, flop: tuple[int, ...]) -> tuple[int, Ints]:
        """The flop's class, and each card under the renaming of suits that takes the flop there."""
        for renaming in RENAMINGS:
            place = self.flops.get(tuple(sorted(int(card) for card in renaming[list(flop)])))
            if place is not None:
                return place, renaming
        raise AssertionError("every flop has a class")

    def best(self) -> Fraction:
        """What the best play brings on average, times the scale, in the Ante."""
        later = np.zeros(169, dtype=object)
        for flop, place in self.flops.items():
            same = [r for r in RENAMINGS if tuple(sorted(int(card) for card in r[list(flop)])) == flop]
            one, other = _cards_of(np.arange(len(PAIRS)))
            alike = np.min([PAIR_INDEX[r[one], r[other]] for r in same], axis=0)
            courses = [self.at_end[place], *(self.at_flop[n, place] for n in range(len(self.multiples[1])))]
            totals = np.max([_summed(course, alike) for course in courses], axis=0)
            for pair in np.flatnonzero(totals):
                later[self.classes[pair]] += int(totals[pair])
        deals = comb(52, 2) * comb(50, 5) * DEALERS
        best = sum(max(10 * int(max(self.now[:, hand])), int(later[hand])) for hand in range(169))
        return Fraction(best, 10 * deals)


def _summed(values: Ints, alike: Ints) -> Ints:
    found = np.zeros(len(PAIRS), dtype=np.int64)
    np.add.at(found, alike, values)
    return found


def _cards_of(pairs: Ints) -> tuple[Ints, Ints]:
    return PAIR_ARRAY[pairs, 0], PAIR_ARRAY[pairs, 1]


def _ends(multiples: object) -> tuple[int, ...]:
    """What a later wager brings grows evenly with it, so that the smallest or the largest multiple is the best."""
    exactly = getattr(multiples, "exactly", ())
    return tuple(sorted({min(exactly), max(exactly)}))


def _suit_classes() -> Iterator[tuple[int, ...]]:
    for hand, _ in unlike_hands(3):
        yield tuple(sorted(CARDS[card] for card in hand))


PAIR_ARRAY: Ints = np.array(PAIRS, dtype=np.int64)
RENAMINGS = [np.array([card // 4 * 4 + suits[card % 4] for card in range(52)]) for suits in permutations(range(4))]
