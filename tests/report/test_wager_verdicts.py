from typing import Any

import pytest

from handreplay.report.wager_verdicts import wager_verdict

WIN, PUSH = {"result": "win", "pay_cents": 2500}, {"result": "push", "pay_cents": 0}
LOSE = {"result": "lose", "pay_cents": 0}
UNKNOWN = {"result": "unsettled", "pay_cents": None}


def row(due: dict, got: dict, staked: int | None = 2500) -> dict[str, Any]:
    return {"seat": 3, "wager": "blind", "staked_cents": staked, "expected": due, "observed": got}


def finding(code: str, seat: int | None = 3, wager: str | None = "blind", status: str = "confirmed") -> dict[str, Any]:
    return {"code": code, "seat": seat, "wager": wager, "status": status}


@pytest.mark.parametrize(
    ("of_row", "findings", "told"),
    [
        (row(WIN, WIN), [], ("right", None)),
        (row(LOSE, LOSE, None), [], ("right", None)),
        (row(PUSH, LOSE, None), [], ("open", None)),
        (row(PUSH, WIN), [finding("PY02")], ("wrong", "PY02")),
        (row(PUSH, WIN), [finding("PY02", status="probable")], ("wrong", "PY02")),
        (row(PUSH, WIN), [finding("PY02", status="review")], ("open", "PY02")),
        (row(PUSH, UNKNOWN), [], ("open", None)),
        (row(PUSH, UNKNOWN), [finding("FT04", status="review")], ("open", "FT04")),
        (row(WIN, WIN), [finding("FT04", status="review")], ("open", "FT04")),
        (row(WIN, UNKNOWN), [finding("PY02", status="probable")], ("wrong", "PY02")),  # too much by any reading
        (row(PUSH, WIN), [finding("MD09", None, None)], ("wrong", "MD09")),
        (row(PUSH, WIN), [finding("MD09", None, None, "review")], ("open", "MD09")),
        (row(WIN, WIN), [finding("MD09", None, None)], ("right", None)),
        (row(PUSH, WIN), [finding("WG03")], ("wrong", "WG03")),
        (row(WIN, WIN), [finding("WG03")], ("right", None)),
        (row(WIN, PUSH), [finding("PY06", wager=None)], ("wrong", "PY06")),
        (row(WIN, PUSH), [finding("PY06", seat=4, wager=None)], ("right", None)),  # capped by the payout limit, rightly
        (row(WIN, PUSH), [finding("PY02", seat=4)], ("right", None)),
        (row(WIN, PUSH), [finding("FT01", None, None, "review")], ("open", None)),
    ],
)
def test_a_wager_is_right_wrong_or_open_as_its_row_and_the_findings_say(
    of_row: dict, findings: list[dict], told: tuple[str, str | None]
) -> None:
    assert wager_verdict(of_row, findings) == told
