"""Which of the cards seen are those seen before, which are new, and which are none."""

from dataclasses import replace

import pytest

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import SeenCard, SeenStack, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.reconstruct.card_story import CardStory, Turn
from handreplay.reconstruct.deal import Deal
from handreplay.reconstruct.hands import ZoneCards, _each_once, _not_again, _Teller, tell

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


def back(x: float, y: float = 215.0, visible: float = 1.0, changed: float = 0.7) -> SeenCard:
    return SeenCard(
        corners_mm=((x - 31, y - 45), (x + 31, y - 45), (x + 31, y + 45), (x - 31, y + 45)),
        face_up=False,
        face_confidence=0.98,
        identity=Unreadable("back"),
        visible=visible,
        changed=changed,
    )


def visit(t: float, *cards: SeenCard, since: float, partly: bool = False) -> ZoneSeen:
    return ZoneSeen(
        start=t,
        end=t + 0.5,
        frame=round(t * 15),
        zone="dealer.cards",
        busy_since=since,
        changed=0.08,
        dealer_hand=3.0,
        cards=cards,
        partly=partly,
    )


def placed(*looks: ZoneSeen) -> int:
    return len(tell(ZoneCards("dealer.cards", seen=list(looks), deal=Deal(hand=5, dealer=6, dealer_down=5))))


def test_a_back_first_noticed_beside_the_hand_that_laid_it_lies_some_millimetres_aside_when_the_hand_is_gone() -> None:
    first = visit(86.0, back(6.0), since=85.5)
    beside = visit(89.1, back(-5.0, 213.0, visible=0.75), since=88.8, partly=True)
    whole = visit(89.3, back(-2.0, 217.0), since=88.8)
    next_one = visit(92.5, back(-14.0), back(-2.0, 217.0), since=91.9, partly=True)
    assert placed(first, beside, whole, next_one) == 3


def test_a_back_that_a_later_hand_lays_some_millimetres_aside_is_another_card() -> None:
    assert placed(visit(86.0, back(6.0), since=85.5), visit(89.3, back(-2.0), since=88.8)) == 2


@pytest.mark.parametrize(("apart", "faces"), [(52.0, 1), (70.0, 2)])
def test_a_strip_within_a_cards_width_that_is_read_like_it_shows_its_index(apart: float, faces: int) -> None:
    ace, strip = seen(spread("As", "Ks", 0.01)), seen(spread("As", "Ks", 0.02), x=17.0 + apart, visible=0.2)
    assert len(_each_once([strip, ace])) == faces


def test_of_two_cards_that_were_read_alike_one_face_turns_up_one() -> None:
    cards = [lying(spread("5d", "5h", 0.01)), lying(spread("5d", "5h", 0.01))]
    for card in cards:
        card.turns.append(Turn(28.6, 430, "down"))
    teller = _Teller(ZoneCards("dealer.cards", deal=Deal(hand=5, dealer=6, dealer_down=5)), cards=cards)
    teller.see(visit(33.0, seen(spread("5d", "5h", 0.01)), since=32.0))
    assert [card.is_up() for card in cards] == [True, False]


def tucked_hand(*, turned_at: str) -> list[CardStory]:
    """Two cards dealt, tucked under Trips and turned up at 40 s, there or before the player; taken at 50 s."""
    faces = seen(spread("Ah", "Kh", 0.01), x=0.0), seen(spread("9c", "8c", 0.01), x=40.0)
    beside = (faces[1],) if turned_at == "seat3.trips" else ()
    chips = SeenStack(base_mm=(0.0, 0.0), chips=Known((("5", 1),), 0.95))

    def at(zone: str, t: float, *cards: SeenCard, stacks: tuple[SeenStack, ...] = (), changed: float = 0.3) -> ZoneSeen:
        return replace(visit(t, *cards, since=t - 1), zone=zone, stacks=stacks, changed=changed)

    looks = [
        at("seat3.cards", 10.0, back(0.0)),
        at("seat3.cards", 12.0, back(9.0), back(0.0, visible=0.15)),
        at("seat3.cards", 20.0),
        at("seat3.trips", 20.5, back(0.0), stacks=(chips,)),
        at(turned_at, 40.0, *(face for face in faces if face not in beside)),
        at("seat3.ante", 40.0, *beside),
        at(turned_at, 50.0),
    ]
    zone = ZoneCards("seat3.cards", seen=looks, deal=Deal(hand=2, dealer=2, community=5), dealt=13.0)
    return tell(zone)


@pytest.mark.parametrize("turned_at", ["seat3.trips", "seat3.cards"])
def test_tucked_cards_are_read_where_they_are_turned_up(turned_at: str) -> None:
    cards = tucked_hand(turned_at=turned_at)
    assert sorted(str(card.face()) for card in cards) == ["9c", "Ah"]
    assert [(card.tucked, card.shown(), card.left) for card in cards] == [("seat3.trips", 40.0, 50.0)] * 2


