"""Votes of cells become cards, chips and cover; the net that ships sees what lies on a felt."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.errors import ModelError
from handreplay.vision.table_eye import CELL_PX, CHANNELS, INPUT, TableEye

SIDE = 64  # cells
LENGTH, WIDTH = 88.9, 63.5


class Scripted:
    """A model that gives prepared cells, whatever it is shown."""

    name = "scripted"

    def __init__(self, cells: np.ndarray, channels: tuple[str, ...] = CHANNELS) -> None:
        self.said = {"input": INPUT, "channels": json.dumps(channels)}
        self._channels = channels
        order = [CHANNELS.index(name) for name in channels]
        self._cells = cells[order]

    def columns(self, key: str, wanted: tuple[str, ...]) -> list[int]:
        assert key == "channels"
        return [self._channels.index(name) for name in wanted]

    def run(self, pictures: np.ndarray) -> list[np.ndarray]:
        return [np.stack([self._cells] * len(pictures))]


def blank() -> np.ndarray:
    return np.zeros((len(CHANNELS), SIDE, SIDE), np.float32)


def middles() -> np.ndarray:
    along = np.arange(SIDE) * CELL_PX + CELL_PX / 2
    return np.stack(np.meshgrid(along, along), axis=-1)


def paint_card(
    cells: np.ndarray, centre: tuple[float, float], degrees: float, *, up: bool = False, spread: float = 0.5
):
    """What a perfect net would say of one card, over what was there before; returns its corners."""
    angle = np.radians(degrees)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    away = middles() - np.array(centre)
    inside = (np.abs(away @ along) < LENGTH / 2) & (np.abs(away @ across) < WIDTH / 2)
    cells[:, inside] = 0
    cells[0 if up else 1, inside] = 0.97
    cells[4, inside], cells[5, inside] = -away[inside][:, 0], -away[inside][:, 1]
    for first, half, turned in ((6, LENGTH / 2, angle), (8, WIDTH / 2, angle + np.pi / 2)):
        cells[first, inside], cells[first + 1, inside] = half * np.cos(2 * turned), half * np.sin(2 * turned)
    cells[12, inside] = spread
    half_along, half_across = along * LENGTH / 2, across * WIDTH / 2
    return np.array(centre) + np.array([
        half_along - half_across, half_along + half_across, -half_along + half_across, -half_along - half_across,
    ])  # fmt: skip


def look(cells: np.ndarray):
    return TableEye(Scripted(cells)).look(np.zeros((SIDE * CELL_PX, SIDE * CELL_PX, 3), np.uint8))


def miss(found: np.ndarray, wanted: np.ndarray) -> float:
    turns = [np.roll(order, turn, axis=0) for order in (wanted, wanted[::-1]) for turn in range(4)]
    return min(float(np.linalg.norm(found - turned, axis=1).max()) for turned in turns)


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 360), st.floats(70, 180), st.floats(70, 180), st.booleans())
def test_a_card_is_found_where_it_lies_at_any_turn(degrees, x, y, up):
    cells = blank()
    wanted = paint_card(cells, (x, y), degrees, up=up)
    (card,) = look(cells).cards
    assert miss(card.corners, wanted) < 0.2
    assert card.face_up is up
    assert card.visible > 0.9


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 180))
def test_corners_run_clockwise_from_a_short_side(degrees):
    cells = blank()
    paint_card(cells, (128, 128), degrees)
    corners = look(cells).cards[0].corners
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    assert sides[0] < sides[1]
    step = np.roll(corners, -1, axis=0) - corners
    turns = step[:, 0] * np.roll(step[:, 1], -1) - step[:, 1] * np.roll(step[:, 0], -1)
    assert (turns > 0).all()  # y grows downwards


@pytest.mark.parametrize("apart_mm", [6, 8, 12, 30])
def test_cards_on_top_of_each_other_and_a_few_millimetres_aside_are_counted_one_by_one(apart_mm):
    cells = blank()
    for number in range(3):
        paint_card(cells, (100 + number * apart_mm, 120), 90)
    cards = look(cells).cards
    assert len(cards) == 3
    assert sorted(round(float(card.corners[:, 0].mean())) for card in cards) == [100 + n * apart_mm for n in range(3)]
    assert sorted(card.visible > 0.9 for card in cards) == [False, False, True]


def test_two_cards_crossing_with_one_centre_are_two():
    cells = blank()
    paint_card(cells, (128, 128), 0)
    paint_card(cells, (128, 128), 90)
    assert len(look(cells).cards) == 2


def test_stray_votes_within_a_card_make_no_card():
    cells = blank()
    paint_card(cells, (128, 128), 20)
    cells[4:6, 28:34, 28:34] += 9.0
    cells[12, 28:34, 28:34] = 4.0
    assert len(look(cells).cards) == 1


def test_uncertain_votes_that_agree_on_nothing_make_no_card():
    cells = blank()
    cells[1] = 0.9
    cells[4:10] = np.random.default_rng(3).normal(0, 40, (6, SIDE, SIDE))
    cells[12] = 20.0
    assert look(cells).cards == ()


def test_the_top_of_a_stack_is_found_once_with_its_radius():
    cells = blank()
    away = middles() - np.array([90.0, 141.0])
    inside = np.hypot(away[..., 0], away[..., 1]) < 19.5
    cells[2, inside] = 0.9
    cells[13, inside], cells[14, inside], cells[15, inside] = -away[inside][:, 0], -away[inside][:, 1], 19.5
    (chip,) = look(cells).chips
    assert chip.centre == pytest.approx([90.0, 141.0], abs=0.1)
    assert chip.radius == pytest.approx(19.5, abs=0.1)


def test_channels_are_found_by_name_and_not_by_place():
    cells = blank()
    wanted = paint_card(cells, (110, 130), 33, up=True)
    eye = TableEye(Scripted(cells, CHANNELS[::-1]))
    (card,) = eye.look(np.zeros((SIDE * CELL_PX, SIDE * CELL_PX, 3), np.uint8)).cards
    assert card.face_up
    assert miss(card.corners, wanted) < 0.2


def test_a_model_for_other_pictures_is_refused():
    model = Scripted(blank())
    model.said["input"] = "RGB"
    with pytest.raises(ModelError, match="RGB"):
        TableEye(model)


@pytest.fixture(scope="module")
def eye() -> TableEye:
    return TableEye()


@pytest.mark.parametrize("size", [(64, 64), (97, 131), (200, 45)])
def test_a_bare_felt_of_any_size_shows_nothing(eye, size):
    felt = np.random.default_rng(1).normal((60, 110, 40), 4, (*size, 3)).clip(0, 255).astype(np.uint8)
    sighting = eye.look(felt)
    assert sighting.cards == ()
    assert sighting.chips == ()
    assert sighting.occluder.shape == (-(-size[0] // CELL_PX), -(-size[1] // CELL_PX))
    assert sighting.occluder.max() < 0.5


def test_the_same_view_gives_the_same_answer_alone_and_in_company(eye):
    view = np.random.default_rng(2).integers(0, 255, (96, 96, 3)).astype(np.uint8)
    alone, again = eye.look(view), eye.look_at_all([view, view])[1]
    assert np.allclose(alone.occluder, again.occluder, atol=1e-5)
    assert len(alone.cards) == len(again.cards)
