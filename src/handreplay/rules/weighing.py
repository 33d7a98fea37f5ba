"""Chips that the pictures leave open, weighed in the light of each other.

A stack's number of chips is often uncertain by one or two, but a player's wagers hang together (equal ones, multiples
of the Ante, the table's limits), and so do a wager and what was paid on it. What usually goes together decides between
piles that the pictures allow. It makes no payment known that the pictures hold for less than SEEN_AT_LEAST of their
likeliest, so that a wrong payment stays in sight, and no stake below STAKE_SEEN_AT_LEAST.

    piles as seen  x  ties between a seat's wagers  x  payments as due  ->  piles, known or with their probabilities
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from handreplay.core.events import ChipsChanged, Event, Round
from handreplay.core.money import Cents, Chips, chips, worth
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.games import game_of
from handreplay.games.game import Wager
from handreplay.games.paytables import chosen
from handreplay.games.table import TableRules
from handreplay.rules.replay import Replay, Seat
from handreplay.rules.settlement import Settlement

KNOWN = 0.82
MOST_PILES = 8  # reported of one pile; the judge weighs every combination of them
SEEN_AT_LEAST = 0.4  # of the likeliest amount's chance in the pictures: below it no payment is taken for known
STAKE_SEEN_AT_LEAST = 0.25  # the same for a stake: players rarely break a rule that the layout itself tells them
IRREGULAR = 0.01  # weight of a wager that no rule allows, against 1
UNUSUAL = 0.2  # of one that is allowed, but no round multiple, or less than the most where nobody gains by less
NOT_ROUND = 0.1  # of a stake that is no round sum: people wager 25, 30 or 40, seldom 35 or 45
MORE_ON_THE_SIDE = 0.6  # of an optional wager with one chip more, against it
LIKE_ERRORS = 0.75  # so many equal stacks, to this power, tell as much as looks that err by themselves would
WRONGLY_PAID = 0.1  # of each other amount, against the one due
LEAST = 1e-4
ROUND_DIGITS = {"1", "15", "2", "25", "3", "4", "5", "75"}  # leading digits of round sums

Belief = Mapping[Chips, float]
Weight = Callable[[Cents], float]


@dataclass(slots=True)
class Story:
    """One wager zone: the pile that the player staked, then what was added to it, all as the pictures have it."""

    wager: Wager
    first: int  # index of the event with which the stake came
    stake: Belief
    added: dict[int, Belief] = field(default_factory=dict)  # by index of the event
    due: dict[Chips, Weight] = field(default_factory=dict)  # by stake: the weight of an amount paid on it


def weighed(round_: Round, table: TableRules) -> Round:
    """The round with every pile of chips known, or with what it may be, in the light of all the others."""
    replay = Replay(round_, game_of(table), table)
    settlement = Settlement(replay)
    readings: dict[int, Reading[Chips]] = {}
    for seat in replay.seats:
        stories = [story for wager in replay.game.wagers if (story := _story(replay, seat, wager))]
        for story in stories:
            _expect(story, seat, settlement)
        for story, stakes in _joint(stories, replay, seat):
            readings |= _told(story, stakes)
    return replace(round_, events=_rewritten(round_.events, readings))


def _story(replay: Replay, seat: Seat, wager: Wager) -> Story | None:
    """None where the chips did not come from an empty place, or nothing can be made of them."""
    zone = f"seat{seat.number}.{wager.name}"
    steps = [(n, e) for n, e in enumerate(replay.round.events) if isinstance(e, ChipsChanged) and e.zone == zone]
    if not steps or not isinstance(steps[0][1].before, Known) or steps[0][1].before.value:
        return None
    (first, opening), *later = steps
    story = Story(wager, first, _belief(opening.after))
    for index, event in later:
        if isinstance(event.after, Known) and not event.after.value:
            break
        if event.added is None:
            break
        story.added[index] = _belief(event.added)
    return story if story.stake else None


def _belief(reading: Reading[Chips]) -> Belief:
    if isinstance(reading, Known):
        return {reading.value: reading.confidence}
    return {pile: p for pile, p in reading.candidates if pile}


def _expect(story: Story, seat: Seat, settlement: Settlement) -> None:
    """What is due on each stake, where the cards tell and the chips were added once, to settle it."""
    replay = settlement.replay
    events = [replay.round.events[index] for index in story.added]
    if len(events) != 1 or settlement.void or not seat.dealt_in or events[0].t < replay.settle_t:
        return
    for pile in story.stake:
        prospect = settlement.prospects.of(seat, story.wager, worth(pile), seat.number in settlement.folded)
        if prospect.unread:
            return
        if prospect.dues[0][0].pay:
            story.due[pile] = _paid(prospect.dues[0][0].pay)


def _paid(due: Cents) -> Weight:
    return lambda amount: 1.0 if amount == due else WRONGLY_PAID


# ---- a seat's wagers together


def _joint(stories: list[Story], replay: Replay, seat: Seat) -> list[tuple[Story, Belief]]:
    """Each wager's stake in the light of the measure that the others hang on, and of what was paid."""
    own = {story.wager.name: _in_itself(story, replay) for story in stories}
    game = replay.game
    measure = game.equal[0] if game.equal else game.asked_with or "ante"
    tied = {story.wager.name: _tie(story, replay, seat) for story in stories if story.wager.name != measure}
    if measure not in own:
        return [(story, own[story.wager.name]) for story in stories]
    alike = [name for name in own if name in game.equal]
    for name in alike if len(alike) > 1 else ():
        own[name] = {pile: p ** len(alike) ** (LIKE_ERRORS - 1) for pile, p in own[name].items()}
    told: dict[str, dict[Cents, float]] = {}  # what each other wager says of the measure
    amounts = {worth(pile) for pile in own[measure]}
    for name, tie in tied.items():
        if tie is not None:
            told[name] = {m: sum(p * tie(worth(pile), m) for pile, p in own[name].items()) for m in amounts}

    def measured(without: str) -> Belief:
        others = [message for name, message in told.items() if name != without]
        return {pile: p * math.prod(m[worth(pile)] for m in others) for pile, p in own[measure].items()}

    def stake(name: str) -> Belief:
        tie = tied.get(name)
        if name == measure:
            return measured(name)
        if tie is None:
            return own[name]
        lies = measured(name)
        return {
            pile: p * sum(q * tie(worth(pile), worth(other)) for other, q in lies.items())
            for pile, p in own[name].items()
        }

    return [(story, stake(story.wager.name)) for story in stories]


