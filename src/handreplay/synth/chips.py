"""Chips as an overhead camera sees them: discs of clay with walls, edge spots and an inlay, stacked a little untidily.

Pictures are in felt view (a chip is a circle); a point at height h over the felt is moved by lean x h.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.floating[Any]]
Picture = NDArray[np.float32]  # height x width x 3, BGR, 0 to 255
Colour = tuple[float, float, float]  # BGR, 0 to 255

RADIUS_MM = 19.5
THICKNESS_MM = 3.3
TEXTURE_PX = 160  # side of a face's texture, which is 2 * RADIUS_MM wide


@dataclass(frozen=True, slots=True)
class ChipLook:
    """How one denomination is made. Radii are shares of the chip's radius, angles are radians."""

    value: str
    face: Colour
    edge: Colour
    spots: int
    spot_width: float
    spot_depth: float  # inner radius of the spots on the face
    spot_split: bool  # a thin line of face colour through each spot
    inlay: Colour
    inlay_radius: float  # 0: no inlay, the value is stamped on the face
    ring: Colour
    ring_radius: float  # 0: no ring
    ring_width: float
    print_colour: Colour
    print_size: float
    text: str
    dots: int


@dataclass(frozen=True, slots=True)
class ChipSet:
    """The chips of one property, by rising value."""

    looks: tuple[ChipLook, ...]

    def look(self, value: str) -> ChipLook:
        return next(look for look in self.looks if look.value == value)


@dataclass(frozen=True, slots=True)
class Light:
    """Where the main light comes from: `shadow` is how far (x, y, in mm per mm of height) it throws a shadow."""

    shadow: tuple[float, float]
    softness_mm: float
    depth: float  # 0 no shadow, 1 black
    wall: float  # how much a wall is shaded by its direction
    wall_level: float  # brightness of a wall against the face
    gap: float  # how dark the joint between two chips is


@dataclass(frozen=True, slots=True)
class DrawnStack:
    """Where a stack was drawn: centres of its lowest chip's foot and of its top chip's face, pixels."""

    base: tuple[float, float]
    top: tuple[float, float]
    values: tuple[str, ...]  # bottom to top


# Usual colours of American chips, as hue, saturation and value ranges; sets differ within these and sometimes beyond.
_USUAL: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "0.50": ((280.0, 350.0), (0.10, 0.50), (0.70, 0.95)),
    "1": ((0.0, 360.0), (0.0, 0.12), (0.72, 0.95)),
    "2.50": ((320.0, 350.0), (0.25, 0.60), (0.70, 0.95)),
    "5": ((345.0, 372.0), (0.65, 0.92), (0.55, 0.85)),
    "10": ((200.0, 235.0), (0.45, 0.85), (0.45, 0.80)),
    "20": ((45.0, 58.0), (0.55, 0.85), (0.75, 0.95)),
    "25": ((110.0, 170.0), (0.45, 0.85), (0.30, 0.62)),
    "100": ((0.0, 360.0), (0.0, 0.18), (0.08, 0.24)),
    "500": ((248.0, 300.0), (0.35, 0.70), (0.35, 0.65)),
    "1000": ((20.0, 45.0), (0.60, 0.92), (0.65, 0.92)),
}
_SETS = (
    ("0.50", "1", "5", "25", "100", "500", "1000"),
    ("1", "5", "25", "100", "500", "1000"),
    ("1", "2.50", "5", "25", "100", "500"),
    ("1", "5", "10", "25", "100", "500"),
    ("1", "5", "20", "25", "100", "500", "1000"),
    ("1", "5", "25", "100"),
    ("5", "25", "100", "500", "1000"),
)


def bgr(hue: float, saturation: float, value: float) -> Colour:
    """A colour from degrees and two shares of one."""
    pixel = np.array([[[hue % 360.0, saturation, value]]], np.float32)
    blue, green, red = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] * 255
    return float(blue), float(green), float(red)


def _apart(one: Colour, other: Colour) -> float:
    return float(np.linalg.norm(np.subtract(one, other)))


def _random_colour(rng: np.random.Generator) -> Colour:
    return bgr(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.1, 0.95))


def _face_colour(value: str, rng: np.random.Generator, usual: bool) -> Colour:
    if not usual:
        return _random_colour(rng)
    hue, saturation, brightness = _USUAL[value]
    return bgr(rng.uniform(*hue), rng.uniform(*saturation), rng.uniform(*brightness))


def _edge_colour(face: Colour, rng: np.random.Generator) -> Colour:
    for _ in range(20):
        pale = rng.random() < 0.45
        colour = bgr(rng.uniform(20, 60), rng.uniform(0, 0.2), rng.uniform(0.85, 0.98)) if pale else _random_colour(rng)
        if _apart(colour, face) > 60:
            return colour
    return 235.0, 235.0, 235.0


