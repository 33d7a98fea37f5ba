"""What typed hands are due: the same answers as a replayed round gets, with the reason of each."""

from dataclasses import dataclass

from handreplay.core.findings import HandShown, Outcome
from handreplay.core.money import Cents, usd
from handreplay.games import game_of
from handreplay.games.envy import envy_amount
from handreplay.games.game import Due, Game, Question, Section, Wager
from handreplay.games.table import TableRules
from handreplay.rules.audit import aggregate_limit
from handreplay.rules.settlement import fault_code, net
from handreplay.rules.typed import Typed, TypedSeat, typed


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRow:
    """One wager: what it is due and why. Observed amounts are net, None where nothing was typed of them."""

    seat: int
    wager: str
    title: str
    staked_cents: Cents
    expected: Outcome
    gain_cents: Cents | None  # what the player has more, or less, by it; None while it is open
    why: str
    stands_on: Section
    observed_cents: Cents | None = None
    variance_cents: Cents | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedSettlement:
    """`hands` by place ("dealer", "seat1"); `notes` say what is odd about the wagers themselves."""

    table: TableRules
    game: Game
    board: tuple[str, ...]
    hands: tuple[tuple[str, HandShown], ...]
    rows: tuple[TypedRow, ...]
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """1 where something was paid wrongly, 3 where something cannot be settled, else 0."""
        if any(row.code for row in self.rows):
            return 1
        return 3 if any(row.expected.pay_cents is None for row in self.rows) else 0