def _in_itself(story: Story, replay: Replay) -> Belief:
    """The stake by its own picture, the table's limits and what was paid on it."""
    within = _within(replay, story.wager)
    belief = {}
    for pile, p in story.stake.items():
        for added in story.added.values():
            weight = story.due.get(pile)
            p *= sum(q * (weight(worth(a)) if weight else 1.0) for a, q in added.items())
        belief[pile] = p * within(worth(pile)) * _modest(story.wager, pile) * _round_sum(story.wager, worth(pile))
    return belief


def _round_sum(wager: Wager, stake: Cents) -> float:
    """A later wager is a multiple of another one, whatever sum that makes."""
    if wager.role == "later":
        return 1.0
    digits = str(stake).rstrip("0")
    return 1.0 if digits in ROUND_DIGITS else NOT_ROUND


def _modest(wager: Wager, pile: Chips) -> float:
    """Optional wagers are a chip or two."""
    number = sum(count for _, count in pile)
    return MORE_ON_THE_SIDE ** (number - 1) if wager.role in ("side", "progressive") else 1.0


def _within(replay: Replay, wager: Wager) -> Weight:
    """The wager's own limits, else the table's; no multiple of them binds a later wager, and no minimum a side bet."""
    table, later = replay.table, wager.role == "later"
    low, high = table.wager_limits.get(wager.name, (None, None))
    if low is None:
        low = table.minimum_cents if wager.name in replay.game.limited else table.smallest_chip_cents
    if high is None:
        high = table.maximum_cents
    fixed = {paytable.stake_cents for key in wager.paytables for paytable in chosen(table, key)}
    if fixed and None not in fixed:
        return lambda stake: 1.0 if stake in fixed else IRREGULAR
    return lambda stake: 1.0 if low <= stake and (later or stake <= high) else IRREGULAR


def _tie(story: Story, replay: Replay, seat: Seat) -> Callable[[Cents, Cents], float] | None:
    """How usual a stake is beside the measure; None where they have nothing to do with each other."""
    game, name = replay.game, story.wager.name
    if name in game.equal:
        return lambda stake, measure: 1.0 if stake == measure else IRREGULAR
    if name != game.later:
        return None
    window = replay.window_at(replay.round.events[story.first].t)
    decisions = [window.decision] if window else list(game.decisions)
    allowed = [decision.multiples for decision in decisions if decision.multiples]

    def usual(stake: Cents, measure: Cents) -> float:
        if not any(multiples.allow(stake, measure) for multiples in allowed):
            return IRREGULAR
        highest = [max(multiples.exactly) * measure for multiples in allowed if multiples.exactly]
        if highest:
            return 1.0 if stake in highest else UNUSUAL
        return 1.0 if measure and stake % measure == 0 else UNUSUAL

    return usual if allowed else None


