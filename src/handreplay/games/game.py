"""How a game describes itself: its deal, its wagers, its decisions and what each wager is due.

A game is a value. The rules ask it general questions and know no game by name, so a new game is one module that
fills in a Game, its paytables and its cases.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from handreplay.core.money import Cents, usd
from handreplay.games.best_play import FourOfSix, OnBoards
from handreplay.games.hands import Ranked
from handreplay.games.paytables import Paytable, chosen, paid
from handreplay.games.table import Dealing, LooksAt, Odds, Option, Ranking, TableRules

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
    optional: bool = False  # a base wager that a table need not offer
    by_paytable_alone: bool = False  # nothing but its paytable and its cards decides it
    edge_note: str | None = None  # what a house edge from the paytable alone leaves out


@dataclass(frozen=True, slots=True)
class Due:
    """What the rules give a wager. `pay` is what the house adds; None: hangs on something that is not known.

    `why` says it for a player to read, and `stands_on` where a paytable's line comes from.
    """

    result: Result
    pay: Cents | None = 0
    off_table: bool = False  # an award that need not be paid in chips
    why: str = field(default="", compare=False)
    stands_on: Section | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A point that sources answer differently: an option of the table profile.

    `answers` are the values that it may have; `chapter` is what the rule set says when the profile is silent.
    `multiples`: the answer is a list of whole multiples of the Ante instead, and an empty one leaves it to the chapter.
    """

    name: str
    question: str
    answers: tuple[bool | str, ...] = ()
    chapter: bool | str = ""
    multiples: bool = False

    def of(self, table: TableRules) -> Option:
        return table.options.get(self.name, self.chapter)


EXPOSED_PLAYER_CARD = Setting(
    name="exposed_player_card",
    question="what a player's card that shows during the deal does: nothing, the round is void, the card is racked, or "
    "the player may have the hand voided",
    answers=("plays", "void", "discarded", "players_choice"),
    chapter="plays",
)
OPTIONAL_WAGERS_OF_VOIDED_HAND = Setting(
    name="optional_wagers_of_voided_hand",
    question="what happens to the optional wagers of a hand that its player has voided; needed with "
    'exposed_player_card = "players_choice"',
    answers=("returned", "plays"),
)
EXPOSED_CARDS = (EXPOSED_PLAYER_CARD, OPTIONAL_WAGERS_OF_VOIDED_HAND)
UNSETTLED = Due("unsettled", None, why="hangs on cards or figures that are not known")
FORFEITED = Due("lose", why="forfeited by the fold")


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
            return Due("unsettled", None, why=f"the table profile names no paytable for {words(key)} at this stake")
        line = paytable.line(labels)
        stands_on = Section(paytable.section, paytable.basis)
        if line is None:
            return Due(otherwise, why=f"nothing that paytable {paytable.name} pays", stands_on=stands_on)
        why = f"{words(line.hand)} {odds_words(line)} by paytable {paytable.name}"
        if line.kind == "push":
            return Due("push", why=why, stands_on=stands_on)
        amount = paid(self.stake, line, self.table, self.meter_cents)
        if amount is not None and line.kind in ("to", "for") and amount * line.den != self.stake * line.num:
            why += f", rounded {self.table.rounding} to {usd(self.table.smallest_chip_cents)} chips"
        return Due("win", amount, line.kind == "percent_of_meter", why, stands_on)

    def with_bonus(self, key: str, labels: frozenset[str], result: Result, why: str) -> Due:
        """A base wager with a bonus by the paytable, which is paid whatever the base wager does."""
        bonus = self.by_table(key, labels)
        if bonus.pay is None:
            return UNSETTLED
        paid_also = f"; bonus: {bonus.why}" if bonus.pay else ""
        if result == "win":
            return Due("win", self.stake + bonus.pay, why=f"{why}: pays 1 to 1{paid_also}", stands_on=bonus.stands_on)
        return Due(result, bonus.pay, why=f"{why}{paid_also}", stands_on=bonus.stands_on)

    def even_money(self, why: str) -> Due:
        return Due("win", self.stake, why=f"{why}: pays 1 to 1")


def words(hand: str) -> str:
    """`three_of_a_kind` as it is said."""
    return hand.replace("_", " ")


def odds_words(line: Odds) -> str:
    """`pays 3 to 2`, `pushes`, `pays 10% of the meter`."""
    match line.kind:
        case "push":
            return "pushes"
        case "percent_of_meter":
            return f"pays {100 * line.num / line.den:g}% of the meter"
        case "fixed_usd":
            return f"pays ${line.num / line.den:,.2f}"
        case _:
            return f"pays {line.num:,} {line.kind} {line.den}"


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
    envy_with: str = "progressive"  # the wager that they go with
    envy_rank: Callable[[tuple[str, ...], tuple[str, ...]], Ranked | None] | None = None  # None: as rank_player
    ranked: Mapping[str, tuple[LooksAt, Ranking]] = field(default_factory=dict)  # what each paytable's hands are
    settings: tuple[Setting, ...] = ()
    long_play: Callable[[TableRules], OnBoards | FourOfSix] | None = None  # base wagers that take minutes to work out
    best_play: Callable[[TableRules], dict[tuple[str, str], Fraction]] | None = None  # edges by wager and title
    adapt: "Callable[[Game, TableRules], Game] | None" = None  # to what the profile's settings say

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

    def setting(self, name: str) -> Setting:
        return next(setting for setting in self.settings if setting.name == name)


def compare(player: Ranked | None, dealer: Ranked | None) -> int | None:
    """1 player higher, 0 equal, -1 lower; None when a hand is not complete."""
    if player is None or dealer is None:
        return None
    return (player.strength > dealer.strength) - (player.strength < dealer.strength)


def against(player: Ranked, dealer: Ranked) -> str:
    """`a flush beats a pair`, `the same hand as the dealer`, for a reason."""
    higher = compare(player, dealer)
    if higher == 0:
        return "the same hand as the dealer's"
    own, other = words(player.rank), words(dealer.rank)
    if own == other:
        return f"a {'higher' if higher and higher > 0 else 'lower'} {own} than the dealer's"
    return f"{own} {'beats' if higher and higher > 0 else 'loses to'} the dealer's {other}"
