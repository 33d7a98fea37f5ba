"""Where a card may lie unseen between the open cards of a hand."""

import numpy as np
import pytest

from handreplay.vision.fans import between
from handreplay.vision.table_eye import CardBox

CARD = np.array([[-31.7, -44.4], [31.7, -44.4], [31.7, 44.4], [-31.7, 44.4]])


def card(x: float, y: float = 0.0, *, face_up: bool = True, half_turn: bool = False) -> CardBox:
    corners = np.roll(CARD, 2, axis=0) if half_turn else CARD
    return CardBox(corners + [100.0 + x, 100.0 + y], face_up, 0.9, 0.9, 0.5)


def middles(*boxes: CardBox) -> list[list[float]]:
    return [[round(float(box.corners[:, 0].mean()) - 100) for box in guess] for guess in between(boxes)]


@pytest.mark.parametrize(
    ("boxes", "guesses"),
    [
        ((card(0), card(46)), [[23]]),
        ((card(0), card(72)), [[36], [24, 48]]),
        ((card(0), card(23), card(46)), []),
        ((card(0), card(23), card(69)), [[46]]),
        ((card(0), card(30)), []),
        ((card(0), card(46, 40)), []),
        ((card(0), card(46, face_up=False)), []),
        ((card(0), card(120)), []),
    ],
    ids=["one missing", "one or two", "none", "at one end", "too near", "no row", "a back", "too far"],
)
def test_gaps_of_a_hand_are_found(boxes: tuple[CardBox, ...], guesses: list[list[float]]) -> None:
    assert middles(*boxes) == guesses


def test_half_a_turn_does_not_matter() -> None:
    (guess,) = between([card(0), card(46, half_turn=True)])
    assert np.allclose(guess[0].corners.mean(axis=0), [123.0, 100.0])
    sides = np.linalg.norm(guess[0].corners - np.roll(guess[0].corners, 1, axis=0), axis=1)
    assert np.allclose(sorted(sides), [63.4, 63.4, 88.8, 88.8])
