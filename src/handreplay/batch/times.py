"""Times that people type: to ask for a part of a night, or to say when a recording began."""

from datetime import datetime
from zoneinfo import ZoneInfo

from handreplay.batch.names import utc
from handreplay.errors import HandreplayError

FIRST_YEAR, LAST_YEAR = 1900, 2300  # beyond them other time zones have no dates


def told_time(told: str, option: str) -> datetime:
    """A date, a date with a time, or one with an offset; naive without an offset. Raises HandreplayError."""
    try:
        moment = datetime.fromisoformat(told.strip())
    except ValueError:
        raise HandreplayError(
            f"{option} {told}: is no time; write 2026-11-30, 2026-11-30T01:10 (the table's own clock) or "
            "2026-11-30T01:10-05:00"
        ) from None
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise HandreplayError(f"{option} {told}: is no time of a recording")
    return moment


def told_clock(told: str, option: str, zone: ZoneInfo) -> datetime:
    """A date with a time, the table's own without an offset. Raises HandreplayError, for a time that the table's clock
    showed twice or never too."""
    try:
        moment = datetime.fromisoformat(told.strip())
    except ValueError:
        moment = None
    if moment is None or not any(sign in told.strip() for sign in ":Tt "):  # a date alone would pass for midnight
        raise HandreplayError(
            f"{option}: {told} is no date with a time; write 2026-11-30T01:10:00 (the table's own clock) or "
            "2026-11-30T01:10:00-05:00"
        ) from None
    if moment.tzinfo is not None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return moment
    try:
        return utc(moment, zone).astimezone(zone)
    except ValueError as error:
        raise HandreplayError(f"{option}: {error}") from None
