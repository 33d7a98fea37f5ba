"""What the rounds before leave behind: when the stub was counted, when the deck came, which deck was dealt."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from handreplay.core.events import DeckChanged, DeckShuffled, Round
from handreplay.rules.replay import Replay

ROUNDS_PER_COUNT = 5


@dataclass(frozen=True, slots=True)
class History:
    """Before a round. Times are seconds on a scale: the clock where the round has one, else its footage's own."""

    uncounted: int = 0  # rounds running without a stub count
    deck_since: tuple[str, float] | None = None  # when the deck came, as far as the log shows: scale and seconds
    deck_reported: bool = False  # that it is overdue
    back: int | None = None  # of the deck dealt in the round before
    number: int | None = None  # of the round before

    def after(self, replay: Replay, overdue: bool) -> "History":
        """The history after that round. `overdue`: its deck was reported as overdue."""
        uncounted = 0 if replay.stub_counts or self.count_due(replay) else self.uncounted + 1
        since = self.deck_since if self.deck_since is not None else clock(replay.round, replay.round.start)
        own = replace(self, uncounted=uncounted, deck_since=since, deck_reported=self.deck_reported or overdue)
        for event in replay.round.events:
            if isinstance(event, DeckChanged):
                own = replace(own, deck_since=clock(replay.round, event.t), deck_reported=False)
        return replace(own, back=dealt_back(replay), number=replay.round.number)

    def count_due(self, replay: Replay) -> bool:
        """Whether this round is the fifth running without a count of the stub."""
        return not replay.stub_counts and self.uncounted + 1 >= ROUNDS_PER_COUNT

    def deck_age_s(self, replay: Replay) -> float | None:
        """How long the deck was in use when the round began; None when the scales do not meet."""
        now = clock(replay.round, replay.round.start)
        if self.deck_since is None or self.deck_since[0] != now[0]:
            return None
        return now[1] - self.deck_since[1]


def clock(round_: Round, t: float) -> tuple[str, float]:
    """A time of the round in seconds, and the scale that it is on: the clock, else the recording."""
    if round_.clock_start is None:
        return f"recording {round_.source.get('sha256') or round_.source.get('file')}", t
    return "clock", datetime.fromisoformat(round_.clock_start).timestamp() + (t - round_.start)


def dealt_back(replay: Replay) -> int | None:
    """Which deck was dealt: as shuffled, else as most of the cards show."""
    shuffled = [e.back for e in replay.round.events if isinstance(e, DeckShuffled) and e.back is not None]
    if shuffled:
        return shuffled[-1]
    seen = Counter(card.back for card in replay.cards.values() if card.back is not None)
    return max(seen, key=lambda back: (seen[back], -back)) if seen else None
