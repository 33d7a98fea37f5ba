"""The colours of one picture, converted as far as somebody asks for them."""

from dataclasses import dataclass

import cv2
import numpy as np

from handreplay.core.observations import Tint
from handreplay.footage import Frame, Picture


@dataclass(slots=True)
class Colours:
    """Colours of a picture in part; nobody may write to them."""

    frame: Frame
    _whole: Picture | None = None

    def part(self, rows: slice, columns: slice) -> Picture:
        """H x W x 3, BGR."""
        if self._whole is None:
            part = self.frame.bgr_part(rows, columns)
            if part is not None:
                return part
            self._whole = self.frame.bgr()
        return self._whole[rows, columns]


def tint_of(colour: str) -> Tint:
    """Lab a and b of `#rrggbb`."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    _, a, b = cv2.cvtColor(np.array([[[blue, green, red]]], np.float32), cv2.COLOR_BGR2Lab)[0, 0]
    return float(a), float(b)
