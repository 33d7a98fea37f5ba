"""A card's outline in a photograph, moved to the edges that the picture shows.

The net that finds cards in photographs gives their outlines to within a tenth of their size. A card is lighter than
what it lies on, so along each side the place is looked for where the picture darkens outwards, and a line laid through
what most of the side agrees on. A side that shows no such line stays where it was.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Grey = NDArray[np.float32]

REACHES = (0.25, 0.12)  # how far an edge is looked for on either side, as a share of the card's size: two rounds
ALONG = np.linspace(0.12, 0.88, 28)  # places on a side that are looked at
STEPS, BLUR = 49, 3  # samples across a side; an edge is told over twice as many as BLUR
LEAST_STEP = 12.0  # grey levels from the card to what lies beside it
LEAST_AGREE = 0.5  # of the places on a side
NEAR_SHARE, NEAR_PX = 0.012, 0.7  # of a line: a share of the card's size, and pixels
MOST_TURN = np.cos(np.radians(14))
LEAST_SLANT = 0.3  # sine of the angle between neighbouring sides
AREAS = (0.6, 1.6)  # of the outline, against what it was


class Line(NamedTuple):
    through: Floats
    along: Floats  # of length 1


def snapped(grey: Grey, quad: Floats) -> Floats:
    """The outline (4 x 2 px) on the edges of a grey picture (H x W); as it was where they make no card of it."""
    moved = quad
    for reach in REACHES:
        corners = _on_edges(grey, moved, reach)
        if corners is None:
            return quad
        moved = corners
    share = cv2.contourArea(moved.astype(np.float32)) / max(cv2.contourArea(quad.astype(np.float32)), 1e-6)
    return moved if AREAS[0] < share < AREAS[1] and cv2.isContourConvex(moved.astype(np.float32)) else quad


def _on_edges(grey: Grey, quad: Floats, reach: float) -> Floats | None:
    size = float(np.sqrt(cv2.contourArea(quad.astype(np.float32))))
    if size < 1:
        return None
    lines = [_edge(grey, quad, side, reach * size, size) or _side(quad, side) for side in range(4)]
    corners = [_crossing(lines[side - 1], lines[side]) for side in range(4)]
    found = [corner for corner in corners if corner is not None]
    return np.array(found) if len(found) == 4 else None


def _side(quad: Floats, side: int) -> Line:
    way = quad[(side + 1) % 4] - quad[side]
    return Line(quad[side], way / max(float(np.hypot(*way)), 1e-6))


def _edge(grey: Grey, quad: Floats, side: int, reach_px: float, size_px: float) -> Line | None:
    """The line near a side at which the picture darkens outwards; None where there is none."""
    start, along = _side(quad, side)
    out = np.array([along[1], -along[0]])
    out = out if out @ (quad.mean(axis=0) - start) < 0 else -out
    across = np.linspace(-reach_px, reach_px, STEPS)
    on_side = start + (quad[(side + 1) % 4] - start) * ALONG[:, None]
    where = (on_side[:, None] + out * across[:, None] - 0.5).astype(np.float32)
    shown = cv2.remap(grey, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shown = cv2.GaussianBlur(shown, (5, 1), 0)
    darker = np.zeros_like(shown)
    darker[:, BLUR:-BLUR] = shown[:, : -2 * BLUR] - shown[:, 2 * BLUR :]
    darker *= np.exp(-0.6 * (across / reach_px) ** 2)
    best = darker.argmax(axis=1)
    plain = darker.max(axis=1) > LEAST_STEP
    points = (on_side + out * across[best][:, None])[plain]
    return _agreed(points, along, NEAR_SHARE * size_px + NEAR_PX, 0.2 * size_px)


def _agreed(points: Floats, along: Floats, near_px: float, least_px: float) -> Line | None:
    """The line through two of the points, not too near each other, that most of them lie on, fitted to those."""
    if len(points) < LEAST_AGREE * len(ALONG):
        return None
    one, other = np.triu_indices(len(points), 1)
    way = points[other] - points[one]
    length = np.hypot(way[:, 0], way[:, 1])
    fit = (length >= least_px) & (np.abs(way @ along) >= MOST_TURN * length)
    one, way, length = one[fit], way[fit], length[fit]
    if not len(one):
        return None
    normal = np.stack([way[:, 1], -way[:, 0]], axis=1) / length[:, None]
    off = np.abs(points @ normal.T - (points[one] * normal).sum(axis=1))  # of each point from each line
    on = off < near_px
    best = int(on.sum(axis=0).argmax())
    if on[:, best].sum() < LEAST_AGREE * len(ALONG):
        return None
    x_way, y_way, x, y = (
        cv2.fitLine(points[on[:, best]].astype(np.float32), cv2.DIST_L2, 0, 0.01, 0.01).ravel().tolist()
    )
    return Line(np.array([x, y]), np.array([x_way, y_way]))


def _crossing(one: Line, other: Line) -> Floats | None:
    both = np.stack([one.along, -other.along], axis=1)
    if abs(float(np.linalg.det(both))) < LEAST_SLANT:
        return None
    ahead = np.linalg.solve(both, other.through - one.through)[0]
    return np.asarray(one.through + one.along * ahead)
