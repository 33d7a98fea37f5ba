"""How tall a stack is, from what it hides: the zone as it is against the zone as it was when it was empty.

Seen along the lean, a stack covers the felt from its topmost face to the foot of its lowest chip. Below the rim of the
topmost face the two pictures differ as far as the wall reaches, whatever is printed on the felt there. The net says
where that stretch ends; its length in chips follows from the camera's place.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.money import Chips
from handreplay.core.observations import SeenStack
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.chip_geometry import DIAMETER_MM, MOST_CHIPS, THICKNESS_MM
from handreplay.vision.chip_reader import ChipReader, StackReading
from handreplay.vision.weights import Model

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]

ROWS, FIRST_MM, STEP_MM = 96, -12.0, 0.5  # places below the rim of the topmost face
COLUMNS, HALF_WIDTH = 25, 0.85  # across the stack, as a share of its radius
CHANNELS = 19
RADIUS_MM = DIAMETER_MM / 2
READER_WEIGHT = 0.3  # of the reader's own word on the number of chips
SHARPNESS = 2.0  # both nets are less sure than they are right; the likelihood of labelled stacks is best near this


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


def counts(logits: NDArray[np.float32], chip_mm: float) -> NDArray[np.float64]:
    """Probabilities of 1 to MOST_CHIPS chips from the logits of the wall's end (ROWS)."""
    shares = np.exp(logits.astype(np.float64) - logits.max())
    shares /= shares.sum()
    ends = (np.arange(1, MOST_CHIPS + 1) * chip_mm - FIRST_MM) / STEP_MM
    found = np.where(ends <= ROWS - 1, np.interp(ends, np.arange(ROWS), shares), 0.0) + 1e-5
    return np.asarray(found / found.sum())


class ChipNets(Protocol):
    """Reads the stacks of a zone, given how it looked when it was empty."""

    def read(
        self,
        pictures: Sequence[Picture | Floats],
        zone_mm: NDArray[np.float64],
        patch: FeltPatch,
        empty: Picture | None,
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
    ) -> list[SeenStack]:
        """The stacks of a zone at rest; `pictures` and `empty` are cuts by `patch`."""
        stacks = self._reader.stacks(pictures, zone_mm, patch)
        if empty is not None and stacks:
            now = np.asarray(np.mean(np.asarray(pictures, np.float32), axis=0))
            stacks = [self._weighed(stack, now, empty, patch) for stack in stacks]
        return [self._reader.seen(stack) for stack in stacks]

    def _weighed(self, stack: StackReading, now: Floats, empty: Picture, patch: FeltPatch) -> StackReading:
        (there, before), chip_mm = unrolled([now, empty], patch, np.array(stack.top_mm), self._reader.calibration)
        logits = self._counter.run(profile(there, before)[None])[0][0]
        return StackReading(stack.top_mm, weighed(stack.piles, counts(logits, chip_mm)))


def weighed(piles: Sequence[tuple[Chips, float]], heights: NDArray[np.float64]) -> tuple[tuple[Chips, float], ...]:
    """Piles in the light of the stack's height, most probable first.

    What the chips are is taken from the piles; how many, mostly from the height, which counts far better.
    """
    by_number: dict[int, float] = defaultdict(float)
    for pile, p in piles:
        by_number[_size(pile)] += p
    shares = [
        (pile, (p / by_number[n] * by_number[n] ** READER_WEIGHT * float(heights[n - 1])) ** SHARPNESS)
        for pile, p in piles
        if (n := _size(pile))
    ]
    total = sum(p for _, p in shares)
    return tuple(sorted(((pile, p / total) for pile, p in shares), key=lambda item: (-item[1], item[0])))


def _size(pile: Chips) -> int:
    return min(MOST_CHIPS, sum(count for _, count in pile))
