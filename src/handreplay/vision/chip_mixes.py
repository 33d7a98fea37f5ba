"""What a stack of so many chips may be made of, when little but its topmost chip shows.

The lower chips of a stack are stripes of one or two pixels, and a recorder's coding takes most of their colour. So the
reader's word on them is heard at a discount, against how often stacks are mixed at all: now and then a few chips lie on
chips of the next higher value, seldom on others, and hardly ever as many as would make one of the next.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from handreplay.core.money import Chips, cents

NEXT_HIGHER = 0.6  # weight of each mix of a few chips on the next higher value, against all chips alike
OTHER_HIGHER = 0.05  # of that, on a value higher still
OVERFULL = 0.03  # of that, when the chips on top would make one of the next
ON_LOWER = 0.06  # weight of each mix of higher chips on lower ones
OF_THREE = 0.005  # weight of each pile of three or more values that the reader names
TRUST = 0.25  # exponent of the reader's odds
_UNNAMED = 3e-5  # probability of a pile that the reader does not name
_LEAST = 1e-5


def mixes(
    named: Sequence[tuple[Chips, float]],
    topmost: Sequence[tuple[str, float]],
    numbers: NDArray[np.float64],
    values: Sequence[str],
) -> tuple[tuple[Chips, float], ...]:
    """Every pile that may stand there with its probability, most probable first, equal ones in a fixed order.

    `named` are the reader's piles, `topmost` the values its topmost chip may have, `numbers` the probabilities of 1, 2
    ... chips, `values` the denominations in play; all probabilities.
    """
    by_pile, several = dict(named), _of_several(named)
    shares: dict[Chips, float] = {}
    for top, on_top in topmost:
        for number, chance in enumerate(numbers.tolist(), start=1):
            if on_top * chance < _LEAST:
                continue
            weights = _weights(top, number, by_pile, values)
            alike = max(by_pile.get(((top, number),), 0.0), _UNNAMED)
            for pile, named_at in several.get((top, number), ()):
                weights[pile] = OF_THREE * (named_at / alike) ** TRUST
            total = sum(weights.values())
            for pile, weight in weights.items():
                shares[pile] = shares.get(pile, 0.0) + on_top * chance * weight / total
    kept = {pile: share for pile, share in shares.items() if share > _LEAST}
    total = sum(kept.values())
    return tuple(sorted(((pile, share / total) for pile, share in kept.items()), key=lambda item: (-item[1], item[0])))


def _weights(top: str, number: int, named: Mapping[Chips, float], values: Sequence[str]) -> dict[Chips, float]:
    """Weights of the piles of `number` chips with `top` uppermost."""
    alike = max(named.get(((top, number),), 0.0), _UNNAMED)
    weights: dict[Chips, float] = {((top, number),): 1.0}
    following = min((cents(value) for value in values if cents(value) > cents(top)), default=None)
    for under in values:
        if under == top:
            continue
        lower = cents(under) < cents(top)
        weight = ON_LOWER if lower else NEXT_HIGHER * (1.0 if cents(under) == following else OTHER_HIGHER)
        for below in range(1, number):
            above = number - below
            pile: Chips = ((under, below), (top, above)) if lower else ((top, above), (under, below))
            full = not lower and following is not None and above * cents(top) >= following
            odds = max(named.get(pile, 0.0), _UNNAMED) / alike
            weights[pile] = weight * (OVERFULL if full else 1.0) * odds**TRUST
    return weights


def _of_several(named: Sequence[tuple[Chips, float]]) -> dict[tuple[str, int], list[tuple[Chips, float]]]:
    """The reader's piles of three or more values: by each value that may be uppermost and the number of chips."""
    found: dict[tuple[str, int], list[tuple[Chips, float]]] = {}
    for pile, chance in named:
        if len(pile) > 2:
            size = sum(count for _, count in pile)
            for value, _ in pile:
                found.setdefault((value, size), []).append((pile, chance))
    return found
