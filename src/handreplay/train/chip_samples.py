"""What the chip counter learns from: labelled stacks of rendered clips, each against its zone when it was empty.

NAME.mp4, NAME.table.toml, NAME.labels.jsonl  ->  samples of real stacks, and bare felt to draw stacks on
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handreplay.config import load_profile
from handreplay.core.money import Chips, chips
from handreplay.footage import Frame, pictures
from handreplay.synth.chip_felts import PX_PER_MM, Felt, Placed, random_placed
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.chip_counter import read_numbers, unrolled
from handreplay.vision.chip_reader import ChipReader, StackReading
from handreplay.vision.chip_shadow import darkness
from handreplay.vision.weights import Model
from handreplay.vision.zones import Zones

Floats = NDArray[np.float32]

TILE_MM, FELT_MM = 190.0, 150.0
PICTURES_APART_S = 0.3  # around a labelled moment, averaged
LOOKS = 5  # moments a stack, at most
BARE_LOOKS = 8  # moments at which a zone was empty, at most
BARE_EVERY_S = 3
JITTER_MM = 0.5
FINDER_MISS_MM = 0.2
NEAREST_MM = 8.0  # between a labelled topmost face and where the finder sees it


@dataclass(frozen=True)
class Sample:
    """One look at one stack: what is there, what was there, how many chips, millimetres a chip.

    Looks at real stacks carry the other two words on their number, the darkness round them and the reader's count, and
    what the reader says of their kinds.
    """

    clip: str
    stack: str
    now: Floats  # ROWS x COLUMNS x 3
    empty: Floats
    number: int
    chip_mm: float
    shade: Floats | None = None
    read: Floats | None = None
    reading: StackReading | None = None
    pile: Chips = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Clip:
    """The looks at labelled stacks of one clip, those again cut a little beside their places, and its bare felt."""

    name: str
    looks: list[Sample]
    beside: list[Sample]
    felts: list[Felt]


class _Leaning:
    """As much of a calibration as drawn stacks need: one lean everywhere."""

    def __init__(self, lean: NDArray[np.float64]) -> None:
        self._lean = lean

    def lean_mm_per_mm(self, point_mm: ArrayLike) -> NDArray[np.float64]:
        return self._lean


class _Straight:
    """A patch whose corner is the felt's origin."""

    def to_px(self, points_mm: ArrayLike) -> NDArray[np.float64]:
        return np.asarray(points_mm, np.float64) * PX_PER_MM


def clip_of(folder: Path, name: str, finder: Model | None = None, reader: Model | None = None) -> Clip:
    """Everything that one clip gives. Raises the errors of profile and footage."""
    profile = load_profile(folder / f"{name}.table.toml")
    calibration = Calibration.from_profile(profile)
    zones = Zones(profile.zones, calibration)
    wagers = [zone for zone in zones.names if zone.startswith("seat") and not zone.endswith(".cards")]
    size = (TILE_MM, TILE_MM)
    patches = {zone: calibration.patch(zones.center_mm(zone), size, px_per_mm=PX_PER_MM) for zone in wagers}
    labels = [json.loads(line) for line in (folder / f"{name}.labels.jsonl").read_text("utf-8").splitlines()]
    tiles, bare = _tiles(folder / f"{name}.mp4", labels, patches)
    eye = ChipReader(calibration, profile.chips, finder, reader)
    rng = np.random.default_rng(1)
    looks, beside = [], []
    for (zone, kinds, place), tile in tiles:
        if zone not in bare:
            continue
        empty = np.median(np.stack(bare[zone]), axis=0)
        outline, patch = zones.polygons_mm[zone], patches[zone]
        stacks = eye.stacks([tile], outline, patch)
        top = _seen_top(calibration, place, len(kinds))
        near = [stack for stack in stacks if np.hypot(*(np.array(stack.top_mm) - top)) < NEAREST_MM]
        if near:
            whole = Sample(name, str((zone, kinds, place)), tile, empty.astype(np.float32), len(kinds), 0.0)
            look = _look(whole, near[0], patch, calibration)
            looks.append(replace(look, reading=near[0], pile=chips(Counter(kinds)), values=eye.values))
            beside.append(_cut(whole, patch, np.array(near[0].top_mm) + rng.normal(0, JITTER_MM, 2), calibration))
    scales = {zone: calibration.px_per_mm(zones.center_mm(zone)) for zone in wagers}
    edge = round((TILE_MM - FELT_MM) / 2 * PX_PER_MM)
    felts = [
        Felt(scales[zone], np.stack(found)[:, edge:-edge, edge:-edge].astype(np.float16))
        for zone, found in sorted(bare.items())
        if len(found) > 1
    ]
    return Clip(name, looks, beside, felts)


