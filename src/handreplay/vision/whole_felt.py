"""The whole felt in one view, and the faces that lie on it, wherever they lie."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.straighten import Picture, straighten
from handreplay.vision.table_eye import CardBox, Sighting, TableEye
from handreplay.vision.zone_reader import FINE_PX_PER_MM, TILE_STEP_MM, kind_of
from handreplay.vision.zones import Zones

Floats = NDArray[np.float64]

MARGIN_MM = 70.0  # round the outermost zones
LEAST_SCORE = 0.5


def felt_patch(calibration: Calibration, zones: Zones, px_per_mm: float) -> FeltPatch:
    """A view of all zones and their surroundings, in whole steps of the table net."""
    corners = np.concatenate(list(zones.polygons_mm.values()))
    low, high = corners.min(axis=0) - MARGIN_MM, corners.max(axis=0) + MARGIN_MM
    width, height = np.ceil((high - low) / TILE_STEP_MM) * TILE_STEP_MM
    x, y = (low + high) / 2
    return calibration.patch((float(x), float(y)), (float(width), float(height)), px_per_mm=px_per_mm)


class WholeFelt:
    """Looks at single pictures of a table's own camera, without waiting for anything to come to rest."""

    def __init__(self, calibration: Calibration, zones: Zones, eye: TableEye | None = None) -> None:
        self.calibration, self.zones = calibration, zones
        self._eye = eye if eye is not None else TableEye()
        self.patch = felt_patch(calibration, zones, FINE_PX_PER_MM)

    def look(self, picture: Picture) -> tuple[Picture, Sighting]:
        """The felt at FINE_PX_PER_MM, and what the table net finds there, in px of half that view."""
        tile = self.patch.warp(picture)
        half = cv2.resize(tile, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        return tile, self._eye.look(np.asarray(half, np.uint8))

    def faces(self, tile: Picture, boxes: Sequence[CardBox]) -> tuple[list[Picture], list[Floats]]:
        """A straightened crop of each box, and its outline (4 x 2) in px of the camera's picture."""
        corners = [box.corners * FINE_PX_PER_MM for box in boxes]
        quads = [self.calibration.to_picture_px(self.patch.to_mm(outline)) for outline in corners]
        return [straighten(tile, outline) for outline in corners], quads

    def on_table(self, points_px: Floats) -> bool:
        """Does the middle of these points (N x 2, px of the half view) lie outside the tray, the shoe and the rack?"""
        zone = self.zones.zone_at(self.patch.to_mm(points_px.mean(axis=0)[None] * FINE_PX_PER_MM)[0])
        return zone is None or (zone != "rack" and kind_of(zone) in ("cards", "wager"))
