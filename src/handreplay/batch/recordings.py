"""Which recordings a batch has: from a folder or a manifest, each with its table, its start and its dealer.

Nothing is opened here but the manifest and the table profiles: whether a file can be read is found out by reading it.
What cannot be audited is set aside with the reason, and never ends the batch.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from handreplay.batch.manifest import Row, read_manifest
from handreplay.batch.names import Minute, has_date, may_count, minute_in, minute_start, natural, start_in, utc
from handreplay.batch.record import RECORD
from handreplay.batch.tables import Tables, load_tables
from handreplay.config import Profile
from handreplay.errors import FootageError

SUFFIXES = frozenset(
    f".{suffix}"
    for suffixes in (
        "mp4 m4v mov 3gp 3g2 mkv webm avi flv f4v asf wmv mxf dav",
        "ts m2ts mts mpg mpeg m2v ivf mjpeg mjpg ogv ogg h264 264 avc h265 265 hevc",
    )
    for suffix in suffixes.split()
)
_FOLDERS_OF_SYSTEMS = frozenset(
    ("@eadir", "#recycle", "#snapshot", "$recycle.bin", "system volume information", "lost+found")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A file to be audited. `name` is as the manifest gives it, or its path below the folder, "/" between."""

    name: str
    path: Path
    table: str
    profile: Profile
    start: datetime | None  # of its first picture, UTC; None when nobody told
    dealer: str | None
    bytes: int
    to_the_minute: bool = False  # the start: up to a minute earlier than the first picture


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A file, or a row of the manifest, that is not audited."""

    name: str
    path: Path | None  # None when a row names no file
    table: str | None  # None when no table could be told
    reason: str
    profile: Profile | None = None
    start: datetime | None = None
    dealer: str | None = None
    bytes: int = 0
    to_the_minute: bool = False
    away: bool = False  # nothing else is wrong than that the file is not there now


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """`recordings` and `set_aside` in natural order of their names, which are all different."""

    recordings: tuple[Recording, ...]
    set_aside: tuple[SetAside, ...]
    profiles: tuple[Profile, ...]
    ignored: int  # files in the folder that are no recordings by their names
    remarks: tuple[str, ...]  # what a person should know, and what is not set aside for it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    name: str
    path: Path
    folders: tuple[str, ...]
    root: str
    row: Row | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    moment: datetime | None = None
    to_the_minute: bool = False
    fault: str = ""  # why what the manifest says of it cannot be believed
    is_lost: bool = False  # the name holds a date, and no time that is certain


@dataclass(slots=True)
class _Search:
    tables: Tables
    recordings: list[Recording] = field(default_factory=list)
    set_aside: list[SetAside] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    ignored: int = 0
    files: dict[tuple[int, int] | Path, str] = field(default_factory=dict)  # those that are audited, and their names
    names: set[str] = field(default_factory=set)
    counted: set[tuple[Path, Path]] = field(default_factory=set)  # folder and profile whose digits may count pieces
    to_the_minute: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # names of which the start is lost


def find_recordings(recordings: Path, tables: Path) -> Found:
    """The recordings in a folder and the folders in it, or those that a CSV manifest names.

    Raises FootageError when there are none at all or the manifest cannot be used, ProfileError when no table profile
    can be used or two of one table cannot be told apart.
    """
    search = _Search(load_tables(tables))
    search.remarks += [
        f"{reason if str(path) in reason else f'{path}: {reason}'}; its table is not audited"
        for path, reason in search.tables.broken
    ]
    if recordings.is_dir():
        _take_all(list(_in_folder(recordings, search)), search)
        if not search.recordings and not search.set_aside:
            raise FootageError(
                f"{recordings}: no recordings in it, as far as names tell (mp4, mkv, avi, ts, ...); check the folder"
            )
    else:
        _check_manifest_name(recordings)
        rows, remarks = read_manifest(recordings)
        search.remarks += remarks
        _take_all([_from_row(row, recordings) for row in rows], search)
        if not rows:
            raise FootageError(f"{recordings}: names no recordings; add a line for each below its first line")
    return Found(
        recordings=tuple(sorted(search.recordings, key=lambda recording: natural(recording.name))),
        set_aside=tuple(sorted(search.set_aside, key=lambda aside: natural(aside.name))),
        profiles=search.tables.profiles,
        ignored=search.ignored,
        remarks=tuple(search.remarks),
    )


def _check_manifest_name(path: Path) -> None:
    if path.suffix.lower() in SUFFIXES:
        raise FootageError(f"{path}: is one recording; name its folder or a manifest, or use handreplay audit for it")


def _in_folder(root: Path, search: _Search) -> Iterator[_Candidate]:
    """What may be a recording, folders in order. Links that lead out of the folder are named, not followed."""
    try:
        os.scandir(root).close()
    except OSError as error:
        raise FootageError(f"{root}: cannot be listed ({error.strerror})") from None
    unlisted: list[OSError] = []
    inside = root.resolve()
    for place, folders, files in os.walk(root, onerror=unlisted.append):
        here = Path(place)
        while unlisted:
            yield _unlisted(root, unlisted.pop(0))
        links = [name for name in folders if (here / name).is_symlink() and not _is_ignored(name)]
        if here != root and RECORD in files:  # the results of an earlier batch
            search.ignored += len(files)
            folders.clear()
            continue
        search.ignored += sum(map(_is_ignored, folders))
        folders[:] = sorted((name for name in folders if name not in links and not _is_ignored(name)), key=natural)
        for name in sorted(files + links, key=natural):
            path = here / name
            if name in files and (_is_ignored(name) or path.suffix.lower() not in SUFFIXES):
                search.ignored += 1
                continue
            fault = _link_fault(path, inside) if path.is_symlink() else ""
            if fault is None:
                search.ignored += 1
                continue
            yield _candidate(path, root, fault)
    while unlisted:
        yield _unlisted(root, unlisted.pop(0))


def _is_ignored(name: str) -> bool:
    return name.startswith(".") or name.casefold() in _FOLDERS_OF_SYSTEMS


def _link_fault(path: Path, inside: Path) -> str | None:
    """Why a link is no recording; None when it leads to what is found in the folder anyway."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return "is a link that leads nowhere; copy the recording here again"
    hidden = any(map(_is_ignored, target.relative_to(inside).parts)) if target.is_relative_to(inside) else True
    if hidden or (target.is_file() and target.suffix.lower() not in SUFFIXES):
        return "is a link, and links are not followed; put what it leads to into the folder, or use a manifest"
    return None


