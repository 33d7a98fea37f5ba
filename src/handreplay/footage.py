"""Recordings: what a file is, its pictures one by one with their exact times, and single pictures by time. PyAV only.

Pictures are decoded packet by packet and a fault is caught per packet, so that a damaged stretch costs that stretch and
not the rest. After a fault nothing is believed until the next whole key picture, since the pictures between are
painted over wrong ones without any decoder saying so. Everything that is not shown is a Gap with a reason.

The original is only ever read.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import av
import av.video.frame
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from numpy.typing import NDArray

from handreplay.core.timeline import Clock, Gap, Holes
from handreplay.errors import FootageError
from handreplay.footage_keys import KeyReader
from handreplay.footage_quiet import CONTAINERS, Passed, QuietReader
from handreplay.footage_source import LONGEST_SIDE as LONGEST_SIDE
from handreplay.footage_source import MOST_PIXELS as MOST_PIXELS
from handreplay.footage_source import WITHOUT_INDEX, Decoded, Source, decoded_pictures, luma_of, opened, plane_of
from handreplay.footage_source import KeyPicture as KeyPicture
from handreplay.footage_source import Tally as Tally
from handreplay.footage_tone import Tone, applied

Picture = NDArray[np.uint8]
Stamp = tuple[int, int, int]  # bytes, nanoseconds, number of the file

_UNSPECIFIED = 2  # AVCOL_SPC_UNSPECIFIED
_HALF_A_MILLISECOND = 0.0005  # logs give times to the millisecond


@dataclass(frozen=True, slots=True, kw_only=True)
class FootageInfo:
    """What a file says about itself. What it says may be wrong: `Tally` has what was found."""

    path: Path
    bytes: int
    container: str
    codec: str
    width: int  # as shown, after the file's rotation
    height: int
    pixel_format: str
    rate: Fraction | None  # pictures a second
    promised_pictures: int | None
    promised_seconds: Fraction | None
    bits_per_second: int | None
    rotation_degrees: int  # counter-clockwise
    colour: str  # matrix and range, "assumed" where the file does not say


@dataclass(frozen=True, slots=True)
class _Converters:
    """Two, since one thread may ask for colours while another asks for planes, and a converter serves one at a time.

    Pictures come out in the `tone`, if one is given.
    """

    tone: Tone | None = None
    planes: VideoReformatter = field(default_factory=VideoReformatter)
    colours: VideoReformatter = field(default_factory=VideoReformatter)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture: its time in seconds from the first, and its number in decoding order."""

    seconds: Fraction
    index: int
    key: bool
    _source: av.video.frame.VideoFrame
    _turns: int  # quarter turns counter-clockwise
    _converters: "_Converters"

    @property
    def luma(self) -> Picture:
        """Brightness (H, W), a view into the decoder's picture: never write to it."""
        tone = self._converters.tone
        return self._turned(applied(tone.luma if tone else None, luma_of(self._source, self._converters.planes)))

    @property
    def chroma(self) -> tuple[Picture, Picture]:
        """Blue and red difference (H/2, W/2), 128 is none; views into the decoder's picture: never write to them."""
        source = self._source
        if source.format.name not in ("yuv420p", "yuvj420p"):
            source = self._converters.planes.reformat(source, format="yuv420p")
        half = ((source.width + 1) // 2, (source.height + 1) // 2)
        table = self._converters.tone.chroma if self._converters.tone else None
        blue, red = (applied(table, plane_of(source, number, *half)) for number in (1, 2))
        return self._turned(blue), self._turned(red)

    def bgr(self) -> Picture:
        """Colours (H, W, 3) in OpenCV's order, full range. Converted anew at each call."""
        return np.ascontiguousarray(self._turned(self._in_colour(self._source)))

    def bgr_part(self, rows: slice, columns: slice) -> Picture | None:
        """What `bgr` gives in these rows and columns, at a fraction of its cost. None where only the whole will do."""
        source = self._source
        odd = source.width % 2 or source.height % 2  # then colours are spread in another way
        if self._turns or odd or source.format.name not in ("yuv420p", "yuvj420p"):
            return None
        top, left = rows.start // 2, columns.start // 2  # in pixels of the colour planes
        high, wide = -(-rows.stop // 2) - top, -(-columns.stop // 2) - left
        part = av.VideoFrame(2 * wide, 2 * high, source.format.name)
        part.colorspace, part.color_range = source.colorspace, source.color_range
        for number, step in enumerate((2, 1, 1)):
            plane = plane_of(source, number, source.width * step // 2, source.height * step // 2)
            cut = plane[top * step : (top + high) * step, left * step : (left + wide) * step]
            plane_of(part, number, wide * step, high * step)[:] = cut
        inside = self._in_colour(part)[rows.start - 2 * top :, columns.start - 2 * left :]
        return inside[: rows.stop - rows.start, : columns.stop - columns.start]

    def _in_colour(self, source: av.video.frame.VideoFrame) -> Picture:
        matrix = Colorspace.ITU601 if int(source.colorspace) == _UNSPECIFIED else None
        shown = self._converters.colours.reformat(
            source, format="bgr24", src_colorspace=matrix, dst_color_range=ColorRange.JPEG, threads=1
        )
        tone = self._converters.tone
        plane = applied(tone.colours if tone else None, plane_of(shown, 0, 3 * shown.width, shown.height))
        return plane.reshape(shown.height, shown.width, 3)

    def _turned(self, picture: Picture) -> Picture:
        return np.rot90(picture, self._turns) if self._turns else picture


class Stillness(Protocol):
    """Whoever sees the pictures as they come, and knows when nothing happens."""

    def at_rest(self) -> bool:
        """Has nothing moved for a while, and lies nothing there, up to the picture that came last?"""

    def unchanged(self, later: Frame) -> bool:
        """Does a later picture look like the one that came last, wherever something may happen?"""


@dataclass(frozen=True, slots=True)
class _Watch:
    """A stillness, asked about pictures as the decoder gives them."""

    stillness: Stillness
    converters: _Converters

    def at_rest(self) -> bool:
        return self.stillness.at_rest()

    def unchanged(self, later: av.video.frame.VideoFrame) -> bool:
        return self.stillness.unchanged(Frame(Fraction(0), -1, True, later, _turns(later), self.converters))


def probe(path: str | Path) -> FootageInfo:
    """What the file is. Decodes no more than its first picture.

    Raises FootageError when it cannot be used, with a reason that a person can act on.
    """
    with opened(Path(path)) as source:
        first = _first_picture(source)
        stream, container = source.stream, source.container
        turns = _turns(first)
        width, height = (first.height, first.width) if turns % 2 else (first.width, first.height)
        return FootageInfo(
            path=source.path,
            bytes=source.path.stat().st_size,
            container=source.format_name,
            codec=stream.codec_context.name,
            width=width,
            height=height,
            pixel_format=first.format.name,
            rate=source.rate,
            promised_pictures=source.promised_pictures,
            promised_seconds=source.promised_seconds,
            bits_per_second=container.bit_rate or None,
            rotation_degrees=turns * 90,
            colour=_colour(first),
        )


def pictures(
    path: str | Path,
    *,
    tally: Tally | None = None,
    stillness: Stillness | None = None,
    threads: int | None = None,
    tone: Tone | None = None,
) -> Iterator[Frame | Gap]:
    """Every picture of a recording in order, with exact times; a Gap wherever the recording shows nothing.

    Times rise strictly. `tally` is filled on the way. With a `stillness`, which must have seen each picture before the
    next is asked for, pictures between two key pictures are passed over where nothing happens (see `footage_quiet`).
    `threads` are those to decode in, as many as there are cores if nothing is said; `tone` is how light they come out.
    Raises FootageError when the file cannot be used at all.
    """
    tally = Tally() if tally is None else tally
    with opened(Path(path), threads) as source:
        line = _Line(source, tally, tone)
        if stillness is None:
            found: Iterator[Decoded | Passed | str] = decoded_pictures(source, tally)
        else:
            found = QuietReader(source, tally, _Watch(stillness, line.converters)).pictures()
        yield from _on_line(line, found)


def key_pictures(
    path: str | Path,
    every_seconds: float,
    *,
    tally: Tally | None = None,
    threads: int | None = None,
    tone: Tone | None = None,
) -> Iterator[Frame | Gap]:
    """A key picture every so many seconds, or as often as there is one, with all else as `pictures` has it.

    Raises FootageError as `pictures` does, and where times between key pictures are not exact (see `has_exact_keys`).
    """
    tally = Tally() if tally is None else tally
    with opened(Path(path), threads) as source:
        if source.format_name not in CONTAINERS:
            raise FootageError(
                f"{path}: its pictures cannot be passed over; only mp4, mov, mkv and webm tell their times"
            )
        yield from _on_line(_Line(source, tally, tone), KeyReader(source, tally, every_seconds).pictures())


def has_exact_keys(path: str | Path) -> bool:
    """Do its packets carry the exact times of their pictures, so that what lies between key pictures may be left out?

    Raises FootageError when it cannot be used.
    """
    with opened(Path(path)) as source:
        return source.format_name in CONTAINERS


def _on_line(line: "_Line", found: Iterable[Decoded | Passed | str]) -> Iterator[Frame | Gap]:
    for one in found:
        match one:
            case str():
                yield from line.fault(one)
            case Passed():
                yield from line.pass_over(one.stamps)
            case Decoded():
                yield from line.picture(one)
    yield from line.end()
    if not line.tally.shown:
        raise FootageError(f"{line.source.path}: no picture in it can be decoded; export it again from the recorder")
    line.tally.finished = True


def stretch(path: str | Path, start: float, end: float, tone: Tone | None = None) -> Iterator[Frame | Gap]:
    """The pictures from about `start` to `end` seconds, without decoding all that lies before.

    Their numbers are -1, since nobody has counted. Where anything is not as in a whole recording a Gap comes last: then
    ask `pictures`, which also tells what is wrong. Files that cannot be entered in the middle give that Gap at once.
    """
    with opened(Path(path)) as source:
        first = _first_picture(source)
        if source.format_name != "mov" or first.pts is None or first.time_base is None or source.rate is None:
            yield Gap(Fraction(0), Fraction(0), "the recording cannot be entered in the middle")
            return
        target = first.pts + int(max(0.0, start) / first.time_base)
        source.container.seek(target, stream=source.stream, backward=True)
        last, converters = None, _Converters(tone)
        for decoded in decoded_pictures(source, Tally()):
            frame = None if isinstance(decoded, str) or decoded.suspect else decoded.frame
            stamp = None if frame is None or frame.is_corrupt else frame.pts
            seconds = None if stamp is None else (stamp - first.pts) * first.time_base
            steady = seconds is not None and (last is None or 0 < seconds - last < 1.5 / source.rate)
            if frame is None or seconds is None or not steady or (last is None and not frame.key_frame):
                yield Gap(last or Fraction(0), last or Fraction(0), "something is missing")
                return
            last = seconds
            if seconds > end:
                return
            yield Frame(seconds, -1, bool(frame.key_frame), frame, _turns(frame), converters)


def shown_at(path: str | Path, seconds: Iterable[float], tally: Tally | None = None) -> Iterator[tuple[float, Frame]]:
    """The picture on show at each of these seconds, in order of time; none where the recording has a hole.

    With the `tally` of a whole recording only what leads up to those pictures is decoded, else everything up to the
    last. Raises FootageError as `pictures` does.
    """
    wanted = sorted(set(seconds))
    if tally is not None and tally.whole:
        done = 0
        for second, frame in _sought(Path(path), wanted, tally):
            yield second, frame
            done += 1
        del wanted[:done]
    shown: Frame | None = None
    for item in pictures(path) if wanted else ():
        at = float(item.seconds if isinstance(item, Frame) else item.start)
        while wanted and at > wanted[0] + _HALF_A_MILLISECOND:
            second = wanted.pop(0)
            if shown is not None:
                yield second, shown
        if not wanted:
            return
        shown = item if isinstance(item, Frame) else None
    if shown is not None:
        yield from ((second, shown) for second in wanted)


def sha256_of(path: str | Path) -> str:
    """SHA-256 of a file, read in pieces."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FootageError(f"{path}: cannot be read ({error.strerror})") from None


def stamp_of(path: str | Path) -> Stamp | None:
    """Size in bytes, time of the last change and number of a file; None when it is gone."""
    try:
        facts = Path(path).stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


def check_unchanged(path: str | Path, stamp: Stamp | None) -> None:
    """Raises FootageError when the file is not the one that had this stamp."""
    if stamp is None or stamp_of(path) != stamp:
        raise FootageError(f"{path}: has changed, or gone, since its reading began; audit it when it is whole")


class _Line:
    """Turns decoded pictures and faults into a rising line of Frames and Gaps."""

    def __init__(self, source: Source, tally: Tally, tone: Tone | None) -> None:
        self.source, self.tally = source, tally
        self.clock = Clock(source.interval)
        self.holes = Holes(float(1 / source.rate) if source.rate else None)
        self.converters = _Converters(tone)
        tally.stretched = tone.gain if tone else 1.0
        self.size: tuple[int, int] | None = None
        self.damage: str | None = None
        self.shown_until: Fraction | None = None  # time of the last picture that was believed
        self.seen_until = Fraction(0)
        # a picture after a long step, its time, the step: a hole or a slow camera? None is a picture not decoded
        self.waiting: tuple[Frame | None, Fraction, Fraction] | None = None
        self.passing = False  # pictures were passed over before the one that comes next

    def fault(self, reason: str) -> Iterator[Frame | Gap]:
        yield from self._release(None)
        self.damage = self.damage or reason

    def pass_over(self, stamps: Sequence[Fraction] | None) -> Iterator[Frame | Gap]:
        """Pictures were there, and not decoded. Where their times are told they are a part of the line as others are;
        else the step to the next picture is no hole."""
        self.passing = stamps is None
        for stamp in stamps or ():
            placed = self.clock.place(stamp)
            self._note_clock()
            if placed is None:
                continue
            self.seen_until = self.tally.seconds = placed.seconds
            if placed.jump is not None:
                yield from self._release(None)
                self.damage = placed.jump
            if self.damage is None:
                yield from self._believe(None, placed.seconds, False)

    def picture(self, decoded: Decoded) -> Iterator[Frame | Gap]:
        source = decoded.frame
        passed, self.passing = self.passing, False
        placed = self.clock.place(self.source.stamp(source))
        self._note_clock()
        if placed is None:
            return
        frame = Frame(
            placed.seconds, self.tally.pictures - 1, bool(source.key_frame), source, _turns(source), self.converters
        )
        self.seen_until = self.tally.seconds = frame.seconds
        wrong = self._wrong(source, decoded.suspect)
        if wrong is not None:
            yield from self._release(None)
            self.damage = self.damage or wrong
        elif placed.jump is not None:
            yield from self._release(None)
            self.damage = placed.jump  # also why the container missed data just before
        if self.damage is not None and (wrong is not None or not frame.key):
            self.tally.distrusted += 1
            return
        if frame.key:
            self.tally.keys.append(KeyPicture(frame.seconds, frame.index, source.pts))
        yield from self._believe(frame, frame.seconds, passed)

    def end(self) -> Iterator[Frame | Gap]:
        """What was held back, and what the file promised beyond its last picture."""
        yield from self._release(None)
        last = self.shown_until if self.shown_until is not None else Fraction(0)
        if self.damage is not None and self.seen_until > last:
            yield self._gap(last, self.seen_until + self.clock.step, self.damage)
            last = self.seen_until + self.clock.step
        missing = self._missing()
        if missing is not None:
            promised = (self.source.promised_seconds or Fraction(0)) - self._ahead
            yield self._gap(last, max(promised, last + self.clock.step), missing)

    def _believe(self, frame: Frame | None, seconds: Fraction, passed: bool) -> Iterator[Frame | Gap]:
        """A picture, None where it was not decoded. `passed`: others were passed over just before it."""
        last = self.shown_until
        step = seconds - (last if last is not None else 0)
        yield from self._release(float(step))
        if passed:
            self.tally.passed_over_microseconds += round(step * 1_000_000)
            step = Fraction(0)
        if self.damage is not None and step > 0:
            yield self._gap(seconds - step, seconds, self.damage)
        elif step > 0 and last is not None and self.holes.looks_long(float(step)):
            self.waiting = (frame, seconds, step)
            self.damage, self.shown_until = None, seconds
            if self.source.format_name in WITHOUT_INDEX and frame is not None and not frame.key:
                self.waiting, self.shown_until = None, last
                self.damage = "data is missing"
                self.tally.distrusted += 1
            return
        elif step > 0 and last is not None:
            self.holes.note(float(step))
        self.damage, self.shown_until = None, seconds
        yield from self._show(frame, step)

    def _release(self, following: float | None) -> Iterator[Frame | Gap]:
        """Show the picture that was held back, after a Gap if the step before it was a hole."""
        if self.waiting is None:
            return
        (frame, seconds, step), self.waiting = self.waiting, None
        is_hole = self.holes.is_hole(float(step), following)
        if is_hole:
            yield self._gap(seconds - step, seconds, f"no pictures for {float(step):.2f} s")
        self.holes.note(float(step))
        yield from self._show(frame, Fraction(0) if is_hole and frame is None else step)

    def _show(self, frame: Frame | None, step: Fraction) -> Iterator[Frame]:
        if frame is None:
            self.tally.passed_over_microseconds += round(step * 1_000_000)
            return
        self.tally.shown += 1
        if step:
            self.tally.steps[round(step * 1_000_000)] += 1
        yield frame

    def _gap(self, start: Fraction, end: Fraction, reason: str) -> Gap:
        gap = Gap(start, end, reason)
        self.tally.gaps.append(gap)
        return gap

    def _wrong(self, source: av.video.frame.VideoFrame, suspect: bool) -> str | None:
        size = (source.width, source.height)
        if self.size is None and not source.is_corrupt:
            self.size = size
        if source.is_corrupt or suspect:
            return "damaged pictures"
        if size != self.size and self.size is not None:
            return f"the picture size changes from {self.size[0]}x{self.size[1]} to {size[0]}x{size[1]}"
        return None

    def _note_clock(self) -> None:
        self.tally.out_of_order = self.clock.out_of_order
        if self.clock.estimated:
            self.tally.estimated, self.tally.estimated_rate = self.clock.estimated, 1 / self.clock.step

    @property
    def _ahead(self) -> Fraction:
        """Seconds that the file promises only since a clock was put forward in it."""
        return max(Fraction(0), self.clock.jumped)

    def _missing(self) -> str | None:
        promised, read = self.source.promised_pictures, self.tally.pictures + self.tally.refused + self.tally.hidden
        if promised is not None and read < promised:
            return f"the recording is cut short: {promised} pictures promised, {self.tally.pictures} read"
        seconds = self.source.promised_seconds
        if promised is not None or seconds is None:
            return None
        near = max(Fraction(1), 3 * self.clock.step)
        counts_from_0 = abs(self.clock.last_stamp + self.clock.step - seconds) <= near  # and not from the first picture
        if not counts_from_0 and self.seen_until + self._ahead + near < seconds:
            return f"the recording is cut short: {float(seconds):.1f} s promised, {float(self.seen_until):.1f} s read"
        return None


def _sought(path: Path, wanted: Sequence[float], tally: Tally) -> Iterator[tuple[float, Frame]]:
    """The picture on show at each of these rising seconds, by way of the key pictures before them.

    Ends early where that does not lead there.
    """
    keys = tally.keys
    with opened(path) as source:
        if source.format_name != "mov" or any(key.ticks is None for key in keys):
            return
        entered: KeyPicture | None = None
        coming: Iterator[Frame] = iter(())
        shown: Frame | None = None
        following: Frame | None = None
        for second in wanted:
            latest = second + _HALF_A_MILLISECOND
            place = bisect_right(keys, latest, key=lambda key: float(key.seconds))
            key = keys[max(0, place - 1)]
            if entered is None or shown is None or shown.seconds < key.seconds:
                entered, coming = key, _from_key(source, key)
                shown, following = None, next(coming, None)
            while following is not None and following.seconds <= latest:
                shown, following = following, next(coming, None)
            if shown is None or shown.seconds < key.seconds or (following is None and shown.index + 1 < tally.pictures):
                return
            yield second, shown


def _from_key(source: Source, key: KeyPicture) -> Iterator[Frame]:
    """The pictures from a key picture on, as long as nothing is wrong with them."""
    assert key.ticks is not None
    source.container.seek(key.ticks, stream=source.stream, backward=True)
    index, converters = key.index, _Converters()
    for decoded in decoded_pictures(source, Tally()):
        if isinstance(decoded, str) or decoded.suspect or decoded.frame.is_corrupt:
            return
        frame = decoded.frame
        if frame.pts is None or frame.time_base is None or (index == key.index and frame.pts > key.ticks):
            return
        if frame.pts >= key.ticks:
            seconds = key.seconds + (frame.pts - key.ticks) * frame.time_base
            yield Frame(seconds, index, bool(frame.key_frame), frame, _turns(frame), converters)
            index += 1


def _first_picture(source: Source) -> av.video.frame.VideoFrame:
    for decoded in decoded_pictures(source, Tally()):
        if isinstance(decoded, Decoded):
            return decoded.frame
    raise FootageError(f"{source.path}: no picture in it can be decoded; export it again from the recorder")


def _turns(frame: av.video.frame.VideoFrame) -> int:
    """Quarter turns counter-clockwise that the file asks for."""
    return round(frame.rotation / 90) % 4


def _colour(frame: av.video.frame.VideoFrame) -> str:
    matrices = {1: "BT.709", 5: "BT.601", 6: "BT.601", 7: "SMPTE 240M", 9: "BT.2020", 10: "BT.2020"}
    code = int(frame.colorspace)
    matrix = "BT.601 assumed" if code == _UNSPECIFIED else matrices.get(code, f"matrix {code}")
    full = int(frame.color_range) == 2 or frame.format.name.startswith("yuvj")
    return f"{matrix}, {'full' if full else 'limited'} range{'' if int(frame.color_range) or full else ' assumed'}"
