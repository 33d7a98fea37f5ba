"""The clips of a round: one from each recording that shows a part of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from handreplay.cutting import Cut, cut
from handreplay.errors import FootageError, OutputError
from handreplay.footage import sha256_of
from handreplay.report import words
from handreplay.report.places import GoesOn, goes_on
from handreplay.review.desk import Desk
from handreplay.review.playback import recording_of, times_as_in_the_file
from handreplay.store import MANIFEST, read_run, safe_names

LEAD_S = 1.0  # shown before and after the round
MOST_SIBLINGS = 2_000  # run folders beside this one that are asked about the recording that follows


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one recording shows of a round. Its seconds count from `from_s` of the round's own recording."""

    file: str
    sha256: str
    from_s: float
    made: Cut | None
    remark: str

    @property
    def name(self) -> str:
        """The recording's name, as a console can take it."""
        return safe_names([self.file])[self.file]


def cut_round(desk: Desk, number: int, recording: Path | None, workshop: Path) -> tuple[Part, ...]:
    """The clips of a round, one for each recording that it runs through; without a clip where one cannot be had.

    Recordings that a round runs on into are looked for beside `recording`, or beside where the audit found it. Raises
    FootageError when the recording itself cannot be cut.
    """
    line, source = desk.lines[number], desk.run.manifest["source"]
    following = [one for one in goes_on(line.get("source") or {}) if one.from_s < line["end"]]
    borders = [0.0, *(one.from_s for one in following), line["end"] + LEAD_S]
    spans = [
        (max(0.0, line["start"] - LEAD_S - begin), min(end, line["end"] + LEAD_S) - begin)
        for begin, end in pairwise(borders)
    ]
    made = None
    remark = "No clip: the recording was not found when the case was made."
    if recording is not None:
        made = cut(recording, *spans[0], workshop / "clip", times_as_in_the_file=times_as_in_the_file(desk.run))
        remark = made.remark
    parts = [Part(file=source["file"], sha256=source["sha256"], from_s=0.0, made=made, remark=remark)]
    beside = recording if recording is not None else recording_of(desk.run, None)
    for place, (one, span) in enumerate(zip(following, spans[1:], strict=True), 2):
        parts.append(_following(desk, one, span, None if beside is None else beside.parent, workshop / f"clip-{place}"))
    return tuple(parts)


def _following(desk: Desk, one: GoesOn, span: tuple[float, float], folder: Path | None, out: Path) -> Part:
    made, remark = None, f"No clip: {one.file} was not found beside the recording when the case was made."
    path = None if folder is None or Path(one.file).name != one.file else folder / one.file
    if path is not None and path.is_file():
        try:
            if sha256_of(path) == one.sha256:
                made = cut(path, *span, out, times_as_in_the_file=_times_as_in_the_file(desk, one))
                remark = made.remark
            else:
                remark = f"No clip: the {one.file} beside the recording is another one, its SHA-256 does not fit."
        except FootageError as error:
            remark = f"No clip: {one.file} cannot be cut ({' '.join(str(error).split())})."
    return Part(file=one.file, sha256=one.sha256, from_s=one.from_s, made=made, remark=remark)


def _times_as_in_the_file(desk: Desk, one: GoesOn) -> bool:
    """Whether that recording's own timestamps tell its times, as its run folder beside this one says."""
    for place in sorted(desk.folder.resolve().parent.iterdir())[:MOST_SIBLINGS]:
        if not (place / MANIFEST).is_file():
            continue
        try:
            run = read_run(place)
        except OutputError:
            continue
        if run.manifest["source"]["sha256"] == one.sha256:
            return times_as_in_the_file(run)
    return True


def facts(part: Part) -> dict[str, Any]:
    """What case.json says of a clip. Its times count from the first picture of its own recording."""
    made = part.made
    if made is None:
        return {"file": None, "remark": part.remark}
    return {
        "file": made.path.name,
        "starts_at_s": round(made.start, 4),
        "ends_at_s": round(made.end, 4),
        "pictures": made.pictures,
        "encoded_anew": not made.copied,
        "picture_data_sha256": made.data_sha256,
        "remark": part.remark,
    }


def following_facts(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """What case.json says of the recordings that the round runs on into."""
    return [
        {"file": part.file, "sha256": part.sha256, "from_s": part.from_s, "clip": facts(part)}
        for part in parts
        if part.from_s
    ]


def told(parts: Iterable[Part]) -> Iterator[str]:
    """A sentence for each recording that the round runs on into: where, and whether its part is there."""
    for part in parts:
        if not part.from_s:
            continue
        head = f"The round goes on in {part.name}, which begins at {words.position(part.from_s)} of these times;"
        if part.made is None:
            yield f"{head} that part is not in this case. {part.remark}"
        else:
            yield f"{head} that part is {part.made.path.name}."
