"""Measures the shipped eyes on labelled clips and photographs: right, left unread, wrong; singly and voted.

    python -m handreplay.train.reader_check FOLDER [--found] [--model reader_quick] [--photos LABELS.json] [--sheet PNG]

The tables go by clip, deck, camera and size. The card reader is shown crops by the true outlines; with --found, by the
outlines that the table net finds in that single picture of the whole felt, and a card that it does not find is missed.

A clip NAME has NAME.mp4, NAME.table.toml, NAME.about.json (look.deck, look.camera) and NAME.labels.jsonl: one line for
a frame, with `cards` of `identity`, `face`, `quad`, `visible`, `moving`. Photographs: `images` of `file` and `objects`
with `label` and a four-corner `polygon`.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.config import load_profile
from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.core.timeline import Gap
from handreplay.footage import pictures
from handreplay.reconstruct.votes import CardVotes
from handreplay.vision.calibration import Calibration
from handreplay.vision.card_reader import CardReader, CardReading
from handreplay.vision.straighten import CROP_HEIGHT_PX, Picture, straighten
from handreplay.vision.weights import load
from handreplay.vision.whole_felt import WholeFelt
from handreplay.vision.zones import Zones

Floats = NDArray[np.float64]

SURE = 0.9  # a card less sure than this is left unread
_SHEET_COLUMNS, _SHEET_MOST = 14, 140
_STRIP_PX = 32  # for the words under a crop
_NEAR = 0.2  # of a card's diagonal, mean distance of corners: as far off an outline may be and still be that card's


@dataclass(frozen=True)
class Labelled:
    """One card in one picture and the truth. `track` is the same for the pictures of one card that lay still."""

    source: str
    deck: str
    camera: str
    size: str
    track: str
    card: str
    crop: Picture | None  # None: not found


@dataclass(frozen=True)
class Wanted:
    """Which labelled cards count: those of every `every`th labelled frame that show `visible` of themselves."""

    visible: float
    every: int = 1
    found: bool = False  # cut by what the table net finds


def clips(folder: Path, wanted: Wanted) -> Iterator[Labelled]:
    """Cards lying face up and still in the labelled frames of every clip of a folder."""
    for labels in sorted(folder.glob("*.labels.jsonl")):
        name = labels.name.removesuffix(".labels.jsonl")
        look = json.loads((folder / f"{name}.about.json").read_text("utf-8"))["look"]
        lines = [json.loads(line) for line in labels.read_text("utf-8").splitlines()][:: wanted.every]
        frames = {line["frame"]: [c for c in line["cards"] if _counts(c, wanted)] for line in lines}
        last = max((number for number, cards in frames.items() if cards), default=-1)
        felt = _felt(folder / f"{name}.table.toml") if wanted.found else None
        for picture in pictures(folder / f"{name}.mp4"):
            if isinstance(picture, Gap) or not frames.get(picture.index):
                continue
            cards, pixels = frames[picture.index], picture.bgr()
            quads = [np.array(card["quad"], np.float64) for card in cards]
            crops = [straighten(pixels, quad) for quad in quads] if felt is None else _found(felt, pixels, quads)
            for card, quad, crop in zip(cards, quads, crops, strict=True):
                place = ",".join(str(round(v / 3)) for corner in card["quad"] for v in corner)
                track = f"{name}/{card['card']}/{card['identity']}/{place}"
                yield Labelled(name, look["deck"], look["camera"], _size(quad), track, card["identity"], crop)
            if picture.index >= last:
                break


def _counts(card: dict[str, Any], wanted: Wanted) -> bool:
    return card["face"] == "up" and not card["moving"] and card["visible"] >= wanted.visible


def _size(quad: Floats) -> str:
    """The band of the card's short side in the picture, px."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    short = min(sides[0] + sides[2], sides[1] + sides[3]) / 2
    bands = (0, 35, 45, 55, 65, 100, 10_000)
    low, high = next((low, high) for low, high in pairwise(bands) if short < high)
    return f"short side {low} to {high} px" if high < 10_000 else f"short side over {low} px"


def _felt(profile: Path) -> WholeFelt:
    loaded = load_profile(profile)
    calibration = Calibration.from_profile(loaded)
    return WholeFelt(calibration, Zones(loaded.zones, calibration))


