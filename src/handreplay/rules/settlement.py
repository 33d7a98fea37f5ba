"""One verdict a wager: what the rules give it, what it got, and which code the difference has.

Doubtful cards and chips are gone through together, so that a verdict says how many of the readings share it.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

from handreplay.core.findings import Outcome, Result, SettlementRow
from handreplay.core.money import Cents
from handreplay.games.game import OPTIONAL_WAGERS_OF_VOIDED_HAND, Due, Wager
from handreplay.rules.irregularities import Voided, voided
from handreplay.rules.prospects import Prospect, Prospects, either
from handreplay.rules.replay import Replay, Seat
from handreplay.rules.tallies import Tally, confidence, tallies

RETURNED = Due("returned", 0)
LEFT = Due("push", 0)
NOT_KNOWN = Due("unsettled", None)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which it may have been: what was due, what happened, and the code of the difference (None: right)."""

    due: Due
    tally: Tally
    expected: Cents | None
    observed: Cents | None
    code: str | None
    probability: float

    @property
    def variance(self) -> Cents | None:
        if self.expected is None or self.observed is None:
            return None
        return self.observed - self.expected


@dataclass(frozen=True, slots=True)
class Settled:
    """One wager and every reading of its settlement, likeliest first. Not `can_tell`: the readings are too many."""

    seat: Seat
    wager: Wager
    readings: tuple[Reading, ...]
    prospect: Prospect
    confidence: float
    can_tell: bool

    @property
    def likeliest(self) -> Reading:
        return self.readings[0]

    @property
    def tally(self) -> Tally:
        return self.likeliest.tally

    @property
    def agreed(self) -> bool:
        """Whether every reading gives the same verdict and the same difference."""
        first = self.likeliest
        return self.can_tell and all((r.code, r.variance) == (first.code, first.variance) for r in self.readings)

    @property
    def hangs_on_cards(self) -> bool:
        """Whether the same chips get different verdicts by what an unread card is."""
        return not self.can_tell or self._differs(lambda reading: id(reading.tally))

    @property
    def hangs_on_chips(self) -> bool:
        """Whether the same cards get different verdicts by what an unread pile is, or what nobody saw."""
        one_stake = len({reading.tally.stake for reading in self.readings}) == 1
        if all(reading.tally is self.tally for reading in self.readings):
            return False
        return self._differs(lambda reading: reading.due if one_stake else reading.due.result)

    def _differs(self, group: Callable[[Reading], Hashable]) -> bool:
        """Whether readings of one group have different verdicts."""
        verdicts: dict[Hashable, set[tuple[str | None, Cents | None]]] = {}
        for reading in self.readings:
            verdicts.setdefault(group(reading), set()).add((reading.code, reading.variance))
        return any(len(found) > 1 for found in verdicts.values())

    @property
    def out_of_turn(self) -> bool:
        """Made or raised too late, or taken back: the wager's one finding is that.

        A wager that pushes may be picked up as soon as the deciding hand is shown.
        """
        tally = self.tally
        return bool(tally.late) or (tally.withdrawn > 0 and not (tally.after_reveal and self.likeliest.expected == 0))


