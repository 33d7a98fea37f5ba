"""The rows of one recording, from the batch's record and the recording's run folder; no database here.

A run folder is believed only while its hashes hold. What it says of a round is carried over, never judged anew.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from handreplay.batch.record import Entry, Record, State, time_text
from handreplay.core.events import Round
from handreplay.core.roundlog import read_rounds
from handreplay.errors import OutputError
from handreplay.report.evaluation.sources import read_document
from handreplay.report.page_parts import frame_shown, not_in_full
from handreplay.report.questions import is_question
from handreplay.report.wager_verdicts import wager_verdict
from handreplay.store import Run, read_run

Row = dict[str, Any]
Document = Mapping[str, Any]
Found = Mapping[int, list[Document]]  # findings by round
Spans = list[tuple[float, float]]

AS_FOUND = (
    *("code", "name", "status", "confidence", "seat", "wager", "citation", "remedy", "message"),
    *("expected_cents", "observed_cents", "variance_cents"),
)
MAX_PROFILE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Rows:
    """What goes into the ledger for one recording: table name -> its rows."""

    tables: Mapping[str, list[Row]]
    unjudged_until: datetime | None = None  # where an incomplete round ends that runs on beyond the recording

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(json.dumps(self.tables, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What the other recordings of a batch tell about one."""

    audited: Mapping[tuple[str | None, str | None], str] = field(default_factory=dict)  # table and hash -> name
    zones: Mapping[str | None, str] = field(default_factory=dict)  # by table

    @classmethod
    def of(cls, record: Record, out: Path) -> "Neighbours":
        zones: dict[str | None, str] = {}
        audited = [entry for entry in record.entries if entry.state is State.AUDITED]
        for entry in audited:
            zone = None if entry.table in zones else time_zone(_run_folder(entry, out) / "table.toml")
            if zone is not None:
                zones[entry.table] = zone
        return cls({(entry.table, entry.sha256): entry.name for entry in audited}, zones)

    def is_copy(self, entry: Entry) -> bool:
        """Whether it is set aside and another recording, audited, is the same: its time is that of the other."""
        same = (entry.table, entry.sha256) in self.audited
        return entry.state is State.SET_ASIDE and entry.sha256 is not None and same

    def place(self, entry: Entry, round_: Round | None, t: float) -> tuple[str, float]:
        """The recording that shows second `t` of `entry`, and the second in it: a round may run on into others."""
        goes_on = () if round_ is None else round_.source.get("continues") or ()
        name, start = entry.name, 0.0
        for part in goes_on:
            if part["from_s"] <= t:
                name, start = self.audited.get((entry.table, part["sha256"]), part["file"]), float(part["from_s"])
        return name, round(t - start, 3)


def rows_of(
    entry: Entry, out: Path, *, batch: str, neighbours: Neighbours, unjudged_until: datetime | None = None
) -> Rows:
    """All rows of a recording; `unjudged_until` is what the recording before it at the table left incomplete.

    Raises OutputError or LogError when its run folder is missing, altered or not what an audit writes.
    """
    run = _run(entry, out)
    own = None if run is None else time_zone(run.path("table.toml"))
    made = _Made(entry, batch, neighbours, own or neighbours.zones.get(entry.table))
    rounds: list[Row] = []
    document: Document = {}
    if run is not None:
        log = run.path("rounds.jsonl")
        whole = {r.number: r for r in read_rounds(log)} if log.stat().st_size else {}
        document = read_document(run.path("findings.json"))
        try:
            found = _by_round(document)
            rounds = [made.round(v, whole[int(v["round"])], document, found) for v in document["rounds"]]
            by_round = {row["round"]: row for row in rounds}
            wagers = made.wagers(document, by_round, found)
            findings = [made.finding(n, f, by_round, whole) for n, f in enumerate(document["findings"], 1)]
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise OutputError(
                f"{run.folder}: findings.json and rounds.jsonl do not fit each other ({error!r}); audit again"
            ) from None
    else:
        wagers, findings = [], []
    unjudged = [(row["start_s"], row["end_s"]) for row in rounds if row["judged"] == "no"]
    head = made.recording(document, unjudged, unjudged_until)
    tables = {"recordings": [head], "holes": made.holes(), "rounds": rounds, "wagers": wagers, "findings": findings}
    return Rows(_storable(tables), _left_over(entry, unjudged, unjudged_until))