def _seen_top(calibration: Calibration, place_mm: Sequence[float], number: int) -> NDArray[np.float64]:
    """Where on the felt the topmost face of a stack of `number` chips is seen."""
    point = np.array([place_mm], np.float64)
    return calibration.to_felt_mm(calibration.to_picture_px(point, 3.3 * number))[0]


def _look(whole: Sample, stack: StackReading, patch: FeltPatch, calibration: Calibration) -> Sample:
    top, others = np.array(stack.top_mm), [np.array(other) for other in stack.beside_mm]
    shade = darkness(whole.now, whole.empty, patch, top, others, calibration)
    cut = _cut(whole, patch, top, calibration)
    return replace(cut, shade=shade, read=read_numbers(stack))


def _cut(whole: Sample, patch: FeltPatch, top_mm: NDArray[np.float64], calibration: Calibration) -> Sample:
    (now, empty), chip_mm = unrolled([whole.now, whole.empty], patch, top_mm, calibration)
    return Sample(whole.clip, whole.stack, now, empty, whole.number, chip_mm)


Key = tuple[str, tuple[str, ...], tuple[float, ...]]  # zone, denominations bottom to top, place


def _tiles(
    footage: Path, labels: list[dict[str, Any]], patches: dict[str, FeltPatch]
) -> tuple[list[tuple[Key, Floats]], dict[str, list[Floats]]]:
    """Every stack at some moments, and every zone at some when it was empty; each the mean of a few pictures."""
    stacks: dict[Key, list[int]] = defaultdict(list)
    for label in labels:
        for stack in label["chips"]:
            if not stack["moving"] and stack["visible"] > 0.97:
                key = (stack["zone"], tuple(stack["denominations"]), tuple(stack["xy_mm"]))
                stacks[key].append(round(label["t"]))
    wanted: dict[int, list[Key]] = defaultdict(list)
    for key, moments in stacks.items():
        for second in moments[:: max(1, len(moments) // LOOKS)][:LOOKS]:
            wanted[second].append(key)
    seen: dict[int, set[str]] = {}
    left = dict.fromkeys(patches, BARE_LOOKS)
    for label in labels:
        second = round(label["t"])
        free = set(patches) - {stack["zone"] for stack in label["chips"]}
        seen[second] = {zone for zone in free if second % BARE_EVERY_S == 0 and left[zone] > 0}
        for zone in seen[second]:
            left[zone] -= 1
    tiles: list[tuple[Key, Floats]] = []
    bare: dict[str, list[Floats]] = defaultdict(list)
    for second, group in _groups(footage, wanted.keys() | {second for second, zones in seen.items() if zones}):
        for key in wanted.get(second, ()):
            tiles.append((key, _mean(group, patches[key[0]])))
        for zone in sorted(seen.get(second, ())):
            bare[zone].append(_mean(group, patches[zone]))
    return tiles, bare


def _groups(footage: Path, seconds: set[int]) -> Iterator[tuple[int, list[NDArray[np.uint8]]]]:
    """Pictures (BGR) around each of the given seconds."""
    group: list[NDArray[np.uint8]] = []
    current = None
    for frame in pictures(footage):
        if not isinstance(frame, Frame):
            continue
        second = round(frame.seconds)
        if current is not None and second != current:
            yield current, group
            group, current = [], None
        if second in seconds and abs(float(frame.seconds) - second) <= PICTURES_APART_S:
            group.append(frame.bgr())
            current = second
    if current is not None:
        yield current, group


def _mean(group: Sequence[NDArray[np.uint8]], patch: FeltPatch) -> Floats:
    return np.asarray(np.mean(np.stack([patch.warp(picture) for picture in group]), axis=0), np.float32)


def drawn(clip: Clip, number: int, seed: int) -> list[Sample]:
    """Stacks drawn on the clip's bare felt, their places known as well as the finder knows them."""
    rng = np.random.default_rng([seed, *clip.name.encode()])
    return [_drawn(clip.name, random_placed(clip.felts, rng), rng) for _ in range(number)]


def _drawn(name: str, placed: Placed, rng: np.random.Generator) -> Sample:
    at = placed.top_px + rng.normal(0, FINDER_MISS_MM, 2) * PX_PER_MM
    (now, empty), chip_mm = unrolled([placed.now, placed.empty], _Straight(), at / PX_PER_MM, _Leaning(placed.lean))
    return Sample(name, "drawn", now, empty, placed.number, chip_mm)
