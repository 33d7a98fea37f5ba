"""What lies in a picture, as a person wrote it beside it: NAME.toml for NAME.png.

cards = ["As", "Kd", "7h"]    # faces that show, in any order
stacks = ["1", "5", "25"]     # a stack of each, one denomination each, from left to right
[[card]]                      # or each at its place, px from the picture's left top corner
identity = "As"
at = [812, 440]
[[stack]]
value = "25"
at = [640, 300]
"""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import CARD_NUMBER
from handreplay.errors import HandreplayError

MAX_BYTES = 200_000
MOST_LABELS = 500
Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Labels:
    """Cards and stacks of one picture; those of `cards` in any order, of `stacks` from left to right."""

    cards: tuple[str, ...] = ()
    stacks: tuple[str, ...] = ()
    card_at: tuple[tuple[str, Place], ...] = ()
    stack_at: tuple[tuple[str, Place], ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.cards or self.stacks or self.card_at or self.stack_at)


def labels_for(picture: Path, values: Sequence[str]) -> Labels:
    """The labels beside a picture; none when there is no file. Raises HandreplayError for a file that is not one.

    `values` are the denominations of the table's chips.
    """
    path = picture.with_suffix(".toml")
    if not path.is_file():
        return Labels()
    if path.stat().st_size > MAX_BYTES:
        raise HandreplayError(f"{path}: is larger than {MAX_BYTES // 1000} kB; these are no labels")
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise HandreplayError(f"{path}: is not valid TOML ({error}); write it as handreplay adapt drafts it") from None
    strange = sorted(set(data) - {"cards", "stacks", "card", "stack"})
    if strange:
        raise HandreplayError(f'{path}: unknown key "{strange[0]}"; known keys: cards, stacks, card, stack')
    labels = Labels(
        cards=_plain(path, data, "cards", '["As", "Kd"]'),
        stacks=_plain(path, data, "stacks", '["5", "25"]'),
        card_at=_placed(path, data, "card", "identity"),
        stack_at=_placed(path, data, "stack", "value"),
    )
    for key, identity in [("cards", card) for card in labels.cards] + [("card", card) for card, _ in labels.card_at]:
        if identity not in CARD_NUMBER:
            raise HandreplayError(f'{path}: {key}: "{identity}" is no card; write rank and suit, like Td or 9s')
    for key, value in [("stacks", value) for value in labels.stacks] + [("stack", v) for v, _ in labels.stack_at]:
        if value not in values:
            raise HandreplayError(f'{path}: {key}: the profile has no chip "{value}"; it has {", ".join(values)}')
    return labels


def _plain(path: Path, data: dict[str, Any], key: str, example: str) -> tuple[str, ...]:
    given = data.get(key, [])
    if not isinstance(given, list) or len(given) > MOST_LABELS or not all(isinstance(item, str) for item in given):
        raise HandreplayError(f"{path}: {key}: must be a list of texts in quotes, like {example}")
    return tuple(given)


def _placed(path: Path, data: dict[str, Any], key: str, what: str) -> tuple[tuple[str, Place], ...]:
    given = data.get(key, [])
    if not isinstance(given, list) or len(given) > MOST_LABELS:
        raise HandreplayError(f"{path}: {key}: write [[{key}]] with {what} and at")
    found = []
    for number, entry in enumerate(given, 1):
        at = entry.get("at") if isinstance(entry, dict) else None
        fits = isinstance(entry, dict) and set(entry) == {what, "at"} and isinstance(entry[what], str)
        if not fits or not isinstance(at, list) or len(at) != 2 or not all(_is_number(value) for value in at):
            raise HandreplayError(f"{path}: {key}[{number}]: needs {what} in quotes and at = [x, y] in pixels, no more")
        found.append((entry[what], (float(at[0]), float(at[1]))))
    return tuple(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def by_place(labels: Sequence[tuple[str, Place]], middles: Sequence[Place], reach: Sequence[float]) -> dict[int, str]:
    """Which found thing each label means: the nearest whose middle is within its reach (px). Index -> label."""
    meant: dict[int, str] = {}
    for label, at in labels:
        near = sorted((math.dist(at, middle), index) for index, middle in enumerate(middles) if index not in meant)
        if near and near[0][0] <= reach[near[0][1]]:
            meant[near[0][1]] = label
    return meant


def in_any_order(labels: Sequence[str], chances: NDArray[np.float64]) -> dict[int, str]:
    """Which face (row of `chances`, N x 52) is which of these cards, so that all together are likeliest. Index -> card.

    With more labels than faces, or more faces than labels, the least likely are left over.
    """
    if not labels or not len(chances):
        return {}
    cost = -np.log(np.maximum(chances[:, [CARD_NUMBER[card] for card in labels]], 1e-9))
    side = max(cost.shape)
    square = np.full((side, side), float(-math.log(1e-9)))
    square[: cost.shape[0], : cost.shape[1]] = cost
    column_of = _cheapest(square)
    return {row: labels[column] for row, column in enumerate(column_of[: cost.shape[0]]) if column < len(labels)}


def _cheapest(cost: NDArray[np.float64]) -> list[int]:
    """The column for each row of a square, each column once, so that the sum is least (shortest augmenting paths)."""
    side = len(cost)
    row_price, column_price = np.zeros(side + 1), np.zeros(side + 1)
    row_of = np.full(side + 1, side)  # the last column and row are where paths begin
    for row in range(side):
        row_of[side] = row
        column, least, came, done = side, np.full(side, np.inf), np.full(side, side), np.zeros(side + 1, bool)
        while row_of[column] != side:
            done[column] = True
            own = row_of[column]
            left = ~done[:side]
            reduced = cost[own] - row_price[own] - column_price[:side]
            better = left & (reduced < least)
            least[better], came[better] = reduced[better], column
            following = int(np.where(left, least, np.inf).argmin())
            step = least[following]
            row_price[row_of[done]] += step
            column_price[done] -= step
            least[left] -= step
            column = following
        while column != side:
            row_of[column] = row_of[came[column]]
            column = int(came[column])
    answer = [0] * side
    for column in range(side):
        answer[row_of[column]] = column
    return answer


def draft(cards: Sequence[tuple[str, Place, float]], stacks: Sequence[tuple[str, Place, float]]) -> str:
    """Labels to be corrected by a person: each card and stack as it was read, with its probability as a comment."""
    lines = [
        "# As read. Correct what is wrong, delete what is none, put this file beside its picture, and run again.",
        "",
    ]
    for key, what, found in (("card", "identity", cards), ("stack", "value", stacks)):
        for label, (x, y), chance in found:
            lines += [f"[[{key}]]", f'{what} = "{label}"  # {chance:.0%}', f"at = [{x:.0f}, {y:.0f}]", ""]
    return "\n".join(lines)
