"""The order in which the open cards of a hand were dealt is told from how they lie."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known
from handreplay.reconstruct.card_story import CardStory, Show, Turn
from handreplay.reconstruct.hands import ZoneCards, tell
from handreplay.reconstruct.spread import Habit, in_deal_order

OPENED = 40.0
Face = tuple[str | None, float, float]  # what it was read as, x in mm, share that shows


def votes_for(card: str) -> list[float]:
    return [float(number == CARD_NUMBER[card]) for number in range(len(DECK))]


def opened(
    faces: Sequence[Face],
    *,
    backs: Sequence[float] = (),
    times: Sequence[float] = (),
    unseen: int = 0,
    y: float = 880.0,
) -> list[CardStory]:
    """A hand whose backs came at x of `backs`, in one line, and whose faces were seen at `times`, in any order."""
    hand = []
    for number in range(len(faces) + unseen):
        card = CardStory("zone", 10.0 + 3 * number, 1, False)
        card.came_at = (backs[number], y) if backs else None
        hand.append(card)
    for number, (card, (face, x, visible)) in enumerate(zip(hand, faces, strict=False)):
        t = times[number] if times else OPENED
        card.turns.append(Turn(t, 1, "up"))
        card.shows.append(Show(max(times, default=OPENED), (x, y), visible))
        card.place = (x, y)
        if face is not None:
            card.votes.add(votes_for(face))
    return hand


def told(zone: str, hand: list[CardStory], habit: Habit | None = None, **others: list[CardStory]) -> list[str | None]:
    hands = {zone: hand, **{f"{name}.cards": cards for name, cards in others.items()}}
    in_deal_order(hands, habit or Habit())
    placed = [card.placed for card in hand]
    assert placed == sorted(placed)
    return [card.face() for card in hand]


@pytest.mark.parametrize("zone", ["seat4.cards", "dealer.cards"])
@pytest.mark.parametrize("shares", [(0.5, 0.4, 0.96), (0.96, 0.4, 0.5)])
def test_of_cards_laid_on_one_another_the_lowest_was_dealt_first(zone: str, shares: tuple[float, ...]) -> None:
    faces = list(zip(("3s", "7c", "Kd"), (-30.0, 0.0, 30.0), shares, strict=True))
    upwards = shares[0] < shares[-1]
    assert told(zone, opened(faces)) == (["3s", "7c", "Kd"] if upwards else ["Kd", "7c", "3s"])


@given(st.permutations([("6h", -60.0, 0.54), ("Jd", -30.0, 0.4), ("9h", 30.0, 0.34), ("2c", 60.0, 0.99)]))
def test_the_order_hangs_on_the_lie_alone_and_not_on_which_face_was_noticed_first(faces: list[Face]) -> None:
    assert told("seat4.cards", opened(faces, unseen=1)) == ["6h", "Jd", None, "9h", "2c"]


def test_a_card_that_was_never_read_keeps_its_place_in_the_row() -> None:
    assert told("seat4.cards", opened([("8c", 0.0, 0.4), (None, 30.0, 0.75), ("4h", -30.0, 0.9)])) == [None, "8c", "4h"]


def test_a_strip_upon_another_card_was_in_the_gap() -> None:
    faces = [("2s", 120.0, 0.94), ("8h", 0.0, 0.79), (None, 13.0, 0.11), ("9d", 31.0, 0.4), ("Kh", 90.0, 0.4)]
    assert told("seat1.cards", opened(faces)) == ["8h", "9d", None, "Kh", "2s"]


def test_side_by_side_the_faces_lie_as_their_backs_did() -> None:
    faces = [("8s", 207.0, 1.0), ("As", 273.0, 1.0)]
    assert told("seat3.cards", opened(faces, backs=(255.0, 225.0))) == ["As", "8s"]
    assert told("seat3.cards", opened(faces, backs=(236.0, 247.0))) == ["8s", "As"]


def test_where_the_dealer_turns_hands_round_the_faces_lie_the_other_way_in_later_rounds_too() -> None:
    habit = Habit()
    dealer = opened([("Ts", 38.0, 1.0), ("9s", -38.0, 1.0)], backs=(14.0, -11.0), times=(40.3, 40.0), y=215.0)
    seat = [("Ks", 272.0, 1.0), ("5s", 209.0, 1.0)]
    assert told("seat3.cards", opened(seat, backs=(245.0, 229.0)), habit, dealer=dealer) == ["5s", "Ks"]
    assert [card.face() for card in dealer] == ["9s", "Ts"]
    assert told("seat3.cards", opened(seat, backs=(245.0, 229.0)), habit) == ["5s", "Ks"]


def test_what_the_dealer_turned_first_was_first_where_shares_are_rough() -> None:
    faces = [("6d", -41.0, 0.36), ("6s", -11.0, 0.24), ("7d", 20.0, 0.31)]
    assert told("dealer.cards", opened(faces, times=(41.0, 40.6, 40.0), y=216.0)) == ["7d", "6s", "6d"]


def test_squared_backs_and_faces_side_by_side_follow_the_other_hands() -> None:
    fan = opened([("2d", 30.0, 0.5), ("2c", 0.0, 0.5), ("8s", -30.0, 1.0)])
    apart = [("Qc", -66.0, 1.0), ("4s", 0.0, 1.0)]
    assert told("seat4.cards", opened(apart, backs=(1.0, 0.0)), seat5=fan) == ["4s", "Qc"]
    assert told("seat4.cards", opened(apart, backs=(1.0, 0.0))) == ["Qc", "4s"]


def test_no_face_is_given_to_a_card_that_came_after_it_had_shown() -> None:
    hand = opened([("8s", 207.0, 1.0), ("As", 273.0, 1.0)], backs=(255.0, 225.0))
    hand[0].turns[0] = Turn(11.0, 1, "up")
    assert told("seat3.cards", hand) == ["8s", "As"]


def test_one_face_found_twice_at_one_place_is_one_card() -> None:
    def seen(card: str, x: float, visible: float, changed: float) -> SeenCard:
        corners = ((x - 32.0, 170.0), (x + 32.0, 170.0), (x + 32.0, 260.0), (x - 32.0, 260.0))
        return SeenCard(
            corners_mm=corners,
            face_up=True,
            face_confidence=0.99,
            identity=Known(card, 0.99),
            probabilities=tuple(votes_for(card)),
            visible=visible,
            changed=changed,
        )

    def look(t: float, *cards: SeenCard, partly: bool = False) -> ZoneSeen:
        return ZoneSeen(start=t, end=t + 1, frame=1, zone="dealer.cards", busy_since=t - 1, changed=0.4, cards=cards,
                        filled=True, partly=partly)  # fmt: skip

    whole = [seen("7h", 37.0, 1.0, 1.0), seen("Tc", -38.0, 1.0, 1.0)]
    again = [seen("7h", 32.0, 0.09, 0.31), seen("7h", 37.0, 1.0, 0.0)]
    zone = ZoneCards("dealer.cards", seen=[look(40.0, *whole), look(60.0, *again, partly=True)])
    assert sorted(str(card.face()) for card in tell(zone)) == ["7h", "Tc"]


def test_a_hand_that_was_first_seen_open_is_put_in_order_too() -> None:
    hand = opened([("Jc", 40.0, 0.85), ("2h", 0.0, 0.7), ("4d", 21.0, 0.4)])
    hand[0].face_up, hand[0].turns, hand[0].placed = True, [], OPENED + 0.2
    for card in hand[1:]:
        card.placed = OPENED + 0.2
    assert told("seat3.cards", hand) == ["2h", "4d", "Jc"]
    assert {card.placed for card in hand} == {OPENED}


def test_a_card_that_came_open_among_backs_keeps_its_own_time() -> None:
    hand = opened([("6d", -41.0, 0.9), ("6s", -11.0, 0.3), ("8d", -90.0, 1.0)], backs=(3.0, 2.0, 1.0), y=216.0)
    hand[2].face_up, hand[2].turns, hand[2].came_at = True, [], None
    assert told("dealer.cards", hand) == ["6s", "6d", "8d"]
    assert hand[2].placed == 16.0
