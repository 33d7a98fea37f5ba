"""The table as the judging half needs to know it: a plain frozen value, made from a site's table profile."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from handreplay.core.money import Cents

Dealing = Literal["manual-shoe", "hand", "automated-shoe"]
Rounding = Literal["down", "up", "nearest"]
OddsKind = Literal["to", "for", "percent_of_meter", "fixed_usd", "push"]


@dataclass(frozen=True, slots=True)
class Odds:
    """One line of a paytable: `num` to (or for) `den` on the named hand."""

    hand: str
    num: int
    den: int
    kind: OddsKind


@dataclass(frozen=True, slots=True)
class WrittenPaytable:
    """A paytable written out in the profile (`[[paytable]]`), highest hand first."""

    wager: str
    name: str
    entries: tuple[Odds, ...]


LooksAt = Literal["hand", "hand+community", "hand+dealer", "dealer", "dealer+community", "loser"]
Ranking = Literal["two-card", "three-card", "four-card", "five-card"]
Option = bool | int | str | tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteWager:
    """An optional wager that the chapter leaves to the site's Rules Submission, as the profile defines it.

    `looks_at` are the cards that decide it (`loser`: the lower of the player's and the dealer's hand), `ranking` the
    order in which they are ranked. `on_void` "plays" is as Trips in 569.13: it is settled when a dealer's card was
    exposed or cards were found face up after the deal, and returned otherwise. `chips` "tray" are taken before the
    deal, so that it is paid "for" and not "to".
    """

    name: str
    title: str
    looks_at: LooksAt
    ranking: Ranking
    on_fold: Literal["plays", "lost"]
    on_void: Literal["plays", "returned"]
    chips: Literal["stay", "tray"] = "stay"
    counts_towards_limit: bool = True
    envy: bool = False  # others with this wager get Envy Bonuses for a hand, by the paytable of "envy"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules:
    """What a table is, how it deals and what it pays. Amounts are integer cents.

    `paytables` chooses a paytable's name for each wager; a name that `written` does not hold for that wager is
    one of the regulation's letters. `chips` are the denominations that the table has, as decimal dollar strings.
    """

    table: str
    game: str  # "ultimate-texas-holdem", ...
    rules: str  # "pa-653a", ...
    seats: int
    dealing: Dealing
    shuffler_counts_deck: bool
    decks: int
    minimum_cents: Cents
    maximum_cents: Cents
    paytables: Mapping[str, str] = field(default_factory=dict)
    written: tuple[WrittenPaytable, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    site_wagers: tuple[SiteWager, ...] = ()
    boxes_per_player: int = 1  # adjacent boxes that one player may play
    wager_limits: Mapping[str, tuple[Cents | None, Cents | None]] = field(default_factory=dict)  # minimum, maximum
    aggregate_payout_cents: Cents | None = None
    rounding: Rounding = "down"
    smallest_chip_cents: Cents = 1
    chips: tuple[str, ...] = ()
