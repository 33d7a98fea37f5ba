"""Tables for spreadsheets, CSV and XLSX. Texts are texts: no spreadsheet runs them. Decimals are amounts in dollars."""

import csv
import io
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

import xlsxwriter

from handreplay.report.findings_csv import inert

Cell = str | int | float | Decimal | None
Rows = list[list[Cell]]

CREATED = datetime(2000, 1, 1)  # a fixed date, so that the same tables give the same bytes


def comma_separated(head: Sequence[str], rows: Rows) -> bytes:
    """A CSV file with a byte order mark, so that spreadsheets take it for UTF-8."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_csv_cell(cell) for cell in row])
    return ("\ufeff" + stream.getvalue()).encode()


def _csv_cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return f"{cell:.2f}"
    return inert(cell) if isinstance(cell, str) else str(cell)


def workbook(sheets: Sequence[tuple[str, Sequence[str], Rows]]) -> bytes:
    """An XLSX file with one sheet a table. The same tables give the same bytes."""
    stream = io.BytesIO()
    quiet = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = xlsxwriter.Workbook(stream, quiet)
    book.set_properties({"created": CREATED, "comments": "Made by handreplay"})
    bold = book.add_format({"bold": True, "bottom": 1})
    money = book.add_format({"num_format": "#,##0.00;[Red]-#,##0.00"})
    text = book.add_format({"num_format": "@"})
    for name, head, rows in sheets:
        sheet = book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for column, title in enumerate(head):
            longest = max([len(title), *(len(str(row[column] or "")) for row in rows)])
            sheet.set_column(column, column, min(60, longest + 2))
            sheet.write_string(0, column, title, bold)
        for number, row in enumerate(rows, 1):
            for column, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(number, column, cell, text)
                elif isinstance(cell, Decimal):
                    sheet.write_number(number, column, float(cell), money)
                elif cell is not None:
                    sheet.write_number(number, column, cell)
        sheet.autofilter(0, 0, len(rows), len(head) - 1)
    book.close()
    return stream.getvalue()
