"""For how long something that is neither card nor chip lay over a zone."""

import math
from collections.abc import Iterable, Iterator, Sequence

from handreplay.core.observations import ZoneCovered, ZoneSeen, ZoneUncovered

LONG_SECONDS = 20.0  # a dealer at work covers the dealer's own place for up to sixteen
UNREAD_SECONDS = 5.0  # hands cover any other place for less; longer, and what came to lie there was not read
NOT_COVERED = ("rack", "tray", "shoe")  # hands rest there


Mark = ZoneCovered | ZoneUncovered | ZoneSeen


def long_covers(
    covered: Sequence[ZoneCovered | ZoneUncovered], looks: Sequence[ZoneSeen], dealer_shown: float = math.inf
) -> Iterator[ZoneCovered]:
    """Each long time in which a zone was not seen: from when it was covered until it was seen again.

    A seat's place where no card was seen at all counts sooner: cards that the eyes do not know cover it too. So does a
    wager that was covered when wagers were settled and was gone afterwards: what was paid lies there but for seconds.
    """
    bare = {look.zone for look in looks if look.zone.endswith(".cards")} - {look.zone for look in looks if look.cards}
    gone = {(look.zone, look.start) for look in looks if not look.stacks and not look.zone.endswith(".cards")}
    for cover in covers(covered, looks):
        paid = cover.start >= dealer_shown and (cover.zone, cover.end) in gone
        soon = cover.zone.startswith("seat") and (paid or cover.zone in bare)
        least = UNREAD_SECONDS if soon else LONG_SECONDS
        if cover.zone not in NOT_COVERED and cover.end - cover.start >= least:
            yield cover


def covers(covered: Iterable[ZoneCovered | ZoneUncovered], looks: Iterable[ZoneSeen]) -> Iterator[ZoneCovered]:
    """Each time in which a zone was not seen, however short, zone by zone."""
    marks: dict[str, list[Mark]] = {}
    for mark in (*covered, *looks):
        marks.setdefault(mark.zone, []).append(mark)
    for zone in sorted(marks):
        since: float | None = None
        latest = 0.0
        for mark in sorted(marks[zone], key=_until):
            if isinstance(mark, ZoneCovered):
                since, latest = mark.start if since is None else since, mark.end
            elif since is not None:
                yield ZoneCovered(start=since, end=mark.t if isinstance(mark, ZoneUncovered) else mark.start, zone=zone)
                since = None
        if since is not None:
            yield ZoneCovered(start=since, end=latest, zone=zone)


def _until(mark: Mark) -> float:
    return mark.t if isinstance(mark, ZoneUncovered) else mark.end
