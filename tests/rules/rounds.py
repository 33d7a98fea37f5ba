"""One ordinary round of each game, to be changed by tests."""

from typing import Any

from tests.rules.story import Story

ALL = ("pa-569", "pa-653a", "pa-677a", "pa-641a", "pa-643a", "pa-649a")
HOLDEM = ("pa-569", "pa-653a", "pa-677a")
WITH_DEALER = ("pa-569", "pa-653a", "pa-677a", "pa-641a", "pa-649a")
BASE = {"pa-643a": "bet3"}  # the wager that tests take for any; the Ante elsewhere


def base(rules: str) -> str:
    return BASE.get(rules, "ante")


def ordinary(rules: str, **changes: Any) -> Story:
    """Seats 1 and 3 play on and win, seat 4 folds (Let It Ride: loses)."""
    return {
        "pa-569": ultimate,
        "pa-653a": ultimate,
        "pa-677a": wpt,
        "pa-641a": four_card,
        "pa-643a": let_it_ride,
        "pa-649a": three_card,
    }[rules](rules, **changes)


def ultimate(rules: str, **changes: Any) -> Story:
    seats = {
        1: {"hand": "Ah 4s", "ante": 25, "blind": 25, "trips": 5, "later": (100, 0)},
        3: {"hand": "9h 4h", "ante": 25, "blind": 25, "later": (25, 2)},
        4: {"hand": "2c 8d", "ante": 50, "blind": 50, "trips": 10},
    }
    return Story(rules, seats, "7d Jc", "Kh 7h 2h As 3c", **changes)


def wpt(rules: str, **changes: Any) -> Story:
    seats = {
        1: {"hand": "Ah 4s", "ante": 25, "odds": 25, "pocket_bonus": 5, "later": (75, 0)},
        3: {"hand": "9h 4h", "ante": 25, "odds": 25, "later": (25, 2)},
        4: {"hand": "2c 8d", "ante": 50, "odds": 50, "trips_plus": 10},
    }
    return Story(rules, seats, "7d Jc", "Kh 7h 2h As 3c", **changes)


def four_card(rules: str, **changes: Any) -> Story:
    seats = {
        1: {"hand": "Ks 4s 4h 4d 2s", "ante": 25, "aces_up": 5, "progressive": 5, "later": (50, 0)},
        3: {"hand": "Qs Qh 7c 6d 2h", "ante": 25, "later": (25, 0)},
        4: {"hand": "2d 7d 8c Ts Jc", "ante": 50, "aces_up": 10},
    }
    return Story(rules, seats, "Ad Kc 9c 3d 5s 8h", **changes)


def let_it_ride(rules: str, **changes: Any) -> Story:
    seats = {
        1: {"hand": "Ks 4s 2c", "bet1": 25, "bet2": 25, "bet3": 25, "three_card_bonus": 5},
        3: {"hand": "7s 7d 9c", "bet1": 25, "bet2": 25, "bet3": 25},
        4: {
            "hand": "2d 3d 8c",
            "bet1": 50,
            "bet2": 50,
            "bet3": 50,
            "let_it_ride_bonus": 1,
            "at": {"bet1": 0, "bet2": 1},
        },
    }
    return Story(rules, seats, "", "Kh 7h", **changes)


def three_card(rules: str, **changes: Any) -> Story:
    seats = {
        1: {"hand": "Kd Kh 4s", "ante": 25, "pair_plus": 5, "later": (25, 0)},
        3: {"hand": "9h 4h 2h", "ante": 25, "later": (25, 0)},
        4: {"hand": "2c 8d 7s", "ante": 50, "pair_plus": 10, "six_card_bonus": 5},
    }
    return Story(rules, seats, "Qd Jc 3c", **changes)
