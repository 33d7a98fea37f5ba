"""Several readings of one card become one; several cards of one deck become a set without doubles.

Pictures of one resting card share their light, blur and compression, so a hundred of them do not count as a hundred
witnesses; and a single odd picture must not outvote the rest.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Spread = NDArray[np.float64]  # probabilities over core.cards.DECK

_ALIKE = 0.35  # how much one more picture of the same card repeats the ones before
_DOUBT = 0.01  # share of every reading spread evenly: no picture may rule a card out for good
_CERTAIN = 0.98  # two cards at rest that are both this sure to be the same card are kept as a double
_PLACES = 12


@dataclass(frozen=True)
class Assignment:
    """One card for each reading, as numbers in core.cards.DECK.

    `doubles` pairs the readings that are both certain of the same card: a finding, not something to smooth away.
    """

    cards: tuple[int, ...]
    probabilities: tuple[tuple[float, ...], ...]
    doubles: tuple[tuple[int, int], ...]


def combine(readings: Sequence[Sequence[float]], weights: Sequence[float] | None = None) -> tuple[float, ...]:
    """One spread from several readings (each over the 52 cards) of one card that did not change in between.

    `weights` (0 to 1, such as the readable share) let poor views count for less; with no weight at all the answer is
    even. Readings are multiplied, tempered as if `_ALIKE` of each were a copy of the others.
    """
    if not len(readings):
        raise ValueError("combine needs at least one reading")
    spreads = np.asarray(readings, np.float64)
    trust = np.ones(len(readings)) if weights is None else np.clip(np.asarray(weights, np.float64), 0, 1)
    total = float(trust.sum())
    if total <= 0:
        return tuple([1 / spreads.shape[1]] * spreads.shape[1])
    softened = spreads / spreads.sum(axis=1, keepdims=True) * (1 - _DOUBT) + _DOUBT / spreads.shape[1]
    voices = total / (1 + max(0.0, total - 1) * _ALIKE)
    mixed = (trust / total) @ np.log(softened) * voices
    shares = np.exp(mixed - mixed.max())
    return tuple(float(share) for share in np.round(shares / shares.sum(), _PLACES))


def assign(spreads: Sequence[Sequence[float]]) -> Assignment:
    """The likeliest set of different cards for the cards of one round from one deck.

    Each spread also comes back sharpened by what the other cards are known to be: an 8 seen elsewhere settles a 6 that
    could have been that 8. Two readings certain of the same card keep it, and are named in `doubles`.
    """
    if not len(spreads):
        return Assignment((), (), ())
    given = np.asarray(spreads, np.float64)
    doubles = _doubles(given)
    kept = sorted({number for pair in doubles for number in pair})
    free = [number for number in range(len(given)) if number not in kept]
    taken = sorted({int(given[number].argmax()) for number in kept})
    cards = [int(row.argmax()) for row in given]
    shares = given.copy()
    if free and len(free) + len(taken) <= given.shape[1]:
        open_shares = given[free].copy()
        open_shares[:, taken] = np.minimum(open_shares[:, taken], 1e-9)
        open_shares = _exclusive(open_shares)
        chosen = _hungarian(-np.log(np.maximum(open_shares, 1e-12)))
        for number, share, card in zip(free, open_shares, chosen, strict=True):
            shares[number], cards[number] = share, card
    rounded = tuple(tuple(float(p) for p in np.round(row, _PLACES)) for row in shares)
    return Assignment(tuple(cards), rounded, doubles)


def _doubles(spreads: Spread) -> tuple[tuple[int, int], ...]:
    sure = [(number, int(row.argmax())) for number, row in enumerate(spreads) if row.max() >= _CERTAIN]
    return tuple((a, b) for i, (a, card) in enumerate(sure) for b, other in sure[i + 1 :] if card == other)


def _exclusive(spreads: Spread, rounds: int = 8) -> Spread:
    """Each spread given that no other reading is the same card (mean field, a fixed number of rounds)."""
    shares = spreads
    for _ in range(rounds):
        absent = np.log(np.clip(1 - shares, 1e-6, 1))
        log = np.log(np.maximum(spreads, 1e-12)) + absent.sum(axis=0) - absent
        log -= log.max(axis=1, keepdims=True)
        fresh = np.exp(log)
        shares = 0.5 * shares + 0.5 * fresh / fresh.sum(axis=1, keepdims=True)
    return shares


def _hungarian(costs: Spread) -> list[int]:
    """Column for each row at the least total cost; rows at most as many as columns. Ties go to the lower column."""
    rows, columns = costs.shape
    row_price, column_price = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, came_from = [math.inf] * (columns + 1), [0] * (columns + 1)
        done = [False] * (columns + 1)
        while owner[column]:
            done[column] = True
            at, step, following = owner[column], math.inf, 0
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                cost = float(costs[at - 1, other - 1]) - row_price[at] - column_price[other]
                if cost < least[other]:
                    least[other], came_from[other] = cost, column
                if least[other] < step:
                    step, following = least[other], other
            for other in range(columns + 1):
                if done[other]:
                    row_price[owner[other]] += step
                    column_price[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    answer = [0] * rows
    for column in range(1, columns + 1):
        if owner[column]:
            answer[owner[column] - 1] = column - 1
    return answer
