"""Stacks of chips drawn onto filmed felt: print, grain, glare and coding are the recording's own, only chips are ours.

Each is drawn on one picture of a bare place and comes with another picture of the same place, as a table camera would
have it from before the chips came. Under several lamps, through the camera's blur, colour blurred more than brightness.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.synth.chips import (
    RADIUS_MM,
    THICKNESS_MM,
    ChipSet,
    Colour,
    Light,
    draw_stack,
    random_chipset,
)

Plane = NDArray[np.float32]
Floats = NDArray[np.float64]

PX_PER_MM = 2.0  # of the pictures of bare felt
_LUMA_BGR = np.array([0.114, 0.587, 0.299], np.float32)
_LEVELS = (0.12, 0.35, 0.65, 1.0)  # of a stack's height; each throws its own shadow
_ROUND_PX = 50


@dataclass(frozen=True)
class Felt:
    """A bare place at several moments, straight with the table: K x H x W x 3 at PX_PER_MM, BGR, 0 to 255."""

    camera_px_per_mm: float
    pictures: NDArray[np.floating]


@dataclass(frozen=True)
class Lamp:
    """Where its shadow falls (mm a mm of height), how dark (logarithm), and how soft: mm, and mm a mm of height."""

    throw: tuple[float, float]
    depth: float
    soft_mm: float
    softer: float


@dataclass(frozen=True)
class Placed:
    """A stack on felt: the place with it and without it, its topmost face's centre (px), its lean, its number."""

    now: Plane
    empty: Plane
    top_px: Floats
    lean: Floats  # mm on the felt per mm of height
    number: int


def random_placed(felts: Sequence[Felt], rng: np.random.Generator) -> Placed:
    """A random stack at a random one of the places."""
    felt = felts[int(rng.integers(len(felts)))]
    under, before = rng.choice(len(felt.pictures), 2, replace=False)
    bare = felt.pictures[under].astype(np.float32)
    chipset = _lit(random_chipset(rng), rng)
    sequence = random_pile(chipset, rng)
    pull = rng.uniform(0.03, 0.58) if rng.random() < 0.4 else rng.uniform(0.05, 0.36)
    turn = rng.uniform(0, 2 * np.pi)
    lean = pull * np.array([np.cos(turn), np.sin(turn)])
    height = len(sequence) * THICKNESS_MM
    base = np.array(bare.shape[1::-1]) / 2 + rng.normal(0, 12, 2) - lean * height * PX_PER_MM / 2
    ground = bare * _shade(bare.shape[:2], base, height, rng)[..., None]
    now, top = _stand(ground, base, sequence, chipset, lean, felt.camera_px_per_mm, rng)
    grain = cv2.GaussianBlur(rng.normal(0, 1, now.shape[:2]).astype(np.float32), (0, 0), 1.2)
    now = np.clip(now + grain[..., None] * rng.uniform(0, 3.5), 0, 255).astype(np.float32)
    return Placed(now, felt.pictures[before].astype(np.float32).round(), top, lean, len(sequence))


def random_pile(chipset: ChipSet, rng: np.random.Generator, at_most: int = 20) -> tuple[str, ...]:
    """Values bottom to top: mostly of one value, else of two or three, mostly the higher ones below."""
    numbers = np.arange(1, at_most + 1)
    share = 1 / (numbers + 0.3)
    number = int(rng.choice(numbers, p=share / share.sum()))
    values = [look.value for look in chipset.looks]
    if number == 1 or rng.random() < 0.6:
        return (str(rng.choice(values)),) * number
    kinds = min(len(values), 2 if number == 2 or rng.random() < 0.8 else 3)
    chosen = list(rng.choice(values, kinds, replace=False))
    if rng.random() < 0.85:
        chosen.sort(key=float, reverse=True)
    cuts = np.sort(rng.choice(np.arange(1, number), kinds - 1, replace=False))
    runs = np.diff(np.concatenate([[0], cuts, [number]]))
    return tuple(str(value) for value, run in zip(chosen, runs, strict=True) for _ in range(int(run)))


def random_lamps(rng: np.random.Generator) -> list[Lamp]:
    lamps = []
    for number in range(int(rng.choice([1, 1, 2, 2, 3]))):
        turn, throw = rng.uniform(0, 2 * np.pi), rng.uniform(0.08, 0.55)
        lamps.append(
            Lamp(
                throw=(float(throw * np.cos(turn)), float(throw * np.sin(turn))),
                depth=float(rng.uniform(0.12, 0.42)) / (2 if number else 1),
                soft_mm=float(rng.uniform(0.4, 1.2)),
                softer=float(rng.uniform(0.06, 0.25)),
            )
        )
    return lamps


