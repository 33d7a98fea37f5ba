"""What changed: which zones are busy, which have come to rest, and from whose side a hand came.

Motion is told from the luma plane at half size, what changed from the colours too: a red back may be as bright as the
green felt. A zone is busy while its pixels differ from those of one and of three pictures ago; it is at rest when they
have not for a while. What lay there before and what lies there now are then compared, and the pictures in between tell
when the change was complete, even if a hand hovered over the rest of the zone.

Whoever reads the zone says whether it could be read (`accept`). If not, say because a hand rests on it, the look before
stays the one to compare with, and the visit goes on.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from handreplay.vision.medians import medians

Plane = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Polygon = npt.NDArray[np.float64]  # N x 2 pixels of the full picture
Cell = TypeVar("Cell", bound=np.generic)

SCALE = 0.5  # of the planes that are worked on
WIDEST = 1300  # pixels of such a plane; a larger picture is halved again, and its noise with it
MOTION_LEVELS = 9
CHANGE_LEVELS = 10.0
UNLIKE_LEVELS = 18.0
LIGHTER_LEVELS = 15.0  # than the felt: any face is, and most backs are
MOVING_SHARE = 0.006
MOVING_PIXELS = 6
REFERENCE_PICTURES = 4
BRIEF_PICTURES = 1  # still ones between two hands, in which what lies there can be seen
MEMORY_SECONDS = 6.0
SHADOW_PIXELS = (15, 15)
DEEPEST_SHADOW = 0.7
COLOURLESS_LEVELS = 3.0  # mean difference from grey in a picture without colour, at most


def scale_for(width: int) -> float:
    """Of the planes that are worked on, for pictures of that width."""
    scale = SCALE
    while width * scale > WIDEST:
        scale /= 2
    return scale


def working_plane(luma: Plane) -> Plane:
    """What the watcher works on: a luma plane (H, W) at half size or less (`scale_for`), softened against noise."""
    scale = scale_for(luma.shape[1])
    size = (int(luma.shape[1] * scale), int(luma.shape[0] * scale))
    return cv2.blur(cv2.resize(luma, size, interpolation=cv2.INTER_AREA), (3, 3)).astype(np.uint8, copy=False)


def of_size(chroma: tuple[Plane, Plane], plane: Plane) -> tuple[Plane, Plane]:
    """Both colour differences at the size of that plane, if they are much larger."""
    if chroma[0].shape[1] <= plane.shape[1] + 1:
        return chroma
    size = (plane.shape[1], plane.shape[0])
    blue, red = (cv2.resize(one, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False) for one in chroma)
    return blue, red


@dataclass(frozen=True, slots=True)
class Area:
    """Three shapes around a zone, in pixels: itself, the dealer's side of it, the player's side of it."""

    zone: Polygon
    dealer_side: Polygon | None
    player_side: Polygon | None


@dataclass(frozen=True, slots=True)
class Rest:
    """A zone has been still for a few pictures after it was busy."""

    zone: str
    since: float  # seconds of the first still picture
    arrived: float  # seconds when what changed had settled
    frame: int  # of `arrived`
    busy_since: float
    changed: float  # share of the zone that differs from the rest before
    dealer_hand: float
    player_hand: float
    unwatched: bool = False  # something was missing since the rest before
    brief: bool = False  # it moves again: this was seen in the picture before


@dataclass(slots=True)
class _Window:
    """A polygon on the half-size plane: its bounding box and the mask inside."""

    rows: slice
    columns: slice
    mask: Plane
    area: int
    unmoved: float  # as many pixels may move while it still counts as still

    @classmethod
    def of(cls, polygon: Polygon, shape: tuple[int, ...], scale: float) -> "_Window":
        points = polygon * scale
        left, top = np.clip(np.floor(points.min(axis=0)).astype(int), 0, [shape[1] - 1, shape[0] - 1])
        right, bottom = np.clip(np.ceil(points.max(axis=0)).astype(int), [left + 1, top + 1], [shape[1], shape[0]])
        mask = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillPoly(mask, [np.round(points - [left, top]).astype(np.int32)], 1)
        area = int(mask.sum())
        unmoved = max(MOVING_PIXELS, MOVING_SHARE * area)
        return cls(slice(int(top), int(bottom)), slice(int(left), int(right)), mask, area, unmoved)

    def cut(self, plane: npt.NDArray[Cell]) -> npt.NDArray[Cell]:
        return plane[self.rows, self.columns]

    def pixels(self, plane: Plane) -> int:
        """How many of those inside the polygon are set on a 0/1 plane."""
        return cv2.countNonZero(cv2.bitwise_and(self.cut(plane), self.mask))

    def share(self, plane: Plane) -> float:
        """The same, as a share of the polygon."""
        return self.pixels(plane) / self.area if self.area else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """Where a picture differs from the ones before (a 0/1 plane), and in how many pixels of each zone."""

    plane: Plane
    pixels: tuple[int, ...]


class Motion:
    """Feed it the planes of `working_plane` in order; needs nothing else, so it can run ahead of the watcher."""

    def __init__(self, areas: Mapping[str, Area], scale: float = SCALE) -> None:
        self._areas, self._scale = areas, scale
        self._windows: list[_Window] = []
        self._last: deque[Plane] = deque(maxlen=3)

    def forget(self) -> None:
        """After a gap nothing may be compared across it."""
        self._last.clear()

    def feed(self, small: Plane) -> Moved | None:
        """What has moved since one and since three pictures ago; None for the first three."""
        moved = None
        if len(self._last) == 3:
            unlike = cv2.max(cv2.absdiff(small, self._last[-1]), cv2.absdiff(small, self._last[0]))
            plane = cv2.threshold(unlike, MOTION_LEVELS, 1, cv2.THRESH_BINARY)[1].astype(np.uint8, copy=False)
            moved = Moved(plane, self._count(plane))
        self._last.append(small)
        return moved

    def _count(self, plane: Plane) -> tuple[int, ...]:
        if not self._windows:
            self._windows = [_Window.of(area.zone, plane.shape, self._scale) for area in self._areas.values()]
        return tuple(window.pixels(plane) for window in self._windows)


@dataclass(frozen=True, slots=True, eq=False)
class ZoneLooks:
    """How a zone looked at half size, as last read and as last read with nothing on it: brightness (h, w), and both
    colour differences (h, w, 2). None: not known."""

    reference: Floats | None
    empty: Floats | None
    tint_reference: Floats | None
    tint_empty: Floats | None

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Is it of that height and width?"""
        return all(look is None or look.shape[:2] == shape for look in (self.reference, self.empty))


