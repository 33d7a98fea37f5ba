"""A stack is counted by what it hides of the felt and how dark it makes the felt round it."""

import numpy as np
import pytest

from handreplay.synth.chip_felts import PX_PER_MM, Felt, Placed, random_placed
from handreplay.vision.chip_counter import ChipEye, profile, unrolled
from handreplay.vision.chip_geometry import MOST_CHIPS
from handreplay.vision.chip_reader import StackReading
from handreplay.vision.chip_shadow import darkness
from handreplay.vision.weights import load

UNREAD = np.full((1, MOST_CHIPS), -np.log(MOST_CHIPS), np.float32)


class Straight:
    """A patch whose corner is the felt's origin."""

    def to_px(self, points_mm):
        return np.asarray(points_mm) * PX_PER_MM


class Leaning:
    """A camera under which everything leans alike."""

    def __init__(self, lean):
        self.lean = np.asarray(lean)

    def lean_mm_per_mm(self, point_mm):
        return self.lean


@pytest.fixture(scope="module")
def placed() -> list[Placed]:
    """Stacks on plain cloth with a little grain."""
    rng = np.random.default_rng(4)
    cloth = np.full((3, 300, 300, 3), (60, 95, 45), np.float32) + rng.normal(0, 1, (3, 300, 300, 1))
    return [random_placed([Felt(1.0, cloth)], rng) for _ in range(40)]


def shade(stack: Placed, now=None, others=()) -> np.ndarray:
    now = stack.now if now is None else now
    return darkness(now, stack.empty, Straight(), stack.top_px / PX_PER_MM, others, Leaning(stack.lean))


def said(stack: Placed) -> np.ndarray:
    """The counter's probabilities, the reader having no opinion."""
    at, camera = stack.top_px / PX_PER_MM, Leaning(stack.lean)
    (now, empty), chip_mm = unrolled([stack.now, stack.empty], Straight(), at, camera)
    height = np.array([chip_mm], np.float32)
    answer = load("chip_counter", threads=1).run(profile(now, empty)[None], height, shade(stack)[None], UNREAD)[0][0]
    return np.exp(answer)


def test_taller_stacks_are_counted_as_taller(placed):
    counted = [said(stack).argmax() + 1 for stack in placed]
    assert np.corrcoef(counted, [stack.number for stack in placed])[0, 1] > 0.8


def test_the_answer_is_probabilities_and_leaves_the_truth_open(placed):
    for stack in placed:
        chances = said(stack)
        assert chances.sum() == pytest.approx(1, abs=1e-4)
        assert chances[stack.number - 1] > 1e-6


def test_bare_felt_is_not_dark(placed):
    assert np.abs(shade(placed[0], placed[0].empty)).max() < 6


def test_more_shadow_is_more_darkness(placed):
    stack = placed[0]
    y, x = np.mgrid[:300, :300]
    near = np.hypot(x - stack.top_px[0], y - stack.top_px[1]) < 24 * PX_PER_MM
    darker = np.where(near[..., None], stack.now * 0.85, stack.now)
    assert shade(stack, darker)[0] > shade(stack)[0] + 20


def test_light_that_has_changed_everywhere_is_no_shadow(placed):
    stack = placed[0]
    assert np.abs(shade(stack, stack.now * 0.93) - shade(stack)).max() < 12


def test_a_stack_beside_is_left_out(placed):
    stack = next(one for one in placed if one.number < 4)
    other = stack.top_px / PX_PER_MM + np.array([44.0, 0.0])
    y, x = np.mgrid[:300, :300] / PX_PER_MM
    there = np.hypot(x - other[0], y - other[1]) < 23
    two = np.where(there[..., None], stack.now * 0.6, stack.now)
    assert abs(shade(stack, two, [other])[0] - shade(stack)[0]) < 8 < shade(stack, two)[0] - shade(stack)[0]


class FaintReader:
    """Takes something at one place for a chip, but only where it looks for faint ones."""

    values = ("5", "25")

    def __init__(self, stack: Placed) -> None:
        self.calibration = Leaning(stack.lean)
        self.found = StackReading(tuple(stack.top_px / PX_PER_MM), (((("5", 1),), 1.0),), (("5", 1.0),))

    def stacks(self, pictures, zone_mm, patch, *, faint=False):
        return [self.found] if faint else []

    def seen(self, stack):
        return stack


def test_a_faint_chip_counts_where_the_felt_looked_otherwise_when_it_was_empty(placed):
    tall = max(placed, key=lambda stack: float(np.abs(stack.now - stack.empty).max(axis=2).mean()))
    eye = ChipEye(FaintReader(tall), load("chip_counter", threads=1))
    zone = np.zeros((4, 2))
    empty = tall.empty.astype(np.uint8)
    assert len(eye.read([tall.now], zone, Straight(), empty, faint=True)) == 1
    assert eye.read([tall.now], zone, Straight(), empty) == []
    assert eye.read([tall.empty], zone, Straight(), empty, faint=True) == []
    assert eye.read([tall.now], zone, Straight(), None, faint=True) == []
