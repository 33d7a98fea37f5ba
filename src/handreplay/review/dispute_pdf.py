"""The dispute report as PDF, one page or two. The same report gives the same bytes."""

import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from handreplay.core.money import usd
from handreplay.report.page import certainty
from handreplay.report.pdf_sheet import LACKING, Sheet
from handreplay.review.dispute_text import decided

NEVER_ENTERED = datetime(2000, 1, 1, tzinfo=UTC)  # the file's own date until somebody fills the report in
PICTURE_MM = 62.0  # its height


def dispute_pdf(
    report: Mapping[str, Any], picture: bytes | None, form: Sequence[tuple[str, str, int]], entered: str | None
) -> bytes:
    """The file's bytes. `entered` is when the report was filled in, ISO 8601; the PDF carries that as its date."""
    recording = report["recording"]
    sheet = Sheet(f"{report['fields']['number']}   {recording['file']}  SHA-256 {recording['sha256']}")
    sheet.set_creation_date(datetime.fromisoformat(entered) if entered else NEVER_ENTERED)
    sheet.set_title(f"Dispute report {report['fields']['number']}")
    sheet.set_producer(f"handreplay {report['software']['version']}")
    sheet.add_page()
    sheet.paragraph(f"Dispute report {report['fields']['number']}", size=14, bold=True)
    sheet.paragraph(f"Table {report['table']}, {report['game']}, rules {report['rules']}, round {report['round']}")
    _facts(sheet, report, form)
    _findings(sheet, report)
    if picture is not None:
        _picture(sheet, picture)
    _money(sheet, report)
    _people(sheet, report)
    if sheet.lacks_letters():
        sheet.ln(6)
        sheet.paragraph(LACKING, size=7)
    return bytes(sheet.output())


def _facts(sheet: Sheet, report: Mapping[str, Any], form: Sequence[tuple[str, str, int]]) -> None:
    incident, fields = report["incident"], report["fields"]
    begins, ends = incident["position"]
    clock = f"{incident['date']}, {incident['begins']} to {incident['ends']} ({incident['timezone']})"
    rows = [
        ("Report entered", report["entered"] or "not yet"),
        ("Incident", clock if incident["begins"] else f"clock time not known; table zone {incident['timezone']}"),
        ("In the recording", f"{report['recording']['file']}, {begins} to {ends}"),
        ("Type of error", ", ".join(report["type_of_error"])),
        ("Losses / savings", f"{report['losses']} / {report['savings']}"),
    ]
    rows += [(words, fields[name]) for name, words, _ in form if name not in ("number", "copies")]
    listed = "; ".join(f"{copy['file']} ({copy['by']}, {copy['at']})" for copy in report["copies"])
    copies = [part for part in (listed, fields["copies"]) if part and part != "not given"]
    rows.append(("Copies made", "; ".join(copies) or "none"))
    sheet.heading("Report")
    sheet.pairs(rows)


def _findings(sheet: Sheet, report: Mapping[str, Any]) -> None:
    sheet.heading("Findings and sections")
    if not report["findings"]:
        sheet.paragraph("None.")
        return
    rows = []
    for found in report["findings"]:
        said = found["decision"]
        decision = "not decided"
        if said is not None:
            decision = f"{said['choice']}, {said['type_of_error']}, by {said['by']}"
            decision += f": {said['remark']}" if said["remark"] else ""
            decision += " (before a later correction)" if said["before_a_correction"] else ""
        variance = found["variance_cents"]
        amount = "" if not variance else f" Difference {usd(variance)}."
        rows.append(
            (
                f"{found['code']} {found['name']}\n{found['where']}; {certainty(found)}",
                f"{found['message']}{amount}",
                f"{found['section']} ({found['basis']})",
                f"{found['clock'] or ''}\n{found['position']}",
                decision,
            )
        )
    sheet.grid(("Finding", "What", "Section", "When", "Decision"), rows, (30, 58, 36, 30, 34))


def _picture(sheet: Sheet, picture: bytes) -> None:
    sheet.ln(2)
    if sheet.will_page_break(PICTURE_MM):
        sheet.add_page()
    sheet.image(io.BytesIO(picture), h=PICTURE_MM)


def _money(sheet: Sheet, report: Mapping[str, Any]) -> None:
    if report["wagers"]:
        sheet.heading("Due against paid")
        rows = [
            (
                f"Seat {row['seat']} {row['wager']}",
                row["staked"],
                row["due"],
                row["observed"],
                row["difference"] or {"right": "agrees", "open": "cannot be told"}.get(row["state"], ""),
            )
            for row in report["wagers"]
        ]
        sheet.grid(("Wager", "Staked", "Due", "Observed", "Difference"), rows, (50, 32, 36, 36, 34))
    if report["hands"]:
        sheet.heading("Hands")
        hands = [(row["hand"], " ".join(card or "?" for card in row["cards"]), row["rank"]) for row in report["hands"]]
        sheet.grid(("Hand", "Cards", "Rank"), hands, (40, 80, 68))


def _people(sheet: Sheet, report: Mapping[str, Any]) -> None:
    if report["no_longer"]:
        sheet.heading("Findings that no longer hold as corrected")
        for one in report["no_longer"]:
            sheet.paragraph(f"{one['code']}: {one['message']}{decided(one['decision'])}", size=7.5)
    if report["corrections"]:
        sheet.heading("Corrected by people (the machine's reading is kept)")
        for one in report["corrections"]:
            sheet.paragraph(f"{one['at']}  {one['by']}: {one['text']}", size=7.5)
    for one in report["second_reviews"]:
        told = f"{one['by']} decided without seeing the others' decisions: {one['same']} alike, {one['different']} not"
        sheet.heading("Second reviewer")
        sheet.paragraph(f"{told}, {one['alone']} decided by the second alone.", size=7.5)
    sheet.heading("What this stands on")
    software = report["software"]
    sheet.paragraph(
        f"Read by handreplay {software['audited_by']}, reported by {software['version']}. Recording SHA-256 "
        f"{report['recording']['sha256']}. Review log head {report['log_head'] or 'none: nothing was entered'}.",
        size=7,
    )
    sheet.ln(5)
    sheet.set_font("text", size=7.5)
    sheet.cell(95, 4, "Signed (preparer): ______________________________")
    sheet.cell(0, 4, "Signed (second reviewer): ______________________________")
