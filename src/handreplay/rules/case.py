"""What a rule is given: one round replayed and settled, and what the rounds before it leave behind."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from handreplay.core.events import Event, FootageGap
from handreplay.core.findings import Finding, Status, status_of
from handreplay.core.money import Cents
from handreplay.core.readings import SEEN_CONFIDENCE
from handreplay.games.game import Section
from handreplay.rules.catalogue import catalogue, section_of
from handreplay.rules.history import History
from handreplay.rules.replay import Replay
from handreplay.rules.settlement import Settled, Settlement
from handreplay.rules.tracks import place_seat

SEEN_IS_SO = frozenset({"MD03", "MD08", "MD12", "MD13", "EX02", "EX03", "DR03"})  # nothing unseen can undo these
OF_ALL = frozenset({"dealer.cards", "community"})


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
        if self.replay.from_footage and not (event and event.confidence == 1.0):  # which a person entered
            confidence = min(confidence, SEEN_CONFIDENCE)
        status = status or status_of(confidence)
        void = self.settlement.void
        doubtful_void = void is not None and not void.certain and code.startswith(("PY", "MD09"))
        unseen = self.replay.round.partial is not None or (code not in SEEN_IS_SO and self._part_unseen(seat))
        if self.replay.triaged or self.replay.few_pictures:
            status = "review"
        elif status == "confirmed" and (unseen or doubtful_void):
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

    @property
    def called_off_unseen(self) -> bool:
        """Whether a round from footage ends without the dealer's hand: called off, for what may not have been seen."""
        return self.replay.from_footage and math.isinf(self.replay.turned_t)

    def _part_unseen(self, seat: int | None) -> bool:
        """Whether something that was not seen may have made it right, once chips or cards lay on the table.

        What lay over one place alone matters to that seat, or to all where it is the dealer's or the board.
        """
        first_t = min((steps[0].t for steps in self.replay.chips.values()), default=self.replay.first_card_t)
        began = min(first_t, self.replay.first_card_t)
        for event in self.replay.round.events:
            if isinstance(event, FootageGap) and event.until > began:
                own = place_seat(event.zone) if event.zone else None
                if not event.zone or event.zone in OF_ALL or (own is not None and seat in (None, own)):
                    return True
        return False

    def title(self, settled: Settled) -> str:
        return f"Seat {settled.seat.number} {settled.wager.title}"


Rule = Callable[[Case], Iterator[Finding]]


def place_name(hand: str) -> str:
    """`seat3` is "seat 3", the others are themselves."""
    return f"seat {hand.removeprefix('seat')}" if hand.startswith("seat") else f"the {hand}"
