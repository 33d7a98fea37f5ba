"""Reads only key pictures of a recording, each by itself, and passes over all that lies between them."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any

from handreplay.footage_quiet import Passed
from handreplay.footage_source import Decoded, Decoder, Source, Tally, packets_of

AT_ONCE = 8  # key pictures that are decoded together, so that threads help
HOLE_SECONDS = 1.0  # without any picture, at least, and this many times as long as usual
HOLE_STEPS = 4


class KeyReader:
    """Reads a recording from start to end, a key picture every `every_seconds`, or as often as it has one."""

    def __init__(self, source: Source, tally: Tally, every_seconds: float) -> None:
        self._tally, self._every_seconds = tally, every_seconds
        self._time_base = Fraction(source.stream.time_base or 0)
        self._packets = packets_of(source, tally)
        self._decoder = Decoder(source, tally)
        self._waiting: list[tuple[list[int], Any]] = []  # times of the pictures before, in ticks, and the key packet
        self._last: int | None = None  # ticks of the key picture that was shown last

    def pictures(self) -> Iterator[Decoded | Passed | str]:
        """Key pictures in order of showing, what was passed over, and a sentence for what fails."""
        between: list[int] = []
        due = None
        for packet in self._packets:
            if isinstance(packet, str) or packet.is_corrupt:
                yield from self._decoded()
                yield packet if isinstance(packet, str) else "damaged pictures"
            elif packet.size and packet.pts is not None:
                if not packet.is_keyframe or (due is not None and packet.pts < due):
                    between.append(packet.pts)
                    continue
                self._waiting.append((between, packet))
                due, between = packet.pts + int(self._every_seconds / self._time_base), []
                if len(self._waiting) == AT_ONCE:
                    yield from self._decoded()
        yield from self._decoded()
        self._pass_over(len(between))
        if between and self._last is not None:
            yield Passed(len(between), (max(between) - self._last) * self._time_base)

    def _decoded(self) -> Iterator[Decoded | Passed | str]:
        waiting, self._waiting = self._waiting, []
        alone = self._decoder.alone([key for _, key in waiting]) if waiting else []
        for (between, key), picture in zip(waiting, alone, strict=True):
            self._pass_over(len(between))
            if between and self._without_hole([*between, key.pts]):
                yield Passed(len(between))
            self._last = key.pts
            yield "damaged pictures" if picture is None else self._decoder.counted(picture)

    def _without_hole(self, stamps: list[int]) -> bool:
        """Are there pictures all the way from the key picture before?"""
        line = sorted(stamps if self._last is None else [self._last, *stamps])
        steps = [float((after - before) * self._time_base) for before, after in pairwise(line)]
        return max(steps, default=0.0) < max(HOLE_SECONDS, HOLE_STEPS * median(steps or [0.0]))

    def _pass_over(self, pictures: int) -> None:
        self._tally.packets += pictures
        self._tally.pictures += pictures
        self._tally.passed_over += pictures
