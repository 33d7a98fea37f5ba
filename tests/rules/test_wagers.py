"""WG: sizes of wagers, and when they may be made or taken back."""

from dataclasses import replace

import pytest

from handreplay.core.events import ChipsChanged
from handreplay.core.readings import Unreadable
from tests.rules.rounds import ALL, HOLDEM, WITH_DEALER, base, ordinary
from tests.rules.story import Story, declared, pile


def retold(story: Story, seat: int, **wagers: object) -> Story:
    seats = {n: dict(told) for n, told in story.seats.items()}
    seats[seat] |= wagers
    faces = story.faces
    return Story(story.table.rules, seats, " ".join(faces["dealer"]), " ".join(faces["community"]))


@pytest.mark.parametrize(
    ("rules", "wager"), [("pa-569", "blind"), ("pa-653a", "blind"), ("pa-677a", "odds"), ("pa-643a", "bet2")]
)
def test_wagers_that_must_be_equal_name_the_one_that_differs(rules: str, wager: str) -> None:
    assert retold(ordinary(rules), 1, **{wager: 20}).codes() == [("WG01", 1, wager, 0)]


@pytest.mark.parametrize("rules", ALL)
def test_the_base_wager_keeps_within_the_tables_limits(rules: str) -> None:
    story = ordinary(rules, minimum_cents=3000, maximum_cents=4000)
    codes = story.codes()
    assert {code for code, *_ in codes} == {"WG06"}
    names = story.game.limited
    assert codes == [("WG06", seat, name, 0) for seat in (1, 3, 4) for name in names] or len(codes) == 3 * len(names)


def test_the_profile_may_limit_other_wagers_too() -> None:
    story = ordinary("pa-653a", wager_limits={"trips": (None, 500)})
    assert story.codes() == [("WG06", 4, "trips", 0)]


@pytest.mark.parametrize(
    ("rules", "decision", "allowed", "wrong"),
    [
        ("pa-569", 0, (100,), (75, 50, 25)),
        ("pa-653a", 0, (75, 100), (50, 125)),
        ("pa-653a", 1, (50,), (25, 75)),
        ("pa-653a", 2, (25,), (50,)),
        ("pa-677a", 0, (5, 50, 75), (80, 100)),
        ("pa-677a", 1, (5, 50), (55,)),
        ("pa-677a", 2, (25,), (20, 50)),
        ("pa-641a", 0, (25, 35, 75), (20, 80)),
        ("pa-649a", 0, (25,), (20, 50)),
    ],
)
def test_a_later_wager_is_one_of_its_decisions_multiples(
    rules: str, decision: int, allowed: tuple[int, ...], wrong: tuple[int, ...]
) -> None:
    for amount in (*allowed, *wrong):
        story = retold(ordinary(rules), 1, later=(amount, decision))
        expected = [] if amount in allowed else [("WG02", 1, story.game.later, 0)]
        assert story.codes() == expected


@pytest.mark.parametrize("rules", ALL)
def test_a_wager_raised_after_betting_closes_counts_as_it_was(rules: str) -> None:
    story = ordinary(rules)
    story.phases["deal"].insert(1, story.bet(1, base(rules), 25))
    due = 2500 * 3 if rules == "pa-641a" else 2500
    story.done[(1, base(rules))] = due
    assert story.codes() == [("WG03", 1, base(rules), 0)]
    story.done[(1, base(rules))] = due + 2500
    assert story.codes() == [("WG03", 1, base(rules), 2500)]


def test_no_more_bets_closes_the_betting_before_the_first_card() -> None:
    story = ordinary("pa-653a")
    story.phases["betting"] += [declared("no_more_bets"), story.bet(1, "trips", 5)]
    assert [(code, seat, wager) for code, seat, wager, _ in story.codes()] == [("WG03", 1, "trips")]


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_a_second_later_wager_is_late_and_the_first_one_counts(rules: str) -> None:
    story = ordinary(rules)
    name = str(story.game.later)
    story.phases["reveal"].append(story.bet(1, name, 25))
    first = int(story.seats[1]["later"][0] * 100)
    story.done[(1, name)] = first
    assert story.codes() == [("WG03", 1, name, 0)]


