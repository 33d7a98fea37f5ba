"""WG: the sizes of wagers, and when they may be made or taken back."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from handreplay.core.findings import Finding, Status
from handreplay.core.money import Cents, usd
from handreplay.core.readings import Known, Reading
from handreplay.rules.case import Case
from handreplay.rules.settlement import Settled
from handreplay.rules.tallies import Step, confidence

ONE_UNREAD = 0.9
HARDLY = 0.03  # probability of equal amounts below which two wagers are worth a look
PERHAPS = 0.2  # probability from which chips that may have been added or taken are worth a look


def unequal_wagers(case: Case) -> Iterator[Finding]:
    """WG01: wagers that must be equal are, when betting closes."""
    replay = case.replay
    names = replay.game.equal
    if len(names) < 2 or not _betting_seen(case):
        return
    for seat in replay.seats:
        if not seat.qualified:
            continue
        amounts = {name: _known(case, seat.number, name) for name in names}
        if 0 in amounts.values() and not any(set(names) <= needed for needed in replay.game.qualifying):
            continue  # wagers that must be equal only where both are made
        measure = _measure([amounts[name] for name in names])
        if None in amounts.values():
            yield from _unlike(case, seat.number, names)
        for name in names:
            amount = amounts[name]
            if measure is None or amount is None or amount == measure:
                continue
            title = replay.game.wager(name).title
            text = f"Seat {seat.number} {title} is {usd(amount)}, and must equal {usd(measure)}."
            sure = min(confidence(replay, seat.number, other) for other in names)
            if None in amounts.values():
                sure = min(sure, ONE_UNREAD)  # that they differ is sure, which one is out of line is not
            yield _standing(case, "WG01", seat.number, name, text, sure)


def _unlike(case: Case, seat: int, names: Sequence[str]) -> Iterator[Finding]:
    """Wagers that were not read, but hardly any amount may be both of two of them: a question."""
    piles = {name: _chances(case.replay.lies_at_close(seat, name)) for name in names}
    for one, other in combinations(names, 2):
        both = [len(piles[name]) for name in (one, other)]
        named = sum(piles[one].values()) * sum(piles[other].values())
        equal = sum(chance * piles[other].get(amount, 0.0) for amount, chance in piles[one].items())
        if min(both) == 0 or max(both) == 1 or equal >= HARDLY * named:
            continue
        titles = [case.replay.game.wager(name).title for name in (one, other)]
        text = f"Seat {seat} {titles[1]} must equal {titles[0]}; not both were read surely, and they do not look alike."
        yield case.finding(
            "WG01", None, text, confidence=1 - equal, status="review", seat=seat, wager=other, t=case.replay.close_t
        )
        return


def _chances(reading: Reading[Cents]) -> dict[Cents, float]:
    if isinstance(reading, Known):
        return {reading.value: 1.0} if reading.value else {}
    chances: dict[Cents, float] = {}
    for amount, chance in reading.candidates:
        chances[amount] = chances.get(amount, 0.0) + chance
    return chances


def _measure(amounts: list[Cents | None]) -> Cents | None:
    """What the wagers should be: what most of them are, else the first."""
    known = Counter(amount for amount in amounts if amount is not None)
    if not known:
        return None
    most = max(known.values())
    return amounts[0] if most == 1 else next(amount for amount in known if known[amount] == most)


def play_multiple(case: Case) -> Iterator[Finding]:
    """WG02: a later wager is a multiple of the Ante that its decision allows."""
    replay = case.replay
    for settled in case.settlement.wagers:
        tally = settled.tally
        if settled.wager.role != "later" or tally.made_at is None or _stakes(settled) > 1 or replay.round.partial:
            continue
        measure = replay.game.asked_with or "ante"
        ante = _known(case, settled.seat.number, measure)
        decision = replay.game.decisions[tally.made_at]
        if ante is None or decision.multiples is None or _allowed(case, tally.made_at, tally.stake, ante):
            continue
        event = next(s for s in replay.chips[(settled.seat.number, settled.wager.name)])
        text = (
            f"{case.title(settled)} is {usd(tally.stake)} {decision.name} with an Ante of {usd(ante)}; "
            f"allowed is {decision.multiples}."
        )
        sure = min(settled.confidence, confidence(replay, settled.seat.number, measure))
        seat = settled.seat.number
        status: Status | None = None if replay.seen(replay.round.start, event.t) else "review"  # which decision it was
        yield case.finding("WG02", event, text, confidence=sure, status=status, seat=seat, wager=settled.wager.name)


def _allowed(case: Case, number: int, stake: Cents, ante: Cents) -> bool:
    """Whether the decision allows the wager, or one before it that never came (a Flop dealt too early)."""
    came = {window.number for window in case.replay.windows}
    missed = [other for other in range(number) if other not in came]
    multiples = [case.replay.game.decisions[n].multiples for n in (number, *missed)]
    return any(own is not None and own.allow(stake, ante) for own in multiples)


def late_wager(case: Case) -> Iterator[Finding]:
    """WG03: nothing is put down or raised after betting closes, but a later wager at its decision."""
    for settled in _moved(case):
        tally = settled.tally
        if tally.late and tally.late_step and not _withdrawn_first(settled):
            step = tally.late_step
            what = "raised" if tally.stake else "made"
            by = _by(tally.late, {reading.tally.late for reading in settled.readings})
            text = f"{case.title(settled)} was {what} by {by} at {step.t:.1f} s, when it may not be."
            yield _counted(case, "WG03", settled, step.event.t, text)
    yield from _touched(case, "WG03")


def withdrawn_wager(case: Case) -> Iterator[Finding]:
    """WG04: a wager stays down until it is settled."""
    for settled in _moved(case):
        tally = settled.tally
        if tally.withdrawn and tally.withdrawn_step and (not tally.late or _withdrawn_first(settled)):
            step = tally.withdrawn_step
            by = _by(tally.withdrawn, {reading.tally.withdrawn for reading in settled.readings})
            text = f"{case.title(settled)} was reduced by {by} at {step.t:.1f} s, when it had to stand."
            yield _counted(case, "WG04", settled, step.event.t, text)
    yield from _touched(case, "WG04")


def _by(amount: Cents, all_readings: set[Cents]) -> str:
    """The amount, said to be open where readings of the chips differ."""
    return usd(amount) if len(all_readings) == 1 else f"an amount that is not sure (likeliest {usd(amount)})"


def _touched(case: Case, code: str) -> Iterator[Finding]:
    """A player's hand was at chips that had to stand, and whether there are more (WG03) or fewer (WG04) is open."""
    for settled in case.settlement.wagers if case.replay.from_footage and _told_apart(case) else ():
        chances = {"WG03": 0.0, "WG04": 0.0}
        steps: dict[str, Step] = {}
        for reading in settled.readings:
            tally = reading.tally
            for name, step in (("WG03", tally.late_step), ("WG04", tally.withdrawn_step)):
                if step is not None and step.before and step.after and not isinstance(step.event.after, Known):
                    chances[name] += reading.probability
                    steps.setdefault(name, step)
        likelier = max(chances, key=lambda name: chances[name])
        if settled.out_of_turn or likelier != code or chances[code] < PERHAPS:
            continue
        change = "were added" if code == "WG03" else "were taken"
        text = (
            f"The player's hand was at {case.title(settled)} at {steps[code].t:.1f} s, when its chips had to stand; "
            f"the topmost chip is another one since, or lies otherwise. Whether chips {change} cannot be told."
        )
        event, seat, wager = steps[code].event, settled.seat.number, settled.wager.name
        sure = chances[code]
        yield case.finding(code, event, text, confidence=sure, status="review", seat=seat, wager=wager, variance=None)