@dataclass(slots=True)
class _Zone:
    window: _Window
    dealer_side: _Window | None
    player_side: _Window | None
    busy: bool = False
    unwatched: bool = False  # since the last rest something was missing
    busy_since: float = 0.0
    moving: float = 0.0  # share that moved when last any did
    still_since: float | None = None
    dealer_hand: float = 0.0
    player_hand: float = 0.0
    reference: Floats | None = None  # as last read
    empty: Floats | None = None  # as last read with nothing on it
    now: Floats | None = None  # as it rests
    sum: npt.NDArray[np.uint16] | None = None
    summed: int = 0
    tint_sum: npt.NDArray[np.uint16] | None = None  # 2 x h x w, of both colour differences
    tint: Floats | None = None  # as it rests
    tint_reference: Floats | None = None
    tint_empty: Floats | None = None
    known_different: dict[tuple[float, bool], npt.NDArray[np.bool_]] = field(default_factory=dict)

    def settle(self) -> None:
        """Take the pictures since it was still for how it rests."""
        assert self.sum is not None
        self.known_different.clear()
        self.now = np.asarray(self.sum / np.float32(self.summed), np.float32)
        self.tint = None
        if self.tint_sum is not None:
            mean = np.dstack([total / np.float32(self.summed) for total in self.tint_sum])
            self.tint = np.asarray(cv2.blur(mean, (3, 3)), np.float32)

    def different(self, levels: float, *, since_empty: bool, shaded: bool = False) -> npt.NDArray[np.bool_] | None:
        """Where the zone as it rests looks other than before, inside it; None when there is nothing to compare with.

        `shaded`: a soft shadow, or its going, is no difference.
        """
        before, tint = (self.empty, self.tint_empty) if since_empty else (self.reference, self.tint_reference)
        if before is None or self.now is None:
            return None
        if (levels, since_empty) in self.known_different:
            return self.known_different[levels, since_empty]
        inside = self.window.mask > 0
        unlike = np.abs(self.now - before) > levels
        if shaded:
            unlike &= np.abs(self.now - _in_light_of(self.now, before)) > levels
        if self.tint is not None and tint is not None and not (_colourless(self.tint) or _colourless(tint)):
            moved = self.tint - tint
            moved -= medians(moved[inside])  # the light's colour, or the camera's idea of it
            np.abs(moved, out=moved)
            unlike |= np.maximum(moved[:, :, 0], moved[:, :, 1]) > levels
        self.known_different[levels, since_empty] = np.asarray(unlike & inside, np.bool_)
        return self.known_different[levels, since_empty]


