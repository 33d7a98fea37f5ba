"""The clips of a folder that come with their truth, and the evaluation over all of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handreplay.core.events import Round
from handreplay.errors import FootageError, HandreplayError
from handreplay.report.evaluation.compare import compare
from handreplay.report.evaluation.scores import Score, together

CONTAINERS = (".mp4", ".mkv", ".avi", ".ts", ".mov", ".m4v", ".h264", ".h265", ".264", ".265")


@dataclass(frozen=True, slots=True)
class Clip:
    """NAME.mp4 with NAME.table.toml and NAME.rounds.jsonl beside it; `footage` is None when only the log is there."""

    name: str
    footage: Path | None
    profile: Path
    truth: Path
    expected: Path | None


@dataclass(frozen=True, slots=True)
class Made:
    """What an audit made of a clip: rounds, and findings as the findings document has them."""

    rounds: Sequence[Round]
    findings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Evaluation:
    clips: Mapping[str, Score]
    failures: Mapping[str, str]  # clip -> the audit's error; its truth counts as missed

    @property
    def total(self) -> Score:
        return together(list(self.clips.values()))


def find_clips(folder: Path, only: Sequence[str] = (), *, footage_needed: bool = True) -> tuple[Clip, ...]:
    """Clips by name. Raises FootageError when there are none, or when a truth has no table profile or footage."""
    if not folder.is_dir():
        raise FootageError(f"no such folder: {folder}")
    clips = []
    for truth in sorted(folder.glob("*.rounds.jsonl")):
        name = truth.name.removesuffix(".rounds.jsonl")
        if name.startswith(".") or (only and name not in only):
            continue
        footage = next((p for p in (folder / (name + ending) for ending in CONTAINERS) if p.is_file()), None)
        profile, expected = folder / f"{name}.table.toml", folder / f"{name}.expected.json"
        if not profile.is_file():
            raise FootageError(f"{truth}: no table profile beside it; add {profile.name}")
        if footage is None and footage_needed:
            raise FootageError(f"{truth}: no footage beside it; add {name}.mp4 or name finished runs with --runs")
        clips.append(Clip(name, footage, profile, truth, expected if expected.is_file() else None))
    unknown = set(only) - {clip.name for clip in clips}
    if unknown:
        raise FootageError(
            f"{folder}: no clip named {min(unknown)} with a true round log ({min(unknown)}.rounds.jsonl)"
        )
    if not clips:
        raise FootageError(f"{folder}: no clips with their truth (NAME.mp4, NAME.table.toml, NAME.rounds.jsonl)")
    return tuple(clips)


def evaluate(
    clips: Sequence[Clip],
    *,
    truth_of: Callable[[Clip], Made],
    audit: Callable[[Clip], Made],
) -> Evaluation:
    """Audit each clip and score it. An audit that fails is scored as one that saw nothing, and is named."""
    scores: dict[str, Score] = {}
    failures: dict[str, str] = {}
    for clip in clips:
        truth = truth_of(clip)
        try:
            made = audit(clip)
        except HandreplayError as error:
            failures[clip.name] = str(error)
            made = Made((), {})
        scores[clip.name] = compare(truth.rounds, made.rounds, truth.findings, made.findings)
    return Evaluation(scores, failures)
