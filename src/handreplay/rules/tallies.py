"""What happened to one wager's chips: what counted as its stake, what came late, what the house added and took.

Where a pile could not be read, or nobody saw whose hand it was, there is one tally for each reading.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from handreplay.core.events import ChipsChanged, Event, FootageGap
from handreplay.core.money import Cents, worth
from handreplay.core.readings import Known
from handreplay.games.game import Wager
from handreplay.rules.replay import Replay, Seat

MOST_READINGS = 64
ONE_MOTION_S = 3.0  # a player who puts a wager down in two motions needs no longer
COLOUR_CHANGE_S = 10.0  # a dealer who changes colours in two motions needs no longer


@dataclass(frozen=True, slots=True)
class Step:
    """A change of the zone with every doubt settled one way. `by_dealer` and amounts are what this reading says."""

    t: float
    event: ChipsChanged
    before: Cents
    after: Cents
    by_dealer: bool
    to_player: bool

    @property
    def rise(self) -> Cents:
        return self.after - self.before


_Told = tuple[float, tuple[Step, ...], bool]  # probability, what happened, whether part of it was not seen


@dataclass(slots=True)
class Tally:
    """One reading of what happened to one wager. Amounts in cents."""

    probability: float = 1.0
    stake: Cents = 0  # what counts
    late: Cents = 0
    late_step: Step | None = None
    withdrawn: Cents = 0
    withdrawn_step: Step | None = None
    after_reveal: bool = False  # it was withdrawn once the deciding hand was shown
    taken_back: bool = False  # by right
    collected: Cents = 0  # a Progressive's chips, taken before the cards
    added: Cents = 0
    taken: Cents = 0
    pushed: Cents = 0
    made_at: int | None = None  # the decision at which a later wager was made
    made_t: float = 0.0  # when its last chips went down
    settling: list[Step] = field(default_factory=list)  # the dealer's pays and takes
    first_dealer: Step | None = None
    early: Step | None = None  # a pay or a take before the dealer's hand was shown
    last: Step | None = None
    unseen: bool = False  # something happened to the chips that nobody saw

    @property
    def net(self) -> Cents:
        return self.added - self.taken - self.collected


def tallies(replay: Replay, seat: Seat, wager: Wager, void_t: float) -> tuple[Tally, ...]:
    """Every reading of the wager's chips, likeliest first; one with probability 1 where all was read.

    `void_t` is when the round became void, infinite if it stood.
    """
    steps = replay.chips.get((seat.number, wager.name), ())
    found = []
    for probability, sequence, unseen in _possible(replay, tuple(_readings(replay, seat, wager, steps, void_t))):
        tally = Tally(probability=probability, unseen=unseen)
        _run(tally, replay, seat, wager, sequence, void_t)
        lost = _lost_in_gap(tally, replay, sequence) or _covered(tally, replay, f"seat{seat.number}.{wager.name}")
        tally.unseen = tally.unseen or lost or _collected_in_gap(tally, replay, wager)
        found.append(tally)
    return tuple(sorted(found, key=lambda tally: -tally.probability))


def confidence(replay: Replay, seat: int, wager: str) -> float:
    """The weakest reading of the zone's chips. An unread pile is weighed by its readings instead."""
    steps = replay.chips.get((seat, wager), ())
    read = [s.confidence for s in steps if isinstance(s.after, Known)]
    return min(read, default=1.0)


def entered(event: Event) -> bool:
    """Whether a person said so: nothing that is read from pictures is believed wholly."""
    return event.confidence == 1.0


# ---- readings


def _readings(
    replay: Replay, seat: Seat, wager: Wager, steps: tuple[ChipsChanged, ...], void_t: float
) -> Iterator[_Told]:
    """What may have happened, with its probability, and whether part of it was not seen."""
    piles = _pile_choices(replay, steps)
    too_many = math.prod(len(choices) for choices in piles) > MOST_READINGS
    for chosen in product(*(choices[:1] for choices in piles) if too_many else piles):
        probability = math.prod(p for _, p in chosen)
        amounts = [amount for amount, _ in chosen]
        for share, sequence, unseen in _sequences(replay, seat, wager, steps, amounts, void_t):
            yield probability * share, sequence, unseen or too_many


