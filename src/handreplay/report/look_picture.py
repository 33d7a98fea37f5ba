"""Draws a look: the camera's picture and the felt from above, each with everything that was read there.

Colours are those of Okabe and Ito, which people of any colour vision tell apart; lines and words say the same again:
whole lines are read, dashed ones are not, hatching covers. Each picture is 1920 px wide, so that it is legible whole on
a screen of 1080p.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK
from handreplay.core.observations import SeenCard, SeenStack
from handreplay.core.readings import Known
from handreplay.report import words
from handreplay.vision.chip_geometry import DIAMETER_MM, THICKNESS_MM
from handreplay.vision.look import Look, ZoneLook
from handreplay.vision.table_eye import CELL_PX
from handreplay.vision.zone_reader import kind_of

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]  # left, top, right, bottom, px
Place = Callable[[Floats, float], Floats]  # table mm (N, 2) at a height, mm, to px of the drawing

WIDTH_PX = 1920
FACE: Colour = (233, 180, 86)  # BGR: sky blue
UNREAD: Colour = (0, 159, 230)  # orange
BACK: Colour = (255, 255, 255)
STACK: Colour = (66, 228, 240)  # yellow
HAND: Colour = (167, 121, 204)  # reddish purple
ZONE: Colour = (190, 190, 190)
DARK: Colour = (22, 16, 11)
TEXT: Colour = (235, 235, 230)
FONT = cv2.FONT_HERSHEY_DUPLEX
LINE_PX = 19  # from one line of a label to the next
MARGIN_PX = 92
LEAST_HAND_MM2 = 2500.0
DEALER_EDGE_MM = 190.0  # the dealer's arms cross the edge of the felt nearer to the tray than this
HATCH_PX = 14


@dataclass(slots=True)
class Sheet:
    """A drawing, how places on the table come to it, and where its labels stand."""

    canvas: Picture
    place: Place
    taken: list[Box] = field(default_factory=list)
    things: list[Box] = field(default_factory=list)  # cards and stacks, which labels should not hide


def camera_sheet(look: Look) -> Picture:
    """The camera's picture, H x 1920 x 3 BGR, with what was read and a margin below."""
    height, width = look.pixels.shape[:2]
    scale = WIDTH_PX / width
    size = (WIDTH_PX, round(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    canvas = np.asarray(cv2.resize(look.pixels, size, interpolation=method), np.uint8)
    sheet = Sheet(canvas.copy(), lambda mm, high: look.calibration.to_picture_px(mm, high) * scale)
    return _finished(sheet, look, "camera view")


def felt_sheet(look: Look) -> Picture:
    """The felt straight from above, dealer at the top, H x 1920 x 3 BGR, likewise."""
    frame = look.felt.patch.frame
    scale = WIDTH_PX / frame.size_px[0]
    size_mm = (frame.size_px[0] / frame.px_per_mm, frame.size_px[1] / frame.px_per_mm)
    patch = look.calibration.patch(frame.center_mm, size_mm, px_per_mm=frame.px_per_mm * scale)

    def place(mm: Floats, high: float) -> Floats:
        behind = look.calibration.to_felt_mm(look.calibration.to_picture_px(mm, high)) if high else mm
        return patch.to_px(behind)

    return _finished(Sheet(patch.warp(look.pixels), place), look, "felt view, dealer at the top")


def _finished(sheet: Sheet, look: Look, view: str) -> Picture:
    for one in look.looks:
        _outline(sheet, look.zones.polygons_mm[one.zone], ZONE, thin=True)
    hands = list(hands_of(look))
    for outline, _ in hands:
        _hatch(sheet, outline)
    labels = [item for one in look.looks for item in _contents(sheet, one)]
    labels += [_stray(sheet, look, number) for number in range(len(look.felt.strays))]
    labels += [(_inmost(sheet.place(outline, 0.0)), [label], HAND) for outline, label in hands]
    sheet.things = [(*points.min(axis=0), *points.max(axis=0)) for points, _, colour in labels if colour != HAND]
    for points, lines, colour in labels:
        _label(sheet, points, lines, colour)
    for one in look.looks:
        _zone_name(sheet, one, look.zones.polygons_mm[one.zone])
    return _with_margin(sheet.canvas, look, view)


def _contents(sheet: Sheet, one: ZoneLook) -> Iterator[tuple[Floats, list[str], Colour]]:
    for card in one.cards:
        colour, label, dashed = _card_style(card)
        _outline(sheet, np.asarray(card.corners_mm, np.float64), colour, dashed=dashed)
        yield sheet.place(np.asarray(card.corners_mm, np.float64), 0.0), [label], colour
    for stack in one.stacks:
        yield _draw_stack(sheet, stack), stack_lines(stack), STACK


def _card_style(card: SeenCard) -> tuple[Colour, str, bool]:
    if not card.face_up:
        return BACK, f"back {percent(card.face_confidence)}", False
    if isinstance(card.identity, Known):
        return FACE, f"{card.identity.value} {percent(card.identity.confidence)}", False
    best, chance = likeliest(card)
    return UNREAD, f"? {best} {percent(chance)}", True


def likeliest(card: SeenCard) -> tuple[str, float]:
    """The likeliest identity of a face and its probability."""
    best = int(np.argmax(card.probabilities))
    return DECK[best], card.probabilities[best]


def percent(chance: float) -> str:
    """Never "100%": nothing that is read is certain."""
    return ">99%" if chance > 0.99 else f"{max(1, int(chance * 100))}%"


def stack_lines(stack: SeenStack) -> list[str]:
    """`3x25 98%`; or the likeliest pile with a question mark, its probability, and how many chips it may be."""
    if isinstance(stack.chips, Known):
        return [f"{_pile(stack.chips.value)} {percent(stack.chips.confidence)}"]
    if not stack.chips.candidates:
        return ["? chips"]
    pile, chance = stack.chips.candidates[0]
    low, high = chips_between(stack)
    between = f"{low} to {high} chips" if low != high else f"{low} chip{'s' if low > 1 else ''}"
    return [f"{_pile(pile)}? {percent(chance)}", between]


def chips_between(stack: SeenStack) -> tuple[int, int]:
    """The fewest and most chips among the piles worth naming."""
    piles = [stack.chips.value] if isinstance(stack.chips, Known) else [pile for pile, _ in stack.chips.candidates]
    sizes = [sum(count for _, count in pile) for pile in piles] or [0]
    return min(sizes), max(sizes)


def _pile(pile: Sequence[tuple[str, int]]) -> str:
    return "+".join(f"{count}x{value}" for value, count in reversed(pile))


def _draw_stack(sheet: Sheet, stack: SeenStack) -> Floats:
    """The foot of the stack, the rim of its topmost chip, and the two lines between; the points that it takes up."""
    known = isinstance(stack.chips, Known)
    piles = [stack.chips.value] if isinstance(stack.chips, Known) else [pile for pile, _ in stack.chips.candidates]
    high = THICKNESS_MM * (sum(count for _, count in piles[0]) if piles else 1)
    turns = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    ring = np.asarray(stack.base_mm) + DIAMETER_MM / 2 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    foot, top = sheet.place(ring, 0.0), sheet.place(ring, high)
    _polyline(sheet.canvas, foot, STACK, dashed=True, thickness=1)
    _polyline(sheet.canvas, top, STACK, dashed=not known, thickness=2)
    return np.concatenate([foot, top])


def _stray(sheet: Sheet, look: Look, number: int) -> tuple[Floats, list[str], Colour]:
    box = look.felt.strays[number]
    corners = look.felt.patch.to_mm(box.corners)
    _outline(sheet, corners, ZONE, dashed=True)
    return sheet.place(corners, 0.0), ["card in no zone"], ZONE


def hands_of(look: Look) -> Iterator[tuple[Floats, str]]:
    """Outlines on the table (mm) of what covers it, each with its words and probability.

    Beyond the zones there is a rail, and the tray and the shoe are covered by what belongs there.
    """
    covered, patch = look.felt.covered, look.felt.patch
    polygons = look.zones.polygons_mm
    hull = cv2.convexHull(np.concatenate(list(polygons.values())).astype(np.float32)).reshape(-1, 2)
    felt = _filled(covered.shape, [patch.to_px(hull)])
    felt &= ~_filled(
        covered.shape, [patch.to_px(polygons[name]) for name in polygons if kind_of(name) in ("shoe", "other")]
    )
    mask = ((covered > 0.5) & felt).astype(np.uint8)
    mask[:] = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))  # no slivers along the tray's edge
    edge = cv2.erode(felt.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=0) == 0
    number, parts = cv2.connectedComponents(mask, connectivity=4)
    for part in range(1, number):
        inside = parts == part
        if inside.sum() * CELL_PX**2 < LEAST_HAND_MM2:
            continue
        contours, _ = cv2.findContours(inside.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        cells = max(contours, key=cv2.contourArea).reshape(-1, 2)
        reached = patch.to_mm(np.argwhere(inside & edge)[:, ::-1] * CELL_PX)
        told = f"hand or object{_side(reached)} {percent(float(covered[inside].mean()))}"
        yield patch.to_mm((cells + 0.5) * CELL_PX), told


def _inmost(outline_px: Floats) -> Floats:
    """The point (1, 2) that lies deepest within an outline, where words about it belong."""
    low = outline_px.min(axis=0) - 2
    size = np.ceil(outline_px.max(axis=0) - low).astype(int) + 3
    mask = cv2.fillPoly(np.zeros(size[::-1], np.uint8), [np.round(outline_px - low).astype(np.int32)], 1)
    deep = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    row, column = np.unravel_index(int(deep.argmax()), deep.shape)
    return np.asarray(np.array([[column, row]], np.float64) + low)


def _filled(shape: tuple[int, ...], outlines_px: Sequence[Floats]) -> NDArray[np.bool_]:
    """The cells of the table net within any of these outlines (px of the view)."""
    mask = np.zeros(shape, np.uint8)
    for outline in outlines_px:
        cv2.fillPoly(mask, [np.round(outline / CELL_PX).astype(np.int32)], 1)
    return mask > 0


def _side(edge_mm: Floats) -> str:
    """From whose side it reaches in, by where it crosses the edge (N, 2); nothing where that is not clear."""
    dealer = int((edge_mm[:, 1] < DEALER_EDGE_MM).sum())
    player = len(edge_mm) - dealer
    if max(dealer, player) <= 1.5 * min(dealer, player):
        return ""
    return " from the dealer's side" if dealer > player else " from the players' side"


def _outline(sheet: Sheet, corners_mm: Floats, colour: Colour, *, dashed: bool = False, thin: bool = False) -> None:
    cut = np.concatenate(
        [a + (b - a) * np.linspace(0, 1, 8, endpoint=False)[:, None] for a, b in _sides(corners_mm)]
    )  # the lens bends straight lines
    _polyline(sheet.canvas, sheet.place(cut, 0.0), colour, dashed=dashed, thickness=1 if thin else 2)


def _sides(corners: Floats) -> list[tuple[Floats, Floats]]:
    return list(zip(corners, np.roll(corners, -1, axis=0), strict=True))


def _polyline(canvas: Picture, points: Floats, colour: Colour, *, dashed: bool, thickness: int) -> None:
    """A light closed line on a dark one, so that it shows on any felt."""
    line = np.round(points * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(canvas, [line], True, DARK, thickness + 2, cv2.LINE_AA, shift=4)
    if not dashed:
        cv2.polylines(canvas, [line], True, colour, thickness, cv2.LINE_AA, shift=4)
        return
    closed = np.concatenate([points, points[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    for start in np.arange(0.0, along[-1], 9.0):
        steps = np.linspace(start, min(start + 5.0, along[-1]), 4)
        dash = np.stack([np.interp(steps, along, closed[:, axis]) for axis in (0, 1)], axis=1)
        part = np.round(dash * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(canvas, [part], False, colour, thickness, cv2.LINE_AA, shift=4)


def _hatch(sheet: Sheet, outline_mm: Floats) -> None:
    points = sheet.place(outline_mm, 0.0)
    mask = np.zeros(sheet.canvas.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1)
    rows, columns = np.nonzero(mask)
    stripes = (rows + columns) % HATCH_PX < 2
    sheet.canvas[rows[stripes], columns[stripes]] = HAND
    _polyline(sheet.canvas, points, HAND, dashed=False, thickness=1)


def _label(sheet: Sheet, points: Floats, lines: Sequence[str], colour: Colour) -> None:
    """Words beside what they are about, clear of other words; with a line to it when they had to move away."""
    size = 0.5
    wide = max(_width(line, size) for line in lines) + 8
    high = LINE_PX * len(lines) + 3
    x, y = _free(sheet, points, wide, high)
    sheet.taken.append((x, y, x + wide, y + high))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    near = np.clip(middle, (x, y), (x + wide, y + high))
    if np.linalg.norm(near - middle) > np.ptp(points, axis=0).max() / 2 + 16:
        start, end = (tuple(int(v) for v in np.round(point)) for point in (near, middle))
        cv2.line(sheet.canvas, start, end, DARK, 3, cv2.LINE_AA)
        cv2.line(sheet.canvas, start, end, colour, 1, cv2.LINE_AA)
    cv2.rectangle(sheet.canvas, (x, y), (x + wide, y + high), DARK, cv2.FILLED)
    for number, line in enumerate(lines):
        cv2.putText(sheet.canvas, line, (x + 4, y + 15 + LINE_PX * number), FONT, size, colour, 1, cv2.LINE_AA)


def _free(sheet: Sheet, points: Floats, wide: int, high: int) -> tuple[int, int]:
    """The left top corner for words of that size: the nearest of some places that nothing else takes."""
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    middle_x, middle_y = (left + right - wide) / 2, (top + bottom - high) / 2
    places = [
        place
        for away in (3, 24, 48, 76, 110)
        for place in (
            (middle_x, top - high - away),
            (middle_x, bottom + away),
            (right + away, middle_y),
            (left - wide - away, middle_y),
            (right + away, top - high - away),
            (left - wide - away, bottom + away),
        )
    ]
    height, width = sheet.canvas.shape[:2]

    def clash(place: tuple[float, float]) -> float:
        x, y = place
        box = (x, y, x + wide, y + high)
        over = sum(_shared(box, other) for other in sheet.taken)
        hidden = sum(_shared(box, thing) for thing in sheet.things)
        return float(over + hidden / 2 + 1e4 * max(0.0, -x, -y, x + wide - width, y + high - height))

    x, y = min(places, key=clash)
    return int(np.clip(x, 0, max(0, width - wide))), int(np.clip(y, 0, max(0, height - high)))


def _shared(one: Box, other: Box) -> float:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, high)


def _zone_name(sheet: Sheet, one: ZoneLook, polygon_mm: Floats) -> None:
    """The zone's name and state, small, where it hides nothing."""
    state = "" if one.state in ("read", "empty", "not read here") else f": {one.state}"
    text, size = f"{short_place(one.zone)}{state}", 0.4
    points = sheet.place(polygon_mm, 0.0)
    wide, high = _width(text, size) + 4, 14
    x = round(float(points[:, 0].mean()) - wide / 2)
    free = [
        y
        for y in (round(float(points[:, 1].max()) - high), round(float(points[:, 1].min())))
        if not any(_shared((x, y, x + wide, y + high), other) for other in sheet.taken)
    ]
    if not free:
        return
    y = free[0]
    sheet.taken.append((x, y, x + wide, y + high))
    for right, down in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
        cv2.putText(sheet.canvas, text, (x + 2 + right, y + 11 + down), FONT, size, DARK, 1, cv2.LINE_AA)
    cv2.putText(sheet.canvas, text, (x + 2, y + 11), FONT, size, HAND if state else TEXT, 1, cv2.LINE_AA)


def short_place(zone: str) -> str:
    """`"seat3.blind"` is "3 Blind", `"seat3.cards"` "3 cards"."""
    short = words.place(zone).removeprefix("Seat ")
    return f"{short} cards" if short.isdigit() else short


def _with_margin(canvas: Picture, look: Look, view: str) -> Picture:
    framed = np.asarray(cv2.copyMakeBorder(canvas, 0, MARGIN_PX, 0, 0, cv2.BORDER_CONSTANT, value=DARK), np.uint8)
    top = canvas.shape[0]
    frame = "" if look.frame is None else f"   frame {look.frame}"
    title = f"{look.file}   {words.position(look.seconds)}{frame}   {view}"
    cv2.putText(framed, _plain(title), (14, top + 27), FONT, 0.7, TEXT, 1, cv2.LINE_AA)
    _legend(framed, top + 53)
    told = (
        " ".join(look.remarks)
        or "Probabilities are those of this moment; an audit also waits, votes over time and compares."
    )
    cv2.putText(framed, _plain(told), (14, top + 80), FONT, 0.5, UNREAD if look.remarks else ZONE, 1, cv2.LINE_AA)
    return framed


def _legend(framed: Picture, y: int) -> None:
    x = 14
    for colour, dashed, text in (
        (FACE, False, "card read"),
        (UNREAD, True, "face not read, likeliest"),
        (BACK, False, "card face down"),
        (STACK, False, "stack read"),
        (STACK, True, "stack open: likeliest pile, chips from to"),
        (HAND, False, "hand or object (hatched)"),
        (ZONE, False, "zone"),
    ):
        box = np.array([[x, y - 10], [x + 24, y - 10], [x + 24, y + 4], [x, y + 4]], np.float64)
        _polyline(framed, box, colour, dashed=dashed, thickness=2)
        cv2.putText(framed, text, (x + 32, y + 3), FONT, 0.5, TEXT, 1, cv2.LINE_AA)
        x += 32 + _width(text, 0.5) + 26


def _plain(text: str) -> str:
    return text.encode("ascii", "replace").decode()


def _width(text: str, size: float) -> int:
    (width, _), _ = cv2.getTextSize(text, FONT, size, 1)
    return int(width)
