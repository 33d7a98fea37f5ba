"""A progress bar while a person watches; nothing in a pipe or a log."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

Report = Callable[[float, float | None], None]


@contextmanager
def shown_progress(name: str) -> Iterator[Report | None]:
    """What to call with the seconds read and the seconds promised; None when nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)

        def report(seconds: float, promised: float | None) -> None:
            bar.update(task, completed=seconds, total=max(promised, seconds) if promised else None)

        yield report
