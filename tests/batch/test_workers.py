"""Workers that die, stall or stumble, and a parent that does."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from batch_profiles import write_profile
from fake_reading import LOG, perform

from handreplay.batch.reading import Job
from handreplay.batch.work import Failure, Outcome, ReadOutcome, ReadTask
from handreplay.batch.workers import LocalEngine


def tasks(folder: Path, *orders: str) -> list[ReadTask]:
    """A task for each order, called 0, 1, 2 ..."""
    profile = write_profile(folder, "UTH-12")
    made = []
    for number, order in enumerate(orders):
        recording = folder / f"{number}.mp4"
        recording.write_text(f"{order} # {number}")
        job = Job(recording=recording, profile=profile, folder=folder / "read" / str(number))
        made.append(ReadTask(key=str(number), job=job))
    return made


@contextmanager
def engine(count: int = 2, silent_s: float = 600.0, stuck_s: float = 3600.0) -> Iterator[LocalEngine]:
    own = LocalEngine(count, perform=perform, silent_s=silent_s, stuck_s=stuck_s)
    try:
        yield own
    finally:
        own.close()


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalEngine]:
    with engine() as own:
        yield own


def outcomes(own: LocalEngine, given: list[ReadTask]) -> dict[str, Outcome]:
    for task in given:
        own.submit(task)
    return {outcome.key: outcome for outcome in (own.next_outcome() for _ in given)}


def test_every_task_comes_back_once_from_several_workers(workers: LocalEngine, tmp_path: Path) -> None:
    found = outcomes(workers, tasks(tmp_path, *["ok 60"] * 6))
    assert sorted(found) == list("012345")
    assert all(isinstance(outcome, ReadOutcome) and outcome.end_s == 60.0 for outcome in found.values())
    assert sorted((tmp_path / LOG).read_text().split()) == [f"{number}.mp4" for number in range(6)]


def test_a_bad_recording_and_a_fault_of_the_product_end_their_own_task_only(
    workers: LocalEngine, tmp_path: Path
) -> None:
    found = outcomes(workers, tasks(tmp_path, "bad", "crash", "ok 60"))
    bad, crash = found["0"], found["1"]
    assert isinstance(bad, Failure) and "no picture in it" in bad.reason and not bad.fatal
    assert isinstance(crash, Failure) and crash.reason.startswith("a fault of handreplay's own (TypeError: not a card")
    assert isinstance(found["2"], ReadOutcome)


def test_a_full_disk_is_fatal(workers: LocalEngine, tmp_path: Path) -> None:
    [full] = outcomes(workers, tasks(tmp_path, "full")).values()
    assert isinstance(full, Failure) and full.fatal
    assert "No space left on device" in full.reason


def test_a_task_whose_worker_is_killed_is_done_by_another_one(workers: LocalEngine, tmp_path: Path) -> None:
    found = outcomes(workers, tasks(tmp_path, "die once", "ok 60"))
    assert all(isinstance(outcome, ReadOutcome) for outcome in found.values())
    assert (tmp_path / LOG).read_text().split().count("0.mp4") == 2


def test_a_recording_that_kills_two_workers_is_given_up_and_the_next_one_is_read(
    workers: LocalEngine, tmp_path: Path
) -> None:
    found = outcomes(workers, tasks(tmp_path, "die", "ok 60"))
    died = found["0"]
    assert isinstance(died, Failure)
    assert died.reason == "reading it ended the worker twice (signal 9: not enough memory?)"
    assert isinstance(found["1"], ReadOutcome)
    assert (tmp_path / LOG).read_text().split().count("0.mp4") == 2


def test_a_drive_that_stalls_costs_its_recording_only(tmp_path: Path) -> None:
    with engine(1, silent_s=2.0) as own:
        found = outcomes(own, tasks(tmp_path, "stall", "ok 60"))
    stalled = found["0"]
    assert isinstance(stalled, Failure) and stalled.reason == "nothing came for 2 s; is the drive there?"
    assert isinstance(found["1"], ReadOutcome)


def test_a_drive_that_stays_away_ends_the_batch_and_not_every_recording_in_turn(tmp_path: Path) -> None:
    with engine(5, silent_s=4.0) as own:
        found = list(outcomes(own, tasks(tmp_path, *["stall"] * 5)).values())
    assert [isinstance(outcome, Failure) and outcome.fatal for outcome in found] == [False] * 4 + [True]
    assert isinstance(found[4], Failure)
    assert found[4].reason.endswith("is the drive there? It was so with 5 one after another")


def test_work_without_a_picture_is_a_sign_of_life_but_not_for_ever(tmp_path: Path) -> None:
    [task] = tasks(tmp_path, "spin 7")
    with engine(1, silent_s=5.0) as own:
        assert isinstance(outcomes(own, [task])["0"], ReadOutcome)
    task.job.recording.write_text("spin 60")
    with engine(1, silent_s=60.0, stuck_s=3.0) as own:
        stuck = outcomes(own, [task])["0"]
    assert isinstance(stuck, Failure) and stuck.reason.startswith("it went on for 3 s without coming to a picture")


def test_progress_is_told_by_the_task(tmp_path: Path) -> None:
    seen: list[tuple[str, float, float | None]] = []
    own = LocalEngine(1, watch=lambda *told: seen.append(told), perform=perform)
    try:
        outcomes(own, tasks(tmp_path, "ok 60"))
    finally:
        own.close()
    assert seen == [("0", 1.0, 60.0)]


def test_asking_for_an_outcome_without_a_task_is_a_fault(tmp_path: Path) -> None:
    with engine() as own, pytest.raises(RuntimeError, match="no task"):
        own.next_outcome()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_workers_end_when_whoever_started_them_is_killed(tmp_path: Path) -> None:
    tasks(tmp_path, "stall")
    script = (
        "from pathlib import Path; from test_workers import *; import sys\n"
        "if __name__ == '__main__':\n"
        "    own = LocalEngine(1, perform=perform)\n"
        "    own.submit(tasks(Path(sys.argv[1]), 'stall')[0])\n"
        "    print(own._busy[0].process.pid, flush=True)\n"
        "    own.next_outcome()\n"
    )
    (tmp_path / "parent.py").write_text(script)
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    call = [sys.executable, str(tmp_path / "parent.py"), str(tmp_path)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        wait_for(lambda: (tmp_path / LOG).exists(), 30)
        parent.send_signal(signal.SIGKILL)
    wait_for(lambda: not is_alive(worker), 10)


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def wait_for(condition: object, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)
