"""A camera that is bumped, or goes over to infra-red, is noticed; hands, cards and chips are not taken for it."""

from itertools import takewhile
from pathlib import Path

import cv2
import numpy as np
import pytest

from handreplay.config import load_profile
from handreplay.footage import Frame, pictures
from handreplay.vision.calibration import Calibration
from handreplay.vision.fit import Fit, FitWatch, Layout, Misfit, misfits
from handreplay.vision.zones import Zones
from tests.clips import record
from tests.drawn_table import CALIBRATION, TABLE, ZONES, Zone, at_work, moved

SAMPLE = Path(__file__).parents[2] / "sample_footage"
RATE = 5


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


def test_a_profile_that_draws_one_seat_is_not_said_to_lie_elsewhere():
    """Of four circles half a turn about other middles is as alike; where they lie far off is still seen."""
    profile = load_profile(SAMPLE / "uth-sample.table.toml")
    calibration = Calibration.from_profile(profile)
    first = next(picture for picture in pictures(SAMPLE / "uth-sample.mp4") if isinstance(picture, Frame))
    told = {}
    for seat in range(1, 7):
        drawn = [zone for zone in profile.zones if zone.name.startswith(f"seat{seat}.")]
        aside = [Zone(zone.name, tuple((x + 25.0, y) for x, y in zone.polygon)) for zone in drawn]
        told[seat] = [Layout(calibration, Zones(some, calibration)).fits(first.luma)[0] for some in (drawn, aside)]
    assert all(there is not False and elsewhere is False for there, elsewhere in told.values())


def test_a_hand_over_the_only_seat_for_a_moment_is_no_other_view():
    profile = load_profile(SAMPLE / "uth-sample.table.toml")
    calibration = Calibration.from_profile(profile)
    near = ("seat5", "dealer", "community", "rack")
    watch = FitWatch(calibration, Zones([zone for zone in profile.zones if zone.name.startswith(near)], calibration))
    shown = (picture for picture in pictures(SAMPLE / "uth-sample.mp4") if isinstance(picture, Frame))
    looks = [watch.look(frame) for frame in takewhile(lambda frame: frame.seconds < 9, shown)]
    assert all(fit.ok for fit in looks if fit is not None)