def _possible(replay: Replay, readings: tuple[_Told, ...]) -> tuple[_Told, ...]:
    """Without those in which a dealer pays a pile down, from footage: a dealer who pays adds to what lies there.

    A pile's candidates are told of each moment by itself, so they may be paired in ways that cannot be. That nothing
    was added is left out too where the likeliest pile afterwards is larger than the likeliest before.
    """
    if not replay.from_footage or not readings:
        return readings
    likeliest = max(readings, key=lambda reading: reading[0])[1]
    grown = {step.t for step in likeliest if step.rise > 0}
    possible = [reading for reading in readings if not any(_cannot_be(step, grown) for step in reading[1])]
    total = sum(probability for probability, _, _ in possible)
    if not total or len(possible) == len(readings):
        return readings
    whole = sum(probability for probability, _, _ in readings)
    return tuple((probability * whole / total, sequence, unseen) for probability, sequence, unseen in possible)


def _cannot_be(step: Step, grown: set[float]) -> bool:
    """Whether an unread pile beside which a dealer's hand was has become less, or no more though it has grown."""
    unread = not isinstance(step.event.after, Known)
    lies = unread and step.by_dealer and step.before > 0 and step.after > 0
    return lies and (step.rise < 0 or (step.rise == 0 and step.t in grown))


def _pile_choices(replay: Replay, steps: tuple[ChipsChanged, ...]) -> list[list[tuple[Cents, float]]]:
    """For each step, what the pile may have been after it."""
    choices = []
    for index, step in enumerate(steps):
        following = steps[index + 1].before if index + 1 < len(steps) else None
        if isinstance(step.after, Known):
            choices.append([(worth(step.after.value), 1.0)])
        elif isinstance(following, Known):
            choices.append([(worth(following.value), 1.0)])
        elif step.after.candidates:
            likely = sorted(step.after.candidates, key=lambda pair: -pair[1])
            choices.append([(worth(pile), probability) for pile, probability in likely])
        else:
            probes = _probes(replay)
            fresh = isinstance(step.before, Known) and not step.before.value  # something was put down
            amounts = probes if fresh else (0, *probes)
            choices.append([(amount, 1 / len(amounts)) for amount in amounts])
    return choices


def _probes(replay: Replay) -> tuple[Cents, ...]:
    """Amounts that stand for a pile of which nothing is known."""
    low, high = replay.table.minimum_cents, replay.table.maximum_cents
    return (replay.table.smallest_chip_cents, low, 3 * low, high)


def _sequences(
    replay: Replay,
    seat: Seat,
    wager: Wager,
    steps: tuple[ChipsChanged, ...],
    amounts: list[Cents],
    void_t: float,
) -> Iterator[_Told]:
    """The steps with amounts filled in; two of them where nobody saw who took the chips."""
    sequence: list[Step] = []
    doubtful: int | None = None
    unseen = False
    lies = worth(steps[0].before.value) if steps and isinstance(steps[0].before, Known) else 0
    paid = False
    for event, after in zip(steps, amounts, strict=True):
        before = worth(event.before.value) if isinstance(event.before, Known) else lies
        unseen = unseen or (event is steps[0] and not isinstance(event.before, Known) and event.t >= replay.close_t)
        unseen = unseen or (before != lies and event.t >= replay.close_t)
        by_dealer = _by_dealer(replay, seat, wager, event, after - before, paid, void_t)
        if by_dealer is None and doubtful is None:
            doubtful = len(sequence)
        paid = paid or (by_dealer is True and after > before)
        sequence.append(Step(event.t, event, before, after, by_dealer is not False, event.to == "player"))
        lies = after
    if doubtful is None:
        yield 1.0, tuple(sequence), unseen
        return
    step = sequence[doubtful]
    for by_dealer in (True, False):
        sequence[doubtful] = Step(step.t, step.event, step.before, step.after, by_dealer, step.to_player)
        yield 0.5, tuple(sequence), unseen


