"""Batches over recordings that are only orders of what shall happen (see fake_reading)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from batch_profiles import write_profile
from fake_reading import LOG, REPLACED

from handreplay.batch import reading
from handreplay.batch.ledger import fill
from handreplay.batch.plan import Told
from handreplay.batch.record import Record, State, read_record
from handreplay.batch.run import Crew, Done, run_batch
from handreplay.batch.work import Outcome, Task, perform
from handreplay.batch.workers import Watch
from handreplay.errors import OutputError
from handreplay.store import read_run


@dataclass
class Inline:
    """An engine without processes."""

    waiting: deque[Task] = field(default_factory=deque)
    given: list[Task] = field(default_factory=list)

    def submit(self, task: Task) -> None:
        self.waiting.append(task)
        self.given.append(task)

    def next_outcome(self) -> Outcome:
        return perform(self.waiting.popleft())

    def close(self) -> None:
        self.waiting.clear()


@dataclass
class Notes:
    """A follower that keeps what it is told."""

    told_: list[Told] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def began(self, record: Record, remarks: Sequence[str]) -> None:
        self.remarks += remarks

    def reading(self, name: str, seconds: float, promised: float | None) -> None: ...
    def told(self, told: Told) -> None:
        self.told_.append(told)

    def ended(self) -> None: ...


@dataclass
class Night:
    """A folder with recordings, one with profiles, and one for results."""

    folder: Path

    @property
    def recordings(self) -> Path:
        return self.folder / "recordings"

    @property
    def tables(self) -> Path:
        return self.folder / "tables"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def add(self, name: str, order: str = "ok 60") -> Path:
        path = self.recordings / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{order} # {name}")
        return path

    def run(self, engine: Inline | None = None, slots: int = 2) -> Done:
        crew = Crew(engine=engine or Inline(), slots=slots, threads=1)
        return run_batch(self.recordings, self.tables, self.out, workers=lambda chains, watch: crew, follower=Notes())

    def reads(self) -> list[str]:
        """Names of what was read since last asked."""
        log = [path for path in self.recordings.rglob(LOG)]
        names = [name for path in log for name in path.read_text().split()]
        for path in log:
            path.unlink()
        return sorted(names)

    def entry(self, name: str) -> dict[str, object]:
        document = json.loads((self.out / "batch.json").read_text())
        [found] = [entry for entry in document["recordings"] if entry["name"] == name]
        return found


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Night:
    for name, stand_in in REPLACED.items():
        monkeypatch.setattr(reading, name, stand_in)
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # nobody pulls the plug
    for table in ("UTH-1", "UTH-2"):
        write_profile(tmp_path / "tables", table)
    return Night(tmp_path)


def test_200_recordings_with_five_bad_ones_leave_195_audited_and_five_named(night: Night) -> None:
    bad = {f"UTH-1/cam_{number:04}.mp4" for number in (7, 50, 51)} | {"UTH-2/cam_0001.mp4", "UTH-2/cam_0099.mp4"}
    for table in ("UTH-1", "UTH-2"):
        for number in range(1, 101):
            name = f"{table}/cam_{number:04}.mp4"
            night.add(name, "bad" if name in bad else "ok 60")
    done = night.run()
    aside = {entry.name for entry in done.record.entries if entry.state is State.SET_ASIDE}
    assert (done.record.counted(State.AUDITED), aside) == (195, bad)
    assert done.exit_code == 3
    assert read_record(night.out) == done.record
    assert night.entry("UTH-1/cam_0007.mp4")["reason"] == (
        "no picture in it can be decoded; export it again from the recorder"
    )
    assert len(night.reads()) == 200
