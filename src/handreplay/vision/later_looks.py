"""Faces that could not be read, looked at again while they lie there: by then the recorder has coded them afresh.

However often it is looked at, a card at rest has one say in the vote on what it is: such looks err alike. So the first
look keeps to itself what it made of a face that it could not read, and the last one tells what came of all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.vision.change import Rest
from handreplay.vision.fans import LEAST_GAP_MM

AGAIN_SECONDS = 1.2
AGAIN_TIMES = 3
SAME_PLACE_MM = 8.0
SPEAKS_FOR = 0.7  # probability from which a look speaks for a card
HOLE_SHARE = 1.6  # a gap in a row of cards, against the least of it, that may hold another one


@dataclass(frozen=True, slots=True)
class LaterLook:
    """When a zone that rests is to be looked at again, how often still, and what has been seen there so far."""

    due: float  # seconds
    left: int
    rest: Rest
    seen: ZoneSeen


def unread(cards: Sequence[SeenCard]) -> bool:
    """Is there a face that was not read, or room for one that was not found?"""
    faces = [card for card in cards if card.face_up]
    return any(not isinstance(card.identity, Known) for card in faces) or _holed(faces)


def _holed(faces: Sequence[SeenCard]) -> bool:
    """Is there a gap in the row of cards laid open that is wide enough for one more?"""
    if len(faces) < 3:
        return False
    middles = np.array([np.mean(card.corners_mm, axis=0) for card in faces])
    way = np.linalg.svd(middles - middles.mean(axis=0))[2][0]
    gaps = np.diff(np.sort(middles @ way))
    return bool(gaps.max() > max(LEAST_GAP_MM, HOLE_SHARE * gaps.min()))


def withheld(seen: ZoneSeen) -> ZoneSeen:
    """The observation without a word on what its unread faces may be."""
    cards = tuple(card if isinstance(card.identity, Known) else replace(card, probabilities=()) for card in seen.cards)
    return replace(seen, cards=cards)


def together(before: Sequence[SeenCard], now: Sequence[SeenCard]) -> list[SeenCard]:
    """Two looks at the same cards: the one that reads more of them, each face as read by the surer of the two."""
    most, other = (now, before) if _read(now) >= _read(before) else (before, now)
    return [_surer(card, next((one for one in other if _same_place(card, one)), None)) for card in most]


def _read(cards: Sequence[SeenCard]) -> int:
    return sum(isinstance(card.identity, Known) for card in cards)


def _same_place(one: SeenCard, other: SeenCard) -> bool:
    apart = np.mean(one.corners_mm, axis=0) - np.mean(other.corners_mm, axis=0)
    return one.face_up and other.face_up and float(np.hypot(*apart)) <= SAME_PLACE_MM


def _surer(card: SeenCard, other: SeenCard | None) -> SeenCard:
    if other is None or not card.probabilities or not other.probabilities:
        return card
    ours, theirs = np.array(card.probabilities), np.array(other.probabilities)
    if ours.argmax() != theirs.argmax() and min(ours.max(), theirs.max()) >= SPEAKS_FOR:
        mean = tuple(((ours + theirs) / 2).tolist())
        return replace(card, probabilities=mean, identity=Unreadable("index not clear"))
    if ours.max() >= theirs.max():
        return card
    return replace(card, probabilities=other.probabilities, identity=other.identity)
