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
    options: Mapping[str, bool | int | str] = field(default_factory=dict)
    wager_limits: Mapping[str, tuple[Cents | None, Cents | None]] = field(default_factory=dict)  # minimum, maximum
    aggregate_payout_cents: Cents | None = None
    rounding: Rounding = "down"
    smallest_chip_cents: Cents = 1
    chips: tuple[str, ...] = ()
