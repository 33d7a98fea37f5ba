"""Typed hands, settled: a row a wager with its reason, as text for the table and as JSON."""

from typing import Any

from handreplay.core.findings import HandShown
from handreplay.core.money import usd
from handreplay.rules.pages import basis_key
from handreplay.rules.typed_settlement import TypedRow, TypedSettlement

SCHEMA = "handreplay.settle/1"


def settle_text(told: TypedSettlement) -> str:
    """Hands first, then each seat's wagers, what is odd about them, and the sum."""
    lines = [f"{told.game.title} under {told.table.rules}, table {told.table.table}"]
    if told.board:
        lines.append(f"board    {' '.join(told.board)}")
    hands = dict(told.hands)
    width = max([len(row.title) for row in told.rows], default=0) + 2
    if "dealer" in hands:
        lines.append(f"dealer   {_hand(hands['dealer'])}")
    for seat in sorted({row.seat for row in told.rows}):
        shown = hands.get(f"seat{seat}")
        lines += ["", f"seat {seat}   {_hand(shown) if shown else 'cards not typed'}"]
        own = [row for row in told.rows if row.seat == seat]
        lines += [_row(row, width) for row in own]
        lines.append(_sum(own))
    lines += ["", *told.notes] if told.notes else []
    if told.rows:
        lines += ["", basis_key(row.stands_on.basis for row in told.rows)]
    return "\n".join(lines)


def settle_json(told: TypedSettlement) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "table": told.table.table,
        "game": told.table.game,
        "rules": told.table.rules,
        "board": list(told.board),
        "hands": {
            name: {"cards": list(hand.cards), "rank": hand.rank, "best": list(hand.best) if hand.best else None}
            for name, hand in told.hands
        },
        "settlement": [_fields(row) for row in told.rows],
        "notes": list(told.notes),
    }


def _fields(row: TypedRow) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "seat": row.seat,
        "wager": row.wager,
        "staked_cents": row.staked_cents,
        "expected": {"result": row.expected.result, "pay_cents": row.expected.pay_cents},
        "gain_cents": row.gain_cents,
        "why": row.why,
        "citation": row.stands_on.section,
        "basis": row.stands_on.basis,
    }
    if row.observed_cents is not None:
        fields |= {
            "observed_cents": row.observed_cents,
            "variance_cents": row.variance_cents,
            "code": row.code,
        }
    return fields


def _hand(hand: HandShown) -> str:
    cards = " ".join(str(card) for card in hand.cards)
    if hand.rank is None:
        return cards
    return f"{cards}   {hand.rank.replace('_', ' ')}: {' '.join(hand.best or ())}"


def _row(row: TypedRow, width: int) -> str:
    due = {"win": "wins", "lose": "loses", "push": "pushes", "unsettled": "open"}.get(row.expected.result, "")
    pay = usd(row.expected.pay_cents) if row.expected.pay_cents else ""
    line = f"  {row.title:<{width}}{usd(row.staked_cents):>11}  {due:<7}{pay:>12}   {row.why}"
    line += f"  [{row.stands_on.section}; {row.stands_on.basis}]"
    if row.code:
        much = "much" if (row.variance_cents or 0) > 0 else "little"
        line += f"\n    {row.code}: the player had {usd(abs(row.variance_cents or 0))} too {much}"
    elif row.observed_cents is not None and row.variance_cents == 0:
        line += "  handled rightly"
    return line


def _sum(rows: list[TypedRow]) -> str:
    staked = sum(row.staked_cents for row in rows)
    if any(row.expected.pay_cents is None for row in rows):
        return f"  staked {usd(staked)}; the rest is open"
    gain = sum(row.gain_cents or 0 for row in rows)
    return f"  staked {usd(staked)}, gets back {usd(staked + gain)} in all ({'+' if gain > 0 else ''}{usd(gain)})"
