"""One recording becomes a folder of what was seen in it, whole or not at all. The only thing that a worker does.

    observations.jsonl.gz   all that the eyes saw, in order
    memory.npz              how the table looked at the end, for the recording that goes on from there
    read.json               what it was read with and what the reading met; written last, so a folder with it is whole

Nothing is read twice: as long as the recording, the profile, the models, this version and what came before are the
same, the folder stands.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from handreplay import __version__
from handreplay.batch.tallies import tally_fields, tally_of
from handreplay.config import Profile, load_profile
from handreplay.core.observations import Observation
from handreplay.core.observationtext import observation_line, observations_of
from handreplay.errors import OutputError, ProfileError
from handreplay.footage import Tally, sha256_of
from handreplay.pipeline import Progress, view
from handreplay.rules.triage import Span
from handreplay.store import write_file
from handreplay.vision.memory import memory_bytes, memory_of
from handreplay.vision.shipped import model_hashes

OBSERVATIONS, MEMORY, ABOUT = "observations.jsonl.gz", "memory.npz", "read.json"
SCHEMA = "handreplay.read/1"
MAX_ABOUT_BYTES = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A recording to read. Small and plain, so that it can be sent to another process or machine that sees the same
    folders."""

    recording: Path
    profile: Path
    folder: Path  # where what is seen is kept
    memory: Path | None = None  # the memory that the recording before this one left
    triage: bool = False  # key pictures first, and a close look only where that asks for one
    threads: int | None = None  # to use; as many as help if nothing is said. What is seen does not hang on it
    away: bool = False  # the recording is not there now: what was read of it before is all there is


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the reading of a recording met."""

    folder: Path
    sha256: str
    bytes: int
    models: Mapping[str, str]
    expected_s: float | None  # as long as the file says it is
    picture_s: float  # how long one picture is on show
    tally: Tally
    passed_over: tuple[Span, ...] = ()  # seconds of which triage looked at key pictures only
    triage: bool = False
    kept: bool = False  # from an earlier batch

    @property
    def end_s(self) -> float:
        """Where the recording ends, from its first picture: after its last picture, or the hole behind it."""
        last_hole = float(self.tally.gaps[-1].end) if self.tally.gaps else 0.0
        return max(float(self.tally.seconds) + self.picture_s, last_hole)

    @property
    def read_s(self) -> float:
        """Seconds with pictures."""
        return max(0.0, self.end_s - sum(float(gap.end - gap.start) for gap in self.tally.gaps))

    @property
    def memory(self) -> Path:
        return self.folder / MEMORY

    def observations(self) -> Iterator[Observation]:
        """All that was seen, in order. Raises OutputError when the file was altered or is damaged."""
        path = self.folder / OBSERVATIONS
        try:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from observations_of(lines)
        except (OSError, EOFError, ValueError) as error:
            raise OutputError(f"{path}: is damaged ({error}); remove its folder and run the batch again") from None


def kept_reading(job: Job) -> Reading | None:
    """What was read before, if the recording and all that it was read with are still the same.

    For triage a full reading does as well, whatever the recording before it has left on the table since.
    """
    try:
        about = _whole_about(job.folder)
        made_from, wanted = dict(about["made_from"]), job
        if job.triage and made_from["triage"] is False:
            made_from["memory"], wanted = None, replace(job, triage=False, memory=None)
        if made_from != _made_from(wanted, profile_at(job.profile)):
            return None
        return _reading(job.folder, about) if job.away or _is_same(job.recording, about) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def is_reading_of(folder: Path, sha256: str | None) -> bool:
    """Whether the folder holds, whole, what was read of the recording with this hash."""
    try:
        return bool(_whole_about(folder)["sha256"] == sha256)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _whole_about(folder: Path) -> dict[str, Any]:
    """What the folder says of its reading. Raises what a damaged one may raise, ValueError when a file is altered."""
    path = folder / ABOUT
    if path.stat().st_size > MAX_ABOUT_BYTES:
        raise ValueError("too large")
    about: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if about["schema"] != SCHEMA or about.pop("seal") != _seal(about):
        raise ValueError("altered")
    if any(_file_hash(folder / name) != digest for name, digest in about["files"].items()):
        raise ValueError("altered")
    return about


def _is_same(recording: Path, about: Mapping[str, Any]) -> bool:
    stat = recording.stat()
    touched = about["mtime_ns"] != stat.st_mtime_ns
    return about["bytes"] == stat.st_size and not (touched and sha256_of(recording) != about["sha256"])


def read_recording(job: Job, progress: Progress | None = None) -> Reading:
    """See a whole recording and keep what was seen; what is kept already is taken as it is.

    Raises FootageError or ProfileError when recording or profile cannot be used, ModelError for the models, OutputError
    when the folder cannot be written.
    """
    kept = kept_reading(job)
    if kept is not None:
        return replace(kept, kept=True)
    profile = profile_at(job.profile)
    made_from = _made_from(job, profile)
    stat = os.stat(job.recording) if job.recording.exists() else None
    viewing = view(job.recording, profile, threads=job.threads, triage=job.triage)
    if job.memory is not None:
        viewing.observer.recall(_memory(job.memory))
    triaged = viewing.triaged(progress) if job.triage else None
    seen = viewing.observations(progress) if triaged is None else iter(triaged.observations)
    try:
        files = _keep(job.folder, seen, lambda: memory_bytes(viewing.observer.memory()))
    except OSError as error:
        raise OutputError(f"cannot write what was seen to {job.folder}: {error.strerror or error}") from error
    rate = viewing.info.rate
    promised = viewing.info.promised_seconds
    about = {
        "schema": SCHEMA,
        "made_from": made_from,
        "file": job.recording.name,
        "sha256": viewing.footage_sha256,
        "bytes": viewing.info.bytes,
        "mtime_ns": stat.st_mtime_ns if stat else 0,
        "models": dict(viewing.models),
        "expected_s": None if promised is None else float(promised),
        "picture_s": float(1 / rate) if rate else 0.04,
        "tally": tally_fields(viewing.tally),
        "passed_over": [[span.start, span.end] for span in triaged.passed_over] if triaged else [],
        "files": files,
    }
    sealed = {**about, "seal": _seal(about)}
    write_file(job.folder / ABOUT, json.dumps(sealed, ensure_ascii=False).encode() + b"\n")
    return _reading(job.folder, about)


def profile_at(path: Path) -> Profile:
    """The table profile, checked once as long as its content stays the same. Raises ProfileError."""
    try:
        content = path.read_bytes()
    except OSError:
        return load_profile(path)
    return _profile(path, content)


@lru_cache(maxsize=16)
def _profile(path: Path, content: bytes) -> Profile:
    profile = load_profile(path)
    if profile.sha256 != hashlib.sha256(content).hexdigest():
        raise ProfileError(f"{path}: changes while it is read; run the batch again")
    return profile


def _made_from(job: Job, profile: Profile) -> dict[str, Any]:
    """All that decides what is seen, but for the recording itself."""
    return {
        "version": __version__,
        "profile": profile.sha256,
        "models": dict(model_hashes(profile.deck)),
        "memory": None if job.memory is None else _file_hash(job.memory),
        "triage": job.triage,
    }


def _seal(about: Mapping[str, Any]) -> str:
    """So that what a bad disk or a hand changed in it is never taken for what was read."""
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()


def _reading(folder: Path, about: Mapping[str, Any]) -> Reading:
    expected = about["expected_s"]
    return Reading(
        folder=folder,
        sha256=str(about["sha256"]),
        bytes=int(about["bytes"]),
        models=dict(about["models"]),
        expected_s=None if expected is None else float(expected),
        picture_s=float(about["picture_s"]),
        tally=tally_of(about["tally"]),
        passed_over=tuple(Span(float(start), float(end)) for start, end in about["passed_over"]),
        triage=bool(about["made_from"]["triage"]),
    )


def _memory(path: Path) -> Any:
    try:
        return memory_of(path.read_bytes())
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: is damaged ({error}); remove its folder and run the batch again") from None


def _keep(folder: Path, seen: Iterator[Observation], memory: Any) -> dict[str, str]:
    """Write both files aside, then let them take their places. The hash of each by name."""
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        (folder / ABOUT).unlink()
    aside = Path(tempfile.mkdtemp(prefix=".handreplay-", dir=folder))
    try:
        with (
            (aside / OBSERVATIONS).open("wb") as raw,
            gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as lines,
        ):
            for observation in seen:
                lines.write(observation_line(observation) + "\n")
        (aside / MEMORY).write_bytes(memory())
        found = {name: _file_hash(aside / name) for name in (OBSERVATIONS, MEMORY)}
        for name in found:
            os.replace(aside / name, folder / name)
        return found
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _file_hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
