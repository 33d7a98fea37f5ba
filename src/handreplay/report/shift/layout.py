"""What stands in the shift report, in its order: sections of tables and charts, for the page and for paper alike.

A number is a cell with the anchor of the list of rounds that it stands on; those lists are at the end.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from handreplay.core.money import usd
from handreplay.report import words
from handreplay.report.shift import text
from handreplay.report.shift.numbers import ENOUGH_WAGERS
from handreplay.report.shift.values import DealerLine, Found, Hour, Kind, Rate, Share, Shift, TableLine

MOST_FAULTS = 500
MOST_REASONS = 8  # of one kind; those of less time are added up
MOST_OPEN_ROUNDS = 25
HOURS_A_TABLE = 12
MOST_POSSIBLE = 100
DEALER_NOTE = (
    f"Only dealers with at least {ENOUGH_WAGERS} judged wagers have a rate (with none of {ENOUGH_WAGERS} wrong the "
    "true rate may still be 3.7%). They are in order of name, not of rate: where intervals overlap, the footage does "
    "not tell who makes more mistakes. Of twenty dealers who are all alike, one will stand apart by chance."
)


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    anchor: str = ""  # of the rounds that it stands on
    tone: str = ""  # "fault", "open", "soft"


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    weight: float  # share of a paper's width
    number: bool = False

    @property
    def long(self) -> bool:
        """Whether its texts may need several lines."""
        return self.weight >= 44 and not self.number

    @property
    def middling(self) -> bool:
        return 28 <= self.weight < 44 and not self.number


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. A row whose first cell is empty belongs to the row above it."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    note: str = ""
    empty: str = "None."
    last: str = ""  # said under it


@dataclass(frozen=True, slots=True)
class Picture:
    chart: str  # its name in charts.draw
    says: str


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    anchor: str
    blocks: tuple[Grid | Picture, ...]


@dataclass(frozen=True, slots=True)
class RoundList:
    anchor: str
    title: str
    rounds: tuple[int, ...]


@dataclass(slots=True)
class _Lists:
    """Gives each list of rounds its anchor; an equal list under an equal title is the same one."""

    made: dict[tuple[str, tuple[int, ...]], RoundList] = field(default_factory=dict)

    def cell(self, number: str, title: str, rounds: Sequence[int], tone: str = "") -> Cell:
        if not rounds:
            return Cell(number, tone=tone)
        if len(rounds) == 1:
            return Cell(number, round_anchor(rounds[0]), tone)
        key = title, tuple(rounds)
        if key not in self.made:
            self.made[key] = RoundList(f"list-{len(self.made) + 1}", title, key[1])
        return Cell(number, self.made[key].anchor, tone)


@dataclass(frozen=True, slots=True)
class Layout:
    sections: tuple[Section, ...]
    lists: tuple[RoundList, ...]


def round_anchor(index: int) -> str:
    return f"r{index + 1}"


def take_anchor(index: int) -> str:
    return f"recording-{index + 1}"


def table_anchor(index: int) -> str:
    return f"table-{index + 1}"


def layout(shift: Shift, charts: Iterable[str]) -> Layout:
    """`charts` are the names of those that were drawn."""
    lists, drawn = _Lists(), list(charts)
    sections = (
        Section("What could be judged", "coverage", tuple(_coverage(shift, lists, drawn))),
        Section("Faults by money", "faults", (_faults(shift),)),
        Section("Questions for a person", "questions", tuple(_questions(shift))),
        Section("Findings by code", "codes", (_codes(shift, lists),)),
        Section("Wagers", "wagers", tuple(_wagers(shift, lists, drawn))),
        Section("Dealers", "dealers", tuple(_dealers(shift, lists, drawn))),
        Section("Pace", "pace", tuple(_pace(shift, lists))),
        Section("To look at again", "again", (_again(shift),)),
    )
    return Layout(sections, tuple(lists.made.values()))


def _coverage(shift: Shift, lists: _Lists, drawn: Sequence[str]) -> Iterator[Grid | Picture]:
    yield Grid(
        title="Where the time went",
        note="All time of the tables from their first recording to their last. Every second is counted once. A round "
        "of which anything is left open counts as not judged with all of its time; wagers are told one by one below.",
        columns=(
            Column("", 54),
            Column("Time", 24, True),
            Column("Share", 16, True),
            Column("Why", 72),
            Column("Recordings", 21, True),
            Column("Rounds", 15, True),
        ),
        rows=tuple(_time_rows(shift, lists)),
        empty="The batch holds no recording.",
    )
    for name in drawn:
        if name.startswith("coverage"):
            says = "Each table over the night, in its own time"
            yield Picture(name, says)
    yield _per_table(shift)
    not_audited = [(n, take) for n, take in enumerate(shift.takes) if take.outcome != "audited"]
    yield Grid(
        title="Recordings that were not audited",
        columns=(Column("Recording", 56), Column("Table", 24), Column("Began", 40), Column("Length", 22, True),
                 Column("Why", 60)),
        rows=tuple(
            (
                Cell(take.name, take_anchor(n)),
                Cell(take.table),
                Cell(text.day_clock(take.start, take.zone)),
                Cell(text.length(take.length_s) if take.expected_known else "not known"),
                Cell(f"{text.OUTCOMES[take.outcome]}: {take.reason}".removesuffix(": ")),
            )
            for n, take in not_audited
        ),
        empty="None: every recording was audited.",
        last=_left_out(shift),
    )  # fmt: skip


def _left_out(shift: Shift) -> str:
    said = []
    if shift.left_out:
        named = ", ".join(shift.left_out[:20]) + (" and others" if len(shift.left_out) > 20 else "")
        said.append(f"Left out of the times asked for, since nobody told when they began: {named}.")
    if shift.undated:
        said.append(
            f"{text.count(len(shift.undated), 'recording')} of unknown time: counted, and shown on no bar above."
        )
    return " ".join(said)


def _time_rows(shift: Shift, lists: _Lists) -> Iterator[tuple[Cell, ...]]:
    by_kind: dict[Kind, list[Share]] = defaultdict(list)
    for line in shift.coverage:
        by_kind[line.kind].append(line)
    yield (
        Cell("expected"),
        Cell(text.length(shift.expected_s)),
        Cell("100%" if shift.expected_s else "–"),
        Cell(""),
        Cell(f"{len(shift.takes):,}", "rounds"),
        Cell(f"{len(shift.rounds):,}", "rounds"),
    )
    for kind, lines in by_kind.items():
        for number, line in enumerate(_less(lines)):
            rounds = len(line.rounds)
            yield (
                Cell(kind.value if number == 0 else "", tone="" if kind is Kind.JUDGED else "open"),
                Cell(text.length(line.seconds)),
                Cell(text.share(line.seconds, shift.expected_s)),
                Cell(line.reason),
                Cell(f"{len(line.takes):,}" if line.takes else "", _takes_of(line)),
                lists.cell(f"{rounds:,}" if rounds else "", f"{kind.value}: {line.reason}", line.rounds),
            )


def _takes_of(line: Share) -> str:
    return take_anchor(line.takes[0]) if len(line.takes) == 1 else "rounds"


def _less(lines: Sequence[Share]) -> list[Share]:
    """The lines of one kind, those of least time added up when there are many."""
    if len(lines) <= MOST_REASONS:
        return list(lines)
    kept, rest = lines[: MOST_REASONS - 1], lines[MOST_REASONS - 1 :]
    added = Share(
        kind=rest[0].kind,
        reason=f"{len(rest)} other reasons",
        seconds=sum(line.seconds for line in rest),
        takes=tuple(sorted({take for line in rest for take in line.takes})),
        rounds=tuple(sorted({round_ for line in rest for round_ in line.rounds})),
    )
    return [*kept, added]


def _per_table(shift: Shift) -> Grid:
    def row(number: int, line: TableLine) -> tuple[Cell, ...]:
        return (
            Cell(line.table, table_anchor(number)),
            Cell(f"{text.day_clock(line.first, line.zone)} to {text.clock(line.last, line.zone)}"
                 if line.first else text.NO_TIME),
            Cell(text.length(line.expected_s)),
            Cell(text.share(line.judged_s, line.expected_s), tone="" if line.judged_s == line.expected_s else "open"),
            *(Cell(text.length(sum(line.seconds.get(kind, 0.0) for kind in kinds))) for kinds in _COLUMNS.values()),
        )  # fmt: skip

    return Grid(
        title="Table by table",
        columns=(
            Column("Table", 25),
            Column("From and to", 46),
            Column("Expected", 21, True),
            Column("Judged", 15, True),
            *(Column(name, 18, True) for name in _COLUMNS),
        ),
        rows=tuple(row(number, line) for number, line in enumerate(shift.tables)),
    )


_COLUMNS = {
    "Open questions": (Kind.QUESTIONED,),
    "Incomplete": (Kind.INCOMPLETE,),
    "Not seen": (Kind.UNSEEN, Kind.PASSED_OVER),
    "Not audited": (Kind.SET_ASIDE, Kind.UNFINISHED),
    "No recording": (Kind.UNRECORDED,),
}


def _place(shift: Shift, found: Found) -> tuple[Cell, Cell]:
    """The round of a finding, and when to look."""
    take = shift.takes[found.take]
    anchor = take_anchor(found.take) if found.round is None else round_anchor(found.round)
    when = f"{text.hms(found.look_s)}, {text.day_clock(found.start, take.zone)}"
    return Cell(f"{take.table}, round {found.number}", anchor), Cell(f"{found.look_in} {when}")


def _faults(shift: Shift) -> Grid:
    faults = [finding for finding in shift.findings if not finding.question]
    money = shift.money
    sums = (
        f"Confirmed: the house lost {usd(money.lost_cents)}, players are short {usd(money.short_cents)}. "
        f"Probable: {usd(money.likely_lost_cents)} and {usd(money.likely_short_cents)}. "
        "What cannot be told from the footage is no fault; it stands under the questions."
    )
    rest = len(faults) - MOST_FAULTS
    return Grid(
        note=sums,
        columns=(
            Column("Money", 22, True),
            Column("Status", 18),
            Column("Fault", 26),
            Column("Round", 30),
            Column("What", 66),
            Column("Recording and when", 46),
        ),
        rows=tuple(
            (
                Cell(text.amount(fault.variance_cents) if fault.variance_cents else "$0.00", tone="fault"),
                Cell(fault.status, tone="fault" if fault.status == "confirmed" else ""),
                Cell(f"{fault.code} {fault.name}"),
                _place(shift, fault)[0],
                Cell(fault.message),
                _place(shift, fault)[1],
            )
            for fault in faults[:MOST_FAULTS]
        ),
        empty="None was found in what could be judged.",
        last=f"{text.count(rest, 'fault')} of less money: in the tables (CSV, XLSX)." if rest > 0 else "",
    )


def _questions(shift: Shift) -> Iterator[Grid]:
    possible = [f for f in shift.findings if f.question and not f.code.startswith("FT")]
    possible.sort(key=lambda finding: -abs(finding.variance_cents or 0))
    rest = len(possible) - MOST_POSSIBLE
    yield Grid(
        title="Faults that the footage allows and does not decide",
        columns=(
            Column("Money, if so", 24, True),
            Column("Fault", 28),
            Column("Round", 30),
            Column("What", 72),
            Column("Recording and when", 54),
        ),
        rows=tuple(
            (
                Cell(text.amount(finding.variance_cents)),
                Cell(f"{finding.code} {finding.name}"),
                _place(shift, finding)[0],
                Cell(finding.message),
                _place(shift, finding)[1],
            )
            for finding in possible[:MOST_POSSIBLE]
        ),
        last=f"{text.count(rest, 'more question')} of less money: in the tables (CSV, XLSX)." if rest > 0 else "",
    )
    yield _open_rounds(shift)


def _open_rounds(shift: Shift) -> Grid:
    open_ = sorted((n for n, r in enumerate(shift.rounds) if r.open), key=lambda n: -shift.rounds[n].open_stake_cents)
    return Grid(
        title="Rounds with most money on wagers that could not be judged",
        note="Stakes as far as they were read.",
        columns=(Column("Staked", 24, True), Column("Wagers", 16, True), Column("Round", 34), Column("Why", 66),
                 Column("Recording and when", 62)),
        rows=tuple(
            (
                Cell(usd(played.open_stake_cents), tone="open"),
                Cell(str(played.open)),
                Cell(f"{take.table}, round {played.number}", round_anchor(index)),
                Cell(played.why or text.VERDICTS.get(played.verdict, "")),
                Cell(f"{take.name} {text.hms(played.start_s)}, {text.day_clock(played.start, take.zone)}"),
            )
            for index in open_[:MOST_OPEN_ROUNDS]
            for played, take in [(shift.rounds[index], shift.takes[shift.rounds[index].take])]
        ),
        empty="Every wager of every round could be judged.",
        last=f"{text.count(len(open_) - MOST_OPEN_ROUNDS, 'round')} with less: see the wagers below, and the tables."
        if len(open_) > MOST_OPEN_ROUNDS else "",
    )  # fmt: skip


def _codes(shift: Shift, lists: _Lists) -> Grid:
    return Grid(
        columns=(
            Column("Code", 16),
            Column("", 44),
            Column("Confirmed", 22, True),
            Column("Probable", 20, True),
            Column("Questions", 22, True),
            Column("House lost", 26, True),
            Column("Players short", 28, True),
            Column("Rounds", 18, True),
        ),
        rows=tuple(
            (
                Cell(line.code),
                Cell(line.name),
                *(Cell(f"{number:,}" if number else "") for number in (line.confirmed, line.probable, line.questions)),
                *(Cell(usd(cents) if cents else "") for cents in (line.lost_cents, line.short_cents)),
                lists.cell(f"{len(line.rounds):,}", f"{line.code} {line.name}", line.rounds),
            )
            for line in shift.codes
        ),
    )


_RATE_COLUMNS = (
    Column("Judged", 18, True),
    Column("Wrong", 16, True),
    Column("Rate", 16, True),
    Column("95% interval", 34, True),
    Column("Not judged", 20, True),
)


def _rate_cells(
    rate: Rate, name: str, wrong: Sequence[int], open_: Sequence[int], lists: _Lists, *, judged: str = "rounds"
) -> tuple[Cell, ...]:
    return (
        Cell(f"{rate.judged:,}", judged),
        lists.cell(f"{rate.wrong:,}", f"{name}: settled wrong", wrong, "fault" if rate.wrong else ""),
        Cell(text.rate_text(rate)),
        Cell(text.interval_text(rate)),
        lists.cell(f"{rate.open:,}", f"{name}: could not be judged", open_, "open" if rate.open else ""),
    )


def _wagers(shift: Shift, lists: _Lists, drawn: Sequence[str]) -> Iterator[Grid | Picture]:
    if "wagers" in drawn:
        yield Picture("wagers", "Share of judged wagers that were settled wrong, with its 95% interval")
    rows = []
    for line in shift.wagers:
        name = f"{words.game(line.game)} {words.wager(line.wager)}"
        cells = _rate_cells(line.rate, name, line.wrong_rounds, line.open_rounds, lists)
        rows.append((Cell(words.wager(line.wager)), Cell(words.game(line.game)), *cells))
    if shift.wagers:
        wrong = sorted({index for line in shift.wagers for index in line.wrong_rounds})
        open_ = sorted({index for line in shift.wagers for index in line.open_rounds})
        rows.append((Cell("All"), Cell(""), *_rate_cells(shift.wagers_rate, "All wagers", wrong, open_, lists)))
    yield Grid(
        note="Wrong among the judged, confirmed and probable together, with the 95% interval of Wilson. "
        f"Wagers that could not be judged count neither as right nor as wrong. {_shared(shift)}".rstrip(),
        columns=(Column("Wager", 30), Column("Game", 50), *_RATE_COLUMNS),
        rows=tuple(rows),
        empty="No wager was settled.",
    )


def _shared(shift: Shift) -> str:
    if not shift.shared_wrong:
        return ""
    return f"Of the wrong ones {shift.shared_wrong:,} lie in rounds of which one finding speaks for several wagers."


def _dealers(shift: Shift, lists: _Lists, drawn: Sequence[str]) -> Iterator[Grid | Picture]:
    if "dealers" in drawn:
        yield Picture(
            "dealers", "Share of judged wagers settled wrong by dealer, with its 95% interval; in order of name"
        )

    def row(line: DealerLine) -> tuple[Cell, ...]:
        cells = _rate_cells(line.rate, line.dealer, line.wrong_rounds, line.open_rounds, lists)
        return (
            Cell(line.dealer),
            Cell(f"{line.rounds:,}"),
            *cells,
            Cell(usd(line.lost_cents)),
            Cell(usd(line.short_cents)),
            Cell("apart from the rate of all" if line.apart else ""),
        )

    told = bool(shift.dealers or shift.few)
    yield Grid(
        note=DEALER_NOTE if told else "",
        columns=(Column("Dealer", 34), Column("Rounds", 16, True), *_RATE_COLUMNS, Column("House lost", 22, True),
                 Column("Players short", 22, True), Column("Stands", 24)),
        rows=tuple(row(line) for line in shift.dealers),
        empty=f"No dealer has {ENOUGH_WAGERS} judged wagers."
        if shift.few
        else "Nobody told who dealt; the column dealer of a manifest does.",
        last=f"{text.count(shift.nameless_rounds, 'round')} of which nobody told who dealt."
        if told and shift.nameless_rounds else "",
    )  # fmt: skip
    if shift.few:
        yield Grid(
            title="Too few to say",
            columns=(Column("Dealer", 60), Column("Rounds", 30, True), Column("Judged", 30, True),
                     Column("Wrong", 30, True), Column("Not judged", 30, True)),
            rows=tuple(
                (
                    Cell(line.dealer),
                    Cell(f"{line.rounds:,}"),
                    Cell(f"{line.rate.judged:,}"),
                    lists.cell(f"{line.rate.wrong:,}", f"{line.dealer}: settled wrong", line.wrong_rounds),
                    lists.cell(f"{line.rate.open:,}", f"{line.dealer}: could not be judged", line.open_rounds),
                )
                for line in shift.few
            ),
        )  # fmt: skip


def _pace(shift: Shift, lists: _Lists) -> Iterator[Grid]:
    yield Grid(
        title="Rounds per hour",
        note="Rounds that began, by hours of footage that was read.",
        columns=(Column("Table", 60), Column("Rounds", 24, True), Column("Read", 30, True),
                 Column("Rounds per hour", 30, True)),
        rows=tuple(
            (
                Cell(line.table, table_anchor(number)),
                Cell(f"{len(line.rounds):,}", table_anchor(number)),
                Cell(text.length(line.read_s)),
                Cell("–" if line.rounds_per_hour is None else f"{line.rounds_per_hour:.1f}"),
            )
            for number, line in enumerate(shift.tables)
        ),
    )  # fmt: skip
    by_zone: dict[str | None, list[TableLine]] = defaultdict(list)
    for line in shift.tables:
        if line.hours:
            by_zone[line.zone].append(line)
    for zone, tables in by_zone.items():
        hours = sorted({hour.start for line in tables for hour in line.hours})
        for first in range(0, len(hours), HOURS_A_TABLE):
            yield _hours(tables, hours[first : first + HOURS_A_TABLE], zone, lists)


def _hours(tables: Sequence[TableLine], hours: Sequence[datetime], zone: str | None, lists: _Lists) -> Grid:
    def cell(line: TableLine, hour: Hour | None, start: datetime) -> Cell:
        if hour is None:
            return Cell("")
        return lists.cell(str(len(hour.rounds)), f"{line.table}, hour of {text.day_clock(start, zone)}", hour.rounds)

    rows = []
    for line in tables:
        own = {hour.start: hour for hour in line.hours}
        rows.append((Cell(line.table), *(cell(line, own.get(start), start) for start in hours)))
    first = f"{text.local(hours[0], zone):%Y-%m-%d}"
    return Grid(
        title=f"Rounds begun in each hour, {zone or 'UTC'}, from {first}",
        note="An hour of which nothing was read is left empty.",
        columns=(
            Column("Table", 30),
            *(Column(f"{text.local(hour, zone):%H:%M} {text.offset(hour, zone)}", 15, True) for hour in hours),
        ),
        rows=tuple(rows),
    )


def _again(shift: Shift) -> Grid:
    return Grid(
        note="Recordings of which much was not judged, or which hold faults that are only probable; most time first.",
        columns=(Column("Recording", 60), Column("Table", 28), Column("Not judged", 26, True), Column("Why", 80)),
        rows=tuple(
            (
                Cell(shift.takes[line.take].name, take_anchor(line.take)),
                Cell(shift.takes[line.take].table),
                Cell(text.length(line.seconds) if shift.takes[line.take].expected_known else "not known"),
                Cell("; ".join(line.reasons)),
            )
            for line in shift.again
        ),
        empty="None.",
    )
