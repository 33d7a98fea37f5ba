"""Which zone of the table a point belongs to, and where the zones lie in the picture."""

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from handreplay.vision.calibration import Calibration

Floats = NDArray[np.float64]

NO_ZONE = 255
_STEP_MM = 20.0  # sides are cut this fine, since the lens bends them


class ZoneShape(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def polygon(self) -> Sequence[tuple[float, float]]: ...


class Zones:
    """The zones of one table: outlines in millimetres, and in picture pixels through a calibration."""

    def __init__(self, zones: Sequence[ZoneShape], calibration: Calibration) -> None:
        self.names = tuple(zone.name for zone in zones)
        self.calibration = calibration
        self.polygons_mm: dict[str, Floats] = {
            zone.name: np.asarray(zone.polygon, dtype=np.float64).reshape(-1, 2) for zone in zones
        }

    def zone_at(self, point_mm: ArrayLike, margin_mm: float = 0.0) -> str | None:
        """The zone that holds a table point, else the one nearest within `margin_mm`.

        None where there is none, and where a second zone is about as near as the first: what lies in the gap between
        two zones belongs to neither until somebody says so.
        """
        x, y = (float(value) for value in np.asarray(point_mm, dtype=np.float64).reshape(2))
        near: list[tuple[float, str]] = []
        for name, outline in self._outlines.items():
            inside = float(cv2.pointPolygonTest(outline, (x, y), True))
            if inside >= 0:
                return name
            if -inside <= margin_mm:
                near.append((-inside, name))
        near.sort()
        if len(near) > 1 and near[1][0] - near[0][0] < margin_mm / 2:
            return None
        return near[0][1] if near else None

    def center_mm(self, name: str) -> tuple[float, float]:
        """The mean of a zone's corners."""
        x, y = self.polygons_mm[name].mean(axis=0)
        return float(x), float(y)

    @cached_property
    def polygons_px(self) -> dict[str, Floats]:
        """Outlines in the picture (N, 2), with points added along the sides so that they bend with the lens."""
        return {name: self.calibration.to_picture_px(_dense(polygon)) for name, polygon in self.polygons_mm.items()}

    def share_in_picture(self, name: str) -> float:
        """Which share of a zone's area the picture shows: 0 to 1."""
        width, height = self.calibration.size
        outline = self.polygons_px[name].astype(np.float32)
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
        whole = float(cv2.contourArea(outline))
        seen, _ = cv2.intersectConvexConvex(cv2.convexHull(outline), frame)
        return min(1.0, float(seen) / whole) if whole > 0 else 0.0

    def numbered(self, scale: float = 1.0, *, grow_mm: float = 0.0) -> NDArray[np.uint8]:
        """A picture (H, W) that holds at each pixel the index in `names` of the zone there, else NO_ZONE.

        `scale` shrinks it (0.25: a quarter of the camera's width); `grow_mm` widens each outline from its centre.
        """
        width, height = (max(1, round(side * scale)) for side in self.calibration.size)
        picture = np.full((height, width), NO_ZONE, dtype=np.uint8)
        for number, name in enumerate(self.names):
            polygon = self.polygons_mm[name]
            away = polygon - polygon.mean(axis=0)
            reach = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
            outline = self.calibration.to_picture_px(_dense(polygon + away / reach * grow_mm))
            shrunk = outline * scale - 0.5
            cv2.fillPoly(picture, [np.round(shrunk).astype(np.int32)], number)
        return picture

    @cached_property
    def _outlines(self) -> dict[str, NDArray[np.float32]]:
        return {name: polygon.astype(np.float32) for name, polygon in self.polygons_mm.items()}


def _dense(polygon: Floats) -> Floats:
    """The outline with points every few millimetres."""
    pieces = []
    for start, end in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        count = max(1, int(np.linalg.norm(end - start) // _STEP_MM))
        pieces.append(start + (end - start) * (np.arange(count) / count)[:, None])
    return np.concatenate(pieces)
