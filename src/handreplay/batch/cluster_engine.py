"""Workers of a Dask cluster, one task at a time each.

    waiting  ->  a worker that is fit and idle  ->  outcome

Which worker does what is decided here, not by the scheduler, so that a worker that dies takes one known task with it:
the task is given to another worker, and after the second one that it took with it, it has failed for good. A worker is
asked what it would audit with, and whether it sees the batch's folder, before it is given anything. Nothing here ever
ends a worker or the scheduler.
"""

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from distributed import CancelledError, KilledWorker

from handreplay.batch.cluster_door import connected
from handreplay.batch.cluster_worker import (
    FOLDER,
    MODELS,
    Errand,
    NotSeen,
    about,
    run_errand,
    sizes,
)
from handreplay.batch.reading import Job
from handreplay.batch.work import Failure, Outcome, ReadTask, Task, perform
from handreplay.batch.workers import SILENT_S, STUCK_S, TRIES, Perform, Watch, fault_of
from handreplay.errors import ClusterError, OutputError

LOOK_EVERY_S = 1.0
APPEAR_S = 20.0  # for a first worker to be there
ANSWER_S = 30.0  # for a worker to say what it is
FETCH_S = 10.0  # for an answer or an outcome that is there, from the worker that has it
LEAVE_S = 3.0
TOKEN = ".handreplay-cluster-"
_SAME_FOLDERS = "all machines need the same folders under the same names"
_SAME_INSTALLATION = "install the same on all machines"


@dataclass(slots=True, kw_only=True)
class _Wanted:
    task: Task
    lost: int = 0  # workers that ended while they did it
    blind: set[str] = field(default_factory=set)  # workers that do not see its files
    checked: bool = True  # whether workers look at its files first


@dataclass(slots=True, kw_only=True)
class _InWork:
    wanted: _Wanted
    errand: Errand
    future: Any
    begun_at: float | None = None
    picture_at: float | None = None  # when the last picture was told of
    given_up: bool = False


@dataclass(slots=True, kw_only=True)
class _Worker:
    address: str
    life: str  # another one after it died and came back under its address
    asked: Any  # the future of what it says it is
    fit: bool | None = None
    running: bool = True  # takes new tasks
    work: _InWork | None = None


