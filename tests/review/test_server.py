"""The pages answer to who has the token, and to nobody else; what was typed is shown and never run."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from handreplay.report.page_parts import Coverage
from handreplay.report.run_files import make_run_files
from handreplay.review.desk import Desk, Reviewer
from handreplay.review.guard import MAX_BODY_BYTES, Sessions
from handreplay.review.server import make_app
from handreplay.rules import audit_rounds
from handreplay.store import write_run
from tests.review.conftest import CLIP
from tests.review.test_desk import PAID, paid_blind, several

PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"
TOKEN = "a-token"
ROUND = "/run/0/round/1"
SCRIPT = "<script>alert(1)</script>"


def client_of(*desks: Desk, reviewer: Reviewer | None = None, recording: Path | None = None) -> TestClient:
    app = make_app(desks, Sessions(TOKEN, PORT, reviewer), recording)
    return TestClient(app, base_url=OWN, headers={"origin": OWN})


@pytest.fixture
def stranger(desk: Desk) -> TestClient:
    return client_of(desk, reviewer=Reviewer("Ann"))


@pytest.fixture
def client(stranger: TestClient) -> Iterator[TestClient]:
    assert stranger.get("/", params={"token": TOKEN}).status_code == 200
    yield stranger


def entries(desk: Desk) -> list[dict[str, Any]]:
    return [dict(entry.body or {}) for entry in desk.log.entries()]


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(
    stranger: TestClient,
) -> None:
    answer = stranger.get("/", params={"token": TOKEN, "by": "time"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/?by=time")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and TOKEN not in cookie
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("path", ["/", ROUND, f"{ROUND}/data", "/run/0/recording", "/static/review.js", "/nowhere"])
def test_nothing_is_shown_without_the_token(stranger: TestClient, path: str) -> None:
    for address in (path, f"{path}?token=wrong", f"{path}?token="):
        answer = stranger.get(address)
        assert answer.status_code == 403 and "UTH" not in answer.text
    stranger.cookies.set(f"handreplay_{PORT}", "guessed")
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT}.evil.example"]
)
def test_another_name_pointed_at_this_server_gets_nothing(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": f"http://localhost:{PORT}"},
        {"sec-fetch-site": "cross-site"},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
    ],
)
def test_entries_from_other_sites_pages_are_refused(client: TestClient, desk: Desk, headers: dict[str, str]) -> None:
    body = json.dumps({"finding": PAID, "choice": "reject"})
    answer = client.post(f"{ROUND}/decide", content=body, headers={"content-type": "application/json", **headers})
    assert answer.status_code in (403, 415) and entries(desk) == []


def test_an_entry_without_an_origin_is_refused(desk: Desk) -> None:
    bare = TestClient(make_app([desk], Sessions(TOKEN, PORT, Reviewer("Ann"))), base_url=OWN)
    bare.get("/", params={"token": TOKEN})
    assert bare.post(f"{ROUND}/decide", json={"finding": PAID, "choice": "reject"}).status_code == 403


def test_huge_and_broken_entries_are_refused(client: TestClient, desk: Desk) -> None:
    kind = {"content-type": "application/json"}
    huge = b'{"remark": "' + b"x" * MAX_BODY_BYTES + b'"}'
    assert client.post(f"{ROUND}/decide", content=huge, headers=kind).status_code == 413
    assert client.post(f"{ROUND}/decide", content=iter([huge]), headers=kind).status_code == 413  # no length told
    for broken in (b"{", b"[]", b"[" * 50_000, b'{"remark": "\\ud800"}', b'{"a": NaN}', b"\xff"):
        assert client.post(f"{ROUND}/decide", content=broken, headers=kind).status_code == 400
    assert entries(desk) == []


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2f..%2fstore.py",
        "/run/0/picture/..%2fmanifest.json",
        "/run/0/picture/%2e%2e%2frounds.jsonl",
        "/run/0/picture/manifest.json",
        "/run/0/download/..%2f..%2fetc%2fpasswd",
        "/run/0/download/rounds.jsonl",
        "/run/1/log",
        "/run/-1/log",
        "/run/99999999999999999999/log",
        "/run/0/round/2",
        "/run/0/round/" + "9" * 5000,
        "/made/0/case-round-1.zip",
        "/run/0/round/1/report.exe",
    ],
)
def test_no_path_leads_outside_the_run(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404 and "root:" not in answer.text


def test_methods_other_than_the_two_are_refused(client: TestClient) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert client.request(method, "/").status_code == 405


def test_a_page_that_names_nobody_asks_who_is_there(desk: Desk) -> None:
    client = client_of(desk)
    assert "Who is reviewing?" in client.get("/", params={"token": TOKEN}).text
    assert client.post(f"{ROUND}/decide", json={"finding": PAID, "choice": "open"}).status_code == 403
    assert client.post("/who", json={"name": "  "}).status_code == 422
    assert client.post("/who", json={"name": "Ann"}).status_code == 200
    assert "Rounds" in client.get("/").text


@pytest.mark.parametrize("path", ["/", "/who", ROUND, f"{ROUND}/panels", f"{ROUND}/report", "/run/0/log", "/run/9/log"])
def test_pages_forbid_scripts_and_styles_that_are_not_files_of_ours(client: TestClient, path: str) -> None:
    answer = client.get(path)
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy and "default-src 'none'" in policy
    assert "<script>" not in answer.text and "style=" not in answer.text and "onclick" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_scripts_in_names_and_remarks_are_shown_as_text(run: Path, desk: Desk) -> None:
    client = client_of(desk, reviewer=Reviewer(SCRIPT))
    client.get("/", params={"token": TOKEN})
    sent = {"finding": PAID, "choice": "confirm", "fault": "dealer", "remark": f"{SCRIPT}'\"&"}
    assert client.post(f"{ROUND}/decide", json=sent).status_code == 200
    fields = {"property": SCRIPT, "action": SCRIPT, "number": SCRIPT}
    assert client.post(f"{ROUND}/report", json=fields).status_code == 200
    for path in ("/", "/who", ROUND, "/run/0/log", f"{ROUND}/report", f"{ROUND}/report.html"):
        text = client.get(path).text
        assert SCRIPT not in text and "&lt;script&gt;" in text, path


def test_a_recordings_name_is_shown_as_text(run: Path, tmp_path: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    desk = Desk(run)
    desk.run.manifest["source"]["file"] = f"{SCRIPT}.mp4"  # type: ignore[index]
    client = client_of(desk, reviewer=Reviewer("Ann"))
    text = client.get("/", params={"token": TOKEN}).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;.mp4" in text and SCRIPT not in text
    assert manifest["source"]["file"] == "uth-sample.mp4"


def test_correcting_replays_the_round_at_once(client: TestClient, desk: Desk) -> None:
    assert PAID in client.get(f"{ROUND}/panels").text
    fixed = {"correction": {"op": "amount", "event": paid_blind(desk), "after": {"100": 1}}}
    assert client.post(f"{ROUND}/correct", json=fixed).json() == {"entry": 2}
    panels = client.get(f"{ROUND}/panels").text
    assert f'data-finding="{PAID}"' not in panels and "no longer holds" in panels
    wrong = client.post(f"{ROUND}/correct", json={"correction": {**fixed["correction"], "after": {"7": 1}}})
    assert wrong.status_code == 422 and "no '7' chip" in wrong.json()["error"]


def test_the_data_of_a_round_tells_steps_outlines_and_picture_times(client: TestClient, desk: Desk) -> None:
    data = client.get(f"{ROUND}/data").json()
    assert (data["playback"], data["check"], data["outlines"]["size"]) == ("direct", "the same", [1920, 1080])
    assert len(data["steps"]) == len(desk.lines[1]["events"]) + 1
    assert data["steps"][0]["cards"] == [] and data["steps"][-1]["rack"] > 0
    assert len(data["times"]) > 700 and data["times"] == sorted(data["times"])
    seen = max(data["steps"], key=lambda step: len(step["cards"]))
    assert {card["kind"] for card in seen["cards"]} <= {"face", "back"} and len(seen["cards"]) >= 11


def test_the_recording_is_served_in_parts_so_that_a_jump_is_quick(client: TestClient) -> None:
    part = client.get("/run/0/recording", headers={"range": "bytes=1000-1999"})
    assert (part.status_code, len(part.content)) == (206, 1000)
    assert part.content == CLIP.read_bytes()[1000:2000]


def test_another_recording_of_the_same_name_is_not_shown(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "uth-sample.mp4"
    other.write_bytes(CLIP.read_bytes()[:-1] + b"x")
    client = client_of(Desk(run), reviewer=Reviewer("Ann"), recording=other)
    page = client.get("/", params={"token": TOKEN}).text
    assert "is not the recording that was audited" in page
    assert client.get("/run/0/recording").status_code == 404
    assert client.get(ROUND).status_code == 200


def test_a_blind_reviewer_gets_no_page_that_shows_what_others_entered(desk: Desk) -> None:
    desk.decide(Reviewer("Ann"), PAID, {"choice": "reject", "remark": "told nobody"})
    client = client_of(desk, reviewer=Reviewer("Bob", blind=True))
    client.get("/", params={"token": TOKEN})
    for path in ("/", ROUND, f"{ROUND}/panels", "/run/0/log", "/run/0/download/findings.json"):
        answer = client.get(path)
        assert answer.status_code == 200 and "told nobody" not in answer.text and "Ann" not in answer.text
    for path in ("/run/0/agreement", f"{ROUND}/report", f"{ROUND}/report.json"):
        assert client.get(path).status_code == 409
    assert client.post(f"{ROUND}/case", json={}).status_code == 422


def test_a_tampered_log_stops_the_page_with_one_line(client: TestClient, desk: Desk) -> None:
    client.post(f"{ROUND}/decide", json={"finding": PAID, "choice": "confirm"})
    content = desk.log.path.read_bytes()
    desk.log.path.write_bytes(content.replace(b"confirm", b"reject.", 1))
    page = client.get(ROUND)
    assert page.status_code == 409 and "was altered" in page.text and "Traceback" not in page.text
    again = client.post(f"{ROUND}/decide", json={"finding": PAID, "choice": "open"})
    assert again.status_code == 422 and "was altered" in again.json()["error"]


def test_the_evidence_file_is_made_and_handed_out_once_by_its_own_address(client: TestClient, desk: Desk) -> None:
    told = client.post(f"{ROUND}/case", json={}).json()
    assert client.get(told["href"]).content[:2] == b"PK"
    assert entries(desk)[-1]["kind"] == "copy"


def test_several_runs_are_listed_together_and_kept_apart(run: Path, tmp_path: Path) -> None:
    second = Path(shutil.copytree(run, tmp_path / "second"))
    one, two = Desk(run), Desk(second)
    client = client_of(one, two, reviewer=Reviewer("Ann"))
    assert client.get("/", params={"token": TOKEN}).text.count("PY02") >= 2
    client.post("/run/1/round/1/decide", json={"finding": PAID, "choice": "confirm"})
    assert one.log.entries() == () and len(two.log.entries()) == 2


def test_what_browsers_cannot_play_comes_as_a_proxy_copy_that_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handreplay.cutting.plays_in_browsers", lambda path: False)
    monkeypatch.setattr("handreplay.review.playback.Playback.span", lambda self, number: (4.0, 4.4))
    client = client_of(desk, reviewer=Reviewer("Ann"))
    client.get("/", params={"token": TOKEN})
    assert "Proxy copy" in client.get(ROUND).text and client.get(f"{ROUND}/data").json()["playback"] == "proxy"
    assert client.get("/run/0/recording").status_code == 404
    started = client.get(f"{ROUND}/proxy-start").json()
    assert started["starts_at"] == pytest.approx(4.0, abs=0.07) and "proxy copy" in started["remark"]
    part = client.get(f"{ROUND}/proxy", headers={"range": "bytes=0-99"})
    assert (part.status_code, part.headers["content-type"]) == (206, "video/mp4")


def test_a_run_of_500_rounds_is_listed_and_corrected_in_under_a_second(desk: Desk, tmp_path: Path) -> None:
    """In the time of this process, so that a busy machine does not count."""
    rounds = several(500)
    audit = audit_rounds(rounds, desk.table)
    provenance = dataclasses.replace(desk.provenance, source_file="long.mp4")
    _, files = make_run_files(audit, rounds, desk.profile, provenance=provenance, coverage=Coverage())
    write_run(tmp_path / "long", files, provenance)
    long = Desk(tmp_path / "long")
    client = client_of(long, reviewer=Reviewer("Ann"))
    client.get("/", params={"token": TOKEN})
    fixed = {"correction": {"op": "amount", "event": paid_blind(desk), "after": {"100": 1}}}
    spent = []
    for ask in (
        lambda: client.get("/"),
        lambda: client.get("/run/0/round/250"),
        lambda: client.post("/run/0/round/250/correct", json=fixed),
        lambda: client.get("/run/0/round/250/panels"),
    ):
        begun = time.process_time()
        assert ask().status_code == 200
        spent.append(time.process_time() - begun)
    assert max(spent) < 1.0, spent


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_in_the_temporary_folder_when_the_server_ends(
    run: Path, tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    call = [sys.executable, "-m", "handreplay.cli", "review", str(run), "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None and server.stderr is not None
        assert "http://127.0.0.1:" in server.stdout.readline()
        assert [entry.name.startswith("handreplay-review-") for entry in folder.iterdir()] == [True]
        server.stdout.readline()
        time.sleep(0.5)
        server.send_signal(number)
        assert server.stderr.read() == ""
    assert list(folder.iterdir()) == []
