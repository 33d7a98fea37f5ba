"""Outlines of cards in photographs are moved to the card's edges, and stay where there are none."""

import cv2
import numpy as np
import pytest

from handreplay.vision.still_edges import snapped

CARD = np.array([[210.0, 120.0], [330.0, 150.0], [290.0, 320.0], [165.0, 285.0]])


def photograph(card: np.ndarray | None = CARD, felt: int = 70) -> np.ndarray:
    picture = np.full((480, 520), felt, np.uint8)
    if card is not None:
        cv2.fillConvexPoly(picture, np.round(card * 16).astype(np.int32), 225, cv2.LINE_AA, shift=4)
        cv2.circle(picture, tuple(np.round(card.mean(axis=0)).astype(int).tolist()), 18, 30, -1)
    noise = np.random.default_rng(3).normal(0, 4, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 1.0) + noise, 0, 255).astype(np.float32)


def off(quad: np.ndarray) -> float:
    return float(np.linalg.norm(quad - CARD, axis=1).max())


@pytest.mark.parametrize("seed", range(8))
def test_an_outline_a_tenth_off_comes_to_lie_on_the_cards_edges(seed: int) -> None:
    rough = CARD + np.random.default_rng(seed).uniform(-12, 12, (4, 2))
    assert off(snapped(photograph(), rough)) < 3


def test_a_side_without_an_edge_stays_where_it_was() -> None:
    """Another card of the same white lies over one side."""
    picture = photograph()
    cv2.fillConvexPoly(picture, np.round(CARD + np.array([90, 20])).astype(np.int32), 225)
    rough = CARD + np.array([[-6, -6], [6, -6], [6, 6], [-6, 6]])
    moved = snapped(picture, rough)
    assert np.linalg.norm(moved[0] - CARD[0]) < 4 and np.linalg.norm(moved[3] - CARD[3]) < 4
    assert np.linalg.norm(moved[[1, 2]] - rough[[1, 2]], axis=1).max() < 12


@pytest.mark.parametrize("card", [None, CARD])
def test_where_nothing_is_lighter_than_what_is_beside_it_the_outline_stays(card: np.ndarray | None) -> None:
    assert np.array_equal(snapped(photograph(card, felt=225), CARD + 5.0), CARD + 5.0)


def test_an_outline_without_a_size_stays() -> None:
    point = np.full((4, 2), 40.0)
    assert np.array_equal(snapped(photograph(), point), point)


def test_an_outline_outside_the_picture_is_no_error() -> None:
    far = CARD + 2000.0
    assert np.array_equal(snapped(photograph(), far), far)
