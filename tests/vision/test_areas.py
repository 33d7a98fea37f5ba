"""Where hands are looked for: between the dealer and every wager there is such a place, at the tray's ends too."""

import numpy as np

from handreplay.vision.areas import LEAST_REACH_MM, areas
from tests.drawn_table import CALIBRATION, ZONES

DEALER_MM = np.array([0.0, -150.0])


def reaches() -> dict[str, np.ndarray]:
    """The middle line of each wager's strip on the dealer's side, mm: 2 x 2, the far end first."""
    found = {}
    for name, area in areas(ZONES, CALIBRATION).items():
        if name.startswith("seat") and not name.endswith(".cards"):
            assert area.dealer_side is not None
            near, far = CALIBRATION.to_felt_mm(np.asarray(area.dealer_side)).reshape(2, 2, 2).transpose(1, 0, 2)
            found[name] = np.array([(near[0] + far[1]) / 2, (near[1] + far[0]) / 2])
    return found


def test_every_wager_has_a_place_where_the_dealers_arm_must_pass() -> None:
    for name, line in reaches().items():
        assert np.linalg.norm(line[1] - line[0]) >= LEAST_REACH_MM - 1, name


def test_it_lies_between_the_dealer_and_the_wager() -> None:
    for name, line in reaches().items():
        wager = np.array(ZONES.center_mm(name))
        far, near = (np.linalg.norm(wager - end) for end in line)
        assert near < far < np.linalg.norm(wager - DEALER_MM), name
        way, arm = wager - DEALER_MM, line.mean(axis=0) - DEALER_MM
        aside = abs(way[0] * arm[1] - way[1] * arm[0]) / np.linalg.norm(way)
        assert aside < 1, name
