"""`handreplay` with the eyes of fake_reading: python fake_command.py batch ..."""

from functools import partial

from fake_reading import perform

from handreplay import cli
from handreplay.batch import command
from handreplay.batch.workers import LocalEngine

if __name__ == "__main__":
    command.LocalEngine = partial(LocalEngine, perform=perform)  # type: ignore[misc, assignment]
    cli.main()
