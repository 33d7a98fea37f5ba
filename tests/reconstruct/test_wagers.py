"""Whose hand moved chips, and where a dealer's hand took them."""

import math
from dataclasses import replace

import pytest

from handreplay.core.observations import SeenCard, SeenStack, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.reconstruct.wagers import Move, WagerStory, moves


def alike(chance: float, *, other_top: bool = False, **seen: float) -> ZoneSeen:
    """Three chips with that chance, else five."""
    three, five = ((("5", 3),), chance), ((("5", 5),), 1 - chance)
    stack = SeenStack(base_mm=(0.0, 0.0), chips=Unreadable("3 to 5 chips", (three, five)), other_top=other_top)
    return replace(look(seen.pop("t"), **seen), stacks=(stack,))


def look(t: float, *stacks: str, dealer: float = 0.0, player: float = 0.0, visit: float = 0.8) -> ZoneSeen:
    """Single chips of these values side by side."""
    seen = tuple(
        SeenStack(base_mm=(45.0 * place, 0.0), chips=Known(((value, 1),), 0.995)) for place, value in enumerate(stacks)
    )
    return ZoneSeen(
        start=t,
        end=t + 0.5,
        frame=0,
        zone="seat3.ante",
        busy_since=t - visit,
        changed=0.5,
        stacks=seen,
        dealer_hand=dealer,
        player_hand=player,
    )


def told(*looks: ZoneSeen, dealer_shown: float = math.inf) -> list[Move]:
    story = WagerStory("seat3.ante")
    for seen in looks:
        story.add(seen)
    return list(moves(story, first_card=10.0, dealer_shown=dealer_shown))


@pytest.mark.parametrize(
    ("dealer", "player", "visit", "actor", "to"),
    [
        (6.0, 0.0, 0.8, "dealer", "tray"),
        (10.0, 1.6, 0.8, "dealer", "player"),
        (8.0, 0.6, 0.8, "dealer", None),  # too little to tell
        (12.0, 1.7, 3.8, "dealer", None),  # the hand did more than that
        (0.0, 2.5, 0.8, "player", None),
    ],
)
def test_where_chips_went(dealer: float, player: float, visit: float, actor: str, to: str | None) -> None:
    event = told(look(5.0, "25", player=2.0), look(30.0, dealer=dealer, player=player, visit=visit))[-1].event()
    assert (event.actor, event.to) == (actor, to)


def test_a_payment_has_no_direction() -> None:
    event = told(look(5.0, "25", player=2.0), look(30.0, "25", "5", dealer=6.0, player=1.6))[-1].event()
    assert event.to is None


def test_what_is_added_beside_a_stack_is_told_by_itself() -> None:
    move = told(look(5.0, "25", player=2.0), look(30.0, "25", "5", dealer=6.0))[-1]
    assert move.added == Known((("5", 1),), 0.995)


def test_chips_that_took_the_place_of_others_are_not_added() -> None:
    assert told(look(5.0, "25", player=2.0), look(30.0, "100", "5", dealer=6.0))[-1].added is None


def test_who_took_chips_while_pictures_were_missing_is_not_told() -> None:
    """The hand that moved afterwards may have come for something else."""
    gone = replace(look(34.0, dealer=12.0, player=1.7), unwatched=True)
    event = told(look(5.0, "25", player=2.0), gone)[-1].event()
    assert (event.actor, event.to) == ("unknown", None)


def test_the_same_stack_seen_again_is_no_move() -> None:
    assert len(told(alike(0.6, t=5.0, player=2.0), alike(0.5, t=20.0, player=2.0))) == 1


def test_another_chip_on_top_is_a_move_and_what_was_read_before_tells_nothing_of_it() -> None:
    first, second = told(alike(0.6, t=5.0, player=2.0), alike(0.5, other_top=True, t=20.0, player=2.0))
    assert isinstance(first.after, Unreadable) and dict(first.after.candidates)[(("5", 3),)] == 0.6
    assert isinstance(second.after, Unreadable) and dict(second.after.candidates)[(("5", 3),)] == 0.5
    assert second.event().actor == "player"


def test_cards_over_chips_hide_their_top() -> None:
    card = SeenCard(
        corners_mm=((0.0, 0.0),) * 4, face_up=False, face_confidence=1.0, identity=Unreadable("back"), visible=1.0
    )
    tucked = replace(alike(0.5, other_top=True, t=20.0, player=2.0), cards=(card,))
    assert len(told(alike(0.6, t=5.0, player=2.0), tucked)) == 1


@pytest.mark.parametrize(("t", "player", "asked"), [(20.0, 3.0, True), (20.0, 0.0, False), (8.0, 3.0, False)])
def test_a_stack_that_a_player_touched_after_the_deal_began_may_have_one_chip_more(
    t: float, player: float, asked: bool
) -> None:
    first = look(5.0, "25", player=2.0)
    again = look(t, "25", player=player, dealer=3.0 - player)
    (stack,) = again.stacks
    told_moves = told(first, replace(again, stacks=(replace(stack, other_top=True),)))
    assert len(told_moves) == 1 + asked
    if asked:
        assert isinstance(told_moves[1].after, Unreadable)
        assert [pile for pile, _ in told_moves[1].after.candidates] == [(("25", 1),), (("25", 2),)]


@pytest.mark.parametrize(("changed", "t", "asked"), [(0.2, 40.0, True), (0.03, 40.0, False), (0.2, 25.0, False)])
def test_a_stack_that_the_dealer_touched_while_settling_may_have_got_chips_that_were_not_read(
    changed: float, t: float, asked: bool
) -> None:
    again = look(t, "25", dealer=5.0)
    (stack,) = again.stacks
    again = replace(again, changed=changed, stacks=(replace(stack, other_top=True),))
    told_moves = told(look(5.0, "25", player=2.0), again, dealer_shown=30.0)
    assert [isinstance(move.after, Unreadable) for move in told_moves] == [False, True][: 1 + asked]
