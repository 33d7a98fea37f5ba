"""Counts recordings one at a time: what a findings.json holds is let go after its turn."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from handreplay.errors import HandreplayError
from handreplay.report.places import spot_among
from handreplay.report.questions import is_question
from handreplay.report.shift.coverage import JUDGED, Label, Labelled, labelled, length_of, painted
from handreplay.report.shift.values import Found, Kind, NoRecording, Piece, Played, Recording, Stretch, Take, Window
from handreplay.report.wager_verdicts import OF_SEVERAL, wager_verdict

WHY = {  # the gravest first: a round has one reason in the coverage
    "FT02": "the camera had moved",
    "FT01": "footage is missing, or the round's beginning or end is not shown",
    "FT05": "a place that matters was covered",
    "FT03": "a card could not be read",
    "FT04": "chips could not be read",
}
TRIAGED = "triage looked at key pictures only; audit the recording in full"
NOT_IN_FULL = "the round is not shown in full"
UNDECIDED = "a rule could not be decided"
Fields = Mapping[str, Any]
Flaw = tuple[float, float, Label]  # start and end in seconds of a recording, or UTC times as seconds


@dataclass(slots=True)
class Count:
    """Wagers of one kind, or of one dealer."""

    right: int = 0
    wrong: int = 0
    open: int = 0
    confirmed: int = 0
    shared: int = 0  # of the wrong, those of which one finding speaks together
    lost: int = 0
    short: int = 0
    rounds: int = 0
    takes: list[int] = field(default_factory=list)
    wrong_rounds: list[int] = field(default_factory=list)
    open_rounds: list[int] = field(default_factory=list)

    def add(self, told: str, confirmed: bool, shared: bool, round_: int) -> None:
        if told == "right":
            self.right += 1
        elif told == "wrong":
            self.wrong += 1
            self.confirmed += confirmed
            self.shared += shared
            _once(self.wrong_rounds, round_)
        else:
            self.open += 1
            _once(self.open_rounds, round_)


@dataclass(slots=True)
class Table:
    zone: str | None = None
    takes: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    seconds: dict[Kind, float] = field(default_factory=lambda: defaultdict(float))
    pieces: list[Piece] = field(default_factory=list)
    running_on: list[Flaw] = field(default_factory=list)  # rounds not judged that go on into the next recording


@dataclass(slots=True)
class Line:
    seconds: float = 0.0
    takes: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)


class Tally:
    def __init__(self, window: Window) -> None:
        self.window = window
        self.takes: list[Take] = []
        self.rounds: list[Played] = []
        self.findings: list[Found] = []
        self.left_out: list[str] = []
        self.tables: dict[str, Table] = {}
        self.lines: dict[Label, Line] = defaultdict(Line)
        self.wagers: dict[tuple[str, str], Count] = defaultdict(Count)
        self.dealers: dict[str | None, Count] = defaultdict(Count)
        self.all = Count()
        self._aside: list[tuple[Table, int, datetime, list[Labelled]]] = []

    def take(self, recording: Recording) -> None:
        """Count one recording; those of a table come in order of time."""
        since, until = bounds(self.window, recording.zone)
        if recording.start is None and self.window:
            self.left_out.append(recording.name)
            return
        table = self.tables.setdefault(recording.table, Table())
        table.zone = table.zone or recording.zone
        number, first = len(self.takes), len(self.rounds)
        flaws = [] if recording.document is None else self._document(recording, recording.document, since, until)
        strip = labelled(recording, _own(flaws, table.running_on, recording.start))
        table.running_on = _later(flaws, table.running_on, recording)
        parts = [part for part in (_cut(part, recording.start, since, until) for part in strip) if part is not None]
        begun = recording.start is not None and _within(recording.start, since, until)
        if self.window and not parts and len(self.rounds) == first and (length_of(recording) or not begun):
            return
        table.takes.append(number)
        table.rounds += range(first, len(self.rounds))
        self.takes.append(_take(recording, parts, tuple(range(first, len(self.rounds)))))
        if recording.outcome != "audited" and recording.start is not None:
            self._aside.append((table, number, recording.start, parts))
        else:
            self._parts(table, number, parts, recording.start)

    def finish(self) -> None:
        """Count the recordings that were not audited, once all are known: time that another one shows is not lost."""
        for table, number, start, parts in self._aside:
            shown = [
                Labelled((piece.start - start).total_seconds(), (piece.end - start).total_seconds(), JUDGED)
                for piece in table.pieces
            ]
            left = [part for part in painted(parts, shown) if part.label != JUDGED]
            length = sum(part.end_s - part.start_s for part in left)
            self.takes[number] = replace(self.takes[number], length_s=length)
            self._parts(table, number, left, start)

    def missing(self, gap: NoRecording) -> None:
        table = self.tables.setdefault(gap.table, Table())
        since, until = bounds(self.window, table.zone)
        start, end = max(gap.start, since or gap.start), min(gap.end, until or gap.end)
        if start < end:
            seconds = (end - start).total_seconds()
            self.lines[Kind.UNRECORDED, ""].seconds += seconds
            table.seconds[Kind.UNRECORDED] += seconds
            table.pieces.append(Piece(start=start, end=end, kind=Kind.UNRECORDED))

    def _parts(self, table: Table, number: int, parts: Sequence[Labelled], start: datetime | None) -> None:
        for part in parts:
            kind, _ = part.label
            seconds = part.end_s - part.start_s
            line = self.lines[part.label]
            line.seconds += seconds
            _once(line.takes, number)
            table.seconds[kind] += seconds
            if start is not None:
                begins, ends = (start + timedelta(seconds=s) for s in (part.start_s, part.end_s))
                table.pieces.append(Piece(start=begins, end=ends, kind=kind))

    def _document(
        self, recording: Recording, document: Fields, since: datetime | None, until: datetime | None
    ) -> list[Flaw]:
        """Count the rounds that begin within the times asked for; returns what of the recording they leave unjudged."""
        found: dict[int, list[Fields]] = defaultdict(list)
        for finding in document["findings"]:
            found[finding["round"]].append(finding)
        flaws: list[Flaw] = []
        for entry in document["rounds"]:
            own = found.pop(entry["round"], [])
            label = _label(entry["verdict"], own)
            if label[1] in (WHY["FT01"], NOT_IN_FULL) and _only_triaged(recording, entry["start"], entry["end"]):
                label = label[0], TRIAGED
            if label != JUDGED:
                flaws.append((entry["start"], entry["end"], label))
            if _asked_for(recording, entry["start"], since, until):
                self._round(recording, str(document["game"]), entry, own, label)
        for own in found.values():  # about no round that could be rebuilt
            self.findings += (
                _found(finding, recording, len(self.takes), None)
                for finding in own
                if _asked_for(recording, finding["t"], since, until)
            )
        return flaws

    def _round(self, recording: Recording, game: str, entry: Fields, own: Sequence[Fields], label: Label) -> None:
        index = len(self.rounds)
        states = _states(entry, own)
        dealer = self.dealers[recording.dealer]
        for row, state in zip(entry["settlement"], states, strict=True):
            for count in (self.all, self.wagers[game, row["wager"]], dealer):
                count.add(*state, index)
        faults = [finding["variance_cents"] or 0 for finding in own if not is_question(finding)]
        dealer.lost += sum(amount for amount in faults if amount > 0)
        dealer.short -= sum(amount for amount in faults if amount < 0)
        dealer.rounds += 1
        _once(dealer.takes, len(self.takes))
        if label != JUDGED:
            self.lines[label].rounds.append(index)
        tally = Counter(told for told, _, _ in states)
        open_rows = (row for row, (told, _, _) in zip(entry["settlement"], states, strict=True) if told == "open")
        self.rounds.append(
            Played(
                take=len(self.takes),
                number=entry["round"],
                start_s=entry["start"],
                end_s=entry["end"],
                start=_moment(recording, entry["start"]),
                verdict=entry["verdict"],
                why=label[1],
                right=tally["right"],
                wrong=tally["wrong"],
                open=tally["open"],
                variance_cents=sum(faults),
                open_stake_cents=sum(row["staked_cents"] or 0 for row in open_rows),
                codes=tuple(dict.fromkeys(finding["code"] for finding in own)),
            )
        )
        self.findings += (_found(finding, recording, len(self.takes), index) for finding in own)


def bounds(window: Window, zone: str | None) -> tuple[datetime | None, datetime | None]:
    """The window in UTC; times without an offset are of this time zone, UTC where none is known.

    Raises HandreplayError for a time that its clocks showed twice or not at all.
    """

    def utc(moment: datetime | None) -> datetime | None:
        if moment is None or moment.tzinfo is not None:
            return None if moment is None else moment.astimezone(UTC)
        first, second = (moment.replace(tzinfo=ZoneInfo(zone) if zone else UTC, fold=fold) for fold in (0, 1))
        if first.utcoffset() != second.utcoffset():
            told = f"{moment:%Y-%m-%d %H:%M:%S}"
            raise HandreplayError(f"{told} is no single moment in {zone}, where clocks were changed; give its offset")
        return first.astimezone(UTC)

    return utc(window.since), utc(window.until)


def _moment(recording: Recording, seconds: float) -> datetime | None:
    return None if recording.start is None else recording.start + timedelta(seconds=seconds)


def _asked_for(recording: Recording, seconds: float, since: datetime | None, until: datetime | None) -> bool:
    moment = _moment(recording, seconds)
    return moment is None or _within(moment, since, until)


def _within(moment: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or moment >= since) and (until is None or moment < until)


def _cut(part: Labelled, start: datetime | None, since: datetime | None, until: datetime | None) -> Labelled | None:
    """The part as far as it lies within the times asked for."""
    if start is None:
        return part
    begins, ends = part.start_s, part.end_s
    if since is not None:
        begins = max(begins, (since - start).total_seconds())
    if until is not None:
        ends = min(ends, (until - start).total_seconds())
    return replace(part, start_s=begins, end_s=ends) if begins < ends else None


def _label(verdict: str, own: Sequence[Fields]) -> Label:
    codes = {finding["code"] for finding in own if is_question(finding)}
    if verdict == "incomplete" or codes & {"FT01", "FT02"}:
        return Kind.INCOMPLETE, next((why for code, why in WHY.items() if code in codes), NOT_IN_FULL)
    if codes or verdict == "review":
        return Kind.QUESTIONED, next((why for code, why in WHY.items() if code in codes), UNDECIDED)
    return JUDGED


def _only_triaged(recording: Recording, start_s: float, end_s: float) -> bool:
    """Whether triage passed over some of the round, and nothing of it is missing besides."""

    def meets(stretches: Sequence[Stretch]) -> bool:
        return any(one.start_s < end_s and start_s < one.end_s for one in stretches)

    return meets(recording.passed_over) and not meets(recording.holes)


def _states(entry: Fields, own: Sequence[Fields]) -> list[tuple[str, bool, bool]]:
    """Of each settlement row: right, wrong or open; whether a wrong one is confirmed, and whether said of several."""
    states: list[tuple[str, bool, bool]] = []
    for row in entry["settlement"]:
        told, code = wager_verdict(row, own)
        about = [f for f in own if f["code"] == code and f["seat"] in (None, row["seat"])]
        sure = told == "wrong" and any(finding["status"] == "confirmed" for finding in about)
        states.append((told, sure, told == "wrong" and code in OF_SEVERAL))
    return states


def _found(finding: Fields, recording: Recording, take: int, index: int | None) -> Found:
    shown, look_s = spot_among(recording.goes_on.get(finding["round"], ()), finding["t"])
    return Found(
        take=take,
        round=index,
        number=finding["round"],
        code=finding["code"],
        name=str(finding.get("name") or ""),
        status=finding["status"],
        confidence=finding["confidence"],
        seat=finding["seat"],
        wager=finding["wager"],
        t=finding["t"],
        look_in=recording.name if shown is None else shown.file,
        look_s=look_s,
        start=_moment(recording, finding["t"]),
        expected_cents=finding["expected_cents"],
        observed_cents=finding["observed_cents"],
        variance_cents=finding["variance_cents"],
        citation=str(finding.get("citation") or ""),
        remedy=str(finding.get("remedy") or ""),
        message=str(finding.get("message") or ""),
    )


def _own(flaws: Sequence[Flaw], running_on: Sequence[Flaw], start: datetime | None) -> list[Labelled]:
    """Unjudged rounds in this recording's seconds: those that run on from an earlier one, then its own."""
    zero = None if start is None else start.timestamp()
    earlier = [] if zero is None else [Labelled(a - zero, b - zero, label) for a, b, label in running_on]
    return [*earlier, *(Labelled(*flaw) for flaw in flaws)]


