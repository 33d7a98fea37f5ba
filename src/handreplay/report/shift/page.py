"""The shift report as one page that needs nothing beside it. Its rounds lead to the pages of their runs."""

from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup

from handreplay import __version__
from handreplay.report.page import render, style
from handreplay.report.shift import charts, text
from handreplay.report.shift.layout import layout, round_anchor, table_anchor, take_anchor
from handreplay.report.shift.values import Played, Shift, Take


@dataclass(frozen=True, slots=True)
class _Round:
    anchor: str
    number: int
    link: str  # "" while its run has no page
    at: str
    clock: str
    verdict: str
    note: str
    wagers: str
    money: str


@dataclass(frozen=True, slots=True)
class _Take:
    anchor: str
    take: Take
    note: str
    link: str
    rounds: tuple[_Round, ...]


def shift_page(shift: Shift, runs: str = "") -> str:
    """The whole page as text. `runs` is put before the folders of runs: the way to the batch's folder, ending in /."""
    figures = charts.draw(shift)
    plan = layout(shift, figures)
    return render(
        "shift.html",
        shift=shift,
        version=__version__,
        title=text.title(shift),
        head=text.headline(shift),
        window=text.window_text(shift),
        layout=plan,
        charts={name: Markup(charts.svg(figure, name)) for name, figure in figures.items()},  # escaped where made
        tables=[
            (table_anchor(number), line.table, [_take(shift, index, runs) for index in line.takes])
            for number, line in enumerate(shift.tables)
        ],
        round_anchor=round_anchor,
        lists=[(one, list(text.played_at(shift, one.rounds))) for one in plan.lists],
        style=style("base.css", "page.css", "shift.css"),
    )


def _take(shift: Shift, index: int, runs: str) -> _Take:
    take = shift.takes[index]
    link = f"{runs}{quote(take.folder)}/report.html" if take.folder else ""
    return _Take(
        anchor=take_anchor(index),
        take=take,
        note=text.take_note(take),
        link=link,
        rounds=tuple(_round(n, shift.rounds[n], take, link) for n in take.rounds),
    )


def _round(index: int, played: Played, take: Take, link: str) -> _Round:
    return _Round(
        anchor=round_anchor(index),
        number=played.number,
        link=f"{link}#round-{played.number}" if link else "",
        at=text.hms(played.start_s),
        clock=text.clock(played.start, take.zone),
        verdict=played.verdict,
        note=", ".join((*((played.why,) if played.why else ()), *played.codes)),
        wagers=f"{played.right} / {played.wrong} / {played.open}",
        money=text.amount(played.variance_cents) if played.variance_cents else "",
    )
