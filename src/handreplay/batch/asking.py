"""What a ledger can be asked for, and what an answer is."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, func, or_, select, tuple_

from handreplay.batch.ledger_place import select_alone
from handreplay.batch.ledger_tables import COPIES, FINDINGS, MISSING, RECORDINGS, WAGERS
from handreplay.batch.record import time_text
from handreplay.batch.times import told_time
from handreplay.errors import HandreplayError

MOST_ROWS = 200_000
LISTED = 8  # names told when one is not known


@dataclass(frozen=True, slots=True)
class Answer:
    """A table. Columns named `..._cents` hold whole cents, `..._s` seconds, `..._rate` shares of 1."""

    question: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    notes: tuple[str, ...] = ()  # what the figures leave out
    leads: tuple[str, tuple[str, ...]] | None = None  # what is seen by another question, and that question's words


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What narrows a question; None does not. An empty text asks for rows of which that is not known."""

    by: str | None = None
    batch: str | None = None
    dealer: str | None = None
    table: str | None = None
    wager: str | None = None
    code: str | None = None
    verdict: str | None = None
    hour: int | None = None
    since: str | None = None
    until: str | None = None

    @property
    def given(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}


def matching(table: Table, filters: Filters) -> ColumnElement[bool]:
    """The condition for rows of `table`, as far as it has the columns; a recording that several batches have counts
    once, unless one of them is named. Raises HandreplayError for what is no time.
    """
    if filters.batch is not None or "recording" not in table.c:
        return narrowed(table, filters)
    all_of_them = select(RECORDINGS.c.batch, RECORDINGS.c.recording)
    counted = all_of_them.except_(select(COPIES.c.batch, COPIES.c.recording))  # NOT IN would look through it every time
    return and_(narrowed(table, filters), tuple_(table.c.batch, table.c.recording).in_(counted))


def narrowed(table: Table, filters: Filters) -> ColumnElement[bool]:
    """As `matching`, with what is copied."""
    columns = {"batch": "batch", "dealer": "dealer", "table": "table_id", "wager": "wager", "code": "code"}
    conditions: list[ColumnElement[bool]] = []
    for name, column in columns.items():
        wanted = getattr(filters, name)
        if wanted is not None and column in table.c:
            conditions.append(table.c[column].is_(None) if wanted == "" else table.c[column] == wanted)
    if filters.hour is not None and "local_hour" in table.c:
        conditions.append(table.c.local_hour == filters.hour)
    if filters.since is not None:
        moment, bound = _bound(table, filters.since, "--since")
        conditions.append(moment >= bound)
    if filters.until is not None:
        moment, bound = _bound(table, filters.until, "--until")
        conditions.append(moment < bound)
    return and_(True, *conditions)


def _bound(table: Table, told: str, option: str) -> tuple[Column[Any], str]:
    """A time with an offset is exact; one without is meant as the table's own clock shows it."""
    moment = told_time(told, option)
    if moment.tzinfo is None:
        return table.c.start_local, moment.isoformat(timespec="milliseconds")
    return table.c.start_utc, time_text(moment.astimezone(UTC))


def check_names(connection: Connection, filters: Filters) -> None:
    """A name that the ledger does not have is refused: no rows for it would look as if nothing was found.

    Raises HandreplayError, which names some that it has.
    """
    known = {
        "batch": (RECORDINGS.c.batch,),
        "dealer": (RECORDINGS.c.dealer,),
        "table": (RECORDINGS.c.table_id, MISSING.c.table_id),
        "wager": (WAGERS.c.wager, FINDINGS.c.wager),
    }
    for name, columns in known.items():
        wanted = getattr(filters, name)
        if not wanted:
            continue
        found = {v for c in columns for v in connection.execute(select(c).distinct()).scalars() if v is not None}
        if wanted not in found:
            listed = ", ".join(sorted(found)[:LISTED]) + (", ..." if len(found) > LISTED else "")
            raise HandreplayError(f"the ledger has no {name} {wanted}; it has {listed or 'none'}")


def without_a_clock(connection: Connection, filters: Filters, table: Table, what: str) -> tuple[str, ...]:
    """A note on rows that a time limit leaves out because nobody knows when they were."""
    if filters.since is None and filters.until is None:
        return ()
    lost = or_(*(_bound(table, t, "")[0].is_(None) for t in (filters.since, filters.until) if t is not None))
    untimed = Filters(**{k: v for k, v in filters.given.items() if k not in ("since", "until")})
    number = connection.execute(select(func.count()).select_from(table).where(matching(table, untimed), lost)).scalar()
    return (f"Left out: {number} {what} without a known time.",) if number else ()


def copies_left_out(connection: Connection, filters: Filters) -> tuple[str, ...]:
    """A note on recordings that count for another batch."""
    if filters.batch is not None:
        return ()
    same = (COPIES.c.batch == RECORDINGS.c.batch) & (COPIES.c.recording == RECORDINGS.c.recording)
    query = select(func.count()).select_from(RECORDINGS).join(COPIES, same).where(narrowed(RECORDINGS, filters))
    number = connection.execute(query).scalar() or 0
    if not number:
        return ()
    which = "a full audit counts before a triage, then the batch filled in last; --batch NAME asks one batch"
    return (f"Left out: {number} recording{'' if number == 1 else 's'} that another batch holds too ({which}).",)


def whole_rows(rows: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Rows as tuples; raises HandreplayError when they are too many to be looked at."""
    if len(rows) > MOST_ROWS:
        raise HandreplayError(f"more than {MOST_ROWS:,} rows; narrow the question, or add a LIMIT")
    return [tuple(row) for row in rows]


def ask_sql(connection: Connection, sql: str) -> Answer:
    """The rows of one SELECT, on a connection from `ledger_place.reading`.

    Raises HandreplayError for anything but a SELECT, for two columns of one name, and for too many rows.
    """
    first = _first_word(sql)
    if first not in ("select", "with"):
        raise HandreplayError(f"only one SELECT (or WITH ... SELECT) can be asked, not {first.upper() or 'nothing'}")
    select_alone(connection)
    plainly = connection.execution_options(stream_results=True, no_parameters=True)
    result = plainly.exec_driver_sql(sql)
    columns = tuple(result.keys())
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise HandreplayError(f"two columns are named {twice[0]}; give them names of their own with AS")
    return Answer("sql", columns, whole_rows(result.fetchmany(MOST_ROWS + 1)))


def _first_word(sql: str) -> str:
    """The first word behind blanks, comments and brackets, in small letters."""
    rest = sql.lstrip(" \t\r\n(")
    while rest.startswith(("--", "/*")):
        end = "\n" if rest.startswith("--") else "*/"
        rest = rest.partition(end)[2].lstrip(" \t\r\n(")
    word = ""
    for letter in rest[:30]:
        if not letter.isalpha():
            break
        word += letter
    return word.casefold()
