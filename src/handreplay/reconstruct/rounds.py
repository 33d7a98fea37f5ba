"""Observations become rounds: where one ends and the next begins.

A round is over when its cards have left the felt and then the rack is emptied, a wager is put down or a card is dealt.
A card that was forgotten on the felt does not hold it open once the rack is emptied.
Looks that arrive after its end belong to the next one; chips that stay on the layout are carried over.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from handreplay.core.events import Round
from handreplay.core.observations import (
    Observation,
    PictureLost,
    ZoneCovered,
    ZoneSeen,
    ZoneUncovered,
)
from handreplay.reconstruct.assemble import Sightings, TableView, assemble
from handreplay.reconstruct.found import SHOE

AT_START_SECONDS = 2.0
FORGOTTEN = 1  # so many cards may be left lying when the others have been picked up
MANY = 4  # so many lie when the deal is well on


@dataclass(slots=True)
class RoundMaker:
    """Feed it observations in time order; it gives each round when its end has been seen."""

    view: TableView
    number: int = 0
    _now: Sightings = field(default_factory=Sightings)
    _lying: dict[str, int] = field(default_factory=dict)  # cards in each zone but the rack
    _most: int = 0  # cards that lay in all zones but the rack at once
    _left: float = 0.0  # seconds when cards were last taken from a zone
    _racked: bool = False
    _first_seen: set[str] = field(default_factory=set)
    _started_within: bool = False

    def feed(self, observation: Observation) -> Iterator[Round]:
        match observation:
            case ZoneSeen():
                yield from self._zone(observation)
            case PictureLost():
                self._now.gaps.append(observation)
            case ZoneCovered() | ZoneUncovered():
                self._now.covered.append(observation)

    def finish(self) -> Iterator[Round]:
        """The round that was open when the footage ended, if there was one."""
        if self._now.has_cards() or self._now.has_wagers():
            clear = self._now.has_cards() and not any(self._lying.values())
            yield self._close(None if clear else "footage ends within the round")

    def _zone(self, look: ZoneSeen) -> Iterator[Round]:
        kind = look.zone.rpartition(".")[2]
        if look.zone == SHOE:
            self._now.add(look)
            return
        if look.zone not in self._first_seen:
            self._first_seen.add(look.zone)
            if look.start <= AT_START_SECONDS and look.cards and look.zone != "rack":
                self._started_within = True
        if self._is_clear() and self._begins_another(look, kind):
            yield self._close(None)
        self._now.add(look)
        if look.zone == "rack":
            emptied = self._racked and not look.filled
            self._racked = look.filled
            if emptied and (self._is_clear() or self._left_lying()):
                self._now.emptied = None
                yield self._close(None)
                self._now.emptied = look.start
        elif not look.partly or len(look.cards) > self._lying.get(look.zone, 0):
            left = self._lying.get(look.zone, 0) > len(look.cards)
            self._lying[look.zone] = len(look.cards)
            self._most = max(self._most, sum(self._lying.values()))
            if left:
                self._left = max(self._left, look.start)
            if left and self._is_clear():
                yield from self._told_late()

    def _told_late(self) -> Iterator[Round]:
        """Wagers put down since the felt was clear, where that is told only after them, belong to the next round."""
        begun: set[str] = set()
        chips: dict[str, bool] = {}
        for look in self._now.looks:
            if look.start > self._left and look.stacks and not look.cards and not chips.get(look.zone):
                begun.add(look.zone)
            chips[look.zone] = bool(look.stacks)
        ahead = [look for look in self._now.looks if look.start > self._left and look.zone in begun]
        if ahead:
            self._now.take_back(ahead)
            yield self._close(None)
            for look in ahead:
                yield from self._zone(look)

    def _is_clear(self) -> bool:
        return self._now.has_cards() and not any(self._lying.values())

    def _left_lying(self) -> bool:
        """Have all hands gone but for a card that was forgotten?"""
        return sum(self._lying.values()) <= FORGOTTEN < MANY <= self._most

    def _begins_another(self, look: ZoneSeen, kind: str) -> bool:
        if look.zone == "rack":
            return False
        if kind in ("cards", "community"):
            return bool(look.cards)
        return bool(look.stacks) and not self._now.has_chips(look.zone)

    def _close(self, partial: str | None) -> Round:
        self.number += 1
        if self._started_within:
            partial = partial or "footage starts within the round"
        made = assemble(self._now, view=self.view, number=self.number, partial=partial)
        self._started_within = False
        self._most = 0
        self._lying.clear()  # of a card that was forgotten the next round tells nothing
        self._now = self._now.carried_over()
        return made


def rounds(observations: Iterable[Observation], view: TableView) -> Iterator[Round]:
    """Rounds in order, numbered from 1; memory holds one round at a time."""
    maker = RoundMaker(view)
    for observation in observations:
        yield from maker.feed(observation)
    yield from maker.finish()
