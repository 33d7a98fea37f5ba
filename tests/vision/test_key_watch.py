import numpy as np
import pytest

from handreplay.vision.change import Area, Plane, Rest
from handreplay.vision.key_watch import PATIENCE_SECONDS, KeyWatcher

SQUARE = np.array([[40.0, 40.0], [120.0, 40.0], [120.0, 120.0], [40.0, 120.0]])  # px of the full picture
EVERY_SECONDS = 2.0
EMPTY, CARD, ARM = 60, 200, 120  # brightness of the zone


def picture(brightness: int) -> Plane:
    plane = np.full((100, 100), 60, np.uint8)
    plane[20:60, 20:60] = brightness
    return plane


def rests(*brightness: int) -> list[Rest]:
    """What is told of a zone of this brightness from key picture to key picture, read whenever it rests."""
    watcher, told = KeyWatcher({"seat1.cards": Area(SQUARE, None, None)}), []
    for number, level in enumerate(brightness):
        for rest in watcher.update(number * EVERY_SECONDS, number, picture(level)):
            told.append(rest)
            watcher.accept(rest.zone, empty=False)
    return told


def test_what_two_pictures_in_a_row_show_is_told_once_with_the_time_of_the_first() -> None:
    first, card = rests(EMPTY, EMPTY, EMPTY, CARD, CARD, CARD, CARD)
    assert (first.arrived, first.changed) == (0.0, 1.0)
    assert (card.arrived, card.frame, card.busy_since) == (6.0, 3, 4.0)
    assert card.changed == pytest.approx(1.0, abs=0.05)


def test_an_arm_that_passes_is_no_change() -> None:
    [_, later] = rests(EMPTY, EMPTY, ARM, EMPTY, EMPTY)
    assert later.changed == 0.0


def test_a_place_that_never_comes_to_rest_is_told_of_all_the_same() -> None:
    assert PATIENCE_SECONDS < 3 * EVERY_SECONDS
    told = rests(EMPTY, EMPTY, CARD, EMPTY, CARD, EMPTY, CARD)
    assert len(told) > 1


def test_nothing_is_compared_across_a_gap() -> None:
    watcher = KeyWatcher({"seat1.cards": Area(SQUARE, None, None)})
    watcher.update(0.0, 0, picture(EMPTY))
    watcher.forget()
    assert watcher.update(2.0, 1, picture(EMPTY)) == []
    assert len(watcher.update(4.0, 2, picture(EMPTY))) == 1
