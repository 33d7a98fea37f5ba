"""The shift report for spreadsheets: one CSV table of rounds and findings, or an XLSX file of several sheets."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from handreplay.report.shift import text
from handreplay.report.shift.values import DealerLine, Found, Kind, Played, Rate, Shift, Take
from handreplay.report.spreadsheets import Cell, Rows, comma_separated, workbook

PLACE_HEAD = ["table", "recording", "dealer", "run", "round", "seconds", "position", "clock"]
ROUND_HEAD = ["verdict", "why", "right", "wrong", "not_judged", "stake_not_judged", "round_variance"]
FINDING_HEAD = [
    "code", "name", "status", "confidence", "seat", "wager", "expected", "observed", "variance", "citation", "remedy",
    "message",
]  # fmt: skip
RATE_HEAD = ["judged", "wrong", "rate", "rate_from", "rate_to", "not_judged"]


def shift_csv(shift: Shift) -> bytes:
    """One table: a row for each round, under it one for each of its findings, and rows for what was not audited.

    The column `row` says which: round, finding, recording (that was not audited), no recording.
    """
    return comma_separated(["row", *PLACE_HEAD, *ROUND_HEAD, *FINDING_HEAD], list(_tidy(shift)))


def shift_workbook(shift: Shift) -> bytes:
    return workbook(
        [
            ("Coverage", ["table", "what", "why", "seconds", "share", "recordings", "rounds"], _coverage(shift)),
            ("Findings", [*PLACE_HEAD, *FINDING_HEAD], [_finding(shift, found) for found in shift.findings]),
            ("Wagers", ["game", "wager", *RATE_HEAD, "confirmed"], _wagers(shift)),
            ("Dealers", ["dealer", "rounds", *RATE_HEAD, "house_lost", "players_short", "says"], _dealers(shift)),
            ("Rounds", [*PLACE_HEAD, *ROUND_HEAD, "codes"], [_round(shift, r, codes=True) for r in shift.rounds]),
            ("Recordings", ["table", "recording", "run", "dealer", "start", "state", "why", "seconds", "judged_seconds",
                            "passed_over_seconds", "rounds", "look_again"], _recordings(shift)),
        ]
    )  # fmt: skip


def _tidy(shift: Shift) -> Iterator[list[Cell]]:
    found: dict[tuple[int, int | None], list[Found]] = defaultdict(list)
    for finding in shift.findings:
        found[finding.take, finding.round].append(finding)
    blank_round: list[Cell] = [None] * len(ROUND_HEAD)
    blank_finding: list[Cell] = [None] * len(FINDING_HEAD)
    for number, take in enumerate(shift.takes):
        if take.outcome != "audited":
            why = f"{text.OUTCOMES[take.outcome]}: {take.reason}".removesuffix(": ")
            place = _place(take, None, None, take.start)
            yield ["recording", *place, None, why, *blank_round[2:], *blank_finding]
        for index in (*take.rounds, None):
            if index is not None:
                yield ["round", *_round(shift, shift.rounds[index]), *blank_finding]
            for finding in sorted(found[number, index], key=lambda finding: (finding.t, finding.code)):
                cells = _finding(shift, finding)
                own = _round(shift, shift.rounds[index]) if index is not None else [*_unknown_round(shift, finding)]
                yield ["finding", *cells[: len(PLACE_HEAD)], *own[len(PLACE_HEAD) :], *cells[len(PLACE_HEAD) :]]
    for line in shift.tables:
        for piece in line.pieces:
            if piece.kind is Kind.UNRECORDED:
                place = [line.table, None, None, None, None, None, None, _iso(piece.start, line.zone)]
                seconds = (piece.end - piece.start).total_seconds()
                yield ["no recording", *place, None, text.length(seconds), *blank_round[2:], *blank_finding]


def _unknown_round(shift: Shift, finding: Found) -> list[Cell]:
    take = shift.takes[finding.take]
    return [*_look(take, finding), "incomplete", "the round could not be rebuilt",
            *[None] * (len(ROUND_HEAD) - 2)]  # fmt: skip


def _look(take: Take, finding: Found) -> list[Cell]:
    return _place(take, finding.number, finding.look_s, finding.start, finding.look_in)


def _place(
    take: Take, number: int | None, seconds: float | None, moment: datetime | None, look_in: str | None = None
) -> list[Cell]:
    return [
        take.table,
        look_in or take.name,
        take.dealer,
        take.folder or None,
        number,
        None if seconds is None else round(seconds, 3),
        None if seconds is None else text.hms(seconds),
        _iso(moment, take.zone),
    ]


def _iso(moment: datetime | None, zone: str | None) -> str | None:
    return None if moment is None else text.local(moment, zone).isoformat(timespec="seconds")


def _round(shift: Shift, played: Played, *, codes: bool = False) -> list[Cell]:
    cells: list[Cell] = [
        *_place(shift.takes[played.take], played.number, played.start_s, played.start),
        played.verdict,
        played.why or None,
        played.right,
        played.wrong,
        played.open,
        _dollars(played.open_stake_cents),
        _dollars(played.variance_cents),
    ]
    return [*cells, " ".join(played.codes)] if codes else cells


def _finding(shift: Shift, finding: Found) -> list[Cell]:
    return [
        *_look(shift.takes[finding.take], finding),
        finding.code,
        finding.name,
        finding.status,
        round(finding.confidence, 4),
        finding.seat,
        finding.wager,
        _dollars(finding.expected_cents),
        _dollars(finding.observed_cents),
        _dollars(finding.variance_cents),
        finding.citation or None,
        finding.remedy or None,
        finding.message or None,
    ]


def _coverage(shift: Shift) -> Rows:
    """All tables together with the reasons, then each table by kind."""
    whole = shift.expected_s
    rows: Rows = [
        ["all tables", "expected", None, round(whole, 3), 1.0 if whole else None, len(shift.takes), len(shift.rounds)]
    ]
    rows += [
        ["all tables", line.kind.value, line.reason or None, round(line.seconds, 3), _ratio(line.seconds, whole),
         len(line.takes), len(line.rounds)]
        for line in shift.coverage
    ]  # fmt: skip
    for line in shift.tables:
        rows.append([line.table, "expected", None, round(line.expected_s, 3), 1.0 if line.expected_s else None,
                     len(line.takes), len(line.rounds)])  # fmt: skip
        rows += [
            [line.table, kind.value, None, round(line.seconds[kind], 3), _ratio(line.seconds[kind], line.expected_s),
             None, None]
            for kind in Kind
            if line.seconds.get(kind)
        ]  # fmt: skip
    return rows


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 6) if whole else None


def _rate(rate: Rate) -> list[Cell]:
    shares = [None if share is None else round(share, 6) for share in (rate.share, rate.low, rate.high)]
    return [rate.judged, rate.wrong, *shares, rate.open]


def _wagers(shift: Shift) -> Rows:
    return [[line.game, line.wager, *_rate(line.rate), line.confirmed] for line in shift.wagers]


def _dealers(shift: Shift) -> Rows:
    def row(line: DealerLine, says: str | None) -> list[Cell]:
        rate = _rate(line.rate) if says is None else [line.rate.judged, line.rate.wrong, *[None] * 3, line.rate.open]
        return [line.dealer, line.rounds, *rate, _dollars(line.lost_cents), _dollars(line.short_cents), says]

    return [*(row(line, None) for line in shift.dealers), *(row(line, "too few to say") for line in shift.few)]


def _recordings(shift: Shift) -> Rows:
    again = {line.take: "; ".join(line.reasons) for line in shift.again}
    return [
        [
            take.table,
            take.name,
            take.folder or None,
            take.dealer,
            _iso(take.start, take.zone),
            text.OUTCOMES[take.outcome],
            take.reason or None,
            round(take.length_s, 3) if take.expected_known or take.outcome == "audited" else None,
            round(take.judged_s, 3),
            round(take.triage_s, 3),
            len(take.rounds),
            again.get(number),
        ]
        for number, take in enumerate(shift.takes)
    ]


def _dollars(cents: int | None) -> Decimal | None:
    return None if cents is None else Decimal(cents) / 100
