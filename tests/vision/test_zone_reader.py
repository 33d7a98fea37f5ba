"""What counts as a face, as a back and as a cover card."""

import cv2
import numpy as np
import pytest

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.calibration import FeltPatch
from handreplay.vision.card_reader import CardReading, Kind
from handreplay.vision.colours import tint_of
from handreplay.vision.table_eye import CardBox, Sighting
from handreplay.vision.zone_reader import FINE_PX_PER_MM, Eyes, ZoneReader, _as_read, _seen, patch_of
from tests.drawn_table import CALIBRATION, ZONES

PATCH = patch_of(CALIBRATION, ZONES.polygons_mm["dealer.cards"], 40.0)
CORNERS = np.array([[20.0, 20.0], [83.0, 20.0], [83.0, 108.0], [20.0, 108.0]])


@pytest.mark.parametrize(("chance", "sure", "face_up"), [(0.51, 0.08, False), (0.51, 0.97, True), (0.9, 0.08, True)])
def test_a_strip_that_may_be_a_back_is_a_face_only_where_it_is_read(chance: float, sure: float, face_up: bool) -> None:
    shares = np.full(len(DECK), (1 - sure) / (len(DECK) - 1))
    shares[CARD_NUMBER["3h"]] = sure
    box = CardBox(corners=CORNERS, face_up=True, score=0.8, face_chance=chance, visible=0.17)
    blank = np.zeros((200, 200, 3), np.uint8)
    card = _seen(box, PATCH, CardReading(tuple(shares.tolist()), 1.0, "face", 1.0), blank)
    assert card.face_up is face_up and bool(card.probabilities) is face_up


BLUE, RED = "#1c3f8f", "#9b1c2c"


def painted(zone: str, colour: tuple[int, int, int]) -> tuple[np.ndarray, FeltPatch, Sighting]:
    """A view of a place with one back of that colour (BGR) in its middle."""
    patch = patch_of(CALIBRATION, ZONES.polygons_mm[zone], 45.0)
    width, height = patch.size_px
    middle = np.array([width, height]) / FINE_PX_PER_MM / 2
    corners = middle + np.array([[-31.0, -44.0], [31.0, -44.0], [31.0, 44.0], [-31.0, 44.0]])
    tile = np.full((height, width, 3), (40, 90, 40), np.uint8)
    cv2.fillPoly(tile, [np.round(corners * FINE_PX_PER_MM).astype(np.int32)], colour)
    box = CardBox(corners=corners, face_up=False, score=0.9, face_chance=0.02, visible=1.0)
    return tile, patch, Sighting((box,), (), np.zeros((height // 4, width // 4), np.float32))


@pytest.mark.parametrize(
    ("zone", "colour", "a_cover"),
    [
        ("seat3.cards", (44, 28, 155), False),  # the other deck's red
        ("seat3.cards", (40, 200, 220), True),  # yellow plastic
        ("seat3.cards", (30, 30, 30), True),  # a black thing
        ("dealer.cards", (44, 28, 155), True),  # a sleeve, or a cover card: no deck begins there
    ],
)
def test_a_deck_of_another_colour_first_shows_before_a_player(
    zone: str, colour: tuple[int, int, int], a_cover: bool
) -> None:
    eyes = Eyes(None, None, None, backs=(tint_of(BLUE), tint_of(RED)))  # type: ignore[arg-type]
    reader = ZoneReader(CALIBRATION, ZONES, eyes, None)  # type: ignore[arg-type]
    reader.recall(np.array([tint_of(BLUE)]), None)
    tile, patch, sighting = painted(zone, colour)
    assert reader.under_cover(tile, patch, zone, sighting) is a_cover


@pytest.mark.parametrize(("kind", "sure", "face_up"), [("back", 0.85, False), ("back", 0.7, True), ("face", 0.9, True)])
def test_a_strip_that_the_card_reader_takes_for_a_back_is_none_of_the_faces(
    kind: Kind, sure: float, face_up: bool
) -> None:
    even = (1 / len(DECK),) * len(DECK)
    box = CardBox(corners=CORNERS, face_up=True, score=0.8, face_chance=0.95, visible=0.17)
    assert _as_read(box, CardReading(even, 0.1, kind, sure)).face_up is face_up


@pytest.mark.parametrize(("named", "a_cover"), [(RED, True), ("#202020", False)])
def test_a_black_back_is_of_a_deck_where_the_profile_names_a_black_one(named: str, a_cover: bool) -> None:
    eyes = Eyes(None, None, None, backs=(tint_of(BLUE), tint_of(named)))  # type: ignore[arg-type]
    reader = ZoneReader(CALIBRATION, ZONES, eyes, None)  # type: ignore[arg-type]
    reader.recall(np.array([tint_of(BLUE)]), None)
    tile, patch, sighting = painted("seat3.cards", (30, 30, 30))
    assert reader.under_cover(tile, patch, "seat3.cards", sighting) is a_cover


@pytest.mark.parametrize(("beside_mm", "lies_there"), ((0.0, True), (-5.0, True), (20.0, False)))
def test_a_card_that_lies_beside_the_shoe_is_not_in_it(beside_mm: float, lies_there: bool) -> None:
    reader = ZoneReader(CALIBRATION, ZONES, Eyes(None, None, None), None)  # type: ignore[arg-type]
    patch = patch_of(CALIBRATION, ZONES.polygons_mm["shoe"], 45.0)
    (left, low), (right, high) = ZONES.polygons_mm["shoe"].min(axis=0), ZONES.polygons_mm["shoe"].max(axis=0)
    middle = patch.to_px(np.array([[(left + right) / 2, high + beside_mm if beside_mm else (low + high) / 2]]))
    corners = middle / FINE_PX_PER_MM + np.array([[-31.0, -44.0], [31.0, -44.0], [31.0, 44.0], [-31.0, 44.0]])
    box = CardBox(corners=corners, face_up=True, score=0.9, face_chance=0.98, visible=1.0)
    found = reader.boxes(patch, "shoe", Sighting((box,), (), np.zeros((1, 1), np.float32)))
    assert bool(found) is lies_there


def test_a_hand_laid_open_where_it_was_tucked_is_all_of_it_there_whatever_else_it_covers() -> None:
    reader = ZoneReader(CALIBRATION, ZONES, Eyes(None, None, None), None)  # type: ignore[arg-type]
    tucked, beside = "seat3.blind", "seat3.ante"
    middle, other = (ZONES.polygons_mm[zone].mean(axis=0) for zone in (tucked, beside))
    way = (other - middle) / np.linalg.norm(other - middle)
    across = np.array([-way[1], way[0]])
    half = np.array([-31.0 * across - 44.0 * way, 31.0 * across - 44.0 * way, 31.0 * across + 44.0 * way])
    corners = np.vstack([half, -31.0 * across + 44.0 * way])
    fan = [middle + (other - middle) * 0.5 + step * across + corners for step in (-80.0, -40.0, 0.0, 40.0, 80.0)]

    def found(zone: str, under: tuple[str, ...]) -> int:
        patch = patch_of(CALIBRATION, ZONES.polygons_mm[zone], 45.0)
        boxes = [CardBox(patch.to_px(card) / FINE_PX_PER_MM, True, 0.9, 0.98, 1.0) for card in fan]
        return len(reader.boxes(patch, zone, Sighting(tuple(boxes), (), np.zeros((1, 1), np.float32)), under))

    assert (found(tucked, (tucked,)), found(beside, (tucked,))) == (5, 0)
    assert found(tucked, ()) < 5  # where nothing is known of the hand, each card lies where most of it is
