"""A stack with another chip on top, or the same one turned or moved, is told from one that nobody touched."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from handreplay.core.observations import SeenStack
from handreplay.core.readings import Unreadable
from handreplay.vision.chip_tops import ChipTops

PX_PER_MM = 2
AT_MM = (40.0, 40.0)


class Straight:
    """A patch whose corner is the felt's origin."""

    def to_px(self, points_mm):
        return np.asarray(points_mm) * PX_PER_MM


def chip(turned_degrees: float, at_mm: tuple[float, float] = AT_MM) -> NDArray[np.float32]:
    """A red chip with six white spots and a number on its inlay, on green felt."""
    tile = np.full((160, 160, 3), (60, 90, 40), np.float32)
    middle = tuple(int(PX_PER_MM * value) for value in at_mm)
    cv2.circle(tile, middle, 39, (50, 40, 170), -1, cv2.LINE_AA)
    for spot in range(6):
        start = turned_degrees + 60 * spot
        cv2.ellipse(tile, middle, (39, 39), 0, start, start + 22, (230, 230, 230), -1, cv2.LINE_AA)
    cv2.circle(tile, middle, 22, (200, 225, 235), -1, cv2.LINE_AA)
    across = np.array([np.cos(np.radians(turned_degrees)), np.sin(np.radians(turned_degrees))]) * 13
    ends = [tuple(np.round(np.array(middle) + way * across).astype(int).tolist()) for way in (-1, 1)]
    cv2.line(tile, *ends, (30, 30, 40), 5, cv2.LINE_AA)
    grain = np.random.default_rng(round(turned_degrees)).normal(0, 3, tile.shape)
    return np.asarray(cv2.GaussianBlur(tile, (0, 0), 1.5) + grain, np.float32)


def seen_in(tops: ChipTops, tile: NDArray[np.float32], at_mm: tuple[float, float] = AT_MM) -> bool:
    stack = SeenStack(base_mm=at_mm, chips=Unreadable("not asked"), top_mm=at_mm)
    return tops.compared("seat1.ante", [stack], tile, Straight())[0].other_top


def test_the_first_chip_seen_is_no_other() -> None:
    assert not seen_in(ChipTops(), chip(0))


@pytest.mark.parametrize("degrees", [25, 100, 200])
def test_a_turned_chip_is_another(degrees: float) -> None:
    tops = ChipTops()
    seen_in(tops, chip(0))
    assert seen_in(tops, chip(degrees))
    assert not seen_in(tops, chip(degrees))


def test_light_and_the_edge_of_a_shadow_turn_no_chip() -> None:
    tops, shaded = ChipTops(), chip(0) * 1.15
    shaded[:, :85] *= 0.75
    seen_in(tops, chip(0))
    assert not seen_in(tops, shaded)


@pytest.mark.parametrize(("x", "y", "touched"), [(40.5, 40.0, False), (43.5, 38.0, True)])
def test_a_stack_that_was_pushed_was_touched(x: float, y: float, touched: bool) -> None:
    tops = ChipTops()
    seen_in(tops, chip(0))
    assert seen_in(tops, chip(0, (x, y)), (x, y)) is touched


def test_where_no_chip_lay_there_is_no_other() -> None:
    tops = ChipTops()
    seen_in(tops, chip(0, (20.0, 40.0)), (20.0, 40.0))
    assert not seen_in(tops, chip(25, (60.0, 40.0)), (60.0, 40.0))


def test_after_a_gap_nothing_is_compared() -> None:
    tops = ChipTops()
    seen_in(tops, chip(0))
    tops.forget()
    assert not seen_in(tops, chip(100))


def test_a_face_with_nothing_printed_tells_nothing() -> None:
    blank = np.full((160, 160, 3), 120, np.float32)
    tops = ChipTops()
    seen_in(tops, blank)
    assert not seen_in(tops, blank + np.random.default_rng(1).normal(0, 2, blank.shape).astype(np.float32))
