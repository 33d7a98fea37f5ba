"""Where a moment of a round is to be seen: in its own recording, or in one that the round runs on into.

Times of a round count from the first picture of the recording that it begins in. A batch notes in the round's source
where it goes on: "continues": [{"file", "sha256", "from_s"}].
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from handreplay.report import words


@dataclass(frozen=True, slots=True)
class GoesOn:
    """A recording that a round runs on into; `from_s` is its first picture, in the round's own seconds."""

    file: str
    sha256: str
    from_s: float


def goes_on(source: Mapping[str, Any]) -> tuple[GoesOn, ...]:
    """The recordings that a round runs on into, in order of time. Entries of another shape are passed over."""
    entries = source.get("continues")
    found = []
    for entry in entries if isinstance(entries, list | tuple) else ():
        if not isinstance(entry, Mapping):
            continue
        file, from_s = entry.get("file"), entry.get("from_s")
        if isinstance(file, str) and isinstance(from_s, int | float) and math.isfinite(from_s):
            found.append(GoesOn(file, str(entry.get("sha256") or ""), float(from_s)))
    return tuple(sorted(found, key=lambda one: one.from_s))


def spot(source: Mapping[str, Any], seconds: float) -> tuple[GoesOn | None, float]:
    """The recording that shows a moment, None for the round's own, and the second in it."""
    return spot_among(goes_on(source), seconds)


def spot_among(following: Iterable[GoesOn], seconds: float) -> tuple[GoesOn | None, float]:
    """As `spot`, of the recordings that follow, in order of time."""
    shown = None
    for one in following:
        if one.from_s <= seconds:
            shown = one
    return (None, seconds) if shown is None else (shown, round(seconds - shown.from_s, 3))


def position(source: Mapping[str, Any], seconds: float) -> str:
    """`"0:00:12.400"`, or `"a2.mp4 0:00:07.970"` for a moment in another recording than the round's own."""
    shown, at = spot(source, seconds)
    return words.position(at) if shown is None else f"{shown.file} {words.position(at)}"
