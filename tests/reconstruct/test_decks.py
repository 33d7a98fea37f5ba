"""Two decks are told apart by their backs, whatever the lamp makes of them."""

from handreplay.core.observations import Tint
from handreplay.reconstruct.decks import Decks

NAMED = ((45.0, 25.0), (5.0, -40.0))  # a red and a blue
RED: Tint = (24.0, 34.0)
BLUE: Tint = (-2.0, -16.0)


def test_the_first_deck_gets_the_number_of_the_colour_that_it_is_most_like() -> None:
    decks = Decks()
    decks.learn([RED] * 4, NAMED)
    assert decks.in_play([RED, RED]) == 0
    other = Decks()
    other.learn([BLUE] * 4, NAMED)
    assert other.in_play([BLUE]) == 1


def test_the_same_deck_keeps_its_number_and_another_gets_the_other() -> None:
    decks = Decks()
    for backs, number in ((RED, 0), (BLUE, 1), (RED, 0), (RED, 0)):
        shaded = [(backs[0] + drift, backs[1] - drift) for drift in (-4.0, 0.0, 4.0)]
        decks.learn(shaded, NAMED)
        assert decks.in_play(shaded) == number


def test_a_stray_card_is_told_by_its_own_back() -> None:
    decks = Decks()
    decks.learn([RED] * 4, NAMED)
    decks.learn([BLUE] * 4, NAMED)
    assert decks.of(RED) == 0 and decks.in_play([BLUE, BLUE, RED]) == 1


def test_a_back_between_the_two_and_a_table_with_one_deck_are_not_told() -> None:
    decks = Decks()
    decks.learn([RED] * 4, NAMED)
    assert decks.of((11.0, 9.0)) is None and decks.of(None) is None
    one = Decks()
    one.learn([RED] * 4, ())
    assert one.in_play([RED]) is None


def test_two_decks_of_one_colour_and_a_picture_without_colour_tell_nothing() -> None:
    for named, backs in (((NAMED[0], (44.0, 30.0)), RED), ((NAMED[0], NAMED[0]), RED), (NAMED, (1.0, -1.5))):
        decks = Decks()
        decks.learn([backs] * 4, named)
        assert decks.in_play([backs]) is None
