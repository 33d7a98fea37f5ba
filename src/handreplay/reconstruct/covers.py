"""For how long something that is neither card nor chip lay over a zone."""

from collections.abc import Iterable, Iterator

from handreplay.core.observations import ZoneCovered, ZoneSeen, ZoneUncovered

LONG_SECONDS = 20.0  # a dealer at work covers the dealer's own place for up to sixteen
NOT_COVERED = ("rack", "tray", "shoe")  # hands rest there


Mark = ZoneCovered | ZoneUncovered | ZoneSeen


def long_covers(covered: Iterable[ZoneCovered | ZoneUncovered], looks: Iterable[ZoneSeen]) -> Iterator[ZoneCovered]:
    """Each long time in which a zone was not seen: from when it was covered until it was seen again."""
    marks: dict[str, list[Mark]] = {}
    for mark in (*covered, *looks):
        if mark.zone not in NOT_COVERED:
            marks.setdefault(mark.zone, []).append(mark)
    for zone in sorted(marks):
        since: float | None = None
        latest = 0.0
        for mark in sorted(marks[zone], key=_until):
            if isinstance(mark, ZoneCovered):
                since, latest = mark.start if since is None else since, mark.end
            elif since is not None:
                yield from _if_long(zone, since, mark.t if isinstance(mark, ZoneUncovered) else mark.start)
                since = None
        if since is not None:
            yield from _if_long(zone, since, latest)


def _until(mark: Mark) -> float:
    return mark.t if isinstance(mark, ZoneUncovered) else mark.end


def _if_long(zone: str, start: float, end: float) -> Iterator[ZoneCovered]:
    if end - start >= LONG_SECONDS:
        yield ZoneCovered(start=start, end=end, zone=zone)
