"""Voting over pictures, and the settlement of one deck's 52 different cards."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.voting import assign, combine


def spread(**shares: float) -> list[float]:
    rest = (1 - sum(shares.values())) / (52 - len(shares))
    return [shares.get(card, rest) for card in DECK]


def test_pictures_that_agree_make_a_reading_surer_than_any_of_them():
    one = spread(**{"8h": 0.8, "6h": 0.15})
    assert combine([one] * 5)[CARD_NUMBER["8h"]] > 0.85


def test_a_hundred_like_pictures_are_not_a_hundred_witnesses():
    one = spread(**{"8h": 0.55, "6h": 0.4})
    assert combine([one] * 100)[CARD_NUMBER["8h"]] < 0.9


def test_one_odd_picture_does_not_outvote_nine():
    readings = [spread(**{"Ks": 0.9})] * 9 + [spread(**{"Qd": 0.9999})]
    assert combine(readings)[CARD_NUMBER["Ks"]] > 0.95


def test_a_covered_view_counts_for_its_weight():
    good, poor = spread(**{"9c": 0.9}), spread(**{"2d": 0.9})
    assert combine([good, poor], [1.0, 0.05])[CARD_NUMBER["9c"]] > 0.8
    assert combine([good, poor], [0.05, 1.0])[CARD_NUMBER["2d"]] > 0.8
    assert combine([good, poor], [0.0, 0.0]) == pytest.approx([1 / 52] * 52)


def test_no_reading_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        combine([])


def test_an_eight_seen_elsewhere_settles_a_six_that_could_be_it():
    doubtful = spread(**{"8s": 0.52, "6s": 0.46})
    sure = spread(**{"8s": 0.97})
    result = assign([doubtful, sure])
    assert [DECK[card] for card in result.cards] == ["6s", "8s"]
    assert result.probabilities[0][CARD_NUMBER["6s"]] > 0.85
    assert result.doubles == ()


def test_two_cards_that_are_surely_the_same_stay_a_double_to_be_reported():
    ace = spread(**{"Ah": 0.995})
    result = assign([ace, spread(**{"Kd": 0.9}), ace])
    assert [DECK[card] for card in result.cards] == ["Ah", "Kd", "Ah"]
    assert result.doubles == ((0, 2),)


def test_no_card_gives_no_assignment():
    assert assign([]).cards == ()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.floats(0.01, 1), min_size=5, max_size=5), min_size=1, max_size=4))
def test_the_assignment_never_gives_one_card_twice_unless_it_says_so(rows):
    spreads = []
    for row in rows:
        full = np.full(52, 1e-4)
        full[:5] = row
        spreads.append((full / full.sum()).tolist())
    result = assign(spreads)
    if not result.doubles:
        assert len(set(result.cards)) == len(rows)
    for shares in result.probabilities:
        assert math.isclose(sum(shares), 1, abs_tol=1e-6)


def test_the_assignment_is_the_likeliest_of_all_when_readings_are_independent():
    from handreplay.vision.voting import _hungarian

    rng = np.random.default_rng(4)
    for _ in range(20):
        costs = rng.uniform(0, 9, (4, 6))
        best = min(itertools.permutations(range(6), 4), key=lambda p: sum(costs[i, c] for i, c in enumerate(p)))
        assert _hungarian(costs) == list(best)
