"""What counts as a face: a card that was read, or one that surely lies face up."""

import numpy as np
import pytest

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.card_reader import CardReading
from handreplay.vision.table_eye import CardBox
from handreplay.vision.zone_reader import _seen, patch_of
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
