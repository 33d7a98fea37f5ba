"""An evaluation as a table on a terminal, and as JSON."""

from dataclasses import asdict
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from handreplay.report.evaluation.clips import Evaluation
from handreplay.report.evaluation.scores import Score

SCHEMA = "handreplay.evaluation/1"
MAX_NOTES = 60


def share(part: int, whole: int) -> str:
    """A percentage to two decimals that never rounds up to 100 or down to 0."""
    if whole == 0:
        return "–"
    percent = 100 * part / whole
    if 0 < part < whole:
        percent = min(99.99, max(0.01, percent))
    return f"{percent:.2f}%" if 0 < part < whole else f"{percent:.0f}%"


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Counts per clip and in sum; shares of the sum. Nothing is rounded but the shares, to five decimals."""
    return {
        "schema": SCHEMA,
        "clips": {name: _counts(score) | {"notes": score.notes} for name, score in evaluation.clips.items()},
        "failures": dict(evaluation.failures),
        "total": _counts(evaluation.total),
        "shares": _shares(evaluation.total),
    }


def _counts(score: Score) -> dict[str, Any]:
    counts = asdict(score)
    del counts["notes"]
    for name in ("cards", "amounts", "settlements"):
        counts[name]["all"] = getattr(score, name).all
    counts["events"]["all_types"] = asdict(score.all_events)
    return counts


def _shares(score: Score) -> dict[str, float | None]:
    def part(count: int, whole: int) -> float | None:
        return round(count / whole, 5) if whole else None

    return {
        "cards_right": part(score.cards.right, score.cards.all),
        "cards_wrong": part(score.cards.wrong, score.cards.all),
        "amounts_exact": part(score.amounts.exact, score.amounts.all),
        "amounts_wrong": part(score.amounts.wrong, score.amounts.all),
        "events_right": part(score.all_events.right, score.all_events.all),
        "rounds_exact": part(score.rounds.exact, score.rounds.all),
        "racks_exact": part(score.rounds.rack_exact, score.rounds.all),
        "faults_found": part(score.faults.found, score.faults.all),
    }


def as_text(evaluation: Evaluation, *, notes: bool = False) -> Group:
    """Renderable for rich: one line a clip and the sum, events by type, and on request every single miss."""
    parts: list[Any] = [_clips_table(evaluation), Text(), _faults_table(evaluation), Text(), _events_table(evaluation)]
    for name, reason in evaluation.failures.items():
        parts.append(Text(f"{name}: not audited, all of it counts as missed: {reason}", style="bold"))
    if notes:
        for name, score in evaluation.clips.items():
            shown = score.notes[:MAX_NOTES]
            parts += [Text(), Text(f"{name}: {len(score.notes)} differences", style="bold")]
            parts += [Text(f"  {note}") for note in shown]
            if len(shown) < len(score.notes):
                parts.append(Text(f"  ... and {len(score.notes) - len(shown)} more (all with --format json)"))
    return Group(*parts)


def _new_table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, show_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
    return table


def _rows(evaluation: Evaluation) -> list[tuple[str, Score]]:
    rows = list(evaluation.clips.items())
    return [*rows, ("all", evaluation.total)] if len(rows) > 1 else rows


def _clips_table(evaluation: Evaluation) -> Table:
    table = _new_table(
        "Reading",
        "clip",
        "cards right",
        "wrong",
        "unread",
        "missed",
        "invented",
        "amounts exact",
        "wrong",
        "open",
        "missed",
        "rounds exact",
        "rack exact",
    )
    for name, score in _rows(evaluation):
        cards, amounts, rounds = score.cards, score.amounts, score.rounds
        table.add_row(
            name,
            f"{cards.right}/{cards.all} {share(cards.right, cards.all)}",
            str(cards.wrong),
            str(cards.unread),
            str(cards.missed),
            str(cards.invented),
            f"{amounts.exact}/{amounts.all} {share(amounts.exact, amounts.all)}",
            str(amounts.wrong),
            str(amounts.open),
            str(amounts.missed),
            f"{rounds.exact}/{rounds.all}",
            f"{rounds.rack_exact}/{rounds.all}",
            style="bold" if name == "all" else None,
        )
    return table


def _faults_table(evaluation: Evaluation) -> Table:
    table = _new_table(
        "Judging",
        "clip",
        "faults found",
        "missed",
        "of these to review",
        "invented confirmed",
        "probable",
        "questions",
        "verdicts right",
        "settlement rows right",
        "rounds missed",
        "invented",
    )
    for name, score in _rows(evaluation):
        faults, rounds, rows = score.faults, score.rounds, score.settlements
        table.add_row(
            name,
            f"{faults.found}/{faults.all}",
            str(faults.missed),
            str(faults.left_open),
            str(faults.invented_confirmed),
            str(faults.invented_probable),
            str(faults.questions),
            f"{rounds.verdict_right}/{rounds.all}",
            f"{rows.right}/{rows.all}",
            str(rounds.missed),
            str(rounds.invented),
            style="bold" if name == "all" else None,
        )
    return table


def _events_table(evaluation: Evaluation) -> Table:
    total = evaluation.total
    table = _new_table("Events, within 1.5 s", "type", "right", "missed", "invented")
    for kind, events in total.events.items():
        if events.all or events.invented:
            table.add_row(kind, f"{events.right}/{events.all}", str(events.missed), str(events.invented))
    every = total.all_events
    table.add_row(
        "all",
        f"{every.right}/{every.all} {share(every.right, every.all)}",
        str(every.missed),
        str(every.invented),
        style="bold",
    )
    actors = total.actors
    table.add_row("hand that moved chips", str(actors.right), f"{actors.unknown} unknown", f"{actors.wrong} wrong")
    return table