def random_chipset(rng: np.random.Generator) -> ChipSet:
    """A set of chips with faces that can be told apart, of one design with small differences by value."""
    values = _SETS[int(rng.integers(len(_SETS)))]
    usual = rng.random() < 0.8
    spots = int(rng.choice([3, 4, 4, 5, 6, 6, 8, 8]))
    width = rng.uniform(0.25, 0.62) * 2 * np.pi / spots
    depth = rng.uniform(0.62, 0.86)
    inlay_radius = 0.0 if rng.random() < 0.12 else rng.uniform(0.42, min(0.72, depth + 0.04))
    ring = rng.random() < 0.45
    ring_radius, ring_width = (rng.uniform(0.5, 0.9), rng.uniform(0.02, 0.08)) if ring else (0.0, 0.0)
    split, dots, prefix = rng.random() < 0.15, int(rng.choice([0, 0, 4, 6, 8])), str(rng.choice(["$", "$", ""]))
    pale_inlay, print_size = rng.random() < 0.75, rng.uniform(0.25, 0.6)
    looks: list[ChipLook] = []
    for value in values:
        face = _face_colour(value, rng, usual)
        for _ in range(30):
            if all(_apart(face, look.face) > 55 for look in looks):
                break
            face = _face_colour(value, rng, usual and rng.random() < 0.9)
        edge = _edge_colour(face, rng)
        pale = bgr(rng.uniform(20, 60), rng.uniform(0, 0.15), rng.uniform(0.85, 0.99))
        inlay = pale if pale_inlay else (edge if rng.random() < 0.5 else _random_colour(rng))
        under = inlay if inlay_radius else face
        dark_print = sum(under) > 330
        looks.append(
            ChipLook(
                value=value,
                face=face,
                edge=edge,
                spots=spots,
                spot_width=width,
                spot_depth=depth,
                spot_split=split,
                inlay=inlay,
                inlay_radius=inlay_radius,
                ring=edge if rng.random() < 0.6 else pale,
                ring_radius=ring_radius,
                ring_width=ring_width,
                print_colour=bgr(rng.uniform(0, 360), 0.6, 0.2) if dark_print else (230.0, 235.0, 238.0),
                print_size=print_size,
                text=prefix + value.removeprefix("0")
                if value != "0.50"
                else rng.choice(["50c", prefix + ".50"]).item(),
                dots=dots,
            )
        )
    return ChipSet(tuple(looks))


def random_light(rng: np.random.Generator) -> Light:
    direction, length = rng.uniform(0, 2 * np.pi), rng.choice([rng.uniform(0.05, 0.4), rng.uniform(0.1, 1.0)])
    return Light(
        shadow=(float(length * np.cos(direction)), float(length * np.sin(direction))),
        softness_mm=float(rng.uniform(1.5, 8)),
        depth=float(rng.uniform(0.1, 0.6)),
        wall=float(rng.uniform(0.0, 0.35)),
        wall_level=float(rng.uniform(0.35, 0.95)),
        gap=float(rng.uniform(0.2, 0.9)),
    )


def random_sequence(chipset: ChipSet, rng: np.random.Generator, at_most: int = 20) -> tuple[str, ...]:
    """A stack bottom to top: small ones more often; one value, else large values below, now and then any order."""
    values = [look.value for look in chipset.looks]
    share = 1 / np.arange(1, at_most + 1)
    size = int(rng.choice(np.arange(1, at_most + 1), p=share / share.sum()))
    kinds = min(size, len(values), int(rng.choice([1, 1, 1, 2, 2, 2, 3])))
    chosen = rng.choice(values, kinds, replace=False)
    cuts = np.sort(rng.choice(np.arange(1, size), kinds - 1, replace=False)) if kinds > 1 else np.array([], int)
    runs = np.diff(np.concatenate([[0], cuts, [size]]))
    order = sorted(chosen, key=float, reverse=True) if rng.random() < 0.75 else list(chosen)
    stack = [str(value) for value, run in zip(order, runs, strict=True) for _ in range(int(run))]
    if rng.random() < 0.08:
        rng.shuffle(stack)
    return tuple(stack)


