"""Finds cards, chip tops and whatever covers the table in a felt view at 1 px/mm.

The net answers for every cell of 4 x 4 px: what is visible there and, for a card, the whole outline of the card that
the cell belongs to. Cells of one card agree; so cards are found by joining the cells' votes, which tells apart cards
that lie only a few millimetres aside of each other, and a card of which a strip is left to see.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.errors import ModelError
from handreplay.vision.weights import Model, load

Picture = NDArray[np.uint8]  # H x W x 3, BGR
Floats = NDArray[np.float64]

CELL_PX = 4
CHANNELS = (
    "face", "back", "chip top", "covered",
    "centre x", "centre y", "long x", "long y", "short x", "short y", "lean x", "lean y", "spread",
    "top x", "top y", "radius",
)  # fmt: skip
INPUT = "BGR, sides multiples of 32"
_SIDES_OF = 32  # the net halves its picture five times
_FACE, _BACK, _CHIP, _COVERED = range(4)  # channels of chances
_CENTRE, _LONG, _SHORT, _LEAN = slice(4, 6), slice(6, 8), slice(8, 10), slice(10, 12)
_SPREAD, _TOP, _RADIUS = 12, slice(13, 15), 15

LEAST_SCORE = 0.5
AGREE_PX = 5.5
_LEAST_CHANCE = 0.3  # of a cell that votes
_BIN_PX = 2.0
_LEAST_SUPPORT = 1.0  # summed weight of a group of votes
_MOST_OF_A_KIND = 80


@dataclass(frozen=True, eq=False)
class CardBox:
    """A card in the view.

    `corners` (4 x 2, px from the view's top left corner) run clockwise and begin with a short side; which of the two
    short sides is the upper end is not known. `score` and `face_chance` are 0 to 1; `visible` is the share of the card
    that can be seen; `fill` is the same before it is cut at 1: far from 1 for a whole card when the scale is wrong.
    """

    corners: Floats
    face_up: bool
    score: float
    face_chance: float
    visible: float
    fill: float = 1.0


@dataclass(frozen=True, eq=False)
class ChipTop:
    """The topmost chip of a stack: centre (x, y) and radius, px, as the view shows it (moved by the stack's height)."""

    centre: Floats
    radius: float
    score: float


@dataclass(frozen=True, eq=False)
class Sighting:
    """What one view shows. `occluder` is H/4 x W/4, the chance that a hand, arm or object covers the felt there."""

    cards: tuple[CardBox, ...]
    chips: tuple[ChipTop, ...]
    occluder: NDArray[np.float32]


@dataclass(frozen=True)
class _Votes:
    """N cells of one kind: where they are, what they vote for, and how much the vote weighs."""

    at: Floats  # N x 2, px
    ballot: Floats  # N x D; distances between ballots are px
    weight: Floats  # N
    chance: Floats  # N


class TableEye:
    """The table net and the joining of its votes. Same view, same answer.

    `least_score` is the score below which nothing is reported; cells agree on a card when their outlines differ by less
    than `agree_px`; without `chips` none are looked for. Raises ModelError when the model is of another kind.
    """

    def __init__(
        self,
        model: Model | None = None,
        *,
        least_score: float = LEAST_SCORE,
        agree_px: float = AGREE_PX,
        chips: bool = True,
    ) -> None:
        self._model = model if model is not None else load("table")
        if self._model.said.get("input") != INPUT:
            raise ModelError(f"model {self._model.name}: reads {self._model.said.get('input')}, not {INPUT}")
        self._columns = self._model.columns("channels", CHANNELS)
        self._least_score = least_score
        self._agree_px = agree_px
        self._with_chips = chips

    def look(self, view_bgr: Picture) -> Sighting:
        """Read one view, H x W x 3 BGR at 1 px/mm, of any size."""
        return self.look_at_all([view_bgr])[0]

    def look_at_all(self, views_bgr: list[Picture]) -> list[Sighting]:
        """Read several views of one size at once."""
        if not views_bgr:
            return []
        height, width = views_bgr[0].shape[:2]
        below, beside = -height % _SIDES_OF, -width % _SIDES_OF
        padded = [cv2.copyMakeBorder(view, 0, below, 0, beside, cv2.BORDER_REPLICATE) for view in views_bgr]
        pictures = np.ascontiguousarray(np.stack(padded).transpose(0, 3, 1, 2), np.float32)
        answers = self._model.run(pictures)[0][:, self._columns]
        rows, columns = -(-height // CELL_PX), -(-width // CELL_PX)
        return [self._decode(answer[:, :rows, :columns]) for answer in answers]

    def _decode(self, cells: NDArray[np.float32]) -> Sighting:
        cards = tuple(card for card in _cards(cells, self._agree_px) if card.score >= self._least_score)
        tops = _chips(cells) if self._with_chips else []
        chips = tuple(chip for chip in tops if chip.score >= self._least_score)
        return Sighting(cards, chips, cells[_COVERED].copy())


def _middles(rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Floats:
    """Middles of cells, px from the view's corner."""
    return np.stack([columns, rows], axis=1).astype(np.float64) * CELL_PX + CELL_PX / 2


def _cards(cells: NDArray[np.float32], agree_px: float) -> list[CardBox]:
    chance = np.maximum(cells[_FACE], cells[_BACK])
    rows, columns = np.nonzero(chance > _LEAST_CHANCE)
    if not len(rows):
        return []
    here = cells[:, rows, columns].T.astype(np.float64)
    at, p = _middles(rows, columns), chance[rows, columns].astype(np.float64)
    # halving the doubled angles' vectors makes a small turn count as far as it moves the card's ends
    ballot = np.concatenate([at + here[:, _CENTRE], here[:, _LONG] / 2, here[:, _SHORT] / 2], axis=1)
    votes = _Votes(at, ballot, p / (1 + (here[:, _SPREAD] / 2.0) ** 2), p)
    found = [_Card.of(votes, here, members, middle) for members, middle in _joined(votes, agree_px)]
    return [card.box for card in _without_ghosts(found, votes.at)]


def _chips(cells: NDArray[np.float32]) -> list[ChipTop]:
    chance = cells[_CHIP]
    rows, columns = np.nonzero(chance > _LEAST_CHANCE)
    if not len(rows):
        return []
    here = cells[:, rows, columns].T.astype(np.float64)
    at, p = _middles(rows, columns), chance[rows, columns].astype(np.float64)
    votes = _Votes(at, np.concatenate([at + here[:, _TOP], here[:, _RADIUS:]], axis=1), p, p)
    tops = []
    for members, middle in _joined(votes, within_px=8.0):
        share = votes.chance[members].sum() / (np.pi * max(middle[2], 4.0) ** 2 / CELL_PX**2)
        score = float(votes.chance[members].mean() * (1 - np.exp(-6.0 * share)))
        tops.append(ChipTop(middle[:2], float(middle[2]), score))
    return tops


class _Heap:
    """Votes heaped up by their first two numbers, in bins, each a little spread over the bins around."""

    def __init__(self, votes: _Votes) -> None:
        place = np.floor((votes.ballot[:, :2] - votes.ballot[:, :2].min(axis=0)) / _BIN_PX).astype(int) + 2
        self._width, height = int(place[:, 1].max()) + 3, int(place[:, 0].max()) + 3
        steps = [(across, down) for across in (-1, 0, 1) for down in (-1, 0, 1)]
        self._around = np.array([across * self._width + down for across, down in steps])
        self._share = np.array([0.5 ** (abs(across) + abs(down)) for across, down in steps])
        self.flat = place @ [self._width, 1]
        self._sum = np.zeros(height * self._width)
        self._change(self.flat, votes.weight)

    def _change(self, flat: NDArray[np.intp], weight: Floats) -> None:
        np.add.at(self._sum, (flat[:, None] + self._around).ravel(), (weight[:, None] * self._share).ravel())

    def remove(self, flat: NDArray[np.intp], weight: Floats) -> None:
        self._change(flat, -weight)

    def near_peak(self, flat: NDArray[np.intp]) -> NDArray[np.intp]:
        """Which of these votes lie in the highest bin or next to it."""
        away = flat - (int(self._sum.argmax()) - self._width - 1)  # from the bin before and above the highest
        return np.flatnonzero((away >= 0) & (away <= 2 * self._width + 2) & (away % self._width <= 2))


def _joined(votes: _Votes, within_px: float) -> list[tuple[NDArray[np.intp], Floats]]:
    """Groups of votes that agree, the best supported first: members and their common ballot."""
    heap, free = _Heap(votes), np.arange(len(votes.at))
    ballot, weight, flat = votes.ballot, votes.weight, heap.flat  # of the free ones
    groups: list[tuple[NDArray[np.intp], Floats]] = []
    while len(free) and len(groups) < _MOST_OF_A_KIND:
        near = heap.near_peak(flat)
        if not len(near) or weight[near].sum() < _LEAST_SUPPORT / 2:
            break
        middle = _settled(ballot, weight, near, within_px)
        agrees = _square_distance(ballot, middle) < within_px**2
        agree = np.flatnonzero(agrees)
        if weight[agree].sum() > _LEAST_SUPPORT:
            groups.append((free[agree], _mean(ballot.take(agree, axis=0), weight[agree] ** 2 + 1e-9)))
        if not len(agree):
            agree, agrees[near] = near, True
        heap.remove(flat[agree], weight[agree])
        left = np.flatnonzero(~agrees)
        free, ballot, weight, flat = free[left], ballot.take(left, axis=0), weight[left], flat[left]
    return groups


def _square_distance(ballot: Floats, middle: Floats) -> Floats:
    away = ballot - middle
    return np.asarray(np.einsum("nd,nd->n", away, away))


def _mean(values: Floats, weight: Floats) -> Floats:
    return np.asarray(weight @ values / weight.sum())


def _settled(ballot: Floats, weight: Floats, near: NDArray[np.intp], within_px: float) -> Floats:
    """From the peak of the centres to the nearest place where the whole ballots agree: mean shift.

    Votes for centres further off than a few times `within_px` would not pull.
    """
    middle = ballot[near[int(weight[near].argmax())]]
    right, down = np.abs(ballot[:, 0] - middle[0]), np.abs(ballot[:, 1] - middle[1])
    about = np.flatnonzero((right < 4 * within_px) & (down < 4 * within_px))
    ballot, strength = ballot.take(about, axis=0), weight[about] ** 2
    for _ in range(4):
        pull = strength * np.exp(_square_distance(ballot, middle) * (-4 / within_px**2))
        total = float(pull.sum())
        if total <= 0:
            break
        middle = pull @ ballot / total
    return np.asarray(middle)


@dataclass(frozen=True, eq=False)
class _Card:
    box: CardBox
    members: NDArray[np.intp]
    low: Floats  # of the corners
    high: Floats

    @classmethod
    def of(cls, votes: _Votes, here: Floats, members: NDArray[np.intp], middle: Floats) -> "_Card":
        weight = votes.weight[members] ** 2 + 1e-9
        corners = _corners(middle, _mean(here[members, _LEAN], weight))
        area = max(float(cv2.contourArea(corners.astype(np.float32))), 1.0)
        up = float(here[members, _FACE].sum())
        face_chance = up / max(up + float(here[members, _BACK].sum()), 1e-9)
        mean = float(votes.chance[members].mean())
        box = CardBox(
            corners=corners,
            face_up=face_chance >= 0.5,
            score=mean * (1 - float(np.exp(-votes.weight[members].sum() / 6))),
            face_chance=face_chance,
            visible=min(1.0, len(members) * CELL_PX**2 / area),
            fill=len(members) * CELL_PX**2 / area,
        )
        return cls(box, members, corners.min(axis=0), corners.max(axis=0))


def _half_side(doubled_x: float, doubled_y: float) -> tuple[float, float]:
    """A vector of doubled angle, given at half its length, as the half side that it stands for."""
    length, angle = 2 * math.hypot(doubled_x, doubled_y), math.atan2(doubled_y, doubled_x) / 2
    return math.cos(angle) * length, math.sin(angle) * length


def _corners(middle: Floats, lean: Floats) -> Floats:
    """4 x 2, clockwise on the screen, the first two being the ends of a short side."""
    x, y, *sides = (float(value) for value in middle)
    (along_x, along_y), (across_x, across_y) = _half_side(sides[0], sides[1]), _half_side(sides[2], sides[3])
    if along_x * across_y - along_y * across_x < 0:
        across_x, across_y = -across_x, -across_y
    lean_x, lean_y = float(lean[0]), float(lean[1])
    flat = []
    for far, aside in ((-1, -1), (-1, 1), (1, 1), (1, -1)):
        right, down = far * along_x + aside * across_x, far * along_y + aside * across_y
        depth = 1 + right * lean_x + down * lean_y
        flat.append((right / depth + x, down / depth + y))
    turn = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(flat, flat[1:] + flat[:1], strict=True))
    return np.array(flat if turn > 0 else [flat[1], flat[0], flat[3], flat[2]])


def _inside(corners: Floats, points: Floats) -> NDArray[np.bool_]:
    """Which points (N x 2) lie in a convex outline that runs clockwise on the screen."""
    edge, (x, y) = corners[[1, 2, 3, 0]] - corners, points.T
    side = edge[:, :1] * (y - corners[:, 1:]) - edge[:, 1:] * (x - corners[:, :1])
    return np.asarray((side >= 0).all(axis=0))


def _without_ghosts(cards: list[_Card], at: Floats) -> list[_Card]:
    """Leave out what stray votes make up.

    Where cards overlap only the upper one is seen. So a card whose cells lie within stronger cards' outlines is on top
    of them, and owns that place alone; or it is not there.
    """
    kept: list[_Card] = []
    for card in sorted(cards, key=lambda card: -card.box.score * len(card.members)):
        mine = at[card.members]
        low, high = mine.min(axis=0), mine.max(axis=0)
        within, disputed = np.zeros(len(mine), bool), 0
        for other in kept:
            if (other.high < low).any() or (other.low > high).any():
                continue
            shared = _inside(other.box.corners, mine)
            within |= shared
            disputed += min(int(shared.sum()), int(_inside(card.box.corners, at[other.members]).sum()))
        if within.mean() > 0.55 and disputed > 0.5 * within.sum():
            continue
        kept.append(card)
    return kept
