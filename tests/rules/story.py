"""Rounds told in a few words, for rules to be asked about.

A story is a round that goes as the rules have it: wagers, deal, decisions, reveal, settlement, pick-up. A test
changes one thing: it edits the events of a phase, or says what the dealer did with a wager instead.
"""

import tomllib
from dataclasses import replace
from typing import Any

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    Declared,
    Event,
    Round,
    StubMoved,
)
from handreplay.core.findings import Audit
from handreplay.core.money import Chips, cents, chips, worth
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.games import game_of
from handreplay.games.table import Odds, TableRules, WrittenPaytable
from handreplay.rules import audit_rounds
from handreplay.rules.replay import Replay
from handreplay.rules.settlement import Settlement, net

VALUES = ("0.50", "1", "5", "25", "100", "500", "1000")
LETTERS = {
    "pa-569": {"blind": "A", "trips": "C"},
    "pa-653a": {"blind": "A", "trips": "C"},
    "pa-677a": dict.fromkeys(("odds", "bad_beat", "pocket_bonus", "trips_plus"), "site"),
    "pa-641a": {"ante_bonus": "A", "aces_up": "D", "progressive": "B", "envy": "B"},
    "pa-643a": dict.fromkeys(("bets", "let_it_ride_bonus", "three_card_bonus"), "site"),
    "pa-649a": {"ante_bonus": "A", "pair_plus": "D", "six_card_bonus": "site"},
}
GAMES = {
    "pa-569": "ultimate-texas-holdem",
    "pa-653a": "ultimate-texas-holdem",
    "pa-677a": "wpt-heads-up-holdem",
    "pa-641a": "four-card-poker",
    "pa-643a": "let-it-ride",
    "pa-649a": "three-card-poker",
}
SITE = {
    "odds": "royal_flush 500 straight_flush 50 four_of_a_kind 10 full_house 3 flush 3/2 straight 1",
    "bad_beat": "straight_flush 500 four_of_a_kind 50 full_house 10 flush 8 straight 5",
    "pocket_bonus": "pair_of_aces 30 ace_king_suited 25 pair 3",
    "trips_plus": "straight_flush 40 four_of_a_kind 30 full_house 9 flush 7 straight 4 three_of_a_kind 3",
    "bets": "full_house 11 flush 8 straight 5 three_of_a_kind 3 two_pair 2 pair_of_tens_or_better 1",
    "let_it_ride_bonus": "flush 50 straight 25 three_of_a_kind 5",
    "three_card_bonus": "mini_royal 50 straight_flush 40 three_of_a_kind 30 straight 6 flush 4 pair 1",
    "six_card_bonus": "four_of_a_kind 50 full_house 25 flush 20 straight 10 three_of_a_kind 5",
}


def written(wager: str) -> WrittenPaytable:
    """A paytable in short: hands and odds, `flush 3/2` being 3 to 2."""
    words = SITE[wager].split()
    entries = []
    for hand, odds in zip(words[::2], words[1::2], strict=True):
        num, _, den = odds.partition("/")
        entries.append(Odds(hand, int(num), int(den or 1), "to"))
    return WrittenPaytable(wager, "site", tuple(entries))


def table(rules: str, **changes: Any) -> TableRules:
    own = TableRules(
        table="T-01",
        game=GAMES[rules],
        rules=rules,
        seats=6 if "holdem" in GAMES[rules] else 7,
        dealing="hand",
        shuffler_counts_deck=True,
        decks=1,
        minimum_cents=1000,
        maximum_cents=50_000,
        paytables=LETTERS[rules],
        written=tuple(written(wager) for wager in SITE),
        aggregate_payout_cents=5_000_000,
        smallest_chip_cents=50,
        chips=VALUES,
    )
    return replace(own, **changes)


def pile(amount: int) -> Chips:
    """Cents in as few chips as there are."""
    counts = {}
    for value in reversed(VALUES):
        counts[value], amount = divmod(amount, cents(value))
    assert amount == 0
    return chips(counts)


