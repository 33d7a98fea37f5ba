"""The figures of a shift report."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from handreplay.report.shift.intervals import rate
from handreplay.report.shift.tally import Count, Table, Tally
from handreplay.report.shift.values import (
    READ,
    Again,
    CodeLine,
    DealerLine,
    Found,
    Hour,
    Kind,
    Money,
    NoRecording,
    Piece,
    Played,
    Rate,
    Recording,
    Share,
    Shift,
    TableLine,
    Take,
    WagerLine,
    Window,
)

ENOUGH_WAGERS = 100  # judged; with none of them wrong the true rate may still be 3.7%
HALF = 0.5  # of a recording judged; below that it is on the list to look at again


def shift_of(
    recordings: Iterable[Recording], missing: Iterable[NoRecording] = (), window: Window | None = None
) -> Shift:
    """The report's figures. Recordings come in order of table, start and name; each is read once and let go."""
    tally = Tally(window or Window())
    for recording in recordings:
        tally.take(recording)
    tally.finish()
    for gap in missing:
        tally.missing(gap)
    order = list(Kind)
    faults = [finding for finding in tally.findings if not finding.question]
    questions = [finding for finding in tally.findings if finding.question]
    all_ = tally.all
    overall = rate(all_.wrong, all_.right + all_.wrong, all_.open)
    dealers = [_dealer(name, count, overall.share) for name, count in tally.dealers.items() if name is not None]
    dealers.sort(key=lambda line: (line.dealer.casefold(), line.dealer))
    return Shift(
        window=tally.window,
        takes=tuple(tally.takes),
        rounds=tuple(tally.rounds),
        findings=(*sorted(faults, key=lambda fault: -abs(fault.variance_cents or 0)), *questions),
        coverage=tuple(
            Share(kind=kind, reason=reason, seconds=line.seconds, takes=tuple(line.takes), rounds=tuple(line.rounds))
            for (kind, reason), line in sorted(
                tally.lines.items(), key=lambda item: (order.index(item[0][0]), -item[1].seconds, item[0][1])
            )
        ),
        tables=tuple(
            _table(name, table, tally.rounds)
            for name, table in sorted(tally.tables.items())
            if table.takes or table.pieces
        ),
        codes=_codes(tally.findings),
        wagers=tuple(_wager(game, name, count) for (game, name), count in sorted(tally.wagers.items())),
        dealers=tuple(line for line in dealers if line.rate.judged >= ENOUGH_WAGERS),
        few=tuple(line for line in dealers if line.rate.judged < ENOUGH_WAGERS),
        nameless_rounds=tally.dealers[None].rounds if None in tally.dealers else 0,
        again=_again(tally.takes, tally.findings),
        undated=tuple(number for number, take in enumerate(tally.takes) if take.start is None),
        left_out=tuple(tally.left_out),
        money=_money(faults),
        wagers_rate=overall,
        shared_wrong=all_.shared,
    )


def hour_of(moment: datetime, zone: str | None) -> datetime:
    """When the clock hour began in which this moment lies, UTC."""
    local = moment.astimezone(ZoneInfo(zone) if zone else UTC)
    return local.replace(minute=0, second=0, microsecond=0).astimezone(UTC)


def _table(name: str, table: Table, rounds: Sequence[Played]) -> TableLine:
    pieces = sorted(table.pieces, key=lambda piece: (piece.start, piece.end))
    return TableLine(
        table=name,
        zone=table.zone,
        first=min((piece.start for piece in pieces), default=None),
        last=max((piece.end for piece in pieces), default=None),
        takes=tuple(table.takes),
        rounds=tuple(table.rounds),
        seconds=dict(table.seconds),
        pieces=tuple(pieces),
        hours=_hours(table, pieces, rounds),
    )


