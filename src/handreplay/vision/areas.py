"""Where to look for hands: for each zone, the felt on the dealer's side of it and the rim on the player's side."""

import numpy as np
from numpy.typing import NDArray

from handreplay.vision.calibration import Calibration
from handreplay.vision.change import Area
from handreplay.vision.zones import Zones

Floats = NDArray[np.float64]

REACH_MM = (-400.0, -120.0)  # an arm from the dealer covers this stretch before the zone, seen from the dealer
REACH_HALF_WIDTH_MM = 50.0
LEAST_REACH_MM = 100.0  # clear of the tray; the end seats' zones have less and are watched closer by
BESIDE_TRAY_MM = (-150.0, -50.0)
RIM_MM = (60.0, 250.0)  # an arm from the player covers this stretch behind the place of the cards
RIM_HALF_WIDTH_MM = 110.0
DEALER_MM = (0.0, -150.0)
TRAY_FRONT_MM = 165.0  # the dealer's hands rest behind this line, whatever they do
TRAY_HALF_WIDTH_MM = 470.0


def areas(zones: Zones, calibration: Calibration) -> dict[str, Area]:
    """The three shapes of every zone, in pixels of the picture."""
    return {name: _area(name, zones, calibration) for name in zones.names}


def _area(name: str, zones: Zones, calibration: Calibration) -> Area:
    outline = calibration.to_picture_px(zones.polygons_mm[name])
    seat = name.partition(".")[0]
    if not seat.startswith("seat") or f"{seat}.cards" not in zones.polygons_mm:
        return Area(outline, None, None)
    middle, cards = np.array(zones.center_mm(name)), np.array(zones.center_mm(f"{seat}.cards"))
    from_dealer = _strip(middle, middle - np.array(DEALER_MM), REACH_MM, REACH_HALF_WIDTH_MM)
    behind = _strip(cards, cards, RIM_MM, RIM_HALF_WIDTH_MM)
    before_tray = _clear_of_tray(from_dealer)
    if before_tray is None or np.linalg.norm(before_tray[1] - before_tray[0]) < LEAST_REACH_MM:
        before_tray = _strip(middle, middle - np.array(DEALER_MM), BESIDE_TRAY_MM, REACH_HALF_WIDTH_MM)
    return Area(outline, calibration.to_picture_px(before_tray), calibration.to_picture_px(behind))


def _strip(start: Floats, direction: Floats, along_mm: tuple[float, float], half_width_mm: float) -> Floats:
    ahead = direction / np.linalg.norm(direction)
    aside = np.array([-ahead[1], ahead[0]]) * half_width_mm
    near, far = start + ahead * along_mm[0], start + ahead * along_mm[1]
    return np.array([near - aside, far - aside, far + aside, near + aside])


def _clear_of_tray(strip: Floats) -> Floats | None:
    """The strip without what lies over the tray; None when nothing is left."""
    steps = np.linspace(0.0, 1.0, 29)
    start, end = (strip[0] + strip[3]) / 2, (strip[1] + strip[2]) / 2
    line = start + (end - start) * steps[:, None]
    clear = (line[:, 1] > TRAY_FRONT_MM) | (np.abs(line[:, 0]) > TRAY_HALF_WIDTH_MM)
    if not clear.any():
        return None
    aside = (strip[3] - strip[0]) / 2
    near, far = line[clear][0], line[clear][-1]
    return np.array([near - aside, far - aside, far + aside, near + aside])
