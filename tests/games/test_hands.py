"""Hand orders: five cards against a second evaluator, three and four cards against known frequencies."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.core.cards import DECK, RANKS
from handreplay.games.hands import (
    FIVE_CARD,
    best_five,
    best_four,
    five_card,
    four_card,
    known_labels,
    pocket,
    three_card,
)

HANDS = st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True).map(tuple)


def plain(five: tuple[str, ...]) -> tuple[int, list[int]]:
    """Five cards by counting: place of the rank, then ranks by group. Written apart from the product's evaluator."""
    values = sorted((RANKS.index(card[0]) for card in five), reverse=True)
    groups = sorted(Counter(values).items(), key=lambda pair: (-pair[1], -pair[0]))
    shape, ranks = [count for _, count in groups], [rank for rank, _ in groups]
    flush = len({card[1] for card in five}) == 1
    straight = len(ranks) == 5 and (ranks[0] - ranks[4] == 4 or ranks == [12, 3, 2, 1, 0])
    if straight:
        ranks = [3] if ranks[1] == 3 and ranks[0] == 12 else ranks[:1]
    name = {(4, 1): "four_of_a_kind", (3, 2): "full_house", (3, 1, 1): "three_of_a_kind", (2, 2, 1): "two_pair"}.get(
        tuple(shape), "pair" if shape[0] == 2 else "high_card"
    )
    if straight or flush:
        name = "flush" if not straight else "straight" if not flush else "straight_flush"
        if straight and flush and ranks == [12]:
            name = "royal_flush"
    return FIVE_CARD.index(name), ranks


@settings(max_examples=300)
@given(one=HANDS, other=HANDS)
def test_seven_cards_are_ranked_and_compared_by_their_best_five(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    best = [max(plain(five) for five in combinations(cards, 5)) for cards in (one, other)]
    own = [five_card(cards) for cards in (one, other)]
    assert own[0] and own[1]
    assert [hand.rank for hand in own if hand] == [FIVE_CARD[place] for place, _ in best]
    assert (own[0].strength > own[1].strength) == (best[0] > best[1])
    assert (own[0].strength == own[1].strength) == (best[0] == best[1])


@given(HANDS)
def test_the_best_five_shown_are_worth_the_whole_hand(cards: tuple[str, ...]) -> None:
    shown, whole = five_card(best_five(cards)), five_card(cards)
    assert shown and whole and shown.strength == whole.strength


def test_three_card_hands_come_in_their_known_numbers() -> None:
    counts = Counter(hand.rank for three in combinations(DECK, 3) if (hand := three_card(three)))
    assert counts == {
        "mini_royal": 4,
        "straight_flush": 44,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high_card": 16440,
    }


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("2c 2d 2h 2s", "Ah Kh Qh Jh"),  # four of a kind above a straight flush
        ("Ah Kh Qh Jh", "Ac Ad As 2d"),
        ("2c 2d 2h 3s", "Ah Kh Jh 9h"),  # three of a kind above a flush
        ("Ah 9h 6h 2h", "8s 9c Td Jc"),  # a flush above a straight
        ("2c 3d 4h As", "Ac Ad Kc Kd"),  # ace to four is a straight
        ("Ac Ad 2c 2d", "Kc Kd Qc Qd"),
        ("Qc Qd 3c 2d", "Jc Jd Ac Kd"),  # the pair first, kickers after
        ("2c 3d 4h 5s", "2c 3d 4h As"),  # ace to four is the lowest straight
        ("Ac Kd Qh 9s", "Ac Kd Jh Ts"),
    ],
)
def test_four_card_order(higher: str, lower: str) -> None:
    one, other = four_card(tuple(higher.split())), four_card(tuple(lower.split()))
    assert one and other and one.strength > other.strength


def test_the_best_four_are_picked_by_four_card_order() -> None:
    assert best_four(("2h", "3h", "9h", "Kh", "Kd", "Kc"))[:3] == ("Kc", "Kd", "Kh")
    hand = four_card(("As", "Ks", "Qs", "Js", "Td"))
    assert hand and hand.rank == "straight_flush"


@pytest.mark.parametrize("ranks", ["Q K A 2", "K A 2 3"])
def test_straights_do_not_go_round_the_corner(ranks: str) -> None:
    cards = tuple(rank + suit for rank, suit in zip(ranks.split(), "cdhs", strict=True))
    hand = four_card(cards)
    assert hand and hand.rank == "high_card"


def test_a_second_copy_of_a_card_counts_for_its_rank() -> None:
    hand = five_card(("Kh", "Kh", "Kd", "2c", "7s"))
    assert hand and hand.rank == "three_of_a_kind"
    five_of_a_kind = five_card(("Kh",) * 5)
    assert five_of_a_kind and five_of_a_kind.rank == "four_of_a_kind"


def test_fewer_cards_than_a_hand_needs_are_no_hand() -> None:
    assert five_card(("Kh", "Kd")) is None and four_card(("Kh",)) is None and three_card(("Kh", "Kd")) is None


@pytest.mark.parametrize(
    ("cards", "label"),
    [
        ("Ac Ad", "pair_of_aces"),
        ("Jc Jd", "pair_of_kings_queens_or_jacks"),
        ("2c 2d", "pair_of_tens_to_twos"),
        ("Kc Ac", "ace_king_suited"),
        ("Ac Qd", "ace_queen_or_ace_jack_offsuit"),
        ("Js As", "ace_queen_or_ace_jack_suited"),
    ],
)
def test_pocket_cards_have_the_names_that_paytables_use(cards: str, label: str) -> None:
    assert label in pocket(tuple(cards.split())) and label in known_labels()


def test_an_ace_with_a_ten_is_no_pocket_hand() -> None:
    assert pocket(("Ac", "Tc")) == frozenset()


def test_tens_or_better_includes_every_better_rank_and_no_lower_pair() -> None:
    def labels(cards: str) -> frozenset[str]:
        hand = five_card(tuple(cards.split()))
        assert hand
        return hand.labels

    assert "pair_of_tens_or_better" in labels("Tc Td 2c 3d 7h") & labels("2c 2d 3c 3d 7h")
    assert "pair_of_tens_or_better" not in labels("9c 9d 2c 3d 7h") | labels("Ac Kd 2c 3d 7h")
    assert "four_aces" in labels("Ac Ad Ah As 2c") and "four_aces" not in labels("Kc Kd Kh Ks Ac")
