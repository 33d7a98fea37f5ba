"""The colours of chips as this camera shows them, from the faces of stacks whose denomination is known.

A chip's face has a colour of its own and a rim of edge spots in another; both show in the ring outside the inlay. The
ring's pixels fall into two groups, and the larger one is the face.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.vision.calibration import FeltPatch
from handreplay.vision.chip_geometry import DIAMETER_MM

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

_RING = (0.66, 0.92)  # of the radius: outside the inlay, inside the rim's own shade
_CIRCLES, _ROUND = 7, 120
_ROUNDS = 12
_LEAST_OTHER = 0.08  # of the ring; fewer pixels are no edge spots


@dataclass(frozen=True, slots=True)
class ChipColour:
    """Face and edge of a chip, RGB 0 to 255."""

    face: tuple[float, float, float]
    edge: tuple[float, float, float]

    def texts(self) -> tuple[str, str]:
        """As `#rrggbb`."""
        face, edge = ("#" + "".join(f"{round(v):02x}" for v in colour) for colour in (self.face, self.edge))
        return face, edge


def measured(
    tile: Picture, patch: FeltPatch, top_mm: tuple[float, float], diameter_mm: float = DIAMETER_MM
) -> ChipColour:
    """The colours of the topmost chip whose middle is seen before `top_mm` in a cut by `patch`."""
    pixels = _ring(tile, patch, top_mm, diameter_mm / 2)
    lab = cv2.cvtColor((pixels / 255).reshape(1, -1, 3), cv2.COLOR_BGR2Lab).reshape(-1, 3).astype(np.float64)
    group = _two_groups(lab)
    shares = [float((group == number).mean()) for number in (0, 1)]
    face = int(shares[1] > shares[0])
    other = 1 - face if shares[1 - face] >= _LEAST_OTHER else face
    return ChipColour(_core(pixels, lab, group == face), _core(pixels, lab, group == other))


def _ring(tile: Picture, patch: FeltPatch, top_mm: tuple[float, float], radius_mm: float) -> NDArray[np.float32]:
    """Pixels (N, 3), BGR 0 to 255."""
    turns = np.linspace(0, 2 * np.pi, _ROUND, endpoint=False)
    unit = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    points = np.concatenate([np.asarray(top_mm) + share * radius_mm * unit for share in np.linspace(*_RING, _CIRCLES)])
    where = (patch.to_px(points) - 0.5).astype(np.float32).reshape(1, -1, 2)
    cut = cv2.remap(tile.astype(np.float32), where[..., 0], where[..., 1], cv2.INTER_LINEAR)
    return np.asarray(cut.reshape(-1, 3), np.float32)


def _two_groups(lab: Floats) -> NDArray[np.intp]:
    """0 or 1 for each pixel: two means, begun at both ends of the direction in which the colours differ most."""
    away = lab - lab.mean(axis=0)
    along = away @ np.linalg.svd(away, full_matrices=False)[2][0]
    low, high = np.quantile(along, (0.1, 0.9))
    middles = np.stack([lab[along <= low].mean(axis=0), lab[along >= high].mean(axis=0)])
    group = np.zeros(len(lab), np.intp)
    for _ in range(_ROUNDS):
        group = np.linalg.norm(lab[:, None] - middles[None], axis=2).argmin(axis=1)
        middles = np.stack([lab[group == n].mean(axis=0) if (group == n).any() else middles[n] for n in (0, 1)])
    return group


def _core(pixels: NDArray[np.float32], lab: Floats, mask: NDArray[np.bool_]) -> tuple[float, float, float]:
    """The mean colour of the half of a group that lies nearest to its middle."""
    far = np.linalg.norm(lab[mask] - lab[mask].mean(axis=0), axis=1)
    blue, green, red = pixels[mask][far <= np.median(far)].mean(axis=0)
    return float(red), float(green), float(blue)


def middle(colours: Sequence[ChipColour]) -> ChipColour:
    """The median of several measurements of one denomination."""
    face, edge = (np.median([getattr(colour, part) for colour in colours], axis=0) for part in ("face", "edge"))
    return ChipColour(
        (float(face[0]), float(face[1]), float(face[2])), (float(edge[0]), float(edge[1]), float(edge[2]))
    )


def palette(nominal: Mapping[str, ChipColour], found: Mapping[str, ChipColour]) -> dict[str, ChipColour]:
    """A colour for each of the table's chips: as measured, and for others as the light shown by those would have it.

    The light is a line for each of red, green and blue, from two measured denominations on; with fewer, chips that were
    not measured keep their colours.
    """
    pairs = [
        (getattr(nominal[value], part), getattr(colour, part))
        for value, colour in found.items()
        for part in ("face", "edge")
    ]
    lines = None
    if len(found) >= 2:
        before, after = (np.array(side) for side in zip(*pairs, strict=True))
        lines = [np.polyfit(before[:, channel], after[:, channel], 1) for channel in range(3)]

    def lit(colour: tuple[float, float, float]) -> tuple[float, float, float]:
        if lines is None:
            return colour
        red, green, blue = (float(np.clip(np.polyval(lines[n], colour[n]), 0, 255)) for n in range(3))
        return red, green, blue

    return {value: found.get(value) or ChipColour(lit(own.face), lit(own.edge)) for value, own in nominal.items()}
