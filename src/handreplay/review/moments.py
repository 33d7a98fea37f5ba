"""Pictures of findings that only a person's corrections brought up: taken from the clip of their round."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from handreplay.core.findings import Audit
from handreplay.cutting import Cut
from handreplay.footage import shown_at
from handreplay.report.evidence import Taken, photograph, shots
from handreplay.review.desk import Desk, State
from handreplay.review.rejudge import finding_of


def moments(desk: Desk, state: State, number: int, clip: Cut) -> dict[str, bytes]:
    """JPEG by file name, for every finding of the round that has no picture yet. Zones are outlined, not what was read.

    Raises FootageError when the clip cannot be decoded.
    """
    bare = [finding for _, finding in state.of_round(number) if not finding["evidence"]]
    if not bare or desk.calibration is None:
        return {}
    audit = Audit(rounds=(), findings=tuple(finding_of(finding) for finding in bare))
    rounds = [round_ for round_ in state.rounds if round_.number == number]
    planned = shots(audit, rounds, desk.zones)
    taken = _taken(clip, [shot.t for shot in planned])
    _, pictures = photograph(audit, planned, taken, rounds=rounds, zones=desk.zones, calibration=desk.calibration)
    return {f"corrected_{Path(name).name}": content for name, content in pictures.items()}


def _taken(clip: Cut, seconds: Iterable[float]) -> Iterator[tuple[float, Taken]]:
    """The pictures on show at these seconds of the recording. Their numbers are those in the clip."""
    asked = {max(0.0, second - clip.start): second for second in sorted(set(seconds))}
    for at, frame in shown_at(clip.path, asked):
        yield asked[at], Taken(float(frame.seconds) + clip.start, frame.index, frame.bgr())
