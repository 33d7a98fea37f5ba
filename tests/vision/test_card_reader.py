"""The card reader reads straightened crops from either end and says when it cannot."""

from importlib.resources import files

import cv2
import numpy as np
import pytest

from handreplay.vision.card_reader import CardReader, straighten
from handreplay.vision.straighten import CARD_IN_CROP, CROP_HEIGHT_PX, CROP_WIDTH_PX
from handreplay.vision.weights import load


@pytest.fixture(scope="module", params=["reader", "reader_quick"])
def reader(request) -> CardReader:
    return CardReader(load(request.param))


@pytest.fixture(scope="module")
def three_cards() -> list[np.ndarray]:
    """The built-in picture: ace of spades, king of diamonds, nine of hearts."""
    data = np.frombuffer((files("handreplay") / "models" / "reader_check.png").read_bytes(), np.uint8)
    return np.split(cv2.imdecode(data, cv2.IMREAD_COLOR), 3, axis=1)


def test_a_card_reads_the_same_from_either_end(reader, three_cards):
    turned = [crop[::-1, ::-1] for crop in three_cards]
    assert [reading.card for reading in reader.read(three_cards + turned)] == ["As", "Kd", "9h"] * 2


def test_probabilities_add_to_one_over_the_52_cards(reader, three_cards):
    for reading in reader.read(three_cards):
        assert len(reading.probabilities) == 52
        assert sum(reading.probabilities) == pytest.approx(1)
        assert reading.kind == "face"


def test_a_crop_reads_the_same_alone_and_in_company(reader, three_cards):
    alone = reader.read(three_cards[:1])[0]
    together = reader.read(three_cards * 20)[0]
    assert alone.card == together.card
    assert alone.confidence == pytest.approx(together.confidence, abs=1e-4)


def test_bare_felt_is_no_card(reader):
    felt = np.full((CROP_HEIGHT_PX, CROP_WIDTH_PX, 3), (40, 110, 30), np.uint8)
    assert reader.read([felt])[0].kind == "none"


def test_a_card_whose_face_is_covered_is_not_readable(reader, three_cards):
    covered = three_cards[2].copy()
    covered[4:-4, 4:-4] = (70, 90, 150)
    assert reader.read([covered])[0].readable < reader.read(three_cards[2:])[0].readable
    assert reader.read([covered])[0].confidence < 0.9


def test_no_crops_give_no_readings(reader):
    assert reader.read([]) == []


def test_straighten_brings_a_turned_card_back(three_cards):
    crop = three_cards[1]
    table = np.zeros((400, 400, 3), np.uint8)
    turned = cv2.getRotationMatrix2D((CROP_WIDTH_PX / 2, CROP_HEIGHT_PX / 2), 37, 1.5)
    turned[:, 2] += (140, 120)
    table = cv2.warpAffine(crop, turned, (400, 400), flags=cv2.INTER_CUBIC)
    quad = cv2.transform(CARD_IN_CROP[None], turned)[0]
    difference = np.abs(straighten(table, quad)[8:-8, 8:-8].astype(int) - crop[8:-8, 8:-8])
    assert difference.mean() < 6


def test_a_quad_lying_on_its_side_is_turned_upright(three_cards):
    crop = three_cards[0]
    on_side = np.roll(CARD_IN_CROP, 1, axis=0)
    straight = straighten(crop, on_side)
    ends = [np.abs(straight.astype(int) - end).mean() for end in (crop, crop[::-1, ::-1])]
    assert min(ends) < 3


def test_a_near_photograph_is_shrunk_without_aliasing():
    stripes = np.zeros((1600, 1200, 3), np.uint8)
    stripes[:, ::2] = 255
    quad = np.array([[100, 100], [1100, 100], [1100, 1500], [100, 1500]], np.float32)
    middle = straighten(stripes, quad)[30:-30, 30:-30].astype(int)
    assert middle.std() < 12
    assert abs(middle.mean() - 127) < 6
