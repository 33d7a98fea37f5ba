"""What the workers of a cluster are asked to do: to say what they are, and to do one task.

All of it is found by name on the worker, which therefore needs the same installation; nothing but small plain values
travels. A worker gives a task up as soon as the token of the batch, a file in its OUT, is gone.
"""

import logging
import os
import platform
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from distributed import get_worker

from handreplay import __version__
from handreplay.batch.work import Beat, Failure, Outcome, ReadTask, Task
from handreplay.batch.workers import Perform, fault_of
from handreplay.errors import ModelError
from handreplay.vision.shipped import model_hashes

TELL_EVERY_S = 1.0
FOLDER, MODELS = "folder", "models"
_LIBRARIES = ("distributed", "numpy", "av", "opencv-python-headless", "onnxruntime")  # what could change a byte


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A task on its way to a worker."""

    task: Task
    number: int  # names the errand among those of this batch
    topic: str  # under which the worker tells how far it is
    token: Path
    sizes: tuple[tuple[Path, int], ...]  # files that the task begins with, as large as they are seen from here


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSeen:
    """The worker does not see a file as it is."""

    path: Path


class _GivenUpError(Exception):
    """Nobody waits for the task any more."""


def about(token: Path | None = None) -> Mapping[str, str]:
    """What this process would audit with, by name; `folder` says what is wrong with the token's folder, if anything."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2]), "handreplay": __version__}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    try:
        found[MODELS] = " ".join(f"{name}={digest}" for name, digest in sorted(model_hashes().items()))
    except ModelError as error:
        found[MODELS] = str(error)
    found[FOLDER] = "" if token is None else _wrong_with(token)
    return found


def run_errand(errand: Errand, perform: Perform) -> Outcome | NotSeen:
    """Do a task on a worker and tell the batch that it is being done. Never raises: a fault ends one task only."""
    for path, size in errand.sizes:
        if _size(path) != size:
            return NotSeen(path=path)
    try:
        return perform(errand.task, _teller(errand))
    except _GivenUpError:
        return Failure(key=errand.task.key, reason=f"{errand.token}: was removed while the batch went on")
    except Exception as error:
        logging.getLogger("distributed.worker").exception("handreplay: a fault in task %s", errand.task.key)
        return Failure(key=errand.task.key, reason=fault_of(error))


def sizes(task: Task) -> tuple[tuple[Path, int], ...]:
    """The files that a task begins with and how large they are here; those that are not here are left to the task."""
    if isinstance(task, ReadTask):
        paths = [task.job.profile, task.job.recording]
    else:
        paths = [task.profile, *(place.job.recording for place in task.places)]
    found = [(path, _size(path)) for path in paths]
    return tuple((path, size) for path, size in found if size is not None)


def _teller(errand: Errand) -> Beat:
    """Tells at once that the task has begun, then how far it is, at most once a second after the first picture."""
    worker, told = get_worker(), float("-inf")
    worker.log_event(errand.topic, [errand.number])

    def tell(read_s: float, promised_s: float | None) -> None:
        nonlocal told
        if time.monotonic() - told < TELL_EVERY_S:
            return
        told = time.monotonic()
        if _gone(errand.token):
            raise _GivenUpError
        worker.log_event(
            errand.topic, [errand.number, float(read_s), None if promised_s is None else float(promised_s)]
        )

    return tell


def _wrong_with(token: Path) -> str:
    if _size(token) is None:
        return "does not see it"
    try:
        with tempfile.TemporaryFile(dir=token.parent):
            return ""
    except OSError as error:
        return f"cannot write to it ({error.strerror or error})"


def _size(path: Path) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _gone(path: Path) -> bool:
    try:
        os.stat(path)
    except FileNotFoundError:
        return True
    except OSError:  # a drive that does not answer says nothing
        return False
    return False
