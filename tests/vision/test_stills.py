"""Photographs: what is refused before decoding, how they lie, and that every card is counted once."""

import struct
import zlib

import cv2
import numpy as np
import pytest

from handreplay.errors import FootageError
from handreplay.vision import stills
from handreplay.vision.card_reader import CardReading
from handreplay.vision.stills import StillCard, StillReader, read_picture
from handreplay.vision.table_eye import CardBox, Sighting


def picture(width: int = 60, height: int = 40) -> np.ndarray:
    shown = np.zeros((height, width, 3), np.uint8)
    shown[:, : width // 3] = (0, 0, 255)
    return shown


def turned_jpeg(orientation: int) -> bytes:
    """A JPEG whose camera noted how it was held."""
    data = cv2.imencode(".jpg", picture())[1].tobytes()
    tiff = b"MM\x00*\x00\x00\x00\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    note = b"Exif\x00\x00" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(note) + 2) + note + data[2:]


@pytest.mark.parametrize("ending", ["jpg", "png", "webp", "bmp"])
def test_common_kinds_of_picture_are_read(tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    cv2.imwrite(str(file), picture())
    assert read_picture(file).shape == (40, 60, 3)


def test_a_picture_is_read_as_it_is_displayed(tmp_path):
    file = tmp_path / "held.jpg"
    file.write_bytes(turned_jpeg(6))  # to be turned a quarter clockwise
    shown = read_picture(file)
    assert shown.shape == (60, 40, 3)
    assert shown[5, 20, 2] > 200  # the red third is now on top
    assert shown[50, 20, 2] < 60


def png_head(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (png_head(60000, 60000), "60000 x 60000"),
        (png_head(0, 5), "0 x 5"),
        (b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03" + b"\0" * 40, "65535 x 65535"),
        (b"GIF89a" + b"\0" * 40, "JPEG, PNG, WebP or BMP"),
        (b"", "JPEG, PNG, WebP or BMP"),
        (b"\xff\xd8\xff", "JPEG, PNG, WebP or BMP"),
        (png_head(60, 40), "damaged"),
    ],
)
def test_what_is_no_usable_picture_is_refused_in_one_line(tmp_path, data, told):
    file = tmp_path / "bad.jpg"
    file.write_bytes(data)
    with pytest.raises(FootageError, match=told) as error:
        read_picture(file)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(FootageError, match=r"nowhere\.jpg: cannot be read"):
        read_picture(tmp_path / "nowhere.jpg")


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
    return StillReader(ScriptedEye(scene, quads), ScriptedReader(**doubts)).read(scene)  # type: ignore[arg-type]


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


def test_two_outlines_that_the_edges_bring_together_are_one_card():
    surer, other = StillCard(upright(100, 100), "Ah", 0.99), StillCard(upright(104, 101), "Ah", 0.97)
    assert stills._whole([other, surer]) == [surer]
    assert stills._whole([StillCard(upright(104, 101), None, 0.99), surer]) == [surer]
