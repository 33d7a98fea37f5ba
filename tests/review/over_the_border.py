"""The sample clip as two recordings, cut at a key picture; the run of the first, whose round goes on in the second."""

import dataclasses
from pathlib import Path

from handreplay.core.roundlog import read_rounds
from handreplay.cutting import cut
from handreplay.footage import sha256_of
from handreplay.report.run_files import keep_run
from tests.review.conftest import CLIP, SAMPLE, judged

FIRST, SECOND = "a1.mp4", "a2.mp4"
LONGER_S = 1000.0  # than the clip


def split(folder: Path) -> tuple[Path, Path, float]:
    """The two recordings, and when the second begins in the time of the first."""
    second = cut(CLIP, 30.0, LONGER_S, folder / "a2")
    first = cut(CLIP, 0.0, second.start - 0.01, folder / "a1")
    return first.path, second.path, second.start


def border_run(folder: Path) -> Path:
    """The folder holds the recordings; the run is its subfolder."""
    first, second, from_s = split(folder)
    follows = {"file": second.name, "sha256": sha256_of(second), "from_s": round(from_s, 3)}
    source = {"file": first.name, "sha256": sha256_of(first), "continues": [follows]}
    [one] = [round_ for round_ in read_rounds(SAMPLE / "uth-sample.rounds.jsonl") if round_.number == 1]
    made = judged(dataclasses.replace(one, source=source))
    keep_run(folder / "run", dataclasses.replace(made, footage=first, footage_sha256=sha256_of(first)))
    return folder / "run"
