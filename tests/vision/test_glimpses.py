"""A card that shows beside a hand is reported once, from two pictures that agree; most pictures need no look."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known
from handreplay.vision.calibration import Calibration
from handreplay.vision.change import Area, Motion, Watcher, working_plane
from handreplay.vision.glimpses import Glimpses
from handreplay.vision.table_eye import CardBox
from handreplay.vision.zone_reader import patch_of
from handreplay.vision.zones import Zones

RATE = 15
FELT, CARD = 60, 230
ZONE = "dealer.cards"
OUTLINE = [(100.0, 100.0), (300.0, 100.0), (300.0, 220.0), (100.0, 220.0)]
CARD_MM = (63, 88)


@dataclass(frozen=True)
class Camera:
    """Straight down, a pixel a millimetre."""

    size: tuple[int, int] = (400, 300)
    image_points: tuple[tuple[float, float], ...] = ((0, 0), (400, 0), (400, 300), (0, 300))
    table_points: tuple[tuple[float, float], ...] = ((0, 0), (400, 0), (400, 300), (0, 300))
    distortion: tuple[float, ...] = ()
    focal_px: float | None = None
    principal_px: tuple[float, float] | None = None
    position_mm: tuple[float, float, float] | None = (200.0, 150.0, 1500.0)


@dataclass(frozen=True)
class Profile:
    camera: Camera = Camera()


@dataclass(frozen=True)
class Shape:
    name: str
    polygon: list[tuple[float, float]]


@dataclass
class Colours:
    picture: NDArray[np.uint8]

    def part(self, rows: slice, columns: slice) -> NDArray[np.uint8]:
        return np.repeat(self.picture[rows, columns, None], 3, axis=2)


@dataclass
class Reader:
    """Finds the white cards that lie at known corners, by looking at the view."""

    corners: list[tuple[int, int]]
    looks: int = 0
    close_looks: int = 0
    blind: bool = False  # at a close look

    def look(self, tile: NDArray[np.uint8], *, closely: bool) -> NDArray[np.uint8]:
        self.looks += not closely
        self.close_looks += closely
        return tile * (not (closely and self.blind))

    def boxes(self, patch: Any, zone: str, tile: NDArray[np.uint8]) -> list[CardBox]:
        found = []
        for left, top in self.corners:
            outline = np.array([(left, top), (left + 63, top), (left + 63, top + 88), (left, top + 88)], float)
            (x0, y0), _, (x1, y1), _ = patch.to_px(outline).round().astype(int)
            if np.median(tile[y0:y1, x0:x1]) > 200:
                found.append(CardBox(patch.to_px(outline) / 2, True, 0.9, 0.9, 1.0))
        return found

    def under_cover(self, *_: Any) -> bool:
        return False

    def covered(self, *_: Any) -> bool:
        return True

    def cards(self, tile: Any, patch: Any, zone: str, boxes: list[CardBox], frame: int) -> list[SeenCard]:
        return [
            SeenCard(
                corners_mm=tuple((float(x), float(y)) for x, y in patch.to_mm(box.corners * 2)),  # type: ignore[arg-type]
                face_up=True,
                face_confidence=1.0,
                identity=Known("Ah", 0.99),
            )
            for box in boxes
        ]


@dataclass
class Table:
    """A hand hovers over the right of the dealer's place while cards come and go on the left of it."""

    reader: Reader = field(default_factory=lambda: Reader([(105, 110), (175, 110)]))
    shown: dict[str, tuple[SeenCard, ...]] = field(default_factory=dict)
    frame: int = 0
    zone: str = ZONE

    def __post_init__(self) -> None:
        calibration = Calibration.from_profile(Profile())
        zones = Zones([Shape(self.zone, OUTLINE)], calibration)
        areas = {self.zone: Area(np.array(OUTLINE), None, None)}
        self.motion, self.watcher = Motion(areas), Watcher(areas)
        windows = {self.zone: patch_of(calibration, zones.polygons_mm[self.zone], 12.0).window((400, 300))}
        self.glimpses = Glimpses(self.reader, self.watcher, windows, zones, self.shown)  # type: ignore[arg-type]
        self.felt = np.full((300, 400), FELT, np.uint8)
        self.noise = np.random.default_rng(7)
        self.hand = self.noise.integers(90, 200, (6, 5), dtype=np.uint8).repeat(8, axis=0).repeat(8, axis=1)
        for rest in self._rests(12):
            self.watcher.accept(rest.zone, empty=True)

    def _picture(self, hand: bool) -> NDArray[np.uint8]:
        picture = self.felt.copy()
        if hand:
            top = 80 + 9 * (self.frame % 9)
            picture[top : top + 48, 250:290] = self.hand
        return picture + self.noise.integers(0, 3, picture.shape, dtype=np.uint8)

    def _watch(self, picture: NDArray[np.uint8]) -> list[Any]:
        plane = working_plane(picture)
        return self.watcher.update(self.frame / RATE, self.frame, plane, self.motion.feed(plane))

    def _rests(self, pictures: int) -> list[Any]:
        rests = []
        for _ in range(pictures):
            rests += self._watch(self._picture(hand=False))
            self.frame += 1
        return rests

    def put(self, corner: tuple[int, int]) -> None:
        self.felt[corner[1] : corner[1] + 88, corner[0] : corner[0] + 63] = CARD

    def clear(self) -> None:
        self.felt[:] = FELT

    def hover(self, pictures: int, *, hand: bool = True) -> list[ZoneSeen]:
        found: list[ZoneSeen] = []
        for _ in range(pictures):
            picture = self._picture(hand)
            self._watch(picture)
            found += self.glimpses.feed(self.frame, self.frame / RATE, Colours(picture))  # type: ignore[arg-type]
            self.frame += 1
        return found


