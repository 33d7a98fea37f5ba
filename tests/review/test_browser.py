"""The review page in a real browser: open, jump, correct, see the finding change, decide, hand over, verify.

Needs Debian's chromium and Playwright's Python package; without them these tests are skipped, and the summary says so.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from handreplay.review.desk import Desk
from handreplay.review.verify import verify
from tests.review.over_the_border import border_run
from tests.review.test_desk import PAID, paid_blind

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright's Python package is not installed here")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt-get install chromium")
TIME = "document.getElementById('video').currentTime"
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def site(made_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[Path]]]:
    """One server over a run for each test that enters something: its address with the token, and the folders."""
    folder = tmp_path_factory.mktemp("site")
    runs = [Path(shutil.copytree(made_run, folder / str(number))) for number in range(4)]
    with served(runs) as address:
        yield address, runs


@contextmanager
def served(runs: list[Path]) -> Iterator[str]:
    call = [sys.executable, "-m", "handreplay.cli", "review", *map(str, runs), "--no-browser"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", server.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            server.terminate()


@pytest.fixture
def page(browser: Any, site: tuple[str, list[Path]]) -> Iterator[Any]:
    with visited(browser, site[0]) as opened:
        yield opened


@contextmanager
def visited(browser: Any, address: str) -> Iterator[Any]:
    """The list as Ann sees it; nothing may go wrong on the pages, and nothing be asked of other machines."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, base_url=address.split("/?")[0])
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    opened.on("request", lambda asked: wrong.append(asked.url) if _elsewhere(asked.url, address) else None)
    opened.goto(address)
    opened.fill("input[name=name]", "Ann")
    opened.click("button[type=submit]")
    opened.wait_for_selector("#findings")
    opened.wait_for_load_state()  # keys work once the script is there
    yield opened
    context.close()
    assert wrong == []


def _elsewhere(url: str, address: str) -> bool:
    return not url.startswith((address.split("/?")[0], "data:", "blob:"))


def until(page: Any, expression: str, seconds: float = 20) -> None:
    """Wait for a condition on the page, whose policy forbids Playwright's own way of waiting."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never came true: {expression}"
        time.sleep(0.02)


def open_round(page: Any, run: int) -> None:
    page.goto(f"/run/{run}/round/1")
    page.wait_for_selector("#felt path")
    until(page, f"{TIME} !== null && document.getElementById('video').readyState >= 2")


def test_from_the_list_to_a_corrected_round_by_keys_and_two_clicks(page: Any, site: tuple[str, list[Path]]) -> None:
    run = site[1][0]
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#felt path")
    until(page, f"Math.abs({TIME} - 35.97) < 0.2")
    assert page.locator(f'[data-finding="{PAID}"]').count() == 1
    name = paid_blind(Desk(run))
    page.click(f'#events li[data-event="{name}"] [data-fix=amount]')
    page.fill('#amount-dialog input[data-chip="100"]', "1")
    page.click("#amount-dialog [data-take]")
    page.wait_for_selector("text=no longer holds")
    assert page.locator(f'[data-finding="{PAID}"]').count() == 0
    page.keyboard.press("u")
    page.wait_for_selector(f'[data-finding="{PAID}"]')
    assert [(entry.body or {})["kind"] for entry in Desk(run).log.entries()] == ["opened", "correction", "correction"]


def test_a_card_is_corrected_in_two_clicks(page: Any, site: tuple[str, list[Path]]) -> None:
    run = site[1][1]
    open_round(page, 1)
    page.click("#events li[data-kind=CardTurned] [data-fix=card] >> nth=0")
    page.click('#card-grid [data-identity="2c"]')
    page.wait_for_selector("#notice:not([hidden])")
    assert "2♣" in page.inner_text("#events")
    (round_,) = Desk(run).state().rounds
    assert "2c" in {getattr(getattr(event, "identity", None), "value", None) for event in round_.events}


def test_stepping_moves_the_felt_and_the_picture_together(page: Any) -> None:
    open_round(page, 2)
    page.click("#events li[data-step='1'] .when")
    first = page.evaluate(TIME)
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    until(page, f"{TIME} > {first} + 1")
    assert page.inner_text("#felt-words").startswith("7 of")
    assert page.locator("#events li.at").get_attribute("data-step") == "7"
    before = page.evaluate(TIME)
    page.keyboard.press("ArrowRight")
    until(page, f"{TIME} > {before}")
    after = page.evaluate(TIME)
    page.keyboard.press("ArrowRight")
    until(page, f"Math.abs({TIME} - {after} - 1/15) < 0.002")
    page.keyboard.press("ArrowLeft")
    until(page, f"Math.abs({TIME} - {after}) < 0.002")
    assert page.locator("#outlines polygon").count() >= 30


def test_beyond_the_recordings_end_the_page_says_where_to_look_and_shows_no_other_picture(
    browser: Any, tmp_path: Path
) -> None:
    with served([border_run(tmp_path)]) as address, visited(browser, address) as page:
        open_round(page, 0)
        page.click("#events li[data-step='1'] .when")
        until(page, "document.querySelectorAll('#outlines polygon').length > 20")
        assert page.locator("#elsewhere").is_hidden() and page.locator("#video").is_visible()
        page.click(f'[data-finding="{PAID}"] [data-jump]')
        page.wait_for_selector("#elsewhere:not([hidden])")
        assert page.inner_text("#elsewhere") == "This moment is in a2.mp4 at 0:00:07.897."
        assert page.inner_text("#now").endswith("a2.mp4 0:00:07.897")
        assert page.locator("#outlines polygon").count() == 0 and page.locator("#video").is_hidden()
        page.click("#play")
        page.wait_for_selector("#notice:not([hidden])")
        assert page.evaluate("document.getElementById('video').paused")
        page.click("#events li[data-step='1'] .when")
        page.wait_for_selector("#elsewhere", state="hidden")
        assert page.locator("#video").is_visible()


def test_decide_report_hand_over_and_verify(page: Any, site: tuple[str, list[Path]], tmp_path: Path) -> None:
    run = site[1][3]
    open_round(page, 3)
    page.fill(f'[data-finding="{PAID}"] [data-remark]', "<b>paid</b> a push")
    page.keyboard.press("Escape")
    page.click(f'[data-finding="{PAID}"] .message')
    page.keyboard.press("c")
    page.wait_for_selector("text=confirmed by Ann")
    assert page.locator(".fcard b, #history b").count() == 0
    page.click("text=Report and evidence")
    page.fill("input[name=property]", "Keystone")
    page.click("text=Keep the report")
    page.wait_for_selector("text=Last entered")
    with page.expect_download() as download:
        page.click("text=Make the evidence file")
    download.value.save_as(tmp_path / "case.zip")
    assert verify(tmp_path / "case.zip").whole and verify(run).whole
    assert Desk(run).state().decisions[PAID].remark == "<b>paid</b> a push"


@pytest.mark.parametrize("size", [(1920, 1080), (1366, 768), (820, 1180)])
def test_nothing_hangs_over_the_edge_of_any_screen(page: Any, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for path in ("/", "/run/0/round/1", "/run/0/round/1/report", "/run/0/log", "/run/0/agreement"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, path
