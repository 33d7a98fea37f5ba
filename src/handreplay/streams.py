"""Standard output and standard error of a process whose caller closed them, or whose disk is full."""

import contextlib
import os
import sys
from typing import TextIO


def fill_in() -> None:
    """Send nowhere what goes to a stream that the caller closed; else the next file to be opened would take its place,
    and get what libraries say."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def give_up(stream: TextIO | None) -> None:
    """Send nowhere what a stream could not take, and all that comes after it: else every later flush fails on it again,
    and the interpreter's own at the end makes an exit code of its own."""
    if stream is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def give_up_errors() -> None:
    """The same of standard error, if it cannot take what it was given."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        give_up(sys.stderr)