def _hours(table: Table, pieces: Sequence[Piece], rounds: Sequence[Played]) -> tuple[Hour, ...]:
    began: dict[datetime, list[int]] = defaultdict(list)
    for index in table.rounds:
        start = rounds[index].start
        if start is not None:
            began[hour_of(start, table.zone)].append(index)
    read: dict[datetime, float] = defaultdict(float)
    for piece in pieces:
        at = piece.start
        while piece.kind in READ and at < piece.end:
            hour = hour_of(at, table.zone)
            following = hour + timedelta(hours=1)
            end = min(piece.end, following if following > at else at + timedelta(hours=1))
            read[hour] += (end - at).total_seconds()
            at = end
    return tuple(
        Hour(start=at, rounds=tuple(began.get(at, ())), read_s=read.get(at, 0.0)) for at in sorted({*began, *read})
    )


def _codes(findings: Sequence[Found]) -> tuple[CodeLine, ...]:
    by_code: dict[str, list[Found]] = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    lines = []
    for code, own in by_code.items():
        faults = [finding.variance_cents or 0 for finding in own if not finding.question]
        lines.append(
            CodeLine(
                code=code,
                name=own[0].name,
                confirmed=sum(f.status == "confirmed" and not f.question for f in own),
                probable=sum(f.status == "probable" and not f.question for f in own),
                questions=sum(f.question for f in own),
                lost_cents=sum(amount for amount in faults if amount > 0),
                short_cents=-sum(amount for amount in faults if amount < 0),
                rounds=tuple(dict.fromkeys(f.round for f in own if f.round is not None)),
            )
        )
    return tuple(sorted(lines, key=lambda line: (-(line.lost_cents + line.short_cents), line.code)))


def _wager(game: str, wager: str, count: Count) -> WagerLine:
    return WagerLine(
        game=game,
        wager=wager,
        rate=rate(count.wrong, count.right + count.wrong, count.open),
        confirmed=count.confirmed,
        wrong_rounds=tuple(count.wrong_rounds),
        open_rounds=tuple(count.open_rounds),
    )


def _dealer(name: str, count: Count, overall: float | None) -> DealerLine:
    own = rate(count.wrong, count.right + count.wrong, count.open)
    return DealerLine(
        dealer=name,
        takes=tuple(count.takes),
        rounds=count.rounds,
        rate=own,
        lost_cents=count.lost,
        short_cents=count.short,
        wrong_rounds=tuple(count.wrong_rounds),
        open_rounds=tuple(count.open_rounds),
        apart=_apart(own, overall),
    )


def _apart(own: Rate, overall: float | None) -> bool:
    if own.low is None or own.high is None or overall is None:
        return False
    return not own.low <= overall <= own.high


def _again(takes: Sequence[Take], findings: Sequence[Found]) -> tuple[Again, ...]:
    """Recordings that were not audited, passed over in part, hardly judged, or with faults that are only probable."""
    likely = Counter(f.take for f in findings if f.status == "probable" and not f.question)
    lines = []
    for number, take in enumerate(takes):
        reasons = []
        if take.outcome != "audited":
            state = "set aside" if take.outcome == "set aside" else "not audited yet"
            reasons.append(f"{state}: {take.reason}" if take.reason else state)
        elif take.reason:
            reasons.append(take.reason)
        elif take.judged_s < HALF * take.length_s:
            reasons.append("less than half of it could be judged")
        if take.triage_s:
            reasons.append("triage passed over part of it")
        if likely[number]:
            reasons.append(f"{likely[number]} probable fault{'s' if likely[number] > 1 else ''}")
        if reasons:
            lines.append(Again(take=number, reasons=tuple(reasons), seconds=take.length_s - take.judged_s))
    return tuple(sorted(lines, key=lambda line: (-line.seconds, line.take)))


def _money(faults: Sequence[Found]) -> Money:
    sums: Counter[str] = Counter()
    for fault in faults:
        amount = fault.variance_cents or 0
        likely = "" if fault.status == "confirmed" else "likely_"
        sums[f"{likely}{'lost' if amount > 0 else 'short'}_cents"] += abs(amount)
    return Money(**sums)
