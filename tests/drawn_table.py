"""A small table drawn in plain strokes, with a camera that looks straight down on it, and somebody at work."""

from dataclasses import dataclass

import cv2
import numpy as np

from handreplay.config_layout import standard_zones
from handreplay.vision.calibration import Calibration
from handreplay.vision.zones import Zones

SIZE = (800, 450)
SCALE = 0.4


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
