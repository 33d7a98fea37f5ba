"""Was anything changed since? Asked of a run folder or of an evidence file; one altered byte anywhere is found.

Hashes show that files belong together. Who rewrites every file and every hash at once is found out only by a
signature, or by the head of the review log kept somewhere else; both are printed for that.
"""

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from handreplay.cutting import cut
from handreplay.errors import HandreplayError, OutputError
from handreplay.review import plain_zip, signing
from handreplay.review.case_file import CASE, SCHEMA, SIGNATURE, SIGNER, SUMS, sums_text
from handreplay.review.log import HEAD, LOCK, AlteredError, Entry, check_head, read_chain
from handreplay.review.playback import recording_of
from handreplay.store import MANIFEST, REVIEW_LOG, read_run, sha256_of

MAX_SUMS_BYTES = 2_000_000
MAX_TEXT_BYTES = 200_000_000
_SUM = re.compile(r"([0-9a-f]{64})  (\S.*)")
_NOT_OF_THE_RUN = {REVIEW_LOG, HEAD, LOCK, MANIFEST}


@dataclass(slots=True)
class Verdict:
    """What was checked, what is wrong, and what a reader should know besides."""

    checked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return not self.wrong


def verify(place: Path, *, recording: Path | None = None, signer: Path | None = None) -> Verdict:
    """Check a run folder or an evidence file. Raises HandreplayError when it is neither."""
    if place.is_dir():
        if signer is not None:
            raise HandreplayError("a run folder is not signed; --signer is for evidence files")
        return _folder(place, recording)
    if not place.is_file():
        raise OutputError(f"no such run folder or evidence file: {place}")
    return _case(place, recording, signer)


def _folder(folder: Path, recording: Path | None) -> Verdict:
    verdict = Verdict()
    try:
        run = read_run(folder)
    except OutputError as error:
        if not (folder / MANIFEST).exists() and not (folder / REVIEW_LOG).exists():
            raise
        verdict.wrong.append(_line(error).replace("; audit again", ""))
        return verdict
    verdict.checked.append(f"{len(run.manifest['files'])} files of the run and its {MANIFEST}")
    if "manifest_sha256" not in run.manifest:
        verdict.remarks.append(f"{MANIFEST} is of an earlier version and carries no hash of its own")
    _log(folder, verdict)
    known = {*run.manifest["files"], *_NOT_OF_THE_RUN}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in known:
            verdict.remarks.append(f"{name} is no part of the run, and nothing is said of it")
    try:
        found = recording_of(run, recording)
    except HandreplayError as error:
        verdict.wrong.append(_line(error))
        return verdict
    if found is None:
        verdict.remarks.append("the recording was not found, so it was not compared; name it with --footage")
    elif sha256_of(found) == run.manifest["source"]["sha256"]:
        verdict.checked.append(f"the recording, {found}")
    else:
        verdict.wrong.append(f"{found} is not the recording that was audited: its SHA-256 is another")
    return verdict


def _log(folder: Path, verdict: Verdict) -> None:
    path, head = folder / REVIEW_LOG, folder / HEAD
    if not path.exists():
        if head.exists():
            verdict.wrong.append(f"{REVIEW_LOG} is missing though {HEAD} says that there were entries")
        return
    try:
        entries, rest = read_chain(path.read_bytes(), REVIEW_LOG)
        check_head(head, entries)
        if entries:
            _bound(entries[0], sha256_of(folder / MANIFEST))
    except AlteredError as error:
        verdict.wrong.append(_line(error))
        return
    verdict.checked.append(f"{len(entries)} entries of the review log, head {entries[-1].hash if entries else 'none'}")
    if rest:
        verdict.remarks.append("the review log ends in an entry that a stop cut off; it had not been acknowledged")


def _bound(first: Entry, manifest_sha256: str) -> None:
    if first.body is not None and first.body.get("manifest_sha256") != manifest_sha256:
        raise AlteredError(f"{REVIEW_LOG} belongs to another run: it began on another {MANIFEST}")


# ---- evidence files


def _case(path: Path, recording: Path | None, signer: Path | None) -> Verdict:
    verdict = Verdict()
    try:
        with path.open("rb") as stream:
            if path.suffix.lower() != ".zip" and stream.read(2) != b"PK":
                raise OutputError(f"{path}: is neither the folder of a run nor an evidence file (.zip)")
            members = plain_zip.read_zip(stream)
            about = _check_case(stream, members, verdict, signer)
            if recording is not None:
                _check_recording(recording, about, verdict)
    except AlteredError as error:
        verdict.wrong.append(f"{path.name}: {_line(error)}")
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({error.strerror})") from None
    return verdict


def _check_case(
    stream: BinaryIO, members: Mapping[str, plain_zip.Member], verdict: Verdict, signer: Path | None
) -> dict[str, Any]:
    """What the case says of itself, once every file is the one that it lists."""
    tops = {name.split("/")[0] for name in members}
    files = {name.partition("/")[2]: member for name, member in members.items()}
    if len(tops) != 1 or SUMS not in files or CASE not in files or "" in files:
        raise AlteredError("it is no evidence file of handreplay, or files were taken out of it")
    sums = plain_zip.content_of(stream, files[SUMS], MAX_SUMS_BYTES)
    told = _told_sums(sums)
    listed, present = set(told), set(files) - {SUMS, SIGNATURE}
    for name in sorted(listed ^ present):
        raise AlteredError(f"{name} was {'taken out' if name in listed else 'put in'}")
    for name, digest in told.items():
        if _digest(stream, files[name]) != digest:
            raise AlteredError(f"{name} was altered")
    verdict.checked.append(f"{len(told)} files against {SUMS}")
    _check_signature(stream, files, sums, verdict, signer)
    return _check_inside(stream, files, verdict)


