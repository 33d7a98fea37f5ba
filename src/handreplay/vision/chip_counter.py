"""How tall a stack is, from what it hides and shades: the zone as it is against the zone as it was when it was empty.

Seen along the lean, a stack covers the felt from its topmost face to the foot of its lowest chip. Below the rim of the
topmost face the two pictures differ as far as the wall reaches, whatever is printed on the felt there. The net says
where that stretch ends; its length in chips follows from the camera's place. The darkness round the stack and the
reader's own count are weighed in with it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import SeenStack
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.chip_geometry import DIAMETER_MM, MOST_CHIPS, THICKNESS_MM
from handreplay.vision.chip_mixes import mixes
from handreplay.vision.chip_reader import ChipReader, StackReading, mean_of
from handreplay.vision.chip_shadow import darkness
from handreplay.vision.weights import Model

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]

ROWS, FIRST_MM, STEP_MM = 96, -12.0, 0.5  # places below the rim of the topmost face
COLUMNS, HALF_WIDTH = 25, 0.85  # across the stack, as a share of its radius
CHANNELS = 19
RADIUS_MM = DIAMETER_MM / 2
UNLIKE_LEVELS, CAME_SHARE = 20.0, 0.6  # of a face that was not there before
_UNREAD = 1e-4  # the reader's word on a number of chips that none of its piles has
_ALONE = 0.7  # exponent of the reader's word where no picture of the empty zone is at hand


def unrolled(
    tiles: Sequence[NDArray[np.generic]], patch: FeltPatch, top_mm: NDArray[np.float64], calibration: Calibration
) -> tuple[list[Floats], float]:
    """Each tile along the wall: ROWS x COLUMNS x 3, 0 to 1, arcs of the rim laid straight; and millimetres a chip.

    `top_mm` is where on the felt the middle of the topmost face is seen.
    """
    lean = calibration.lean_mm_per_mm(top_mm)
    length = float(np.hypot(*lean))
    down = -lean / length if length > 1e-6 else np.array([0.0, 1.0])
    across = np.linspace(-HALF_WIDTH, HALF_WIDTH, COLUMNS) * RADIUS_MM
    below = FIRST_MM + STEP_MM * np.arange(ROWS)
    x, y = np.meshgrid(across, below)
    y = y + np.sqrt(RADIUS_MM**2 - x**2)
    where = top_mm + x[..., None] * np.array([down[1], -down[0]]) + y[..., None] * down
    pixels = (patch.to_px(where.reshape(-1, 2)) - 0.5).reshape(ROWS, COLUMNS, 2).astype(np.float32)
    cuts = [cv2.remap(tile.astype(np.float32), pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR) for tile in tiles]
    return [np.asarray(cut / 255, np.float32) for cut in cuts], length * THICKNESS_MM


def profile(now: Floats, empty: Floats) -> Floats:
    """What differs row by row: CHANNELS x ROWS."""
    change = now - empty
    far = np.sqrt((change**2).sum(axis=2))
    ratio = np.log((now + 0.04) / (empty + 0.04))
    dark = ratio.mean(axis=2)
    tint = np.sqrt(((ratio - dark[..., None]) ** 2).sum(axis=2))
    rows = []
    for plane, weight in (
        (far, 4.0),
        (np.abs(dark), 2.0),
        (dark, 2.0),
        (tint, 2.0),
        (_steps(now), 6.0),
        (_steps(change), 6.0),
        (_steps(empty), 6.0),
    ):
        rows += [weight * np.median(plane, axis=1), weight * plane.mean(axis=1)]
    for plane, weight in ((far, 4.0), (tint, 2.0)):
        rows += [weight * np.quantile(plane, share, axis=1) for share in (0.8, 0.2)]
    rows.append(np.linspace(-1, 1, ROWS))
    return np.stack(rows).astype(np.float32)


def _steps(cut: Floats) -> Floats:
    """How much the colour changes from row to row."""
    steps = np.zeros(cut.shape[:2], np.float32)
    steps[1:-1] = np.sqrt(((cut[2:] - cut[:-2]) ** 2).sum(axis=2))
    return steps


def read_numbers(stack: StackReading) -> Floats:
    """The reader's own word on 1 to MOST_CHIPS chips: logarithms of probabilities."""
    shares = np.full(MOST_CHIPS, _UNREAD)
    for pile, chance in stack.piles:
        if pile:
            shares[min(MOST_CHIPS, sum(count for _, count in pile)) - 1] += chance
    return np.asarray(np.log(shares / shares.sum()), np.float32)


class ChipNets(Protocol):
    """Reads the stacks of a zone, given how it looked when it was empty."""

    def read(
        self,
        pictures: Sequence[Picture | Floats],
        zone_mm: NDArray[np.float64],
        patch: FeltPatch,
        empty: Picture | None,
        *,
        faint: bool = False,
    ) -> list[SeenStack]: ...


class ChipEye:
    """The chip reader, with the height of each stack weighed in."""

    def __init__(self, reader: ChipReader, counter: Model) -> None:
        self._reader, self._counter = reader, counter

    def read(
        self,
        pictures: Sequence[Picture | Floats],
        zone_mm: NDArray[np.float64],
        patch: FeltPatch,
        empty: Picture | None,
        *,
        faint: bool = False,
    ) -> list[SeenStack]:
        """The stacks of a zone at rest; `pictures` and `empty` are cuts by `patch`.

        With `faint`, where none is plain, what may be print is a stack too if the empty felt looked otherwise there.
        """
        now = mean_of(pictures)
        found = self._reader.stacks(pictures, zone_mm, patch)
        if faint and not found and empty is not None:
            found = [
                stack
                for stack in self._reader.stacks(pictures, zone_mm, patch, faint=True)
                if _came(stack, now, empty, patch)
            ]
        stacks = []
        for stack in found:
            said = read_numbers(stack) * _ALONE if empty is None else self._numbers(stack, now, empty, patch)
            chances = np.exp(said.astype(np.float64))
            named = mixes(stack.piles, stack.topmost, chances / chances.sum(), self._reader.values)
            stacks.append(replace(stack, piles=named))
        return [self._reader.seen(stack) for stack in stacks]

    def _numbers(self, stack: StackReading, now: Floats, empty: Picture, patch: FeltPatch) -> Floats:
        """Logarithms of the probabilities of 1 to MOST_CHIPS chips."""
        top, calibration = np.array(stack.top_mm), self._reader.calibration
        (there, before), chip_mm = unrolled([now, empty], patch, top, calibration)
        shade = darkness(now, empty, patch, top, [np.array(other) for other in stack.beside_mm], calibration)
        rows, height = profile(there, before)[None], np.array([chip_mm], np.float32)
        return np.asarray(self._counter.run(rows, height, shade[None], read_numbers(stack)[None])[0][0], np.float32)


def _came(stack: StackReading, now: Floats, empty: Picture, patch: FeltPatch) -> bool:
    """Does most of what is taken for a stack's topmost face look other than the empty place, and so is no print?"""
    middle, beside = patch.to_px(np.array([stack.top_mm, np.add(stack.top_mm, (RADIUS_MM, 0.0))]))
    y, x = np.indices(now.shape[:2]) + 0.5
    face = np.hypot(x - middle[0], y - middle[1]) < np.hypot(*(beside - middle))
    unlike = np.abs(now - empty.astype(np.float32)).max(axis=2) > UNLIKE_LEVELS
    return bool(face.any() and unlike[face].mean() >= CAME_SHARE)
