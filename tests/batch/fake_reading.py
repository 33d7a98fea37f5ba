"""Stands in for a worker's eyes: what a "recording" holds is an order of what shall happen when it is read.

    ok 60              60 seconds of an empty table
    bad                cannot be used            die / die once     the worker is killed
    stall              nothing comes             spin 2             works 2 s without a picture
    crash              a fault of the product    full               the disk is full
    slow 0.5           takes that long           gone               it goes as soon as it was read

All else is the product's own. Each reading leaves a line in reads.log beside the recordings.
"""

import errno
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from handreplay.batch import reading, work
from handreplay.batch.work import Beat, Outcome, Task
from handreplay.errors import FootageError
from handreplay.footage import Tally, sha256_of
from handreplay.rules.triage import Span

LOG = "reads.log"


@dataclass
class _Info:
    rate: Fraction
    promised_seconds: Fraction
    bytes: int


class _Observer:
    def recall(self, memory: object) -> None:
        """What the recording before left."""

    def memory(self) -> object:
        return None


@dataclass
class _Viewing:
    path: Path
    info: _Info
    tally: Tally
    footage_sha256: str
    models: dict[str, str]
    observer: _Observer

    def observations(self, progress: Beat | None) -> Iterator[Any]:
        order, value = _order(self.path)
        with (self.path.parent / LOG).open("a") as log:
            log.write(f"{self.path.name}\n")
        _do(order, value, self.path, progress)
        self.tally.seconds, self.tally.finished = self.info.promised_seconds - 1 / self.info.rate, True
        yield from ()
        if order == "gone":
            self.path.unlink()

    def triaged(self, progress: Beat | None) -> "_Triaged":
        return _Triaged(tuple(self.observations(progress)), (Span(1.0, 2.0),))


@dataclass
class _Triaged:
    observations: tuple[Any, ...]
    passed_over: tuple[Span, ...]


def _order(path: Path) -> tuple[str, str]:
    word, _, value = path.read_text().split("#")[0].strip().partition(" ")
    return word, value


def _do(order: str, value: str, path: Path, progress: Beat | None) -> None:
    marker = path.with_suffix(".died")
    if order == "bad":
        raise FootageError(f"{path}: no picture in it can be decoded; export it again from the recorder")
    if order == "die" and not (value == "once" and marker.exists()):
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if order == "stall":
        time.sleep(60)
    if order == "slow":
        time.sleep(float(value))
    if order == "spin":
        until = time.monotonic() + float(value)
        while time.monotonic() < until:
            sum(range(1000))
    if order == "crash":
        raise TypeError("not a card")
    if order == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if progress:
        progress(1.0, 60.0)


def _view(path: Path, profile: Any, **how: Any) -> _Viewing:
    if not path.is_file():
        raise FootageError(f"{path}: no such file; check the name, and that its drive is there")
    order, value = _order(path)
    seconds = Fraction(value) if order == "ok" and value else Fraction(60)
    info = _Info(Fraction(25), seconds, path.stat().st_size)
    return _Viewing(path, info, Tally(), sha256_of(path), {"table": "0" * 64}, _Observer())


REPLACED: dict[str, Any] = {
    "view": _view,
    "memory_bytes": lambda memory: b"a table",
    "memory_of": lambda content: content,
}


def perform(task: Task, beat: Beat | None = None) -> Outcome:
    """Do a task with such eyes. Only ever in a process of its own, since it changes the product there."""
    for name, stand_in in REPLACED.items():
        setattr(reading, name, stand_in)
    return work.perform(task, beat)
