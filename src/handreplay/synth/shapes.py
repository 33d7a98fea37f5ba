"""Masks of suits and of index characters: what every drawn card is put together from.

A mask is float32, 0 to 1, cut to its ink. Shapes are our own; characters come from the fonts at hand and, where no
font is installed, from Pillow's built-in font and OpenCV's stroke fonts, so that training works on a bare machine.
"""

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Mask = NDArray[np.float32]

BUILT_IN_FONTS = ("built-in", "hershey-plain", "hershey-duplex", "hershey-complex", "hershey-triplex")
_HERSHEY = {
    "hershey-plain": cv2.FONT_HERSHEY_SIMPLEX,
    "hershey-duplex": cv2.FONT_HERSHEY_DUPLEX,
    "hershey-complex": cv2.FONT_HERSHEY_COMPLEX,
    "hershey-triplex": cv2.FONT_HERSHEY_TRIPLEX,
}
_CANVAS_PX = 160


def fonts(art_dir: Path | None) -> tuple[str, ...]:
    """Names `character` accepts: the built-in ones, then the font files of `art_dir/fonts`, sorted."""
    found = sorted((art_dir / "fonts").iterdir()) if art_dir and (art_dir / "fonts").is_dir() else []
    return BUILT_IN_FONTS + tuple(str(path) for path in found if path.suffix in {".ttf", ".otf", ".woff"})


def _ink(drawn: NDArray[np.uint8]) -> Mask:
    return np.asarray(drawn, np.float32) / np.float32(255)


def cut(mask: Mask) -> Mask:
    """The part of the mask that holds ink."""
    rows = np.flatnonzero(mask.max(axis=1) > 0.05)
    columns = np.flatnonzero(mask.max(axis=0) > 0.05)
    if not len(rows) or not len(columns):
        return mask
    return mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@lru_cache(maxsize=4096)
def character(font: str, text: str, stroke_px: int) -> Mask:
    """One index text (`"10"` is one text), about 110 px high; `stroke_px` thickens or, negative, thins it."""
    canvas = np.zeros((_CANVAS_PX * 2, _CANVAS_PX * 6), np.uint8)
    if font in _HERSHEY:
        thickness = 10 + max(stroke_px, -6)
        cv2.putText(canvas, text, (60, 220), _HERSHEY[font], 5.0, 255, thickness, cv2.LINE_AA)
        return cut(_ink(canvas))
    if font == "built-in":
        face: ImageFont.FreeTypeFont | ImageFont.ImageFont = ImageFont.load_default(_CANVAS_PX)
    else:
        face = ImageFont.truetype(font, _CANVAS_PX)
    image = Image.fromarray(canvas)
    ImageDraw.Draw(image).text((60, 40), text, fill=255, font=face)
    drawn = np.asarray(image)
    if stroke_px:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(stroke_px) + 1,) * 2)
        changed = cv2.dilate(drawn, kernel) if stroke_px > 0 else cv2.erode(drawn, kernel)
        drawn = changed if changed.max() > 128 else drawn
    return cut(_ink(drawn))


def _polygon(points: NDArray[np.float64]) -> NDArray[np.uint8]:
    mask = np.zeros((_CANVAS_PX, _CANVAS_PX), np.uint8)
    cv2.fillPoly(mask, [np.round(points * _CANVAS_PX * 16).astype(np.int32)], 255, cv2.LINE_AA, shift=4)
    return mask


