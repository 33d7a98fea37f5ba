"""Questions whose answers are single rounds, findings and stretches of time, each with where to look."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Subquery, Table, and_, case, exists, func, or_, select

from handreplay.batch.asking import MOST_ROWS, Answer, Filters, matching, narrowed, whole_rows, without_a_clock
from handreplay.batch.ledger_rows import times
from handreplay.batch.ledger_tables import FINDINGS, HOLES, RECORDINGS, ROUNDS, WAGERS
from handreplay.batch.missing_time import Gap, time_without_recording

OF_ROUNDS = ("clean", "finding", "review", "incomplete")
OF_WAGERS = ("right", "wrong", "open")
OF_FINDINGS = ("fault", "asked", "overpaid", "underpaid")
VERDICTS = (*OF_ROUNDS, *OF_WAGERS, *OF_FINDINGS)
PAYS_TOO_MUCH, PAYS_TOO_LITTLE = ("PY02", "PY03", "PY06"), ("PY01", "PY04")


def paid(*, over: bool) -> ColumnElement[bool]:
    """Findings by which the player got too much, or too little; where the amount is open, the code says which."""
    amount = FINDINGS.c.variance_cents
    codes = PAYS_TOO_MUCH if over else PAYS_TOO_LITTLE
    return or_(amount > 0 if over else amount < 0, and_(amount.is_(None), FINDINGS.c.code.in_(codes)))


def rounds(connection: Connection, filters: Filters) -> Answer:
    """One row a round, with its faults and questions; by code, wager and verdict of what happened in it."""
    fault, asked = FINDINGS.c.kind == "fault", FINDINGS.c.kind == "asked"
    sums = _per_round(
        FINDINGS,
        func.sum(case((fault, 1), else_=0)).label("faults"),
        func.sum(case((asked, 1), else_=0)).label("asked"),
        func.sum(case((fault, FINDINGS.c.variance_cents))).label("variance_cents"),
    )
    query = (
        select(
            ROUNDS.c.recording,
            ROUNDS.c.round,
            ROUNDS.c.start_s.label("look_s"),
            ROUNDS.c.start_local.label("clock"),
            ROUNDS.c.table_id.label("table"),
            ROUNDS.c.dealer,
            ROUNDS.c.verdict,
            func.coalesce(sums.c.faults, 0).label("faults"),
            func.coalesce(sums.c.asked, 0).label("asked"),
            sums.c.variance_cents,
            ROUNDS.c.batch,
        )
        .outerjoin(sums, _same_round(ROUNDS, sums))
        .where(matching(ROUNDS, filters), *_happened(filters))
        .order_by(*_in_time(ROUNDS))
    )
    return _answer(connection, "rounds", query, filters, ROUNDS)


def _happened(filters: Filters) -> list[ColumnElement[bool]]:
    """Conditions on a round by what its findings and wagers are."""
    conditions: list[ColumnElement[bool]] = []
    verdict = filters.verdict
    if verdict in OF_ROUNDS:
        conditions.append(ROUNDS.c.verdict == verdict)
    if filters.code is not None or verdict in OF_FINDINGS:
        conditions.append(exists().where(_same_round(ROUNDS, FINDINGS), _finding(filters)))
    if verdict in OF_WAGERS or (filters.wager is not None and filters.code is None and verdict not in OF_FINDINGS):
        told = [WAGERS.c.verdict == verdict] if verdict in OF_WAGERS else []
        own = narrowed(WAGERS, Filters(wager=filters.wager))
        conditions.append(exists().where(_same_round(ROUNDS, WAGERS), own, *told))
    return conditions


def _finding(filters: Filters) -> ColumnElement[bool]:
    """The condition on a finding itself, by code, wager and verdict."""
    own = Filters(code=filters.code, wager=filters.wager)
    return and_(narrowed(FINDINGS, own), *_kind(filters.verdict))


def _kind(verdict: str | None) -> list[ColumnElement[bool]]:
    if verdict in ("fault", "asked"):
        return [FINDINGS.c.kind == verdict]
    if verdict in ("overpaid", "underpaid"):
        return [FINDINGS.c.kind == "fault", paid(over=verdict == "overpaid")]
    return []


def findings(connection: Connection, filters: Filters) -> Answer:
    """One row a finding, faults first, most money first."""
    conditions = [matching(FINDINGS, filters), *_kind(filters.verdict)]
    if filters.verdict in OF_ROUNDS:
        conditions.append(exists().where(_same_round(FINDINGS, ROUNDS), ROUNDS.c.verdict == filters.verdict))
    if filters.verdict in OF_WAGERS:
        own = and_(WAGERS.c.seat == FINDINGS.c.seat, WAGERS.c.wager == FINDINGS.c.wager)
        conditions.append(exists().where(_same_round(FINDINGS, WAGERS), own, WAGERS.c.verdict == filters.verdict))
    names = (
        "recording",
        "round",
        "code",
        "name",
        "status",
        "seat",
        "wager",
        "variance_cents",
        "look_recording",
        "look_s",
    )
    query = (
        select(
            *(FINDINGS.c[name] for name in names),
            FINDINGS.c.at_local.label("clock"),
            FINDINGS.c.table_id.label("table"),
            *(FINDINGS.c[name] for name in ("dealer", "message", "batch")),
        )
        .where(*conditions)
        .order_by(
            FINDINGS.c.kind.desc(),
            func.abs(func.coalesce(FINDINGS.c.variance_cents, 0)).desc(),
            *_in_time(FINDINGS),
            FINDINGS.c.number,
        )
    )
    return _answer(connection, "findings", query, filters, FINDINGS)


def re_audit(connection: Connection, filters: Filters) -> Answer:
    """Rounds that stayed open, or whose faults are only probable: most money first, then by time.

    The money is the largest of what the doubtful findings amount to, what was staked on open wagers, and, in a round
    that stayed incomplete, what was staked at all.
    """
    doubtful = or_(FINDINGS.c.kind == "asked", FINDINGS.c.status == "probable")
    reasons = _reasons(connection, filters, doubtful)
    found = connection.execute(_doubtful_rounds(filters, doubtful)).all()
    whole_rows(found)
    rows = []
    for row in found:
        first = Counter[str](), (row.recording, row.start_s, row.start_local)
        codes, look = reasons.get((row.batch, row.recording, row.round), first)
        why = ", ".join(code if n == 1 else f"{code} x{n}" for code, n in sorted(codes.items()))
        sums = (row.doubt, row.open_staked, row.staked if row.verdict == "incomplete" else None)
        money = max((int(cents) for cents in sums if cents is not None), default=None)
        rows.append(
            (
                row.recording,
                row.round,
                *look,
                row.table_id,
                row.dealer,
                row.verdict,
                why,
                row.open or 0,
                money,
                row.batch,
            )
        )
    rows.sort(key=lambda row: (row[-2] is None, -(row[-2] or 0)))  # in time where the money is the same
    columns = (
        *("recording", "round", "look_recording", "look_s", "clock", "table", "dealer"),
        *("verdict", "why", "open_wagers", "money_cents", "batch"),
    )
    notes = (
        "money: what doubtful findings amount to, or was staked on open wagers, or at all where a round is incomplete; "
        "the most of these.",
        *without_a_clock(connection, filters, ROUNDS, "rounds"),
    )
    return Answer("re-audit", columns, rows, notes)


def _doubtful_rounds(filters: Filters, doubtful: ColumnElement[bool]) -> Select[Any]:
    doubts = _per_round(FINDINGS, func.sum(func.abs(FINDINGS.c.variance_cents)).label("cents"), where=(doubtful,))
    is_open = WAGERS.c.verdict == "open"
    staked = _per_round(
        WAGERS,
        func.sum(case((is_open, 1), else_=0)).label("open"),
        func.sum(case((is_open, WAGERS.c.staked_cents))).label("open_cents"),
        func.sum(WAGERS.c.staked_cents).label("cents"),
    )
    sums = (
        doubts.c.cents.label("doubt"),
        staked.c.open,
        staked.c.open_cents.label("open_staked"),
        staked.c.cents.label("staked"),
    )
    worth_watching = or_(ROUNDS.c.judged == "no", doubts.c.round.is_not(None), staked.c.open > 0)
    return (
        select(ROUNDS, *sums)
        .outerjoin(doubts, _same_round(ROUNDS, doubts))
        .outerjoin(staked, _same_round(ROUNDS, staked))
        .where(matching(ROUNDS, filters), worth_watching)
        .order_by(*_in_time(ROUNDS))
        .limit(MOST_ROWS + 1)
    )


Look = tuple[str, float, str | None]  # recording, second and time of day of one and the same moment
Doubts = dict[tuple[str, str, int], tuple[Counter[str], Look]]


def _reasons(connection: Connection, filters: Filters, doubtful: ColumnElement[bool]) -> Doubts:
    """By round, the codes of its doubtful findings, and where to look at the first."""
    query = select(FINDINGS).where(matching(FINDINGS, filters), doubtful).order_by(FINDINGS.c.t_s, FINDINGS.c.number)
    reasons: Doubts = {}
    for row in connection.execute(query):
        key = (row.batch, row.recording, row.round)
        codes, _ = reasons.setdefault(key, (Counter[str](), (row.look_recording, row.look_s, row.at_local)))
        codes[row.code] += 1
    return reasons


def not_judged(connection: Connection, filters: Filters) -> Answer:
    """Stretches of time of which nothing, or not all, was judged."""
    own, audited = matching(RECORDINGS, filters), RECORDINGS.c.state == "audited"
    stretches: list[tuple[Any, float | None, float | None, str]] = []  # row, from, how long, why
    for row in connection.execute(select(RECORDINGS).where(own, ~audited)):
        stretches.append((row, 0.0, row.expected_s, f"{row.state}: {row.reason}".rstrip(": ")))
    same = and_(HOLES.c.batch == RECORDINGS.c.batch, HOLES.c.recording == RECORDINGS.c.recording)
    for row in connection.execute(select(HOLES, *_start(RECORDINGS)).join(RECORDINGS, same).where(own, audited)):
        stretches.append((row, row.start_s, row.end_s - row.start_s, f"{row.kind}: {row.reason}"))
    same = and_(ROUNDS.c.batch == RECORDINGS.c.batch, ROUNDS.c.recording == RECORDINGS.c.recording)
    gaps = time_without_recording(connection, filters)
    left_open = select(
        *(ROUNDS.c[name] for name in ("batch", "recording", "table_id", "round", "start_s", "end_s", "verdict")),
        *_start(RECORDINGS),
    ).join(RECORDINGS, same)
    for row in connection.execute(left_open.where(own, ROUNDS.c.judged == "no")):
        why = "is incomplete" if row.verdict == "incomplete" else "leaves a question"
        lasts = row.end_s - row.start_s - _without_recording(row, gaps)
        stretches.append((row, row.start_s, lasts, f"round {row.round} {why}"))
    rows = []
    for row, since, lasts, why in stretches:
        clock = _clock(row.start_utc, row.time_zone, since or 0.0)
        rows.append(
            ((row.table_id, row.recording, since, lasts, clock["start_local"], why, row.batch), clock["start_utc"])
        )
    for gap in gaps:
        rows.append(((gap.table, None, None, gap.seconds, gap.start_local, "no recording", gap.batch), gap.start_utc))
    rows.sort(key=lambda r: (r[0][0] is None, r[0][0] or "", r[1] or "", r[0][1] or "", r[0][2] or 0.0, r[0][5]))
    columns = ("table", "recording", "look_s", "lasts_s", "clock", "why", "batch")
    notes = without_a_clock(connection, filters, RECORDINGS, "recordings")
    return Answer("not-judged", columns, [row for row, _ in rows], notes)


def _without_recording(row: Any, gaps: list[Gap]) -> float:
    """Seconds of a round that these gaps, which are listed themselves, hold."""
    if row.start_utc is None:
        return 0.0
    first = datetime.fromisoformat(row.start_utc)
    begin, end = (first + timedelta(seconds=second) for second in (row.start_s, row.end_s))
    shared = []
    for gap in gaps:
        if (gap.table, gap.batch) == (row.table_id, row.batch):
            start = datetime.fromisoformat(gap.start_utc)
            shared.append(min(end, start + timedelta(seconds=gap.seconds)) - max(begin, start))
    return sum(max(0.0, one.total_seconds()) for one in shared)


def _start(table: Table) -> tuple[ColumnElement[Any], ...]:
    return table.c.start_utc, table.c.time_zone


def _clock(start_utc: str | None, time_zone: str | None, seconds: float) -> dict[str, Any]:
    if start_utc is None:
        return times(None, None)
    return times(datetime.fromisoformat(start_utc) + timedelta(seconds=seconds), time_zone)


def _per_round(table: Table, *sums: ColumnElement[Any], where: tuple[ColumnElement[bool], ...] = ()) -> Subquery:
    keys = (table.c.batch, table.c.recording, table.c.round)
    return select(*keys, *sums).where(*where).group_by(*keys).subquery()


def _same_round(one: Any, other: Any) -> ColumnElement[bool]:
    return and_(*(one.c[name] == other.c[name] for name in ("batch", "recording", "round")))


def _in_time(table: Table) -> tuple[ColumnElement[Any], ...]:
    """Rows without a known time last, in both databases."""
    c = table.c
    return c.start_utc.is_(None), c.start_utc, c.batch, c.recording, c.round


def _answer(connection: Connection, name: str, query: Select[Any], filters: Filters, table: Table) -> Answer:
    result = connection.execute(query.limit(MOST_ROWS + 1))
    columns = tuple(result.keys())
    return Answer(name, columns, whole_rows(result.all()), without_a_clock(connection, filters, table, name))
