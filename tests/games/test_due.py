"""What each wager is due, on rounds whose results were worked out by hand from public rules."""

from dataclasses import replace
from typing import Any

import pytest

from handreplay.errors import ProfileError
from handreplay.games import all_games, game_of, log_limits
from handreplay.games.game import Due, Question
from handreplay.games.hands import known_labels
from handreplay.games.paytables import chosen, printed, rounded
from handreplay.games.table import Odds, WrittenPaytable
from tests.rules.story import SITE, table

UTH, WPT, FCP, LIR, TCP = "pa-653a", "pa-677a", "pa-641a", "pa-643a", "pa-649a"


def dues(rules: str, hand: str, dealer: str, board: str, wagers: dict[str, float], **changes: Any) -> dict[str, Due]:
    own = table(rules, **changes)
    game = game_of(own)
    folded = changes.pop("folded", False)
    return {
        wager: game.due(
            Question(
                wager=wager,
                stake=int(dollars * 100),
                folded=folded,
                hand=tuple(hand.split()),
                dealer=tuple(dealer.split()),
                community=tuple(board.split()),
                table=own,
                meter_cents=None,
            )
        )
        for wager, dollars in wagers.items()
    }


@pytest.mark.parametrize(
    ("rules", "hand", "dealer", "board", "due"),
    [
        # an ace-to-five straight beats kings
        (UTH, "Ah 2d", "Ks Qd", "3c 4s 5h Kd 9c", "ante 10 win 10, play 40 win 40, blind 10 win 10, trips 5 win 20"),
        # straight and flush on different cards: a flush
        (UTH, "2h 3h", "As 8d", "9c Th Jh Qh Kh", "ante 10 win 10, play 10 win 10, blind 10 win 15, trips 5 win 35"),
        # three pairs: both play aces and sixes with the queen
        (UTH, "3s 3d", "Jd Td", "As Ac 6c 6d Qh", "ante 15 push 0, blind 15 push 0, play 60 push 0"),
        (UTH, "7s 5h", "Kh 6c", "4d 8s 4h 7d 8c", "ante 10 win 10, blind 10 push 0, play 20 win 20, trips 5 lose 0"),
        # both play the board: the Blind needs a win
        (UTH, "2c 2d", "9s 9h", "Ts Jd Qc Kh As", "ante 10 push 0, blind 10 push 0, play 10 push 0, trips 5 win 20"),
        # two pair pushes the Blind
        (UTH, "Kc Jd", "Qc Qd", "Kd 8c 5s 8h 2d", "ante 25 win 25, blind 25 push 0, play 25 win 25"),
        # a dealer without a pair: the loser's Ante comes back
        (UTH, "Qs 8h", "Ac 4h", "2s 5d 9c Jh Kd", "ante 10 push 0, blind 10 lose 0, play 10 lose 0"),
        # a losing straight is paid the bad-beat odds
        (
            WPT,
            "9h Td",
            "Ks 8h",
            "6c 7d 8s Kd Kh",
            "ante 10 lose 0, odds 10 win 50, raise 20 lose 0, trips_plus 5 win 20",
        ),
        (WPT, "2c 2h", "Td 3s", "5h 6d 7c 8s 9d", "ante 10 lose 0, odds 10 win 50, raise 10 lose 0"),
        (WPT, "Qs 8h", "Ac 4h", "2s 5d 9c Jh Kd", "ante 10 push 0, odds 10 lose 0, raise 10 lose 0"),
        (
            WPT,
            "Kc Jd",
            "Qc Qd",
            "Kd 8c 5s 8h 2d",
            "ante 10 win 10, odds 10 push 0, raise 30 win 30, pocket_bonus 5 lose 0",
        ),
        (WPT, "Ac Kc", "Qc Qd", "2d 8c 5s 8h 2h", "pocket_bonus 5 win 125"),
        # three cards: straight above flush, king-queen-jack a straight
        (TCP, "4h 5s 6d", "Kc 9c 2c", "", "ante 10 win 20, play 10 win 10, pair_plus 5 win 30"),
        (TCP, "Kd Qd Js", "Ac 7h 4s", "", "ante 100 win 200, play 100 win 100"),
        (TCP, "7c 8c 9c", "Qh 5d 2s", "", "ante 15 win 90, play 15 win 15, pair_plus 5 win 200"),
        (TCP, "Ac Kc Qc", "Qh 5d 2s", "", "ante 10 win 60, pair_plus 5 win 200"),
        # the dealer has less than queen high: the Ante is paid even to a lower hand
        (TCP, "9d 7d 2s", "Jh 9c 4d", "", "ante 100 win 100, play 100 push 0"),
        (TCP, "9d 7d 2s", "Qh 3c 2d", "", "ante 100 lose 0, play 100 lose 0"),
        (TCP, "Qs 6d 4h", "Qh 6c 4d", "", "ante 25 push 0, play 25 push 0"),
        (TCP, "2s 7d 7h", "7c 7s 2d", "", "six_card_bonus 5 win 250"),
        # four cards: flush above straight, four of six for the dealer, ties to the player
        (FCP, "Ah 9h 6h 2h Kd", "8s 9c Td Jc 3d 4s", "", "ante 10 win 10, play 30 win 30, aces_up 5 win 30"),
        (FCP, "7s 7h 7d Kc 2h", "Ac Jc 8c 4c 9d 3s", "", "ante 10 win 30, play 30 win 30, aces_up 5 win 40"),
        (FCP, "As Ks Qs Js Td", "9h 9d 5c 5s 2h 3d", "", "ante 10 win 210, play 30 win 30, aces_up 5 win 200"),
        (FCP, "Ah Qh 8h 4h 2s", "2h 3h 9h Kh Kd Kc", "", "ante 10 lose 0, play 10 lose 0, aces_up 5 win 30"),
        (FCP, "Kh Kd 9s 4c 2d", "Kc Ks 9d 4h 3s 2c", "", "ante 10 win 10, play 30 win 30, aces_up 5 lose 0"),
        (FCP, "7s 7h 7d Kc 2h", "Ac Ad Ah 4c 9d 3s", "", "ante 10 lose 20, play 10 lose 0, progressive 5 win 75"),
        (LIR, "Ts 2c 3d", "", "Th 7h", "bet1 10 win 10, bet3 10 win 10, let_it_ride_bonus 1 lose 0"),
        (LIR, "9s 2c 3d", "", "9h 7h", "bet1 10 lose 0, three_card_bonus 5 lose 0"),
        (LIR, "As Ks Qs", "", "9h 7h", "bet3 10 lose 0, three_card_bonus 5 win 250"),
    ],
)
def test_a_round_worked_out_by_hand(rules: str, hand: str, dealer: str, board: str, due: str) -> None:
    lines = [line.split() for line in due.split(", ")]
    found = dues(rules, hand, dealer, board, {wager: float(stake) for wager, stake, *_ in lines})
    for wager, _, result, pay in lines:
        assert found[wager] == Due(result, int(pay) * 100), wager  # type: ignore[arg-type]


