"""Does the picture still fit the table profile? After a bump to the camera every zone points at the wrong spot.

Two independent looks, both cheap and both about what stands still:
- The printed layout. Circles, diamonds and boxes for wagers look the same when turned by half about their middle, and
  their middles lie at the middles of the wager zones. How well that holds, over all seats, needs no picture of the
  layout and no earlier picture; where it holds best says by how much the view is off.
- The start of the recording. Small cells of the felt are compared with how they looked then; hands, cards and chips
  change a few, a camera that moves changes all by one common shift.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.footage import Frame, Picture
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.zones import Zones

Floats = NDArray[np.float64]
Brightness = NDArray[np.float32]

CHECK_EVERY_SECONDS = 0.5
LARGEST_SHIFT_MM = 8.0  # zones keep a chip's radius from each other; half of that is left to chance
_STRIKES = 4  # checks in a row before a view that cannot be explained counts as another view

_LAYOUT_MM_PER_PX = 4.0
_PRINT_RADIUS = 9  # layout pixels around a wager's middle: 36 mm
_SEARCH = 25  # layout pixels: 100 mm
_SLACK = 2  # layout pixels by which a site may have drawn its zones off the print
_FITS, _ELSEWHERE = 0.45, 0.35  # half-turn likeness, 1 is perfect; a wrong view stays under 0.3
_TELLING = 8  # wagers; fewer look as much alike about other middles as about their own
_LINE = 25.0  # slope of a printed line; the cloth's own grain stays below
_PRINTED_SHARE = 0.2  # of the felt that has a line within 16 mm; layouts reach 0.35 to 0.7

_SMALL_WIDTH = 640
_CELL = 24
_ALIKE = 0.7  # correlation of a cell with its earlier self
_STEADY_SHARE = 0.5
_MOVED_SHARE = 0.35
_RELEARN_AFTER = 6  # checks; a card lies there now

_COLOURLESS = 7.0  # distance from grey that one pixel in a hundred of a colour picture exceeds by far


@dataclass(frozen=True, slots=True)
class Fit:
    """One look at whether the picture fits the profile. `shift_px` is how far the table moved in the picture."""

    at: float
    ok: bool
    shift_px: tuple[float, float] | None = None
    why: str | None = None
    colour_lost: bool = False


@dataclass(frozen=True, slots=True)
class Misfit:
    """A stretch of the recording in which the picture does not fit the profile, or has no colour."""

    start: float
    end: float
    why: str
    shift_px: tuple[float, float] | None = None
    colour_lost: bool = False


class Layout:
    """Where the printed layout lies, by its half-turn likeness about the middles of the wager zones."""

    def __init__(self, calibration: Calibration, zones: Zones) -> None:
        corners = np.concatenate(list(zones.polygons_mm.values()))
        margin = (_PRINT_RADIUS + _SEARCH + 2) * _LAYOUT_MM_PER_PX
        low, high = corners.min(axis=0) - margin, corners.max(axis=0) + margin
        self.calibration = calibration
        self.center = (float(corners[:, 0].mean()), float(corners[:, 1].mean()))
        middle, size = (low + high) / 2, high - low
        self.patch: FeltPatch = calibration.patch(
            (float(middle[0]), float(middle[1])), (float(size[0]), float(size[1])), px_per_mm=2 / _LAYOUT_MM_PER_PX
        )
        wagers = [name for name in zones.names if name.startswith("seat") and not name.endswith(".cards")]
        places = self.patch.to_px([zones.center_mm(name) for name in wagers]) if wagers else np.zeros((0, 2))
        self.places = [(int(x // 2), int(y // 2)) for x, y in places]
        width, height = self.patch.size_px
        hull = cv2.convexHull(self.patch.to_px(corners).astype(np.float32) / 2)
        self.felt = cv2.fillConvexPoly(np.zeros((height // 2, width // 2), np.uint8), hull.astype(np.int32), 1) > 0

    @property
    def telling(self) -> bool:
        """Are there so many wagers that what is found elsewhere is no chance, nor a hand over some of them?"""
        return len(self.places) >= _TELLING

    def likeness(self, luma: Picture) -> float | None:
        """How well the print fits the zones, up to 1; None for a felt without print. Covered wagers are left out."""
        lines = self._lines(luma)
        if len(self.places) < 3 or not self._printed(lines):
            return None
        return _of_the_clear(self._scores(lines, _SLACK).max(axis=(1, 2)))

    def shift_mm(self, luma: Picture) -> tuple[float, float] | None:
        """How far on the felt the print lies from the zones; None when it is not found within 100 mm."""
        if len(self.places) < 3:
            return None
        scores = self._scores(self._lines(luma), _SEARCH)
        clear = np.sort(scores, axis=0)[len(scores) // 3 :].mean(axis=0)
        row, column = np.unravel_index(int(clear.argmax()), clear.shape)
        if clear[row, column] < _ELSEWHERE:
            return None
        return (float(column - _SEARCH) * _LAYOUT_MM_PER_PX, float(row - _SEARCH) * _LAYOUT_MM_PER_PX)

    def fits(self, luma: Picture) -> tuple[bool | None, tuple[float, float] | None]:
        """Does the print lie where the zones are? None for a felt without print, and where few wagers cannot tell. And
        how far off it is, where known.

        The search comes first: between two like circles lies a place about which the layout is alike, too.
        """
        likeness = self.likeness(luma)
        if likeness is None or (likeness >= _ELSEWHERE and not self.telling):
            return None, None
        shift = self.shift_mm(luma)
        if shift is None:
            return likeness >= _FITS, None
        return _length(shift) <= LARGEST_SHIFT_MM, shift

    def in_picture_px(self, shift_mm: tuple[float, float]) -> tuple[float, float]:
        """The picture shift, at the middle of the table, that belongs to a shift on the felt."""
        here, there = self.calibration.to_picture_px(np.asarray([self.center, np.add(self.center, shift_mm)]))
        return float(there[0] - here[0]), float(there[1] - here[1])

    def _lines(self, luma: Picture) -> Brightness:
        felt = self.patch.warp(luma)
        small = cv2.resize(felt, (felt.shape[1] // 2, felt.shape[0] // 2), interpolation=cv2.INTER_AREA)
        lines = _slopes(small.astype(np.float32))
        return np.minimum(lines, np.float32(80.0))

    def _printed(self, lines: Brightness) -> bool:
        """Are there lines on a good part of the felt? A few chips and hands on plain cloth do not make a layout."""
        strongest = cv2.dilate(lines, np.ones((_PRINT_RADIUS, _PRINT_RADIUS), dtype=np.uint8))
        return float((strongest[self.felt] > _LINE).mean()) >= _PRINTED_SHARE

    def _scores(self, lines: Brightness, reach: int) -> Floats:
        """Half-turn likeness per wager and displacement (N, 2 * reach + 1, 2 * reach + 1)."""
        side, around = 2 * _PRINT_RADIUS + 1, _PRINT_RADIUS + reach
        found = []
        for x, y in self.places:
            area = lines[y - around : y + around + 1, x - around : x + around + 1]
            inner = slice(_PRINT_RADIUS, _PRINT_RADIUS + 2 * reach + 1)
            sums = cv2.boxFilter(area, cv2.CV_64F, (side, side), normalize=False)[inner, inner]
            squares = cv2.sqrBoxFilter(area, cv2.CV_64F, (side, side), normalize=False)[inner, inner]
            cut = np.lib.stride_tricks.sliding_window_view(area, (side, side))
            turned = np.einsum("ijkl,ijkl->ij", cut, cut[:, :, ::-1, ::-1])
            level = sums * sums / side**2
            found.append((turned - level) / (squares - level + 50.0 * side**2))
        return np.asarray(found, dtype=np.float64)


@dataclass(slots=True, eq=False)
class FitWatch:
    """Looks about twice a second. Feed every picture; a Fit comes back whenever it looked."""

    calibration: Calibration
    zones: Zones
    every_seconds: float = CHECK_EVERY_SECONDS
    _layout: Layout = field(init=False)
    _start: "_Start | None" = None
    _due: Fraction = Fraction(0)
    _strikes: int = 0
    _confirmed: bool = False  # the layout was seen where the profile has it
    _shift: tuple[float, float] | None = None
    _why: str | None = None

    def __post_init__(self) -> None:
        self._layout = Layout(self.calibration, self.zones)

    def look(self, frame: Frame) -> Fit | None:
        """The state of the view when a look is due, else None."""
        if frame.seconds < self._due:
            return None
        self._due = frame.seconds + Fraction(self.every_seconds)
        luma = np.ascontiguousarray(frame.luma)
        if self._start is None or not len(self._start.corners):  # nothing to see yet, as before the signal comes
            self._start = _Start(luma, self.calibration, self.zones)
            self._judge_layout(luma)
        else:
            self._compare(luma, self._start)
        why = self._why
        return Fit(float(frame.seconds), why is None, self._shift if why else None, why, colourless(frame))

    def _judge_layout(self, luma: Picture) -> None:
        """The first look, and every look until the print was once found: does it lie where the profile has it?"""
        fits, shift = self._layout.fits(luma)
        if fits is not False:
            self._confirmed, self._strikes, self._why, self._shift = bool(fits), 0, None, None
            return
        self._strikes += 1
        if shift is not None and (self._strikes >= _STRIKES or self._layout.telling):
            self._shift = self._layout.in_picture_px(shift)
            self._why = f"the printed layout lies {_length(shift):.0f} mm from where the table profile has it"
        elif self._strikes >= _STRIKES:
            self._why = "the printed layout is not where the table profile has it"

    def _compare(self, luma: Picture, start: "_Start") -> None:
        small = start.shrunk(luma)
        steady = start.alike(small, (0, 0))
        if not self._confirmed and self._start_was_wrong(luma, steady.mean()):
            return
        if steady.mean() >= _STEADY_SHARE:
            self._strikes, self._why, self._shift = 0, None, None
            start.relearn(small, steady)
            return
        # a start that did not fit is nothing to measure a shift from
        shift = self._common_shift(small, start, float(steady.mean())) if self._confirmed or not self._why else None
        if shift is not None:
            self._strikes, self._shift = _STRIKES, shift
            self._why = f"the camera moved: the table is {_length(shift):.0f} px from where it was"
            return
        if self._layout.fits(luma)[0]:
            self._confirmed, self._strikes, self._why, self._shift = True, 0, None, None
            self._start = _Start(luma, self.calibration, self.zones)
            return
        self._strikes += 1
        if self._strikes >= _STRIKES and self._why is None:
            self._why = "the picture no longer shows the table as at the start"

    def _start_was_wrong(self, luma: Picture, steady_share: float) -> bool:
        """Until the print was found where it belongs, ask for it as long as the view is the same."""
        if steady_share < _STEADY_SHARE:
            return False
        self._judge_layout(luma)
        return self._strikes > 0

    def _common_shift(self, small: Brightness, start: "_Start", steady_share: float) -> tuple[float, float] | None:
        """One shift in picture pixels that brings most cells back, when there is one of a size that matters."""
        guessed = start.guess(small)
        if start.alike(small, guessed).mean() < max(_MOVED_SHARE, steady_share + 0.2):
            return None
        shift = guessed[0] / start.scale, guessed[1] / start.scale
        least = LARGEST_SHIFT_MM * self.calibration.px_per_mm(self._layout.center)
        return shift if _length(shift) >= least else None


class _Start:
    """The felt as it looked at the start, in small cells. Cells that change for good are learnt anew."""

    def __init__(self, luma: Picture, calibration: Calibration, zones: Zones) -> None:
        self.scale = min(1.0, _SMALL_WIDTH / luma.shape[1])
        self.small = self.shrunk(luma)
        self.window = cv2.createHanningWindow(self.small.shape[::-1], cv2.CV_32F)
        hull = cv2.convexHull(np.concatenate(list(zones.polygons_px.values())).astype(np.float32) * self.scale)
        height, width = self.small.shape
        corners = [
            (x, y)
            for y in range(0, height - _CELL, _CELL)
            for x in range(0, width - _CELL, _CELL)
            if cv2.pointPolygonTest(hull, (x + _CELL / 2, y + _CELL / 2), False) > 0
        ]
        cells = self._cut(self.small, np.asarray(corners, dtype=np.int64).reshape(-1, 2))
        drawn = cells.std(axis=1) > 4.0 if len(cells) else np.zeros(0, dtype=bool)
        self.corners = np.asarray(corners, dtype=np.int64).reshape(-1, 2)[drawn]
        self.cells = _normal(cells[drawn])
        self.changed = np.zeros(len(self.corners), dtype=np.int64)

    def shrunk(self, luma: Picture) -> Brightness:
        size = (round(luma.shape[1] * self.scale), round(luma.shape[0] * self.scale))
        return cv2.resize(luma, size, interpolation=cv2.INTER_AREA).astype(np.float32)

    def alike(self, small: Brightness, shift: tuple[float, float]) -> NDArray[np.bool_]:
        """Which cells (N,) look as they did, if the view has moved by `shift` small pixels."""
        if not len(self.corners):
            return np.ones(1, dtype=bool)
        corners = self.corners + np.round(shift).astype(np.int64)
        height, width = small.shape
        inside = ((corners >= 0) & (corners <= (width - _CELL, height - _CELL))).all(axis=1)
        alike = np.zeros(len(corners), dtype=bool)
        alike[inside] = (_normal(self._cut(small, corners[inside])) * self.cells[inside]).sum(axis=1) >= _ALIKE
        return alike

    def guess(self, small: Brightness) -> tuple[float, float]:
        """The shift of the whole view in small pixels, by phase correlation of its lines."""
        (x, y), _ = cv2.phaseCorrelate(_slopes(self.small), _slopes(small), self.window)
        return float(x), float(y)

    def relearn(self, small: Brightness, alike: NDArray[np.bool_]) -> None:
        """Take over how cells look that have been different for a while, though the view as a whole is the same."""
        if not len(self.corners):
            return
        self.changed = np.where(alike, 0, self.changed + 1)
        stale = self.changed >= _RELEARN_AFTER
        if stale.any():
            self.cells[stale] = _normal(self._cut(small, self.corners[stale]))
            self.changed[stale] = 0

    @staticmethod
    def _cut(small: Brightness, corners: NDArray[np.int64]) -> Brightness:
        """Cells (N, _CELL * _CELL) at corners (N, 2) as x and y."""
        windows = np.lib.stride_tricks.sliding_window_view(small, (_CELL, _CELL))
        return windows[corners[:, 1], corners[:, 0]].reshape(len(corners), -1)


def colourless(frame: Frame) -> bool:
    """Has the camera gone over to infra-red or grey? Even a grey felt has coloured chips and hands on it."""
    blue, red = frame.chroma
    far = np.maximum(np.abs(blue[::8, ::8].astype(np.int16) - 128), np.abs(red[::8, ::8].astype(np.int16) - 128))
    return bool(np.percentile(far, 99) < _COLOURLESS)


def misfits(fits: Iterable[Fit]) -> list[Misfit]:
    """Stretches in which the picture did not fit or had no colour: from the look that found it to the next good one."""
    found: list[Misfit] = []
    for colour in (False, True):
        opened: Fit | None = None
        last = 0.0
        for fit in sorted(fits, key=lambda fit: fit.at):
            bad = fit.colour_lost if colour else not fit.ok
            if bad and opened is None:
                opened = fit
            if not bad and opened is not None:
                found.append(_misfit(opened, fit.at, colour))
                opened = None
            last = fit.at
        if opened is not None:
            found.append(_misfit(opened, last, colour))
    return sorted(found, key=lambda misfit: (misfit.start, misfit.colour_lost))


def _misfit(first: Fit, end: float, colour: bool) -> Misfit:
    if colour:
        return Misfit(first.at, end, "the picture has no colour", colour_lost=True)
    return Misfit(first.at, end, first.why or "", first.shift_px)


def _of_the_clear(scores: Floats) -> float:
    """The mean of the better two thirds: chips, cards and hands cover some."""
    return float(np.sort(scores)[len(scores) // 3 :].mean())


def _slopes(picture: Brightness) -> Brightness:
    lines = cv2.magnitude(cv2.Sobel(picture, cv2.CV_32F, 1, 0), cv2.Sobel(picture, cv2.CV_32F, 0, 1))
    return np.asarray(lines, dtype=np.float32)


def _normal(cells: Brightness) -> Brightness:
    """Each cell with mean 0 and length 1, so that brightness and contrast do not matter."""
    centred = cells - cells.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6), dtype=np.float32)


def _length(shift: tuple[float, float]) -> float:
    return float(np.hypot(*shift))