class Settlement:
    """All wagers of a round."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.prospects = Prospects(replay)

    @cached_property
    def void(self) -> Voided | None:
        return voided(self.replay)

    @cached_property
    def tallies(self) -> dict[tuple[int, str], tuple[Tally, ...]]:
        """By seat and wager, every reading of the chips; zones without chips left out."""
        void_t = self.void.t if self.void else math.inf
        own_t = self.replay.voided_hands
        return {
            (seat.number, wager.name): tallies(self.replay, seat, wager, min(void_t, own_t.get(seat.number, math.inf)))
            for seat in self.replay.seats
            for wager in self.replay.game.wagers
            if self.replay.chips.get((seat.number, wager.name))
        }

    @cached_property
    def folded(self) -> frozenset[int]:
        """Players who had to decide and made no later wager."""
        shown = not math.isinf(self.replay.shown_t)
        return frozenset(
            seat.number
            for seat in self.replay.seats
            if self.replay.game.folds and seat.asked and seat.play_t is None and (shown or seat.fold_t is not None)
        )

    @cached_property
    def handed_back(self) -> bool:
        """The round ended with nothing settled: the dealer's hand never shown, every live wager given back or left."""
        replay = self.replay
        if self.void or not math.isinf(replay.shown_t):
            return False
        in_tray = {wager.name for wager in replay.game.wagers if wager.role == "progressive"}
        if any(all(t.added for t in found) for (_, name), found in self.tallies.items() if name not in in_tray):
            return False
        decided = any(tally.taken_back for found in self.tallies.values() for tally in found)
        if decided and replay.last_withdrawn is not None:
            return False  # the only player left took the last bet too
        taken = {seat for (seat, _), found in self.tallies.items() if all(tally.taken for tally in found)}
        if self._rather_pushed_back:
            taken = set()
        seats = replay.dealt_seats or (replay.seats if not math.isinf(replay.close_t) else ())
        live = [seat for seat in seats if seat.qualified and (seat.number not in taken or seat.fold_t is None)]
        live = [seat for seat in live if seat.number not in replay.voided_hands]
        if any(seat.number in taken for seat in live):
            return False
        return bool(live) and (not taken or any(seat.fold_t is None for seat in live))

    @property
    def _rather_pushed_back(self) -> bool:
        """Whether more wagers were seen to go back to the player than to the tray.

        A camera tells it of few, and a dealer who calls a round off does the same with all.
        """
        steps = [step for own in self.replay.chips.values() for step in own if step.t >= self.replay.close_t]
        ways = Counter(step.to for step in steps if step.actor == "dealer")
        return self.replay.from_footage and ways["player"] > ways["tray"]

    @cached_property
    def surely_handed_back(self) -> bool:
        """Whether nothing of a round that was handed back may have been paid or taken."""
        return all(not tally.taken and not tally.added for found in self.tallies.values() for tally in found)

    @cached_property
    def wagers(self) -> tuple[Settled, ...]:
        """Every wager that had chips, by seat and in the order in which the game names them, Envy Bonuses last."""
        found = []
        for seat in self.replay.seats:
            for wager in self.replay.game.wagers:
                if (seat.number, wager.name) in self.tallies:
                    found.append(self._settled(seat, wager))
            if self.replay.game.envy:
                found.extend(self._envy(seat))
        return tuple(found)

    @cached_property
    def played_on(self) -> bool:
        """The round is void, the dealer's hand was shown, and the wagers were settled as if nothing had happened."""
        done, undone, _ = self._settling
        return done > undone

    @property
    def surely_played_on(self) -> bool:
        """Whether that holds whatever the unread cards are."""
        done, undone, unknown = self._settling
        return done > undone + unknown and not math.isinf(self.replay.turned_t)

    @cached_property
    def _settling(self) -> tuple[int, int, int]:
        """Wagers of a void round that were settled, and not; and those of which an unread card decides what was due."""
        if self.void is None or (math.isinf(self.replay.turned_t) and self.replay.seen(self.void.t, math.inf)):
            return 0, 0, 0
        done = undone = unknown = 0
        for settled in self.wagers:
            if settled.wager.name == "envy" or settled.wager.name in self.void.plays_on or self._came_back(settled):
                continue
            usual = self.prospects.of(settled.seat, settled.wager, settled.tally.stake, self._folded(settled.seat))
            if settled.tally.net != 0:
                done += len(usual.dues) != 1 or net(usual.dues[0][0], settled.tally.stake, settled.wager) != 0
            elif len(usual.dues) != 1:
                unknown += 1
            else:
                gain = net(usual.dues[0][0], settled.tally.stake, settled.wager)
                undone += settled.tally.pushed > 0 if gain is None else gain != 0  # a hand of a wrong size may push
        return done, undone, unknown

    def _came_back(self, settled: Settled) -> bool:
        """Whether a bet that may be taken back had gone before the deciding hand was open."""
        last = settled.tally.last
        gone = last is not None and last.after == 0 and last.t < self.replay.turned_t
        return gone and settled.wager.take_back_at is not None and settled.tally.net == 0

    @cached_property
    def paid_by_seat(self) -> tuple[tuple[int, Cents, Cents], ...]:
        """Seats whose payments are all known: what the wagers under the limit should be paid together, and were."""
        if self.void or self.handed_back:
            return ()
        totals: dict[int, tuple[Cents, Cents]] = {}
        doubtful = set()
        for settled in self.wagers:
            if not settled.wager.capped:
                continue
            reading = settled.likeliest
            if reading.due.pay is None or reading.tally.unseen or not settled.agreed:
                doubtful.add(settled.seat.number)
                continue
            expected, observed = totals.get(settled.seat.number, (0, 0))
            totals[settled.seat.number] = (expected + reading.due.pay, observed + reading.tally.added)
        return tuple((seat, *sums) for seat, sums in sorted(totals.items()) if seat not in doubtful)

    def _folded(self, seat: Seat) -> bool:
        return seat.number in self.folded

    def _settled(self, seat: Seat, wager: Wager) -> Settled:
        found = self.tallies[(seat.number, wager.name)]
        total = sum(tally.probability for tally in found) or 1.0
        readings = []
        can_tell = True
        prospect = Prospect(((LEFT, 1.0),))
        for number, tally in enumerate(found):
            own = self._prospect(seat, wager, tally)
            prospect = own if number == 0 else prospect
            can_tell = can_tell and bool(own.dues)
            for due, probability in own.dues or ((NOT_KNOWN, 1.0),):
                readings.append(_reading(due, tally, wager, probability * tally.probability / total))
        readings.sort(key=lambda reading: -reading.probability)
        sure = min(confidence(self.replay, seat.number, wager.name), prospect.confidence, *(min(total, 1.0),))
        return Settled(seat, wager, tuple(readings), prospect, sure, can_tell)

    def _prospect(self, seat: Seat, wager: Wager, tally: Tally) -> Prospect:
        replay = self.replay
        if self.void is not None and wager.name not in self.void.plays_on:
            return Prospect(((RETURNED, 1.0),))
        if self._hand_voided(seat, wager):
            return Prospect(((RETURNED, 1.0),))
        if self._misses_cards(seat, wager):
            return Prospect(((NOT_KNOWN, 1.0),))
        if not seat.dealt_in or (not seat.qualified and wager.role in ("side", "progressive")):
            seen = replay.seen(
                replay.round.start, replay.after_deal_t
            )  # else a base wager or cards may have come unseen
            return Prospect((((LEFT if seen else NOT_KNOWN), 1.0),))
        if self.handed_back:
            return Prospect(((NOT_KNOWN, 1.0),))
        if tally.taken_back or (tally.stake == 0 and (tally.late or not tally.added)):
            return Prospect(((LEFT, 1.0),))
        folded = self.prospects.of(seat, wager, tally.stake, self._folded(seat))
        if not self._may_have_decided_unseen(seat):
            return folded
        return either(folded, self.prospects.of(seat, wager, tally.stake, False))

    def _hand_voided(self, seat: Seat, wager: Wager) -> bool:
        """Whether the wager goes back since its player had the hand voided."""
        if seat.number not in self.replay.voided_hands:
            return False
        optional = wager.optional or wager.role in ("side", "progressive")
        return not optional or OPTIONAL_WAGERS_OF_VOIDED_HAND.of(self.replay.table) == "returned"

    def _may_have_decided_unseen(self, seat: Seat) -> bool:
        """Whether the seat counts as folded although a later wager may have gone down in a gap."""
        replay = self.replay
        silent = self._folded(seat) and seat.fold_t is None
        return silent and not replay.seen(replay.deal_end_t, replay.turned_t)

    def _misses_cards(self, seat: Seat, wager: Wager) -> bool:
        """Whether a hand that decides the wager is not whole where the footage may have missed the rest of it."""
        replay, game = self.replay, self.replay.game
        if replay.round.partial is not None and not seat.qualified:
            return True
        if replay.round.partial is None and not replay.gaps and not replay.from_footage:
            return False
        sizes = {"hand": game.hand_cards, "dealer": game.dealer_cards, "community": game.community_cards}
        names = {"hand": f"seat{seat.number}", "dealer": "dealer", "community": "community"}
        forfeit = self._folded(seat) and wager.lost_by_fold and replay.round.partial is None
        return not forfeit and any(len(replay.hand(names[group])) < sizes[group] for group in wager.hangs_on)

    def _envy(self, seat: Seat) -> list[Settled]:
        carrier = self.replay.game.envy_with
        progressive = self.tallies.get((seat.number, carrier), ())
        wager = Wager(
            name="envy", title="Envy Bonus", role="side", hangs_on=(), odds=self.replay.game.wager(carrier).odds
        )
        chips = self.replay.chips.get((seat.number, "envy"), ())
        found = tallies(self.replay, seat, wager, math.inf)
        stake = progressive[0].stake if progressive else 0
        bets_seen = self.replay.seen(self.replay.round.start, self.replay.close_t)
        prospect = Prospect(((LEFT, 1.0),))
        if stake and seat.dealt_in and not self.void and not self.handed_back and not math.isinf(self.replay.shown_t):
            gone = self.folded | set(self.replay.voided_hands)
            dealt = (s for s in self.replay.dealt_seats if s.number not in gone)
            holders = tuple(s for s in dealt if s.qualified or not bets_seen)
            prospect = self.prospects.envy(seat, stake, holders)
        elif chips and not stake and not bets_seen:
            prospect = Prospect(())  # whether the wager that carries it was made is not known
        readings = [
            _reading(due, tally, wager, probability * tally.probability)
            for tally in found
            for due, probability in prospect.dues or ((NOT_KNOWN, 1.0),)
        ]
        if not chips and prospect.dues and prospect.dues[0][0] == LEFT:
            return []
        sure = min(confidence(self.replay, seat.number, "envy"), prospect.confidence)
        return [Settled(seat, wager, tuple(readings), prospect, sure, bool(prospect.dues))]

    # ---- rows

    def rows(self) -> tuple[SettlementRow, ...]:
        """A row for each wager that stood, and for each Envy Bonus due or paid."""
        all_returned = self.void is not None and not self.played_on
        return tuple(
            self._row(settled)
            for settled in self.wagers
            if _stood(settled) and (all_returned or not settled.tally.taken_back)
        )

    def _row(self, settled: Settled) -> SettlementRow:
        due = settled.likeliest.due if settled.agreed or not settled.hangs_on_cards else NOT_KNOWN
        one_stake = len({reading.tally.stake for reading in settled.readings}) == 1
        return SettlementRow(
            seat=settled.seat.number,
            wager=settled.wager.name,
            staked_cents=settled.tally.stake if one_stake else None,
            expected=Outcome(result=due.result, pay_cents=due.pay if one_stake or not due.pay else None),
            observed=self._observed(settled),
        )

    def _observed(self, settled: Settled) -> Outcome:
        tally = settled.tally
        results = {(r.tally.added, r.tally.taken > 0, r.tally.unseen) for r in settled.readings}
        if tally.unseen or len(results) > 1 or self.replay.triaged:
            return Outcome(result="unsettled", pay_cents=None)
        untouched: Result = "returned" if self.void or self._hand_voided(settled.seat, settled.wager) else "push"
        if settled.wager.role == "progressive":
            if self.void and tally.added and tally.added == tally.collected:
                return Outcome(result="returned", pay_cents=0)
            if tally.collected and not tally.added:
                return Outcome(result="lose", pay_cents=0)
        if tally.taken:
            return Outcome(result="lose", pay_cents=tally.added)
        if tally.added:
            return Outcome(result="win", pay_cents=tally.added)
        return Outcome(result=untouched, pay_cents=0)