class Story:
    """A round in phases, each a list of events whose times are filled in when it is told."""

    def __init__(self, rules: str, seats: dict[int, dict[str, Any]], dealer: str = "", board: str = "", **changes: Any):
        """`seats` holds for each its `hand`, its wagers in dollars, and `later`, dollars and number of the decision.

        `at` sets the number of the decision at which Let It Ride's bets come back: `{"bet1": 0}`.
        """
        self.table = table(rules, **changes)
        self.game = game_of(self.table)
        self.seats = seats
        self.lies: dict[str, int] = {}
        self.done: dict[tuple[int, str], str | int] = {}  # what the dealer did instead: "leave", "take", cents paid
        self.number = 1
        self.played_on = False
        self.settling: list[int] = sorted(seats, reverse=True)
        self.correct: dict[tuple[int, str], int] = {}  # what the dealer then leaves of a payment
        self.broken_off: str | None = None
        self.extra: dict[str, Any] = {}
        self.names: dict[str, list[str]] = {}
        self._count = 0
        faces = {f"seat{seat}": told.get("hand", "").split() for seat, told in seats.items()}
        self.faces = faces | {"dealer": dealer.split(), "community": board.split()}
        self.phases: dict[str, list[Event]] = {"betting": [], "deal": []}
        for seat, told in seats.items():
            for wager in self.game.wagers:
                if wager.name in told:
                    self.phases["betting"].append(self.bet(seat, wager.name, told[wager.name]))
        for seat, told in seats.items():
            if "progressive" in told:
                self.phases["betting"].append(self.changed(seat, "progressive", 0, "dealer", to="tray"))
        self._deal()
        for number in range(len(self.game.decisions)):
            self._decide(number)
        self.phases["reveal"] = [self.turn(name) for name in self.names.get("dealer", [])[: self.game.dealer_open_from]]

    # ---- events

    def changed(self, seat: int, wager: str, to_cents: int, actor: Any, to: Any = None) -> ChipsChanged:
        zone = f"seat{seat}.{wager}"
        before = Known(pile(self.lies.get(zone, 0)), 1.0)
        self.lies[zone] = to_cents
        return ChipsChanged(t=0, zone=zone, before=before, after=Known(pile(to_cents), 1.0), actor=actor, to=to)

    def bet(self, seat: int, wager: str, dollars: float) -> ChipsChanged:
        return self.changed(seat, wager, self.lies.get(f"seat{seat}.{wager}", 0) + int(dollars * 100), "player")

    def place(self, hand: str, face: Any = "down", zone: str | None = None) -> CardPlaced:
        self._count += 1
        name = f"c{self._count:02d}"
        own = self.names.setdefault(hand, [])
        own.append(name)
        identity: Reading[str] = Unreadable("face down")
        if face == "up":
            identity = self.identity(name)
        where = zone or (hand if hand in ("community", "rack") else f"{hand}.cards")
        return CardPlaced(t=0, card=name, zone=where, face=face, identity=identity, actor="dealer")

    def turn(self, card: str, face: Any = "up") -> CardTurned:
        identity: Reading[str] = self.identity(card) if face == "up" else Unreadable("face down")
        return CardTurned(t=0, card=card, face=face, identity=identity, actor="dealer")

    def rack(self, card: str) -> CardMoved:
        hand = next(hand for hand, names in self.names.items() if card in names)
        source = hand if hand == "community" else f"{hand}.cards"
        return CardMoved(t=0, card=card, source=source, to="rack", actor="dealer")

    def identity(self, card: str) -> Reading[str]:
        for hand, names in self.names.items():
            if card in names and names.index(card) < len(self.faces.get(hand, [])):
                return Known(self.faces[hand][names.index(card)], 1.0)
        return Unreadable("not read")

    # ---- the round as it should go

    def _deal(self) -> None:
        seats = tuple(seat for seat in self.seats if self.seats[seat].get("hand"))
        for hand in self.game.deal_order(self.table.dealing, seats):
            place = len(self.names.get(hand, []))
            face = "up" if hand == "dealer" and place >= self.game.dealer_open_from else "down"
            self.phases["deal"].append(self.place(hand, face))

    def _decide(self, number: int) -> None:
        decision = self.game.decisions[number]
        phase = self.phases[f"board {number}"] = []
        if self.game.burns_before and number:
            phase.append(self.place("rack"))
            faces = self.faces["community"]
            for _ in faces[self.game.decisions[number - 1].after_community : decision.after_community]:
                phase.append(self.place("community", "up"))
        elif number:
            phase.append(self.turn(self.names["community"][number - 1]))
        acts = self.phases[f"decision {number}"] = []
        for seat, told in self.seats.items():
            dollars, at = told.get("later", (0, None))
            if at == number:
                acts.append(self.bet(seat, str(self.game.later), dollars))
            acts += [self.changed(seat, bet, 0, "player") for bet, at in told.get("at", {}).items() if at == number]
        if number == len(self.game.decisions) - 1:
            self.phases["last card"] = []
            if self.game.community_with_deal:
                self.phases["last card"].append(self.turn(self.names["community"][-1]))
            for seat in self.seats:
                acts += self._fold(seat)
            acts.append(StubMoved(t=0, to="rack", actor="dealer"))

    def folds(self, seat: int) -> bool:
        told = self.seats[seat]
        asked = self.game.asked_with is None or self.game.asked_with in told
        return bool(self.game.folds and told.get("hand") and asked and "later" not in told)

    def _fold(self, seat: int) -> list[Event]:
        if not self.folds(seat):
            return []
        lost = [w.name for w in self.game.wagers if w.lost_by_fold and w.role == "base" and w.name in self.seats[seat]]
        return [self.changed(seat, name, 0, "dealer", to="tray") for name in lost]

    # ---- telling

    def told(self) -> Round:
        """The round, settled as the rules have it but for what `done` says; `played_on`: as if it were not void."""
        lies = dict(self.lies)
        try:
            return self._settled() if self.broken_off is None else self._handed_back(self.broken_off)
        finally:
            self.lies = lies

    def _settled(self) -> Round:
        events = [event for phase in self.phases.values() for event in phase]
        all_shown = events + [self.turn(name) for seat in self.seats for name in self.names.get(f"seat{seat}", [])]
        settlement = Settlement(Replay(self._round(all_shown), self.game, self.table))
        for seat in self.settling:
            events += [self.turn(name) for name in self.names.get(f"seat{seat}", [])]
            for settled in settlement.wagers:
                if settled.seat.number == seat and not settled.tally.taken:
                    events += self._settle(seat, settled.wager.name, self._due(settlement, settled))
        for hand in (*[f"seat{seat}" for seat in sorted(self.seats, reverse=True)], "dealer", "community"):
            events += [self.rack(name) for name in self.names.get(hand, [])]
        return self._round(events)

    def _due(self, settlement: Settlement, settled: Any) -> int:
        due = settled.likeliest.due
        if self.played_on and settled.wager.name != "envy":
            seat = settled.seat
            due = settlement.prospects.of(seat, settled.wager, settled.tally.stake, self.folds(seat.number)).dues[0][0]
        return (net(due, settled.tally.stake, settled.wager) or 0) + settled.tally.collected

    def _handed_back(self, last_phase: str) -> Round:
        """The round broken off after a phase, every wager that lies there pushed back, the cards racked."""
        events: list[Event] = []
        for name, phase in self.phases.items():
            events += phase
            if name == last_phase:
                break
        lies: dict[str, int] = {}
        for event in events:
            if isinstance(event, ChipsChanged) and isinstance(event.after, Known):
                lies[event.zone] = worth(event.after.value)
        dealt = {event.card for event in events if isinstance(event, CardPlaced) and event.zone != "rack"}
        for zone, amount in lies.items():
            seat, _, wager = zone.removeprefix("seat").partition(".")
            told = self.done.get((int(seat), wager), 0)
            if wager == "progressive":
                events.append(self.changed(int(seat), wager, int(self.seats[int(seat)][wager] * 100), "dealer"))
            elif amount and told != "leave":
                self.lies[zone] = amount
                to = "tray" if told == "take" else "player"
                events.append(self.changed(int(seat), wager, 0, "dealer", to=to))
        events += [self.rack(name) for names in self.names.values() for name in names if name in dealt]
        return self._round(events)

    def _settle(self, seat: int, wager: str, due: int) -> list[Event]:
        told = self.done.get((seat, wager), due)
        lies = self.lies.get(f"seat{seat}.{wager}", 0)
        if told == "leave":
            return []
        if told == "take" or (isinstance(told, int) and told < 0):
            return [self.changed(seat, wager, 0, "dealer", to="tray")] if lies else []
        events: list[Event] = [self.changed(seat, wager, lies + int(told), "dealer")] if told else []
        if (seat, wager) in self.correct:
            events.append(self.changed(seat, wager, lies + self.correct[(seat, wager)], "dealer"))
        return events

    def _round(self, events: list[Event]) -> Round:
        timed = tuple(replace(event, t=event.t or float(place)) for place, event in enumerate(events, start=1))
        return Round(
            number=self.number,
            table=self.table.table,
            game=self.table.game,
            start=0.0,
            end=float(len(timed) + 1),
            events=timed,
            **self.extra,
        )

    def audit(self) -> Audit:
        return audit_rounds([self.told()], self.table)

    def codes(self) -> list[tuple[str, int | None, str | None, int | None]]:
        """Code, seat, wager and variance of every finding."""
        return [(f.code, f.seat, f.wager, f.variance_cents) for f in self.audit().findings]


def declared(what: str, **fields: Any) -> Declared:
    return Declared(t=0, what=what, **fields)


def audit_lines(case: dict[str, Any]) -> Audit:
    """Judge a recorded case from its texts."""
    import tempfile
    from pathlib import Path

    from handreplay.config import load_profile
    from handreplay.core.roundlog import read_rounds

    assert tomllib.loads(case["table"])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "t.table.toml").write_text(case["table"])
        (Path(folder) / "r.jsonl").write_text(case["log"])
        own = load_profile(Path(folder) / "t.table.toml").rules()
        return audit_rounds(read_rounds(Path(folder) / "r.jsonl"), own)


__all__ = ["Story", "audit_lines", "declared", "pile", "table", "worth", "written"]
