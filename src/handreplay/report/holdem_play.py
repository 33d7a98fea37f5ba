"""Hold 'em games at their best play, over every deal: which of raising, checking and folding brings most.

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
from handreplay.games.best_play import PRIMES, OnBoards
from handreplay.games.counting import unlike_hands
from handreplay.games.game import Game, Multiples
from handreplay.games.hands import five_card

Ints = NDArray[np.int64]
CARDS = {card: number for number, card in enumerate(DECK)}
PAIRS = list(combinations(range(52), 2))
PAIR_INDEX: Ints = np.full((52, 52), -1, dtype=np.int64)
for _place, (_one, _other) in enumerate(PAIRS):
    PAIR_INDEX[_one, _other] = PAIR_INDEX[_other, _one] = _place
RANK_OF: Ints = np.arange(52) // 4
SUIT_OF: Ints = np.arange(52) % 4
DEALERS = comb(45, 2)
Edges = dict[str, Fraction]  # by the words for how the player raises; no words where the rules leave no choice


def best_play_edges(game: Game, paid: OnBoards, progress: Callable[[int, int], None] | None = None) -> Edges:
    """The house edge, in the Ante, of the two base wagers and the later one together.

    Where a later wager may be of any size up to a limit there are two: for a player who then makes it as large as it
    may be, and for one who may also make it so small that it counts for nothing, which no play can better.
    `progress` is told boards done and boards in all.
    """
    tables = _Tables(paid)
    sums = _Sums(game, tables.scale)
    boards = list(unlike_hands(5))
    for number, (board, weight) in enumerate(boards):
        sums.add(tuple(CARDS[card] for card in board), weight, *tables.returns_on(board))
        if progress is not None and number % 1000 == 0:
            progress(number, len(boards))
    name = game.wager(str(game.later)).title
    largest = -sums.best(smallest=False) / tables.scale
    if not any(_any_size(decision.multiples) for decision in game.decisions):
        return {"": largest}
    return {
        f"each {name} as large as it may be": largest,
        f"also a {name} too small to count": -sums.best(smallest=True) / tables.scale,
    }


class _Tables:
    """Strength of seven cards by their ranks and by the ranks of a flush; what the second base wager then brings."""

    def __init__(self, paid: OnBoards) -> None:
        self.paid = paid
        strengths: dict[int, int] = {}
        self.brought: dict[int, tuple[Fraction, Fraction]] = {}
        for ranks in combinations_with_replacement(RANKS, 7):
            if max(map(ranks.count, ranks)) <= 4:
                hand = tuple(rank + SUITS[place % 4] for place, rank in enumerate(ranks))
                strengths[prod(PRIMES[RANKS.index(rank)] for rank in ranks)] = self._note(hand)
        self.keys: Ints = np.array(sorted(strengths), dtype=np.int64)
        self.strengths: Ints = np.array([strengths[key] for key in sorted(strengths)], dtype=np.int64)
        self.flushes = np.zeros(1 << 13, dtype=np.int64)
        for mask in range(1 << 13):
            if 5 <= mask.bit_count() <= 7:
                suited = tuple(rank + "c" for place, rank in enumerate(RANKS) if mask >> place & 1)
                self.flushes[mask] = self._note(suited)
        self.scale = lcm(*(share.denominator for both in self.brought.values() for share in both))
        self.won, self.lost = np.zeros(7464, dtype=np.int64), np.zeros(7464, dtype=np.int64)
        for strength, (won, lost) in self.brought.items():
            self.won[strength], self.lost[strength] = int(won * self.scale), int(lost * self.scale)
        pair = five_card(("2c", "2d", "3h", "4s", "5c"))
        assert pair is not None
        self.lowest_pair = pair.strength[0]
        primes: Ints = np.array(PRIMES, dtype=np.int64)
        self.outer: Ints = primes[:, None] * primes[None, :]

    def _note(self, hand: tuple[str, ...]) -> int:
        ranked = five_card(hand)
        assert ranked is not None
        strength = ranked.strength[0]
        if strength not in self.brought:
            self.brought[strength] = self.paid.won(ranked), self.paid.lost(ranked)
        return strength

    def returns_on(self, board: tuple[str, ...]) -> tuple[Ints, Ints, Ints]:
        """For each pair of cards of the other 47: the pair, what the base wagers bring, and each 1x of the later one.

        Summed over the 990 hands that the dealer may have, times the scale.
        """
        held = {CARDS[card] for card in board}
        left: Ints = np.array([card for card in range(52) if card not in held], dtype=np.int64)
        first, second = (left[index] for index in np.triu_indices(47, 1))
        strength = self._strength(board, first, second)
        worse, better, unqualified = self._against(first, second, strength)
        qualified_worse = np.where(strength >= self.lowest_pair, worse - unqualified, 0)
        qualified_better = np.where(strength >= self.lowest_pair, better, DEALERS - unqualified)
        ante = (qualified_worse - qualified_better) * self.scale
        later = (worse - better) * self.scale
        if self.paid.dealer_folds:
            later = ante + unqualified * self.scale
        if self.paid.dealer_folds and not self.paid.second_plays:
            worse, better = qualified_worse, qualified_better
        second_wager = worse * self.won[strength] + better * self.lost[strength]
        return PAIR_INDEX[first, second], ante + second_wager, later

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
        self.any_size = [_any_size(decision.multiples) for decision in game.decisions]
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

    def best(self, *, smallest: bool) -> Fraction:
        """What the best play brings on average, times the scale, in the Ante; `smallest`: by wagers of no size too."""
        first, second = (
            range(1 if any_size and not smallest else 0, len(multiples))
            for any_size, multiples in zip(self.any_size[:2], self.multiples[:2], strict=True)
        )
        later = np.zeros(169, dtype=object)
        for flop, place in self.flops.items():
            same = [r for r in RENAMINGS if tuple(sorted(int(card) for card in r[list(flop)])) == flop]
            one, other = _cards_of(np.arange(len(PAIRS)))
            alike = np.min([PAIR_INDEX[r[one], r[other]] for r in same], axis=0)
            courses = [self.at_end[place], *(self.at_flop[n, place] for n in second)]
            totals = np.max([_summed(course, alike) for course in courses], axis=0)
            for pair in np.flatnonzero(totals):
                later[self.classes[pair]] += int(totals[pair])
        deals = comb(52, 2) * comb(50, 5) * DEALERS
        best = sum(max(10 * int(max(self.now[first, hand])), int(later[hand])) for hand in range(169))
        return Fraction(best, 10 * deals)


def _summed(values: Ints, alike: Ints) -> Ints:
    found = np.zeros(len(PAIRS), dtype=np.int64)
    np.add.at(found, alike, values)
    return found


def _cards_of(pairs: Ints) -> tuple[Ints, Ints]:
    return PAIR_ARRAY[pairs, 0], PAIR_ARRAY[pairs, 1]


def _ends(multiples: Multiples | None) -> tuple[int, ...]:
    """What a later wager brings grows evenly with it, so that the smallest or the largest multiple is the best."""
    assert multiples is not None
    if multiples.exactly:
        return tuple(sorted({min(multiples.exactly), max(multiples.exactly)}))
    return int(multiples.at_least), int(multiples.up_to)


def _any_size(multiples: Multiples | None) -> bool:
    """Whether there is no least size, so that the smallest is none at all."""
    return multiples is not None and not multiples.exactly and not multiples.at_least


def _suit_classes() -> Iterator[tuple[int, ...]]:
    for hand, _ in unlike_hands(3):
        yield tuple(sorted(CARDS[card] for card in hand))


PAIR_ARRAY: Ints = np.array(PAIRS, dtype=np.int64)
RENAMINGS = [np.array([card // 4 * 4 + suits[card % 4] for card in range(52)]) for suits in permutations(range(4))]
