"""Reports carry what regulators ask for; tables are safe in spreadsheets; times are right over clock changes."""

import csv
import io
import json
import re
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from handreplay.cli import main
from handreplay.core.roundlog import read_rounds
from handreplay.report import words
from handreplay.report.run_files import keep_run
from handreplay.review import dispute, dispute_pdf, tables
from handreplay.review.commands import verdict_lines, whoever
from handreplay.review.desk import Desk, Reviewer
from handreplay.review.ranking import rank
from handreplay.review.tables import comma_separated, workbook
from handreplay.review.verify import verify
from handreplay.review.views import finding_lines, local_time
from tests.review.conftest import ANN, BOB, SAMPLE, judged
from tests.review.test_desk import PAID, paid_blind

FIELDS = {
    "number": "INC-7",
    "preparer": "Ann Lee",
    "property": "Keystone Żółć 'n' Sons",
    "staff": "dealer 4411, floor Ruiz",
    "nature": "overpayment",
    "method": "recorded video",
    "action": "pit notified",
    "summary": "Blind paid on a push.",
    "second_reviewer": "Bob",
}
ATTACKS = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", '=HYPERLINK("http://evil")']


@pytest.fixture
def reported(desk: Desk) -> Desk:
    desk.decide(ANN, PAID, {"choice": "confirm", "fault": "dealer", "loss_cents": 10000, "saving_cents": 2500})
    desk.decide(BOB, PAID, {"choice": "confirm", "fault": "dealer"})
    desk.correct(ANN, 1, {"op": "right", "event": paid_blind(desk)})
    dispute.keep(desk, ANN, 1, FIELDS)
    return desk


