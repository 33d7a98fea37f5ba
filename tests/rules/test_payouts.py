"""PY: the code of every difference, the order and the time of settling, the aggregate limit."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.core.events import ChipsChanged
from handreplay.core.money import chips
from handreplay.core.readings import Known, Unreadable
from handreplay.games.game import Due
from handreplay.rules.settlement import fault_code
from tests.rules.rounds import ALL, WITH_DEALER, base, ordinary
from tests.rules.story import Story


@pytest.mark.parametrize("rules", ALL)
def test_a_win_paid_short_over_or_not_at_all(rules: str) -> None:
    for paid, code in ((500, "PY01"), (500_00, "PY02"), ("leave", "PY01"), ("take", "PY04")):
        story = ordinary(rules)
        story.done[(1, base(rules))] = paid
        ((own, seat, wager, variance),) = story.codes()
        assert (own, seat, wager) == (code, 1, base(rules))
        assert variance and (variance > 0) == (code == "PY02")


@pytest.mark.parametrize(("rules", "seat", "wager"), [("pa-569", 1, "trips"), ("pa-677a", 4, "trips_plus")])
def test_a_loss_left_or_paid(rules: str, seat: int, wager: str) -> None:
    left, paid = ordinary(rules), ordinary(rules)
    left.done[(seat, wager)] = "leave"
    paid.done[(seat, wager)] = 500
    stake = left.lies[f"seat{seat}.{wager}"]
    assert left.codes() == [("PY03", seat, wager, stake)]
    assert paid.codes() == [("PY02", seat, wager, stake + 500)]


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_a_forfeit_left_standing_is_not_collected(rules: str) -> None:
    story = ordinary(rules)
    last = f"decision {len(story.game.decisions) - 1}"
    forfeits = [e for e in story.phases[last] if getattr(e, "zone", "").startswith("seat4.")]
    if len(forfeits) < 2:
        story.phases[last].append(story.rack(story.names["seat4"][0]))
    story.phases[last].remove(forfeits[0])
    story.lies[forfeits[0].zone] = 5000  # type: ignore[attr-defined]
    story.done[(4, "ante")] = "leave"
    assert ("PY03", 4, "ante", 5000) in story.codes()


@given(
    result=st.sampled_from(["win", "lose", "push", "returned"]),
    stake=st.integers(1, 1000),
    bonus=st.integers(0, 3000),
    added=st.integers(0, 4000),
    taken=st.integers(0, 1000),
)
def test_the_code_follows_the_net(result: str, stake: int, bonus: int, added: int, taken: int) -> None:
    pay = bonus if result in ("win", "lose") else 0
    expected = pay - stake if result == "lose" else pay
    observed = added - taken
    code = fault_code(Due(result, pay), expected, observed, taken)  # type: ignore[arg-type]
    if observed == expected:
        assert code is None
    elif result == "lose" and pay:
        assert code == ("PY01" if observed < expected else "PY03" if not taken else "PY02")
    elif result == "lose":
        assert code == ("PY04" if observed < expected else "PY03" if observed <= 0 else "PY02")
    else:
        assert code == ("PY04" if observed < 0 else "PY01" if observed < expected else "PY02")


@pytest.mark.parametrize(("rules", "bonus"), [("pa-641a", 5000), ("pa-649a", 2500)])
def test_an_ante_bonus_is_due_on_a_loss(rules: str, bonus: int) -> None:
    hand, dealer = ("4s 4h 4d 2s 7c", "Ad Ac As 3d 5s 8h") if rules == "pa-641a" else ("4s 5h 6d", "Qd Qc Qs")
    seats = {2: {"hand": hand, "ante": 25, "later": (25, 0)}}
    story = Story(rules, seats, dealer)
    story.done[(2, "ante")] = "take"
    assert story.codes() == [("PY01", 2, "ante", -bonus)]
    story.done[(2, "ante")] = bonus
    assert story.codes() == [("PY03", 2, "ante", 2500)]


@pytest.mark.parametrize("rules", ALL)
def test_players_are_settled_from_the_highest_seat_down(rules: str) -> None:
    story = ordinary(rules)
    story.settling = [1, 3, 4]
    assert [(code, seat) for code, seat, *_ in story.codes()] == [("PY05", 1)]


@pytest.mark.parametrize("rules", ALL)
def test_a_wager_paid_before_the_deciding_hand_shows_is_early(rules: str) -> None:
    wager = {"pa-643a": "three_card_bonus", "pa-677a": "pocket_bonus", "pa-641a": "aces_up", "pa-649a": "pair_plus"}
    name = wager.get(rules, "trips")
    story = ordinary(rules)
    story.phases["decision 0"].append(story.changed(1, name, 0, "dealer", to="tray"))
    own = story.audit().findings
    due = next(row for row in story.audit().rounds[0].settlement if (row.seat, row.wager) == (1, name)).expected
    assert [f.code for f in own if f.wager == name] == ["PY07" if due.result == "lose" else "PY04"]


@pytest.mark.parametrize(("other", "status"), ((0, "review"), (1, "confirmed")))
def test_where_the_wager_may_lie_as_before_it_is_not_surely_settled_early(other: int, status: str) -> None:
    story = ordinary("pa-569")
    taken = story.changed(1, "trips", 0, "dealer", to="tray")
    assert isinstance(taken.before, Known)
    may_be = taken.before.value if other == 0 else chips({"1": 1})
    unread = Unreadable("number of chips not certain", ((chips({}), 0.99), (may_be, 0.01)))
    story.phases["decision 0"] += [replace(taken, after=unread), replace(taken, before=unread)]
    assert [f.status for f in story.audit().findings if f.code == "PY07"] == [status]


def royal(rules: str = "pa-653a", **changes: object) -> Story:
    seats = {2: {"hand": "Ac Kc", "ante": 150, "blind": 150, "trips": 25, "later": (450, 0)}}
    return Story(rules, seats, "5d 9d", "Qc Jc Tc 2d 2h", **changes)


def test_the_aggregate_limit_is_what_a_seat_may_be_paid() -> None:
    story = royal()
    assert story.codes() == [("PY06", 2, None, 15000 + 45000 + 75_000_00 + 125_000 - 50_000_00)]
    story.done[(2, "blind")] = 50_000_00 - 15000 - 45000 - 125_000
    assert story.codes() == []
    story.done[(2, "blind")] = 40_000_00
    assert story.codes() == [("PY01", 2, "blind", 40_000_00 + 185_000 - 50_000_00)]


def test_a_limit_applied_where_it_does_not_bind_is_an_underpayment() -> None:
    story = royal(aggregate_payout_cents=100_000_00)
    story.done[(2, "blind")] = 50_000_00
    assert story.codes() == [("PY01", 2, "blind", -25_000_00)]


def test_ultimates_limit_is_never_below_what_a_minimum_wager_can_win() -> None:
    story = royal(minimum_cents=15_000)  # 150 + 600 + 75,000 + 7,500
    assert story.codes() == []


@pytest.mark.parametrize(("rounding", "pay"), [("down", 7500), ("up", 8000), ("nearest", 7500), ("down", 7500)])
def test_odds_that_do_not_divide_are_rounded_as_the_house_says(rounding: str, pay: int) -> None:
    seats = {2: {"hand": "9h 4h", "ante": 51, "blind": 51, "later": (51, 2)}}
    story = Story("pa-653a", seats, "Qd Jc", "Kh 7h 2h As 3c", rounding=rounding, smallest_chip_cents=500)
    rows = {row.wager: row for row in story.audit().rounds[0].settlement}
    assert rows["blind"].expected.pay_cents == pay  # 3 to 2 on $51.00 is $76.50


def test_envy_goes_by_the_recipients_own_progressive_and_never_to_the_holder() -> None:
    seats = {
        1: {"hand": "Ks 4s 9h 4d 2s", "ante": 25, "progressive": 5, "later": (50, 0)},
        3: {"hand": "2d 7d 8c Ts Jc", "ante": 25, "progressive": 1},
        5: {"hand": "5d 5c 5s 5h Jh", "aces_up": 10, "progressive": 1},
    }
    story = Story("pa-641a", seats, "Ad Kc 9c 3d 3s 8h")
    rows = {(row.seat, row.wager): row.expected for row in story.audit().rounds[0].settlement}
    assert rows[(1, "envy")].pay_cents == 125_00 and rows[(3, "envy")].pay_cents == 25_00
    assert (5, "envy") not in rows and rows[(5, "progressive")].pay_cents == 300_00
    story.done[(3, "envy")] = "leave"
    assert story.codes() == [("PY01", 3, "envy", -2500)]


def test_the_whole_meter_need_not_be_paid_in_chips() -> None:
    from tests.rules.story import declared

    seats = {2: {"hand": "Ad Ac As Ah Jh", "ante": 25, "progressive": 5, "later": (25, 0)}}
    story = Story("pa-641a", seats, "Qd Kc 9c 3d 3s 8h")
    story.phases["betting"].append(declared("progressive_meter", cents=1_234_550))
    assert story.codes() == []
    story.done[(2, "progressive")] = "leave"
    assert [(f.code, f.status) for f in story.audit().findings] == [("FT04", "review")]


def test_payments_corrected_before_the_cards_go_count_by_their_net() -> None:
    story = ordinary("pa-653a")
    story.done[(3, "play")] = 5000
    story.correct[(3, "play")] = 2500
    assert story.codes() == []


@settings(max_examples=60, deadline=None)
@given(rules=st.sampled_from(ALL), paid=st.integers(0, 400).map(lambda n: n * 50))
def test_whatever_is_paid_the_variance_is_what_the_player_has_too_much(rules: str, paid: int) -> None:
    story = ordinary(rules)
    wager = base(rules)
    (row,) = (r for r in story.audit().rounds[0].settlement if (r.seat, r.wager) == (1, wager))
    due = row.expected.pay_cents or 0
    story.done[(1, wager)] = paid
    expected = [] if paid == due else [("PY01" if paid < due else "PY02", 1, wager, paid - due)]
    assert story.codes() == expected


@pytest.mark.parametrize(
    ("rules", "hands", "dealer"),
    [
        ("pa-649a", ("Kc 7d 2s", "2h 3h 7c"), "Kh 9c 4d"),
        ("pa-641a", ("Qs Th 7c 6d 2h", "2d 3h 7d 8d Tc"), "Ad Kc 9c 3d 5s 8h"),
    ],
)
@pytest.mark.parametrize("seats", [(3,), (3, 5)])
def test_forfeits_that_nobody_collects_are_left_with_the_players_and_no_hand_was_exposed(
    rules: str, hands: tuple[str, str], dealer: str, seats: tuple[int, ...]
) -> None:
    def silent(**changes: Any) -> Story:
        told = {seat: {"hand": hand, "ante": 25} for seat, hand in zip(seats, hands, strict=False)}
        story = Story(rules, told, dealer, **changes)
        story.phases["decision 0"] = [e for e in story.phases["decision 0"] if not isinstance(e, ChipsChanged)]
        return story

    left = silent()
    for seat in seats:
        left.lies[f"seat{seat}.ante"] = 2500
        left.done[seat, "ante"] = "leave"
    assert left.codes() == [("PY03", seat, "ante", 2500) for seat in seats]
    returned = silent()
    returned.phases["returned"] = []
    for seat in seats:
        returned.lies[f"seat{seat}.ante"] = 2500
        returned.phases["returned"].append(returned.changed(seat, "ante", 0, "player"))
    assert [code for code, *_ in returned.codes()] == ["EX01"]