def _shade(shape: tuple[int, ...], base: Floats, height_mm: float, rng: np.random.Generator) -> Plane:
    """Brightness left by the lamps' shadows and by the stack's nearness; reckoned at half the size."""
    y, x = np.mgrid[: shape[0] // 2, : shape[1] // 2].astype(np.float32)
    mm = 2 / PX_PER_MM
    right, down = (x - np.float32((base[0] - 0.5) / 2)) * mm, (y - np.float32((base[1] - 0.5) / 2)) * mm
    dark = np.zeros(x.shape, np.float32)
    for lamp in random_lamps(rng):
        nearest = np.full(x.shape, 20.0, np.float32)
        for level in _LEVELS:
            rise = height_mm * level
            off = np.hypot(right - np.float32(lamp.throw[0] * rise), down - np.float32(lamp.throw[1] * rise))
            soft = 0.6 * (lamp.soft_mm + lamp.softer * rise)
            nearest = np.minimum(nearest, (off - np.float32(RADIUS_MM)) / np.float32(soft))
        dark += np.float32(lamp.depth) / (1 + np.exp(np.clip(nearest, -20, 20)))
    depth, reach = rng.uniform(0, 0.12) * min(1.0, height_mm / 8) ** 0.5, rng.uniform(1, 4)
    off = np.clip(np.hypot(right, down) - np.float32(RADIUS_MM), 0, None)
    dark += np.float32(depth) * np.exp(-off / np.float32(reach))
    return np.asarray(cv2.resize(np.exp(-dark), (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR), np.float32)


def _stand(
    ground: Plane,
    base: Floats,
    sequence: Sequence[str],
    chipset: ChipSet,
    lean: Floats,
    camera_px_per_mm: float,
    rng: np.random.Generator,
) -> tuple[Plane, Floats]:
    """The ground with the stack on it, blurred as the camera has it, and where the topmost face's centre is."""
    turn = rng.uniform(0, 2 * np.pi)
    light = Light(
        shadow=(float(np.cos(turn)), float(np.sin(turn))),
        softness_mm=1.0,
        depth=0.0,
        wall=float(rng.uniform(0, 0.35)),
        wall_level=float(rng.uniform(0.35, 0.95)),
        gap=float(rng.uniform(0.1, 0.9)),
    )
    tilted = (lean + rng.normal(0, 0.01, 2)) * PX_PER_MM
    jitter, seed = float(rng.choice([0.3, 0.45, 0.6, 0.8, 1.0, 1.3])), int(rng.integers(1 << 30))
    ends = np.stack([base, base + tilted * len(sequence) * THICKNESS_MM])
    low = np.clip(np.floor(ends.min(axis=0) - _ROUND_PX), 0, None).astype(int)
    high = (ends.max(axis=0) + _ROUND_PX + 1).astype(int)
    window = np.s_[low[1] : high[1], low[0] : high[0]]
    bare, foot = ground[window], (base - low).tolist()
    on_black, on_white = np.zeros_like(bare), np.ones_like(bare)
    for canvas in (on_black, on_white):
        alike = np.random.default_rng(seed)
        stack = draw_stack(canvas, foot, sequence, chipset, tilted.tolist(), PX_PER_MM, alike, light, jitter)
    cover = 1 - (on_white - on_black)[..., 0]
    ground[window] = _photographed(bare, on_black, cover, PX_PER_MM / camera_px_per_mm, rng)
    return ground, np.asarray(stack.top) + low + 0.5


def _photographed(bare: Plane, chips: Plane, cover: Plane, pixel: float, rng: np.random.Generator) -> Plane:
    """`chips` over `bare`, blurred and sharpened like a camera's brightness, then their colour once more."""
    blur, colour_blur, sharp = rng.uniform(0.45, 0.8) * pixel, rng.uniform(0.3, 1.0) * pixel, rng.uniform(0, 0.6)

    def seen(plane: Plane) -> Plane:
        soft = cv2.GaussianBlur(plane, (0, 0), blur)
        return np.asarray(soft + np.float32(sharp) * (soft - cv2.GaussianBlur(soft, (0, 0), 1.2 * pixel)), np.float32)

    def colour(plane: Plane) -> Plane:
        return np.asarray(cv2.GaussianBlur(seen(plane), (0, 0), colour_blur), np.float32)

    light, under = chips @ _LUMA_BGR, bare @ _LUMA_BGR
    brightness = under * (1 - seen(cover)) + seen(light)
    tint = (bare - under[..., None]) * (1 - colour(cover))[..., None] + colour(chips - light[..., None])
    return np.asarray(brightness[..., None] + tint, np.float32)


def _lit(chipset: ChipSet, rng: np.random.Generator) -> ChipSet:
    """The chips' colours as one table's light and one camera would have them."""
    gains = np.exp(rng.normal(0, 0.08, 3) + rng.normal(-0.05, 0.18))
    saturation, haze, power = rng.uniform(0.65, 1.1), max(0.0, rng.normal(5, 6)), rng.uniform(0.85, 1.2)

    def lit(colour: Colour) -> Colour:
        shown = 255 * (np.asarray(colour) / 255) ** power * gains
        grey = shown.mean()
        shown = grey + (shown - grey) * saturation
        blue, green, red = np.clip(shown + haze * (1 - shown / 255), 0, 255).tolist()
        return blue, green, red

    return ChipSet(
        tuple(
            replace(
                look,
                face=lit(look.face),
                edge=lit(look.edge),
                inlay=lit(look.inlay),
                ring=lit(look.ring),
                print_colour=lit(look.print_colour),
            )
            for look in chipset.looks
        )
    )
