"""`handreplay evidence`: one round as a file that a stranger can check.

    case-UTH-12-r0001/
      README.txt  SHA256SUMS  case.json        what this is, hashes of all, where all of it came from
      clip.mp4                                 the round, cut from the recording
      clip-2.mp4                               its part in the recording that it runs on into, if there is one
      report.html  report.pdf  report.json     the dispute report
      round.machine.jsonl  round.corrected.jsonl
      findings.machine.json  findings.corrected.json
      review.jsonl  manifest.json  table.toml  what people entered, the run's own hashes, the table profile
      pictures/*.jpg  rules/*.txt
      SHA256SUMS.sig  signer.pem               when signed

Of the review log every entry is there, those of other rounds with their hash alone, so that the chain can be checked.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handreplay import __version__
from handreplay.errors import OutputError
from handreplay.report.rack import spans
from handreplay.review import clips, dispute, signing
from handreplay.review.desk import Desk, Reviewer, State
from handreplay.review.log import Entry, line_of
from handreplay.review.moments import moments
from handreplay.review.plain_zip import write_zip
from handreplay.review.views import as_corrected
from handreplay.rules.pages import page_text
from handreplay.store import MANIFEST, read_run

SCHEMA = "handreplay.case/1"
SUMS, SIGNATURE, SIGNER, README, CASE = "SHA256SUMS", "SHA256SUMS.sig", "signer.pem", "README.txt", "case.json"

Contents = dict[str, bytes | Path]


@dataclass(frozen=True, slots=True)
class Made:
    """A case file's SHA-256, and what has to be said of it besides."""

    sha256: str
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOptions:
    """Who makes the case, from which recording (None: without a clip), and the key file that signs it."""

    by: Reviewer
    recording: Path | None = None
    sign_key: Path | None = None


def write_case(desk: Desk, number: int, out: Path, options: CaseOptions) -> Made:
    """Write the case of a round, and note in the review log that it was made.

    The file must not be there yet. Raises OutputError, and then nothing is left behind.
    """
    if number not in desk.lines:
        raise OutputError(f"{desk.folder}: no round {number}; rounds there: {_some(desk)}")
    read_run(desk.folder)  # whole still, or nothing is handed over
    key = signing.load_private(options.sign_key) if options.sign_key is not None else None
    if out.suffix.lower() != ".zip":
        raise OutputError(f"{out}: evidence is a ZIP file; give it a name that ends in .zip")
    if out.exists():
        raise OutputError(f"{out} is there already; evidence is never written over, so name another file")
    try:
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".handreplay-") as folder:
            parts = clips.cut_round(desk, number, options.recording, Path(folder))
            contents = case_contents(desk, number, parts)
            if key is not None:
                contents[SIGNER] = signing.public_pem(key)
            sums = sums_text({name: _sha256(content) for name, content in contents.items()})
            contents[SUMS] = sums
            if key is not None:
                contents[SIGNATURE] = signing.signed(key, sums)
            stem = top_folder(desk, number)
            made = Path(folder) / "case.zip"
            with made.open("xb") as stream:
                write_zip(stream, {f"{stem}/{name}": content for name, content in contents.items()})
            digest = _sha256(made)
            with out.open("xb"):  # never over a file that has come meanwhile
                pass
            made.replace(out)
    except OSError as error:
        raise OutputError(f"cannot write {out}: {error.strerror or type(error).__name__}") from None
    desk.note(options.by, {"kind": "copy", "round": number, "file": out.name, "sha256": digest})
    return Made(digest, tuple(clips.told(parts)))


def top_folder(desk: Desk, number: int) -> str:
    table = "".join(char if char.isascii() and char.isalnum() else "-" for char in desk.table.table).strip("-")
    return f"case-{table[:40].strip('-') or 'table'}-r{number:04d}"


def case_contents(desk: Desk, number: int, parts: Sequence[clips.Part]) -> Contents:
    """Everything but the list of hashes and the signature."""
    state = desk.state()
    contents: Contents = {
        "report.html": dispute.render(desk, number, "html"),
        "report.pdf": dispute.render(desk, number, "pdf"),
        "report.json": dispute.render(desk, number, "json"),
        "round.machine.jsonl": _line(desk.lines[number]),
        "findings.machine.json": _json(_of_round(desk.machine, number)),
        "review.jsonl": b"".join(_entry_line(entry, number) for entry in desk.log.entries()),
        MANIFEST: desk.run.path(MANIFEST).read_bytes(),
        "table.toml": desk.profile.path.read_bytes(),
    }
    if number in state.corrected:
        contents["round.corrected.jsonl"] = _line(as_corrected(desk, state, number).line)
    if state.document is not desk.machine:
        contents["findings.corrected.json"] = _json(_of_round(state.document, number))
    for finding in [*_of_round(desk.machine, number)["findings"], *_of_round(state.document, number)["findings"]]:
        contents[f"rules/{finding['code']}.txt"] = page_text(finding["code"]).encode()
        for shot in finding["evidence"]:
            contents[f"pictures/{Path(shot['image']).name}"] = desk.run.path(shot["image"]).read_bytes()
    contents |= {part.made.path.name: part.made.path for part in parts if part.made is not None}
    contents |= {f"pictures/{name}": picture for name, picture in moments(desk, state, number, parts).items()}
    contents[CASE] = _json(_about(desk, state, number, parts, contents))
    contents[README] = _readme(desk, number, parts, contents).encode()
    return contents


