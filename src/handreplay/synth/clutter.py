"""Things on a table that are neither cards nor wagers, and must not be taken for them."""

import cv2
import numpy as np

from handreplay.synth.canvas import (
    CARD_MM,
    COVER,
    NEUTRAL,
    PX_PER_MM,
    UNSURE,
    Box,
    Canvas,
    Colour,
    Floats,
    blend,
    box_around,
    cast_shadow,
    own,
    polygon_mask,
    rectangle,
    turn,
)

Point = tuple[float, float]


def random_colour(rng: np.random.Generator, low: float = 10, high: float = 245) -> Colour:
    b, g, r = (float(value) for value in rng.uniform(low, high, 3))
    return b, g, r


def _slab(
    canvas: Canvas,
    corners: Floats,
    colour: Colour,
    owner: int,
    rng: np.random.Generator,
    opacity: float = 1,
) -> Box | None:
    """A flat polygon with shadow, sheen and a rim."""
    box = box_around(corners, 16, canvas.size_px)
    if box is None:
        return None
    mask = polygon_mask(corners, box)
    cast_shadow(canvas, box, mask, tuple(rng.uniform(-5, 5, 2)), rng.uniform(1, 5), rng.uniform(0.1, 0.5))
    height, width = mask.shape
    sheen = cv2.resize(rng.normal(1, 0.08, (3, 3)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    blend(canvas, box, np.asarray(colour, np.float32) * sheen[:, :, None], mask * opacity)
    own(canvas, box, mask, owner)
    return box


def _disc(canvas: Canvas, centre: Point, radius: float, colour: Colour, owner: int, rng: np.random.Generator) -> None:
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius + np.array(centre)
    _slab(canvas, ring, colour, owner, rng)


def lay_cup(canvas: Canvas, at: Point, rng: np.random.Generator) -> None:
    """A cup, glass, bottle or ashtray from above."""
    radius = float(rng.uniform(26, 48)) * PX_PER_MM
    centre = np.array(at)
    lean = rng.normal(0, 0.12, 2) * radius
    colour = random_colour(rng)
    rings = int(rng.integers(2, 5))
    for number in range(rings):
        share = 1 - number * float(rng.uniform(0.12, 0.3))
        shade = colour if number % 2 == 0 else random_colour(rng)
        _disc(canvas, (centre[0] + lean[0] * number, centre[1] + lean[1] * number), radius * share, shade, COVER, rng)
    if rng.random() < 0.6:
        glint = centre + rng.normal(0, 0.35, 2) * radius
        _disc(canvas, (glint[0], glint[1]), radius * float(rng.uniform(0.05, 0.2)), (250, 250, 250), COVER, rng)


def lay_phone(canvas: Canvas, at: Point, rng: np.random.Generator) -> None:
    """A phone, wallet, notepad, cigarette packet or display: clearly smaller or larger than a card."""
    if rng.random() < 0.6:
        width, height = float(rng.uniform(68, 110)), float(rng.uniform(125, 190))
    else:
        width, height = float(rng.uniform(18, 45)), float(rng.uniform(40, 75))
    degrees = float(rng.uniform(0, 360))
    corners = rectangle(at, width * PX_PER_MM, height * PX_PER_MM, degrees)
    dark = float(rng.uniform(8, 60))
    _slab(canvas, corners, (dark, dark, dark) if rng.random() < 0.5 else random_colour(rng), COVER, rng)
    if rng.random() < 0.6:
        inner = rectangle(at, width * 0.9 * PX_PER_MM, height * float(rng.uniform(0.6, 0.94)) * PX_PER_MM, degrees)
        _slab(canvas, inner, random_colour(rng, 5, 140), COVER, rng)
    if rng.random() < 0.4:
        pen = rectangle(at, 8 * PX_PER_MM, height * 0.9 * PX_PER_MM, degrees + float(rng.normal(0, 20)))
        _slab(canvas, pen, random_colour(rng), COVER, rng)


def lay_cut_card(canvas: Canvas, at: Point, rng: np.random.Generator) -> None:
    """A solid plastic cut card: a card's size, but no playing card. Coloured ones may look just like a plain back."""
    unlike_backs = ((30, 200, 235), (20, 20, 22), (230, 230, 232), (70, 200, 240), (45, 45, 48))
    like_backs = ((60, 160, 60), (40, 130, 240), (110, 110, 116), (50, 40, 190), (170, 70, 40), (120, 110, 210))
    plain = rng.random() < 0.35
    known = unlike_backs if plain else like_backs
    colour = tuple(float(np.clip(c + rng.normal(0, 14), 0, 255)) for c in known[int(rng.integers(len(known)))])
    corners = rectangle(at, CARD_MM[0] * PX_PER_MM, CARD_MM[1] * PX_PER_MM, float(rng.uniform(0, 360)))
    _slab(canvas, corners, colour, NEUTRAL if plain else UNSURE, rng, float(rng.uniform(0.85, 1)))


def lay_button(canvas: Canvas, at: Point, rng: np.random.Generator) -> None:
    """A lammer or dealer button: like a chip, but smaller or larger and plain with a word."""
    radius = float(rng.choice([rng.uniform(9, 14), rng.uniform(27, 36)])) * PX_PER_MM
    _disc(canvas, at, radius, random_colour(rng), NEUTRAL, rng)
    text = "".join(rng.choice(list("ABDELRSTUYO"), int(rng.integers(1, 7))))
    size = radius / 14 / max(len(text), 2)
    place = (round(at[0] - radius * 0.7), round(at[1] + radius * 0.15))
    cv2.putText(canvas.picture, text, place, cv2.FONT_HERSHEY_DUPLEX, size, random_colour(rng), 1, cv2.LINE_AA)


def lay_tray(canvas: Canvas, at: Point, degrees: float, rng: np.random.Generator) -> None:
    """The dealer's chip tray: tubes of chips lying on their edges."""
    tubes, pitch, depth = int(rng.integers(4, 13)), float(rng.uniform(40, 45)), float(rng.uniform(110, 170))
    corners = rectangle(at, (tubes * pitch + 14) * PX_PER_MM, (depth + 16) * PX_PER_MM, degrees)
    frame = tuple([float(rng.uniform(25, 190))] * 3)
    _slab(canvas, corners, frame, COVER, rng)
    for tube in range(tubes):
        x = (tube - tubes / 2 + 0.5) * pitch
        base = float(rng.uniform(8, 70))
        hole = turn(np.array([[x, 0.0]]) * PX_PER_MM, degrees)[0] + at
        _slab(
            canvas,
            rectangle((hole[0], hole[1]), pitch * 0.93 * PX_PER_MM, depth * PX_PER_MM, degrees),
            (base, base, base),
            COVER,
            rng,
        )
        _tube_of_chips(canvas, at, degrees, x, pitch, depth, rng)


def _tube_of_chips(
    canvas: Canvas, at: Point, degrees: float, x_mm: float, pitch: float, depth: float, rng: np.random.Generator
) -> None:
    filled = depth * float(rng.uniform(0, 0.97))
    face, spot = random_colour(rng), random_colour(rng, 120, 255)
    y = depth / 2
    while y > depth / 2 - filled:
        for part, colour in ((0.0, face), (float(rng.uniform(-0.3, 0.3)), spot)):
            share = 0.86 if part == 0.0 else 0.22
            middle = turn(np.array([[x_mm + part * pitch, y - 1.6]]) * PX_PER_MM, degrees)[0] + at
            strip = rectangle((middle[0], middle[1]), pitch * share * PX_PER_MM, 3.1 * PX_PER_MM, degrees)
            dim = float(rng.uniform(0.75, 1.05))
            cv2.fillPoly(
                canvas.picture, [np.round(strip * 16).astype(np.int32)], [c * dim for c in colour], cv2.LINE_AA, 4
            )
        y -= 3.3


def lay_box(canvas: Canvas, at: Point, degrees: float, rng: np.random.Generator) -> None:
    """A dealing shoe or shuffling machine: nested slabs of plastic or metal."""
    width, height = float(rng.uniform(80, 150)), float(rng.uniform(100, 200))
    grey = float(rng.uniform(15, 210))
    tint = rng.normal(0, 8, 3)
    for number in range(int(rng.integers(2, 5))):
        share = 1 - number * float(rng.uniform(0.15, 0.3))
        shade = tuple(float(np.clip(grey * rng.uniform(0.6, 1.35) + t, 0, 255)) for t in tint)
        move = turn(rng.normal(0, 6, (1, 2)) * PX_PER_MM, degrees)[0] + at
        corners = rectangle((move[0], move[1]), width * share * PX_PER_MM, height * share * PX_PER_MM, degrees)
        _slab(canvas, corners, shade, COVER, rng)
    if rng.random() < 0.5:
        lip = turn(np.array([[0.0, height / 2 + 15]]) * PX_PER_MM, degrees)[0] + at
        corners = rectangle(
            (lip[0], lip[1]), CARD_MM[0] * float(rng.uniform(0.8, 1.1)) * PX_PER_MM, 36 * PX_PER_MM, degrees
        )
        _slab(canvas, corners, tuple([grey * 0.8] * 3), COVER, rng)


def lay_holder(canvas: Canvas, at: Point, degrees: float, rng: np.random.Generator, lid: bool) -> None:
    """A discard holder: its tray (drawn before the pile) or the clear plastic in front of it (`lid`, after).

    A floor of a card's size in any colour is what a plain back looks like too, so it says nothing about cards.
    """
    width, height = CARD_MM[0] + float(rng.uniform(6, 20)), CARD_MM[1] + float(rng.uniform(6, 24))
    corners = rectangle(at, width * PX_PER_MM, height * PX_PER_MM, degrees)
    colour = random_colour(rng, 20, 235)
    if not lid:
        if rng.random() < 0.4:
            grey = float(rng.uniform(30, 230))
            colour = (grey, grey, grey)
        _slab(canvas, corners, colour, NEUTRAL, rng, float(rng.choice([1.0, 0.25, 0.4])))
        if rng.random() < 0.5:
            floor = rectangle(at, (width - 8) * PX_PER_MM, (height - 8) * PX_PER_MM, degrees)
            _slab(canvas, floor, random_colour(rng, 20, 235), UNSURE, rng, float(rng.uniform(0.3, 1)))
        return
    outline = [np.round(corners * 16).astype(np.int32)]
    cv2.polylines(canvas.picture, outline, True, random_colour(rng, 100, 255), int(rng.integers(1, 5)), cv2.LINE_AA, 4)
    box = box_around(corners, 4, canvas.size_px)
    if box is None:
        return
    streak = rectangle(
        at, float(rng.uniform(4, 30)) * PX_PER_MM, height * PX_PER_MM, degrees + float(rng.normal(0, 25))
    )
    shine = polygon_mask(streak, box) * polygon_mask(corners, box)
    soft = cv2.GaussianBlur(shine, (0, 0), float(rng.uniform(1, 8)))
    blend(canvas, box, (255, 255, 255), soft * float(rng.uniform(0.05, 0.5)))
