"""Who is read when, what is judged when, and what the record says of it. Does nothing itself.

    found recordings  ->  next_task  ->  (workers)  ->  take  ->  record

The recordings of one timeline are read in order, since each goes on from the table that the one before it left;
timelines stand side by side. How recordings follow one another is told anew as reading tells how long they are, and
without those that could not be read. A timeline is judged as soon as all of it has been read.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handreplay.batch.names import natural
from handreplay.batch.reading import MEMORY, Job, is_reading_of
from handreplay.batch.record import Entry, Hole, Record, State
from handreplay.batch.recordings import Found, Recording, SetAside, is_there
from handreplay.batch.tables import table_folders
from handreplay.batch.timelines import Joined, Timeline, possible_twins, same_content, timelines
from handreplay.batch.work import Failure, JudgeOutcome, JudgeTask, Outcome, Place, ReadOutcome, ReadTask, Task
from handreplay.config import Profile
from handreplay.errors import FootageError, OutputError
from handreplay.footage import sha256_of
from handreplay.store import read_run, safe_names

READ, RUNS = "read", "runs"
AWAY = "the recording is not there now; audited before"
_LOOKS = 200  # at what to do next, while all recordings are read once: each costs as much as there are recordings
_SAMPLE_BYTES = 1 << 16  # of a file's beginning, middle and end, before a whole file is hashed


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What became of a recording, for those who follow a batch: it was read, audited, or set aside for a reason. One
    that was audited has a reason when it was so before, and could not be now."""

    name: str
    state: State
    seconds: float = 0.0
    rounds: int = 0
    findings: int = 0  # that count as faults
    questions: int = 0  # other findings
    reason: str = ""
    kept: bool = False  # its reading is that of an earlier batch


@dataclass(slots=True)
class _Own:
    """One recording of the batch."""

    recording: Recording
    folder: str  # TABLE/NAME, below both `read` and `runs`
    entry: Entry
    former: Entry | None = None  # of the same recording, audited in an earlier batch
    away: bool = False  # it is not there now, and what an earlier batch made of it stands
    is_cut: bool = False  # away, and what was read of it fits no line any more
    job: Job | None = None
    read: ReadOutcome | None = None
    stamp: tuple[int, int] | None = None  # size and time of change, as the reading began
    exit_code: int | None = None  # of an audit of it alone
    rounds: int = 0

    @property
    def is_aside(self) -> bool:
        return self.entry.state is State.SET_ASIDE

    @property
    def is_lost(self) -> bool:
        """To the line that it would stand in."""
        return self.is_aside or self.is_cut


@dataclass(slots=True)
class _Line:
    """The recordings of one table profile, and how they follow one another as far as is known."""

    profile: Profile
    own: dict[str, _Own]
    joined: Joined | None = None
    judged: set[tuple[str, ...]] = field(default_factory=set)  # timelines that are judged or being judged


