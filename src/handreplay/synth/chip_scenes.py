"""Pieces of felt with stacks on them, as a table camera and its recorder would hand them over.

A scene is drawn in felt view with the camera's lean pointing up, pressed to the camera's scale, lit, blurred, coded and
averaged like real footage; `cut` takes felt-view crops back out of it, just as the reader does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.synth.chips import (
    RADIUS_MM,
    ChipSet,
    Colour,
    DrawnStack,
    Light,
    Picture,
    bgr,
    draw_stack,
    random_chipset,
    random_light,
    random_sequence,
)

LARGE_MM, SMALL_MM, DRAW_PX_PER_MM = (170, 190), (96, 150), 2.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A camera picture of a piece of felt. `to_camera` maps felt mm (x right, y against the lean) to its pixels."""

    camera: NDArray[np.uint8]
    to_camera: NDArray[np.float64]  # 2 x 3
    stacks: tuple[DrawnStack, ...]  # positions in felt millimetres
    covered: tuple[bool, ...]  # of each stack: something lies over it
    lean: float  # mm on the felt per mm of height, upwards
    px_per_mm: float
    chipset: ChipSet


def random_scenes(rng: np.random.Generator, pictures: int = 2, size_mm: tuple[int, int] = LARGE_MM) -> list[Scene]:
    """One piece of felt, photographed by as many cameras."""
    wide, high = size_mm
    chipset, light = random_chipset(rng), random_light(rng)
    lean = float(rng.uniform(0.02, 0.62))
    felt = bgr(rng.uniform(0, 360), rng.uniform(0.1, 0.85), rng.uniform(0.15, 0.6))
    canvas = np.empty((int(high * DRAW_PX_PER_MM), int(wide * DRAW_PX_PER_MM), 3), np.float32)
    canvas[:] = felt
    middle = rng.normal((wide / 2, high / 2), wide / 14, 2)
    _print_layout(canvas, felt, middle, rng)
    if rng.random() < 0.3:
        _lay_cards(canvas, light, rng)
    stacks = _stacks(canvas, middle, chipset, light, lean, rng)
    over = _cover_part(canvas, rng) if rng.random() < 0.12 else None
    covered = tuple(over is not None and _touches(over, stack) for stack in stacks)
    taken = (_photograph(canvas, lean, rng) for _ in range(pictures))
    return [Scene(camera, to, tuple(stacks), covered, lean, scale, chipset) for camera, to, scale in taken]


def _stacks(
    canvas: Picture, middle: NDArray[np.float64], chipset: ChipSet, light: Light, lean: float, rng: np.random.Generator
) -> list[DrawnStack]:
    """Up to four stacks, those farther back first so that nearer ones hide them."""
    places: list[NDArray[np.float64]] = []
    for _ in range(int(rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 3, 4]))):
        for _ in range(12):
            if places and rng.random() < 0.75:
                turn, gap = rng.uniform(0, 2 * np.pi), 2 * RADIUS_MM + rng.exponential(3)
                place = places[-1] + gap * np.array([np.cos(turn), np.sin(turn)])
            else:
                place = middle + rng.normal(0, 14, 2)
            if all(np.hypot(*(place - other)) > 2 * RADIUS_MM for other in places):
                places.append(place)
                break
    jitter, drawn = float(rng.choice([0.3, 0.45, 0.6, 0.8, 1.0, 1.3])), []
    for place in sorted(places, key=lambda place: float(place[1])):
        sequence = random_sequence(chipset, rng)
        scale, leaning = DRAW_PX_PER_MM, (float(rng.normal(0, 0.01)) * DRAW_PX_PER_MM, -lean * DRAW_PX_PER_MM)
        one = draw_stack(canvas, (place * scale).tolist(), sequence, chipset, leaning, scale, rng, light, jitter)
        drawn.append(DrawnStack(_felt(one.base), _felt(one.top), one.values))
    return drawn


def _felt(point: tuple[float, float]) -> tuple[float, float]:
    return (point[0] + 0.5) / DRAW_PX_PER_MM, (point[1] + 0.5) / DRAW_PX_PER_MM


