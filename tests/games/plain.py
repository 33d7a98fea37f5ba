"""Hands by counting, written apart from the product's evaluators, to hold them against."""

from collections import Counter
from itertools import combinations

from handreplay.core.cards import RANKS
from handreplay.games.hands import FIVE_CARD, FOUR_CARD

SHAPES = {
    (4,): "four_of_a_kind",
    (3, 1): "three_of_a_kind",
    (2, 2): "two_pair",
    (2, 1, 1): "pair",
    (4, 1): "four_of_a_kind",
    (3, 2): "full_house",
    (3, 1, 1): "three_of_a_kind",
    (2, 2, 1): "two_pair",
    (2, 1, 1, 1): "pair",
}


def plain(cards: tuple[str, ...]) -> tuple[str, list[int]]:
    """The rank of four or five cards, and what decides between two hands of that rank."""
    values = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    groups = sorted(Counter(values).items(), key=lambda pair: (-pair[1], -pair[0]))
    ranks = [rank for rank, _ in groups]
    name = SHAPES.get(tuple(count for _, count in groups), "high_card")
    size = len(cards)
    low = [12, *range(size - 2, -1, -1)]
    straight = len(ranks) == size and (ranks[0] - ranks[-1] == size - 1 or ranks == low)
    flush = len({card[1] for card in cards}) == 1
    if straight:
        ranks = [size - 2] if ranks == low else ranks[:1]
    if straight or flush:
        name = "flush" if not straight else "straight" if not flush else "straight_flush"
        if name == "straight_flush" and size == 5 and ranks == [12]:
            name = "royal_flush"
    return name, ranks


def best(cards: tuple[str, ...], size: int) -> tuple[int, list[int]]:
    """The best of so many cards: place of its rank in that order, then what decides."""
    order = FIVE_CARD if size == 5 else FOUR_CARD
    found = [plain(hand) for hand in combinations(cards, size)]
    return max((order.index(name), ranks) for name, ranks in found)
