"""Workers on this machine: processes that are given tasks and give back outcomes, and are replaced when they die.

    submit  ->  a process of its own for as long as it takes  ->  next_outcome

A worker that dies is replaced and its task tried once more. One that shows no sign of life for long is ended: its drive
has gone, or it never will come to an end. Workers end by themselves when whoever started them does, however that ends.
"""

import contextlib
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from handreplay.batch.work import Beat, Failure, Outcome, ReadTask, Task, perform

Perform = Callable[[Task, Beat | None], Outcome]
Watch = Callable[[str, float, float | None], None]  # a task's key, seconds read, seconds promised

SILENT_S = 600.0  # without a picture and without any work being done
STUCK_S = 3600.0  # at work without a picture: a large file is read once for its hash before the first one
TRIES = 2
MOST_IN_A_ROW = 5  # tasks given up one after another: then it is not the recordings
_BEAT_S = 0.5  # between two beats of a worker
_LOOK_S = 2.0  # between two looks of a worker at itself
_WORKING_S = 0.1  # of a core since the last sign of life is one, too


@dataclass(slots=True)
class _Worker:
    process: Any
    pipe: Any
    task: Task
    picture_at: float  # when the last picture was told of, or the task begun
    life_at: float  # when the last sign of life came


@dataclass(slots=True)
class LocalEngine:
    """`count` processes at most, started when there is work for them. `watch` is told how far each task is."""

    count: int
    watch: Watch = lambda key, seconds, promised: None
    perform: Perform = perform
    silent_s: float = SILENT_S
    stuck_s: float = STUCK_S
    _waiting: deque[Task] = field(default_factory=deque)
    _tries: dict[str, int] = field(default_factory=dict)
    _busy: list[_Worker] = field(default_factory=list)
    _idle: list[tuple[Any, Any]] = field(default_factory=list)  # process, pipe
    _done: deque[Outcome] = field(default_factory=deque)
    _in_a_row: int = 0  # tasks that were given up since the last one that came back

    def submit(self, task: Task) -> None:
        self._waiting.append(task)
        self._give_out()

    def next_outcome(self) -> Outcome:
        """Waits for the next task that is done or has failed for good."""
        while not self._done:
            if not self._busy:
                raise RuntimeError("no task is in work")
            self._look()
            self._give_out()
        return self._done.popleft()

    def close(self) -> None:
        """Ends all workers; tasks in work are given up."""
        everyone = [*self._idle, *((worker.process, worker.pipe) for worker in self._busy)]
        self._idle, self._busy = [], []
        self._waiting.clear()
        for process, _ in everyone:
            process.kill()
        for process, pipe in everyone:
            process.join(5)  # one that waits for a drive that has gone does not end before that does
            pipe.close()

    def _give_out(self) -> None:
        while self._waiting and len(self._busy) < self.count:
            process, pipe = self._idle.pop() if self._idle else self._start()
            task = self._waiting.popleft()
            now = time.monotonic()
            self._busy.append(_Worker(process, pipe, task, now, now))
            with contextlib.suppress(OSError):  # it has died meanwhile, which is seen when it is looked at
                pipe.send(task)

    def _start(self) -> tuple[Any, Any]:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.perform), name="handreplay worker", daemon=True)
        with _no_interrupts():
            process.start()
        theirs.close()
        return process, ours

    def _look(self) -> None:
        """Wait a little for what workers say, and see to those that say nothing more."""
        patience = min(1.0, self.silent_s / 4)
        ready = set(connection.wait([worker.pipe for worker in self._busy], patience))
        for worker in list(self._busy):
            if worker.pipe in ready:
                self._hear(worker)
            elif (reason := self._too_late(worker)) is not None:
                worker.process.kill()
                self._busy.remove(worker)
                worker.pipe.close()
                self._in_a_row += 1
                fatal = self._in_a_row >= MOST_IN_A_ROW
                reason += f" It was so with {self._in_a_row} one after another" if fatal else ""
                self._done.append(Failure(key=worker.task.key, reason=reason, fatal=fatal))

    def _hear(self, worker: _Worker) -> None:
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        worker.life_at = time.monotonic()
        match said:
            case ("picture", seconds, promised):
                worker.picture_at = worker.life_at
                self.watch(worker.task.key, seconds, promised)
            case ("done", outcome):
                self._tries.pop(worker.task.key, None)
                self._in_a_row = 0
                self._busy.remove(worker)
                self._idle.append((worker.process, worker.pipe))
                self._done.append(outcome)

    def _bury(self, worker: _Worker) -> None:
        worker.process.join(5)
        worker.pipe.close()
        self._busy.remove(worker)
        key = worker.task.key
        self._tries[key] = self._tries.get(key, 0) + 1
        if self._tries[key] < TRIES:
            self._waiting.appendleft(worker.task)
            return
        del self._tries[key]
        what = "reading" if isinstance(worker.task, ReadTask) else "judging"
        how = _ending(worker.process.exitcode)
        self._done.append(Failure(key=key, reason=f"{what} it ended the worker twice ({how})"))

    def _too_late(self, worker: _Worker) -> str | None:
        now = time.monotonic()
        if now - worker.life_at > self.silent_s:
            return f"nothing came for {_minutes(self.silent_s)}; is the drive there?"
        if now - worker.picture_at > self.stuck_s:
            return f"it went on for {_minutes(self.stuck_s)} without coming to a picture; given up"
        return None


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """What is started meanwhile does not hear Ctrl+C, from its first moment on: who started it ends it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


def cores() -> int:
    """How many cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def fault_of(error: BaseException) -> str:
    """A fault of the product itself, in one line: what happened and the last line of the product that it passed."""
    own = [step for step in traceback.extract_tb(error.__traceback__) if "handreplay" in step.filename]
    where = f", {Path(own[-1].filename).name} line {own[-1].lineno}" if own else ""
    said = " ".join(str(error).split())[:200]
    return f"a fault of handreplay's own ({type(error).__name__}: {said}{where}); please report it"


