"""Cuts from a recording, for people: a stretch copied as it is, or decoded anew into a proxy copy; times of pictures.

PyAV alone. The original is only ever read. Times are seconds from the first picture, as everywhere.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import av
import av.container
import av.video.stream
import cv2
import numpy as np

from handreplay.errors import FootageError
from handreplay.footage import Frame, pictures, probe

BROWSER_CODECS = {"mov": ("h264", "av1", "vp9"), "matroska": ("vp8", "vp9", "av1")}
BROWSER_PIXELS = ("yuv420p", "yuvj420p")
_INTO_MP4 = ("h264", "hevc", "av1", "mpeg4")
_PROXY_CODECS = ("libx264", "libopenh264", "libvpx-vp9")
_PROXY_LONGEST_SIDE = 1280
_PROXY_RATE = 30
PROXY_WORDS = "PROXY COPY - NOT THE RECORDING"
LONGEST_LEAD_S = 60.0  # a cut that would have to begin so long before its round is noted


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A stretch of a recording in a file of its own."""

    path: Path
    start: float  # seconds in the recording of the cut's first picture
    end: float  # of its last picture
    pictures: int
    copied: bool  # the compressed pictures are those of the recording, bit for bit
    data_sha256: str | None  # of the compressed pictures one after the other, when copied
    remark: str


def plays_in_browsers(path: Path) -> bool:
    """Whether browsers can be expected to play the file as it is. Raises FootageError when it cannot be used."""
    info = probe(path)
    return info.codec in BROWSER_CODECS.get(info.container, ()) and info.pixel_format in BROWSER_PIXELS


def picture_times(path: Path, start: float, end: float) -> tuple[float, ...]:
    """When the pictures from `start` to `end` are shown, without decoding them. Raises FootageError."""
    with _opened(path) as source:
        stream, origin = _origin(path, source)
        found = [
            float((packet.pts - origin) * packet.time_base)
            for packet in _packets(source, stream, origin, start, end)
            if packet.pts is not None and packet.time_base is not None
        ]
    return tuple(sorted(round(t, 4) for t in found if start - 0.001 <= t <= end + 0.001))


def browser_offset(path: Path) -> float:
    """Seconds from a browser's time 0, where the file's first stream begins, to its first picture."""
    with _opened(path) as source:
        stream, origin = _origin(path, source)
        begins = [s.start_time * s.time_base for s in source.streams if s.start_time is not None and s.time_base]
        first = origin * stream.time_base if stream.time_base else Fraction(0)
        return float(first - min([*begins, first]))


def cut(recording: Path, start: float, end: float, out: Path, *, times_as_in_the_file: bool = True) -> Cut:
    """The stretch from the key picture at or before `start` to `end`, copied without decoding; else decoded anew.

    `out` is a name without its ending; the container decides on that. A recording whose clock was set on the way is
    always decoded, since its timestamps no longer say when. Raises FootageError when neither can be done.
    """
    try:
        if not times_as_in_the_file:
            raise FootageError("its timestamps jump")
        return _copied(recording, start, end, out)
    except (av.FFmpegError, FootageError, OSError, ValueError) as error:
        made = proxy(recording, start, end, out, words=None)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return Cut(
            path=made.path,
            start=made.start,
            end=made.end,
            pictures=made.pictures,
            copied=False,
            data_sha256=None,
            remark=f"Encoded anew, since the recording cannot be cut without it ({reason or type(error).__name__}).",
        )


def _copied(recording: Path, start: float, end: float, out: Path) -> Cut:
    with _opened(recording) as source:
        stream, origin = _origin(recording, source)
        suffix = ".mp4" if stream.codec_context.name in _INTO_MP4 else ".mkv"
        path = out.with_name(out.name + suffix)
        digest, shown, silent = hashlib.sha256(), [], bool(source.streams.audio)
        with av.open(str(path), "w", options={"fflags": "+bitexact"}) as target:
            copy = target.add_stream_from_template(stream)
            first: int | None = None
            for packet in _packets(source, stream, origin, start, end):
                if packet.pts is None or packet.dts is None or packet.time_base is None:
                    raise FootageError("its pictures carry no times")
                if first is None and not packet.is_keyframe:
                    raise FootageError("no key picture comes before it")
                shown.append(float((packet.pts - origin) * packet.time_base))
                digest.update(bytes(packet))
                first = packet.dts if first is None else first
                packet.dts -= first
                packet.pts -= first
                packet.stream = copy
                target.mux(packet)
    if not shown:
        path.unlink(missing_ok=True)
        raise FootageError("no picture lies there")
    begin = min(shown)
    remark = "Copied from the recording without decoding; it begins at the key picture before the round."
    if silent:
        remark += " The recording's sound is left out."
    if start - begin > LONGEST_LEAD_S:
        remark += f" That lies {start - begin:.0f} s before it, since the recording has few key pictures."
    return Cut(
        path=path,
        start=begin,
        end=max(shown),
        pictures=len(shown),
        copied=True,
        data_sha256=digest.hexdigest(),
        remark=remark,
    )


def data_sha256(path: Path) -> str:
    """SHA-256 of a file's compressed pictures one after the other, as stored. Raises FootageError."""
    digest = hashlib.sha256()
    with _opened(path) as source:
        for packet in source.demux(source.streams.video[0]):
            if packet.size:
                digest.update(bytes(packet))
    return digest.hexdigest()


