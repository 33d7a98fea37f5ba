"""Whether the topmost chip of a stack is the one that lay there before, lying as it did.

Where a chip is added to a stack of its like, neither colour nor height need tell; but no two chips lie turned alike. So
what is printed on the topmost face is compared with what was seen there at the last look. Light and shadow may change
between the two: what changes slowly over the face is left out, and how strong the rest is. A hand that adds a chip also
moves the top a little, by the chip's height or by pushing the stack.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import Point, SeenStack
from handreplay.vision.calibration import FeltPatch

Tile = NDArray[np.float32]

SAME_PLACE_MM = 8.0
MOVED_MM = 1.2  # two looks at a stack that nobody touched differ by less than half a millimetre
ALIKE = 0.93  # correlation of two looks at one chip that nobody touched is above 0.97
LEAST_PRINT = 6.0  # levels; a face on which less is printed cannot be told from another
SIDE_PX = 64  # of a tile at 2 px/mm: a chip but for its rim
SMOOTH_PX = 10.0
STEPS_PX = (-1, 0, 1)
_MIDDLE = (SIDE_PX - 1) / 2
_INSIDE = np.hypot(*(np.mgrid[:SIDE_PX, :SIDE_PX] - _MIDDLE)) < SIDE_PX / 2 - 1


@dataclass(slots=True)
class ChipTops:
    """Give it every look at a zone's stacks. It keeps the topmost faces of the last one."""

    _faces: dict[str, list[tuple[Point, Tile]]] = field(default_factory=dict)

    def compared(self, zone: str, stacks: Sequence[SeenStack], tile: Tile, patch: FeltPatch) -> list[SeenStack]:
        """The stacks, told of each whether another face lies on top than at the last look. `tile` is cut by `patch`."""
        before, faces = self._faces.get(zone, []), [_face(tile, patch, stack.top_mm) for stack in stacks]
        self._faces[zone] = [(stack.top_mm, face) for stack, face in zip(stacks, faces, strict=True)]
        return [
            replace(stack, other_top=_is_other(stack.top_mm, face, before))
            for stack, face in zip(stacks, faces, strict=True)
        ]

    def forget(self) -> None:
        """After a gap: what was touched meanwhile was touched unseen."""
        self._faces.clear()


def _face(tile: Tile, patch: FeltPatch, top_mm: Point) -> Tile:
    """What is printed on the topmost face, SIDE_PX each way, by brightness."""
    x, y = (float(value) for value in patch.to_px(np.array([top_mm]))[0] - 0.5)
    light = cv2.getRectSubPix(tile, (SIDE_PX, SIDE_PX), (x, y)).astype(np.float32).mean(axis=2)
    return np.asarray(light - cv2.GaussianBlur(light, (0, 0), SMOOTH_PX), np.float32)


def _is_other(top_mm: Point, face: Tile, before: Sequence[tuple[Point, Tile]]) -> bool:
    """Has it moved, or does it look otherwise? Not where nothing lay near there before, nor where too little shows."""
    near = [(float(np.hypot(top_mm[0] - at[0], top_mm[1] - at[1])), old) for at, old in before]
    close = [(away, old) for away, old in near if away <= SAME_PLACE_MM]
    if not close:
        return False
    away, old = min(close, key=lambda one: one[0])
    if away > MOVED_MM:
        return True
    if min(float(one[_INSIDE].std()) for one in (face, old)) < LEAST_PRINT:
        return False
    return max(_alike(face, np.roll(old, (down, right), (0, 1))) for down in STEPS_PX for right in STEPS_PX) < ALIKE


def _alike(one: Tile, other: Tile) -> float:
    """Correlation of two faces."""
    return float(np.corrcoef(one[_INSIDE], other[_INSIDE])[0, 1])
