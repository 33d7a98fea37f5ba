"""A camera that is bumped, or goes over to infra-red, is noticed; hands, cards and chips are not taken for it."""

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from handreplay.config_layout import standard_zones
from handreplay.footage import Frame, pictures
from handreplay.vision.calibration import Calibration
from handreplay.vision.fit import Fit, FitWatch, Layout, Misfit, misfits
from handreplay.vision.zones import Zones
from tests.clips import record

SIZE = (800, 450)
SCALE = 0.4
RATE = 5


@dataclass(frozen=True)
class Camera:
    size: tuple = SIZE
    image_points: tuple = tuple((400 + x * SCALE, 225 + (y - 475) * SCALE) for x in (-900, 900) for y in (0, 950))
    table_points: tuple = tuple((float(x), float(y)) for x in (-900, 900) for y in (0, 950))
    distortion: tuple = ()
    focal_px: float | None = 960.0
    principal_px: tuple | None = None
    position_mm: tuple = (0.0, 475.0, 2400.0)


@dataclass(frozen=True)
class Profile:
    camera: Camera


@dataclass(frozen=True)
class Zone:
    name: str
    polygon: tuple


CALIBRATION = Calibration.from_profile(Profile(Camera()))
ZONES = Zones(
    [Zone(*item) for item in standard_zones("ultimate-texas-holdem", 6, {"blind", "trips"}).items()], CALIBRATION
)


def empty_table():
    """A felt (H, W, 3) with a printed circle or diamond at every wager, card outlines, and a tray."""
    grain = np.random.default_rng(5).normal(0, 2, (SIZE[1], SIZE[0], 1))
    picture = (np.array([30, 95, 55]) + grain).clip(0, 255).astype(np.uint8)
    for name in ZONES.names:
        outline = np.round(ZONES.polygons_px[name]).astype(np.int32)
        middle = tuple(int(v) for v in np.round(CALIBRATION.to_picture_px([ZONES.center_mm(name)])[0]))
        if name.endswith(".cards") or name in ("tray", "rack", "community"):
            cv2.polylines(picture, [outline], True, (200, 200, 190), 1, cv2.LINE_AA)
        elif name.endswith("trips"):
            diamond = np.add(middle, [(0, -11), (11, 0), (0, 11), (-11, 0)])
            cv2.polylines(picture, [diamond.astype(np.int32)], True, (230, 225, 205), 2, cv2.LINE_AA)
        elif "." in name:
            cv2.circle(picture, middle, 11, (230, 225, 205), 2, cv2.LINE_AA)
            cv2.putText(picture, name[6:9], (middle[0] - 8, middle[1] + 3), 0, 0.25, (230, 225, 205), 1, cv2.LINE_AA)
    return picture


TABLE = empty_table()