def _work(pipe: Any, perform: Perform) -> None:
    """A worker's life: tasks one after another, until the pipe ends."""
    tasks: SimpleQueue[Task] = SimpleQueue()
    teller = _Teller(pipe)
    threading.Thread(target=teller.listen, args=(tasks,), daemon=True).start()
    while True:
        task = tasks.get()
        teller.at_work = True
        try:
            outcome = perform(task, teller.picture)
        except Exception as error:
            outcome = Failure(key=task.key, reason=fault_of(error))
        teller.at_work = False
        teller.say(("done", outcome))


@dataclass(slots=True)
class _Teller:
    """A worker's end of the pipe, used by its two threads."""

    pipe: Any
    at_work: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    told_at: float = 0.0

    def say(self, what: Any) -> None:
        with self.lock:
            try:
                self.pipe.send(what)
            except OSError:
                os._exit(1)  # nobody is there any more

    def picture(self, seconds: float, promised: float | None) -> None:
        now = time.monotonic()
        if now - self.told_at >= _BEAT_S:
            self.told_at = now
            self.say(("picture", seconds, promised))

    def listen(self, tasks: "SimpleQueue[Task]") -> None:
        """Take tasks, and say now and then whether any work is being done. Ends the process with the pipe."""
        worked = time.process_time()
        while True:
            try:
                if self.pipe.poll(_LOOK_S):
                    tasks.put(self.pipe.recv())
                    continue
            except (EOFError, OSError):
                os._exit(0)
            if self.at_work and time.process_time() - worked >= _WORKING_S:
                worked = time.process_time()
                self.say(("working",))


def _ending(exitcode: int | None) -> str:
    if exitcode is None:
        return "it stopped answering"
    if exitcode < 0:
        return f"signal {-exitcode}{': not enough memory?' if -exitcode == 9 else ''}"
    return f"exit code {exitcode}"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 60 else f"{seconds:g} s"
