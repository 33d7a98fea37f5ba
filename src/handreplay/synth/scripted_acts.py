"""What hands do for each kind of event: the round log's events, one after another, as acts on a table."""

import random
from collections.abc import Sequence
from dataclasses import replace

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckChanged,
    DeckShuffled,
    Event,
    FootageGap,
    Round,
    StubCounted,
    StubMoved,
)
from handreplay.errors import LogError
from handreplay.synth.scripted_cards import SHOE, Cards
from handreplay.synth.scripted_chips import Wagers
from handreplay.synth.scripted_layout import Layout
from handreplay.synth.scripted_stage import Script, Thing
from handreplay.synth.scripted_timeline import GLIMPSE_S, Clockwork, Unfilmable, together

LEAD_S = 2.0  # before the first round and between two
TAIL_S = 2.5
DECK_CARDS = 52
_LONGEST_WAIT_S = 1.6
_LONGEST_HOLE_S = 4.0
_ELSEWHERE_S = 60.0  # rounds farther apart than this are filmed with a hole between them


class Director:
    """Plays rounds in order on one table; `script()` is what came of it, `filmed` the rounds as they were filmed."""

    def __init__(self, layout: Layout, seed: int, pace: float) -> None:
        self.filmed: list[Round] = []
        rng = random.Random(seed)
        self._clock = Clockwork(layout, rng, pace)
        self._cards = Cards(layout, self._clock, rng, DECK_CARDS)
        self._wagers = Wagers(layout, self._clock, rng)
        self._start: list[Thing] = []

    def play(self, rounds: Sequence[Round], where: str) -> None:
        """Raises LogError for what cannot be filmed, ProfileError for zones that the table does not have."""
        self._start = [*self._wagers.banks(rounds), self._cards.shoe_thing()]
        for before, round_ in zip((None, *rounds), rounds, strict=False):
            self._between(before, round_)
            self._play_round(round_, where)
        if self._cards.unaccounted:  # only the next shuffle shows that such a round is over
            self._clock.now += LEAD_S
            self._cards.new_round(replace(rounds[-1], events=()))
            self._cards.shuffle(None, 0.2, strays=False)

    def script(self) -> Script:
        end = self._clock.now + TAIL_S
        self._clock.finish(end)
        changes = sorted(self._clock.changes, key=lambda change: change.t)
        ways = list(self._clock.ways.values())
        return Script(end, tuple(self._start), changes, self._clock.carries, ways, self._clock.holes)

    def _between(self, before: Round | None, after: Round) -> None:
        """Hands rest between two rounds; cards that are left lie until they are shuffled."""
        clock, idle = self._clock, after.start - (before.end if before is not None else after.start)
        if idle > _ELSEWHERE_S:
            clock.holes.append((clock.now + 1.0, clock.now + idle - 1.0))
            clock.now += idle
        else:
            clock.now += LEAD_S
        if before is not None:
            self._wagers.take_what_is_left()
        self._cards.new_round(after)
        if before is not None and not any(isinstance(event, DeckShuffled) for event in after.events):
            self._cards.shuffle(None, 0.2)

    def _play_round(self, round_: Round, where: str) -> None:
        start, events, before = self._clock.now, [], round_.start
        for group in together(round_.events):
            wait = min(_LONGEST_WAIT_S, max(0.0, group[0].t - before))
            before = group[-1].t
            try:
                events += self._film(group, wait)
            except Unfilmable as fault:
                raise LogError(f"{where}: round {round_.number} at {group[0].t}: {fault}") from None
        self._clock.now += 0.4
        self.filmed.append(replace(round_, start=_ms(start), end=_ms(self._clock.now), events=tuple(events)))

    def _film(self, group: Sequence[Event], wait: float) -> list[Event]:
        first = group[0]
        if isinstance(first, FootageGap):
            t = self._clock.now + max(wait, 0.6)
            self._clock.now = t + min(first.until - first.t, _LONGEST_HOLE_S)
            self._clock.holes.append((t, self._clock.now))
            return [replace(first, t=_ms(t), until=_ms(self._clock.now))]
        if isinstance(first, CardMoved) and first.source == SHOE:
            wait = max(wait, GLIMPSE_S)  # time for it to be seen face up
        if not isinstance(first, CardTurned):
            return _stamped(group, self._act(group, first, wait))
        filmed: list[Event] = []
        wait = wait if first.face == "up" else max(wait, GLIMPSE_S)
        for part in self._cards.by_zone([event for event in group if isinstance(event, CardTurned)]):
            filmed += _stamped(part, self._cards.turn(part, wait))
            wait = 0.0
        return filmed

    def _act(self, group: Sequence[Event], first: Event, wait: float) -> float:
        match first:
            case CardPlaced():
                return self._cards.place([event for event in group if isinstance(event, CardPlaced)], wait)
            case CardMoved():
                return self._cards.move([event for event in group if isinstance(event, CardMoved)], wait)
            case ChipsChanged():
                return self._wagers.change(first, wait)
            case StubMoved():
                return self._cards.move_stub(first, wait)
            case StubCounted():
                return self._cards.count_stub(wait)
            case DeckShuffled():
                return self._cards.shuffle(first, wait)
            case DeckChanged():
                return self._cards.change_deck(first, wait)
        self._clock.now += max(wait, 0.05)  # declared: nothing to see
        return self._clock.now


def _stamped(group: Sequence[Event], t: float) -> list[Event]:
    return [replace(event, t=_ms(t + 0.001 * number)) for number, event in enumerate(group)]


def _ms(t: float) -> float:
    return round(t, 3)
