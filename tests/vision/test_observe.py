"""A card at rest whose face cannot be read is looked at again, and told of once."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from handreplay.config import load_profile
from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known
from handreplay.footage import Frame, pictures
from handreplay.vision.calibration import Calibration
from handreplay.vision.card_reader import CardReading
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
    """The sample's bare table, on which a card lies from the second second on."""
    first = next(picture for picture in pictures(SAMPLE / "uth-sample.mp4") if isinstance(picture, Frame))
    bare = first.bgr()[:, :, ::-1].copy()
    calibration = Calibration.from_profile(PROFILE)
    middle = calibration.to_picture_px([Zones(PROFILE.zones, calibration).center_mm("dealer.cards")])[0]
    left, top = (int(value) for value in middle - (31, 44))
    laid = bare.copy()
    cv2.rectangle(laid, (left, top), (left + 63, top + 89), (235, 235, 230), -1)
    cv2.putText(laid, "9", (left + 4, top + 16), 0, 0.5, (180, 20, 20), 2)
    cv2.circle(laid, (left + 31, top + 44), 9, (180, 20, 20), -1)
    path = tmp_path_factory.mktemp("card") / "card.mp4"
    record(path, RATE * SECONDS, rate=RATE, draw=lambda number: laid if number >= RATE else bare, key_every=5)
    return path


def faces(footage: Path, net: Doubts) -> list[SeenCard]:
    """What is told of the card, look by look."""
    calibration = Calibration.from_profile(PROFILE)
    shipped = shipped_eyes(calibration, PROFILE.chips)[0]
    observer = Observer(calibration, Zones(PROFILE.zones, calibration), Eyes(shipped.table, net, shipped.chips))
    seen = observe(observer.prepared(pictures(footage)), observer)
    looks = [one for one in seen if isinstance(one, ZoneSeen) and one.zone == "dealer.cards" and not one.partly]
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
