"""What little shows of lower chips is heard, and no pile that may well stand there is ruled out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.core.money import chips
from handreplay.vision.chip_geometry import MOST_CHIPS
from handreplay.vision.chip_mixes import mixes

VALUES = ("0.50", "1", "5", "25", "100")
FIVES_ON_TOP = (("5", 1.0),)


def only(number: int) -> np.ndarray:
    """Sure of one number of chips."""
    return np.eye(MOST_CHIPS)[number - 1]


def alike(value: str, number: int) -> list:
    return [(chips({value: number}), 1.0)]


def test_a_stack_read_as_one_kind_may_still_stand_on_a_higher_chip():
    found = dict(mixes(alike("5", 4), FIVES_ON_TOP, only(4), VALUES))
    assert found[chips({"5": 4})] == max(found.values())
    assert found[chips({"25": 1, "5": 3})] > 0.003


def test_chips_that_would_make_one_of_the_next_lie_on_it_far_less_often():
    few = dict(mixes(alike("5", 4), FIVES_ON_TOP, only(4), VALUES))[chips({"25": 1, "5": 3})]
    many = dict(mixes(alike("5", 8), FIVES_ON_TOP, only(8), VALUES))[chips({"25": 1, "5": 7})]
    assert many < few / 10


def test_a_single_chip_is_what_its_face_shows():
    assert mixes(alike("5", 1), FIVES_ON_TOP, only(1), VALUES) == ((chips({"5": 1}), 1.0),)


def test_a_mix_that_the_reader_is_sure_of_comes_first():
    named = [(chips({"25": 1, "5": 3}), 0.999), (chips({"5": 4}), 0.001)]
    assert mixes(named, FIVES_ON_TOP, only(4), VALUES)[0][0] == chips({"25": 1, "5": 3})


def test_three_values_are_named_when_the_reader_names_them():
    pile = chips({"100": 1, "25": 1, "5": 1})
    assert dict(mixes([(pile, 1.0)], FIVES_ON_TOP, only(3), VALUES))[pile] > 0.01


@given(
    numbers=st.lists(st.floats(0, 1), min_size=MOST_CHIPS, max_size=MOST_CHIPS).filter(lambda given: sum(given) > 0.1),
    top=st.sampled_from(VALUES),
)
def test_probabilities_of_numbers_are_kept_and_sum_to_one(numbers, top):
    chances = np.array(numbers) / sum(numbers)
    found = mixes(alike(top, 2), ((top, 1.0),), chances, VALUES)
    assert sum(p for _, p in found) == pytest.approx(1)
    for number, chance in enumerate(chances, start=1):
        assert sum(p for pile, p in found if sum(n for _, n in pile) == number) == pytest.approx(chance, abs=1e-3)
