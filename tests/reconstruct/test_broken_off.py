"""A deal that was broken off: what is done with the cards afterwards is no more dealing."""

from handreplay.core.events import CardMoved, CardPlaced
from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Unreadable
from handreplay.reconstruct.assemble import TableView
from handreplay.reconstruct.deal import Deal
from handreplay.reconstruct.rounds import rounds

VIEW = TableView("FC-01", "four-card-poker", Deal(hand=5, dealer=6, dealer_down=5, burns=False))


def back(changed: float) -> SeenCard:
    return SeenCard(
        corners_mm=((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0)),
        face_up=False,
        face_confidence=0.99,
        identity=Unreadable("back"),
        changed=changed,
    )


def look(zone: str, t: float, changed: float, *cards: SeenCard) -> ZoneSeen:
    return ZoneSeen(
        start=t,
        end=t + 0.6,
        frame=round(15 * t),
        zone=zone,
        busy_since=t - 0.5,
        changed=changed,
        dealer_hand=6.0,
        cards=cards,
        filled=bool(cards),
    )


def broken_off(pick_up: float) -> list[ZoneSeen]:
    """Two cards to one seat and one to another; from `pick_up` on they are taken, the first seat's one by one."""
    return [
        look("seat1.cards", 10.0, 0.1, back(1.0)),
        look("seat2.cards", 11.0, 0.1, back(1.0)),
        look("seat1.cards", 12.0, 0.05, back(0.05)),
        look("seat1.cards", pick_up, 0.05, back(0.05)),
        look("rack", pick_up + 1.2, 0.3, back(1.0)),
        look("seat1.cards", pick_up + 3, 0.2),
        look("rack", pick_up + 4.2, 0.3, back(0.5)),
        look("seat2.cards", pick_up + 6, 0.2),
        look("rack", pick_up + 7.2, 0.3, back(0.5)),
    ]


def test_cards_taken_one_by_one_from_unfinished_hands_are_no_more_cards() -> None:
    (made,) = rounds(broken_off(pick_up=40.0), VIEW)
    dealt = [event.zone for event in made.events if isinstance(event, CardPlaced)]
    taken = [event.source for event in made.events if isinstance(event, CardMoved)]
    assert dealt == ["seat1.cards", "seat2.cards", "seat1.cards"]
    assert taken == ["seat1.cards", "seat1.cards", "seat2.cards"]


def test_a_card_that_follows_soon_is_dealt_though_something_reaches_the_rack() -> None:
    (made,) = rounds(broken_off(pick_up=14.0), VIEW)
    dealt = [event.zone for event in made.events if isinstance(event, CardPlaced)]
    assert dealt.count("seat1.cards") == 3
