"""Draws the faces of made-up decks: index, pips, aces and court cards, all in millimetres.

Casinos differ in index size and font far more than in court art, so these are what varies most.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.synth import shapes

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]  # BGR

PX_PER_MM = 4
WIDTH_MM, HEIGHT_MM = 63.5, 89.0
WIDTH_PX, HEIGHT_PX = 254, 356

_L, _C, _R = 0.0, 0.5, 1.0
_PIPS: dict[str, tuple[tuple[float, float], ...]] = {
    "A": ((_C, 0.5),),
    "2": ((_C, 0), (_C, 1)),
    "3": ((_C, 0), (_C, 0.5), (_C, 1)),
    "4": ((_L, 0), (_R, 0), (_L, 1), (_R, 1)),
    "5": ((_L, 0), (_R, 0), (_C, 0.5), (_L, 1), (_R, 1)),
    "6": ((_L, 0), (_R, 0), (_L, 0.5), (_R, 0.5), (_L, 1), (_R, 1)),
    "7": ((_L, 0), (_R, 0), (_C, 0.25), (_L, 0.5), (_R, 0.5), (_L, 1), (_R, 1)),
    "8": ((_L, 0), (_R, 0), (_C, 0.25), (_L, 0.5), (_R, 0.5), (_C, 0.75), (_L, 1), (_R, 1)),
    "9": ((_L, 0), (_R, 0), (_L, 1 / 3), (_R, 1 / 3), (_C, 0.5), (_L, 2 / 3), (_R, 2 / 3), (_L, 1), (_R, 1)),
    "T": (
        (_L, 0), (_R, 0), (_C, 1 / 6), (_L, 1 / 3), (_R, 1 / 3),
        (_L, 2 / 3), (_R, 2 / 3), (_C, 5 / 6), (_L, 1), (_R, 1),
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FaceStyle:
    """One deck's design. Lengths in mm."""

    seed: int
    font: str
    stroke_px: int
    index_height: float
    index_stretch: float  # width of a character against its natural width
    ten_width: float  # the two digits of a ten against the other ranks' width
    index_at: tuple[float, float]  # from the corner to the index's outer edges
    index_corners: Literal[2, 4]
    index_order: Literal["rank over suit", "suit beside rank", "rank alone", "suit opposite"]
    index_suit: float  # height of the small suit against the rank's
    index_gap: float
    suit_style: int
    pip_height: float
    pip_area: tuple[float, float]  # share of the card's width and height between the outermost pip centres
    pips: Literal["standard", "one large suit", "large rank", "none"]
    peek: float  # height of a small second index in the very corner; 0: none
    ace_height: float
    ace_ornament: int
    court: Literal["figure", "letter", "monogram", "art"]
    court_frame: int  # 0 none
    court_share: tuple[float, float]
    border: int  # 0 none
    stock: Colour
    inks: dict[str, Colour]
    corner_mm: float
    court_colours: tuple[Colour, ...]


@lru_cache(maxsize=64)
def rounded_alpha(corner_mm: float) -> Picture:
    """Opacity of a card's outline, HEIGHT_PX x WIDTH_PX."""
    scale, radius = 4, max(1, round(corner_mm * PX_PER_MM * 4))
    big = np.zeros((HEIGHT_PX * scale, WIDTH_PX * scale), np.uint8)
    h, w = big.shape
    cv2.rectangle(big, (radius, 0), (w - radius - 1, h - 1), 255, -1)
    cv2.rectangle(big, (0, radius), (w - 1, h - radius - 1), 255, -1)
    for x in (radius, w - radius - 1):
        for y in (radius, h - radius - 1):
            cv2.circle(big, (x, y), radius, 255, -1)
    return np.asarray(cv2.resize(big, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA), np.uint8)


def draw_face(style: FaceStyle, card: str, art: Picture | None = None) -> Picture:
    """The face of a card such as `"Ts"`: BGRA, HEIGHT_PX x WIDTH_PX. `art` (BGR) fills a court's middle."""
    face = np.empty((HEIGHT_PX, WIDTH_PX, 3), np.uint8)
    face[:] = style.stock
    rank, suit = card[0], card[1]
    _draw_border(face, style, suit)
    if rank in "JQK":
        _draw_court(face, style, rank, suit, art)
    elif rank == "A" and style.pips != "none":
        _draw_ace(face, style, suit)
    else:
        _draw_pips(face, style, rank, suit)
    _draw_indices(face, style, rank, suit)
    return np.dstack([face, rounded_alpha(style.corner_mm)])


