"""A batch from its recordings to its record, run folders and ledger.

    find  ->  plan  ->  workers, until nothing is left to do  ->  ledger

The record is written at once and again and again; what was read and judged is kept by whoever did it. So whatever ends
a batch, the same command goes on from there.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from handreplay.batch import ledger_place
from handreplay.batch.ledger import fill
from handreplay.batch.out import alone_in, check_apart
from handreplay.batch.plan import Plan, Told
from handreplay.batch.record import RECORD, Record, read_record, write_record
from handreplay.batch.recordings import find_recordings
from handreplay.batch.work import Engine, Failure
from handreplay.errors import OutputError

_RECORD_EVERY_S = 1.0


class Follower(Protocol):
    """Whoever is told how a batch goes on."""

    def began(self, record: Record, remarks: Sequence[str]) -> None: ...
    def reading(self, name: str, seconds: float, promised: float | None) -> None:
        """So far a recording is read."""
        ...

    def told(self, told: Told) -> None: ...
    def ended(self) -> None: ...


Watch = Callable[[str, float, float | None], None]  # a task's key, seconds read, seconds promised
Workers = Callable[[int, Watch], tuple[Engine, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a batch ended. `ledger` is where it lies, without a password."""

    record: Record
    exit_code: int
    ledger: str


def run_batch(
    recordings: Path,
    tables: Path,
    out: Path,
    *,
    workers: Workers,
    follower: Follower,
    ledger: str | None = None,
) -> Done:
    """Audit all recordings. `workers` is given the number of chains and whom to tell of progress, and gives the engine
    and how many tasks to hand out at a time.

    Raises FootageError or ProfileError when there is nothing to audit, OutputError when results cannot be written or
    another batch is at work in `out`; what was done by then is kept.
    """
    check_apart(recordings, out)
    found = find_recordings(recordings, tables)
    with alone_in(out):
        place = ledger or str(out / ledger_place.FILE)
        with ledger_place.writing(ledger_place.ledger_at(place)):
            pass  # so that what is wrong with it is said before hours are spent
        plan = Plan(found, out, former=_former(out))
        twins = plan.set_twins_aside()
        keeper = _Keeper(plan, out)
        keeper.write()
        follower.began(plan.record(), plan.remarks)
        for told in twins:
            follower.told(told)
        try:
            _work(plan, workers, follower, keeper)
        finally:
            follower.ended()
            keeper.write()
        filled = fill(place, out)
        return Done(record=plan.record(), exit_code=plan.exit_code, ledger=filled.ledger)


def _work(plan: Plan, workers: Workers, follower: Follower, keeper: "_Keeper") -> None:
    def watch(key: str, seconds: float, promised: float | None) -> None:
        name = plan.name_of(key)
        if name is not None:
            follower.reading(name, seconds, promised)

    engine, slots = workers(plan.chains, watch)
    try:
        while True:
            _hand_out_and_take(plan, engine, slots, follower, keeper)
            rest = plan.finish()
            for told in rest:
                follower.told(told)
            if not rest:
                return
    finally:
        engine.close()


def _hand_out_and_take(plan: Plan, engine: Engine, slots: int, follower: Follower, keeper: "_Keeper") -> None:
    """Until nothing is left to do."""
    while True:
        while plan.in_work < slots and (task := plan.next_task()) is not None:
            engine.submit(task)
        if not plan.in_work:
            return
        outcome = engine.next_outcome()
        if isinstance(outcome, Failure) and outcome.fatal:
            raise OutputError(f"{outcome.reason}; what was done is kept: run the batch again when that is mended")
        for told in plan.take(outcome):
            follower.told(told)
        keeper.write_now_and_then()


@dataclass(slots=True)
class _Keeper:
    """Writes the record, but not at every outcome: with thousands of recordings it is large."""

    plan: Plan
    out: Path
    written_at: float = float("-inf")
    took_s: float = 0.0

    def write(self) -> None:
        began = time.monotonic()
        write_record(self.out, self.plan.record())
        self.written_at = time.monotonic()
        self.took_s = self.written_at - began

    def write_now_and_then(self) -> None:
        if time.monotonic() - self.written_at > max(_RECORD_EVERY_S, 20 * self.took_s):
            self.write()


def _former(out: Path) -> Record | None:
    return read_record(out) if (out / RECORD).exists() else None