def settle_typed(words: list[str], table: TableRules) -> TypedSettlement:
    """Settle the hands that the words tell. Raises ProfileError or HandreplayError for what cannot be used."""
    game = game_of(table)
    found = typed(words, game, table)
    rows: list[TypedRow] = []
    for number in sorted(found.seats):
        seat = found.seats[number]
        for wager in game.wagers:
            if seat.wagers.get(wager.name):
                rows.append(_row(found, seat, wager, game, table))
        rows += _envy_rows(found, seat, game, table)
    limit = aggregate_limit(game, table)
    notes = [note for seat in found.seats.values() for note in _notes(seat, game, table)]
    notes += _over_limit(rows, game, limit)
    return TypedSettlement(
        table=table,
        game=game,
        board=tuple(found.board),
        hands=_hands(found, game),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _row(found: Typed, seat: TypedSeat, wager: Wager, game: Game, table: TableRules) -> TypedRow:
    stake = seat.wagers[wager.name]
    due = game.due(
        Question(
            wager=wager.name,
            stake=stake,
            folded=seat.folded,
            hand=tuple(seat.cards),
            dealer=tuple(found.dealer),
            community=tuple(found.board),
            table=table,
            meter_cents=found.meter_cents,
        )
    )
    why = due.why
    if due.pay is None:
        why = _what_is_missing(found, seat, wager) or why
    stands_on = due.stands_on or wager.odds
    return _judged(seat, wager, stake, due, why, stands_on)


def _judged(seat: TypedSeat, wager: Wager, stake: Cents, due: Due, why: str, stands_on: Section) -> TypedRow:
    expected = net(due, stake, wager)
    observed = seat.net.get(wager.name)
    if observed is not None and wager.role == "progressive":
        observed = max(observed, 0) - stake  # its chips are in the tray from the deal on
    variance = None if observed is None or expected is None else observed - expected
    code = None
    if observed is not None and expected is not None:
        code = fault_code(due, expected, observed, -observed if observed < 0 else 0)
        if code == "PY04" and wager.role == "progressive":
            code = "PY01"
    return TypedRow(
        seat=seat.number,
        wager=wager.name,
        title=wager.title,
        staked_cents=stake,
        expected=Outcome(result=due.result, pay_cents=due.pay),
        gain_cents=expected,
        why=why,
        stands_on=stands_on,
        observed_cents=observed,
        variance_cents=variance,
        code=code,
    )


def _what_is_missing(found: Typed, seat: TypedSeat, wager: Wager) -> str | None:
    held = {"hand": seat.cards, "dealer": found.dealer, "community": found.board}
    names = {"hand": "the player's cards", "dealer": "the dealer's cards", "community": "the board"}
    missing = [names[group] for group in wager.hangs_on if not held[group]]
    if missing:
        return f"hangs on {' and '.join(missing)}, not typed"
    return None if found.meter_cents is not None else "hangs on the meter, not typed (meter 12345.00)"


def _envy_rows(found: Typed, seat: TypedSeat, game: Game, table: TableRules) -> list[TypedRow]:
    stake = seat.wagers.get(game.envy_with, 0)
    if game.envy is None or game.envy not in table.paytables or not stake:
        return []
    holders = [s for s in found.seats.values() if s.number != seat.number and not s.folded and s.cards]
    amounts = {s.number: envy_amount(game, table, tuple(s.cards), tuple(found.board), stake) for s in holders}
    total = sum(amount or 0 for amount in amounts.values())
    if not total:
        return []
    why = "for the hand of " + " and ".join(f"seat {number}" for number, amount in amounts.items() if amount)
    odds = game.wager(game.envy_with).odds
    envy = Wager(name="envy", title="Envy Bonus", role="side", hangs_on=(), odds=odds)
    return [_judged(seat, envy, 0, Due("win", total), why, odds)]


def _hands(found: Typed, game: Game) -> tuple[tuple[str, HandShown], ...]:
    board = tuple(found.board)
    shown = []
    for name, cards in (("dealer", found.dealer), *((f"seat{n}", found.seats[n].cards) for n in sorted(found.seats))):
        if cards:
            ranked = (game.rank_dealer if name == "dealer" else game.rank_player)(tuple(cards), board)
            best = game.best(tuple(cards), board) if ranked else None
            shown.append((name, HandShown(cards=tuple(cards), rank=ranked.rank if ranked else None, best=best)))
    return tuple(shown)


def _notes(seat: TypedSeat, game: Game, table: TableRules) -> list[str]:
    notes = []
    made = [(name, seat.wagers.get(name, 0)) for name in game.equal]
    apart = next(((name, amount) for name, amount in made if amount and made[0][1] and amount != made[0][1]), None)
    if apart:
        notes.append(f"seat {seat.number}: {apart[0]} of {usd(apart[1])} should equal the {made[0][0]} (WG01)")
    later, base = seat.wagers.get(str(game.later), 0), seat.wagers.get(str(game.asked_with), 0)
    multiples = [(d.name, d.multiples) for d in game.decisions if d.multiples]
    if later and not any(own.allow(later, base) for _, own in multiples):
        allowed = "; ".join(f"{name} {own}" for name, own in multiples)
        notes.append(f"seat {seat.number}: {game.later} of {usd(later)} is allowed at no decision: {allowed} (WG02)")
    if seat.silent_fold:
        notes.append(f"seat {seat.number}: no {game.later}, taken as folded")
    limits = dict.fromkeys(game.limited, (table.minimum_cents, table.maximum_cents))
    for name, (low, high) in limits.items():
        amount = seat.wagers.get(name, 0)
        if amount and not low <= amount <= high:
            notes.append(f"seat {seat.number}: {name} of {usd(amount)} is outside {usd(low)} to {usd(high)} (WG06)")
    return notes


def _over_limit(rows: list[TypedRow], game: Game, limit: Cents | None) -> list[str]:
    if limit is None:
        return []
    capped = {wager.name for wager in game.wagers if wager.capped}
    notes = []
    for seat in sorted({row.seat for row in rows}):
        total = sum(row.expected.pay_cents or 0 for row in rows if row.seat == seat and row.wager in capped)
        if total > limit:
            notes.append(f"seat {seat}: pays of {usd(total)} are cut to the aggregate limit of {usd(limit)} (PY06)")
    return notes
