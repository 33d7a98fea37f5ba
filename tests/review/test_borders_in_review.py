"""A round that runs on into the next recording is shown, told and handed over as what it is."""

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from rich.console import Console
from starlette.testclient import TestClient

from handreplay.footage import sha256_of
from handreplay.report.page_parts import finding_parts
from handreplay.report.rack import rack_page, rack_sheet, rack_text
from handreplay.report.summary_text import summary_text
from handreplay.review.commands import make_case
from handreplay.review.desk import Desk
from handreplay.review.dispute import dispute
from handreplay.review.guard import Sessions
from handreplay.review.server import make_app
from handreplay.review.tables import table
from handreplay.review.verify import verify
from handreplay.review.views import as_corrected, event_lines
from tests.review.conftest import ANN
from tests.review.over_the_border import FIRST, SECOND, border_run
from tests.review.test_desk import event

TOP = "case-UTH-12-r0001"


@pytest.fixture(scope="module")
def made_border(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return border_run(tmp_path_factory.mktemp("border"))


@pytest.fixture
def border(made_border: Path, tmp_path: Path) -> Path:
    """A run whose recordings lie beside it, to be moved or taken away."""
    shutil.copytree(made_border, tmp_path / "run")
    for name in (FIRST, SECOND):
        shutil.copy(made_border.parent / name, tmp_path / name)
    return tmp_path / "run"


def case_of(border: Path) -> tuple[list[str], dict, str, set[str]]:
    """What is printed, case.json, README.txt and the names of the files."""
    out = border.parent / "case.zip"
    footage = border.parent / FIRST
    lines = make_case(border, 1, out, by="Ann", footage=footage, table=None, sign_key=None)
    with zipfile.ZipFile(out) as case:
        names = {name.removeprefix(f"{TOP}/") for name in case.namelist()}
        about = json.loads(case.read(f"{TOP}/case.json"))
        return lines, about, case.read(f"{TOP}/README.txt").decode(), names


def test_evidence_holds_a_clip_from_each_recording_of_the_round(border: Path) -> None:
    lines, about, readme, names = case_of(border)
    assert {"clip.mp4", "clip-2.mp4"} <= names
    [follows] = about["continues"]
    assert (follows["file"], follows["sha256"]) == (SECOND, sha256_of(border.parent / SECOND))
    assert follows["clip"]["file"] == "clip-2.mp4" and follows["clip"]["starts_at_s"] == 0.0
    assert about["clip"]["ends_at_s"] < follows["from_s"] <= about["clip"]["ends_at_s"] + 0.1
    told = "The round goes on in a2.mp4, which begins at 0:00:"
    assert any(line.startswith(told) and line.endswith("that part is clip-2.mp4.") for line in lines)
    assert told in readme and "Its first picture is at 0.000 s of a2.mp4." in readme
    for name in (FIRST, SECOND):
        verdict = verify(border.parent / "case.zip", recording=border.parent / name)
        assert verdict.whole and any("bit for bit" in line for line in verdict.checked)
    assert not any("is not in this case" in remark for remark in verdict.remarks)


@pytest.mark.parametrize(
    ("harm", "why"),
    [(Path.unlink, "was not found beside the recording"), (lambda path: path.write_bytes(b"other"), "does not fit")],
)
def test_evidence_says_which_part_of_the_round_it_lacks(border: Path, harm, why: str) -> None:
    harm(border.parent / SECOND)
    lines, about, readme, names = case_of(border)
    assert "clip-2.mp4" not in names and about["continues"][0]["clip"]["file"] is None
    for told in ("\n".join(lines), readme):
        assert "The round goes on in a2.mp4" in told and "that part is not in this case" in told and why in told
    verdict = verify(border.parent / "case.zip")
    assert verdict.whole and any("goes on in a2.mp4" in remark for remark in verdict.remarks)


def test_pictures_of_later_moments_come_from_the_clip_that_shows_them(border: Path) -> None:
    desk = Desk(border)
    desk.correct(
        ANN, 1, {"op": "amount", "event": event(desk, 1, zone="seat5.play", after={"100": 8}), "after": {"100": 6}}
    )
    [found] = [finding for finding in desk.state().document["findings"] if not finding["evidence"]]
    assert found["t"] > desk.lines[1]["source"]["continues"][0]["from_s"]
    told = {name for name in case_of(border)[3] if name.startswith("pictures/corrected_")}
    assert f"pictures/corrected_r0001_{found['code']}_1.jpg" in told
    (border.parent / "case.zip").unlink()
    (border.parent / SECOND).unlink()
    assert len([name for name in case_of(border)[3] if name.startswith("pictures/corrected_")]) < len(told)


def test_the_page_is_told_from_when_on_another_recording_shows_the_round(border: Path) -> None:
    desk = Desk(border)
    client = visitor(desk, border.parent / FIRST)
    told = client.get("/run/0/round/1/data").json()
    [follows] = desk.lines[1]["source"]["continues"]
    assert told["elsewhere"] == [{"file": SECOND, "from_s": follows["from_s"]}]


def visitor(desk: Desk, recording: Path) -> TestClient:
    app = make_app([desk], Sessions(token="t", port=1, default=ANN), recording)
    client = TestClient(app, base_url="http://127.0.0.1:1", headers={"origin": "http://127.0.0.1:1"})
    client.get("/?token=t")
    return client


def test_evidence_made_on_the_page_says_what_it_lacks(border: Path) -> None:
    (border.parent / SECOND).unlink()
    told = visitor(Desk(border), border.parent / FIRST).post("/run/0/round/1/case", json={}).json()
    [remark] = told["remarks"]
    assert "The round goes on in a2.mp4" in remark and "that part is not in this case" in remark


def test_every_report_names_the_recording_that_shows_a_later_moment(border: Path) -> None:
    desk = Desk(border)
    state = desk.state()
    [part] = finding_parts(desk.report(state))
    assert part.watch.position == "a2.mp4 0:00:07.897"
    page = (border / "report.html").read_text()
    assert "a2.mp4 0:00:07.897</span>" in page and "0:00:35.897" not in page
    assert "a2.mp4 0:00:07.897" in console_text(summary_text(desk.report(state)))
    [row] = [line for line in table(desk, state, "findings.csv").decode("utf-8-sig").splitlines() if "PY02" in line]
    assert ",a2.mp4 0:00:07.897," in row
    [round_] = desk.machine_rounds
    sheet = rack_sheet(round_)
    assert (sheet.source, sheet.position) == (SECOND, "0:00:26.363")
    assert "0:00:26.363 into a2.mp4" in console_text(rack_text(sheet)) and "0:00:26.363 in a2.mp4" in rack_page(sheet)
    report = dispute(desk, 1)
    assert report["incident"]["position"] == ["0:00:02.063", "a2.mp4 0:00:26.363"]
    assert report["findings"][0]["position"] == "a2.mp4 0:00:07.897"
    [event_line] = [e for e in event_lines(desk, as_corrected(desk, state, 1)) if e.t == 35.897]
    assert event_line.position == "a2.mp4 0:00:07.897"


def console_text(renderable: object) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(renderable, soft_wrap=True)
    return console.export_text()
