"""Drawn scenes and their truth belong together, and come out the same for the same seed."""

import cv2
import numpy as np
import pytest

pytest.importorskip("PIL", reason="drawing decks needs the train extra")

from handreplay.synth import scene
from handreplay.synth.canvas import COVER, FELT, Canvas, rectangle
from handreplay.synth.decks import load_decks
from handreplay.synth.hands import lay_arm
from handreplay.synth.photos import photo_tiles


@pytest.fixture(scope="module")
def stock() -> scene.Stock:
    return scene.Stock(tuple(load_decks(3, None, 4)))


@pytest.fixture(scope="module")
def tiles(stock) -> list[scene.Tile]:
    return scene.table_tiles(stock, np.random.default_rng(5), 6) + photo_tiles(stock, np.random.default_rng(6), 4)


def test_the_same_seed_draws_the_same_tile(stock):
    one, two = (scene.table_tiles(stock, np.random.default_rng(9), 2) for _ in range(2))
    for first, second in zip(one, two, strict=True):
        assert np.array_equal(first.picture, second.picture)
        assert np.array_equal(first.kind, second.kind)
        assert np.array_equal(first.things, second.things)


def test_every_cell_of_a_card_lies_inside_its_outline(tiles):
    checked = 0
    for tile in tiles:
        cards = np.isin(tile.kind, (scene.FACE, scene.BACK))
        for row in np.unique(tile.thing[cards]):
            quad = corners(tile.things[row]).astype(np.float32)
            rows, columns = np.nonzero(cards & (tile.thing == row))
            for y, x in zip(rows, columns, strict=True):
                at = (float(x * scene.CELL_PX + 1.5), float(y * scene.CELL_PX + 1.5))
                assert cv2.pointPolygonTest(quad, at, True) > -2.0
                checked += 1
    assert checked > 200


def corners(shape: np.ndarray) -> np.ndarray:
    sides = np.array([s * shape[2:4] + t * shape[4:6] for s, t in ((1, 1), (1, -1), (-1, -1), (-1, 1))])
    return shape[:2] + sides / (1 + sides @ shape[6:8])[:, None]


def test_a_shape_holds_the_whole_outline_even_seen_aslant():
    quad = np.array([[30.0, 40.0], [92.0, 33.0], [110.0, 140.0], [21.0, 150.0]])
    again = corners(scene.card_shape(quad))
    for corner in quad:
        assert np.linalg.norm(again - corner, axis=1).min() < 1e-3


def test_a_rectangle_seen_straight_on_has_no_lean():
    shape = scene.card_shape(rectangle((80.0, 90.0), 63.5, 88.9, 37.0))
    assert shape[:2] == pytest.approx([80, 90], abs=1e-3)
    assert np.hypot(*shape[2:4]) == pytest.approx(88.9 / 2, abs=1e-3)
    assert np.hypot(*shape[4:6]) == pytest.approx(63.5 / 2, abs=1e-3)
    assert np.abs(shape[6:]).max() < 1e-6


def test_an_arm_owns_what_it_covers():
    canvas = Canvas(np.full((400, 400, 3), 90, np.uint8), np.full((400, 400), FELT, np.int16))
    lay_arm(canvas, (200.0, 200.0), 0.0, 2.0, np.random.default_rng(4))
    assert canvas.owner[160:200, 180:220].min() == COVER
    assert (canvas.owner[0:20, 150:250] == COVER).any()  # it reaches in from the top edge


def test_cards_of_a_hand_come_in_every_count_the_games_deal():
    counts = {len(scene.arrangement(np.random.default_rng(seed))[0]) for seed in range(200)}
    assert {1, 2, 3, 4, 5, 7} <= counts


def test_a_pile_holds_several_cards_hardly_out_of_line():
    for seed in range(60):
        offsets, degrees = scene.arrangement(np.random.default_rng(seed), piled=True)
        assert 2 <= len(offsets) <= 7
        assert np.abs(offsets).max() < 20 and np.abs(degrees).max() < 15


def test_a_plain_back_has_one_colour_but_for_its_cut_edge(stock):
    shape = np.dstack([np.zeros((178, 127, 3), np.uint8), np.full((178, 127), 255, np.uint8)])
    shape[:4, :4, 3] = 0
    colours = set()
    for seed in range(12):
        back = scene.plain_back(shape, np.array([40.0, 110.0, 30.0]), np.random.default_rng(seed))
        assert np.array_equal(back[:, :, 3], shape[:, :, 3])
        assert back[3:-3, 3:-3, :3].std(axis=(0, 1)).max() < 8
        colours.add(tuple(back[3:-3, 3:-3, :3].mean(axis=(0, 1)).round(-1)))
    assert len(colours) > 6
