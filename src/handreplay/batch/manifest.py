"""A manifest of recordings: CSV with the columns file, table, start and dealer, as spreadsheets write it."""

import csv
import difflib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from handreplay.errors import FootageError

COLUMNS = ("file", "table", "start", "dealer")
MAX_BYTES = 20_000_000
_MEANT = {  # other names that people give the columns
    "file": ("clip", "footage", "name", "path", "recording", "video"),
    "table": ("game", "tableid"),
    "start": ("at", "began", "begin", "begins", "beginning", "date", "datetime", "from", "time", "timestamp"),
    "dealer": ("croupier", "employee"),
}
_NEAR = 0.75  # as difflib counts: "strat", "tabel", "dealr"
_LISTED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One recording as the manifest names it; blank cells are empty texts."""

    line: int
    file: str
    table: str
    start: str
    dealer: str
    fault: str  # why the row cannot be believed, "" when it can


def read_manifest(path: Path) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """The rows, and remarks on how the file was read. Raises FootageError when it is no manifest at all."""
    text, remarks = _text(path)
    first, _, rest = text.partition("\n")
    skipped = 0
    if first.strip().strip('"').lower().startswith("sep="):  # Excel's own first line
        text, skipped = rest, 1
        first = rest.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    lines = _lines(path, text, delimiter, skipped)
    titles = next(lines, (1, []))[1]
    header = ["".join(cell.casefold().split()) for cell in titles]
    remarks += _check_columns(path, titles, header)
    return tuple(_row(line, cells, header) for line, cells in lines if any(map(str.strip, cells))), remarks


def _check_columns(path: Path, titles: Sequence[str], header: Sequence[str]) -> tuple[str, ...]:
    """A remark on columns that nothing is taken from. Raises FootageError where one is missing, twice or misspelt."""
    for column in COLUMNS:
        if header.count(column) > 1:
            raise FootageError(f'{path}: has the column "{column}" twice; remove or rename one')
    others = {name: _shown(title) for name, title in zip(header, titles, strict=True)}
    others = {name: title for name, title in others.items() if name and name not in COLUMNS}
    meant = [f'"{title}" (rename it "{known}")' for name, title in others.items() if (known := _meant(name, header))]
    if "file" not in header:
        near = next((f"; is it {one}?" for one in meant if one.endswith('"file")')), "")
        raise FootageError(
            f'{path}: has no column "file" in its first line{near}; a manifest is CSV with the columns '
            f"{', '.join(COLUMNS)}"
        )
    if meant:
        raise FootageError(
            f"{path}: unknown column{'s' if len(meant) > 1 else ''} {', '.join(meant[:_LISTED])}; "
            f"known columns: {', '.join(COLUMNS)}"
        )
    if not others:
        return ()
    named = ", ".join(f'"{title}"' for title in list(others.values())[:_LISTED])
    return (f"{path}: nothing is taken from {named}{', ...' if len(others) > _LISTED else ''}; these columns are not "
            f"known (known: {', '.join(COLUMNS)})",)  # fmt: skip


def _shown(title: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(title.split())[:40])


def _meant(name: str, header: Sequence[str]) -> str | None:
    """The known column, missing in the header, that a column of another name is most likely to be."""
    for column in COLUMNS:
        if column in header:
            continue
        near = difflib.SequenceMatcher(None, name[:40], column).ratio() >= _NEAR
        if near or name in _MEANT[column] or name.startswith(column) or name.endswith(column):
            return column
    return None


def _text(path: Path) -> tuple[str, tuple[str, ...]]:
    if path.exists() and not path.is_file():
        raise FootageError(f"{path}: is no ordinary file; name a folder or a manifest")
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise FootageError(f"{path}: no such folder or manifest; check the name") from None
    except (OSError, ValueError) as error:
        raise FootageError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if len(data) > MAX_BYTES:
        raise FootageError(f"{path}: is larger than {MAX_BYTES // 1_000_000} MB; this is no manifest of recordings")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        fallback = f"{path}: is not UTF-8; read as Windows text (cp1252), save it as UTF-8 if names look wrong"
        return text, (fallback,) if encoding == "cp1252" else ()
    raise FootageError(f"{path}: is no text that can be read; save the manifest as CSV in UTF-8")


def _lines(path: Path, text: str, delimiter: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Each record with the number of the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line + skipped, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise FootageError(f"{path}: line {line + skipped} is not CSV ({error}); save the manifest again") from None


def _row(line: int, cells: list[str], header: list[str]) -> Row:
    told = dict(zip(header, cells, strict=False))
    found = {name: " ".join(cell.split()) for name, cell in told.items() if name != "file"}
    place = header.index("file")
    fault = ""
    if any(map(str.strip, cells[len(header) :])):
        fault = "has more cells than the first line has columns; put names with commas into quotes"
    elif any(len(told.get(name, "").strip().splitlines()) > 1 for name in ("table", "start", "dealer")):
        fault = "has a cell of several lines; look for a quote that is not closed, or that should not be there"
    return Row(
        line=line,
        file=cells[place].strip() if place < len(cells) else "",
        table=found.get("table", ""),
        start=found.get("start", ""),
        dealer=found.get("dealer", ""),
        fault=fault,
    )
