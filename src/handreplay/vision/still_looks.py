"""A card of a photograph, looked at in many ways that differ a little: it is read where they agree.

An outline a few millimetres off puts an index where none should stand. So the outline is moved, turned, stretched and
bent a little, what shows is read each time, and the surest of these outlines are the middle of the next, finer round.
What the card is, is told where the most that are sure of the last round are of one mind.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handreplay.vision.straighten import turned

Floats = NDArray[np.float64]

ROUNDS = (1.0, 0.7, 0.5)  # how far the outlines of each lie apart
SUREST = 6  # of a round: the middle of the next
OF_ONE_MIND = 24  # the surest of the last round, who must name one card
ASIDE, ALONG, TURNED_DEGREES = 0.06, 0.05, 4.0  # of the card's width, of its length; at a step of 1
WIDER, LONGER, BENT = 0.07, 0.05, 0.06


@dataclass(frozen=True, eq=False)
class Settled:
    """The outline in the end (4 x 2 px), the card's number in the deck, and how sure that is: 0 where looks differ."""

    quad: Floats
    card: int
    confidence: float


def settled(read: Callable[[Sequence[Floats]], Floats], quad: Floats) -> Settled:
    """`read` gives the probabilities (N x 52) of what N outlines (4 x 2 px, from the top left corner on) show."""
    for step in ROUNDS:
        outlines = around(quad, step)
        shares = read(outlines)
        order = np.argsort(-shares.max(axis=1), kind="stable")
        best = order[:SUREST]
        card = int(shares[best].sum(axis=0).argmax())
        quad = np.average(np.stack([outlines[n] for n in best]), axis=0, weights=shares[best, card] + 1e-6)
    agreeing = order[:OF_ONE_MIND]
    card = int(shares[agreeing].sum(axis=0).argmax())
    of_one_mind = bool((shares[agreeing].argmax(axis=1) == card).all())
    return Settled(quad, card, float(shares[agreeing, card].mean()) if of_one_mind else 0.0)


def around(quad: Floats, step: float) -> list[Floats]:
    """Outlines about one: moved, turned, wider and longer or less so, and with one side further out or in."""
    middle = quad.mean(axis=0)
    across, down = (quad[1] + quad[2] - quad[0] - quad[3]) / 2, (quad[3] + quad[2] - quad[0] - quad[1]) / 2
    aside, along = step * ASIDE * across, step * ALONG * down
    found = [quad + x * aside + y * along for x in (-1, 0, 1) for y in (-1, 0, 1)]
    for way in (-1, 1):
        other = turned(quad, way * step * TURNED_DEGREES)
        found += [other - aside, other, other + aside]
    axes = np.stack([across, down])
    own = (quad - middle) @ np.linalg.inv(axes)
    for wider, longer in [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]:
        found.append(middle + own * [1 + wider * step * WIDER, 1 + longer * step * LONGER] @ axes)
    for side in range(4):
        for way in (-1, 1):
            bent, ends = quad.copy(), [side, (side + 1) % 4]
            bent[ends] += (bent[ends] - middle) * way * step * BENT
            found.append(bent)
    return found
