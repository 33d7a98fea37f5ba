"""What a rule is given: one round replayed and settled, and what the rounds before it leave behind."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from handreplay.core.events import Event
from handreplay.core.findings import Finding, Status, status_of
from handreplay.core.money import Cents
from handreplay.games.game import Section
from handreplay.rules.catalogue import catalogue, section_of
from handreplay.rules.history import History
from handreplay.rules.replay import Replay
from handreplay.rules.settlement import Settled, Settlement


@dataclass(frozen=True, slots=True)
class Case:
    replay: Replay
    settlement: Settlement
    history: History
    limit_cents: Cents | None  # the aggregate payout limit of a seat

    def finding(
        self,
        code: str,
        event: Event | None,
        message: str,
        *,
        confidence: float | None = None,
        status: Status | None = None,
        seat: int | None = None,
        wager: str | None = None,
        expected: Cents | None = None,
        observed: Cents | None = None,
        variance: Cents | None = 0,
        section: Section | None = None,
        t: float | None = None,
    ) -> Finding:
        """A finding of that code, cited and with its remedy. Without a confidence it takes the event's own."""
        if confidence is None:
            confidence = event.confidence if event else 1.0
        status = status or status_of(confidence)
        void = self.settlement.void
        doubtful_void = void is not None and not void.certain and code.startswith(("PY", "MD09"))
        if status == "confirmed" and (self.replay.round.partial is not None or doubtful_void):
            status = "probable"
        entry = catalogue()[code]
        cited = section or section_of(code, self.replay.table)
        return Finding(
            code=code,
            name=entry.name,
            round=self.replay.round.number,
            t=round(t if t is not None else event.t if event else self.replay.round.start, 3),
            frame=event.frame if event and (t is None or t == event.t) else None,
            status=status,
            confidence=round(confidence, 4),
            citation=cited.section,
            basis=cited.basis,
            remedy=entry.remedy,
            message=message,
            seat=seat,
            wager=wager,
            expected_cents=expected,
            observed_cents=observed,
            variance_cents=variance,
        )

    def title(self, settled: Settled) -> str:
        return f"Seat {settled.seat.number} {settled.wager.title}"


Rule = Callable[[Case], Iterator[Finding]]


def place_name(hand: str) -> str:
    """`seat3` is "seat 3", the others are themselves."""
    return f"seat {hand.removeprefix('seat')}" if hand.startswith("seat") else f"the {hand}"
