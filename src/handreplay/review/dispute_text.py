"""The dispute report of one round as text: who held what, each wager as it was due and as it was handled, what is wrong
or open, and where to look.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from handreplay.core.money import usd
from handreplay.errors import LogError

Report = dict[str, Any]

_COLUMNS = ("wager", "staked", "due", "observed", "difference", "state")
_HEADINGS = ("wager", "stake", "due", "seen", "difference", "")


def dispute_text(report: Report, seat: int | None = None) -> str:
    """Of all seats, or of one and what concerns the whole table. Raises LogError for a seat that had no wager."""
    seats = sorted({row["seat"] for row in report["wagers"]})
    if seat is not None and seat not in seats:
        raise LogError(f"round {report['round']}: seat {seat} had no wager; seats that had: {_listed(seats)}")
    begins, ends = report["incident"]["position"]
    clock = report["incident"]["begins"]
    lines = [
        f"Round {report['round']}, {report['game']}, {report['rules']}, table {report['table']}",
        f"{begins} to {ends}" + (f" ({clock})" if clock else ""),
        "",
    ]
    lines += [_hand(hand) for hand in report["hands"] if hand["hand"] in ("Board", "Dealer")]
    shown = [
        row | {"state": _state(row, report["findings"])} for row in report["wagers"] if seat in (None, row["seat"])
    ]
    for number in seats if seat is None else [seat]:
        named = f"Seat {number}"
        own = [_hand(hand) for hand in report["hands"] if hand["hand"] == named]
        lines += ["", *(own or [f"{named:<9}cards not seen"]), *_table([row for row in shown if row["seat"] == number])]
    findings = [one for one in report["findings"] if seat is None or one["seat"] in (None, seat)]
    lines += [line for finding in findings for line in ("", *_finding(finding))]
    if not findings:
        lines += ["", _without_findings(shown)]
    gone = [one for one in report["no_longer"] if seat is None or one["seat"] in (None, seat)]
    lines += [line for finding in gone for line in _gone(finding)]
    if report["corrections"]:
        lines += ["", "Corrected by people, of all seats:"]
        lines += [f"  {one['at']} {one['by']}: {one['text']}" for one in report["corrections"]]
    return "\n".join(lines)


def _state(row: Report, findings: Iterable[Report]) -> str:
    """Right, wrong or open; what no finding is certain of, not even one of the whole round, is probably wrong."""
    place = f"Seat {row['seat']} {row['wager']}"
    certain = any(one["status"] == "confirmed" and (one["where"] == place or one["seat"] is None) for one in findings)
    return "probably wrong" if row["state"] == "wrong" and not certain else str(row["state"])


def _without_findings(rows: Sequence[Report]) -> str:
    left = sum(row["state"] != "right" for row in rows)
    if left:
        return f"Nothing was found wrong; {left} of {len(rows)} wagers could not be judged."
    return "Every wager here was settled as it was due." if rows else "Nobody had a wager."


def _listed(seats: Sequence[int]) -> str:
    return ", ".join(map(str, seats)) or "none"


def _hand(hand: Report) -> str:
    cards = " ".join(card or "?" for card in hand["cards"])
    return f"{hand['hand']:<9}{cards:<24}{hand['rank']}".rstrip()


def _table(rows: Sequence[Report]) -> list[str]:
    cells = [_HEADINGS, *(tuple(row[column] for column in _COLUMNS) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_COLUMNS))]
    return [
        "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    ]


def _gone(finding: Report) -> Iterable[str]:
    yield ""
    yield f"{finding['code']} no longer holds as corrected{decided(finding['decision'])}"
    yield f"  {finding['message']}"


def decided(decision: Report | None) -> str:
    """What a person decided, to follow the machine's word."""
    if decision is None:
        return ""
    amounts = "".join(f", {name} {decision[name]}" for name in ("loss", "saving") if decision[name] != usd(0))
    remark = f', "{decision["remark"]}"' if decision["remark"] else ""
    return f"; {decision['choice']} by {decision['by']}: {decision['type_of_error']}{amounts}{remark}"


def _finding(finding: Report) -> Iterable[str]:
    status = "to review" if finding["status"] == "review" else finding["status"]
    yield f"{finding['code']} {finding['name']}, {status}{decided(finding['decision'])}"
    yield f"  {finding['message']}"
    clock = f" ({finding['clock']})" if finding["clock"] else ""
    yield f"  watch {finding['position']}{clock}; {finding['section']}, {finding['basis']}"
