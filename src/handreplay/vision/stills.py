"""Reads the cards of a still photograph: no table profile, any size of card, from above or from aslant.

    file -> picture as displayed -> the same at several scales -> cards -> their edges -> straightened crops -> rank and
    suit; where they are not clear at once, what many outlines about that one agree on

All coordinates are pixels of the picture as it is displayed: the camera's note of how it was held (EXIF orientation) is
obeyed first. (0, 0) is the picture's top left corner.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK
from handreplay.errors import FootageError
from handreplay.vision.card_reader import CardReader, CardReading
from handreplay.vision.still_edges import snapped
from handreplay.vision.still_looks import settled
from handreplay.vision.straighten import CARD_HEIGHT_MM, CARD_WIDTH_MM, straighten
from handreplay.vision.table_eye import CardBox, TableEye
from handreplay.vision.weights import load

Picture = NDArray[np.uint8]  # H x W x 3, BGR
Floats = NDArray[np.float64]

MOST_BYTES = 100_000_000
MOST_PIXELS = 64_000_000
LEAST_CONFIDENCE = 0.96  # of rank and suit at first sight; below it the card is looked at closer
LEAST_READABLE = 0.5
LEAST_AGREED = 0.86  # mean of the looks that agree; below it the card is left unread
SNAPPED_SHARE = 0.8  # of the confidence by the outline as found; less by its edges, and those are not the card's
MOST_LOOKED_AT = 100  # cards of one picture that are looked at closer, the plainest first
AGREE_PX = 10.0  # outlines seen aslant are less sure than those in a felt view

_FINEST, _STEP = 1.4, 1.3  # the net knows cards 50 to 150 px long; best near 90; the pyramid's pictures lie closer
_SMALLEST_PX = 120  # longer side of the last picture of the pyramid
_WINDOW_PX, _OVERLAP_PX = 640, 192
_USUAL_LENGTH_PX = 92.0
_LEAST_QUALITY = 0.02
_SAME = 0.2  # mean distance of corners, as a share of the card's length, of two sightings of one card
_SMALLER, _WITHIN = 0.7, 0.7  # areas: of a part of a card against the whole of it, and its own share within


@dataclass(frozen=True, eq=False)
class StillCard:
    """One card of a photograph: `quad` 4 x 2 px, clockwise; identity None when it is face down or could not be read."""

    quad: Floats
    identity: str | None
    confidence: float


@dataclass(frozen=True, eq=False)
class _Sighted:
    quad: Floats
    face_up: bool
    quality: float


def _length(quad: Floats) -> float:
    return float(np.linalg.norm(quad[1] - quad[2]) + np.linalg.norm(quad[3] - quad[0])) / 2


def _area(quad: Floats) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def read_picture(path: Path) -> Picture:
    """Decode a JPEG, PNG, WebP or BMP file as it is displayed. Raises FootageError with what is wrong with it."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise FootageError(f"{path}: is no ordinary file; give the path of a picture")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise FootageError(
                f"{path}: {size // 1_000_000} MB is more than a picture may have ({MOST_BYTES // 1_000_000} MB)"
            )
        data = path.read_bytes()
    except OSError as error:
        raise FootageError(f"{path}: cannot be read ({error.strerror}); give the path of a picture") from None
    sides = _sides(data)
    if sides is None:
        raise FootageError(f"{path}: not a picture that handreplay reads; give a JPEG, PNG, WebP or BMP file")
    if min(sides) < 1 or sides[0] * sides[1] > MOST_PIXELS:
        raise FootageError(
            f"{path}: {sides[0]} x {sides[1]} pixels; at most {MOST_PIXELS // 1_000_000} million are read"
        )
    picture = _decoded(data)
    if picture is None:
        raise FootageError(f"{path}: damaged or cut short; export the picture again")
    return picture


def _decoded(data: bytes) -> Picture | None:
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else np.asarray(picture, np.uint8)


