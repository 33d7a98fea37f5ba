"""The felt from straight above at 2 px/mm, and a note for every pixel of who owns it.

Everything that a training scene holds is laid onto a `Canvas`, lowest first, so that the owner map always tells what
is visible: a card, the top of a stack, something that covers the table, or nothing of interest.
"""

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Colour = tuple[float, ...]  # BGR
Floats = NDArray[np.floating[Any]]

PX_PER_MM = 2.0
CARD_MM = (63.5, 88.9)

FELT = 0  # owners below are negative; cards and chip tops are numbered from 1
COVER = -1  # a hand, an arm or an object standing on the table
NEUTRAL = -2  # may count as covered or not: rails, thin plastic, blurred rims
UNSURE = -3  # says nothing about cards either: a plain red cut card looks like a plain red back


@dataclass(frozen=True)
class LaidCard:
    """A card's owner number, its corners (4 x 2, canvas px, clockwise from its top left) and which side is up."""

    owner: int
    corners: Floats
    face_up: bool


@dataclass(frozen=True)
class LaidChip:
    """The topmost chip of a stack: owner number, centre and radius in canvas px."""

    owner: int
    centre: tuple[float, float]
    radius: float


@dataclass
class Canvas:
    """A square piece of felt while it is being drawn. `picture` is BGR uint8, `owner` int16 of the same size."""

    picture: Picture
    owner: NDArray[np.int16]
    cards: list[LaidCard] = field(default_factory=list)
    chips: list[LaidChip] = field(default_factory=list)
    boxes: list[tuple[float, float, float]] = field(default_factory=list)  # printed card places: x, y px and degrees

    @property
    def size_px(self) -> int:
        return int(self.picture.shape[0])

    def next_owner(self) -> int:
        return len(self.cards) + len(self.chips) + 1


Box = tuple[int, int, int, int]  # left, top, right, bottom


def box_around(points: Floats, margin_px: float, size_px: int) -> Box | None:
    """The part of the canvas around some points, or None when it lies outside."""
    low = np.maximum(np.floor(points.min(axis=0) - margin_px), 0).astype(int)
    high = np.minimum(np.ceil(points.max(axis=0) + margin_px + 1), size_px).astype(int)
    if (high - low).min() <= 0:
        return None
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def blend(canvas: Canvas, box: Box, colour: Floats | Colour, alpha: Floats) -> None:
    """Lay a colour or a picture of the box's size over the box. `alpha` is 0 to 1."""
    left, top, right, bottom = box
    under = canvas.picture[top:bottom, left:right]
    over = np.asarray(colour, np.float32)
    part = alpha[:, :, None]
    canvas.picture[top:bottom, left:right] = np.clip(under + (over - under) * part + 0.5, 0, 255).astype(np.uint8)


def own(canvas: Canvas, box: Box, alpha: Floats, owner: int) -> None:
    """Give the pixels where alpha is above a half to an owner."""
    left, top, right, bottom = box
    canvas.owner[top:bottom, left:right][alpha > 0.5] = owner


def polygon_mask(points: Floats, box: Box) -> Floats:
    """Anti-aliased mask of a polygon (N x 2, canvas px), 0 to 1, of the box's size."""
    left, top, right, bottom = box
    mask = np.zeros((bottom - top, right - left), np.uint8)
    local = np.round((points - [left, top]) * 16).astype(np.int32)
    cv2.fillPoly(mask, [local], 255, cv2.LINE_AA, shift=4)
    return np.asarray(mask, np.float32) / 255


def cast_shadow(
    canvas: Canvas, box: Box, mask: Floats, offset_px: tuple[float, float], soft_px: float, dark: float
) -> None:
    """Darken what lies under a mask, shifted and softened. The box must leave room for it."""
    moved = cv2.warpAffine(mask, np.array([[1, 0, offset_px[0]], [0, 1, offset_px[1]]], np.float32), mask.shape[::-1])
    soft = cv2.GaussianBlur(moved, (0, 0), max(soft_px, 0.3))
    left, top, right, bottom = box
    part = canvas.picture[top:bottom, left:right]
    canvas.picture[top:bottom, left:right] = (part * (1 - dark * soft[:, :, None])).astype(np.uint8)


def turn(points_mm: Floats, degrees: float) -> Floats:
    """Points turned about the origin."""
    angle = np.radians(degrees)
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(points_mm @ matrix.T)


def rectangle(centre_px: tuple[float, float], width_px: float, height_px: float, degrees: float) -> Floats:
    """Corners clockwise from the top left of an upright rectangle, then turned."""
    w, h = width_px / 2, height_px / 2
    return np.asarray(turn(np.array([[-w, -h], [w, -h], [w, h], [-w, h]]), degrees) + np.array(centre_px))


def lay_card(
    canvas: Canvas,
    image: Picture,
    corners: Floats,
    face_up: bool,
    rng: np.random.Generator,
    shadow: tuple[float, float] = (0.1, 0.5),
) -> LaidCard:
    """Draw a card (BGRA at 2 px/mm) onto its corners, with an uneven shine and a shadow of some darkness, 0 to 1."""
    card = LaidCard(canvas.next_owner(), corners, face_up)
    canvas.cards.append(card)
    box = box_around(corners, 12, canvas.size_px)
    if box is None:
        return card
    left, top, right, bottom = box
    height, width = image.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    warp = cv2.getPerspectiveTransform(source, (corners - [left, top]).astype(np.float32))
    warped = cv2.warpPerspective(image, warp, (right - left, bottom - top), flags=cv2.INTER_LINEAR)
    alpha = warped[:, :, 3].astype(np.float32) / 255
    cast_shadow(canvas, box, alpha, tuple(rng.uniform(-2.5, 2.5, 2)), rng.uniform(0.6, 3.0), rng.uniform(*shadow))
    rows, columns = np.mgrid[0 : bottom - top, 0 : right - left].astype(np.float32)
    slope = rng.normal(0, 0.06, 2) / 100
    shine = 1 + rng.normal(0, 0.03) + slope[0] * (columns - columns.mean()) + slope[1] * (rows - rows.mean())
    blend(canvas, box, warped[:, :, :3] * shine[:, :, None].astype(np.float32), alpha)
    own(canvas, box, alpha, card.owner)
    return card
