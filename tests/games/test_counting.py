"""How often each hand comes: every hand gone through, against the known numbers and against one hand at a time."""

import random
from collections import Counter
from itertools import combinations
from math import comb

import pytest

from handreplay.core.cards import DECK
from handreplay.games.counting import hand_counts, unlike_hands
from handreplay.games.hands import FIVE_CARD, FOUR_CARD, THREE_CARD, five_card, four_card, three_card
from tests.games.plain import best

FIVE = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3744,
    "flush": 5108,
    "straight": 10200,
    "three_of_a_kind": 54912,
    "two_pair": 123552,
    "pair": 1098240,
    "high_card": 1302540,
}
SIX = {
    "royal_flush": 188,
    "straight_flush": 1656,
    "four_of_a_kind": 14664,
    "full_house": 165984,
    "flush": 205792,
    "straight": 361620,
    "three_of_a_kind": 732160,
    "two_pair": 2532816,
    "pair": 9730740,
    "high_card": 6612900,
}
SEVEN = {
    "royal_flush": 4324,
    "straight_flush": 37260,
    "four_of_a_kind": 224848,
    "full_house": 3473184,
    "flush": 4047644,
    "straight": 6180020,
    "three_of_a_kind": 6461620,
    "two_pair": 31433400,
    "pair": 58627800,
    "high_card": 23294460,
}
THREE = {
    "mini_royal": 4,
    "straight_flush": 44,
    "three_of_a_kind": 52,
    "straight": 720,
    "flush": 1096,
    "pair": 3744,
    "high_card": 16440,
}
FOUR = {
    "four_of_a_kind": 13,
    "straight_flush": 44,
    "three_of_a_kind": 2496,
    "flush": 2816,
    "straight": 2772,
    "two_pair": 2808,
    "pair_of_aces": 6336,
    "pair": 76032,
    "high_card": 177408,
}
FOUR_OF_FIVE = {
    "four_of_a_kind": 624,
    "straight_flush": 2072,
    "three_of_a_kind": 58656,
    "flush": 114616,
    "straight": 101808,
    "two_pair": 123552,
    "pair_of_aces": 81096,
    "pair": 966456,
    "high_card": 1150080,
}


def names(labels: frozenset[str], order: tuple[str, ...]) -> str:
    """The hand's rank; a pair of aces apart from the others in Four Card order."""
    if order is FOUR_CARD and "pair_of_aces" in labels:
        return "pair_of_aces"
    return [name for name in order if name in labels][-1]  # a royal is a straight flush too, and stands above it


@pytest.mark.parametrize(
    ("ranking", "cards", "order", "known"),
    [
        ("three-card", 3, THREE_CARD, THREE),
        ("four-card", 4, FOUR_CARD, FOUR),
        ("four-card", 5, FOUR_CARD, FOUR_OF_FIVE),
        ("five-card", 5, FIVE_CARD, FIVE),
        ("five-card", 6, FIVE_CARD, SIX),
        ("five-card", 7, FIVE_CARD, SEVEN),
    ],
)
def test_every_hand_comes_as_often_as_it_is_known_to(
    ranking: str, cards: int, order: tuple[str, ...], known: dict[str, int]
) -> None:
    found: Counter[str] = Counter()
    for labels, count in hand_counts(ranking, cards):  # type: ignore[arg-type]
        found[names(labels, order)] += count
    assert found == known and sum(found.values()) == comb(52, cards)


def test_two_cards_come_in_their_1326_ways() -> None:
    found = dict(hand_counts("two-card", 2))
    assert sum(found.values()) == 1326 and found[frozenset()] == 1326 - 78 - 48
    assert sum(count for labels, count in found.items() if "pair" in labels) == 78


@pytest.mark.parametrize(("cards", "classes"), [(2, 169), (3, 1755), (4, 16432)])
def test_hands_that_differ_but_in_suits_names_are_one(cards: int, classes: int) -> None:
    weights = [weight for _, weight in unlike_hands(cards)]
    assert (len(weights), sum(weights)) == (classes, comb(52, cards))


def test_three_and_four_cards_one_by_one_come_to_the_same_numbers() -> None:
    three = Counter(hand.rank for cards in combinations(DECK, 3) if (hand := three_card(cards)))
    assert three == THREE
    four = Counter(hand.rank for cards in combinations(DECK, 4) if (hand := four_card.__wrapped__(cards)))
    assert four == Counter({k: v for k, v in FOUR.items() if k != "pair_of_aces"}) + Counter(pair=6336)


@pytest.mark.slow
def test_the_2598960_hands_of_five_one_by_one() -> None:
    five: Counter[str] = Counter()
    four: Counter[str] = Counter()
    for cards in combinations(DECK, 5):
        one, other = five_card.__wrapped__(cards), four_card.__wrapped__(cards)
        assert one and other
        five[one.rank] += 1
        four["pair_of_aces" if "pair_of_aces" in other.labels else other.rank] += 1
    assert five == FIVE and four == FOUR_OF_FIVE


@pytest.mark.slow
@pytest.mark.parametrize(("cards", "known"), [(6, SIX), (7, SEVEN)])
def test_every_hand_of_six_and_of_seven_up_to_the_names_of_suits(cards: int, known: dict[str, int]) -> None:
    found: Counter[str] = Counter()
    for hand, weight in unlike_hands(cards):
        ranked = five_card.__wrapped__(hand)
        assert ranked
        found[ranked.rank] += weight
    assert found == known and sum(found.values()) == comb(52, cards)


@pytest.mark.slow
def test_the_best_four_of_six_one_class_at_a_time_against_all_fifteen_choices() -> None:
    hands = 0
    for hand, weight in unlike_hands(6):
        ranked = four_card.__wrapped__(hand)
        place, decides = best(hand, 4)
        assert ranked and (ranked.rank, list(ranked.strength[1:])) == (FOUR_CARD[place], decides)
        hands += weight
    assert hands == comb(52, 6)


@pytest.mark.slow
def test_a_million_random_hands_are_ranked_as_by_counting() -> None:
    draw = random.Random(20261130)
    for _ in range(500_000):
        cards = tuple(draw.sample(DECK, 12))
        for size, held, evaluate in ((5, 6, five_card.__wrapped__), (4, 5, four_card.__wrapped__)):
            one, other = evaluate(cards[:held]), evaluate(cards[-held:])
            known = best(cards[:held], size), best(cards[-held:], size)
            order = FIVE_CARD if size == 5 else FOUR_CARD
            assert one and other and (order.index(one.rank), order.index(other.rank)) == (known[0][0], known[1][0])
            assert (one.strength > other.strength) == (known[0] > known[1])
            assert (one.strength == other.strength) == (known[0] == known[1])
