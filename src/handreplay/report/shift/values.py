"""What a shift report is made from, and what it says: plain values. Times are UTC, lengths seconds, money cents."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from handreplay.report.places import GoesOn

Outcome = Literal["audited", "set aside", "unfinished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Part of a recording, seconds from its first picture."""

    start_s: float
    end_s: float
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording as the batch left it. `start` is the time of its first picture, None when nobody told.

    `document` is its findings.json as it was read, None unless it was audited; its rounds begin in the recording.
    """

    name: str
    table: str
    outcome: Outcome
    zone: str | None = None  # of the table's clock, "America/New_York"; None when it is not known
    start: datetime | None = None
    dealer: str | None = None
    reason: str = ""
    expected_s: float | None = None  # as long as the file says it is
    read_s: float = 0.0
    holes: tuple[Stretch, ...] = ()
    passed_over: tuple[Stretch, ...] = ()
    folder: str = ""  # of its run, below the batch's own, with forward slashes
    document: Mapping[str, Any] | None = None
    goes_on: Mapping[int, tuple[GoesOn, ...]] = field(default_factory=dict)  # round -> recordings that it runs on into


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRecording:
    """Time of a table in which nothing was recorded."""

    table: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Window:
    """What of the night is asked for. A side without a time is open; a time without an offset is the table's own."""

    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self.since is not None or self.until is not None


class Kind(StrEnum):
    """What became of a second of a table's night. Every second has one kind."""

    JUDGED = "judged"
    QUESTIONED = "in rounds with open questions"
    INCOMPLETE = "in incomplete rounds"
    PASSED_OVER = "passed over by triage"
    UNSEEN = "not seen"
    SET_ASIDE = "in recordings set aside"
    UNFINISHED = "in recordings not audited yet"
    UNRECORDED = "without any recording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a table's night for its bar."""

    start: datetime
    end: datetime
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """A recording in the report."""

    name: str
    table: str
    outcome: Outcome
    reason: str
    zone: str | None
    start: datetime | None
    dealer: str | None
    folder: str
    length_s: float
    judged_s: float
    expected_known: bool  # whether the file told its length
    rounds: tuple[int, ...]  # places in Shift.rounds
    triage_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A round in the report; `take` is the place of its recording in Shift.takes."""

    take: int
    number: int
    start_s: float
    end_s: float
    start: datetime | None
    verdict: str
    why: str  # why it could not be judged in full; "" when it could
    right: int  # wagers
    wrong: int
    open: int
    variance_cents: int  # of its faults
    open_stake_cents: int  # staked on wagers that could not be judged
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding in the report. `round` is the place of its round in Shift.rounds, None when that was not rebuilt."""

    take: int
    round: int | None
    number: int  # of the round, as the run counts
    code: str
    name: str
    status: str
    confidence: float
    seat: int | None
    wager: str | None
    t: float  # in the recording that its round begins in
    look_in: str  # the recording that shows it; its round may run on into another than its own
    look_s: float  # in that recording
    start: datetime | None
    expected_cents: int | None
    observed_cents: int | None
    variance_cents: int | None
    citation: str
    remedy: str
    message: str

    @property
    def question(self) -> bool:
        return self.status == "review" or self.code.startswith("FT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Wrong among the judged, with the 95% interval; all three None while nothing was judged."""

    wrong: int
    judged: int
    open: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A line of the coverage: seconds of one kind and reason, with the recordings and rounds behind them."""

    kind: Kind
    reason: str
    seconds: float
    takes: tuple[int, ...] = ()
    rounds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour:
    """A clock hour of a table: when it begins and the rounds that began in it."""

    start: datetime
    rounds: tuple[int, ...]
    read_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine:
    table: str
    zone: str | None
    first: datetime | None
    last: datetime | None
    takes: tuple[int, ...]
    rounds: tuple[int, ...]
    seconds: Mapping[Kind, float]
    pieces: tuple[Piece, ...]
    hours: tuple[Hour, ...]

    @property
    def expected_s(self) -> float:
        return sum(self.seconds.values())

    @property
    def read_s(self) -> float:
        return sum(self.seconds.get(kind, 0.0) for kind in READ)

    @property
    def judged_s(self) -> float:
        return self.seconds.get(Kind.JUDGED, 0.0)

    @property
    def rounds_per_hour(self) -> float | None:
        return len(self.rounds) * 3600 / self.read_s if self.read_s else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLine:
    code: str
    name: str
    confirmed: int
    probable: int
    questions: int
    lost_cents: int
    short_cents: int
    rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerLine:
    game: str
    wager: str
    rate: Rate
    confirmed: int
    wrong_rounds: tuple[int, ...]
    open_rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerLine:
    dealer: str
    takes: tuple[int, ...]
    rounds: int
    rate: Rate
    lost_cents: int
    short_cents: int
    wrong_rounds: tuple[int, ...]
    open_rounds: tuple[int, ...]
    apart: bool  # the interval leaves out the rate of all dealers together


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A recording to look at again, with the reasons and the seconds of it that were not judged."""

    take: int
    reasons: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    lost_cents: int = 0  # by the house, confirmed
    short_cents: int = 0  # players, confirmed
    likely_lost_cents: int = 0  # probable
    likely_short_cents: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """All that the report says. Indices are places in `takes` and `rounds`, which are in order of table and time."""

    window: Window
    takes: tuple[Take, ...]
    rounds: tuple[Played, ...]
    findings: tuple[Found, ...]  # faults by money, then questions in order of time
    coverage: tuple[Share, ...]
    tables: tuple[TableLine, ...]
    codes: tuple[CodeLine, ...]
    wagers: tuple[WagerLine, ...]
    dealers: tuple[DealerLine, ...]  # with enough wagers judged, by name
    few: tuple[DealerLine, ...]  # too few to say, by name
    nameless_rounds: int  # of which nobody told who dealt
    again: tuple[Again, ...]
    undated: tuple[int, ...]  # takes of unknown time, which no bar shows
    left_out: tuple[str, ...]  # names of those that a window leaves out since their time is not known
    money: Money
    wagers_rate: Rate  # all wagers together
    shared_wrong: int  # of its wrong ones, those of which one finding speaks together: a void round, the payout limit

    @property
    def expected_s(self) -> float:
        return sum(line.seconds for line in self.coverage)

    @property
    def judged_s(self) -> float:
        return self.seconds(Kind.JUDGED)

    @property
    def whole(self) -> bool:
        """Whether everything expected was judged: no question, nothing unseen, nothing left aside."""
        return (
            bool(self.rounds)
            and all(line.kind is Kind.JUDGED or not line.seconds for line in self.coverage)
            and all(take.outcome == "audited" for take in self.takes)
            and not self.left_out
            and not self.wagers_rate.open
            and not any(finding.question for finding in self.findings)
            and all(round_.verdict in ("clean", "finding") for round_ in self.rounds)
        )

    @property
    def unknown_lengths(self) -> int:
        """Recordings that were not audited and of which nobody knows how long they are."""
        return sum(not take.expected_known and take.outcome != "audited" for take in self.takes)

    def seconds(self, *kinds: Kind) -> float:
        return sum(line.seconds for line in self.coverage if line.kind in kinds)


READ = (Kind.JUDGED, Kind.QUESTIONED, Kind.INCOMPLETE, Kind.PASSED_OVER)
