"""Cuts a card out of a picture and lays it straight, at the one scale the card reader knows."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]  # H x W x 3, BGR

CROP_PX_PER_MM = 1.6
CROP_WIDTH_PX, CROP_HEIGHT_PX = 112, 152
CARD_WIDTH_MM, CARD_HEIGHT_MM = 63.5, 88.9

_HALF = np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM]) * CROP_PX_PER_MM / 2
_CENTRE = np.array([CROP_WIDTH_PX, CROP_HEIGHT_PX]) / 2 - 0.5
CARD_IN_CROP = (_CENTRE + _HALF * [[-1, -1], [1, -1], [1, 1], [-1, 1]]).astype(np.float32)


def straighten(picture_bgr: Picture, quad_px: NDArray[Any]) -> Picture:
    """The card inside `quad_px` (4 x 2, clockwise from a top left corner), 152 x 112 x 3, with 3 mm around it.

    Either end of the card may be up; a quad that lies on its side is turned, so that its short sides are up and down.
    Outside the picture the crop is black.
    """
    quad = np.asarray(quad_px, np.float32).reshape(4, 2)
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    if sides[0] + sides[2] > sides[1] + sides[3]:
        quad = np.roll(quad, -1, axis=0)
    picture, quad = _shrunk(picture_bgr, quad, min(sides[0] + sides[2], sides[1] + sides[3]) / 2)
    matrix = cv2.getPerspectiveTransform(quad, CARD_IN_CROP)
    crop = cv2.warpPerspective(picture, matrix, (CROP_WIDTH_PX, CROP_HEIGHT_PX), flags=cv2.INTER_CUBIC)
    return np.asarray(crop, np.uint8)


def turned(quad: NDArray[Any], degrees: float) -> NDArray[np.float64]:
    """An outline (4 x 2) turned about its middle, clockwise on the screen."""
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    middle = np.asarray(quad, np.float64).mean(axis=0)
    return np.asarray(middle + (quad - middle) @ np.array([[cosine, sine], [-sine, cosine]]))


def _shrunk(picture: Picture, quad: NDArray[np.float32], short_px: float) -> tuple[Picture, NDArray[np.float32]]:
    """Less picture where the camera has far more pixels than the crop, so that fine print does not alias."""
    times = int(short_px / (CARD_WIDTH_MM * CROP_PX_PER_MM))
    if times < 2:
        return picture, quad
    margin = short_px * 0.25
    low = np.maximum(np.floor(quad.min(axis=0) - margin), 0).astype(int)
    high = np.minimum(np.ceil(quad.max(axis=0) + margin), picture.shape[1::-1]).astype(int)
    if np.any(high - low < times):
        return picture, quad
    part = picture[low[1] : high[1], low[0] : high[0]]
    size = (max(1, part.shape[1] // times), max(1, part.shape[0] // times))
    scale = np.array(size) / part.shape[1::-1]
    return (
        np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8),
        ((quad - low + 0.5) * scale - 0.5).astype(np.float32),
    )
