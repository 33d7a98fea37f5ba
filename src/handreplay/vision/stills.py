"""Reads the cards of a still photograph: no table profile, any size of card, from above or from aslant.

    file -> picture as displayed -> the same at several scales -> cards -> their edges -> straightened crops -> rank and
    suit; where they are not clear at once, what many outlines about that one agree on

All coordinates are pixels of the picture as it is displayed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK
from handreplay.vision.card_reader import CardReader, CardReading
from handreplay.vision.picture_files import Picture
from handreplay.vision.still_edges import snapped
from handreplay.vision.still_looks import settled
from handreplay.vision.straighten import CARD_HEIGHT_MM, CARD_WIDTH_MM, straighten
from handreplay.vision.table_eye import CardBox, TableEye
from handreplay.vision.weights import load

Floats = NDArray[np.float64]
Progress = Callable[[float], None]  # the share of a picture that is done

LEAST_CONFIDENCE = 0.96  # of rank and suit at first sight; below it the card is looked at closer
LEAST_READABLE = 0.5
LEAST_AGREED = 0.86  # mean of the looks that agree; below it the card is left unread
LEAST_PLAIN, LEAST_LIKELY = 0.07, 0.5  # sighting or reading: what has neither is no card that was left unread
SNAPPED_SHARE = 0.8  # of the confidence by the outline as found; less by its edges, and those are not the card's
WHITE = 235.0  # grey level of the lightest hundredth of a picture
LEAST_GAIN, MOST_GAIN = 1.3, 6.0
MOST_PLACES = 400  # of one picture that are looked at, those most like a card; six decks have 312
MOST_LOOKED_AT = 100  # of these that are looked at closer
AGREE_PX = 10.0  # outlines seen aslant are less sure than those in a felt view

_FINEST, _STEP = 1.4, 1.3  # the net knows cards 50 to 150 px long; best near 90; the pyramid's pictures lie closer
_MOST_FINEST_PX = 24_000_000  # of the pyramid's first picture: of 64 million pixels, cards from 82 px on are found
_SMALLEST_PX = 120  # longer side of the last picture of the pyramid
_WINDOW_PX, _OVERLAP_PX = 640, 192
_USUAL_LENGTH_PX = 92.0
_LEAST_QUALITY = 0.02
_SAME = 0.2  # mean distance of corners, as a share of the card's length, of two sightings of one card
_ONE_CARD = 0.5  # IoU of two outlines that were read alike, or of which one could not be read: one card
_SMALLER, _WITHIN = 0.7, 0.7  # areas: of a part of a card against the whole of it, and its own share within


@dataclass(frozen=True, eq=False)
class StillCard:
    """One card of a photograph: `quad` 4 x 2 px, clockwise; identity None when it is face down or could not be read."""

    quad: Floats
    identity: str | None
    confidence: float


@dataclass(frozen=True, eq=False)
class Still:
    """The cards of one photograph, top to bottom; `left_out` places were less like a card than MOST_PLACES others."""

    cards: tuple[StillCard, ...]
    left_out: int


@dataclass(frozen=True, eq=False)
class _Sighted:
    quad: Floats
    face_up: bool
    quality: float


def _length(quad: Floats) -> float:
    return float(_lengths(quad[None])[0])


def _lengths(quads: Floats) -> Floats:
    sides = np.linalg.norm(quads[:, 1] - quads[:, 2], axis=1) + np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1)
    return np.asarray(sides / 2)


def _place(card: StillCard) -> tuple[float, float]:
    x, y = card.quad.mean(axis=0)
    return float(y), float(x)


def _area(quad: Floats) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


class StillReader:
    """Opens the nets once; then reads photographs, each for itself."""

    def __init__(self, eye: TableEye | None = None, reader: CardReader | None = None) -> None:
        self._eye = eye if eye is not None else TableEye(load("stills"), agree_px=AGREE_PX)
        self._reader = reader if reader is not None else CardReader()

    def read(self, picture: Picture, progress: Progress = lambda _: None) -> Still:
        """All cards of one picture, H x W x 3 BGR."""
        picture = lit(picture)
        sighted = self.find(picture, progress)
        looked_at = sighted[:MOST_PLACES]
        downs = [card for card in looked_at if not card.face_up and card.quality >= LEAST_PLAIN]
        cards = [StillCard(card.quad, None, card.quality) for card in downs]
        ups, left = [card for card in looked_at if card.face_up], MOST_LOOKED_AT
        for card, (quad, reading) in zip(ups, self._first_looks(picture, [up.quad for up in ups]), strict=True):
            if reading.kind == "none":
                continue
            told = StillCard(quad, reading.card if _is_clear(reading) else None, reading.confidence)
            if told.identity is None and left:
                progress(1 - 0.5 * left / MOST_LOOKED_AT)
                left -= 1
                told = self._closer(picture, quad)
            if told.identity is not None or told.confidence >= LEAST_LIKELY or card.quality >= LEAST_PLAIN:
                cards.append(told)
        return Still(tuple(sorted(_whole(cards), key=_place)), len(sighted) - len(looked_at))

    def faces(self, picture: Picture) -> list[Floats]:
        """The outlines (4 x 2 px) of the cards that lie face up."""
        picture = lit(picture)
        ups = [card.quad for card in self.find(picture)[:MOST_PLACES] if card.face_up]
        looks = self._first_looks(picture, ups)
        cards = [StillCard(quad, look.card if _is_clear(look) else None, look.confidence) for quad, look in looks]
        return [card.quad for card in _whole(cards)]

    def _first_looks(self, picture: Picture, quads: Sequence[Floats]) -> list[tuple[Floats, CardReading]]:
        """Each face by its outline as it was found, or by the edges near it where that is the clearer look."""
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)
        looks = list(zip(quads, self._readings(picture, quads), strict=True))
        edges = [snapped(grey, quad) for quad in quads]
        moved = [number for number, quad in enumerate(quads) if edges[number] is not quad]
        for number, by_edges in zip(moved, self._readings(picture, [edges[n] for n in moved]), strict=True):
            if by_edges.confidence >= SNAPPED_SHARE * looks[number][1].confidence:
                looks[number] = edges[number], by_edges
        return looks

    def _closer(self, picture: Picture, quad: Floats) -> StillCard:
        def shares(outlines: Sequence[Floats]) -> Floats:
            return np.array([reading.spread() for reading in self._readings(picture, outlines)])

        end = settled(shares, quad)
        return StillCard(end.quad, DECK[end.card] if end.confidence >= LEAST_AGREED else None, end.confidence)

    def _readings(self, picture: Picture, quads: Sequence[Floats]) -> list[CardReading]:
        crops = [crop_of(picture, quad) for quad in quads]
        return self._reader.read(crops) if crops else []

    def find(self, picture: Picture, progress: Progress = lambda _: None) -> "list[_Sighted]":
        """Where the cards are, each once, what is most like one first."""
        seen: list[_Sighted] = []
        sizes = [
            (scale, (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale))))
            for scale in _scales(picture.shape[1], picture.shape[0])
        ]
        done, windows = 0, sum(len(_windows(size)) for _, size in sizes)
        for scale, size in sizes:
            method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            smaller = np.asarray(cv2.resize(picture, size, interpolation=method), np.uint8)
            for left, top in _windows(size):
                window = smaller[top : top + _WINDOW_PX, left : left + _WINDOW_PX]
                boxes = self._eye.look(np.ascontiguousarray(window)).cards
                seen += [_placed(box, (left, top), scale, window, size) for box in boxes]
                done += 1
                progress(0.5 * done / windows)
        return _once([card for card in seen if card.quality >= _LEAST_QUALITY])


def _is_clear(reading: CardReading) -> bool:
    """Can the card be told at first sight?"""
    return reading.kind == "face" and reading.readable >= LEAST_READABLE and reading.confidence >= LEAST_CONFIDENCE


def lit(picture: Picture) -> Picture:
    """A dark picture made as light as one that shows white cards well; others as they are."""
    light = float(np.percentile(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 99))
    gain = min(MOST_GAIN, WHITE / max(light, 1.0))
    return picture if gain <= LEAST_GAIN else np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)


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
    scales = [min(_FINEST, (_MOST_FINEST_PX / (width * height)) ** 0.5)]
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
    quads = np.empty((len(seen), 4, 2))
    for card in sorted(seen, key=lambda card: -card.quality):
        if not _same(card.quad, quads[: len(kept)]).any():
            quads[len(kept)] = card.quad
            kept.append(card)
    return kept


def _whole(cards: Sequence[StillCard]) -> list[StillCard]:
    """Each card once, by its surest look; neither parts of one nor, where nothing can be read, what holds one."""
    ordered = sorted(cards, key=lambda card: (card.identity is None, -card.confidence))
    quads = np.array([card.quad for card in ordered]).reshape(-1, 4, 2)
    middles, lengths = quads.mean(axis=1), _lengths(quads)
    kept: list[int] = []
    for number, card in enumerate(ordered):
        beside = np.hypot(*(middles - middles[number]).T) < lengths + lengths[number]
        part = any(_is_part(card.quad, ordered[n].quad) for n in np.flatnonzero(beside) if ordered[n].identity)
        if not part and not any(_is_again(card, ordered[n]) for n in kept if beside[n]):
            kept.append(number)
    return [ordered[number] for number in kept]


def _is_again(card: StillCard, kept: StillCard) -> bool:
    """Whether a card is one that was kept, seen less well."""
    if _same(card.quad, kept.quad[None])[0]:
        return True
    if card.identity not in (None, kept.identity):
        return False
    shared = _shared(card.quad, kept.quad)
    if shared >= _ONE_CARD * (_area(card.quad) + _area(kept.quad) - shared):
        return True
    return card.identity is None and (_is_part(card.quad, kept.quad) or _is_part(kept.quad, card.quad))


def _same(one: Floats, others: Floats) -> NDArray[np.bool_]:
    """Which of the outlines (N x 4 x 2) are of the same card as one (4 x 2), whichever of their corners come first."""
    turns = np.stack([np.roll(one, turn, axis=0) for turn in range(4)])
    apart = np.linalg.norm(turns[:, None] - others, axis=3).mean(axis=2).min(axis=0)
    return np.asarray(apart < _SAME * np.maximum(_length(one), _lengths(others)))


def _is_part(small: Floats, large: Floats) -> bool:
    area, whole = _area(small), _area(large)
    if area >= _SMALLER * whole:
        return False
    return _shared(small, large) > _WITHIN * area


def _shared(one: Floats, other: Floats) -> float:
    """The area that two outlines have in common."""
    return float(cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))[0])


def as_json(still: Still) -> dict[str, Any]:
    """One picture as `handreplay read --format json` prints it, but for its file."""
    cards = [
        {
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad],
            "identity": card.identity,
            "confidence": round(card.confidence, 4),
        }
        for card in still.cards
    ]
    return {"cards": cards, "left_out": still.left_out} if still.left_out else {"cards": cards}


def as_text(file: str, still: Still) -> str:
    """One line for the picture and one for each card: what it is, how sure, and where its middle lies."""
    read = sum(card.identity is not None for card in still.cards)
    lines = [f"{file}: {len(still.cards)} place{'' if len(still.cards) == 1 else 's'} like a card, {read} read"]
    if still.left_out:
        lines.append(
            f"  {still.left_out} more places, less like a card, were not looked at: at most {MOST_PLACES} are; "
            "give a part of the picture"
        )
    for card in still.cards:
        x, y = card.quad.mean(axis=0)
        sure = ">99%" if card.confidence > 0.99 else f"{card.confidence:.0%}"
        lines.append(f"  {card.identity or 'not read'}  {sure} sure  at {x:.0f}, {y:.0f}")
    return "\n".join(lines)
