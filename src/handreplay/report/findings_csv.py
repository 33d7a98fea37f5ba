"""Findings as CSV for a spreadsheet: one row a finding, amounts as numbers, texts that no spreadsheet runs."""

import csv
import io

from handreplay.core.findings import Audit, Finding

COLUMNS = (
    "round",
    "t",
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
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def findings_csv(audit: Audit) -> str:
    """The text of the file, with a byte order mark so that spreadsheets take it for UTF-8. Amounts are dollars."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for finding in audit.findings:
        writer.writerow(_row(finding))
    return "\ufeff" + stream.getvalue()


def inert(text: str) -> str:
    """A text that a spreadsheet shows and does not run."""
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def _row(finding: Finding) -> tuple[object, ...]:
    return (
        finding.round,
        f"{finding.t:.3f}",
        finding.code,
        finding.name,
        finding.status,
        f"{finding.confidence:.4f}",
        finding.seat,
        finding.wager,
        _dollars(finding.expected_cents),
        _dollars(finding.observed_cents),
        _dollars(finding.variance_cents),
        inert(finding.citation),
        finding.basis,
        inert(finding.remedy),
        inert(finding.message),
    )


def _dollars(amount: int | None) -> str:
    if amount is None:
        return ""
    return f"{'-' if amount < 0 else ''}{abs(amount) // 100}.{abs(amount) % 100:02d}"