def _in_light_of(now: Floats, before: Floats) -> Floats:
    """The picture before, in the light of now: shadows are soft, and neither deepen nor lift a place by much."""
    light = (cv2.blur(now, SHADOW_PIXELS) + 1) / (cv2.blur(before, SHADOW_PIXELS) + 1)
    return np.asarray(before * np.clip(light, DEEPEST_SHADOW, 1 / DEEPEST_SHADOW), np.float32)


def _colourless(tint: Floats) -> bool:
    return float(np.abs(tint - 128).mean()) < COLOURLESS_LEVELS


@dataclass(slots=True)
class Watcher:
    """Feed it pictures in order; it says which zones have come to rest."""

    areas: Mapping[str, Area]
    scale: float = SCALE  # of the planes, against the full picture
    briefly: frozenset[str] = frozenset()  # zones of which it is told, too, how they looked between two hands
    rest_pictures: int = REFERENCE_PICTURES
    _zones: dict[str, _Zone] = field(default_factory=dict)
    _unsettled: set[str] = field(default_factory=set)  # have moved, and not been still for long enough since
    _recent: deque[tuple[float, int, Plane]] = field(default_factory=deque)
    _recalled: Mapping[str, ZoneLooks] = field(default_factory=dict)

    def _start(self, shape: tuple[int, int]) -> None:
        for name, area in self.areas.items():
            zone = self._zones[name] = _Zone(
                _Window.of(area.zone, shape, self.scale),
                None if area.dealer_side is None else _Window.of(area.dealer_side, shape, self.scale),
                None if area.player_side is None else _Window.of(area.player_side, shape, self.scale),
            )
            known = self._recalled.get(name)
            if known is not None and known.fits(zone.window.mask.shape):
                zone.reference, zone.tint_reference = known.reference, known.tint_reference
                zone.empty, zone.tint_empty = known.empty, known.tint_empty
                zone.unwatched = known.reference is not None
        self._unsettled = set(self._zones)

    def recall(self, looks: Mapping[str, ZoneLooks]) -> None:
        """Before the first picture: how zones looked at the end of the recording before. Those of another size are
        left out."""
        self._recalled = looks

    def remembered(self) -> dict[str, ZoneLooks]:
        """How each zone looked, for the recording that goes on from here."""
        return {
            name: ZoneLooks(zone.reference, zone.empty, zone.tint_reference, zone.tint_empty)
            for name, zone in self._zones.items()
        }

    def forget(self) -> None:
        """After a gap in the footage no motion may be told across it; what lies there is compared when it rests."""
        self._recent.clear()
        for zone in self._zones.values():
            zone.busy, zone.still_since, zone.sum, zone.tint_sum, zone.summed = False, None, None, None, 0
            zone.unwatched = True
        self._unsettled = set(self._zones)

    def update(
        self,
        seconds: float,
        frame: int,
        small: Plane,
        moved: Moved | None = None,
        chroma: tuple[Plane, Plane] | None = None,
    ) -> list[Rest]:
        """The zones that have come to rest with this picture, or for a moment before it.

        Its luma is given by `working_plane`, what moved by a `Motion` of the same areas; chroma is at half size too.
        """
        if not self._zones:
            self._start((small.shape[0], small.shape[1]))
        rests = []
        if moved is not None:
            for (name, zone), pixels in zip(self._zones.items(), moved.pixels, strict=True):
                if pixels > zone.window.unmoved:
                    if name in self.briefly & self._unsettled and (brief := self._brief(name, zone)) is not None:
                        rests.append(brief)
                    self._unsettled.add(name)
                    self._stir(zone, seconds, pixels, moved.plane)
                elif name in self._unsettled and (rest := self._calm(name, zone, seconds, small, chroma)) is not None:
                    rests.append(rest)
        self._recent.append((seconds, frame, small))
        while self._recent and seconds - self._recent[0][0] > MEMORY_SECONDS:
            self._recent.popleft()
        return rests

    def is_still(self, zone: str) -> bool:
        return self._zones[zone].still_since is not None

    def is_settled(self) -> bool:
        """Is every zone still, and read as it is?"""
        return not self._unsettled and not any(zone.busy for zone in self._zones.values())

    def busy_seconds(self, zone: str, seconds: float) -> float | None:
        """How long the zone has been visited; None when it is still and was read as it is."""
        state = self._zones[zone]
        return seconds - state.busy_since if state.busy else None

    def moving_share(self, zone: str) -> float:
        """Share of a busy zone that moved with the last picture."""
        return self._zones[zone].moving

    def accept(self, zone: str, *, empty: bool) -> None:
        """The zone was read as it rests now; `empty`: there was nothing on it."""
        state = self._zones[zone]
        state.known_different.clear()
        state.reference, state.tint_reference, state.busy = state.now, state.tint, False
        if empty:
            state.empty, state.tint_empty = state.now, state.tint

    def looks(self, zone: str, frame: int) -> Plane | None:
        """The zone in one of the last pictures; None when that is forgotten."""
        plane = next((plane for _, number, plane in reversed(self._recent) if number == frame), None)
        return None if plane is None else self._zones[zone].window.cut(plane)

    def frame_at(self, seconds: float) -> int | None:
        """The number of the picture on show then, of those looked at; None when that is forgotten."""
        return next((frame for at, frame, _ in reversed(self._recent) if at <= seconds), None)

    def still_news(self, zone: str, before: int, now: int, known: Iterable[Plane]) -> float:
        """Share of the zone that is alike in two pictures, and unlike both the zone as last read and all `known`.

        What is no lighter than the bare felt does not count: sleeves lie over the dealer's place for seconds.
        """
        state, then, last = self._zones[zone], self.looks(zone, before), self.looks(zone, now)
        if then is None or last is None:
            return 0.0
        news = (cv2.absdiff(then, last) <= MOTION_LEVELS) & (state.window.mask > 0)
        if state.empty is not None:
            news &= last > state.empty + LIGHTER_LEVELS
        for old in (state.reference, *known):
            if old is not None:
                news &= np.abs(last - old.astype(np.float32)) > CHANGE_LEVELS
        return float(np.count_nonzero(news)) / max(1, state.window.area)

    def share_changed(
        self, zone: str, polygon: Polygon, *, since_empty: bool, frame: int | None = None
    ) -> float | None:
        """Share of a polygon (px of the full picture) that looks other than when the zone was last read, or empty.

        As it rests, or in the picture of that number. None when there is nothing to compare with.
        """
        state = self._zones[zone]
        if frame is None:
            different = state.different(CHANGE_LEVELS, since_empty=since_empty)
        else:
            before, now = state.empty if since_empty else state.reference, self.looks(zone, frame)
            different = None if before is None or now is None else np.abs(now - before) > CHANGE_LEVELS
        if different is None:
            return None
        mask = np.zeros(different.shape, np.uint8)
        corner = [state.window.columns.start, state.window.rows.start]
        cv2.fillPoly(mask, [np.round(polygon * self.scale - corner).astype(np.int32)], 1)
        inside = mask > 0
        return float(different[inside].mean()) if inside.any() else None

    def unlike_empty(self, zone: str) -> float | None:
        """Share of the zone that looks other than when it was empty; None if it was never seen so."""
        state = self._zones[zone]
        different = state.different(UNLIKE_LEVELS, since_empty=True, shaded=True)
        return None if different is None else float(different.sum()) / max(1, state.window.area)

    def _stir(self, zone: _Zone, seconds: float, moving: int, motion: Plane) -> None:
        """So many pixels of the zone have moved."""
        zone.moving = moving / max(1, zone.window.area)
        if not zone.busy:
            zone.busy, zone.busy_since = True, seconds
            zone.dealer_hand = zone.player_hand = 0.0
        zone.still_since, zone.sum, zone.tint_sum, zone.summed = None, None, None, 0
        if moving > 0.05 * zone.window.area:
            zone.dealer_hand += zone.dealer_side.share(motion) if zone.dealer_side else 0.0
            zone.player_hand += zone.player_side.share(motion) if zone.player_side else 0.0

    def _calm(
        self, name: str, zone: _Zone, seconds: float, small: Plane, chroma: tuple[Plane, Plane] | None
    ) -> Rest | None:
        """The zone, not yet settled, did not move."""
        if zone.still_since is None:
            zone.still_since = seconds
        cut = zone.window.cut(small)
        if zone.sum is None:
            zone.sum = np.zeros(cut.shape, np.uint16)
        np.add(zone.sum, cut, out=zone.sum)
        if chroma is not None:
            if zone.tint_sum is None:
                zone.tint_sum = np.zeros((2, *cut.shape), np.uint16)
            for total, plane in zip(zone.tint_sum, chroma, strict=True):
                np.add(total, zone.window.cut(plane), out=total)
        zone.summed += 1
        if zone.summed < self.rest_pictures:
            return None
        self._unsettled.discard(name)
        return self._settle(name, zone)

    def _brief(self, name: str, zone: _Zone) -> Rest | None:
        """What lay in the zone for a moment while it was visited, if that can be compared with anything."""
        if not zone.busy or zone.unwatched or zone.reference is None or zone.summed < BRIEF_PICTURES:
            return None
        zone.settle()
        return replace(self._compared(name, zone, zone.reference), brief=True)

    def _settle(self, name: str, zone: _Zone) -> Rest | None:
        assert zone.still_since is not None
        zone.settle()
        before = zone.reference
        if before is None:
            arrived, frame = self._recent[-1][:2]
            return Rest(name, zone.still_since, arrived, frame, arrived, 1.0, 0.0, 0.0)
        unwatched = zone.unwatched
        if unwatched and not zone.busy:
            zone.busy, zone.busy_since, zone.dealer_hand, zone.player_hand = True, zone.still_since, 0.0, 0.0
        zone.unwatched = False
        return replace(self._compared(name, zone, before), unwatched=unwatched) if zone.busy else None

    def _compared(self, name: str, zone: _Zone, before: Floats) -> Rest:
        """The zone as it rests against how it was read before."""
        assert zone.now is not None and zone.still_since is not None
        different = zone.different(CHANGE_LEVELS, since_empty=False)
        assert different is not None
        changed = float(different.sum()) / max(1, zone.window.area)
        brightness = different & (np.abs(zone.now - before) > CHANGE_LEVELS)
        arrived, frame = self._arrival(zone, brightness, before)
        hands = zone.dealer_hand, zone.player_hand
        return Rest(name, zone.still_since, arrived, frame, zone.busy_since, changed, *hands)

    def _arrival(self, zone: _Zone, different: npt.NDArray[np.bool_], before: Floats) -> tuple[float, int]:
        """Seconds and frame of the first picture from which on the changed part mostly looks as it does now."""
        assert zone.still_since is not None and zone.now is not None
        since = [entry for entry in self._recent if zone.busy_since <= entry[0] <= zone.still_since]
        arrived = (zone.still_since, since[-1][1] if since else self._recent[-1][1])
        if different.sum() < 4:
            return arrived
        after, ago = zone.now[different], before[different]
        for seconds, frame, small in reversed(since):
            pixels = zone.window.cut(small)[different].astype(np.float32)
            if np.mean(np.abs(pixels - ago) < CHANGE_LEVELS / 2) > 0.5:
                break
            if np.mean(np.abs(pixels - after) < CHANGE_LEVELS) > 0.6:
                arrived = (seconds, frame)
        return arrived
