"""The rack sheet shows what lies where, says what was not seen, and infers only what is certain."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sample_round import changed, sample_round, unseen
from typer.testing import CliRunner

from handreplay.cli import app
from handreplay.core.events import CardMoved, CardPlaced, CardTurned, RackCard, Round
from handreplay.core.readings import Known, Unreadable
from handreplay.core.roundlog import write_rounds
from handreplay.errors import LogError, OutputError
from handreplay.report import rack
from handreplay.store import Provenance, write_run


def text_of(round_: Round) -> str:
    console = Console(width=100, no_color=True)
    with console.capture() as capture:
        console.print(rack.rack_text(rack.rack_sheet(round_)))
    return capture.get()


def test_the_rack_reads_from_its_top_card_down_with_the_stub_where_it_went_in() -> None:
    rows = rack.rack_sheet(sample_round()).rows
    assert [row.identity or row.hand for row in rows] == [
        "Kh", "Qh", "Js", "7h", "2d", "4c", "4d", "Jd", "Qs", "stub", "burn",
    ]  # fmt: skip
    assert rows[9].note == "42 cards if the deck was whole"


def test_a_card_that_showed_its_face_earlier_keeps_it_in_the_rack() -> None:
    round_ = dataclasses.replace(sample_round(), rack=(RackCard("c06", unseen("not read"), "community"),))
    row = rack.rack_sheet(round_).rows[0]
    assert (row.identity, row.how) == ("4d", "seen earlier")


def doubtful(candidates: tuple[tuple[str, float], ...], other: float) -> Round:
    """c06 read as one of `candidates`, the Jack of spades as sure as `other`."""

    def edit(event: Any) -> Any:
        if isinstance(event, CardPlaced) and event.card == "c06":
            return changed(event, identity=Unreadable("glare", candidates))
        if isinstance(event, CardPlaced) and event.card == "c10":
            return changed(event, identity=Known("Js", other))
        return event

    round_ = sample_round()
    rest = tuple(card for card in round_.rack if card.card != "c06")
    top = RackCard("c06", Unreadable("glare", candidates), "community")
    return dataclasses.replace(round_, events=tuple(edit(e) for e in round_.events), rack=(*rest, top))


@pytest.mark.parametrize(
    ("candidates", "other", "expected"),
    [
        ((("Js", 0.6), ("Jc", 0.4)), 1.0, ("Jc", "by elimination")),
        ((("Js", 0.6), ("Jc", 0.4)), 0.97, (None, "not seen")),  # the other jack is not certain
        ((("Js", 0.6), ("Jc", 0.3)), 1.0, (None, "not seen")),  # it may be a third card
        ((("Jh", 0.6), ("Jc", 0.4)), 1.0, (None, "not seen")),  # two are left
    ],
)
def test_a_card_is_inferred_only_when_no_other_is_left(candidates: Any, other: float, expected: Any) -> None:
    row = rack.rack_sheet(doubtful(candidates, other)).rows[0]
    assert (row.identity, row.how) == expected


def test_a_dealt_card_that_never_reached_the_rack_is_named() -> None:
    round_ = dataclasses.replace(sample_round(), rack=sample_round().rack[:-1])
    absent = rack.rack_sheet(round_).absent
    assert [(row.identity, row.hand) for row in absent] == [("Kh", "dealer")]
    assert "not seen to reach the rack" in text_of(round_)
    assert "K of hearts" in text_of(round_)


def test_an_empty_rack_says_so() -> None:
    empty = dataclasses.replace(sample_round(), rack=())
    assert "No card was seen to reach the rack." in text_of(empty)
    assert "No card was seen to reach the rack." in rack.rack_page(rack.rack_sheet(empty))


def test_the_text_fits_a_console_without_unicode() -> None:
    assert text_of(sample_round()).isascii()


def test_the_page_shows_every_card_and_escapes_names() -> None:
    round_ = dataclasses.replace(sample_round(), source={"file": "<script>x</script>.mp4"})
    page = rack.rack_page(rack.rack_sheet(round_))
    assert page.count('class="tick"') == 11
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_round_numbers_are_told_in_spans() -> None:
    assert rack.spans([3, 1, 2, 7, 9, 10]) == "1-3, 7, 9-10"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    log = tmp_path / "log.jsonl"
    write_rounds(log, [sample_round()])
    provenance = Provenance(
        version="0", source_file="a.mp4", source_sha256="", profile_file="t.toml", profile_sha256=""
    )
    write_run(tmp_path / "run", {"rounds.jsonl": log.read_bytes()}, provenance)
    return tmp_path / "run"


def test_the_command_prints_text_page_or_json(run: Path) -> None:
    outputs = {
        name: CliRunner().invoke(app, ["rack", str(run), "--round", "2", "--format", name]).stdout
        for name in ("text", "html", "json")
    }
    assert "K of hearts" in outputs["text"]
    assert outputs["html"].startswith("<!doctype html>")
    sheet = json.loads(outputs["json"])
    assert (sheet["schema"], sheet["rows"][0]["identity"]) == ("handreplay.rack/1", "Kh")


@pytest.mark.parametrize(
    ("place", "number", "message"),
    [
        ("run", "5", "no round 5; rounds there: 2"),
        ("nowhere", "2", "no such run folder"),
        (".", "2", "no finished audit"),
    ],
)
def test_what_is_not_there_is_named_in_one_line(run: Path, place: str, number: str, message: str) -> None:
    result = CliRunner().invoke(app, ["rack", str(run.parent / place), "--round", number])
    assert isinstance(result.exception, LogError)
    assert message in str(result.exception) and "\n" not in str(result.exception)


def test_a_console_without_the_letters_of_a_name_gets_question_marks(tmp_path: Path) -> None:
    write_rounds(tmp_path / "log.jsonl", [dataclasses.replace(sample_round(), table="Стол 7")])
    done = subprocess.run(
        [sys.executable, "-m", "handreplay.cli", "rack", str(tmp_path / "log.jsonl"), "--round", "2"],
        env={**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Discard rack of table ???? 7, round 2")


def test_a_run_that_was_altered_is_refused(run: Path) -> None:
    (run / "rounds.jsonl").write_bytes((run / "rounds.jsonl").read_bytes().replace(b"Kh", b"Ah"))
    with pytest.raises(OutputError, match="altered"):
        rack.load_rounds(run)


def test_a_card_glimpsed_and_turned_back_is_not_forgotten() -> None:
    round_ = sample_round()
    down = CardTurned(t=30.5, card="c02", face="down", identity=unseen())
    events = tuple(sorted((*round_.events, down), key=lambda event: event.t))
    sheet = rack.rack_sheet(dataclasses.replace(round_, events=events, rack=(RackCard("c02", unseen(), "dealer"),)))
    assert (sheet.rows[0].identity, sheet.rows[0].how) == ("Qh", "seen earlier")


def test_the_rack_as_it_lay_holds_what_had_reached_it_by_then() -> None:
    round_ = sample_round()
    arrivals = {event.card: event.t for event in round_.events if isinstance(event, CardMoved) and event.to == "rack"}
    for moment in (round_.start, *sorted(arrivals.values()), round_.end):
        sheet = rack.rack_sheet(round_, moment)
        there = {row.card for row in sheet.rows if row.card in arrivals}
        assert there == {card for card, t in arrivals.items() if t <= moment}
        assert not there & {row.card for row in sheet.absent}
    assert rack.rack_sheet(round_, round_.end).rows == rack.rack_sheet(round_).rows


def test_cards_that_still_lie_on_the_table_are_not_said_to_be_missing() -> None:
    round_ = sample_round()
    first = min(event.t for event in round_.events if isinstance(event, CardMoved))
    sheet = rack.rack_sheet(round_, first - 0.5)
    assert sheet.absent and not sheet.whole
    assert "not in the rack then" in rack.rack_page(sheet) and "not seen to reach" not in rack.rack_page(sheet)
    assert rack.rack_sheet(round_, round_.start).absent == ()


def test_the_round_of_a_moment_is_the_last_that_had_begun() -> None:
    early, late = (dataclasses.replace(sample_round(), start=t, end=t + 40) for t in (5.0, 60.0))
    place = Path("run")
    assert [rack.round_at([early, late], t, place) for t in (5.0, 59.9, 60.0, 100.0)] == [early, early, late, late]
    clocked = dataclasses.replace(early, clock_start="2026-11-30T01:10:05-05:00")
    with pytest.raises(LogError, match=r"the table's clock showed that time at 0:00:30.000"):
        rack.round_at([clocked], 3600 + 10 * 60 + 30, place)
    with pytest.raises(LogError, match=rf"ended at 0:01:40.000, before 1:00:00.000; .* --round {late.number}"):
        rack.round_at([early, late], 3600.0, place)
    with pytest.raises(LogError, match=r"no round had begun at 0:00:04.000; the first begins at 0:00:05.000"):
        rack.round_at([early, late], 4.0, place)


def test_the_command_wants_a_round_or_a_moment(run: Path) -> None:
    moment = f"{rack.load_rounds(run)[-1].end:.3f}"
    both = [["rack", str(run), *more] for more in (["--round", "2"], ["--at", moment])]
    told = [CliRunner().invoke(app, command).stdout for command in both]
    assert told[0] and told[0].splitlines()[2:] == told[1].splitlines()[2:]
    for wrong in ([], ["--round", "2", "--at", "41"]):
        done = subprocess.run(
            [sys.executable, "-m", "handreplay.cli", "rack", str(run), *wrong],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2 and "--at 01:12:31" in done.stderr