def net(due: Due, stake: Cents, wager: Wager) -> Cents | None:
    """What the house parts with for the wager: less than nothing when it gains."""
    if due.pay is None:
        return None
    if due.result == "lose" or (due.result == "win" and wager.role == "progressive"):
        return due.pay - stake
    return due.pay


def fault_code(due: Due, expected: Cents, observed: Cents, taken: Cents) -> str | None:
    """The PY code of a difference (FINDINGS.md, how they are decided); None where there is none."""
    if observed == expected:
        return None
    if due.result == "lose" and due.pay:
        return "PY01" if observed < expected else "PY03" if not taken else "PY02"
    if due.result == "lose":
        return "PY04" if observed < expected else "PY03" if observed <= 0 else "PY02"
    if observed < 0:
        return "PY04"
    return "PY01" if observed < expected else "PY02"


def _reading(due: Due, tally: Tally, wager: Wager, probability: float) -> Reading:
    expected = net(due, tally.stake, wager)
    observed = None if tally.unseen else tally.net
    code = None
    if expected is not None and observed is not None and not (due.off_table and not tally.added):
        code = fault_code(due, expected, observed, tally.taken)
        if code == "PY04" and due.result == "win" and not tally.taken:
            code = "PY01"  # a Progressive's chips went to the tray rightly, and its win was not paid
    return Reading(due, tally, expected, observed, code, probability)


def _stood(settled: Settled) -> bool:
    tally = settled.tally
    return bool(tally.stake or tally.late or tally.added or tally.taken or settled.wager.name == "envy")