def _about(desk: Desk, state: State, number: int, parts: Sequence[clips.Part], contents: Contents) -> dict[str, Any]:
    manifest = desk.run.manifest
    entries = desk.log.entries()
    return {
        "schema": SCHEMA,
        "table": desk.table.table,
        "game": desk.table.game,
        "rules": desk.table.rules,
        "timezone": desk.timezone,
        "round": number,
        "corrected": number in state.corrected,
        "made_by": {"name": "handreplay", "version": __version__},
        "audited_by": manifest["tool"],
        "source": manifest["source"],
        "profile": manifest["profile"],
        "manifest_sha256": hashlib.sha256(_bytes(contents[MANIFEST])).hexdigest(),
        "clip": clips.facts(parts[0]),
        "continues": clips.following_facts(parts),
        "review_log": {"entries": len(entries), "head": entries[-1].hash if entries else None},
    }


def _entry_line(entry: Entry, number: int) -> bytes:
    body = entry.body or {}
    own = body.get("round") == number or body.get("kind") == "opened"
    return line_of(entry, withheld=not own)


def _of_round(document: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        **document,
        "rounds": [entry for entry in document["rounds"] if entry["round"] == number],
        "findings": [finding for finding in document["findings"] if finding["round"] == number],
    }


def sums_text(digests: Mapping[str, str]) -> bytes:
    """The list of hashes as sha256sum writes and checks it, from file name to SHA-256."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode()


def _sha256(content: bytes | Path) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _bytes(content: bytes | Path) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1).encode() + b"\n"


def _line(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _some(desk: Desk) -> str:
    return spans(desk.round_numbers()) or "none"


WHAT = {
    "report": "the dispute report, to read or print",
    "clip": "the round, cut from the recording",
    "round.machine.jsonl": "the round log as the machine read it",
    "round.corrected.jsonl": "the round log as people corrected it",
    "findings.machine.json": "what follows from the machine's reading",
    "findings.corrected.json": "what follows from the corrected round",
    "review.jsonl": "what people entered: each entry's hash covers the one before it",
    "manifest.json": "the audit's own list of files and hashes",
    "table.toml": "the table profile that the round was judged by",
    "case.json": "versions, models, hashes and times, for programs",
    "pictures/": "pictures that show the findings",
    "rules/": "the rules that the findings stand on",
    "SHA256SUMS": "the hash of every file here",
    "SHA256SUMS.sig": "an Ed25519 signature over SHA256SUMS, by the key in signer.pem",
}


def _readme(desk: Desk, number: int, parts: Sequence[clips.Part], contents: Contents) -> str:
    present = [*contents, CASE, SUMS]
    listed = [f"  {name:<26}{told}" for name, told in WHAT.items() if any(entry.startswith(name) for entry in present)]
    manifest = desk.run.manifest
    name = parts[0].name
    place = "\n".join([_clip_words(parts[0]), *clips.told(parts), *map(_clip_words, parts[1:])])
    return f"""\
Evidence of one round: table {desk.table.table}, round {number}
{name}, SHA-256 {manifest["source"]["sha256"]}

To check that nothing here was changed since it was made:

  with handreplay    handreplay verify CASE.zip
  without it         unpack CASE.zip, go into the folder, run: sha256sum -c SHA256SUMS

If the case is signed (SHA256SUMS.sig is there), compare the fingerprint that handreplay verify prints with the one
that the signer gave you, or check it with openssl:

  openssl pkeyutl -verify -pubin -inkey signer.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig

A hash shows that the files belong together. Only a signature, or a hash that you were told on another way, shows
who put them together.

{place}
Times count in seconds from the first picture of {name}; clock times carry the table's zone, {desk.timezone}.

Files:
{chr(10).join(listed)}

Made by handreplay {__version__}. The round was read by handreplay {manifest["tool"]["version"]}.
"""


def _clip_words(part: clips.Part) -> str:
    if part.made is None:
        return part.remark
    first = f"Its first picture is at {part.made.start:.3f} s of {part.name}."
    return f"{part.made.path.name}: {part.remark} {first}"
