"""What the commands raise for a call that makes no sense: one line that names the command, and exit 2."""

from typing import Any

import typer

USAGE_ERROR: Any = typer.BadParameter.__bases__[0]  # the same class wherever this version of typer keeps it