def _found(felt: WholeFelt, pixels: Picture, quads: list[Floats]) -> list[Picture | None]:
    """For each true outline the crop of the found face that lies there, if there is one."""
    tile, sighting = felt.look(pixels)
    crops, outlines = felt.faces(tile, [box for box in sighting.cards if box.face_up])
    answers: list[Picture | None] = []
    for quad in quads:
        reach = float(np.linalg.norm(quad[0] - quad[2])) * _NEAR
        near = sorted((_apart(quad, outline), number) for number, outline in enumerate(outlines))
        answers.append(crops[near[0][1]] if near and near[0][0] < reach else None)
    return answers


def _apart(one: Floats, other: Floats) -> float:
    """Mean distance of corners, whichever of them come first."""
    return min(float(np.linalg.norm(np.roll(one, turn, axis=0) - other, axis=1).mean()) for turn in range(4))


def photographs(labels: Path) -> Iterator[Labelled]:
    """Whole cards with a four-corner outline in labelled photographs."""
    for entry in json.loads(labels.read_text("utf-8"))["images"]:
        outlined = [o for o in entry["objects"] if o["kind"] == "card" and len(o.get("polygon") or ()) == 4]
        picture = cv2.imread(str(labels.parent / entry["file"])) if outlined else None
        for number, card in enumerate(outlined):
            source = "photo " + str(entry["source"]).split("/")[0]
            quad = np.array(card["polygon"], np.float64)
            track = f"{entry['file']}/{number}"
            yield Labelled(source, source, "hand", _size(quad), track, card["label"], straighten(picture, quad))


@dataclass
class Tally:
    """Counts for one row of the table."""

    seen: int = 0
    found: int = 0
    right: int = 0
    sure: int = 0
    sure_wrong: int = 0

    def count(self, card: str, spread: tuple[float, ...] | None) -> None:
        """One card; no probabilities: it was not found."""
        self.seen += 1
        if spread is None:
            return
        best = max(range(len(DECK)), key=spread.__getitem__)
        self.found += 1
        self.right += best == CARD_NUMBER[card]
        if spread[best] >= SURE:
            self.sure += 1
            self.sure_wrong += best != CARD_NUMBER[card]

    def row(self) -> str:
        reported = self.sure - self.sure_wrong
        shares = (self.found / self.seen, self.right / self.seen, self.sure / self.seen, reported / max(1, self.sure))
        found, right, sure, of_sure = (f"{100 * share:8.2f}%" for share in shares)
        return f"{self.seen:6d} {found} {right} {sure} {self.sure_wrong:6d} {of_sure}"


def table(samples: list[Labelled], readings: list[CardReading | None]) -> str:
    """By clip, deck, camera and size: single pictures, then voted tracks; `sure` at SURE; right of the sure."""
    lines = [f"{'':44s}   seen    found     right      sure  wrong   of sure"]
    for group in ("source", "deck", "camera", "size"):
        single: dict[str, Tally] = defaultdict(Tally)
        for sample, reading in zip(samples, readings, strict=True):
            single[getattr(sample, group)].count(sample.card, reading.probabilities if reading else None)
        lines += [f"single pictures, by {group}"] + [f"  {name:42s} {single[name].row()}" for name in sorted(single)]
    voted: dict[str, Tally] = defaultdict(Tally)
    for first, spread in _voted(samples, readings):
        voted[first.source].count(first.card, spread)
        voted["all"].count(first.card, spread)
    lines += ["voted over a card's still pictures"] + [f"  {name:42s} {voted[name].row()}" for name in sorted(voted)]
    return "\n".join(lines)


def _voted(
    samples: list[Labelled], readings: list[CardReading | None]
) -> Iterator[tuple[Labelled, tuple[float, ...] | None]]:
    """A sample of each track with the belief after all its pictures; None when none of them shows it found."""
    tracks: dict[str, list[int]] = defaultdict(list)
    for number, sample in enumerate(samples):
        tracks[sample.track].append(number)
    for numbers in tracks.values():
        votes, found = CardVotes(), False
        for number in numbers:
            reading = readings[number]
            if reading is not None:
                votes.add(reading.spread())
                found = True
        yield samples[numbers[0]], tuple(votes.probabilities().values()) if found else None


