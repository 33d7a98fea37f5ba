"""What is fitted to pictures, and that it is kept only where it helps elsewhere."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from handreplay.adapt.chip_colours import ChipColour, measured, middle, palette
from handreplay.adapt.measure import (
    CardScore,
    ChipScore,
    card_score,
    chips_help,
    cooled,
    cross_fitted,
    fitted_temperature,
    halves,
    helps,
    training_helps,
)
from handreplay.adapt.profile_text import adapted_profile
from handreplay.config import load_profile
from handreplay.core.cards import DECK
from handreplay.errors import ProfileError
from tests.drawn_table import CALIBRATION

SAMPLE = Path(__file__).parent.parent.parent / "sample_footage" / "uth-sample.table.toml"
PROFILE = SAMPLE.read_text("utf-8")


def readings(count: int, temperature: float) -> tuple[np.ndarray, list[str]]:
    """Probabilities that are right as often as they say, then spoilt by a temperature; and the true cards."""
    rng = np.random.default_rng(3)
    honest = rng.dirichlet(np.full(52, 0.05), count)
    cards = [DECK[rng.choice(52, p=row)] for row in honest]
    return cooled(honest, 1 / temperature), cards


def test_the_temperature_that_spoilt_the_readings_is_found_again() -> None:
    spoilt, cards = readings(800, 2.0)
    assert fitted_temperature(spoilt, cards) == pytest.approx(2.0, abs=0.25)


def test_a_temperature_helps_readers_that_are_too_sure_and_no_others() -> None:
    first = np.arange(400) % 2 == 0
    for spoiling, wanted in ((2.0, True), (1.0, False)):
        spoilt, cards = readings(400, spoiling)
        after = card_score(cross_fitted(spoilt, cards, first), cards)
        assert helps(card_score(spoilt, cards), after) is wanted


def test_no_gain_counts_that_comes_with_sure_mistakes_or_from_few_cards() -> None:
    before, better = CardScore(40, 30, 20, 0, 1.0, 0.1), CardScore(40, 35, 30, 0, 0.5, 0.1)
    assert helps(before, better)
    assert not helps(before, CardScore(40, 35, 30, 1, 0.5, 0.1))
    assert helps(CardScore(400, 300, 200, 2, 1.0, 0.1), CardScore(400, 350, 300, 4, 0.5, 0.1))
    assert not helps(CardScore(10, 5, 5, 0, 1.0, 0.1), CardScore(10, 9, 9, 0, 0.1, 0.1))


def test_training_may_not_cost_right_cards_or_honesty() -> None:
    before = CardScore(40, 30, 20, 0, 1.0, 0.05)
    assert training_helps(before, CardScore(40, 35, 30, 0, 0.5, 0.06))
    assert not training_helps(before, CardScore(40, 29, 30, 0, 0.5, 0.05))
    assert not training_helps(before, CardScore(40, 35, 30, 0, 0.5, 0.2))


def test_chips_are_helped_by_more_right_ones_or_clearly_surer_ones_only() -> None:
    before = ChipScore(10, 8, 0.5)
    assert chips_help(before, ChipScore(10, 9, 0.5))
    assert chips_help(before, ChipScore(10, 8, 0.6))
    assert not chips_help(before, ChipScore(10, 8, 0.51))
    assert not chips_help(before, ChipScore(10, 9, 0.4))
    assert not chips_help(before, ChipScore(10, 7, 0.9))


@dataclass(frozen=True)
class View:
    label: str
    at: tuple[float, float]


def test_a_card_that_lies_at_one_place_in_two_pictures_is_never_in_both_halves() -> None:
    views = [View("As", (10, 10)), View("As", (11, 12)), View("As", (300, 10)), View("Kd", (10, 10))]
    first = halves(views)  # type: ignore[arg-type]
    assert first[0] == first[1] != first[2]


def drawn_chip(face: tuple[int, int, int], edge: tuple[int, int, int]):
    """A chip of 39 mm seen from above at 2 px/mm: its cut, the patch, and where it lies."""
    patch = CALIBRATION.patch((0.0, 500.0), (120.0, 120.0), px_per_mm=2.0)
    tile = np.full((240, 240, 3), (60, 100, 40), np.uint8)
    cv2.circle(tile, (120, 120), 39, face[::-1], -1)
    for turn in range(0, 360, 60):
        cv2.ellipse(tile, (120, 120), (38, 38), turn, -12, 12, edge[::-1], 9)
    cv2.circle(tile, (120, 120), 21, (235, 240, 240), -1)
    return tile, patch, (0.0, 500.0)


def test_face_and_edge_of_a_chip_are_measured_apart() -> None:
    found = measured(*drawn_chip((180, 40, 50), (240, 240, 230)))
    assert found.face == pytest.approx((180, 40, 50), abs=6)
    assert found.edge == pytest.approx((240, 240, 230), abs=6)


def test_a_chip_of_one_colour_has_no_other_edge() -> None:
    found = measured(*drawn_chip((180, 40, 50), (180, 40, 50)))
    assert found.edge == pytest.approx(found.face, abs=3)


def test_chips_that_were_not_measured_take_the_light_of_those_that_were() -> None:
    nominal = {
        "5": ChipColour((200, 0, 0), (200, 200, 200)),
        "25": ChipColour((0, 100, 0), (255, 255, 255)),
        "100": ChipColour((40, 40, 40), (100, 100, 100)),
    }

    def half(colour: ChipColour) -> ChipColour:
        return ChipColour(*(tuple(value / 2 for value in part) for part in (colour.face, colour.edge)))  # type: ignore[arg-type]

    lit = palette(nominal, {value: half(nominal[value]) for value in ("5", "25")})
    assert lit["5"] == half(nominal["5"])
    assert lit["100"].face == pytest.approx((20, 20, 20), abs=0.5)
    assert palette(nominal, {"5": half(nominal["5"])})["100"] == nominal["100"]


def test_several_measurements_of_a_chip_count_by_their_median() -> None:
    one, two, odd = (ChipColour((v, v, v), (v, v, v)) for v in (10.0, 12.0, 200.0))
    assert middle([one, odd, two]).face == (12.0, 12.0, 12.0)


def test_the_profile_is_written_again_with_nothing_changed_but_what_was_measured(tmp_path: Path) -> None:
    colours = {chip.value: ChipColour((1, 2, 3), (4, 5, 6)) for chip in load_profile(SAMPLE).chips}
    path = tmp_path / "own.table.toml"
    path.write_text(adapted_profile(PROFILE, "a.toml", colours=colours, temperature=1.25), "utf-8")
    new, old = load_profile(path), load_profile(SAMPLE)
    assert {chip.face for chip in new.chips} == {"#010203"} and new.deck.reader_temperature == 1.25
    assert (new.zones, new.camera, new.table, new.limits) == (old.zones, old.camera, old.table, old.limits)


def test_strange_names_and_texts_survive_being_written_again() -> None:
    text = 'a = "q\\"\\n\\u00e9"\n[b."x y"]\nc = [1, 2.5, true]\n[[d]]\ne = { f = -0.0 }\n'
    assert tomllib.loads(adapted_profile(text, "bad\nname")) == tomllib.loads(text)


def test_a_profile_names_a_reader_together_with_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "own.table.toml"
    path.write_text(adapted_profile(PROFILE, "a", reader=("reader.onnx", "0" * 64)), "utf-8")
    assert load_profile(path).deck.reader == "reader.onnx"
    path.write_text(path.read_text("utf-8").replace(f'reader_sha256 = "{"0" * 64}"\n', ""), "utf-8")
    with pytest.raises(ProfileError, match="belong together"):
        load_profile(path)
