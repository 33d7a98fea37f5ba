"""The best play of games whose base wagers hang on millions of deals, each worked out by what fits its shape."""

from collections.abc import Callable

from handreplay.errors import HandreplayError
from handreplay.games.best_play import OnBoards
from handreplay.games.odds import TableOdds, with_best_play
from handreplay.report import four_card_play, holdem_play


def with_long_play(told: TableOdds, say: Callable[[str], None]) -> TableOdds:
    """The table's odds with the edge of its base wagers at the best play; `say` is told how far it is.

    Raises HandreplayError for a game whose base wagers are worked out without it, or not at all.
    """
    if told.game.long_play is None:
        raise HandreplayError(f"{told.game.title}: there is nothing that takes long to work out; leave out --best-play")
    paid = told.game.long_play(told.table)
    if not isinstance(paid, OnBoards):
        return with_best_play(told, {"": four_card_play.best_play_edge(paid, say)})

    def progress(done: int, boards: int) -> None:
        if done % 10_000 == 0:
            say(f"{done:,} of {boards:,} boards")

    return with_best_play(told, holdem_play.best_play_edges(told.game, paid, progress))
