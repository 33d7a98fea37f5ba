"""Where a ledger lies, and how it is opened: SQLite in a file, PostgreSQL by its address.

Nothing said here tells a password, not even when the database's own library would.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, inspect, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from handreplay.batch.ledger_tables import COPIES, LEDGER, METADATA, SCHEMA, copies
from handreplay.errors import OutputError

FILE = "ledger.sqlite"
SECONDS = 60  # that a question may take
WAIT_S = 30  # for another one that writes
POSTGRES = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
LOCK = 0x68616E64  # of the ledger's tables, while one makes them
SHORTEST_SECRET = 4  # shorter ones stand in every message, and hiding them there would tell them
LONGEST_VALUE_BYTES = 50_000_000
STEPS_BETWEEN_LOOKS = 10_000
SELECTING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_UNREADABLE = (
    "the ledger's address cannot be read; write postgresql://USER@HOST:PORT/DATABASE, with what is not a letter or "
    "digit in a password as %40 and so on"
)
SAID = {  # what databases say -> what it means here
    "interrupted": "this takes too long; ask for less",
    "statement timeout": "this takes too long; ask for less",
    "attempt to write a readonly database": "was cut off while it was written; make it again",
    "file is not a database": "is no ledger",
    "malformed": "is damaged; remove it and make it again with handreplay ledger",
    "database is locked": "is being written; try again in a minute",
    "cannot insert multiple commands": "only one statement can be asked at a time",
    "only execute one statement": "only one statement can be asked at a time",
    "not authorized": "only what a SELECT reads can be asked",
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """An address. `file` is None for a server."""

    url: URL
    file: Path | None

    def __str__(self) -> str:
        if self.file is not None:
            return str(self.file)
        port = f":{self.url.port}" if self.url.port else ""
        return f"postgresql://{self.url.host or ''}{port}/{self.url.database or ''}"

    @property
    def address(self) -> str:
        """By which it can be asked: a file, or a server's URL without what is secret."""
        if self.file is not None:
            return str(self.file)
        query = {name: value for name, value in self.url.query.items() if "password" not in name.casefold()}
        kept = URL.create("postgresql", self.url.username, None, self.url.host, self.url.port, self.url.database, query)
        return kept.render_as_string(hide_password=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        hidden = [self.url.password, *(v for k, v in self.url.query.items() if "pass" in k.casefold())]
        return tuple(str(secret) for secret in hidden if secret and len(str(secret)) >= SHORTEST_SECRET)


def ledger_at(place: str | Path) -> Ledger:
    """A batch's folder, a ledger's file, or `postgresql://USER@HOST/DATABASE`. Raises OutputError for anything else."""
    if isinstance(place, str) and "://" in place:
        return _server(place)
    path = Path(place)
    file = (path / FILE if path.is_dir() else path).absolute()
    return Ledger(URL.create("sqlite", database=str(file)), file)


def _server(address: str) -> Ledger:
    kind = address.partition("://")[0]
    if kind not in POSTGRES:
        shown = kind if kind.replace("+", "").isalnum() else "this"
        raise OutputError(f"{shown}:// is no kind of ledger; name a batch's folder, or postgresql://USER@HOST/DATABASE")
    try:
        url = make_url(address).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise OutputError(_UNREADABLE) from None
    if "@" in f"{url.host or ''}{url.database or ''}":  # the rest of a password: not to be shown
        raise OutputError(_UNREADABLE)
    if not url.database:
        raise OutputError(f"{Ledger(url, None)}: names no database; write postgresql://USER@HOST:PORT/DATABASE")
    return Ledger(url, None)


@contextlib.contextmanager
def writing(ledger: Ledger) -> Iterator[Engine]:
    """The ledger with its tables, made if they are not there. Raises OutputError for whatever a database refuses."""
    with one_line(ledger):
        engine = _file_engine(ledger.file) if ledger.file is not None else _server_engine(ledger)
        try:
            with engine.begin() as connection:
                _make_tables(connection, ledger)
            yield engine
        finally:
            engine.dispose()


def _file_engine(file: Path) -> Engine:
    if file.exists() and not os.access(file, os.W_OK):
        raise OutputError(f"{file}: cannot be written to; its disk or the file is for reading only")
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(file, timeout=WAIT_S, isolation_level=None),
        poolclass=NullPool,
    )

    @event.listens_for(engine, "begin")
    def at_once(connection: Connection) -> None:  # a transaction that reads first could not be made to wait
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _server_engine(ledger: Ledger, **settings: str) -> Engine:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise OutputError(f"{ledger}: needs the driver for PostgreSQL: pip install 'handreplay[postgres]'") from None
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    arguments: dict[str, Any] = {"connect_timeout": WAIT_S, "application_name": "handreplay"}
    if options:
        arguments["options"] = options
    return create_engine(ledger.url, connect_args=arguments, poolclass=NullPool, hide_parameters=True)


