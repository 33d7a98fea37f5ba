"""What was seen of a table over its recordings becomes rounds, findings and a run folder for each recording.

A run folder holds the rounds that begin in its recording, with times from that recording's first picture; a round that
runs on into the next one has times beyond the end, and its source says where it goes on.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from handreplay import __version__, rules
from handreplay.batch.reading import Reading
from handreplay.config import Profile
from handreplay.core.events import Event, FootageGap, Round
from handreplay.core.findings import Audit
from handreplay.core.observations import Observation, PictureLost
from handreplay.pipeline import rounds_of, slim, table_view
from handreplay.report.evidence import Taken, take
from handreplay.report.page_parts import Report
from handreplay.report.run_files import coverage_of, make_run_files
from handreplay.rules.triage import Span, as_looked_at
from handreplay.store import Provenance, write_run


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A recording within the line of those that follow one another at a table."""

    recording: Path
    reading: Reading
    run: Path  # its run folder
    offset_s: float  # of its first picture, from that of the first part
    hole: str = ""  # why the time since the end of the part before was not recorded, where there is some

    @property
    def end_s(self) -> float:
        return self.offset_s + self.reading.end_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The rounds that begin in a part, judged, in its own seconds."""

    part: Part
    rounds: tuple[Round, ...]
    audit: Audit


def judge(parts: Sequence[Part], profile: Profile, clock: datetime | None = None) -> tuple[Judged, ...]:
    """The rounds of a line of recordings, borders included. `clock` is when the first picture of the first was taken,
    with an offset.

    Raises OutputError when what was seen is damaged.
    """
    table, first = profile.rules(), parts[0]
    own_clock = None if clock is None else clock.astimezone(ZoneInfo(profile.table.timezone))
    seen = table_view(profile, own_clock, {"file": first.recording.name, "sha256": first.reading.sha256})
    passed_over = [
        Span(span.start + part.offset_s, span.end + part.offset_s)
        for part in parts
        for span in part.reading.passed_over
    ]
    steps = [step_s for part in parts if (step_s := part.reading.tally.usual_step_s) is not None]
    made = rounds_of(_seen(parts), seen, table)
    found = tuple(as_looked_at(round_, passed_over, max(steps, default=None)) for round_ in made)
    audit = rules.audit_rounds(found, table)
    return tuple(_share(parts, place, found, audit) for place in range(len(parts)))


def keep_part(parts: Sequence[Part], place: int, judged: Judged, profile: Profile) -> Report:
    """Write the run folder of one part. Raises OutputError, or FootageError when its recording cannot be read again."""
    part, reading = parts[place], parts[place].reading
    provenance = Provenance(
        version=__version__,
        source_file=part.recording.name,
        source_sha256=reading.sha256,
        profile_file=profile.path.name,
        profile_sha256=profile.sha256,
        models=reading.models,
    )
    coverage = coverage_of(reading.tally, profile, reading.passed_over)
    remarks = tuple(
        f"Round {round_.number} goes on in {parts[place + 1].recording.name}."
        for round_ in judged.rounds
        if round_.end > reading.end_s and place + 1 < len(parts)
    )
    last = max((round_.end for round_ in judged.rounds), default=0.0)
    near = parts[place:] if last > reading.end_s else parts[place : place + 1]
    seen = [
        slim(_moved(observation, one.offset_s - part.offset_s))
        for one in near
        if one.offset_s - part.offset_s <= last or one is part
        for observation in one.reading.observations()
    ]
    report, files = make_run_files(
        judged.audit,
        judged.rounds,
        profile,
        provenance=provenance,
        coverage=replace(coverage, remarks=coverage.remarks + remarks),
        recording=part.recording,
        tally=reading.tally,
        observations=seen,
        taking=lambda seconds: _take(parts, place, seconds),
    )
    write_run(part.run, files, provenance)
    return report


def _seen(parts: Sequence[Part]) -> Iterator[Observation]:
    """All that was seen, on one line of time."""
    end = 0.0
    for part in parts:
        if part.offset_s > end and part.hole:
            yield PictureLost(start=end, end=part.offset_s, reason=part.hole)
        for observation in part.reading.observations():
            yield _moved(observation, part.offset_s)
        end = part.end_s


def _moved(observation: Observation, by_s: float) -> Observation:
    """The observation, so many seconds later."""
    if not by_s:
        return observation
    times = {"start", "end", "busy_since", "t"}
    later: dict[str, Any] = {
        field.name: getattr(observation, field.name) + by_s for field in fields(observation) if field.name in times
    }
    return replace(observation, **later)


def _share(parts: Sequence[Part], place: int, rounds: Sequence[Round], audit: Audit) -> Judged:
    """What begins in one part."""
    part = parts[place]
    starts = [one.offset_s for one in parts]
    own = [round_ for round_ in rounds if max(0, bisect_right(starts, _begin(round_)) - 1) == place]
    numbers = {round_.number for round_ in own}
    by_s = part.offset_s
    return Judged(
        part=part,
        rounds=tuple(_told(round_, parts, place) for round_ in own),
        audit=Audit(
            rounds=tuple(
                replace(verdict, start=_less(verdict.start, by_s), end=_less(verdict.end, by_s))
                for verdict in audit.rounds
                if verdict.round in numbers
            ),
            findings=tuple(
                replace(finding, t=_less(finding.t, by_s)) for finding in audit.findings if finding.round in numbers
            ),
        ),
    )


def _begin(round_: Round) -> float:
    """When the first thing happens in it; its border lies a little before."""
    return min((event.t for event in round_.events if not isinstance(event, FootageGap)), default=round_.start)


def _told(round_: Round, parts: Sequence[Part], place: int) -> Round:
    """The round in the seconds of the part that it begins in."""
    part = parts[place]
    source: dict[str, Any] = {"file": part.recording.name, "sha256": part.reading.sha256}
    following = [one for one in parts[place + 1 :] if one.offset_s < round_.end]
    if following:
        source["continues"] = [
            {"file": one.recording.name, "sha256": one.reading.sha256, "from_s": _less(one.offset_s, part.offset_s)}
            for one in following
        ]
    return replace(
        round_,
        start=_less(round_.start, part.offset_s),
        end=_less(round_.end, part.offset_s),
        events=tuple(_event(event, part.offset_s) for event in round_.events),
        source=source,
    )


def _event(event: Event, by_s: float) -> Event:
    if isinstance(event, FootageGap):
        return replace(event, t=_less(event.t, by_s), until=_less(event.until, by_s))
    return replace(event, t=_less(event.t, by_s))


def _less(seconds: float, by_s: float) -> float:
    return max(0.0, round(seconds - by_s, 3)) if by_s else seconds


def _take(parts: Sequence[Part], place: int, seconds: Iterable[float]) -> Iterator[tuple[float, Taken]]:
    """The pictures at these seconds of a part, taken from the recording that shows them."""
    part = parts[place]
    starts = [one.offset_s - part.offset_s for one in parts[place:]]
    asked: dict[int, list[float]] = {}
    for second in sorted(set(seconds)):
        asked.setdefault(max(0, bisect_right(starts, second) - 1), []).append(second)
    for number, own in asked.items():
        one, start = parts[place + number], starts[number]
        by_place = {second - start: second for second in own}
        for at, shown in take(one.recording, by_place, one.reading.tally):
            yield by_place[at], replace(shown, seconds=shown.seconds + start)
