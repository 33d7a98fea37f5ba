"""From a batch's folder to its shift report: the record and the run folders, one run at a time."""

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from handreplay.batch.names import natural
from handreplay.batch.record import Entry, Hole, Record, State, read_record
from handreplay.batch.times import told_time
from handreplay.errors import HandreplayError, LogError, OutputError
from handreplay.report.evaluation.sources import read_document
from handreplay.report.places import GoesOn, goes_on
from handreplay.report.shift.numbers import shift_of
from handreplay.report.shift.text import headline
from handreplay.report.shift.values import NoRecording, Outcome, Recording, Shift, Stretch, Window
from handreplay.store import Run, read_run, write_file

FORMATS = ("html", "pdf", "csv", "xlsx")
NAME = "shift"
NO_TABLE = "table not known"
MAX_PROFILE_BYTES = 4_000_000
Names = Mapping[tuple[str | None, str | None], str]  # table and SHA-256 of an audited recording -> its name
OUTCOMES: dict[State, Outcome] = {
    State.AUDITED: "audited",
    State.SET_ASIDE: "set aside",
    State.READ: "unfinished",
    State.WAITING: "unfinished",
}


def write_shift(
    folder: Path, format_: str | None, out: Path | None, window: Window, *, replace: bool = False
) -> list[str]:
    """Write the shift report of a batch; returns what to say of it. Raises HandreplayError.

    Without a format the ending of `out` tells, else it is a page; without `out` it goes into the batch's folder.
    """
    if not folder.is_dir():
        raise OutputError(f"no such folder of a batch: {folder}")
    kind, place = _place(folder, format_, out, replace=replace)
    shift = batch_shift(folder, window)
    write_file(place, _content(shift, kind, _way(folder, place)))
    head = headline(shift)
    return [f"{head.title}. {head.detail}".rstrip(), str(place)]


def batch_shift(folder: Path, window: Window | None = None) -> Shift:
    """The figures of a batch. Raises OutputError when the folder holds none."""
    record = read_record(folder)
    missing = (NoRecording(table=gap.table, start=gap.start, end=gap.end) for gap in record.missing)
    return shift_of(recordings(folder, record), missing, window)


def recordings(folder: Path, record: Record) -> Iterator[Recording]:
    """The batch's recordings in order of table, start and name, each with the findings of its run."""
    entries = sorted(record.entries, key=_order)
    zones: dict[str | None, str] = {}
    for entry in entries:
        if entry.run is not None and entry.table not in zones:
            zone = _zone(folder / entry.run / "table.toml")
            if zone is not None:
                zones[entry.table] = zone
    names = {(entry.table, entry.sha256): entry.name for entry in entries if entry.state is State.AUDITED}
    for entry in entries:
        copy = entry.state is State.SET_ASIDE and entry.sha256 and (entry.table, entry.sha256) in names
        yield _recording(folder, entry, zones.get(entry.table), names, is_copy=bool(copy))


def _order(entry: Entry) -> tuple[object, ...]:
    start = entry.start.timestamp() if entry.start is not None else 0.0
    return entry.table or NO_TABLE, entry.start is None, start, natural(entry.name)


def _recording(folder: Path, entry: Entry, zone: str | None, names: Names, *, is_copy: bool) -> Recording:
    following: dict[int, tuple[GoesOn, ...]] = {}
    outcome, reason, document, run = OUTCOMES[entry.state], entry.reason, None, ""
    if outcome == "audited":
        try:
            found = _run(folder, entry)
            following = _goes_on(found.path("rounds.jsonl"), entry, names)
            document = _checked(read_document(found.path("findings.json")))
            run = (entry.run or "") if "report.html" in found.manifest["files"] else ""
        except (OutputError, LogError) as error:
            outcome, reason = "set aside", f"its results cannot be used: {error}"
    return Recording(
        name=entry.name,
        table=entry.table or NO_TABLE,
        outcome=outcome,
        zone=zone,
        start=entry.start,
        dealer=entry.dealer or None,
        reason=reason,
        expected_s=0.0 if is_copy else entry.expected_s,  # its time is that of the other one
        read_s=entry.read_s,
        holes=tuple(map(_stretch, entry.holes)),
        passed_over=tuple(map(_stretch, entry.passed_over)),
        folder=run,
        document=document,
        goes_on=following,
    )