def _print_layout(canvas: Picture, felt: Colour, middle: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Lines, circles, boxes, filled places and words as printed on layouts, on the felt under everything."""
    pixels = np.clip(canvas, 0, 255).astype(np.uint8)
    line: Colour = bgr(rng.uniform(0, 360), rng.choice([0.05, 0.1, 0.6]), rng.uniform(0.75, 1.0))
    centre = (middle + rng.normal(0, 8, 2)) * DRAW_PX_PER_MM
    thick = int(rng.integers(2, 7))
    if rng.random() < 0.3:
        ground = tuple(float(c) for c in np.clip(np.array(felt) * rng.uniform(0.4, 0.8), 0, 255))
        _shape(pixels, centre, rng.uniform(25, 50), ground, -1, rng)
    for _ in range(int(rng.integers(0, 3))):
        _shape(pixels, centre, rng.uniform(16, 50), line, thick, rng)
        centre = centre + rng.normal(0, 90, 2)
    if rng.random() < 0.3:
        _print_disc(pixels, (middle + rng.normal(0, 15, 2)) * DRAW_PX_PER_MM, line, rng)
    for _ in range(int(rng.integers(0, 4))):
        _word(pixels, line, rng)
    canvas[:] = pixels
    coarse = (canvas.shape[0] // 4, canvas.shape[1] // 4)
    grain = cv2.resize(rng.normal(0, rng.uniform(0, 3), coarse).astype(np.float32), canvas.shape[1::-1])
    np.add(canvas, grain[..., None], out=canvas)


def _print_disc(pixels: NDArray[np.uint8], spot: NDArray[np.float64], line: Colour, rng: np.random.Generator) -> None:
    """A filled disc as large as a chip or smaller, such as the place of a progressive wager; it may have a ring."""
    at, radius = (int(spot[0]), int(spot[1])), int(rng.uniform(8, 22) * DRAW_PX_PER_MM)
    fill = bgr(rng.uniform(0, 360), rng.choice([0.2, 0.9]), rng.uniform(0.2, 0.95))
    cv2.circle(pixels, at, radius, fill, -1, cv2.LINE_AA)
    if rng.random() < 0.6:
        cv2.circle(pixels, at, radius, line, int(rng.integers(2, 7)), cv2.LINE_AA)
    if rng.random() < 0.2:
        cv2.circle(pixels, at, int(radius * rng.uniform(0.4, 0.8)), line, int(rng.integers(1, 5)), cv2.LINE_AA)


def _shape(
    pixels: NDArray[np.uint8],
    centre: NDArray[np.float64],
    reach_mm: float,
    colour: Sequence[float],
    thick: int,
    rng: np.random.Generator,
) -> None:
    reach = reach_mm * DRAW_PX_PER_MM
    if rng.random() < 0.6:
        cv2.circle(pixels, (int(centre[0]), int(centre[1])), int(reach), tuple(colour), thick, cv2.LINE_AA)
        return
    sides, turn = int(rng.choice([3, 4, 4, 4, 6])), rng.uniform(0, 2 * np.pi)
    angles = turn + np.arange(sides) * 2 * np.pi / sides
    corners = centre + reach * rng.uniform(0.7, 1, 1) * np.stack([np.cos(angles), np.sin(angles)], 1)
    if thick < 0:
        cv2.fillPoly(pixels, [corners.astype(np.int32)], tuple(colour), cv2.LINE_AA)
    else:
        cv2.polylines(pixels, [corners.astype(np.int32)], True, tuple(colour), thick, cv2.LINE_AA)


def _word(pixels: NDArray[np.uint8], colour: Colour, rng: np.random.Generator) -> None:
    text = "".join(rng.choice(list("ABCDEFGHIJKLMNOPRSTUVWXYZ=+$1234567890"), int(rng.integers(1, 9))))
    strip = np.zeros((90, 340), np.uint8)
    font = int(rng.choice([cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_DUPLEX]))
    cv2.putText(strip, text, (10, 60), font, rng.uniform(0.5, 2), 255, int(rng.integers(1, 5)), cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((170.0, 45.0), rng.uniform(0, 360), 1.0)
    turn[:, 2] += rng.uniform(0, pixels.shape[1::-1]) - np.array([170.0, 45.0])
    mask = cv2.warpAffine(strip, turn, pixels.shape[1::-1])[..., None] / 255.0
    pixels[:] = pixels * (1 - mask) + np.array(colour) * mask


def _lay_cards(canvas: Picture, light: Light, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(1, 4))):
        across, up = np.array([63.5, 88.9]) * DRAW_PX_PER_MM
        card = np.full((int(up), int(across), 3), 240, np.uint8)
        if rng.random() < 0.5:
            cv2.rectangle(card, (8, 8), (int(across) - 9, int(up) - 9), _ink(rng), int(rng.choice([-1, -1, 3])))
        for _ in range(int(rng.integers(0, 14))):
            spot = (int(rng.uniform(10, across - 10)), int(rng.uniform(10, up - 10)))
            cv2.circle(card, spot, int(rng.integers(3, 16)), _ink(rng), int(rng.choice([-1, 2])), cv2.LINE_AA)
        matrix = cv2.getRotationMatrix2D((across / 2, up / 2), rng.uniform(0, 360), 1.0)
        matrix[:, 2] += rng.uniform(0, canvas.shape[1::-1]) - np.array([across / 2, up / 2])
        size = canvas.shape[1::-1]
        mask = cv2.warpAffine(np.ones(card.shape[:2], np.float32), matrix, size)
        shadow = cv2.GaussianBlur(mask, (0, 0), 3)
        np.multiply(canvas, 1 - 0.5 * light.depth * shadow[..., None], out=canvas)
        laid = cv2.warpAffine(card, matrix, size).astype(np.float32)
        np.add(canvas, (laid - canvas) * mask[..., None], out=canvas)


def _ink(rng: np.random.Generator) -> Colour:
    return bgr(rng.uniform(0, 360), rng.uniform(0.2, 0.95), rng.uniform(0.05, 0.8))


def _touches(over: NDArray[np.bool_], stack: DrawnStack) -> bool:
    left, right = sorted((stack.base[0], stack.top[0]))
    top, bottom = sorted((stack.base[1], stack.top[1]))
    edges = np.array([top - RADIUS_MM, bottom + RADIUS_MM, left - RADIUS_MM, right + RADIUS_MM]) * DRAW_PX_PER_MM
    y0, y1, x0, x1 = np.clip(edges, 0, None).astype(int)
    return bool(over[y0:y1, x0:x1].any())


def _cover_part(canvas: Picture, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A sleeve or an arm lying over one side."""
    side = rng.choice([-1, 1])
    edge = canvas.shape[1] / 2 + side * rng.uniform(60, 150)
    slope = rng.normal(0, 0.3)
    ys, xs = np.mgrid[0 : canvas.shape[0], 0 : canvas.shape[1]].astype(np.float32)
    inside = side * (xs - edge - slope * (ys - canvas.shape[0] / 2)) > 0
    canvas[inside] = bgr(rng.uniform(0, 50), rng.uniform(0, 0.7), rng.uniform(0.05, 0.9))
    return np.asarray(inside)


def _photograph(
    canvas: Picture, lean: float, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float64], float]:
    """The averaged, coded camera picture; felt mm to its pixels; pixels per mm across the lean."""
    high, wide = np.array(canvas.shape[:2]) / DRAW_PX_PER_MM
    scale, turn = float(rng.uniform(0.55, 1.2)), float(rng.uniform(0, 2 * np.pi))
    squeeze = 1 / np.hypot(1, lean) if rng.random() < 0.8 else rng.uniform(0.8, 1.0)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    linear = spin @ np.diag([scale, scale * squeeze])
    side = int(np.hypot(wide, high) * scale * 0.8) + 8
    centre = np.array([wide, high]) / 2
    offset = side / 2 + rng.uniform(-1, 1, 2) - linear @ centre
    to_camera = np.column_stack([linear, offset])
    prefilter = 0.42 * DRAW_PX_PER_MM / scale
    smooth = cv2.GaussianBlur(canvas, (0, 0), sigmaX=prefilter, sigmaY=prefilter / squeeze)
    from_canvas = np.column_stack([linear / DRAW_PX_PER_MM, offset + linear @ np.full(2, 0.5 / DRAW_PX_PER_MM) - 0.5])
    seen = cv2.warpAffine(smooth, from_canvas, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return _record(_expose(seen.astype(np.float32), rng), rng), to_camera, scale


def _expose(picture: Picture, rng: np.random.Generator) -> Picture:
    """Light, haze, lens and sensor, on average over time (no noise yet)."""
    linear = (np.clip(picture, 0, 255) / 255) ** np.float32(2.2)
    warm, tint = rng.normal(0, 0.12), rng.normal(0, 0.05)
    gains = np.exp(np.array([-warm, tint, warm])) * np.exp(rng.normal(-0.1, 0.25))
    side = picture.shape[0]
    ramp = np.linspace(-1, 1, side, dtype=np.float32)
    uneven = 1 + rng.normal(0, 0.12) * ramp[:, None] + rng.normal(0, 0.12) * ramp[None, :]
    linear = linear * (gains.astype(np.float32) * uneven[..., None].astype(np.float32))
    haze = max(0.0, rng.normal(0.03, 0.03))
    if rng.random() < 0.25:
        spot = rng.uniform(0, side, 2)
        distance = np.hypot(
            ramp[None, :] * side / 2 + side / 2 - spot[0], ramp[:, None] * side / 2 + side / 2 - spot[1]
        )
        haze = haze + rng.uniform(0.05, 0.4) * np.exp(-((distance / rng.uniform(15, 70)) ** 2))[..., None]
    linear = linear + haze
    lit = np.clip(linear, 0, 1) ** (1 / rng.uniform(2.0, 2.5)) if rng.random() < 0.7 else linear / (linear + 0.25) * 1.2
    grey = lit.mean(axis=2, keepdims=True)
    lit = 255 * (grey + (lit - grey) * rng.uniform(0.6, 1.15))
    blurred = cv2.GaussianBlur(lit.astype(np.float32), (0, 0), rng.uniform(0.35, 0.95))
    edges = blurred - cv2.GaussianBlur(blurred, (0, 0), 1.0)
    return np.asarray(blurred + rng.uniform(0, 0.9) * edges, np.float32)


def _record(picture: Picture, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Sensor noise and coding, averaged over a few pictures that share most of the coding loss."""
    sigma, quality = rng.uniform(1, 6), int(rng.integers(45, 96))
    shared = rng.normal(0, sigma * 0.5, picture.shape).astype(np.float32)
    total, pictures = np.zeros_like(picture), int(rng.integers(1, 4))
    for _ in range(pictures):
        noisy = picture + shared + rng.normal(0, sigma, picture.shape).astype(np.float32)
        coded = cv2.imencode(".jpg", np.clip(noisy, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        total += np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.float32)
    taken = np.asarray(np.clip(total / pictures + 0.5, 0, 255), np.uint8)
    return _blocky_colour(taken) if rng.random() < 0.6 else taken


def _blocky_colour(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colour at half the resolution and not smoothed, as decoders hand it over."""
    size, split = picture.shape[1::-1], cv2.cvtColor(picture, cv2.COLOR_BGR2YCrCb)
    colour = cv2.resize(split[:, :, 1:], (size[0] // 2, size[1] // 2), interpolation=cv2.INTER_AREA)
    split[:, :, 1:] = cv2.resize(colour, size, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.cvtColor(split, cv2.COLOR_YCrCb2BGR), np.uint8)


def cut(scene: Scene, left_top_mm: Sequence[float], px_per_mm: float, size: tuple[int, int]) -> NDArray[np.uint8]:
    """A felt-view crop, lean up: `size` is width and height in pixels, `left_top_mm` its outer corner."""
    corner = np.asarray(left_top_mm, float) + 0.5 / px_per_mm
    linear = scene.to_camera[:, :2]
    matrix = np.column_stack([linear / px_per_mm, linear @ corner + scene.to_camera[:, 2] - 0.5])
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(scene.camera, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
