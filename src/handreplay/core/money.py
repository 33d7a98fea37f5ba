"""Money is integer cents; chips are counts of denominations, which are decimal dollar strings."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

Cents = int
Chips = tuple[tuple[str, int], ...]  # ("25", 2), ("100", 1): by rising value, no zero counts


@lru_cache(maxsize=512)
def cents(denomination: str) -> Cents:
    """`"0.50"` is 50, `"25"` is 2500."""
    return int(Decimal(denomination) * 100)


def chips(counts: Mapping[str, int]) -> Chips:
    """The canonical form of a pile of chips."""
    return tuple(sorted(((d, n) for d, n in counts.items() if n), key=lambda pair: Decimal(pair[0])))


def worth(pile: Chips) -> Cents:
    return sum(cents(denomination) * count for denomination, count in pile)


def usd(amount: Cents) -> str:
    sign = "-" if amount < 0 else ""
    return f"{sign}${abs(amount) // 100:,}.{abs(amount) % 100:02d}"
