"""Commands to look at what was audited, correct and hand it over. They talk; `cli` makes them commands."""

from pathlib import Path
from typing import Annotated

import typer

from handreplay.cli_usage import USAGE_ERROR
from handreplay.core.plain import plain
from handreplay.errors import HandreplayError


def review(
    runs: Annotated[list[Path], typer.Argument(metavar="RUNS", help="Folders of finished audits, or of a batch.")],
    footage: Annotated[Path | None, typer.Option("--footage", help="The recording, if it has moved.")] = None,
    table: Annotated[Path | None, typer.Option("--table", help="The profile, if the run keeps none.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="Your name; the page asks for it when left out.")] = None,
    blind: Annotated[
        bool, typer.Option("--blind", metavar="", help="See the machine's reading and your own entries alone.")
    ] = False,
    port: Annotated[int, typer.Option("--port", help="0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(metavar="", help="Open the page in the browser.")] = True,
) -> None:
    """Look at rounds and findings, correct and decide, on a page that only this machine can open."""
    from handreplay.batch.run_folders import runs_to_open
    from handreplay.review.desk import Reviewer
    from handreplay.review.serve import open_desks, serve

    desks = open_desks(runs_to_open(runs), table=table, recording=footage)
    reviewer = Reviewer.named(by, blind=blind) if by is not None else None
    serve(desks, say=typer.echo, recording=footage, reviewer=reviewer, port=port, browser=browser)


def verify(
    place: Annotated[Path, typer.Argument(help="Folder of a run or of a batch, or an evidence file.")],
    footage: Annotated[Path | None, typer.Option("--footage", help="The recording, to be compared too.")] = None,
    signer: Annotated[Path | None, typer.Option("--signer", help="The public key that must have signed it.")] = None,
) -> None:
    """Prove that nothing was changed: exit 0 whole, 1 altered, 2 neither a run nor evidence."""
    from handreplay.batch.run_folders import is_batch, verify_all
    from handreplay.review.commands import verdict_lines
    from handreplay.review.verify import verify as check

    if is_batch(place):
        if footage is not None or signer is not None:
            raise HandreplayError(f"{place} is the folder of a batch; --footage and --signer are for one run or case")
        all_whole = True
        for whole, lines in verify_all(place):
            all_whole = all_whole and whole
            for line in lines:
                typer.echo(plain(line).encode())
        raise typer.Exit(0 if all_whole else 1)
    verdict = check(place, recording=footage, signer=signer)
    for line in verdict_lines(place, verdict):
        typer.echo(plain(line).encode())
    raise typer.Exit(0 if verdict.whole else 1)


def evidence(
    run: Annotated[Path, typer.Argument(help="Folder of a finished audit.")],
    round_number: Annotated[int, typer.Option("--round", help="Number of the round.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to make, such as case.zip.")],
    by: Annotated[str | None, typer.Option("--by", help="Your name; whoever is logged in when left out.")] = None,
    footage: Annotated[Path | None, typer.Option("--footage", help="The recording, if it has moved.")] = None,
    table: Annotated[Path | None, typer.Option("--table", help="The profile, if the run keeps none.")] = None,
    sign_key: Annotated[Path | None, typer.Option("--sign-key", help="Ed25519 private key in PEM.")] = None,
) -> None:
    """Hand over one round: clip, pictures, logs, findings, rules, report and the hashes of all of it, in one file."""
    from handreplay.review.commands import make_case

    for line in make_case(run, round_number, out, by=by, footage=footage, table=table, sign_key=sign_key):
        typer.echo(line.encode())


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a finished audit.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="What to write: of a round .html, .pdf or .json; of all of them .csv, .xlsx or .json."
        ),
    ] = None,
    round_number: Annotated[int | None, typer.Option("--round", help="This round alone.")] = None,
    at: Annotated[
        str | None, typer.Option("--at", help="The round at 41, 41.5, 00:41 or 01:12:31 from the first picture.")
    ] = None,
    seat: Annotated[int | None, typer.Option("--seat", help="This seat alone, on the terminal.")] = None,
    settlements: Annotated[
        bool, typer.Option("--settlements", metavar="", help="A .csv holds the settlements in place of the findings.")
    ] = False,
    table: Annotated[Path | None, typer.Option("--table", help="The profile, if the run keeps none.")] = None,
) -> None:
    """Tell what was due and what was done in one round, or write it, or tables of all rounds, as reviewed so far."""
    from handreplay.review.commands import told_round, write_report

    if round_number is not None and at is not None:
        raise USAGE_ERROR("say one of --round and --at")
    if settlements and (out is None or out.suffix.lower() != ".csv" or round_number is not None or at is not None):
        raise USAGE_ERROR("--settlements is for a .csv of all rounds; every other report has them")
    if out is None:
        if round_number is None and at is None:
            raise USAGE_ERROR("say which round, --round N or --at 01:12:31, or what to write, --out FILE")
        typer.echo(told_round(run, number=round_number, at=at, seat=seat, table=table).encode())
        return
    if seat is not None:
        raise USAGE_ERROR("--seat is for the terminal; a report that is written has all seats")
    for line in write_report(run, out, number=round_number, at=at, settlements=settlements, table=table):
        typer.echo(line.encode())
