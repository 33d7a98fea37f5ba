"""Findings and settlements as tables for spreadsheets, with what people decided: CSV and XLSX. JSON for programs.

Texts are texts: no spreadsheet runs them. Amounts are numbers, in dollars.
"""

import json
from decimal import Decimal
from typing import Any

from handreplay.report import places, words
from handreplay.report.spreadsheets import Cell, Rows, comma_separated, workbook
from handreplay.review.decisions import CHOICE_WORDS, FAULT_WORDS
from handreplay.review.desk import Desk, State

FINDINGS_HEAD = [
    "table",
    "round",
    "clock",
    "position",
    "code",
    "name",
    "status",
    "confidence",
    "seat",
    "wager",
    "expected",
    "observed",
    "variance",
    "citation",
    "basis",
    "remedy",
    "message",
    "decision",
    "type_of_error",
    "loss",
    "saving",
    "remark",
    "decided_by",
    "decided_at",
]
SETTLEMENTS_HEAD = [
    "table",
    "round",
    "clock",
    "seat",
    "wager",
    "staked",
    "expected_result",
    "expected_pay",
    "observed_result",
    "observed_pay",
    "agrees",
    "corrected",
]


def table(desk: Desk, state: State, name: str) -> bytes:
    """findings.csv, settlements.csv, findings.xlsx (both) or findings.json, by name."""
    if name == "findings.json":
        return json.dumps(as_json(desk, state), ensure_ascii=False, indent=1).encode() + b"\n"
    if name == "findings.xlsx":
        sheets = [("Findings", FINDINGS_HEAD, findings_rows(desk, state))]
        sheets.append(("Settlements", SETTLEMENTS_HEAD, settlement_rows(desk, state)))
        return workbook(sheets)
    if name == "findings.csv":
        return comma_separated(FINDINGS_HEAD, findings_rows(desk, state))
    return comma_separated(SETTLEMENTS_HEAD, settlement_rows(desk, state))


def as_json(desk: Desk, state: State) -> dict[str, Any]:
    """findings.json of the rounds as corrected, with every decision beside its finding."""
    findings = []
    for key, finding in zip(state.keys, state.document["findings"], strict=True):
        decision = state.decisions.get(key)
        told = None
        if decision is not None:
            told = {
                "choice": decision.choice,
                "type_of_error": decision.fault,
                "loss_cents": decision.loss_cents,
                "saving_cents": decision.saving_cents,
                "remark": decision.remark,
                "by": decision.by,
                "at": decision.at,
                "entry": decision.entry,
            }
        findings.append({**finding, "decision": told})
    return {**state.document, "findings": findings, "corrected_rounds": sorted(state.corrected)}


def findings_rows(desk: Desk, state: State) -> Rows:
    rounds = {round_.number: round_ for round_ in state.rounds}
    rows: Rows = []
    for key, finding in zip(state.keys, state.document["findings"], strict=True):
        decision = state.decisions.get(key)
        row: list[Cell] = [
            desk.table.table,
            finding["round"],
            words.clock(rounds[finding["round"]], finding["t"], desk.timezone),
            places.position(rounds[finding["round"]].source, finding["t"]),
            *(finding[name] for name in ("code", "name", "status", "confidence", "seat", "wager")),
            *(_dollars(finding[f"{name}_cents"]) for name in ("expected", "observed", "variance")),
            *(finding[name] for name in ("citation", "basis", "remedy", "message")),
        ]
        if decision is None:
            row += [None] * 7
        else:
            row += [CHOICE_WORDS[decision.choice], FAULT_WORDS[decision.fault]]
            row += [_dollars(decision.loss_cents), _dollars(decision.saving_cents)]
            row += [decision.remark, decision.by, decision.at]
        rows.append(row)
    return rows


def settlement_rows(desk: Desk, state: State) -> Rows:
    rounds = {round_.number: round_ for round_ in state.rounds}
    return [
        [
            desk.table.table,
            entry["round"],
            words.clock(rounds[entry["round"]], entry["start"], desk.timezone),
            row["seat"],
            row["wager"],
            _dollars(row["staked_cents"]),
            row["expected"]["result"],
            _dollars(row["expected"]["pay_cents"]),
            row["observed"]["result"],
            _dollars(row["observed"]["pay_cents"]),
            _agrees(row),
            "yes" if entry["round"] in state.corrected else "no",
        ]
        for entry in state.document["rounds"]
        for row in entry["settlement"]
    ]


def _agrees(row: dict[str, Any]) -> str:
    from handreplay.report.wager_verdicts import row_state

    return {"right": "yes", "wrong": "no"}.get(row_state(row), "not known")


def _dollars(amount: int | None) -> Decimal | None:
    return None if amount is None else Decimal(amount) / 100