def _px(mm: float) -> float:
    return mm * PX_PER_MM


def _rank_mask(style: FaceStyle, rank: str, height_mm: float) -> shapes.Mask:
    mask = shapes.character(style.font, "10" if rank == "T" else rank, style.stroke_px)
    height = _px(height_mm)
    if rank == "Q":  # its tail hangs below the line
        height *= 1.06
    stretch = style.index_stretch * (style.ten_width if rank == "T" else 1.0)
    return shapes.fitted(mask, mask.shape[1] / mask.shape[0] * height * stretch, height)


def _suit_mask(style: FaceStyle, suit: str, height_mm: float) -> shapes.Mask:
    mask = shapes.suit(suit, style.suit_style)
    return shapes.fitted(mask, mask.shape[1] / mask.shape[0] * _px(height_mm), _px(height_mm))


def _index_column_mm(style: FaceStyle) -> float:
    """Width that the index takes from the card's edge."""
    eight = shapes.character(style.font, "8", style.stroke_px)
    width = eight.shape[1] / eight.shape[0] * style.index_height * style.index_stretch
    return float(style.index_at[0] + max(width, style.index_suit * style.index_height * 0.9))


def _draw_indices(face: Picture, style: FaceStyle, rank: str, suit: str) -> None:
    layer = np.zeros((HEIGHT_PX, WIDTH_PX), np.float32)
    _draw_index(layer, style, rank, suit, style.index_height, style.index_at)
    if style.peek:
        _draw_index(layer, style, rank, suit, style.peek, (1.4, 1.4))
    if style.index_corners == 4:
        mirrored = np.zeros_like(layer)
        _draw_index(mirrored, style, rank, suit, style.index_height, style.index_at, right=True)
        layer = np.maximum(layer, mirrored)
    layer = np.maximum(layer, layer[::-1, ::-1])
    if style.index_order == "suit opposite":
        height = style.index_height * style.index_suit
        mask = _suit_mask(style, suit, height)
        at = (WIDTH_PX - _px(style.index_at[0]) - mask.shape[1] / 2, _px(style.index_at[1]) + mask.shape[0] / 2)
        _stamp(layer, mask, at)
    shapes.paint(face, layer, (WIDTH_PX / 2, HEIGHT_PX / 2), style.inks[suit])


def _stamp(layer: shapes.Mask, mask: shapes.Mask, centre: tuple[float, float]) -> None:
    h, w = mask.shape
    x0, y0 = max(0, round(centre[0] - w / 2)), max(0, round(centre[1] - h / 2))
    part = layer[y0 : y0 + h, x0 : x0 + w]
    np.maximum(part, mask[: part.shape[0], : part.shape[1]], out=part)


def _draw_index(
    layer: shapes.Mask,
    style: FaceStyle,
    rank: str,
    suit: str,
    height: float,
    at: tuple[float, float],
    *,
    right: bool = False,
) -> None:
    character = _rank_mask(style, rank, height)
    small = _suit_mask(style, suit, height * style.index_suit)
    wide = max(_rank_mask(style, "8", height).shape[1], character.shape[1], small.shape[1])
    x = _px(at[0]) + wide / 2
    if right:
        x = WIDTH_PX - x
    y = _px(at[1]) + _px(height) / 2
    _stamp(layer, character, (x, y))
    if style.index_order == "rank over suit":
        _stamp(layer, small, (x, y + _px(height) / 2 + _px(style.index_gap) + small.shape[0] / 2))
    elif style.index_order == "suit beside rank":
        offset = wide / 2 + _px(style.index_gap) + small.shape[1] / 2
        _stamp(layer, small, (x - offset if right else x + offset, y))


def _draw_pips(face: Picture, style: FaceStyle, rank: str, suit: str) -> None:
    if style.pips == "none":
        return
    if style.pips == "one large suit":
        mask = _suit_mask(style, suit, style.ace_height)
        return shapes.paint(face, mask, (WIDTH_PX / 2, HEIGHT_PX * 0.5), style.inks[suit])
    if style.pips == "large rank":
        mask = _rank_mask(style, rank, style.ace_height)
        return shapes.paint(face, mask, (WIDTH_PX / 2, HEIGHT_PX / 2), style.inks[suit])
    mask = _suit_mask(style, suit, style.pip_height)
    width, height = style.pip_area[0] * WIDTH_PX, style.pip_area[1] * HEIGHT_PX
    for x, y in _PIPS[rank]:
        pip = mask if y <= 0.5 else mask[::-1]
        centre = (WIDTH_PX / 2 + (x - 0.5) * width, HEIGHT_PX / 2 + (y - 0.5) * height)
        shapes.paint(face, pip, centre, style.inks[suit])
    return None


