"""The moment that a person types, and where the pictures go."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.errors import FootageError, OutputError
from handreplay.report import words
from handreplay.report.look_files import places_for, write_png
from handreplay.report.words import seconds_of

PICTURE = np.full((4, 5, 3), 90, np.uint8)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("41", 41), ("00:41", 41), ("01:12:31", 4351), ("41.5", 41.5), ("75:00", 4500), ("1:02.25", 62.25)],
)
def test_moments_are_read_as_people_write_them(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "-1", "4:75", "1:75:00", "1:2:3:4", "noon", "1e3", "nan", "4,5", ":30"])
def test_what_is_no_moment_is_refused_by_name(text: str) -> None:
    with pytest.raises(FootageError, match="is no moment"):
        seconds_of(text)


@given(st.integers(0, 100 * 3600 * 1000))
def test_a_moment_that_is_printed_can_be_typed_again(milliseconds: int) -> None:
    assert seconds_of(words.position(milliseconds / 1000)) == pytest.approx(milliseconds / 1000, abs=1e-6)


def test_the_second_picture_lies_beside_the_first(tmp_path: Path) -> None:
    assert places_for(Path("clip.mp4"), 41.0, tmp_path / "a.png", replace=False) == (
        tmp_path / "a.png",
        tmp_path / "a-felt.png",
    )
    assert places_for(Path("dir/clip.mp4"), 41.0, None, replace=False)[0] == Path("clip-0-00-41.000.png")


@pytest.mark.parametrize("name", ["a.png", "a-felt.png"])
def test_a_picture_that_is_there_is_kept_unless_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"kept")
    with pytest.raises(OutputError, match="is there already"):
        places_for(Path("clip.mp4"), 1.0, tmp_path / "a.png", replace=False)
    with pytest.raises(OutputError, match="is there already"):
        write_png(tmp_path / name, PICTURE, replace=False)
    assert (tmp_path / name).read_bytes() == b"kept"
    places_for(Path("clip.mp4"), 1.0, tmp_path / "a.png", replace=True)
    write_png(tmp_path / name, PICTURE, replace=True)
    assert (tmp_path / name).read_bytes()[:4] == b"\x89PNG"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_other_kinds_and_missing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"ends in \.png"):
        places_for(Path("clip.mp4"), 1.0, tmp_path / "a.jpg", replace=False)
    with pytest.raises(OutputError, match="no such folder"):
        places_for(Path("clip.mp4"), 1.0, tmp_path / "x" / "a.png", replace=False)