# ---- what is told


def _told(story: Story, stakes: Belief) -> dict[int, Reading[Chips]]:
    """By index of the event, what lay in the zone after it."""
    readings = {story.first: _reading(stakes, _amounts(story.stake), STAKE_SEEN_AT_LEAST)}
    lying: dict[tuple[Chips, Chips], float] = {(stake, stake): p for stake, p in stakes.items()}
    likely = _amounts(story.stake)
    for index, added in story.added.items():
        further: dict[tuple[Chips, Chips], float] = {}
        for (stake, pile), p in lying.items():
            weight = story.due.get(stake)
            shares = {a: q * (weight(worth(a)) if weight else 1.0) for a, q in added.items()}
            total = sum(shares.values()) or 1.0
            for a, q in shares.items():
                key = (stake, _sum(pile, a))
                further[key] = further.get(key, 0.0) + p * q / total
        lying = further
        likely = _convolved(likely, _amounts(added))
        after: dict[Chips, float] = {}
        for (_, pile), p in lying.items():
            after[pile] = after.get(pile, 0.0) + p
        readings[index] = _reading(after, likely, SEEN_AT_LEAST)
    return readings


def _sum(pile: Chips, other: Chips) -> Chips:
    counts = dict(pile)
    for denomination, count in other:
        counts[denomination] = counts.get(denomination, 0) + count
    return chips(counts)


def _amounts(belief: Belief) -> dict[Cents, float]:
    amounts: dict[Cents, float] = {}
    for pile, p in belief.items():
        amounts[worth(pile)] = amounts.get(worth(pile), 0.0) + p
    return amounts


def _convolved(first: Mapping[Cents, float], second: Mapping[Cents, float]) -> dict[Cents, float]:
    """Chances of sums, each by its likeliest way: how well the pictures alone agree with it."""
    sums: dict[Cents, float] = {}
    for one, p in first.items():
        for other, q in second.items():
            sums[one + other] = max(sums.get(one + other, 0.0), p * q)
    return sums


def _reading(belief: Belief, seen: Mapping[Cents, float], seen_at_least: float) -> Reading[Chips]:
    """Known where one amount is near certain and the pictures do not speak against it."""
    total = sum(belief.values())
    if not total:
        return Unreadable("chips not readable")
    shares = {pile: p / total for pile, p in belief.items()}
    amounts = _amounts(shares)
    best = max(amounts, key=lambda amount: (amounts[amount], amount))
    ranked = sorted(shares.items(), key=lambda item: (-item[1], item[0]))
    if amounts[best] >= KNOWN and seen.get(best, 0.0) >= seen_at_least * max(seen.values()):
        return Known(next(pile for pile, _ in ranked if worth(pile) == best), round(min(1.0, amounts[best]), 4))
    kept = tuple((pile, round(p, 4)) for pile, p in ranked[:MOST_PILES] if p >= LEAST)
    return Unreadable("number of chips not certain", kept)


def _rewritten(events: tuple[Event, ...], readings: Mapping[int, Reading[Chips]]) -> tuple[Event, ...]:
    """The events with these readings; what lay in a zone before an event is what lay there after the last."""
    latest: dict[str, Reading[Chips]] = {}
    rewritten = []
    for index, event in enumerate(events):
        if isinstance(event, ChipsChanged):
            after = readings.get(index) or _reading_of(event.after)
            before = latest.get(event.zone, event.before)
            sure = min(event.confidence, after.confidence) if isinstance(after, Known) else event.confidence
            event = replace(event, before=before, after=after, added=None, confidence=sure)
            latest[event.zone] = after
            if isinstance(before, Known) and isinstance(after, Known) and before.value == after.value:
                continue  # a stack was touched, and is the same
        rewritten.append(event)
    return tuple(rewritten)


def _reading_of(seen: Reading[Chips]) -> Reading[Chips]:
    belief = _belief(seen)
    return seen if isinstance(seen, Known) or not belief else _reading(belief, _amounts(belief), SEEN_AT_LEAST)
