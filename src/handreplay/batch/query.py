"""What the command query does, apart from talking."""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection, func, select

from handreplay.batch import export
from handreplay.batch.asking import Answer, Filters, ask_sql
from handreplay.batch.ledger_place import Ledger, ledger_at, reading
from handreplay.batch.ledger_rows import plain
from handreplay.batch.ledger_tables import COPIES, RECORDINGS
from handreplay.batch.questions import QUESTIONS, ask
from handreplay.batch.record import RECORD, read_record
from handreplay.errors import HandreplayError


@dataclass(frozen=True, slots=True)
class Told:
    result: bytes  # for standard output
    talk: tuple[str, ...] = ()  # notes that the result has no place for


def told(
    place: str, question: str | None, *, sql: str | None, filters: Filters, format_: str | None, out: Path | None
) -> Told:
    """The answer, the name of the file that took it, or the questions there are.

    Raises HandreplayError for whatever cannot be asked; the ledger is never changed.
    """
    if question is not None and sql is not None:
        raise HandreplayError("a question and --sql do not go together")
    if sql is not None and filters.given:
        raise HandreplayError(f"--{next(iter(filters.given))} does not go with --sql; put it into the SELECT")
    format_ = format_ or _by_ending(out)
    if format_ == "parquet" and out is None:
        raise HandreplayError("Parquet is no text; name a file for it with --out")
    answer = _answer(place, question, sql, filters)
    if answer is None:
        return Told(_listed())
    talk = () if format_ in export.WITH_NOTES else answer.notes
    if out is None:
        return Told(export.rendered(answer, format_), talk)
    export.write(answer, format_, out)
    return Told(f"{out}: {len(answer.rows)} rows\n".encode(), talk)


def _answer(place: str, question: str | None, sql: str | None, filters: Filters) -> Answer | None:
    ledger = ledger_at(place)
    with reading(ledger) as connection:
        if sql is None and question is None:
            return None
        behind = _behind(connection, ledger)
        if question is None:
            doubled = _doubled(connection)  # a SELECT of one's own leaves SQLite with nothing else to be asked
            return replace(ask_sql(connection, sql or ""), notes=(*behind, *doubled))
        answer = ask(connection, question, filters)
        return replace(answer, notes=(*behind, *answer.notes, *_leads(answer, place, ledger)))


def _leads(answer: Answer, place: str, ledger: Ledger) -> tuple[str, ...]:
    """The whole command that leads on, to be pasted; without a password."""
    if answer.leads is None:
        return ()
    what, words = answer.leads
    typed = place if ledger.file is not None else ledger.address
    return (f"See {what}: {shlex.join(('handreplay', 'query', typed, *words))}",)


def _doubled(connection: Connection) -> tuple[str, ...]:
    number = connection.execute(select(func.count()).select_from(COPIES)).scalar()
    if not number:
        return ()
    return (
        f"{number} of the recordings are in another batch too, and a SELECT has each batch's rows; the view copies "
        "(batch, recording, of_batch) names them.",
    )


def _behind(connection: Connection, ledger: Ledger) -> tuple[str, ...]:
    """A note when the batch beside the ledger's file has gone on since."""
    if ledger.file is None or not (ledger.file.parent / RECORD).is_file():
        return ()
    out = ledger.file.parent
    now = {(plain(entry.name), entry.state.value, entry.sha256) for entry in read_record(out).entries}
    columns = RECORDINGS.c
    held = connection.execute(select(columns.recording, columns.state, columns.sha256)).all()
    if now <= {tuple(row) for row in held}:
        return ()
    return (f"NOT UP TO DATE: the batch has gone on since this ledger was made; handreplay ledger {out} brings it up.",)


def _by_ending(out: Path | None) -> str:
    """Raises HandreplayError for the ending of another kind of file."""
    ending = "" if out is None else out.suffix.casefold().removeprefix(".")
    if ending in ("", "txt"):
        return "text"
    if ending not in export.FORMATS[1:]:
        raise HandreplayError(
            f"{out}: an answer ends in .csv (for spreadsheets), .json, .parquet or .txt, not .{ending}; or say --format"
        )
    return ending


def _listed() -> bytes:
    width = max(len(question.name) for question in QUESTIONS)
    lines = []
    for question in QUESTIONS:
        by = f" (--by {', '.join(question.by)})" if question.by else ""
        lines.append(f"{question.name:{width}}  {question.what}{by}")
    return ("\n".join([*lines, f"{'--sql':{width}}  one SELECT of your own"]) + "\n").encode()
