"""In which order the open cards of a hand were dealt, from how they lie.

Cards that are laid open on one another show it: the first lies under the others. Of the dealer's, turned one by one,
the first is open first. Cards that lie side by side keep the direction in which their backs came to lie, unless this
dealer is seen to turn whole hands round.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from handreplay.core.observations import Point
from handreplay.reconstruct.card_story import CardStory, Show
from handreplay.reconstruct.hands import (
    HARDLY_COVERED,
    SAME_BACK_MM,
    SIDE_BY_SIDE_MM,
    STRIP_VISIBLE,
    WIDEST_STEP_MM,
    from_left,
)
from handreplay.reconstruct.votes import distance

ON_TOP = 0.05  # of two cards that overlap, the upper one shows this much more of itself
ONE_CARD_MM = 16.0  # an unread strip this near to a face that was read is no card beside it
AS_READ = 1  # from the holder's left to the right


@dataclass(slots=True)
class Habit:
    """How hands are laid open at this table, as those hands have shown that tell it by themselves."""

    kept: Counter[int] = field(default_factory=Counter)  # 1: in the direction of the backs, -1: the other way round
    ways: Counter[tuple[bool, int]] = field(default_factory=Counter)  # (the dealer's hand, way)

    def note(self, row: "_Row", way: int) -> None:
        self.ways[row.dealer, way] += 1
        if drift := row.drift():
            self.kept[drift * way] += 1

    def way(self, row: "_Row") -> int:
        """The way in which a hand was laid open that does not tell it by itself."""
        if drift := row.drift():
            return drift if self.kept[1] >= self.kept[-1] else -drift
        return AS_READ if self.ways[row.dealer, AS_READ] >= self.ways[row.dealer, -AS_READ] else -AS_READ


def in_deal_order(hands: Mapping[str, list[CardStory]], habit: Habit) -> None:
    """Give the cards of each hand that were turned up the places in the deal that their lie tells; notes habits."""
    rows = [row for zone, cards in sorted(hands.items()) if zone != "community" and (row := _row(zone, cards))]
    told = [row.way_told() for row in rows]
    for row, way in zip(rows, told, strict=True):
        if way:
            habit.note(row, way)
    for row, way in zip(rows, told, strict=True):
        _put(hands[row.zone], row, way or habit.way(row))


@dataclass(frozen=True, slots=True)
class _Row:
    """The open cards of one hand from the holder's left to the right, and where they lie."""

    zone: str
    cards: tuple[CardStory, ...]
    lie: tuple[Show, ...]
    backs: tuple[Point, ...]  # where the hand's backs came to lie, by time

    @property
    def dealer(self) -> bool:
        return not self.zone.startswith("seat")

    def drift(self) -> int:
        """The way in which the backs came to lie: 1, -1, or 0 if they lay squarely on one another."""
        if len(self.backs) < 2:
            return 0
        (x0, y0), (x1, y1) = self.lie[0].place, self.lie[-1].place
        (a0, b0), (a1, b1) = self.backs[0], self.backs[-1]
        along = ((a1 - a0) * (x1 - x0) + (b1 - b0) * (y1 - y0)) / max(math.hypot(x1 - x0, y1 - y0), 1e-9)
        return 0 if abs(along) < SAME_BACK_MM else _sign(along)

    def way_told(self) -> int:
        """1 if the leftmost card is the first, -1 if it is the last, 0 if the row does not tell.

        Shares that show are rough between cards that both lie under others; then what was open first weighs more.
        """
        left, right = self._shares()
        uppermost = 0 if max(left, right) < HARDLY_COVERED else self._upwards()
        opened = [card.turns[-1].t for card in self.cards] if self.dealer else []
        later = sum(_sign(opened[j] - opened[i]) for j in range(len(opened)) for i in range(j))
        return uppermost or _sign(later) or self._upwards()

    def _upwards(self) -> int:
        """The way to the card that lies on the others."""
        left, right = self._shares()
        return 0 if abs(right - left) < ON_TOP else _sign(right - left)

    def _shares(self) -> tuple[float, float]:
        """How much shows of the two at the ends, on average; nothing is told of cards that lie side by side."""
        if not any(distance(one.place, other.place) < SIDE_BY_SIDE_MM for one, other in pairwise(self.lie)):
            return 0.0, 0.0
        first = {show.t: show.visible for show in self.cards[0].shows}
        both = [(first[show.t], show.visible) for show in self.cards[-1].shows if show.t in first]
        if not both:
            return 0.0, 0.0
        return sum(left for left, _ in both) / len(both), sum(right for _, right in both) / len(both)


