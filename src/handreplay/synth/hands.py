"""Hands and arms reaching over the felt: the reason why cards and chips cannot be seen.

Simple solids shaded by their thickness; what has to vary is skin, sleeve, cuff, pose, side and light.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from handreplay.synth.canvas import COVER, NEUTRAL, Canvas, Colour, Floats, turn

_SKINS = ((168, 192, 232), (140, 172, 222), (118, 150, 205), (92, 122, 180), (66, 92, 142), (46, 62, 98), (34, 42, 66))


@dataclass
class _Layer:
    """The limb by itself, to be blurred and laid down as a whole."""

    picture: Floats
    alpha: Floats


def _solid(layer: _Layer, points: Floats, radius_px: float, colour: Colour, relief: float) -> None:
    """A polygon thickened by a radius, darker towards its rim."""
    size = layer.alpha.shape[0]
    low = np.clip(points.min(axis=0) - radius_px - 3, 0, size).astype(int)
    high = np.clip(points.max(axis=0) + radius_px + 4, 0, size).astype(int)
    if (high - low).min() <= 2:
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    local = np.round((points - low) * 16).astype(np.int32)
    if len(points) > 2:
        cv2.fillPoly(mask, [local], 255, cv2.LINE_AA, shift=4)
    cv2.polylines(mask, [local], len(points) > 2, 255, max(1, round(radius_px * 2)), cv2.LINE_AA, shift=4)
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    height = np.sqrt(np.clip(depth / max(float(depth.max()), 1.0), 0, 1))
    shade = (1 - relief + relief * height)[:, :, None]
    alpha = mask.astype(np.float32)[:, :, None] / 255
    region = np.s_[low[1] : high[1], low[0] : high[0]]
    layer.picture[region] += (np.asarray(colour, np.float32) * shade - layer.picture[region]) * alpha
    layer.alpha[region] = np.maximum(layer.alpha[region], alpha[:, :, 0])


def _hand(layer: _Layer, wrist: Floats, degrees: float, skin: Colour, scale: float, rng: np.random.Generator) -> None:
    """Back of a hand pointing along +y before turning; fingers spread, bent, pinched or in a fist."""

    def place(points_mm: object) -> Floats:
        return turn(np.asarray(points_mm, float) * scale, degrees) + wrist

    relief = float(rng.uniform(0.25, 0.6))
    side = float(rng.choice([-1, 1]))
    spread, reach = float(rng.uniform(0.2, 2.6)), float(rng.uniform(0.1, 1.15))
    nail = tuple(min(255.0, c * 1.12) for c in skin)
    thumb = turn(np.array([[0, 0], [8, 24], [4, 52 * max(reach, 0.45)]]), float(rng.uniform(-35, 30)) * -side)
    _solid(layer, place(thumb * [1, 1] + [side * 30, 18]), 10 * scale, skin, relief)
    for number in range(4):
        x = (number - 1.5) * 20
        length = (58, 70, 66, 50)[number if side > 0 else 3 - number] * reach * float(rng.uniform(0.85, 1.1))
        tilt = (number - 1.5) * 5 * spread + float(rng.normal(0, 3))
        bend = float(rng.normal(0, 8))
        knuckle = np.array([0.0, length * 0.55])
        tip = turn(np.array([[0.0, length * 0.45]]), bend)[0]
        finger = np.stack([np.array([0.0, -8.0]), knuckle, np.add(knuckle, tip)])
        tone = tuple(float(np.clip(c * rng.uniform(0.9, 1.06), 0, 255)) for c in skin)
        placed = place(np.add(turn(finger, -tilt), [x * 0.95, 88.0]))
        _solid(layer, placed, float(rng.uniform(8.2, 10.5)) * scale, tone, relief)
        if rng.random() < 0.4:
            _solid(layer, placed[-1:] + rng.normal(0, 1, (1, 2)), 5 * scale, nail, 0.1)
        if rng.random() < 0.06:
            ring = (placed[0] + placed[1]) / 2
            _solid(
                layer,
                np.array([ring, ring + 2]),
                9 * scale,
                (90, 190, 225) if rng.random() < 0.6 else (215, 215, 215),
                0.3,
            )
    palm = [[-24, -6], [24, -6], [38, 40], [36, 84], [14, 94], [-16, 94], [-37, 82], [-38, 38]]
    _solid(layer, place(palm), 5 * scale, skin, relief)


def _cloth(size: int, colour: Colour, rng: np.random.Generator) -> Floats:
    """A sleeve's material: plain, striped, checked or mottled."""
    rows, columns = np.ogrid[0:size, 0:size]
    rows, columns = rows.astype(np.float32), columns.astype(np.float32)
    kind, step = rng.random(), float(rng.uniform(4, 25))
    angle = float(rng.uniform(0, np.pi))
    wave = (np.sin((columns * np.cos(angle) + rows * np.sin(angle)) / step * 6.28) > 0.3).astype(np.float32)
    other = np.asarray(rng.uniform(0, 255, 3), np.float32)
    base = np.ones((size, size, 1), np.float32) * np.asarray(colour, np.float32)
    if kind < 0.15:
        base += (other - base) * wave[:, :, None] * float(rng.uniform(0.2, 1))
    elif kind < 0.25:
        cross = (np.sin((rows * np.cos(angle) - columns * np.sin(angle)) / step * 6.28) > 0.3).astype(np.float32)
        base += (other - base) * (wave + cross)[:, :, None] * 0.35
    elif kind < 0.4:
        coarse = cv2.resize(rng.random((9, 9)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
        base += (other - base) * (coarse[:, :, None] > 0.6) * float(rng.uniform(0.2, 0.8))
    folds = cv2.resize(rng.normal(1, 0.16, (14, 14)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
    return base * folds[:, :, None]


def _limb(
    size: int,
    palm_px: Floats,
    towards: float,
    px_per_mm: float,
    rng: np.random.Generator,
    upper_arm_mm: float = 350.0,
    bend: float = 1.0,
) -> _Layer:
    """An arm entering along a direction (degrees, 0: from the top edge down) whose hand rests at `palm_px`."""
    layer = _Layer(np.zeros((size, size, 3), np.float32), np.zeros((size, size), np.float32))
    scale = px_per_mm * float(rng.uniform(0.82, 1.15))
    skin_index = int(rng.integers(len(_SKINS)))
    skin = tuple(float(np.clip(c * rng.uniform(0.88, 1.12), 0, 255)) for c in _SKINS[skin_index])
    wrist = palm_px - turn(np.array([[0.0, 45.0]]), towards)[0] * scale
    elbow_turn = towards + bend * float(rng.normal(0, 22))
    elbow = wrist - turn(np.array([[0.0, float(rng.uniform(190, 280))]]), elbow_turn)[0] * scale
    shoulder = elbow - turn(np.array([[0.0, upper_arm_mm]]), towards + bend * float(rng.normal(0, 30)))[0] * scale
    bare = float(rng.choice([0, 0, 0, 0.2, 0.5, 1.0]))
    along = wrist - elbow
    cuff_at = wrist - along * bare
    _solid(layer, np.array([wrist - along * 0.4, wrist]), float(rng.uniform(27, 33)) * scale, skin, 0.45)
    if bare > 0:
        _solid(layer, np.array([elbow, wrist]), float(rng.uniform(30, 38)) * scale, skin, 0.5)
    if bare < 1 or rng.random() < 0.5:
        dark = rng.random() < 0.45
        colour = tuple(
            float(c) for c in (rng.uniform(8, 60) + rng.uniform(0, 25, 3) if dark else rng.uniform(10, 245, 3))
        )
        sleeve = _Layer(np.zeros_like(layer.picture), np.zeros_like(layer.alpha))
        radius = float(rng.uniform(36, 56)) * scale
        _solid(sleeve, np.array([shoulder, elbow]), radius * 1.15, (1, 1, 1), 0.5)
        _solid(sleeve, np.array([elbow, cuff_at]) if bare < 1 else np.array([elbow, elbow]), radius, (1, 1, 1), 0.5)
        layer.picture += (_cloth(size, colour, rng) * sleeve.picture - layer.picture) * sleeve.alpha[:, :, None]
        layer.alpha = np.maximum(layer.alpha, sleeve.alpha)
        if rng.random() < 0.6 and bare < 1:
            cuff = (235, 235, 235) if rng.random() < 0.6 else tuple(float(c) * 0.7 for c in colour)
            across = turn(along[None] / max(float(np.hypot(*along)), 1e-6), 90)[0] * radius * 0.85
            _solid(layer, np.array([cuff_at - across, cuff_at + across]), float(rng.uniform(4, 11)) * scale, cuff, 0.3)
    _hand(layer, wrist, towards, skin, scale, rng)
    if rng.random() < 0.15:
        metal = (60, 170, 205) if rng.random() < 0.4 else (40, 40, 44) if rng.random() < 0.5 else (190, 190, 190)
        across = turn(along[None] / max(float(np.hypot(*along)), 1e-6), 90)[0] * 27 * scale
        _solid(layer, np.array([wrist - across, wrist + across]), 6 * scale, metal, 0.4)
        _solid(layer, wrist[None], 17 * scale, metal, 0.3)
    return layer


def long_arm(
    size_px: int,
    palm_px: tuple[float, float],
    px_per_mm: float,
    upper_arm_mm: float,
    rng: np.random.Generator,
    *,
    dark: bool = False,
) -> tuple[Floats, Floats]:
    """An arm by itself, nearly straight, reaching down from the top edge: BGR 0 to 255 and opacity 0 to 1.

    `dark`: in a black or nearly black sleeve, as dealers wear.
    """
    while True:
        layer = _limb(size_px, np.array(palm_px, float), 0.0, px_per_mm, rng, upper_arm_mm, 0.25)
        sleeve = layer.picture[0][layer.alpha[0] > 0.5]  # of a bare arm nothing is drawn beyond the elbow
        if len(sleeve) and (not dark or float(sleeve.mean()) < 70):
            return np.clip(layer.picture, 0, 255), layer.alpha


def _smear(layer: _Layer, length_px: float, degrees: float) -> _Layer:
    """The blur of a hand that moves while the shutter is open."""
    size = max(3, int(length_px)) | 1
    kernel = np.zeros((size, size), np.float32)
    step = turn(np.array([[size / 2, 0.0]]), degrees)[0]
    middle = np.array([size // 2, size // 2])
    ends = [tuple(int(v) for v in np.round(middle + sign * step)) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    kernel /= max(float(kernel.sum()), 1e-6)
    premultiplied = cv2.filter2D(layer.picture * layer.alpha[:, :, None], -1, kernel)
    alpha = np.asarray(cv2.filter2D(layer.alpha, -1, kernel), np.float32)
    return _Layer(premultiplied / np.maximum(alpha, 1e-3)[:, :, None], alpha)


def lay_arm(
    canvas: Canvas, palm_px: tuple[float, float], towards_degrees: float, px_per_mm: float, rng: np.random.Generator
) -> None:
    """Draw one arm and hand over everything on the canvas. `towards_degrees` 0 reaches down from the top edge.

    Limbs are drawn at half the canvas's resolution: they have no fine detail, and are most of a scene's work.
    """
    size = (canvas.size_px,) * 2
    layer = _limb(canvas.size_px // 2, np.array(palm_px, float) / 2, towards_degrees, px_per_mm / 2, rng)
    grain = cv2.resize(rng.normal(1, 0.05, (40, 40)).astype(np.float32), layer.alpha.shape)
    layer.picture = np.clip(layer.picture * grain[:, :, None] * float(rng.uniform(0.55, 1.15)), 0, 255)
    if rng.random() < 0.35:
        layer = _smear(layer, float(rng.uniform(3, 25)), float(rng.uniform(0, 360)))
    move = rng.normal(0, 7, 2)
    matrix = np.array([[0.25, 0, move[0] / 4], [0, 0.25, move[1] / 4]], np.float32)
    small = cv2.warpAffine(layer.alpha, matrix, (canvas.size_px // 8,) * 2, flags=cv2.INTER_LINEAR)
    soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.7, 5))), size)
    shade = 1 - float(rng.uniform(0.1, 0.6)) * soft[:, :, None]
    alpha = cv2.resize(layer.alpha, size)[:, :, None]
    over = cv2.resize(layer.picture, size)
    canvas.picture[:] = (canvas.picture * (shade * (1 - alpha)) + over * alpha).astype(np.uint8)
    canvas.owner[alpha[:, :, 0] > 0.15] = NEUTRAL
    canvas.owner[alpha[:, :, 0] > 0.5] = COVER
