"""The review log: what people entered about a run, one JSON object a line, only ever added to.

    {"n": 3, "prev": hash of entry 2, "body": {...}, "hash": ...}        review.jsonl
    {"n": 3, "hash": hash of entry 3}                                    review.head

An entry's hash covers its number, the hash before it and the SHA-256 of its body, so a body can be withheld and the
chain still be checked. Lines are written in one canonical form and compared byte for byte. The head says how long the
log is, so that entries cannot be cut off its end unnoticed; it is written after the entry, and only then is the entry
acknowledged. A lock lets several programs write to one log in turn.
"""

import contextlib
import hashlib
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from handreplay.errors import HandreplayError, OutputError
from handreplay.store import REVIEW_LOG, put_file

HEAD = "review.head"
LOCK = "review.lock"
NO_ENTRY = "0" * 64  # the hash before the first entry
MAX_LINE_BYTES = 200_000
MAX_LOG_BYTES = 200_000_000

Body = Mapping[str, Any]


class AlteredError(HandreplayError):
    """Something is not what was written. The message says what and where."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `body` is None where it was withheld (in an evidence file); `body_sha256` stands for it then."""

    number: int
    previous: str
    body: Body | None
    body_sha256: str

    @property
    def hash(self) -> str:
        return hashlib.sha256(f"{self.number} {self.previous} {self.body_sha256}".encode()).hexdigest()


def canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def made(number: int, previous: str, body: Body) -> Entry:
    return Entry(number, previous, body, hashlib.sha256(canonical(body).encode()).hexdigest())


def line_of(entry: Entry, *, withheld: bool = False) -> bytes:
    fields: dict[str, Any] = {"n": entry.number, "prev": entry.previous, "hash": entry.hash}
    if withheld or entry.body is None:
        fields["body_sha256"] = entry.body_sha256
    else:
        fields["body"] = entry.body
    return canonical(fields).encode() + b"\n"


def read_chain(content: bytes, name: str) -> tuple[tuple[Entry, ...], bytes]:
    """The entries, each checked against its hash and the one before it, and what follows the last whole line.

    Raises AlteredError, naming the first entry that is not as it was written.
    """
    entries: list[Entry] = []
    previous = NO_ENTRY
    *lines, rest = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        entry = _entry(line, number, previous)
        if entry is None:
            raise AlteredError(f"{name}: entry {number} was altered, taken out or put in")
        entries.append(entry)
        previous = entry.hash
    return tuple(entries), rest


def _entry(line: bytes, number: int, previous: str) -> Entry | None:
    try:
        fields = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    body, digest = fields.get("body"), fields.get("body_sha256")
    if isinstance(body, dict):
        entry = made(number, previous, body)
    elif isinstance(digest, str):
        entry = Entry(number, previous, None, digest)
    else:
        return None
    return entry if line_of(entry) == line + b"\n" else None


class ReviewLog:
    """The log of one run folder. Entries are read anew whenever another program has added some."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / REVIEW_LOG
        self.head_path = folder / HEAD
        self._lock_path = folder / LOCK
        self._guard = threading.Lock()
        self._known: tuple[tuple[int, int], tuple[Entry, ...]] | None = None

    def entries(self) -> tuple[Entry, ...]:
        """All acknowledged entries, and one more if its writer was killed before it could say so.

        Raises AlteredError when the log was tampered with.
        """
        with self._guard:
            try:
                return self._read()[0]
            except AlteredError as altered:  # or another program was between an entry and its head
                try:
                    with locked(self._lock_path):
                        return self._read()[0]
                except OSError:
                    raise altered from None

    def append(self, body: Body) -> Entry:
        """Add an entry and return once it is on the disk. Raises AlteredError or OutputError, and adds nothing then."""
        if len(canonical(body).encode()) > MAX_LINE_BYTES:
            raise OutputError("the entry is too long for the review log; shorten it")
        with self._guard, _written(self.path), locked(self._lock_path):
            entries, rest = self._read()
            with self.path.open("r+b" if self.path.exists() else "x+b") as stream:
                if rest:
                    stream.truncate(stream.seek(0, os.SEEK_END) - len(rest))
                    told = {"kind": "recovered", "unfinished": rest.decode("utf-8", "replace")}
                    entries = (*entries, self._add(stream, entries, told))
                entry = self._add(stream, entries, body)
            self._known = None
            return entry

    def _add(self, stream: BinaryIO, entries: tuple[Entry, ...], body: Body) -> Entry:
        entry = made(len(entries) + 1, entries[-1].hash if entries else NO_ENTRY, body)
        stream.seek(0, os.SEEK_END)
        stream.write(line_of(entry))
        stream.flush()
        os.fsync(stream.fileno())
        write_synced(self.head_path, canonical({"n": entry.number, "hash": entry.hash}).encode() + b"\n")
        return entry

    def _read(self) -> tuple[tuple[Entry, ...], bytes]:
        if not self.path.exists():
            if self.head_path.exists():
                raise AlteredError(f"{self.path} is missing though {self.head_path.name} says that there were entries")
            return (), b""
        facts = self.path.stat()
        if facts.st_size > MAX_LOG_BYTES:
            raise AlteredError(f"{self.path} is larger than any review log")
        if self._known and self._known[0] == (facts.st_size, facts.st_mtime_ns):
            return self._known[1], b""
        content = self.path.read_bytes()
        entries, rest = read_chain(content, self.path.name)
        check_head(self.head_path, entries)
        if not rest:
            self._known = ((facts.st_size, facts.st_mtime_ns), entries)
        return entries, rest


def check_head(path: Path, entries: tuple[Entry, ...]) -> None:
    """Raises AlteredError unless the log is as long as the head says, or one entry longer (its writer was killed)."""
    if not path.exists():
        if len(entries) > 1:
            raise AlteredError(f"{path} is missing; nothing proves that the review log is whole")
        return
    content = path.read_bytes()
    longest = [(entry.number, entry.hash) for entry in entries[-2:]]
    if content not in [canonical({"n": n, "hash": digest}).encode() + b"\n" for n, digest in longest]:
        raise AlteredError(f"{path.name} does not name the last entry of the review log: one of the two was altered")


def write_synced(path: Path, content: bytes) -> None:
    """One small file, whole or not at all, on the disk when this returns."""
    put_file(path, content, synced=True)
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until no other program holds the lock file, then hold it. A killed holder lets go by itself."""
    with path.open("a+b") as stream:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if sys.platform == "win32":
                stream.seek(0)
                msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)


@contextlib.contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write to {path}: {error.strerror or type(error).__name__}") from error
