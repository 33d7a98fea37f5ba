"""Small recordings, made on the spot: moving pictures whose number can be read back from the pixels."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

Maker = Callable[[int], np.ndarray]
SIZE = (192, 128)


def numbered(number: int, size: tuple[int, int] = SIZE) -> np.ndarray:
    """A picture (H, W, 3) that shows its number in ten bright or dark squares, over moving noise."""
    width, height = size
    noise = np.random.default_rng(number).integers(90, 160, (height // 8, width // 8, 3), dtype=np.uint8)
    picture = noise.repeat(8, axis=0).repeat(8, axis=1)
    for bit in range(10):
        picture[4:28, 4 + 16 * bit : 18 + 16 * bit] = 235 if number >> bit & 1 else 20
    return picture


def number_of(luma: np.ndarray) -> int:
    """The number that `numbered` drew."""
    return sum(int(luma[12:20, 8 + 16 * bit : 14 + 16 * bit].mean() > 127) << bit for bit in range(10))


def record(
    path: Path,
    count: int = 50,
    *,
    draw: Maker = numbered,
    rate: int = 25,
    codec: str = "libx264",
    container: str | None = None,
    pixel_format: str = "yuv420p",
    key_every: int = 25,
    b_frames: int = 0,
    at: Iterable[int] | None = None,
    shift_seconds: float = 0,
    options: dict[str, str] | None = None,
    container_options: dict[str, str] | None = None,
    tags: tuple[int, int] | None = None,
) -> Path:
    """Write a clip. `at` gives each picture's time in units of 1/rate; `tags` colour matrix and range codes."""
    first = draw(0)
    times = list(range(count)) if at is None else list(at)
    with av.open(str(path), "w", format=container, options=container_options or {}) as output:
        stream = output.add_stream(codec, rate=rate, options={"preset": "ultrafast", "x265-params": "log-level=none"})
        stream.width, stream.height, stream.pix_fmt = first.shape[1], first.shape[0], pixel_format
        stream.options = {**(stream.options or {}), **(options or {})}
        context = stream.codec_context
        context.gop_size, context.max_b_frames, context.thread_count = key_every, b_frames, 1
        context.time_base = Fraction(1, rate)
        if codec == "libx264":
            context.options = {"preset": "veryfast", "sc_threshold": "0", **(options or {})}
        if tags is not None:
            context.colorspace, context.color_range = tags
        for number, ticks in enumerate(times):
            frame = av.VideoFrame.from_ndarray(draw(number), format="rgb24")
            if tags is not None:
                frame = frame.reformat(format=pixel_format, dst_colorspace=tags[0], dst_color_range=tags[1])
            frame.pts, frame.time_base = ticks + round(shift_seconds * rate), Fraction(1, rate)
            for packet in stream.encode(frame):
                output.mux(packet)
        for packet in stream.encode(None):
            output.mux(packet)
    return path


def remux(source: Path, path: Path, *, container: str | None = None, options: dict[str, str] | None = None) -> Path:
    """The same packets in another container."""
    with av.open(str(source)) as given, av.open(str(path), "w", format=container, options=options or {}) as output:
        stream = output.add_stream_from_template(given.streams.video[0])
        for packet in given.demux(given.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                output.mux(packet)
    return path


def cut(source: Path, path: Path, share: float) -> Path:
    """The first part of a file's bytes."""
    data = source.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def scramble(source: Path, path: Path, share: float, count: int) -> Path:
    """The file with `count` bytes of noise in place of its own, from `share` of its length on."""
    data = bytearray(source.read_bytes())
    start = int(len(data) * share)
    data[start : start + count] = np.random.default_rng(7).integers(0, 256, count, dtype=np.uint8).tobytes()
    path.write_bytes(data)
    return path


def sound_only(path: Path) -> Path:
    with av.open(str(path), "w") as output:
        stream = output.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), dtype=np.float32), format="fltp", layout="mono")
        frame.sample_rate = 8000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            output.mux(packet)
    return path