def _run(entry: Entry, out: Path) -> Run | None:
    return read_run(_run_folder(entry, out)) if entry.state is State.AUDITED else None


def _run_folder(entry: Entry, out: Path) -> Path:
    place = PurePosixPath(entry.run or "")
    if not place.parts or place.is_absolute() or ".." in place.parts:
        raise OutputError(f"{out}: {entry.name} is audited, and its run folder ({entry.run}) is none below the batch")
    return out.joinpath(*place.parts)


def time_zone(profile: Path) -> str | None:
    """The table's, as a run's profile has it; None where that cannot be read."""
    try:
        if profile.stat().st_size > MAX_PROFILE_BYTES:
            return None
        zone = tomllib.loads(profile.read_text("utf-8"))["table"]["timezone"]
        return ZoneInfo(zone).key
    except (OSError, ValueError, KeyError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class _Made:
    """Makes the rows of one recording."""

    entry: Entry
    batch: str
    neighbours: Neighbours
    time_zone: str | None

    @property
    def _key(self) -> Row:
        return {"batch": self.batch, "recording": self.entry.name}

    @property
    def _at_table(self) -> Row:
        return {"table_id": self.entry.table, "dealer": self.entry.dealer}

    def _started(self, moment: datetime | None) -> Row:
        start = times(moment, self.time_zone)
        local = start["start_local"]
        return {**start, "local_hour": None if local is None else int(local[11:13])}

    def recording(self, document: Document, unjudged: Spans, unjudged_until: datetime | None) -> Row:
        entry = self.entry
        return {
            **self._key,
            **self._at_table,
            "time_zone": self.time_zone,
            "game": document.get("game"),
            "rules": document.get("rules"),
            **times(entry.start, self.time_zone),
            "expected_s": 0.0 if self.neighbours.is_copy(entry) else entry.expected_s,
            "read_s": entry.read_s,
            "judged_s": judged_s(entry, [*unjudged, *_spilt(entry, unjudged_until)]),
            "state": entry.state.value,
            "reason": entry.reason,
            "speed": "triage" if entry.triage else "full",
            "bytes": entry.bytes,
            "sha256": entry.sha256,
            "run": entry.run,
        }

    def holes(self) -> list[Row]:
        kinds = [("not read", hole) for hole in self.entry.holes]
        kinds += [("passed over", hole) for hole in self.entry.passed_over]
        return [
            {
                **self._key,
                "number": number,
                "table_id": self.entry.table,
                "kind": kind,
                "start_s": hole.start_s,
                "end_s": hole.end_s,
                "reason": hole.reason,
            }
            for number, (kind, hole) in enumerate(kinds, 1)
        ]

    def round(self, verdict: Document, round_: Round, document: Document, found: Found) -> Row:
        stays_open = verdict["verdict"] in ("incomplete", "review") or any(
            map(is_question, found.get(round_.number, ()))
        )
        return {
            **self._key,
            "round": round_.number,
            **self._at_table,
            "game": round_.game,
            "rules": document["rules"],
            "start_s": float(verdict["start"]),
            "end_s": float(verdict["end"]),
            **self._started(_clock(round_) or self._moment(round_.start)),
            "verdict": str(verdict["verdict"]),
            "judged": "no" if stays_open else "yes",
            "partial": not_in_full(round_),
        }

    def _moment(self, t: float) -> datetime | None:
        return None if self.entry.start is None else self.entry.start + timedelta(milliseconds=round(t * 1000))

    def wagers(self, document: Document, by_round: Mapping[int, Row], found: Found) -> list[Row]:
        rows = []
        for verdict in document["rounds"]:
            round_ = by_round[int(verdict["round"])]
            for number, row in enumerate(verdict["settlement"], 1):
                due, got = row["expected"], row["observed"]
                told, code = wager_verdict(row, found.get(round_["round"], ()))
                rows.append(
                    {
                        **self._key,
                        "round": round_["round"],
                        "number": number,
                        **_same(round_),
                        "seat": int(row["seat"]),
                        "wager": str(row["wager"]),
                        "staked_cents": row["staked_cents"],
                        "expected_result": due["result"],
                        "expected_cents": due["pay_cents"],
                        "observed_result": got["result"],
                        "observed_cents": got["pay_cents"],
                        "verdict": told,
                        "code": code,
                    }
                )
        return rows

    def finding(self, number: int, finding: Document, by_round: Mapping[int, Row], whole: Mapping[int, Round]) -> Row:
        """`by_round` and `whole` may lack its round: a camera that moved between rounds."""
        t = float(finding["t"])
        round_ = by_round.get(int(finding["round"])) or {
            **self._at_table,
            "game": None,
            **self._started(self._moment(t)),
            "start_s": t,
        }
        look_recording, look_s = self.neighbours.place(self.entry, whole.get(int(finding["round"])), t)
        at = None
        if round_["start_utc"] is not None:
            at = datetime.fromisoformat(round_["start_utc"]) + timedelta(seconds=t - round_["start_s"])
        shots = finding.get("evidence") or ()
        return {
            **self._key,
            "number": number,
            "round": int(finding["round"]),
            **_same(round_),
            "kind": "asked" if is_question(finding) else "fault",
            **{name: finding[name] for name in AS_FOUND},
            "basis": finding.get("basis"),
            "t_s": t,
            "frame": frame_shown(finding),
            **times(at, self.time_zone, "at"),
            "look_recording": look_recording,
            "look_s": look_s,
            "picture": shots[0]["image"] if shots else None,
        }


def times(moment: datetime | None, time_zone: str | None, name: str = "start") -> Row:
    """The moment in UTC and at the table; NULL for what is not known."""
    local = None if moment is None or time_zone is None else moment.astimezone(ZoneInfo(time_zone))
    return {
        f"{name}_utc": None if moment is None else time_text(moment),
        f"{name}_local": None if local is None else local.isoformat(timespec="milliseconds"),
    }


def _by_round(document: Document) -> Found:
    found: dict[int, list[Document]] = {}
    for finding in document["findings"]:
        found.setdefault(int(finding["round"]), []).append(finding)
    return found


def _same(round_: Row) -> Row:
    """What a wager or a finding has from its round."""
    return {name: round_[name] for name in ("table_id", "dealer", "game", "start_utc", "start_local", "local_hour")}


def _clock(round_: Round) -> datetime | None:
    if round_.clock_start is None:
        return None
    moment = datetime.fromisoformat(round_.clock_start)
    return moment.astimezone(UTC) if moment.tzinfo else None


def _spilt(entry: Entry, until: datetime | None) -> Spans:
    if until is None or entry.start is None:
        return []
    return [(0.0, (until - entry.start).total_seconds())]


def _left_over(entry: Entry, unjudged: Spans, until: datetime | None) -> datetime | None:
    ends = [] if until is None else [until]
    if entry.start is not None and entry.expected_s is not None:
        ends += [entry.start + timedelta(seconds=end) for _, end in unjudged if end > entry.expected_s]
    return max(ends, default=None)


def judged_s(entry: Entry, unjudged: Spans) -> float:
    """Seconds read that nothing was left open of; seconds passed over may or may not be among those read."""
    if entry.state is not State.AUDITED:
        return 0.0
    whole = max(entry.expected_s or 0.0, entry.read_s)
    holes = [(hole.start_s, hole.end_s) for hole in (*entry.holes, *entry.passed_over)]
    lost, all_lost = _covered(holes, whole), _covered([*holes, *unjudged], whole)
    return round(max(0.0, min(entry.read_s - (all_lost - lost), whole - all_lost)), 3)


def _covered(spans: Spans, whole: float) -> float:
    """Seconds of 0 to `whole` that lie in any of the spans."""
    seconds, reached = 0.0, 0.0
    for start, end in sorted(spans):
        start, end = max(start, reached), min(end, whole)
        if end > start:
            seconds += end - start
            reached = end
    return seconds


def _storable(tables: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    return {
        name: [{key: plain(value) if isinstance(value, str) else value for key, value in row.items()} for row in rows]
        for name, rows in tables.items()
    }


def plain(text: str) -> str:
    """The text as any database holds it."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
