"""Reads only key pictures of a recording, each by itself, and passes over all that lies between them."""

from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import Any

from handreplay.footage_quiet import Passed
from handreplay.footage_source import Decoded, Decoder, Source, Tally, packets_of

AT_ONCE = 8  # key pictures that are decoded together, so that threads help
MOST_BETWEEN = 2000  # times of pictures that are kept: a recording may have one key picture only
REORDERED = 64  # pictures at most that come later in a file than one that is shown after them


class KeyReader:
    """Reads a recording from start to end, a key picture every `every_seconds`, or as often as it has one."""

    def __init__(self, source: Source, tally: Tally, every_seconds: float) -> None:
        self._tally, self._every_seconds = tally, every_seconds
        self._time_base = Fraction(source.stream.time_base or 0)
        self._packets = packets_of(source, tally)
        self._decoder = Decoder(source, tally)
        self._waiting: list[tuple[list[int], Any]] = []  # times of the pictures before, in ticks, and the key packet
        self._last: int | None = None  # ticks of the last picture that was shown or passed over

    def pictures(self) -> Iterator[Decoded | Passed | str]:
        """Key pictures in order of showing, what was passed over, and a sentence for what fails."""
        between: list[int] = []
        taken = None  # ticks of the key picture that was taken last
        every = int(self._every_seconds / self._time_base)
        for packet in self._packets:
            if isinstance(packet, str) or packet.is_corrupt:
                yield from self._decoded()
                yield from self._passed(between)
                between = []
                yield packet if isinstance(packet, str) else "damaged pictures"
            elif packet.size and packet.pts is not None:
                if not packet.is_keyframe or (taken is not None and taken <= packet.pts < taken + every):
                    is_earlier = bool(self._waiting) and packet.pts < self._waiting[-1][1].pts  # it leans on both sides
                    (self._waiting[-1][0] if is_earlier else between).append(packet.pts)
                    if len(between) == MOST_BETWEEN:
                        yield from self._decoded()
                        between.sort()
                        yield from self._passed(between[:-REORDERED])
                        between = between[-REORDERED:]
                    continue
                if len(self._waiting) == AT_ONCE:
                    yield from self._decoded()
                self._waiting.append((between, packet))
                taken, between = packet.pts, []
        yield from self._decoded()
        yield from self._passed(between)

    def _decoded(self) -> Iterator[Decoded | Passed | str]:
        waiting, self._waiting = self._waiting, []
        alone = self._decoder.alone([key for _, key in waiting]) if waiting else []
        for (between, key), picture in zip(waiting, alone, strict=True):
            yield from self._passed(between, key.pts)
            self._last = key.pts
            yield "damaged pictures" if picture is None else self._decoder.counted(picture)

    def _passed(self, between: list[int], until: int | None = None) -> Iterator[Passed]:
        """What lies behind the picture that was last, before the key picture at `until` if that is known."""
        self._tally.packets += len(between)
        self._tally.pictures += len(between)
        self._tally.passed_over += len(between)
        last = self._last
        if between and last is not None:
            end = until if until is not None and until > last else inf  # a clock that was set back is no end
            inside = sorted(ticks for ticks in between if last < ticks < end)
            self._last = max([last, *inside])
            yield Passed(len(between), tuple(ticks * self._time_base for ticks in inside))