def _curve(*controls: tuple[float, float]) -> NDArray[np.float64]:
    """A cubic Bezier curve through four control points."""
    a, b, c, d = (np.array(point) for point in controls)
    t = np.linspace(0, 1, 24)[:, None]
    return np.asarray((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t * t * c + t**3 * d)


def _mirrored(right_half: NDArray[np.float64]) -> NDArray[np.float64]:
    left = right_half[::-1] * [-1, 1] + [1, 0]
    return np.vstack([right_half, left])


def _leaf(rng: np.random.Generator, tip: float) -> NDArray[np.uint8]:
    """A heart: two lobes above, a point below. `tip` is how far its flanks bend inwards before the point, 0 to 1."""
    dip, plump = rng.uniform(0.10, 0.28), rng.uniform(-0.03, 0.09)
    widest = rng.uniform(0.24, 0.40)
    upper = _curve((0.5, 0.04 + dip), (0.56, -0.02), (0.98 + plump, -0.05), (0.97, widest))
    lower = _curve(
        (0.97, widest), (0.96, widest + rng.uniform(0.16, 0.30)), (0.64 - 0.12 * tip, 0.74 - 0.08 * tip), (0.5, 0.98)
    )
    return _polygon(_mirrored(np.vstack([upper, lower])))


def _stem(mask: NDArray[np.uint8], top: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The mask with a foot that reaches down to its lower edge: from a thread to a wedge, straight or flared."""
    width, flare = rng.uniform(0.02, 0.12), rng.uniform(0.02, 0.22)
    bend = rng.uniform(0.76, 0.94)
    side = _curve((0.5 + width / 3, top), (0.5 + width / 2, bend), (0.52 + width, 0.95), (0.53 + flare, 0.98))
    return np.maximum(mask, _polygon(_mirrored(side)))


def _diamond(rng: np.random.Generator) -> NDArray[np.uint8]:
    inwards = rng.choice([0.0, rng.uniform(0, 0.10)])
    side = _curve((0.5, 0.01), (0.66 - inwards, 0.17 + inwards), (0.83 - inwards, 0.34 + inwards), (0.99, 0.5))
    return _polygon(_mirrored(np.vstack([side, side[::-1] * [1, -1] + [0, 1]])))


def _heart(rng: np.random.Generator) -> NDArray[np.uint8]:
    return _leaf(rng, rng.uniform(0, 0.6))


def _spade(rng: np.random.Generator) -> NDArray[np.uint8]:
    body = np.zeros((_CANVAS_PX, _CANVAS_PX), np.uint8)
    tall = int(_CANVAS_PX * rng.uniform(0.66, 0.90))
    body[:tall] = cv2.resize(_leaf(rng, rng.uniform(0, 1))[::-1], (_CANVAS_PX, tall))
    return _stem(body, 0.5, rng)


def _club(rng: np.random.Generator) -> NDArray[np.uint8]:
    drawn = np.zeros((_CANVAS_PX, _CANVAS_PX), np.uint8)
    radius, low = rng.uniform(0.18, 0.25), rng.uniform(0.54, 0.64)
    tall, turn = radius * rng.uniform(0.9, 1.2), rng.uniform(-25, 25)
    unit = _CANVAS_PX * 16
    for x, y, turned in ((0.5, tall + 0.01, 0.0), (radius + 0.01, low, turn), (0.99 - radius, low, -turn)):
        axes = (round(radius * unit), round(tall * unit))
        cv2.ellipse(drawn, (round(x * unit), round(y * unit)), axes, turned, 0, 360, 255, -1, cv2.LINE_AA, 4)
    heart = round(rng.uniform(0.06, 0.13) * _CANVAS_PX)
    cv2.circle(drawn, (_CANVAS_PX // 2, round((low - 0.06) * _CANVAS_PX)), heart, 255, -1, cv2.LINE_AA)
    return _stem(drawn, 0.4, rng)


@lru_cache(maxsize=1024)
def suit(letter: str, style: int) -> Mask:
    """One of `cdhs`. The style, 0 to 999, chooses how plump, how waisted, how stemmed and how narrow it is."""
    rng = np.random.default_rng([style, ord(letter)])
    drawn = {"c": _club, "d": _diamond, "h": _heart, "s": _spade}[letter](rng)
    return _narrowed(cut(_ink(drawn)), float(rng.uniform(0.68, 1.06)))


def _narrowed(mask: Mask, share: float) -> Mask:
    return np.asarray(
        cv2.resize(mask, (max(4, int(mask.shape[1] * share)), mask.shape[0]), interpolation=cv2.INTER_AREA)
    )


def fitted(mask: Mask, width_px: float, height_px: float) -> Mask:
    """The mask stretched to a size, softly."""
    size = (max(2, round(width_px)), max(2, round(height_px)))
    return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA))


def paint(picture: NDArray[np.uint8], mask: Mask, centre_px: tuple[float, float], colour: tuple[int, int, int]) -> None:
    """Lay ink of a colour (BGR) on the picture (H x W x 3 or 4) where the mask is, clipped to the picture."""
    h, w = mask.shape
    x0, y0 = round(centre_px[0] - w / 2), round(centre_px[1] - h / 2)
    left, top = max(0, x0), max(0, y0)
    right, bottom = min(picture.shape[1], x0 + w), min(picture.shape[0], y0 + h)
    if right <= left or bottom <= top:
        return
    part = mask[top - y0 : bottom - y0, left - x0 : right - x0, None]
    under = picture[top:bottom, left:right, :3]
    picture[top:bottom, left:right, :3] = (under * (1 - part) + np.array(colour, np.float32) * part + 0.5).astype(
        np.uint8
    )
