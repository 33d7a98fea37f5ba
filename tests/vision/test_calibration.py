"""Felt and picture map onto each other, for every place that a camera hangs."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.errors import ProfileError
from handreplay.vision.calibration import Calibration, in_bytes
from handreplay.vision.zones import NO_ZONE, Zones


@dataclass(frozen=True)
class Camera:
    size: tuple
    image_points: tuple
    table_points: tuple
    distortion: tuple = ()
    focal_px: float | None = None
    principal_px: tuple | None = None
    position_mm: tuple | None = None


@dataclass(frozen=True)
class Profile:
    camera: Camera | None


@dataclass(frozen=True)
class Zone:
    name: str
    polygon: tuple = field(default=())


def box(name, x, y, width, height):
    return Zone(name, ((x, y), (x + width, y), (x + width, y + height), (x, y + height)))


TABLE_POINTS = [(x, y) for x in (-800.0, -300.0, 250.0, 800.0) for y in (60.0, 400.0, 850.0)]
PLACES = {
    "ceiling": ((20.0, 400.0, 2400.0), (0.0, 420.0), 0.0),
    "upside down": ((-30.0, 500.0, 2200.0), (0.0, 420.0), 180.0),
    "behind the dealer": ((0.0, -400.0, 2300.0), (0.0, 400.0), 0.0),
    "players' side": ((70.0, 1270.0, 2500.0), (0.0, 450.0), 180.0),
    "left side": ((880.0, 350.0, 2300.0), (0.0, 400.0), 20.0),
}
DISTORTION = (-0.05, 0.02, 0.0004, -0.0005, 0.003)


def pinhole(points, position, target, roll, focal, size, distortion=(0.0,) * 5):
    """Points (x, y, height) as a camera at `position` sees them: plain vectors, apart from the code under test."""
    flip = np.array([1.0, 1.0, -1.0])  # heights count upwards, a picture's depth downwards
    eye, aim = np.array(position) * flip, np.array([*target, 0.0])
    depth = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(np.array([0.0, 1.0, 0.0]), depth)
    right /= np.linalg.norm(right)
    down = np.cross(depth, right)
    c, s = np.cos(np.radians(roll)), np.sin(np.radians(roll))
    seen = (np.asarray(points, dtype=float) * flip - eye) @ np.stack(
        [c * right + s * down, c * down - s * right, depth]
    ).T
    x, y = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
    k1, k2, p1, p2, k3 = distortion
    r2 = x * x + y * y
    bend = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    xd = x * bend + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    yd = y * bend + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    return np.stack([xd * focal + size[0] / 2, yd * focal + size[1] / 2], axis=1)


def camera(place, *, distortion=DISTORTION, focal=2000.0, size=(1920, 1080)):
    position, target, roll = PLACES[place]
    flat = [(x, y, 0.0) for x, y in TABLE_POINTS]
    image = pinhole(flat, position, target, roll, focal, size, distortion)
    return Camera(size, tuple(map(tuple, image)), tuple(TABLE_POINTS), distortion, focal, None, position)


@pytest.mark.parametrize("place", PLACES)
def test_points_at_any_height_land_where_the_camera_sees_them(place):
    position, target, roll = PLACES[place]
    calibration = Calibration.from_profile(Profile(camera(place)))
    points = [(-700.0, 300.0, 0.0), (610.0, 120.0, 3.3), (-20.0, 700.0, 33.0), (100.0, 200.0, 80.0)]
    expected = pinhole(points, position, target, roll, 2000.0, (1920, 1080), DISTORTION)
    found = calibration.to_picture_px([p[:2] for p in points], [p[2] for p in points])
    assert np.abs(found - expected).max() < 0.01
    back = calibration.to_felt_mm(expected, [p[2] for p in points])
    assert np.abs(back - [p[:2] for p in points]).max() < 0.01


@pytest.mark.parametrize("place", PLACES)
def test_the_cameras_place_follows_from_the_points_and_the_focal_length(place):
    calibration = Calibration.from_profile(Profile(replace(camera(place), position_mm=None)))
    assert np.allclose(calibration.camera_mm, PLACES[place][0], atol=0.5)


def test_a_slanted_camera_needs_no_focal_length():
    settings_ = replace(camera("players' side", distortion=(0.0,) * 5), focal_px=None, position_mm=None, distortion=())
    found = Calibration.from_profile(Profile(settings_)).camera_mm
    assert np.allclose(found, PLACES["players' side"][0], atol=5.0)


def test_a_camera_that_looks_straight_down_must_say_where_it_is():
    straight_down = replace(camera("ceiling", distortion=(0.0,) * 5), focal_px=None, position_mm=None, distortion=())
    with pytest.raises(ProfileError, match="position_mm"):
        Calibration.from_profile(Profile(straight_down))


def test_a_mirrored_table_is_refused():
    good = camera("ceiling")
    mirrored = replace(good, table_points=tuple((-x, y) for x, y in good.table_points))
    with pytest.raises(ProfileError, match="mirrored"):
        Calibration.from_profile(Profile(mirrored))


def test_two_exchanged_points_are_refused_and_slight_errors_are_warned_of():
    good = camera("ceiling")
    points = list(good.image_points)
    points[3], points[4] = points[4], points[3]
    with pytest.raises(ProfileError, match="misses the profile's points by"):
        Calibration.from_profile(Profile(replace(good, image_points=tuple(points))))
    off = np.array(good.image_points) + np.random.default_rng(3).normal(0, 6, (12, 2))
    slightly = Calibration.from_profile(Profile(replace(good, image_points=tuple(map(tuple, off)))))
    assert "misses" in slightly.warnings[0]


def test_a_place_that_the_points_contradict_is_warned_of():
    calibration = Calibration.from_profile(Profile(replace(camera("ceiling"), position_mm=(900.0, 400.0, 2400.0))))
    assert "position_mm" in calibration.warnings[0]


def test_a_profile_without_a_camera_says_that_footage_needs_one():
    with pytest.raises(ProfileError, match="no \\[camera\\] section"):
        Calibration.from_profile(Profile(None))


@given(st.floats(-900, 900), st.floats(0, 950), st.floats(0, 60), st.sampled_from(sorted(PLACES)))
@settings(max_examples=60, deadline=None)
def test_there_and_back_again_is_the_same_point(x, y, height, place):
    calibration = Calibration.from_profile(Profile(camera(place)))
    back = calibration.to_felt_mm(calibration.to_picture_px([(x, y)], height), height)
    assert np.abs(back - (x, y)).max() < 1e-6


def test_a_stack_leans_away_from_the_camera():
    calibration = Calibration.from_profile(Profile(camera("ceiling")))
    assert calibration.lean_mm_per_mm((700.0, 400.0)) == pytest.approx(((700.0 - 20.0) / 2400.0, 0.0))
    assert calibration.px_per_mm((0.0, 400.0)) == pytest.approx(2000 / 2400, rel=0.01)


def test_a_patch_shows_the_felt_upright_and_to_scale():
    calibration = Calibration.from_profile(Profile(camera("upside down")))
    picture = np.zeros((1080, 1920), dtype=np.uint8)
    center = (300.0, 500.0)
    corner = calibration.to_picture_px([(center[0] + 30.0, center[1] + 10.0)])[0]
    picture[int(corner[1]) - 1 : int(corner[1]) + 2, int(corner[0]) - 1 : int(corner[0]) + 2] = 255
    patch = calibration.patch(center, (100.0, 60.0), px_per_mm=2.0)
    view = patch.warp(picture)
    assert view.shape == (120, 200)
    row, column = np.array(np.nonzero(view > 100)).mean(axis=1) + 0.5
    assert np.allclose(patch.to_mm([(column, row)]), [(330.0, 510.0)], atol=1.0)
    assert np.allclose(patch.to_px([(330.0, 510.0)]), [(160.0, 80.0)])


def test_a_turned_patch_follows_its_angle():
    calibration = Calibration.from_profile(Profile(camera("ceiling")))
    patch = calibration.patch((0.0, 400.0), (100.0, 50.0), px_per_mm=1.0, angle_deg=90.0)
    assert np.allclose(patch.to_mm([(100.0, 25.0)]), [(0.0, 450.0)])
    assert patch.warp(np.full((1080, 1920, 3), 7, dtype=np.uint8)).shape == (50, 100, 3)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("size_mm", [(3.0, 5.0), (213.0, 151.0), (1900.0, 900.0)])
def test_every_pixel_of_a_patch_is_taken_from_where_the_camera_sees_that_point(place, size_mm):
    calibration = Calibration.from_profile(Profile(camera(place)))
    patch = calibration.patch((90.0, 430.0), size_mm, px_per_mm=1.5, angle_deg=31.0, height_mm=20.0)
    width, height = patch.size_px
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2) + 0.5
    seen = calibration.to_picture_px(patch.to_mm(pixels), 20.0) - 0.5
    fraction = np.stack([patch.fine % 32, patch.fine // 32], axis=-1) / 32
    assert np.abs((patch.coarse + fraction).reshape(-1, 2) - seen).max() <= 0.5 / 32 + 0.001


def test_a_patch_that_reaches_over_the_cameras_horizon_still_shows_what_lies_before_it():
    calibration = Calibration.from_profile(Profile(camera("behind the dealer")))
    patch = calibration.patch((0.0, 400.0), (200_000.0, 200_000.0), px_per_mm=0.005)
    cut = patch.warp(np.full((1080, 1920), 200, dtype=np.uint8))
    x, y = patch.to_px([(0.0, 400.0)])[0].astype(int)
    assert cut[y, x] > 0 and not cut[0].any() and not cut[-1].any()


def test_a_patch_outside_the_picture_is_black():
    calibration = Calibration.from_profile(Profile(camera("ceiling")))
    patch = calibration.patch((2500.0, 2500.0), (50.0, 50.0))
    assert not patch.warp(np.full((1080, 1920), 200, dtype=np.uint8)).any()


def zones():
    shapes = [box("seat2.ante", 0.0, 400.0, 60.0, 60.0), box("seat3.ante", 70.0, 400.0, 60.0, 60.0)]
    return Zones(shapes, Calibration.from_profile(Profile(camera("ceiling"))))


def test_a_point_belongs_to_the_zone_that_holds_it():
    assert zones().zone_at((30.0, 430.0)) == "seat2.ante"
    assert zones().zone_at((72.0, 430.0)) == "seat3.ante"
    assert zones().zone_at((500.0, 430.0)) is None


def test_a_point_near_one_zone_only_belongs_to_it_within_the_margin():
    assert zones().zone_at((-8.0, 430.0), margin_mm=10.0) == "seat2.ante"
    assert zones().zone_at((-12.0, 430.0), margin_mm=10.0) is None


def test_a_point_in_the_gap_between_two_zones_belongs_to_neither():
    assert zones().zone_at((65.0, 430.0), margin_mm=10.0) is None
    assert zones().zone_at((65.0, 430.0)) is None


def test_the_numbered_picture_agrees_with_the_zones_at_every_size():
    both = zones()
    for scale in (1.0, 0.25):
        numbered = both.numbered(scale)
        assert numbered.shape == (1080 * scale, 1920 * scale)
        for name, number in (("seat2.ante", 0), ("seat3.ante", 1)):
            x, y = both.calibration.to_picture_px([both.center_mm(name)])[0] * scale
            assert numbered[int(y), int(x)] == number
        assert numbered[0, 0] == NO_ZONE


def test_a_zone_half_out_of_the_picture_says_so():
    calibration = Calibration.from_profile(Profile(camera("ceiling")))
    edge = calibration.to_felt_mm([(1920.0, 540.0)])[0]
    half = Zones([box("rack", edge[0] - 50.0, edge[1] - 50.0, 100.0, 100.0)], calibration)
    assert half.share_in_picture("rack") == pytest.approx(0.5, abs=0.05)
    assert zones().share_in_picture("seat2.ante") == 1.0


@pytest.mark.parametrize("center", [(330.0, 510.0), (-800.0, 60.0), (1500.0, 900.0)], ids=["inside", "edge", "outside"])
def test_a_patch_cut_from_its_part_of_the_picture_is_the_patch_cut_from_all_of_it(center):
    calibration = Calibration.from_profile(Profile(camera("behind the dealer")))
    picture = np.random.default_rng(5).integers(0, 256, (1080, 1920, 3), dtype=np.uint8)
    patch = calibration.patch(center, (200.0, 150.0), px_per_mm=2.0)
    window = patch.window((1920, 1080))
    part = picture[window.rows, window.columns]
    assert part.size < picture.size / 20
    assert np.array_equal(window.patch.warp(part), patch.warp(picture))
    assert np.abs(window.straight(part.astype(np.float32)) - patch.warp(picture)).max() <= 0.51
    assert np.allclose(window.patch.to_mm([(7.0, 9.0)]), patch.to_mm([(7.0, 9.0)]))


def test_fractions_are_rounded_to_the_nearest_byte_and_halves_to_the_even_one():
    assert in_bytes(np.array([[0.0, 0.5, 1.5, 2.49, 254.51, 255.0]], np.float32)).tolist() == [[0, 0, 2, 2, 255, 255]]


def test_the_middle_of_a_patch_is_the_smaller_patch_about_the_same_point():
    calibration = Calibration.from_profile(Profile(camera("behind the dealer")))
    whole, small = (calibration.patch((30.0, 400.0), size, px_per_mm=2.0) for size in ((320.0, 192.0), (256.0, 160.0)))
    middle = whole.middle(small.size_px)
    window, narrow = middle.window((1920, 1080)), whole.window((1920, 1080)).middle(small.size_px)
    assert (narrow.rows, narrow.columns) == (window.rows, window.columns)
    assert np.array_equal(narrow.patch.coarse, window.patch.coarse)
    assert np.array_equal(narrow.patch.fine, window.patch.fine)
    assert middle.size_px == small.size_px
    assert np.abs(middle.coarse - small.coarse).max() <= 1  # a hair's breadth may change the whole pixel
    assert np.mean(middle.coarse == small.coarse) > 0.999
    assert np.allclose(middle.to_px([(30.0, 400.0), (0.0, 390.0)]), small.to_px([(30.0, 400.0), (0.0, 390.0)]))