@lru_cache(maxsize=256)
def _face_texture(look: ChipLook) -> Picture:
    """TEXTURE_PX square picture of a face, spots at angle 0 first."""
    half = TEXTURE_PX / 2
    ys, xs = np.mgrid[0:TEXTURE_PX, 0:TEXTURE_PX].astype(np.float32) - (half - 0.5)
    radius, angle = np.hypot(xs, ys) / half, np.arctan2(ys, xs)
    picture = np.empty((TEXTURE_PX, TEXTURE_PX, 3), np.uint8)
    picture[:] = look.face
    picture[_in_spot(look, angle) & (radius > look.spot_depth)] = look.edge
    if look.ring_radius:
        picture[np.abs(radius - look.ring_radius) < look.ring_width] = look.ring
    if look.inlay_radius:
        picture[radius < look.inlay_radius] = look.inlay
    inner = (look.inlay_radius or look.spot_depth) * half
    for number in range(look.dots):
        turn = 2 * np.pi * number / look.dots
        centre = half + 0.8 * inner * np.array([np.cos(turn), np.sin(turn)])
        cv2.circle(picture, (round(centre[0]), round(centre[1])), 3, look.print_colour, -1, cv2.LINE_AA)
    _stamp(picture, look, 1.7 * inner * look.print_size / 0.6)
    return np.asarray(cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 0.8), np.float32)


def _stamp(picture: NDArray[np.uint8], look: ChipLook, width: float) -> None:
    font, weight = cv2.FONT_HERSHEY_TRIPLEX, 2
    (wide, high), _ = cv2.getTextSize(look.text, font, 1.0, weight)
    scale = min(width / wide, 0.9 * width / high)
    origin = (round(TEXTURE_PX / 2 - wide * scale / 2), round(TEXTURE_PX / 2 + high * scale / 2))
    cv2.putText(picture, look.text, origin, font, scale, look.print_colour, weight, cv2.LINE_AA)


def _in_spot(look: ChipLook, angle: Plane) -> NDArray[np.bool_]:
    step = 2 * np.pi / look.spots
    offset = np.abs((angle + step / 2) % step - step / 2)
    inside = offset < look.spot_width / 2
    return np.asarray(inside & (offset > 0.12 * look.spot_width) if look.spot_split else inside)


