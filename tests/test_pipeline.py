"""How far decoding runs ahead of the eyes: far enough to help, and bounded in memory."""

from dataclasses import replace
from pathlib import Path

import pytest

from handreplay.footage import FootageInfo, probe
from handreplay.pipeline import AHEAD_BYTES, pictures_ahead

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
