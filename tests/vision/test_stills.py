"""Photographs: every card is counted once, and what cannot be told is left unread."""

import numpy as np
import pytest

from handreplay.vision import stills
from handreplay.vision.card_reader import CardReading
from handreplay.vision.stills import Still, StillCard, StillReader
from handreplay.vision.table_eye import CardBox, Sighting


class ScriptedEye:
    """Sees a card of the scene wherever a window shows it at a length of 50 to 150 px, as the net does."""

    def __init__(self, scene: np.ndarray, quads: list[np.ndarray]) -> None:
        self.scene, self.quads = scene, quads

    def look(self, window: np.ndarray) -> Sighting:
        mark = window[0, 0]  # scenes carry their place in their colours
        scale = window.shape[1] / self.scene.shape[1] if window.shape[1] < stills._WINDOW_PX else None
        assert scale is not None, "these tests keep to one window a scale"
        assert mark.shape == (3,)
        boxes = []
        for quad in self.quads:
            corners = quad * scale
            length = float(np.linalg.norm(corners[1] - corners[2]))
            if 50 < length < 150:
                boxes.append(CardBox(corners=corners, face_up=True, score=0.9, face_chance=1.0, visible=1.0))
        return Sighting(tuple(boxes), (), np.zeros((1, 1), np.float32))


class ScriptedReader:
    """Reads every crop as the ace of hearts."""

    def __init__(self, confidence: float = 0.99, readable: float = 1.0) -> None:
        self.confidence, self.readable = confidence, readable

    def read(self, crops: list[np.ndarray]) -> list[CardReading]:
        spread = [(1 - self.confidence) / 51] * 52
        spread[stills_deck().index("Ah")] = self.confidence
        return [CardReading(tuple(spread), self.readable, "face", 1.0) for _ in crops]


def stills_deck() -> tuple[str, ...]:
    from handreplay.core.cards import DECK

    return DECK


def upright(x: float, y: float, length: float = 110.0) -> np.ndarray:
    width = length / 1.4
    return np.array([[x, y], [x + width, y], [x + width, y + length], [x, y + length]])


def read(quads: list[np.ndarray], **doubts: float):
    scene = np.zeros((400, 440, 3), np.uint8)
    return StillReader(ScriptedEye(scene, quads), ScriptedReader(**doubts)).read(scene).cards  # type: ignore[arg-type]


def test_a_card_seen_at_several_scales_is_one_card():
    (card,) = read([upright(100, 100)])
    assert card.identity == "Ah"
    assert np.abs(card.quad - upright(100, 100)).max() < 1


def test_two_true_copies_are_never_merged():
    cards = read([upright(20, 100), upright(300, 100)])
    assert [card.identity for card in cards] == ["Ah", "Ah"]


def test_two_copies_one_upon_the_other_and_aside_by_a_quarter_stay_two():
    assert len(read([upright(100, 100), upright(130, 100)])) == 2


def test_what_lies_inside_a_card_is_part_of_its_print():
    cards = read([upright(100, 100, 140), upright(120, 125, 60)])
    assert len(cards) == 1


@pytest.mark.parametrize("doubts", [{"confidence": 0.6}, {"readable": 0.2}])
def test_a_card_that_cannot_be_told_is_left_unread(doubts):
    (card,) = read([upright(100, 100)], **doubts)
    assert card.identity is None


def test_windows_show_every_pixel_and_overlap():
    for size in ((300, 200), (641, 640), (2000, 1500)):
        seen = np.zeros(size[::-1], bool)
        for left, top in stills._windows(size):
            assert left >= 0 and top >= 0
            seen[top : top + stills._WINDOW_PX, left : left + stills._WINDOW_PX] = True
        assert seen.all()


def test_half_of_a_card_that_was_read_is_no_card_of_its_own():
    half = upright(100, 100) * [1, 0.5] + [0, 98]
    whole = StillCard(upright(100, 100), "Ah", 1.0)
    assert stills._whole([whole, StillCard(half, None, 0.1)]) == [whole]
    beside = StillCard(upright(130, 100), None, 0.4)
    assert stills._whole([whole, beside]) == [whole, beside]


def test_what_holds_a_card_that_was_read_is_no_card_itself():
    inner, outer = StillCard(upright(120, 125, 60), "Ah", 0.97), StillCard(upright(100, 100, 140), None, 0.4)
    assert stills._whole([outer, inner]) == [inner]


def test_a_plain_sighting_outlives_a_poor_one_round_it():
    plain = stills._Sighted(upright(120, 125, 60), True, 0.98)
    poor = stills._Sighted(upright(100, 100, 140), True, 0.05)
    assert plain in stills._once([poor, plain])


def test_two_looks_at_one_card_that_were_read_alike_are_one_and_two_of_other_cards_are_two():
    one, lower = upright(100, 100), upright(100, 130)  # they share more than half of both
    assert len(stills._whole([StillCard(one, "Ah", 0.99), StillCard(lower, "Ah", 0.97)])) == 1
    assert len(stills._whole([StillCard(one, "Ah", 0.99), StillCard(lower, "Kd", 0.97)])) == 2
    assert len(stills._whole([StillCard(one, "Ah", 0.99), StillCard(lower, None, 0.97)])) == 1


def test_an_outline_that_begins_at_a_long_side_is_the_same_card():
    read = StillCard(upright(100, 100), "Ah", 0.99)
    assert stills._whole([read, StillCard(np.roll(read.quad, 1, axis=0), None, 0.6)]) == [read]


def test_print_that_is_hardly_like_a_card_and_cannot_be_read_is_left_out(monkeypatch):
    monkeypatch.setattr(stills, "LEAST_PLAIN", 2.0)
    assert read([upright(100, 100)], confidence=0.2) == ()
    (card,) = read([upright(100, 100)], confidence=0.6)
    assert card.identity is None


def test_two_outlines_that_the_edges_bring_together_are_one_card():
    surer, other = StillCard(upright(100, 100), "Ah", 0.99), StillCard(upright(104, 101), "Ah", 0.97)
    assert stills._whole([other, surer]) == [surer]
    assert stills._whole([StillCard(upright(104, 101), None, 0.99), surer]) == [surer]


def test_places_beyond_what_a_picture_may_hold_are_counted_not_looked_at(monkeypatch):
    monkeypatch.setattr(stills, "MOST_PLACES", 2)
    scene, quads = np.zeros((400, 440, 3), np.uint8), [upright(x, 100) for x in (20, 160, 300)]
    still = StillReader(ScriptedEye(scene, quads), ScriptedReader()).read(scene)  # type: ignore[arg-type]
    assert (len(still.cards), still.left_out) == (2, 1)
    assert "1 more places, less like a card, were not looked at" in stills.as_text("a.jpg", still)
    assert stills.as_json(still)["left_out"] == 1
    assert "left_out" not in stills.as_json(Still(still.cards, 0))


def test_progress_of_a_picture_grows_to_its_whole():
    scene, shares = np.zeros((400, 440, 3), np.uint8), []
    reader = StillReader(ScriptedEye(scene, [upright(100, 100)]), ScriptedReader(confidence=0.6))  # type: ignore[arg-type]
    reader.read(scene, shares.append)
    assert shares == sorted(shares) and shares[0] > 0 and shares[-1] <= 1


def test_a_picture_too_large_for_the_finest_look_is_looked_at_coarser():
    assert stills._scales(4000, 3000)[0] == pytest.approx(1.4, abs=0.02)
    assert stills._scales(8000, 8000)[0] == pytest.approx(0.61, abs=0.01)
