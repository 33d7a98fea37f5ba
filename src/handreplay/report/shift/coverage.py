"""Where the seconds of a recording went: every one gets one kind and one reason, the gravest that holds for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handreplay.report.shift.values import Kind, Recording, Stretch

Label = tuple[Kind, str]
JUDGED: Label = (Kind.JUDGED, "")
SHORT_READ = "the file says that it is longer than what could be read"
SLACK_S = 1.0  # a file's own length and its last picture differ by less without anything missing


@dataclass(frozen=True, slots=True)
class Labelled:
    """Seconds of a recording from its first picture that have one kind and reason."""

    start_s: float
    end_s: float
    label: Label


def length_of(recording: Recording) -> float:
    """Seconds expected of a recording; what was read and the known holes when the file does not tell."""
    if recording.expected_s is not None:
        return max(0.0, recording.expected_s)
    ends = [stretch.end_s for stretch in (*recording.holes, *recording.passed_over)]
    return max([recording.read_s, *ends])


def labelled(recording: Recording, rounds: Sequence[Labelled]) -> list[Labelled]:
    """The whole recording, in order, without a second missing or twice.

    `rounds` are those that could not be judged in full, with times of this recording; one may begin before it.
    """
    length = length_of(recording)
    if not length:
        return []
    if recording.outcome != "audited":
        kind = Kind.SET_ASIDE if recording.outcome == "set aside" else Kind.UNFINISHED
        return [Labelled(0.0, length, (kind, recording.reason))]
    layers = [*rounds]
    layers += [Labelled(s.start_s, s.end_s, (Kind.PASSED_OVER, s.reason)) for s in recording.passed_over]
    layers += [Labelled(s.start_s, s.end_s, (Kind.UNSEEN, s.reason)) for s in recording.holes]
    unread = length - recording.read_s - _covered((*recording.holes, *recording.passed_over), length)
    if unread > SLACK_S:
        layers.append(Labelled(length - unread, length, (Kind.UNSEEN, SHORT_READ)))
    return painted([Labelled(0.0, length, JUDGED)], layers)


def painted(strip: Sequence[Labelled], layers: Sequence[Labelled]) -> list[Labelled]:
    """The strip with each layer laid over it as far as both reach; neighbours of one label become one."""
    parts = list(strip)
    for layer in layers:
        parts = list(_over(parts, layer))
    return _joined(parts)


def _over(strip: list[Labelled], over: Labelled) -> Iterator[Labelled]:
    for part in strip:
        start, end = max(part.start_s, over.start_s), min(part.end_s, over.end_s)
        if start >= end:
            yield part
            continue
        if part.start_s < start:
            yield Labelled(part.start_s, start, part.label)
        yield Labelled(start, end, over.label)
        if end < part.end_s:
            yield Labelled(end, part.end_s, part.label)


def _joined(strip: list[Labelled]) -> list[Labelled]:
    joined: list[Labelled] = []
    for part in strip:
        if joined and joined[-1].label == part.label and joined[-1].end_s == part.start_s:
            joined[-1] = Labelled(joined[-1].start_s, part.end_s, part.label)
        else:
            joined.append(part)
    return joined


def _covered(stretches: Sequence[Stretch], length: float) -> float:
    """Seconds that lie in any of them, each counted once."""
    seconds, reached = 0.0, 0.0
    for stretch in sorted(stretches, key=lambda stretch: stretch.start_s):
        end = min(stretch.end_s, length)
        seconds += max(0.0, end - max(stretch.start_s, reached))
        reached = max(reached, end)
    return seconds
