"""How often each hand comes, by going through every hand: exactly, each hand under the names a paytable gives it.

Hands that differ only in which suit is which are gone through once and counted as often as they come; of the best five
of six or seven cards, hands with the same ranks and the same flush likewise.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb, factorial, prod

from handreplay.core.cards import DECK, RANKS, SUITS
from handreplay.games.hands import five_card, four_card, pocket, three_card
from handreplay.games.table import Ranking

Labels = frozenset[str]
NO_HAND: Labels = frozenset()


@lru_cache(maxsize=16)
def hand_counts(ranking: Ranking, cards: int) -> tuple[tuple[Labels, int], ...]:
    """Every kind of hand of so many cards by its names, and how many hands of a deck are of that kind."""
    found: Counter[Labels] = Counter()
    if ranking == "five-card":
        _count_five_card(cards, found)
    else:
        for hand, weight in unlike_hands(cards):
            found[_labels(ranking, hand)] += weight
    assert sum(found.values()) == comb(len(DECK), cards)
    return tuple(sorted(found.items(), key=lambda pair: (pair[1], sorted(pair[0]))))


def unlike_hands(cards: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Hands that stay different however the suits are renamed, each with the number of hands that it stands for."""
    for sizes in _splits(cards, len(SUITS), cards):
        for masks in _suit_masks(sizes):
            same = prod(factorial(count) for count in Counter(masks).values())
            hand = tuple(RANKS[rank] + suit for suit, ranks in zip(SUITS, masks, strict=True) for rank in ranks)
            yield hand, factorial(len(SUITS)) // same


def _splits(cards: int, suits: int, most: int) -> Iterator[tuple[int, ...]]:
    """Ways to share cards among suits, the longest suit first."""
    if suits == 1:
        if cards <= min(most, len(RANKS)):
            yield (cards,)
        return
    for first in range(min(cards, most, len(RANKS)), -1, -1):
        for rest in _splits(cards - first, suits - 1, first):
            yield (first, *rest)


def _suit_masks(sizes: tuple[int, ...], last: tuple[int, ...] | None = None) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The ranks of each suit; suits of the same length in falling order, so that none comes twice."""
    if not sizes:
        yield ()
        return
    for ranks in combinations(range(len(RANKS)), sizes[0]):
        if last is not None and len(last) == len(ranks) and ranks > last:
            continue
        for rest in _suit_masks(sizes[1:], ranks):
            yield (ranks, *rest)


def _labels(ranking: Ranking, hand: tuple[str, ...]) -> Labels:
    if ranking == "two-card":
        return pocket(hand)
    ranked = four_card(hand) if ranking == "four-card" else three_card(hand)
    return ranked.labels if ranked else NO_HAND


def _count_five_card(cards: int, found: Counter[Labels]) -> None:
    """The best five of five, six or seven cards. With so few, a flush leaves no room for a full house or four alike."""
    for suited in range(5, cards + 1):
        beside = 4 * comb(len(DECK) - len(RANKS), cards - suited)
        for ranks in combinations(RANKS, suited):
            _add(found, tuple(rank + "c" for rank in ranks), beside)
    for counts in _rank_counts(cards, len(RANKS)):
        every = prod(comb(4, count) for count in counts)
        unsuited = every - 4 * _ways_with_flush(counts)
        if unsuited:
            _add(found, _without_flush(counts), unsuited)


def _add(found: Counter[Labels], hand: tuple[str, ...], weight: int) -> None:
    ranked = five_card(hand)
    found[ranked.labels if ranked else NO_HAND] += weight


def _rank_counts(cards: int, ranks: int) -> Iterator[tuple[int, ...]]:
    """How many cards of each rank, in every way that a deck allows."""
    if ranks == 0:
        if cards == 0:
            yield ()
        return
    for count in range(min(cards, 4) + 1):
        for rest in _rank_counts(cards - count, ranks - 1):
            yield (count, *rest)


def _ways_with_flush(counts: tuple[int, ...]) -> int:
    """Ways to choose the suits so that five or more cards are of one given suit."""
    ways = [1]  # by the number of cards of that suit
    for count in counts:
        if count:
            without, with_it = comb(3, count), comb(3, count - 1)
            ways = [without * here + with_it * below for here, below in zip([*ways, 0], [0, *ways], strict=True)]
    return sum(ways[5:])


def _without_flush(counts: tuple[int, ...]) -> tuple[str, ...]:
    """Cards of those ranks, the suits in turn, so that none has five."""
    hand = []
    turn = 0
    for rank, count in zip(RANKS, counts, strict=True):
        for _ in range(count):
            hand.append(rank + SUITS[turn % 4])
            turn += 1
    return tuple(hand)
