"""One run on the reviewer's desk: the machine's reading, what people entered, and what follows from both.

    run folder + review log  ->  State: rounds as corrected, judged anew; findings; decisions

The official state holds what was entered openly. A blind reviewer sees the machine's reading and their own entries.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from handreplay import __version__
from handreplay.config import Profile, load_profile
from handreplay.core.events import Round
from handreplay.core.logfields import Limits
from handreplay.core.roundlog import read_rounds
from handreplay.errors import ProfileError
from handreplay.games import log_limits
from handreplay.report.page_parts import Report
from handreplay.report.run_files import dealer_at_the_bottom
from handreplay.review.corrections import (
    Corrected,
    Correction,
    CorrectionError,
    corrected,
    read_correction,
    standing,
    stood_before,
)
from handreplay.review.decisions import (
    Agreement,
    Decision,
    EntryError,
    agreement,
    clean_text,
    decision_body,
    decisions_of,
    finding_keys,
)
from handreplay.review.log import AlteredError, Entry, ReviewLog
from handreplay.review.rejudge import all_judged_anew, judged_anew, stays_within
from handreplay.store import MANIFEST, Provenance, Run, read_run, sha256_of
from handreplay.vision.calibration import Calibration

LONGEST_NAME = 80

Document = Mapping[str, Any]
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Reviewer:
    name: str
    blind: bool = False

    @staticmethod
    def named(name: object, *, blind: bool = False) -> "Reviewer":
        """Raises EntryError for a name that is none."""
        text = clean_text(name, "the name", LONGEST_NAME).replace("\n", " ")
        if not text:
            raise EntryError("give a name: every entry says whose it is")
        return Reviewer(text, blind)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What follows from the machine's reading and one person's or everybody's open entries."""

    entries: tuple[Entry, ...]  # those that it stands on
    corrections: tuple[int, ...]  # numbers of the entries that correct
    rounds: tuple[Round, ...]
    corrected: Mapping[int, Corrected]  # rounds with standing corrections
    refused: Mapping[int, str]  # round -> why a correction no longer fits
    document: Document
    keys: tuple[str, ...]  # of the document's findings, in order
    decisions: Mapping[str, Decision]

    def finding(self, key: str) -> Document:
        """Raises EntryError when there is no such finding (any more)."""
        for own, finding in zip(self.keys, self.document["findings"], strict=True):
            if own == key:
                found: Document = finding
                return found
        raise EntryError("that finding no longer holds; the page shows what does")

    def of_round(self, number: int) -> list[tuple[str, Document]]:
        pairs = zip(self.keys, self.document["findings"], strict=True)
        return [(key, finding) for key, finding in pairs if finding["round"] == number]


