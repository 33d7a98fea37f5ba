"""A clip damaged the ways that recordings are, with the truth that fits it: for audits that must invent nothing.

    python -m handreplay.synth.damage CLIP.mp4 FOLDER    then    handreplay evaluate FOLDER

Beside CLIP.mp4 lie CLIP.table.toml and CLIP.rounds.jsonl. The copies: `cut` begins in the middle of a round, `torn`
has stretches of its data overwritten, `thin` is encoded anew at half its bitrate, `small` is scaled to two thirds,
`bumped` shows the table from another place in its second half, `dark` has a third of its light, `veiled` lies behind
grey haze.
"""

import argparse
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.events import CardMoved, CardPlaced, CardTurned, Event, FootageGap, Round
from handreplay.core.roundlog import read_rounds, write_rounds

Picture = NDArray[np.uint8]
CUT_AT = 0.23  # of the clip's length
TORN_AT = (0.31, 0.66)
TORN_BYTES = 6_000
SCALE = Fraction(2, 3)
DARK, VEILED = (0.35, 0.0), (0.6, 55.0)  # share of the levels that is left, and levels of grey upon them
BUMPED_FROM = 0.55
BUMP = cv2.getRotationMatrix2D((0.0, 0.0), 0.8, 1.0) + np.array([[0, 0, 14.0], [0, 0, -9.0]])


def cut(clip: Path, out: Path) -> float:
    """From the first key picture after CUT_AT, nothing encoded anew; gives the seconds that are gone."""
    with av.open(str(clip)) as source, av.open(str(out), "w") as target:
        stream = source.streams.video[0]
        copy = target.add_stream_from_template(stream)
        length = float((stream.duration or 0) * (stream.time_base or 0))
        first: int | None = None
        for packet in source.demux(stream):
            if packet.pts is None or packet.dts is None or packet.time_base is None:
                continue
            if first is None and packet.is_keyframe and float(packet.pts * packet.time_base) >= CUT_AT * length:
                first, base = packet.pts, packet.time_base
            if first is not None:
                packet.pts, packet.dts = packet.pts - first, packet.dts - first
                packet.stream = copy
                target.mux(packet)
    return float(first * base) if first is not None else 0.0


def torn(clip: Path, out: Path) -> None:
    """Stretches of the file overwritten, as a bad sector leaves them."""
    data = bytearray(clip.read_bytes())
    rng = np.random.default_rng(0)
    for share in TORN_AT:
        start = int(share * len(data))
        data[start : start + TORN_BYTES] = rng.integers(0, 256, TORN_BYTES, np.uint8).tobytes()
    out.write_bytes(bytes(data))


def encoded(
    clip: Path,
    out: Path,
    *,
    scale: Fraction = Fraction(1),
    thin: bool = False,
    bumped: bool = False,
    light: tuple[float, float] = (1.0, 0.0),
) -> None:
    """Decoded, changed and encoded again, at the bitrate of the clip or at half of it."""
    with av.open(str(clip)) as source, av.open(str(out), "w") as target:
        stream = source.streams.video[0]
        length = float((stream.duration or 0) * (stream.time_base or 0))
        copy = target.add_stream("libx264", rate=stream.average_rate, options={"preset": "veryfast", "g": "50"})
        copy.width, copy.height = (round(side * scale / 2) * 2 for side in (stream.width, stream.height))
        copy.pix_fmt, copy.time_base = "yuv420p", stream.time_base
        copy.bit_rate = int((stream.bit_rate or 4_000_000) * scale**2 * (Fraction(1, 2) if thin else 1))
        for frame in source.decode(stream):
            picture = np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
            if bumped and (frame.time or 0.0) >= BUMPED_FROM * length:
                picture = _moved(picture)
            if scale != 1:
                smaller = cv2.resize(picture, (copy.width, copy.height), interpolation=cv2.INTER_AREA)
                picture = np.asarray(smaller, np.uint8)
            if light != (1.0, 0.0):
                picture = np.asarray(cv2.convertScaleAbs(picture, alpha=light[0], beta=light[1]), np.uint8)
            changed = av.VideoFrame.from_ndarray(picture, format="bgr24")
            changed.pts, changed.time_base = frame.pts, frame.time_base
            target.mux(copy.encode(changed))
        target.mux(copy.encode(None))


