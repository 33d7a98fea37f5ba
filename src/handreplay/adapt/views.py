"""Finds the faces and stacks in the pictures that a property gives, as the shipped models read them.

A still of the table's own camera is read on the felt, as an audit reads it; any other picture is read as a photograph,
for its cards alone, since a stack's place needs the camera's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handreplay.adapt.chip_colours import ChipColour, measured
from handreplay.adapt.labels import Labels, by_place, in_any_order
from handreplay.config import Chip, Profile
from handreplay.core.cards import DECK
from handreplay.errors import FootageError
from handreplay.footage import probe, shown_at
from handreplay.report.words import seconds_of
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.card_reader import CardReader, CardReading
from handreplay.vision.chip_reader import ChipReader, StackReading
from handreplay.vision.picture_files import NotAPictureError, read_picture
from handreplay.vision.stills import StillReader, crop_of
from handreplay.vision.table_eye import Sighting
from handreplay.vision.whole_felt import LEAST_SCORE, WholeFelt
from handreplay.vision.zone_reader import FINE_PX_PER_MM
from handreplay.vision.zones import Zones

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Place = tuple[float, float]

_STACK_MM = 34.0  # half the side of the place in which one stack is read
_STACK_VIEW_MM = (320.0, 320.0)
_LEAST_VISIBLE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One card that shows its face. `label` is what it is, where somebody said so."""

    picture: str
    at: Place  # px of the picture
    crop: Picture
    reading: CardReading
    label: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """One stack of chips of the table's own camera, and what it takes to read it again with other colours."""

    picture: str
    at: Place
    tile: Picture
    patch: FeltPatch
    top_mm: Place
    piles: tuple[tuple[tuple[tuple[str, int], ...], float], ...]
    colour: ChipColour
    label: str | None


@dataclass(frozen=True, slots=True)
class Views:
    """All faces and stacks of the pictures, and what could not be matched or read, in sentences."""

    faces: tuple[Face, ...]
    stacks: tuple[Stack, ...]
    labelled: int  # pictures with labels
    missed_cards: tuple[tuple[str, str], ...]  # picture and card of a label for which no face was found
    remarks: tuple[str, ...]


def path_of(name: str) -> Path:
    """Where the labels of a picture file, or of CLIP@TIME, lie beside."""
    clip, moment = _moment_of(name)
    return Path(name) if clip is None else Path(f"{clip}@{moment.replace(':', '-')}.png")


def open_picture(name: str) -> Picture:
    """A picture file, or CLIP@TIME. Raises FootageError."""
    clip, moment = _moment_of(name)
    if clip is not None:
        return _frame(clip, moment)
    try:
        return read_picture(Path(name))
    except NotAPictureError as error:
        raise FootageError(f"{error}, or a moment of a clip, like CLIP.mp4@00:41") from None


def _moment_of(name: str) -> tuple[Path | None, str]:
    """The clip and the time that a name gives; None for a picture."""
    clip, mark, moment = name.rpartition("@")
    return (Path(clip), moment) if mark and Path(clip).is_file() and not Path(name).is_file() else (None, "")


def _frame(clip: Path, moment: str) -> Picture:
    seconds = seconds_of(moment)
    length = probe(clip).promised_seconds
    if length is not None and seconds >= length:
        raise FootageError(f"{clip}: ends at {float(length):.3f} s, before {moment}; choose an earlier moment")
    for _, frame in shown_at(clip, [seconds]):
        return frame.bgr()
    raise FootageError(f"{clip}: there is no picture at {moment}; choose another moment")


