"""Four Card Poker at its best play: counts of the dealer's hands against plain dealing, and the whole edge (slow)."""

import random
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import pytest

from handreplay.core.cards import DECK
from handreplay.games import game_of
from handreplay.games.best_play import FourOfSix
from handreplay.games.hands import four_card
from handreplay.games.odds import table_odds
from handreplay.report.four_card_play import CARDS, _classes, _Counts, _Levels, _masks
from handreplay.report.long_play import with_long_play
from handreplay.report.odds_text import percent
from tests.rules.story import table


@lru_cache(maxsize=1)
def levels() -> _Levels:
    return _Levels()


@pytest.mark.parametrize("size", [5, 6])
def test_levels_stand_in_the_order_of_the_hands_own_strengths(size: int) -> None:
    draw = random.Random(size)
    dealt = [draw.sample(DECK, size) for _ in range(1500)]
    suited = [card for card in DECK if card[1] == "h"]
    dealt += [draw.sample(suited, 4) + draw.sample([c for c in DECK if c[1] != "h"], size - 4) for _ in range(500)]
    places = levels().of(np.array([[CARDS[card] for card in hand] for hand in dealt]))
    strengths = [four_card(tuple(hand)).strength for hand in dealt]  # type: ignore[union-attr]
    by_place = sorted(zip(places, strengths, strict=True))
    assert [strength for _, strength in by_place] == sorted(strengths)
    for (place, strength), (other, next_strength) in pairwise(by_place):
        assert (place == other) == (strength == next_strength)


def test_masks_hold_each_suits_ranks() -> None:
    assert _masks(np.array([[CARDS[card] for card in ("2c", "Ac", "3d", "2s", "9h")]])).tolist() == [
        [1 | 1 << 12, 2, 1 << 7, 1]
    ]


@pytest.mark.slow
def test_four_card_poker_at_its_best_play() -> None:
    told = with_long_play(table_odds(table("pa-641a")), lambda _: None)
    assert told.best_play[0].edge == Fraction(8840827253, 317119576410)
    assert percent(told.best_play[0].edge) == "2.78785%" and told.not_worked_out == ()


@pytest.mark.slow
def test_the_dealers_hands_that_are_no_stronger_are_as_many_as_dealing_them_finds() -> None:
    counts = _Counts(levels(), _classes(5)[0])
    for hand, open_card in (("Ks 4s 4h 4d 2s", "8h"), ("Qs Qh 7c 6d 2h", "Qd"), ("2d 5d 8d Jd Ac", "Td")):
        own = tuple(hand.split())
        held = np.array([[CARDS[card] for card in own]])
        left = [CARDS[card] for card in DECK if card not in (*own, open_card)]
        dealt = np.array(list(combinations(left, 5)))
        whole = np.concatenate([dealt, np.full((len(dealt), 1), CARDS[open_card])], axis=1)
        level = levels().of(held)
        plain = int((levels().of(whole) <= level[0]).sum())
        assert counts.no_stronger(held, level, CARDS[open_card]).tolist() == [plain]


def test_the_game_says_what_its_best_play_hangs_on() -> None:
    game = game_of(table("pa-641a"))
    assert game.long_play is not None and isinstance(game.long_play(table("pa-641a")), FourOfSix)
