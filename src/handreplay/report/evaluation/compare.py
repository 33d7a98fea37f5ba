"""One clip: the log and the findings of an audit against the true ones.

Rounds are paired by the time that they share. Cards are compared within a round and zone, amounts as states that
stood for a time, events one to one by type, zone and time. Nothing is dropped: whatever the truth holds is right,
wrong, left unread or missed, and whatever it does not hold is invented.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from handreplay.core.events import Round
from handreplay.core.money import Chips, usd, worth
from handreplay.core.readings import Known, Reading
from handreplay.report.evaluation.faults import compare_faults, compare_settlements, compare_verdicts
from handreplay.report.evaluation.moves import compare_events, same_order
from handreplay.report.evaluation.scores import Score
from handreplay.report.states import CardLife, ChipState, card_lives, chip_states

SHOWN_LONG_ENOUGH_S = 1.0
BRIEF_STATE_S = 3.0  # a state shorter than two tolerances need only have been there
TOLERANCE_S = 1.5
Document = Mapping[str, Any]


def compare(truth: Sequence[Round], seen: Sequence[Round], expected: Document, found: Document) -> Score:
    """Score one clip. `expected` and `found` are findings documents; a perfect audit's is `expected`."""
    score = Score()
    pairs = pair_rounds(truth, seen)
    paired = {id(other) for _, other in pairs if other is not None}
    strangers = [round_ for round_ in seen if id(round_) not in paired]
    score.rounds.all = len(truth)
    score.rounds.invented = len(strangers)
    score.notes += [f"round {r.number} of the log ({r.start:.1f} s): no such round in the truth" for r in strangers]
    for round_, other in pairs:
        _compare_round(round_, other, score)
    compare_events(truth, seen, score, TOLERANCE_S)
    numbers = {round_.number: other.number for round_, other in pairs if other is not None}
    compare_faults(expected, found, numbers, score)
    compare_settlements(expected, found, numbers, score)
    compare_verdicts(expected, found, numbers, score)
    return score


def pair_rounds(truth: Sequence[Round], seen: Sequence[Round]) -> list[tuple[Round, Round | None]]:
    """Each true round with the log's round that shares most of its time, at least half of the shorter one."""
    shares = sorted(
        (
            (min(a.end, b.end) - max(a.start, b.start), i, j)
            for i, a in enumerate(truth)
            for j, b in enumerate(seen)
            if min(a.end, b.end) - max(a.start, b.start) >= 0.5 * min(a.end - a.start, b.end - b.start)
        ),
        key=lambda share: (-share[0], share[1], share[2]),
    )
    partner: dict[int, int] = {}
    for _, i, j in shares:
        if i not in partner and j not in partner.values():
            partner[i] = j
    return [(round_, seen[partner[i]] if i in partner else None) for i, round_ in enumerate(truth)]


def _compare_round(truth: Round, seen: Round | None, score: Score) -> None:
    if seen is None:
        score.rounds.missed += 1
        score.notes.append(f"round {truth.number} ({truth.start:.1f} s): missed")
    cards_right = _compare_cards(truth, seen, score)
    amounts_right = _compare_amounts(truth, seen, score)
    if seen is None:
        return
    if same_rack(truth, seen):
        score.rounds.rack_exact += 1
    else:
        score.notes.append(f"round {truth.number}: rack differs")
    for hand in _out_of_order(truth, seen):
        score.notes.append(f"round {truth.number}: cards of {hand} lie in another order in the rack")
    if not same_order(truth, seen):
        score.notes.append(f"round {truth.number}: deal, wagers or settlement in another order or number")
    elif cards_right and amounts_right:
        score.rounds.exact += 1


def _compare_cards(truth: Round, seen: Round | None, score: Score) -> bool:
    """Whether every card that showed was read right and no other face is in the log."""
    mine = _by_zone(truth)
    others = _by_zone(seen) if seen is not None else {}
    before = score.cards.right, score.cards.all, score.cards.invented
    for zone in sorted(mine.keys() | others.keys()):
        _compare_zone_cards(truth.number, zone, mine.get(zone, []), others.get(zone, []), score)
    right, every, invented = score.cards.right, score.cards.all, score.cards.invented
    return right - before[0] == every - before[1] and invented == before[2]


def _by_zone(round_: Round) -> dict[str, list[CardLife]]:
    zones: dict[str, list[CardLife]] = {}
    for life in card_lives(round_):
        zones.setdefault(life.zone, []).append(life)
    return zones


