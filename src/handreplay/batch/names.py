"""What the name of a recording tells: its place among others, when it began, and which piece of a series it is."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from datetime import time as clock
from functools import lru_cache
from zoneinfo import ZoneInfo

_STAMP = re.compile(
    r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})(?P<d>[-_.]?)(?P<month>[0-9]{2})(?P=d)(?P<day>[0-9]{2})"
    r"(?P<between>[-_. Tt]{0,3}| at )"
    r"(?P<hour>[0-9]{2})(?P<c>[-_.:]?)(?P<minute>[0-9]{2})(?P=c)(?P<second>[0-9]{2})"
    r"(?:[.,]?(?P<milli>[0-9]{3})(?![0-9]))?"
    r"(?:[ _-]?(?P<half>[AaPp])[Mm](?![A-Za-z]))?"
    r"(?P<offset>Z|[+-](?:0[0-9]|1[0-4]):?(?:00|15|30|45)(?![0-9]))?(?![0-9])"
)
_MINUTE = re.compile(
    r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})(?P<d>[-_.]?)(?P<month>[0-9]{2})(?P=d)(?P<day>[0-9]{2})"
    r"(?P<between>[-_. Tt]{0,3}| at )"
    r"(?P<hour>[0-9]{2})(?P<c>[-_.:]?)(?P<minute>[0-9]{2})(?!(?P=c)[0-9])"
    r"(?:[ _-]?(?P<half>[AaPp])[Mm](?![A-Za-z]))?"
    r"(?P<offset>Z|[+-](?:0[0-9]|1[0-4]):?(?:00|15|30|45)(?![0-9]))?(?![0-9A-Za-z])"  # 1920x1080 is no time
)
_DATE = re.compile(
    r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})(?P<d>[-_.]?)(?P<month>[0-9]{2})(?P=d)(?P<day>[0-9]{2})(?![0-9])"
)
_NUMBER = re.compile(r"[0-9]+")
_OF_A_CAMERA = re.compile(r"(?:cam|camera|ch|chan|channel|view|angle|lens|nvr|dvr|table)[-_ .#]?$", re.IGNORECASE)
_FIRST_HOUR = 60  # as hour and minute, 0000 to 0059 say what a count of pieces says as well
_LONGEST_PIECE_NUMBER = 6  # digits; longer ones are dates, times or serial numbers


@dataclass(frozen=True, slots=True)
class Series:
    """A piece of a recording that was split: what all pieces are called, "#" for the number, and its number."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Minute:
    """Four digits that stand behind a date: hour and minute, or the number of a piece.

    `moment` is the time, naive without an offset, None when it is none; `rest` is what else stands in the name.
    """

    moment: datetime | None
    number: int
    rest: str
    is_certain: bool  # since a T, an AM or an offset stands with them


