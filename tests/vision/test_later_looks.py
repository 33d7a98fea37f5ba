"""Faces at rest that were not read are looked at again, and have one say however often that is."""

from dataclasses import replace

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.vision.later_looks import together, unread, withheld


def face(card: str, sure: float, x: float = 0.0) -> SeenCard:
    shares = [(1 - sure) / (len(DECK) - 1)] * len(DECK)
    shares[CARD_NUMBER[card]] = sure
    return SeenCard(
        corners_mm=((x, 0.0), (x + 63, 0.0), (x + 63, 89.0), (x, 89.0)),
        face_up=True,
        face_confidence=1.0,
        identity=Known(card, sure) if sure >= 0.9 else Unreadable("index not clear"),
        probabilities=tuple(shares),
    )


def back(x: float) -> SeenCard:
    return replace(face("As", 0.1, x), face_up=False, identity=Unreadable("back"), probabilities=())


def likeliest(card: SeenCard) -> str:
    return DECK[max(range(len(DECK)), key=card.probabilities.__getitem__)]


def test_a_face_that_was_not_read_is_worth_another_look_and_a_back_is_not() -> None:
    assert unread([face("9h", 0.99), face("Qs", 0.6, 30)])
    assert not unread([face("9h", 0.99), back(30), back(60)])


def test_so_is_a_row_with_room_for_a_card_that_was_not_found() -> None:
    row = [face("8h", 0.99), face("9d", 0.99, 30), face("Kh", 0.99, 90)]
    assert unread(row) and not unread([*row, face("Qs", 0.99, 60)])
    assert not unread([face("8h", 0.99), face("9d", 0.99, 130)])


def test_the_surer_look_at_a_face_counts() -> None:
    (card,) = together([face("5c", 0.6)], [face("5c", 0.95, 2)])
    assert card.identity == Known("5c", 0.95)
    (card,) = together([face("5c", 0.95)], [face("5c", 0.6, 2)])
    assert card.identity == Known("5c", 0.95)


def test_a_face_is_not_surer_for_being_looked_at_twice() -> None:
    (card,) = together([face("3c", 0.66)], [face("3c", 0.6)])
    assert max(card.probabilities) == 0.66 and isinstance(card.identity, Unreadable)


def test_looks_that_speak_for_different_cards_leave_it_open() -> None:
    (card,) = together([face("As", 0.75)], [face("Ac", 0.95)])
    assert isinstance(card.identity, Unreadable)
    assert likeliest(card) == "Ac" and 0.4 < max(card.probabilities) < 0.5


def test_of_two_looks_the_one_that_reads_more_tells_which_cards_there_are() -> None:
    first = [face("8h", 0.99), face("3c", 0.1, 14), face("Kh", 0.97, 90)]
    second = [face("8h", 0.99, 1), face("9d", 0.99, 30), face("Qs", 0.95, 60), face("Kh", 0.6, 90)]
    assert sorted(likeliest(card) for card in together(first, second)) == ["8h", "9d", "Kh", "Qs"]
    assert all(isinstance(card.identity, Known) for card in together(first, second))


def test_an_unread_face_says_nothing_before_the_last_look() -> None:
    seen = ZoneSeen(
        start=1.0, end=1.2, frame=15, zone="seat1.cards", busy_since=0.5, changed=0.4,
        cards=(face("8h", 0.99), face("3c", 0.66, 30)),
    )  # fmt: skip
    read, open_ = withheld(seen).cards
    assert read == seen.cards[0] and open_.probabilities == () and open_.face_up
