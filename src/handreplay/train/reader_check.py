"""Measures the shipped card reader on labelled clips and photographs: right, left unread, wrong; singly and voted.

    python -m handreplay.train.reader_check FOLDER [--photos LABELS.json] [--sheet WRONG.png]

A clip NAME has NAME.mp4, NAME.about.json (look.deck, look.camera) and NAME.labels.jsonl: one line for a frame, with
`cards` of `identity`, `face`, `quad`, `visible`, `moving`. Photographs: `images` of `file` and `objects` with
`label` and a four-corner `polygon`.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.reconstruct.votes import CardVotes
from handreplay.vision.card_reader import CardReader, CardReading
from handreplay.vision.straighten import CROP_HEIGHT_PX, Picture, straighten

SURE = 0.9  # a card less sure than this is left unread
_SHEET_COLUMNS, _SHEET_MOST = 14, 140


@dataclass(frozen=True)
class Labelled:
    """One crop and the truth. `track` is the same for the pictures of one card that lay still."""

    source: str
    deck: str
    camera: str
    track: str
    card: str
    visible: float
    crop: Picture


def clips(folder: Path) -> Iterator[Labelled]:
    """Cards lying face up and still in the labelled frames of every clip of a folder."""
    for labels in sorted(folder.glob("*.labels.jsonl")):
        name = labels.name.removesuffix(".labels.jsonl")
        look = json.loads((folder / f"{name}.about.json").read_text("utf-8"))["look"]
        frames = {line["frame"]: line["cards"] for line in map(json.loads, labels.read_text("utf-8").splitlines())}
        with av.open(str(folder / f"{name}.mp4")) as clip:
            for number, frame in enumerate(clip.decode(video=0)):
                wanted = [c for c in frames.get(number, ()) if c["face"] == "up" and not c["moving"]]
                picture = frame.to_ndarray(format="bgr24") if wanted else None
                for card in wanted:
                    place = ",".join(str(round(v / 3)) for corner in card["quad"] for v in corner)
                    track = f"{name}/{card['card']}/{card['identity']}/{place}"
                    crop = straighten(picture, np.array(card["quad"]))
                    yield Labelled(name, look["deck"], look["camera"], track, card["identity"], card["visible"], crop)


def photographs(labels: Path) -> Iterator[Labelled]:
    """Whole cards with a four-corner outline in labelled photographs."""
    for entry in json.loads(labels.read_text("utf-8"))["images"]:
        outlined = [o for o in entry["objects"] if o["kind"] == "card" and len(o.get("polygon") or ()) == 4]
        picture = cv2.imread(str(labels.parent / entry["file"])) if outlined else None
        for number, card in enumerate(outlined):
            source = "photo " + str(entry["source"]).split("/")[0]
            crop = straighten(picture, np.array(card["polygon"]))
            yield Labelled(source, source, "hand", f"{entry['file']}/{number}", card["label"], 1.0, crop)


@dataclass
class Tally:
    """Counts for one row of the table."""

    seen: int = 0
    right: int = 0
    sure: int = 0
    sure_wrong: int = 0

    def count(self, card: str, spread: tuple[float, ...]) -> None:
        best = max(range(len(DECK)), key=spread.__getitem__)
        self.seen += 1
        self.right += best == CARD_NUMBER[card]
        if spread[best] >= SURE:
            self.sure += 1
            self.sure_wrong += best != CARD_NUMBER[card]

    def row(self) -> str:
        reported = self.sure - self.sure_wrong
        return (
            f"{self.seen:6d} {100 * self.right / max(1, self.seen):8.2f}% {100 * self.sure / max(1, self.seen):8.2f}% "
            f"{self.sure_wrong:6d} {100 * reported / max(1, self.sure):9.2f}%"
        )


def table(samples: list[Labelled], readings: list[CardReading]) -> str:
    """Per source: single pictures, then voted tracks; `sure` at SURE; right of the sure."""
    single: dict[str, Tally] = defaultdict(Tally)
    tracks: dict[str, list[int]] = defaultdict(list)
    for number, (sample, reading) in enumerate(zip(samples, readings, strict=True)):
        single[f"{sample.source} {sample.deck} {sample.camera}"].count(sample.card, reading.probabilities)
        tracks[sample.track].append(number)
    voted: dict[str, Tally] = defaultdict(Tally)
    for numbers in tracks.values():
        first = samples[numbers[0]]
        votes = CardVotes()
        for number in numbers:
            votes.add(readings[number].spread())
        spread = tuple(votes.probabilities().values())
        voted[f"{first.source} {first.deck} {first.camera}"].count(first.card, spread)
    lines = [f"{'':44s}   seen     right      sure  wrong  of sure"]
    for title, tallies in (("single pictures", single), ("voted over a card's still pictures", voted)):
        lines += [title] + [f"  {name:42s} {tallies[name].row()}" for name in sorted(tallies)]
    return "\n".join(lines)


def confusions(samples: list[Labelled], readings: list[CardReading], most: int = 20) -> str:
    """The commonest mistakes, as true>read."""
    wrong = Counter(
        f"{s.card}>{r.card}" for s, r in zip(samples, readings, strict=True) if s.card != r.card
    ).most_common(most)
    return "  ".join(f"{pair} {count}" for pair, count in wrong) or "none"


def reliability(samples: list[Labelled], readings: list[CardReading]) -> str:
    """Confidence against truth, band by band, and the expected calibration error over the bands."""
    bands = (0.0, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0000001)
    lines, error = [], 0.0
    for low, high in pairwise(bands):
        inside = [(s, r) for s, r in zip(samples, readings, strict=True) if low <= r.confidence < high]
        if not inside:
            continue
        said = sum(reading.confidence for _, reading in inside) / len(inside)
        right = sum(sample.card == reading.card for sample, reading in inside) / len(inside)
        error += abs(said - right) * len(inside) / len(samples)
        lines.append(f"  said {said:.3f}  right {right:.3f}  of {len(inside)}")
    return "\n".join([*lines, f"  expected calibration error {error:.4f}"])


def contact_sheet(samples: list[Labelled], readings: list[CardReading]) -> Picture | None:
    """Wrong crops side by side, at most two of one track, each with truth, answer and confidence."""
    shown: Counter[str] = Counter()
    tiles = []
    for sample, reading in zip(samples, readings, strict=True):
        shown[sample.track] += sample.card != reading.card
        if sample.card == reading.card or shown[sample.track] > 2 or len(tiles) >= _SHEET_MOST:
            continue
        tile = sample.crop.copy()
        for text, y in (
            (f"{sample.card}>{reading.card} {reading.confidence:.2f}", 10),
            (sample.source[:14], CROP_HEIGHT_PX - 4),
        ):
            cv2.putText(tile, text, (1, y), cv2.FONT_HERSHEY_SIMPLEX, 0.36, (255, 0, 0), 1, cv2.LINE_AA)
        tiles.append(tile)
    if not tiles:
        return None
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % _SHEET_COLUMNS)
    rows = [np.hstack(tiles[start : start + _SHEET_COLUMNS]) for start in range(0, len(tiles), _SHEET_COLUMNS)]
    return np.asarray(np.vstack(rows), np.uint8)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the card reader on labelled clips and photographs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--visible", type=float, default=0.6, help="least visible share of a card that counts")
    parser.add_argument("--sheet", type=Path, help="picture of the wrong crops to write")
    given: Any = parser.parse_args(arguments)
    samples = [sample for sample in clips(given.folder) if sample.visible >= given.visible]
    samples += list(photographs(given.photos)) if given.photos else []
    readings = CardReader().read([sample.crop for sample in samples])
    print(table(samples, readings))
    print("mistakes:", confusions(samples, readings))
    print("reliability of single pictures")
    print(reliability(samples, readings))
    sheet = contact_sheet(samples, readings)
    if given.sheet and sheet is not None:
        cv2.imwrite(str(given.sheet), sheet)


if __name__ == "__main__":
    main()
