"""batch.json: every recording of a batch by name, and what became of it.

OUT/batch.json                    this record, written anew after every recording
OUT/runs/TABLE/NAME/              a run folder for each recording: the rounds that begin in it
OUT/read/TABLE/NAME/              what the eyes saw in it, kept so that nothing is read twice
OUT/batch.id                      written once: by it a ledger of many batches knows this one
OUT/ledger.sqlite                 made from the above, and can be made again
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from handreplay import __version__
from handreplay.errors import OutputError
from handreplay.store import write_file

RECORD = "batch.json"
SCHEMA = "handreplay.batch/1"
MAX_RECORD_BYTES = 200_000_000
FIRST_YEAR, LAST_YEAR = 1900, 2300
LONGEST_S = 1e9  # of anything in a recording


class State(StrEnum):
    WAITING = "waiting"  # not read yet
    READ = "read"  # read, and its rounds not judged yet
    AUDITED = "audited"
    SET_ASIDE = "set aside"  # could not be audited; the reason says why


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """Seconds of a recording, from its first picture, of which nothing is known."""

    start_s: float
    end_s: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Time of a table between two recordings, or before or after them, of which there is no recording. UTC."""

    table: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One recording. `start` is the time of its first picture, UTC; None when nobody told."""

    name: str  # as the manifest gives it, or its path below the folder
    table: str | None  # None when no table could be told
    profile: str | None  # the profile's file name
    start: datetime | None = None
    dealer: str | None = None
    state: State = State.WAITING
    reason: str = ""
    run: str | None = None  # its run folder below OUT, with forward slashes
    bytes: int = 0
    sha256: str | None = None
    expected_s: float | None = None  # as long as the file says it is
    read_s: float = 0.0  # of that, seconds with pictures that were looked at
    holes: tuple[Hole, ...] = ()
    triage: bool = False
    passed_over: tuple[Hole, ...] = ()  # seconds that triage did not look at closely


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A whole batch, entries in order of table, start and name."""

    entries: tuple[Entry, ...]
    missing: tuple[Missing, ...] = ()
    models: Mapping[str, str] | None = None  # weight file -> sha256

    def counted(self, state: State) -> int:
        return sum(entry.state is state for entry in self.entries)


def write_record(out: Path, record: Record) -> None:
    """Raises OutputError when it cannot be written; the former record is then still whole."""
    write_file(out / RECORD, record_bytes(record))


def record_bytes(record: Record) -> bytes:
    """What is written."""
    document = {
        "schema": SCHEMA,
        "tool": {"name": "handreplay", "version": __version__, "models": dict(record.models or {})},
        "recordings": [_entry_fields(entry) for entry in record.entries],
        "missing": [
            {"table": hole.table, "start": time_text(hole.start), "end": time_text(hole.end)} for hole in record.missing
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def read_record(out: Path) -> Record:
    """Raises OutputError when there is none, or when it is not what was written."""
    path = out / RECORD
    try:
        if path.stat().st_size > MAX_RECORD_BYTES:
            raise OutputError(f"{path}: too large to be the record of a batch")
        document = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise OutputError(f"{out} holds no batch (no {RECORD}); run handreplay batch ... --out {out}") from None
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    try:
        if document["schema"] != SCHEMA:
            raise OutputError(f"{path}: is of another kind ({str(document['schema'])[:40]}), not {SCHEMA}")
        return Record(
            entries=tuple(_entry(fields) for fields in document["recordings"]),
            missing=tuple(
                Missing(table=str(hole["table"]), start=_time(hole["start"]), end=_time(hole["end"]))
                for hole in document["missing"]
            ),
            models={str(name): str(digest) for name, digest in document["tool"]["models"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise _damaged(path) from None


def time_text(moment: datetime) -> str:
    """A UTC time as `2026-11-30T06:10:00.000Z`; raises ValueError for a time without an offset."""
    if moment.tzinfo is None:
        raise ValueError("a time without an offset")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without an offset")
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:  # beyond them other zones have no dates
        raise ValueError("not a time of a recording")
    return moment.astimezone(UTC)


def _entry_fields(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "table": entry.table,
        "profile": entry.profile,
        "start": None if entry.start is None else time_text(entry.start),
        "dealer": entry.dealer,
        "state": entry.state.value,
        "reason": entry.reason,
        "run": entry.run,
        "bytes": entry.bytes,
        "sha256": entry.sha256,
        "expected_s": entry.expected_s,
        "read_s": entry.read_s,
        "holes": [_hole_fields(hole) for hole in entry.holes],
        "triage": entry.triage,
        "passed_over": [_hole_fields(hole) for hole in entry.passed_over],
    }


def _hole_fields(hole: Hole) -> dict[str, Any]:
    return {"start_s": hole.start_s, "end_s": hole.end_s, "reason": hole.reason}


def _entry(fields: Mapping[str, Any]) -> Entry:
    expected = fields["expected_s"]
    return Entry(
        name=str(fields["name"]),
        table=_text(fields["table"]),
        profile=_text(fields["profile"]),
        start=None if fields["start"] is None else _time(fields["start"]),
        dealer=_text(fields["dealer"]),
        state=State(fields["state"]),
        reason=str(fields["reason"]),
        run=_text(fields["run"]),
        bytes=int(fields["bytes"]),
        sha256=_text(fields["sha256"]),
        expected_s=None if expected is None else _number(expected),
        read_s=_number(fields["read_s"]),
        holes=tuple(map(_hole, fields["holes"])),
        triage=bool(fields["triage"]),
        passed_over=tuple(map(_hole, fields["passed_over"])),
    )


def _hole(fields: Mapping[str, Any]) -> Hole:
    return Hole(start_s=_number(fields["start_s"]), end_s=_number(fields["end_s"]), reason=str(fields["reason"]))


def _number(value: Any) -> float:
    number = float(value)
    if not 0 <= number <= LONGEST_S:  # JSON as Python reads it knows NaN, and sums of that say nothing
        raise ValueError("not a number of seconds")
    return number


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _damaged(path: Path) -> OutputError:
    return OutputError(f"{path}: is damaged; remove it and run the batch again (what was read is kept)")
