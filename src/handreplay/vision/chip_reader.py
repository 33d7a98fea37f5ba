"""How many chips of which denomination stand in a wager zone.

    stills of the zone  ->  mean  ->  faces of topmost chips  ->  one crop a stack  ->  level by level, from the top:
    which denomination, or the felt  ->  probabilities of whole stacks  ->  SeenStack

A stack's height shows only as far as the camera sees it leaning, so the count is often uncertain by one or two; the
reading then keeps every pile that the picture allows, with its probability.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from handreplay.core.money import Chips, chips
from handreplay.core.observations import SeenStack
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.errors import ProfileError
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.chip_geometry import (
    DIAMETER_MM,
    FINDER_MARGIN_MM,
    FINDER_PX_PER_MM,
    FINDER_STRIDE,
    MOST_CHIPS,
    STACK_CENTRE,
    STACK_PX_PER_MM,
    STACK_SIZE,
    THICKNESS_MM,
)
from handreplay.vision.weights import Model, load

Floats = NDArray[np.float64]
Picture = NDArray[np.uint8] | NDArray[np.float32]  # H x W x 3, BGR; a mean of pictures has fractions
Levels = NDArray[np.float64]  # (MOST_CHIPS + 1, denominations + 2) logits; see `piles`

CERTAIN = 0.95  # a stack's probability from which it is reported as known
_FOUND = 0.33  # the finder's probability from which a place is looked at; print on the felt has had up to 0.27
_FAINT = 0.1  # the same where it cannot be print
_CLOSEST = 0.75  # of a diameter: two topmost faces cannot be nearer
_IN_ZONE_MM = 6.0
_STATES = 150  # piles followed at once
_RARE = 3e-5
_MOST_CANDIDATES = 40


class ChipColours(Protocol):
    """A `[[chips]]` entry of the profile. Colours are `#rrggbb` of the chip itself, not as lit."""

    @property
    def value(self) -> str: ...
    @property
    def face(self) -> str: ...
    @property
    def edge(self) -> str: ...
    @property
    def diameter_mm(self) -> float: ...
    @property
    def thickness_mm(self) -> float: ...


@dataclass(frozen=True, slots=True)
class StackReading:
    """One stack: centre of its topmost face where the felt behind it is (mm), and the probability of each pile."""

    top_mm: tuple[float, float]
    piles: tuple[tuple[Chips, float], ...]  # most probable first; the empty pile: no chips at all
    topmost: tuple[tuple[str, float], ...] = ()  # what the topmost chip may be, most probable first
    beside_mm: tuple[tuple[float, float], ...] = ()  # topmost faces seen round it, in the zone or not


class ChipReader:
    """Reads stacks at one table. `palette` are the denominations in play there; `sha256` names both nets."""

    def __init__(
        self,
        calibration: Calibration,
        palette: Sequence[ChipColours],
        finder: Model | None = None,
        reader: Model | None = None,
    ) -> None:
        if not palette:
            raise ProfileError("chips: the table profile lists no chips; add one [[chips]] entry for each denomination")
        self.calibration = calibration
        self.values = tuple(chip.value for chip in palette)
        self._palette = np.array([[*_rgb(chip.face), *_rgb(chip.edge)] for chip in palette], np.float32)
        self._diameter = float(np.median([chip.diameter_mm for chip in palette]))
        self._thickness = float(np.median([chip.thickness_mm for chip in palette]))
        self._finder = finder or load("chip_finder", threads=1)
        self._reader = reader or load("chip_reader", threads=1)
        self.sha256 = f"{self._finder.sha256}+{self._reader.sha256}"
        self._temperature = float(self._reader.about.get("temperature", 1.0))

    def read(self, pictures: Sequence[Picture], zone_mm: ArrayLike, patch: FeltPatch | None = None) -> list[SeenStack]:
        """The stacks whose foot is inside the zone, given pictures of it at rest (more are better; 5 to 15 are enough).

        `pictures` are whole camera pictures (BGR), or cuts by `patch` when it is given. The list is empty where the
        zone holds nothing but print, cards and shadows.
        """
        return [self.seen(stack) for stack in self.stacks(pictures, zone_mm, patch)]

    def stacks(
        self, pictures: Sequence[Picture], zone_mm: ArrayLike, patch: FeltPatch | None = None, *, faint: bool = False
    ) -> list[StackReading]:
        """As `read`, with all probabilities; with `faint` also those that may be no stacks but print."""
        zone = np.asarray(zone_mm, np.float64).reshape(-1, 2)
        if patch is None:
            patch = self._patch(zone)
            pictures = [patch.warp(np.asarray(picture, np.uint8)) for picture in pictures]
        tile = mean_of(pictures)
        found: list[StackReading] = []
        tops = self._tops(tile, patch, zone, _FAINT if faint else _FOUND)
        for top, levels in zip(tops, self._levels(tile, patch, tops), strict=True):
            candidates = piles(levels, self.values)
            base = self._base(top, _size(candidates[0][0]))
            inside = cv2.pointPolygonTest(zone.astype(np.float32), (float(base[0]), float(base[1])), True)
            if inside >= -_IN_ZONE_MM and candidates[0][0]:
                beside = tuple((float(x), float(y)) for x, y in tops if (x, y) != (top[0], top[1]))
                place = (float(top[0]), float(top[1]))
                found.append(StackReading(place, candidates, topmost(levels, self.values), beside))
        return found

    def _patch(self, zone: Floats) -> FeltPatch:
        low, high = zone.min(axis=0) - 2 * FINDER_MARGIN_MM, zone.max(axis=0) + 2 * FINDER_MARGIN_MM
        x, y = (low + high) / 2
        width, height = high - low
        return self.calibration.patch((float(x), float(y)), (float(width), float(height)), px_per_mm=2.0)

    def _cut(
        self, tile: NDArray[np.float32], patch: FeltPatch, at_mm: Floats, view: tuple[float, ArrayLike, tuple[int, int]]
    ) -> NDArray[np.float32]:
        """A view with the lean upwards; `view` is its scale, the pixel that shows `at_mm`, and width and height."""
        scale, centre, size = view
        right, down = self._axes(at_mm)
        corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]) + 0.5 - np.asarray(centre)
        origin, along, under = patch.to_px(at_mm + (corners / scale) @ np.stack([right, down])) - 0.5
        matrix = np.column_stack([along - origin, under - origin, origin])
        flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpAffine(tile, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)

    def _axes(self, at_mm: Floats) -> tuple[Floats, Floats]:
        """Table directions of a view's x and y: y is against the lean."""
        lean = self.calibration.lean_mm_per_mm(at_mm)
        length = float(np.hypot(*lean))
        down = -lean / length if length > 1e-6 else np.array([0.0, 1.0])
        return np.array([down[1], -down[0]]), down

    def _tops(self, tile: NDArray[np.float32], patch: FeltPatch, zone: Floats, least: float) -> list[Floats]:
        """Where topmost faces are, on the felt behind them: the strongest first."""
        middle = zone.mean(axis=0)
        right, down = self._axes(middle)
        reach = (zone - middle) @ np.stack([right, down], 1)
        low, high = reach.min(axis=0) - FINDER_MARGIN_MM, reach.max(axis=0) + FINDER_MARGIN_MM / 2
        scale = FINDER_PX_PER_MM * DIAMETER_MM / self._diameter
        width, height = (int(np.ceil(side * scale / FINDER_STRIDE)) * FINDER_STRIDE for side in high - low)
        view = self._cut(tile, patch, middle, (scale, -low * scale, (width, height)))
        answer = self._finder.run(_planes(view)[None])[0][0]
        chance = 1 / (1 + np.exp(-answer[0]))
        peaks = (chance >= least) & (chance == cv2.dilate(chance, np.ones((3, 3), np.uint8)))
        spots = sorted(zip(*np.nonzero(peaks), strict=True), key=lambda spot: -float(chance[spot]))
        tops: list[Floats] = []
        for row, column in spots:
            cell = np.array([column + 0.5 + answer[1, row, column], row + 0.5 + answer[2, row, column]])
            top = middle + (cell * FINDER_STRIDE / scale + low) @ np.stack([right, down])
            if all(np.hypot(*(top - other)) > _CLOSEST * self._diameter for other in tops):
                tops.append(top)
        return tops

    def _levels(self, tile: NDArray[np.float32], patch: FeltPatch, tops: Sequence[Floats]) -> list[Levels]:
        if not tops:
            return []
        scale = STACK_PX_PER_MM * DIAMETER_MM / self._diameter
        cuts = [_planes(self._cut(tile, patch, top, (scale, STACK_CENTRE, STACK_SIZE))) for top in tops]
        crops = np.stack([crop for cut in cuts for crop in (cut, cut[:, :, ::-1])])
        shape = (self._thickness / THICKNESS_MM) * (DIAMETER_MM / self._diameter)
        leans = np.array([np.hypot(*self.calibration.lean_mm_per_mm(top)) * shape for top in tops], np.float32)
        palette = np.repeat(self._palette[None], len(crops), axis=0)
        levels = self._reader.run(crops, np.repeat(leans, 2), palette)[0].astype(np.float64)
        either_way = levels.reshape(len(tops), 2, *levels.shape[1:]).mean(axis=1)
        return [stack / self._temperature for stack in either_way]

    def _base(self, top_mm: Floats, count: int) -> Floats:
        """Where a stack of `count` chips stands whose topmost face is seen before the felt at `top_mm`."""
        foot, share = np.array(self.calibration.camera_mm[:2]), count * self._thickness / self.calibration.camera_mm[2]
        return np.asarray(top_mm - (top_mm - foot) * share, np.float64)

    def seen(self, stack: StackReading) -> SeenStack:
        """The observation that a reading amounts to."""
        base = self._base(np.array(stack.top_mm), _size(stack.piles[0][0]))
        return SeenStack(base_mm=_rounded(base), chips=decided(stack.piles), top_mm=_rounded(np.array(stack.top_mm)))


