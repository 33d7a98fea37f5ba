"""A card that the table net does not know for one: an even rectangle of a card's size where there was bare felt.

Backs of one plain colour look like print, or like something that covers the felt. But nothing else that comes to lie on
a card's place, and stays there when the hand has gone, has a card's outline to the millimetre. The card reader is asked
whether it may be one. A second card on the first makes the outline longer: it lies at the end that is new.
"""

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import Point
from handreplay.vision.calibration import FeltPatch
from handreplay.vision.card_reader import CardReading
from handreplay.vision.second_look import CardNet
from handreplay.vision.straighten import straighten
from handreplay.vision.table_eye import CardBox

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

_Rectangle = tuple[tuple[float, float], tuple[float, float], float]  # middle, sides, turn in degrees, as OpenCV has it

CARD_MM = (63.5, 88.9)
WITHIN_MM = 4.0
MOST_LONGER_MM = 32.0  # of cards that lie partly on each other
UNLIKE_LEVELS = 14.0  # of any colour, against the bare felt
APART_MM = 6.0  # nearer than this two outlines are of one card
FILLED = 0.93  # share of the rectangle that looks other than the felt
FILLED_BY_TWO = 0.8
BACK = 0.8  # the card reader's word that it is one
SCORE = 0.9


def plain_cards(
    cards: CardNet,
    tile: Picture,
    bare: Picture,
    patch: FeltPatch,
    outline_mm: Floats,
    px_per_mm: float,
    lying_mm: Sequence[Point],
) -> list[CardBox]:
    """The card that came to lie on bare felt or on another plain one, and that one; empty where nothing is a card.

    `tile` and `bare` are the zone's place now and as it was when empty, `lying_mm` the middles of the cards seen there
    last. Outlines are px at 1 px/mm, as the table net's.
    """
    found = _rectangle(tile, bare, patch, outline_mm)
    if found is None:
        return []
    (middle, sides, degrees), filled = found
    long, short = max(sides) / px_per_mm, min(sides) / px_per_mm
    if sides[0] > sides[1]:
        degrees += 90.0
    extra = np.array([short - CARD_MM[0], long - CARD_MM[1]])
    if (extra < -WITHIN_MM).any() or (extra > MOST_LONGER_MM).any():
        return []
    if (extra <= WITHIN_MM).all():
        middles = [np.asarray(middle)] if filled >= FILLED else []
    else:
        middles = _pile(extra, middle, degrees, px_per_mm, patch.to_px, lying_mm) if filled >= FILLED_BY_TWO else []
    boxes = [_box(at, degrees, px_per_mm) for at in middles]
    readings = cards.read([straighten(tile, box.corners * px_per_mm) for box in boxes[:1]]) if boxes else []
    return boxes if all(_is_back(reading) for reading in readings) else []


def _rectangle(tile: Picture, bare: Picture, patch: FeltPatch, outline_mm: Floats) -> tuple[_Rectangle, float] | None:
    """The largest thing in the zone that is not felt: its least rectangle (px), and the share that it fills."""
    unlike = cv2.absdiff(cv2.blur(tile, (5, 5)), cv2.blur(bare, (5, 5))).max(axis=2) > UNLIKE_LEVELS
    inside = np.zeros(tile.shape[:2], np.uint8)
    cv2.fillPoly(inside, [np.round(patch.to_px(outline_mm)).astype(np.int32)], 1)
    mask = cv2.morphologyEx(unlike.astype(np.uint8) & inside, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=cv2.contourArea, default=None)
    if largest is None:
        return None
    (x, y), (width, height), degrees = cv2.minAreaRect(largest)
    area = width * height
    return (((x, y), (width, height), degrees), cv2.contourArea(largest) / area) if area else None


def _pile(
    extra_mm: Floats,
    middle: tuple[float, float],
    degrees: float,
    px_per_mm: float,
    to_px: Callable[[Floats], Floats],
    lying_mm: Sequence[Point],
) -> list[Floats]:
    """Middles (px) of the cards in a rectangle larger than one: the new one first, if one is new, then those known.

    Of a pile that came at once the place of the uppermost is not known: about the middle.
    """
    known = [np.asarray(to_px(np.array([at]))[0]) for at in lying_mm]
    if not known:
        return [np.asarray(middle)]
    turn = np.radians(degrees)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    places = (np.array(known) - middle) @ axes.T / px_per_mm
    ends = np.maximum(extra_mm, 0) / 2
    beyond, before = ends - places.max(axis=0) >= APART_MM, ends + places.min(axis=0) >= APART_MM
    if not (beyond | before).any():
        return known
    new = np.where(beyond, ends, np.where(before, -ends, 0.0))
    return [np.asarray(middle + new @ axes * px_per_mm), *known]


def _box(middle: Floats, degrees: float, px_per_mm: float) -> CardBox:
    size = (CARD_MM[0] * px_per_mm, CARD_MM[1] * px_per_mm)
    turn = np.radians(degrees)
    across, along = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    sides = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    outline = [middle + x * size[0] / 2 * across + y * size[1] / 2 * along for x, y in sides]
    return CardBox(np.array(outline) / px_per_mm, face_up=False, score=SCORE, face_chance=1 - SCORE, visible=1.0)


def _is_back(reading: CardReading) -> bool:
    return reading.kind == "back" and reading.kind_confidence >= BACK
