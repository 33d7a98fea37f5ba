"""A face that could not be read is looked at once more, a few millimetres aside.

Where white cards lie on white cards their edges hardly show, so an outline may be some millimetres off, and the reader
then sees an index where none should stand. Crops are cheap: some more are cut around, and the surest of them counts if
another one agrees and none speaks for another card.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handreplay.vision.card_reader import CardReading
from handreplay.vision.straighten import CARD_WIDTH_MM, Picture, straighten, turned

Floats = NDArray[np.float64]

READ = 0.9  # surer than this, a face needs no second look
AGREES = 0.5
# the surest look at least, how many looks agree at least, and what no look may give another card
STANDS = ((0.95, 2, 0.5), (READ, 3, 0.3))
STANDS_LATER = ((0.93, 8, 0.45),)  # the same of the further rounds, which are all about the surest look
ASIDE_MM = 3.0
SHIFTS = (*((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y), (-2, 0), (2, 0))
NEAR = ((-1, 0), (1, 0), (0, -1), (0, 1))
TURNED_DEGREES = 5.0
ROUNDS = 4
PROMISES = (0.7, 2)  # the surest look and the number that agree, of a round that is worth another one
CLEAR = (0.97, 12, 2)  # there, a look so sure and so many that agree stand against so few for another card


class CardNet(Protocol):
    def read(self, crops: list[Picture]) -> list[CardReading]: ...


def second_look(cards: CardNet, tile: Picture, corners_px: Floats, first: CardReading) -> CardReading:
    """The reading of a face whose outline (4 x 2, px of the tile, beginning with a short side) may be a little off."""
    if max(first.spread()) >= READ:
        return first
    return borne_out(cards, tile, corners_px, first) or first


def borne_out(cards: CardNet, tile: Picture, corners_px: Floats, first: CardReading) -> CardReading | None:
    """The surest reading at and around an outline, if it is sure enough and the others let it stand.

    Where it is not, but promises something, the surest outline is the middle of another round of looks.
    """
    for number in range(ROUNDS):
        outlines = [corners_px, *_around(corners_px, turns=number > 0)]
        readings = [first, *cards.read([straighten(tile, outline) for outline in outlines[1:]])]
        spreads = np.array([reading.spread() for reading in readings])
        best, card = np.unravel_index(int(spreads.argmax()), spreads.shape)
        own, others = spreads[:, card], np.delete(spreads, card, axis=1).max(axis=1)
        sure, agree, against = float(own[best]), int((own >= AGREES).sum()), int((others >= AGREES).sum())
        stands = STANDS_LATER if number else STANDS
        clear = number > 0 and sure >= CLEAR[0] and agree >= CLEAR[1] and against <= CLEAR[2]
        if clear or any(sure >= least and agree >= many and others.max() < rival for least, many, rival in stands):
            return readings[int(best)]
        stays = number > 0 and not best  # another round would be this one again
        if stays or sure < PROMISES[0] or agree < PROMISES[1]:
            return None
        corners_px, first = outlines[int(best)], readings[int(best)]
    return None


def _around(corners_px: Floats, *, turns: bool) -> list[Floats]:
    """Outlines a little aside of one, with `turns` turned as well: cards laid open lie less straight than their row."""
    width = np.asarray(corners_px[1] - corners_px[0], float)
    across = width / max(float(np.hypot(*width)), 1e-9)
    along = np.array([-across[1], across[0]])
    aside = ASIDE_MM * float(np.hypot(*width)) / CARD_WIDTH_MM
    around = [corners_px + (x * across + y * along) * aside for x, y in SHIFTS]
    for degrees in (-TURNED_DEGREES, TURNED_DEGREES) if turns else ():
        outline = turned(corners_px, degrees)
        around += [outline + (x * across + y * along) * aside for x, y in ((0, 0), *NEAR)]
    return around
