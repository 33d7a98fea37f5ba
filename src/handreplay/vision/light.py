"""Brings pictures to the brightness of the first one, so that a lamp or the camera's exposure changes nothing on the
table.

Most of a picture shows what it has always shown, whatever lies on the felt and whoever reaches in. So the ratio of most
pixels to what they were is that of the light.
"""

import cv2
import numpy as np
import numpy.typing as npt

Plane = npt.NDArray[np.uint8]

EVERY_PIXELS = 16
DARKEST = 24  # levels; below it noise tells more than light
SAME_LIGHT = 0.015  # nearer to 1 than this, a ratio is left as it is
MOST = 1.8  # a light so many times brighter or darker is another one, to be read anew


class Light:
    """Feed it the planes of `working_plane` in order."""

    def __init__(self) -> None:
        self._first: npt.NDArray[np.float32] | None = None

    def evened(self, plane: Plane) -> Plane:
        """The plane in the light of the first one."""
        sample = plane[::EVERY_PIXELS, ::EVERY_PIXELS].astype(np.float32)
        if self._first is None or self._first.shape != sample.shape:
            self._first = sample
            return plane
        lit = (self._first >= DARKEST) & (sample >= DARKEST)
        if not lit.any():
            return plane
        gain = float(np.median(self._first[lit] / sample[lit]))
        if abs(gain - 1) < SAME_LIGHT or not 1 / MOST < gain < MOST:
            return plane
        return cv2.convertScaleAbs(plane, alpha=gain).astype(np.uint8, copy=False)
