"""PY: what each wager was paid or lost, in which order and when, and the aggregate limit."""

import math
from collections.abc import Iterator

from handreplay.core.events import Event
from handreplay.core.findings import PROBABLE_FROM, Finding, Status
from handreplay.core.money import Cents, usd, worth
from handreplay.core.readings import Known, Unreadable
from handreplay.games.game import Section
from handreplay.games.paytables import chosen
from handreplay.rules.case import Case
from handreplay.rules.catalogue import catalogue, section_of
from handreplay.rules.settlement import Reading, Settled
from handreplay.rules.tallies import Step, confidence

WORDS = {
    "win": "a win",
    "lose": "a loss",
    "push": "a push",
    "returned": "to be returned",
    "unsettled": "not known",
}


LIKELY_IN_PICTURES = 0.8
ALL_THERE_ARE = 0.85  # piles that add to so much leave none out that would make a payment right
MOST_OF_ALL = 0.5  # probability of the named piles from which those that are not named are much like them
UNNAMED_OTHERWISE = 1 / 3  # share of those that are not named which may make it right
WORTH_NAMING = 0.05
LIKELY_BY_CARDS = 0.97  # dealers err less often: if a card that may be makes the payment right, it is likely that card


def underpaid(case: Case) -> Iterator[Finding]:
    """PY01: a winning wager is paid at the odds of its paytable, to the cent."""
    yield from _wrong(case, "PY01")
    for seat, expected, observed in case.settlement.paid_by_seat:
        limit = case.limit_cents
        if limit is not None and expected > limit > observed:
            short = _most_short(case, seat)
            text = f"Seat {seat} was paid {usd(observed)} in all; {usd(limit)} is due under the aggregate limit."
            yield case.finding(
                "PY01",
                None,
                text,
                seat=seat,
                wager=short.wager.name,
                confidence=short.confidence,
                expected=limit,
                observed=observed,
                variance=observed - limit,
                t=_when(case, short),
            )


def overpaid(case: Case) -> Iterator[Finding]:
    """PY02: no wager gets more than it should, a push or a loss least of all."""
    yield from _wrong(case, "PY02")


def not_collected(case: Case) -> Iterator[Finding]:
    """PY03: a losing wager is collected."""
    yield from _wrong(case, "PY03")


def _least_share(case: Case, settled: Settled) -> float:
    """Probability above which the likeliest reading is worth telling. What the eyes say of piles is believed less."""
    if not case.replay.from_footage:
        return PROBABLE_FROM
    return LIKELY_BY_CARDS if settled.prospect.unread else LIKELY_IN_PICTURES


def _doubt(case: Case, settled: Settled, code: str) -> str:
    """Why a wrong payment is but a question: something was not seen, or not read surely. Empty if it is more."""
    if case.called_off_unseen:
        return "The dealer's hand was not seen turned up, so the round may have been called off."
    if _chips_misread(case):
        return (
            "Stakes below the table's minimum were read, so its chips may not look as its profile says: "
            "`handreplay adapt` measures them."
        )
    if code == "PY04" and _where_unseen(case, settled):
        return "Whether the chips went to the tray or back to the player was not seen."
    if case.replay.from_footage and settled.prospect.confidence < LIKELY_BY_CARDS:
        return "The cards that decide it were not read surely."
    return ""


def _chips_misread(case: Case) -> bool:
    """Were stakes read that the table would not take? Its chips may not look as the profile says."""
    replay = case.replay
    stakes = (replay.lies_at_close(seat.number, name) for seat in replay.seats for name in replay.game.limited)
    known = [stake.value for stake in stakes if isinstance(stake, Known)]
    return replay.from_footage and any(0 < stake < replay.table.minimum_cents for stake in known)


def _where_unseen(case: Case, settled: Settled) -> bool:
    """A camera does not always tell chips taken to the tray from chips pushed back to the player."""
    step = settled.tally.last
    return case.replay.from_footage and step is not None and step.event.to is None


def wrongly_collected(case: Case) -> Iterator[Finding]:
    """PY04: only a losing wager is collected."""
    yield from _wrong(case, "PY04")


def judged(case: Case) -> Iterator[Settled]:
    """The wagers that have a verdict of their own: not in a round that MD09 or MD10 speaks for, not made late."""
    if case.settlement.played_on or case.settlement.handed_back:
        return
    for settled in case.settlement.wagers:
        if not settled.out_of_turn:
            yield settled


