"""When there is no recording of a table, as all the batches of a ledger know it together.

What one batch misses another may have recorded, and what two of them miss is missing once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, Row, select

from handreplay.batch.asking import Filters, matching
from handreplay.batch.ledger_rows import times
from handreplay.batch.ledger_tables import BATCHES, MISSING, RECORDINGS

Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Gap:
    """Time of a table without a recording."""

    table: str | None
    batch: str  # that says so
    start_utc: str
    start_local: str | None
    seconds: float


def time_without_recording(connection: Connection, filters: Filters) -> list[Gap]:
    """Each stretch once, but for the time that other batches have recorded; all of it where a batch is named."""
    query = select(MISSING).join(BATCHES, BATCHES.c.batch == MISSING.c.batch).where(matching(MISSING, filters))
    newest_first = query.order_by(BATCHES.c.filled.desc(), MISSING.c.batch, MISSING.c.number)
    gaps = [_gap(row) for row in connection.execute(newest_first)]
    if filters.batch is not None or not gaps:
        return gaps
    known, zones = _recorded(connection)
    told: list[Gap] = []
    for gap in gaps:
        others = [span for table, batch, span in known if table == gap.table and batch != gap.batch]
        others += [_span(one) for one in told if one.table == gap.table and one.batch != gap.batch]
        told += _without(gap, others, zones.get(gap.table))
    return told


def seconds_without_recording(connection: Connection, filters: Filters) -> dict[str | None, float]:
    """By table."""
    seconds: dict[str | None, float] = {}
    for gap in time_without_recording(connection, filters):
        seconds[gap.table] = seconds.get(gap.table, 0.0) + gap.seconds
    return seconds


def _gap(row: Row[tuple[object, ...]]) -> Gap:
    return Gap(row.table_id, row.batch, row.start_utc, row.start_local, row.seconds)


def _span(gap: Gap) -> Span:
    start = datetime.fromisoformat(gap.start_utc)
    return start, start + timedelta(seconds=gap.seconds)


def _recorded(
    connection: Connection,
) -> tuple[list[tuple[str | None, str, Span]], dict[str | None, str]]:
    """When recordings of each table and batch ran, and the tables' time zones."""
    r = RECORDINGS.c
    query = select(r.table_id, r.batch, r.time_zone, r.start_utc, r.expected_s).where(r.start_utc.is_not(None))
    spans, zones = [], {}
    for row in connection.execute(query.where(r.expected_s > 0)):
        start = datetime.fromisoformat(row.start_utc)
        spans.append((row.table_id, row.batch, (start, start + timedelta(seconds=row.expected_s))))
        if row.time_zone is not None:
            zones[row.table_id] = row.time_zone
    return spans, zones


def _without(gap: Gap, spans: Iterable[Span], zone: str | None) -> list[Gap]:
    """What is left of the gap."""
    reached, end = _span(gap)
    left: list[Span] = []
    for since, until in sorted(spans):
        if since > reached:
            left.append((reached, min(since, end)))
        reached = max(reached, until)
        if reached >= end:
            break
    else:
        left.append((reached, end))
    if left == [_span(gap)]:
        return [gap]
    return [
        replace(gap, **times(since, zone), seconds=(until - since).total_seconds())
        for since, until in left
        if until > since
    ]