class Seer:
    """Opens the models once; reads pictures one by one."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._cards = CardReader()
        self._stills: StillReader | None = None
        self._felt: _FeltReader | None = None
        self.remarks: list[str] = []
        self.faces: list[Face] = []
        self.stacks: list[Stack] = []
        self.missed: list[tuple[str, str]] = []
        self.labelled = 0

    def add(self, path: Path, picture: Picture, labels: Labels) -> None:
        """Read one picture with its labels."""
        self.labelled += labels.any
        camera = self._profile.camera
        if camera is not None and picture.shape[1::-1] == tuple(camera.size):
            self._felt = self._felt or _FeltReader(self._profile)
            tile, sighting = self._felt.look(picture)
            crops, quads = self._felt.cards(tile, sighting)
            self._add_stacks(path, self._felt.stacks(picture, sighting), labels)
        else:
            self._stills = self._stills or StillReader(reader=self._cards)
            quads = self._stills.faces(picture)
            crops = [crop_of(picture, quad) for quad in quads]
            if labels.stacks or labels.stack_at:
                self.remarks.append(f"{path.name}: is no still of the table's camera, so its stacks are left out")
        self._add_faces(path, labels, crops, quads)

    def views(self) -> Views:
        return Views(tuple(self.faces), tuple(self.stacks), self.labelled, tuple(self.missed), tuple(self.remarks))

    def _add_faces(self, path: Path, labels: Labels, crops: Sequence[Picture], quads: Sequence[Floats]) -> None:
        readings = self._cards.read(list(crops))
        middles = [_middle(quad) for quad in quads]
        reach = [float(np.linalg.norm(quad[0] - quad[2])) / 3 for quad in quads]
        meant = by_place(labels.card_at, middles, reach)
        free = [index for index in range(len(crops)) if index not in meant and readings[index].kind != "none"]
        chances = np.array([readings[index].spread() for index in free]).reshape(len(free), len(DECK))
        meant |= {free[row]: card for row, card in in_any_order(labels.cards, chances).items()}
        wanted = [*labels.cards, *(card for card, _ in labels.card_at)]
        for card in meant.values():
            wanted.remove(card)
        self.missed += [(path.name, card) for card in wanted]
        for index, (crop, reading, middle) in enumerate(zip(crops, readings, middles, strict=True)):
            if index in meant or reading.kind != "none":
                self.faces.append(Face(path.name, middle, crop, reading, meant.get(index)))

    def _add_stacks(
        self, path: Path, seen: Sequence[tuple[Place, Picture, FeltPatch, StackReading]], labels: Labels
    ) -> None:
        found = sorted(seen, key=lambda item: item[0])
        meant = by_place(labels.stack_at, [at for at, *_ in found], [30.0] * len(found))
        free = [index for index in range(len(found)) if index not in meant]
        if labels.stacks and len(labels.stacks) == len(free):
            meant |= dict(zip(free, labels.stacks, strict=True))
        elif labels.stacks:
            self.remarks.append(
                f"{path.name}: {len(labels.stacks)} stacks are labelled from left to right but {len(free)} were found; "
                "give each its place as [[stack]] with value and at"
            )
        for index, (at, tile, patch, reading) in enumerate(found):
            colour = measured(tile, patch, reading.top_mm)
            self.stacks.append(
                Stack(path.name, at, tile, patch, reading.top_mm, reading.piles, colour, meant.get(index))
            )


class _FeltReader:
    """Reads stills of the table's own camera."""

    def __init__(self, profile: Profile) -> None:
        self._calibration = Calibration.from_profile(profile)
        self._felt = WholeFelt(self._calibration, Zones(profile.zones, self._calibration))
        self._chips = ChipReader(self._calibration, profile.chips)

    def cards(self, tile: Picture, sighting: Sighting) -> tuple[list[Picture], list[Floats]]:
        """Crops of the faces, and their outlines in px of the picture."""
        boxes = [
            box
            for box in sighting.cards
            if box.face_up
            and box.score >= LEAST_SCORE
            and box.visible >= _LEAST_VISIBLE
            and self._felt.on_table(box.corners)
        ]
        return self._felt.faces(tile, boxes)

    def look(self, picture: Picture) -> tuple[Picture, Sighting]:
        return self._felt.look(picture)

    def stacks(self, picture: Picture, sighting: Sighting) -> list[tuple[Place, Picture, FeltPatch, StackReading]]:
        """Where in the picture, the cut, and the reading of each stack on the felt."""
        found: list[tuple[Place, Picture, FeltPatch, StackReading]] = []
        for top in sighting.chips:
            if top.score < LEAST_SCORE or not self._felt.on_table(top.centre[None]):
                continue
            at_mm = self._felt.patch.to_mm(top.centre[None] * FINE_PX_PER_MM)[0]
            patch = self._calibration.patch(
                (float(at_mm[0]), float(at_mm[1])), _STACK_VIEW_MM, px_per_mm=FINE_PX_PER_MM
            )
            tile = patch.warp(picture)
            nearest = _nearest(self._chips, tile, patch, at_mm)
            if nearest is not None:
                found.append((_middle(self._calibration.to_picture_px([nearest.top_mm])), tile, patch, nearest))
        return found


def _nearest(reader: ChipReader, tile: Picture, patch: FeltPatch, at_mm: Floats) -> StackReading | None:
    """The stack whose topmost face is seen nearest to a place."""
    square = at_mm + _STACK_MM * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    read = reader.stacks([tile], square, patch)
    return min(read, key=lambda stack: float(np.hypot(*(np.array(stack.top_mm) - at_mm)))) if read else None


def read_again(stacks: Sequence[Stack], profile: Profile, chips: Sequence[Chip]) -> list[StackReading | None]:
    """The stacks as read with other colours of the chips; None where none is found any more."""
    reader = ChipReader(Calibration.from_profile(profile), chips)
    return [_nearest(reader, stack.tile, stack.patch, np.array(stack.top_mm)) for stack in stacks]


def kinds_chance(piles: Sequence[tuple[tuple[tuple[str, int], ...], float]], value: str) -> float:
    """The probability that a stack is made of this denomination alone."""
    return sum(p for pile, p in piles if [kind for kind, _ in pile] == [value])


def _middle(points: Floats) -> Place:
    x, y = np.asarray(points, np.float64).reshape(-1, 2).mean(axis=0)
    return float(x), float(y)