class Plan:
    """A batch into the folder `out`. `threads` is how many each reading may use, `former` the record of a batch there
    before."""

    def __init__(self, found: Found, out: Path, *, former: Record | None = None, triage: bool = False) -> None:
        self.threads: int | None = None
        self.triage = triage
        self._out, self._profiles = Path(os.path.abspath(out)), found.profiles
        before = {} if former is None else {entry.name: entry for entry in former.entries}
        away = {aside.name: aside for aside in found.set_aside if _was_audited(aside, before.get(aside.name))}
        self._unusable = [_unusable(aside) for aside in found.set_aside if aside.name not in away]
        known = [*found.recordings, *(_recording_of(aside, before[name]) for name, aside in away.items())]
        known.sort(key=lambda recording: natural(recording.name))
        self._away: list[_Own] = []
        self._lines = list(_lines(known, found.profiles, before))
        self._by_name = {own.recording.name: own for line in self._lines for own in line.own.values()}
        for name, aside in away.items():
            if not self._is_away(self._by_name[name]):
                self._by_name[name].entry = _unusable(aside)
        self._by_key: dict[str, _Own | tuple[_Line, Timeline]] = {}
        self._in_work: set[str] = set()
        self._ready: list[tuple[float, Task]] = []
        self._taken = 0  # outcomes since `_ready` was made
        self._models: dict[str, str] = {}
        self._remarks = found.remarks

    def set_twins_aside(self) -> None:
        """Copies of one recording are audited once. Reads only what has the same size and looks alike."""
        twins = possible_twins(own.recording for own in self._by_name.values())
        alike = _alike(twins)
        hashes = {recording.name: _hash_or_none(recording) for recording in alike}
        for aside in same_content(alike, hashes):
            self._set_aside(self._by_name[aside.name], aside.reason)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What people should know of how recordings were found and joined, and what is not set aside for it."""
        return (*self._remarks, *(remark for line in self._lines for remark in self._joined(line).remarks))

    @property
    def chains(self) -> int:
        """How many recordings can be read side by side, at the outset."""
        return sum(len(self._joined(line).timelines) for line in self._lines)

    @property
    def in_work(self) -> int:
        """How many tasks were handed out, and have not come back."""
        return len(self._in_work)

    def next_task(self) -> Task | None:
        """What to do next; None when all that is left hangs on what is in work."""
        if not self._ready or self._taken * _LOOKS >= len(self._by_name):
            self._taken = 0
            self._ready = sorted(self._new_tasks(), key=lambda weighed: (-weighed[0], weighed[1].key), reverse=True)
        if not self._ready:
            return None
        _, task = self._ready.pop()
        self._begin(task)
        return task

    def take(self, outcome: Outcome) -> list[Told]:
        """Note what came of a task. Failures that are fatal are not for here."""
        if outcome.key not in self._in_work:
            return []  # twice from an engine that tried it twice
        self._in_work.discard(outcome.key)
        self._taken += 1
        subject = self._by_key[outcome.key]
        match outcome, subject:
            case ReadOutcome(), _Own():
                return self._note_read(subject, outcome)
            case Failure(), _Own():
                return self._note_unread(subject, outcome)
            case JudgeOutcome(), (_Line(), Timeline() as timeline):
                return self._note_judged(timeline, outcome)
            case Failure(), (_Line() as line, Timeline() as timeline):
                return self._note_unjudged(line, timeline, outcome)
        raise TypeError(f"{type(outcome).__name__} is no outcome of {outcome.key}")

    def finish(self) -> list[Told]:
        """Set aside what overlaps others that were read. To be called when nothing is left to do."""
        return [
            self._set_aside(self._by_name[aside.name], aside.reason)
            for line in self._lines
            for aside in self._joined(line).set_aside
        ]

    def record(self) -> Record:
        entries = [*self._unusable, *(own.entry for own in self._by_name.values())]
        known = [own.recording for own in self._by_name.values()]
        lengths = {own.recording.name: own.entry.expected_s for own in self._by_name.values()}
        lengths |= {own.recording.name: own.read.end_s for own in self._by_name.values() if own.read is not None}
        return Record(
            entries=tuple(sorted(entries, key=_order)),
            missing=timelines(known, lengths).missing,
            models=dict(sorted(self._models.items())),
        )

    @property
    def exit_code(self) -> int:
        """Of the whole: 3 when a recording was set aside or is away, and never 0 with holes or without any round."""
        own = list(self._by_name.values())
        if self._unusable or any(one.is_aside or one.away for one in own):
            return 3
        codes = {one.exit_code for one in own}
        if 1 in codes:
            return 1
        pieces = [
            piece for line in self._lines for timeline in self._joined(line).timelines for piece in timeline.pieces
        ]
        holes = any(one.entry.holes or one.entry.passed_over for one in own) or any(
            piece.gap_before_s for piece in pieces
        )
        return 0 if codes == {0} and not holes and any(one.rounds for one in own) else 3

    def name_of(self, key: str) -> str | None:
        """The recording that a reading with this key is of."""
        subject = self._by_key.get(key)
        return subject.recording.name if isinstance(subject, _Own) else None

    def _joined(self, line: _Line) -> Joined:
        if line.joined is None:
            live = [own for own in line.own.values() if not own.is_lost]
            lengths = {own.recording.name: own.read.end_s for own in live if own.read is not None}
            line.joined = timelines([own.recording for own in live], lengths)
            for timeline in line.joined.timelines:
                for piece in timeline.pieces:
                    own = line.own[piece.recording.name]
                    if own.entry.start != piece.start:
                        own.entry = replace(own.entry, start=piece.start)
        return line.joined

    def _new_tasks(self) -> Iterator[tuple[float, Task]]:
        """All that can be done now and is not in work, weighed by what hangs on it."""
        for line in self._lines:
            for timeline in self._joined(line).timelines:
                pieces = [line.own[piece.recording.name] for piece in timeline.pieces]
                place = next((number for number, own in enumerate(pieces) if own.read is None), None)
                if place is not None:
                    if pieces[place].folder not in self._in_work:
                        before = pieces[place - 1] if place else None
                        yield sum(own.recording.bytes for own in pieces[place:]), self._read_task(pieces[place], before)
                elif tuple(own.folder for own in pieces) not in line.judged:
                    yield float("inf"), self._judge_task(line, timeline, pieces)

    def _read_task(self, own: _Own, before: _Own | None) -> ReadTask:
        job = Job(
            recording=Path(os.path.abspath(own.recording.path)),
            profile=Path(os.path.abspath(own.recording.profile.path)),
            folder=self._out / READ / own.folder,
            memory=None if before is None else self._out / READ / before.folder / MEMORY,
            triage=self.triage,
            threads=self.threads,
            away=own.away,
        )
        self._by_key[own.folder] = own
        return ReadTask(key=own.folder, job=job)

    def _judge_task(self, line: _Line, timeline: Timeline, pieces: Sequence[_Own]) -> JudgeTask:
        places = []
        for own, piece, hole in zip(pieces, timeline.pieces, self._holes(timeline), strict=True):
            assert own.job is not None and piece.offset_s is not None  # all that comes before it was read
            run = self._out / RUNS / own.folder
            places.append(Place(job=own.job, run=run, offset_s=float(piece.offset_s), hole=hole))
        names = "\n".join(own.folder for own in pieces)
        key = f"judge {pieces[0].folder} {len(pieces)} {hashlib.sha256(names.encode()).hexdigest()[:8]}"
        self._by_key[key] = (line, timeline)
        return JudgeTask(key=key, profile=places[0].job.profile, places=tuple(places), clock=timeline.start)

    def _holes(self, timeline: Timeline) -> Iterator[str]:
        """Why there is no recording before each piece, "" where it joins on."""
        aside = [*self._unusable, *(own.entry for own in self._by_name.values() if own.is_lost)]
        before: datetime | None = None
        for piece in timeline.pieces:
            if not piece.gap_before_s:
                yield ""
            else:
                lost = [
                    entry.name
                    for entry in sorted(aside, key=_order)
                    if entry.table == timeline.table and entry.start and before and piece.start
                    if before < entry.start < piece.start
                ]
                yield f"{', '.join(lost)} could not be read" if lost else "no recording"
            before = piece.start

    def _begin(self, task: Task) -> None:
        self._in_work.add(task.key)
        subject = self._by_key[task.key]
        if isinstance(task, ReadTask) and isinstance(subject, _Own):
            subject.job, subject.stamp = task.job, _stamp(subject.recording.path)
        elif isinstance(subject, tuple):
            line, timeline = subject
            line.judged.add(tuple(line.own[piece.recording.name].folder for piece in timeline.pieces))

    def _note_read(self, own: _Own, outcome: ReadOutcome) -> list[Told]:
        own.read = outcome
        self._models |= dict(outcome.models)
        own.entry = replace(
            own.entry,
            state=State.READ if own.entry.sha256 != outcome.sha256 else own.entry.state,
            bytes=outcome.bytes,
            sha256=outcome.sha256,
            expected_s=outcome.expected_s if outcome.expected_s is not None else outcome.end_s,
            read_s=outcome.read_s,
            holes=_as_holes(outcome.holes),
            triage=outcome.triage,
            passed_over=_as_holes(outcome.passed_over),
        )
        self._changed(own)
        told = Told(name=own.recording.name, state=State.READ, seconds=outcome.read_s, kept=outcome.kept)
        return [told, *self._without_copies(own)]

    def _without_copies(self, own: _Own) -> list[Told]:
        """What is away under one name may be here under another: its rounds count once."""
        if own.away:
            return []
        names = (own.recording.table, own.entry.sha256)
        return [
            self._set_aside(one, f"has the same content as {own.recording.name}; it is audited once")
            for one in self._away
            if not one.is_aside and (one.recording.table, one.entry.sha256) == names
        ]

    def _note_unread(self, own: _Own, failure: Failure) -> list[Told]:
        """What was made of it before stands when it has only gone, be it as the batch goes on."""
        if own.away:
            own.is_cut = True
            own.entry = replace(own.entry, start=own.entry.start or (own.former.start if own.former else None))
            self._changed(own)
            return [Told(name=own.recording.name, state=State.AUDITED, reason=AWAY)]
        return [] if self._is_away(own) else [self._set_aside(own, failure.reason)]

    def _is_away(self, own: _Own) -> bool:
        """Notes a recording that is not there, and was audited before: whether its results are whole."""
        run, reading, sha256 = self._out / RUNS / own.folder, self._out / READ / own.folder, own.entry.sha256
        if is_there(own.recording.path) or own.entry.state is not State.AUDITED or sha256 is None:
            return False
        try:
            is_whole = read_run(run).manifest["source"]["sha256"] == sha256 and is_reading_of(reading, sha256)
        except (OutputError, KeyError, TypeError):
            return False
        if is_whole:
            self._away.append(own)
            own.away, own.read = True, None
            own.entry = replace(own.entry, reason=AWAY, run=f"{RUNS}/{own.folder}")
        return is_whole

    def _note_judged(self, timeline: Timeline, outcome: JudgeOutcome) -> list[Told]:
        told = []
        for place, piece in enumerate(timeline.pieces):
            own = self._by_name[piece.recording.name]
            if outcome.refused and outcome.refused[place]:
                told.append(self._set_aside(own, outcome.refused[place], stays_in_line=True))
                continue
            own.exit_code, own.rounds = outcome.exit_codes[place], outcome.rounds[place]
            left = outcome.left[place] if outcome.left else ""
            reason = "; ".join(why for why in (AWAY if own.away else "", left) if why)
            own.entry = replace(own.entry, state=State.AUDITED, reason=reason, run=f"{RUNS}/{own.folder}")
            if left and own.former is not None:
                own.entry = _as_looked_at(own.entry, own.former)
            told.append(
                Told(
                    name=own.recording.name,
                    state=State.AUDITED,
                    seconds=own.entry.read_s,
                    rounds=outcome.rounds[place],
                    findings=outcome.findings[place],
                    questions=outcome.questions[place] if outcome.questions else 0,
                    reason=reason,
                )
            )
        return told

    def _note_unjudged(self, line: _Line, timeline: Timeline, failure: Failure) -> list[Told]:
        """A file that changed since it was read takes only itself out of its line, anything else the whole line."""
        own = [line.own[piece.recording.name] for piece in timeline.pieces]
        altered = [one for one in own if one.stamp != _stamp(one.recording.path)]
        if altered:
            reason = "has changed, or gone, since it was read; run the batch again"
            line.judged.discard(tuple(one.folder for one in own))
            return [self._set_aside(one, reason) for one in altered if not self._is_away(one)]
        return [self._set_aside(one, failure.reason) for one in own]

    def _set_aside(self, own: _Own, reason: str, *, stays_in_line: bool = False) -> Told:
        """`stays_in_line`: what was seen in it stands, and the rounds of its neighbours hang on it."""
        own.exit_code = None
        reason = reason.removeprefix(f"{os.path.abspath(own.recording.path)}: ")
        own.entry = replace(own.entry, state=State.SET_ASIDE, reason=reason, run=None)
        if not stays_in_line:
            self._changed(own)
        return Told(name=own.recording.name, state=State.SET_ASIDE, reason=reason)

    def _changed(self, own: _Own) -> None:
        for line in self._lines:
            if line.own.get(own.recording.name) is own:
                line.joined = None


def _lines(recordings: Iterable[Recording], profiles: Sequence[Profile], before: dict[str, Entry]) -> Iterator[_Line]:
    by_profile: dict[Path, list[Recording]] = {}
    for recording in recordings:
        by_profile.setdefault(recording.profile.path, []).append(recording)
    tables = table_folders(profiles)
    for path, group in by_profile.items():
        names = _folder_names(tables[path], group, before)
        own = {
            recording.name: _Own(
                recording, f"{tables[path]}/{names[recording.name]}", _entry(recording, before.get(recording.name))
            )
            for recording in group
        }
        for one in own.values():
            one.former = before[one.recording.name] if one.entry.state is State.AUDITED else None
        yield _Line(group[0].profile, own)


def _folder_names(table: str, group: Sequence[Recording], before: dict[str, Entry]) -> dict[str, str]:
    """A folder name for each recording: the one it had before, so that nothing moves when others come in between."""
    kept: dict[str, str] = {}
    taken: set[str] = set()
    for recording in group:
        run = before[recording.name].run if recording.name in before else None
        top, _, rest = (run or "").partition("/")
        its_table, _, name = rest.partition("/")
        is_plain = name not in ("", ".", "..") and not any(sign in name for sign in "/\\:")
        if top == RUNS and its_table == table and is_plain and name.casefold() not in taken:
            kept[recording.name] = name
            taken.add(name.casefold())
    names = (recording.name for recording in group if recording.name not in kept)
    titles = {name: re.sub(r"[/\s]+", "_", name) for name in names}  # no blanks: people type them after a command
    return {**_distinct(titles, taken), **kept}


def _distinct(titles: dict[str, str], taken: set[str]) -> dict[str, str]:
    """File names for titles, distinct from one another and from those taken."""
    given = {}
    for name, title in titles.items():
        stem, number = safe_names([title])[title], 1
        choice = stem
        while choice.casefold() in taken:
            number += 1
            choice = f"{stem}-{number}"
        taken.add(choice.casefold())
        given[name] = choice
    return given


def _entry(recording: Recording, before: Entry | None) -> Entry:
    """As it stands in the record of an earlier batch, as far as that was of the same file under the same profile."""
    fresh = Entry(
        name=recording.name,
        table=recording.table,
        profile=recording.profile.path.name,
        start=recording.start,
        dealer=recording.dealer,
        bytes=recording.bytes,
    )
    if before is None or before.state is not State.AUDITED:
        return fresh
    same = (before.table, before.profile, before.bytes) == (fresh.table, fresh.profile, fresh.bytes)
    return replace(before, start=fresh.start, dealer=fresh.dealer, reason="") if same else fresh


def _was_audited(aside: SetAside, before: Entry | None) -> bool:
    """Whether it is set aside only because it is not there now, and was audited under the same profile."""
    if before is None or not aside.away or aside.profile is None:
        return False
    told = (aside.table, aside.profile.path.name)
    return before.state is State.AUDITED and (before.table, before.profile) == told


def _recording_of(aside: SetAside, before: Entry) -> Recording:
    """What is away, as it was."""
    assert aside.path is not None and aside.profile is not None
    return Recording(
        name=aside.name,
        path=aside.path,
        table=aside.profile.table.id,
        profile=aside.profile,
        start=aside.start,
        dealer=aside.dealer,
        bytes=before.bytes,
        to_the_minute=aside.to_the_minute,
    )


def _as_looked_at(entry: Entry, former: Entry) -> Entry:
    """The entry, with what its run folder stands on when that was not made anew."""
    return replace(
        entry, read_s=former.read_s, holes=former.holes, triage=former.triage, passed_over=former.passed_over
    )


def _unusable(aside: SetAside) -> Entry:
    return Entry(
        name=aside.name,
        table=aside.table,
        profile=aside.profile.path.name if aside.profile else None,
        start=aside.start,
        dealer=aside.dealer,
        state=State.SET_ASIDE,
        reason=aside.reason,
        bytes=aside.bytes,
    )


def _as_holes(told: Iterable[tuple[float, float, str]]) -> tuple[Hole, ...]:
    return tuple(Hole(start_s=start, end_s=end, reason=reason) for start, end, reason in told)


def _order(entry: Entry) -> Any:
    dated = entry.start is not None
    start = entry.start or datetime.min.replace(tzinfo=UTC)
    return (entry.table is None, natural(entry.table or ""), not dated, start, natural(entry.name))


def _alike(recordings: Sequence[Recording]) -> list[Recording]:
    """Those that have the same beginning, middle and end as another one, so that only these are read whole."""
    groups: dict[object, list[Recording]] = {}
    for recording in recordings:
        groups.setdefault((recording.bytes, _sample(recording)), []).append(recording)
    return [recording for group in groups.values() if len(group) > 1 for recording in group]


def _sample(recording: Recording) -> object:
    digest = hashlib.sha256()
    try:
        with recording.path.open("rb") as stream:
            for place in (0, recording.bytes // 2, max(0, recording.bytes - _SAMPLE_BYTES)):
                stream.seek(place)
                digest.update(stream.read(_SAMPLE_BYTES))
    except OSError:
        return recording.name  # reading it will tell
    return digest.digest()


def _hash_or_none(recording: Recording) -> str | None:
    try:
        return sha256_of(recording.path)
    except FootageError:
        return None


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns
