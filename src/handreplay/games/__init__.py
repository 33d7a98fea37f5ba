"""The games: one module each, hand rankings and paytables shared."""

from functools import lru_cache

from handreplay.core.logfields import Limits
from handreplay.errors import ProfileError
from handreplay.games.game import EXPOSED_PLAYER_CARD, OPTIONAL_WAGERS_OF_VOIDED_HAND, Game
from handreplay.games.hands import known_labels
from handreplay.games.paytables import chosen
from handreplay.games.site_wagers import with_site_wagers
from handreplay.games.table import TableRules


@lru_cache(maxsize=1)
def all_games() -> tuple[Game, ...]:
    from handreplay.games import four_card, let_it_ride, three_card, ultimate_holdem, wpt_heads_up

    modules = (ultimate_holdem, wpt_heads_up, four_card, let_it_ride, three_card)
    return tuple(game for module in modules for game in module.GAMES)


def game_of(table: TableRules) -> Game:
    """The game that the table deals, under its rules, with every paytable that it must have.

    Raises ProfileError for a game, rules or paytable that are not known, or a paytable that is missing.
    """
    known = all_games()
    found = next((game for game in known if (game.name, game.rules) == (table.game, table.rules)), None)
    if found is None:
        choices = ", ".join(f"{game.name} under {game.rules}" for game in known)
        raise ProfileError(f"table {table.table}: {table.game} under {table.rules} is not known; known are {choices}")
    for written in table.written:
        unknown = next((line.hand for line in written.entries if line.hand not in known_labels()), None)
        if unknown is not None:
            where = f"paytable {written.name!r} of {written.wager}"
            raise ProfileError(f"table {table.table}: {where} has the hand {unknown!r}, which no game names")
    for wager in found.wagers:
        for key in wager.paytables:
            if not chosen(table, key) and wager.role in ("base", "later") and not wager.optional:
                raise ProfileError(f"table {table.table}: [paytables] names no paytable for {key}, and none is assumed")
    if EXPOSED_PLAYER_CARD.of(table) == "players_choice" and not OPTIONAL_WAGERS_OF_VOIDED_HAND.of(table):
        raise ProfileError(
            f"table {table.table}: options.optional_wagers_of_voided_hand is missing; where a player may have a hand "
            'voided, no source says what its optional wagers get: "returned" or "plays"'
        )
    adapted = found.adapt(found, table) if found.adapt else found
    return with_site_wagers(adapted, table)


def log_limits(table: TableRules) -> Limits:
    """What this table's profile allows in a round log."""
    names = next((game.wager_names for game in all_games() if game.name == table.game), None)
    if names is not None and table.site_wagers:
        own = {wager.name for wager in table.site_wagers}
        names |= own | ({"envy"} if any(wager.envy for wager in table.site_wagers) else set())
    return Limits(game=table.game, seats=table.seats, wagers=names, denominations=frozenset(table.chips) or None)
