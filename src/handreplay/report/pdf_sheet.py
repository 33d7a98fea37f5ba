"""The paper that PDF reports are written on: headings, paragraphs, tables, page numbers. Same calls, same bytes."""

import logging
from collections.abc import Sequence
from importlib.resources import as_file, files

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace, TTFFont

MARGIN_MM = 14.0
HEADING_MM = 22.0  # a heading and the first lines under it stay together
LACKING = "Letters that this file's font lacks are shown as boxes. The report as a page (HTML) shows them."
GREY, RULE, WASH = (82, 96, 109), (200, 208, 215), (240, 243, 246)
logging.getLogger("fpdf.output").setLevel(logging.ERROR)  # what it would say of such letters stands in the file


class Sheet(FPDF):
    """Letter pages in one font, with `foot` and the page number under each. Set the creation date: none is taken."""

    def __init__(self, foot: str) -> None:
        super().__init__(format="letter")
        self.foot = foot
        for style, name in (("", "DejaVuSans.ttf"), ("B", "DejaVuSans-Bold.ttf")):
            with as_file(files("handreplay.report").joinpath("fonts", name)) as path:
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

    def lacks_letters(self) -> bool:
        """Whether some text asked for a letter that the font has not."""
        return any(font.missing_glyphs for font in self.fonts.values() if isinstance(font, TTFFont))