class Desk:
    """One run folder, opened for review. Safe to use from several threads."""

    def __init__(self, folder: Path, *, table: Path | None = None, clock: Clock | None = None) -> None:
        """Raises OutputError, LogError, ProfileError or AlteredError when the run cannot be reviewed."""
        self.run: Run = read_run(folder)
        self.folder = folder
        self.profile: Profile = load_profile(_profile_path(self.run, table))
        self.table = self.profile.rules()
        self.limits: Limits = log_limits(self.table)
        log = self.run.path("rounds.jsonl")
        self.machine_rounds = read_rounds(log, self.limits) if log.stat().st_size else ()  # an idle hour has none
        self.lines: dict[int, Document] = _lines(log)
        self.machine: Document = json.loads(self.run.path("findings.json").read_text("utf-8"))
        self.log = ReviewLog(folder)
        self._clock: Clock = clock or (lambda: datetime.now(UTC))
        self._states: dict[str | None, tuple[int, State]] = {}
        self._guard = threading.RLock()
        self.log.entries()

    @property
    def name(self) -> str:
        return str(self.run.manifest["source"]["file"])

    @property
    def timezone(self) -> str:
        return self.profile.table.timezone

    @cached_property
    def zones(self) -> dict[str, tuple[tuple[float, float], ...]]:
        return {zone.name: zone.polygon for zone in self.profile.zones}

    @cached_property
    def calibration(self) -> Calibration | None:
        """None for a run of a round log, which no camera saw."""
        return Calibration.from_profile(self.profile) if self.profile.camera is not None else None

    @cached_property
    def turned(self) -> bool:
        return self.calibration is not None and dealer_at_the_bottom(self.calibration)

    @cached_property
    def provenance(self) -> Provenance:
        manifest = self.run.manifest
        return Provenance(
            version=manifest["tool"]["version"],
            source_file=manifest["source"]["file"],
            source_sha256=manifest["source"]["sha256"],
            profile_file=manifest["profile"]["file"],
            profile_sha256=manifest["profile"]["sha256"],
            models=manifest["tool"]["models"],
        )

    def round_numbers(self) -> tuple[int, ...]:
        return tuple(self.lines)

    def report(self, state: State) -> Report:
        """What pages are made of; its pictures are names alone."""
        names = {name: b"" for name in self.run.manifest["files"] if name.startswith("evidence/")}
        return Report(
            document=state.document,
            rounds=state.rounds,
            zones=self.zones,
            provenance=self.provenance,
            timezone=self.timezone,
            turned=self.turned,
            pictures=names,
        )

    # ---- what follows from the entries

    def state(self, reviewer: Reviewer | None = None) -> State:
        """The official state, or what a blind reviewer may see. Raises AlteredError when the log was tampered with."""
        blind = reviewer.name if reviewer is not None and reviewer.blind else None
        with self._guard:
            entries = self.log.entries()
            known = self._states.get(blind)
            if known is None or known[0] != len(entries):
                own = tuple(entry for entry in entries if _counts(entry, blind))
                try:
                    known = (len(entries), self._made(own, known[1] if known else None))
                except (KeyError, TypeError, AttributeError):
                    raise AlteredError(f"{self.log.path} holds an entry that no review wrote") from None
                self._states[blind] = known
            return known[1]

    def _made(self, entries: tuple[Entry, ...], former: State | None) -> State:
        numbers = tuple(entry.number for entry in entries if (entry.body or {}).get("kind") == "correction")
        if former is not None and former.corrections == numbers:
            return replace(former, entries=entries, decisions=decisions_of(entries))
        changed: dict[int, Corrected] = {}
        refused: dict[int, str] = {}
        applied: dict[int, Sequence[Correction]] = {}
        for number in sorted({entry.body["round"] for entry in entries if entry.body and entry.number in numbers}):
            fitting, why_not = _fitting(self.lines[number], _corrections(entries, number), self.limits)
            if fitting:
                applied[number] = fitting
                changed[number] = corrected(self.lines[number], fitting, self.limits)
            if why_not:
                refused[number] = why_not
        rounds = tuple(changed[one.number].round if one.number in changed else one for one in self.machine_rounds)
        document = self._judged(rounds, applied) if changed else self.machine
        return State(
            entries=entries,
            corrections=numbers,
            rounds=rounds,
            corrected=changed,
            refused=refused,
            document=document,
            keys=finding_keys(document["findings"]),
            decisions=decisions_of(entries),
        )

    def _judged(self, rounds: tuple[Round, ...], applied: Mapping[int, Sequence[Correction]]) -> Document:
        """The findings of the rounds as they stand, with the machine's pictures where it is the same place."""
        within = all(stays_within(self.lines[n], one) for n, corrections in applied.items() for one in corrections)
        if within:
            document = judged_anew(self.machine, rounds, applied.keys(), self.table)
        else:
            document = all_judged_anew(self.machine, rounds, self.table)
        machine = self.machine["findings"]
        pictures: dict[object, list[Any]] = {_place(finding): finding["evidence"] for finding in reversed(machine)}
        pictures |= {key: f["evidence"] for key, f in zip(finding_keys(machine), machine, strict=True)}
        keys = finding_keys(document["findings"])
        findings = [
            {**finding, "evidence": pictures.get(key) or pictures.get(_place(finding), [])}
            for key, finding in zip(keys, document["findings"], strict=True)
        ]
        return {**document, "findings": findings}

    def blind_reviewers(self) -> tuple[str, ...]:
        bodies = (entry.body or {} for entry in self.log.entries())
        return tuple(sorted({body["by"] for body in bodies if body.get("blind")}))

    def agreements(self) -> tuple[Agreement, ...]:
        first = self.state().decisions
        return tuple(
            agreement(name, first, self.state(Reviewer(name, blind=True)).decisions) for name in self.blind_reviewers()
        )

    # ---- what people enter

    def correct(self, reviewer: Reviewer, number: int, raw: object) -> Entry:
        """Keep a correction of a round. Raises CorrectionError when it does not fit; then nothing is kept."""
        if number not in self.lines:
            raise EntryError(f"the run has no round {number}")
        with self._guard:
            state = self.state(reviewer)
            following = len(self.log.entries()) + (2 if not self.log.entries() else 1)
            correction = read_correction(raw, following)
            earlier = _corrections(state.entries, number)
            if correction.op == "undo" and correction.fields["entry"] not in {c.entry for c in standing(earlier)}:
                raise CorrectionError("that correction was taken back already, or is somebody else's")
            fitting, _ = _fitting(self.lines[number], earlier, self.limits)
            before = corrected(self.lines[number], fitting, self.limits)
            corrected(self.lines[number], [*fitting, correction], self.limits)
            was = stood_before(before, correction)
            return self._append(reviewer, {"kind": "correction", "round": number, "correction": raw, "was": was})

    def decide(self, reviewer: Reviewer, key: str, raw: object) -> Entry:
        """Keep a decision on a finding. Raises EntryError."""
        finding = self.state(reviewer).finding(key)
        return self._append(reviewer, decision_body(raw, finding, key))

    def note(self, reviewer: Reviewer, body: Document) -> Entry:
        """Keep something else: the fields of a report, a copy that was made."""
        return self._append(reviewer, body)

    def _append(self, reviewer: Reviewer, body: Document) -> Entry:
        with self._guard:
            signed: dict[str, Any] = {"at": _stamp(self._clock()), "by": reviewer.name}
            if reviewer.blind:
                signed["blind"] = True
            if not self.log.entries():
                opened = {
                    "kind": "opened",
                    "version": __version__,
                    "manifest_sha256": sha256_of(self.folder / MANIFEST),
                    "source_sha256": self.provenance.source_sha256,
                }
                self.log.append({**opened, **signed})
            return self.log.append({**body, **signed})


