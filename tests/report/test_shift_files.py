"""From a batch's folder to its report as a page, on paper and for spreadsheets: the same content, safe to open."""

import csv
import io
import json
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import openpyxl
import pytest
from fpdf import FPDF
from fpdf.table import Row
from shift_night import NIGHT, Night, mixed_night, moved, repeated, sample_rounds, true_rounds, unread_cards, with_gap
from typer.testing import CliRunner

from handreplay.batch.record import State
from handreplay.batch.shift import batch_shift
from handreplay.cli import app
from handreplay.report.shift import charts, text
from handreplay.report.shift.layout import Grid, layout
from handreplay.report.shift.numbers import shift_of
from handreplay.report.shift.page import shift_page
from handreplay.report.shift.pdf import shift_pdf
from handreplay.report.shift.tables import shift_csv, shift_workbook
from handreplay.report.shift.values import Kind, Recording, Shift


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed_night(tmp_path_factory.mktemp("night") / "out")


@pytest.fixture(scope="module")
def shift(night: Path) -> Shift:
    return batch_shift(night)


@pytest.fixture(scope="module")
def page(shift: Shift) -> str:
    return shift_page(shift)


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["shift", *map(str, words)])


def refused(*words: object) -> str:
    """What the command says when it cannot: one line, exit code 2."""
    call = [sys.executable, "-m", "handreplay.cli", "shift", *map(str, words)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    return done.stderr


class Reader(HTMLParser):
    """Ids, links and text of a page; every element that is opened is closed."""

    VOID = {"meta", "br", "path", "circle", "use", "rect", "polygon"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.open: list[str] = []
        self.said: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        values = dict(attrs)
        self.ids.update([values["id"]] if "id" in values else [])
        self.links += [values[name] for name in ("href", "xlink:href", "src") if values.get(name)]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_the_figures_of_the_mixed_night(shift: Shift) -> None:
    told = {kind: round(shift.seconds(kind)) for kind in Kind}
    assert told == {
        Kind.JUDGED: 11152, Kind.QUESTIONED: 45, Kind.INCOMPLETE: 32, Kind.PASSED_OVER: 300, Kind.UNSEEN: 20,
        Kind.SET_ASIDE: 1800, Kind.UNFINISHED: 600, Kind.UNRECORDED: 1200,
    }  # fmt: skip
    assert [(line.table, len(line.rounds)) for line in shift.tables] == [
        ("=1+1", 1), ("Pit 1: BJ <b>", 28), ("UTH-01", 36), ("table not known", 0),
    ]  # fmt: skip
    head = text.headline(shift)
    assert head.title == "52 faults; at most 73.6% of the time could be judged in full" and head.tone == "fault"
    assert "The house lost $2,300.00. Players are short $1,190.00. The house probably lost $100.00." in head.detail
    assert "2 recordings set aside. 1 recording not audited yet. Of unknown length" in head.detail
    assert (shift.wagers_rate.wrong, shift.wagers_rate.judged, shift.wagers_rate.open) == (70, 470, 1)


def test_the_page_stands_alone_and_runs_nothing(page: str) -> None:
    reader = Reader(page)
    assert "script" not in page.lower() and "<b>" not in re.sub(r"<p id=[^>]*><b>", "", page)
    assert "Pit 1: BJ &lt;b&gt;" in page and "=cmd|&#39; /C calc&#39;!A0.mp4" in page
    assert not [link for link in reader.links if re.match(r"[a-z]+:|//", link)]
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert max(reader.ids.values()) == 1


def test_every_number_leads_to_its_rounds_and_every_round_to_its_run(page: str, night: Path) -> None:
    reader = Reader(page)
    inside = [link[1:] for link in reader.links if link.startswith("#")]
    assert {"list-1", "r1", "recording-4", "table-1", "rounds"} <= set(inside) <= set(reader.ids)
    outside = {link for link in reader.links if not link.startswith("#")}
    assert len([link for link in outside if "#round-" in link]) == 65
    assert not [link for link in outside if re.search(r"[ \"'<>|]", link)]
    for link in outside:
        path, _, anchor = link.partition("#")
        run_page = (night / unquote(path)).read_text("utf-8")
        assert not anchor or f'id="{anchor}"' in run_page


def test_a_round_is_told_with_its_place_in_the_recording_and_the_clock_at_the_table(page: str) -> None:
    row = re.search(r'<tr id="r\d+"><td><a href="runs/UTH-01/cam1_2300.mp4/report.html#round-45">45</a>.*?</tr>', page)
    assert row and "<td>00:25:02</td><td>23:25:02 -05:00</td>" in row[0]
    assert "to review" in row[0] and "chips could not be read, FT04" in row[0]


def test_coverage_comes_first_and_people_are_in_order_of_name(page: str) -> None:
    heads = re.findall(r"<h2>(.*?)</h2>", page)
    assert heads == [
        "What could be judged", "Faults by money", "Questions for a person", "Findings by code", "Wagers", "Dealers",
        "Pace", "To look at again", "Rounds behind the numbers", "All rounds",
    ]  # fmt: skip
    assert page.index(">Ana B.</td>") < page.index(">Chidi</td>") < page.index("Too few to say")
    assert page.index("Too few to say") < page.index(">@SUM(A1)</td>")
    assert "at least 100 judged wagers" in page


def test_the_same_batch_gives_the_same_bytes(night: Path, shift: Shift, page: str) -> None:
    again = batch_shift(night)
    assert again == shift and shift_page(again) == page
    for make in (shift_pdf, shift_csv, shift_workbook):
        assert make(again) == make(shift)


def test_charts_take_names_as_they_are_and_the_pages_colours(shift: Shift) -> None:
    figures = charts.draw(shift)
    assert list(figures) == ["coverage-1", "wagers", "dealers"]
    drawn = charts.svg(figures["coverage-1"], "coverage-1")
    ElementTree.fromstring(drawn)
    assert "Pit 1: BJ &lt;b&gt;" in drawn and "<style" not in drawn and "<metadata" not in drawn
    assert "var(--right)" in drawn and "var(--fault)" in drawn and "#0b5c8f" not in drawn
    assert ">22:00<" in drawn and ">-05:00<" in drawn and "America/New_York" in drawn
    assert charts.png(figures["dealers"]) == charts.png(charts.draw(shift)["dealers"])


def test_a_table_called_like_a_formula_of_a_chart_is_drawn_as_it_is_called() -> None:
    name = r"$\frac{1}{0}$ _^"
    shift = shift_of([Recording(name="a", table=name, outcome="set aside", start=NIGHT, expected_s=60.0)])
    assert name in charts.svg(charts.draw(shift)["coverage-1"], "c")


def test_many_tables_and_several_time_zones_get_charts_of_their_own() -> None:
    def one(number: int, zone: str) -> Recording:
        return Recording(
            name="a", table=f"T{number:02d}", outcome="unfinished", zone=zone, start=NIGHT, expected_s=60.0 * number
        )

    night = [one(number, "America/New_York") for number in range(1, 46)] + [
        one(number, "Asia/Kolkata") for number in (50, 51)
    ]
    drawn = {name: charts.svg(figure, name) for name, figure in charts.draw(shift_of(night)).items()}
    shown = {name: len(re.findall(r">T\d\d<", chart)) for name, chart in drawn.items()}
    assert shown == {"coverage-1": 40, "coverage-2": 5, "coverage-3": 2}
    ticks = [re.findall(r">(\d\d:\d\d)<", drawn[name]) for name in drawn]
    assert (
        ticks[0]
        == ticks[1]
        == ["22:00", "22:05", "22:10", "22:15", "22:20", "22:25", "22:30", "22:35", "22:40", "22:45"]
    )
    assert ticks[2][0] == "08:30" and ">+05:30<" in drawn["coverage-3"]


def test_the_chart_of_a_night_with_a_clock_change_says_where_the_offset_changes() -> None:
    start = datetime.fromisoformat("2024-11-02T22:00-04:00")
    one = Recording(
        name="a", table="T", outcome="unfinished", zone="America/New_York", start=start, expected_s=9 * 3600
    )
    drawn = charts.svg(charts.draw(shift_of([one]))["coverage-1"], "c")
    told = re.findall(r">(\d\d:\d\d|[+-]\d\d:\d\d)<", drawn)
    assert told == [
        "22:00", "-04:00", "23:00", "00:00", "01:00", "01:00", "-05:00", "02:00", "03:00", "04:00", "05:00", "06:00",
    ]  # fmt: skip


def test_paper_says_what_the_page_says(shift: Shift, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def listened(owner: type, name: str, place: int) -> None:
        write = getattr(owner, name)

        def heard(self: Any, *words: Any, **more: Any) -> Any:
            written.append(str(words[place]) if len(words) > place else "")
            return write(self, *words, **more)

        monkeypatch.setattr(owner, name, heard)

    for owner, name, place in ((Row, "cell", 0), (FPDF, "multi_cell", 2), (FPDF, "cell", 2), (FPDF, "write", 1)):
        listened(owner, name, place)
    content = shift_pdf(shift)
    assert content.startswith(b"%PDF-") and len(re.findall(rb"/Type /Page\b(?!s)", content)) >= 4
    assert b"/CreationDate (D:20261130050000Z)" in content  # when the last recording began, not when it was made
    on_paper, on_the_page = "\n".join(written), " ".join(Reader(page).said)
    texts = [shift.takes[0].name, text.headline(shift).title, text.headline(shift).detail, "23:25:02 -05:00"]
    for section in layout(shift, charts.draw(shift)).sections:
        texts.append(section.title)
        for block in section.blocks:
            if isinstance(block, Grid):
                texts += [block.title, block.note, *(cell.text for row in block.rows for cell in row)]
    assert len(texts) > 400 and "2  00:00:53, 22:00:53 -05:00, clean" in on_paper
    assert re.search(r"=1\+1 round 1; Pit 1: BJ <b> rounds \d+(, \d+)+", on_paper)
    assert re.search(r"=1\+1 round 1 Pit 1: BJ <b> rounds \d+( \d+)+", " ".join(on_the_page.split()))
    assert not [one for one in texts if one not in on_paper]
    assert not [one for one in texts if one not in on_the_page]


def rows_of(content: bytes) -> list[dict[str, str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def test_the_csv_is_one_tidy_table_of_rounds_findings_and_what_was_not_audited(shift: Shift) -> None:
    rows = rows_of(shift_csv(shift))
    assert Counter(row["row"] for row in rows) == {"round": 65, "finding": 54, "recording": 3, "no recording": 1}
    finding = next(row for row in rows if row["row"] == "finding" and row["table"] == "UTH-01")
    assert (finding["recording"], finding["round"], finding["position"], finding["clock"]) == (
        "cam1/2200.mp4", "2", "00:01:23", "2026-11-29T22:01:23-05:00",
    )  # fmt: skip
    assert (finding["code"], finding["variance"], finding["verdict"]) == ("PY02", "100.00", "finding")
    underpaid = next(row for row in rows if row["code"] == "PY01")
    assert underpaid["variance"] == "-25.00"
    assert [row["why"] for row in rows if row["row"] == "recording"] == [
        "not audited yet", "set aside: no picture could be decoded", "set aside: no table profile names it",
    ]  # fmt: skip


def test_no_spreadsheet_runs_a_name(shift: Shift) -> None:
    cells = [cell for row in rows_of(shift_csv(shift)) for cell in row.values()]
    assert "'=1+1" in cells and "'@SUM(A1)" in cells
    assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-(?![\d.]+$)", cell)]
    book = openpyxl.load_workbook(io.BytesIO(shift_workbook(shift)))
    assert book.sheetnames == ["Coverage", "Findings", "Wagers", "Dealers", "Rounds", "Recordings"]
    values = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert not [cell for cell in values if cell.data_type == "f"]
    assert {cell.data_type for cell in values if cell.value == "=1+1"} == {"s"}
    variances = [cell for cell in values if cell.value == -25]
    assert variances and {cell.data_type for cell in variances} == {"n"}


def test_the_workbook_holds_the_rates_and_leaves_them_out_of_those_with_too_few(shift: Shift) -> None:
    book = openpyxl.load_workbook(io.BytesIO(shift_workbook(shift)))
    dealers = {row[0]: row for row in book["Dealers"].iter_rows(min_row=2, values_only=True)}
    assert dealers["Ana B."][3:5] == (12, pytest.approx(12 / 168, abs=1e-6))
    assert dealers["@SUM(A1)"][2:7] == (7, 1, None, None, None) and dealers["@SUM(A1)"][-1] == "too few to say"
    states = Counter(row[5] for row in book["Recordings"].iter_rows(min_row=2, values_only=True))
    assert states == {"audited": 5, "set aside": 2, "not audited yet": 1}


def test_the_command_writes_beside_the_batch_and_tells_the_verdict(tmp_path: Path) -> None:
    out = Night(tmp_path / "o")
    out.audited("UTH-07", "a.mp4", sample_rounds(), start=NIGHT, length_s=120)
    out.write()
    done = run(tmp_path / "o")
    assert done.exit_code == 0
    assert done.stdout.startswith("1 fault; 100% of the time could be judged in full. The house lost $100.00.")
    assert (tmp_path / "o" / "shift.html").is_file()
    elsewhere = tmp_path / "hand over"
    elsewhere.mkdir()
    assert run(tmp_path / "o", "--out", elsewhere, "--format", "html").exit_code == 0
    assert 'href="../o/runs/UTH-07/a.mp4/report.html#round-1"' in (elsewhere / "shift.html").read_text("utf-8")
    for name in ("n.pdf", "n.csv", "n.xlsx", "n.HTML"):
        assert run(tmp_path / "o", "--out", tmp_path / name).exit_code == 0 and (tmp_path / name).is_file()


def test_a_file_that_is_there_stays_as_it_is_unless_told(night: Path, tmp_path: Path) -> None:
    mine = tmp_path / "shift.csv"
    mine.write_text("mine")
    assert "is there already" in refused(night, "--out", mine)
    assert mine.read_text() == "mine" and [path.name for path in tmp_path.iterdir()] == ["shift.csv"]
    assert run(night, "--out", mine, "--replace").exit_code == 0
    assert mine.read_bytes().startswith(b"\xef\xbb\xbfrow,")


def test_what_cannot_be_done_is_said_in_one_line(night: Path, tmp_path: Path) -> None:
    assert "no such folder" in refused(tmp_path / "nowhere")
    assert "holds no batch" in refused(tmp_path)
    assert "ends in .html, .pdf, .csv or .xlsx" in refused(night, "--out", tmp_path / "a.docx")
    assert "leave one of them out" in refused(night, "--out", tmp_path / "a.pdf", "--format", "csv")
    assert "--since is not before --until" in refused(
        night, "--since", "2026-11-30T02:00", "--until", "2026-11-30T01:00"
    )
    assert "--since is not before --until" in refused(night, "--since", "2027-01-01", "--until", "2026-12-31")
    for told in ("yesterday", "2026-13-01", "11/30/2026"):
        assert f"--since {told}: is no time; write 2026-11-30, 2026-11-30T01:10" in refused(night, "--since", told)
    assert "is no time of a recording" in refused(night, "--until", "0001-01-01T00:00+10:00")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("until", ["2026-11-30", "20261130", "2026-11-30T00:00", "2026-11-30 00:00:00-05:00"])
def test_a_date_alone_is_its_first_moment_at_the_table(night: Path, until: str) -> None:
    out = night.parent / f"before {until[-5:].replace(':', '')}.csv"
    assert run(night, "--out", out, "--until", until, "--replace").exit_code == 0
    clocks = [row["clock"] for row in rows_of(out.read_bytes()) if row["row"] == "round"]
    assert clocks and {clock[:10] for clock in clocks} == {"2026-11-29"}


def test_title_and_heading_say_which_night_it_was(shift: Shift, page: str) -> None:
    assert text.dates(shift) == "2026-11-29 to 2026-11-30"
    assert "<title>Shift report 2026-11-29 to 2026-11-30: 52 faults" in page
    assert "<h1>Shift report 2026-11-29 to 2026-11-30</h1>" in page
    evening = Recording(name="a", table="UTH-01", outcome="set aside", start=NIGHT, expected_s=60.0)
    here = replace(evening, zone="America/New_York")
    assert (text.dates(shift_of([evening])), text.dates(shift_of([here]))) == ("2026-11-30", "2026-11-29")
    assert text.title(shift_of([replace(evening, start=None)])) == "Shift report"


def test_probable_money_says_whose_it_is(shift: Shift) -> None:
    told = {what: figure for figure, what, _ in text.headline(shift).counts}
    assert told["more lost by the house, probable"] == "$100.00" and "more short to players, probable" not in told
    money = replace(shift.money, likely_short_cents=2500)
    counts = text.headline(replace(shift, money=money)).counts
    assert ("$25.00", "more short to players, probable", "fault") in counts


def test_only_the_hours_asked_for_are_reported(night: Path) -> None:
    out = night.parent / "late.csv"
    done = run(night, "--out", out, "--since", "2026-11-29T23:00", "--until", "2026-11-29T23:30-05:00")
    assert done.exit_code == 0 and "2 recordings left out, since nobody told when they began." in done.stdout
    clocks = [row["clock"] for row in rows_of(out.read_bytes()) if row["row"] == "round"]
    assert clocks and {clock[:13] for clock in clocks} == {"2026-11-29T23"} and max(clocks) < "2026-11-29T23:30"


def test_a_run_that_was_altered_or_is_gone_is_set_aside_and_named(tmp_path: Path) -> None:
    out = Night(tmp_path)
    altered = out.audited("UTH-07", "a.mp4", true_rounds(0)[:1], start=NIGHT, length_s=120)
    gone = out.audited("UTH-07", "b.mp4", true_rounds(0)[:1], start=NIGHT + timedelta(minutes=2), length_s=120)
    out.audited("UTH-07", "c.mp4", true_rounds(0)[:1], start=NIGHT + timedelta(minutes=4), length_s=120)
    out.entries.append(replace(out.entries[-1], name="d.mp4", run="../../etc", start=NIGHT + timedelta(minutes=6)))
    out.write()
    text_ = (altered / "findings.json").read_text("utf-8")
    (altered / "findings.json").write_text(text_.replace('"verdict": "clean"', '"verdict": "Clean"', 1), "utf-8")
    (gone / "manifest.json").unlink()
    shift = batch_shift(tmp_path)
    assert [take.outcome for take in shift.takes] == ["set aside", "set aside", "audited", "set aside"]
    reasons = [take.reason for take in shift.takes]
    assert "altered since the audit" in reasons[0] and "holds no finished run" in reasons[1]
    assert "no run folder of the batch" in reasons[3]
    assert text.headline(shift).title == "Nothing found; 25.0% of the time could be judged in full"


def test_a_copy_of_an_audited_recording_takes_no_time_of_its_own(tmp_path: Path) -> None:
    out = Night(tmp_path)
    out.audited("UTH-07", "a.mp4", true_rounds(0)[:1], start=None, length_s=120, sha256="ab" * 32)
    out.other("UTH-07", "copy.mp4", State.SET_ASIDE, "the same as a.mp4", expected_s=120.0, sha256="ab" * 32)
    out.write()
    shift = batch_shift(tmp_path)
    assert shift.expected_s == shift.judged_s == 120.0 and not shift.whole


def test_rounds_that_could_not_be_judged_say_why(tmp_path: Path) -> None:
    whole = true_rounds(0)[0]
    rounds = (
        unread_cards(whole),
        with_gap(moved(whole, 2, 100.0)),
        with_gap(moved(whole, 3, 200.0), camera_moved=True),
    )
    out = Night(tmp_path)
    out.audited("UTH-07", "a.mp4", rounds, start=NIGHT, length_s=400)
    shift = batch_shift(out.write())
    assert {(line.kind, line.reason) for line in shift.coverage if line.rounds} == {
        (Kind.INCOMPLETE, "the camera had moved"),
        (Kind.INCOMPLETE, "footage is missing, or the round's beginning or end is not shown"),
        (Kind.QUESTIONED, "a card could not be read"),
    }


def test_the_report_and_the_ledger_tell_the_same_figures(night: Path, shift: Shift) -> None:
    def asked(question: str, *words: str) -> list[Any]:
        told = CliRunner().invoke(app, ["query", str(night), question, "--format", "json", *words])
        rows: list[Any] = json.loads(told.stdout)["rows"]
        return rows

    assert CliRunner().invoke(app, ["ledger", str(night)]).exit_code == 0
    assert [(line.wager, line.rate.judged, line.rate.wrong, line.rate.open) for line in shift.wagers] == [
        (row["wager"], row["judged"], row["wrong"], row["open"]) for row in asked("error-rate")
    ]
    rates = {row["dealer"]: (row["low_rate"], row["high_rate"]) for row in asked("error-rate", "--by", "dealer")}
    for line in (*shift.dealers, *shift.few):
        assert rates[line.dealer] == pytest.approx((line.rate.low, line.rate.high), abs=1e-9)
    judged = {row["table"]: (row["expected_s"], row["judged_s"]) for row in asked("coverage") if row["table"]}
    for table in shift.tables[:3]:
        assert judged[table.table] == pytest.approx((table.expected_s, table.judged_s), abs=0.01)
    pace = {row["table"]: row["rounds_per_hour"] for row in asked("rounds-per-hour")}
    for table in shift.tables[:3]:
        assert pace[table.table] == pytest.approx(table.rounds_per_hour, abs=0.01)


def test_a_night_of_two_hundred_recordings_stays_a_page_that_opens(tmp_path: Path) -> None:
    out = Night(tmp_path)
    folder = out.audited("UTH-00", "0.mp4", repeated(true_rounds(0), 24), start=NIGHT, length_s=3600)
    document = json.loads((folder / "findings.json").read_bytes())
    night = [
        Recording(
            name=f"table{table}-{hour}.mp4", table=f"UTH-{table:02d}", outcome="audited", zone="America/New_York",
            start=NIGHT + timedelta(hours=hour), dealer=f"Dealer {(table + hour) % 30}", expected_s=3600.0,
            read_s=3600.0, folder=f"runs/UTH-{table:02d}/{hour}", document=document,
        )
        for table in range(25)
        for hour in range(8)
    ]  # fmt: skip
    began = time.perf_counter()
    shift = shift_of(night)
    page = shift_page(shift)
    assert time.perf_counter() - began < 30
    assert len(shift.rounds) == 9600 and len(page) < 6_000_000
    assert "4,800 faults" in page and "of less money: in the tables (CSV, XLSX)" in page
