"""The run folders of a batch, for the commands that take those of single audits."""

from collections.abc import Iterator
from pathlib import Path

from handreplay.batch.record import RECORD, State, read_record
from handreplay.errors import HandreplayError, OutputError
from handreplay.review.commands import verdict_lines
from handreplay.review.verify import Verdict, verify
from handreplay.store import MANIFEST


def is_batch(place: Path) -> bool:
    return (place / RECORD).is_file() and not (place / MANIFEST).exists()


def run_folders(batch: Path) -> list[Path]:
    """The run folder of each audited recording, in the record's order.

    Raises OutputError when the record is damaged, or names a run outside of the batch.
    """
    folders = []
    for entry in read_record(batch).entries:
        if entry.state is not State.AUDITED:
            continue
        folder = batch / (entry.run or "")
        if not entry.run or not folder.resolve().is_relative_to(batch.resolve()):
            raise OutputError(f"{batch / RECORD} is damaged: {entry.name} has no run folder below it")
        folders.append(folder)
    return folders


def runs_to_open(places: list[Path]) -> list[Path]:
    """The folders of single audits that these are, or that the batches among them hold. Raises OutputError."""
    found: list[Path] = []
    for place in places:
        own = run_folders(place) if is_batch(place) else [place]
        if not own:
            raise OutputError(f"{place}: no recording of the batch is audited; run handreplay batch ... --out {place}")
        found += own
    return list(dict.fromkeys(found))


def verify_all(batch: Path) -> Iterator[tuple[bool, list[str]]]:
    """Check the run folder of each audited recording: whether it is whole, and what to say of it; then of them all.

    Raises OutputError when there is none.
    """
    folders = runs_to_open([batch])
    altered = 0
    for folder in folders:
        verdict = _verdict(folder)
        altered += not verdict.whole
        yield verdict.whole, verdict_lines(folder, verdict)
    left = [entry.name for entry in read_record(batch).entries if entry.state is not State.AUDITED]
    lines = [f"note: nothing is said of {len(left)} of its recordings, which were not audited"] if left else []
    lines.append(f"note: {RECORD} and the ledger carry no hashes; both can be made again from the runs")
    told = f"{altered} of {len(folders)} runs NOT as written. Do not rely on them."
    whole = f"{len(folders)} run{'' if len(folders) == 1 else 's'} whole: nothing was changed."
    yield not altered, [*lines, f"{batch}: {told if altered else whole}"]


def _verdict(folder: Path) -> Verdict:
    try:
        return verify(folder)
    except HandreplayError as error:  # its manifest and all are gone
        return Verdict(wrong=[" ".join(str(error).split())])
