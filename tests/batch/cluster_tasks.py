"""What the workers of a test's cluster do in place of reading; they find it here by name."""

import os
import signal
import time
from pathlib import Path

from handreplay.batch.reading import Job
from handreplay.batch.work import Beat, Failure, Outcome, ReadOutcome, ReadTask, Task


def task(folder: Path, key: str) -> ReadTask:
    return ReadTask(key=key, job=Job(recording=folder / key, profile=folder / "profile", folder=folder / "read" / key))


def act(task: Task, beat: Beat | None = None) -> Outcome:
    """What the beginning of the task's key says. The outcome names the process as its sha256."""
    assert isinstance(task, ReadTask) and beat is not None
    began(task.key, task.job.recording.parent)
    match task.key.split("-")[0]:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "refuse":
            return Failure(key=task.key, reason="not a recording")
        case "fail":
            raise ZeroDivisionError("nothing\nby nothing")
        case "wait":
            go_on_until(task.job.recording.parent / "go", beat)
        case "halt":
            beat(0.0, None)
            until(task.job.recording.parent / "go")
    return ReadOutcome(
        key=task.key, end_s=1.0, read_s=1.0, expected_s=1.0, bytes=1, sha256=str(os.getpid()), holes=(), models=()
    )


def began(key: str, folder: Path) -> None:
    with (folder / "began").open("a", encoding="utf-8") as stream:
        stream.write(f"{key} {os.getpid()}\n")


def go_on_until(path: Path, beat: Beat) -> None:
    """Reads on, a picture every tenth of a second, until the file is there or nobody waits for it any more."""
    try:
        for tenth in range(300):
            beat(tenth / 10, 30.0)
            if path.exists():
                return
            time.sleep(0.1)
    except Exception:
        (path.parent / "noticed").touch()
        raise


def until(path: Path) -> None:
    for _ in range(300):
        if path.exists():
            return
        time.sleep(0.1)