class Command:
    """The command line as the shell calls it, in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
        self.monkeypatch, self.captured = monkeypatch, capfdbinary

    def __call__(self, *words: object) -> tuple[int, bytes, bytes]:
        """Exit code, standard output, standard error."""
        self.monkeypatch.setattr(sys, "argv", ["handreplay", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *self.captured.readouterr()


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(monkeypatch, capfdbinary)


def test_the_report_carries_every_field_that_is_asked_for(reported: Desk) -> None:
    report = dispute.dispute(reported, 1)
    assert report["fields"] | FIELDS == report["fields"]
    assert report["fields"]["copies"] == "not given"
    assert report["type_of_error"] == ["dealer error"]
    assert (report["losses"], report["savings"]) == ("$100.00", "$25.00")
    assert report["entered"] == "2026-11-30 03:00:03 -05:00"
    assert report["incident"]["timezone"] == "America/New_York"
    (finding,) = report["findings"]
    assert (finding["code"], finding["section"]) == ("PY02", "58 Pa. Code 653a.12(b)")
    assert finding["decision"]["by"] == "Ann" and finding["expected_cents"] == 0
    assert report["second_reviews"] == [{"by": "Bob", "same": 1, "different": 0, "alone": 0}]
    assert len(report["corrections"]) == 1 and "Seat 5 Blind" in report["corrections"][0]["text"]
    assert report["recording"]["sha256"] == reported.provenance.source_sha256


def test_what_nobody_filled_in_is_said_to_be_not_given(desk: Desk) -> None:
    report = dispute.dispute(desk, 1)
    assert report["entered"] is None and report["log_head"] is None
    assert report["fields"]["staff"] == report["fields"]["action"] == "not given"
    assert report["type_of_error"] == ["not decided"]
    assert (report["losses"], report["savings"]) == ("not decided", "not decided")
    assert report["fields"]["method"].endswith("no person has reviewed it yet.")
    desk.decide(ANN, PAID, {"choice": "open", "fault": "none"})
    assert dispute.dispute(desk, 1)["fields"]["method"].endswith("then reviewed.")


@pytest.mark.parametrize("kind", sorted(dispute.KINDS))
def test_the_same_log_gives_the_same_report_to_the_byte(reported: Desk, kind: str) -> None:
    first = dispute.render(reported, 1, kind)
    assert dispute.render(Desk(reported.folder), 1, kind) == first and len(first) > 1500


def test_the_html_stands_alone_and_holds_the_fields(reported: Desk) -> None:
    text = dispute.render(reported, 1, "html").decode()
    for value in ("INC-7", "Keystone Żółć", "dealer 4411", "pit notified", "58 Pa. Code 653a.12(b)", "data:image/jpeg"):
        assert value in text
    assert not re.search(r"(src|href)=\"(?!data:|#)", text) and "<script" not in text


def test_the_pdf_has_one_page_or_two(reported: Desk) -> None:
    content = dispute.render(reported, 1, "pdf")
    assert content.startswith(b"%PDF-") and len(re.findall(rb"/Type /Page\b(?!s)", content)) in (1, 2)
    assert b"/CreationDate (D:20261130080003Z)" in content


def test_very_long_texts_are_refused_and_long_ones_fit_the_pdf(desk: Desk) -> None:
    with pytest.raises(Exception, match="at most"):
        dispute.keep(desk, ANN, 1, {"summary": "x" * 5000})
    dispute.keep(desk, ANN, 1, {"summary": "word " * 280, "property": "W" * 120, "action": "pit " * 200})
    assert len(re.findall(rb"/Type /Page\b(?!s)", dispute.render(desk, 1, "pdf"))) in (1, 2)


def test_letters_that_the_pdf_cannot_show_are_owned_up_to_in_it(
    desk: Desk, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    paragraph = dispute_pdf.Sheet.paragraph
    monkeypatch.setattr(
        dispute_pdf.Sheet, "paragraph", lambda self, text, **more: (said.append(text), paragraph(self, text, **more))
    )
    dispute.keep(desk, ANN, 1, {"staff": "日本語"})
    dispute.render(desk, 1, "pdf")
    assert dispute_pdf.LACKING in said and "日本語" in dispute.render(desk, 1, "html").decode()
    said.clear()
    dispute.keep(desk, ANN, 1, {"staff": "Żółć, Ω, Дмитрий"})
    dispute.render(desk, 1, "pdf")
    assert dispute_pdf.LACKING not in said and capfd.readouterr() == ("", "")


def test_a_spreadsheet_runs_no_text_and_amounts_stay_numbers() -> None:
    from decimal import Decimal

    rows: list[list[Any]] = [[text, Decimal("-25.00"), Decimal("22.50"), "Żółć"] for text in ATTACKS]
    sheet = openpyxl.load_workbook(io.BytesIO(workbook([("T", ["a", "b", "c", "d"], rows)]))).active
    assert sheet is not None
    for number, text in enumerate(ATTACKS, 2):
        cells = [sheet.cell(number, column) for column in range(1, 5)]
        assert [cell.data_type for cell in cells] == ["s", "n", "n", "s"]
        assert [cell.value for cell in cells] == [text, -25, 22.5, "Żółć"]
    content = comma_separated(["a", "b", "c", "d"], rows)
    assert content.startswith(b"\xef\xbb\xbf")
    for text, row in zip(ATTACKS, list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))[1:], strict=True):
        assert row == ["'" + text, "-25.00", "22.50", "Żółć"]


def test_the_terminal_tells_a_round_and_a_seat_of_it(reported: Desk, command: Command) -> None:
    code, told, _ = command("report", reported.folder, "--round", 1)
    text = told.decode()
    assert code == 0 and re.search(r"^Board    \S\S( \S\S){4}$", text, re.MULTILINE)
    assert re.search(r"^Seat 5   \S\S \S\S ", text, re.MULTILINE) and "PY02 overpaid, " in text
    seats = sorted({row["seat"] for row in dispute.dispute(reported, 1)["wagers"]})
    other = next(seat for seat in seats if seat != 5)
    start = reported.state().rounds[0].start
    alone = command("report", reported.folder, "--at", start + 1, "--seat", other)[1].decode()
    round_, people = alone.split("Corrected by people")
    assert f"Seat {other} " in round_ and "Seat 5" not in round_ and "Seat 5 Blind" in people
    assert "Every wager here was settled as it was due." in round_


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), b"say which round"),
        (("--round", 1, "--at", "1:00"), b"one of --round and --at"),
        (("--round", 1, "--seat", 9), b"seat 9 had no wager; seats that had: "),
        (("--round", 1, "--seat", 5, "--out", "seat.pdf"), b"--seat is for the terminal"),
        (("--round", 1, "--settlements"), b"--settlements is for a .csv of all rounds"),
        (("--round", 7), b"no round 7; rounds there: 1"),
        (("--at", "noon"), b"is no moment of a recording"),
    ],
)
def test_a_round_or_seat_that_is_not_there_is_named(
    desk: Desk, command: Command, words: tuple[object, ...], said: bytes
) -> None:
    code, out, err = command("report", desk.folder, *words)
    assert code == 2 and out == b"" and said in err and err.count(b"\n") == 1


def test_what_people_did_away_with_stays_in_the_report(reported: Desk, command: Command) -> None:
    reported.correct(ANN, 1, {"op": "amount", "event": paid_blind(reported), "after": {"100": 1}})
    (gone,) = dispute.dispute(reported, 1)["no_longer"]
    assert (gone["code"], gone["decision"]["by"], gone["decision"]["loss"]) == ("PY02", "Ann", "$100.00")
    said = command("report", reported.folder, "--round", 1)[1].decode()
    assert "PY02 no longer holds as corrected; confirmed by Ann: dealer error, loss $100.00, saving $25.00" in said
    assert "Corrected by people" in said and "Seat 5 Blind" in said.split("Corrected by people")[1]
    assert "no longer hold as corrected" in dispute.render(reported, 1, "html").decode()
    assert dispute.render(reported, 1, "pdf").startswith(b"%PDF-")


def test_a_time_without_a_round_is_answered_as_such(tmp_path: Path, command: Command) -> None:
    (early,) = read_rounds(SAMPLE / "uth-sample.rounds.jsonl")
    keep_run(
        tmp_path / "run", judged(early, replace(early, number=2, start=early.end + 10, end=early.end + 20, events=()))
    )
    between = command("report", tmp_path / "run", "--at", early.end + 5)[1].decode()
    assert between.startswith("No round was under way at ") and "\nRound 1, " in between
    assert command("report", tmp_path / "run", "--at", early.end)[1].startswith(b"Round 1, ")
    code, out, err = command("report", tmp_path / "run", "--at", early.end + 30)
    assert code == 2 and out == b"" and b"ask for it by its number, --round 2" in err


def test_tables_hold_findings_with_decisions_and_every_settlement(reported: Desk) -> None:
    state = reported.state()
    rows = list(csv.DictReader(io.StringIO(tables.table(reported, state, "findings.csv").decode("utf-8-sig"))))
    assert [(row["code"], row["variance"], row["decision"], row["loss"]) for row in rows] == [
        ("PY02", "100.00", "confirmed", "100.00")
    ]
    settled = list(csv.DictReader(io.StringIO(tables.table(reported, state, "settlements.csv").decode("utf-8-sig"))))
    assert len(settled) == len(state.document["rounds"][0]["settlement"])
    assert [row["agrees"] for row in settled].count("no") == 1 and {row["corrected"] for row in settled} == {"yes"}
    book = openpyxl.load_workbook(io.BytesIO(tables.table(reported, state, "findings.xlsx")))
    assert book.sheetnames == ["Findings", "Settlements"]
    whole = json.loads(tables.table(reported, state, "findings.json"))
    assert whole["schema"] == "handreplay.findings/1" and whole["findings"][0]["decision"]["by"] == "Ann"
    assert tables.table(reported, state, "findings.xlsx") == tables.table(reported, state, "findings.xlsx")


@pytest.mark.parametrize(
    ("seconds", "told"), [(0, "01:50:00.000 -04:00"), (700, "01:01:40.000 -05:00"), (-1, "01:49:59.000 -04:00")]
)
def test_clock_times_are_right_over_the_autumn_change(seconds: float, told: str) -> None:
    import dataclasses

    round_ = read_rounds(SAMPLE / "uth-sample.rounds.jsonl")[0]
    autumn = dataclasses.replace(round_, start=0.0, clock_start="2026-11-01T01:50:00-04:00")
    assert words.clock(autumn, seconds, "America/New_York") == told


def test_log_times_are_shown_in_the_tables_zone_with_their_offset() -> None:
    assert local_time("2026-11-01T05:59:59.500Z", "America/New_York") == "2026-11-01 01:59:59 -04:00"
    assert local_time("2026-11-01T06:00:00.000Z", "America/New_York") == "2026-11-01 01:00:00 -05:00"
    assert local_time("2026-03-08T07:00:00.000Z", "America/New_York") == "2026-03-08 03:00:00 -04:00"
    assert local_time("no time", "America/New_York") == "no time"


def test_findings_are_ranked_by_money_then_by_what_else_was_asked() -> None:
    def finding(code: str, variance: int | None, confidence: float, status: str = "probable") -> dict[str, Any]:
        told = {"code": code, "variance_cents": variance, "confidence": confidence, "status": status}
        return {**told, "round": 1, "t": 1.0}

    small, large = finding("PY01", -500, 0.99), finding("PY02", 90000, 0.7)
    order, question = finding("PY05", 0, 0.999), finding("FT04", None, 0.3, "review")
    everything = [question, order, small, large]
    assert sorted(everything, key=lambda f: rank(f, "money")) == [large, small, order, question]
    assert sorted(everything, key=lambda f: rank(f, "certainty")) == [order, small, large, question]
    assert sorted(everything, key=lambda f: rank(f, "severity")) == [large, small, order, question]


def test_a_finding_line_says_where_its_money_went(desk: Desk) -> None:
    (line,) = finding_lines(desk, desk.state())
    assert line.part.money is not None and line.part.money.who == "house lost" and line.key == PAID


# ---- the commands


def test_the_commands_report_evidence_and_verify_work_from_the_shell(
    reported: Desk, tmp_path: Path, command: Command
) -> None:
    run = reported.folder
    for name, more in (("r.html", ["--round", 1]), ("r.pdf", ["--round", 1]), ("all.xlsx", []), ("all.csv", [])):
        code, _, errors = command("report", run, "-o", tmp_path / name, *more)
        assert (code, errors) == (0, b"")
        assert (tmp_path / name).stat().st_size > 500
    code, told, _ = command("evidence", run, "--round", 1, "-o", tmp_path / "case.zip", "--by", "Ann")
    assert code == 0 and b"SHA-256" in told
    code, told, _ = command("verify", tmp_path / "case.zip")
    assert code == 0 and b"whole: nothing was changed" in told
    assert command("verify", run)[0] == 0
    log = run / "review.jsonl"
    log.write_bytes(log.read_bytes().replace(b"confirm", b"reject.", 1))
    code, told, _ = command("verify", run)
    assert code == 1 and b"ALTERED" in told and b"Do not rely on it" in told


@pytest.mark.parametrize(
    "call",
    [
        ["verify", "nowhere"],
        ["report", "nowhere", "-o", "x.csv"],
        ["evidence", "nowhere", "--round", "1", "-o", "x.zip"],
        ["review", "nowhere", "--no-browser"],
        ["review", "{run}", "--by", "  ", "--no-browser"],
        ["report", "{run}", "-o", "{tmp}/x.docx"],
        ["report", "{run}", "--round", "1", "-o", "{tmp}/x.csv"],
        ["report", "{run}", "--round", "7", "-o", "{tmp}/x.pdf"],
        ["evidence", "{run}", "--round", "1", "-o", "{tmp}/x.zip", "--footage", "{run}/findings.json"],
        ["evidence", "{run}", "--round", "1", "-o", "{tmp}/x.zip", "--sign-key", "{run}/findings.json"],
        ["verify", "{run}", "--signer", "{run}/findings.json"],
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(run: Path, tmp_path: Path, call: list[str], command: Command) -> None:
    code, told, errors = command(*(part.format(run=run, tmp=tmp_path) for part in call))
    assert code == 2, told
    assert errors.startswith(b"handreplay: ") and errors.count(b"\n") == 1
    assert not list(tmp_path.glob("x.*"))


def test_a_failure_can_not_be_taken_for_a_pass(desk: Desk) -> None:
    verdict = verify(desk.folder)
    assert verdict_lines(desk.folder, verdict)[-1].endswith("whole: nothing was changed.")
    verdict.wrong.append("something")
    assert verdict_lines(desk.folder, verdict)[0].startswith("ALTERED")
    assert "NOT" in verdict_lines(desk.folder, verdict)[-1]


def test_whoever_is_logged_in_signs_when_nobody_is_named() -> None:
    assert whoever("Ann") == Reviewer("Ann") and whoever(None).name


def test_entries_carry_the_time_of_day_and_nothing_else_does(reported: Desk) -> None:
    times = [datetime.fromisoformat((entry.body or {})["at"]) for entry in reported.log.entries()]
    assert times == sorted(times) and all(time.tzinfo is not None for time in times)