def _row(zone: str, cards: Sequence[CardStory]) -> _Row | None:
    """The open cards of a hand, as they lay when most of them showed; None for fewer than two."""
    dealt = _dealt(zone, cards)
    shown = [card for card in dealt if card.shows and card.is_up()]
    times = Counter(show.t for card in shown for show in card.shows)
    if len(shown) < 2 or len(shown) < sum(card.shows != [] for card in dealt):
        return None
    best = max(times, key=lambda t: (times[t], -t))
    lie = {id(card): next((show for show in card.shows if show.t == best), card.shows[-1]) for card in shown}
    shown = [card for card in shown if not _is_strip(card, shown, lie)]
    if len(shown) < 2:
        return None
    shown.sort(key=lambda card: from_left(zone, lie[id(card)].place))
    backs = tuple(card.came_at for card in dealt if card.came_at is not None)
    return _Row(zone, tuple(shown), tuple(lie[id(card)] for card in shown), backs)


def _dealt(zone: str, cards: Sequence[CardStory]) -> list[CardStory]:
    """The cards whose order is asked for: those that came face down, or a player's hand that was first seen open."""
    first_seen_open = zone.startswith("seat") and all(card.came_at is None for card in cards)
    return [card for card in cards if first_seen_open or not card.face_up]


def _is_strip(card: CardStory, shown: Sequence[CardStory], lie: Mapping[int, Show]) -> bool:
    """Is it but part of another card, or of one whose place cannot be told?"""
    own = lie[id(card)]
    others = [lie[id(other)] for other in shown if other is not card and other.face() is not None]
    near = any(distance(own.place, other.place) <= ONE_CARD_MM for other in others)
    return near and card.face() is None and own.visible < STRIP_VISIBLE


def _put(cards: list[CardStory], row: _Row, way: int) -> None:
    """Deal the hand's backs to its faces in this order; those that were never seen lie in the gaps between them."""
    lie = list(zip(row.cards, row.lie, strict=True))[::way]
    dealt = _dealt(row.zone, cards)
    unseen = [card for card in dealt if not any(card is other for other in row.cards)]
    ordered = [lie[0][0]]
    for (_, before), (card, show) in pairwise(lie):
        hidden = _room_between(before, show)
        ordered += unseen[:hidden]
        del unseen[:hidden]
        ordered.append(card)
    ordered += unseen
    came = [replace(card) for card in dealt]
    if any(card.face_up for card in dealt):  # first seen open: they lay there together before
        earliest = min(t for card in dealt for t in (card.placed, *(turn.t for turn in card.turns)))
        came = [replace(came[0], placed=earliest) for _ in came]
    if any(turn.t < back.placed for card, back in zip(ordered, came, strict=True) for turn in card.turns):
        return
    for card, back in zip(ordered, came, strict=True):
        card.placed, card.frame, card.certainty, card.timed = back.placed, back.frame, back.certainty, back.timed
        card.came_at = back.came_at
    cards[:] = [*ordered, *(card for card in cards if not any(card is other for other in dealt))]
    cards.sort(key=lambda card: card.placed)


def _room_between(one: Show, other: Show) -> int:
    """How many cards more lie between two of a hand laid open, at least."""
    apart = distance(one.place, other.place)
    beside = apart >= SIDE_BY_SIDE_MM and min(one.visible, other.visible) >= HARDLY_COVERED
    return 0 if beside else math.ceil(apart / WIDEST_STEP_MM) - 1


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