def test_a_straight_on_the_blind_goes_by_the_letter() -> None:
    for letter, due in (("A", Due("win", 1000)), ("B", Due("push"))):
        tables = {"blind": letter, "trips": "C"}
        found = dues(UTH, "Ah 2d", "Ks Qd", "3c 4s 5h Kd 9c", {"blind": 10}, paytables=tables)
        assert found["blind"] == due


@pytest.mark.parametrize(("letter", "pay"), [("A", 4500), ("B", 4000), ("C", 4000), ("D", 3500)])
def test_a_full_house_on_trips_goes_by_the_letter(letter: str, pay: int) -> None:
    tables = {"blind": "A", "trips": letter}
    found = dues(UTH, "Qh Qs", "2h 3d", "Qd 7c 7d 9s 4c", {"trips": 5}, paytables=tables)
    assert found["trips"] == Due("win", pay)


@pytest.mark.parametrize(("stake", "pay"), [(1500, 2250), (500, 750), (250, 375)])
def test_three_to_two_is_exact_where_chips_allow(stake: int, pay: int) -> None:
    found = dues(UTH, "2h 3h", "As 8d", "9c Th Jh Qh Kh", {"blind": stake / 100}, smallest_chip_cents=25)
    assert found["blind"] == Due("win", pay)


