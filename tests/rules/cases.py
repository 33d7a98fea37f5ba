"""Recorded cases: a table profile, a round log and what a perfect replay makes of it; and how to compare."""

import json
import lzma
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
UNTOUCHED = {"push", "returned", "unsettled"}  # nothing was paid or taken


@lru_cache(maxsize=1)
def recorded() -> dict[str, dict[str, Any]]:
    lines = lzma.decompress((HERE / "cases.jsonl.xz").read_bytes()).decode().splitlines()
    return {case["case"]: case for case in map(json.loads, lines)}


def differences(document: dict[str, Any], exit_code: int, expected: dict[str, Any]) -> list[str]:
    """Everything in which a findings document departs from what is expected."""
    found = [] if exit_code == expected["exit_code"] else [f"exit code {exit_code}, not {expected['exit_code']}"]
    found += _findings(document["findings"], expected["findings"])
    own = {round_["round"]: round_ for round_ in document["rounds"]}
    for round_ in expected["rounds"]:
        found += _round(own[round_["round"]], round_)
    return found


def _key(finding: dict[str, Any]) -> tuple[object, ...]:
    return finding["code"], finding["round"], finding["seat"], finding["wager"]


def _findings(got: list[dict[str, Any]], want: list[dict[str, Any]]) -> list[str]:
    amounts = {_key(f): f["variance_cents"] for f in want if "variance_cents" in f}
    keys = Counter(map(_key, got)), Counter(map(_key, want))
    found = [f"missing {key}" for key in keys[1] - keys[0]] + [f"unexpected {key}" for key in keys[0] - keys[1]]
    for finding in got:
        amount = amounts.get(_key(finding), finding["variance_cents"])
        if finding["variance_cents"] != amount:
            found.append(f"{_key(finding)}: variance {finding['variance_cents']}, not {amount}")
    return found


def _round(got: dict[str, Any], want: dict[str, Any]) -> list[str]:
    found = [] if got["verdict"] == want["verdict"] else [f"verdict {got['verdict']}, not {want['verdict']}"]
    rows = {(row["seat"], row["wager"]): row for row in got["settlement"]}
    for row in want["settlement"]:
        own = rows.pop((row["seat"], row["wager"]), None)
        if own is None:
            found.append(f"no row for seat {row['seat']} {row['wager']}")
        elif not _fits(own, row):
            found.append(f"row {own}, not {row}")
    if not want.get("settlement_partial"):
        found += [f"row too many: {row}" for row in rows.values() if row["staked_cents"]]
    return found


def _fits(got: dict[str, Any], want: dict[str, Any]) -> bool:
    seen, true = got["observed"], want["observed"]
    both_untouched = not true["pay_cents"] and {seen["result"], true["result"]} <= UNTOUCHED
    same = seen["result"] == true["result"] or both_untouched
    pays = (seen["pay_cents"] or 0) == true["pay_cents"]
    return same and pays and got["expected"] == want["expected"] and got["staked_cents"] == want["staked_cents"]
