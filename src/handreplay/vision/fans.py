"""Cards of a hand laid open that were not found between two that were.

White cards that overlap show hardly an edge, and the one in the middle may go unseen though its index is in plain
sight. Where two open cards of a hand lie further apart than a hand is usually spread, the places between are read;
whoever asks believes what is found there only if it is read surely.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from handreplay.vision.table_eye import CardBox

Floats = NDArray[np.float64]

LEAST_GAP_MM = 34.0  # two cards nearer than this have none between them whose index shows
TWO_FIT_MM = 50.0
MOST_GAP_MM = 96.0
MOST_ASIDE_MM = 16.0
MOST_TURN_DEGREES = 18.0


def between(boxes: Sequence[CardBox]) -> Iterator[list[CardBox]]:
    """For each gap in a row of open cards the cards that may lie there: first one, then two.

    Outlines are px of a view at 1 px/mm; half a turn of a card does not matter.
    """
    faces = [box for box in boxes if box.face_up]
    for number, first in enumerate(faces):
        for second in faces[number + 1 :]:
            other = _like(first.corners, second.corners)
            if other is None or any(_inside(box, first, other) for box in faces if box not in (first, second)):
                continue
            apart = float(np.linalg.norm(other.mean(axis=0) - first.corners.mean(axis=0)))
            for count in (1, 2) if apart >= TWO_FIT_MM else (1,):
                yield [_placed(first, other, n / (count + 1), apart / (count + 1)) for n in range(1, count + 1)]


def _placed(first: CardBox, other: Floats, share: float, step_mm: float) -> CardBox:
    corners = first.corners + (other - first.corners) * share
    width = float(np.linalg.norm(corners[1] - corners[0]))
    return CardBox(corners, True, 0.5, 0.9, min(1.0, step_mm / max(width, 1.0)))


def _like(first: Floats, second: Floats) -> Floats | None:
    """The second outline, its corners in the order of the first, if the two lie in one row with room between them."""
    across = first[1] - first[0]
    turned = min((second, np.roll(second, 2, axis=0)), key=lambda corners: -float((corners[1] - corners[0]) @ across))
    other = turned[1] - turned[0]
    cosine = float(across @ other) / max(float(np.linalg.norm(across) * np.linalg.norm(other)), 1e-9)
    if cosine < np.cos(np.radians(MOST_TURN_DEGREES)):
        return None
    way = turned.mean(axis=0) - first.mean(axis=0)
    unit = across / max(float(np.linalg.norm(across)), 1e-9)
    beside, aside = abs(float(way @ unit)), abs(float(way @ np.array([-unit[1], unit[0]])))
    return turned if LEAST_GAP_MM <= beside <= MOST_GAP_MM and aside <= MOST_ASIDE_MM else None


def _inside(box: CardBox, first: CardBox, other: Floats) -> bool:
    """Does a card lie between the two?"""
    start, way = first.corners.mean(axis=0), other.mean(axis=0) - first.corners.mean(axis=0)
    share = float((box.corners.mean(axis=0) - start) @ way) / max(float(way @ way), 1e-9)
    aside = box.corners.mean(axis=0) - start - share * way
    return 0.1 < share < 0.9 and float(np.linalg.norm(aside)) <= 2 * MOST_ASIDE_MM
