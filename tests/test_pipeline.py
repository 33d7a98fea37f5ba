"""What an audit holds in memory: how far decoding runs ahead of the eyes, and what is kept of what was seen."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from handreplay import pipeline
from handreplay.config import load_profile
from handreplay.core.observations import Observation, SeenStack, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.errors import FootageError
from handreplay.footage import FootageInfo, probe
from handreplay.pipeline import AHEAD_BYTES, pictures_ahead, slim

SAMPLE = Path(__file__).parent.parent / "sample_footage" / "uth-sample.mp4"


@pytest.fixture(scope="module")
def info() -> FootageInfo:
    return probe(SAMPLE)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (3840, 2160)])
def test_what_is_decoded_ahead_stays_within_its_bounds(info: FootageInfo, width: int, height: int) -> None:
    number = pictures_ahead(replace(info, width=width, height=height))
    assert number >= 8
    assert number * width * height * 1.5 < AHEAD_BYTES


def test_the_largest_pictures_are_still_decoded_a_little_ahead_and_small_ones_not_without_end(
    info: FootageInfo,
) -> None:
    assert pictures_ahead(replace(info, width=8192, height=4800)) == 4
    assert pictures_ahead(replace(info, width=160, height=120)) == 64


def test_a_recording_that_changes_while_it_is_read_is_no_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = tmp_path / "clip.mp4"
    shutil.copyfile(SAMPLE, recording)

    def written_on(*_: object) -> Iterator[Observation]:
        with recording.open("ab") as more:
            more.write(b"more")
        yield from ()

    monkeypatch.setattr(pipeline, "observe", written_on)
    with pytest.raises(FootageError, match=r"clip\.mp4: has changed, or gone, since its reading began"):
        pipeline.audit(recording, load_profile(SAMPLE.with_suffix(".table.toml")))


def test_of_what_a_stack_might_be_nothing_is_kept_once_the_rounds_are_made() -> None:
    read = SeenStack(base_mm=(1.0, 2.0), chips=Known((("5", 2),), 0.99))
    doubtful = SeenStack(base_mm=(3.0, 4.0), chips=Unreadable("1 to 2 chips", (((("5", 1),), 0.6), ((("5", 2),), 0.4))))
    look = ZoneSeen(
        start=1.0, end=2.0, frame=15, zone="seat1.ante", busy_since=0.5, changed=0.3, stacks=(read, doubtful)
    )
    kept = slim(look)
    assert isinstance(kept, ZoneSeen) and kept.stacks[0] == read
    chips = kept.stacks[1].chips
    assert isinstance(chips, Unreadable) and (chips.reason, chips.candidates) == ("1 to 2 chips", ())
    assert kept.stacks[1].base_mm == (3.0, 4.0)