def _later(flaws: Sequence[Flaw], running_on: Sequence[Flaw], recording: Recording) -> list[Flaw]:
    """What of unjudged rounds lies beyond this recording's end, in UTC."""
    if recording.start is None:
        return list(running_on)
    zero = recording.start.timestamp()
    end = zero + length_of(recording)
    placed = [*running_on, *((zero + a, zero + b, label) for a, b, label in flaws)]
    return [(max(a, end), b, label) for a, b, label in placed if b > end]


def _take(recording: Recording, parts: Sequence[Labelled], rounds: tuple[int, ...]) -> Take:
    def seconds(*kinds: Kind) -> float:
        return sum(part.end_s - part.start_s for part in parts if part.label[0] in kinds)

    return Take(
        name=recording.name,
        table=recording.table,
        outcome=recording.outcome,
        reason=recording.reason,
        zone=recording.zone,
        start=recording.start,
        dealer=recording.dealer,
        folder=recording.folder,
        length_s=seconds(*Kind),
        judged_s=seconds(Kind.JUDGED),
        expected_known=recording.expected_s is not None,
        rounds=rounds,
        triage_s=seconds(Kind.PASSED_OVER),
    )


def _once(list_: list[int], number: int) -> None:
    if not list_ or list_[-1] != number:
        list_.append(number)
