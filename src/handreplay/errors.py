"""What can go wrong on purpose.

    HandreplayError          one line for the user, exit code 2
    ├── FootageError         the recording cannot be used
    ├── ProfileError         the table profile cannot be used
    ├── LogError             the round log cannot be used; names the line
    ├── ModelError           a weight file is missing, altered or of another kind
    ├── OutputError          the results cannot be written
    └── ClusterError         the workers of a cluster cannot be used

Illegal play, damaged pictures and unread cards are results, never exceptions.
"""

import contextlib
import os
from typing import TextIO


class HandreplayError(Exception):
    """Says what failed, where, and what to do next, in one line."""


class FootageError(HandreplayError):
    pass


class ProfileError(HandreplayError):
    pass


class LogError(HandreplayError):
    pass


class ModelError(HandreplayError):
    pass


class OutputError(HandreplayError):
    pass


class ClusterError(HandreplayError):
    pass


def send_nowhere(stream: TextIO) -> None:
    """What a stream cannot take, and all that comes after it: else every later flush would fail on it again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
