"""findings.json (FORMATS.md, section 3): the same audit always gives the same text."""

import json
from collections.abc import Mapping
from typing import Any

from handreplay import __version__
from handreplay.core.findings import Audit, Finding, HandShown, Outcome, RoundVerdict, SettlementRow
from handreplay.games.table import TableRules

SCHEMA = "handreplay.findings/1"


def findings_document(
    audit: Audit,
    table: TableRules,
    *,
    source: Mapping[str, Any] | None = None,
    models: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The document as plain values. `models` are the weights that read the footage, file to SHA-256."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "handreplay", "version": __version__, "models": dict(sorted((models or {}).items()))},
        "table": table.table,
        "game": table.game,
        "rules": table.rules,
        "source": dict(source or {}),
        "rounds": [_round(round_) for round_ in audit.rounds],
        "findings": [finding_fields(finding) for finding in audit.findings],
    }


def findings_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def finding_fields(finding: Finding) -> dict[str, Any]:
    """One finding. An amount that does not apply or cannot be told is null."""
    return {
        "code": finding.code,
        "name": finding.name,
        "round": finding.round,
        "seat": finding.seat,
        "wager": finding.wager,
        "t": finding.t,
        "frame": finding.frame,
        "status": finding.status,
        "confidence": finding.confidence,
        "expected_cents": finding.expected_cents,
        "observed_cents": finding.observed_cents,
        "variance_cents": finding.variance_cents,
        "citation": finding.citation,
        "basis": finding.basis,
        "remedy": finding.remedy,
        "message": finding.message,
        "evidence": [{"t": e.t, "frame": e.frame, "image": e.image} for e in finding.evidence],
    }


def _round(round_: RoundVerdict) -> dict[str, Any]:
    return {
        "round": round_.round,
        "start": round_.start,
        "end": round_.end,
        "verdict": round_.verdict,
        "hands": {name: _hand(hand) for name, hand in round_.hands},
        "settlement": [_row(row) for row in round_.settlement],
    }


def _hand(hand: HandShown) -> dict[str, Any]:
    return {"cards": list(hand.cards), "rank": hand.rank, "best": None if hand.best is None else list(hand.best)}


def _row(row: SettlementRow) -> dict[str, Any]:
    return {
        "seat": row.seat,
        "wager": row.wager,
        "staked_cents": row.staked_cents,
        "expected": _outcome(row.expected),
        "observed": _outcome(row.observed),
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {"result": outcome.result, "pay_cents": outcome.pay_cents}
