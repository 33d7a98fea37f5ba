"""`handreplay probe`: what a recording is, what is wrong with it, and whether it can show the cards at all."""

import json
import subprocess
import sys

import cv2
import numpy as np
import pytest

from handreplay.config import load_profile
from handreplay.vision.probing import as_json, as_text, blur_of, examine
from tests.clips import cut, record, remux
from tests.drawn_table import at_work

PROFILE = """
schema = "handreplay.table/1"
chips = [{ value = "5", face = "#b3262e", edge = "#f2efe6", diameter_mm = 39.0, thickness_mm = 3.3 }]
[table]
id = "UTH-07"
game = "ultimate-texas-holdem"
rules = "pa-653a"
seats = 6
dealing = "hand"
shuffler_counts_deck = true
timezone = "America/New_York"
minimum_cents = 1000
maximum_cents = 50000
[paytables]
blind = "A"
[limits]
rounding = "down"
smallest_chip_cents = 500
[camera]
size = [{width}, {height}]
image_points = [{points}]
table_points = [[-900.0, 0.0], [900.0, 0.0], [900.0, 950.0], [-900.0, 950.0]]
position_mm = [0.0, 400.0, 2400.0]
"""


def profile_for(path, size, px_per_mm):
    """A camera that looks straight down on the middle of the table."""
    points = [
        [size[0] / 2 + x * px_per_mm, size[1] / 2 + (y - 475) * px_per_mm]
        for x, y in ((-900, 0), (900, 0), (900, 950), (-900, 950))
    ]
    text = PROFILE.replace("{width}", str(size[0])).replace("{height}", str(size[1]))
    path.write_text(text.replace("[{points}]", json.dumps(points)), encoding="utf-8")
    return path


def table_picture(number):
    picture = np.full((540, 960, 3), (20, 90, 50), dtype=np.uint8)
    for x in range(60, 900, 120):
        cv2.rectangle(picture, (x, 120 + number), (x + 60, 200 + number), (235, 235, 230), -1)
    return picture


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return record(tmp_path_factory.mktemp("probe") / "clip.mp4", 30, draw=table_picture, rate=15)


def run(*arguments):
    command = [sys.executable, "-m", "handreplay.cli", "probe", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60)


def test_a_whole_recording_is_usable_and_its_facts_are_told(clip):
    report = examine(clip)
    assert (report.verdict, report.exit_code) == ("usable", 0)
    plain = as_json(report)
    assert plain["rate"] == {"declared": 15.0, "usual": 15.0, "kind": "constant"}
    assert plain["pictures"]["promised"] == plain["pictures"]["read"] == 30
    assert plain["key_interval_seconds"] == pytest.approx(25 / 15, abs=0.001)
    assert "30 read of 30 promised" in as_text(report)


def test_with_a_profile_it_says_how_large_cards_and_chips_are(clip, tmp_path):
    profile = load_profile(profile_for(tmp_path / "t.toml", (960, 540), 0.5))
    report = examine(clip, profile)
    assert report.table.px_per_mm == pytest.approx((0.5, 0.5), abs=0.01)
    assert report.table.chip_px == pytest.approx(19.5, abs=0.2)
    assert report.table.index_px == pytest.approx(4.0, abs=0.1)
    assert report.faults == ()


def test_a_table_that_slides_through_the_picture_is_told(clip, tmp_path):
    report = examine(clip, load_profile(profile_for(tmp_path / "t.toml", (960, 540), 0.5)))
    assert report.exit_code == 3
    assert "the camera moved" in as_json(report)["misfits"][0]["reason"]
    assert "  view         0:00:0" in as_text(report)


def test_the_picture_of_another_camera_is_unusable_with_this_profile(tmp_path):
    other = record(tmp_path / "other.mp4", 25, draw=lambda n: np.ascontiguousarray(at_work(n)[::-1, ::-1]), rate=5)
    profile = load_profile(profile_for(tmp_path / "t.toml", (800, 450), 0.4))
    assert any("never fits the profile" in fault for fault in examine(other, profile).faults)
    own = record(tmp_path / "own.mp4", 25, draw=at_work, rate=5)
    assert examine(own, profile).misfits == ()


def test_a_camera_too_far_away_makes_it_unusable(clip, tmp_path):
    report = examine(clip, load_profile(profile_for(tmp_path / "t.toml", (960, 540), 0.25)))
    assert (report.verdict, report.exit_code) == ("unusable", 2)
    assert "card indices are 2.0 px high" in report.faults[0]


def test_a_picture_of_another_size_than_the_profiles_is_unusable_with_it(clip, tmp_path):
    report = examine(clip, load_profile(profile_for(tmp_path / "t.toml", (1920, 1080), 1.0)))
    assert "the picture is 960x540, but the profile's camera is 1920x1080" in report.faults


def test_zones_outside_the_picture_are_named(clip, tmp_path):
    report = examine(clip, load_profile(profile_for(tmp_path / "t.toml", (960, 540), 0.75)))
    assert "the picture does not show the whole zone rack" in " ".join(report.doubts)


def test_a_blurred_picture_is_measured_and_refused_when_indices_melt(tmp_path):
    soft = record(
        tmp_path / "soft.mp4", 10, draw=lambda n: cv2.GaussianBlur(table_picture(n), (0, 0), 3.0), options={"qp": "10"}
    )
    report = examine(soft, load_profile(profile_for(tmp_path / "t.toml", (960, 540), 0.5)))
    assert report.blur_px == pytest.approx(3.0, rel=0.25)
    assert "too soft" in report.faults[0]


@pytest.mark.parametrize("sigma", [1.0, 2.0, 3.0])
def test_blur_is_the_width_of_the_softening(sigma):
    sharp = table_picture(0)[..., 1]
    assert blur_of(cv2.GaussianBlur(sharp, (0, 0), sigma)) == pytest.approx(sigma, rel=0.25)
    assert blur_of(np.full((100, 100), 90, dtype=np.uint8)) is None


def test_a_variable_rate_is_called_variable(tmp_path):
    report = examine(record(tmp_path / "v.mp4", at=[*range(20), *range(20, 60, 2)]))
    assert as_json(report)["rate"]["kind"] == "variable"


def test_the_command_says_incomplete_with_exit_code_3(tmp_path, clip):
    short = cut(remux(clip, tmp_path / "fast.mp4", options={"movflags": "+faststart"}), tmp_path / "short.mp4", 0.7)
    result = run(short, "--format", "json")
    assert result.returncode == 3
    plain = json.loads(result.stdout)
    assert plain["verdict"] == "incomplete"
    assert plain["gaps"][-1]["end"] == 2.0


def test_the_command_says_unusable_in_one_line_with_exit_code_2(tmp_path):
    (tmp_path / "zero.mp4").write_bytes(b"")
    result = run(tmp_path / "zero.mp4")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.strip() == f"handreplay: {tmp_path / 'zero.mp4'}: empty file; copy or export it again"


def test_two_runs_say_the_same(clip):
    assert as_json(examine(clip)) == as_json(examine(clip))
