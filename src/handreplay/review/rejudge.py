"""The findings of a run in which people corrected some rounds: those rounds judged anew, all others as they were.

Three codes look across rounds (stub counts and changes of the deck). Only when a correction touches what they look at
is the whole run judged again; else a correction in a night's run costs no more than in a single round.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from handreplay import rules
from handreplay.core.events import Round
from handreplay.core.findings import Finding
from handreplay.games.table import TableRules
from handreplay.report.findings_json import findings_document
from handreplay.review.corrections import Correction

ACROSS_ROUNDS = ("MD11", "MD12", "MD13")
WITHIN_A_ROUND = ("identity", "amount", "actor", "to", "right")
_WITHIN_EVENTS = ("chips_changed", "card_turned", "card_moved")

Document = Mapping[str, Any]


def stays_within(line: Document, correction: Correction) -> bool:
    """Whether a correction of this line cannot change what is found in other rounds."""
    if correction.op in WITHIN_A_ROUND:
        return True
    event = correction.fields["event"]
    if correction.op == "add":
        return event.get("type") in _WITHIN_EVENTS
    kinds = {str(number): one["type"] for number, one in enumerate(line["events"], 1)}
    return kinds.get(event) in _WITHIN_EVENTS


def judged_anew(machine: Document, rounds: Sequence[Round], changed: Collection[int], table: TableRules) -> Document:
    """The machine's document with the changed rounds judged anew, one by one."""
    fresh: dict[int, Document] = {}
    for round_ in rounds:
        if round_.number in changed:
            audit = rules.audit_rounds((round_,), table)
            own = tuple(finding for finding in audit.findings if finding.code not in ACROSS_ROUNDS)
            kept = tuple(
                finding_of(one)
                for one in machine["findings"]
                if one["round"] == round_.number and one["code"] in ACROSS_ROUNDS
            )
            fresh[round_.number] = findings_document(
                rules.Audit(rounds=audit.rounds, findings=own).with_findings(kept), table
            )
    entries: list[Document] = []
    findings: list[Document] = []
    old: dict[int, list[Document]] = {}
    for one in machine["findings"]:
        old.setdefault(one["round"], []).append(one)
    for entry in machine["rounds"]:
        now = fresh.get(entry["round"])
        entries.append(entry if now is None else now["rounds"][0])
        findings += old.get(entry["round"], []) if now is None else now["findings"]
    return {**machine, "rounds": entries, "findings": findings}


def all_judged_anew(machine: Document, rounds: Sequence[Round], table: TableRules) -> Document:
    """Every round judged, in their order."""
    document = findings_document(rules.audit_rounds(rounds, table), table)
    return {**machine, "rounds": document["rounds"], "findings": document["findings"]}


def finding_of(one: Document) -> Finding:
    """A finding of a document as a value again, without its evidence."""
    names = {field.name for field in fields(Finding)} - {"evidence"}
    return Finding(**{name: one[name] for name in names})