def _wrong(case: Case, code: str) -> Iterator[Finding]:
    limit = math.inf if case.limit_cents is None else case.limit_cents
    over_limit = {seat for seat, expected, _ in case.settlement.paid_by_seat if expected > limit}
    for settled in judged(case):
        reading = settled.likeliest
        if reading.code != code:
            continue
        if settled.seat.number in over_limit and settled.wager.capped and code in ("PY01", "PY02"):
            continue  # the limit speaks for what this seat was paid
        share = sum(r.probability for r in settled.readings if (r.code, r.variance) == (code, reading.variance))
        sure = wrong_by_any_pile(case, settled)
        likely = settled.can_tell and _weighed(settled) and share > _least_share(case, settled)
        if not settled.agreed and not sure and not likely:
            continue  # whether anything is wrong cannot be told: FT03 or FT04 says so
        doubt = _doubt(case, settled, code)
        believed = _sureness(case, settled) if settled.agreed or sure else min(share, settled.confidence)
        yield case.finding(
            code,
            _event(settled),
            " ".join(filter(None, (_words(case, settled, reading) + _or_else(settled), doubt))),
            confidence=believed,
            status="review" if doubt else None,
            seat=settled.seat.number,
            wager=settled.wager.name,
            expected=reading.expected,
            observed=reading.observed,
            variance=reading.variance,
            section=_section(case, settled, reading),
            t=_when(case, settled),
        )


def wrong_by_any_pile(case: Case, settled: Settled) -> bool:
    """Whether the pictures leave open by how much a payment is wrong, but not that it is."""
    codes = {reading.code for reading in settled.readings}
    whole = settled.confidence >= ALL_THERE_ARE or _by_direction(case, settled)
    return case.replay.from_footage and settled.can_tell and len(codes) == 1 and whole and not settled.prospect.unread


def _by_direction(case: Case, settled: Settled) -> bool:
    """Whether it is wrong that the house paid, took or did nothing at all, however many chips there were.

    The piles that are named must be most of those that may be.
    """
    events = case.replay.chips.get((settled.seat.number, settled.wager.name), ())
    named = all(isinstance(event.after, Known) or event.after.candidates for event in events)
    return (
        named
        and settled.confidence >= MOST_OF_ALL
        and all(
            (result == "lose" and not reading.due.pay and reading.tally.net >= 0)
            or (result == "push" and reading.tally.net != 0)
            or (result == "win" and reading.tally.net <= 0)
            for reading in settled.readings
            for result in (reading.due.result,)
        )
    )


def _sureness(case: Case, settled: Settled) -> float:
    """How sure a wrong payment is that every reading shows."""
    if not _by_direction(case, settled):
        return settled.confidence
    own = min(confidence(case.replay, settled.seat.number, settled.wager.name), settled.prospect.confidence)
    return min(own, 1 - UNNAMED_OTHERWISE * (1 - settled.confidence))


def _or_else(settled: Settled) -> str:
    """The other amounts by which it may well be wrong."""
    shares: dict[Cents, float] = {}
    for reading in settled.readings:
        if reading.variance is not None and reading.variance != settled.likeliest.variance:
            shares[reading.variance] = shares.get(reading.variance, 0.0) + reading.probability
    others = sorted(variance for variance, share in shares.items() if share >= WORTH_NAMING)
    if settled.agreed or not others:
        return ""
    return " By other readings of the chips the difference is " + " or ".join(usd(abs(v)) for v in others) + "."


def _weighed(settled: Settled) -> bool:
    """Whether the footage itself says which reading is likelier, or all of them are faults."""
    certain = all(reading.code is not None for reading in settled.readings)
    return certain or settled.prospect.guided or not settled.prospect.unread


def _event(settled: Settled) -> Event | None:
    step = settled.tally.first_dealer or settled.tally.last
    return step.event if step else None


def _when(case: Case, settled: Settled) -> float:
    step = settled.tally.first_dealer or settled.tally.last
    after = case.replay.settle_t if not math.isinf(case.replay.settle_t) else case.replay.round.end
    return step.t if step and step.t >= case.replay.close_t else after


def _words(case: Case, settled: Settled, reading: Reading) -> str:
    tally = reading.tally
    title = case.title(settled)
    due = WORDS[reading.due.result]
    if reading.due.pay:
        due += f" that pays {usd(reading.due.pay)}"
    got = f"{usd(tally.added)} was paid" if tally.added else "nothing was paid"
    if tally.taken:
        got = f"{usd(tally.taken)} was collected" + (f" and {usd(tally.added)} paid" if tally.added else "")
    elif not tally.added:
        got = "it was left with the player" if reading.due.result == "lose" else "nothing was paid"
    variance = reading.variance or 0
    stake = f" of {usd(tally.stake)}" if tally.stake else ""
    if tally.taken and variance < 0:
        return f"{title}{stake} is {due}; {got}, which leaves the player {usd(-variance)} short."
    much = "much" if variance > 0 else "little"
    return f"{title}{stake} is {due}; {got}, {usd(abs(variance))} too {much}."


