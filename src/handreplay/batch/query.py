"""What the command query does, apart from talking."""

from pathlib import Path

from handreplay.batch import export
from handreplay.batch.asking import Answer, Filters, ask_sql
from handreplay.batch.ledger_place import ledger_at, reading
from handreplay.batch.questions import QUESTIONS, ask
from handreplay.errors import HandreplayError


def told(
    place: str, question: str | None, *, sql: str | None, filters: Filters, format_: str | None, out: Path | None
) -> bytes:
    """What to print: the answer, the name of the file that took it, or the questions there are.

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
        return _listed()
    if out is None:
        return export.rendered(answer, format_)
    export.write(answer, format_, out)
    return f"{out}: {len(answer.rows)} rows\n".encode()


def _answer(place: str, question: str | None, sql: str | None, filters: Filters) -> Answer | None:
    with reading(ledger_at(place)) as connection:
        if sql is not None:
            return ask_sql(connection, sql)
        return None if question is None else ask(connection, question, filters)


def _by_ending(out: Path | None) -> str:
    ending = "" if out is None else out.suffix.casefold().removeprefix(".")
    return ending if ending in export.FORMATS else "text"


def _listed() -> bytes:
    width = max(len(question.name) for question in QUESTIONS)
    lines = []
    for question in QUESTIONS:
        by = f" (--by {', '.join(question.by)})" if question.by else ""
        lines.append(f"{question.name:{width}}  {question.what}{by}")
    return ("\n".join([*lines, f"{'--sql':{width}}  one SELECT of your own"]) + "\n").encode()
