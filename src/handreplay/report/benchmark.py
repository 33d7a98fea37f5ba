"""How long an audit takes, as a multiple of decoding the same file alone, in the same run on the same machine."""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import av  # the yardstick is PyAV alone, so this does not go through our own footage module

from handreplay.errors import FootageError
from handreplay.footage import probe

SCHEMA = "handreplay.benchmark/1"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds on the wall, and of processor time over all threads."""

    wall_s: float
    processor_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """`decode` is the mean of a decoding before the audit and one after it; `peak_bytes` is None where not known."""

    footage: str
    pictures: int
    seconds: float
    decode: Timing
    audit: Timing
    peak_bytes: int | None

    @property
    def ratio(self) -> float:
        """Audit over decode, on the wall."""
        return self.audit.wall_s / self.decode.wall_s


def benchmark(footage: Path, audit: Callable[[], object]) -> Benchmark:
    """Time a bare decoding, the audit, and the decoding again. Raises FootageError when the file has no pictures."""
    probe(footage)  # says in words what is wrong with a file that is no recording
    pictures, seconds, before = _decode(footage)
    started = _now()
    audit()
    taken = _since(started)
    _, _, after = _decode(footage)
    mean = Timing((before.wall_s + after.wall_s) / 2, (before.processor_s + after.processor_s) / 2)
    return Benchmark(
        footage=footage.name, pictures=pictures, seconds=seconds, decode=mean, audit=taken, peak_bytes=peak_bytes()
    )


def _decode(footage: Path) -> tuple[int, float, Timing]:
    started = _now()
    count, first, last = 0, None, 0.0
    try:
        with av.open(f"file:{footage}") as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            for picture in container.decode(stream):
                count += 1
                if picture.time is not None:
                    first = picture.time if first is None else first
                    last = picture.time
    except (av.error.FFmpegError, IndexError) as error:
        raise FootageError(
            f"{footage}: cannot be decoded from end to end ({error}); benchmark an undamaged file"
        ) from None
    if not count:
        raise FootageError(f"{footage}: no picture in it can be decoded")
    return count, last - (first or 0.0), _since(started)


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(started: tuple[float, float]) -> Timing:
    return Timing(time.perf_counter() - started[0], time.process_time() - started[1])


def peak_bytes() -> int | None:
    """The most memory that this process has held so far; None on systems that do not tell (Windows)."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def benchmark_json(result: Benchmark) -> dict[str, Any]:
    return {"schema": SCHEMA, **asdict(result), "ratio": round(result.ratio, 3)}


def benchmark_text(result: Benchmark) -> str:
    def line(name: str, timing: Timing) -> str:
        rate = result.pictures / timing.wall_s
        return f"{name:8} {timing.wall_s:8.2f} s  ({timing.processor_s:.2f} s of processor time, {rate:.0f} pictures/s)"

    peak = "not known on this system" if result.peak_bytes is None else f"{result.peak_bytes / 2**20:.0f} MiB"
    return "\n".join(
        (
            f"{result.footage}: {result.pictures} pictures, {result.seconds:.1f} s",
            line("decode", result.decode),
            line("audit", result.audit),
            f"ratio    {result.ratio:8.2f}",
            f"peak memory {peak}",
        )
    )
