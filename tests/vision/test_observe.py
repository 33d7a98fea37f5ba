"""A face at rest that cannot be read is looked at again, and told of once; chips that lie for a moment are seen."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from handreplay.config import load_profile
from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import SeenCard, SeenStack, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.footage import Frame, pictures
from handreplay.vision.calibration import Calibration
from handreplay.vision.card_reader import CardReading
from handreplay.vision.fit import Fit
from handreplay.vision.later_looks import AGAIN_TIMES
from handreplay.vision.observe import Observer, observe
from handreplay.vision.shipped import shipped_eyes
from handreplay.vision.zone_reader import Eyes
from handreplay.vision.zones import Zones
from tests.clips import record

SAMPLE = Path(__file__).parents[2] / "sample_footage"
PROFILE = load_profile(SAMPLE / "uth-sample.table.toml")
RATE, SECONDS = 15, 9


class Doubts:
    """Reads every face as a nine of hearts that it is not sure of, until it has been asked often enough."""

    def __init__(self, looks: int) -> None:
        self.left, self.asked = looks, 0

    def read(self, crops: list[np.ndarray]) -> list[CardReading]:
        if len(crops) == 1:  # the first question of a look; those around the outline follow it
            self.asked += 1
        shares = np.full(len(DECK), 0.4 / (len(DECK) - 1) if self.asked <= self.left else 0.0)
        shares[CARD_NUMBER["9h"]] = 0.6 if self.asked <= self.left else 1.0
        return [CardReading(tuple(shares), 1.0, "face", 1.0)] * len(crops)


@pytest.fixture(scope="module")
def footage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return card_in("dealer.cards", tmp_path_factory.mktemp("card") / "card.mp4")


def card_in(zone: str, path: Path) -> Path:
    """The sample's bare table, on which a card lies from the second second on."""
    first = next(picture for picture in pictures(SAMPLE / "uth-sample.mp4") if isinstance(picture, Frame))
    bare = first.bgr()[:, :, ::-1].copy()
    calibration = Calibration.from_profile(PROFILE)
    middle = calibration.to_picture_px([Zones(PROFILE.zones, calibration).center_mm(zone)])[0]
    left, top = (int(value) for value in middle - (31, 44))
    laid = bare.copy()
    cv2.rectangle(laid, (left, top), (left + 63, top + 89), (235, 235, 230), -1)
    cv2.putText(laid, "9", (left + 4, top + 16), 0, 0.5, (180, 20, 20), 2)
    cv2.circle(laid, (left + 31, top + 44), 9, (180, 20, 20), -1)
    record(path, RATE * SECONDS, rate=RATE, draw=lambda number: laid if number >= RATE else bare, key_every=5)
    return path


def faces(footage: Path, net: Doubts, zone: str = "dealer.cards") -> list[SeenCard]:
    """What is told of the card, look by look."""
    calibration = Calibration.from_profile(PROFILE)
    shipped = shipped_eyes(calibration, PROFILE.chips)[0]
    observer = Observer(calibration, Zones(PROFILE.zones, calibration), Eyes(shipped.table, net, shipped.chips))
    seen = observe(observer.prepared(pictures(footage)), observer)
    looks = [one for one in seen if isinstance(one, ZoneSeen) and one.zone == zone and not one.partly]
    return [card for look in looks for card in look.cards if card.face_up]


def test_a_face_that_is_read_at_once_is_told_once(footage: Path) -> None:
    (card,) = faces(footage, Doubts(0))
    assert card.identity == Known("9h", 1.0)


def test_a_face_that_is_read_later_is_told_when_it_is(footage: Path) -> None:
    first, last = faces(footage, Doubts(5))
    assert first.probabilities == () and last.identity == Known("9h", 1.0)


def test_a_face_that_is_never_read_says_what_it_may_be_when_the_looks_are_over(footage: Path) -> None:
    sure, net = Doubts(0), Doubts(1000)
    faces(footage, sure)
    first, last = faces(footage, net)
    assert first.probabilities == () and max(last.probabilities) == 0.6
    assert net.asked == sure.asked + AGAIN_TIMES


def test_a_face_in_the_shoe_is_told_of_if_it_is_surely_read(tmp_path: Path) -> None:
    shoe = card_in("shoe", tmp_path / "shoe.mp4")
    assert [card.identity for card in faces(shoe, Doubts(0), "shoe")] == [Known("9h", 1.0)]
    assert faces(shoe, Doubts(1000), "shoe") == []


