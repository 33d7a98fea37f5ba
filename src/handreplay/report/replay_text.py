"""A replayed log on the terminal: findings in time order, then what was checked. Plain when piped."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handreplay.core.events import Round
from handreplay.core.findings import Audit, Finding
from handreplay.core.money import usd
from handreplay.report import places

COLOURS = {"confirmed": "bold red", "probable": "yellow", "review": "cyan"}
PIPED_WIDTH = 160  # a terminal's own width does not reach a pipe


def console() -> Console:
    """The terminal; a pipe gets the same text without colours, at a fixed width."""
    own = Console(highlight=False)
    return own if own.is_terminal else Console(highlight=False, width=PIPED_WIDTH)


def print_replay(audit: Audit, rounds: Iterable[Round], to: Console) -> None:
    """Say every finding of these rounds, then the rounds by verdict and the wagers by what became of them."""
    if audit.findings:
        to.print(_findings(audit.findings, {round_.number: round_.source for round_ in rounds}))
    to.print(Text(summary(audit)))


def summary(audit: Audit) -> str:
    """One line: rounds by verdict, wagers checked, open and wrong, what the house lost or kept in all."""
    verdicts = [round_.verdict for round_ in audit.rounds]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in ("clean", "finding", "review", "incomplete"))
    rows = [row for round_ in audit.rounds for row in round_.settlement]
    open_rows = sum("unsettled" in (row.expected.result, row.observed.result) for row in rows)
    faults = [finding for finding in audit.findings if finding.counts_as_fault]
    lost = sum(max(0, finding.variance_cents or 0) for finding in faults)
    short = -sum(min(0, finding.variance_cents or 0) for finding in faults)
    return (
        f"{_many(len(audit.rounds), 'round')}: {counts}. {_many(len(rows), 'wager')} looked at, {open_rows} open. "
        f"{_many(len(faults), 'fault')}: the house lost {usd(lost)}, players are short {usd(short)}."
    )


def _findings(findings: tuple[Finding, ...], sources: Mapping[int, Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("round", "at", "code", "where"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what", overflow="fold")
    table.add_column("variance", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for finding in findings:
        table.add_row(
            str(finding.round),
            places.position(sources.get(finding.round, {}), finding.t),
            finding.code,
            _where(finding),
            Text(f"{finding.message} [{finding.citation}; {finding.basis}]"),
            "" if not finding.variance_cents else usd(finding.variance_cents),
            Text(finding.status, style=COLOURS[finding.status]),
        )
    return table


def _where(finding: Finding) -> str:
    if finding.seat is None:
        return "table"
    return f"seat {finding.seat} {finding.wager}" if finding.wager else f"seat {finding.seat}"


def _many(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"
