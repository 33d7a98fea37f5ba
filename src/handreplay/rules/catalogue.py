"""The codes: their names, their remedies, and where each stands in each chapter."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from handreplay.games.game import Section
from handreplay.games.table import Dealing, TableRules

PLACES: tuple[Dealing, ...] = ("manual-shoe", "hand", "automated-shoe")


@dataclass(frozen=True, slots=True)
class Entry:
    code: str
    name: str
    remedy: str


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Entry]:
    return {code: Entry(code, fields["name"], fields["remedy"]) for code, fields in _toml("catalogue.toml").items()}


def cited(code: str, rules: str, dealing: Dealing | None = None) -> Section | None:
    """Where the code stands under the rules; None where the chapter says nothing of it.

    Without a way of dealing all sections are named.
    """
    own = _toml("citations.toml")
    found = own.get(rules, {}).get(code)
    if found is None:
        found = own["all"].get(code)
        return Section(found[0], found[1]) if found else None
    places = [place.strip() for place in found[0].split("|")]
    if len(places) == len(PLACES):
        section = places[PLACES.index(dealing)] if dealing else ", ".join(places)
    else:
        section = places[0]
    return Section(f"58 Pa. Code {section}", found[1])


def section_of(code: str, table: TableRules) -> Section:
    """Where the code stands for this table; the chapter as a whole where no paragraph is known."""
    chapter = table.rules.removeprefix("pa-")
    return cited(code, table.rules, table.dealing) or Section(f"58 Pa. Code ch. {chapter}", "general")


@lru_cache(maxsize=2)
def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