def _profile_path(run: Run, table: Path | None) -> Path:
    if table is None:
        if "table.toml" not in run.manifest["files"]:
            raise ProfileError(f"{run.folder} keeps no table profile; name it with --table")
        return run.path("table.toml")
    if sha256_of(table) != run.manifest["profile"]["sha256"]:
        raise ProfileError(f"{table} is not the profile that {run.folder} was audited with")
    return table


def _place(finding: Document) -> tuple[object, ...]:
    """Round, seat and wager: pictures of one finding there show another one there too."""
    return finding["round"], finding["seat"], finding["wager"]


def _lines(path: Path) -> dict[int, Document]:
    texts = path.read_text("utf-8-sig").split("\n")
    return {fields["round"]: fields for fields in (json.loads(text) for text in texts if text.strip())}


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _counts(entry: Entry, blind: str | None) -> bool:
    body = entry.body or {}
    return body.get("by") == blind if body.get("blind") and blind is not None else not body.get("blind") and not blind


def _corrections(entries: Sequence[Entry], number: int) -> list[Correction]:
    return [
        read_correction(entry.body["correction"], entry.number)
        for entry in entries
        if entry.body is not None and entry.body.get("kind") == "correction" and entry.body["round"] == number
    ]


def _fitting(
    line: Document, corrections: Sequence[Correction], limits: Limits
) -> tuple[tuple[Correction, ...], str | None]:
    """The standing corrections that fit each other, and why another does not, when two were entered at once."""
    kept: tuple[Correction, ...] = standing(corrections)
    try:
        corrected(line, kept, limits)
        return kept, None
    except CorrectionError:
        pass
    every, kept, why_not = kept, (), None
    for correction in every:
        try:
            corrected(line, (*kept, correction), limits)
            kept = (*kept, correction)
        except CorrectionError as error:
            why_not = str(error)
    return kept, why_not
