"""A table's paytables with how often they hit and what the house keeps: text for a person, JSON for a program."""

from fractions import Fraction
from typing import Any

from handreplay.games.game import words
from handreplay.games.odds import PaytableOdds, TableOdds
from handreplay.rules.pages import basis_key

SCHEMA = "handreplay.odds/1"


def odds_text(told: TableOdds) -> str:
    lines = [f"{told.game.title} under {told.table.rules}, table {told.table.table}"]
    for paytable in told.paytables:
        lines += ["", *_paytable(paytable)]
    lines.append("")
    for best in told.best_play:
        lines.append(f"{best.title}, at the best play: house edge {percent(best.edge)} = {best.edge}")
    if told.not_worked_out:
        names = ", ".join(told.not_worked_out)
        how = "--best-play works them out, in minutes" if told.game.long_play else "not worked out here"
        lines.append(f"Hang on decisions and the dealer's hand, {how}: {names}")
    if told.paytables:
        lines += ["", basis_key(told_of.paytable.basis for told_of in told.paytables)]
    return "\n".join(lines)


def odds_json(told: TableOdds) -> dict[str, Any]:
    """Edges are exact: `"1608/22100"` over all hands, and in per cent to five places."""
    return {
        "schema": SCHEMA,
        "table": told.table.table,
        "game": told.table.game,
        "rules": told.table.rules,
        "paytables": [_fields(paytable) for paytable in told.paytables],
        "best_play": [
            {"wager": best.wager, "title": best.title, "house_edge": str(best.edge), "per_cent": _places(best.edge)}
            for best in told.best_play
        ],
        "not_worked_out": list(told.not_worked_out),
    }


def percent(share: Fraction) -> str:
    return f"{_places(share)}%"


def _places(share: Fraction) -> str:
    """Per cent to five places, halves away from zero."""
    scaled = abs(share) * 10_000_000
    rounded = (scaled.numerator * 2 + scaled.denominator) // (scaled.denominator * 2)
    return f"{'-' if share < 0 and rounded else ''}{rounded // 100_000}.{rounded % 100_000:05d}"


def over_all(share: Fraction, hands: int) -> str:
    """The share over all hands where that is whole, else in lowest terms."""
    scaled = share * hands
    return f"{scaled.numerator}/{hands}" if scaled.denominator == 1 else str(share)


def _paytable(told: PaytableOdds) -> list[str]:
    table = told.paytable
    stake = f" for a stake of ${table.stake_cents / 100:g}" if table.stake_cents else ""
    lines = [f"{told.title}, paytable {table.name}{stake} [{table.section}; {table.basis}]"]
    if told.total:
        lines.append(f"  {told.cards}: {told.total:,}")
        for line in told.lines:
            share = percent(Fraction(line.hands, told.total))
            lines.append(f"  {words(line.hand):<34}{line.pays:<24}{line.hands:>15,}{share:>12}")
        rest = told.total - told.hits
        lines.append(f"  {'no line':<34}{'':<24}{rest:>15,}{percent(Fraction(rest, told.total)):>12}")
    if told.edge is not None:
        lines.append(f"  house edge {percent(told.edge)} = {over_all(told.edge, told.total)}")
    if told.meter_share is not None:
        lines.append(f"  each $1,000 of the meter gives back {percent(told.meter_share * 1000)} of a $1 stake")
    if told.note:
        lines.append(f"  {told.note}")
    return lines


def _fields(told: PaytableOdds) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "wager": told.wager,
        "title": told.title,
        "paytable": told.paytable.name,
        "citation": told.paytable.section,
        "basis": told.paytable.basis,
        "stake_cents": told.paytable.stake_cents,
        "cards": told.cards,
        "hands": told.total,
        "lines": [{"hand": line.hand, "pays": line.pays, "hands": line.hands} for line in told.lines],
        "no_line": told.total - told.hits,
        "house_edge": None if told.edge is None else over_all(told.edge, told.total),
        "per_cent": None if told.edge is None else _places(told.edge),
    }
    if told.meter_share is not None:
        fields["per_meter_dollar"] = str(told.meter_share)
    return fields | {"note": told.note}