def _by_dealer(
    replay: Replay, seat: Seat, wager: Wager, event: ChipsChanged, rise: Cents, paid: bool, void_t: float
) -> bool | None:
    """Whether the dealer did it; None where nobody saw who took the chips and the moment does not say."""
    if event.actor != "unknown":
        return event.actor == "dealer"
    if event.to is not None:
        return True
    if wager.role == "progressive" and rise < 0 and event.t < replay.settle_t:
        return None  # to the tray, or taken back by the player
    if wager.role == "progressive" and rise > 0 and event.t >= void_t:
        return None  # handed back, or put down for the next round
    if wager.role == "later" and rise > 0 and event.before == Known((), event.confidence):
        return False  # a dealer pays beside chips, never where none lie
    if rise >= 0 or event.t < replay.close_t:
        return event.t >= replay.settle_t
    racked = [card.racked.t for card in replay.hand(f"seat{seat.number}") if card.racked]
    if paid or not seat.dealt_in or (racked and event.t > max(racked)):
        return False  # the player picks up what is theirs
    if math.isinf(replay.turned_t):
        return None  # a fold's forfeit, or the whole round was called off
    if event.t < min(replay.settle_t, void_t):
        return replay.game.folds and wager.lost_by_fold and seat.play_t is None
    return None


def _lost_in_gap(tally: Tally, replay: Replay, sequence: tuple[Step, ...]) -> bool:
    """Whether the settlement may have happened while nothing was seen."""
    late_gaps = [gap for gap in replay.gaps if gap[1] > replay.close_t]
    if not late_gaps or tally.added or tally.taken or tally.pushed or tally.taken_back:
        return False
    last = sequence[-1].t if sequence else -math.inf
    return any(last < until for _, until in late_gaps)


def _covered(tally: Tally, replay: Replay, zone: str) -> bool:
    """Whether something lay over the wager itself while it was to be settled, and no settling of it was seen."""
    if tally.added or tally.taken or tally.pushed or tally.taken_back:
        return False
    covers = (event for event in replay.round.events if isinstance(event, FootageGap) and event.zone == zone)
    return any(cover.until > replay.settle_t for cover in covers)


def _collected_in_gap(tally: Tally, replay: Replay, wager: Wager) -> bool:
    """Whether a Progressive's chips may have come and gone to the tray while nothing was seen."""
    return wager.role == "progressive" and not tally.stake and not replay.seen(replay.round.start, replay.close_t)


# ---- one reading


def _run(tally: Tally, replay: Replay, seat: Seat, wager: Wager, sequence: tuple[Step, ...], void_t: float) -> None:
    if sequence:
        tally.stake = sequence[0].before  # of a later wager too: it went down unseen
    for step in _without_colour_changes(replay, seat, sequence):
        tally.last = step
        if step.rise == 0:
            continue
        if wager.role == "progressive" and _collection(tally, replay, step):
            tally.collected += -step.rise
        elif step.t < replay.close_t and wager.role != "later":
            tally.stake = step.after
        elif step.by_dealer:
            _dealer(tally, replay, seat, wager, step, void_t)
        elif step.rise > 0:
            _player_adds(tally, replay, seat, wager, step, void_t)
        else:
            _player_takes(tally, replay, seat, wager, step, void_t)


def _collection(tally: Tally, replay: Replay, step: Step) -> bool:
    """A Progressive's chips go to the tray before the cards: that wager stands."""
    return step.by_dealer and step.rise < 0 and not step.to_player and not tally.collected and step.t < replay.settle_t


def _dealer(tally: Tally, replay: Replay, seat: Seat, wager: Wager, step: Step, void_t: float) -> None:
    tally.first_dealer = tally.first_dealer or step
    if step.rise > 0:
        tally.added += step.rise
    elif step.to_player or _pushed_unseen(replay, wager, step):
        if _may_take_back(tally, replay, wager, step):
            tally.taken_back = True
        elif step.t < void_t and seat.dealt_in and _had_to_stand(replay, seat, step):
            _withdraw(tally, replay, step)
        else:
            tally.pushed += -step.rise
        return
    else:
        tally.taken += -step.rise
    tally.settling.append(step)
    if step.t < replay.settle_t:
        tally.early = tally.early or step


def _pushed_unseen(replay: Replay, wager: Wager, step: Step) -> bool:
    """A camera does not show well where a dealer's hand takes chips; a bet that goes at its own decision goes back."""
    return (
        replay.from_footage and not entered(step.event) and wager.take_back_at is not None and step.t < replay.settle_t
    )


