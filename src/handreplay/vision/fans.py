"""Cards of a hand laid open that were not found, or not where they lie.

White cards that overlap show hardly an edge: the one in the middle may go unseen, or be given an outline some
millimetres off, though its index is in plain sight. So the row from the first to the last of the hand is gone along in
small steps, what shows at each is read, and believed only where it is read surely. Where several steps show one card,
though not surely, a card lies there: it is told of with what it may be, for other cards may decide.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.vision.card_reader import CardReading
from handreplay.vision.second_look import READ, CardNet, borne_out
from handreplay.vision.straighten import CARD_WIDTH_MM, Picture, straighten
from handreplay.vision.table_eye import CardBox

Floats = NDArray[np.float64]
Read = tuple[CardBox, CardReading]

STEP_MM = 4.0
BEYOND_MM = 12.0  # the ends' outlines may be off as well
PROMISING = 0.4  # worth a closer look
LIKELY = 0.6  # a look that shows that a card lies there, though not surely which
ABOVE_MM = 9.0  # further towards the top of the row a card lies on this one
INNER_SHARE = 0.93  # of an outline that may be off
SAME_PLACE_MM = 8.0  # nearer than this to a card that was read, its own index is all that can be read
ONE_CARD_MM = 16.0  # nearer than this two outlines are of one card; a hand is spread wider
LEAST_GAP_MM = 34.0  # two cards nearer than this have none between them whose index shows
WHOLE = 0.9  # share of a card that shows, where nothing lies on it
UNDER_BOTH_MM = 30.0  # of a card that lies under two whole ones as much may show; in a fan only the uppermost is whole
MOST_LENGTH_MM = 260.0
MOST_ASIDE_MM = 22.0
MOST_TURN_DEGREES = 18.0


def laid_open(cards: CardNet, tile: Picture, px_per_mm: float, read: Sequence[Read]) -> list[Read]:
    """The cards of a view as they were read, together with those of a row that can be read between them.

    Outlines are px of the view at 1 px/mm, the tile shows it at `px_per_mm`. An unread face makes way for one that is
    found near it.
    """
    row = row_of([box for box, _ in read])
    faces = [(box, reading) for box, reading in read if any(box is one for one in row)]
    known = {reading.card for _, reading in faces if max(reading.spread()) >= READ}
    read_faces = [box for box, reading in faces if max(reading.spread()) >= READ]
    gaps = [pair for pair in pairwise(row) if apart(*pair) >= LEAST_GAP_MM and not _side_by_side(*pair, read_faces)]
    if len(known) == len(row) and not gaps:
        return list(read)
    places = _places(row, read_faces)
    blanks = [Blank.of(tile, px_per_mm, box) for box in read_faces] if places else []
    views = _without_upper(tile, row, places, blanks) if places else []
    looks = cards.read([straighten(view, at.corners * px_per_mm) for view, at in zip(views, places, strict=True)])
    found: list[Read] = []
    for place, view, look in sorted(zip(places, views, looks, strict=True), key=lambda one: -max(one[2].spread())):
        if look.kind == "face" and max(look.spread()) >= PROMISING and look.card not in known and _clear(place, found):
            outline = place.corners * px_per_mm
            sure = borne_out(cards, view, outline, look) or borne_out(cards, tile, outline, look)
            if sure is not None and sure.card not in known:
                known.add(sure.card)
                found.append((place, sure))
    found += list(_doubtful(row, places, looks, known, found))
    unread = [box for box, reading in faces if max(reading.spread()) < READ]
    gone = [box for box in unread if not _clear(box, found)]
    return [one for one in read if not any(one[0] is box for box in gone)] + found


def _places(row: Sequence[CardBox], read_faces: Sequence[CardBox]) -> list[CardBox]:
    """Outlines along the row in which a card may lie that was not read."""
    full = [pair for pair in pairwise(row) if _side_by_side(*pair, read_faces)]
    return [
        at
        for at in _along(row)
        if all(apart(at, box) > SAME_PLACE_MM for box in read_faces)
        and not any(max(apart(at, one), apart(at, other)) < apart(one, other) for one, other in full)
    ]


def _side_by_side(one: CardBox, other: CardBox, read_faces: Sequence[CardBox]) -> bool:
    """Two whole cards that were read, too near each other for one between them that was not found."""
    whole = min(one.visible, other.visible) >= WHOLE and apart(one, other) <= CARD_WIDTH_MM + UNDER_BOTH_MM
    return whole and all(any(box is face for face in read_faces) for box in (one, other))


def _doubtful(
    row: Sequence[CardBox],
    places: Sequence[CardBox],
    looks: Sequence[CardReading],
    known: Container[str],
    found: Sequence[Read],
) -> Iterator[Read]:
    """Of each gap in the row the likeliest card, where more than one place shows it: it lies there, whatever it is."""
    for one, other in pairwise(row):
        if apart(one, other) < LEAST_GAP_MM:
            continue
        within = [
            (at, look)
            for at, look in zip(places, looks, strict=True)
            if look.kind == "face" and max(apart(at, one), apart(at, other)) < apart(one, other) - SAME_PLACE_MM
        ]
        place, best = max(within, key=lambda seen: max(seen[1].spread()), default=(None, None))
        if place is None or best is None or best.card in known or not _clear(place, found):
            continue
        agree = sum(look.card == best.card and max(look.spread()) >= LIKELY for _, look in within)
        if agree > 1:
            yield place, best


@dataclass(frozen=True, eq=False)
class Blank:
    """A card that was read, and what it would look like without its print."""

    box: CardBox
    outline: NDArray[np.int32]  # of its inner part, px of the tile
    paper: tuple[float, ...]  # BGR

    @classmethod
    def of(cls, tile: Picture, px_per_mm: float, box: CardBox) -> "Blank":
        inner = (_middle(box) + (box.corners - _middle(box)) * INNER_SHARE) * px_per_mm
        outline = np.round(inner).astype(np.int32)
        mask = np.zeros(tile.shape[:2], np.uint8)
        cv2.fillPoly(mask, [outline], 1)
        paper = np.percentile(tile[mask > 0], 75, axis=0).tolist() if mask.any() else (235, 235, 235)
        return cls(box, outline, tuple(paper))

    def lay(self, view: Picture) -> None:
        """Paint over the card's print."""
        cv2.fillPoly(view, [self.outline], self.paper)