class BrightStacks:
    """Sees a stack where something bright lies in the middle of a wager's place."""

    def read(self, views: list[np.ndarray], *_: object, faint: bool) -> list[SeenStack]:
        middles = [view[len(view) // 2 - 9 : len(view) // 2 + 9, view.shape[1] // 2 - 9 :][:, :18] for view in views]
        stack = SeenStack(base_mm=(0.0, 0.0), chips=Unreadable("drawn"), top_mm=(0.0, 0.0))
        return [stack for middle in middles if float(middle.min()) > 200]


def wager_looks(tmp_path: Path, lies: range, elsewhere: int | None = None) -> list[tuple[bool, float]]:
    """What is told of a wager's place that a hand visits twice, and on which a chip lies at some pictures.

    At the picture `elsewhere` the camera shows another view.
    """
    zone = "seat3.ante"
    first = next(picture for picture in pictures(SAMPLE / "uth-sample.mp4") if isinstance(picture, Frame))
    bare, calibration = first.bgr()[:, :, ::-1].copy(), Calibration.from_profile(PROFILE)
    x, y = (int(value) for value in calibration.to_picture_px([Zones(PROFILE.zones, calibration).center_mm(zone)])[0])

    def draw(number: int) -> np.ndarray:
        picture = bare.copy()
        if number in lies:
            cv2.circle(picture, (x, y), 18, (240, 240, 240), -1)
        if 30 <= number < 40 or 45 <= number < 55:
            cv2.rectangle(picture, (x - 40, y - 60), (x + 40, y + 20 + 4 * (number % 5)), (225, 180, 150), -1)
        return picture

    path = tmp_path / "wager.mp4"
    record(path, 90, rate=RATE, draw=draw, key_every=5)
    shipped = shipped_eyes(calibration, PROFILE.chips)[0]
    eyes = Eyes(shipped.table, shipped.cards, BrightStacks())
    after = None if elsewhere is None else elsewhere + 1
    observer = Observer(calibration, Zones(PROFILE.zones, calibration), eyes)
    seen = observe(
        (
            replace(one, fit=Fit(number / RATE, ok=number != elsewhere)) if number in (elsewhere, after) else one
            for number, one in enumerate(observer.prepared(pictures(path)))
        ),
        observer,
    )
    return [(one.filled, one.start) for one in seen if isinstance(one, ZoneSeen) and one.zone == zone]


def test_a_chip_that_came_and_went_between_two_hands_is_told_of(tmp_path: Path) -> None:
    (_, (lay, came), (left, gone)) = wager_looks(tmp_path, range(32, 48))
    assert lay and 30 / RATE < came < 45 / RATE
    assert not left and gone > 48 / RATE


def test_a_hand_that_came_twice_and_left_nothing_is_no_chip(tmp_path: Path) -> None:
    assert not any(lay for lay, _ in wager_looks(tmp_path, range(0)))


def test_of_what_was_seen_before_another_view_nothing_is_told_after_it(tmp_path: Path) -> None:
    told = wager_looks(tmp_path, range(32, 48), elsewhere=50)
    assert [start for _, start in told] == sorted(start for _, start in told)
    assert not any(lay for lay, start in told if start < 50 / RATE)


class Places:
    """A watcher to whom a card's place looks so much unlike the empty felt."""

    def __init__(self, unlike: float | None) -> None:
        self.unlike = unlike

    def unlike_empty(self, zone: str) -> float | None:
        return None if self.unlike is None else 0.2 * self.unlike

    def share_changed(self, zone: str, polygon: np.ndarray, *, since_empty: bool, frame: int | None) -> float | None:
        return self.unlike


@pytest.mark.parametrize(("unlike", "there"), [(0.31, True), (0.05, False), (None, False)])
def test_where_no_card_is_found_again_none_has_gone_while_its_place_is_not_felt(
    unlike: float | None, there: bool
) -> None:
    calibration = Calibration.from_profile(PROFILE)
    observer = Observer(calibration, Zones(PROFILE.zones, calibration), shipped_eyes(calibration, PROFILE.chips)[0])
    observer._watcher = observer._reader._watcher = Places(unlike)  # type: ignore[assignment]
    corners = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))
    back = SeenCard(corners_mm=corners, face_up=False, face_confidence=0.9, identity=Unreadable("back"))
    observer._shown["seat3.cards"] = (back,)
    assert observer._still_there("seat3.cards") is there


@pytest.mark.parametrize(("rate", "looked_at"), [(12, 24), (15, 30), (20, 40), (25, 25), (30, 30), (60, 40)])
def test_of_many_pictures_a_second_as_many_are_looked_at_as_of_few(tmp_path: Path, rate: int, looked_at: int) -> None:
    path = tmp_path / "fast.mp4"
    blank = np.zeros((1080, 1920, 3), np.uint8)
    record(path, 2 * rate, rate=rate, draw=lambda _: blank)
    calibration = Calibration.from_profile(PROFILE)
    observer = Observer(calibration, Zones(PROFILE.zones, calibration), shipped_eyes(calibration, PROFILE.chips)[0])
    assert len(list(observer.prepared(pictures(path)))) == looked_at


def test_a_bare_table_looks_unchanged_in_a_light_that_is_not_the_first(tmp_path: Path) -> None:
    first = next(picture for picture in pictures(SAMPLE / "uth-sample.mp4") if isinstance(picture, Frame))
    felt = first.bgr()[:, :, ::-1].copy()
    bright = np.clip(felt * 1.2, 0, 255).astype(np.uint8)
    path = tmp_path / "lamp.mp4"
    record(path, 2 * RATE, rate=RATE, draw=lambda number: felt if number < 5 else bright, key_every=5)
    calibration = Calibration.from_profile(PROFILE)
    observer = Observer(calibration, Zones(PROFILE.zones, calibration), shipped_eyes(calibration, PROFILE.chips)[0])
    shown = [one.picture for one in observer.prepared(pictures(path)) if isinstance(one.picture, Frame)]
    assert observer.quiet.unchanged(shown[-1])
