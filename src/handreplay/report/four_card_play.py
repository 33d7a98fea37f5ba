"""Four Card Poker at its best play, over every deal: whether to fold, and with how large a Play to go on.

The player sees five cards and one of the dealer's. How many of the dealer's hands are no stronger is counted by taking
away those that hold cards of the player's own: of hands that contain a card of the dealer's and some of the player's,
there are tables. Hands that differ only in which suit is which are gone through once. All sums are whole numbers.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb, lcm, prod

import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK, RANKS, SUITS
from handreplay.games.best_play import PRIMES, FourOfSix, returns
from handreplay.games.counting import unlike_hands
from handreplay.games.hands import Strength, four_card

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
CARDS = {card: number for number, card in enumerate(DECK)}
RANK_OF: Ints = np.arange(52) // 4
SUIT_OF: Ints = np.arange(52) % 4
PRIME_OF: Ints = np.array(PRIMES, dtype=np.int64)[RANK_OF]
DEALERS = comb(46, 5)  # what the dealer's other five cards may be
PLAYS = (1, 3)  # what a Play brings grows evenly with it, so that one of the ends is best
AT_ONCE = 2_000


def best_play_edge(game: FourOfSix, say: Callable[[str], None] | None = None) -> Fraction:
    """The house edge, in the Ante, of Ante and Play together, the Ante Bonus included. `say` is told how far it is."""
    levels = _Levels()
    hands, weights = _classes(5)
    counts = _Counts(levels, hands)
    own = levels.of(hands)
    scale = lcm(*(line.den for line in game.bonus.entries))
    bonus: Ints = np.array([_bonus(game, hand, scale) for hand in hands], dtype=np.int64)
    total = 0
    for start in range(0, len(hands), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        for_all = _brought(counts, hands[part], own[part], bonus[part], scale)
        total += int((for_all * weights[part]).sum())
        if say is not None and start % (AT_ONCE * 10) == 0:
            say(f"{start:,} of {len(hands):,} hands")
    return -Fraction(total, scale * comb(52, 5) * 47 * DEALERS)


def _brought(counts: "_Counts", hands: Ints, own: Ints, bonus: Ints, scale: int) -> Ints:
    """For each hand of the player, what the best play brings over all that the dealer may hold, times the scale."""
    total = np.zeros(len(hands), dtype=np.int64)
    for card in range(52):
        free = ~(hands == card).any(axis=1)
        won = counts.no_stronger(hands[free], own[free], card)
        played = (2 * won - DEALERS) * scale
        courses = [(1 + play) * played + bonus[free] * DEALERS for play in PLAYS]
        total[free] += np.maximum(np.max(courses, axis=0), -DEALERS * scale)
    return total


def _bonus(game: FourOfSix, hand: Ints, scale: int) -> int:
    ranked = four_card(tuple(DECK[card] for card in hand))
    assert ranked is not None
    return int(returns(game.bonus, ranked.labels) * scale)


def _classes(cards: int) -> tuple[Ints, Ints]:
    """Hands that stay different however the suits are renamed, (n, cards), and how many hands each stands for."""
    found = list(unlike_hands(cards))
    hands = [[CARDS[card] for card in hand] for hand, _ in found]
    return np.array(hands, dtype=np.int64), np.array([weight for _, weight in found], dtype=np.int64)


class _Levels:
    """Every strength that the best four of five or six cards may have, as its place from the weakest."""

    def __init__(self) -> None:
        plain: dict[int, Strength] = {}
        suited: dict[int, Strength] = {}
        for size in (5, 6):
            for ranks in combinations_with_replacement(RANKS, size):
                if max(map(ranks.count, ranks)) <= len(SUITS):
                    hand = tuple(rank + SUITS[place % 4] for place, rank in enumerate(ranks))
                    plain[prod(PRIMES[RANKS.index(rank)] for rank in ranks)] = _strength(hand)
        for size in (4, 5, 6):
            for ranks in combinations(RANKS, size):
                mask = sum(1 << RANKS.index(rank) for rank in ranks)
                suited[mask] = _strength(tuple(rank + "c" for rank in ranks))
        order = {strength: place for place, strength in enumerate(sorted({*plain.values(), *suited.values()}))}
        self.count = len(order)
        self.keys: Ints = np.array(sorted(plain), dtype=np.int64)
        self.plain: Ints = np.array([order[plain[key]] for key in sorted(plain)], dtype=np.int64)
        self.suited = np.zeros(1 << 13, dtype=np.int64)
        for mask, strength in suited.items():
            self.suited[mask] = order[strength]

    def of(self, hands: Ints) -> Ints:
        """The level of hands of five or six cards, (n, cards)."""
        level: Ints = self.plain[np.searchsorted(self.keys, PRIME_OF[hands].prod(axis=1))]
        found: Ints = np.maximum(level, self.suited[_masks(hands)].max(axis=1))
        return found


def _strength(hand: tuple[str, ...]) -> Strength:
    if len(hand) == 4:
        hand = (*hand, next(card for card in DECK if card[0] == hand[0][0] and card not in hand))  # changes no flush
    ranked = four_card(hand)
    assert ranked is not None
    return ranked.strength


def _masks(hands: Ints) -> Ints:
    """For each hand the ranks in each suit as bits, (n, 4)."""
    bits = 1 << RANK_OF[hands]
    return np.stack([np.where(SUIT_OF[hands] == suit, bits, 0).sum(axis=1) for suit in range(4)], axis=1)


def _key(hands: Ints) -> Ints:
    """One number for all hands that differ only in which suit is which."""
    a, b, c, d = _masks(hands).T
    a, b, c, d = np.minimum(a, b), np.maximum(a, b), np.minimum(c, d), np.maximum(c, d)
    a, c, b, d = np.minimum(a, c), np.maximum(a, c), np.minimum(b, d), np.maximum(b, d)
    b, c = np.minimum(b, c), np.maximum(b, c)
    key: Ints = ((a << 13 | b) << 13 | c) << 13 | d
    return key


class _Counts:
    """Of the dealer's hands that contain given cards, how many are no stronger than a level."""

    def __init__(self, levels: _Levels, fives: Ints) -> None:
        self.levels = levels
        self.keys: dict[int, Ints] = {}
        self.places: dict[int, Ints] = {}
        self.up_to: dict[int, Counts] = {}
        self._index(5, fives)
        self.sixth = np.full((len(fives), 52), levels.count, dtype=np.int16)  # no level where the card is held already
        for card in range(52):
            free = ~(fives == card).any(axis=1)
            self.sixth[free, card] = levels.of(_and(fives[free], card))
        for cards in (4, 3, 2, 1):
            self._sum_up(cards)
        self.sixth.sort(axis=1)
        self.sixth = np.ascontiguousarray(self.sixth[:, :47])

    def _index(self, cards: int, hands: Ints) -> None:
        keys = _key(hands)
        self.places[cards] = np.argsort(keys)
        self.keys[cards] = keys[self.places[cards]]

    def _place(self, hands: Ints) -> Ints:
        cards = hands.shape[1]
        return self.places[cards][np.searchsorted(self.keys[cards], _key(hands))]

    def _sum_up(self, cards: int) -> None:
        """The table for so many cards from that for one more: each hand comes up once for each of its other cards."""
        hands, _ = _classes(cards)
        self._index(cards, hands)
        table: Counts = np.zeros((len(hands), self.levels.count), dtype=np.int32)
        for card in range(52):
            free = np.flatnonzero(~(hands == card).any(axis=1))
            places = self._place(_and(hands[free], card))
            if cards < 4:
                table[free] += self.up_to[cards + 1][places]
                continue
            for row, place in zip(free, places, strict=True):
                table[row] += np.bincount(self.sixth[place], minlength=self.levels.count + 1)[:-1].astype(np.int32)
        table //= 6 - cards
        if cards == 4:
            np.cumsum(table, axis=1, out=table)
        self.up_to[cards] = table

    def no_stronger(self, hands: Ints, own: Ints, open_card: int) -> Ints:
        """Of the dealer's hands with that open card and none of the player's, how many are no stronger than his."""
        found = np.zeros(len(hands), dtype=np.int64)
        for size in range(6):
            for held in combinations(range(5), size):
                sign = -1 if size % 2 else 1
                found += sign * self._up_to(_and(hands[:, held], open_card), own)
        return found

    def _up_to(self, cards: Ints, own: Ints) -> Ints:
        size = cards.shape[1]
        if size == 6:
            return (self.levels.of(cards) <= own).astype(np.int64)
        if size == 5:
            found: Ints = (self.sixth[self._place(cards)] <= own[:, None]).sum(axis=1)
            return found
        return self.up_to[size][self._place(cards), own].astype(np.int64)


def _and(hands: Ints, card: int) -> Ints:
    return np.concatenate([hands, np.full((len(hands), 1), card, dtype=np.int64)], axis=1)
