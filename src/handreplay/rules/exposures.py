"""EX: faces that showed and must not."""

from collections.abc import Iterator

from handreplay.core.events import StubMoved
from handreplay.core.findings import Finding, Status
from handreplay.rules.case import Case
from handreplay.rules.irregularities import exposed_dealer_card, perhaps_decided
from handreplay.rules.misdeals import handled

UNSEEN_DECISIONS = 0.9  # a decision may have fallen into a gap


def dealer_card_exposed(case: Case) -> Iterator[Finding]:
    """EX01: the dealer's cards stay down until every player has decided."""
    exposure = exposed_dealer_card(case.replay)
    if exposure is None:
        return
    seats = ", ".join(str(seat) for seat in exposure.undecided)
    name = exposure.card.known or "A card"
    who = f"seat {seats} had" if len(exposure.undecided) == 1 else f"seats {seats} had"
    text = f"{name} of the dealer's showed while {who} still to decide, {handled(case)}."
    sure = exposure.showing.event.confidence
    if not case.replay.seen(case.replay.before_deal_t, exposure.showing.start):
        sure = min(sure, UNSEEN_DECISIONS)
    status: Status | None = "review" if perhaps_decided(case.replay, exposure) else None
    yield case.finding("EX01", exposure.showing.event, text, confidence=sure, status=status)


def stub_exposed(case: Case) -> Iterator[Finding]:
    """EX02: the stub goes to the rack unexposed."""
    for event in case.replay.round.events:
        if isinstance(event, StubMoved) and event.exposed:
            yield case.finding("EX02", event, "Faces of the stub showed on its way to the rack.")
            return


def burn_exposed(case: Case) -> Iterator[Finding]:
    """EX03: a burn goes to the rack face down and stays so."""
    if not case.replay.game.burns_before:
        return
    for card in case.replay.burns:
        if card.showings:
            event = card.showings[0].event
            yield case.finding("EX03", event, f"The burn card's face showed ({card.known or 'not read'}).")
