"""A script follows its log: the same events in the same order, things where the log says, hands out of the way."""

from itertools import pairwise

import pytest

from handreplay.config import load_profile
from handreplay.core.events import CardMoved, CardPlaced, CardTurned, ChipsChanged
from handreplay.core.readings import Known
from handreplay.core.roundlog import read_rounds, write_rounds
from handreplay.errors import LogError
from handreplay.report.evaluation.sources import made
from handreplay.rules import audit_rounds
from handreplay.synth.scripted_acts import Director
from handreplay.synth.scripted_layout import Layout
from handreplay.synth.scripted_stage import Script
from tests.rules.cases import differences, recorded
from tests.synth.scripted_cases import EVERY_CODE, unpack

CASES = (
    "uth569/PY02-push-paid",
    "lir/WG04-bet1-after-first-card",
    "tcp/MD02-face-up-used",
    "wpt/EX03-burn-glimpsed",
    "fcp/NEAR-fold-all",
)
A_HAND_MM = 150.0


class Table:
    """A case, its layout, and what became of it when it was filmed."""

    def __init__(self, case, folder, seed=3):
        self.name = unpack(case, folder)
        self.expected = recorded()[case]["expected"]
        self.profile = load_profile(folder / f"{self.name}.table.toml")
        zones = {zone.name: zone.polygon for zone in self.profile.zones}
        self.layout = Layout(zones, upright_for_dealer=True, fanned=True)
        self.log = read_rounds(folder / f"{self.name}.rounds.jsonl")
        director = Director(self.layout, seed, 1.0)
        director.play(self.log, self.name)
        self.filmed, self.script = director.filmed, director.script()

    @property
    def events(self):
        return [event for round_ in self.filmed for event in round_.events]


@pytest.fixture(scope="module", params=CASES)
def table(request, tmp_path_factory):
    return Table(request.param, tmp_path_factory.mktemp("case"))


def inside(spot, x, y):
    across, along = x - spot.middle[0], y - spot.middle[1]
    right = across * spot.right[0] + along * spot.right[1]
    down = across * spot.down[0] + along * spot.down[1]
    return abs(right) <= spot.half_right and abs(down) <= spot.half_down


def in_zone(script: Script, spot, t, kind):
    return [thing for thing in script.things(t).values() if thing.kind == kind and inside(spot, thing.x, thing.y)]


def test_filming_keeps_the_order_of_events_and_what_they_say(table):
    log = [event for round_ in table.log for event in round_.events]
    for filmed, logged in zip(table.events, log, strict=True):
        assert type(filmed) is type(logged)
        assert getattr(filmed, "card", None) == getattr(logged, "card", None)
        assert getattr(filmed, "zone", None) == getattr(logged, "zone", None)
    assert all(one.t <= other.t for one, other in pairwise(table.events))


@pytest.mark.parametrize("case", EVERY_CODE)
def test_the_filmed_log_replays_to_the_findings_of_the_log(case, tmp_path):
    table = Table(case, tmp_path)
    write_rounds(tmp_path / "filmed.rounds.jsonl", table.filmed)
    filmed = read_rounds(tmp_path / "filmed.rounds.jsonl")
    audit = audit_rounds(filmed, table.profile.rules())
    document = {**made(filmed, audit, table.profile).findings}
    assert differences(document, table.expected["exit_code"], table.expected) == []


def test_cards_lie_in_their_zone_and_show_what_the_log_says(table):
    for event in table.events:
        if isinstance(event, CardPlaced) and event.face == "up" and isinstance(event.identity, Known):
            seen = in_zone(table.script, table.layout.spot(event.zone), event.t, "card")
            assert event.identity.value in [thing.show for thing in seen]
        if isinstance(event, CardTurned) and event.face == "up" and isinstance(event.identity, Known):
            assert event.identity.value in [thing.show for thing in table.script.things(event.t).values()]
        if isinstance(event, CardMoved) and event.to == "rack":
            card = table.script.things(event.t)[f"card 0 {event.card}"]
            assert inside(table.layout.spot("rack"), card.x, card.y)
            assert card.show == ""


def test_the_stacks_of_a_zone_are_the_chips_that_the_log_has_there(table):
    for event in table.events:
        if isinstance(event, ChipsChanged) and isinstance(event.after, Known):
            stacks = in_zone(table.script, table.layout.spot(event.zone), event.t, "stack")
            values = [value for stack in stacks for value in stack.values]
            assert {value: values.count(value) for value in values} == dict(event.after.value)


def test_the_hand_that_did_it_has_left_the_zone_at_the_event(table):
    ways = {way.name: way for way in table.script.ways}
    for event in table.events:
        if isinstance(event, ChipsChanged | CardPlaced):
            x, y = table.layout.spot(event.zone).middle
            seat = event.zone.partition(".")[0]
            for arm in (seat,) if event.actor == "player" else ("dealer", "dealer's left"):
                grip = ways[arm].grip(event.t)
                assert abs(grip[0] - x) + abs(grip[1] - y) > A_HAND_MM, (event, arm)


def test_what_a_hand_carries_lies_nowhere_meanwhile(table):
    for carry in table.script.carries:
        assert carry.end > carry.start
        lying = table.script.things((carry.start + carry.end) / 2)
        assert not [thing for thing in carry.things if thing.kind == "card" and thing.key in lying]


def test_no_stack_is_higher_than_a_hand_can_hold(table):
    for change in table.script.changes:
        assert all(len(thing.values) <= 20 for thing in change.laid)


def with_first_chips(table, tmp_path, put):
    """The log with what the first chips to come are replaced by `put`."""
    write_rounds(tmp_path / "log.rounds.jsonl", table.log)
    log = (tmp_path / "log.rounds.jsonl").read_text()
    first = log.index('"after": {"')
    (tmp_path / "log.rounds.jsonl").write_text(log[:first] + put + log[log.index("}", first) + 1 :])
    return read_rounds(tmp_path / "log.rounds.jsonl")


@pytest.fixture(scope="module")
def holdem(tmp_path_factory):
    return Table("uth569/PY02-push-paid", tmp_path_factory.mktemp("holdem"))


def test_chips_that_the_log_could_not_read_glare_and_are_the_likeliest(holdem, tmp_path):
    director = Director(holdem.layout, 1, 1.0)
    unread = '"after": null, "candidates": [[{"5": 5}, 0.6], [{"5": 4}, 0.4]]'
    director.play(with_first_chips(holdem, tmp_path, unread), "x")
    (glaring,) = {thing for change in director.script().changes for thing in change.laid if thing.glaring}
    assert glaring.values == ("5",) * 5


def test_chips_of_which_nothing_is_told_cannot_be_filmed(holdem, tmp_path):
    director = Director(holdem.layout, 1, 1.0)
    with pytest.raises(LogError, match=r"x: round .* nothing is told of what stands in"):
        director.play(with_first_chips(holdem, tmp_path, '"after": null'), "x")


def test_a_zone_that_the_table_lacks_is_named(holdem):
    with pytest.raises(Exception, match=r"has no zone seat9\.ante"):
        holdem.layout.spot("seat9.ante")