def _section(case: Case, settled: Settled, reading: Reading) -> Section:
    """The paytable's own section for a wager that is paid by one; the irregularities' for a wager to be returned."""
    if reading.due.result == "returned" and case.settlement.void is not None:
        cause = case.settlement.void.causes[0].kind.split()[0]
        return section_of(cause if cause in catalogue() else "MD09", case.replay.table)
    for key in settled.wager.paytables if settled.wager.name != "envy" else (case.replay.game.envy or "",):
        tables = chosen(case.replay.table, key)
        if tables and tables[0].basis != "house":
            return Section(tables[0].section, tables[0].basis)
    return settled.wager.odds


def settlement_order(case: Case) -> Iterator[Finding]:
    """PY05: players with a live later wager (without one in the game: any) are settled from the highest seat down."""
    replay = case.replay
    if case.settlement.void or math.isinf(replay.shown_t) or not replay.cards_seen(replay.shown_t, replay.round.end):
        return
    starts: dict[int, Step] = {}
    for settled in case.settlement.wagers:
        seat = settled.seat
        if settled.wager.name == "envy" or seat.number in case.settlement.folded or not seat.dealt_in:
            continue
        if replay.game.later is not None and seat.play_t is None:
            continue
        step = next((s for s in settled.tally.settling if s.t >= replay.shown_t), None)
        if step and (seat.number not in starts or step.t < starts[seat.number].t):
            starts[seat.number] = step
    order = sorted(starts, key=lambda number: (starts[number].t, -number))
    for place, number in enumerate(order):
        waiting = [other for other in order[place + 1 :] if other > number]
        if waiting:
            text = f"Seat {number} was settled while seat {max(waiting)} was still to be settled."
            sure = min(starts[seat].event.confidence for seat in (number, *waiting))
            whole = replay.seen(replay.shown_t, replay.round.end)
            status: Status | None = None if whole else "review"  # another may have been settled where nothing was seen
            yield case.finding("PY05", starts[number].event, text, seat=number, confidence=sure, status=status)
            return


def payout_limit(case: Case) -> Iterator[Finding]:
    """PY06: the wagers of a seat together are paid no more than the aggregate limit."""
    limit = case.limit_cents
    if limit is None:
        return
    for seat, expected, observed in case.settlement.paid_by_seat:
        if expected > limit and observed > limit:
            paid = [s for s in case.settlement.wagers if s.seat.number == seat and s.tally.added]
            last = max((s.tally.first_dealer for s in paid if s.tally.first_dealer), key=lambda step: step.t)
            text = f"Seat {seat} was paid {usd(observed)} in all; the aggregate limit is {usd(limit)}."
            yield case.finding(
                "PY06",
                last.event,
                text,
                seat=seat,
                confidence=min(s.confidence for s in paid),
                expected=limit,
                observed=observed,
                variance=observed - limit,
            )


def _most_short(case: Case, seat: int) -> Settled:
    own = [s for s in case.settlement.wagers if s.seat.number == seat and s.wager.capped]
    return min(own, key=lambda s: s.tally.added - (s.likeliest.due.pay or 0))


def _may_be_none(step: Step) -> bool:
    """May the chips lie there as before, for all that was read? Cards that are tucked there hide them."""
    after = step.event.after
    return isinstance(after, Unreadable) and any(worth(pile) == step.before for pile, _ in after.candidates)


def settled_early(case: Case) -> Iterator[Finding]:
    """PY07: nothing but a fold's forfeits is paid or taken before the dealer's hand is shown."""
    replay = case.replay
    if case.settlement.void or math.isinf(replay.shown_t):
        return
    for settled in judged(case):
        seat, early = settled.seat, settled.tally.early
        forfeit = seat.number in case.settlement.folded and settled.wager.lost_by_fold
        if early is None or not seat.dealt_in or forfeit or not settled.agreed or settled.likeliest.code is not None:
            continue
        done = "paid" if early.rise > 0 else "collected"
        before = replay.shown_t - early.t
        text = f"{case.title(settled)} was {done} {before:.1f} s before the hand that decides it was shown."
        in_gap = not replay.seen(early.t, replay.shown_t)
        status: Status | None = "review" if in_gap or _may_be_none(early) else None
        yield case.finding("PY07", early.event, text, seat=seat.number, wager=settled.wager.name, status=status)
