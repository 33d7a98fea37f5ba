"""How the recordings of a table follow one another: one timeline for each sitting, with the holes between its pieces.

Recordings with a start are set against the clock, in UTC, so that a night with a clock change is as long as it was.
Those without follow one another only where their names are numbered as pieces of one recording.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

from handreplay.batch.names import natural, series_of
from handreplay.batch.record import Missing
from handreplay.batch.recordings import Recording, SetAside
from handreplay.config import Profile

JITTER_S = Fraction(2)  # recorders split with this much of an overlap or a step
SITTING_S = Fraction(600)  # a longer hole ends the timeline: the table was closed, or nobody knows
MINUTE = timedelta(seconds=60)
LONGEST_RECORDING_S = Fraction(24 * 3600)  # where a file does not tell its length

Lengths = Mapping[str, Fraction | float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A recording in its timeline. `start` is in UTC, counted on from the piece before where only that one's is told.

    `offset_s` is the time of its first picture from the timeline's first; `gap_before_s` the hole just before it, 0
    where it joins on. Both are None while the lengths of the pieces before it are not known.
    """

    recording: Recording
    start: datetime | None
    offset_s: Fraction | None
    gap_before_s: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One sitting of one table profile. Two profiles are two timelines, also where they are of one table."""

    profile: Profile
    pieces: tuple[Piece, ...]

    @property
    def table(self) -> str:
        return self.profile.table.id

    @property
    def start(self) -> datetime | None:
        return self.pieces[0].start


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Every recording is in one timeline or set aside. `missing` is told per table, in UTC, between its recordings."""

    timelines: tuple[Timeline, ...]
    set_aside: tuple[SetAside, ...]
    missing: tuple[Missing, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """A recording, when it began, and the pieces that follow it at times that are not known."""

    recording: Recording
    start: datetime
    tail: tuple[Recording, ...] = ()


@dataclass(frozen=True, slots=True)
class _Dated:
    start: datetime
    offset: Fraction


@dataclass(slots=True)
class _Sitting:
    """A timeline in the making. `end` is when its last picture was, as far as known, and `last` whose that is.

    It may have been later by up to `slack`, where starts are told to the minute.
    """

    pieces: list[Piece] = field(default_factory=list)
    end: datetime | None = None
    slack: timedelta = timedelta(0)
    end_s: Fraction | None = None
    last: str = ""


@dataclass(slots=True)
class _Work:
    lengths: Lengths
    timelines: list[Timeline] = field(default_factory=list)
    set_aside: list[SetAside] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    present: list[tuple[str, datetime, datetime | None]] = field(default_factory=list)  # table, start, end

    def length(self, name: str) -> Fraction | None:
        """Seconds, to the microsecond as starts are; None when it is not known."""
        seconds = self.lengths.get(name)
        if seconds is None or not 0 < seconds < 10**9:
            return None
        return Fraction(round(Fraction(seconds) * 1_000_000), 1_000_000) or None


def timelines(recordings: Iterable[Recording], lengths: Lengths, aside: Iterable[SetAside] = ()) -> Joined:
    """Join recordings into timelines; their order does not matter.

    `lengths` are seconds by the recording's name, as far as known; call again when reading has told the others.
    A recording that covers the same time as an earlier one of its table profile is set aside. The time of those that
    were set aside before, as far as it is known, is not missing: they are there, and named.
    """
    work = _Work(lengths)
    by_profile: dict[str, list[Recording]] = {}
    for recording in sorted(recordings, key=lambda item: natural(item.name)):
        by_profile.setdefault(str(recording.profile.path), []).append(recording)
    for _, own in sorted(by_profile.items()):
        items, undated = _runs(own, work)
        _set_against_clock(sorted(items, key=lambda item: (item.start, natural(item.recording.name))), work)
        for run in undated:
            _follow(run, work)
    for item in aside:
        length = work.length(item.name)
        if item.table is not None and item.start is not None and length is not None:
            work.present.append((item.table, item.start, item.start + _span(length)))
    return Joined(
        timelines=tuple(sorted(work.timelines, key=_order)),
        set_aside=tuple(sorted(work.set_aside, key=lambda aside: natural(aside.name))),
        missing=tuple(_missing(work.present)),
        remarks=tuple(work.remarks),
    )


def possible_twins(recordings: Iterable[Recording]) -> tuple[Recording, ...]:
    """Those that share their size with another one, so that only these need to be compared by content."""
    by_size: dict[int, list[Recording]] = {}
    for recording in recordings:
        by_size.setdefault(recording.bytes, []).append(recording)
    twins = [recording for group in by_size.values() if len(group) > 1 for recording in group]
    return tuple(sorted(twins, key=lambda recording: natural(recording.name)))


def same_content(recordings: Iterable[Recording], sha256: Mapping[str, str | None]) -> tuple[SetAside, ...]:
    """Copies to be set aside, so that nothing is audited twice: all but the first of a table profile by start and name.

    Where one content stands under several profiles all of them are, since nobody says which is right. `sha256` is by
    the recording's name; None is not known, and equal to nothing.
    """
    by_content: dict[tuple[int, str], list[Recording]] = {}
    for recording in recordings:
        digest = sha256.get(recording.name)
        if digest is not None:
            by_content.setdefault((recording.bytes, digest), []).append(recording)
    aside = []
    for group in by_content.values():
        group.sort(key=_first)
        if len({recording.profile.path for recording in group}) == 1:
            reason = f"has the same content as {group[0].name}; it is audited once"
            aside += [_aside(recording, reason) for recording in group[1:]]
            continue
        for recording in group:
            other = next(item for item in group if item.profile.path != recording.profile.path)
            reason = (
                f"has the same content as {other.name}, which stands under another table "
                f"({other.table}, {other.profile.path.name}); remove the wrong one"
            )
            aside.append(_aside(recording, reason))
    return tuple(sorted(aside, key=lambda item: natural(item.name)))


def _runs(recordings: Sequence[Recording], work: _Work) -> tuple[list[_Item], list[list[Recording]]]:
    """Recordings with a start, and runs of such without one whose numbers follow one another.

    Recorders that name the pieces of a recording by its start give all of them the same: the first alone has it then.
    """
    series: dict[tuple[tuple[str, str, str], datetime | None], list[tuple[int, Recording]]] = {}
    for recording in recordings:
        path = recording.path
        own = series_of(path.stem)
        key = (str(path.parent), own.name, path.suffix) if own else ("", recording.name, "")
        series.setdefault((key, recording.start), []).append((own.number if own else 0, recording))
    items: list[_Item] = []
    undated: list[list[Recording]] = []
    for (_, start), numbered in series.items():
        for position, run in enumerate(_consecutive(numbered)):
            members = [recording for _, recording in run]
            if start is None:
                undated.append(members)
            elif len(numbered) == 1 or (position == 0 and run[0][0] <= 1):
                items += _counted_on(members, start, work)
            else:
                undated.append(members)
                work.remarks.append(
                    f"{members[0].name}: when it began is not known, since pieces before it are missing"
                )
        _remark_numbers(numbered, work)
    return items, undated


def _consecutive(numbered: list[tuple[int, Recording]]) -> Iterator[list[tuple[int, Recording]]]:
    """Runs in which each number is one more than the one before."""
    numbered = sorted(numbered, key=lambda pair: (pair[0], natural(pair[1].name)))
    run = numbered[:1]
    for pair in numbered[1:]:
        if pair[0] != run[-1][0] + 1:
            yield run
            run = []
        run.append(pair)
    yield run


def _counted_on(members: Sequence[Recording], start: datetime, work: _Work) -> list[_Item]:
    """Items of a run whose first piece begins at `start`; each begins where the one before ends."""
    items: list[_Item] = []
    for number, recording in enumerate(members):
        length = work.length(recording.name)
        if length is None:
            return [*items, _Item(recording, start, tuple(members[number + 1 :]))]
        items.append(_Item(recording, start))
        start += _span(length)
    return items


def _remark_numbers(numbered: Sequence[tuple[int, Recording]], work: _Work) -> None:
    runs = list(_consecutive(list(numbered)))
    for run in runs:
        if len(run) > 1:
            told = "no start is told" if run[0][1].start is None else "all have the same start"
            work.remarks.append(
                f"{run[0][1].name} to {run[-1][1].name}: {told}; joined by their numbers, each as if it began where "
                "the one before ends"
            )
    for before, after in pairwise(runs):
        work.remarks.append(
            f"{before[-1][1].name}, {after[0][1].name}: not joined, since their numbers do not follow one another"
        )


def _set_against_clock(items: Sequence[_Item], work: _Work) -> None:
    """Timelines of one profile's recordings, by rising start."""
    sitting = _Sitting()
    for item in items:
        if sitting.pieces:
            overlap = _overlap(sitting, item)
            if overlap is not None:
                _leave_out(item, sitting, overlap, work)
                continue
            if _is_new_sitting(sitting, item):
                _close(sitting, work)
                sitting = _Sitting()
        _add(item, sitting, work)
    _close(sitting, work)


def _overlap(sitting: _Sitting, item: _Item) -> Fraction | None:
    """Seconds that the item shares with the sitting, where they are too many for a recorder's jitter."""
    if sitting.end is None:
        return Fraction(0) if _seconds(item.start - _last_dated(sitting).start) <= JITTER_S else None
    shared = _seconds(sitting.end - item.start - _slack(item))
    return shared if shared > JITTER_S else None


def _leave_out(item: _Item, sitting: _Sitting, overlap: Fraction, work: _Work) -> None:
    length = work.length(item.recording.name)
    shared = f"overlaps {sitting.last} by {float(min(overlap, length or overlap)):.0f} s"
    if not overlap:
        shared = f"begins at the same time as {sitting.last}"
    work.set_aside.append(_aside(item.recording, f"{shared}; set aside so that nothing is audited twice"))
    work.present.append((item.recording.table, item.start, _end(item, work)))
    if item.tail:
        _follow(item.tail, work)


def _is_new_sitting(sitting: _Sitting, item: _Item) -> bool:
    if sitting.end is not None:
        return _seconds(item.start - sitting.end) > SITTING_S
    return _seconds(item.start - _last_dated(sitting).start) > LONGEST_RECORDING_S


def _last_dated(sitting: _Sitting) -> _Dated:
    return next(
        _Dated(piece.start, piece.offset_s)
        for piece in reversed(sitting.pieces)
        if piece.start is not None and piece.offset_s is not None
    )


def _add(item: _Item, sitting: _Sitting, work: _Work) -> None:
    """Put an item and its tail at the end of a sitting."""
    first = sitting.pieces[0].start if sitting.pieces else item.start
    assert first is not None
    offset, gap = _seconds(item.start - first), None if sitting.pieces else Fraction(0)
    begins, slack, shown = item.start, _slack(item), item.start
    if sitting.end is not None and sitting.end_s is not None:
        hole = _seconds(item.start - sitting.end)
        gap = hole if _seconds(item.start - sitting.end - sitting.slack) >= JITTER_S else Fraction(0)
        offset = max(offset, sitting.end_s + gap)  # pieces never mix, and a hole stays as long as it was
        if not gap and (slack or sitting.slack):
            offset, shown = sitting.end_s, sitting.end
            begins, slack = _narrowed(item, sitting.end, sitting.slack)
    elif sitting.pieces:
        before = _last_dated(sitting)
        offset = max(offset, before.offset + _seconds(item.start - before.start))
    sitting.pieces.append(Piece(recording=item.recording, start=begins, offset_s=offset, gap_before_s=gap))
    sitting.pieces += [
        Piece(recording=recording, start=None, offset_s=None, gap_before_s=Fraction(0)) for recording in item.tail
    ]
    length = work.length(item.recording.name)
    end = None if length is None or item.tail else begins + _span(length)
    work.present.append((item.recording.table, shown, end))
    if end is None or sitting.end is None or end >= sitting.end:
        sitting.end, sitting.slack, sitting.last = end, slack, (item.tail or (item.recording,))[-1].name
    sitting.end_s = None if length is None else offset + length


def _slack(item: _Item) -> timedelta:
    """How much later than told it may have begun."""
    return MINUTE if item.recording.to_the_minute else timedelta(0)


def _narrowed(item: _Item, end: datetime, slack: timedelta) -> tuple[datetime, timedelta]:
    """When an item that joins on began, at the earliest, and how much later it may have: so minutes hide no holes."""
    latest = item.start + _slack(item)
    earliest = min(max(item.start, end), latest)
    return earliest, max(min(latest, end + slack) - earliest, timedelta(0))


def _follow(run: Sequence[Recording], work: _Work) -> None:
    """A timeline of pieces without a start."""
    pieces: list[Piece] = []
    offset: Fraction | None = Fraction(0)
    for recording in run:
        pieces.append(Piece(recording=recording, start=None, offset_s=offset, gap_before_s=Fraction(0)))
        length = work.length(recording.name)
        offset = None if offset is None or length is None else offset + length
    work.timelines.append(Timeline(profile=run[0].profile, pieces=tuple(pieces)))


def _close(sitting: _Sitting, work: _Work) -> None:
    if sitting.pieces:
        profile = sitting.pieces[0].recording.profile
        work.timelines.append(Timeline(profile=profile, pieces=tuple(sitting.pieces)))


def _end(item: _Item, work: _Work) -> datetime | None:
    length = work.length(item.recording.name)
    return None if length is None or item.tail else item.start + _span(length)


def _missing(present: Iterable[tuple[str, datetime, datetime | None]]) -> Iterator[Missing]:
    """Holes between the recordings of each table, all its profiles taken together."""
    covered: dict[str, datetime | None] = {}
    for table, start, end in sorted(present, key=lambda stretch: stretch[:2]):
        until = covered.get(table)
        if until is not None and _seconds(start - until) >= JITTER_S:
            yield Missing(table=table, start=until, end=start)
        covered[table] = end if until is None or end is None else max(until, end)


def _seconds(span: timedelta) -> Fraction:
    return Fraction(span // timedelta(microseconds=1), 1_000_000)


def _span(seconds: Fraction) -> timedelta:
    return timedelta(microseconds=round(seconds * 1_000_000))


def _aside(recording: Recording, reason: str) -> SetAside:
    return SetAside(
        name=recording.name,
        path=recording.path,
        table=recording.table,
        reason=reason,
        profile=recording.profile,
        start=recording.start,
        dealer=recording.dealer,
        bytes=recording.bytes,
    )


def _first(recording: Recording) -> Any:
    """Those with a start first, by it; then by name."""
    dated = recording.start is not None
    return (not dated, recording.start.timestamp() if recording.start else 0.0, natural(recording.name))


def _order(timeline: Timeline) -> Any:
    return (natural(timeline.table), str(timeline.profile.path), _first(timeline.pieces[0].recording))
