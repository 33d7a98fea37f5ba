"""What paytables come to: house edges as exact fractions, and the words for them."""

from fractions import Fraction
from typing import Any

import pytest

from handreplay.games.best_play import play_or_fold, take_back_or_let_ride
from handreplay.games.odds import PaytableOdds, TableOdds, table_odds
from handreplay.games.paytables import Paytable, chosen
from handreplay.games.table import Odds, SiteWager, WrittenPaytable
from handreplay.games.three_card import QUALIFIES_FROM, _rank
from handreplay.report.odds_text import odds_json, odds_text, percent
from tests.rules.rounds import ALL
from tests.rules.story import LETTERS, table

LET_IT_RIDE = "royal_flush 1000 straight_flush 200 four_of_a_kind 50 full_house 11 flush 8 straight 5 three_of_a_kind 3"


def told(rules: str, **letters: str) -> TableOdds:
    return table_odds(table(rules, paytables={**LETTERS[rules], **letters}))


def of(odds: TableOdds, wager: str) -> PaytableOdds:
    return next(paytable for paytable in odds.paytables if paytable.wager == wager)


@pytest.mark.parametrize(("letter", "kept"), [("A", 1012), ("B", 1232), ("C", 1608), ("D", 512), ("E", 772)])
def test_pair_plus_keeps_so_many_of_22100(letter: str, kept: int) -> None:
    own = of(told("pa-649a", pair_plus=letter), "pair_plus")
    assert own.edge == Fraction(kept, 22100) and own.total == 22100


@pytest.mark.parametrize(
    ("letter", "per_cent"), [("A", "0.90184"), ("B", "1.90405"), ("C", "3.49794"), ("D", "6.18082")]
)
@pytest.mark.parametrize("rules", ["pa-569", "pa-653a"])
def test_trips_keeps_so_much(rules: str, letter: str, per_cent: str) -> None:
    own = of(told(rules, trips=letter), "trips")
    assert own.edge is not None and percent(own.edge) == f"{per_cent}%" and own.total == 133_784_560


@pytest.mark.parametrize(
    ("letter", "kept"),
    [("A", 72144), ("B", 87648), ("C", 101144), ("D", 110080), ("E", 130800), ("F", 159800)],
)
def test_aces_up_keeps_so_many_of_2598960(letter: str, kept: int) -> None:
    assert of(told("pa-641a", aces_up=letter), "aces_up").edge == Fraction(kept, 2_598_960)


def test_three_card_poker_at_its_best_play() -> None:
    bonus = chosen(table("pa-649a"), "ante_bonus")[0]
    edge = play_or_fold(_rank, QUALIFIES_FROM, bonus)
    assert edge == Fraction(686689, 20358520) and percent(edge) == "3.37298%"


def test_let_it_ride_at_its_best_play() -> None:
    words = LET_IT_RIDE.split()
    lines = [Odds(hand, int(num), 1, "to") for hand, num in zip(words[::2], words[1::2], strict=True)]
    lines += [Odds("two_pair", 2, 1, "to"), Odds("pair_of_tens_or_better", 1, 1, "to")]
    bets = Paytable(wager="bets", name="site", entries=tuple(lines), section="", basis="house")
    edge = take_back_or_let_ride(bets)
    assert edge == Fraction(37963, 1082900) and percent(edge) == "3.50568%"


@pytest.mark.parametrize("rules", ALL)
def test_every_paytable_of_a_profile_is_counted_whole(rules: str) -> None:
    odds = told(rules)
    assert {paytable.wager for paytable in odds.paytables} == set(LETTERS[rules])
    for paytable in odds.paytables:
        assert 0 < paytable.hits <= paytable.total
        assert paytable.edge is not None or paytable.note
    text, fields = odds_text(odds), odds_json(odds)
    assert all(paytable.paytable.section in text for paytable in odds.paytables)
    assert [p["wager"] for p in fields["paytables"]] == [p.wager for p in odds.paytables]


def test_the_meter_is_part_of_a_progressive_once_it_is_named() -> None:
    own = table("pa-641a")
    without, with_meter = (of(table_odds(own, meter), "progressive") for meter in (None, 1_000_000))
    assert without.edge and with_meter.edge and without.meter_share == Fraction(48, 2_598_960)
    assert without.edge - with_meter.edge == 10_000 * Fraction(48, 2_598_960)


def test_a_wager_that_the_site_defines_is_counted_by_its_own_cards() -> None:
    line = Odds("flush", 20, 1, "to")
    wager = SiteWager(
        name="hand_bonus", title="Hand Bonus", looks_at="hand", ranking="five-card", on_fold="lost", on_void="returned"
    )
    changes: dict[str, Any] = {
        "site_wagers": (wager,),
        "paytables": {**LETTERS["pa-641a"], "hand_bonus": "site"},
        "written": (WrittenPaytable("hand_bonus", "site", (line,)),),
    }
    own = of(table_odds(table("pa-641a", **changes)), "hand_bonus")
    assert (own.lines[0].hands, own.total) == (5108, 2_598_960)
    assert own.edge == 1 - Fraction(21 * 5108, 2_598_960)


@pytest.mark.parametrize(
    ("share", "text"),
    [(Fraction(1, 3), "33.33333%"), (Fraction(-1, 3), "-33.33333%"), (Fraction(1, 2 * 10**7), "0.00001%")],
)
def test_per_cents_are_rounded_half_up_to_five_places(share: Fraction, text: str) -> None:
    assert percent(share) == text
