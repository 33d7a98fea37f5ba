"""Recorded cases to film: one for each code of the catalogue, the games, ways of dealing and cameras taking turns.

python tests/synth/scripted_cases.py FOLDER
python -m handreplay.synth.scripted FOLDER --out FILMS
handreplay evaluate FILMS --notes
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.rules.cases import recorded

EVERY_CODE = (
    "tcp/MD01-short-void", "lir/MD02-face-up-used", "fcp/MD03-two-face-up-void", "tcp/MD04-dealer-before-last-seat",
    "uth653a/MD05-seat-left-out", "fcp/MD06-burn-not-called-for", "wpt/MD07-dealt-face-down", "lir/MD08-two-players",
    "wpt/EX01-glimpse-played-on", "wpt/MD10-after-deal", "tcp/MD11-wrong-count-void", "uth569/MD12-hand-4h",
    "fcp/MD13-same-deck-twice", "tcp/EX01-glimpse-handled", "uth653a/EX02-stub-exposed", "uth569/EX03-burn-face-up",
    "fcp/PY01-bonus-missed-win", "wpt/PY02-loss-paid", "lir/PY03-loss-left", "fcp/PY04-tie-taken", "lir/PY05-swap",
    "uth653a/PY06-limit-exceeded", "tcp/PY07-side-taken-early", "lir/WG01-unequal", "fcp/WG02-play-wrong",
    "tcp/WG03-play-raised-after-reveal", "uth653a/WG04-side-withdrawn", "wpt/WG05-side-alone",
    "fcp/WG06-above-maximum", "tcp/DR01-interleaved", "lir/DR02-player-card-missing", "uth569/DR03-stray-card",
    "tcp/FT01-gap-quiet", "wpt/FT03-dealer-card-unread", "fcp/FT04-payment-unread", "uth569/NEAR-plain",
    "wpt/NEAR-tie-on-board", "tcp/NEAR-tucked-trips", "lir/NEAR-withdrawals", "fcp/NEAR-sixth-card-up",
)  # fmt: skip


def unpack(case: str, folder: Path) -> str:
    """Write a case's log, profile and expected findings as files; their name."""
    name, found = case.replace("/", "-"), recorded()[case]
    (folder / f"{name}.rounds.jsonl").write_text(found["log"], "utf-8")
    (folder / f"{name}.table.toml").write_text(found["table"], "utf-8")
    (folder / f"{name}.expected.json").write_text(json.dumps(found["expected"]), "utf-8")
    return name


if __name__ == "__main__":
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    for each in EVERY_CODE:
        print(where / unpack(each, where))
