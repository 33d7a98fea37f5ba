"""Passes over groups of pictures in which nothing happens, without decoding them.

A group runs from a key picture to the next. It is passed over only when all of this holds, else it is decoded as ever:
- whoever watches says that the table has been at rest, and that nothing lies there that could show and hide again;
- the key pictures at both ends look alike;
- its packets weigh no more, and not much less, than those of quiet groups that were decoded shortly before;
- nothing is odd about it: no packet marked as damaged or hidden, times evenly spaced, no picture that leans on the
  group before, and it does not last long.

So whatever stays is seen, however small it is. What comes and goes between two key pictures is seen only if its packets
weigh more, and with a recorder that spends the same on every picture they may not. That is why whoever watches must
vouch that it would not matter. Damaged bytes in what is passed over are not noticed; nothing is claimed of them.
"""

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

import av.video.frame

from handreplay.footage_source import Decoded, Decoder, Source, Tally, packets_of

CONTAINERS = ("mov", "matroska")  # whose packets carry the exact times of their pictures
LONGEST_SECONDS = 4  # between two pictures that are looked at
MOST_AHEAD = 2000  # packets read before they are needed
LEARNED_GROUPS, LEAST_LEARNED = 8, 4  # quiet groups that others are weighed against: the last ones decoded
KEYS_AT_ONCE = 4  # key pictures decoded side by side
MOST_IN_A_ROW = 12  # stretches before a group is decoded, so that it is known anew what quiet weighs
HEAVIEST = 1.2  # of the heaviest packet of its rank in those groups
LIGHTEST = 0.6  # of the lightest of them as a whole
LONGEST_STEP = 1.25  # between pictures, of the longest


class Watch(Protocol):
    """Whoever sees the pictures as they are shown."""

    def at_rest(self) -> bool:
        """Has nothing moved for a while, and lies nothing there, up to the picture that was shown last?"""

    def unchanged(self, later: av.video.frame.VideoFrame) -> bool:
        """Does a later picture look like the one that was shown last, wherever something may happen?"""


