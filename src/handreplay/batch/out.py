"""The folder of a batch: whose it is, who writes to it, and what a killed batch left lying in it."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from handreplay.batch.ledger_place import FILE as LEDGER
from handreplay.batch.plan import READ, RUNS
from handreplay.batch.record import RECORD
from handreplay.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = "batch.lock"
_OF_SYSTEMS = {".DS_Store", "Thumbs.db", "desktop.ini"}
_LEFT = ".handreplay-"  # what files that are being written are called


def check_apart(recordings: Path, out: Path) -> None:
    """Refuse recordings that lie in the folder for the results. Raises OutputError."""
    place, results = recordings.resolve(), out.resolve()
    if place.is_dir() and place.is_relative_to(results):
        raise OutputError(f"{out}: holds the recordings ({recordings}); name another folder for the results")


@contextlib.contextmanager
def alone_in(out: Path) -> Iterator[None]:
    """Make the folder if need be, and keep other batches out of it. A killed batch lets go by itself.

    Raises OutputError for a folder that is not a batch's, that cannot be written to, or in which one is at work. Where
    the system has no such lock (Windows, some network drives) nobody is kept out.
    """
    _check_own(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
        handle = os.open(out / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise OutputError(f"cannot write the results to {out}: {error.strerror or error}") from error
    try:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OutputError(
                    f"{out}: another batch is at work in it; wait for its end, or name another folder"
                ) from None
            except OSError:
                pass  # no locks here
        _clear(out)
        yield
    finally:
        os.close(handle)


def _check_own(out: Path) -> None:
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir():
        raise OutputError(f"{out} is a file, not a folder; name another folder for the results")
    try:
        found = {entry.name for entry in os.scandir(out)}
    except OSError as error:
        raise OutputError(f"{out}: cannot be listed ({error.strerror})") from None
    if not found & {RECORD, LOCK} and found - _OF_SYSTEMS:
        raise OutputError(f"{out} already holds other files ({min(found - _OF_SYSTEMS)}); name an empty or new folder")


def _clear(out: Path) -> None:
    """Take away what was half written when an earlier batch was killed. Nothing else is ever removed."""
    places = [out, *out.glob(f"{READ}/*/*"), *out.glob(f"{RUNS}/*/*")]
    for left in (left for place in places if place.is_dir() for left in place.glob(f"{_LEFT}*")):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def ledger_of(out: Path) -> Path:
    return out / LEDGER
