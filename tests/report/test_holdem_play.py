"""Hold 'em games at their best play: every board's figures against the game's own answers, and whole edges (slow)."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from handreplay.core.cards import DECK
from handreplay.errors import HandreplayError, ProfileError
from handreplay.games import game_of
from handreplay.games.best_play import OnBoards
from handreplay.games.game import Decision, Multiples, Question
from handreplay.games.odds import table_odds
from handreplay.report.holdem_play import CARDS, PAIR_INDEX, _Tables, best_play_edges
from handreplay.report.long_play import with_long_play
from handreplay.report.odds_text import odds_json, percent
from handreplay.rules.settlement import net
from tests.rules.story import LETTERS, table

FOLDS = {"dealer_without_pair": "folds"}


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("pa-569", {}),
        ("pa-677a", {}),
        ("pa-677a", FOLDS | {"odds_when_dealer_folds": "pushes"}),
        ("pa-677a", FOLDS | {"odds_when_dealer_folds": "plays"}),
    ],
)
@pytest.mark.parametrize("board", ["Kh 7h 2h As 3c", "Ts Js Qs Ks 2d", "9c 9d 9h 4s 4d", "2c 5d 8h Js Ac"])
def test_a_boards_figures_are_what_the_game_says_of_each_of_the_dealers_hands(
    rules: str, options: dict[str, Any], board: str
) -> None:
    own = table(rules, options=options)
    game = game_of(own)
    assert game.long_play is not None
    paid = game.long_play(own)
    assert isinstance(paid, OnBoards)
    cards = tuple(board.split())
    tables = _Tables(paid)
    pairs, base, play = tables.returns_on(cards)
    first, second, later = (*game.equal, str(game.later))
    draw = random.Random(board)
    left = [card for card in DECK if card not in cards]
    for hand in [tuple(draw.sample(left, 2)) for _ in range(3)]:
        sums = dict.fromkeys((first, second, later), 0)
        for dealer in combinations([card for card in left if card not in hand], 2):
            for wager in sums:
                question = Question(
                    wager=wager, stake=200, folded=False, hand=hand, dealer=dealer, community=cards, table=own
                )
                sums[wager] += net(game.due(question), 200, game.wager(wager)) or 0
        place = list(pairs).index(PAIR_INDEX[CARDS[hand[0]], CARDS[hand[1]]])
        assert (base[place] * 200, play[place] * 200) == (
            (sums[first] + sums[second]) * tables.scale,
            sums[later] * tables.scale,
        )


def test_what_a_house_leaves_open_is_asked_for_before_hours_of_work() -> None:
    own = table("pa-677a", options=FOLDS | {"odds_when_dealer_folds": "open"})
    with pytest.raises(ProfileError, match="odds_when_dealer_folds"):
        with_long_play(table_odds(own), print)


def test_other_games_say_that_they_are_not_gone_through_so() -> None:
    with pytest.raises(HandreplayError, match="leave out --best-play"):
        with_long_play(table_odds(table("pa-649a")), print)


@pytest.mark.slow
def test_ultimate_at_its_best_play() -> None:
    own = table("pa-569", paytables={**LETTERS["pa-569"], "blind": "A"})
    told = with_long_play(table_odds(own), lambda _: None)
    assert percent(told.best_play[0].edge) == "2.18497%"
    assert odds_json(told)["not_worked_out"] == []
    three = with_long_play(table_odds(table("pa-653a", options={"first_play": (3,)})), lambda _: None)
    assert three.best_play[0].edge > told.best_play[0].edge > Fraction(0)


@pytest.mark.slow
def test_wpt_at_its_best_play_as_large_as_it_may_be_and_with_no_least_raise() -> None:
    told = with_long_play(table_odds(table("pa-677a")), lambda _: None)
    assert [percent(best.edge) for best in told.best_play] == ["2.35842%", "-5.47307%"]
    assert [best.title.rpartition(", ")[2] for best in told.best_play] == [
        "each Raise as large as it may be",
        "also a Raise too small to count",
    ]
    own = table("pa-677a", options={"first_raise": (3,)})
    game = game_of(own)
    assert game.long_play is not None
    paid = game.long_play(own)
    assert isinstance(paid, OnBoards)
    fixed = replace(game, decisions=(game.decisions[0], _exactly(game.decisions[1], 2), game.decisions[2]))
    assert best_play_edges(fixed, paid) == {"": told.best_play[0].edge}


def _exactly(decision: Decision, multiple: int) -> Decision:
    return replace(decision, multiples=Multiples((multiple,)))