def _goes_on(log: Path, entry: Entry, names: Names) -> dict[int, tuple[GoesOn, ...]]:
    """The recordings that rounds of this one run on into, by round, with their names in the batch. Raises LogError."""
    found = {}
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            if '"continues"' not in line:  # most rounds end where they began, and need not be taken apart
                continue
            try:
                fields = json.loads(line)
                following = goes_on(fields["source"])
                found[int(fields["round"])] = tuple(
                    GoesOn(names.get((entry.table, one.sha256), one.file), one.sha256, one.from_s) for one in following
                )
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise LogError(f"rounds.jsonl is none that this version can use ({error!r}); audit again") from None
    return found


def _run(folder: Path, entry: Entry) -> Run:
    """The entry's run, whole. Its place comes from a file: it stays inside the batch's folder."""
    place = (folder / (entry.run or "")).resolve()
    if not entry.run or not place.is_relative_to(folder.resolve()):
        raise OutputError(f"no run folder of the batch is named for {entry.name}")
    return read_run(place)


def _checked(document: dict[str, Any]) -> dict[str, Any]:
    """The document, once it is sure to hold what the figures are made of. Raises LogError."""
    try:
        str(document["game"])
        for entry in document["rounds"]:
            float(entry["start"]), float(entry["end"]), str(entry["verdict"]), list(entry["settlement"])
        for finding in document["findings"]:
            float(finding["t"]), float(finding["confidence"]), int(finding["variance_cents"] or 0)
            for name in ("status", "seat", "wager", "expected_cents", "observed_cents"):
                finding[name]
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(f"findings.json is none that this version can use ({error}); run the batch again") from None
    return document


def _stretch(hole: Hole) -> Stretch:
    return Stretch(start_s=hole.start_s, end_s=hole.end_s, reason=hole.reason)


def _zone(profile: Path) -> str | None:
    """The time zone that a run's table profile names."""
    try:
        if profile.stat().st_size > MAX_PROFILE_BYTES:
            return None
        zone = str(tomllib.loads(profile.read_text("utf-8"))["table"]["timezone"])
        ZoneInfo(zone)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return zone


def _place(folder: Path, format_: str | None, out: Path | None, *, replace: bool) -> tuple[str, Path]:
    """What to write and where. Raises HandreplayError when that cannot be, before anything is read."""
    ending = out.suffix.lower().removeprefix(".") if out is not None and not out.is_dir() else ""
    told = ending if ending in FORMATS else None
    if ending and told is None:
        raise HandreplayError(f"{out}: a shift report ends in .html, .pdf, .csv or .xlsx, not .{ending}")
    if told is not None and format_ is not None and told != format_:
        raise HandreplayError(f"{out} ends in .{told}, and --format says {format_}; leave one of them out")
    kind = format_ or told or "html"
    place = (out or folder) if told is None else None
    path = place / f"{NAME}.{kind}" if place is not None else out
    assert path is not None
    if path.is_dir():
        raise OutputError(f"{path} is a folder; name a file with --out")
    if path.exists() and not replace:
        raise OutputError(f"{path} is there already; name another file with --out, or add --replace")
    return kind, path


def _way(folder: Path, place: Path) -> str:
    """The way from the report to the batch's folder for its links, "" or ending in /."""
    try:
        way = os.path.relpath(folder.absolute(), place.absolute().parent)
    except ValueError:  # on another drive
        return f"{folder.absolute().as_uri()}/"
    return "" if way == "." else f"{quote(Path(way).as_posix())}/"


def _content(shift: Shift, kind: str, way: str) -> bytes:
    from handreplay.report.shift import page, pdf, tables

    if kind == "html":
        return page.shift_page(shift, way).encode()
    if kind == "pdf":
        return pdf.shift_pdf(shift)
    return tables.shift_csv(shift) if kind == "csv" else tables.shift_workbook(shift)


def window_of(since: str | None, until: str | None) -> Window:
    """The times asked for, as they were typed. Raises HandreplayError when they are none, or hold no time."""
    first = None if since is None else told_time(since, "--since")
    last = None if until is None else told_time(until, "--until")
    if first and last and (first.tzinfo is None) == (last.tzinfo is None) and first >= last:
        raise HandreplayError("--since is not before --until; nothing lies between them")
    return Window(first, last)
