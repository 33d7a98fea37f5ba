"""When nothing happens at a table: nothing moves on the felt, and nothing lies there that could show and hide again.

Cards are dealt to wagers, so at a table with neither no round is under way, and what might come and go there within a
few seconds is part of none. While anything lies on the felt, every picture is wanted.

Two threads share it: one makes pictures ready and asks, the other reads them and tells whether the table is bare, up to
`behind` pictures later. So that the answer hangs on the pictures alone, and not on which thread is faster, a table
counts as bare by what was told of it before the picture that many ago, if it has been at rest since.
"""

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from handreplay.footage import Frame
from handreplay.vision.change import MOTION_LEVELS, MOVING_PIXELS, SCALE, Area, Moved, Plane, of_size, working_plane

Polygon = npt.NDArray[np.float64]

REST_SECONDS = 2.0
WINDOW = 16  # pixels at half size; a chip is about as large


class Quiet:
    """`areas`: the zones, and the strips beside them through which hands come. The felt between the zones counts too.

    Every picture and gap is given to `note` or `forget` once and to `told` once, in order.
    """

    def __init__(self, areas: Iterable[Area], scale: float = SCALE) -> None:
        self.behind = 0  # pictures that may be ready and not yet read
        self._areas, self._scale = list(areas), scale
        self._most = [_windows(area.zone * scale) * MOVING_PIXELS for area in self._areas]
        self._felt: Plane | None = None
        self._last: tuple[Plane, tuple[Plane, Plane]] | None = None  # half-size brightness and colours
        self._still_from: tuple[int, float] | None = None  # number and seconds of the first picture at rest
        self._seconds = 0.0
        self._ready = self._read = 0  # pictures and gaps
        self._bare = [(0, False)]  # before which picture it began, and whether nothing lay there

    def forget(self) -> None:
        """A gap is next, or a picture that will not be read."""
        self._ready += 1
        self._still_from = self._last = None

    def note(self, seconds: float, plane: Plane, moved: Moved | None, chroma: tuple[Plane, Plane]) -> None:
        """A picture is ready: its plane of `working_plane`, in whatever light, and what moved by a `Motion`."""
        if moved is None or self._surely(moved) or not self._nothing(moved.plane):
            self._still_from = None
        elif self._still_from is None:
            self._still_from = self._ready, seconds
        self._ready += 1
        self._seconds, self._last = seconds, (plane, chroma)

    def told(self, bare: bool) -> None:
        """Before a picture is read: has all of the table been read, and does nothing lie there?"""
        if bare != self._bare[-1][1]:
            self._bare.append((self._read, bare))
        self._read += 1

    def at_rest(self) -> bool:
        """Has nothing moved for a while, and lies nothing there, up to the picture that was ready last?"""
        if self._still_from is None:
            return False
        number, since = self._still_from
        told = self._ready - 1 - self.behind
        if number > told or self._seconds - since < REST_SECONDS:
            return False
        return next(bare for before, bare in reversed(self._bare) if before <= told)

    def unchanged(self, later: Frame) -> bool:
        """Is the felt as bright and of the same colours as in the picture that was ready last?"""
        if self._last is None:
            return False
        plane = working_plane(later.luma)
        colours = of_size(later.chroma, plane)
        before, colours_before = self._last
        if plane.shape != before.shape or not self._nothing(_unlike(plane, before)):
            return False
        return all(self._nothing(_unlike(*map(_soft, both))) for both in zip(colours, colours_before, strict=True))

    def _surely(self, moved: Moved) -> bool:
        """Has so much moved in some zone that one window of it must hold more than noise? Costs next to nothing."""
        return any(pixels > most for pixels, most in zip(moved.pixels, self._most, strict=True))

    def _nothing(self, unlike: Plane) -> bool:
        """Are no more pixels of a 0/1 plane set on the felt than noise sets, in any one place?"""
        if self._felt is None:
            self._felt = _felt(self._areas, (unlike.shape[0], unlike.shape[1]), self._scale)
        height, width = np.minimum(unlike.shape, self._felt.shape)  # planes of colours may be larger by a pixel
        there = cv2.bitwise_and(unlike[:height, :width], self._felt[:height, :width])
        if cv2.countNonZero(there) <= MOVING_PIXELS:
            return True
        # Hands move in one part of the picture, so most of it need not be searched; what is set at the rim of that part
        # must not be mirrored by the filter.
        left, top, wide, high = cv2.boundingRect(there)
        part = there[max(0, top - WINDOW) : top + high + WINDOW, max(0, left - WINDOW) : left + wide + WINDOW]
        return int(cv2.boxFilter(part, -1, (WINDOW, WINDOW), normalize=False).max()) <= MOVING_PIXELS


def _windows(zone: Polygon) -> int:
    """How many windows beside each other cover a zone, at least one."""
    across, down = np.ceil((np.ptp(zone, axis=0) + 2) / WINDOW).astype(int)
    return int(max(1, across) * max(1, down))


def _felt(areas: Iterable[Area], shape: tuple[int, int], scale: float) -> Plane:
    """A 0/1 plane of that shape, at that scale: the zones, all between them, and the strips beside them."""
    felt = np.zeros(shape, np.uint8)
    zones, strips = [], []
    for area in areas:
        zones.append(area.zone)
        strips += [strip for strip in (area.dealer_side, area.player_side) if strip is not None]
    outline = cv2.convexHull(np.concatenate(zones).astype(np.float32)) if zones else np.zeros((0, 1, 2))
    for polygon in (*strips, outline):
        cv2.fillPoly(felt, [np.round(polygon * scale).astype(np.int32)], 1)
    return felt


def _unlike(one: Plane, other: Plane) -> Plane:
    difference = cv2.absdiff(one, other)
    return cv2.threshold(difference, MOTION_LEVELS, 1, cv2.THRESH_BINARY)[1].astype(np.uint8, copy=False)


def _soft(colours: Plane) -> Plane:
    return cv2.blur(np.ascontiguousarray(colours), (3, 3)).astype(np.uint8, copy=False)