def _check_recording(recording: Path, about: dict[str, Any], verdict: Verdict) -> None:
    """Is the case of this recording, and does its clip hold the recording's own pictures?"""
    digest = sha256_of(recording) if recording.is_file() else ""
    shown = [(about["source"].get("sha256"), about.get("clip"))]
    shown += [(one.get("sha256"), one.get("clip")) for one in _continues(about)]
    clip = next((clip for sha256, clip in shown if digest and sha256 == digest), digest)
    if clip == digest:
        raise AlteredError(f"it is not of {recording}: the SHA-256 is another, or there is no such file")
    verdict.checked.append(f"the recording, {recording}")
    if not isinstance(clip, dict) or clip.get("picture_data_sha256") is None:
        return
    span = clip.get("starts_at_s"), clip.get("ends_at_s")
    if not all(isinstance(second, int | float) for second in span):
        raise AlteredError(f"{CASE} does not say when its clip was cut")
    with tempfile.TemporaryDirectory(prefix="handreplay-") as folder:
        again = cut(recording, clip["starts_at_s"] + 0.001, clip["ends_at_s"] + 0.001, Path(folder) / "clip")
    if again.data_sha256 != clip["picture_data_sha256"]:
        raise AlteredError("the clip does not hold the pictures of the recording at that time")
    verdict.checked.append(f"the clip against the recording: {again.pictures} pictures, bit for bit")


def _continues(about: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The recordings that the round runs on into; cases of earlier versions do not say."""
    told = about.get("continues")
    return [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []


def _not_there(about: Mapping[str, Any]) -> Iterator[str]:
    for one in _continues(about):
        clip = one.get("clip")
        if not isinstance(clip, dict) or clip.get("file") is None:
            yield f"the round goes on in {one.get('file')}, and that part is not in this case"


def _told_sums(sums: bytes) -> dict[str, str]:
    told: dict[str, str] = {}
    for line in sums.decode("utf-8", "replace").split("\n")[:-1]:
        found = _SUM.fullmatch(line)
        if found is None:
            raise AlteredError(f"{SUMS} was altered")
        told[found[2]] = found[1]
    if sums_text(told) != sums:
        raise AlteredError(f"{SUMS} was altered")
    return told


def _check_signature(
    stream: BinaryIO, files: Mapping[str, plain_zip.Member], sums: bytes, verdict: Verdict, signer: Path | None
) -> None:
    if (SIGNATURE in files) != (SIGNER in files):
        raise AlteredError("half of the signature was taken out")
    if SIGNATURE not in files:
        if signer is not None:
            raise AlteredError("it is not signed, and a signature was asked for")
        verdict.remarks.append("it is not signed: the hashes show that the files belong together, not who made them")
        return
    public = plain_zip.content_of(stream, files[SIGNER], signing.MAX_KEY_BYTES)
    try:
        mark = signing.check(public, SIGNER, sums, plain_zip.content_of(stream, files[SIGNATURE], 64))
    except signing.SigningError as error:
        raise AlteredError(_line(error)) from None
    if signer is not None and signing.fingerprint(signing.read_key(signer), str(signer)) != mark:
        raise AlteredError(f"it is signed by another key than {signer}: fingerprint {mark}")
    verdict.checked.append(f"the signature, by the key with fingerprint {mark}")
    if signer is None:
        verdict.remarks.append("compare the fingerprint with the one that the signer gave you, or name --signer KEY")


def _check_inside(stream: BinaryIO, files: Mapping[str, plain_zip.Member], verdict: Verdict) -> dict[str, Any]:
    """What the files say of each other. Returns what the case says of itself."""
    about = _json(stream, files[CASE])
    if about.get("schema") != SCHEMA or not isinstance(about.get("source"), dict):
        raise AlteredError(f"{CASE} is not one that this version reads")
    log = plain_zip.content_of(stream, files[REVIEW_LOG], MAX_TEXT_BYTES) if REVIEW_LOG in files else b""
    entries, rest = read_chain(log, REVIEW_LOG)
    head = entries[-1].hash if entries else None
    if rest or about.get("review_log") != {"entries": len(entries), "head": head}:
        raise AlteredError(f"{REVIEW_LOG} is not the one that {CASE} names")
    if MANIFEST not in files or about.get("manifest_sha256") != _digest(stream, files[MANIFEST]):
        raise AlteredError(f"{MANIFEST} is not the one that {CASE} names")
    if entries:
        _bound(entries[0], about["manifest_sha256"])
    verdict.checked.append(f"{len(entries)} entries of the review log, head {head or 'none'}")
    source = about["source"]
    verdict.remarks.append(f"the recording it was cut from: {source.get('file')}, SHA-256 {source.get('sha256')}")
    verdict.remarks += _not_there(about)
    return about


def _json(stream: BinaryIO, member: plain_zip.Member) -> dict[str, Any]:
    try:
        value = json.loads(plain_zip.content_of(stream, member, MAX_TEXT_BYTES))
    except (ValueError, RecursionError):
        raise AlteredError(f"{member.name} is not JSON") from None
    if not isinstance(value, dict):
        raise AlteredError(f"{member.name} is not a JSON object")
    return value


def _digest(stream: BinaryIO, member: plain_zip.Member) -> str:
    digest = hashlib.sha256()
    for piece in plain_zip.pieces_of(stream, member):
        digest.update(piece)
    return digest.hexdigest()


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
