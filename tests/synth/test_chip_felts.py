"""Stacks drawn on filmed felt leave the felt as it is where neither they nor their shadows are."""

import numpy as np

from handreplay.synth.chip_felts import PX_PER_MM, Felt, random_pile, random_placed
from handreplay.synth.chips import random_chipset


def felt() -> Felt:
    rng = np.random.default_rng(1)
    ground = np.full((2, 300, 300, 3), (50, 60, 140), np.float32)
    ground[:, 40:46] = 230  # a printed line
    return Felt(1.0, ground + rng.normal(0, 1, ground.shape).astype(np.float32))


def test_the_same_seed_draws_the_same():
    first, second = (random_placed([felt()], np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first.now, second.now)
    assert first.number == second.number


def test_far_from_the_stack_the_felt_and_its_print_stay():
    for seed in range(8):
        placed = random_placed([felt()], np.random.default_rng(seed))
        y, x = np.mgrid[:300, :300] / PX_PER_MM
        far = np.hypot(x - 75, y - 75) > 74
        assert np.abs(placed.now - placed.empty)[far].mean() < 8


def test_the_topmost_face_is_where_it_is_said_to_be():
    for seed in range(8):
        placed = random_placed([felt()], np.random.default_rng(seed))
        x, y = placed.top_px.astype(int)
        assert np.abs(placed.now - placed.empty)[y - 20 : y + 20, x - 20 : x + 20].mean() > 10


def test_most_stacks_are_of_one_value_and_mixed_ones_have_the_higher_below():
    rng = np.random.default_rng(2)
    chipset = random_chipset(rng)
    piles = [random_pile(chipset, rng) for _ in range(300)]
    assert 0.5 < np.mean([len(set(pile)) == 1 for pile in piles]) < 0.95
    mixed = [pile for pile in piles if len(set(pile)) > 1]
    assert np.mean([float(pile[0]) > float(pile[-1]) for pile in mixed]) > 0.6