def _make_tables(connection: Connection, ledger: Ledger) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
    there = set(inspect(connection).get_table_names())
    if LEDGER.name not in there:
        strange = sorted(there & set(METADATA.tables))
        if strange:
            raise OutputError(f"{ledger}: holds a table {strange[0]} of something else; name a database of its own")
        METADATA.create_all(connection)
        view = copies().compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
        connection.exec_driver_sql(f"CREATE VIEW {COPIES.name} AS {view}")
        connection.execute(LEDGER.insert().values(schema=SCHEMA))
    _check_schema(connection, ledger)


def _check_schema(connection: Connection, ledger: Ledger) -> None:
    found = connection.execute(select(LEDGER.c.schema)).scalars().all()
    if list(found) != [SCHEMA]:
        kind = ", ".join(found) or "nothing known"
        raise OutputError(f"{ledger}: is of another version ({kind}, not {SCHEMA}); remove it and make it again")


@contextlib.contextmanager
def reading(ledger: Ledger, seconds: float = SECONDS) -> Iterator[Connection]:
    """A connection that gives up after `seconds` and changes nothing: it may only read, and nothing is ever committed.

    Raises OutputError.
    """
    if ledger.file is not None and not ledger.file.is_file():
        if ledger.file.name != FILE or not ledger.file.parent.is_dir():
            raise OutputError(f"{ledger.file}: there is no such batch or ledger; name a batch's folder")
        raise OutputError(f"{ledger} is not there; make it with handreplay ledger {ledger.file.parent}")
    with one_line(ledger):
        engine = _reader(ledger, seconds)
        try:
            with engine.connect() as connection:
                if ledger.file is None:
                    connection.exec_driver_sql("SET TRANSACTION READ ONLY")
                if not inspect(connection).has_table(LEDGER.name):
                    raise OutputError(f"{ledger}: holds no ledger; make it with handreplay ledger DIR --to URL")
                _check_schema(connection, ledger)
                yield connection
        finally:
            engine.dispose()


def _reader(ledger: Ledger, seconds: float) -> Engine:
    file = ledger.file
    if file is not None:
        return create_engine("sqlite://", creator=lambda: _open_to_read(file, seconds), poolclass=NullPool)
    timeout = str(max(1, round(seconds * 1000)))
    return _server_engine(ledger, default_transaction_read_only="on", statement_timeout=timeout)


def _open_to_read(file: Path, seconds: float) -> sqlite3.Connection:
    """A connection that cannot write, and stops whatever still runs when the time is up."""
    connection = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=WAIT_S)
    connection.execute("PRAGMA query_only = 1")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE_BYTES)
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, STEPS_BETWEEN_LOOKS)
    return connection


def select_alone(connection: Connection) -> None:
    """Have SQLite refuse whatever is not a SELECT: ATTACH, PRAGMA and all that writes. A server does so by itself."""
    if connection.dialect.name == "sqlite":
        own = connection.connection.driver_connection
        assert isinstance(own, sqlite3.Connection)
        own.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in SELECTING else sqlite3.SQLITE_DENY)


@contextlib.contextmanager
def one_line(ledger: Ledger) -> Iterator[None]:
    """Turns whatever a database says into one line without secrets."""
    try:
        yield
    except DBAPIError as error:
        raise OutputError(f"{ledger}: {_reason(ledger, error.orig)}") from None
    except (SQLAlchemyError, sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        raise OutputError(f"{ledger}: {_reason(ledger, error)}") from None


def _reason(ledger: Ledger, error: BaseException | None) -> str:
    """What a database said, without what it must not tell."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    said = " ".join(str(primary or error).split()) or type(error).__name__
    for secret in ledger.secrets:
        said = said.replace(secret, "***")
    return next((line for part, line in SAID.items() if part in said), said[:300])
