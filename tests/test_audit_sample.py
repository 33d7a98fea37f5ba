"""The whole line on real pictures: the sample clip goes in, rounds, findings and a page come out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from handreplay.config import load_profile
from handreplay.core.readings import Known
from handreplay.pipeline import AuditResult, audit
from handreplay.report.evaluation.clips import find_clips
from handreplay.report.evaluation.compare import compare
from handreplay.report.evaluation.scores import Score
from handreplay.report.evaluation.sources import made, truth_of

SAMPLE = Path(__file__).parent.parent / "sample_footage"


@pytest.fixture(scope="module")
def result() -> AuditResult:
    return audit(SAMPLE / "uth-sample.mp4", load_profile(SAMPLE / "uth-sample.table.toml"))


@pytest.fixture(scope="module")
def score(result: AuditResult) -> Score:
    truth, seen = truth_of(find_clips(SAMPLE)[0]), made(result.rounds, result.audit, result.profile)
    return compare(truth.rounds, seen.rounds, truth.findings, seen.findings)


def test_every_card_that_showed_is_read_right(score: Score) -> None:
    assert (score.cards.right, score.cards.wrong, score.cards.unread) == (11, 0, 0)


def test_every_chip_movement_is_seen_and_by_whose_hand(score: Score) -> None:
    assert (score.events["chips_changed"].right, score.events["chips_changed"].missed) == (17, 0)
    assert (score.actors.right, score.actors.wrong) == (17, 0)


def test_the_rack_comes_out_in_the_order_of_the_pick_up(result: AuditResult) -> None:
    hands = [card.hand for card in result.rounds[0].rack]
    assert hands == ["burn"] * 2 + ["seat5"] * 2 + ["seat2"] * 2 + ["community"] * 5 + ["dealer"] * 2
    faces = [card.identity.value for card in result.rounds[0].rack if isinstance(card.identity, Known)]
    assert faces == ["Qs", "Jd", "9h", "Qc", "4d", "4c", "2d", "7h", "Js", "Qh", "Kh"]


def test_nobody_is_accused_of_what_did_not_happen(score: Score) -> None:
    assert (score.faults.invented_confirmed, score.faults.invented_probable) == (0, 0)


def test_what_could_not_be_read_keeps_the_round_from_being_clean(result: AuditResult) -> None:
    assert result.exit_code in (1, 3)
    assert result.audit.rounds[0].verdict in ("review", "finding")


def test_the_command_leaves_a_whole_run_and_the_recording_untouched(tmp_path: Path) -> None:
    footage, out = SAMPLE / "uth-sample.mp4", tmp_path / "run"
    before = footage.stat()
    call = [sys.executable, "-m", "handreplay.cli", "audit", str(footage)]
    done = subprocess.run(
        [*call, "--table", str(SAMPLE / "uth-sample.table.toml"), "--out", str(out)], capture_output=True, text=True
    )
    assert done.returncode in (1, 3), done.stderr
    assert done.stderr == ""
    names = {path.name for path in out.iterdir()}
    assert {"rounds.jsonl", "findings.json", "report.html", "manifest.json"} <= names
    document = json.loads((out / "findings.json").read_text("utf-8"))
    assert document["schema"] == "handreplay.findings/1"
    assert set(document["tool"]["models"]) == {
        "table",
        "glance",
        "reader",
        "chip_finder",
        "chip_reader",
        "chip_counter",
    }
    assert (footage.stat().st_mtime_ns, footage.stat().st_size) == (before.st_mtime_ns, before.st_size)


@pytest.mark.slow
def test_two_audits_of_one_recording_give_the_same_rounds_and_findings(result: AuditResult) -> None:
    again = audit(SAMPLE / "uth-sample.mp4", load_profile(SAMPLE / "uth-sample.table.toml"))
    assert repr(again.rounds) == repr(result.rounds)
    assert repr(again.audit) == repr(result.audit)