def confusions(samples: list[Labelled], readings: list[CardReading | None], most: int = 20) -> str:
    """The commonest mistakes, as true>read."""
    wrong = Counter(
        f"{s.card}>{r.card}" for s, r in zip(samples, readings, strict=True) if r is not None and s.card != r.card
    ).most_common(most)
    return "  ".join(f"{pair} {count}" for pair, count in wrong) or "none"


def reliability(samples: list[Labelled], readings: list[CardReading | None]) -> str:
    """Confidence against truth, band by band, and the expected calibration error over the bands."""
    bands = (0.0, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0000001)
    read = [(s, r) for s, r in zip(samples, readings, strict=True) if r is not None]
    lines, error = [f"  {'said':>6s} {'right':>6s}  {'0':<19s}{'right':^10s}{'1':>20s}"], 0.0
    for low, high in pairwise(bands):
        inside = [(s, r) for s, r in read if low <= r.confidence < high]
        if not inside:
            continue
        said = sum(reading.confidence for _, reading in inside) / len(inside)
        right = sum(sample.card == reading.card for sample, reading in inside) / len(inside)
        error += abs(said - right) * len(inside) / len(read)
        lines.append(f"  {said:6.3f} {right:6.3f}  {_bar(said, right)}  of {len(inside)}")
    return "\n".join([*lines, f"  expected calibration error {error:.4f}"])


def _bar(said: float, right: float, width: int = 49) -> str:
    """How often it was right as a bar, and where that should end as a stroke."""
    bar = ["#" if place < right * width else "." for place in range(width)]
    bar[min(width - 1, int(said * width))] = "|"
    return "".join(bar)


def contact_sheet(samples: list[Labelled], readings: list[CardReading | None]) -> Picture | None:
    """Wrong crops side by side, at most two of one track, each with truth, answer and confidence."""
    shown: Counter[str] = Counter()
    tiles = []
    for sample, reading in zip(samples, readings, strict=True):
        if reading is None or sample.crop is None:
            continue
        shown[sample.track] += sample.card != reading.card
        if sample.card == reading.card or shown[sample.track] > 2 or len(tiles) >= _SHEET_MOST:
            continue
        strip = np.zeros((_STRIP_PX, sample.crop.shape[1], 3), np.uint8)
        tile = np.vstack([sample.crop, strip])
        for text, y in ((f"{sample.card}>{reading.card} {reading.confidence:.2f}", 12), (sample.source[:16], 27)):
            place = (2, CROP_HEIGHT_PX + y)
            cv2.putText(tile, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.38, (235, 235, 230), 1, cv2.LINE_AA)
        tiles.append(tile)
    if not tiles:
        return None
    columns = min(len(tiles), _SHEET_COLUMNS)
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % columns)
    rows = [np.hstack(tiles[start : start + columns]) for start in range(0, len(tiles), columns)]
    return np.asarray(np.vstack(rows), np.uint8)


def read_all(samples: list[Labelled], model: str = "reader") -> list[CardReading | None]:
    """A reading for each sample that was found, by the reader of that name in the manifest."""
    read = iter(CardReader(load(model)).read([sample.crop for sample in samples if sample.crop is not None]))
    return [next(read) if sample.crop is not None else None for sample in samples]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the card reader on labelled clips and photographs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--visible", type=float, default=0.6, help="least visible share of a card that counts")
    parser.add_argument("--every", type=int, default=1, help="take every so many-th labelled frame")
    parser.add_argument("--found", action="store_true", help="cut cards by what the table net finds")
    parser.add_argument("--model", choices=["reader", "reader_quick"], default="reader")
    parser.add_argument("--sheet", type=Path, help="picture of the wrong crops to write")
    given: Any = parser.parse_args(arguments)
    samples = list(clips(given.folder, Wanted(given.visible, max(1, given.every), given.found)))
    samples += list(photographs(given.photos)) if given.photos else []
    readings = read_all(samples, given.model)
    print(table(samples, readings))
    print("mistakes:", confusions(samples, readings))
    print("reliability of single pictures")
    print(reliability(samples, readings))
    sheet = contact_sheet(samples, readings)
    if given.sheet and sheet is not None:
        cv2.imwrite(str(given.sheet), sheet)


if __name__ == "__main__":
    main()
