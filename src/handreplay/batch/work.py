"""What a worker is given and what it gives back, whether it is a process here or one on another machine.

    task  ->  perform  ->  outcome

Both are small and plain; the large things are files that all workers see. A worker never decides: who is read when, and
what becomes of a recording that cannot be read, is for the run to say.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from handreplay.batch import kept_runs
from handreplay.batch.judging import Judged, Part, judge, keep_part
from handreplay.batch.kept_runs import Kept, Verdict
from handreplay.batch.reading import ABOUT, Job, kept_reading, profile_at, read_recording
from handreplay.config import Profile
from handreplay.errors import FootageError, HandreplayError, OutputError
from handreplay.store import REVIEW_LOG

TRIAGED = "triage looked at key pictures only"
REVIEWED = (
    "its run was reviewed and was not made anew, though its line changed; to audit it anew, run the batch with another "
    "--out"
)
GONE = "its run was not made anew, though its line changed"

Beat = Callable[[float, float | None], None]  # seconds read, seconds promised


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTask:
    """Read one recording."""

    key: str  # names the task, and nothing else
    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A recording that was read, in its line."""

    job: Job
    run: Path
    offset_s: float
    hole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTask:
    """Judge a line of recordings that were read, and write their run folders."""

    key: str
    profile: Path
    places: tuple[Place, ...]
    clock: datetime | None = None  # of the first picture of the first, with an offset


