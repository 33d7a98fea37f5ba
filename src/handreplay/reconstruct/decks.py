"""Which of a table's two decks is in play, told by the colour of its backs.

A lamp tints all backs alike, and a print of two colours looks like a third. So the colours that the profile names only
say which deck is which when it is first seen; from then on backs are compared with backs.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from handreplay.core.observations import Tint

SAME_TINT = 14.0  # in Lab, brightness left out: backs of one deck under one lamp
OTHER_TINT = 22.0  # backs of another deck differ by more
LEAST_COLOUR = 8.0  # less is grey
LEAST_TURN = math.radians(50)  # between the hues of two decks; two reds are not told apart
LEAST_CARDS = 3  # from which a deck's colour is learnt


@dataclass(slots=True)
class Decks:
    """The decks seen at one table so far, by their numbers in the profile."""

    _seen: dict[int, Tint] = field(default_factory=dict)

    def learn(self, tints: Sequence[Tint], named: Sequence[Tint]) -> None:
        """The backs of one round, most of them of the deck in play, and those of two decks as the profile has them.

        Where one deck is in use nothing is learnt.
        """
        if len(named) != 2 or not _apart(*named) or len(tints) < LEAST_CARDS:
            return
        middle = (median(a for a, _ in tints), median(b for _, b in tints))
        if math.hypot(*middle) < LEAST_COLOUR:
            return  # a picture without colour shows no deck
        if self.of(middle) is None and all(math.dist(middle, known) >= OTHER_TINT for known in self._seen.values()):
            free = [number for number in range(len(named)) if number not in self._seen]
            if free:
                self._seen[min(free, key=lambda number: _turn(middle, named[number]))] = middle

    def of(self, tint: Tint | None) -> int | None:
        """The number of the deck whose back looks like that; None where that cannot be told."""
        if tint is None:
            return None
        near = [number for number, known in self._seen.items() if math.dist(tint, known) <= SAME_TINT]
        return near[0] if len(near) == 1 else None

    def in_play(self, tints: Iterable[Tint]) -> int | None:
        """The deck that most of these are of."""
        told = Counter(number for tint in tints if (number := self.of(tint)) is not None)
        return told.most_common(1)[0][0] if told else None


def _apart(one: Tint, other: Tint) -> bool:
    """May the two be told apart under any lamp?"""
    return min(math.hypot(*one), math.hypot(*other)) >= LEAST_COLOUR and _turn(one, other) >= LEAST_TURN


def _turn(one: Tint, other: Tint) -> float:
    """By how much the hues of two tints differ, radians."""
    away = abs(math.atan2(one[1], one[0]) - math.atan2(other[1], other[0]))
    return min(away, 2 * math.pi - away)
