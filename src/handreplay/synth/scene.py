"""Scenes for the table net: cards in every arrangement, chips, hands and clutter on a felt, seen by some camera.

Stock -> draw_scene -> Canvas -> photograph -> Tile
decks    one felt                  one camera    picture at 1 px/mm with the truth for every cell of 4 x 4 px
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK
from handreplay.synth import chips, clutter, degrade
from handreplay.synth.canvas import (
    CARD_MM,
    FELT,
    PX_PER_MM,
    Canvas,
    Floats,
    LaidChip,
    Picture,
    box_around,
    lay_card,
    rectangle,
    turn,
)
from handreplay.synth.decks import Deck
from handreplay.synth.felts import new_felt
from handreplay.synth.hands import lay_arm

TILE_PX = 256
CELL_PX = 4
SCENE_MM = 320
THINGS_KEPT = 48  # cards and stacks in one tile that the truth has room for

NOTHING, FACE, BACK, CHIP, COVERED, EITHER, UNTOLD = 0, 1, 2, 3, 4, 5, 6  # what a cell shows
_WALL = -4


@dataclass(frozen=True)
class Tile:
    """A picture (256 x 256 x 3 BGR, 1 px/mm) and its truth.

    `kind` (64 x 64) is what each cell shows, `thing` (64 x 64) the row of `things` it belongs to, or -1. A row is
    centre x, y; half the long side x, y; half the short side x, y; lean of the plane x, y (see `card_shape`), all in
    tile px; for a chip: centre x, y, radius and zeros.
    """

    picture: Picture
    kind: NDArray[np.uint8]
    thing: NDArray[np.int16]
    things: Floats


@dataclass(frozen=True)
class Stock:
    """What scenes are made from."""

    decks: tuple[Deck, ...]

    def any_deck(self, rng: np.random.Generator) -> Deck:
        """Artwork decks a third of the time, drawn ones otherwise."""
        art = [deck for deck in self.decks if deck.style is None]
        drawn = [deck for deck in self.decks if deck.style is not None]
        chosen = art if art and (not drawn or rng.random() < 0.35) else drawn
        return chosen[int(rng.integers(len(chosen)))]


@lru_cache(maxsize=6000)
def _face(deck: Deck, card: str) -> Picture:
    return _halved(deck.face(card))


@lru_cache(maxsize=1500)
def _back(deck: Deck, style: int) -> Picture:
    """A deck's back design as it is, or its pattern printed to the edge or inside a pale frame, perhaps very faint."""
    back = _halved(deck.back(style // 4))
    variant = style % 4
    if variant == 0:
        return back
    height, width = back.shape[:2]
    middle = back[height // 6 : -height // 6, width // 6 : -width // 6, :3].astype(np.float32)
    field = cv2.resize(middle, (width, height), interpolation=cv2.INTER_LINEAR)
    mean = field.mean(axis=(0, 1))
    field = mean + (field - mean) * (0.06, 0.3, 1.0)[style // 4 % 3]
    if variant > 1:
        frame = round((2.0, 3.0, 4.5)[style // 4 % 3] * PX_PER_MM)
        panel = field[frame:-frame, frame:-frame].copy()
        field[:] = (235, 238, 240)
        field[frame:-frame, frame:-frame] = panel
        if variant == 3:
            cv2.rectangle(field, (2 * frame, 2 * frame), (width - 2 * frame, height - 2 * frame), (235, 238, 240), 2)
    return np.dstack([field, back[:, :, 3:]]).clip(0, 255).astype(np.uint8)


def plain_back(shape: Picture, under: Floats, rng: np.random.Generator) -> Picture:
    """A back of one colour to the edge, with the outline of `shape` (BGRA).

    Any colour; one in four is much like what lies `under` it (BGR). A print too fine for the camera leaves only faint
    unevenness, and the cut edge may be a little paler than the print.
    """
    if rng.random() < 0.25:
        colour = under + rng.normal(0, 26, 3)
    else:
        hue = int(rng.choice([0, 2, 176, 170, 108, 115, 122, int(rng.integers(0, 180))]))
        solid = np.array([[[hue, int(rng.integers(40, 255)), int(rng.integers(50, 245))]]], np.uint8)
        colour = cv2.cvtColor(solid, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float64)
    height, width = shape.shape[:2]
    coarse = rng.normal(0, float(rng.choice([0, 1.5, 4])), (height // 4, width // 4, 1)).astype(np.float32)
    uneven = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)[:, :, None]
    back = np.clip(colour + uneven, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        pale = float(rng.uniform(0.05, 0.6))
        edge = tuple(int(value + (240 - value) * pale) for value in np.clip(colour, 0, 255))
        cv2.rectangle(back, (0, 0), (width - 1, height - 1), edge, 1)
    return np.dstack([back, shape[:, :, 3]])


def _halved(image: Picture) -> Picture:
    """From 4 to 2 px/mm, without the colour of what is transparent."""
    alpha = image[:, :, 3:].astype(np.float32) / 255
    size = (image.shape[1] // 2, image.shape[0] // 2)
    solid = cv2.resize(image[:, :, :3] * alpha, size, interpolation=cv2.INTER_AREA)
    cover = cv2.resize(alpha[:, :, 0], size, interpolation=cv2.INTER_AREA)[:, :, None]
    return np.dstack([solid / np.maximum(cover, 1e-3), cover * 255]).clip(0, 255).astype(np.uint8)


def arrangement(rng: np.random.Generator, piled: bool = False) -> tuple[Floats, Floats]:
    """Offsets (N x 2, mm) and angles (N, degrees) of a hand of cards, lowest first; of any kind, or one `piled` up."""
    kinds = ["one", "squared", "sloppy", "pile", "step", "fan", "shown", "row", "long step", "messy"]
    kind = rng.choice(kinds, p=[0.09, 0.05, 0.09, 0.16, 0.15, 0.1, 0.17, 0.08, 0.09, 0.02]) if not piled else "pile"
    count = 1 if kind == "one" else int(rng.choice([2, 3, 4, 5, 6, 7], p=[0.4, 0.22, 0.12, 0.14, 0.06, 0.06]))
    order = np.arange(count)[:, None] - (count - 1) / 2
    loose = rng.normal(0, 1, (count, 2))
    tilt = rng.normal(0, 1, count)
    if kind in ("one", "squared"):
        return loose * float(rng.uniform(0.1, 1.2)), tilt * float(rng.uniform(0, 1.5))
    if kind == "pile":  # dealt at once: a few cards hardly out of line
        count = int(rng.choice([2, 3, 4, 5, 6, 7], p=[0.1, 0.3, 0.2, 0.2, 0.12, 0.08]))
        spread, lean = float(rng.uniform(0.3, 4.5)), float(rng.uniform(0, 3.5))
        return rng.normal(0, spread, (count, 2)), rng.normal(0, lean, count)
    if kind == "sloppy":
        return loose * float(rng.uniform(1.2, 5)), tilt * float(rng.choice([1, 3, rng.uniform(1, 12)]))
    if kind == "step":
        step = turn(np.array([[float(rng.uniform(4, 16)), 0.0]]), float(rng.choice([0, 90, rng.uniform(0, 360)])))
        return order * step * float(rng.choice([-1, 1])) + loose * 1.2, tilt * float(rng.uniform(0, 5))
    if kind == "fan":
        step = np.array([[float(rng.uniform(14, 45)) * float(rng.choice([-1, 1])), float(rng.normal(0, 4))]])
        return order * step + loose * 1.5, tilt * 1.5 + order[:, 0] * float(rng.choice([0, rng.normal(0, 9)]))
    if kind == "shown":  # a hand of three to six laid open so that each index can be read
        count = int(rng.choice([3, 4, 5, 6], p=[0.4, 0.15, 0.3, 0.15]))
        order = np.arange(count)[:, None] - (count - 1) / 2
        step = np.array([[float(rng.uniform(17, 40)) * float(rng.choice([-1, 1])), float(rng.normal(0, 1.5))]])
        return order * step + rng.normal(0, 1.6, (count, 2)), rng.normal(0, 3.2, count)
    if kind == "row":
        step = np.array([[float(rng.uniform(60, 74)) * float(rng.choice([-1, 1])), 0.0]])
        return order * step + loose * float(rng.uniform(0, 1.6)), tilt * float(rng.uniform(0, 3))
    if kind == "long step":
        step = np.array([[float(rng.normal(0, 3)), float(rng.uniform(12, 55)) * float(rng.choice([-1, 1]))]])
        return order * step + loose * 2, tilt * 2
    return loose * float(rng.uniform(8, 40)), tilt * float(rng.uniform(5, 90))


def _lay_hand(
    canvas: Canvas, at: Floats, degrees: float, deck: Deck, back: Picture, piled: bool, rng: np.random.Generator
) -> None:
    offsets, angles = arrangement(rng, piled)
    shadow = (0.0, 0.12) if rng.random() < 0.5 else (0.1, 0.5)
    which = rng.random()
    up = np.full(len(offsets), which < 0.45) if which < 0.88 else rng.random(len(offsets)) < 0.5
    cards = rng.choice(DECK, len(offsets), replace=bool(rng.random() < 0.1))
    width, height = (length * PX_PER_MM for length in CARD_MM)
    if rng.random() < 0.2:
        width *= 57 / CARD_MM[0]  # bridge size
    for offset, angle, card, face_up in zip(turn(offsets, degrees), angles, cards, up, strict=True):
        centre = at + offset * PX_PER_MM
        head = float(rng.choice([0, 180]))
        corners = rectangle((centre[0], centre[1]), width, height, degrees + angle + head)
        image = _face(deck, str(card)) if face_up else back
        lay_card(canvas, image, corners, bool(face_up), rng, shadow)


def lay_stack(
    canvas: Canvas,
    at: Floats,
    chipset: chips.ChipSet,
    lean: Floats,
    light: chips.Light,
    rng: np.random.Generator,
) -> None:
    """Draw one stack and note its top and its wall."""
    sequence = chips.random_sequence(chipset, rng, 14)
    reach = (chips.RADIUS_MM + 14) * PX_PER_MM + len(sequence) * 3.3 * float(np.abs(lean).max() + 1) * PX_PER_MM
    box = box_around(at[None], reach, canvas.size_px)
    if box is None:
        return
    left, top, right, bottom = box
    part = canvas.picture[top:bottom, left:right].astype(np.float32)
    drawn = chips.draw_stack(part, list(at - [left, top]), sequence, chipset, list(lean), PX_PER_MM, rng, light)
    canvas.picture[top:bottom, left:right] = np.clip(part + 0.5, 0, 255).astype(np.uint8)
    radius = chips.RADIUS_MM * PX_PER_MM * (1 + 0.0014 * len(sequence))
    chip = LaidChip(canvas.next_owner(), (drawn.top[0] + left, drawn.top[1] + top), radius)
    canvas.chips.append(chip)
    owner = np.ascontiguousarray(canvas.owner[top:bottom, left:right])
    base, peak = (tuple(round(float(value)) for value in point) for point in (drawn.base, drawn.top))
    cv2.line(owner, base, peak, _WALL, round(2 * radius))
    cv2.circle(owner, peak, round(radius), chip.owner, -1)
    canvas.owner[top:bottom, left:right] = owner


def _lay_wagers(canvas: Canvas, near: Sequence[Floats], rng: np.random.Generator) -> None:
    """Stacks alone, side by side, or on top of cards."""
    chipset, light = chips.random_chipset(rng), chips.random_light(rng)
    lean = turn(np.array([[float(rng.uniform(0.0, 0.55)) * PX_PER_MM, 0.0]]), float(rng.uniform(0, 360)))[0]
    spots: list[Floats] = []
    for _ in range(int(rng.choice([0, 1, 2, 3, 4, 6]))):
        for _ in range(8):
            kind = rng.random()
            if spots and kind < 0.45:
                gap = 2 * chips.RADIUS_MM + float(rng.exponential(3))
                at = spots[-1] + turn(np.array([[gap * PX_PER_MM, 0.0]]), float(rng.uniform(0, 360)))[0]
            elif near and kind < 0.6:
                at = near[int(rng.integers(len(near)))] + rng.normal(0, 30, 2) * PX_PER_MM
            else:
                at = rng.uniform(0.05, 0.95, 2) * canvas.size_px
            if all(np.hypot(*(at - other)) > 2 * chips.RADIUS_MM * PX_PER_MM for other in spots):
                spots.append(at)
                break
    for at in sorted(spots, key=lambda spot: -float(spot @ lean)):
        lay_stack(canvas, at, chipset, lean, light, rng)


def _lay_clutter(canvas: Canvas, rng: np.random.Generator) -> None:
    at = (float(rng.uniform(0, canvas.size_px)), float(rng.uniform(0, canvas.size_px)))
    degrees = float(rng.uniform(0, 360))
    kind = rng.integers(9)
    if kind == 0:
        clutter.lay_cup(canvas, at, rng)
    elif kind in (1, 2):
        clutter.lay_phone(canvas, at, rng)
    elif kind in (3, 4):
        clutter.lay_cut_card(canvas, at, rng)
    elif kind == 5:
        clutter.lay_button(canvas, at, rng)
    elif kind in (6, 7):
        clutter.lay_tray(canvas, at, degrees, rng)
    else:
        clutter.lay_box(canvas, at, degrees, rng)


def _places(size_px: int, rng: np.random.Generator) -> list[Floats]:
    """Where hands of cards lie: mostly clear of each other."""
    places: list[Floats] = []
    for _ in range(int(rng.choice([0, 1, 2, 3, 4], p=[0.1, 0.25, 0.3, 0.2, 0.15]))):
        for _ in range(6):
            at = rng.uniform(0.1, 0.9, 2) * size_px
            if all(np.hypot(*(at - other)) > 105 * PX_PER_MM for other in places) or rng.random() < 0.06:
                places.append(at)
                break
    return places


def draw_scene(stock: Stock, size_mm: int, rng: np.random.Generator) -> Canvas:
    """One felt with everything on it, from straight above at 2 px/mm."""
    canvas = new_felt(round(size_mm * PX_PER_MM), rng)
    size = canvas.size_px
    deck = stock.any_deck(rng)
    back = _back(deck, int(rng.integers(12)))
    plain = rng.random() < 0.5  # the harder to make out, the more there are of them
    if plain:
        back = plain_back(back, canvas.picture[size // 3 : -size // 3].mean(axis=(0, 1)), rng)
    degrees = float(rng.uniform(0, 360))
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        _lay_clutter(canvas, rng)
    places = _places(size, rng)
    for number, at in enumerate(places):
        angle = degrees + float(rng.choice([0, 90, rng.uniform(0, 360)]))
        if canvas.boxes and rng.random() < 0.5:
            x, y, angle = canvas.boxes[int(rng.integers(len(canvas.boxes)))]
            at, angle = np.array([x, y]) + rng.normal(0, 8, 2), angle + float(rng.normal(0, 2))
            places[number] = at
        holder = rng.random() < 0.12
        if holder:
            clutter.lay_holder(canvas, (at[0], at[1]), angle, rng, lid=False)
        if not holder or rng.random() < 0.7:
            _lay_hand(canvas, at, angle, deck, back, bool(plain and rng.random() < 0.5), rng)
        if holder:
            clutter.lay_holder(canvas, (at[0], at[1]), angle, rng, lid=True)
    _lay_wagers(canvas, places, rng)
    for _ in range(int(rng.choice([0, 0, 0, 1]))):
        _lay_clutter(canvas, rng)
    for _ in range(int(rng.choice([0, 1, 2], p=[0.5, 0.36, 0.14]))):
        palm = rng.uniform(-0.05, 1.05, 2) * size
        lay_arm(canvas, (palm[0], palm[1]), float(rng.uniform(0, 360)), PX_PER_MM, rng)
    return canvas


def card_shape(corners: Floats) -> Floats:
    """Eight numbers for a quadrilateral: centre, half the long side, half the short side, lean of its plane.

    A point of the card at (s, t), each -1 to 1 along the two half sides u and v, lies in the picture at
    centre + (s u + t v) / (1 + lean . (s u + t v)); the lean is 0 where the plane is seen straight on.
    """
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
    m = cv2.getPerspectiveTransform(square, corners.astype(np.float32)).astype(np.float64)
    m = m / m[2, 2]
    centre = m[:2, 2]
    across, along = m[:2, 0] - m[2, 0] * centre, m[:2, 1] - m[2, 1] * centre
    lean = np.linalg.solve(np.array([across, along]), m[2, :2])
    return np.concatenate([centre, along, across, lean])


def truth(canvas: Canvas, to_tile: Floats) -> tuple[NDArray[np.uint8], NDArray[np.int16], Floats]:
    """`kind`, `thing` and `things` of a `Tile`; `to_tile` (3 x 3) maps canvas px to tile px."""
    middles = np.arange(TILE_PX // CELL_PX) * CELL_PX + (CELL_PX - 1) / 2
    cells = np.stack(np.meshgrid(middles, middles), axis=-1).reshape(-1, 1, 2)
    at = cv2.perspectiveTransform(cells, np.linalg.inv(to_tile)).reshape(-1, 2)
    last = canvas.size_px - 1
    pixel = np.clip(np.round(at).astype(int), 0, last)
    owner = canvas.owner[pixel[:, 1], pixel[:, 0]].astype(np.int16)
    outside = ((at < -1) | (at > last + 1)).any(axis=1)
    owner[outside] = FELT
    kind = np.choose(np.clip(-owner, 0, 4), [NOTHING, COVERED, EITHER, UNTOLD, NOTHING]).astype(np.uint8)
    thing = np.full(len(owner), -1, np.int16)
    things = np.zeros((THINGS_KEPT, 8), np.float32)
    seen = [(card.owner, FACE if card.face_up else BACK, card.corners) for card in canvas.cards]
    seen += [
        (chip.owner, CHIP, np.array([chip.centre, (chip.centre[0] + chip.radius, chip.centre[1])]))
        for chip in canvas.chips
    ]
    row = 0
    for number, what, points in seen:
        mine = owner == number
        if not mine.any():
            continue
        kind[mine] = what
        if row == THINGS_KEPT:
            kind[mine] = UNTOLD
            continue
        placed = cv2.perspectiveTransform(points.reshape(-1, 1, 2), to_tile).reshape(-1, 2)
        thing[mine] = row
        if what == CHIP:
            things[row, :3] = *placed[0], np.hypot(*(placed[1] - placed[0]))
        else:
            things[row] = card_shape(np.asarray(placed))
        row += 1
    side = TILE_PX // CELL_PX
    return kind.reshape(side, side), thing.reshape(side, side), things


def _scaling(factor: float) -> Floats:
    """What cv2.resize does to pixel coordinates."""
    return np.array([[factor, 0, (factor - 1) / 2], [0, factor, (factor - 1) / 2], [0, 0, 1]])


def _about(matrix: Floats, middle: float, new_middle: float) -> Floats:
    """A 2 x 2 matrix as 3 x 3, taking the middle of one picture to the middle of another."""
    full = np.eye(3)
    full[:2, :2] = matrix
    full[:2, 2] = new_middle - matrix @ [middle, middle]
    return full


def _onto_tile(size_px: int, rng: np.random.Generator) -> Floats:
    """Canvas to felt view, not quite exact: calibrations never are."""
    exact = np.eye(2) / PX_PER_MM * float(np.exp(rng.normal(0, 0.012)))
    shear = np.eye(2) + rng.normal(0, 0.008, (2, 2))
    return _about(exact @ shear, (size_px - 1) / 2, (TILE_PX - 1) / 2)


def _onto_sensor(size_px: int, side_px: int, camera: degrade.Camera, rng: np.random.Generator) -> Floats:
    """Canvas to a square part of the camera's picture: turned, and squashed as by a camera that looks from the side."""
    spin = turn(np.eye(2), float(rng.choice([0, 90, 180, 270])) + float(rng.normal(0, 12))).T
    axis = turn(np.eye(2), float(rng.uniform(0, 360))).T
    squash = axis @ np.diag([1.0, float(rng.uniform(0.72, 1.0))]) @ axis.T
    return _about(camera.px_per_mm / PX_PER_MM * squash @ spin, (size_px - 1) / 2, (side_px - 1) / 2)


def photograph(canvases: Sequence[Canvas], camera: degrade.Camera, rng: np.random.Generator) -> list[Tile]:
    """The felt-view tiles of some scenes after one camera and one recorder have seen them."""
    shots: list[Picture] = []
    ways: list[tuple[Floats, Floats]] = []
    side = int(np.ceil((TILE_PX + 8) * camera.px_per_mm * 1.4143))
    for canvas in canvases:
        shrink = min(1.0, camera.px_per_mm * 1.35 / PX_PER_MM)
        small = cv2.resize(canvas.picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        lit = degrade.light(small.astype(np.float32), rng)
        to_sensor = _onto_sensor(canvas.size_px, side, camera, rng)
        from_small = to_sensor @ np.linalg.inv(_scaling(shrink))
        seen = cv2.warpPerspective(
            lit, from_small, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
        )
        clean = degrade.expose(np.asarray(seen), camera)
        shots += [degrade.sense(clean, camera, rng) for _ in range(2)]
        ways.append((to_sensor, _onto_tile(canvas.size_px, rng)))
    keep = [2 * number + int(rng.random() < 0.7) for number in range(len(canvases))]
    tiles = []
    for canvas, (to_sensor, to_tile), shot in zip(
        canvases, ways, degrade.through_h264(shots, camera, keep), strict=True
    ):
        if camera.px_per_mm > 1.4 and rng.random() < 0.6:
            shot = np.asarray(cv2.GaussianBlur(shot, (0, 0), 0.45 * camera.px_per_mm), np.uint8)
        method = cv2.INTER_LINEAR if rng.random() < 0.7 else cv2.INTER_CUBIC
        view = to_tile @ np.linalg.inv(to_sensor)
        picture = cv2.warpPerspective(shot, view, (TILE_PX, TILE_PX), flags=method, borderMode=cv2.BORDER_REPLICATE)
        tiles.append(Tile(np.asarray(picture, np.uint8), *truth(canvas, to_tile)))
    return tiles


def table_tiles(stock: Stock, rng: np.random.Generator, count: int = 8) -> list[Tile]:
    """Felt-view tiles from one random camera."""
    camera = degrade.random_camera(rng)
    return photograph([draw_scene(stock, SCENE_MM, rng) for _ in range(count)], camera, rng)
