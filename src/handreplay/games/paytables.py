"""What a wager pays: paytables of the chapters and of the profile, exact odds, the house's rounding."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from handreplay.core.money import Cents
from handreplay.errors import ProfileError
from handreplay.games.table import Odds, TableRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Paytable:
    """A paytable in force, highest hand first. `stake_cents`: the one stake it is for; None: any."""

    wager: str
    name: str
    entries: tuple[Odds, ...]
    section: str  # "58 Pa. Code 653a.12(b)", or where a written-out table comes from
    basis: str
    stake_cents: Cents | None = None

    def line(self, labels: Iterable[str]) -> Odds | None:
        """The line that a hand with these labels is paid by: the first that names it."""
        names = frozenset(labels)
        return next((odds for odds in self.entries if odds.hand in names), None)


@lru_cache(maxsize=1)
def printed() -> dict[tuple[str, str, str], tuple[Paytable, ...]]:
    """The chapters' own paytables by rules, wager and letter."""
    raw = tomllib.loads(files(__package__).joinpath("paytables.toml").read_text(encoding="utf-8"))
    found: dict[tuple[str, str, str], tuple[Paytable, ...]] = {}
    for table in raw["paytable"]:
        key = (table["rules"], table["wager"], table["name"])
        found[key] = (*found.get(key, ()), _paytable(table))
    return found


def chosen(table: TableRules, wager: str) -> tuple[Paytable, ...]:
    """The paytable that the profile names for the wager, one for each stake it is printed for; empty: not offered.

    Raises ProfileError for a name that neither the chapter nor the profile has.
    """
    name = table.paytables.get(wager)
    if name is None:
        return ()
    for written in table.written:
        if (written.wager, written.name) == (wager, name):
            section = f"paytable {name!r} of the table profile"
            return (Paytable(wager=wager, name=name, entries=written.entries, section=section, basis="house"),)
    found = printed().get((table.rules, wager, name))
    if found is None:
        letters = sorted(letter for rules, of, letter in printed() if (rules, of) == (table.rules, wager))
        known = f"the chapter has {', '.join(letters)}" if letters else "the chapter's own figures are not known"
        raise ProfileError(
            f"table {table.table}: [paytables] {wager} = {name!r} is no paytable; {known}, "
            f"and one written out needs [[paytable]] with wager = {wager!r} and name = {name!r}"
        )
    return found


def paid(stake: Cents, odds: Odds, table: TableRules, meter_cents: Cents | None = None) -> Cents | None:
    """What the line pays on the stake, rounded by the house's rule; None when it hangs on a meter that is not known."""
    if odds.kind == "push":
        return 0
    if odds.kind == "fixed_usd":
        return rounded(odds.num * 100, odds.den, table)
    if odds.kind == "percent_of_meter":
        if meter_cents is None:
            return None
        return rounded(meter_cents * odds.num, odds.den, table)
    return rounded(stake * odds.num, odds.den, table)


def rounded(numerator: int, denominator: int, table: TableRules) -> Cents:
    """A fraction of a cent in chips: what does not divide into the smallest is rounded down, up or to the nearest."""
    smallest = max(table.smallest_chip_cents, 1)
    chips, rest = divmod(numerator, denominator * smallest)
    if rest and (table.rounding == "up" or (table.rounding == "nearest" and rest * 2 >= denominator * smallest)):
        chips += 1
    return chips * smallest


def _paytable(raw: dict[str, object]) -> Paytable:
    entries = raw["entries"]
    assert isinstance(entries, list)
    stake = raw.get("stake_cents")
    return Paytable(
        wager=str(raw["wager"]),
        name=str(raw["name"]),
        entries=tuple(Odds(e["hand"], e["num"], e["den"], e["kind"]) for e in entries),
        section=str(raw["section"]),
        basis=str(raw["basis"]),
        stake_cents=stake if isinstance(stake, int) else None,
    )
