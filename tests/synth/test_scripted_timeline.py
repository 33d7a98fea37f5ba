"""A script follows its log: the same events in the same order, things where the log says, hands out of the way."""

from itertools import pairwise
from pathlib import Path

import pytest

from handreplay.config import load_profile
from handreplay.core.events import CardMoved, CardPlaced, CardTurned, ChipsChanged
from handreplay.core.readings import Known
from handreplay.core.roundlog import read_rounds
from handreplay.errors import LogError
from handreplay.report.evaluation.sources import made, read_document
from handreplay.rules import audit_rounds
from handreplay.synth.scripted_acts import Director
from handreplay.synth.scripted_layout import Layout
from handreplay.synth.scripted_stage import Script

DATA = Path(__file__).parent.parent / "data" / "scripted"
NAMES = sorted(path.name.removesuffix(".rounds.jsonl") for path in DATA.glob("*.rounds.jsonl"))
A_HAND_MM = 150.0


def layout_of(name, *, fanned=True):
    zones = {zone.name: zone.polygon for zone in load_profile(DATA / f"{name}.table.toml").zones}
    return Layout(zones, upright_for_dealer=True, fanned=fanned)


def played(name, seed=3):
    director = Director(layout_of(name), seed, 1.0)
    director.play(read_rounds(DATA / f"{name}.rounds.jsonl"), name)
    return director.filmed, director.script()


def inside(spot, x, y):
    across, along = x - spot.middle[0], y - spot.middle[1]
    right = across * spot.right[0] + along * spot.right[1]
    down = across * spot.down[0] + along * spot.down[1]
    return abs(right) <= spot.half_right and abs(down) <= spot.half_down


def in_zone(script: Script, spot, t, kind):
    return [thing for thing in script.things(t).values() if thing.kind == kind and inside(spot, thing.x, thing.y)]


@pytest.mark.parametrize("name", NAMES)
def test_filming_keeps_the_order_of_events_and_what_they_say(name):
    (filmed,), _ = played(name)
    (log,) = read_rounds(DATA / f"{name}.rounds.jsonl")
    assert [type(event) for event in filmed.events] == [type(event) for event in log.events]
    assert [getattr(event, "card", None) for event in filmed.events] == [getattr(e, "card", None) for e in log.events]
    assert all(one.t <= other.t for one, other in pairwise(filmed.events))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_filmed_log_replays_to_the_findings_of_the_log(name, seed):
    filmed, _ = played(name, seed)
    profile = load_profile(DATA / f"{name}.table.toml")
    found = made(filmed, audit_rounds(filmed, profile.rules()), profile).findings["findings"]
    wanted = read_document(DATA / f"{name}.expected.json")["findings"]
    assert sorted((f["code"], str(f["seat"]), str(f["wager"])) for f in found) == sorted(
        (f["code"], str(f["seat"]), str(f["wager"])) for f in wanted
    )


@pytest.mark.parametrize("name", NAMES)
def test_cards_lie_in_their_zone_and_show_what_the_log_says(name):
    (filmed,), script = played(name)
    layout = layout_of(name)
    for event in filmed.events:
        if isinstance(event, CardPlaced) and event.face == "up" and isinstance(event.identity, Known):
            seen = in_zone(script, layout.spot(event.zone), event.t, "card")
            assert event.identity.value in [thing.show for thing in seen]
        if isinstance(event, CardTurned) and event.face == "up" and isinstance(event.identity, Known):
            assert event.identity.value in [thing.show for thing in script.things(event.t).values()]
        if isinstance(event, CardMoved) and event.to == "rack":
            card = script.things(event.t)[f"card 0 {event.card}"]
            assert inside(layout.spot("rack"), card.x, card.y)
            assert card.show == ""


@pytest.mark.parametrize("name", NAMES)
def test_the_stacks_of_a_zone_are_the_chips_that_the_log_has_there(name):
    (filmed,), script = played(name)
    layout = layout_of(name)
    for event in filmed.events:
        if isinstance(event, ChipsChanged) and isinstance(event.after, Known):
            stacks = in_zone(script, layout.spot(event.zone), event.t, "stack")
            values = [value for stack in stacks for value in stack.values]
            assert {value: values.count(value) for value in values} == dict(event.after.value)


@pytest.mark.parametrize("name", NAMES)
def test_the_hand_that_did_it_has_left_the_zone_at_the_event(name):
    (filmed,), script = played(name)
    layout = layout_of(name)
    ways = {way.name: way for way in script.ways}
    for event in filmed.events:
        if isinstance(event, ChipsChanged | CardPlaced):
            x, y = layout.spot(event.zone).middle
            seat = event.zone.partition(".")[0]
            for arm in (seat,) if event.actor == "player" else ("dealer", "dealer's left"):
                grip = ways[arm].grip(event.t)
                assert abs(grip[0] - x) + abs(grip[1] - y) > A_HAND_MM, (event, arm)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_hand_carries_lies_nowhere_meanwhile(name):
    _, script = played(name)
    for carry in script.carries:
        middle = (carry.start + carry.end) / 2
        assert carry.end > carry.start
        lying = script.things(middle)
        for thing in carry.things:
            if thing.kind == "card":
                assert thing.key not in lying


def test_no_stack_is_higher_than_a_hand_can_hold():
    for name in NAMES:
        _, script = played(name)
        for change in script.changes:
            assert all(len(thing.values) <= 20 for thing in change.laid)


def unread(tmp_path, put):
    """The log with the first chips that come replaced by `put`, as a file."""
    log = (DATA / "uth-push-paid.rounds.jsonl").read_text()
    first = log.index('"after": {"')
    path = tmp_path / "unread.rounds.jsonl"
    path.write_text(log[:first] + put + log[log.index("}", first) + 1 :])
    return read_rounds(path)


def test_chips_that_the_log_could_not_read_glare_and_are_the_likeliest(tmp_path):
    director = Director(layout_of("uth-push-paid"), 1, 1.0)
    director.play(unread(tmp_path, '"after": null, "candidates": [[{"5": 5}, 0.6], [{"5": 4}, 0.4]]'), "x")
    (glaring,) = {thing for change in director.script().changes for thing in change.laid if thing.glaring}
    assert glaring.values == ("5",) * 5


def test_chips_of_which_nothing_is_told_cannot_be_filmed(tmp_path):
    director = Director(layout_of("uth-push-paid"), 1, 1.0)
    with pytest.raises(LogError, match=r"x: round .* nothing is told of what stands in"):
        director.play(unread(tmp_path, '"after": null'), "x")