@pytest.mark.parametrize("rules", HOLDEM)
def test_a_later_wager_between_two_decisions_is_out_of_turn(rules: str) -> None:
    story = ordinary(rules)
    seats = {n: dict(told) for n, told in story.seats.items()}
    seats[1].pop("later")
    other = Story(rules, seats, "7d Jc", "Kh 7h 2h As 3c")
    name = str(other.game.later)
    last = other.phases["decision 2"]
    last[:] = [event for event in last if not getattr(event, "zone", "").startswith("seat1.")]
    for wager in ("ante", other.game.equal[1]):
        other.lies[f"seat1.{wager}"] = 2500
    other.phases["board 1"].insert(1, other.bet(1, name, 100))
    assert [(code, seat, wager) for code, seat, wager, _ in other.codes()] == [("WG03", 1, name)]


def test_a_later_wager_put_down_in_two_motions_is_one_wager() -> None:
    story = retold(ordinary("pa-649a"), 1, later=(10, 0))
    acts = story.phases["decision 0"]
    acts.insert(1, story.bet(1, "play", 15))
    assert story.codes() == []
    acts.insert(1, story.turn(story.names["seat3"][0]))  # somebody else acts in between
    assert [code for code, *_ in story.codes()] == ["WG02", "WG03"] or story.codes()[0][0] == "WG03"


@pytest.mark.parametrize("rules", ALL)
def test_a_pinched_wager_stands_in_full(rules: str) -> None:
    story = ordinary(rules)
    name = base(rules)
    acts = story.phases["decision 0"]
    story.lies[f"seat4.{name}"] = 5000
    acts.insert(0, story.changed(4, name, 1000, "player"))
    if rules == "pa-643a":
        story.played_on = True
        assert story.codes() == [("WG04", 4, name, 4000)]
    else:  # a forfeit takes what is left
        fold = next(
            e
            for p in story.phases.values()
            for e in p
            if getattr(e, "zone", "") == f"seat4.{name}" and e.actor == "dealer"
        )  # type: ignore[attr-defined]
        for phase in story.phases.values():
            phase[:] = [event for event in phase if event is not fold]
        story.lies[f"seat4.{name}"] = 1000
        last = story.phases[f"decision {len(story.game.decisions) - 1}"]
        last.append(story.changed(4, name, 0, "dealer", to="tray"))
        assert story.codes() == [("WG04", 4, name, 4000)]


def test_let_it_ride_bets_come_back_only_at_their_own_decision() -> None:
    for bet, decision, allowed in (
        ("bet1", 0, True),
        ("bet2", 1, True),
        ("bet1", 1, False),
        ("bet2", 0, False),
        ("bet3", 0, False),
        ("bet3", 1, False),
    ):
        story = retold(ordinary("pa-643a"), 4, at={bet: decision})
        story.done |= {(4, name): "take" for name in ("bet1", "bet2", "bet3") if name != bet}
        expected = [] if allowed else [("WG04", 4, bet, 5000)]
        assert story.codes() == expected
        rows = [row.wager for row in story.audit().rounds[0].settlement if row.seat == 4]
        assert (bet in rows) != allowed


def test_a_bet_that_came_back_in_part_had_to_stand() -> None:
    story = retold(ordinary("pa-643a"), 4, at={})
    story.phases["decision 0"].insert(0, story.changed(4, "bet1", 2500, "player"))
    assert story.codes() == [("WG04", 4, "bet1", 2500)]


@pytest.mark.parametrize(
    ("rules", "wager"),
    [("pa-569", "trips"), ("pa-677a", "pocket_bonus"), ("pa-643a", "three_card_bonus"), ("pa-649a", "six_card_bonus")],
)
def test_an_optional_wager_alone_is_one_finding(rules: str, wager: str) -> None:
    story = ordinary(rules)
    seats = {n: dict(told) for n, told in story.seats.items()} | {5: {wager: 5}}
    alone = Story(rules, seats, " ".join(story.faces["dealer"]), " ".join(story.faces["community"]))
    assert alone.codes() == [("WG05", 5, wager, 0)]


