"""Ultimate at its best play: every board's figures against the game's own answers, and the whole edge (slow)."""

import random
from fractions import Fraction
from itertools import combinations

import pytest

from handreplay.core.cards import DECK
from handreplay.errors import HandreplayError
from handreplay.games import game_of
from handreplay.games.game import Question
from handreplay.games.odds import table_odds
from handreplay.games.paytables import chosen
from handreplay.report.holdem_play import CARDS, PAIR_INDEX, _Tables, best_play_edge, with_long_play
from handreplay.report.odds_text import odds_json, percent
from handreplay.rules.settlement import net
from tests.rules.story import LETTERS, table


@pytest.mark.parametrize("board", ["Kh 7h 2h As 3c", "Ts Js Qs Ks 2d", "9c 9d 9h 4s 4d", "2c 5d 8h Js Ac"])
def test_a_boards_figures_are_what_the_game_says_of_each_of_the_dealers_hands(board: str) -> None:
    own = table("pa-569")
    game = game_of(own)
    cards = tuple(board.split())
    tables = _Tables(chosen(own, "blind")[0])
    pairs, base, play = tables.returns_on(cards)
    draw = random.Random(board)
    left = [card for card in DECK if card not in cards]
    for hand in [tuple(draw.sample(left, 2)) for _ in range(3)]:
        sums = {"ante": 0, "blind": 0, "play": 0}
        for dealer in combinations([card for card in left if card not in hand], 2):
            for wager in sums:
                question = Question(
                    wager=wager, stake=200, folded=False, hand=hand, dealer=dealer, community=cards, table=own
                )
                sums[wager] += net(game.due(question), 200, game.wager(wager)) or 0
        place = list(pairs).index(PAIR_INDEX[CARDS[hand[0]], CARDS[hand[1]]])
        assert (base[place] * 200, play[place] * 200) == (
            (sums["ante"] + sums["blind"]) * tables.scale,
            sums["play"] * tables.scale,
        )


def test_other_games_say_that_they_are_not_gone_through_so() -> None:
    with pytest.raises(HandreplayError, match="Ultimate"):
        with_long_play(table_odds(table("pa-649a")), print)


@pytest.mark.slow
def test_ultimate_at_its_best_play() -> None:
    own = table("pa-569", paytables={**LETTERS["pa-569"], "blind": "A"})
    told = with_long_play(table_odds(own), lambda _: None)
    assert percent(told.best_play[0].edge) == "2.18497%"
    assert odds_json(told)["not_worked_out"] == []
    three = table("pa-653a", options={"first_play": (3,)})
    assert best_play_edge(game_of(three), chosen(three, "blind")[0]) > told.best_play[0].edge > Fraction(0)