def _sides(data: bytes) -> tuple[int, int] | None:
    """Width and height that the file's head claims, so that nothing huge is ever decoded."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    if data[:2] == b"BM" and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return abs(width), abs(height)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp_sides(data)
    if data[:2] == b"\xff\xd8":
        return _jpeg_sides(data)
    return None


def _webp_sides(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg_sides(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        elif marker in (0x01, *range(0xD0, 0xD9)):
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


class StillReader:
    """Opens the nets once; then reads photographs, each for itself."""

    def __init__(self, eye: TableEye | None = None, reader: CardReader | None = None) -> None:
        self._eye = eye if eye is not None else TableEye(load("stills"), agree_px=AGREE_PX)
        self._reader = reader if reader is not None else CardReader()

    def read(self, picture: Picture) -> list[StillCard]:
        """All cards of one picture, H x W x 3 BGR, top to bottom."""
        sighted = self.find(picture)
        cards = [StillCard(card.quad, None, card.quality) for card in sighted if not card.face_up]
        left = MOST_LOOKED_AT
        for quad, reading in self._first_looks(picture, [card.quad for card in sighted if card.face_up]):
            if reading.kind == "none":
                continue
            if _is_clear(reading):
                cards.append(StillCard(quad, reading.card, reading.confidence))
            elif left:
                left -= 1
                cards.append(self._closer(picture, quad))
            else:
                cards.append(StillCard(quad, None, reading.confidence))
        return sorted(_whole(cards), key=lambda card: (float(card.quad[:, 1].mean()), float(card.quad[:, 0].mean())))

    def faces(self, picture: Picture) -> list[Floats]:
        """The outlines (4 x 2 px) of the cards that lie face up."""
        ups = [card.quad for card in self.find(picture) if card.face_up]
        looks = self._first_looks(picture, ups)
        cards = [StillCard(quad, look.card if _is_clear(look) else None, look.confidence) for quad, look in looks]
        return [card.quad for card in _whole(cards)]

    def _first_looks(self, picture: Picture, quads: Sequence[Floats]) -> Iterator[tuple[Floats, CardReading]]:
        """Each face by its outline as it was found, or by the edges near it where that is the clearer look."""
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)
        for quad, found in zip(quads, self._readings(picture, quads), strict=True):
            edges = snapped(grey, quad)
            by_edges = found if edges is quad else self._readings(picture, [edges])[0]
            clear = by_edges.confidence >= SNAPPED_SHARE * found.confidence
            yield (edges, by_edges) if clear else (quad, found)

    def _closer(self, picture: Picture, quad: Floats) -> StillCard:
        def shares(outlines: Sequence[Floats]) -> Floats:
            return np.array([reading.spread() for reading in self._readings(picture, outlines)])

        end = settled(shares, quad)
        return StillCard(end.quad, DECK[end.card] if end.confidence >= LEAST_AGREED else None, end.confidence)

    def _readings(self, picture: Picture, quads: Sequence[Floats]) -> list[CardReading]:
        crops = [crop_of(picture, quad) for quad in quads]
        return self._reader.read(crops) if crops else []

    def find(self, picture: Picture) -> "list[_Sighted]":
        """Where the cards are, each once."""
        seen: list[_Sighted] = []
        for scale in _scales(picture.shape[1], picture.shape[0]):
            size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
            method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            smaller = np.asarray(cv2.resize(picture, size, interpolation=method), np.uint8)
            for left, top in _windows(size):
                window = smaller[top : top + _WINDOW_PX, left : left + _WINDOW_PX]
                boxes = self._eye.look(np.ascontiguousarray(window)).cards
                seen += [_placed(box, (left, top), scale, window, size) for box in boxes]
        return _once([card for card in seen if card.quality >= _LEAST_QUALITY])


def _is_clear(reading: CardReading) -> bool:
    """Can the card be told at first sight?"""
    return reading.kind == "face" and reading.readable >= LEAST_READABLE and reading.confidence >= LEAST_CONFIDENCE


def crop_of(picture: Picture, quad: Floats) -> Picture:
    """The card laid straight by its own idea of which sides are long: seen aslant they may be the shorter ones."""
    px_per_mm = float(np.clip(_length(quad) / CARD_HEIGHT_MM, 1.6, 5.0))
    half = np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM]) * px_per_mm / 2
    size = np.ceil(half * 2 * 1.25).astype(int)
    flat = half * [[-1, -1], [1, -1], [1, 1], [-1, 1]] + size / 2
    to_flat = cv2.getPerspectiveTransform((quad - 0.5).astype(np.float32), flat.astype(np.float32))
    laid = cv2.warpPerspective(picture, to_flat, (int(size[0]), int(size[1])), flags=cv2.INTER_LINEAR)
    return straighten(np.asarray(laid, np.uint8), flat)


def _scales(width: int, height: int) -> list[float]:
    scales = [_FINEST]
    while max(width, height) * scales[-1] / _STEP > _SMALLEST_PX:
        scales.append(scales[-1] / _STEP)
    return scales


def _windows(size: tuple[int, int]) -> list[tuple[int, int]]:
    """Left and top of windows that overlap and together show everything."""

    def starts(side: int) -> list[int]:
        count = max(1, -(-(side - _OVERLAP_PX) // (_WINDOW_PX - _OVERLAP_PX)))
        return [round(number * (side - _WINDOW_PX) / max(1, count - 1)) if count > 1 else 0 for number in range(count)]

    return [(left, top) for top in starts(size[1]) for left in starts(size[0])]


def _placed(box: CardBox, corner: tuple[int, int], scale: float, window: Picture, size: tuple[int, int]) -> _Sighted:
    """A box of a window as px of the picture. Best liked: whole, of a length the net knows, clear of the cut."""
    sides = np.linalg.norm(box.corners - np.roll(box.corners, -1, axis=0), axis=1)
    length = max(sides[0] + sides[2], sides[1] + sides[3]) / 2
    fit = float(np.exp(-((np.log(max(length, 1.0) / _USUAL_LENGTH_PX) / 0.55) ** 2)))
    low, high = box.corners.min(axis=0), box.corners.max(axis=0)
    height, width = window.shape[:2]
    cut = (
        (low[0] < -2 and corner[0] > 0)
        or (low[1] < -2 and corner[1] > 0)
        or (high[0] > width + 2 and corner[0] + width < size[0])
        or (high[1] > height + 2 and corner[1] + height < size[1])
    )
    quad = (box.corners + np.array(corner)) / scale
    filled = float(np.exp(-((np.log(max(box.fill, 0.05)) / 0.3) ** 2)))
    return _Sighted(quad, box.face_up, box.score * fit * (0.1 + filled) * (0.3 if cut else 1.0))


def _once(seen: Sequence[_Sighted]) -> list[_Sighted]:
    """Every outline once, its best sighting. Those of a part of a card, or of several, show when they are read."""
    kept: list[_Sighted] = []
    for card in sorted(seen, key=lambda card: -card.quality):
        if not any(_is_same(card.quad, other.quad) for other in kept):
            kept.append(card)
    return kept


def _whole(cards: Sequence[StillCard]) -> list[StillCard]:
    """Each card once, by its surest look; neither parts of one nor, where nothing can be read, what holds one."""
    read = [card.quad for card in cards if card.identity is not None]
    kept: list[StillCard] = []
    for card in sorted(cards, key=lambda card: (card.identity is None, -card.confidence)):
        again = any(_is_same(card.quad, other.quad) for other in kept)
        part = any(_is_part(card.quad, whole) for whole in read)
        if card.identity is None:
            part = part or any(_is_part(card.quad, other.quad) or _is_part(other.quad, card.quad) for other in kept)
        if not again and not part:
            kept.append(card)
    return kept


def _is_same(one: Floats, other: Floats) -> bool:
    """Whether two outlines are of one card, whichever of their corners come first."""
    apart = min(float(np.linalg.norm(np.roll(one, turn, axis=0) - other, axis=1).mean()) for turn in (0, 2))
    return apart < _SAME * max(_length(one), _length(other))


def _is_part(small: Floats, large: Floats) -> bool:
    area, whole = _area(small), _area(large)
    if area >= _SMALLER * whole:
        return False
    shared, _ = cv2.intersectConvexConvex(small.astype(np.float32), large.astype(np.float32))
    return float(shared) > _WITHIN * area


def as_json(cards: Sequence[StillCard]) -> list[dict[str, Any]]:
    """The cards of one picture as `handreplay read --format json` prints them."""
    return [
        {
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad],
            "identity": card.identity,
            "confidence": round(card.confidence, 4),
        }
        for card in cards
    ]


def as_text(file: str, cards: Sequence[StillCard]) -> str:
    """One line for the picture and one for each card: what it is, how sure, and where its middle lies."""
    read = sum(card.identity is not None for card in cards)
    lines = [f"{file}: {len(cards)} place{'' if len(cards) == 1 else 's'} like a card, {read} read"]
    for card in cards:
        x, y = card.quad.mean(axis=0)
        sure = ">99%" if card.confidence > 0.99 else f"{card.confidence:.0%}"
        lines.append(f"  {card.identity or 'not read'}  {sure} sure  at {x:.0f}, {y:.0f}")
    return "\n".join(lines)
