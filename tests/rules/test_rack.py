"""DR: the discard rack."""

from dataclasses import replace

import pytest

from handreplay.core.events import CardMoved, CardPlaced, RackCard, Round
from handreplay.core.readings import Unreadable
from handreplay.rules import audit_rounds
from tests.rules.rounds import ALL, ordinary
from tests.rules.story import Story


def codes(story: Story, round_: Round) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.seat) for finding in audit_rounds([round_], story.table).findings]


def reordered(round_: Round, order: list[str]) -> Round:
    """The round with its cards picked up in another order."""
    moves = {event.card: event for event in round_.events if isinstance(event, CardMoved) and event.to == "rack"}
    times = sorted(move.t for move in moves.values())
    kept = [event for event in round_.events if not (isinstance(event, CardMoved) and event.to == "rack")]
    wanted = [moves[card] for card in order] + [move for card, move in moves.items() if card not in order]
    new = [replace(move, t=t) for move, t in zip(wanted, times, strict=True)]
    return replace(round_, events=(*kept, *new))


@pytest.mark.parametrize("rules", ALL)
def test_a_hand_wedged_into_another_is_named(rules: str) -> None:
    story = ordinary(rules)
    first, *rest = story.names["seat1"]
    order = [first, *story.names["seat3"], *rest]
    assert codes(story, reordered(story.told(), order)) == [("DR01", 3)]


@pytest.mark.parametrize("rules", ALL)
def test_hands_picked_up_in_turns_are_one_finding(rules: str) -> None:
    story = ordinary(rules)
    order = [card for pair in zip(story.names["seat1"], story.names["seat3"], strict=True) for card in pair]
    assert codes(story, reordered(story.told(), order)) == [("DR01", 3)]


@pytest.mark.parametrize("rules", ALL)
def test_hands_kept_together_in_any_order_are_clean(rules: str) -> None:
    story = ordinary(rules)
    order = [*story.names.get("community", []), *story.names["seat1"], *reversed(story.names["seat4"])]
    assert codes(story, reordered(story.told(), order)) == []


@pytest.mark.parametrize("rules", ALL)
def test_a_card_that_never_reaches_the_rack_is_missed_once_a_hand(rules: str) -> None:
    story = ordinary(rules)
    round_ = story.told()
    lost = set(story.names["seat3"][:2])
    events = tuple(event for event in round_.events if not (isinstance(event, CardMoved) and event.card in lost))
    assert codes(story, replace(round_, events=events)) == [("DR02", 3)]


@pytest.mark.parametrize("rules", ALL)
def test_a_card_left_behind_when_the_recording_ends_is_a_question(rules: str) -> None:
    story = ordinary(rules)
    lost = story.names["seat1"][0]
    round_ = reordered(story.told(), [*story.names["seat1"], *story.names["seat3"]])
    events = tuple(event for event in round_.events if not (isinstance(event, CardMoved) and event.card == lost))
    left = replace(round_, events=events, partial="footage ends within the round")
    findings = [finding for finding in audit_rounds([left], story.table).findings if finding.code == "DR02"]
    assert [(finding.seat, finding.status) for finding in findings] == [(1, "review")]


@pytest.mark.parametrize("rules", ALL)
def test_hands_that_were_not_picked_up_yet_when_the_recording_ends_are_none(rules: str) -> None:
    story = ordinary(rules)
    round_ = reordered(story.told(), story.names["seat1"])
    first = next(event for event in round_.events if isinstance(event, CardMoved) and event.to == "rack")
    events = tuple(event for event in round_.events if not (isinstance(event, CardMoved) and event.t > first.t))
    left = replace(round_, events=events, partial="footage ends within the round")
    assert "DR02" not in {code for code, _ in codes(story, left)}


def test_the_rack_as_listed_at_the_end_decides() -> None:
    story = ordinary("pa-653a")
    round_ = story.told()
    lost = story.names["seat3"][0]
    events = tuple(event for event in round_.events if not (isinstance(event, CardMoved) and event.card == lost))
    hands = {card: hand for hand, cards in story.names.items() for card in cards}
    listed = tuple(RackCard(c, Unreadable("face down"), h if h != "rack" else "burn") for c, h in hands.items())
    assert codes(story, replace(round_, events=events, rack=listed)) == []


@pytest.mark.parametrize("rules", ALL)
def test_a_card_of_the_other_deck_is_named_once(rules: str) -> None:
    story = ordinary(rules)
    round_ = story.told()
    stray = story.names["seat3"][0]
    events = tuple(
        replace(e, back=1 if e.card == stray else 0) if isinstance(e, CardPlaced) else e for e in round_.events
    )
    assert codes(story, replace(round_, events=events)) == [("DR03", None)]
