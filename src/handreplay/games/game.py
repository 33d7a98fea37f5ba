"""How a game describes itself: its deal, its wagers, its decisions and what each wager is due.

A game is a value. The rules ask it general questions and know no game by name, so a new game is one module that
fills in a Game, its paytables and its cases.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from handreplay.core.money import Cents
from handreplay.games.hands import Ranked
from handreplay.games.paytables import Paytable, chosen, paid
from handreplay.games.table import Dealing, TableRules

Role = Literal["base", "side", "later", "progressive"]
CardGroup = Literal["hand", "dealer", "community"]
Result = Literal["win", "lose", "push", "returned", "unsettled"]
Rank = Callable[[tuple[str, ...]], Ranked | None]


@dataclass(frozen=True, slots=True)
class Section:
    """Where a rule stands, and how well it is known (RULESETS: text, proposed, cited, sister, practice, general)."""

    section: str
    basis: str


@dataclass(frozen=True, slots=True)
class Multiples:
    """What a later wager may be, as multiples of the Ante: one of `exactly`, or from `at_least` to `up_to`."""

    exactly: tuple[int, ...] = ()
    at_least: Fraction = Fraction(0)
    up_to: Fraction = Fraction(0)

    def allow(self, wager: Cents, ante: Cents) -> bool:
        if wager <= 0:
            return False
        if self.exactly:
            return any(wager == multiple * ante for multiple in self.exactly)
        return self.at_least * ante <= wager <= self.up_to * ante

    def __str__(self) -> str:
        if self.exactly:
            return " or ".join(f"{multiple}x" for multiple in self.exactly) + " Ante"
        return f"{self.at_least}x to {self.up_to}x Ante" if self.at_least else f"up to {self.up_to}x Ante"


@dataclass(frozen=True, slots=True)
class Decision:
    """A time at which players decide: once so many community cards are up, until the dealer goes on."""

    name: str  # "before the Flop"
    after_community: int
    multiples: Multiples | None = None  # of a later wager; None where none is made (Let It Ride)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wager:
    """One wager. `hangs_on` are the cards that decide it when the player has not folded."""

    name: str
    title: str
    role: Role
    hangs_on: tuple[CardGroup, ...]
    odds: Section
    lost_by_fold: bool = True
    take_back_at: int | None = None  # the decision at which it may be taken back
    paytables: tuple[str, ...] = ()  # keys of [paytables] that it needs
    capped: bool = True  # counts towards the aggregate payout limit


@dataclass(frozen=True, slots=True)
class Due:
    """What the rules give a wager. `pay` is what the house adds; None: hangs on something that is not known."""

    result: Result
    pay: Cents | None = 0
    off_table: bool = False  # an award that need not be paid in chips


UNSETTLED = Due("unsettled", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything that one wager's result may hang on, all cards known."""

    wager: str
    stake: Cents
    folded: bool
    hand: tuple[str, ...]
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    table: TableRules
    meter_cents: Cents | None = None

    def odds_of(self, key: str) -> Paytable | None:
        """The paytable in force under that key, for this stake."""
        tables = chosen(self.table, key)
        return next((t for t in tables if t.stake_cents in (None, self.stake)), None)

    def by_table(self, key: str, labels: frozenset[str], otherwise: Result = "lose") -> Due:
        """A win by the paytable, a push where it says so, else `otherwise`."""
        paytable = self.odds_of(key)
        if paytable is None:
            return UNSETTLED
        line = paytable.line(labels)
        if line is None:
            return Due(otherwise)
        if line.kind == "push":
            return Due("push")
        amount = paid(self.stake, line, self.table, self.meter_cents)
        return Due("win", amount, off_table=line.kind == "percent_of_meter")

    def even_money(self) -> Due:
        return Due("win", self.stake)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game under one chapter's rules."""

    name: str
    rules: str
    title: str
    wagers: tuple[Wager, ...]
    qualifying: tuple[frozenset[str], ...]  # any one of these sets of wagers gets a seat dealt in
    limited: tuple[str, ...]  # the wagers that the table minimum and maximum bind
    equal: tuple[str, ...] = ()  # wagers that must equal the first of them
    asked_with: str | None = None  # only players with this wager decide; None: every player dealt in
    later: str | None = None  # the wager that is made at a decision
    decisions: tuple[Decision, ...]
    hand_cards: int
    dealer_cards: int
    dealer_open_from: int = 99  # the dealer's cards from this place on lie face up by rule, counted from 0
    community_cards: int = 0
    community_face: Literal["up", "down"] = "up"
    burns_before: tuple[int, ...] = ()  # a burn before the community card of this place, counted from 0
    unseen_in_shoe: int = 0  # cards that leave an automated shoe for the rack unseen
    plays_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # void by cause: wagers settled all the same
    folds: bool = True
    cap_at_least_cents: Callable[[TableRules], Cents] | None = None  # the aggregate limit is never below this
    due: Callable[[Question], Due]
    rank_player: Callable[[tuple[str, ...], tuple[str, ...]], Ranked | None]  # hand, community
    rank_dealer: Callable[[tuple[str, ...], tuple[str, ...]], Ranked | None]
    best: Callable[[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]
    envy: str | None = None  # the paytable key of Envy Bonuses

    def wager(self, name: str) -> Wager:
        return next(wager for wager in self.wagers if wager.name == name)

    @property
    def wager_names(self) -> frozenset[str]:
        names = frozenset(wager.name for wager in self.wagers)
        return names | {"envy"} if self.envy else names

    @property
    def community_with_deal(self) -> bool:
        """The community cards come with the hands, face down."""
        return self.community_face == "down"

    def hand_size(self, hand: str) -> int:
        return self.dealer_cards if hand == "dealer" else self.hand_cards

    def deal_order(self, dealing: Dealing, seats: tuple[int, ...]) -> tuple[str, ...]:
        """The hands in the order in which the cards come to them, one entry a card, ascending seats then the dealer."""
        order: list[str] = []
        if dealing == "automated-shoe":
            for seat in seats:
                order += [f"seat{seat}"] * self.hand_cards
            order += ["dealer"] * self.dealer_cards
        else:
            for pass_ in range(self.hand_cards):
                order += [f"seat{seat}" for seat in seats]
                order += ["dealer"] * (pass_ < self.dealer_cards)
            order += ["dealer"] * max(self.dealer_cards - self.hand_cards, 0)
        return (*order, *["community"] * (self.community_cards if self.community_with_deal else 0))


def compare(player: Ranked | None, dealer: Ranked | None) -> int | None:
    """1 player higher, 0 equal, -1 lower; None when a hand is not complete."""
    if player is None or dealer is None:
        return None
    return (player.strength > dealer.strength) - (player.strength < dealer.strength)