class ClusterEngine:
    """An `Engine`. In seconds: `patience_s` to wait for a worker when none is left, `silent_s` without another picture
    of a reading and `stuck_s` without a first one until it is given up.

    Raises ClusterError at once when there is no such cluster or its workers are unfit, and from `next_outcome` when
    the cluster is gone; what was done by then stays done.
    """

    def __init__(
        self,
        address: str,
        out: Path,
        *,
        say: Callable[[str], None],
        watch: Watch = lambda key, seconds, promised: None,
        perform: Perform = perform,
        patience_s: float = 120.0,
        silent_s: float = SILENT_S,
        stuck_s: float = STUCK_S,
    ) -> None:
        self._address, self._say, self._perform = address, say, perform
        self._watch, self._news = watch, SimpleQueue[tuple[int, Any]]()
        self._patience_s, self._silent_s, self._stuck_s = patience_s, silent_s, stuck_s
        self._waiting: deque[_Wanted] = deque()
        self._ready: deque[Outcome] = deque()
        self._workers: dict[str, _Worker] = {}
        self._bell = threading.Event()
        self._numbers = 0
        self._topic = f"handreplay-{secrets.token_hex(8)}"
        self._alone_since: float | None = None
        self._said_blind: set[tuple[str, Path]] = set()
        self._token = _lay_token(out)
        self._here = about(self._token)
        self._client: Any = None
        try:
            self._client = connected(address)
            self._client.subscribe_topic(self._topic, lambda event: self._news.put(event[1]))
            self._meet()
        except BaseException:
            self.close()
            raise

    def submit(self, task: Task) -> None:
        self._waiting.append(_Wanted(task=_absolute(task)))

    def next_outcome(self) -> Outcome:
        """Waits for the next task that is done or has failed for good. Raises ClusterError when no worker comes back
        in time, RuntimeError when no task is outstanding."""
        while True:
            self._bell.clear()
            self._hear()
            self._look_round()
            self._collect()
            if self._ready:
                return self._ready.popleft()
            outstanding = [worker.work for worker in self._workers.values() if worker.work]
            if not self._waiting and all(work.given_up for work in outstanding):
                raise RuntimeError("no task is outstanding")
            self._hand_out()
            self._mind_loneliness()
            self._bell.wait(LOOK_EVERY_S)

    def close(self) -> None:
        """Takes back what is outstanding; workers in the middle of a reading notice within moments. The cluster goes
        on."""
        with suppress(OSError):
            self._token.unlink()
        futures = [worker.work.future for worker in self._workers.values() if worker.work]
        with suppress(Exception):
            if futures and self._client.status == "running":
                self._client.cancel(futures)
        self._leave()

    def _meet(self) -> None:
        """Wait until the workers have said what they are. Raises ClusterError unless those that did are all fit."""
        try:
            wrong = self._difference(self._address, self._client.run_on_scheduler(about, self._token))
        except Exception as error:
            wrong = self._unusable(self._address, error)
        if wrong:
            raise ClusterError(wrong)
        since = time.monotonic()
        while True:
            self._look_round(strict=True)
            waited_s = time.monotonic() - since
            silent = [worker.address for worker in self._workers.values() if worker.fit is None]
            if not self._workers and waited_s > APPEAR_S:
                raise ClusterError(
                    f"{self._address}: the cluster has no workers; start some with: "
                    f"dask worker {self._address} --nworkers 2 --nthreads 1"
                )
            if self._workers and (not silent or waited_s > ANSWER_S):
                break
            time.sleep(0.05)
        if len(silent) == len(self._workers):
            raise ClusterError(f"{silent[0]}: did not answer within {ANSWER_S:.0f} s, nor did any other worker")
        for address in silent:
            self._say(f"{address}: has not answered yet; it is given nothing until it does")

    def _look_round(self, *, strict: bool = False) -> None:
        """Workers come, answer and go. `strict`: raises ClusterError for one that is not fit."""
        present = self._present()
        if present is None:
            self._waiting.extendleft(
                worker.work.wanted for worker in self._workers.values() if worker.work and not worker.work.given_up
            )
            self._workers.clear()
            return
        for gone in [one for one in self._workers.values() if present.get(one.address, ("", False))[0] != one.life]:
            address = gone.address
            del self._workers[address]
            # else a worker that comes back under this address would be given it by the scheduler, too
            self._client.cancel([gone.asked, *([gone.work.future] if gone.work else [])])
            if gone.work:
                self._say(f"{address}: the worker ended")
                self._lost(gone.work)
        for address, (life, running) in present.items():
            if address not in self._workers:
                asked = self._client.submit(
                    about, self._token, key=self._key(), workers=[address], pure=False, priority=10
                )
                asked.add_done_callback(lambda _: self._bell.set())
                self._workers[address] = _Worker(address=address, life=life, asked=asked)
            worker = self._workers[address]
            worker.running = running
            if worker.fit is None and worker.asked.done():
                self._heed(worker, strict=strict)

    def _present(self) -> Mapping[str, tuple[str, bool]] | None:
        """The workers that are there: which life of each, and whether it takes tasks. None without a scheduler."""
        if self._client is None:
            try:
                self._client = connected(self._address)
            except ClusterError:
                return None
            self._client.subscribe_topic(self._topic, lambda event: self._news.put(event[1]))
        if self._client.status != "running":
            self._leave()
            return None
        found = self._client.scheduler_info(n_workers=-1).get("workers", {})
        return {
            address: (str(its.get("local_directory")), its.get("status", "running") == "running")
            for address, its in found.items()
        }

    def _leave(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):  # of a scheduler that is gone nothing can be taken back
                client.close(timeout=LEAVE_S)

    def _heed(self, worker: _Worker, *, strict: bool) -> None:
        """What a worker says it is."""
        try:
            wrong = self._difference(worker.address, worker.asked.result(timeout=FETCH_S))
        except (TimeoutError, OSError, CancelledError):  # it ended as soon as it had answered
            del self._workers[worker.address]
            return
        except Exception as error:
            wrong = self._unusable(worker.address, error)
        worker.fit = not wrong
        if wrong and strict:
            raise ClusterError(wrong)
        if wrong:
            self._say(f"{wrong}; this worker is passed over")

    def _unusable(self, address: str, error: Exception) -> str:
        what = f"handreplay {self._here['handreplay']} cannot be used there ({type(error).__name__})"
        return f"{address}: {what}; {_SAME_INSTALLATION}"

    def _difference(self, address: str, found: Mapping[str, str]) -> str:
        """What a worker or the scheduler has otherwise than this machine; "" for nothing."""
        for name, ours in self._here.items():
            its = found.get(name, "none")
            if its == ours:
                continue
            if name == FOLDER:
                return f"{address}: {self._token.parent} {its}; {_SAME_FOLDERS}"
            if name == MODELS:
                return f"{address}: has other models than this machine; {_SAME_INSTALLATION}"
            return f"{address}: has {name} {its}, this machine {ours}; {_SAME_INSTALLATION}"
        return ""

    def _hand_out(self) -> None:
        for worker in self._workers.values():
            if not self._waiting:
                return
            if worker.work is None and worker.fit and worker.running:
                wanted = next((one for one in self._waiting if worker.address not in one.blind), None)
                if wanted is not None:
                    self._waiting.remove(wanted)
                    self._hand_to(worker, wanted)

    def _hand_to(self, worker: _Worker, wanted: _Wanted) -> None:
        key = self._key()
        errand = Errand(
            task=wanted.task,
            number=self._numbers,
            topic=self._topic,
            token=self._token,
            sizes=sizes(wanted.task) if wanted.checked else (),
        )
        future = self._client.submit(run_errand, errand, self._perform, key=key, workers=[worker.address], pure=False)
        future.add_done_callback(lambda _: self._bell.set())
        worker.work = _InWork(wanted=wanted, errand=errand, future=future)

    def _hear(self) -> None:
        """What workers told of their tasks since the last time."""
        by_number = {one.work.errand.number: one.work for one in self._workers.values() if one.work}
        while not self._news.empty():
            number, *picture = self._news.get()
            work = by_number.get(number)
            if work is None or work.given_up:
                continue
            if picture:
                work.picture_at = time.monotonic()
                self._watch(work.wanted.task.key, *picture)
            else:
                work.begun_at = time.monotonic()

    def _collect(self) -> None:
        for worker in self._workers.values():
            work = worker.work
            if work is None:
                continue
            status = work.future.status
            if status == "pending" or status == "lost":
                self._mind_stillness(worker, work)
                continue
            worker.work = None
            if work.given_up:
                continue
            if status == "cancelled":  # the scheduler was lost, not the task
                self._waiting.appendleft(work.wanted)
            else:
                self._take(worker, work)

    def _take(self, worker: _Worker, work: _InWork) -> None:
        try:
            found = work.future.result(timeout=FETCH_S)
        except KilledWorker:
            work.wanted.lost = TRIES - 1
            self._lost(work)
            return
        except (TimeoutError, OSError):  # it was done, and the worker ended before it could tell
            self._lost(work)
            return
        except CancelledError:
            self._waiting.appendleft(work.wanted)
            return
        except Exception as error:
            self._ready.append(Failure(key=work.wanted.task.key, reason=fault_of(error)))
            return
        if isinstance(found, NotSeen):
            self._not_seen(worker, work, found.path)
        else:
            self._ready.append(found)

    def _not_seen(self, worker: _Worker, work: _InWork, path: Path) -> None:
        wanted = work.wanted
        if (path, dict(work.errand.sizes)[path]) not in sizes(wanted.task):
            wanted.checked = False  # it is still being written, or has gone: the task will tell
            self._waiting.appendleft(wanted)
            return
        wanted.blind.add(worker.address)
        if all(address in wanted.blind for address, other in self._workers.items() if other.fit):
            reason = f"no worker of the cluster sees {path}; {_SAME_FOLDERS}"
            self._ready.append(Failure(key=wanted.task.key, reason=reason))
            return
        self._waiting.appendleft(wanted)
        if (worker.address, path.parent) not in self._said_blind:
            self._said_blind.add((worker.address, path.parent))
            self._say(f"{worker.address}: does not see {path} as this machine does; {_SAME_FOLDERS}")

    def _lost(self, work: _InWork) -> None:
        """A worker ended with this task in its hands."""
        if work.given_up:
            return
        work.wanted.lost += 1
        if work.wanted.lost < TRIES:
            self._waiting.appendleft(work.wanted)
            return
        doing = "reading" if isinstance(work.wanted.task, ReadTask) else "judging"
        self._ready.append(Failure(key=work.wanted.task.key, reason=f"{doing} it ended {work.wanted.lost} workers"))

    def _mind_stillness(self, worker: _Worker, work: _InWork) -> None:
        if work.given_up or not isinstance(work.wanted.task, ReadTask) or (reason := self._too_late(work)) is None:
            return
        work.given_up = True
        self._say(f"{worker.address}: stands still; the worker is passed over until it has ended its task")
        self._ready.append(Failure(key=work.wanted.task.key, reason=f"{reason} ({worker.address})"))

    def _too_late(self, work: _InWork) -> str | None:
        now = time.monotonic()
        if work.picture_at is not None and now - work.picture_at > self._silent_s:
            return f"nothing came for {self._silent_s:.0f} s; is the drive there?"
        if work.picture_at is None and work.begun_at is not None and now - work.begun_at > self._stuck_s:
            return f"it went on for {self._stuck_s:.0f} s without coming to a picture; given up"
        return None

    def _mind_loneliness(self) -> None:
        """Raises ClusterError when there has been nobody to do anything for too long."""
        if any(worker.fit and not (worker.work and worker.work.given_up) for worker in self._workers.values()):
            if self._alone_since is not None:
                self._say(f"{self._address}: a worker is there again")
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
            missing = "the scheduler does not answer" if self._client is None else "no worker is left"
            self._say(f"{self._address}: {missing}; waiting {self._patience_s:.0f} s for one that comes back")
        elif time.monotonic() - self._alone_since > self._patience_s:
            raise ClusterError(
                f"{self._address}: no worker came back within {self._patience_s:.0f} s; what was done is kept, "
                "run the batch again when the cluster is there"
            )

    def _key(self) -> str:
        self._numbers += 1
        return f"{self._topic}-{self._numbers}"


def _lay_token(out: Path) -> Path:
    """A file that tells workers that they see the same folder, and for as long as it is there, that they are waited
    for."""
    token = out.absolute() / f"{TOKEN}{secrets.token_hex(8)}"
    try:
        token.write_bytes(b"")
    except OSError as error:
        raise OutputError(f"{out}: cannot be written ({error.strerror or error})") from None
    return token


def _absolute(task: Task) -> Task:
    """The task with paths that mean the same in another process."""
    if isinstance(task, ReadTask):
        return replace(task, job=_absolute_job(task.job))
    places = tuple(replace(place, job=_absolute_job(place.job), run=place.run.absolute()) for place in task.places)
    return replace(task, profile=task.profile.absolute(), places=places)


def _absolute_job(job: Job) -> Job:
    return replace(
        job,
        recording=job.recording.absolute(),
        profile=job.profile.absolute(),
        folder=job.folder.absolute(),
        memory=None if job.memory is None else job.memory.absolute(),
    )