def wager_without_base(case: Case) -> Iterator[Finding]:
    """WG05: an optional wager needs the wager it depends on."""
    replay = case.replay
    if not _betting_seen(case):
        return
    for seat in replay.seats:
        if seat.qualified:
            continue
        for wager in replay.game.wagers:
            if wager.role not in ("side", "progressive") or not replay.has_at_close(seat.number, wager.name):
                continue
            text = f"Seat {seat.number} {wager.title} stands without the wager it depends on."
            yield _standing(case, "WG05", seat.number, wager.name, text)


def table_limits(case: Case) -> Iterator[Finding]:
    """WG06: a wager is within the table's minimum and maximum."""
    table = case.replay.table
    if not _betting_seen(case):
        return
    limits = dict.fromkeys(case.replay.game.limited, (table.minimum_cents, table.maximum_cents))
    for name, given in table.wager_limits.items():
        default = limits.get(name, (0, None))
        limits[name] = (  # type: ignore[assignment]
            given[0] if given[0] is not None else default[0],
            given[1] if given[1] is not None else default[1],
        )
    for seat in case.replay.seats:
        for name, (low, high) in limits.items():
            amount = _known(case, seat.number, name)
            if not amount or (amount >= low and (high is None or amount <= high)):
                continue
            which, limit = ("below", low) if amount < low else ("above", high)
            title = case.replay.game.wager(name).title
            text = f"Seat {seat.number} {title} of {usd(amount)} is {which} the table's limit of {usd(limit)}."
            hidden = which == "below" and case.replay.from_footage  # a chip of the felt's own colour may lie lowest
            yield _standing(case, "WG06", seat.number, name, text, status="review" if hidden else None)


