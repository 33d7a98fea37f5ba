"""DR: the discard rack, from which each hand must be rebuilt."""

import math
from collections.abc import Container, Iterator

from handreplay.core.findings import Finding, Status
from handreplay.rules.case import Case, place_name
from handreplay.rules.tracks import Card, seat_of


def pickup_order(case: Case) -> Iterator[Finding]:
    """DR01: the cards of a hand reach the rack together."""
    if not case.replay.cards_seen(-math.inf, math.inf):
        return
    runs: list[list[Card]] = []
    for card in _picked_up(case):
        if runs and runs[-1][0].hand == card.hand:
            runs[-1].append(card)
        else:
            runs.append([card])
    hands = [str(run[0].hand) for run in runs]
    told: set[frozenset[str]] = set()
    for place, hand in enumerate(hands):
        if hand not in hands[:place]:
            continue
        between = hands[hands.index(hand) + 1]
        if frozenset((hand, between)) in told:
            continue
        told.add(frozenset((hand, between)))
        wedge = runs[hands.index(hand) + 1][0]
        text = f"Cards of {place_name(between)} reached the rack between those of {place_name(hand)}."
        yield case.finding("DR01", wedge.racked, text, seat=seat_of(between))


def _picked_up(case: Case) -> list[Card]:
    cards = [c for c in case.replay.cards.values() if c.hand is not None and c.racked is not None and not c.unseen]
    events = {id(event): place for place, event in enumerate(case.replay.round.events)}
    return sorted(cards, key=lambda card: events[id(card.racked)])


def card_unaccounted(case: Case) -> Iterator[Finding]:
    """DR02: every dealt card reaches the rack."""
    replay = case.replay
    listed = {entry.card for entry in replay.round.rack}
    dealt = [card for card in replay.cards.values() if card.hand is not None]
    if not (listed or any(card.racked for card in dealt)):
        return
    if replay.round.partial is not None:
        yield from _left_behind(case, listed)
        return
    for hand, cards in replay.hands.items():
        missing = [c for c in cards if c.name not in listed and (c.racked is None or bool(listed))]
        if not listed and replay.gaps:
            missing = []
        if missing:
            names = ", ".join(card.known or "an unread card" for card in missing)
            text = f"{len(missing)} of the cards of {place_name(hand)} did not reach the rack ({names})."
            yield case.finding("DR02", None, text, seat=seat_of(hand), t=replay.round.end)


def _left_behind(case: Case, listed: Container[str]) -> Iterator[Finding]:
    """Cards that still lay there when the recording ended, while the rest of their hand and later ones were gone."""
    picked_up = _picked_up(case)
    for hand, cards in case.replay.hands.items():
        left = [card for card in cards if card.racked is None and card.name not in listed]
        racked = [place for place, card in enumerate(picked_up) if card.hand == hand]
        if left and racked and racked[-1] < len(picked_up) - 1:
            names = ", ".join(card.known or "an unread card" for card in left)
            text = f"{len(left)} of the cards of {place_name(hand)} had not reached the rack ({names}) when others had."
            yield case.finding("DR02", picked_up[-1].racked, text, seat=seat_of(hand), status="review")


def two_decks_in_rack(case: Case) -> Iterator[Finding]:
    """DR03: cards of one deck only lie in the rack."""
    racked = [card for card in case.replay.cards.values() if card.back is not None and card.racked is not None]
    backs = sorted({card.back for card in racked if card.back is not None})
    if len(backs) < 2:
        return
    fewest = min(backs, key=lambda back: (sum(card.back == back for card in racked), back))
    stray = next(card for card in racked if card.back == fewest)
    name = place_name(stray.hand) if stray.hand else "the burns"
    text = f"Cards with backs {' and '.join(map(str, backs))} lie in the rack at once; the stray one was with {name}."
    doubtful: Status | None = "review" if case.replay.from_footage else None  # light and print change a back's colour
    yield case.finding("DR03", stray.placed, text, status=doubtful)
