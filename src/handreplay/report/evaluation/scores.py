"""The figures of an evaluation. They add up: per clip, and over all clips."""

from dataclasses import dataclass, field, fields
from typing import TypeVar

EVENT_TYPES = (
    "card_placed",
    "card_turned",
    "card_moved",
    "chips_changed",
    "stub_moved",
    "stub_counted",
    "deck_shuffled",
    "deck_changed",
    "footage_gap",
)


@dataclass(slots=True)
class Cards:
    """Cards whose face showed for at least a second. right + wrong + unread + missed = all of the truth."""

    right: int = 0
    wrong: int = 0
    unread: int = 0  # the card is in the log, its identity is not
    missed: int = 0  # the log has no such card in that zone and round
    invented: int = 0  # the log shows a face that nothing in the truth stands for
    glimpsed: int = 0  # of the truth: shown for less than a second, not counted above
    glimpsed_right: int = 0

    @property
    def all(self) -> int:
        return self.right + self.wrong + self.unread + self.missed


@dataclass(slots=True)
class Amounts:
    """Wager amounts other than nothing, each for as long as it stood. exact + wrong + open + missed = all."""

    exact: int = 0
    wrong: int = 0  # the log says another amount, nothing included
    open: int = 0  # the log says that it could not be read
    missed: int = 0  # the whole round is missing from the log

    @property
    def all(self) -> int:
        return self.exact + self.wrong + self.open + self.missed


@dataclass(slots=True)
class Events:
    right: int = 0  # same type and zone, within the tolerance, one to one
    missed: int = 0
    invented: int = 0

    @property
    def all(self) -> int:
        return self.right + self.missed


@dataclass(slots=True)
class Actors:
    """Who moved the chips, for chip events that were found at all."""

    right: int = 0
    wrong: int = 0
    unknown: int = 0


@dataclass(slots=True)
class Rounds:
    all: int = 0
    exact: int = 0
    rack_exact: int = 0
    verdict_right: int = 0
    missed: int = 0
    invented: int = 0


@dataclass(slots=True)
class Faults:
    """Findings other than FT that the truth calls for, and those that were reported."""

    all: int = 0
    found: int = 0
    amount_differs: int = 0  # among the found: another variance
    missed: int = 0
    left_open: int = 0  # among the missed: reported for review, at the right place
    invented_confirmed: int = 0
    invented_probable: int = 0
    questions: int = 0  # FT codes and review findings with no planted fault behind them


@dataclass(slots=True)
class Settlements:
    """Settlement rows: one a wager, expected and observed together."""

    right: int = 0
    wrong: int = 0
    open: int = 0  # something in the row could not be told
    missing: int = 0  # of the truth, not reported
    invented: int = 0

    @property
    def all(self) -> int:
        return self.right + self.wrong + self.open + self.missing


@dataclass(slots=True)
class Score:
    """The figures of one clip, or of several together. `notes` names every single thing that is not right."""

    cards: Cards = field(default_factory=Cards)
    amounts: Amounts = field(default_factory=Amounts)
    events: dict[str, Events] = field(default_factory=lambda: {kind: Events() for kind in EVENT_TYPES})
    actors: Actors = field(default_factory=Actors)
    rounds: Rounds = field(default_factory=Rounds)
    faults: Faults = field(default_factory=Faults)
    settlements: Settlements = field(default_factory=Settlements)
    notes: list[str] = field(default_factory=list)

    @property
    def all_events(self) -> Events:
        total = Events()
        for events in self.events.values():
            add(total, events)
        return total


Figures = TypeVar("Figures", Cards, Amounts, Events, Actors, Rounds, Faults, Settlements)


def add(total: Figures, more: Figures) -> None:
    """Add each count of `more` to `total`."""
    for part in fields(total):
        setattr(total, part.name, getattr(total, part.name) + getattr(more, part.name))


def together(scores: list[Score]) -> Score:
    """All clips as one. Notes stay with their clips."""
    total = Score()
    for score in scores:
        for name in ("cards", "amounts", "actors", "rounds", "faults", "settlements"):
            add(getattr(total, name), getattr(score, name))
        for kind, events in score.events.items():
            add(total.events[kind], events)
    return total
