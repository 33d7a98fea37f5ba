"""Open piles in the light of each other: what goes together decides, and never against the pictures."""

from dataclasses import replace

import pytest

from handreplay.core.events import ChipsChanged, Round
from handreplay.core.findings import Audit
from handreplay.core.money import Chips
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.rules import audit_rounds, weighed
from tests.rules.rounds import ALL, ordinary
from tests.rules.story import Story


def fives(*chances: tuple[int, float]) -> Reading[Chips]:
    return Unreadable("number of chips not certain", tuple(((("5", n),) if n else (), p) for n, p in chances))


def seen(story: Story, zone: str, *readings: Reading[Chips]) -> Round:
    """The story as the pictures have it: what was put into the zone, and then added to it, is read like that."""
    round_ = story.told()
    left = list(readings)
    before: Reading[Chips] = Known((), 1.0)
    events = []
    for event in round_.events:
        if isinstance(event, ChipsChanged) and event.zone == zone:
            after = event.after
            if left and isinstance(after, Known) and after.value:
                added = left.pop(0)
                after = added if not _amounts(before) else _sum(before, added)
                event = replace(event, before=before, after=after, added=added)
            else:
                event = replace(event, before=before)
            before = after
        events.append(event)
    assert not left
    return replace(round_, events=tuple(events))


def _amounts(reading: Reading[Chips]) -> tuple[tuple[Chips, float], ...]:
    if isinstance(reading, Known):
        return ((reading.value, 1.0),) if reading.value else ()
    return reading.candidates


def _sum(before: Reading[Chips], added: Reading[Chips]) -> Reading[Chips]:
    chances: dict[int, float] = {}
    for pile, p in _amounts(before):
        for more, q in _amounts(added):
            n = dict(pile)["5"] + dict(more)["5"]
            chances[n] = chances.get(n, 0.0) + p * q
    return fives(*sorted(chances.items(), key=lambda item: -item[1]))


def lying(round_: Round, zone: str) -> list[Reading[Chips]]:
    return [e.after for e in round_.events if isinstance(e, ChipsChanged) and e.zone == zone]


def number(reading: Reading[Chips]) -> int | None:
    return dict(reading.value)["5"] if isinstance(reading, Known) else None


def told(story: Story, round_: Round) -> list[tuple[str, str, int | None]]:
    audit: Audit = audit_rounds([round_], story.table)
    return [(finding.code, finding.status, finding.seat) for finding in audit.findings]


@pytest.mark.parametrize("rules", ALL)
def test_what_was_read_stays(rules: str) -> None:
    round_ = ordinary(rules).told()
    assert weighed(round_, ordinary(rules).table) == round_


def test_an_equal_wager_decides() -> None:
    story = ordinary("pa-653a")
    round_ = seen(story, "seat3.ante", fives((4, 0.4), (5, 0.35), (6, 0.25)))
    first, *_ = lying(weighed(round_, story.table), "seat3.ante")
    assert number(first) == 5


def test_a_seat_with_two_open_wagers_is_told_by_both() -> None:
    seats = {3: {"hand": "9h 4h", "ante": 25, "blind": 25, "later": (75, 0)}}
    story = Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c")
    round_ = seen(story, "seat3.blind", fives((4, 0.5), (5, 0.3), (6, 0.2)))
    round_ = replace(
        round_,
        events=tuple(
            replace(e, after=fives((5, 0.5), (6, 0.3)))
            if isinstance(e, ChipsChanged)
            and e.zone == "seat3.ante"
            and isinstance(e.before, Known)
            and not e.before.value
            else e
            for e in round_.events
        ),
    )
    weighty = weighed(round_, story.table)
    assert number(lying(weighty, "seat3.ante")[0]) == 5 and number(lying(weighty, "seat3.blind")[0]) == 5


def test_a_play_wager_is_a_multiple_of_the_ante() -> None:
    story = ordinary("pa-653a")
    round_ = seen(story, "seat1.play", fives((19, 0.3), (20, 0.3), (21, 0.3)), fives((20, 1.0)))
    assert number(lying(weighed(round_, story.table), "seat1.play")[0]) == 20


def test_a_stake_below_the_minimum_is_unlikely() -> None:
    seats = {3: {"hand": "9h 4h", "ante": 10, "blind": 10, "trips": 5, "later": (10, 2)}}
    story = Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c")
    round_ = seen(story, "seat3.ante", fives((1, 0.5), (2, 0.3)), fives((2, 1.0)))
    assert number(lying(weighed(round_, story.table), "seat3.ante")[0]) == 2


def test_of_two_stakes_the_round_sum_is_likelier() -> None:
    seats = {3: {"hand": "9h 4h", "ante": 30, "blind": 30, "trips": 5, "later": (30, 2)}}
    story = Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c")
    doubtful = fives((7, 0.45), (6, 0.45), (5, 0.1))
    round_ = seen(story, "seat3.trips", doubtful)
    read, *_ = lying(weighed(round_, story.table), "seat3.trips")
    chances = dict(_amounts(read))
    assert chances[(("5", 6),)] > 3 * chances[(("5", 7),)] and chances[(("5", 5),)] > chances[(("5", 7),)]


def test_a_stake_that_is_no_round_sum_stays_where_the_picture_shows_it() -> None:
    seats = {3: {"hand": "9h 4h", "ante": 35, "blind": 35, "trips": 5, "later": (35, 2)}}
    story = Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c")
    round_ = seen(story, "seat3.ante", fives((7, 0.95), (6, 0.05)), fives((7, 1.0)))
    assert number(lying(weighed(round_, story.table), "seat3.ante")[0]) == 7


def test_a_payment_between_two_piles_is_the_one_that_is_due() -> None:
    story = ordinary("pa-653a")
    round_ = seen(story, "seat3.ante", fives((5, 1.0)), fives((4, 0.45), (5, 0.45)))
    stake, paid, *_ = lying(weighed(round_, story.table), "seat3.ante")
    assert number(stake) == 5 and number(paid) == 10
    assert told(story, weighed(round_, story.table)) == []


def test_a_payment_that_the_pictures_doubt_stays_open() -> None:
    story = ordinary("pa-653a")
    round_ = seen(story, "seat3.ante", fives((5, 1.0)), fives((4, 0.8), (5, 0.15)))
    _, paid, *_ = lying(weighed(round_, story.table), "seat3.ante")
    assert number(paid) is None
    assert ("FT04", "review", 3) in told(story, weighed(round_, story.table))


def test_a_wrong_payment_that_is_seen_is_told() -> None:
    story = ordinary("pa-653a")
    story.done[3, "ante"] = 4000
    round_ = seen(story, "seat3.ante", fives((5, 1.0)), fives((8, 0.999), (5, 0.001)))
    assert ("PY02", "confirmed", 3) in told(story, weighed(round_, story.table))


def test_unequal_wagers_that_are_seen_are_told() -> None:
    seats = {3: {"hand": "9h 4h", "ante": 25, "blind": 15, "later": (25, 2)}}
    story = Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c")
    round_ = seen(story, "seat3.ante", fives((5, 0.999), (3, 0.00001)), fives((5, 1.0)))
    assert ("WG01", "confirmed", 3) in told(story, weighed(round_, story.table))


def test_what_lay_before_is_what_was_last_read() -> None:
    story = ordinary("pa-653a")
    round_ = weighed(seen(story, "seat3.ante", fives((4, 0.4), (5, 0.35)), fives((5, 1.0))), story.table)
    events = [e for e in round_.events if isinstance(e, ChipsChanged) and e.zone == "seat3.ante"]
    assert [e.before for e in events[1:]] == [e.after for e in events[:-1]]
