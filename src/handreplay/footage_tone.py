"""How light and how clear a recording is, and its pictures brought to what all the rest was measured on.

A camera may be set too dark, or look through haze. What reads cards and chips, and what tells a hand from noise, knows
well lit pictures; so the levels of a dark or veiled recording are stretched, all by one and the same measure. Whether
it is one shows in a few key pictures: somewhere a card, a sleeve or print is nearly white, and something nearly black.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from handreplay.footage_source import Source, luma_of, opened

Plane = NDArray[np.uint8]

SAMPLES, LEAST_SAMPLES = 24, 6  # key pictures, spread over the recording; fewer may all show a bare felt
LIGHT, DARK = 99.5, 0.5  # per cent of a picture's pixels that are darker
USUAL_LIGHT, USUAL_DARK = 232.0, 28.0  # levels of those in well lit recordings
LIGHT_ENOUGH, DARK_ENOUGH = 180.0, 45.0
LEAST_APART = 34.0  # levels between the darkest and the lightest; nearer to each other they show nothing
_EVERY_PIXELS = 4
_LEAST_LUMA, _LUMA_STEPS = 16, 219  # of usual video: black, and from there to white


@dataclass(frozen=True, slots=True, eq=False)
class Tone:
    """What each level of brightness, of colour difference and of red, green and blue becomes."""

    gain: float
    luma: Plane
    chroma: Plane
    colours: Plane

    @classmethod
    def between(cls, dark: float, light: float) -> "Tone":
        """The tone that takes two levels of brightness to the usual ones."""
        gain = (USUAL_LIGHT - USUAL_DARK) / (light - dark)
        levels, offset = gain * np.arange(256.0), USUAL_DARK - gain * dark
        in_colours = (offset + (gain - 1) * _LEAST_LUMA) * 255 / _LUMA_STEPS  # which begin at 0, not at 16
        return cls(gain, _bytes(levels + offset), _bytes(levels + 128 * (1 - gain)), _bytes(levels + in_colours))


def applied(table: Plane | None, plane: Plane) -> Plane:
    """A plane by one of a tone's tables; without one, the plane itself."""
    return plane if table is None else np.asarray(cv2.LUT(np.ascontiguousarray(plane), table), np.uint8)


def tone_of(path: Path) -> Tone | None:
    """The tone that a recording needs; None where it is light and clear, shows nothing, or can hardly be looked at.

    Mostly one or two key pictures are decoded for it. Raises FootageError when the recording cannot be used.
    """
    darkest, lightest, seen = 255.0, 0.0, 0
    with opened(path, 1) as source:
        for plane in _samples(source):
            dark, light = np.percentile(plane[::_EVERY_PIXELS, ::_EVERY_PIXELS], (DARK, LIGHT))
            darkest, lightest, seen = min(darkest, float(dark)), max(lightest, float(light)), seen + 1
            if lightest >= LIGHT_ENOUGH and darkest <= DARK_ENOUGH:
                return None
    told = seen >= LEAST_SAMPLES and lightest - darkest >= LEAST_APART
    return Tone.between(darkest, lightest) if told else None


def _samples(source: Source) -> Iterator[Plane]:
    """The brightness of key pictures spread over the recording, from its middle outwards, each once."""
    stream, seconds = source.stream, source.promised_seconds
    if seconds is None or stream.time_base is None:
        return
    start, converter, taken = stream.start_time or 0, VideoReformatter(), set()
    for number in sorted(range(SAMPLES), key=lambda number: abs(2 * number - SAMPLES)):
        ticks = start + int((number + 0.5) / SAMPLES * float(seconds) / float(stream.time_base))
        try:
            source.container.seek(ticks, stream=stream, backward=True)
            frame = next(iter(source.container.decode(stream)), None)
        except (av.FFmpegError, ValueError):
            continue
        if frame is not None and not frame.is_corrupt and frame.pts not in taken:
            taken.add(frame.pts)
            yield luma_of(frame, converter)


def _bytes(levels: NDArray[np.float64]) -> Plane:
    return np.asarray(np.clip(np.round(levels), 0, 255), np.uint8)
