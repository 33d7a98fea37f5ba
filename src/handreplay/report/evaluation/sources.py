"""Where an evaluation's two sides come from: the truth beside a clip, and a run that was already made."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handreplay.config import Profile, load_profile
from handreplay.core.events import Round
from handreplay.core.findings import Audit
from handreplay.core.roundlog import read_rounds
from handreplay.errors import LogError
from handreplay.report.evaluation.clips import Clip, Made
from handreplay.report.findings_json import findings_document
from handreplay.rules import audit_rounds

MAX_DOCUMENT_BYTES = 64_000_000


def truth_of(clip: Clip) -> Made:
    """The true rounds, with the expected findings; without a file of those, the true log is replayed to get them."""
    rounds = read_rounds(clip.truth)
    if clip.expected is not None:
        return Made(rounds, read_document(clip.expected))
    profile = load_profile(clip.profile)
    return made(rounds, audit_rounds(rounds, profile.rules()), profile)


def finished_run(folder: Path, clip: Clip) -> Made:
    """What lies in `folder`/NAME from an earlier audit, as it lies there."""
    run = folder / clip.name
    log = run / "rounds.jsonl"
    if not log.is_file():
        raise LogError(f"{run}: no finished run (rounds.jsonl is missing)")
    rounds = read_rounds(log) if log.stat().st_size else ()  # an audit that rebuilt no round leaves an empty log
    return Made(rounds, read_document(run / "findings.json"))


def made(rounds: Sequence[Round], audit: Audit, profile: Profile) -> Made:
    """What an audit has just made of a clip."""
    return Made(rounds, findings_document(audit, profile.rules()))


def read_document(path: Path) -> dict[str, Any]:
    """A findings document, or expected findings. Raises LogError when it is none."""
    try:
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            raise LogError(f"{path}: is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB; this is no findings file")
        document = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise LogError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError):
        raise LogError(f"{path}: is not valid JSON") from None
    if not isinstance(document, dict) or not all(isinstance(document.get(key), list) for key in ("rounds", "findings")):
        raise LogError(f'{path}: has no "rounds" and "findings"; this is no findings file')
    try:
        for entry in document["rounds"]:
            _need(entry, "round")
            for row in entry.get("settlement", ()):
                _need(row, "seat", "wager", "staked_cents")
                _need(row["expected"], "result", "pay_cents")
                _need(row["observed"], "result", "pay_cents")
        for finding in document["findings"]:
            _need(finding, "code", "round")
    except (KeyError, TypeError, AttributeError) as error:
        raise LogError(f"{path}: is no findings file that can be compared ({error} is missing or wrong)") from None
    return document


def _need(entry: Any, *keys: str) -> None:
    for key in keys:
        entry[key]
