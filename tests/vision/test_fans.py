"""Cards of a hand laid open are found along its row, though their outlines were not, or were off."""

from dataclasses import replace

import numpy as np
import pytest

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.card_reader import CardReading
from handreplay.vision.fans import Read, laid_open
from handreplay.vision.straighten import CROP_PX_PER_MM
from handreplay.vision.table_eye import CardBox

PX_PER_MM = 2.0
CARD = np.array([[-31.7, -44.4], [31.7, -44.4], [31.7, 44.4], [-31.7, 44.4]])
LEVELS = {"2c": 40, "7h": 80, "Kd": 120, "9s": 160, "As": 200}  # how bright the edge with the index is


def reading(card: str, sure: float) -> CardReading:
    shares = np.full(len(DECK), (1 - sure) / (len(DECK) - 1))
    shares[CARD_NUMBER[card]] = sure
    return CardReading(tuple(shares), 1.0, "face", 1.0)


class Edges:
    """Reads a card by the brightness of its left edge, the surer the more of the edge is of one brightness."""

    def __init__(self) -> None:
        self.crops = 0

    def read(self, crops: list[np.ndarray]) -> list[CardReading]:
        self.crops += len(crops)
        return [self._one(crop) for crop in crops]

    def _one(self, crop: np.ndarray) -> CardReading:
        edge = crop[60:90, round(3 * CROP_PX_PER_MM) : round(15 * CROP_PX_PER_MM), 0].astype(int)
        shares = {card: float((np.abs(edge - level) < 8).mean()) for card, level in LEVELS.items()}
        card = max(shares, key=lambda one: shares[one])
        return reading(card, min(0.99, shares[card]))


def hand(places_mm: dict[str, float]) -> np.ndarray:
    """A tile with cards laid from the left to the right, each on the one before."""
    tile = np.full((400, 700, 3), 255, np.uint8)
    for card, x in places_mm.items():
        left = round((100 + x - 31.7) * PX_PER_MM)
        tile[100:300, left : left + round(63.5 * PX_PER_MM)] = 245
        tile[100:300, left : left + round(14 * PX_PER_MM)] = LEVELS[card]
    return tile


def box(x: float, *, face_up: bool = True, half_turn: bool = False) -> CardBox:
    corners = np.roll(CARD, 2, axis=0) if half_turn else CARD
    return CardBox(corners + np.array([100.0 + x, 100.0]), face_up, 0.9, 0.9, 0.5)


def found(places_mm: dict[str, float], *read: Read) -> dict[str, float]:
    cards = laid_open(Edges(), hand(places_mm), PX_PER_MM, read)
    sure = [(one, look) for one, look in cards if max(look.spread()) >= 0.9]
    return {look.card: round(float(one.corners[:, 0].mean()) - 100) for one, look in sure}


THREE = {"2c": 0.0, "7h": 23.0, "Kd": 47.0}


def test_a_card_that_was_not_found_is_read_between_its_neighbours() -> None:
    cards = found(THREE, (box(0), reading("2c", 0.99)), (box(47), reading("Kd", 0.99)))
    assert cards.keys() == THREE.keys()
    assert abs(cards["7h"] - 23) <= 5


def test_an_unread_face_makes_way_for_the_card_found_near_it() -> None:
    off = (box(33), reading("As", 0.2))
    cards = laid_open(
        Edges(), hand(THREE), PX_PER_MM, [(box(0), reading("2c", 0.99)), off, (box(47), reading("Kd", 0.99))]
    )
    assert len(cards) == 3
    assert {look.card for _, look in cards} == set(THREE)


def test_an_end_whose_outline_is_off_is_found_too() -> None:
    cards = found(THREE, (box(0), reading("2c", 0.99)), (box(23), reading("7h", 0.99)), (box(38), reading("As", 0.2)))
    assert cards.keys() == THREE.keys()


def test_half_a_turn_does_not_matter() -> None:
    cards = found(THREE, (box(0), reading("2c", 0.99)), (box(47, half_turn=True), reading("Kd", 0.99)))
    assert cards.keys() == THREE.keys()


@pytest.mark.parametrize(
    "read",
    [
        [(box(0), reading("2c", 0.99)), (box(23), reading("7h", 0.99)), (box(47), reading("Kd", 0.99))],
        [(box(0), reading("2c", 0.99))],
        [(box(0), reading("2c", 0.99)), (box(47, face_up=False), reading("As", 0.2))],
    ],
    ids=["nothing is missing", "a single card", "a back"],
)
def test_no_crop_is_wasted_where_nothing_can_be_missing(read: list[Read]) -> None:
    net = Edges()
    assert laid_open(net, hand(THREE), PX_PER_MM, read) == read
    assert net.crops == 0


def test_what_cannot_be_read_surely_is_left_as_it_was() -> None:
    read = [(box(0), reading("2c", 0.99)), (box(60), reading("Kd", 0.99))]
    assert laid_open(Edges(), hand({"2c": 0.0, "Kd": 60.0}), PX_PER_MM, read) == read


class Misled(Edges):
    """Cannot read a card on which the index of another one shows."""

    def _one(self, crop: np.ndarray) -> CardReading:
        beside = crop[60:90, round(29 * CROP_PX_PER_MM) : round(36 * CROP_PX_PER_MM), 0].astype(int)
        other = any((np.abs(beside - level) < 8).mean() > 0.3 for level in LEVELS.values())
        return reading("2c", 0.1) if other else super()._one(crop)


def test_the_index_of_a_card_above_does_not_mislead() -> None:
    read = [(box(0), reading("2c", 0.99)), (box(47), reading("Kd", 0.99))]
    on_top = CardBox(read[1][0].corners, True, 0.9, 0.9, 1.0)
    cards = laid_open(Misled(), hand(THREE), PX_PER_MM, [read[0], (on_top, read[1][1])])
    assert {look.card for _, look in cards} == set(THREE)


class Dim(Edges):
    """Reads only so surely."""

    def __init__(self, most: float) -> None:
        super().__init__()
        self.most = most

    def _one(self, crop: np.ndarray) -> CardReading:
        look = super()._one(crop)
        return reading(look.card, min(self.most, max(look.spread())))


@pytest.mark.parametrize(("most", "told"), [(0.65, {"2c", "7h", "Kd"}), (0.5, {"2c", "Kd"})])
def test_a_card_that_surely_lies_there_is_told_of_though_which_it_is_is_not(most: float, told: set[str]) -> None:
    read = [(box(0), reading("2c", 0.99)), (box(47), reading("Kd", 0.99))]
    cards = laid_open(Dim(most), hand(THREE), PX_PER_MM, read)
    assert {look.card for _, look in cards} == told
    assert all(max(look.spread()) == most for _, look in cards if look.card == "7h")


@pytest.mark.parametrize(("visible", "looked_for"), [(1.0, False), (0.7, True)])
def test_between_two_whole_cards_side_by_side_none_is_looked_for(visible: float, looked_for: bool) -> None:
    cards = {"2c": 0.0, "Kd": 77.0}
    net, read = Edges(), [(replace(box(x), visible=visible), reading(card, 0.99)) for card, x in cards.items()]
    laid_open(net, hand(cards), PX_PER_MM, read)
    assert bool(net.crops) is looked_for
