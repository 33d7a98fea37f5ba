import numpy as np
import pytest

from handreplay.vision.change import Plane
from handreplay.vision.light import SAME_LIGHT, Light

FELT = np.random.default_rng(1).integers(60, 120, (540, 960)).astype(np.uint8)


def lit(plane: Plane, gain: float) -> Plane:
    return np.clip(plane * gain, 0, 255).round().astype(np.uint8)


@pytest.mark.parametrize("gain", [0.8, 0.95, 1.1, 1.4])
def test_a_change_of_light_is_taken_back_though_arms_lie_over_much_of_the_picture(gain: float) -> None:
    light = Light()
    light.evened(FELT)
    later = lit(FELT, gain)
    later[:200] = 220
    evened = light.evened(later)
    assert np.abs(evened[200:].astype(int) - FELT[200:]).mean() < 2


def test_a_picture_in_the_same_light_stays_as_it_is() -> None:
    light = Light()
    light.evened(FELT)
    covered = FELT.copy()
    covered[:200] = 220
    assert light.evened(covered) is covered
    slightly = lit(FELT, 1 + SAME_LIGHT / 3)
    assert light.evened(slightly) is slightly


@pytest.mark.parametrize("gain", [0.0, 0.3, 3.0])
def test_another_light_altogether_is_read_anew(gain: float) -> None:
    light = Light()
    light.evened(FELT)
    dark = lit(FELT, gain)
    assert light.evened(dark) is dark