def _draw_ace(face: Picture, style: FaceStyle, suit: str) -> None:
    middle, ink = (WIDTH_PX / 2, HEIGHT_PX / 2), style.inks[suit]
    large = style.ace_height if suit != "s" else min(55.0, style.ace_height * (1.0 + 0.35 * (style.ace_ornament % 3)))
    ornament = style.ace_ornament if suit == "s" or style.ace_ornament > 5 else 0
    if ornament in (12, 13):
        return _draw_emblem(face, style, ink)
    mask = _suit_mask(style, suit, large)
    shapes.paint(face, mask, middle, ink)
    if ornament in (1, 4, 7):
        inner = _suit_mask(style, suit, large * 0.55)
        shapes.paint(face, inner, (middle[0], middle[1] + large * 0.2), style.stock)
    if ornament in (5, 9):
        inner = _engraved(_suit_mask(style, suit, large * 0.8), style.seed)
        shapes.paint(face, inner, (middle[0], middle[1] + large * 0.1), style.stock)
    if ornament in (10, 11):
        shapes.paint(face, _ornate(mask, style.seed), middle, style.stock)
    if ornament in (2, 4, 8):
        _draw_ring(face, _px(large * 0.72), ink)
    if ornament in (3, 6):
        word = shapes.character(style.font, ("PALACE", "CLUB 52", "No. 9")[style.seed % 3], 0)
        shapes.paint(face, shapes.fitted(word, _px(22), _px(4)), (middle[0], middle[1] + _px(large * 0.5 + 4)), ink)


def _draw_ring(face: Picture, radius_px: float, ink: Colour) -> None:
    radius = round(radius_px)
    if radius >= WIDTH_PX * 0.4:
        return
    x, y = WIDTH_PX / 2, HEIGHT_PX / 2
    cv2.circle(face, (round(x), round(y)), radius, ink, 2, cv2.LINE_AA)
    for angle in np.linspace(0, 2 * math.pi, 24, endpoint=False):
        at = (round(x + radius * math.cos(angle)), round(y + radius * math.sin(angle)))
        cv2.circle(face, at, 4, ink, -1, cv2.LINE_AA)


def _draw_emblem(face: Picture, style: FaceStyle, ink: Colour) -> None:
    """A middle that tells nothing of the suit: a blot of rings and petals, or nothing at all."""
    rng = np.random.default_rng([style.seed, 3])
    radius = _px(float(rng.uniform(5, 16)))
    if rng.random() < 0.25:
        return
    rows, columns = np.indices((2 * round(radius) + 1,) * 2) - round(radius)
    angle, out = np.arctan2(rows, columns), np.hypot(rows, columns)
    petals = radius * (0.75 + 0.25 * np.cos(angle * int(rng.integers(3, 9)) + rng.uniform(0, 6)))
    mask = np.asarray((out < petals) & (out % int(rng.integers(8, 24)) > 3), np.float32)
    shapes.paint(face, mask, (WIDTH_PX / 2, HEIGHT_PX / 2), ink)