@pytest.mark.parametrize(("rules", "wager"), [("pa-641a", "aces_up"), ("pa-649a", "pair_plus")])
def test_a_wager_that_may_stand_alone_is_dealt_in(rules: str, wager: str) -> None:
    hand = "3h 7s 9s Tc Jd" if rules == "pa-641a" else "2s 7h 8h"
    story = ordinary(rules)
    seats = {n: dict(told) for n, told in story.seats.items()} | {5: {"hand": hand, wager: 5}}
    alone = Story(rules, seats, " ".join(story.faces["dealer"]))
    assert alone.codes() == []


@pytest.mark.parametrize("rules", ALL)
def test_changing_colours_changes_nothing(rules: str) -> None:
    from dataclasses import replace

    from handreplay.core.readings import Known

    story = ordinary(rules)
    zone = f"seat1.{base(rules)}"
    change = story.changed(1, base(rules), 2500, "dealer")
    story.phases["decision 0"].insert(0, replace(change, after=Known((("5", 5),), 1.0)))
    story.phases["decision 0"].insert(1, replace(change, before=Known((("5", 5),), 1.0)))
    story.lies[zone] = 2500
    assert story.codes() == []


def test_a_bet_whose_decision_never_came_may_go_at_the_next() -> None:
    story = retold(ordinary("pa-643a"), 4, at={"bet1": 1})
    story.phases["deal"].append(story.phases["board 1"].pop())  # the first community card is up from the deal on
    story.phases["deal"].append(story.phases["deal"].pop(-2))
    story.played_on = True
    assert story.codes() == [("MD07", None, None, 0)]


@pytest.mark.parametrize("turned", [True, False])
def test_the_last_bet_on_the_table_that_its_player_takes_was_withdrawn_and_the_round_not_called_off(
    turned: bool,
) -> None:
    bets = {"bet1": 25, "bet2": 25, "bet3": 25, "at": {"bet1": 0, "bet2": 1}}
    story = Story("pa-643a", {3: {"hand": "7s 7d 9c", **bets}}, board="2c 4d")
    story.phases["decision 1"].append(story.changed(3, "bet3", 0, "player"))
    if not turned:
        del story.phases["last card"]
    assert [(code, seat, wager) for code, seat, wager, _ in story.codes()] == [("WG04", 3, "bet3")]


@pytest.mark.parametrize(
    ("rules", "wager", "hand", "dealer"),
    [
        ("pa-649a", "pair_plus", "Kc 7d 2s", "Kh 9c 4d"),
        ("pa-641a", "aces_up", "Qs Th 7c 6d 2h", "Ad Kc 9c 3d 5s 8h"),
    ],
)
def test_the_only_wager_on_the_table_taken_back_before_the_reveal_was_withdrawn(
    rules: str, wager: str, hand: str, dealer: str
) -> None:
    story = Story(rules, {3: {"hand": hand, wager: 5}}, dealer)
    story.phases["decision 0"].insert(0, story.changed(3, wager, 0, "player"))
    assert story.codes() == [("WG04", 3, wager, 500)]
    pushed = Story(rules, {3: {"hand": hand, wager: 5}}, dealer)
    pushed.phases["decision 0"].insert(0, pushed.changed(3, wager, 0, "dealer", to="player"))
    assert [code for code, *_ in pushed.codes()] == ["MD10"]


@pytest.mark.parametrize(("others", "asked"), [({1000: 0.5, 1500: 0.4}, True), ({1000: 0.6, 2500: 0.3}, False)])
def test_wagers_that_were_not_read_and_hardly_can_be_equal_are_asked_about(
    others: dict[int, float], asked: bool
) -> None:
    story = ordinary("pa-653a")
    open_piles = {"seat1.ante": {2500: 0.7, 5000: 0.2}, "seat1.blind": others}
    for place, event in enumerate(story.phases["betting"]):
        if isinstance(event, ChipsChanged) and event.zone in open_piles:
            candidates = tuple((pile(cents), chance) for cents, chance in open_piles[event.zone].items())
            story.phases["betting"][place] = replace(event, after=Unreadable("number of chips", candidates))
    found = [(f.code, f.status, f.seat, f.wager) for f in story.audit().findings if f.code == "WG01"]
    assert found == ([("WG01", "review", 1, "blind")] if asked else [])
