"""Faces that showed in the shoe, and where those cards went."""

import pytest

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known
from handreplay.reconstruct.card_story import CardStory
from handreplay.reconstruct.found import Found, follow, found_face_up, laid_down
from handreplay.reconstruct.rack import Arrival


def look(t: float, *faces: str, zone: str = "shoe") -> ZoneSeen:
    cards = tuple(
        SeenCard(corners_mm=((0.0, 0.0),) * 4, face_up=True, face_confidence=0.99, identity=Known(face, 0.95))
        for face in faces
    )
    return ZoneSeen(start=t, end=t + 0.2, frame=round(15 * t), zone=zone, busy_since=t - 1, changed=0.3, cards=cards)


def story(placed: float, face: str | None = None, zone: str = "seat2.cards") -> CardStory:
    told = CardStory(zone, placed, None, face_up=False)
    if face is not None:
        told.votes.add([float(number == CARD_NUMBER[face]) for number in range(len(DECK))])
    return told


def test_a_face_that_a_hand_hides_for_a_while_is_one_card() -> None:
    (card,) = found_face_up([look(1.0), look(4.0, "9h"), look(5.0), look(6.0, "9h"), look(8.0), look(9.0)])
    assert (card.t, card.face.value, card.left) == (4.0, "9h", 8.0)


def test_what_comes_to_the_rack_next_is_that_card() -> None:
    later, soon = Arrival(9.0, None), Arrival(5.4, None)
    (card,) = follow(found_face_up([look(4.0, "9h"), look(5.0)]), [], [Arrival(3.0, None), soon, later])
    assert card.racked is soon and card.dealt is None


def test_a_face_that_is_read_otherwise_at_the_next_look_is_no_second_card() -> None:
    found = found_face_up([look(4.0, "9h"), look(6.0, "9d"), look(8.0)])
    (card,) = follow(found, [story(1.0)], [Arrival(8.4, None)])
    assert (card.t, card.left) == (4.0, 8.0)
    assert card.racked is not None


def test_a_face_that_shows_where_the_one_before_was_taken_from_is_a_second_card() -> None:
    found = found_face_up([look(4.0, "9h"), look(6.0, "2c"), look(8.0)])
    assert len(follow(found, [story(1.0)], [Arrival(5.6, None), Arrival(8.4, None)])) == 2


def test_two_faces_at_once_are_two_cards() -> None:
    assert len(follow(found_face_up([look(4.0, "9h"), look(6.0, "9h", "2c")]), [story(1.0)], [])) == 2


@pytest.mark.parametrize(("zone", "kept"), (("community", 0), ("seat2.cards", 1)))
def test_a_board_card_that_is_turned_as_it_is_drawn_was_not_found_face_up(zone: str, kept: int) -> None:
    board = story(6.0, "9h", zone)
    board.face_up = True
    assert len(follow(found_face_up([look(4.0, "9h"), look(5.0)]), [board], [])) == kept


def test_what_a_hand_holds_over_the_shoe_once_the_cards_are_picked_up_was_not_found_there() -> None:
    early, late = story(1.0), story(2.0)
    early.left = 20.0
    assert follow(found_face_up([look(21.0, "9h"), look(22.0)]), [early, late], [Arrival(22.4, None)]) == []


def test_of_a_card_that_never_left_nothing_is_told_of_the_rack() -> None:
    (card,) = follow(found_face_up([look(4.0, "9h")]), [], [Arrival(5.4, None)])
    assert card.racked is None


def test_the_next_card_of_the_hand_in_which_its_face_shows_is_that_card() -> None:
    early, same, late = story(1.0, "9h"), story(6.0), story(9.0)
    (card,) = follow(found_face_up([look(4.0, "9h"), look(5.0)]), [early, same, late], [Arrival(5.5, None)])
    assert card.dealt is early and card.racked is None
    assert (early.placed, same.placed, late.placed) == (6.0, 1.0, 9.0)


def test_a_face_that_lay_in_a_hand_all_along_was_misread_in_the_shoe() -> None:
    assert follow(found_face_up([look(4.0, "9h"), look(5.0)]), [story(1.0, "9h")], [Arrival(5.5, None)]) == []


def test_where_it_lay_open_before_it_was_turned_down_is_its_hand() -> None:
    found = found_face_up([look(4.0, "9h"), look(5.0)])
    opened, other = look(5.6, "9h", zone="seat2.cards"), look(5.8, "2c", zone="seat3.cards")
    assert laid_down([opened, other], found) == [other]
    dealt = story(7.0)
    (card,) = follow(found, [dealt], [])
    assert card.shown is opened and card.dealt is dealt


def test_a_face_that_stays_open_is_no_card_that_is_turned_down() -> None:
    found: list[Found] = found_face_up([look(4.0, "9h"), look(5.0)])
    still = look(12.0, "9h", zone="seat2.cards")
    assert laid_down([still], found) == [still]