def _without_upper(
    tile: Picture, row: Sequence[CardBox], places: Sequence[CardBox], read_faces: Sequence[Blank]
) -> list[Picture]:
    """For each place the tile without the print of those cards that lie on the card there: another's index would
    mislead.

    The end of the row that shows the most of its card lies on top.
    """
    top, bottom = (row[0], row[-1]) if row[0].visible > row[-1].visible else (row[-1], row[0])
    way = _middle(top) - _middle(bottom)
    least = ABOVE_MM * np.hypot(*way)
    views: dict[tuple[bool, ...], Picture] = {}
    shown = []
    for place in places:
        upper = tuple(float((_middle(blank.box) - _middle(place)) @ way) > least for blank in read_faces)
        if upper not in views:
            views[upper] = tile.copy() if any(upper) else tile
            for blank in compress(read_faces, upper):
                blank.lay(views[upper])
        shown.append(views[upper])
    return shown


def _clear(box: CardBox, found: Sequence[Read]) -> bool:
    return all(apart(box, other) > ONE_CARD_MM for other, _ in found)


def row_of(boxes: Sequence[CardBox]) -> list[CardBox]:
    """The open cards that lie in one row, in its order; none when no two do."""
    faces = [box for box in boxes if box.face_up]
    pairs = [(one, other) for number, one in enumerate(faces) for other in faces[number + 1 :]]
    rows = [[one, *_between(faces, one, other), other] for one, other in pairs if _turned_like(one, other) is not None]
    return max(rows, key=lambda row: (len(row), apart(row[0], row[-1])), default=[])


def _along(row: Sequence[CardBox]) -> list[CardBox]:
    """Outlines STEP_MM apart from a little before the first to a little beyond the last card of a row."""
    last = _turned_like(row[0], row[-1]) if row else None
    if last is None:
        return []
    length = apart(row[0], row[-1])
    shares = np.arange(-BEYOND_MM, length + BEYOND_MM + STEP_MM / 2, STEP_MM) / length
    first = row[0].corners
    return [CardBox(first + (last - first) * share, True, 0.5, 0.9, 0.4) for share in shares]


def _between(faces: Sequence[CardBox], first: CardBox, last: CardBox) -> Iterator[CardBox]:
    start, way = _middle(first), _middle(last) - _middle(first)
    shares = [(float((_middle(box) - start) @ way) / float(way @ way), number) for number, box in enumerate(faces)]
    for share, number in sorted(shares):
        box = faces[number]
        aside = float(np.linalg.norm(_middle(box) - start - share * way))
        if box is not first and box is not last and 0 < share < 1 and aside <= MOST_ASIDE_MM:
            yield box


def _turned_like(one: CardBox, other: CardBox) -> Floats | None:
    """The other outline, its corners in the order of the first, if both lie in one row, aside of each other."""
    across = one.corners[1] - one.corners[0]
    unit = across / max(float(np.linalg.norm(across)), 1e-9)
    turned = max((other.corners, np.roll(other.corners, 2, axis=0)), key=lambda corners: float(_across(corners) @ unit))
    cosine = float(_across(turned) @ unit) / max(float(np.linalg.norm(_across(turned))), 1e-9)
    way = turned.mean(axis=0) - _middle(one)
    beside, aside = abs(float(way @ unit)), abs(float(way @ np.array([-unit[1], unit[0]])))
    in_row = STEP_MM < beside <= MOST_LENGTH_MM and aside <= MOST_ASIDE_MM + beside / 4
    return turned if in_row and cosine >= np.cos(np.radians(MOST_TURN_DEGREES)) else None


def _across(corners: Floats) -> Floats:
    return np.asarray(corners[1] - corners[0])


def _middle(box: CardBox) -> Floats:
    return np.asarray(box.corners.mean(axis=0))


def apart(one: CardBox, other: CardBox) -> float:
    """Between the middles of two outlines."""
    return float(np.linalg.norm(_middle(one) - _middle(other)))
