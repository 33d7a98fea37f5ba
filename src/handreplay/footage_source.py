"""A recording that is open: its packets, the pictures they decode to, and what was met on the way. PyAV only."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import av
import av.container
import av.video.frame
import av.video.stream
import numpy as np
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from handreplay import refusals
from handreplay.core.timeline import Gap
from handreplay.errors import FootageError

_LUMA_FIRST = ("yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "nv21", "gray")
LONGEST_SIDE = 8192
MOST_PIXELS = 40_000_000
_FORMATS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,h264,hevc,m4v,flv,asf,mxf,ivf,dhav,mjpeg,ogg"
)
WITHOUT_INDEX = ("mpegts", "mpeg", "h264", "hevc", "m4v", "mpegvideo")  # a hole there means that data was lost
_MOST_READ_ERRORS = 50
_ASSUMED_RATE = Fraction(25)


@dataclass(frozen=True, slots=True)
class KeyPicture:
    """A picture that stands for itself, where decoding can begin. `ticks` is its timestamp in the file."""

    seconds: Fraction
    index: int
    ticks: int | None


@dataclass(slots=True)
class Tally:
    """What a reading of the pictures met, counted as it goes on."""

    packets: int = 0
    pictures: int = 0  # decoded, whether shown or not, or passed over
    shown: int = 0
    distrusted: int = 0  # decoded after damage, before the next whole key picture
    out_of_order: int = 0
    refused: int = 0  # packets that could not be decoded
    hidden: int = 0  # packets that the file's own edit list keeps from being shown
    keys: list[KeyPicture] = field(default_factory=list)
    steps: Counter[int] = field(default_factory=Counter)  # microseconds between shown pictures
    gaps: list[Gap] = field(default_factory=list)
    seconds: Fraction = Fraction(0)  # time of the last picture
    estimated: int = 0  # pictures without a timestamp, whose times are counted on
    estimated_rate: Fraction | None = None
    passed_over: int = 0  # pictures between two key pictures with nothing happening, which were not decoded
    passed_over_microseconds: int = 0  # from the picture before them to the one after
    stretched: float = 1.0  # how much further apart the levels of a dark or veiled recording were taken
    finished: bool = False

    @property
    def whole(self) -> bool:
        """Was every picture of the file shown at its own time, or passed over?"""
        flaws = self.refused or self.hidden or self.distrusted or self.out_of_order or self.estimated
        return self.finished and not self.gaps and not flaws

    @property
    def usual_step_s(self) -> float | None:
        """The commonest time between two pictures; the shortest of them where several are as common."""
        if not self.steps:
            return None
        return max(self.steps.items(), key=lambda item: (item[1], -item[0]))[0] / 1_000_000

    @property
    def times(self) -> str:
        """How times came about, in words."""
        if self.estimated_rate is None:
            return "exact"
        told = f"estimated from {_number(self.estimated_rate)} fps"
        return told if self.estimated == self.pictures else f"exact, but for {self.estimated} pictures {told}"


@dataclass(frozen=True, slots=True)
class Source:
    """An open file and its video stream."""

    path: Path
    container: av.container.InputContainer
    stream: av.video.stream.VideoStream

    @property
    def format_name(self) -> str:
        return str(self.container.format.name).split(",")[0]

    @property
    def rate(self) -> Fraction | None:
        rate = self.stream.average_rate or self.stream.guessed_rate
        return Fraction(rate) if rate and Fraction(1, 60) <= rate <= 1000 else None

    @property
    def interval(self) -> Fraction:
        return 1 / (self.rate or _ASSUMED_RATE)

    @property
    def promised_pictures(self) -> int | None:
        """As the index says; other containers only guess."""
        return self.stream.frames if self.format_name == "mov" and 0 < self.stream.frames < 2**40 else None

    @property
    def promised_seconds(self) -> Fraction | None:
        seconds = Fraction(0)
        if self.stream.duration and self.stream.time_base:
            seconds = self.stream.duration * self.stream.time_base
        elif self.container.duration:
            seconds = Fraction(self.container.duration, av.time_base)
        guessed = self.format_name in WITHOUT_INDEX  # from the timestamps at both ends, which jump
        return seconds if not guessed and 0 < seconds < 366 * 86400 else None

    def stamp(self, frame: av.video.frame.VideoFrame) -> Fraction | None:
        ticks = frame.dts if self.format_name == "avi" else frame.pts  # AVI stores no times, only an order
        return None if ticks is None or frame.time_base is None else ticks * frame.time_base


@dataclass(frozen=True, slots=True)
class Decoded:
    """A picture as it came out of the decoder."""

    frame: av.video.frame.VideoFrame
    suspect: bool  # the container missed data in this picture


class Decoder:
    """Turns the packets of a recording into pictures, and counts both."""

    def __init__(self, source: Source, tally: Tally) -> None:
        self._source, self._tally = source, tally
        self._context = source.stream.codec_context
        self._suspect: set[int | None] = set()
        self._known: int | None = None  # timestamp of a picture that was shown before it came in its turn

    def feed(self, packet: Any) -> Iterator[Decoded | str]:
        """The pictures that come out for a packet, in order of showing; a sentence when it cannot be decoded."""
        self._tally.packets += bool(packet.size)
        if packet.is_corrupt:
            self._suspect.add(packet.pts)
        try:
            frames = self._context.decode(packet)
        except (av.error.FFmpegError, ValueError) as error:
            self._tally.refused += 1
            yield _decode_fault(self._source, error)
            return
        if packet.is_discard:
            self._tally.hidden += 1
        yield from self._shown(frames)

    def emptied(self) -> Iterator[Decoded | str]:
        """The pictures that are still held back. The next packet must be the key packet of a closed group."""
        try:
            frames = self._rest()
        except (av.error.FFmpegError, ValueError) as error:
            self._tally.refused += 1
            yield _decode_fault(self._source, error)
            frames = []
        self._context.flush_buffers()
        yield from self._shown(frames)

    def alone(self, keys: Sequence[Any]) -> list[Decoded | None]:
        """Whole key pictures, each by itself, of an emptied decoder and not counted; None where there is none."""
        try:
            frames = [frame for packet in keys for frame in self._context.decode(packet)] + self._rest()
        except (av.error.FFmpegError, ValueError):
            frames = []
        self._context.flush_buffers()
        if len(frames) != len(keys) and len(keys) > 1:  # one is damaged, or begins an open group and crowds out others
            return [self.alone([key])[0] for key in keys]
        whole = {frame.pts: Decoded(frame, False) for frame in frames if frame.key_frame and not frame.is_corrupt}
        return [whole.get(packet.pts) if len(frames) == len(keys) else None for packet in keys]

    def counted(self, alone: Decoded) -> Decoded:
        """The picture that came `alone`, as one that is read."""
        self._tally.packets += 1
        self._tally.pictures += 1
        return alone

    def again(self, packet: Any) -> Iterator[Decoded | str]:
        """Decode a key packet whose picture was counted, for those after it to stand on."""
        self._known = packet.pts
        yield from self._shown(self._context.decode(packet))

    def _rest(self) -> list[av.video.frame.VideoFrame]:
        frames = self._context.decode(None)
        for frame in frames:
            frame.time_base = self._source.stream.time_base  # which comes with a packet only
        return frames

    def _shown(self, frames: Iterable[av.video.frame.VideoFrame]) -> Iterator[Decoded]:
        for frame in frames:
            if self._known is not None and frame.pts == self._known:
                self._known = None
                continue
            self._tally.pictures += 1
            yield Decoded(frame, frame.pts in self._suspect)


def decoded_pictures(source: Source, tally: Tally) -> Iterator[Decoded | str]:
    """Decoded pictures in order of showing, and a sentence for each packet that fails."""
    decoder = Decoder(source, tally)
    for packet in packets_of(source, tally):
        if isinstance(packet, str):
            yield packet
        else:
            yield from decoder.feed(packet)


def packets_of(source: Source, tally: Tally) -> Iterator[Any]:
    """Packets of the video stream, going on after errors of the container as long as they are not endless."""
    for _ in range(_MOST_READ_ERRORS):
        before = tally.packets
        try:
            yield from source.container.demux(source.stream)
            return
        except av.error.EOFError:
            return
        except (av.error.FFmpegError, OSError) as error:
            yield f"the file cannot be read here ({refusals.plain(error)})"
            if tally.packets == before:
                return


def luma_of(frame: av.video.frame.VideoFrame, converter: VideoReformatter) -> NDArray[np.uint8]:
    """Brightness (H, W) in the file's own levels, a view into the decoder's picture where that has such a plane."""
    if frame.format.name not in _LUMA_FIRST:
        frame = converter.reformat(frame, format="gray")
    return plane_of(frame, 0, frame.width, frame.height)


def plane_of(frame: av.video.frame.VideoFrame, number: int, width: int, height: int) -> NDArray[np.uint8]:
    """One plane of a picture (H, W): a view, without what pads its rows."""
    plane = frame.planes[number]
    rows = np.frombuffer(cast(Any, plane), dtype=np.uint8).reshape(-1, plane.line_size)
    return rows[:height, :width]


def _decode_fault(source: Source, error: Exception) -> str:
    context = source.stream.codec_context
    if _too_large(context.width, context.height):
        return f"the picture size changes to {context.width}x{context.height}, over the limit"
    return "damaged pictures"


@contextmanager
def opened(path: Path, threads: int | None = None) -> Iterator[Source]:
    """The recording, closed again at the end. It is decoded in as many threads as there are cores if nothing is said.

    Raises FootageError when it cannot be used, with what to do.
    """
    refusals.check_file(path)
    options = {"format_whitelist": _FORMATS, "protocol_whitelist": "file", "max_pixels": str(MOST_PIXELS)}
    try:
        # "file:" keeps a name with a colon or a percent sign from being read as an address or a series of pictures
        container = av.open(f"file:{path}", options=options, metadata_errors="replace")
    except (av.error.FFmpegError, ValueError) as error:
        raise FootageError(f"{path}: {refusals.why_not(path, error)}") from None
    try:
        if not container.streams.video:
            raise FootageError(f"{path}: has no video stream; it holds {refusals.streams(container)}")
        stream = container.streams.video[0]
        if stream.codec_context is None:
            raise FootageError(f"{path}: its video codec is not known; export it as H.264")
        width, height = stream.codec_context.width, stream.codec_context.height
        if _too_large(width, height):
            raise FootageError(
                f"{path}: its pictures are {width}x{height}; the limit is {LONGEST_SIDE} a side and "
                f"{MOST_PIXELS // 1_000_000} megapixels"
            )
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = threads or 0
        yield Source(path, container, stream)
    finally:
        container.close()


def _too_large(width: int, height: int) -> bool:
    return max(width, height) > LONGEST_SIDE or width * height > MOST_PIXELS


def _number(rate: Fraction) -> str:
    return f"{float(rate):.3f}".rstrip("0").rstrip(".")
