"""A batch from its recordings to its record, run folders and ledger.

    find  ->  plan  ->  workers, until nothing is left to do  ->  ledger

The record is written at once and again and again; what was read and judged is kept by whoever did it. So whatever ends
a batch, the same command goes on from there.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from handreplay.batch import ledger_place
from handreplay.batch.ledger import fill
from handreplay.batch.ledger_names import claim
from handreplay.batch.out import alone_in, check_apart
from handreplay.batch.plan import Plan, Told
from handreplay.batch.record import RECORD, Record, read_record, write_record
from handreplay.batch.recordings import find_recordings
from handreplay.batch.work import Engine, Failure
from handreplay.batch.workers import Watch
from handreplay.errors import HandreplayError, OutputError

_RECORD_EVERY_S = 1.0


class Follower(Protocol):
    """Whoever is told how a batch goes on."""

    def began(self, record: Record, remarks: Sequence[str]) -> None: ...
    def reading(self, name: str, seconds: float, promised: float | None) -> None:
        """So far a recording is read."""
        ...

    def told(self, told: Told) -> None: ...
    def ended(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Workers, how many tasks to hand out to them at a time, and how many threads each reading may use."""

    engine: Engine
    slots: int
    threads: int


Workers = Callable[[int, Watch], Crew]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a batch ended. `ledger` is where it lies, without a password; `ledger_fault` why it could not be filled.

    `elsewhere` is by what to ask a ledger that does not lie in the batch's folder: a URL without a password, or a file.
    """

    record: Record
    exit_code: int
    ledger: str
    elsewhere: str = ""
    ledger_fault: str = ""


def run_batch(
    recordings: Path,
    tables: Path,
    out: Path,
    *,
    workers: Workers,
    follower: Follower,
    ledger: str | None = None,
    name: str | None = None,
    triage: bool = False,
) -> Done:
    """Audit all recordings; the ledger calls the batch `name`. `workers` is given the number of recordings that can be
    read side by side, and whom to tell of progress.

    Raises FootageError or ProfileError when there is nothing to audit, OutputError when results cannot be written or
    another batch is at work in `out`; what was done by then is kept.
    """
    check_apart(recordings, out)
    found = find_recordings(recordings, tables)
    with alone_in(out):
        place = ledger or str(out / ledger_place.FILE)
        own = ledger_place.ledger_at(place)
        with ledger_place.writing(own):
            pass  # so that what is wrong with it is said before hours are spent
        plan = Plan(found, out, former=_former(out), triage=triage)
        plan.set_twins_aside()
        keeper = _Keeper(plan, out)
        crew = workers(plan.chains, _watch(plan, follower))  # without any, the record stays as it was
        plan.threads = crew.threads
        try:
            # another batch of this name is told of before hours are spent, and before the record is touched
            claim(place, out, plan.record(), name)
            keeper.write()
            follower.began(plan.record(), plan.remarks)
            try:
                _work(plan, crew, follower, keeper)
            except BaseException:
                with suppress(OutputError):  # on a full disk, say, which has been told already
                    keeper.write()
                raise
            finally:
                follower.ended()
        finally:
            crew.engine.close()
        keeper.write()
        elsewhere = "" if own.file == (out / ledger_place.FILE).absolute() else own.address
        done = Done(record=plan.record(), exit_code=plan.exit_code, ledger=str(own), elsewhere=elsewhere)
        try:
            fill(place, out, batch=name)
        except HandreplayError as error:
            return replace(done, ledger_fault=str(error))
        return done


def _watch(plan: Plan, follower: Follower) -> Watch:
    def watch(key: str, seconds: float, promised: float | None) -> None:
        name = plan.name_of(key)
        if name is not None:
            follower.reading(name, seconds, promised)

    return watch


def _work(plan: Plan, crew: Crew, follower: Follower, keeper: "_Keeper") -> None:
    while True:
        _hand_out_and_take(plan, crew, follower, keeper)
        rest = plan.finish()
        for told in rest:
            follower.told(told)
        if not rest:
            return


def _hand_out_and_take(plan: Plan, crew: Crew, follower: Follower, keeper: "_Keeper") -> None:
    """Until nothing is left to do."""
    while True:
        while plan.in_work < crew.slots and (task := plan.next_task()) is not None:
            crew.engine.submit(task)
        if not plan.in_work:
            return
        outcome = crew.engine.next_outcome()
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
        if not self.out.is_dir():  # else a drive that was taken away would leave a folder where it had been
            raise OutputError(f"cannot write the results to {self.out}: the folder is gone")
        began = time.monotonic()
        write_record(self.out, self.plan.record())
        self.written_at = time.monotonic()
        self.took_s = self.written_at - began

    def write_now_and_then(self) -> None:
        if time.monotonic() - self.written_at > max(_RECORD_EVERY_S, 20 * self.took_s):
            self.write()


def _former(out: Path) -> Record | None:
    return read_record(out) if (out / RECORD).exists() else None
