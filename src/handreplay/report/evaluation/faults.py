"""Findings, verdicts and settlement rows against those that a perfect audit gives."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from handreplay.report.evaluation.scores import Score

Document = Mapping[str, Any]
Numbers = Mapping[int, int]  # true round number -> number in the log


def compare_faults(expected: Document, found: Document, numbers: Numbers, score: Score) -> None:
    """A fault is found when code, round, seat and wager agree and it is reported as more than a question."""
    reported = list(found.get("findings", ()))
    faults = score.faults
    for fault in expected.get("findings", ()):
        faults.all += 1
        number = numbers.get(fault["round"])
        matches = [f for f in reported if _place(f) == _place(fault, number)] if number is not None else []
        match = min(matches, key=_is_question, default=None)
        if match is not None:
            reported.remove(match)
        if match is None or (_is_question(match) and not fault["code"].startswith("FT")):
            faults.missed += 1
            faults.left_open += match is not None
            score.notes.append(f"{_describe(fault)}: {'missed' if match is None else 'only put to review'}")
            continue
        faults.found += 1
        if match.get("variance_cents") != fault.get("variance_cents"):
            faults.amount_differs += 1
            score.notes.append(
                f"{_describe(fault)}: variance {match.get('variance_cents')}, in truth {fault.get('variance_cents')}"
            )
    for finding in reported:
        _score_invented(finding, score)


def _place(finding: Document, number: int | None = None) -> tuple[Any, ...]:
    return (finding["code"], number or finding["round"], finding.get("seat"), finding.get("wager"))


def _is_question(finding: Document) -> bool:
    return finding.get("status") == "review" or str(finding["code"]).startswith("FT")


def _describe(finding: Document) -> str:
    seat = f" seat {finding['seat']}" if finding.get("seat") is not None else ""
    return f"{finding['code']} round {finding['round']}{seat} {finding.get('wager') or ''}".rstrip()


def _score_invented(finding: Document, score: Score) -> None:
    if _is_question(finding):
        score.faults.questions += 1
        score.notes.append(f"{_describe(finding)} (round of the log): put to review, nothing is wrong there in truth")
        return
    if finding.get("status") == "confirmed":
        score.faults.invented_confirmed += 1
    else:
        score.faults.invented_probable += 1
    score.notes.append(f"{_describe(finding)} (round of the log): invented, {finding.get('status')}")


def compare_verdicts(expected: Document, found: Document, numbers: Numbers, score: Score) -> None:
    verdicts = {entry["round"]: entry.get("verdict") for entry in found.get("rounds", ())}
    for entry in expected.get("rounds", ()):
        given = verdicts.get(numbers.get(entry["round"], -1))
        if given == entry["verdict"]:
            score.rounds.verdict_right += 1
        else:
            score.notes.append(f"round {entry['round']}: verdict {given}, in truth {entry['verdict']}")


def compare_settlements(expected: Document, found: Document, numbers: Numbers, score: Score) -> None:
    """Every wager's row: stake, what it was due, what it got. A `null` in the audit's row leaves it open."""
    rows = {(number, seat, wager): row for number, seat, wager, row in _rows(found)}
    tally: Counter[str] = Counter()
    for number, seat, wager, row in _rows(expected):
        given = rows.pop((numbers.get(number, -1), seat, wager), None)
        verdict = "missing" if given is None else "right" if given == row else "open" if None in given else "wrong"
        tally[verdict] += 1
        if verdict != "right":
            score.notes.append(f"round {number} seat {seat} {wager}: settlement {verdict}")
    score.settlements.right += tally["right"]
    score.settlements.wrong += tally["wrong"]
    score.settlements.open += tally["open"]
    score.settlements.missing += tally["missing"]
    score.settlements.invented += len(rows)
    score.notes += [f"round {key[0]} of the log, seat {key[1]} {key[2]}: invented settlement" for key in sorted(rows)]


def _rows(document: Document) -> Iterator[tuple[int, int, str, tuple[Any, ...]]]:
    for entry in document.get("rounds", ()):
        for row in entry.get("settlement", ()):
            due, got = row["expected"], row["observed"]
            yield (
                entry["round"],
                row["seat"],
                row["wager"],
                (row["staked_cents"], due["result"], due["pay_cents"], got["result"], got["pay_cents"]),
            )
