"""Which folder a batch's name in a ledger belongs to, so that no batch takes another one's place.

OUT/batch.id is written once and says the same however far the batch has gone: the SHA-256 of its first batch.json.
Folder and id together tell a batch from one made elsewhere, and from one made anew where another had been.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Row, func, select, update

from handreplay.batch.ledger_place import LOCK, Ledger, ledger_at, writing
from handreplay.batch.ledger_rows import plain
from handreplay.batch.ledger_tables import BATCHES, MISSING, OF_A_RECORDING
from handreplay.batch.record import Record, record_bytes
from handreplay.errors import OutputError
from handreplay.store import write_file

ID = "batch.id"
MAX_ID_BYTES = 200
HERE = "."  # the folder that the ledger's file lies in


def claim(place: str | Path, out: Path, record: Record, batch: str | None = None) -> str:
    """Make sure, before any work is done, that the ledger will take the batch in `out`; what it will call it.

    Raises OutputError.
    """
    ledger = ledger_at(place)
    with writing(ledger) as engine, engine.begin() as connection:
        wait_for_others(connection)
        return claimed(connection, ledger, out, record, batch)


def claimed(connection: Connection, ledger: Ledger, out: Path, record: Record, batch: str | None) -> str:
    """The batch's name in the ledger: `batch`, else the one it has there, else the folder's.

    A batch that is there by another name than `batch` is renamed. Raises OutputError when the name is another folder's.
    """
    own, folder = _id(out, record), _folder(ledger, out)
    b = BATCHES.c
    former = connection.execute(select(b.batch).where(_is(ledger, own, folder)).order_by(b.batch)).scalars().first()
    name = plain(batch or former or out.resolve().name or "batch")
    other = connection.execute(select(BATCHES).where(b.batch == name)).first()
    if other is not None and name != former:
        raise OutputError(_taken(ledger, other, folder))
    if former is not None:
        connection.execute(update(BATCHES).where(b.batch == former).values(id=own, folder=folder))
    if former is not None and name != former:
        for table in (BATCHES, MISSING, *OF_A_RECORDING):
            connection.execute(update(table).where(table.c.batch == former).values(batch=name))
    elif former is None:
        connection.execute(BATCHES.insert().values(batch=name, id=own, folder=folder, filled=0))
    return name


def _is(ledger: Ledger, own: str, folder: str) -> ColumnElement[bool]:
    """Which batch of the ledger the folder's is."""
    b = BATCHES.c
    if folder == HERE:
        return b.folder == HERE
    if ledger.file is not None and not (ledger.file.parent / ID).exists():  # a copy of the ledger, away from its batch
        return b.folder.in_((folder, HERE)) & (b.id == own)
    return (b.folder == folder) & (b.id == own)


def _taken(ledger: Ledger, other: Row[tuple[object, ...]], folder: str) -> str:
    whose = f"of the batch in {other.folder}"
    if other.folder == folder:
        whose = f"of another batch that was in {folder} before"
    elif other.folder == HERE:
        whose = "of the batch that the ledger lies with"
    return f"{ledger}: the name {other.batch} is {whose}; give this one a name of its own with --batch NAME"


def filled_last(connection: Connection, batch: str) -> None:
    """Note that this batch was filled in after all others."""
    latest = connection.execute(select(func.max(BATCHES.c.filled)).where(BATCHES.c.batch != batch)).scalar() or 0
    behind = (BATCHES.c.batch == batch) & (BATCHES.c.filled <= latest)
    connection.execute(update(BATCHES).where(behind).values(filled=latest + 1))


def wait_for_others(connection: Connection) -> None:
    """One writes at a time. SQLite sees to that by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))


def _folder(ledger: Ledger, out: Path) -> str:
    own = out.resolve()
    return HERE if ledger.file is not None and ledger.file.parent.resolve() == own else plain(str(own))


def _id(out: Path, record: Record) -> str:
    path = out / ID
    try:
        if path.is_file():
            with path.open("rb") as stream:
                return plain(stream.read(MAX_ID_BYTES).decode("utf-8", "replace").strip())
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({error.strerror})") from None
    own = hashlib.sha256(record_bytes(record)).hexdigest()
    with suppress(OutputError):  # a folder for reading only holds a batch that does not go on
        write_file(path, f"{own}\n".encode())
    return own
