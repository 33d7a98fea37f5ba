"""The charts of a shift report, drawn with matplotlib: SVG for the page, in its colours, and PNG for paper.

The same figures give the same bytes. Names from outside are drawn as they are, never as formulas.
"""

import io
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from handreplay.core.plain import plain
from handreplay.report import words
from handreplay.report.shift import text
from handreplay.report.shift.values import Kind, Piece, Rate, Shift, TableLine

WIDTH_IN = 11.0
ROW_IN = 0.36
BAR = 0.62  # of a row's height
PNG_DPI = 200
LONGEST_NAME = 40
MOST_TICKS = 12
MOST_ROWS = 40  # of a chart; further tables get another one, further dealers stand in the table alone
INK, SOFT, RULE, LINE = "#15202b", "#52606d", "#eaeef2", "#d9e0e6"
RIGHT, FAULT, OPEN = "#0b5c8f", "#b8400b", "#6b4e9b"
COLOURS: Mapping[Kind, str] = {
    Kind.JUDGED: RIGHT,
    Kind.QUESTIONED: OPEN,
    Kind.INCOMPLETE: "#b9a5dd",
    Kind.PASSED_OVER: "#9cc3dc",
    Kind.UNSEEN: INK,
    Kind.SET_ASIDE: FAULT,
    Kind.UNFINISHED: "#e5a67f",
    Kind.UNRECORDED: LINE,
}
IN_THE_PAGE = {  # a colour here -> the page's own, which changes when the page is dark
    INK: "var(--ink)",
    SOFT: "var(--soft)",
    RULE: "var(--rule)",
    LINE: "var(--line)",
    RIGHT: "var(--right)",
    FAULT: "var(--fault)",
    OPEN: "var(--open)",
    "#b9a5dd": "var(--incomplete)",
    "#9cc3dc": "var(--passed)",
    "#e5a67f": "var(--unfinished)",
}
SETTINGS: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",
    "text.parse_math": False,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "path.simplify": False,
}
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
HIDDEN = re.compile(r"#[0-9a-f]{6}\b")
logging.getLogger("matplotlib").setLevel(logging.ERROR)  # letters that a font lacks, caches that are built


def draw(shift: Shift) -> dict[str, Figure]:
    """The charts by name: coverage-1, ... (by time zone, so many tables each), wagers, dealers; none without data."""
    figures: dict[str, Figure] = {}
    zones: dict[str | None, list[TableLine]] = {}
    for line in shift.tables:
        if line.pieces:
            zones.setdefault(line.zone, []).append(line)
    with _settings():
        for zone, tables in zones.items():
            pieces = [piece for line in tables for piece in line.pieces]
            span = min(piece.start for piece in pieces), max(piece.end for piece in pieces)
            for place in range(0, len(tables), MOST_ROWS):
                figures[f"coverage-{len(figures) + 1}"] = _coverage(tables[place : place + MOST_ROWS], zone, span)
        several = len({line.game for line in shift.wagers}) > 1
        wagers = [
            (f"{words.wager(line.wager)}{f', {words.game(line.game)}' if several else ''}", line.rate)
            for line in shift.wagers
            if line.rate.judged
        ]
        if wagers:
            figures["wagers"] = _rates(wagers, None)
        dealers = [(line.dealer, line.rate) for line in shift.dealers][:MOST_ROWS]
        if dealers:
            figures["dealers"] = _rates(dealers, shift.wagers_rate.share)
    return figures


