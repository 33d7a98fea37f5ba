"""Pictures of findings that only a person's corrections brought up: taken from the clips of their round."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from handreplay.core.findings import Audit
from handreplay.footage import shown_at
from handreplay.report.evidence import Taken, photograph, shots
from handreplay.review.clips import Part
from handreplay.review.desk import Desk, State
from handreplay.review.rejudge import finding_of


def moments(desk: Desk, state: State, number: int, parts: Sequence[Part]) -> dict[str, bytes]:
    """JPEG by file name, for every finding of the round that has no picture yet. Zones are outlined, not what was read.

    Moments that no clip shows are left out. Raises FootageError when a clip cannot be decoded.
    """
    bare = [finding for _, finding in state.of_round(number) if not finding["evidence"]]
    if not bare or desk.calibration is None:
        return {}
    audit = Audit(rounds=(), findings=tuple(finding_of(finding) for finding in bare))
    rounds = [round_ for round_ in state.rounds if round_.number == number]
    planned = shots(audit, rounds, desk.zones)
    taken = _taken(parts, [shot.t for shot in planned])
    _, pictures = photograph(audit, planned, taken, rounds=rounds, zones=desk.zones, calibration=desk.calibration)
    return {f"corrected_{Path(name).name}": content for name, content in pictures.items()}


def _taken(parts: Sequence[Part], seconds: Iterable[float]) -> Iterator[tuple[float, Taken]]:
    """The pictures on show at these seconds of the round. Their numbers are those in the clip."""
    borders = [part.from_s for part in parts]
    asked: dict[int, list[float]] = {}
    for second in sorted(set(seconds)):
        asked.setdefault(max(0, bisect_right(borders, second) - 1), []).append(second)
    for place, own in asked.items():
        clip, begin = parts[place].made, borders[place]
        if clip is None:
            continue
        by_place = {max(0.0, second - begin - clip.start): second for second in own}
        for at, frame in shown_at(clip.path, by_place):
            yield by_place[at], Taken(float(frame.seconds) + clip.start + begin, frame.index, frame.bgr())