def _compare_zone_cards(number: int, zone: str, truth: list[CardLife], seen: list[CardLife], score: Score) -> None:
    """Cards of one hand: first those read alike, then what is left over, in the order in which it was dealt.

    Which of two cards of a hand was dealt first does not show once they lie on each other, so it is not asked here.
    """
    left = list(seen)
    pairs: list[tuple[CardLife, CardLife | None]] = []
    unpaired: list[CardLife] = []
    for life in (life for life in truth if life.shown):
        twin = next((other for other in left if _value(other.identity) == _value(life.identity)), None)
        if twin is None or _value(life.identity) is None:
            unpaired.append(life)
        else:
            left.remove(twin)
            pairs.append((life, twin))
    hidden = sum(not life.shown for life in truth)
    spare = sorted(left, key=lambda other: _value(other.identity) is None)
    for life in unpaired:
        pairs.append((life, spare.pop(0) if spare else None))
    for life, twin in pairs:
        _score_card(number, zone, life, twin, score)
    faces = [other for other in spare if _value(other.identity) is not None]
    score.cards.invented += len(faces)
    score.notes += [f"round {number} {zone}: {_value(o.identity)} read, no such face was shown" for o in faces]
    if len(spare) - len(faces) > hidden:
        score.notes.append(f"round {number} {zone}: {len(seen)} cards in the log, {len(truth)} in truth")


def _score_card(number: int, zone: str, truth: CardLife, seen: CardLife | None, score: Score) -> None:
    name, read = _value(truth.identity), _value(seen.identity) if seen else None
    right = seen is not None and read == name
    if truth.longest_shown < SHOWN_LONG_ENOUGH_S:
        score.cards.glimpsed += 1
        score.cards.glimpsed_right += right
        if not right:
            score.notes.append(f"round {number} {zone}: {name}, glimpsed, read as {read or 'nothing'}")
        return
    if right:
        score.cards.right += 1
    elif seen is None:
        score.cards.missed += 1
        score.notes.append(f"round {number} {zone}: {name} missed")
    elif read is None:
        score.cards.unread += 1
        score.notes.append(f"round {number} {zone}: {name} left unread")
    else:
        score.cards.wrong += 1
        score.notes.append(f"round {number} {zone}: {name} read as {read}")


def _value(identity: Reading[str]) -> str | None:
    return identity.value if isinstance(identity, Known) else None


def _compare_amounts(truth: Round, seen: Round | None, score: Score) -> bool:
    """Whether every wager zone held, at every time, what the log says it held."""
    others = chip_states(seen) if seen is not None else {}
    exact = True
    for zone, states in sorted(chip_states(truth).items()):
        for state in states:
            amount = _worth(state.chips)
            if not amount:
                continue
            held = None if seen is None else _held(state, amount, others.get(zone, ()))
            exact &= held == amount
            _score_amount(f"round {truth.number} {zone} at {state.start:.1f} s", amount, held, seen is None, score)
    return exact


def _held(span: ChipState, amount: int, states: Sequence[ChipState]) -> int | None:
    """The amount that the log holds for most of the span; None when that is "could not be read"."""
    if span.end - span.start < BRIEF_STATE_S:
        near = [s for s in states if s.start <= span.end + TOLERANCE_S and s.end >= span.start - TOLERANCE_S]
        if any(_worth(state.chips) == amount for state in near):
            return amount
    first = states[0].start if states else span.end
    lasted: Counter[int | None] = Counter()
    lasted[0] += round(1000 * max(0.0, min(span.end, first) - span.start))
    for state in states:
        shared = min(span.end, state.end) - max(span.start, state.start)
        lasted[_worth(state.chips)] += round(1000 * max(0.0, shared))
    return max(lasted.items(), key=lambda item: item[1])[0]


def _score_amount(where: str, amount: int, held: int | None, missed: bool, score: Score) -> None:
    if missed:
        score.amounts.missed += 1
    elif held == amount:
        score.amounts.exact += 1
    elif held is None:
        score.amounts.open += 1
        score.notes.append(f"{where}: {usd(amount)} left open")
    else:
        score.amounts.wrong += 1
        score.notes.append(f"{where}: {usd(amount)} read as {usd(held)}")


def _worth(chips: Reading[Chips]) -> int | None:
    return worth(chips.value) if isinstance(chips, Known) else None


def same_rack(truth: Round, seen: Round) -> bool:
    """Hands in the same order, each with the same cards. Within one hand, picked up as one, the order does not show."""
    return _packets(truth) == _packets(seen)


def _out_of_order(truth: Round, seen: Round) -> list[str]:
    """The hands whose cards that were read lie otherwise in the rack; this costs nothing, it is noted."""
    mine, others = _hands(truth), _hands(seen)
    both = {
        hand: ([card for card in cards if card in others[hand]], [card for card in others[hand] if card in cards])
        for hand, cards in mine.items()
        if hand in others
    }
    return [hand for hand, (true, read) in both.items() if true != read]


def _hands(round_: Round) -> dict[str, list[str]]:
    hands: dict[str, list[str]] = {}
    for card in round_.rack:
        if isinstance(card.identity, Known):
            hands.setdefault(card.hand, []).append(card.identity.value)
    return hands


def _packets(round_: Round) -> list[tuple[str, Counter[str | None]]]:
    packets: list[tuple[str, Counter[str | None]]] = []
    for card in round_.rack:
        if not packets or packets[-1][0] != card.hand:
            packets.append((card.hand, Counter()))
        packets[-1][1][_value(card.identity)] += 1
    return packets
