"""The benchmark compares the audit with a bare decoding of the same file."""

import time
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from handreplay.errors import FootageError
from handreplay.report.benchmark import Benchmark, Timing, benchmark, benchmark_json, benchmark_text


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for number in range(20):
            frame = av.VideoFrame.from_ndarray(np.full((240, 320, 3), number, np.uint8), format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def test_the_audit_is_timed_and_the_file_is_decoded_to_its_end(clip: Path) -> None:
    result = benchmark(clip, lambda: time.sleep(0.2))
    assert (result.pictures, round(result.seconds, 1)) == (20, 1.9)
    assert 0.2 <= result.audit.wall_s < 2 and result.audit.processor_s < 0.2
    assert result.peak_bytes is None or 10**7 < result.peak_bytes < 10**10


def test_a_file_that_cannot_be_decoded_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"no film")
    with pytest.raises(FootageError, match="is not a recording"):
        benchmark(tmp_path / "a.mp4", lambda: None)


def test_the_ratio_is_audit_over_decode() -> None:
    result = Benchmark(
        footage="a.mp4", pictures=100, seconds=4.0, decode=Timing(2.0, 3.0), audit=Timing(7.0, 9.0), peak_bytes=2**30
    )
    assert benchmark_json(result)["ratio"] == 3.5
    text = benchmark_text(result)
    assert "ratio        3.50" in text and "1024 MiB" in text and "50 pictures/s" in text


def test_a_file_that_is_not_there_is_said_so_before_anything_is_timed(tmp_path: Path) -> None:
    with pytest.raises(FootageError, match="no such file"):
        benchmark(tmp_path / "night.mp4", lambda: None)
