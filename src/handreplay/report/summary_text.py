"""What an audit says on a terminal: the verdict, what to watch, and what the verdict stands on. ASCII only."""

from pathlib import Path

from rich.console import Group
from rich.text import Text

from handreplay.core.plain import plain
from handreplay.report import words
from handreplay.report.page_parts import (
    FindingPart,
    Headline,
    Report,
    finding_parts,
    headline,
    unread_lines,
)

MAX_UNREAD = 12


def summary_text(report: Report, page: Path | None = None) -> Group:
    """Renderable for rich; print it with soft_wrap, so that a pipe gets whole lines."""
    head = headline(report)
    lines = [*_opening(report, head)]
    for part in finding_parts(report):
        lines += [Text(), *_finding(part)]
    lines += [Text(), *_checked(head), *_unseen(report)]
    if page is not None:
        lines += [Text(), Text(f"Page with pictures: {plain(str(page))}")]
    return Group(*lines)


def _opening(report: Report, head: Headline) -> list[Text]:
    document = report.document
    about = f"Table {document['table']}, {words.game(document['game'])}, rules {document['rules']}"
    return [
        Text(f"{about}, {plain(report.provenance.source_file)}"),
        Text.assemble((f"{head.title}.", "bold"), f" {head.detail}"),
    ]


def _finding(part: FindingPart) -> list[Text]:
    finding = part.finding
    status = "to review" if finding["status"] == "review" else finding["status"]
    first = Text.assemble(
        (f"{finding['code']} {finding['name']}", "bold"),
        f", {status}, round {finding['round']}, {part.where}",
        f": {part.money.difference} ({part.money.who})" if part.money else "",
    )
    when = part.watch.position
    if part.watch.frame is not None:
        when += f", frame {part.watch.frame}"
    if part.watch.clock:
        when += f", clock {part.watch.clock}"
    lines = [first, Text(f"  {finding['message']}"), Text(f"  watch {when}")]
    if finding.get("citation"):
        lines.append(Text(f"  rule  {finding['citation']}"))
    return lines


def _checked(head: Headline) -> list[Text]:
    counts = "; ".join(f"{figure} {text}" for figure, text, _ in head.counts)
    return [Text(f"Checked: {counts}.")]


def _unseen(report: Report) -> list[Text]:
    lines = [
        Text(f"Not covered: {words.position(gap.start)} to {words.position(gap.end)}, {gap.reason}")
        for gap in report.coverage.gaps
    ]
    unread = unread_lines(report)
    lines += [Text(f"Not read: {watch.position} {words.ascii_text(text)}") for watch, text in unread[:MAX_UNREAD]]
    if len(unread) > MAX_UNREAD:
        lines.append(Text(f"Not read: {len(unread) - MAX_UNREAD} more, on the page"))
    lines += [Text(remark) for remark in report.coverage.remarks]
    return lines