def proxy(
    recording: Path,
    start: float,
    end: float,
    out: Path,
    *,
    words: str | None = PROXY_WORDS,
    times_as_in_the_file: bool = False,
) -> Cut:
    """The stretch decoded and encoded anew for browsers, smaller, with `words` written into every picture.

    It takes as long as decoding everything before it, unless the times are those in the file. Raises FootageError when
    the recording cannot be decoded or no encoder is there.
    """
    codec = next((name for name in _PROXY_CODECS if _can_encode(name)), None)
    if codec is None:
        raise FootageError("no video encoder is built in; play the recording in a program of its own")
    path = out.with_name(out.name + (".webm" if codec == "libvpx-vp9" else ".mp4"))
    times: list[float] = []
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as target:
        writer: _Writer | None = None
        for seconds, frame in _between(recording, start, end, out, times_as_in_the_file):
            picture = frame.bgr()
            if writer is None:
                writer = _Writer(target, codec, picture.shape[1], picture.shape[0])
            writer.write(picture, seconds - (times[0] if times else seconds), words)
            times.append(seconds)
        if writer is not None:
            writer.finish()
    if not times:
        path.unlink(missing_ok=True)
        raise FootageError(f"{recording.name}: no picture can be decoded from {start:.1f} to {end:.1f} s")
    remark = "A proxy copy: decoded and encoded anew, since browsers cannot play the recording itself."
    return Cut(
        path=path,
        start=times[0],
        end=times[-1],
        pictures=len(times),
        copied=False,
        data_sha256=None,
        remark=remark,
    )


class _Writer:
    def __init__(self, target: av.container.OutputContainer, codec: str, width: int, height: int) -> None:
        scale = min(1.0, _PROXY_LONGEST_SIDE / max(width, height))
        self.size = (max(2, round(width * scale) // 2 * 2), max(2, round(height * scale) // 2 * 2))
        self.target = target
        self.stream = cast(Any, target.add_stream(codec, rate=_PROXY_RATE))
        self.stream.width, self.stream.height, self.stream.pix_fmt = *self.size, "yuv420p"
        context = self.stream.codec_context
        context.time_base, context.gop_size, context.thread_count = Fraction(1, 90_000), _PROXY_RATE, 1
        context.max_b_frames = 0
        if codec == "libx264":
            context.options = {"preset": "veryfast", "crf": "23"}

    def write(self, picture: "np.ndarray[Any, np.dtype[np.uint8]]", seconds: float, words: str | None) -> None:
        image = np.ascontiguousarray(cv2.resize(picture, self.size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        if words:
            _mark(image, words)
        frame = av.VideoFrame.from_ndarray(image, format="bgr24")
        frame.time_base = Fraction(1, 90_000)
        frame.pts = round(seconds * 90_000)
        for packet in self.stream.encode(frame):
            self.target.mux(packet)

    def finish(self) -> None:
        for packet in self.stream.encode():
            self.target.mux(packet)


def _mark(image: "np.ndarray[Any, np.dtype[np.uint8]]", words: str) -> None:
    """Write the words at the top, in the middle: recorders keep their clocks in the corners."""
    (wide, _), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_DUPLEX, 0.5, 1)
    place = (max(2, (image.shape[1] - wide) // 2), 17)
    cv2.putText(image, words, place, cv2.FONT_HERSHEY_DUPLEX, 0.5, (0, 0, 0), 4, cv2.LINE_AA)
    cv2.putText(image, words, place, cv2.FONT_HERSHEY_DUPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)


def _can_encode(name: str) -> bool:
    try:
        return bool(av.codec.Codec(name, "w").is_encoder)
    except (av.FFmpegError, ValueError):
        return False


def _between(recording: Path, start: float, end: float, out: Path, quick: bool) -> Iterator[tuple[float, Frame]]:
    """The pictures of a stretch with their times. `quick` copies the stretch first, and decodes no more than that."""
    source, begin = recording, 0.0
    if quick:
        try:
            part = _copied(recording, start, end, out.with_name(out.name + "-part"))
            source, begin = part.path, part.start
        except (av.FFmpegError, FootageError, OSError, ValueError):
            pass
    try:
        for item in pictures(source):
            seconds = begin + float(item.seconds) if isinstance(item, Frame) else start
            if seconds > end:
                return
            if isinstance(item, Frame) and seconds >= start - 0.0005:
                yield seconds, item
    finally:
        if source != recording:
            source.unlink(missing_ok=True)


def _origin(path: Path, source: av.container.InputContainer) -> tuple[av.video.stream.VideoStream, int]:
    """The video stream and the timestamp of the first picture shown."""
    stream = source.streams.video[0]
    early: list[int] = []
    for packet in source.demux(stream):
        if packet.pts is not None and not packet.is_discard:
            early.append(packet.pts)
        if len(early) >= 32:
            break
    if not early:
        raise FootageError(f"{path.name}: its pictures carry no times")
    return stream, min(early)


def _packets(
    source: av.container.InputContainer, stream: av.video.stream.VideoStream, origin: int, start: float, end: float
) -> Iterator[Any]:
    """The packets from the key picture at or before `start` to the last one before `end`, in decoding order.

    Pictures are shown in another order than they are stored, so all are taken up to the first key picture behind `end`
    and those that are shown after it are left out from the end alone, never from the middle.
    """
    base = stream.time_base
    if base is None:
        raise FootageError("its pictures carry no times")
    limit = origin + int(end / base)
    source.seek(max(origin, origin + int(max(0.0, start) / base)), stream=stream, backward=True)
    held: list[Any] = []
    for packet in source.demux(stream):
        if not packet.size:
            continue
        late = packet.pts is not None and packet.pts > limit
        if late and packet.is_keyframe:
            return
        held.append(packet)
        if not late:
            yield from held
            held.clear()
        elif len(held) > 64:
            return


def _opened(path: Path) -> av.container.InputContainer:
    try:
        source = av.open(str(path))
    except (av.FFmpegError, OSError) as error:
        raise FootageError(f"{path}: cannot be opened ({error})") from None
    if not source.streams.video:
        source.close()
        raise FootageError(f"{path}: holds no video")
    return source