Task = ReadTask | JudgeTask


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutcome:
    key: str
    end_s: float
    read_s: float
    expected_s: float | None
    bytes: int
    sha256: str
    holes: tuple[tuple[float, float, str], ...]
    models: tuple[tuple[str, str], ...]
    passed_over: tuple[tuple[float, float, str], ...] = ()
    triage: bool = False
    kept: bool = False  # from an earlier batch


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOutcome:
    """Of each place: how many rounds it has, how many findings that count as faults, how many others (questions), the
    exit code of an audit of it alone, why its run folder could not be made, "" where it could, and why it stands as it
    was though its line was judged anew, "" where it does not."""

    key: str
    rounds: tuple[int, ...]
    findings: tuple[int, ...]
    exit_codes: tuple[int, ...]
    questions: tuple[int, ...] = ()  # () is none anywhere, as below
    refused: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A task that could not be done. `fatal`: nothing else can be done either, as on a full disk."""

    key: str
    reason: str
    fatal: bool = False


Outcome = ReadOutcome | JudgeOutcome | Failure


class Engine(Protocol):
    """Workers. Tasks that were submitted may be done at once and in any order."""

    def submit(self, task: Task) -> None: ...
    def next_outcome(self) -> Outcome:
        """Waits for the next task that is done or has failed for good."""
        ...

    def close(self) -> None:
        """Ends all workers; tasks in work are given up."""
        ...


def perform(task: Task, beat: Beat | None = None) -> Outcome:
    """Do a task in this process. `beat` is called again and again while it goes on.

    Never raises for what may be wrong with a recording, a profile or the disk; a fault of the product itself passes.
    """
    try:
        return _read(task, beat) if isinstance(task, ReadTask) else _judge(task)
    except OutputError as error:
        return Failure(key=task.key, reason=str(error), fatal=_is_fatal(error))
    except HandreplayError as error:
        return Failure(key=task.key, reason=str(error))
    except OSError as error:  # a file that went, a drive that was taken away
        return Failure(key=task.key, reason=f"{error.filename or 'a file'}: {error.strerror or error}")


def _read(task: ReadTask, beat: Beat | None) -> ReadOutcome:
    reading = read_recording(task.job, beat)
    return ReadOutcome(
        key=task.key,
        end_s=reading.end_s,
        read_s=reading.read_s,
        expected_s=reading.expected_s,
        bytes=reading.bytes,
        sha256=reading.sha256,
        holes=tuple((float(gap.start), float(gap.end), gap.reason) for gap in reading.tally.gaps),
        models=tuple(sorted(reading.models.items())),
        passed_over=tuple((span.start, span.end, TRIAGED) for span in reading.passed_over),
        triage=reading.triage,
        kept=reading.kept,
    )


def _judge(task: JudgeTask) -> JudgeOutcome:
    profile = profile_at(task.profile)
    parts = [_part(place) for place in task.places]
    line = kept_runs.line_key(parts, profile, task.clock)
    must_stay = [_must_stay(place) for place in task.places]
    before = [kept_runs.kept(part) for part in parts]
    told = [
        _left(kept.verdict, why) if kept.left else _Came(kept.verdict)
        for kept, why in zip(before, must_stay, strict=True)
        if kept is not None and kept.line == line and (why or not kept.left)
    ]
    if len(told) < len(parts):
        judged = judge(parts, profile, task.clock)
        keys = [kept_runs.part_key(parts, place, its, profile) for place, its in enumerate(judged)]
        told = []
        for place, (its, key) in enumerate(zip(judged, keys, strict=True)):
            notes = _Notes(line=line, key=key, before=before[place], must_stay=must_stay[place])
            told.append(_keep(parts, place, its, profile, notes))
    return JudgeOutcome(
        key=task.key,
        rounds=tuple(one.verdict.rounds for one in told),
        findings=tuple(one.verdict.findings for one in told),
        exit_codes=tuple(one.verdict.exit_code for one in told),
        questions=tuple(one.verdict.questions for one in told),
        refused=tuple(one.refused for one in told),
        left=tuple(one.left for one in told),
    )


@dataclass(frozen=True, slots=True)
class _Came:
    """What a part came to."""

    verdict: Verdict
    refused: str = ""
    left: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Notes:
    """What a run folder is to be made from, and what there is of it. `must_stay` is why that must not be touched."""

    line: str
    key: str
    before: Kept | None
    must_stay: str


def _must_stay(place: Place) -> str:
    """Why a run folder that is there is not made anew though its line changed, "" when it is."""
    if (place.run / REVIEW_LOG).exists():
        return REVIEWED
    return GONE if place.job.away else ""


def _left(verdict: Verdict, why: str) -> _Came:
    """What stands there is not what would be found now: never clean."""
    return _Came(replace(verdict, exit_code=verdict.exit_code or 3), left=why)


def _keep(parts: list[Part], place: int, judged: Judged, profile: Profile, notes: _Notes) -> _Came:
    """What was judged of a part, and why its run folder could not be made. Raises OutputError when no other can be."""
    part, before, key = parts[place], notes.before, notes.key
    try:
        if before is not None and before.part == key:
            own = _Came(before.verdict)
        elif notes.must_stay and (standing := kept_runs.standing(part)) is not None:
            own, key = _left(standing, notes.must_stay), "" if before is None else before.part
        else:
            own = _Came(kept_runs.verdict_of(keep_part(parts, place, judged, profile).document))
        kept_runs.keep(part, line=notes.line, key=key, left=bool(own.left))
    except HandreplayError as error:
        if _is_fatal(error):
            raise
        if isinstance(error, FootageError) and (standing := kept_runs.standing(part)) is not None:
            return _left(standing, f"{GONE}: {error}")
        way_out = "; or move that folder away and run the batch again" if isinstance(error, OutputError) else ""
        return _Came(Verdict(rounds=0, findings=0, questions=0, exit_code=3), refused=f"{error}{way_out}")
    return own


def _is_fatal(error: HandreplayError) -> bool:
    """Whether the disk or the folder is at fault, and not what lies in it."""
    return isinstance(error, OutputError) and isinstance(error.__cause__, OSError)


def _part(place: Place) -> Part:
    reading = kept_reading(place.job)
    if reading is None and (place.job.folder / ABOUT).is_file():
        raise FootageError(f"{place.job.recording}: has changed, or gone, since it was read; run the batch again")
    if reading is None:
        raise OutputError(
            f"{place.job.folder}: what was read of {place.job.recording.name} is gone; run the batch again"
        )
    return Part(recording=place.job.recording, reading=reading, run=place.run, offset_s=place.offset_s, hole=place.hole)
