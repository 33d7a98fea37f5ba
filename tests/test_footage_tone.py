"""A dark or veiled recording is read as light and clear as others; one that is well lit stays as it is."""

import numpy as np
import pytest

from handreplay.errors import FootageError
from handreplay.footage import Frame, pictures, stretch
from handreplay.footage_tone import USUAL_DARK, USUAL_LIGHT, Tone, tone_of
from tests.clips import record, sound_only

WIDTH, HEIGHT = 320, 192


def table(number: int, *, white: bool = True) -> np.ndarray:
    """A grey felt with a black sleeve; a card comes to lie on it half way through."""
    picture = np.full((HEIGHT, WIDTH, 3), 80, np.uint8)
    picture[:, 300:] = 14
    if white and number >= 50:
        picture[60:140, 40:100] = 250
        picture[90:110, 60:80] = (200, 20, 20)
    return picture


def dimmed(gain: float, veil: float = 0.0):
    return lambda number: np.clip(table(number) * gain + veil, 0, 255).astype(np.uint8)


def frames(path, **how) -> list[Frame]:
    return [item for item in pictures(path, **how) if isinstance(item, Frame)]


@pytest.mark.parametrize(("gain", "veil"), [(1.0, 0.0), (0.85, 0.0)])
def test_a_well_lit_recording_stays_as_it_is(tmp_path, gain, veil):
    assert tone_of(record(tmp_path / "a.mp4", 100, draw=dimmed(gain, veil), key_every=10)) is None


@pytest.mark.parametrize(("gain", "veil"), [(0.3, 0.0), (0.6, 0.0), (0.6, 70.0), (0.25, 40.0)])
def test_a_dark_or_veiled_one_comes_out_like_the_well_lit_one(tmp_path, gain, veil):
    usual = record(tmp_path / "usual.mp4", 100, draw=dimmed(1.0), key_every=10)
    other = record(tmp_path / "other.mp4", 100, draw=dimmed(gain, veil), key_every=10)
    tone = tone_of(other)
    assert tone is not None
    shown, meant = frames(other, tone=tone)[-1], frames(usual)[-1]
    pairs = [(shown.luma, meant.luma), *zip(shown.chroma, meant.chroma, strict=True), (shown.bgr(), meant.bgr())]
    assert all(np.abs(one.astype(int) - true).mean() < 9 for one, true in pairs)
    part = shown.bgr_part(slice(40, 90), slice(20, 80))
    assert part is not None and np.abs(part.astype(int) - shown.bgr()[40:90, 20:80]).max() <= 3
    *_, late = (item for item in stretch(other, 3.9, 3.9, tone) if isinstance(item, Frame))
    as_ever = next(item for item in frames(other, tone=tone) if item.seconds == late.seconds)
    assert np.array_equal(late.luma, as_ever.luma)


def test_a_tone_takes_the_levels_it_was_made_for_to_the_usual_ones():
    tone = Tone.between(20, 90)
    assert (tone.luma[20], tone.luma[90]) == (round(USUAL_DARK), round(USUAL_LIGHT))
    assert tone.chroma[128] == 128 and tone.chroma[138] == 157
    assert all((np.diff(levels.astype(int)) >= 0).all() for levels in (tone.luma, tone.chroma, tone.colours))


@pytest.mark.parametrize("grey", [16, 120, 255])
def test_what_is_all_of_one_grey_stays_so(tmp_path, grey):
    assert tone_of(record(tmp_path / "a.mp4", 100, draw=dimmed(0.0, grey), key_every=10)) is None


def test_few_key_pictures_tell_too_little(tmp_path):
    assert tone_of(record(tmp_path / "a.mp4", 100, draw=dimmed(0.3), key_every=50)) is None


def test_a_stream_that_cannot_be_entered_in_the_middle_stays_as_it_is(tmp_path):
    raw = record(tmp_path / "a.h264", 50, draw=dimmed(0.3), container="h264")
    assert tone_of(raw) is None


def test_sound_alone_is_refused_as_ever(tmp_path):
    with pytest.raises(FootageError):
        tone_of(sound_only(tmp_path / "a.mp4"))


def test_other_pixel_formats_are_measured_too(tmp_path):
    path = record(tmp_path / "a.avi", 100, draw=dimmed(0.3), codec="mjpeg", pixel_format="yuvj420p")
    assert tone_of(path) is not None