def _betting_seen(case: Case) -> bool:
    return case.replay.seen(case.replay.round.start, case.replay.close_t)


def _known(case: Case, seat: int, wager: str) -> Cents | None:
    reading = case.replay.lies_at_close(seat, wager)
    return reading.value if isinstance(reading, Known) else None


def _standing(
    case: Case, code: str, seat: int, wager: str, text: str, sure: float = 1.0, status: Status | None = None
) -> Finding:
    """A finding on a wager as it lay when betting closed: the event is its last change before that.

    `sure` is the confidence of what else it hangs on.
    """
    steps = [s for s in case.replay.chips.get((seat, wager), ()) if s.t < case.replay.close_t]
    event = steps[-1] if steps else None
    own = event.confidence if event else 1.0
    return case.finding(code, event, text, seat=seat, wager=wager, confidence=min(own, sure), status=status)


def _told_apart(case: Case) -> bool:
    """Whether wagers have findings of their own: the round stood, and was seen from its beginning to its end."""
    return not case.settlement.handed_back and not case.settlement.played_on and case.replay.round.partial is None


def _moved(case: Case) -> Iterator[Settled]:
    if _told_apart(case):
        for settled in case.settlement.wagers:
            if settled.out_of_turn:
                yield settled


def _withdrawn_first(settled: Settled) -> bool:
    late, back = settled.tally.late_step, settled.tally.withdrawn_step
    return late is not None and back is not None and back.t < late.t


def _counted(case: Case, code: str, settled: Settled, t: float, text: str) -> Finding:
    reading = settled.likeliest
    event = next(s for s in case.replay.chips[(settled.seat.number, settled.wager.name)] if s.t == t)
    seen = case.replay.seen(case.replay.round.start, t)
    agreed = all(bool(r.tally.late or r.tally.withdrawn) for r in settled.readings)
    variance = reading.variance if settled.agreed else None
    return case.finding(
        code,
        event,
        text,
        confidence=settled.confidence if agreed else min(settled.confidence, reading.probability),
        # a gap may hide that a decision was open, or betting, or the settlement
        status=None if seen and not case.called_off_unseen else "review",
        seat=settled.seat.number,
        wager=settled.wager.name,
        expected=reading.expected,
        observed=reading.observed,
        variance=variance,
    )


def _stakes(settled: Settled) -> int:
    return len({reading.tally.stake for reading in settled.readings})