def _candidate(path: Path, root: Path, fault: str) -> _Candidate:
    below = path.relative_to(root)
    return _Candidate(
        name=below.as_posix(), path=path, folders=below.parts[:-1], root=Path(os.path.abspath(root)).name, fault=fault
    )


def _unlisted(root: Path, error: OSError) -> _Candidate:
    path = Path(error.filename or root)
    return _candidate(path, root, f"is a folder that cannot be listed ({error.strerror})")


def _from_row(row: Row, manifest: Path) -> _Candidate:
    text = row.file
    path = manifest.parent / text
    if "\\" in text and os.sep == "/" and not os.path.lexists(path):  # written on Windows
        path = manifest.parent / text.replace("\\", "/")
    return _Candidate(
        name=text or f"line {row.line}",
        path=path,
        folders=Path(text.replace("\\", "/")).parts[:-1],
        root=Path(os.path.abspath(manifest)).parent.name,
        row=row,
        fault=row.fault or ("" if text else "names no file"),
    )


def _take_all(candidates: Sequence[_Candidate], search: _Search) -> None:
    minutes: dict[tuple[Path, Path], list[Minute]] = {}
    for candidate in candidates:
        minute = minute_in(candidate.path.stem)
        if minute is not None and isinstance(profile := _profile(candidate, search.tables), Profile):
            minutes.setdefault((candidate.path.parent, profile.path), []).append(minute)
    search.counted = {place for place, found in minutes.items() if may_count(found)}
    for candidate in candidates:
        _take(candidate, search)
    if search.to_the_minute:
        search.remarks.append(
            f"{_first_of(search.to_the_minute)}: the start is read from the name to the minute only; recordings that "
            "follow one another within a minute are taken to join on"
        )
    if search.lost:
        search.remarks.append(
            f"{_first_of(search.lost)}: a date stands in the name and no time that is certain (four digits may also "
            "number pieces), so no start is taken; give the start in a manifest, or write the name with seconds, like "
            "20261130_011000"
        )


def _first_of(names: Sequence[str]) -> str:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


