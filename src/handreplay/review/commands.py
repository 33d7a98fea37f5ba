"""What the commands evidence, verify and report do, apart from talking."""

import getpass
from pathlib import Path

from handreplay.errors import HandreplayError, OutputError
from handreplay.report.rack import pick_round, round_at
from handreplay.report.words import position, seconds_of
from handreplay.review import dispute, tables
from handreplay.review.case_file import CaseOptions, write_case
from handreplay.review.desk import Desk, Reviewer
from handreplay.review.dispute_text import dispute_text
from handreplay.review.playback import same_recording
from handreplay.review.verify import Verdict
from handreplay.store import write_file

TABLES = {".csv": "findings.csv", ".xlsx": "findings.xlsx", ".json": "findings.json"}


def whoever(name: str | None) -> Reviewer:
    """The person of that name, else whoever is logged in."""
    if name is None:
        try:
            name = getpass.getuser()
        except (OSError, KeyError):
            raise HandreplayError("who are you? Say so with --by NAME") from None
    return Reviewer.named(name)


def make_case(
    folder: Path,
    number: int,
    out: Path,
    *,
    by: str | None,
    footage: Path | None,
    table: Path | None,
    sign_key: Path | None,
) -> list[str]:
    """Write a case file; returns what to say of it. Raises HandreplayError."""
    desk = Desk(folder, table=table)
    recording = same_recording(desk.run, footage)
    options = CaseOptions(by=whoever(by), recording=recording, sign_key=sign_key)
    made = write_case(desk, number, out, options)
    lines = [f"{out}  SHA-256 {made.sha256}"]
    if recording is None:
        lines.append("Without a clip: the recording is not where the audit found it; name it with --footage.")
    lines += made.remarks
    lines.append(f"Check it anywhere with: handreplay verify {out.name}")
    return lines


def write_report(
    folder: Path, out: Path, *, number: int | None, at: str | None, settlements: bool, table: Path | None
) -> list[str]:
    """Write a dispute report or a table, by the ending of `out`. Raises HandreplayError."""
    desk = Desk(folder, table=table)
    ending = out.suffix.lower()
    if out.exists():
        raise OutputError(f"{out} is there already; name another file")
    if number is not None or at is not None:
        kind = ending.removeprefix(".")
        if kind not in dispute.KINDS:
            raise HandreplayError(f"a report of a round ends in .html, .pdf or .json, not {ending or 'nothing'}")
        content = dispute.render(desk, _named_round(desk, number, at), kind)
    else:
        if ending not in TABLES:
            raise HandreplayError(f"a table of all rounds ends in .csv, .xlsx or .json, not {ending or 'nothing'}")
        name = "settlements.csv" if settlements and ending == ".csv" else TABLES[ending]
        content = tables.table(desk, desk.state(), name)
    write_file(out, content)
    return [str(out)]


def told_round(folder: Path, *, number: int | None, at: str | None, seat: int | None, table: Path | None) -> str:
    """The dispute report of a round as text. Raises HandreplayError."""
    desk = Desk(folder, table=table)
    number = _named_round(desk, number, at)
    text = dispute_text(dispute.dispute(desk, number), seat)
    ended = next(round_.end for round_ in desk.state().rounds if round_.number == number)
    if at is not None and seconds_of(at) > ended:
        return f"No round was under way at {position(seconds_of(at))}; this is the one before.\n{text}"
    return text


def _named_round(desk: Desk, number: int | None, at: str | None) -> int:
    """The number of the round with that number, or of the one under way `at` a time."""
    if number is None:
        return round_at(desk.state().rounds, seconds_of(at or ""), desk.folder).number
    return pick_round(desk.state().rounds, number, desk.folder).number


def verdict_lines(place: Path, verdict: Verdict) -> list[str]:
    """What was checked, said so that nobody can take a failure for a pass."""
    lines = [f"ALTERED: {line}" for line in verdict.wrong]
    lines += [f"checked: {line}" for line in verdict.checked]
    lines += [f"note: {line}" for line in verdict.remarks]
    last = "NOT as it was written. Do not rely on it." if verdict.wrong else "whole: nothing was changed."
    return [*lines, f"{place} is {last}"]
