"""The command line. Talks and exits; decides nothing."""

import sys
from typing import NoReturn

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
