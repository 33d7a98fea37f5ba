"""Commands for a night's recordings, their ledger and their report. They talk; `cli` makes them commands."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

TRIAGE_HELP = "Quick: look at key pictures, closely only where they ask for it. Finds reasons to look; judges nothing."


class ShiftFormat(StrEnum):
    html = "html"
    pdf = "pdf"
    csv = "csv"
    xlsx = "xlsx"


def shift(
    batch: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of a batch.")],
    format_: Annotated[
        ShiftFormat | None, typer.Option("--format", help="As --out ends when left out, else html.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File or folder; the batch's folder when left out.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="From then on: 2026-11-30, 2026-11-30T22:00 at the table, or with its offset, 2026-11-30T22:00-05:00.",
        ),
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Before then; a date is its first moment.")] = None,
    replace: Annotated[bool, typer.Option("--replace", metavar="", help="Write over a file that is there.")] = False,
) -> None:
    """Report a night: what could be judged, findings by money, error rates, dealers, pace; each with its rounds."""
    from handreplay.batch.shift import window_of, write_shift

    for line in write_shift(batch, format_, out, window_of(since, until), replace=replace):
        typer.echo(line.encode())


BATCH_HELP = "What the ledger calls it; as before, or as the folder, when left out."


def batch(
    recordings: Annotated[
        Path, typer.Argument(metavar="RECORDINGS", help="A folder, or a CSV manifest: file, table, start, dealer.")
    ],
    tables: Annotated[Path, typer.Option("--tables", help="Folder of table profiles, or one profile.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the results; made if it is not there.")],
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=256, help="Processes; as many as cores when left out.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="Of a Dask scheduler: tcp://HOST:8786.")
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option("--ledger", metavar="URL", help="postgresql://USER@HOST/DATABASE; OUT/ledger.sqlite without."),
    ] = None,
    name: Annotated[str | None, typer.Option("--batch", metavar="NAME", help=BATCH_HELP)] = None,
    triage: Annotated[bool, typer.Option("--triage", metavar="", help=TRIAGE_HELP)] = False,
) -> None:
    """Audit many recordings. Stop it when you like: the same command goes on, and does only what is new or changed.

    Exit 0 all audited and clean, 1 findings, 3 something was set aside or is incomplete, 2 unusable.
    """
    from handreplay.batch.command import run_command

    raise typer.Exit(
        run_command(recordings, tables, out, workers=workers, cluster=cluster, ledger=ledger, name=name, triage=triage)
    )


def ledger(
    batch: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of a batch.")],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="URL", help="postgresql://USER@HOST/DATABASE; OUT/ledger.sqlite without."),
    ] = None,
    name: Annotated[str | None, typer.Option("--batch", metavar="NAME", help=BATCH_HELP)] = None,
) -> None:
    """Make the ledger of a batch from its run folders, or bring it up to date: nothing is read or judged again.

    Give a password by PGPASSWORD or ~/.pgpass: in the URL, others on the machine can see it.
    """
    from handreplay.batch.ledger import fill

    filled = fill(batch if to is None else to, batch, batch=name)
    typer.echo(
        f"{filled.ledger}: batch {filled.batch}, {filled.recordings} recordings, "
        f"{filled.changed} of them new or changed, {filled.removed} taken out".encode()
    )


class AnswerFormat(StrEnum):
    text = "text"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def query(
    place: Annotated[
        str, typer.Argument(metavar="OUT|URL", help="Folder of a batch, or postgresql://USER@HOST/DATABASE.")
    ],
    question: Annotated[str | None, typer.Argument(help="Left out: lists the questions.")] = None,
    sql: Annotated[str | None, typer.Option("--sql", help="One SELECT of your own, in place of a question.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="dealer, table, wager or hour.")] = None,
    batch: Annotated[str | None, typer.Option("--batch", help="Only of this batch.")] = None,
    dealer: Annotated[str | None, typer.Option("--dealer", help='Only of this dealer; "" where none is named.')] = None,
    table: Annotated[str | None, typer.Option("--table", help="Only of this table.")] = None,
    wager: Annotated[str | None, typer.Option("--wager", help="Only of this wager, such as blind.")] = None,
    code: Annotated[str | None, typer.Option("--code", help="Only with this finding, such as PY02.")] = None,
    verdict: Annotated[
        str | None,
        typer.Option("--verdict", help="Only with this of a round, wager or finding: review, open, overpaid ..."),
    ] = None,
    hour: Annotated[int | None, typer.Option("--hour", min=0, max=23, help="Only of this hour of the day.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="From then on; the table's clock.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Before then; the table's clock.")
    ] = None,
    format_: Annotated[AnswerFormat | None, typer.Option("--format", help="By the ending of --out, else text.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file for the answer.")] = None,
) -> None:
    """Ask the ledger of a batch; nothing is changed. Dollars in text and CSV, whole cents in JSON and Parquet."""
    from handreplay.batch import query as ledger_query
    from handreplay.batch.asking import Filters

    narrowed = {"by": by, "batch": batch, "dealer": dealer, "table": table, "wager": wager, "code": code}
    filters = Filters(**narrowed, verdict=verdict, hour=hour, since=since, until=until)
    told = ledger_query.told(place, question, sql=sql, filters=filters, format_=format_, out=out)
    typer.echo(told.result, nl=False)
    for line in told.talk:
        typer.echo(line, err=True)
