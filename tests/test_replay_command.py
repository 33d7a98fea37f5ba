"""`handreplay replay` and `handreplay explain`, as a user calls them."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from handreplay.cli import app
from handreplay.report.findings_csv import inert
from handreplay.rules import RULES
from handreplay.rules.catalogue import catalogue
from handreplay.rules.pages import page_text
from tests.rules.cases import recorded

SAMPLE = Path(__file__).parents[1] / "sample_footage"


def files(folder: Path, name: str) -> list[str]:
    case = recorded()[name]
    (folder / "t.table.toml").write_text(case["table"])
    (folder / "r.jsonl").write_text(case["log"])
    return [str(folder / "r.jsonl"), "--table", str(folder / "t.table.toml")]


@pytest.mark.parametrize(
    ("name", "code"), [("uth569/NEAR-plain", 0), ("uth569/PY01-short-paid", 1), ("uth569/FT04-payment-unread", 3)]
)
@pytest.mark.parametrize("shape", ["text", "json", "csv"])
def test_the_exit_code_is_the_verdict_in_every_format(name: str, code: int, shape: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", *files(tmp_path, name), "--format", shape])
    assert result.exit_code == code, result.output


def test_json_is_findings_json_alone(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", *files(tmp_path, "uth569/PY01-short-paid"), "--format", "json"])
    document = json.loads(result.stdout)
    assert document["schema"] == "handreplay.findings/1" and document["rules"] == "pa-569"
    (finding,) = document["findings"]
    assert finding["code"] == "PY01" and finding["citation"] == "58 Pa. Code 569.12(b)" and finding["basis"] == "text"
    assert finding["observed_cents"] - finding["expected_cents"] == finding["variance_cents"] == -500


def test_text_says_what_was_found_and_what_was_looked_at(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", *files(tmp_path, "uth569/PY01-short-paid")])
    assert "PY01" in result.stdout and "seat 3 play" in result.stdout and "-$5.00" in result.stdout
    assert "1 round: 0 clean, 1 finding, 0 review, 0 incomplete." in result.stdout and "\x1b" not in result.stdout


def test_csv_keeps_amounts_as_numbers(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", *files(tmp_path, "uth569/PY01-short-paid"), "--format", "csv"])
    text = result.stdout_bytes.decode()
    assert text.startswith("\ufeff")
    (row,) = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    assert float(row["variance"]) == -5.0 and row["code"] == "PY01"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1"])
def test_a_text_that_a_spreadsheet_would_run_is_made_inert(text: str) -> None:
    assert inert(text) == "'" + text and inert("Seat 1") == "Seat 1"


def test_an_unusable_log_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    arguments = files(tmp_path, "uth569/NEAR-plain")
    (tmp_path / "r.jsonl").write_text("{}\n")
    program = [sys.executable, "-c", "from handreplay.cli import main; main()"]
    done = subprocess.run([*program, "replay", *arguments], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1 and "line 1" in done.stderr
    done = subprocess.run([*program, "explain", "XX99"], capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("code", list(catalogue()))
def test_every_code_has_a_page_with_reason_remedy_sections_and_two_examples(code: str) -> None:
    page = page_text(code)
    for heading in ("Why", "What shows it", "Has it", "Nearly has it", "Remedy", "Sections"):
        assert f"\n{heading}\n" in page
    assert page.splitlines()[0] == f"{code} {catalogue()[code].name}"
    assert "58 Pa. Code" in page or code.startswith("FT") or code == "WG06"


def test_every_rule_is_in_the_catalogue_once() -> None:
    codes = [code for code, _ in RULES]
    assert len(codes) == len(set(codes)) and set(catalogue()) == set(codes)


def test_explain_takes_a_code_in_small_letters() -> None:
    result = CliRunner().invoke(app, ["explain", "py02"])
    assert result.exit_code == 0 and result.stdout.startswith("PY02 overpaid")
    assert "(pa-569): 58 Pa. Code: Ante 569.12(b) [text]; Play" in result.stdout


@pytest.mark.parametrize("code", list(catalogue()))
@pytest.mark.parametrize("rules", ["pa-569", "pa-643a", "four-card-poker"])
def test_every_code_has_a_page_for_every_game(code: str, rules: str) -> None:
    text = page_text(code, rules)
    assert "Sections\n- " in text and "Has it" in text and "Nearly has it" in text
    assert "pa-649a" not in text


def test_rules_odds_and_settle_print_text_and_json(tmp_path: Path) -> None:
    profile = Path(__file__).parents[1] / "sample_footage" / "uth-sample.table.toml"
    words = ["dealer", "7d", "Jc", "board", "Kh7h2hAs3c", "1:", "Ah", "10s", "ante", "25", "blind", "25", "play", "100"]
    for call in (
        ["rules"],
        ["rules", "pa-641a"],
        ["odds", "--table", str(profile)],
        ["settle", "--table", str(profile), *words],
    ):
        text = CliRunner().invoke(app, call)
        told = CliRunner().invoke(app, [*call, "--format", "json"])
        assert (text.exit_code, told.exit_code) == (0, 0) and text.output.strip()
        assert json.loads(told.output)["schema"].startswith("handreplay.")


@pytest.mark.parametrize(
    "call",
    [
        ["odds"],
        ["odds", "--table", "PROFILE", "--meter", "inf"],
        ["odds", "--table", "PROFILE", "--meter", "25000"],  # no wager of this profile is paid from a meter
        ["odds", "--table", "nofile"],
        ["settle", "--table", "PROFILE"],
        ["settle", "--table", "PROFILE", "1:", "Ah", "Xx"],
        ["rules", "pa-000"],
        ["rules", "--no-such-option"],
        ["explain", "PY01", "--rules", "baccarat"],
        ["no-such-command"],
    ],
)
def test_a_call_that_cannot_be_is_one_line_and_exit_2(call: list[str]) -> None:
    profile = str(Path(__file__).parents[1] / "sample_footage" / "uth-sample.table.toml")
    own = [profile if word == "PROFILE" else word for word in call]
    done = subprocess.run([sys.executable, "-m", "handreplay.cli", *own], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1 and done.stderr.startswith("handreplay")


def test_a_log_of_rounds_over_a_border_names_the_recording_to_look_at(tmp_path: Path) -> None:
    log, table = (SAMPLE / f"uth-sample.{ending}" for ending in ("rounds.jsonl", "table.toml"))
    fields = json.loads(log.read_text().splitlines()[0])
    fields["source"]["continues"] = [{"file": "a2.mp4", "sha256": "cd" * 32, "from_s": 28.0}]
    (tmp_path / "log.jsonl").write_text(json.dumps(fields) + "\n")
    told = CliRunner().invoke(app, ["replay", str(tmp_path / "log.jsonl"), "--table", str(table)]).output
    assert "a2.mp4 0:00:07.897" in told and "0:00:35.897" not in told


def test_help_asks_for_no_value_where_a_word_alone_is_the_option() -> None:
    commands = [[], *([name] for name in typer.main.get_command(app).commands)]  # type: ignore[attr-defined]
    assert len(commands) > 20
    for command in commands:
        told = CliRunner().invoke(app, [*command, "--help"]).stdout.splitlines()
        assert [line for line in told if "<bool>" in line and "--help" not in line] == []