class _Patch:
    """The part of a canvas round one stack, with its pixel grid."""

    def __init__(self, canvas: Picture, centre: NDArray[np.float64], reach: float) -> None:
        height, width = canvas.shape[:2]
        self.left, self.top = max(0, int(centre[0] - reach)), max(0, int(centre[1] - reach))
        right, bottom = min(width, int(centre[0] + reach) + 1), min(height, int(centre[1] + reach) + 1)
        self.view = canvas[self.top : max(self.top, bottom), self.left : max(self.left, right)]
        self.xs = np.arange(self.view.shape[1], dtype=np.float32)[None, :] + self.left
        self.ys = np.arange(self.view.shape[0], dtype=np.float32)[:, None] + self.top

    def from_point(self, point: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """x as a row and y as a column, counted from `point`."""
        return self.xs - float(point[0]), self.ys - float(point[1])

    def blend(self, colour: Plane, alpha: Plane) -> None:
        self.view += (colour - self.view) * alpha[..., None]


def draw_stack(
    canvas: Picture,
    base_px: Sequence[float],
    sequence: Sequence[str],
    chipset: ChipSet,
    lean_px_per_mm: Sequence[float],
    px_per_mm: float,
    rng: np.random.Generator,
    light: Light | None = None,
    jitter_mm: float | None = None,
) -> DrawnStack:
    """Draw a stack with its shadow into `canvas` (float32 BGR, changed in place).

    `base_px` is where the stack's axis meets the felt; `sequence` are values bottom to top; `lean_px_per_mm` is how
    far in canvas pixels a point moves per millimetre of height; `jitter_mm` is each chip's deviation from the axis.
    """
    light = light or random_light(rng)
    jitter = rng.choice([0.3, 0.45, 0.6, 0.8, 1.0, 1.3]) if jitter_mm is None else jitter_mm
    base, lean = np.asarray(base_px, float), np.asarray(lean_px_per_mm, float)
    height = THICKNESS_MM * len(sequence)
    _draw_shadow(canvas, base, height, light, px_per_mm)
    reach = px_per_mm * (RADIUS_MM + 4 * jitter + 2) + height * float(np.hypot(*lean))
    patch = _Patch(canvas, base, reach)
    if not patch.view.size:
        return DrawnStack((base[0], base[1]), (base[0], base[1]), tuple(sequence))
    centres = base + px_per_mm * jitter * rng.normal(0, 1, (len(sequence), 2))
    if len(sequence) == 1:
        centres[0] = base
    for level, value in enumerate(sequence):
        tone = float(1 + rng.normal(0, 0.015))
        foot, turn = centres[level] + lean * THICKNESS_MM * level, float(rng.uniform(0, 2 * np.pi))
        if level:
            _occlude(patch, foot, px_per_mm, light)
        _draw_chip(patch, foot, turn, chipset.look(value), lean, px_per_mm, light, tone)
    top = centres[-1] + lean * height
    return DrawnStack((float(centres[0][0]), float(centres[0][1])), (float(top[0]), float(top[1])), tuple(sequence))


def _draw_shadow(canvas: Picture, base: NDArray[np.float64], height_mm: float, light: Light, scale: float) -> None:
    throw = np.asarray(light.shadow) * height_mm * scale
    reach = scale * (RADIUS_MM + 2.5 * light.softness_mm + 3) + float(np.hypot(*throw))
    patch = _Patch(canvas, base, reach)
    if not patch.view.size:
        return
    xs, ys = patch.from_point(base)
    distance = _to_segment(xs, ys, throw) - RADIUS_MM * scale
    soft = light.softness_mm * scale
    cast = np.clip(0.5 - distance / (2 * soft), 0, 1)
    contact = np.clip(1 - (np.hypot(xs, ys) / scale - RADIUS_MM) / 3.0, 0, 1)
    shade = 1 - light.depth * np.maximum(cast, 0.7 * contact)
    patch.view *= shade[..., None].astype(np.float32)


def _to_segment(xs: NDArray[np.float32], ys: NDArray[np.float32], end: NDArray[np.float64]) -> NDArray[np.float32]:
    """Distance of points from the segment (0, 0) to `end`."""
    right, down = float(end[0]), float(end[1])
    length = right * right + down * down
    if length < 1e-9:
        return np.asarray(np.hypot(xs, ys), np.float32)
    along = np.clip((xs * right + ys * down) / length, 0, 1)
    return np.asarray(np.hypot(xs - along * right, ys - along * down), np.float32)


def _occlude(patch: _Patch, foot: NDArray[np.float64], scale: float, light: Light) -> None:
    """A chip darkens what lies just outside its foot on the chip below."""
    distance = np.hypot(*patch.from_point(foot)) / scale - RADIUS_MM
    near = np.clip(1 - distance / 1.2, 0, 1) * 0.5 * light.gap
    patch.view *= (1 - near[..., None]).astype(np.float32)


def _draw_chip(
    patch: _Patch,
    foot: NDArray[np.float64],
    turn: float,
    look: ChipLook,
    lean: NDArray[np.float64],
    scale: float,
    light: Light,
    tone: float,
) -> None:
    rise, radius = lean * THICKNESS_MM, RADIUS_MM * scale
    if np.hypot(*rise) > 0.02:
        _draw_wall(patch, foot, rise, turn, look, radius, light, tone)
    centre = foot + rise
    zoom = TEXTURE_PX / (2 * radius)
    cosine, sine = np.cos(turn) * zoom, np.sin(turn) * zoom
    half = TEXTURE_PX / 2 - 0.5
    x, y = patch.left - centre[0], patch.top - centre[1]
    inverse = np.array([[cosine, sine, half + cosine * x + sine * y], [-sine, cosine, half - sine * x + cosine * y]])
    size = (patch.view.shape[1], patch.view.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    face = cv2.warpAffine(_face_texture(look), inverse, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    inside = radius - np.hypot(*patch.from_point(centre))
    bevel = tone * (1 + 0.12 * light.wall * np.clip(1 - inside / (0.8 * scale), 0, 1))
    patch.blend(face * bevel[..., None], np.clip(0.5 + inside, 0, 1))


def _draw_wall(
    patch: _Patch,
    foot: NDArray[np.float64],
    rise: NDArray[np.float64],
    turn: float,
    look: ChipLook,
    radius: float,
    light: Light,
    tone: float,
) -> None:
    pull = float(np.hypot(*rise))
    ux, uy = float(rise[0]) / pull, float(rise[1]) / pull
    xs, ys = patch.from_point(foot)
    along, across = xs * ux + ys * uy, ys * ux - xs * uy
    back = np.sqrt(np.clip(radius * radius - across * across, 0, None))
    height = np.clip((along + back) / pull, 0, 1)  # 0 at the foot, 1 at the face
    angle = np.arctan2(across * ux - back * uy, -across * uy - back * ux)
    edge, body = np.array([look.edge, look.face], np.float32)
    colour = np.where(_in_spot(look, angle - turn)[..., None], edge, body)
    sun = np.cos(angle - float(np.arctan2(light.shadow[1], light.shadow[0])))
    joint = 1 - light.gap * np.clip(1 - height / max(0.35, 0.35 / pull), 0, 1)
    shade = tone * light.wall_level * (1 - light.wall * sun) * joint
    alpha = np.clip(0.5 + radius - _to_segment(xs, ys, rise), 0, 1)
    patch.blend(colour * shade[..., None], alpha)
