"""What shows in the rack: cards that come, and faces that must not show."""

import math

from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.reconstruct.rack import Arrival, arrivals

BACK: Reading[str] = Unreadable("back")


def look(t: float, identity: Reading[str] | None = None, changed: float = 0.3) -> ZoneSeen:
    """The rack with one card on top, or empty."""
    cards = ()
    if identity is not None:
        cards = (
            SeenCard(
                corners_mm=((0.0, 0.0),) * 4,
                face_up=isinstance(identity, Known),
                face_confidence=0.99,
                identity=identity,
            ),
        )
    return ZoneSeen(
        start=t,
        end=t + 0.5,
        frame=round(15 * t),
        zone="rack",
        busy_since=t - 1,
        changed=changed,
        cards=cards,
        filled=bool(cards),
    )


def came(*looks: ZoneSeen, community: tuple[float, ...] = ()) -> list[Arrival]:
    return arrivals([look(0.3), *looks], community)


def test_each_card_that_changes_the_rack_is_an_arrival() -> None:
    found = came(look(19.0, BACK), look(26.0, BACK), look(30.0, BACK, changed=0.001), community=(21.0, 28.0))
    assert [(one.t, one.shown) for one in found] == [(19.0, None), (26.0, None)]


def test_a_burn_that_came_face_up_and_stayed_so() -> None:
    found = came(look(19.0, BACK), look(26.0, Known("7c", 0.99)), look(33.0, BACK), community=(21.0, 28.0))
    assert [(one.t, one.face_up) for one in found] == [(19.0, False), (26.0, True), (33.0, False)]


def test_a_burn_that_was_turned_up_and_down_again_is_one_card() -> None:
    found = came(look(17.9, BACK), look(19.1, Known("9d", 0.99)), look(21.3, BACK), community=(23.0,))
    assert len(found) == 1 and found[0].t == 17.9 and not found[0].face_up
    assert found[0].shown is not None and (found[0].shown.t, found[0].shown.down) == (19.1, 21.3)


def test_the_first_thing_in_the_rack_may_come_with_its_face_up() -> None:
    found = came(look(19.1, Known("9d", 0.99)), look(21.3, BACK), community=(23.0,))
    assert len(found) == 1 and found[0].face_up


def test_a_stub_that_shows_its_face_and_is_turned_over_comes_once() -> None:
    found = came(
        look(30.0, BACK), look(36.5, BACK), look(41.5, Known("8c", 0.99)), look(43.7, BACK), community=(32.0, 38.0)
    )
    assert [one.t for one in found] == [30.0, 36.5, 41.5]
    assert found[2].shown is not None and found[2].shown.down == 43.7


def test_a_face_that_is_not_turned_down_shows_for_good() -> None:
    (only,) = came(look(19.1, Known("9d", 0.99)))
    assert only.shown is not None and math.isinf(only.shown.down)


def test_where_none_is_burned_a_face_comes_with_the_stub() -> None:
    found = came(look(0.4, BACK), look(34.7, Known("6s", 0.99)), look(36.9, BACK))
    assert [(one.t, one.face_up) for one in found] == [(0.4, False), (34.7, True)]
