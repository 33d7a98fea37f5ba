"""A run folder: what one audit leaves behind, whole or not at all.

    DIR/manifest.json   what was audited with what, and the hash of every other file
    DIR/rounds.jsonl    DIR/findings.json    DIR/report.html    DIR/evidence/*.jpg

A folder counts as a run only while it has a manifest whose hashes hold. Files are first written aside, in a folder of
their own inside DIR; then the old manifest goes, the files take their places, one rename each, and the new manifest
comes last. A run killed at any point leaves the former run, or nothing that passes for one; the next run clears it up.
Of two audits into one folder the later one waits, and then takes the place of the other's run.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handreplay.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MANIFEST = "manifest.json"
BATCH_RECORD = "batch.json"
REVIEW_LOG = "review.jsonl"  # what people entered about the run; never overwritten by another audit
SCHEMA = "handreplay.run/1"
MAX_MANIFEST_BYTES = 8_000_000
_ASIDE = ".handreplay-unfinished"
_NOT_FOREIGN = {".DS_Store", "Thumbs.db", "desktop.ini"}
_PLAIN_NAME = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)?[A-Za-z0-9_][A-Za-z0-9_.-]*")
_WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What a result stands on. `*_sha256` are hex digests; no clock time, so that two runs write the same bytes."""

    version: str
    source_file: str
    source_sha256: str
    profile_file: str
    profile_sha256: str
    models: Mapping[str, str] = field(default_factory=dict)  # model file -> sha256


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run, as found on disk."""

    folder: Path
    manifest: Mapping[str, Any]

    def path(self, name: str) -> Path:
        return self.folder / name


def sha256_of(path: Path) -> str:
    """The hex digest of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_writable(folder: Path) -> None:
    """Refuse a folder that could not take a run, before hours are spent on one. Changes nothing on disk.

    Raises OutputError for a file in the way, a folder with foreign content or with reviewers' entries, or one that
    cannot be written to.
    """
    with _output_errors(folder):
        if folder.is_dir():
            _owned_files(folder)
            if (folder / REVIEW_LOG).exists():
                raise OutputError(
                    f"{folder} has a review log of its run (corrections, decisions, copies made); "
                    "name another folder for a new audit"
                )
        elif (folder.exists() or folder.is_symlink()) and not folder.is_dir():  # another audit may just have made it
            raise OutputError(f"{folder} is a file, not a folder; name another folder for the results")
        try_place(folder)


def try_place(folder: Path) -> None:
    """Raises OSError where nothing can be written to a folder, or where it would be made. Leaves nothing behind."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    with tempfile.TemporaryFile(dir=nearest):
        pass


def write_run(folder: Path, files: Mapping[str, bytes], provenance: Provenance) -> Run:
    """Put `files` (name -> content, "evidence/x.jpg" one folder deep at most) and their manifest into the folder.

    An earlier run there is replaced; files that it did not write are left alone. Raises OutputError, and then the
    earlier run is still whole.
    """
    wrong = [name for name in files if name == MANIFEST or not _PLAIN_NAME.fullmatch(name)]
    if wrong:
        raise ValueError(f"not a name for a result file: {wrong[0]!r}")
    new = not folder.is_dir()
    if new:
        check_writable(folder)
    try:
        with _output_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with _alone(folder):
                check_writable(folder)
                return _write(folder, files, _manifest(files, provenance))
    except BaseException:
        if new:
            with contextlib.suppress(OSError):  # something lies in it
                folder.rmdir()
        raise


def _write(folder: Path, files: Mapping[str, bytes], manifest: dict[str, Any]) -> Run:
    aside = folder / _ASIDE
    former = _owned_files(folder)
    taken = [name for name in files if name not in former and (folder / name).exists()]
    if taken:
        raise OutputError(f"{folder / taken[0]} is not from an earlier audit; name an empty folder for the results")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        _write_aside(aside, {**files, MANIFEST: _manifest_bytes(manifest)})
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    _take_places(folder, aside, list(files), former)
    return Run(folder, manifest)


def read_run(folder: Path) -> Run:
    """The finished run in a folder. Raises OutputError when there is none, or when a file is not what was written."""
    if folder.is_file():
        raise OutputError(f"{folder} is a file, not the folder of an audit (a round log alone: handreplay replay)")
    if not folder.is_dir():
        raise OutputError(f"no such run folder: {folder}")
    manifest = _read_manifest(folder / MANIFEST)
    if manifest is None:
        raise_for_batch(folder)
        raise OutputError(f"{folder} holds no finished run (no {MANIFEST}); run handreplay audit --out {folder}")
    if is_altered(folder, manifest):
        raise OutputError(f"{folder / MANIFEST} was altered since the audit; audit again")
    for name, facts in manifest["files"].items():
        path = folder / name
        if not path.is_file() or sha256_of(path) != facts.get("sha256"):
            raise OutputError(f"{path} is missing or was altered since the audit; audit again")
    return Run(folder, manifest)


def raise_for_batch(folder: Path) -> None:
    """Raises OutputError for the folder of a batch, which holds a run folder for each recording."""
    if (folder / BATCH_RECORD).is_file():
        runs = folder / "runs" / "TABLE" / "RECORDING"
        raise OutputError(f"{folder} is the folder of a batch; name one of its runs, {runs}")


def write_file(path: Path, content: bytes) -> None:
    """One file, whole or not at all. Raises OutputError."""
    with _output_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        put_file(path, content)


def put_file(path: Path, content: bytes, *, synced: bool = False) -> None:
    """One file, whole or not at all, `synced` to the disk before it takes its place. Raises OSError.

    It is written beside its place, with the mode that the umask gives to any new file: the results of one user are
    read by others, as far as that user lets them.
    """
    aside = path.parent / f".handreplay-{secrets.token_hex(8)}"
    try:
        with aside.open("xb") as stream:
            stream.write(content)
            if synced:
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name that every system can hold, distinct also where capitals do not count.

    Same names in the same order, same file names out. The real name belongs in the report.
    """
    given: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        if name in given:
            continue
        stem = _safe(name)
        choice, number = stem, 1
        while choice.casefold() in taken:
            number += 1
            choice = f"{stem}-{number}"
        taken.add(choice.casefold())
        given[name] = choice
    return given


