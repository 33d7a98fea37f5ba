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

_LINES_AN_HOUR = 45


def follower() -> Follower:
    """A bar where standard error is a terminal, else lines."""
    return Bar() if sys.stderr.isatty() else Lines(sys.stderr)


class _Counts:
    """How far a batch is."""

    def __init__(self) -> None:
        self.files = self.read = self.audited = self.aside = self.rounds = self.findings = self.questions = 0
        self.seconds = 0.0

    def begin(self, record: Record) -> None:
        self.files, self.aside = len(record.entries), record.counted(State.SET_ASIDE)

    def add(self, told: Told) -> None:
        match told.state:
            case State.READ:
                self.read += 1
                self.seconds += told.seconds
            case State.SET_ASIDE:
                self.aside += 1
            case State.AUDITED:
                self.audited += 1
                self.rounds += told.rounds
                self.findings += told.findings
                self.questions += told.questions

    def __str__(self) -> str:
        told = f"{self.audited} of {self.files} audited, {self.read} read ({self.seconds / 3600:.1f} h)"
        found = f"{counted(self.rounds, 'round')}, {_findings(self.findings, self.questions)}"
        return f"{told}, {found}, {self.aside} set aside"

    def short(self) -> str:
        told = f"{self.read + self.aside}/{self.files} files, {self.seconds / 3600:.1f} h"
        return f"{told}, {counted(self.rounds, 'round')}, {counted(self.findings, 'fault')}, {self.aside} set aside"


class Lines:
    """For a pipe or a log."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._counts = stream, _Counts()
        self._lines = self._unsaid = 0

    def began(self, record: Record, remarks: Sequence[str]) -> None:
        self._counts.begin(record)
        for remark in remarks:
            self._say(remark)
        for entry in record.entries:
            if entry.state is State.SET_ASIDE:
                self._say(f"{entry.name}: set aside: {entry.reason}")
        self._say(f"{self._counts.files} recordings, {self._counts.aside} set aside")

    def reading(self, name: str, seconds: float, promised: float | None) -> None:
        """A log is told of whole recordings only."""

    def told(self, told: Told) -> None:
        self._counts.add(told)
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
            return


class Bar:
    """For somebody who watches: one line that changes, and a line for each recording that is set aside."""

    def __init__(self) -> None:
        self._counts = _Counts()
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
        self._counts.add(told)
        if told.state is State.SET_ASIDE:
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
            return f"{told.name}: {counted(told.rounds, 'round')}, {_findings(told.findings, told.questions)}"
        case _:
            return f"{told.name}: read, {told.seconds:.1f} s"


def plain(text: str) -> str:
    """The text on one line, without anything that would move a cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _findings(faults: int, questions: int) -> str:
    return f"{counted(faults, 'fault')}, {questions:,} open"
