"""The shift report on paper: what the page says, in the same order. The same figures give the same bytes."""

import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace

from handreplay import __version__
from handreplay.report.pdf_sheet import GREY, LACKING, RULE, WASH, Sheet
from handreplay.report.shift import charts, text
from handreplay.report.shift.layout import (
    Column,
    Grid,
    Layout,
    Picture,
    layout,
    round_anchor,
    table_anchor,
    take_anchor,
)
from handreplay.report.shift.values import Shift

MADE = datetime(2000, 1, 1, tzinfo=UTC)  # a night nobody dated; else the file carries the time its last recording began
WIDTH_MM = 188.0
HEIGHT_MM = 225.0  # the tallest chart: a title and its note fit above it
TONES = {"fault": (184, 64, 11), "open": (107, 78, 155)}
SMALL = 6.3
TITLE_MM, NOTE_MM = 11.0, 6.0


def shift_pdf(shift: Shift) -> bytes:
    head = text.headline(shift)
    sheet = _paper(shift, head.title)
    figures = charts.draw(shift)
    pictures = {name: charts.png(figure) for name, figure in figures.items()}
    plan = layout(shift, figures)
    links = _Links(sheet, shift, plan)
    sheet.add_page()
    _head(sheet, shift, head)
    for section in plan.sections:
        links.arrive(section.anchor)
        first = next(iter(section.blocks), None)
        _title(sheet, section.title, above=_picture_mm(pictures[first.chart])[1] if isinstance(first, Picture) else 0.0)
        for block in section.blocks:
            if isinstance(block, Grid):
                _grid(sheet, block, links)
            else:
                _picture(sheet, block, pictures[block.chart])
    _lists(sheet, shift, plan, links)
    _rounds(sheet, shift, links)
    if sheet.lacks_letters():
        sheet.ln(4)
        sheet.paragraph(LACKING, size=7)
    return bytes(sheet.output())


class _Links:
    """Places in the file that numbers lead to."""

    def __init__(self, sheet: Sheet, shift: Shift, plan: Layout) -> None:
        self._sheet = sheet
        anchors = ["rounds", *(section.anchor for section in plan.sections), *(one.anchor for one in plan.lists)]
        anchors += [table_anchor(number) for number in range(len(shift.tables))]
        anchors += [take_anchor(number) for number in range(len(shift.takes))]
        self._links = {anchor: sheet.add_link(page=1) for anchor in anchors}
        self._takes = {round_anchor(n): take_anchor(played.take) for n, played in enumerate(shift.rounds)}

    def to(self, anchor: str) -> int | None:
        """A round's link leads to its recording."""
        return self._links.get(self._takes.get(anchor, anchor))

    def arrive(self, anchor: str) -> None:
        self._sheet.set_link(self._links[anchor], y=self._sheet.get_y(), page=self._sheet.page)


def _paper(shift: Shift, title: str) -> Sheet:
    sheet = Sheet(f"Shift report   handreplay {__version__}")
    starts = [take.start for take in shift.takes if take.start is not None]
    sheet.set_creation_date(max(starts, default=MADE))
    sheet.set_title(f"{text.title(shift)}: {title}")
    sheet.set_producer(f"handreplay {__version__}")
    return sheet


def _head(sheet: Sheet, shift: Shift, head: text.Headline) -> None:
    tables = ", ".join(line.table for line in shift.tables[:12])
    if len(shift.tables) > 12:
        tables += f" and {len(shift.tables) - 12} more tables"
    sheet.paragraph(f"{text.title(shift)}: {tables}", size=8.5)
    window = text.window_text(shift)
    if window:
        sheet.paragraph(window, size=8.5)
    sheet.ln(1.5)
    sheet.paragraph(head.title, size=15, bold=True)
    sheet.ln(1)
    sheet.paragraph(head.detail, size=9)
    sheet.ln(2)
    sheet.pairs([(figure, what) for figure, what, _ in head.counts])


def _title(sheet: Sheet, title: str, *, above: float = 0.0) -> None:
    """A section's title, on the page of the first lines under it, or of the picture that is so tall (millimetres)."""
    if sheet.will_page_break(max(40.0, above + TITLE_MM + NOTE_MM)):
        sheet.add_page()
    sheet.ln(4)
    sheet.paragraph(title, size=12.5, bold=True)