def at_work(number):
    """The table with an arm that moves over it, chips that come, and a few cards."""
    picture = TABLE.copy()
    for seat in range(1, 2 + number // 8):
        x, y = np.round(CALIBRATION.to_picture_px([ZONES.center_mm(f"seat{seat}.ante")])[0] + 2).astype(int)
        cv2.circle(picture, (int(x), int(y)), 8, (180, 40, 45), -1, cv2.LINE_AA)
    if number > 15:
        cv2.rectangle(picture, (360, 170), (440, 195), (235, 235, 230), -1)
    reach = 200 + 40 * (number % 8)
    cv2.line(picture, (400, 0), (reach, 240), (120, 90, 80), 50, cv2.LINE_AA)
    return picture


def moved(picture, shift):
    return np.roll(picture, (shift[1], shift[0]), axis=(0, 1))


def fits_of(tmp_path, draw, count=40):
    watch = FitWatch(CALIBRATION, ZONES)
    path = record(tmp_path / "table.mp4", count, draw=draw, rate=RATE, key_every=10)
    looks = [watch.look(frame) for frame in pictures(path) if isinstance(frame, Frame)]
    return [fit for fit in looks if fit is not None]


def test_play_on_a_still_camera_raises_no_alarm(tmp_path):
    fits = fits_of(tmp_path, at_work)
    assert len(fits) >= 13
    assert all(fit.ok and not fit.colour_lost for fit in fits)


@pytest.mark.parametrize("shift", [(40, 25), (-13, 6), (5, 0)])
def test_a_bump_is_found_at_once_with_its_size_and_its_end(tmp_path, shift):
    def draw(number):
        return moved(at_work(number), shift) if 15 <= number < 30 else at_work(number)

    found = misfits(fits_of(tmp_path, draw))
    assert len(found) == 1
    assert 3.0 <= found[0].start <= 3.6 and 6.0 <= found[0].end <= 6.6
    assert found[0].shift_px == pytest.approx(shift, abs=1.0)
    assert "the camera moved" in found[0].why


def test_a_shift_that_does_no_harm_is_let_pass(tmp_path):
    fits = fits_of(tmp_path, lambda number: moved(at_work(number), (1, 1)) if number >= 15 else at_work(number))
    assert misfits(fits) == []


def test_a_picture_that_never_fitted_the_profile_is_told_from_the_start(tmp_path):
    fits = fits_of(tmp_path, lambda number: moved(at_work(number), (24, -16)), 20)
    assert not any(fit.ok for fit in fits)
    assert fits[0].at == 0.0
    assert fits[0].shift_px == pytest.approx((24, -16), abs=2.5)
    assert "printed layout lies 72 mm from where" in fits[0].why


def test_a_view_that_is_put_right_later_fits_from_then_on(tmp_path):
    found = misfits(
        fits_of(tmp_path, lambda number: moved(at_work(number), (24, -16)) if number < 15 else at_work(number))
    )
    assert len(found) == 1
    assert found[0].start == 0.0
    assert 3.0 <= found[0].end <= 3.6


def test_another_view_than_the_profiles_is_told_within_two_seconds(tmp_path):
    found = misfits(fits_of(tmp_path, lambda number: np.ascontiguousarray(at_work(number)[::-1, ::-1]), 25))
    assert len(found) == 1
    assert found[0].start <= 2.0
    assert found[0].why == "the printed layout is not where the table profile has it"


def test_a_lost_signal_is_told_within_two_seconds(tmp_path):
    black = misfits(fits_of(tmp_path, lambda number: np.zeros_like(TABLE) if number >= 15 else at_work(number)))
    assert len([misfit for misfit in black if not misfit.colour_lost]) == 1
    assert 3.0 <= black[0].start <= 5.2
    assert "no longer shows the table" in next(m for m in black if not m.colour_lost).why


def test_brighter_or_darker_light_is_no_movement(tmp_path):
    def draw(number):
        gain = 1.0 if number < 15 else 0.6
        return (at_work(number) * gain).astype(np.uint8)

    assert misfits(fits_of(tmp_path, draw)) == []


def test_infra_red_is_lost_colour_and_no_movement(tmp_path):
    def draw(number):
        picture = at_work(number)
        grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        return grey if 15 <= number < 25 else picture

    found = misfits(fits_of(tmp_path, draw))
    assert [(m.colour_lost, m.why) for m in found] == [(True, "the picture has no colour")]
    assert 3.0 <= found[0].start <= 3.6 and 5.0 <= found[0].end <= 5.6


def test_a_felt_without_print_can_still_be_watched_for_movement(tmp_path):
    plain = np.full_like(TABLE, (30, 95, 55))
    for x in range(60, 760, 90):
        cv2.ellipse(plain, (x, 60 + x // 3), (20, 9), x, 0, 250, (90, 160, 120), -1)

    found = misfits(fits_of(tmp_path, lambda n: moved(plain, (20, 12)) if n >= 15 else plain))
    assert [misfit.shift_px for misfit in found] == [pytest.approx((20, 12), abs=1.0)]


def test_the_layout_alone_tells_where_it_lies():
    layout = Layout(CALIBRATION, ZONES)
    luma = cv2.cvtColor(TABLE, cv2.COLOR_RGB2GRAY)
    assert layout.likeness(luma) > 0.5
    assert layout.shift_mm(luma) == (0.0, 0.0)
    assert layout.shift_mm(moved(luma, (20, -10))) == pytest.approx((50.0, -25.0), abs=4.0)
    assert layout.likeness(np.full_like(luma, 90)) is None


def test_stretches_run_from_the_first_bad_look_to_the_next_good_one():
    looks = [
        Fit(0.0, True),
        Fit(0.5, False, (9.0, 0.0), "bump"),
        Fit(1.0, False),
        Fit(1.5, True),
        Fit(2.0, False, None, "away"),
    ]
    assert misfits(looks) == [Misfit(0.5, 1.5, "bump", (9.0, 0.0)), Misfit(2.0, 2.0, "away")]
