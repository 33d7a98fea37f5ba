"""The ledger of batches: made from batch.json and the run folders, and made again from them at any time.

Each recording's rows are put in place in one transaction, so that whatever stops it leaves every recording as it was
or as it is now. Rows that have not changed are left alone. Several batches may share one ledger, each with rows of its
own; which of them a recording counts for that several have is decided when the ledger is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, and_, delete, select

from handreplay.batch.ledger_names import claimed, filled_last, wait_for_others
from handreplay.batch.ledger_place import FILE, ledger_at, writing
from handreplay.batch.ledger_rows import Neighbours, Row, Rows, plain, rows_of, times
from handreplay.batch.ledger_tables import MISSING, OF_A_RECORDING, RECORDINGS
from handreplay.batch.record import Record, read_record
from handreplay.errors import HandreplayError, OutputError

__all__ = ["FILE", "Filled", "fill"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What a filling did: counts of recordings."""

    ledger: str  # without a password
    batch: str
    recordings: int
    changed: int
    removed: int


def fill(place: str | Path, out: Path, *, batch: str | None = None) -> Filled:
    """Put the batch in `out` into the ledger at `place`: a file, a folder (its ledger.sqlite), or postgresql://...

    `batch` names it among others; when left out, the name that it has there, else the folder's. Raises OutputError when
    there is no batch, when the name is another batch's, when a run folder was altered (the other recordings are put in
    place, that one stays as it was), or for whatever the database refuses.
    """
    record = read_record(out)
    neighbours = Neighbours.of(record, out)
    ledger = ledger_at(place)
    with writing(ledger) as engine:
        with engine.begin() as connection:
            wait_for_others(connection)
            name = claimed(connection, ledger, out, record, batch)
        changed, refused = _fill_recordings(engine, out, record, name, neighbours)
        with engine.begin() as connection:
            wait_for_others(connection)
            removed = _remove_others(connection, name, record)
            _put_missing(connection, name, record, neighbours.zones)
            filled_last(connection, name)
    if refused:
        more = f" ({len(refused) - 1} more recordings have such a fault)" if len(refused) > 1 else ""
        raise OutputError(f"{refused[0]}{more}")
    return Filled(ledger=str(ledger), batch=name, recordings=len(record.entries), changed=changed, removed=removed)


def _fill_recordings(
    engine: Engine, out: Path, record: Record, batch: str, neighbours: Neighbours
) -> tuple[int, list[HandreplayError]]:
    """How many recordings changed, and what is wrong with those that could not be put in place."""
    changed = 0
    refused: list[HandreplayError] = []
    unjudged_until: datetime | None = None
    table: str | None = None
    for entry in record.entries:
        if entry.table != table:
            table, unjudged_until = entry.table, None
        try:
            rows = rows_of(entry, out, batch=batch, neighbours=neighbours, unjudged_until=unjudged_until)
        except HandreplayError as error:
            refused.append(error)
            continue
        unjudged_until = rows.unjudged_until
        with engine.begin() as connection:
            wait_for_others(connection)
            changed += _put(connection, rows)
    return changed, refused


def _put(connection: Connection, rows: Rows) -> bool:
    """Whether anything changed."""
    head: Row = rows.tables[RECORDINGS.name][0]
    own = and_(RECORDINGS.c.batch == head["batch"], RECORDINGS.c.recording == head["recording"])
    found = connection.execute(select(RECORDINGS.c.fingerprint).where(own)).scalar()
    if found == rows.fingerprint:
        return False
    _remove(connection, head["batch"], [head["recording"]])
    _insert(connection, rows)
    return True


def _insert(connection: Connection, rows: Rows) -> None:
    head: Row = rows.tables[RECORDINGS.name][0]
    for table in OF_A_RECORDING:
        made = rows.tables[table.name]
        if table is RECORDINGS:
            made = [{**head, "fingerprint": rows.fingerprint}]
        if made:
            connection.execute(table.insert(), made)


def _remove(connection: Connection, batch: str, recordings: Sequence[str]) -> None:
    for table in OF_A_RECORDING:
        for recording in recordings:
            connection.execute(delete(table).where(table.c.batch == batch, table.c.recording == recording))


def _remove_others(connection: Connection, batch: str, record: Record) -> int:
    """Take out the recordings that the batch no longer has; how many."""
    names = {plain(entry.name) for entry in record.entries}
    query = select(RECORDINGS.c.recording).where(RECORDINGS.c.batch == batch)
    gone = [name for name in connection.execute(query).scalars() if name not in names]
    _remove(connection, batch, gone)
    return len(gone)


def _put_missing(connection: Connection, batch: str, record: Record, zones: Mapping[str | None, str]) -> None:
    connection.execute(delete(MISSING).where(MISSING.c.batch == batch))
    rows = [
        {
            "batch": batch,
            "number": number,
            "table_id": plain(hole.table),
            **times(hole.start, zones.get(hole.table)),
            "seconds": (hole.end - hole.start).total_seconds(),
        }
        for number, hole in enumerate(record.missing, 1)
    ]
    if rows:
        connection.execute(MISSING.insert(), rows)
