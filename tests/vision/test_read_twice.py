"""Of two faces that were read alike, the one that only shows the other's index is not read."""

import numpy as np
import pytest

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.card_reader import CardReading
from handreplay.vision.fans import Read
from handreplay.vision.read_twice import each_read_once
from handreplay.vision.straighten import CROP_PX_PER_MM
from handreplay.vision.table_eye import CardBox

PX_PER_MM = 2.0
CARD = np.array([[-31.7, -44.4], [31.7, -44.4], [31.7, 44.4], [-31.7, 44.4]])
QUEEN, DIM = "Qs", 60


def reading(sure: float) -> CardReading:
    shares = np.full(len(DECK), (1 - sure) / (len(DECK) - 1))
    shares[CARD_NUMBER[QUEEN]] = sure
    return CardReading(tuple(shares), 1.0, "face", 1.0)


class Corners:
    """Reads a queen wherever a crop shows something dark along one of its long sides."""

    def read(self, crops: list[np.ndarray]) -> list[CardReading]:
        side = round(14 * CROP_PX_PER_MM)
        return [
            reading(0.99 if min(crop[:, :side].min(), crop[:, -side:].min()) < DIM + 20 else 0.02) for crop in crops
        ]


def box(x: float, visible: float) -> CardBox:
    return CardBox(CARD + np.array([100.0 + x, 100.0]), True, 0.9, 0.9, visible)


def told(*dark_mm: float, second: float) -> list[bool]:
    """Which of two outlines, at 0 and at `second` mm, stay read where the indices lie at `dark_mm`."""
    tile = np.full((400, 700, 3), 240, np.uint8)
    for x in dark_mm:
        left = round((100 + x) * PX_PER_MM)
        tile[130:270, left - 6 : left + 6] = DIM
    read: list[Read] = [(box(0.0, 0.6), reading(0.99)), (box(second, 0.8), reading(0.99))]
    return [max(look.spread()) >= 0.9 for _, look in each_read_once(Corners(), tile, PX_PER_MM, read)]


def test_a_card_beside_one_with_an_index_in_each_corner_does_not_show_that_index() -> None:
    assert told(-24.0, 24.0, second=50.0) == [True, False]


def test_two_cards_that_each_show_an_index_of_their_own_are_two() -> None:
    assert told(-24.0, 24.0, 74.0, second=50.0) == [True, True]


@pytest.mark.parametrize("second", [9.0, 120.0])
def test_outlines_of_one_card_and_cards_that_lie_apart_are_left_as_they_are(second: float) -> None:
    assert told(-24.0, 24.0, second=second) == [True, True]
