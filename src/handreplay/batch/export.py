"""An answer as text for people, CSV for spreadsheets, JSON and Parquet for programs.

Text and CSV show amounts in dollars, in a column named without `_cents`. JSON and Parquet hold what the ledger holds:
whole cents. In CSV no spreadsheet runs a text.
"""

import csv
import io
import json
from collections.abc import Iterable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from handreplay.batch.asking import Answer
from handreplay.core.money import usd
from handreplay.core.plain import plain
from handreplay.errors import OutputError
from handreplay.report import words
from handreplay.report.findings_csv import inert
from handreplay.store import write_file

if TYPE_CHECKING:
    import pandas

SCHEMA = "handreplay.answer/1"
FORMATS = ("text", "csv", "json", "parquet")
WITH_NOTES = ("text", "json")
MOST_LETTERS = 100  # of a cell on the terminal
CENTS, SECONDS, RATE = "_cents", "_s", "_rate"


def rendered(answer: Answer, format_: str) -> bytes:
    """The answer as `text`, `csv`, `json` or `parquet`. The same answer always gives the same bytes."""
    if format_ == "csv":
        return as_csv(answer)
    if format_ == "json":
        return as_json(answer)
    if format_ == "parquet":
        return as_parquet(answer)
    return as_text(answer).encode()


def write(answer: Answer, format_: str, path: Path) -> None:
    """Into a file, whole or not at all. Raises OutputError when it is there already or cannot be written."""
    if path.exists():
        raise OutputError(f"{path} is there already; name another file")
    write_file(path, rendered(answer, format_))


def as_text(answer: Answer) -> str:
    """Columns side by side, numbers to the right, and the notes."""
    cells = [[_shown(name, value) for name, value in zip(answer.columns, row, strict=True)] for row in answer.rows]
    heads = [plain(_bare(name)) for name in answer.columns]
    widths = [max(map(cell_len, column)) for column in zip(heads, *cells, strict=True)]
    right = [_numbers(row[n] for row in answer.rows) for n in range(len(heads))]
    lines = [_padded(row, widths, right) for row in (heads, *cells)]
    if not answer.rows:
        lines.append("(nothing)")
    return "\n".join([*lines, *(["", *map(plain, answer.notes)] if answer.notes else [])]) + "\n"


def _padded(cells: list[str], widths: list[int], right: list[bool]) -> str:
    padded = []
    for cell, width, to_the_right in zip(cells, widths, right, strict=True):
        blanks = " " * (width - cell_len(cell))
        padded.append(blanks + cell if to_the_right else cell + blanks)
    return "  ".join(padded).rstrip()


def _numbers(column: Iterable[Any]) -> bool:
    known = [value for value in column if value is not None]
    return bool(known) and all(isinstance(value, int | float | Decimal) for value in known)


def _bare(name: str) -> str:
    return next((name.removesuffix(unit) for unit in (CENTS, SECONDS, RATE) if name.endswith(unit)), name)


def _shown(name: str, value: Any) -> str:
    value = _plain(value)
    if value is None:
        return "-"
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if name.endswith(CENTS) and isinstance(value, int):
        return usd(value)
    if name.endswith(SECONDS) and number and value >= 0:
        return words.position(value)
    if name.endswith(RATE) and number:
        return f"{100 * value:.2f}%"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = plain(str(value))
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 3] + "..."


def as_csv(answer: Answer) -> bytes:
    """With a byte order mark, so that spreadsheets take it for UTF-8."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([inert(name.removesuffix(CENTS)) for name in answer.columns])
    for row in answer.rows:
        writer.writerow([_csv_cell(name, value) for name, value in zip(answer.columns, row, strict=True)])
    return ("\ufeff" + stream.getvalue()).encode()


def _csv_cell(name: str, value: Any) -> str:
    value = _plain(value)
    if value is None:
        return ""
    if isinstance(value, str):
        return inert(value)
    if name.endswith(CENTS) and isinstance(value, int):
        return f"{'-' if value < 0 else ''}{abs(value) // 100}.{abs(value) % 100:02d}"
    return str(value)


def as_json(answer: Answer) -> bytes:
    rows = [dict(zip(answer.columns, map(_plain, row), strict=True)) for row in answer.rows]
    document = {
        "schema": SCHEMA,
        "question": answer.question,
        "columns": list(answer.columns),
        "rows": rows,
        "notes": list(answer.notes),
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def frame(answer: Answer) -> "pandas.DataFrame":
    """For pandas: whole numbers stay whole, to the last digit, where some are unknown; unknown is NA."""
    import pandas

    columns = {}
    for number, name in enumerate(answer.columns):
        values = [_plain(row[number]) for row in answer.rows]
        columns[name] = pandas.Series(values, dtype=_dtype(values))
    return pandas.DataFrame(columns)


def _dtype(values: list[Any]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values if value is not None):
        return "Int64"
    return {frozenset({str}): "string", frozenset({bool}): "boolean"}.get(
        frozenset(kinds), float if kinds and kinds <= {int, float} else object
    )


def as_parquet(answer: Answer) -> bytes:
    """Raises OutputError for a column that holds texts and numbers at once."""
    import pyarrow

    stream = io.BytesIO()
    try:
        frame(answer).to_parquet(stream, engine="pyarrow", index=False)
    except (pyarrow.ArrowException, OverflowError) as error:
        said = " ".join(str(error).split())[:200]
        raise OutputError(f"no Parquet can be made of it ({said}); CAST the column in the SELECT") from None
    return stream.getvalue()


def _plain(value: Any) -> Any:
    """A value as every format has it: whole decimals become integers, times and bytes texts."""
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value)
