"""What lies over a zone for long is told; a hand at work is not."""

from dataclasses import replace

import pytest

from handreplay.core.observations import SeenStack, ZoneCovered, ZoneSeen, ZoneUncovered
from handreplay.core.readings import Known
from handreplay.reconstruct.assemble import _by_tucked_cards
from handreplay.reconstruct.card_story import CardStory
from handreplay.reconstruct.covers import long_covers


def cover(zone: str, start: float, end: float) -> ZoneCovered:
    return ZoneCovered(start=start, end=end, zone=zone)


def look(zone: str, start: float) -> ZoneSeen:
    return ZoneSeen(start=start, end=start + 0.5, frame=0, zone=zone, busy_since=start, changed=1.0)


def test_covers_that_follow_each_other_are_one_until_the_next_look() -> None:
    covered = [cover("seat5.cards", 66.3, 67.0), cover("seat5.cards", 70.2, 76.4)]
    looks = [look("seat5.cards", 62.7), look("seat5.cards", 87.9), look("seat4.cards", 70.0)]
    assert list(long_covers(covered, looks)) == [cover("seat5.cards", 66.3, 87.9)]


def test_a_hand_at_work_is_no_cover() -> None:
    covered = [cover("dealer.cards", t, t + 6) for t in (70.0, 72.0, 75.0)] + [cover("seat1.cards", 65.0, 66.0)]
    looks = [look("dealer.cards", 81.5), look("seat1.cards", 66.2)]
    assert list(long_covers(covered, looks)) == []


def test_hands_rest_on_the_rack() -> None:
    assert list(long_covers([cover("rack", 10.0, 60.0)], [])) == []


def test_a_cover_that_never_ends_counts_as_far_as_it_was_seen() -> None:
    covered = [cover("community", 10.0, 16.0), cover("community", 20.0, 30.0)]
    assert list(long_covers(covered, [])) == [cover("community", 10.0, 30.0)]


def test_a_place_that_comes_back_as_it_was_is_covered_no_more() -> None:
    covered = [cover("seat2.play", 4.8, 5.3), ZoneUncovered(t=6.0, zone="seat2.play")]
    assert list(long_covers(covered, [look("seat2.play", 26.4)])) == []


@pytest.mark.parametrize(
    ("tucked_at", "chips", "by_it"), [(91.0, False, True), (91.0, True, False), (60.0, False, False)]
)
def test_a_hand_tucked_under_the_wager_beside_it_hides_nothing_of_an_empty_one(
    tucked_at: float, chips: bool, by_it: bool
) -> None:
    card = CardStory("seat3.cards", 20.0, 300, False, tucked="seat3.aces_up", tucked_at=tucked_at)
    stack = SeenStack(base_mm=(0.0, 0.0), chips=Known((("5", 1),), 0.9))
    before = replace(look("seat3.ante", 88.0), stacks=(stack,) if chips else ())
    assert _by_tucked_cards(cover("seat3.ante", 90.1, 126.0), [card], [before]) is by_it


@pytest.mark.parametrize(("shown", "left", "told"), [(68.0, False, True), (80.0, False, False), (68.0, True, False)])
def test_a_wager_that_could_not_be_read_while_it_was_settled_and_then_was_gone_counts_sooner(
    shown: float, left: bool, told: bool
) -> None:
    stack = SeenStack(base_mm=(0.0, 0.0), chips=Known((("25", 1),), 0.9))
    after = replace(look("seat3.blind", 85.0), stacks=(stack,) if left else ())
    covered = [cover("seat3.blind", 76.5, 80.7), cover("seat3.blind", 77.1, 83.7)]
    assert bool(list(long_covers(covered, [after], shown))) is told
