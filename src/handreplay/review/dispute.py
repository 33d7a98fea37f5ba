"""The dispute report of one round: what happened, what was due, who says so, on one page or two.

Everything is taken from the official state and the review log, so that the same log gives the same report.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

from handreplay import __version__
from handreplay.core.events import Round
from handreplay.core.money import usd
from handreplay.core.readings import Known
from handreplay.report import words
from handreplay.report.page import BASIS_WORDS, environment, style
from handreplay.report.page_parts import watch
from handreplay.report.states import card_lives
from handreplay.review.decisions import CHOICE_WORDS, FAULT_WORDS, Decision, EntryError, clean_text, finding_keys
from handreplay.review.desk import Desk, Reviewer, State
from handreplay.review.dispute_pdf import dispute_pdf
from handreplay.review.dispute_text import decided
from handreplay.review.views import RoundView, entry_words, local_time, round_view

SCHEMA = "handreplay.dispute/1"
KINDS = {"html": "text/html; charset=utf-8", "pdf": "application/pdf", "json": "application/json"}
FORM: tuple[tuple[str, str, int], ...] = (  # field, words, longest text
    ("number", "Report number", 60),
    ("preparer", "Prepared by", 120),
    ("property", "Property", 120),
    ("staff", "Staff (dealer, supervisor, others)", 400),
    ("nature", "Nature of the incident", 400),
    ("method", "Method of review", 400),
    ("copies", "Copies made, beside those listed", 400),
    ("second_reviewer", "Second reviewer", 120),
    ("action", "Action taken", 1200),
    ("summary", "Summary", 1500),
)
NOT_GIVEN = "not given"

Report = dict[str, Any]


def keep(desk: Desk, reviewer: Reviewer, number: int, raw: Mapping[str, Any]) -> None:
    """Keep the fields that a person filled in. Raises EntryError."""
    if reviewer.blind:
        raise EntryError("a blind reviewer decides and corrects; the report is prepared openly")
    filled = {}
    for name, told, longest in FORM:
        text = clean_text(raw.get(name, ""), told, longest)
        if text:
            filled[name] = text
    desk.note(reviewer, {"kind": "report", "round": number, "fields": filled})


def dispute(desk: Desk, number: int) -> Report:
    """The report as plain values, ready for JSON. Times are in the table's zone, with their offset."""
    state = desk.state()
    view = round_view(desk, state, number, history=state.entries)
    line = next(round_ for round_ in state.rounds if round_.number == number)
    fields, entered = _fields(desk, state, number)
    report = desk.report(state)
    begins, ends = watch(report, number, line.start), watch(report, number, line.end)
    faults = sorted({found.decision.fault for found in view.findings if found.decision} - {"none"})
    decided = not view.findings or any(found.decision is not None for found in view.findings)
    return {
        "schema": SCHEMA,
        "fields": _filled(fields, desk, state, number),
        "entered": entered,
        "incident": {
            "date": words.date(line, desk.timezone),
            "begins": begins.clock,
            "ends": ends.clock,
            "timezone": desk.timezone,
            "position": [begins.position, ends.position],
        },
        "table": line.table,
        "game": words.game(line.game),
        "rules": desk.table.rules,
        "round": number,
        "verdict": view.part.verdict,
        "recording": {"file": desk.provenance.source_file, "sha256": desk.provenance.source_sha256},
        "copies": _copies(desk, state, number),
        "findings": [_finding(found) for found in view.findings],
        "no_longer": _no_longer(desk, state, view),
        "type_of_error": [FAULT_WORDS[fault] for fault in faults] or [_no_fault(view)],
        "losses": view.losses if decided else "not decided",
        "savings": view.savings if decided else "not decided",
        "hands": [
            *_board(line),
            *({"hand": row.name, "cards": list(row.cards), "rank": row.rank} for row in view.part.hands),
        ],
        "wagers": [
            {
                "seat": row.seat,
                "wager": row.wager,
                "staked": row.staked,
                "due": row.due,
                "observed": row.got,
                "difference": row.difference,
                "state": row.state,
            }
            for row in view.part.wagers
        ],
        "corrections": _corrections(desk, state, number),
        "second_reviews": _second(desk, number),
        "software": {"version": __version__, "audited_by": desk.provenance.version, "models": desk.provenance.models},
        "log_head": state.entries[-1].hash if state.entries else None,
    }


def _board(line: Round) -> list[Report]:
    """The community cards as they were dealt, None for one that was not read; nothing in a game without them."""
    dealt = [life.identity for life in card_lives(line) if life.zone == "community"]
    cards = [identity.value if isinstance(identity, Known) else None for identity in dealt]
    return [{"hand": "Board", "cards": cards, "rank": ""}] if cards else []


def _fields(desk: Desk, state: State, number: int) -> tuple[dict[str, str], str | None]:
    """What was filled in last, and when."""
    fields: dict[str, str] = {}
    entered = None
    for entry in state.entries:
        body = entry.body or {}
        if body.get("kind") == "report" and body.get("round") == number:
            fields, entered = dict(body["fields"]), local_time(body["at"], desk.timezone)
    return fields, entered


