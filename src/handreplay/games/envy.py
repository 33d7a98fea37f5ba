"""Envy Bonuses: what a player with the wager gets for another player's hand."""

from handreplay.core.money import Cents
from handreplay.games.game import Game
from handreplay.games.paytables import chosen, paid
from handreplay.games.table import TableRules


def envy_amount(
    game: Game, table: TableRules, hand: tuple[str, ...], community: tuple[str, ...], stake: Cents
) -> Cents | None:
    """What the hand brings to another player with that stake; None when no paytable for that stake is known."""
    ranked = (game.envy_rank or game.rank_player)(hand, community)
    tables = chosen(table, str(game.envy))
    if ranked is None or not any(paytable.line(ranked.labels) for paytable in tables):
        return 0
    own = next((paytable for paytable in tables if paytable.stake_cents in (None, stake)), None)
    line = own.line(ranked.labels) if own else None
    return None if own is None else paid(stake, line, table) if line else 0
