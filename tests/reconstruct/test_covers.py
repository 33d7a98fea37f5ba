"""What lies over a zone for long is told; a hand at work is not."""

from handreplay.core.observations import ZoneCovered, ZoneSeen, ZoneUncovered
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