def _filled(fields: Mapping[str, str], desk: Desk, state: State, number: int) -> dict[str, str]:
    """Every field of the form, with what can be told where nobody filled it in."""
    day = next(r for r in state.rounds if r.number == number).clock_start
    mark = day[:10].replace("-", "") if day else desk.provenance.source_sha256[:8]
    own = [entry.body for entry in state.entries if entry.body and entry.body.get("round") == number]
    people = [str(body.get("by")) for body in own]
    reviewed = any(body.get("kind") in ("decision", "correction") for body in own)
    method = f"Recorded overhead video, read and replayed by handreplay {desk.provenance.version}"
    known = {
        "number": f"{desk.table.table}-{mark}-R{number:04d}",
        "preparer": people[-1] if people else NOT_GIVEN,
        "method": f"{method}, then reviewed." if reviewed else f"{method}; no person has reviewed it yet.",
        "second_reviewer": ", ".join(review["by"] for review in _second(desk, number)) or NOT_GIVEN,
    }
    return {name: fields.get(name) or known.get(name, NOT_GIVEN) for name, _, _ in FORM}


def _no_fault(view: RoundView) -> str:
    decided = all(found.decision is not None for found in view.findings)
    return FAULT_WORDS["none"] if decided else "not decided"


def _copies(desk: Desk, state: State, number: int) -> list[dict[str, str]]:
    copies = []
    for entry in state.entries:
        body = entry.body or {}
        if body.get("kind") == "copy" and body.get("round") == number:
            made = {"file": body["file"], "by": body["by"], "at": local_time(body["at"], desk.timezone)}
            copies.append({**made, "sha256": body["sha256"]})
    return copies


def _finding(found: Any) -> dict[str, Any]:
    finding, decision = found.finding, found.decision
    return {
        "code": finding["code"],
        "name": finding["name"],
        "seat": finding["seat"],
        "where": found.part.where,
        "message": finding["message"],
        "section": finding["citation"],
        "basis": BASIS_WORDS.get(finding["basis"], finding["basis"]),
        "remedy": finding["remedy"],
        "status": finding["status"],
        "confidence": finding["confidence"],
        "expected_cents": finding["expected_cents"],
        "observed_cents": finding["observed_cents"],
        "variance_cents": finding["variance_cents"],
        "clock": found.part.watch.clock,
        "position": found.part.watch.position,
        "pictures": [name for name, _ in found.part.pictures],
        "decision": None if decision is None else _decision(decision) | {"before_a_correction": found.stale},
    }


def _decision(decision: Decision) -> Report:
    return {
        "choice": CHOICE_WORDS[decision.choice],
        "type_of_error": FAULT_WORDS[decision.fault],
        "loss": usd(decision.loss_cents),
        "saving": usd(decision.saving_cents),
        "remark": decision.remark,
        "by": decision.by,
    }


def _no_longer(desk: Desk, state: State, view: RoundView) -> list[Report]:
    """The machine's findings that corrections did away with, and what people had decided of them."""
    machine, own = desk.machine["findings"], {found.key for found in view.findings}
    told = []
    for key, finding in zip(finding_keys(machine), machine, strict=True):
        if finding["round"] == view.number and key not in own:
            decision = state.decisions.get(key)
            decided = None if decision is None else _decision(decision)
            told.append({**{name: finding[name] for name in ("code", "seat", "message")}, "decision": decided})
    return told


def _corrections(desk: Desk, state: State, number: int) -> list[dict[str, str]]:
    told = []
    for entry in state.entries:
        body = entry.body or {}
        if body.get("kind") == "correction" and body.get("round") == number:
            told.append(
                {"by": body["by"], "at": local_time(body["at"], desk.timezone), "text": entry_words(body, desk)}
            )
    return told


def _second(desk: Desk, number: int) -> list[dict[str, Any]]:
    """Who looked at the round without seeing what others had decided, and how far they agree."""
    told = []
    for found in desk.agreements():
        own = [pair for pair in found.both if pair[0].finding.split(".")[1] == str(number)]
        alone = [key for key in found.only_second if key.split(".")[1] == str(number)]
        if own or alone:
            apart = sum(pair in found.apart for pair in own)
            told.append({"by": found.second, "same": len(own) - apart, "different": apart, "alone": len(alone)})
    return told


def render(desk: Desk, number: int, kind: str) -> bytes:
    """The report as html, pdf or json. The same log gives the same bytes."""
    report = dispute(desk, number)
    if kind == "json":
        return json.dumps(report, ensure_ascii=False, indent=1).encode() + b"\n"
    picture = shown_picture(desk, report)
    if kind == "pdf":
        return dispute_pdf(report, picture, FORM, entered_at(desk, number))
    return html(report, picture).encode()


def html(report: Report, picture: bytes | None) -> str:
    source = f"data:image/jpeg;base64,{base64.b64encode(picture).decode('ascii')}" if picture else None
    return (
        environment("handreplay.review")
        .get_template("dispute.html")
        .render(report=report, form=FORM, picture=source, style=style("base.css"), usd=usd, decided=decided)
    )


def shown_picture(desk: Desk, report: Report) -> bytes | None:
    """The picture of the first finding that has one."""
    for finding in report["findings"]:
        for name in finding["pictures"]:
            return desk.run.path(name).read_bytes()
    return None


def entered_at(desk: Desk, number: int) -> str | None:
    """When the report was last filled in, as in the log; the time that a PDF carries."""
    bodies = [entry.body or {} for entry in desk.state().entries]
    times = [str(body["at"]) for body in bodies if body.get("kind") == "report" and body.get("round") == number]
    return times[-1] if times else None
