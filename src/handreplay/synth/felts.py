"""Felts: cloth of any colour with the circles, boxes, arcs and words that casinos print on it."""

import cv2
import numpy as np

from handreplay.synth.canvas import CARD_MM, FELT, NEUTRAL, PX_PER_MM, Canvas, Colour, Floats, Picture, rectangle, turn

_WORDS = (
    *("ANTE", "BLIND", "PLAY", "TRIPS", "RAISE", "ODDS", "BONUS", "PAIR", "PLUS", "ACES", "UP", "DEALER", "POCKET"),
    *("INSURANCE", "3", "CARD", "FLUSH", "1", "2", "$", "PAYS", "TO", "STRAIGHT", "FULL", "HOUSE", "BET", "CASINO"),
    *("CLUB", "ROYAL", "FOUR", "OF", "A", "KIND", "LUCKY", "LADIES", "PUSH", "QUALIFIES", "WITH", "OR", "BETTER"),
)
_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)


def _cloth_colour(rng: np.random.Generator) -> Colour:
    if rng.random() < 0.15:
        hsv = (int(rng.integers(180)), int(rng.integers(0, 60)), int(rng.integers(25, 200)))
    else:
        hues = [60, 70, 80, 105, 112, 120, 0, 175, 140, 90, 20, int(rng.integers(180))]
        hue = int(rng.choice(hues)) + int(rng.integers(-6, 7))
        hsv = (hue % 180, int(rng.integers(60, 240)), int(rng.integers(45, 185)))
    b, g, r = cv2.cvtColor(np.array([[hsv]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    return float(b), float(g), float(r)


def _soft_noise(size: int, cells: int, rng: np.random.Generator) -> Floats:
    field = rng.normal(0, 1, (cells, cells)).astype(np.float32)
    return np.asarray(cv2.resize(field, (size, size), interpolation=cv2.INTER_CUBIC))


def new_cloth(size: int, rng: np.random.Generator) -> Picture:
    """A square of woven cloth of some colour, uneven and with or without a pattern."""
    field = 1 + _soft_noise(size, 6, rng) * float(rng.uniform(0, 0.05)) + _soft_noise(size, 60, rng) * 0.02
    weave = rng.normal(0, float(rng.uniform(0.01, 0.06)), (size // 2, size // 2)).astype(np.float32)
    field += cv2.resize(weave, (size, size), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.25:
        step, angle = float(rng.uniform(12, 60)), float(rng.uniform(0, np.pi))
        rows, columns = np.mgrid[0:size, 0:size].astype(np.float32)
        field += np.sin((columns * np.cos(angle) + rows * np.sin(angle)) / step) * float(rng.uniform(0.01, 0.08))
    cloth = field[:, :, None] * np.asarray(_cloth_colour(rng), np.float32)
    return np.asarray(np.clip(cloth, 0, 255), np.uint8)


def _ink(rng: np.random.Generator) -> Colour:
    kind = rng.random()
    if kind < 0.5:
        white = float(rng.uniform(170, 255))
        return white, white, white
    if kind < 0.7:
        return float(rng.uniform(60, 140)), float(rng.uniform(180, 225)), float(rng.uniform(215, 255))
    b, g, r = (float(v) for v in rng.uniform(0, 255, 3))
    return b, g, r


def print_outline(picture: Picture, corners: Floats, ink: Colour, thick: int, fill: Colour | None) -> None:
    """A printed outline (N x 2 px), filled or not."""
    points = [np.round(corners * 16).astype(np.int32)]
    if fill is not None:
        cv2.fillPoly(picture, points, fill, cv2.LINE_AA, shift=4)
    cv2.polylines(picture, points, True, ink, thick, cv2.LINE_AA, shift=4)


def print_word(
    picture: Picture, text: str, at: tuple[float, float], height_px: float, degrees: float, ink: Colour, font: int
) -> None:
    """Text centred on a point and turned, drawn through a patch of its own."""
    (width, height), base = cv2.getTextSize(text, font, 1.0, 2)
    patch = np.zeros((height + base + 8, width + 8), np.uint8)
    cv2.putText(patch, text, (4, height + 4), font, 1.0, 255, 2, cv2.LINE_AA)
    scale = height_px / max(height, 1)
    angle = np.radians(degrees)
    cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
    middle = patch.shape[1] / 2, patch.shape[0] / 2
    reach = int(np.hypot(*patch.shape) * scale / 2) + 2
    left, top = max(0, int(at[0]) - reach), max(0, int(at[1]) - reach)
    right, bottom = min(picture.shape[1], int(at[0]) + reach), min(picture.shape[0], int(at[1]) + reach)
    if right - left < 2 or bottom - top < 2:
        return
    move = at[0] - left - cos * middle[0] + sin * middle[1], at[1] - top - sin * middle[0] - cos * middle[1]
    if scale < 0.5:
        patch = np.asarray(cv2.GaussianBlur(patch, (0, 0), 0.3 / scale), np.uint8)
    warp = np.array([[cos, -sin, move[0]], [sin, cos, move[1]]], np.float32)
    mask = cv2.warpAffine(patch, warp, (right - left, bottom - top)).astype(np.float32)[:, :, None] / 255
    part = picture[top:bottom, left:right]
    picture[top:bottom, left:right] = (part + (np.asarray(ink, np.float32) - part) * mask).astype(np.uint8)


def _spot(picture: Picture, at: tuple[float, float], degrees: float, ink: Colour, rng: np.random.Generator) -> None:
    """A place for a wager: circle, box or diamond, open or filled, with a word in it."""
    size = float(rng.uniform(10, 40)) * PX_PER_MM
    fill = None
    if rng.random() < 0.4:
        under = picture[int(np.clip(at[1], 0, picture.shape[0] - 1)), int(np.clip(at[0], 0, picture.shape[1] - 1))]
        fill = tuple(float(v) for v in under * rng.uniform(0.3, 0.8)) if rng.random() < 0.6 else _ink(rng)
    thick = max(1, round(float(rng.uniform(0.5, 2.4)) * PX_PER_MM))
    sides = int(rng.choice([40, 40, 4, 6]))
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False) + np.pi / 4
    ring = turn(np.stack([np.cos(angles), np.sin(angles)], 1) * size * (1.0 if sides > 4 else 1.2), degrees) + at
    print_outline(picture, ring, ink, thick, fill)
    if rng.random() < 0.3:
        print_outline(picture, (ring - at) * 0.88 + at, ink, 1, None)
    if size > 16 * PX_PER_MM and rng.random() < 0.85:
        height = float(rng.uniform(5, 9)) * PX_PER_MM
        word = str(rng.choice(_WORDS))
        if len(word) > 5:
            height *= 5 / len(word)
        print_word(picture, word, at, height, degrees, ink, int(rng.choice(_FONTS)))


def _card_boxes(canvas: Canvas, at: tuple[float, float], degrees: float, ink: Colour, rng: np.random.Generator) -> None:
    """Printed places for cards: one to five outlines side by side, or one long box."""
    count = int(rng.integers(1, 6))
    grow = float(rng.choice([rng.uniform(0.99, 1.06), rng.uniform(0.95, 1.2)]))
    width, height = CARD_MM[0] * grow * PX_PER_MM, CARD_MM[1] * grow * PX_PER_MM
    thick = max(1, round(float(rng.uniform(0.4, 1.8)) * PX_PER_MM))
    fill = None
    if rng.random() < 0.08:
        under = canvas.picture[canvas.size_px // 2, canvas.size_px // 2]
        fill = tuple(float(v) for v in under * rng.uniform(0.6, 0.9))
    apart = width + float(rng.uniform(1, 8)) * PX_PER_MM
    steps = turn(np.array([[(number - (count - 1) / 2) * apart, 0.0] for number in range(count)]), degrees)
    places = [(at[0] + float(x), at[1] + float(y)) for x, y in steps]
    canvas.boxes += [(x, y, degrees) for x, y in places]
    if rng.random() < 0.2:
        print_outline(canvas.picture, rectangle(at, width * count, height * 1.1, degrees), ink, thick, fill)
        return
    for place in places:
        print_outline(canvas.picture, rectangle(place, width, height, degrees), ink, thick, fill)


def _arc_of_text(picture: Picture, ink: Colour, rng: np.random.Generator) -> None:
    size = picture.shape[0]
    centre = rng.uniform(-1.5, 2.5, 2) * size
    radius = float(np.hypot(*(centre - size / 2))) + float(rng.normal(0, size / 4))
    middle = float(np.arctan2(size / 2 - centre[1], size / 2 - centre[0]))
    height = float(rng.uniform(4, 16)) * PX_PER_MM
    font = int(rng.choice(_FONTS))
    text = " ".join(rng.choice(_WORDS, 9))
    for number, letter in enumerate(text):
        angle = middle + (number - len(text) / 2) * height * 1.05 / radius
        at = (centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle))
        if letter != " " and min(at) > -20 and max(at) < size + 20:
            print_word(picture, letter, at, height, float(np.degrees(angle)) + 90, ink, font)
    for offset in (-1.6, 1.6) if rng.random() < 0.7 else ():
        at_px = tuple(int(v) for v in np.clip(centre, -20000, 20000))
        cv2.circle(picture, at_px, max(1, int(radius + offset * height)), ink, int(rng.integers(1, 5)), cv2.LINE_AA)


def _rail(canvas: Canvas, rng: np.random.Generator) -> None:
    """The table's padded edge, and the dark floor beyond it."""
    size = canvas.size_px
    away = float(rng.uniform(0, 360))
    radius = float(rng.uniform(250, 2500)) * PX_PER_MM
    edge = size * float(rng.uniform(0.15, 0.55))
    centre = turn(np.array([[0.0, radius - edge]]), away)[0] + size / 2
    rows, columns = np.mgrid[0:size:4, 0:size:4].astype(np.float32)
    beyond = radius - np.hypot(columns - centre[0], rows - centre[1])
    beyond = cv2.resize(beyond.astype(np.float32), (size, size), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.5:
        beyond = -beyond - size * 0.3
    width = float(rng.uniform(25, 90)) * PX_PER_MM
    share = np.clip(-beyond / width, 0, 1)
    colour = np.asarray(_ink(rng) if rng.random() < 0.2 else [rng.uniform(10, 110)] * 3, np.float32)
    floor = np.asarray(rng.uniform(0, 70, 3), np.float32)
    outside = beyond < 0
    share = share[outside]
    pad = colour * (0.35 + float(rng.uniform(0.4, 1.2)) * np.sin(share * np.pi)[:, None] ** 2)
    canvas.picture[outside] = np.clip(np.where((share < 1)[:, None], pad, floor), 0, 255).astype(np.uint8)
    canvas.owner[outside] = NEUTRAL


def new_felt(size_px: int, rng: np.random.Generator) -> Canvas:
    """A printed felt with nothing on it."""
    picture = new_cloth(size_px, rng)
    canvas = Canvas(picture, np.full((size_px, size_px), FELT, np.int16))
    ink, second = _ink(rng), _ink(rng)
    degrees = float(rng.choice([0, 90, 180, 270])) + float(
        rng.normal(0, 12) if rng.random() < 0.6 else rng.uniform(0, 360)
    )
    for _ in range(int(rng.integers(0, 6))):
        at = (float(rng.uniform(0, size_px)), float(rng.uniform(0, size_px)))
        _spot(picture, at, degrees, ink if rng.random() < 0.7 else second, rng)
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.2, 0.4, 0.25, 0.15]))):
        at = (float(rng.uniform(0, size_px)), float(rng.uniform(0, size_px)))
        _card_boxes(canvas, at, degrees + float(rng.normal(0, 6)), ink, rng)
    if rng.random() < 0.35:
        _arc_of_text(picture, second, rng)
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        at = (float(rng.uniform(0, size_px)), float(rng.uniform(0, size_px)))
        text = " ".join(rng.choice(_WORDS, int(rng.integers(1, 4))))
        print_word(picture, text, at, float(rng.uniform(2.5, 22)) * PX_PER_MM, degrees, second, int(rng.choice(_FONTS)))
    if rng.random() < 0.3:
        _rail(canvas, rng)
    return canvas