def _take(candidate: _Candidate, search: _Search) -> None:
    """Make a recording of it, or set it aside."""
    row = candidate.row
    profile = _profile(candidate, search.tables)
    known = profile if isinstance(profile, Profile) else None
    size, fault = (0, candidate.fault) if candidate.fault else _size(candidate)
    start = _Start() if known is None else _start(candidate, known, search)
    away = not candidate.fault and known is not None and not start.fault and not is_there(candidate.path)
    fault = fault or (profile if isinstance(profile, str) else "") or start.fault
    dealer = (row.dealer or None) if row else None
    if known is not None and not fault and known.camera is None:
        fault = f"{known.path} has no [camera] section; footage cannot be read without one"
    fault = fault or _twice(candidate, search)
    if known is not None and not fault:
        name = _new_name(candidate, search)
        search.to_the_minute += [name] if start.to_the_minute else []
        search.lost += [name] if start.is_lost else []
        search.recordings.append(
            Recording(
                name=name,
                path=candidate.path,
                table=known.table.id,
                profile=known,
                start=start.moment,
                dealer=dealer,
                bytes=size,
                to_the_minute=start.to_the_minute,
            )
        )
        return
    search.set_aside.append(
        SetAside(
            name=_new_name(candidate, search),
            path=candidate.path if row is None or row.file else None,
            table=known.table.id if known else None,
            reason=f"manifest line {row.line}: {fault}" if row else fault,
            profile=known,
            start=start.moment,
            dealer=dealer,
            bytes=size,
            to_the_minute=start.to_the_minute,
            away=away and known is not None and known.camera is not None,
        )
    )


def is_there(path: Path) -> bool:
    """Whether a file can be looked at now: not on a drive that is unplugged."""
    try:
        path.stat()
    except (OSError, RuntimeError, ValueError):
        return False
    return True


def _profile(candidate: _Candidate, tables: Tables) -> Profile | str:
    if candidate.row is not None and candidate.row.table:
        return tables.named(candidate.row.table, candidate.path)
    return tables.of(candidate.path, candidate.folders, candidate.root)


def _size(candidate: _Candidate) -> tuple[int, str]:
    """Bytes, and why the file is no recording, as far as that is told without opening it."""
    path = candidate.path
    if any("\ud800" <= letter <= "\udfff" for letter in candidate.name):
        return 0, "its name is not UTF-8; rename it"
    try:
        facts = path.stat()
    except FileNotFoundError:
        return 0, "no such file; check the name, and that its drive is there"
    except (OSError, RuntimeError, ValueError) as error:
        return 0, f"cannot be looked at ({getattr(error, 'strerror', None) or error})"
    if stat.S_ISDIR(facts.st_mode):
        return 0, "is a folder; name the recordings in it"
    if not stat.S_ISREG(facts.st_mode):
        return 0, "is no ordinary file"
    if not facts.st_size:
        return 0, "empty file; copy or export it again"
    return facts.st_size, ""


def _twice(candidate: _Candidate, search: _Search) -> str:
    """Notes a file that is about to be audited; says so when it is already."""
    facts = candidate.path.stat()
    key = (facts.st_dev, facts.st_ino) if facts.st_ino else candidate.path.resolve()
    if key in search.files:
        return f"is the same file as {search.files[key]}; it is audited once"
    search.files[key] = candidate.name
    return ""


def _start(candidate: _Candidate, profile: Profile, search: _Search) -> _Start:
    """When it began, as the manifest says, else its name."""
    zone = ZoneInfo(profile.table.timezone)
    told = candidate.row.start if candidate.row else ""
    if told:
        try:
            return _Start(moment=_told_start(told, zone))
        except ValueError as error:
            return _Start(fault=f"start: {error}")
    stem = candidate.path.stem
    minute = minute_in(stem)
    try:
        moment = start_in(stem, zone)
        if minute is not None and (minute.is_certain or (candidate.path.parent, profile.path) not in search.counted):
            return _Start(moment=minute_start(stem, zone), to_the_minute=True)
    except ValueError as error:
        search.remarks.append(f"{candidate.name}: no start is taken from its name: {error}")
        return _Start()
    return _Start(moment=moment, is_lost=moment is None and has_date(stem))


def _told_start(text: str, zone: ZoneInfo) -> datetime:
    """Raises ValueError, saying why, when it is no moment."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or not any(sign in text for sign in ":Tt ") or not 1970 <= moment.year <= 2200:
        raise ValueError(f'"{text[:40]}" is no date with a time; write it like 2026-11-30T01:10:00-05:00') from None
    return moment.astimezone(UTC) if moment.tzinfo else utc(moment, zone)


def _new_name(candidate: _Candidate, search: _Search) -> str:
    """The candidate's name as text that can be written, with its line where an earlier row has the same."""
    name = candidate.name.encode("utf-8", "backslashreplace").decode()
    if candidate.row is not None and name in search.names:
        name = f"{name} (line {candidate.row.line})"
    search.names.add(name)
    return name
