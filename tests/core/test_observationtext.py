from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.core.money import chips
from handreplay.core.observations import (
    Observation,
    PictureLost,
    SeenCard,
    SeenStack,
    ZoneCovered,
    ZoneSeen,
    ZoneUncovered,
)
from handreplay.core.observationtext import observation_line, observations_of
from handreplay.core.readings import Known, Unreadable

numbers = st.floats(-1e6, 1e6)
chances = st.floats(0, 1)
points = st.tuples(numbers, numbers)
names = st.text(max_size=12)
piles = st.dictionaries(st.sampled_from(["0.50", "5", "25", "100"]), st.integers(1, 30), max_size=3).map(chips)


def cards(identity: st.SearchStrategy[Known[str]]) -> st.SearchStrategy[SeenCard]:
    return st.builds(
        SeenCard,
        corners_mm=st.tuples(points, points, points, points),
        face_up=st.booleans(),
        face_confidence=chances,
        identity=identity,
        probabilities=st.lists(chances, max_size=52).map(tuple),
        visible=chances,
        changed=chances,
    )


known = st.builds(Known, st.sampled_from(["Kd", "Th"]), chances)
stacks = st.builds(SeenStack, base_mm=points, chips=st.builds(Known, piles, chances))
seen = st.builds(
    ZoneSeen,
    start=numbers,
    end=numbers,
    frame=st.integers(0, 10**7),
    zone=names,
    busy_since=numbers,
    changed=chances,
    dealer_hand=numbers,
    player_hand=numbers,
    cards=st.lists(cards(known), max_size=3).map(tuple),
    stacks=st.lists(stacks, max_size=3).map(tuple),
    filled=st.booleans(),
    partly=st.booleans(),
)
others = st.one_of(
    st.builds(ZoneCovered, start=numbers, end=numbers, zone=names),
    st.builds(ZoneUncovered, t=numbers, zone=names),
    st.builds(PictureLost, start=numbers, end=numbers, reason=names, camera_moved=st.booleans()),
)


@given(st.lists(st.one_of(seen, others)))
def test_observations_come_back_as_they_were_written(observations: list[Observation]) -> None:
    assert list(observations_of(map(observation_line, observations))) == observations


def test_what_was_not_read_keeps_its_reason_and_its_candidates() -> None:
    unread = Unreadable("number not certain", ((chips({"5": 2, "25": 1}), 0.6), (chips({"5": 3}), 0.4)))
    stack = SeenStack(base_mm=(1.5, 2.0), chips=unread)
    look = ZoneSeen(start=1.0, end=2.0, frame=3, zone="seat1.ante", busy_since=0.5, changed=1.0, stacks=(stack,))
    [told] = observations_of([observation_line(look)])
    assert isinstance(told, ZoneSeen)
    back = told.stacks[0].chips
    assert isinstance(back, Unreadable) and (back.reason, back.candidates) == (unread.reason, unread.candidates)
    assert replace(told, stacks=()) == replace(look, stacks=())


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"kind": "seen"}', '{"kind": "guess"}', '{"kind": "lost", "x": 1}'])
def test_a_line_that_is_no_observation_is_named(line: str) -> None:
    good = observation_line(ZoneUncovered(t=1.0, zone="rack"))
    with pytest.raises(ValueError, match="line 2 is no observation"):
        list(observations_of([good, line]))
