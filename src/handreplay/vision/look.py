"""What the eyes see at one moment of a recording: every zone, card, stack and hand, read as an audit reads them.

    the pictures up to the moment  ->  those around it in which a zone stands still, averaged  ->  cards and stacks
    the pictures long before it    ->  the zone as it was when it was empty                    ->  how tall a stack is

An audit waits until a zone has come to rest and votes over time; a look takes the moment as it is and says what the
audit would have waited for.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import SeenCard, SeenStack
from handreplay.core.readings import Unreadable
from handreplay.core.timeline import Gap
from handreplay.errors import FootageError
from handreplay.footage import Frame, pictures, stretch
from handreplay.footage_tone import tone_of
from handreplay.vision.areas import areas
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.change import MOTION_LEVELS, MOVING_SHARE, Watcher, scale_for, working_plane
from handreplay.vision.fit import FitWatch
from handreplay.vision.observe import STILLS, TILE_MARGIN_MM
from handreplay.vision.table_eye import CardBox
from handreplay.vision.whole_felt import felt_patch
from handreplay.vision.zone_reader import CARD_ZONE_MARGIN_MM, Eyes, ZoneReader, kind_of, patch_of
from handreplay.vision.zones import Zones

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
State = Literal["empty", "read", "covered", "moving", "not read here"]

BEFORE_SECONDS = 45.0  # how far back to look for a zone's empty picture
SAMPLE_SECONDS = 1.0
AROUND_PICTURES = 10  # before the moment, and as many after it
_HALF_A_MILLISECOND = 0.0005
_ALIKE_LEVELS = 2.0  # mean difference of two pictures of a zone in which nothing happened
_FIT_SAMPLES = 5
_STRAY_SCORE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneLook:
    """What lies in one zone. `compared`: the stacks' height was told against the zone's empty picture."""

    zone: str
    state: State
    pictures: int = 1  # averaged
    compared: bool = False
    cards: tuple[SeenCard, ...] = ()
    stacks: tuple[SeenStack, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FeltSight:
    """The whole felt at 1 px/mm: the chance (H/4, W/4) that something covers it, and cards that lie in no zone."""

    patch: FeltPatch
    covered: NDArray[np.float32]
    strays: tuple[CardBox, ...]  # outlines in px of the patch


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Look:
    """One moment of a recording and what was read in it. `pixels` is H x W x 3, BGR."""

    file: str
    seconds: float
    frame: int | None  # None when the recording was entered in the middle
    pixels: Picture
    calibration: Calibration
    zones: Zones
    looks: tuple[ZoneLook, ...]
    felt: FeltSight
    remarks: tuple[str, ...]


@dataclass(slots=True)
class _Gathered:
    """The pictures that a look needs, picked from those that go by."""

    at: float
    before: float
    samples: list[Frame] = field(default_factory=list)  # long before, one a second
    earlier: deque[Frame] = field(default_factory=lambda: deque(maxlen=AROUND_PICTURES))
    shown: Frame | None = None
    later: list[Frame] = field(default_factory=list)
    gap: Gap | None = None  # that holds the moment, or ends before it
    step: float = 0.0

    def take(self, source: Iterable[Frame | Gap]) -> bool:
        """False when a Gap came, so that a stretch entered in the middle is not enough."""
        broken = False
        for item in source:
            if isinstance(item, Gap):
                broken = True
                if float(item.start) <= self.at + _HALF_A_MILLISECOND:
                    self.gap = item
                    self.shown = None if float(item.end) > self.at else self.shown
                continue
            if float(item.seconds) <= self.at + _HALF_A_MILLISECOND:
                self._before(item)
            elif len(self.later) < AROUND_PICTURES:
                self.later.append(item)
            else:
                break
        return not broken

    def _before(self, frame: Frame) -> None:
        if self.shown is not None:
            self.step = float(frame.seconds - self.shown.seconds)
            self.earlier.append(self.shown)
        self.shown = frame
        if float(frame.seconds) < self.at - self.before:
            return
        if not self.samples or float(frame.seconds - self.samples[-1].seconds) >= SAMPLE_SECONDS:
            self.samples.append(frame)


def look(path: Path, at: float, *, calibration: Calibration, zones: Zones, eyes: Eyes, before: float) -> Look:
    """Read the picture on show at `at` seconds, with up to `before` seconds of what went before it.

    Raises FootageError when the recording shows nothing then.
    """
    gathered = _gather(path, at, before)
    shown = gathered.shown
    if shown is None:
        why = f" ({gathered.gap.reason})" if gathered.gap else ""
        raise FootageError(f"{path}: shows nothing at {at:.3f} s{why}; choose another moment")
    seer = _Seer(gathered, shown, calibration, zones, eyes)
    return seer.look(path.name)


def _gather(path: Path, at: float, before: float) -> _Gathered:
    gathered, tone = _Gathered(at, before), tone_of(path)
    if at <= before or not gathered.take(stretch(path, at - before, at + 60.0, tone)):
        gathered = _Gathered(at, before)
        gathered.take(pictures(path, tone=tone))
    last = gathered.shown
    if last is not None and not gathered.later and at >= float(last.seconds) + max(gathered.step, 0.04):
        end = float(last.seconds) + gathered.step
        raise FootageError(
            f"{path}: ends at {end:.3f} s, so there is no picture at {at:.3f} s; choose an earlier moment"
        )
    return gathered


class _Seer:
    """Reads one moment."""

    def __init__(self, gathered: _Gathered, shown: Frame, calibration: Calibration, zones: Zones, eyes: Eyes) -> None:
        self._shown, self._samples = shown, gathered.samples
        self._calibration, self._zones, self._eyes = calibration, zones, eyes
        self._pixels = shown.bgr()
        around = [*reversed(gathered.earlier), *gathered.later]
        around.sort(key=lambda frame: abs(frame.seconds - shown.seconds))
        self._around = [frame.bgr() for frame in around]
        watcher = Watcher(areas(zones, calibration), scale_for(calibration.size[0]))
        watcher.update(float(shown.seconds), shown.index, working_plane(shown.luma))
        self._reader = ZoneReader(calibration, zones, eyes, watcher)
        read = [name for name in zones.names if kind_of(name) != "other"]
        self._patches = {name: patch_of(calibration, zones.polygons_mm[name], TILE_MARGIN_MM) for name in read}

    def look(self, file: str) -> Look:
        remarks, colourless = self._fit()
        looks = [self._zone(name) for name in self._zones.names]
        looks = self._weighed(looks)
        if colourless:
            looks = [replace(one, stacks=tuple(map(_colourless, one.stacks))) for one in looks]
        return Look(
            file=file,
            seconds=float(self._shown.seconds),
            frame=self._shown.index if self._shown.index >= 0 else None,
            pixels=self._pixels,
            calibration=self._calibration,
            zones=self._zones,
            looks=tuple(looks),
            felt=self._felt(),
            remarks=tuple(remarks),
        )

    def _fit(self) -> tuple[list[str], bool]:
        watch = FitWatch(self._calibration, self._zones)
        earlier = [frame for frame in self._samples if frame.seconds < self._shown.seconds - 1]
        for frame in earlier[-_FIT_SAMPLES:]:
            watch.look(frame)
        fit = watch.look(self._shown)
        if fit is None or fit.ok:
            return [], fit is not None and fit.colour_lost
        return [f"An audit would not read this picture: {fit.why}."], fit.colour_lost

    def _stills(self, zone: str) -> list[NDArray[np.float32]]:
        """Views of the zone in the pictures around the moment in which nothing moves there; the moment's own first."""
        patch = self._patches[zone]
        mask = np.zeros(patch.size_px[::-1], np.uint8)
        cv2.fillPoly(mask, [np.round(patch.to_px(self._zones.polygons_mm[zone])).astype(np.int32)], 1)
        inside = mask > 0
        own = patch.warp(self._pixels)
        stills = [own.astype(np.float32)]
        for picture in self._around:
            if len(stills) >= STILLS[kind_of(zone)]:
                break
            other = patch.warp(picture)
            apart = cv2.blur(cv2.absdiff(own, other).max(axis=2), (3, 3))
            if float((apart[inside] > MOTION_LEVELS).mean()) <= MOVING_SHARE:
                stills.append(other.astype(np.float32))
        return stills

    def _zone(self, zone: str) -> ZoneLook:
        if zone not in self._patches:
            return ZoneLook(zone=zone, state="not read here")
        patch, stills = self._patches[zone], self._stills(zone)
        mean = np.asarray(np.mean(stills, axis=0), np.float32)
        tile = mean.round().astype(np.uint8)
        covered = False
        if kind_of(zone) == "shoe":
            cards = self._reader.faces(tile, patch, zone)
        else:
            sighting = self._reader.look(tile)
            covered = self._reader.covered(zone, patch, sighting)
            cards = self._reader.cards(tile, patch, zone, self._reader.boxes(patch, zone, sighting))
        stacks: list[SeenStack] = []
        if kind_of(zone) == "wager":
            stacks = self._eyes.chips.read([mean], self._zones.polygons_mm[zone], patch, None)
        state: State = "covered" if covered else "moving" if len(stills) == 1 else "read"
        if state == "read" and not cards and not stacks:
            state = "empty"
        return ZoneLook(zone=zone, state=state, pictures=len(stills), cards=tuple(cards), stacks=tuple(stacks))

    def _weighed(self, looks: Sequence[ZoneLook]) -> list[ZoneLook]:
        """Zones with stacks again, their height told against how the zone was when it was empty."""
        empty = self._empty([one.zone for one in looks if one.stacks])
        again = []
        for one in looks:
            if one.zone in empty:
                mean = np.asarray(np.mean(self._stills(one.zone), axis=0), np.float32)
                polygon, patch = self._zones.polygons_mm[one.zone], self._patches[one.zone]
                stacks = self._eyes.chips.read([mean], polygon, patch, empty[one.zone])
                one = replace(one, stacks=tuple(stacks), compared=True)
            again.append(one)
        return again

    def _empty(self, wanted: Iterable[str]) -> dict[str, Picture]:
        """How zones looked when they last were empty, as far as the pictures before the moment show it."""
        found: dict[str, Picture] = {}
        before: dict[str, Picture] = {}
        left = list(wanted)
        for frame in reversed(self._samples):
            if not left:
                break
            pixels = frame.bgr()
            for zone in list(left):
                tile = self._patches[zone].warp(pixels)
                alike = zone in before and float(cv2.absdiff(tile, before[zone]).mean()) < _ALIKE_LEVELS
                before[zone] = tile
                if not alike and self._is_empty(zone, tile):
                    found[zone] = tile
                    left.remove(zone)
        return found

    def _is_empty(self, zone: str, tile: Picture) -> bool:
        patch, sighting = self._patches[zone], self._reader.look(tile)
        if self._reader.covered(zone, patch, sighting) or self._reader.boxes(patch, zone, sighting):
            return False
        return not self._eyes.chips.read([tile], self._zones.polygons_mm[zone], patch, None)

    def _felt(self) -> FeltSight:
        patch = felt_patch(self._calibration, self._zones, 1.0)
        sighting = self._eyes.table.look(patch.warp(self._pixels))
        strays = [
            box
            for box in sighting.cards
            if box.score >= _STRAY_SCORE
            and self._zones.zone_at(patch.to_mm(box.corners).mean(axis=0), CARD_ZONE_MARGIN_MM) is None
        ]
        return FeltSight(patch=patch, covered=sighting.occluder, strays=tuple(strays))


def _colourless(stack: SeenStack) -> SeenStack:
    return replace(stack, chips=Unreadable("no colour in the picture"))
