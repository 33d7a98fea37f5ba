"""What the name of a recording tells: its place among others, when it began, and which piece of a series it is."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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
_DATE = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}([-_.]?)[0-9]{2}\1[0-9]{2}(?![0-9])")
_NUMBER = re.compile(r"[0-9]+")
_OF_A_CAMERA = re.compile(r"(?:cam|camera|ch|chan|channel|view|angle|lens|nvr|dvr|table)[-_ .#]?$", re.IGNORECASE)
_LONGEST_PIECE_NUMBER = 6  # digits; longer ones are dates, times or serial numbers


@dataclass(frozen=True, slots=True)
class Series:
    """A piece of a recording that was split: what all pieces are called, "#" for the number, and its number."""

    name: str
    number: int


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
    if not moments:
        return None
    known = [moment if moment.tzinfo else utc(moment, zone) for moment in moments]
    if known[0] != min(known):
        raise ValueError("its name holds several times, and the first is not the earliest")
    return known[0].astimezone(UTC)


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


def _moment(match: re.Match[str]) -> datetime | None:
    """The date and time of a match, naive when it has no offset; None when there is no such date."""
    hour, half, offset = int(match["hour"]), match["half"], match["offset"]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    try:
        moment = datetime(
            int(match["year"]),
            int(match["month"]),
            int(match["day"]),
            hour,
            int(match["minute"]),
            int(match["second"]),
            1000 * int(match["milli"] or 0),
        )
    except ValueError:
        return None
    if offset is None or (offset[0] == "-" and "t" not in match["between"].lower()):  # then it is a piece's number
        return moment
    return moment.replace(tzinfo=UTC) if offset == "Z" else datetime.fromisoformat(f"{moment.isoformat()}{offset}")


def _offset(moment: datetime) -> str:
    minutes = (moment.utcoffset() or timedelta()) // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