def _moved(picture: Picture) -> Picture:
    size = (picture.shape[1], picture.shape[0])
    return np.asarray(cv2.warpAffine(picture, BUMP, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def later(rounds: tuple[Round, ...], seconds: float) -> Iterator[Round]:
    """What is left of the rounds when the footage begins `seconds` later; of cards, those that were still to come."""
    for round_ in rounds:
        if round_.end <= seconds:
            continue
        left = [event for event in round_.events if event.t >= seconds]
        placed = {event.card for event in left if isinstance(event, CardPlaced)}
        unknown = {e.card for e in left if isinstance(e, CardTurned | CardMoved)} - placed
        events = tuple(_earlier(event, seconds) for event in left if getattr(event, "card", None) not in unknown)
        rack = tuple(entry for entry in round_.rack if entry.card in placed)
        partial = "footage starts within the round" if round_.start < seconds else round_.partial
        start = max(0.0, round_.start - seconds)
        yield replace(round_, events=events, rack=rack, start=start, end=round_.end - seconds, partial=partial)


def _earlier(event: Event, seconds: float) -> Event:
    if isinstance(event, FootageGap):
        return replace(event, t=event.t - seconds, until=event.until - seconds)
    return replace(event, t=event.t - seconds)


def scaled(profile: str, scale: Fraction) -> str:
    """The table profile for a picture of another size."""
    camera: dict[str, Any] = tomllib.loads(profile)["camera"]
    pixels = {key: camera[key] for key in ("size", "image_points", "focal_px", "principal_px") if key in camera}
    pixels["size"] = [round(side * scale / 2) * 2 for side in camera["size"]]
    for key in ("image_points", "focal_px", "principal_px"):
        if key in pixels:
            pixels[key] = (np.array(pixels[key], float) * float(scale)).round(3).tolist()
    lines = [f"{key} = {value}" for key, value in (camera | pixels).items()]
    block = re.compile(r"^\[camera\]\n.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
    return block.sub(lambda _: "[camera]\n" + "\n".join(lines) + "\n\n", profile)


def damaged(clip: Path, folder: Path) -> None:
    """Every copy of the clip, each with its profile and its true rounds."""
    profile = clip.with_suffix(".table.toml").read_text("utf-8")
    rounds = read_rounds(clip.with_suffix(".rounds.jsonl"))
    folder.mkdir(parents=True, exist_ok=True)
    copies: dict[str, Callable[[Path], object]] = {
        "torn": lambda out: torn(clip, out),
        "thin": lambda out: encoded(clip, out, thin=True),
        "small": lambda out: encoded(clip, out, scale=SCALE),
        "bumped": lambda out: encoded(clip, out, bumped=True),
        "dark": lambda out: encoded(clip, out, light=DARK),
        "veiled": lambda out: encoded(clip, out, light=VEILED),
    }
    name = f"{clip.stem}-cut"
    gone = cut(clip, folder / f"{name}.mp4")
    write_rounds(folder / f"{name}.rounds.jsonl", later(rounds, gone))
    (folder / f"{name}.table.toml").write_text(profile, "utf-8")
    for kind, make in copies.items():
        name = f"{clip.stem}-{kind}"
        make(folder / f"{name}.mp4")
        shutil.copyfile(clip.with_suffix(".rounds.jsonl"), folder / f"{name}.rounds.jsonl")
        own = scaled(profile, SCALE) if kind == "small" else profile
        (folder / f"{name}.table.toml").write_text(own, "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m handreplay.synth.damage")
    parser.add_argument("clip", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    damaged(given.clip, given.folder)