def _note(sheet: Sheet, note: str) -> None:
    sheet.ln(0.6)
    sheet.set_font("text", size=7)
    sheet.set_text_color(*GREY)
    sheet.multi_cell(0, 3.4, note, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    sheet.set_text_color(0)
    sheet.ln(0.8)


def _grid(sheet: Sheet, grid: Grid, links: _Links) -> None:
    if grid.title:
        sheet.heading(grid.title)
    if grid.note:
        _note(sheet, grid.note)
    if grid.rows:
        _table(sheet, grid, links)
    else:
        sheet.paragraph(grid.empty)
    if grid.last:
        _note(sheet, grid.last)


def _table(sheet: Sheet, grid: Grid, links: _Links) -> None:
    sheet.set_font("text", size=6.8)
    sheet.set_text_color(0)
    sheet.set_draw_color(*RULE)
    with sheet.table(
        col_widths=tuple(column.weight for column in grid.columns),
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        headings_style=FontFace(emphasis="BOLD", fill_color=WASH),
        line_height=3.5,
        padding=(0.5, 0.9),
        text_align=tuple(_side(column) for column in grid.columns),
        v_align="TOP",
    ) as table:
        head = table.row()
        for column in grid.columns:
            head.cell(column.title)
        for cells in grid.rows:
            row = table.row()
            for cell in cells:
                style = FontFace(color=TONES[cell.tone]) if cell.tone in TONES else None
                row.cell(cell.text, style=style, link=links.to(cell.anchor) if cell.anchor and cell.text else None)


def _side(column: Column) -> str:
    return "RIGHT" if column.number else "LEFT"


def _picture(sheet: Sheet, picture: Picture, content: bytes) -> None:
    wide, tall = _picture_mm(content)
    if sheet.will_page_break(tall + NOTE_MM):
        sheet.add_page()
    _note(sheet, picture.says)
    sheet.image(io.BytesIO(content), w=wide, h=tall, alt_text=picture.says)
    sheet.ln(2)


def _picture_mm(content: bytes) -> tuple[float, float]:
    """As wide and as tall as it is put on paper."""
    width, height = _size(content)
    wide = min(WIDTH_MM, HEIGHT_MM * width / height)
    return wide, wide * height / width


def _size(content: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels."""
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def _lists(sheet: Sheet, shift: Shift, plan: Layout, links: _Links) -> None:
    if not plan.lists:
        return
    _title(sheet, "Rounds behind the numbers")
    for one in plan.lists:
        links.arrive(one.anchor)
        parts = (
            f"{table} {', '.join(str(shift.rounds[index].number) for index in rounds)}"
            for table, rounds in text.played_at(shift, one.rounds)
        )
        _entry(sheet, f"{one.title}, {len(one.rounds)}:", "; ".join(parts))


def _rounds(sheet: Sheet, shift: Shift, links: _Links) -> None:
    links.arrive("rounds")
    _title(sheet, "All rounds")
    _note(sheet, "By table and recording: number, place in the recording, time at the table, what became of it.")
    for number, line in enumerate(shift.tables):
        links.arrive(table_anchor(number))
        sheet.heading(line.table)
        for index in line.takes:
            take = shift.takes[index]
            links.arrive(take_anchor(index))
            _entry(sheet, take.name, f"{text.take_note(take)}{'' if take.folder else ' (no page of its rounds)'}")
            _flow(sheet, list(_round_texts(shift, take.rounds)))


def _round_texts(shift: Shift, rounds: Sequence[int]) -> Iterator[str]:
    for index in rounds:
        played = shift.rounds[index]
        when = f"{text.hms(played.start_s)}, {text.clock(played.start, shift.takes[played.take].zone)}"
        yield f"{played.number}  {when}, {text.round_note(played)}"


def _entry(sheet: Sheet, name: str, rest: str) -> None:
    sheet.ln(1)
    sheet.set_font("text", "B", SMALL)
    sheet.write(3.1, f"{name} ")
    sheet.set_font("text", "", SMALL)
    sheet.write(3.1, rest)
    sheet.ln(3.3)


def _flow(sheet: Sheet, lines: Sequence[str]) -> None:
    """Short lines in two columns, long ones over the whole width."""
    sheet.set_font("text", "", SMALL)
    half = WIDTH_MM / 2
    waiting = ""
    for line in lines:
        if sheet.get_string_width(line) > half - 2:
            if waiting:
                sheet.cell(half, 3.1, waiting, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
                waiting = ""
            sheet.multi_cell(0, 3.1, line, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        elif waiting:
            sheet.cell(half, 3.1, waiting)
            sheet.cell(half, 3.1, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            waiting = ""
        else:
            waiting = line
    if waiting:
        sheet.cell(half, 3.1, waiting, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
