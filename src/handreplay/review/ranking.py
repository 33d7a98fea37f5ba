"""Which finding to look at first: by money, by how sure it is, by how grave it is."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from handreplay.report.questions import is_question

Order = Literal["money", "certainty", "severity", "time"]
ORDERS: tuple[str, ...] = get_args(Order)

VOIDS_OR_PAYS = frozenset(
    {"MD01", "MD03", "MD08", "MD09", "MD10", "EX01", "PY01", "PY02", "PY03", "PY04", "PY06", "WG03", "WG04"}
)
GRAVE, PROCEDURE, QUESTION = 3, 2, 1
SEVERITY_WORDS = {GRAVE: "voids or moves money", PROCEDURE: "procedure", QUESTION: "question"}


def severity(finding: Mapping[str, Any]) -> int:
    """3 what voids a round or moves money, 2 other faults, 1 questions."""
    if is_question(finding):
        return QUESTION
    return GRAVE if finding["code"] in VOIDS_OR_PAYS else PROCEDURE


def money(finding: Mapping[str, Any]) -> int:
    return abs(int(finding.get("variance_cents") or 0))


def rank(finding: Mapping[str, Any], order: str) -> tuple[float, ...]:
    """Smaller comes first; the chosen measure, then the others, then time."""
    measures = {
        "money": -money(finding),
        "severity": -severity(finding),
        "certainty": -float(finding["confidence"]) if not is_question(finding) else 1.0,
    }
    place = (float(finding["round"]), float(finding["t"]))
    if order == "time":
        return place
    return (measures.pop(order), *measures.values(), *place)