def _safe(name: str) -> str:
    text = unicodedata.normalize("NFC", name)
    text = "".join("_" if char in '<>:"/\\|?*%' or not char.isprintable() else char for char in text)
    text = text.strip(" .").encode()[:120].decode(errors="ignore").rstrip(" .") or "unnamed"
    if text.split(".")[0].rstrip().casefold() in _WINDOWS_DEVICES or text.startswith("-"):
        text = f"_{text}"
    return text


def is_altered(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether the manifest is not, to the byte, what was written. Those of earlier versions carry no hash of theirs."""
    own = manifest.get("manifest_sha256")
    if own is None:
        return False
    without = {key: value for key, value in manifest.items() if key != "manifest_sha256"}
    return bool(own != _manifest_hash(without) or (folder / MANIFEST).read_bytes() != _manifest_bytes(manifest))


def _manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, indent=2, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def _manifest_hash(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(_manifest_bytes(manifest)).hexdigest()


def _manifest(files: Mapping[str, bytes], provenance: Provenance) -> dict[str, Any]:
    manifest = _listed(files, provenance)
    return {**manifest, "manifest_sha256": _manifest_hash(manifest)}


def _listed(files: Mapping[str, bytes], provenance: Provenance) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "tool": {"name": "handreplay", "version": provenance.version, "models": dict(provenance.models)},
        "source": {"file": provenance.source_file, "sha256": provenance.source_sha256},
        "profile": {"file": provenance.profile_file, "sha256": provenance.profile_sha256},
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
        },
    }


def _read_manifest(path: Path) -> dict[str, Any] | None:
    """A manifest of this product, or None. Its names are untrusted: they stay inside the folder."""
    try:
        if path.is_symlink() or path.stat().st_size > MAX_MANIFEST_BYTES:
            return None
        manifest = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        return None
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(
        isinstance(facts, dict) and _PLAIN_NAME.fullmatch(name) for name, facts in files.items()
    ):
        return None
    return manifest


def _owned_files(folder: Path) -> set[str]:
    """What an earlier run, finished or killed, wrote here; OutputError if the folder is not a run."""
    found = [entry for entry in os.scandir(folder) if entry.name not in _NOT_FOREIGN]
    if not found:
        return set()
    manifests = [_read_manifest(folder / MANIFEST), _read_manifest(folder / _ASIDE / MANIFEST)]
    owned = {name for manifest in manifests if manifest for name in manifest["files"]}
    strangers = [entry.name for entry in found if entry.name != _ASIDE]
    if strangers and not any(manifests):
        raise OutputError(f"{folder} already holds other files ({min(strangers)}); name an empty or new folder")
    if any(entry.name == "evidence" and entry.is_symlink() for entry in found):
        raise OutputError(f"{folder / 'evidence'} is a link; name an empty or new folder for the results")
    return owned


def _write_aside(aside: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = aside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())


def _take_places(folder: Path, aside: Path, names: list[str], former: set[str]) -> None:
    for name in sorted(former - set(names)):
        (folder / name).unlink(missing_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)  # only now: it owned the files that have just gone
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        os.replace(aside / name, folder / name)
    os.replace(aside / MANIFEST, folder / MANIFEST)
    shutil.rmtree(aside, ignore_errors=True)
    with contextlib.suppress(OSError):
        (folder / "evidence").rmdir()  # only goes when empty


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other audit writes its run there, then keep others waiting. A killed one lets go by itself.

    Where the system has no such lock (Windows, some network drives) nobody waits.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _output_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"cannot write the results to {target}: {reason}") from error