@pytest.mark.parametrize(("since", "face_up"), [(41.4, True), (44.0, False)])
def test_a_board_card_whose_back_showed_only_beside_the_hand_that_laid_it_came_face_up(
    since: float, face_up: bool
) -> None:
    beside = replace(visit(41.6, back(17.0, visible=0.73), since=41.4, partly=True), zone="community")
    open_ = replace(visit(max(since, 41.4) + 0.5, seen(spread("Jd", "Kd", 0.01)), since=since), zone="community")
    (card,) = tell(ZoneCards("community", seen=[beside, open_], deal=Deal(hand=2, dealer=2, community=5)))
    assert card.face_up is face_up and (card.shown() is None) is face_up


def test_a_face_that_a_second_look_at_the_same_rest_does_not_find_has_not_left() -> None:
    one, other = seen(spread("Qc", "Kc", 0.01)), seen(spread("8c", "9c", 0.01), x=45.0)
    first = replace(visit(125.0, one, other, since=124.0), end=125.5)
    again = replace(first, end=129.5, cards=(one,))
    zone = ZoneCards("dealer.cards", seen=[first, again], racked=[125.7], deal=Deal(hand=5, dealer=5))
    assert [card.left for card in tell(zone)] == [None, None]


def test_a_strip_taken_for_a_back_turns_no_card_down_whose_face_shows_beside_it() -> None:
    faces = [seen(spread(name, "2c", 0.01), x=x) for name, x in (("6d", -71.0), ("9s", -2.0), ("Kd", 44.0))]
    first = visit(74.7, *faces, since=74.0)
    again = replace(first, cards=(*faces, back(2.0, visible=0.21, changed=0.0)))
    cards = tell(ZoneCards("dealer.cards", seen=[first, again], deal=Deal(hand=5, dealer=6, dealer_down=5)))
    assert len(cards) == 3
    assert not [turn for card in cards for turn in card.turns if turn.face == "down"]


def test_an_open_card_half_under_a_sleeve_that_seems_to_show_its_neighbours_index_is_no_card_more() -> None:
    lies = [seen(spread(name, "5s", 0.01), x=x) for name, x in (("2c", -134.0), ("4c", -67.0), ("Kd", 0.0))]
    half = seen(spread("4c", "5c", 0.01), x=-120.0, visible=0.69)
    looks = [replace(visit(40.0, *lies, since=39.0), zone="community")]
    looks.append(replace(visit(58.5, half, *lies[1:], since=58.0), zone="community"))
    cards = tell(ZoneCards("community", seen=looks, deal=Deal(hand=2, dealer=2, community=5)))
    assert sorted(str(card.face()) for card in cards) == ["2c", "4c", "Kd"]
    assert not [card for card in cards if card.turns or card.left]


@pytest.mark.parametrize(("covered", "face_up"), [([41.9], False), ([], True)])
def test_a_board_card_that_was_dealt_while_its_place_could_not_be_read_came_face_down(
    covered: list[float], face_up: bool
) -> None:
    looks = [
        visit(40.3, back(35.0), since=39.9),
        visit(49.5, seen(spread("7h", "7d", 0.01), x=35.0), since=41.4),
        visit(55.1, seen(spread("7h", "7d", 0.01), x=35.0), seen(spread("8c", "8s", 0.01), x=-33.0), since=54.3),
    ]
    looks = [replace(look, zone="community") for look in looks]
    deal = Deal(hand=3, dealer=0, community=2, community_down=True, burns=False)
    cards = tell(ZoneCards("community", seen=looks, covered=covered, dealt=40.3, deal=deal))
    assert [(card.face(), card.face_up) for card in cards] == [("7h", False), ("8c", face_up)]


def hand_of_three(*later: ZoneSeen) -> list[str | None]:
    backs = [visit(10.0 * n, back(2.0 * n), since=10.0 * n - 1) for n in (1, 2, 3)]
    told = tell(ZoneCards("dealer.cards", seen=[*backs, *later], dealt=30.0, deal=Deal(hand=3, dealer=3)))
    return [card.face() for card in told]


def test_a_strip_of_a_hand_that_then_lies_open_whole_was_one_of_the_cards_that_show_now() -> None:
    queen, strip = seen(spread("Qd", "Qh", 0.001), -60.0), seen(spread("5d", "6d", 0.001), -50.0, visible=0.4)
    first = visit(50.0, queen, strip, back(6.0), since=49.0)
    whole = visit(52.0, queen, seen(spread("6d", "5d", 0.001), 4.0), seen(spread("4d", "4h", 0.001), 70.0), since=51.0)
    assert sorted(map(str, hand_of_three(first, whole))) == ["4d", "6d", "Qd"]


def test_a_face_that_shows_by_and_by_adds_no_card_to_a_full_hand() -> None:
    queen, five = seen(spread("Qd", "Qh", 0.001), -60.0), seen(spread("5d", "6d", 0.001), 4.0)
    first = visit(50.0, queen, five, back(70.0), since=49.0)
    then = visit(52.0, queen, seen(spread("6d", "5d", 0.001), 40.0), seen(spread("4d", "4h", 0.001), 100.0), since=51.0)
    assert len(hand_of_three(first, then)) == 3


def test_more_faces_at_once_than_a_hand_holds_are_a_card_too_many() -> None:
    faces = [seen(spread(card, "2h", 0.001), 64.0 * n) for n, card in enumerate(("Qd", "5d", "6d", "4d"))]
    assert sorted(map(str, hand_of_three(visit(50.0, *faces, since=49.0)))) == ["4d", "5d", "6d", "Qd"]