def _player_adds(tally: Tally, replay: Replay, seat: Seat, wager: Wager, step: Step, void_t: float) -> None:
    if tally.added or tally.taken or tally.pushed:
        return
    hand = replay.hand(f"seat{seat.number}")
    if hand and step.t >= replay.settle_t and all(card.racked and card.racked.t < step.t for card in hand):
        return  # the hand is over: put down for the next round
    if wager.role == "later" and step.t >= void_t:
        tally.stake += step.rise  # the round is void anyhow: whatever goes down goes back
        return
    if step.t >= void_t:
        return
    if wager.role == "later":
        window = replay.window_at(step.t) if seat.asked else None
        if window is not None and _one_motion(tally, replay, step, window.number):
            tally.made_at, tally.made_t = window.number, step.t
            tally.stake += step.rise
            return
    elif not seat.dealt_in and step.t > replay.deal_end_t:
        return  # put down for the next round
    tally.late += step.rise
    tally.late_step = tally.late_step or step


def _one_motion(tally: Tally, replay: Replay, step: Step, window: int) -> bool:
    """Whether a later wager is made, or still being put down: soon after, and before anybody else acts."""
    if tally.made_at is None:
        return not tally.late
    quick = step.t - tally.made_t <= ONE_MOTION_S and tally.made_at == window
    return quick and not any(tally.made_t < event.t < step.t for event in replay.round.events)


def _player_takes(tally: Tally, replay: Replay, seat: Seat, wager: Wager, step: Step, void_t: float) -> None:
    if tally.added or tally.taken or tally.pushed or step.t >= void_t or not seat.dealt_in:
        return
    if step.t >= _settled_from(replay, seat) or (seat.fold_t is not None and step.t >= seat.fold_t):
        return
    if _may_take_back(tally, replay, wager, step):
        tally.taken_back = True
    else:
        _withdraw(tally, replay, step)


def _had_to_stand(replay: Replay, seat: Seat, step: Step) -> bool:
    """Whether a dealer who pushes chips back gives up a wager, rather than returning one that pushes."""
    if step.t < replay.settle_t:
        return seat.fold_t is None or step.t < seat.fold_t
    return replay.game.later is None and step.t < _settled_from(replay, seat)


def _settled_from(replay: Replay, seat: Seat) -> float:
    """When the settling of that seat began: until then its wagers had to stand."""
    if math.isinf(replay.settle_t):
        return math.inf
    paid = [
        step.t
        for wager in replay.game.wagers
        for step in replay.chips.get((seat.number, wager.name), ())
        if step.t >= replay.settle_t and step.actor != "player" and step.to != "player"
    ]
    hand = replay.hand(f"seat{seat.number}")
    racked = [card.racked.t for card in hand if card.racked and card.racked.t >= replay.settle_t]
    turned = [s.start for card in hand for s in card.showings if s.start >= replay.settle_t]
    return min([*paid, *racked, *turned], default=math.inf)


def _withdraw(tally: Tally, replay: Replay, step: Step) -> None:
    tally.withdrawn += -step.rise
    tally.after_reveal = step.t >= replay.settle_t
    tally.withdrawn_step = tally.withdrawn_step or step


def _may_take_back(tally: Tally, replay: Replay, wager: Wager, step: Step) -> bool:
    """Whether the whole bet goes at its own decision; at the next one where its own never came."""
    window = replay.window_at(step.t)
    if window is None or wager.take_back_at is None or step.after or tally.late:
        return False
    came = any(other.number == wager.take_back_at for other in replay.windows)
    return window.number == wager.take_back_at + (not came)


def _without_colour_changes(replay: Replay, seat: Seat, sequence: tuple[Step, ...]) -> Iterator[Step]:
    """The steps, less a dealer's taking and giving back of the same amount before anything is settled."""
    skip = False
    for index, step in enumerate(sequence):
        if skip:
            skip = False
            continue
        following = sequence[index + 1] if index + 1 < len(sequence) else None
        if following and step.by_dealer and following.by_dealer and step.rise < 0 and following.rise == -step.rise:
            quick = following.t - step.t <= COLOUR_CHANGE_S and following.t < replay.settle_t
            if quick and seat.fold_t is None and not step.to_player:
                skip = True
                continue
        yield step