def test_a_hand_alone_needs_no_look_at_all() -> None:
    table = Table()
    assert table.hover(60) == []
    assert table.reader.looks <= 2


@pytest.mark.parametrize("before", range(8))
def test_a_face_that_shows_for_a_third_of_a_second_is_seen_whenever_it_comes(before: int) -> None:
    table = Table()
    table.hover(4 + before)
    table.put((105, 110))
    came = table.frame / RATE
    found = table.hover(5)
    table.clear()
    found += table.hover(20)
    assert [len(seen.cards) for seen in found] == [1]
    assert found[0].partly and came <= found[0].start <= came + 3 / RATE


@pytest.mark.parametrize("before", range(4))
def test_a_player_s_face_that_shows_between_two_visits_is_seen(before: int) -> None:
    table = Table(zone="seat2.cards")
    table.hover(16 + before)
    table.put((105, 110))
    found = table.hover(4) + table.hover(4, hand=False) + table.hover(4)
    table.clear()
    found += table.hover(20)
    assert [len(seen.cards) for seen in found] == [1]


def test_what_lies_there_on_is_reported_once_and_looked_at_little() -> None:
    table = Table()
    table.hover(4)
    table.put((105, 110))
    found = table.hover(120)
    assert len(found) == 1
    assert table.reader.looks <= 5
    assert table.reader.close_looks == 1


def test_what_a_close_look_does_not_show_is_not_reported() -> None:
    table = Table()
    table.reader.blind = True
    table.hover(4)
    table.put((105, 110))
    assert table.hover(40) == []
    assert 1 <= table.reader.close_looks <= 20


def test_a_second_card_beside_the_first_is_news() -> None:
    table = Table()
    table.hover(4)
    table.put((105, 110))
    table.hover(20)
    table.put((175, 110))
    assert [len(seen.cards) for seen in table.hover(20)] == [2]


def test_what_was_reported_at_rest_is_no_news() -> None:
    table = Table()
    table.put((105, 110))
    found = table.hover(20)
    table.shown[ZONE] = found[0].cards
    table.clear()
    table.hover(20)
    table.put((105, 110))
    assert table.hover(20) == []
