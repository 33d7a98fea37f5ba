"""Measures `handreplay read` on labelled photographs: cards found, read right, read wrong, left unread.

    python -m handreplay.train.stills_check LABELS.json [--every 4] [--from 0]

LABELS.json: `images` of `file` (beside it), `source` and `objects`; an object of kind `card` has its `label` and `box`,
x0 y0 x1 y1 in pixels, of the whole card or of what shows of it. A card is found where a box about an outline shares
SHARED of both with its own. Prints a table by source, and what was read wrong.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handreplay.vision.picture_files import read_picture
from handreplay.vision.stills import StillCard, StillReader

SHARED = 0.4  # a label's box is often of what shows, an outline always of the whole card
COLUMNS = ("pictures", "cards", "found", "right", "wrong", "unread", "read elsewhere")

Box = tuple[float, float, float, float]


def check(labels: Path, every: int, start: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """Counts by source, over every `every`th photograph of each from the `start`th on; and the cards read wrong."""
    images = json.loads(labels.read_text("utf-8"))["images"]
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for image in images:
        if any(item["kind"] == "card" for item in image["objects"]):
            by_source[image["source"]].append(image)
    reader, wrong = StillReader(), []
    counts: dict[str, Counter[str]] = {}
    for source, chosen in sorted(by_source.items()):
        counts[source] = Counter()
        for image in chosen[start::every]:
            truth = [(item["label"], tuple(item["box"])) for item in image["objects"] if item["kind"] == "card"]
            own, mistakes = compare(truth, reader.read(read_picture(labels.parent / image["file"])).cards)
            counts[source] += own + Counter(pictures=1)
            wrong += [f"{image['file']}: {mistake}" for mistake in mistakes]
    return counts, wrong


def compare(truth: Sequence[tuple[str, Box]], cards: Sequence[StillCard]) -> tuple[Counter[str], list[str]]:
    """What became of each labelled card (its name and box), and what was read where none is labelled."""
    counts, mistakes, left = Counter(cards=len(truth)), [], list(cards)
    for label, box in truth:
        near = max(left, key=lambda card: _shared(box, _box(card)), default=None)
        if near is None or _shared(box, _box(near)) < SHARED:
            continue
        left.remove(near)
        fate = "unread" if near.identity is None else "right" if near.identity == label else "wrong"
        counts += Counter({"found": 1, fate: 1})
        if fate == "wrong":
            mistakes.append(f"{label} read as {near.identity} ({near.confidence:.2f})")
    counts["read elsewhere"] += sum(card.identity is not None for card in left)
    return counts, mistakes


def _box(card: StillCard) -> Box:
    (left, top), (right, bottom) = card.quad.min(axis=0), card.quad.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _shared(one: Box, other: Box) -> float:
    """IoU of two boxes."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    both = max(0.0, width) * max(0.0, height)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return both / max(sum(areas) - both, 1e-9)


def table(counts: dict[str, Counter[str]]) -> str:
    rows = [("source", *COLUMNS)]
    rows += [(source, *(str(own[name]) for name in COLUMNS)) for source, own in counts.items()]
    total = sum(counts.values(), Counter[str]())
    rows.append(("all", *(str(total[name]) for name in COLUMNS)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS) + 1)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the reading of photographs.")
    parser.add_argument("labels", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take every so many-th photograph of a source")
    parser.add_argument("--from", type=int, default=0, dest="start", help="the first one that is taken")
    given = parser.parse_args(arguments)
    counts, wrong = check(given.labels, max(1, given.every), max(0, given.start))
    print(table(counts))
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
