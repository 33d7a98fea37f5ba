"""FT: what could not be seen and mattered."""

from collections.abc import Iterator
from dataclasses import replace

from handreplay.core.events import FootageGap
from handreplay.core.findings import Finding
from handreplay.core.money import usd
from handreplay.core.readings import Known
from handreplay.games.game import UNSETTLED
from handreplay.rules.case import Case, place_name
from handreplay.rules.payouts import judged, wrong_by_any_pile
from handreplay.rules.replay import Replay
from handreplay.rules.settlement import Settled
from handreplay.rules.tracks import Card, hand_of, seat_of, wager_of


def footage_gap(case: Case) -> Iterator[Finding]:
    """FT01: every moment of the round is on the footage."""
    for event in case.replay.round.events:
        if isinstance(event, FootageGap) and not event.camera_moved and event.zone is None:
            text = f"The footage is missing from {event.t:.1f} s to {event.until:.1f} s."
            yield case.finding("FT01", event, text, status="review", variance=None)
    if case.replay.round.partial is not None and not case.replay.triaged:  # key pictures alone show no round whole
        text = f"The footage does not show the whole round: {case.replay.round.partial}."
        yield case.finding("FT01", None, text, status="review", variance=None)
    yield from _triaged(case)
    if case.replay.few_pictures:
        text = (
            "The footage has fewer than 10 pictures a second: what lay or showed for a moment may be missing, and what "
            "came first within a second is not known."
        )
        yield case.finding("FT01", None, text, status="review", variance=None)


def _triaged(case: Case) -> Iterator[Finding]:
    if case.replay.triaged:
        text = (
            "Triage looked at key pictures only in some or all of the round; audit the recording in full to judge it."
        )
        found = case.finding("FT01", None, text, status="review", variance=None)
        yield replace(found, remedy="Audit the recording in full: without triage its rounds are judged.")


def camera_moved(case: Case) -> Iterator[Finding]:
    """FT02: the picture fits the table profile all through the round."""
    for event in case.replay.round.events:
        if isinstance(event, FootageGap) and event.camera_moved:
            text = f"From {event.t:.1f} s to {event.until:.1f} s the picture does not fit the table profile."
            yield case.finding("FT02", event, text, status="review", variance=None)


def view_blocked(case: Case) -> Iterator[Finding]:
    """FT05: a place is seen from the deal until its cards and chips are settled."""
    for event in case.replay.round.events:
        if isinstance(event, FootageGap) and event.zone and _had_to_be_seen(case.replay, event.zone, event):
            seat, wager = wager_of(event.zone) or (seat_of(event.zone.partition(".")[0]), None)
            when = f"from {event.t:.1f} s to {event.until:.1f} s"
            text = f"Something lay over {event.zone} {when}; what it hid is not known."
            yield case.finding("FT05", event, text, status="review", seat=seat, wager=wager, variance=None)


def _had_to_be_seen(replay: Replay, zone: str, cover: FootageGap) -> bool:
    """Whether what the cover hid may matter: cards until they are racked, chips that may have been moved under it."""
    hand = hand_of(zone)
    if hand is not None:
        there = seat_of(hand) is None or any(seat_of(hand) == seat.number for seat in replay.seats)
        racked = [card.racked.t if card.racked else replay.round.end for card in replay.hand(hand)]
        return there and cover.until > replay.close_t and cover.t < max(racked, default=replay.round.end)
    place = wager_of(zone)
    seat = next((seat for seat in replay.seats if place and seat.number == place[0]), None)
    if place is None or seat is None or cover.until < replay.close_t:
        return False
    steps = replay.chips.get(place, ())
    if not steps:
        return place[1] == replay.game.later and seat.asked
    before = [step.after for step in steps if step.t <= cover.t] or [steps[0].before]
    after = next((step for step in steps if step.t >= cover.until), None)
    same = after is not None and isinstance(after.before, Known) and after.before == before[-1]
    return not same or (after is not None and after.actor == "player" and after.t >= replay.settle_t)


def card_unreadable(case: Case) -> Iterator[Finding]:
    """FT03: a card that the settlement hangs on was read."""
    told: dict[str, tuple[list[Card], list[str]]] = {}
    for settled in judged(case):
        if not settled.hangs_on_cards or settled.tally.unseen:
            continue
        for card in settled.prospect.unread:
            cards, wagers = told.setdefault(str(card.hand), ([], []))
            if card not in cards:
                cards.append(card)
            wagers.append(case.title(settled))
    for hand, (cards, wagers) in told.items():
        card = cards[0]
        likely = (
            " or ".join(face for face, _ in getattr(card.identity, "candidates", ())) or "any card not seen elsewhere"
        )
        which = "card" if len(cards) == 1 else f"{len(cards)} cards"
        hanging = ", ".join(dict.fromkeys(wagers))
        text = f"The {which} of {place_name(hand)} could not be read ({likely}); what hangs on it: {hanging}."
        event = card.showings[-1].event if card.showings else card.arrived
        yield case.finding("FT03", event, text, status="review", seat=seat_of(hand), variance=None)


def _to_be_seen(settled: Settled) -> str:
    """What a winner should have been paid, for whoever looks; nothing where that hangs on what was not read."""
    dues = {(reading.due.result, reading.due.pay) for reading in settled.readings}
    result, pay = dues.pop()
    return f" It should have been paid {usd(pay)}." if not dues and result == "win" and pay else ""


def chips_unreadable(case: Case) -> Iterator[Finding]:
    """FT04: an amount that the settlement hangs on was read."""
    for settled in judged(case):
        tally, due = settled.tally, settled.likeliest.due
        title = case.title(settled)
        if settled.likeliest.code is not None and wrong_by_any_pile(case, settled):
            continue  # the payment's own finding says it
        if tally.unseen and not case.replay.gaps:
            text = f"Chips of {title} changed while nobody saw it; what was paid or taken cannot be told."
        elif settled.hangs_on_chips:
            unknown = {r.tally.last.event.actor for r in settled.readings if r.tally.last} == {"unknown"}
            what = "Who took the chips of" if unknown else "What lay or was paid on"
            text = f"{what} {title} could not be read, and its settlement hangs on it.{_to_be_seen(settled)}"
        elif due.off_table and due.pay is not None and not tally.added:
            text = f"{title} wins a share of the meter, which need not be paid in chips; check the paperwork."
        elif due.result == "win" and due.pay is None:
            text = f"{title} wins a share of the meter, which was not entered."
        elif due.result == "unsettled" and due.why not in ("", UNSETTLED.why):
            text = f"{title} cannot be judged: {due.why}."
        elif not settled.can_tell and not settled.prospect.unread:
            text = f"{title} hangs on who plays which boxes, which the log does not say."
        else:
            continue
        step = tally.last
        events = case.replay.chips.get((settled.seat.number, settled.wager.name), ())
        unread = [event for event in events if not isinstance(event.after, Known)]
        yield case.finding(
            "FT04",
            unread[-1] if unread else step.event if step else None,
            text,
            status="review",
            confidence=settled.confidence,
            seat=settled.seat.number,
            wager=settled.wager.name,
            variance=None,
        )
