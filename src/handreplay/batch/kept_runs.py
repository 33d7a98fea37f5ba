"""What was judged before and still stands, so that nothing is judged twice.

    OUT/read/TABLE/NAME/judged.json   what the run folder of a recording was made from

Two keys: `line` is of all that a whole line of recordings is judged from; `part` is of what one run folder is made
from. A recording that is added at the end of a line has the line judged again, and only the run folders written in
which that changes anything: those that people have begun to review stay as they are.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from handreplay import __version__
from handreplay.batch.judging import Judged, Part
from handreplay.batch.reading import ABOUT
from handreplay.config import Profile
from handreplay.errors import HandreplayError
from handreplay.report.evaluation.sources import read_document
from handreplay.report.questions import is_question
from handreplay.store import MANIFEST, read_run, write_file

JUDGED, FINDINGS = "judged.json", "findings.json"
SCHEMA = "handreplay.judged/1"
_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an audit came to: rounds, findings that count as faults, other findings, and the exit code of that recording
    alone."""

    rounds: int
    findings: int
    questions: int
    exit_code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    line: str
    part: str
    manifest: str  # SHA-256 of the run folder's manifest
    verdict: Verdict
    left: bool  # it was not made anew when the line was judged


def line_key(parts: Sequence[Part], profile: Profile, clock: datetime | None) -> str:
    """Of all that a line of recordings is judged from."""
    told = [
        [str(part.recording.absolute()), _hash(part.reading.folder / ABOUT), part.offset_s, part.hole] for part in parts
    ]
    return _digest([__version__, profile.sha256, profile.path.name, clock and clock.isoformat(), told])


def part_key(parts: Sequence[Part], place: int, judged: Judged, profile: Profile) -> str:
    """Of all that the run folder of one part is made from."""
    part = parts[place]
    last = max((round_.end for round_ in judged.rounds), default=0.0) + part.offset_s
    near = [one for one in parts[place:] if one is part or one.offset_s <= last]
    told = [
        [str(one.recording.absolute()), _hash(one.reading.folder / ABOUT), round(one.offset_s - part.offset_s, 6)]
        for one in near
    ]
    return _digest([__version__, profile.sha256, profile.path.name, told, repr(judged.rounds), repr(judged.audit)])


def kept(part: Part) -> Kept | None:
    """What is told of a run folder that is whole and as it was written; None when it must be made."""
    try:
        path = part.reading.folder / JUDGED
        if path.stat().st_size > _MAX_BYTES:
            return None
        told = json.loads(path.read_text("utf-8"))
        if told["schema"] != SCHEMA or told["manifest"] != _hash(part.run / MANIFEST):
            return None
        read_run(part.run)
        verdict = verdict_of(read_document(part.run / FINDINGS))
        return Kept(
            line=str(told["line"]),
            part=str(told["part"]),
            manifest=str(told["manifest"]),
            verdict=verdict,
            left=bool(told.get("left")),
        )
    except (OSError, HandreplayError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def standing(part: Part) -> Verdict | None:
    """What the run folder of a part says, whatever its line was then; None when it is not whole or of another
    recording."""
    try:
        if read_run(part.run).manifest["source"]["sha256"] != part.reading.sha256:
            return None
        return verdict_of(read_document(part.run / FINDINGS))
    except (OSError, HandreplayError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def keep(part: Part, *, line: str, key: str, left: bool = False) -> None:
    """Note what the run folder of a part was made from, and whether it was left as it was. Raises OutputError."""
    note = {"schema": SCHEMA, "line": line, "part": key, "manifest": _hash(part.run / MANIFEST), "left": left}
    content = json.dumps(note, indent=1).encode() + b"\n"
    write_file(part.reading.folder / JUDGED, content)


def verdict_of(document: Mapping[str, Any]) -> Verdict:
    """Of a findings.json. Nothing else is ever told of a run folder than what it says itself."""
    findings, rounds = document["findings"], document["rounds"]
    faults = sum(not is_question(finding) for finding in findings)
    is_open = bool(findings) or any(round_["verdict"] in ("review", "incomplete") for round_ in rounds)
    return Verdict(
        rounds=len(rounds),
        findings=faults,
        questions=len(findings) - faults,
        exit_code=1 if faults else 3 if is_open else 0,
    )


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest(told: object) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()
