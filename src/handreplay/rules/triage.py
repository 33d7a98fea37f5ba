"""Which rounds of a recording deserve a close look, when only its key pictures were looked at; and both looks in one.

A key picture comes every second or two. Cards and chips that lie for longer are read from it; who moved them, and in
which order within those seconds, is not seen. So a suspicion is a reason to look at the whole round, and nothing more.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from handreplay.core.events import Round
from handreplay.core.findings import Audit, Finding
from handreplay.core.observations import Observation, PictureLost, ZoneCovered, ZoneSeen, ZoneUncovered

AROUND_SECONDS = 6.0  # before and after a round: when it began and ended is known to two seconds, where all is well
AROUND_KEYS = 1.5  # and to as many steps between key pictures where these lie farther apart
CLOSE_SHARE = 0.1  # of a recording's seconds, at most, are looked at closely; or one round
LONGEST_ROUND_SECONDS = 180.0  # what key pictures took for a longer one is several
HANG_ON_SECONDS = frozenset({"MD04", "MD06", "MD07", "PY05", "PY07", "WG03", "WG04", "DR01"})  # on what came first
OPEN_ANYWAY = frozenset({"FT03", "FT04", "FT05"})  # triage leaves all open, and says so once a round
LONGEST_STEP_SECONDS = 0.105  # between two pictures of a recording whose rounds are judged
KEY_SECONDS = 1.9  # between the key pictures that are looked at, at least


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds of a recording, from its first picture."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start


def close_looks(
    rounds: Iterable[Round], audit: Audit, end: float, share: float = CLOSE_SHARE, *, apart: float = KEY_SECONDS
) -> tuple[Span, ...]:
    """The stretches to look at closely in a recording that lasts `end` seconds, in order of time.

    They are whole rounds, those of the most money first, for as long as the share lasts. `apart`: seconds from one key
    picture to the next.
    """
    around = max(AROUND_SECONDS, AROUND_KEYS * apart)
    spans = {round_.number: Span(max(0.0, round_.start - around), min(end, round_.end + around)) for round_ in rounds}
    chosen: tuple[Span, ...] = ()
    suspicions = [one for one in audit.findings if not one.about_footage and one.code not in HANG_ON_SECONDS]
    for finding in sorted(suspicions, key=_weight) if share else ():
        span = spans[finding.round]
        together = joined([*chosen, span])
        fits = sum(one.seconds for one in together) <= share * end
        if fits or (not chosen and span.seconds <= LONGEST_ROUND_SECONDS):
            chosen = together
    return chosen


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """In order of time; those that touch are one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: one.start):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)


def between(spans: Sequence[Span], end: float) -> tuple[Span, ...]:
    """What lies outside of the spans, up to `end`."""
    edges = [0.0, *(edge for span in spans for edge in (span.start, span.end)), end]
    gaps = (Span(start, stop) for start, stop in zip(edges[::2], edges[1::2], strict=True))
    return tuple(gap for gap in gaps if gap.seconds > 0)


def as_looked_at(round_: Round, passed_over: Iterable[Span], step_s: float | None = None) -> Round:
    """The round, said to be of triage if some of it was passed over, or what should show it whole; and of few pictures
    if the usual step between two of them is that long."""
    if step_s is not None and step_s > LONGEST_STEP_SECONDS:
        round_ = replace(round_, extra={**round_.extra, "few_pictures": True})
    around = AROUND_SECONDS if round_.partial else 0.0
    unseen = any(span.start < round_.end + around and round_.start - around < span.end for span in passed_over)
    return replace(round_, extra={**round_.extra, "triage": True}) if unseen else round_


def in_one(coarse: Iterable[Observation], close: Iterable[tuple[Span, Sequence[Observation]]]) -> list[Observation]:
    """What key pictures showed, but within each span what the close look showed."""
    looks = list(close)
    told = [one for one in coarse if not any(span.start <= _certain(one) < span.end for span, _ in looks)]
    return sorted([*told, *(one for _, its in looks for one in its)], key=_certain)


def _weight(finding: Finding) -> tuple[float, float, str]:
    """The most money comes first, then what has none, in order of time."""
    return (-abs(finding.variance_cents) if finding.variance_cents else 0, finding.t, finding.code)


def _certain(observation: Observation) -> float:
    """When an observation became certain."""
    match observation:
        case ZoneSeen() | ZoneCovered() | PictureLost():
            return observation.end
        case ZoneUncovered():
            return observation.t
