"""The command line. Talks and exits; decides nothing."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from handreplay.errors import HandreplayError

app = typer.Typer(
    name="handreplay",
    help="Audits recorded footage of casino table games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root() -> None:
    """Audits recorded footage of casino table games."""


class RackFormat(StrEnum):
    text = "text"
    html = "html"
    json = "json"


@app.command()
def rack(
    run: Annotated[Path, typer.Argument(help="Folder of a finished audit, or a round log.")],
    round_number: Annotated[int, typer.Option("--round", help="Number of the round.")],
    format_: Annotated[RackFormat, typer.Option("--format", help="html is one page to print.")] = RackFormat.text,
) -> None:
    """Show the discard rack of a round, top to bottom, to check it against the real one."""
    import json

    from rich.console import Console

    from handreplay.report import rack as racks

    sheet = racks.rack_sheet(racks.pick_round(racks.load_rounds(run), round_number, run))
    if format_ is RackFormat.html:
        typer.echo(racks.rack_page(sheet).encode())
    elif format_ is RackFormat.json:
        typer.echo(json.dumps(racks.rack_json(sheet), indent=2, ensure_ascii=False).encode())
    else:
        Console(highlight=False).print(racks.rack_text(sheet))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def train(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="Which model, such as reader; its own options follow.")],
) -> None:
    """Train a model again from nothing (needs the train extra): handreplay train reader FOLDER."""
    from handreplay.train import train as train_model

    train_model(model, context.args)


def main() -> NoReturn:
    """Run the command line; a known error becomes one line on standard error and exit code 2."""
    try:
        app()
    except HandreplayError as error:
        print(f"handreplay: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    sys.exit(0)


if __name__ == "__main__":
    main()
