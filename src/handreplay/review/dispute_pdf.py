"""The dispute report as PDF, one page or two. The same report gives the same bytes."""

import io
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import as_file, files
from typing import Any

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace, TTFFont

from handreplay.core.money import usd

NEVER_ENTERED = datetime(2000, 1, 1, tzinfo=UTC)  # the file's own date until somebody fills the report in
MARGIN_MM = 14.0
PICTURE_MM = 62.0  # its height
LACKING = "Letters that this file's font lacks are shown as boxes. The report as a page (HTML) shows them."
HEADING_MM = 22.0  # a heading and the first lines under it stay together
logging.getLogger("fpdf.output").setLevel(logging.ERROR)  # what it would say of such letters stands in the file

GREY, RULE, WASH = (82, 96, 109), (200, 208, 215), (240, 243, 246)


class _Sheet(FPDF):
    def __init__(self, foot: str) -> None:
        super().__init__(format="letter")
        self.foot = foot
        for style, name in (("", "DejaVuSans.ttf"), ("B", "DejaVuSans-Bold.ttf")):
            with as_file(files("handreplay.review").joinpath("fonts", name)) as path:
                self.add_font("text", style, path)
        self.set_margin(MARGIN_MM)
        self.set_auto_page_break(True, 16.0)

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font("text", size=6.5)
        self.set_text_color(*GREY)
        self.cell(0, 4, self.foot)
        self.cell(0, 4, f"{self.page_no()} / {{nb}}", align="R")

    def heading(self, text: str) -> None:
        if self.will_page_break(HEADING_MM):
            self.add_page()
        self.ln(2.2)
        self.set_font("text", "B", 9)
        self.set_text_color(0)
        self.cell(0, 5, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def paragraph(self, text: str, *, size: float = 8, bold: bool = False) -> None:
        self.set_font("text", "B" if bold else "", size)
        self.set_text_color(0)
        self.multi_cell(0, size * 0.5, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def pairs(self, rows: Sequence[tuple[str, str]]) -> None:
        self.set_font("text", size=8)
        with self.table(
            col_widths=(46, 142),
            first_row_as_headings=False,
            borders_layout=TableBordersLayout.NONE,
            line_height=4.1,
            padding=(0.3, 0),
            text_align="LEFT",
            v_align="TOP",
        ) as table:
            for name, value in rows:
                row = table.row()
                row.cell(name, style=FontFace(color=GREY))
                row.cell(value)

    def grid(self, head: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[float]) -> None:
        self.set_font("text", size=7.5)
        self.set_draw_color(*RULE)
        with self.table(
            col_widths=tuple(widths),
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            headings_style=FontFace(emphasis="BOLD", fill_color=WASH),
            line_height=3.9,
            padding=(0.5, 1),
            text_align="LEFT",
            v_align="TOP",
        ) as table:
            for cells in (head, *rows):
                row = table.row()
                for cell in cells:
                    row.cell(cell)


def dispute_pdf(
    report: Mapping[str, Any], picture: bytes | None, form: Sequence[tuple[str, str, int]], entered: str | None
) -> bytes:
    """The file's bytes. `entered` is when the report was filled in, ISO 8601; the PDF carries that as its date."""
    recording = report["recording"]
    sheet = _Sheet(f"{report['fields']['number']}   {recording['file']}  SHA-256 {recording['sha256']}")
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
    if any(font.missing_glyphs for font in sheet.fonts.values() if isinstance(font, TTFFont)):
        sheet.ln(6)
        sheet.paragraph(LACKING, size=7)
    return bytes(sheet.output())


def _facts(sheet: _Sheet, report: Mapping[str, Any], form: Sequence[tuple[str, str, int]]) -> None:
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


def _findings(sheet: _Sheet, report: Mapping[str, Any]) -> None:
    sheet.heading("Violations and sections")
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
                f"{found['code']} {found['name']}\n{found['status']}, {min(found['confidence'], 0.999):.1%}",
                f"{found['message']}{amount}",
                f"{found['section']} ({found['basis']})",
                f"{found['clock'] or ''}\n{found['position']}",
                decision,
            )
        )
    sheet.grid(("Finding", "What", "Section", "When", "Decision"), rows, (30, 58, 36, 30, 34))


def _picture(sheet: _Sheet, picture: bytes) -> None:
    sheet.ln(2)
    if sheet.will_page_break(PICTURE_MM):
        sheet.add_page()
    sheet.image(io.BytesIO(picture), h=PICTURE_MM)


def _money(sheet: _Sheet, report: Mapping[str, Any]) -> None:
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


def _people(sheet: _Sheet, report: Mapping[str, Any]) -> None:
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