@lru_cache(maxsize=100_000)  # names are sorted again after each recording
def natural(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """A key that sorts cam2 before cam10, and is the same for no two names."""
    words = re.split(r"([0-9]+)", name.casefold())
    digits = (word.lstrip("0") for word in words[1::2])
    counted = [(len(number), number) for number in digits]  # as numbers compare, however long they are
    texts = [(0, word) for word in words[::2]]
    mixed = [part for pair in zip(texts, counted, strict=False) for part in pair]
    return (*mixed, texts[-1]), name


def utc(local: datetime, zone: ZoneInfo) -> datetime:
    """The moment at which clocks in this zone showed the (naive) time.

    Raises ValueError, saying why, for a time that clocks showed twice or not at all.
    """
    first, second = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    shown = f"{local:%Y-%m-%d %H:%M:%S}"
    if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local:
        raise ValueError(
            f"{shown} came twice in {zone.key}, when clocks were put back; give the offset, "
            f"{_offset(first)} or {_offset(second)}"
        )
    raise ValueError(f"{shown} never was in {zone.key}, where clocks were put forward; give the time with its offset")


def start_in(stem: str, zone: ZoneInfo) -> datetime | None:
    """When a recording began as its file name says, UTC; None when the name holds no full date and time.

    Of two times the first is taken, as recorders write start and end. A time without an offset is the table's.
    Raises ValueError, saying why, where the name holds a time that cannot be believed.
    """
    moments = [moment for match in _STAMP.finditer(stem) if (moment := _moment(match)) is not None]
    return _first(moments, zone) if moments else None


def minute_in(stem: str) -> Minute | None:
    """The first date of a name with four digits behind it; None when there is none, or when seconds are told too."""
    match = next((match for match in _MINUTE.finditer(stem) if _day(match)), None)
    if match is None or any(_moment(full) for full in _STAMP.finditer(stem)):
        return None
    moment = _moment(match)
    is_certain = bool(match["half"] or match["between"].strip(" ").lower() in ("t", "at") or _has_offset(match))
    rest = f"{stem[: match.start()]}#{stem[match.end() :]}"
    return Minute(moment, int(match["hour"] + match["minute"]), rest, is_certain and moment is not None)


def minute_start(stem: str, zone: ZoneInfo) -> datetime | None:
    """As `start_in`, of a name that tells hour and minute only: when that minute began."""
    moments = [moment for match in _MINUTE.finditer(stem) if (moment := _moment(match)) is not None]
    return _first(moments, zone) if moments else None


def may_count(minutes: Iterable[Minute]) -> bool:
    """Whether the digits behind the dates of one table's recordings in one folder may be numbers of pieces.

    So they may where one is no time, where one is by one higher than another, or where none is later than 00:59.
    """
    doubtful = [minute for minute in minutes if not minute.is_certain]
    numbers = {(minute.rest, minute.number) for minute in doubtful}
    return bool(doubtful) and (
        any(minute.moment is None for minute in doubtful)
        or any((rest, number + 1) in numbers for rest, number in numbers)
        or all(number < _FIRST_HOUR for _, number in numbers)
    )


def has_date(stem: str) -> bool:
    return any(_day(match) for pattern in (_DATE, _STAMP, _MINUTE) for match in pattern.finditer(stem))


def series_of(stem: str) -> Series | None:
    """The series that a name belongs to by its last number. No date, time, camera number or (2) of a copy is one."""
    numbers = list(_NUMBER.finditer(stem))
    if not numbers:
        return None
    last = numbers[-1]
    start, end = last.span()
    dated = any(
        match.start() <= start and end <= match.end() for pattern in (_STAMP, _DATE) for match in pattern.finditer(stem)
    )
    copied = stem[max(0, start - 1) : start] == "("
    if dated or copied or end - start > _LONGEST_PIECE_NUMBER or _OF_A_CAMERA.search(stem[:start]):
        return None
    return Series(f"{stem[:start]}#{stem[end:]}", int(last.group()))


def _first(moments: Sequence[datetime], zone: ZoneInfo) -> datetime:
    """UTC. Raises ValueError where it is not the earliest, or no moment of the zone."""
    known = [moment if moment.tzinfo else utc(moment, zone) for moment in moments]
    if known[0] != min(known):
        raise ValueError("its name holds several times, and the first is not the earliest")
    return known[0].astimezone(UTC)


def _day(match: re.Match[str]) -> datetime | None:
    try:
        return datetime(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        return None


def _moment(match: re.Match[str]) -> datetime | None:
    """The date and time of a match, naive when it has no offset; None when there is no such date or time."""
    told = match.groupdict()
    hour, half, offset = int(told["hour"]), told["half"], told["offset"]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    day, microsecond = _day(match), 1000 * int(told.get("milli") or 0)
    try:
        time = clock(hour, int(told["minute"]), int(told.get("second") or 0), microsecond)
    except ValueError:
        return None
    if day is None:
        return None
    moment = datetime.combine(day, time)
    if offset is None or not _has_offset(match):
        return moment
    return moment.replace(tzinfo=UTC) if offset == "Z" else datetime.fromisoformat(f"{moment.isoformat()}{offset}")


def _has_offset(match: re.Match[str]) -> bool:
    """Whether what looks like an offset is one: behind a minus it is a piece's number, unless the name is ISO 8601."""
    offset = match["offset"]
    return offset is not None and (offset[0] != "-" or "t" in match["between"].lower())


def _offset(moment: datetime) -> str:
    minutes = (moment.utcoffset() or timedelta()) // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
