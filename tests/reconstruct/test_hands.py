"""A face read otherwise than before is the same card, unless the picture denies that it can be."""

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known
from handreplay.reconstruct.hands import CardStory, _not_again

LOOK = ZoneSeen(start=29.0, end=29.9, frame=435, zone="dealer.cards", busy_since=28.0, changed=0.4)


def spread(card: str, other: str, share: float) -> tuple[float, ...]:
    shares = [0.0] * len(DECK)
    shares[CARD_NUMBER[card]], shares[CARD_NUMBER[other]] = 1 - share, share
    return tuple(shares)


def lying(probabilities: tuple[float, ...]) -> CardStory:
    card = CardStory("dealer.cards", 28.4, 426, True, place=(17.0, 215.0), rested=True)
    card.votes.add(probabilities)
    return card


def seen(probabilities: tuple[float, ...], x: float = 17.0, visible: float = 1.0) -> SeenCard:
    best = max(probabilities)
    return SeenCard(
        corners_mm=((x - 31, 170.0), (x + 31, 170.0), (x + 31, 260.0), (x - 31, 260.0)),
        face_up=True,
        face_confidence=0.95,
        identity=Known(DECK[probabilities.index(best)], best),
        probabilities=probabilities,
        visible=visible,
    )


def test_a_ten_of_clubs_that_turns_out_a_ten_of_spades_is_one_card() -> None:
    card = lying(spread("Tc", "Ts", 0.05))
    assert _not_again([card], [seen(spread("Ts", "Tc", 0.07))], LOOK) == []
    assert card.votes.looks == 2


def test_a_face_that_the_new_picture_denies_is_of_another_card() -> None:
    other = seen(spread("Ts", "Tc", 0.001))
    assert _not_again([lying(spread("Tc", "Ts", 0.05))], [other], LOOK) == [other]


def test_a_card_that_lies_elsewhere_is_another_card_whatever_it_may_be() -> None:
    other = seen(spread("Ts", "Tc", 0.07), x=38.0)
    assert _not_again([lying(spread("Tc", "Ts", 0.05))], [other], LOOK) == [other]


def test_nothing_can_be_laid_on_a_card_that_lies_under_others() -> None:
    card = lying(spread("9c", "Tc", 0.001))
    assert _not_again([card], [seen(spread("Tc", "9c", 0.001), visible=0.3)], LOOK) == []
    assert card.votes.looks == 2


def test_what_was_read_beside_a_hand_is_read_anew_when_the_hand_is_gone() -> None:
    card = lying(spread("9c", "Tc", 0.001))
    card.rested = False
    assert _not_again([card], [seen(spread("Tc", "9c", 0.001))], LOOK) == []
    assert card.face() == "Tc"
