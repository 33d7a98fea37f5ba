"""How a batch tells people how it goes on: a bar while somebody watches, a quiet log otherwise.

A log gets whole lines only, and fewer than 50 for each hour of video: what there is no room for is told together.
"""

import sys
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from handreplay.batch.plan import Told
from handreplay.batch.record import Record, State
from handreplay.batch.run import Follower
from handreplay.core.plain import plain
from handreplay.streams import give_up

_LINES_AN_HOUR = 45


def follower() -> Follower:
    """A bar where standard error is a terminal, else lines."""
    return Bar() if sys.stderr.isatty() else Lines(sys.stderr)


class Counts:
    """How far a batch is. What is told of a recording takes the place of what was told of it before."""

    def __init__(self) -> None:
        self.files = self.rounds = self.findings = self.questions = 0
        self.seconds = 0.0
        self._read: dict[str, Told] = {}
        self._audited: dict[str, Told] = {}
        self._aside: dict[str, str] = {}  # with the reason

    @property
    def aside(self) -> int:
        return len(self._aside)

    def begin(self, record: Record) -> None:
        self.files = len(record.entries)
        self._aside = {entry.name: entry.reason for entry in record.entries if entry.state is State.SET_ASIDE}

    def add(self, told: Told) -> bool:
        """Whether it is news."""
        match told.state:
            case State.READ:
                before = self._read.get(told.name)
                self.seconds += told.seconds - (before.seconds if before else 0.0)
                self._read[told.name] = told
            case State.SET_ASIDE:
                self._forget(told.name)
                is_news = self._aside.get(told.name) != told.reason
                self._aside[told.name] = told.reason
                return is_news
            case State.AUDITED:
                self._forget(told.name)
                self._audited[told.name] = told
                self._count(told, 1)
        return True

    def _forget(self, name: str) -> None:
        before = self._audited.pop(name, None)
        if before is not None:
            self._count(before, -1)

    def _count(self, told: Told, sign: int) -> None:
        self.rounds += sign * told.rounds
        self.findings += sign * told.findings
        self.questions += sign * told.questions

    def __str__(self) -> str:
        kept = sum(told.kept for told in self._read.values())
        read = f"{len(self._read) - kept} read" + (f", {kept} kept from before" if kept else "")
        told = f"{len(self._audited)} of {self.files} audited, {read} ({duration(self.seconds)})"
        found = f"{counted(self.rounds, 'round')}, {_findings(self.findings, self.questions)}"
        return f"{told}, {found}, {self.aside} set aside"

    def short(self) -> str:
        done = len(self._read) + sum(name not in self._read for name in self._aside)
        told = f"{done}/{self.files} files, {duration(self.seconds)}"
        return f"{told}, {counted(self.rounds, 'round')}, {counted(self.findings, 'fault')}, {self.aside} set aside"


class Lines:
    """For a pipe or a log."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._counts = stream, Counts()
        self._lines = self._unsaid = 0

    def began(self, record: Record, remarks: Sequence[str]) -> None:
        self._counts.begin(record)
        for remark in remarks:
            self._say(remark)
        for entry in record.entries:
            if entry.state is State.SET_ASIDE:
                self._say(f"{entry.name}: set aside: {entry.reason}")
        self._say(f"{counted(self._counts.files, 'recording')}, {self._counts.aside} set aside")

    def reading(self, name: str, seconds: float, promised: float | None) -> None:
        """A log is told of whole recordings only."""

    def told(self, told: Told) -> None:
        if self._counts.add(told):
            self._say(line_of(told))

    def ended(self) -> None:
        if self._unsaid:
            self._print(f"... {self._unsaid} lines left out")
        self._print(str(self._counts))

    def _say(self, line: str) -> None:
        if self._lines >= _LINES_AN_HOUR * (1 + int(self._counts.seconds // 3600)):
            self._unsaid += 1
            return
        if self._unsaid:
            self._print(f"... {self._counts}")
            self._unsaid = 0
        self._lines += 1
        self._print(line)

    def _print(self, line: str) -> None:
        try:
            print(plain(line), file=self._stream, flush=True)
        except BrokenPipeError:  # nobody reads on: the caller wants no more
            raise
        except OSError:  # a full disk below a log, say, costs the log only
            give_up(self._stream)


class Bar:
    """For somebody who watches: one line that changes, and a line for each recording that is set aside."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=12),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            speed_estimate_period=600,
        )
        self._task: TaskID | None = None
        self._bytes: dict[str, int] = {}
        self._part: dict[str, float] = {}  # bytes read so far, by recording in work
        self._whole = 0  # bytes of recordings that are done with

    def began(self, record: Record, remarks: Sequence[str]) -> None:
        self._counts.begin(record)
        for remark in remarks:
            self._above(remark)
        for entry in record.entries:
            if entry.state is State.SET_ASIDE:
                self._above(f"{entry.name}: set aside: {entry.reason}")
            else:
                self._bytes[entry.name] = entry.bytes
        self._bar.start()
        self._task = self._bar.add_task(self._counts.short(), total=sum(self._bytes.values()) or None)

    def reading(self, name: str, seconds: float, promised: float | None) -> None:
        if promised:
            self._part[name] = self._bytes.get(name, 0) * min(1.0, seconds / promised)
            self._show()

    def told(self, told: Told) -> None:
        if self._counts.add(told) and told.state is State.SET_ASIDE:
            self._above(line_of(told))
        self._part.pop(told.name, None)
        self._whole += self._bytes.pop(told.name, 0)
        self._show()

    def ended(self) -> None:
        self._bar.stop()

    def _show(self) -> None:
        if self._task is not None:
            done = self._whole + sum(self._part.values())
            self._bar.update(self._task, completed=done, description=self._counts.short())

    def _above(self, line: str) -> None:
        self._console.print(plain(line), markup=False, soft_wrap=True)


def line_of(told: Told) -> str:
    match told.state:
        case State.SET_ASIDE:
            return f"{told.name}: set aside: {told.reason}"
        case State.AUDITED:
            found = f"{told.name}: {counted(told.rounds, 'round')}, {_findings(told.findings, told.questions)}"
            return f"{found}; {told.reason}" if told.reason else found
        case _:
            return f"{told.name}: {'kept' if told.kept else 'read'}, {told.seconds:.1f} s"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """In the unit that tells something."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3597 else f"{seconds / 3600:.1f} h"


def _findings(faults: int, questions: int) -> str:
    return f"{counted(faults, 'fault')}, {questions:,} open"
