"""Cards that were not seen to come get a time between their turn and the next."""

from handreplay.reconstruct.card_story import CardStory
from handreplay.reconstruct.turns import in_turn

UNSEEN = 14.9  # when the dealer's place was first seen again


def hand(*placed: float, timed: bool = True) -> list[CardStory]:
    return [CardStory("zone", t, 1, False, timed=timed) for t in placed]


def times(cards: list[CardStory]) -> list[float]:
    return [round(card.placed, 2) for card in cards]


def test_hidden_cards_of_the_dealer_follow_the_players_turn_by_turn() -> None:
    dealer = hand(UNSEEN, UNSEEN, UNSEEN, timed=False)
    in_turn({"seat1.cards": hand(10.0, 13.0, 16.0), "seat2.cards": hand(10.6, 13.6, 16.6), "dealer.cards": dealer})
    assert times(dealer) == [11.3, UNSEEN, 17.3]


def test_a_time_within_its_turn_is_kept() -> None:
    dealer = hand(12.3, timed=False)
    in_turn({"seat1.cards": hand(10.0, 13.0), "dealer.cards": dealer})
    assert times(dealer) == [12.3]


def test_cards_seen_to_come_are_left_alone() -> None:
    early = hand(9.0, 9.1)
    in_turn({"seat1.cards": hand(10.0, 13.0), "dealer.cards": early})
    assert times(early) == [9.0, 9.1]


def test_without_other_hands_nothing_is_told() -> None:
    dealer = hand(12.3, 12.3, timed=False)
    in_turn({"dealer.cards": dealer})
    assert times(dealer) == [12.3, 12.3]
