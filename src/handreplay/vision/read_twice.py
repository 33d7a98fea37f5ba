"""Two faces in one view that were read alike: of one deck, one of them only seems to show the other's index.

Decks with an index in each corner lay one beside the next card's edge, where that card's own index should stand. So
each of the two is read once more without the other's print.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from handreplay.vision.card_reader import CardReading
from handreplay.vision.fans import ONE_CARD_MM, Blank, Read, apart
from handreplay.vision.second_look import READ, CardNet
from handreplay.vision.straighten import CARD_HEIGHT_MM, Picture, straighten


def each_read_once(cards: CardNet, tile: Picture, px_per_mm: float, read: Sequence[Read]) -> list[Read]:
    """The cards of a view, those that only show another's index not read, and of two outlines of one card the better.

    Outlines are px of the view at 1 px/mm, the tile shows it at `px_per_mm`.
    """
    kept = list(read)
    for one, other in combinations(range(len(read)), 2):
        if _alike(kept[one], kept[other]) and apart(kept[one][0], kept[other][0]) <= CARD_HEIGHT_MM:
            for loser in _losers(cards, tile, px_per_mm, kept, (one, other)):
                kept[loser] = kept[loser][0], _unread(kept[loser][1])
    return kept


def _alike(one: Read, other: Read) -> bool:
    sure = all(box.face_up and max(reading.spread()) >= READ for box, reading in (one, other))
    return sure and one[1].card == other[1].card


def _losers(
    cards: CardNet, tile: Picture, px_per_mm: float, read: Sequence[Read], pair: tuple[int, int]
) -> Iterator[int]:
    """Which of two faces that were read alike does not bear it out; none where both do, and they are two cards."""
    boxes = [read[number][0] for number in pair]
    if apart(*boxes) <= ONE_CARD_MM:
        return  # two outlines of one card
    crops = []
    for own, other in (boxes, boxes[::-1]):
        view = tile.copy()
        Blank.of(tile, px_per_mm, other).lay(view)
        crops.append(straighten(view, own.corners * px_per_mm))
    card = read[pair[0]][1].card
    stands = [look.card == card and max(look.spread()) >= READ for look in cards.read(crops)]
    if stands[0] != stands[1]:
        yield pair[stands.index(False)]
    elif not stands[0]:
        yield pair[int(np.argmin([box.visible for box in boxes]))]


def _unread(reading: CardReading) -> CardReading:
    return replace(reading, readable=0.0)