def svg(figure: Figure, name: str) -> str:
    """The chart as an element of a page, in its colours. `name` sets its identifiers apart from other charts'."""
    stream = io.StringIO()
    with _settings(**{"svg.hashsalt": f"handreplay {name}"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(stream.getvalue())
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        if element.tag == f"{{{SVG}}}g":
            element.attrib.pop("id", None)
        style = element.get("style")
        if style:
            element.set("style", HIDDEN.sub(_page_colour, style.replace("'DejaVu Sans'", "inherit")))
    root.attrib.pop("width", None)
    root.attrib.pop("height", None)
    root.set("stroke-linejoin", "round")
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    with _settings():
        figure.savefig(stream, format="png", dpi=PNG_DPI, facecolor="white", metadata={"Software": None})
    return stream.getvalue()


def _page_colour(found: re.Match[str]) -> str:
    return IN_THE_PAGE.get(found[0], found[0])


@contextmanager
def _settings(**more: Any) -> Iterator[None]:
    """matplotlib's own defaults and these, whatever the user's settings file says."""
    chosen: Any = {**SETTINGS, **more}
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(chosen)
        yield


def _coverage(tables: Sequence[TableLine], zone: str | None, span: tuple[datetime, datetime]) -> Figure:
    """A bar for each table from its first recording to its last, over the clock of this time zone."""
    figure, axes = _paper(len(tables), [line.table for line in tables])
    present: set[Kind] = set()
    for kind in Kind:
        boxes = [_box(piece, row) for row, line in enumerate(tables) for piece in line.pieces if piece.kind is kind]
        if boxes:
            present.add(kind)
            axes.add_patch(PathPatch(Path.make_compound_path(*boxes), facecolor=COLOURS[kind], linewidth=0))
    first, last = span
    spare = max(1.0, (last - first).total_seconds()) * 0.005
    axes.set_xlim(first.timestamp() - spare, last.timestamp() + spare)
    _hours(axes, first, last, zone)
    handles = [Patch(facecolor=COLOURS[kind], label=kind.value) for kind in Kind if kind in present]
    axes.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=min(4, len(handles)), frameon=False,
        borderpad=0.2, handlelength=1.2, handleheight=1.0, columnspacing=1.6, fontsize=8.5,
    )  # fmt: skip
    return figure


def _box(piece: Piece, row: int) -> Path:
    left, right = piece.start.timestamp(), piece.end.timestamp()
    low, high = row - BAR / 2, row + BAR / 2
    corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
    return Path(corners, [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY])


def _hours(axes: Axes, first: datetime, last: datetime, zone: str | None) -> None:
    """Ticks at whole hours of the table's clock; the offset stands under the first and wherever it changes."""
    places = list(_ticks(first, last, zone)) or [first]
    labels, said = [], ""
    for moment in places:
        offset = text.offset(moment, zone)
        label = f"{text.local(moment, zone):%H:%M}"
        label += f"\n{offset}" if offset != said else ""
        if offset != said or label.startswith("00:00"):
            label += f"\n{text.local(moment, zone):%d %b %Y}"
        labels.append(label)
        said = offset
    axes.set_xticks([moment.timestamp() for moment in places], labels)
    axes.grid(axis="x", color=RULE, linewidth=0.8)
    axes.set_xlabel(f"{zone or 'UTC, since no table profile told the time zone'}", fontsize=8.5)


def _ticks(first: datetime, last: datetime, zone: str | None) -> Iterator[datetime]:
    """Moments at which the clock shows a whole step: hours where they fit, else days, minutes where all is short."""
    span = (last - first).total_seconds()
    steps = (60, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800)
    step = next((step for step in steps if span / step <= MOST_TICKS), max(604800, span / MOST_TICKS))
    shown = text.local(first, zone)
    midnight = shown.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
    fine = min(step, 1800.0) if step <= 86400 else step
    at = midnight
    while at <= last:
        clock = text.local(at, zone)
        seconds = clock.hour * 3600 + clock.minute * 60 + clock.second
        if at >= first and (step > 86400 or seconds % step == 0):
            yield at
        at += timedelta(seconds=fine)


def _rates(rows: Sequence[tuple[str, Rate]], overall: float | None) -> Figure:
    """A dot and its 95% interval for each row, in per cent; a line at the rate of all."""
    figure, axes = _paper(len(rows), [name for name, _ in rows])
    for row, (_, rate) in enumerate(rows):
        if rate.share is None or rate.low is None or rate.high is None:
            continue
        axes.plot(
            [100 * rate.low, 100 * rate.high], [row, row], color=SOFT, linewidth=1.6, solid_capstyle="butt", zorder=2
        )
        axes.plot(
            [100 * rate.share],
            [row],
            "o",
            color=FAULT if rate.wrong else RIGHT,
            markersize=5.5,
            clip_on=False,
            zorder=3,
        )
    if overall is not None:
        axes.axvline(100 * overall, color=RIGHT, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate(
            f"all {text.percent(overall)}", (100 * overall, 1.0), xycoords=("data", "axes fraction"),
            xytext=(4, 2), textcoords="offset points", fontsize=8.5, color=RIGHT,
        )  # fmt: skip
    axes.set_xlim(left=0)
    axes.grid(axis="x", color=RULE, linewidth=0.8)
    axes.set_xlabel("settled wrong, per cent of the judged", fontsize=8.5)
    return figure


def _paper(rows: int, names: Sequence[str]) -> tuple[Figure, Axes]:
    """A figure with a line for each row, the first on top."""
    figure = Figure(figsize=(WIDTH_IN, 1.35 + ROW_IN * rows), layout="constrained")
    axes = figure.add_subplot()
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_yticks(range(rows), [_short(name) for name in names])
    axes.tick_params(axis="x", length=0)
    axes.tick_params(axis="y", length=0, pad=9)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    return figure, axes


def _short(name: str) -> str:
    told = plain(name)
    return told if len(told) <= LONGEST_NAME else f"{told[: LONGEST_NAME - 1]}…"