def mean_of(pictures: Sequence[Picture]) -> NDArray[np.float32]:
    """The mean of pictures of one size; of a single one, that one itself."""
    if len(pictures) == 1:
        return np.asarray(pictures[0], np.float32)
    return np.asarray(np.mean(np.asarray(pictures, np.float32), axis=0), np.float32)


def decided(candidates: Sequence[tuple[Chips, float]]) -> Reading[Chips]:
    """Known where one pile is near certain, else every pile that is worth naming, with its probability."""
    best, chance = candidates[0]
    if best and chance >= CERTAIN:
        return Known(best, round(chance, 4))
    kept, total = [], 0.0
    for pile, probability in candidates[:_MOST_CANDIDATES]:
        kept.append((pile, round(probability, 5)))
        total += probability
        if total >= 0.995:
            break
    sizes = {_size(pile) for pile, _ in kept}
    reason = "chips not told apart" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)} chips"
    return Unreadable(reason, tuple(kept))


def piles(levels: Levels, values: Sequence[str]) -> tuple[tuple[Chips, float], ...]:
    """Probabilities of whole piles, most probable first, equal ones in a fixed order.

    A row of `levels` belongs to one level, from the top: a logit for each of `values`, what is added to that of the
    chip above it (stacks come in runs), and the logit that the stack has ended above this level.
    """
    kinds = len(values)
    above = np.eye(kinds + 1, kinds, k=-1)  # the chip above: none, or one of each kind
    alive: dict[tuple[int, ...], float] = {(0,) * kinds + (-1,): 1.0}  # counts, and the lowest chip so far
    ended: dict[tuple[int, ...], float] = defaultdict(float)
    for row in levels:
        stop = 1 / (1 + math.exp(-min(max(float(row[-1]), -50.0), 50.0)))
        chances = _softmax(row[:kinds] + above * row[kinds]).tolist()
        further: dict[tuple[int, ...], float] = defaultdict(float)
        for state, chance in alive.items():
            ended[state[:-1]] += chance * stop
            for kind, share in enumerate(chances[state[-1] + 1]):
                if (likely := chance * (1 - stop) * share) > _RARE:
                    further[(*state[:kind], state[kind] + 1, *state[kind + 1 : -1], kind)] += likely
        alive = dict(sorted(further.items(), key=lambda item: (-item[1], item[0]))[:_STATES])
    total = sum(ended.values())
    order = sorted(ended.items(), key=lambda item: (-item[1], item[0]))
    rising = chips(dict.fromkeys(values, 1))  # `chips` once: it is too dear for every pile
    places = [(value, values.index(value)) for value, _ in rising]
    return tuple(
        (tuple((value, counts[place]) for value, place in places if counts[place]), chance / total)
        for counts, chance in order
        if chance > _RARE
    )


def topmost(levels: Levels, values: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Probabilities of what the topmost chip is, most probable first; `levels` as for `piles`."""
    shares = _softmax(levels[0, : len(values)]).tolist()
    return tuple(sorted(zip(values, shares, strict=True), key=lambda item: -item[1]))


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True), np.float64)


def _rounded(point_mm: Floats) -> tuple[float, float]:
    return round(float(point_mm[0]), 1), round(float(point_mm[1]), 1)


def _size(pile: Chips) -> int:
    return min(MOST_CHIPS, sum(count for _, count in pile))


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def _planes(picture_bgr: NDArray[np.float32]) -> NDArray[np.float32]:
    """BGR 0 to 255 (H, W, 3) to RGB 0 to 1 (3, H, W)."""
    return np.ascontiguousarray(np.clip(picture_bgr[:, :, ::-1] / 255, 0, 1).transpose(2, 0, 1), np.float32)
