"""A card of one even colour is found by its outline where the table net sees none."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from handreplay.core.cards import DECK
from handreplay.vision.card_reader import CardReading, Kind
from handreplay.vision.plain_cards import plain_cards

PX_PER_MM = 2.0
ZONE_MM = np.array([[10.0, 10.0], [210.0, 10.0], [210.0, 150.0], [10.0, 150.0]])
OCHRE = (30, 110, 160)


class Straight:
    """A patch whose corner is the felt's origin."""

    def to_px(self, points_mm):
        return np.asarray(points_mm) * PX_PER_MM


class Reader:
    """Says of every crop that it shows a card's back, or what it is told to say."""

    def __init__(self, kind: Kind = "back", sure: float = 0.98) -> None:
        self.kind, self.sure = kind, sure

    def read(self, crops):
        return [CardReading((1 / 52,) * len(DECK), 0.0, self.kind, self.sure) for _ in crops]


def felt() -> NDArray[np.uint8]:
    grain = np.random.default_rng(3).normal(0, 2, (320, 440, 1))
    return np.clip(np.array([60, 70, 150]) + grain, 0, 255).astype(np.uint8)


def card_on(tile: NDArray[np.uint8], x: float, y: float, degrees: float = 12.0, size=(63.5, 88.9)) -> NDArray[np.uint8]:
    laid = tile.copy()
    corners = cv2.boxPoints(((x * PX_PER_MM, y * PX_PER_MM), (size[0] * PX_PER_MM, size[1] * PX_PER_MM), degrees))
    cv2.fillPoly(laid, [np.round(corners).astype(np.int32)], OCHRE)
    return laid


def found(tile: NDArray[np.uint8], lying=(), reader: Reader | None = None):
    return plain_cards(reader or Reader(), tile, felt(), Straight(), ZONE_MM, PX_PER_MM, lying)


def test_one_card_is_found_where_it_lies() -> None:
    (box,) = found(card_on(felt(), 100.0, 80.0))
    assert not box.face_up
    assert np.abs(box.corners.mean(axis=0) - [100.0, 80.0]).max() < 1.5
    sides = np.linalg.norm(np.diff(box.corners, axis=0), axis=1)
    assert sides == pytest.approx([63.5, 88.9, 63.5], abs=0.1)


def test_a_second_card_lies_at_the_end_that_is_new() -> None:
    both = card_on(card_on(felt(), 90.0, 76.0, 0.0), 104.0, 84.0, 0.0)
    new, old = found(both, lying=[(90.0, 76.0)])
    assert np.abs(new.corners.mean(axis=0) - [104.0, 84.0]).max() < 2.0
    assert np.abs(old.corners.mean(axis=0) - [90.0, 76.0]).max() < 2.0


@pytest.mark.parametrize("size", [(40.0, 40.0), (63.5, 140.0), (30.0, 88.9)])
def test_what_has_not_a_cards_size_is_none(size: tuple[float, float]) -> None:
    assert found(card_on(felt(), 100.0, 80.0, size=size)) == []


def test_bare_felt_and_what_the_reader_takes_for_no_back_are_none() -> None:
    assert found(felt()) == []
    assert found(card_on(felt(), 100.0, 80.0), reader=Reader("none")) == []
    assert found(card_on(felt(), 100.0, 80.0), reader=Reader("back", 0.6)) == []


def test_two_cards_that_are_known_are_no_third() -> None:
    both = card_on(card_on(felt(), 90.0, 76.0, 0.0), 104.0, 84.0, 0.0)
    assert len(found(both, lying=[(90.0, 76.0), (104.0, 84.0)])) == 2
    three = card_on(both, 112.0, 84.0, 0.0)
    assert len(found(three, lying=[(90.0, 76.0), (104.0, 84.0)])) == 3
