"""A card is read where many outlines about it agree, and left where they do not."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.still_looks import around, settled

CARD = np.array([[100.0, 100.0], [160.0, 100.0], [160.0, 184.0], [100.0, 184.0]])


def shares(card: str, sure: float) -> np.ndarray:
    row = np.full(len(DECK), (1 - sure) / (len(DECK) - 1))
    row[CARD_NUMBER[card]] = sure
    return row


class Sharp:
    """Reads the better the nearer an outline is to the card's own."""

    def __init__(self, card: str, aside: str | None = None) -> None:
        self.card, self.aside, self.looks = card, aside, 0

    def __call__(self, outlines: Sequence[np.ndarray]) -> np.ndarray:
        self.looks += len(outlines)
        return np.array([self._one(outline) for outline in outlines])

    def _one(self, outline: np.ndarray) -> np.ndarray:
        far = float(np.linalg.norm(outline - CARD, axis=1).mean())
        if self.aside is not None and outline.mean(axis=0)[0] > CARD.mean(axis=0)[0]:
            return shares(self.aside, 0.98)
        return shares(self.card, 0.99 * np.exp(-((far / 14) ** 2)) + 0.01)


def test_the_outline_is_found_from_a_tenth_aside() -> None:
    end = settled(Sharp("Qs"), CARD + np.array([5.0, 6.0]))
    assert DECK[end.card] == "Qs" and end.confidence > 0.86
    assert np.abs(end.quad - CARD).max() < 3


def test_looks_that_name_two_cards_tell_neither() -> None:
    assert settled(Sharp("3s", aside="5s"), CARD).confidence == 0.0


def test_what_no_look_is_sure_of_is_not_sure_in_the_end() -> None:
    assert settled(lambda outlines: np.array([shares("9h", 0.5)] * len(outlines)), CARD).confidence < 0.6


def test_the_same_card_is_looked_at_in_the_same_ways() -> None:
    one, other = settled(Sharp("Qs"), CARD + 4.0), settled(Sharp("Qs"), CARD + 4.0)
    assert np.array_equal(one.quad, other.quad) and one.confidence == other.confidence


@given(st.floats(0.2, 1.0), st.floats(-180, 180))
def test_outlines_about_a_card_are_cards_still(step: float, degrees: float) -> None:
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    quad = (CARD - CARD.mean(axis=0)) @ np.array([[cosine, sine], [-sine, cosine]]) + 400
    outlines = around(quad, step)
    assert len(outlines) == len({outline.round(6).tobytes() for outline in outlines})
    for outline in outlines:
        sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
        assert np.abs(sides / [60, 84, 60, 84] - 1).max() < 0.2
        assert np.abs(outline.mean(axis=0) - 400).max() < 15