@dataclass(frozen=True, slots=True)
class Passed:
    """So many pictures were passed over between the picture before and the one after, or after the last of all.

    `stamps` are their times as the file has them, rising; None where they are known to be evenly spaced.
    """

    pictures: int
    stamps: tuple[Fraction, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Weight:
    """What the packets of a group weigh but for its key packet, in bytes, and the longest step between its pictures."""

    sizes: tuple[int, ...]  # largest first
    step: int


@dataclass(frozen=True, slots=True)
class _Group:
    """A key packet, those after it, and the next key packet. `start` packets were read ahead up to its key packet."""

    start: int
    key: Any
    packets: tuple[Any, ...]
    following: Any

    @property
    def closed(self) -> bool:
        """Can it be decoded by itself, as far as its packets tell?"""
        sound = all(map(_sound, (self.key, *self.packets, self.following)))
        return sound and all(packet.pts > self.key.pts for packet in self.packets)

    @property
    def weight(self) -> _Weight | None:
        """None when it is of key pictures only, or of pictures at one and the same time. Only of a closed group."""
        stamps = sorted(packet.pts for packet in (self.key, *self.packets, self.following))
        steps = [after - before for before, after in pairwise(stamps)]
        if not self.packets or min(steps) <= 0:
            return None
        return _Weight(tuple(sorted((packet.size for packet in self.packets), reverse=True)), max(steps))


class QuietReader:
    """Reads a recording from start to end. `watch` is asked about what has been shown of it until then."""

    def __init__(self, source: Source, tally: Tally, watch: Watch) -> None:
        self._source, self._tally, self._watch = source, tally, watch
        self._decoder = Decoder(source, tally)
        self._packets = packets_of(source, tally)
        self._coming: deque[Any] = deque()  # packets, and sentences about faults, that were read ahead
        self._learned: deque[_Weight] = deque(maxlen=LEARNED_GROUPS)
        self._doubtful: int | None = (
            None  # timestamp of a key picture that could not be decoded: pass over nothing there
        )
        self._quiet: _Group | None = None  # the group that is being decoded, if it began quietly

    def pictures(self) -> Iterator[Decoded | Passed | str]:
        """Decoded pictures in order of showing, what was passed over, and a sentence for each packet that fails."""
        exact = self._source.format_name in CONTAINERS
        while (item := self._coming.popleft() if self._coming else next(self._packets, None)) is not None:
            if isinstance(item, str):
                yield item
            elif exact and item.is_keyframe and (group := self._to_begin_with(item)) is not None:
                yield from self._from_key_to_key(group)
            else:
                yield from self._decoder.feed(item)

    def _to_begin_with(self, key: Any) -> _Group | None:
        """The group of a key packet, when it may be the first of those that are passed over."""
        if not self._watch.at_rest():
            self._quiet = None
            return None
        group = next(self._groups(key), None)
        return group if group is not None and group.closed else None

    def _from_key_to_key(self, group: _Group) -> Iterator[Decoded | Passed | str]:
        """Key pictures only, for as long as nothing happens; the group of the last one is then decoded as ever."""
        yield from self._decoder.emptied()
        self._learn()
        shown = self._decoder.alone([group.key])[0]
        if shown is None:
            yield from self._decoder.feed(group.key)
            return
        before = self._tally.shown
        yield self._decoder.counted(shown)
        if self._tally.shown == before + 1:
            group = yield from self._pass_over(group)
        self._quiet = group if self._watch.at_rest() else None
        yield from self._decoder.again(group.key)

    def _pass_over(self, group: _Group) -> Generator[Decoded | Passed, None, _Group]:
        """What may be passed over from a group on, whose key picture was shown. Returns the group at which it ends."""
        for _ in range(MOST_IN_A_ROW // KEYS_AT_ONCE):
            ends = self._stretches(group.key) if self._watch.at_rest() else []
            taken = 0
            for end, later in zip(ends, self._decoder.alone([end.key for end in ends]), strict=True):
                if later is None:
                    self._doubtful = end.key.pts
                    return group
                if not self._watch.at_rest() or not self._watch.unchanged(later.frame):
                    return group
                yield self._without(end.start - taken)
                yield self._decoder.counted(later)
                group, taken = end, end.start
            if not ends:
                break
        return group

    def _learn(self) -> None:
        """What the group weighs that has just been decoded, if it was quiet to its end."""
        group, self._quiet = self._quiet, None
        weight = group.weight if group is not None and self._watch.at_rest() else None
        if weight is not None:
            self._learned.append(weight)

    def _stretches(self, key: Any) -> list[_Group]:
        """The groups whose key pictures are to be looked at next, each after as much as may be passed over."""
        reach = LONGEST_SECONDS / key.time_base
        ends: list[_Group] = []
        latest, end = key.pts + reach, None
        for group in self._groups(key):
            if not group.closed:
                break
            if group.start:
                if end is not None and group.key.pts > latest:
                    ends.append(end)
                    latest = end.key.pts + reach
                    end = None
                if group.key.pts > latest or len(ends) == KEYS_AT_ONCE:
                    break
                end = group
            if group.following.pts == self._doubtful or not self._as_learned(group.weight):
                break
        return ends if end is None else [*ends, end]

    def _as_learned(self, weight: _Weight | None) -> bool:
        """Are its packets, by rank, no larger than those of quiet groups of as many?"""
        alike = [known for known in self._learned if weight is not None and len(known.sizes) == len(weight.sizes)]
        if weight is None or len(alike) < LEAST_LEARNED:
            return False
        most = map(max, zip(*(known.sizes for known in alike), strict=True))
        return (
            all(size <= HEAVIEST * known for size, known in zip(weight.sizes, most, strict=True))
            and sum(weight.sizes) >= LIGHTEST * min(sum(known.sizes) for known in alike)
            and weight.step <= LONGEST_STEP * max(known.step for known in alike)
        )

    def _groups(self, key: Any) -> Iterator[_Group]:
        """The whole groups from a key packet on that was taken already, up to the first fault."""
        start = 0
        packets: list[Any] = []
        for place, packet in enumerate(self._read_ahead(), 1):
            if packet.is_keyframe:
                yield _Group(start, key, tuple(packets), packet)
                start, key, packets = place, packet, []
            else:
                packets.append(packet)

    def _read_ahead(self) -> Iterator[Any]:
        """The packets that come next, which stay to be taken. Ends at a fault and at the end of the recording."""
        for place in range(MOST_AHEAD):
            if place == len(self._coming):
                item = next(self._packets, None)
                if item is None:
                    return
                self._coming.append(item)
            if isinstance(self._coming[place], str):
                return
            yield self._coming[place]

    def _without(self, packets: int) -> Passed:
        """Leave out what was read ahead up to a key packet, which is taken without being counted yet."""
        for _ in range(packets):
            self._coming.popleft()
        pictures = packets - 1
        self._tally.packets += pictures
        self._tally.pictures += pictures
        self._tally.passed_over += pictures
        return Passed(pictures)


def _sound(packet: Any) -> bool:
    return packet.size > 0 and packet.pts is not None and not packet.is_corrupt and not packet.is_discard