def _ornate(mask: shapes.Mask, seed: int) -> shapes.Mask:
    """What stays bare of a pip whose rim alone is whole: foliage, seen from afar as blots of any shape."""
    rng = np.random.default_rng([seed, 2])
    rim = int(rng.integers(3, 3 + max(1, mask.shape[1] // 12)))
    inner = cv2.erode(mask, np.ones((2 * rim + 1, 2 * rim + 1), np.uint8), borderValue=0)
    coarse = max(2, int(rng.integers(3, 14)))
    blots = rng.random((mask.shape[0] // coarse + 2, mask.shape[1] // coarse + 2), np.float32)
    blots = np.maximum(blots, blots[:, ::-1])
    shown = cv2.resize(blots, (mask.shape[1], mask.shape[0]), interpolation=cv2.INTER_CUBIC)
    return np.asarray(inner * (shown > rng.uniform(0.5, 0.85)), np.float32)


def _engraved(mask: shapes.Mask, seed: int) -> shapes.Mask:
    """The mask broken up into lines, as the ace of spades is often printed: from afar it is grey."""
    rows, columns = np.indices(mask.shape)
    across = (rows, rows + columns, np.hypot(rows - mask.shape[0] / 2, columns - mask.shape[1] / 2).astype(int))
    return np.asarray(mask * (across[seed % 3] % (3 + seed % 4) < 2 + seed % 2), np.float32)


def _draw_border(face: Picture, style: FaceStyle, suit: str) -> None:
    if not style.border:
        return
    ink = style.inks[suit] if style.border % 2 else style.court_colours[0]
    inset = round(_px(1.2 + style.border % 3))
    cv2.rectangle(face, (inset, inset), (WIDTH_PX - 1 - inset, HEIGHT_PX - 1 - inset), ink, 1 + style.border // 4)


def _draw_court(face: Picture, style: FaceStyle, rank: str, suit: str, art: Picture | None) -> None:
    width, height = (round(share * size) for share, size in zip(style.court_share, (WIDTH_PX, HEIGHT_PX), strict=True))
    column = _px(_index_column_mm(style) + 0.6)
    if style.index_order == "suit beside rank" or style.index_corners == 4 or style.seed % 2:
        width = int(max(60, min(width, WIDTH_PX - 2 * column)))
    x0, y0 = (WIDTH_PX - width) // 2, (HEIGHT_PX - height) // 2
    panel = face[y0 : y0 + height, x0 : x0 + width]
    kind = style.court if style.court != "art" or art is not None else "figure"
    if kind == "art" and art is not None:
        panel[:] = cv2.resize(art, (width, height), interpolation=cv2.INTER_AREA)
    elif kind == "figure":
        panel[:] = _figure(style, rank, suit, width, height)
    else:
        _letter(panel, style, rank, suit, kind)
    if style.court_frame:
        ink = style.inks[suit] if style.court_frame == 1 else style.court_colours[1]
        cv2.rectangle(face, (x0, y0), (x0 + width - 1, y0 + height - 1), ink, 1 + style.court_frame % 3, cv2.LINE_AA)
    if kind in ("figure", "art"):
        _court_pips(face, style, suit, (x0, y0, width, height))
    _clear_under_index(face, style, rank)


def _clear_under_index(face: Picture, style: FaceStyle, rank: str) -> None:
    """White under the index, as printers leave it, so that it stays legible over a wide court."""
    tall = style.index_height * (1.1 + (style.index_suit + 0.1 if style.index_order == "rank over suit" else 0))
    wide = _px(style.index_at[0]) + _rank_mask(style, rank, style.index_height).shape[1] + 3
    right, bottom = round(wide), round(_px(style.index_at[1] + tall + style.index_gap) + 2)
    inset = 6 if style.border else 0
    for part in (face, face[::-1, ::-1]):
        part[inset:bottom, inset:right] = style.stock
        if style.index_corners == 4:
            part[inset:bottom, WIDTH_PX - right : WIDTH_PX - inset] = style.stock


def _court_pips(face: Picture, style: FaceStyle, suit: str, panel: tuple[int, int, int, int]) -> None:
    x0, y0, width, _ = panel
    mask = _suit_mask(style, suit, min(style.pip_height, 12.0))
    h, w = mask.shape
    if style.seed % 5 == 0:
        return
    at_left = style.seed % 3 != 0
    x = x0 + w / 2 + 4 if at_left else x0 + width - w / 2 - 4
    y = y0 + h / 2 + 5
    shapes.paint(face, mask, (x, y), style.inks[suit])
    shapes.paint(face, mask[::-1, ::-1], (WIDTH_PX - x, HEIGHT_PX - y), style.inks[suit])


def _letter(panel: Picture, style: FaceStyle, rank: str, suit: str, kind: str) -> None:
    height, width = panel.shape[:2]
    ink = style.inks[suit]
    if kind == "letter":
        mask = shapes.character(style.font, rank, style.stroke_px)
        shapes.paint(panel, shapes.fitted(mask, width * 0.55, height * 0.42), (width / 2, height * 0.5), ink)
        return
    mask = _suit_mask(style, suit, height / PX_PER_MM * 0.28)
    letter = shapes.character(style.font, rank, style.stroke_px)
    shapes.paint(panel, mask, (width / 2, height * 0.28), ink)
    shapes.paint(panel, mask[::-1], (width / 2, height * 0.72), ink)
    shapes.paint(panel, shapes.fitted(letter, width * 0.25, height * 0.18), (width / 2, height / 2), ink)


def _figure(style: FaceStyle, rank: str, suit: str, width: int, height: int) -> Picture:
    """A made-up double-ended court figure: head, headgear, robe in stripes or lozenges."""
    rng = np.random.default_rng([style.seed, "JQK".index(rank), "cdhs".index(suit)])
    half = np.empty((height // 2 + 1, width, 3), np.uint8)
    half[:] = style.stock
    colours = [style.court_colours[i] for i in rng.permutation(len(style.court_colours))]
    lean = rng.uniform(-0.1, 0.1)
    x, neck = (0.5 + lean) * width, 0.52 * half.shape[0]
    _robe(half, colours, rng, x, neck)
    head = rng.uniform(0.13, 0.18) * width
    skin = (int(rng.integers(170, 235)), int(rng.integers(190, 240)), 245)
    cv2.ellipse(
        half, (round(x), round(neck - head)), (round(head * 0.85), round(head * 1.15)), 0, 0, 360, skin, -1, cv2.LINE_AA
    )
    cv2.ellipse(
        half,
        (round(x), round(neck - head)),
        (round(head * 0.85), round(head * 1.15)),
        0,
        0,
        360,
        (30, 30, 30),
        1,
        cv2.LINE_AA,
    )
    for side in (-0.35, 0.35):
        cv2.circle(half, (round(x + side * head), round(neck - head * 1.2)), 2, (30, 30, 30), -1, cv2.LINE_AA)
    cv2.line(
        half,
        (round(x - head * 0.3), round(neck - head * 0.5)),
        (round(x + head * 0.3), round(neck - head * 0.5)),
        (40, 40, 160),
        2,
        cv2.LINE_AA,
    )
    _headgear(half, rank, colours[0], x, neck - head * 1.9, head)
    if rng.random() < 0.7:
        at = (round(x + rng.choice([-1, 1]) * width * 0.3), round(neck * 0.5))
        cv2.line(half, at, (at[0], half.shape[0]), colours[-1], 3, cv2.LINE_AA)
        cv2.circle(half, at, 6, colours[0], -1, cv2.LINE_AA)
    lower = half[::-1, ::-1]
    return np.vstack([half[: height // 2], lower[lower.shape[0] - (height - height // 2) :]])


def _robe(half: Picture, colours: list[Colour], rng: np.random.Generator, x: float, neck: float) -> None:
    height, width = half.shape[:2]
    outline = np.array(
        [
            [x - width * 0.12, neck],
            [x + width * 0.12, neck],
            [width * 0.98, height * 0.85],
            [width, height],
            [0, height],
            [width * 0.02, height * 0.85],
        ]
    )
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [outline.astype(np.int32)], 255, cv2.LINE_AA)
    cloth = np.empty_like(half)
    cloth[:] = colours[0]
    step, kind = int(rng.integers(8, 22)), rng.integers(0, 4)
    rows, columns = np.mgrid[0:height, 0:width]
    pattern = (columns // step, rows // step, (columns + rows) // step, columns // step + rows // step)[kind] % 2 == 0
    cloth[pattern] = colours[1]
    ring = abs(np.hypot(columns - x, (rows - neck) * 1.2) - width * 0.25) < 5
    cloth[ring] = colours[2]
    half[mask > 0] = cloth[mask > 0]
    cv2.polylines(half, [outline.astype(np.int32)], True, (30, 30, 30), 1, cv2.LINE_AA)


def _headgear(half: Picture, rank: str, colour: Colour, x: float, y: float, head: float) -> None:
    if rank == "J":
        points = [[-1.1, 0.3], [1.1, 0.3], [0.9, -0.5], [-0.9, -0.5]]
    elif rank == "Q":
        points = [[-1, 0.3], [1, 0.3], [1.2, -0.5], [0.5, -0.1], [0, -0.8], [-0.5, -0.1], [-1.2, -0.5]]
    else:
        points = [
            [-1, 0.3],
            [1, 0.3],
            [1.1, -0.9],
            [0.6, -0.3],
            [0.3, -1],
            [0, -0.3],
            [-0.3, -1],
            [-0.6, -0.3],
            [-1.1, -0.9],
        ]
    shape = (np.array(points) * head + [x, y]).astype(np.int32)
    cv2.fillPoly(half, [shape], colour, cv2.LINE_AA)
    cv2.polylines(half, [shape], True, (30, 30, 30), 1, cv2.LINE_AA)
