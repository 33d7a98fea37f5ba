"""The whole line at a table where nobody plays: pictures are passed over while it is bare, and only then."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from handreplay.config import load_profile
from handreplay.core.observations import PictureLost, ZoneSeen
from handreplay.footage import Frame, pictures
from handreplay.pipeline import AuditResult, audit
from handreplay.report.run_files import coverage_of
from handreplay.vision.calibration import Calibration
from handreplay.vision.zones import Zones
from tests.clips import record

SAMPLE = Path(__file__).parent.parent / "sample_footage"
PROFILE = load_profile(SAMPLE / "uth-sample.table.toml")
COUNT, RATE = 165, 15


@pytest.fixture(scope="module")
def felt() -> np.ndarray:
    """The sample's table before the round, in RGB."""
    first = next(picture for picture in pictures(SAMPLE / "uth-sample.mp4") if isinstance(picture, Frame))
    return first.bgr()[:, :, ::-1].copy()


def watched(path: Path, felt: np.ndarray) -> AuditResult:
    """An audit of a recording in which nothing moves but the camera's noise."""
    noise = np.random.default_rng(4).integers(-3, 4, (2, *felt.shape), np.int8)
    views = [np.clip(felt + one, 0, 255).astype(np.uint8) for one in noise.astype(np.int16)]
    record(path, COUNT, rate=RATE, draw=lambda number: views[number % 2], key_every=5, options={"preset": "ultrafast"})
    return audit(path, PROFILE)


def test_an_idle_table_is_passed_over_for_the_most_part(tmp_path: Path, felt: np.ndarray) -> None:
    result = watched(tmp_path / "idle.mp4", felt)
    tally = result.tally
    assert tally.passed_over > COUNT / 5
    assert (tally.pictures, tally.gaps, tally.whole) == (COUNT, [], True)
    assert not any(isinstance(seen, PictureLost) for seen in result.observations)
    assert {seen.zone for seen in result.observations if isinstance(seen, ZoneSeen) and seen.filled} <= {"rack"}
    told = f"{tally.passed_over_microseconds / 1e6:.0f} of 11 seconds, in which the table was empty"
    assert any(remark.startswith(told) for remark in coverage_of(tally, PROFILE).remarks)


def test_a_table_on_which_a_card_lies_is_watched_picture_by_picture(tmp_path: Path, felt: np.ndarray) -> None:
    calibration = Calibration.from_profile(PROFILE)
    middle = calibration.to_picture_px([Zones(PROFILE.zones, calibration).center_mm("dealer.cards")])[0]
    left, top = (int(value) for value in middle - (35, 50))
    with_card = felt.copy()
    cv2.rectangle(with_card, (left, top), (left + 75, top + 105), (235, 235, 230), -1)
    result = watched(tmp_path / "card.mp4", with_card)
    assert result.tally.shown == COUNT and result.tally.passed_over == 0
    assert not any("empty" in remark for remark in coverage_of(result.tally, PROFILE).remarks)
