"""Hands typed in at the table: forgiving of how they are written, strict about what they say."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.errors import HandreplayError
from handreplay.games import game_of
from handreplay.report.settle_text import settle_json, settle_text
from handreplay.rules.typed import typed
from handreplay.rules.typed_settlement import TypedSettlement, settle_typed
from tests.rules.rounds import ALL, ordinary
from tests.rules.story import table

ROUND = "dealer 7d Jc board Kh 7h 2h As 3c"


def settled(words: str, rules: str = "pa-653a", **changes: Any) -> TypedSettlement:
    return settle_typed([words], table(rules, **changes))


def due(told: TypedSettlement) -> dict[tuple[int, str], tuple[str, int | None]]:
    return {(row.seat, row.wager): (row.expected.result, row.expected.pay_cents) for row in told.rows}


@pytest.mark.parametrize("rules", ALL)
def test_typed_hands_are_due_what_a_replayed_round_says(rules: str) -> None:
    story = ordinary(rules)
    words = [f"dealer {' '.join(story.faces['dealer'])}"] if story.faces["dealer"] else []
    words += [f"board {' '.join(story.faces['community'])}"] if story.faces["community"] else []
    for seat, told in story.seats.items():
        wagers = {name: told[name] for name in (w.name for w in story.game.wagers) if name in told}
        wagers |= {str(story.game.later): told["later"][0]} if "later" in told else {}
        wagers = {name: amount for name, amount in wagers.items() if name not in told.get("at", {})}
        words.append(f"{seat}: {told['hand']} " + " ".join(f"{name} {amount}" for name, amount in wagers.items()))
    expected = {
        (row.seat, row.wager): (row.expected.result, row.expected.pay_cents)
        for row in story.audit().rounds[0].settlement
    }
    assert due(settle_typed(words, story.table)) == expected


@pytest.mark.parametrize(
    "words",
    [
        "1: Ah 4s ante 25 blind 25 play 100",
        "1 AH4S Ante=25 BLIND=$25 play=100.00",
        "seat 1 Ah,4s; ante 25; blind 25; play 100",
        "seat1 A♥ 4♠ ante 25 blind 25 play 100",
        "Ah 4s ante 25 blind 25 play 100",
    ],
)
def test_a_seat_may_be_written_in_many_ways(words: str) -> None:
    own = table("pa-653a")
    found = typed([ROUND, words], game_of(own), own)
    assert found.seats[1].cards == ["Ah", "4s"]
    assert found.seats[1].wagers == {"ante": 2500, "blind": 2500, "play": 10000}


def test_ten_may_be_written_with_two_digits_and_amounts_with_commas() -> None:
    own = table("pa-653a")
    found = typed(["1: 10hTc ante $1,025.50 blind 1,025.50 fold"], game_of(own), own)
    assert found.seats[1].cards == ["Th", "Tc"] and found.seats[1].wagers["ante"] == 102_550 and found.seats[1].folded


def test_wagers_of_several_words_are_known_by_name_and_title() -> None:
    own = table("pa-649a")
    found = typed(["1: 4h5s6d ante 10 Pair Plus 5 play 10 six-card bonus 5"], game_of(own), own)
    assert found.seats[1].wagers == {"ante": 1000, "pair_plus": 500, "play": 1000, "six_card_bonus": 500}
    own = table("pa-643a")
    assert typed(["1: Th 9s 9d bets 25"], game_of(own), own).seats[1].wagers == dict.fromkeys(
        ("bet1", "bet2", "bet3"), 2500
    )


def test_what_the_dealer_did_is_judged() -> None:
    told = settled(f"{ROUND} 3: 9h4h ante 25 paid 25 blind 25 paid 25 play 25 taken trips 5 left")
    assert [(row.wager, row.code, row.variance_cents) for row in told.rows] == [
        ("ante", None, 0),
        ("play", "PY04", -5000),
        ("blind", "PY01", -1250),
        ("trips", "PY01", -3500),
    ]
    assert told.exit_code == 1 and "PY04" in settle_text(told)
    assert settle_json(told)["settlement"][1]["code"] == "PY04"


def test_what_was_not_typed_stays_open_and_is_named() -> None:
    told = settled("3: 9h4h ante 25 blind 25 play 25")
    assert told.exit_code == 3 and "the dealer's cards and the board" in told.rows[0].why
    assert settle_json(told)["settlement"][0]["expected"] == {"result": "unsettled", "pay_cents": None}


def test_a_seat_without_a_play_is_taken_as_folded_and_told_so() -> None:
    told = settled(f"{ROUND} 4: Tc 8d ante 50 blind 50")
    assert {row.expected.result for row in told.rows} == {"lose"} and "taken as folded" in told.notes[0]


def test_wrong_sizes_are_noted_with_their_codes() -> None:
    told = settled(f"{ROUND} 3: 9h4h ante 5 blind 10 play 8")
    assert [re.search(r"\((\w+)\)", note)[1] for note in told.notes] == ["WG01", "WG02", "WG06"]  # type: ignore[index]


def test_rounding_and_the_aggregate_limit_are_told() -> None:
    told = settled(f"{ROUND} 3: 9h4h ante 25 blind 25 play 25", smallest_chip_cents=100)
    assert "rounded down" in next(row.why for row in told.rows if row.wager == "blind")
    royal = "dealer 5d 9d board Qc Jc Tc 2d 2h 2: AcKc ante 150 blind 150 play 450"
    assert any("PY06" in note for note in settled(royal).notes)


def test_envy_and_the_meter_are_settled_too() -> None:
    words = (
        "dealer Qd Kc 9c 3d 3s 8h 2: Ad Ac As Ah Jh ante 25 progressive 5 play 25 1: 2d7d8cTsJc ante 25 progressive 1"
    )
    told = settled(words + " meter 12345.50", "pa-641a")
    assert due(told)[(2, "progressive")] == ("win", 1_234_550) and due(told)[(1, "envy")] == ("win", 100_00)
    three = "dealer Qd Kc 9c 3d 3s 8h 2: Ad Ac As 7h Jh ante 25 play 25 progressive 5"
    for said, code in (("paid 75", None), ("paid 70", "PY01"), ("taken", "PY01"), ("paid 80", "PY02")):
        assert settled(f"{three} {said}", "pa-641a").rows[-1].code == code
    assert "meter" in next(r.why for r in settled(words, "pa-641a").rows if (r.seat, r.wager) == (2, "progressive"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "no seat"),
        ("1: Ah Xx ante 25", '"Xx"'),
        ("1: Ah Kd ante", "no amount"),
        ("1: Ah Kd ante -5", "no amount"),
        ("1: Ah Kd ante 25 blind 25 plya 25", 'did you mean "play"'),
        ("1: Ah Ah ante 25 blind 25", "twice"),
        ("dealer Ah 2c 1: Ah Kd ante 25 blind 25", "the dealer"),
        ("1: Ah Kd Qd ante 25 blind 25", "3 cards"),
        ("9: Ah Kd ante 25 blind 25", "6 seats"),
        ("1: Ah Kd trips 5", "ante and blind"),
        ("1: Ah Kd ante 25 blind 25 play 25 fold", "folds"),
        ("1: Ah Kd ante 25 blind 25 ante 25", "twice"),
        ("1: Ah Kd ante 25 blind 25 1: 2c 3c ante 25 blind 25", "twice"),
        ("1: Ah Kd ante 25 blind 25 paid 25 taken", "stands after a wager, and only once"),
        ("1: Ah Kd", "no wager"),
        ("dealer 2c 3c ante 25", "whose"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_that_names_it(words: str, says: str) -> None:
    if says == "whose":
        words = f"1: Ah Kd ante 25 blind 25 {words}"
    with pytest.raises(HandreplayError) as refusal:
        settled(words)
    assert says in str(refusal.value) and "\n" not in str(refusal.value)


def test_let_it_ride_knows_no_fold() -> None:
    with pytest.raises(HandreplayError, match="fold"):
        settled("1: Th 9s 9d bets 25 fold", "pa-643a")


@settings(max_examples=200, deadline=None)
@given(
    words=st.lists(
        st.sampled_from(
            ["dealer", "board", "1:", "2", "Ah", "10d", "KsQs", "ante", "blind", "25", "play", "fold", "paid"]
        )
        | st.text(max_size=8),
        max_size=20,
    ),
    rules=st.sampled_from(ALL),
)
def test_any_words_are_settled_or_refused(words: list[str], rules: str) -> None:
    try:
        settle_text(settle_typed(words, table(rules)))
    except HandreplayError as refusal:
        assert str(refusal)


def test_a_progressive_that_pays_for_brings_no_stake_back() -> None:
    told = settled("dealer Qd Kc 9c 3d 3s 8h 2: Ad Ac As 7h Jh ante 25 play 25 progressive 5", "pa-641a")
    row = told.rows[-1]
    assert (row.expected.pay_cents, row.gain_cents) == (7500, 7000)
    assert "gets back $225.00" in settle_text(told)  # 25 + 25 + 50 on the Ante, 25 + 25, 75 for the Progressive
