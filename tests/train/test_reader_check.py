"""The tables that tell how well cards are read."""

import numpy as np
import pytest

from handreplay.core.cards import CARD_NUMBER
from handreplay.train.reader_check import Labelled, confusions, contact_sheet, reliability, table
from handreplay.vision.card_reader import CardReading

CROP = np.full((152, 112, 3), 200, np.uint8)


def sample(card: str, track: str = "t", deck: str = "own", crop: np.ndarray | None = CROP) -> Labelled:
    return Labelled("clip", deck, "ceiling", "short side 35 to 45 px", track, card, crop)


def reading(card: str, chance: float) -> CardReading:
    rest = (1 - chance) / 51
    shares = tuple(chance if number == CARD_NUMBER[card] else rest for number in range(52))
    return CardReading(shares, 1.0, "face", 1.0)


SAMPLES = [sample("As", "a"), sample("As", "a"), sample("Kd", "k", "other"), sample("2c", "c", crop=None)]
READINGS = [reading("As", 0.99), reading("Ah", 0.6), reading("Kh", 0.95), None]


def row(title: str, after: str) -> list[str]:
    lines = table(SAMPLES, READINGS).splitlines()
    return next(line for line in lines[lines.index(after) :] if line.startswith(f"  {title} ")).split()[-6:]


def test_every_grouping_counts_found_right_sure_and_surely_wrong() -> None:
    assert row("own", "single pictures, by deck") == ["3", "66.67%", "33.33%", "33.33%", "0", "100.00%"]
    assert row("other", "single pictures, by deck") == ["1", "100.00%", "0.00%", "100.00%", "1", "0.00%"]
    assert row("ceiling", "single pictures, by camera")[0] == "4"


def test_the_pictures_of_one_card_vote_and_a_card_never_found_is_missed() -> None:
    assert row("all", "voted over a card's still pictures")[:3] == ["3", "66.67%", "33.33%"]


def test_reliability_sets_what_was_said_beside_what_was_right() -> None:
    text = reliability([sample("As")] * 4, [reading("As", 0.8)] * 3 + [reading("Ah", 0.8)])
    assert "0.800  0.750" in text and text.endswith("expected calibration error 0.0500")
    bar = text.splitlines()[1].split()[2]
    assert bar.index("|") == pytest.approx(0.8 * len(bar), abs=1)


def test_mistakes_are_named_and_shown_and_missed_cards_are_neither() -> None:
    assert confusions(SAMPLES, READINGS) == "As>Ah 1  Kd>Kh 1"
    sheet = contact_sheet(SAMPLES, READINGS)
    assert sheet is not None and sheet.shape == (152 + 32, 2 * 112, 3)
    assert contact_sheet(SAMPLES[:1], READINGS[:1]) is None
