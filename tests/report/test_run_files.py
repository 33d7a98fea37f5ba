"""A judged recording becomes a whole run folder, twice the same; an evaluation reads it back."""

import dataclasses
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handreplay.cli import app
from handreplay.config import Profile, load_profile
from handreplay.core.findings import Audit
from handreplay.core.observations import PictureLost
from handreplay.core.roundlog import read_rounds
from handreplay.errors import FootageError, LogError
from handreplay.footage import Stamp, Tally, sha256_of, stamp_of
from handreplay.report.evaluation import clips, sources
from handreplay.report.run_files import keep_run
from handreplay.rules import audit_rounds
from handreplay.store import read_run

SAMPLE = Path(__file__).parents[2] / "sample_footage"
CLIP = SAMPLE / "uth-sample.mp4"


@dataclasses.dataclass(frozen=True)
class Judged:
    """The sample as a perfect eye sees it."""

    profile: Profile
    rounds: tuple
    audit: Audit
    footage: Path = CLIP
    footage_sha256: str = "ab" * 32
    tally: Tally = dataclasses.field(default_factory=Tally)
    models: dict = dataclasses.field(default_factory=dict)
    passed_over: tuple = ()
    stamp: Stamp | None = dataclasses.field(default_factory=lambda: stamp_of(CLIP))


@pytest.fixture(scope="module")
def judged() -> Judged:
    profile = load_profile(SAMPLE / "uth-sample.table.toml")
    rounds = read_rounds(SAMPLE / "uth-sample.rounds.jsonl")
    return Judged(profile, rounds, audit_rounds(rounds, profile.rules()))


@pytest.fixture(scope="module")
def runs(judged: Judged, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    keep_run(folder / "uth-sample", judged)
    return folder


def test_a_run_folder_holds_log_findings_page_and_pictures(runs: Path) -> None:
    run = read_run(runs / "uth-sample")
    assert sorted(run.manifest["files"]) == [
        "evidence/r0001_PY02_1.jpg",
        "evidence/r0001_PY02_2.jpg",
        "findings.csv",
        "findings.json",
        "recording.json",
        "report.html",
        "rounds.jsonl",
        "table.toml",
    ]
    findings = json.loads(run.path("findings.json").read_bytes())["findings"]
    assert [(f["code"], f["seat"], f["variance_cents"]) for f in findings] == [("PY02", 5, 10000)]
    assert [shot["image"] for shot in findings[0]["evidence"]] == sorted(run.manifest["files"])[:2]
    page = run.path("report.html").read_text("utf-8")
    assert page.count("data:image/jpeg;base64,") == 2 and "The house lost $100.00." in page


def test_seconds_that_did_not_fit_the_profile_are_told_with_the_reason_even_without_a_round(
    judged: Judged, tmp_path: Path
) -> None:
    lost = [
        PictureLost(start=a, end=b, reason="the print lies 53 mm off", camera_moved=True) for a, b in ((0, 9), (20, 51))
    ]
    nothing = dataclasses.replace(judged, rounds=(), audit=audit_rounds((), judged.profile.rules()))
    report = keep_run(tmp_path, nothing, lost)
    [told] = [remark for remark in report.coverage.remarks if "does not fit" in remark]
    assert "for 40.0 s" in told and "first at 0:00:00.000: the print lies 53 mm off" in told
    gap = PictureLost(start=0.0, end=9.0, reason="damaged pictures")
    assert not any("does not fit" in remark for remark in keep_run(tmp_path / "gap", nothing, [gap]).coverage.remarks)


def test_evidence_is_the_picture_on_show_at_the_finding(runs: Path) -> None:
    finding = json.loads((runs / "uth-sample" / "findings.json").read_bytes())["findings"][0]
    shown = finding["evidence"][0]
    assert 0 <= finding["t"] - shown["t"] < 1 / 15 + 0.001
    assert shown["frame"] == round(shown["t"] * 15)


def test_pictures_of_a_recording_that_has_changed_are_no_evidence(judged: Judged, tmp_path: Path) -> None:
    with pytest.raises(FootageError, match="has changed, or gone, since its reading began"):
        keep_run(tmp_path / "out", dataclasses.replace(judged, stamp=(1, 2, 3)))
    assert not (tmp_path / "out").exists()


def test_two_runs_write_the_same_bytes(runs: Path, judged: Judged, tmp_path: Path) -> None:
    keep_run(tmp_path, judged)
    again = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    first = {path.name: path.read_bytes() for path in (runs / "uth-sample").rglob("*") if path.is_file()}
    assert again == first


def test_the_recording_is_only_read(runs: Path) -> None:
    truth = json.loads((SAMPLE / "uth-sample.rounds.jsonl").read_text())
    assert sha256_of(CLIP) == truth["source"]["sha256"]


def test_a_finished_run_is_evaluated_without_its_footage(runs: Path) -> None:
    result = CliRunner().invoke(app, ["evaluate", str(SAMPLE), "--runs", str(runs), "--format", "json"])
    figures = json.loads(result.stdout)
    assert result.exit_code == 0
    assert figures["shares"] == {
        "cards_right": 1.0,
        "cards_wrong": 0.0,
        "amounts_exact": 1.0,
        "amounts_wrong": 0.0,
        "events_right": 1.0,
        "rounds_exact": 1.0,
        "racks_exact": 1.0,
        "faults_found": 1.0,
    }
    assert figures["total"]["settlements"] == {"right": 7, "wrong": 0, "open": 0, "missing": 0, "invented": 0, "all": 7}


def test_a_run_that_is_not_there_counts_as_missed_and_the_exit_code_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["evaluate", str(SAMPLE), "--runs", str(tmp_path)])
    assert result.exit_code == 1
    assert "0/11 0%" in result.stdout and "not audited" in result.stdout


def test_without_expected_findings_the_true_log_is_replayed() -> None:
    clip = clips.find_clips(SAMPLE)[0]
    replayed = sources.truth_of(dataclasses.replace(clip, expected=None)).findings
    expected = sources.truth_of(clip).findings
    keys = ("code", "round", "seat", "wager", "variance_cents")
    assert [{key: f[key] for key in keys} for f in replayed["findings"]] == expected["findings"]
    assert [r["settlement"] for r in replayed["rounds"]] == [r["settlement"] for r in expected["rounds"]]


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"{",
        b'{"rounds": []}',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"rounds": [{}], "findings": []}',
        b'{"rounds": [], "findings": [7]}',
        b'{"rounds": [{"round": 1, "settlement": [{"seat": 1}]}], "findings": []}',
    ],
)
def test_a_findings_file_that_is_none_is_an_error_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "findings.json").write_bytes(content)
    with pytest.raises(LogError, match=r"findings\.json"):
        sources.read_document(tmp_path / "findings.json")
