"""Stacks are read as probabilities of whole piles; what the picture does not settle stays open."""

from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.core.readings import Known, Unreadable
from handreplay.errors import ProfileError
from handreplay.synth.chips import ChipLook, ChipSet, Light, draw_stack
from handreplay.vision.calibration import Calibration
from handreplay.vision.chip_geometry import MOST_CHIPS
from handreplay.vision.chip_reader import CERTAIN, ChipReader, decided, piles

VALUES = ("5", "25", "100")
CAMERA_MM = (0.0, -300.0, 2300.0)
ZONE = np.array([[-60.0, 640.0], [60.0, 640.0], [60.0, 760.0], [-60.0, 760.0]])
MIDDLE = (0.0, 700.0)


@dataclass(frozen=True)
class Chip:
    value: str
    face: str
    edge: str
    diameter_mm: float = 39.0
    thickness_mm: float = 3.3


@dataclass(frozen=True)
class Camera:
    size = (1920, 1080)
    image_points = ((210.0, 90.0), (1710.0, 90.0), (1710.0, 1040.0), (210.0, 1040.0))
    table_points = ((-750.0, 0.0), (750.0, 0.0), (750.0, 950.0), (-750.0, 950.0))
    distortion = ()
    focal_px = None
    principal_px = None
    position_mm = CAMERA_MM


@dataclass(frozen=True)
class Table:
    camera = Camera()


PALETTE = (Chip("5", "#b3262e", "#f2efe6"), Chip("25", "#1f7a45", "#f1e9c8"), Chip("100", "#24262b", "#e9e4d8"))


def look(chip: Chip) -> ChipLook:
    face, edge = (tuple(float(int(colour[i : i + 2], 16)) for i in (5, 3, 1)) for colour in (chip.face, chip.edge))
    cream = (225.0, 238.0, 240.0)
    return ChipLook(
        value=chip.value, face=face, edge=edge, spots=6, spot_width=0.5, spot_depth=0.68, spot_split=False,
        inlay=cream, inlay_radius=0.55, ring=cream, ring_radius=0.0, ring_width=0.0, print_colour=(40.0, 40.0, 40.0),
        print_size=0.5, text=f"${chip.value}", dots=0,
    )  # fmt: skip


CHIPSET = ChipSet(tuple(look(chip) for chip in PALETTE))
LIGHT = Light(shadow=(0.1, 0.1), softness_mm=3.0, depth=0.3, wall=0.1, wall_level=0.85, gap=0.5)


@pytest.fixture(scope="module")
def reader() -> ChipReader:
    return ChipReader(Calibration.from_profile(Table()), PALETTE)


def felt(patch, seed=5) -> np.ndarray:
    """The zone's printed circle on green cloth, in the patch's own pixels."""
    width, height = patch.size_px
    tile = np.full((height, width, 3), (70, 110, 40), np.uint8)
    x, y = patch.to_px([MIDDLE])[0]
    cv2.circle(tile, (int(x), int(y)), 90, (210, 230, 235), 5, cv2.LINE_AA)
    return tile.astype(np.float32)


def still(reader: ChipReader, *stacks: tuple[tuple[float, float], tuple[str, ...]]):
    """Three pictures of stacks at table places, with the patch that they are cut by."""
    patch = reader.calibration.patch(MIDDLE, (256.0, 256.0), px_per_mm=2.0)
    tile, rng = felt(patch), np.random.default_rng(3)
    for place, sequence in sorted(stacks, key=lambda stack: -stack[0][1]):
        lean = reader.calibration.lean_mm_per_mm(place) * 2.0
        draw_stack(tile, patch.to_px([place])[0], sequence, CHIPSET, lean, 2.0, rng, LIGHT, 0.3)
    soft = cv2.GaussianBlur(tile, (0, 0), 1.3)
    noisy = [np.clip(soft + rng.normal(0, 3, soft.shape), 0, 255).astype(np.uint8) for _ in range(3)]
    return noisy, patch


def read(reader: ChipReader, *stacks):
    pictures, patch = still(reader, *stacks)
    return reader.read(pictures, ZONE, patch)


def test_a_zone_with_nothing_but_print_holds_no_chips(reader):
    assert read(reader) == []


@pytest.mark.parametrize("value", VALUES)
def test_a_single_chip_is_read_whatever_its_colour(reader, value):
    (stack,) = read(reader, (MIDDLE, (value,)))
    best = stack.chips.value if isinstance(stack.chips, Known) else stack.chips.candidates[0][0]
    assert best == ((value, 1),)


def test_a_stack_is_found_where_its_foot_stands_not_where_its_top_is_seen(reader):
    (stack,) = read(reader, (MIDDLE, ("5",) * 8))
    assert np.hypot(*np.subtract(stack.base_mm, MIDDLE)) < 6