def test_a_fold_keeps_six_card_bonus_unless_the_house_says_otherwise() -> None:
    for option, result in ((True, "win"), (False, "lose")):
        own = table(TCP, options={"fold_keeps_six_card_bonus": option})
        question = Question(
            wager="six_card_bonus",
            stake=500,
            folded=True,
            hand=("7c", "7d", "2s"),
            dealer=("7h", "7s", "Kd"),
            community=(),
            table=own,
        )
        assert game_of(own).due(question).result == result


@pytest.mark.parametrize("rules", [UTH, WPT, FCP, LIR, TCP])
def test_incomplete_hands_are_unsettled(rules: str) -> None:
    game = game_of(table(rules))
    for wager in game.wagers:
        found = dues(rules, "Ah", "", "", {wager.name: 10})
        assert found[wager.name].result in ("unsettled", "lose")


def test_the_rounding_is_the_houses() -> None:
    for rounding, pay in (("down", 50), ("up", 100), ("nearest", 100)):
        own = table(UTH, rounding=rounding, smallest_chip_cents=50)
        assert rounded(75, 1, own) == pay
        assert rounded(100, 1, own) == 100


def test_every_printed_paytable_names_known_hands_from_the_best_down() -> None:
    for tables in printed().values():
        for paytable in tables:
            assert {line.hand for line in paytable.entries} <= known_labels()
            odds = [line.num / line.den for line in paytable.entries if line.kind == "to"]
            assert odds == sorted(odds, reverse=True)
            assert paytable.section.startswith("58 Pa. Code ") and paytable.basis in ("text", "proposed", "cited")
    assert {name for wager in SITE for name in SITE[wager].split()[::2]} <= known_labels()


def test_a_paytable_that_does_not_exist_is_refused_and_none_is_assumed() -> None:
    with pytest.raises(ProfileError, match="A, B"):
        chosen(table(UTH, paytables={"blind": "Q"}), "blind")
    with pytest.raises(ProfileError, match="none is assumed"):
        game_of(table(UTH, paytables={"trips": "A"}))
    with pytest.raises(ProfileError, match="written out"):
        chosen(table(WPT, written=()), "odds")
    odd = WrittenPaytable("odds", "site", (Odds("royal_flash", 500, 1, "to"),))
    with pytest.raises(ProfileError, match="royal_flash"):
        game_of(replace(table(WPT), written=(odd,)))
    with pytest.raises(ProfileError, match="known are"):
        game_of(replace(table(UTH), rules="pa-000"))


def test_every_game_describes_itself_whole() -> None:
    for game in all_games():
        names = {wager.name for wager in game.wagers}
        assert set(game.limited) | set(game.equal) <= names and all(needed <= names for needed in game.qualifying)
        assert game.later is None or game.wager(game.later).role == "later"
        for dealing in ("hand", "manual-shoe", "automated-shoe"):
            order = game.deal_order(dealing, (1, 4))
            assert order.count("seat1") == order.count("seat4") == game.hand_cards
            assert order.count("dealer") == game.dealer_cards
        assert names <= log_limits(table(game.rules)).wagers  # type: ignore[operator]


def test_cards_are_dealt_one_at_a_time_or_in_stacks() -> None:
    fcp = game_of(table(FCP))
    assert fcp.deal_order("hand", (2, 5))[:4] == ("seat2", "seat5", "dealer", "seat2")
    assert fcp.deal_order("hand", (2, 5))[-2:] == ("dealer", "dealer")
    assert fcp.deal_order("automated-shoe", (2, 5))[:6] == ("seat2",) * 5 + ("seat5",)
