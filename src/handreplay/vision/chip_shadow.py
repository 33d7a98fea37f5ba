"""How dark a stack makes the felt round it: the second word on its height, where the camera's lean says little.

    the zone now against the zone empty  ->  felt of 1 mm cells round the stack  ->  for each number of chips: the
    darkness outside the outline that a stack of that number has, summed over the felt

Lamps stand where they like, so every direction counts. The sum grows in proportion to the height, at about the same
rate under all lamps that were looked at. Print, other stacks and whatever else lies near are left out.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.chip_geometry import DIAMETER_MM, MOST_CHIPS, THICKNESS_MM

Floats = NDArray[np.float32]

RADIUS_MM = DIAMETER_MM / 2
_CELLS = 112  # of 1 mm, each way, round the topmost face
_SECTORS = 24
_RINGS_MM = (1.0, 2.5, 4.5, 7.5, 14.0, 26.0)  # outside the outline: three near, a gap, bare felt
_NEAR = 3
_NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)  # reckoned; those between are about halfway
_HAZE = 8.0  # of 255; keeps the logarithm from blowing up noise in black cloth
_LUMA_BGR = np.array([0.114, 0.587, 0.299], np.float32)
_PRINT = 0.06  # change of brightness a millimetre, as a share; more is the edge of something printed
_OTHER = 0.12  # brighter or tinted by as much: no shadow but an object
_STACK_ROOM_MM = 7.0
_DARKEST, _BRIGHTEST = 0.5, 0.1  # logarithms that count for one cell, at most
_UNEVEN = 0.05  # by which the light may differ from one side to another
_LEAST_FELT = 60  # cells
_LEAST_SECTOR = 25
_LEAST_SHARE = 0.25  # of a sector's ring, or it is left out


def darkness(
    now: NDArray[np.generic],
    empty: NDArray[np.generic],
    patch: FeltPatch,
    top_mm: NDArray[np.float64],
    others_mm: Sequence[NDArray[np.float64]],
    calibration: Calibration,
) -> Floats:
    """Darkness (log ratio times mm2) round the stack if it has 1 to MOST_CHIPS chips: (MOST_CHIPS,).

    `top_mm` is where on the felt the middle of its topmost face is seen, `others_mm` the same of stacks beside it;
    `now` and `empty` are cuts by `patch`.
    """
    there, before = (_cells(tile, patch, top_mm) for tile in (now, empty))
    ratio = np.log((there + _HAZE) / (before + _HAZE))
    dark = ratio @ _LUMA_BGR
    tint = np.sqrt(((ratio - dark[..., None]) ** 2).mean(axis=2))
    y, x = np.mgrid[:_CELLS, :_CELLS].astype(np.float32) + np.float32(0.5 - _CELLS / 2)
    plain = _plain(there, before)
    for other in others_mm:
        right, down = (float(value) for value in np.subtract(other, top_mm))
        plain &= np.hypot(x - right, y - down) >= RADIUS_MM + _STACK_ROOM_MM
    objects = (dark > _OTHER) | (tint > _OTHER)
    lean = calibration.lean_mm_per_mm(top_mm) * THICKNESS_MM
    found = [_outside(dark, plain, objects, x, y, -number * lean) for number in _NUMBERS]
    return np.interp(np.arange(1, MOST_CHIPS + 1), _NUMBERS, found).astype(np.float32)


def _cells(tile: NDArray[np.generic], patch: FeltPatch, top_mm: NDArray[np.float64]) -> Floats:
    """The felt round `top_mm` in cells of 1 mm, straight with the table; black outside the tile."""
    corner = top_mm - _CELLS / 2 + 0.25
    origin, right, down = patch.to_px(corner + np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]])) - 0.5
    matrix = np.column_stack([right - origin, down - origin, origin])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    fine = cv2.warpAffine(np.asarray(tile, np.float32), matrix, (2 * _CELLS, 2 * _CELLS), flags=flags)
    return np.asarray(cv2.resize(fine, (_CELLS, _CELLS), interpolation=cv2.INTER_AREA), np.float32)


def _plain(there: Floats, before: Floats) -> NDArray[np.bool_]:
    """Cells inside both pictures and off the edges of print."""
    light = before @ _LUMA_BGR
    slope = np.hypot(cv2.Sobel(light, -1, 1, 0, ksize=3), cv2.Sobel(light, -1, 0, 1, ksize=3)) / 8
    return np.asarray((slope <= _PRINT * (light + _HAZE)) & (before.sum(axis=2) >= 1) & (there.sum(axis=2) >= 1))


def _outside(
    dark: Floats,
    plain: NDArray[np.bool_],
    objects: NDArray[np.bool_],
    x: Floats,
    y: Floats,
    foot: NDArray[np.float64],
) -> float:
    """Darkness outside the outline of a stack whose foot is seen at `foot` from its topmost face."""
    along = np.clip((x * foot[0] + y * foot[1]) / max(1e-9, float(foot @ foot)), 0, 1).astype(np.float32)
    right, down = x - along * np.float32(foot[0]), y - along * np.float32(foot[1])
    away = np.hypot(right, down) - np.float32(RADIUS_MM)
    lies = cv2.dilate((objects & (away > 2.5)).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    within = (away >= _RINGS_MM[0]) & (away < _RINGS_MM[-1])
    turn = np.arctan2(down[within], right[within]) / (2 * np.pi) + 0.5
    sector = (turn * _SECTORS).astype(int) % _SECTORS
    ring = np.digitize(away[within], _RINGS_MM) - 1
    value, good = dark[within], (plain & ~lies)[within]
    value = value - _bare(value, sector, good & (ring == len(_RINGS_MM) - 2))
    near = ring < _NEAR
    place = sector * _NEAR + ring
    area = np.bincount(place[near], minlength=_SECTORS * _NEAR)
    seen = np.bincount(place[near & good], minlength=_SECTORS * _NEAR)
    shade = -np.clip(value, -_DARKEST, _BRIGHTEST)
    total = np.bincount(place[near & good], shade[near & good], _SECTORS * _NEAR)
    enough = seen >= np.maximum(2, _LEAST_SHARE * area)
    return float((total / np.maximum(seen, 1) * area)[enough].sum())


def _bare(value: Floats, sector: NDArray[np.int_], far: NDArray[np.bool_]) -> Floats:
    """What the light has changed by meanwhile where no shadow reaches, for each cell by its sector."""
    middle = float(np.median(value[far])) if far.sum() > _LEAST_FELT else 0.0
    number = np.bincount(sector[far], minlength=_SECTORS)
    off = np.bincount(sector[far], np.clip(value[far] - middle, -_BRIGHTEST, _BRIGHTEST), _SECTORS)
    mean = np.clip(off / np.maximum(number, 1), -_UNEVEN, _UNEVEN)
    return np.asarray((middle + np.where(number > _LEAST_SECTOR, mean, 0.0))[sector], np.float32)