def test_chips_of_another_value_under_the_top_one_are_seen(reader):
    (stack,) = read(reader, (MIDDLE, ("100", "100", "5", "5")))
    named = [stack.chips.value] if isinstance(stack.chips, Known) else [pile for pile, _ in stack.chips.candidates]
    assert {value for value, _ in named[0]} == {"5", "100"}


def test_a_payout_beside_the_wager_is_a_stack_of_its_own(reader):
    stacks = read(reader, ((-22.0, 700.0), ("25",)), ((22.0, 695.0), ("100",)))
    assert sorted(round(stack.base_mm[0] / 20) for stack in stacks) == [-1, 1]


def test_chips_outside_the_zone_are_somebody_elses(reader):
    assert read(reader, ((0.0, 595.0), ("25",))) == []


def test_whole_pictures_and_cuts_read_alike(reader):
    pictures, patch = still(reader, (MIDDLE, ("25", "25")))
    whole = np.zeros((1080, 1920, 3), np.uint8)
    corners = reader.calibration.to_picture_px(patch.to_mm([[0, 0], [512, 0], [512, 512], [0, 512]]))
    into = cv2.getPerspectiveTransform(np.float32([[0, 0], [512, 0], [512, 512], [0, 512]]), np.float32(corners))
    cv2.warpPerspective(pictures[0], into, (1920, 1080), dst=whole, flags=cv2.INTER_AREA)
    (stack,) = reader.read([whole], ZONE)
    assert np.hypot(*np.subtract(stack.base_mm, MIDDLE)) < 4


def test_reading_twice_gives_the_same(reader):
    pictures, patch = still(reader, (MIDDLE, ("25", "5", "5")))
    assert reader.stacks(pictures, ZONE, patch) == reader.stacks(pictures, ZONE, patch)


def test_a_profile_without_chips_is_refused():
    with pytest.raises(ProfileError, match="chips"):
        ChipReader(Calibration.from_profile(Table()), ())


def levels(*rows: tuple[float, ...], run: float = 0.0) -> np.ndarray:
    """Level-by-level chances for VALUES and the end as logits; the stack has surely ended after the rows given."""
    whole = np.full((MOST_CHIPS + 1, len(VALUES) + 2), -40.0)
    whole[:, -2], whole[:, -1] = run, 40.0
    for level, (*kinds, end) in enumerate(rows):
        whole[level, : len(VALUES)] = np.log(np.maximum(kinds, 1e-17))
        whole[level, -1] = np.clip(np.log(max(end, 1e-17)) - np.log(max(1 - end, 1e-17)), -40, 40)
    return whole


def test_piles_count_what_every_level_shows():
    found = piles(levels((1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 0)), VALUES)
    assert found == (((("5", 2), ("25", 1)), pytest.approx(1.0)),)


def test_an_end_that_may_come_early_gives_both_heights():
    found = dict(piles(levels((0, 1, 0, 0), (0, 0.25, 0, 0.75)), VALUES))
    assert found == pytest.approx({(("25", 1),): 0.75, (("25", 2),): 0.25})


def test_a_doubtful_chip_follows_the_one_above_it():
    doubtful = ((0, 1, 0, 0), (0.5, 0.5, 0, 0))
    assert dict(piles(levels(*doubtful, run=3.0), VALUES))[(("25", 2),)] > 0.9
    assert dict(piles(levels(*doubtful), VALUES))[(("25", 2),)] == pytest.approx(0.5)


def test_no_chip_at_all_is_the_empty_pile():
    assert piles(levels(), VALUES)[0] == ((), pytest.approx(1.0))


rows = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda row: tuple(np.array(row) / sum(row)))


@given(st.lists(rows, min_size=1, max_size=6))
def test_probabilities_of_piles_add_to_one_and_fall(drawn):
    chances = [chance for _, chance in piles(levels(*drawn), VALUES)]
    assert chances == sorted(chances, reverse=True)
    assert 0.98 < sum(chances) <= 1 + 1e-9


def test_only_a_near_certain_pile_is_reported_as_known():
    pile, other = (("5", 2),), (("5", 3),)
    assert decided([(pile, CERTAIN), (other, 1 - CERTAIN)]) == Known(pile, CERTAIN)
    unsure = decided([(pile, 0.6), (other, 0.4)])
    assert isinstance(unsure, Unreadable)
    assert unsure.reason == "2 to 3 chips"
    assert unsure.candidates == ((pile, 0.6), (other, 0.4))


def test_a_place_that_may_be_empty_is_never_reported_as_empty():
    reading = decided([((), 0.99), ((("5", 1),), 0.01)])
    assert isinstance(reading, Unreadable)
