"""Whether a wager was settled rightly, as a settlement row and the findings of its round say it together."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from handreplay.report.questions import is_question

Fields = Mapping[str, Any]
Told = Literal["right", "wrong", "open"]

OF_THE_PAYMENT = frozenset({"PY01", "PY02", "PY03", "PY04"})
OF_SEVERAL = frozenset({"MD09", "MD10", "PY06"})  # a void round played on or without cause, the payout limit
OUT_OF_TURN = frozenset({"WG03", "WG04"})  # the one finding of such a wager


def row_state(row: Fields) -> Told:
    """What one settlement row says alone. A lost stake that was taken is right, however much it was."""
    due, got = row["expected"], row["observed"]
    if due == got and due["result"] == "lose" and due["pay_cents"] == 0:
        return "right"
    if None in (row["staked_cents"], due["result"], due["pay_cents"], got["result"], got["pay_cents"]):
        return "open"
    if got["result"] == "unsettled" and due["result"] != "unsettled":
        return "open"
    return "right" if due == got else "wrong"


def wager_verdict(row: Fields, findings: Iterable[Fields]) -> tuple[Told, str | None]:
    """The verdict on one row of a settlement, and the code of the finding that says so. `findings`: those of its round.

    wrong   it was not paid, taken or left as the rules say, and no finding leaves that to a person
    open    whether it was cannot be told, or a person is asked
    right   all else; a difference of which no finding speaks is the payout limit, rightly applied
    """
    findings = tuple(findings)
    own = [f for f in findings if f["seat"] == row["seat"] and f["wager"] == row["wager"]]
    paid = [f for f in own if f["code"] in OF_THE_PAYMENT]
    for finding in paid:
        if not is_question(finding):
            return "wrong", finding["code"]
    asked = next((f["code"] for f in own if is_question(f) and f["code"] in OF_THE_PAYMENT | {"FT04"}), None)
    state = row_state(row)
    if asked is not None or state == "open":
        return "open", asked
    if state == "right":
        return "right", None
    wide = [f for f in findings if f["wager"] is None and f["seat"] in (None, row["seat"]) and f["code"] in OF_SEVERAL]
    for finding in (*wide, *(f for f in own if f["code"] in OUT_OF_TURN)):
        return ("open" if is_question(finding) else "wrong"), finding["code"]
    return ("open" if any(map(is_question, findings)) else "right"), None
