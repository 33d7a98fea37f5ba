"""What takes the run folders of single audits takes a batch as well, or says what to name in its place."""

import dataclasses
from pathlib import Path

import night
import pytest
from typer.testing import CliRunner

from handreplay.batch.record import read_record, write_record
from handreplay.batch.run_folders import runs_to_open
from handreplay.cli import app
from handreplay.errors import HandreplayError, LogError, OutputError
from handreplay.report.rack import load_rounds
from handreplay.review.desk import Desk, Reviewer
from handreplay.review.dispute import keep
from handreplay.review.serve import open_desks
from handreplay.review.server import views
from handreplay.review.tables import table
from handreplay.store import read_run


def with_an_idle_hour(out: Path) -> Path:
    """The batch has a run more, in which nobody played; returns its folder."""
    record = read_record(out)
    idle = night.recording(out, "UTH-12/idle.mp4", [], start=None)
    write_record(out, dataclasses.replace(record, entries=(*record.entries, idle)))
    return out / str(idle.run)


def test_the_runs_of_a_batch_open_together_idle_hours_among_them(out: Path) -> None:
    idle = with_an_idle_hour(out)
    desks = open_desks(runs_to_open([out]), table=None, recording=None)
    assert [desk.name for desk in desks] == ["UTH-05/quiet.mp4", "UTH-12/one.mp4", "UTH-12/two.mp4", "UTH-12/idle.mp4"]
    assert [len(desk.round_numbers()) for desk in desks] == [2, 4, 2, 0]
    desk = Desk(idle)
    assert views.round_lines(desk, desk.state()) == () and b"code" in table(desk, desk.state(), "findings.csv")
    assert runs_to_open([idle, out])[0] == idle and len(runs_to_open([idle, out])) == 4


def test_a_run_that_cannot_be_opened_is_named(out: Path) -> None:
    [first, *_] = runs_to_open([out])
    (first / "review.jsonl").write_text("no entry\n")
    with pytest.raises(HandreplayError, match=first.name):
        open_desks(runs_to_open([out]), table=None, recording=None)


def test_verify_checks_every_run_of_a_batch(out: Path) -> None:
    whole = CliRunner().invoke(app, ["verify", str(out)])
    assert whole.exit_code == 0 and "3 runs whole: nothing was changed." in whole.output
    assert "nothing is said of 1 of its recordings" in whole.output
    with (runs_to_open([out])[1] / "findings.json").open("ab") as stream:
        stream.write(b" ")
    altered = CliRunner().invoke(app, ["verify", str(out)])
    assert altered.exit_code == 1 and "1 of 3 runs NOT as written" in altered.output
    keep(desk := Desk(runs_to_open([out])[2]), Reviewer("Ann"), 5, {"summary": "x"})
    (desk.folder / "review.jsonl").unlink()
    (runs_to_open([out])[0] / "manifest.json").unlink()
    assert "3 of 3 runs NOT as written" in CliRunner().invoke(app, ["verify", str(out)]).output


def test_a_record_that_names_a_run_elsewhere_is_damaged(out: Path) -> None:
    record = read_record(out)
    astray = dataclasses.replace(record.entries[0], run="../elsewhere")
    write_record(out, dataclasses.replace(record, entries=(astray,)))
    with pytest.raises(OutputError, match="damaged"):
        runs_to_open([out])


def test_a_batch_in_place_of_a_run_is_told_what_to_name(out: Path) -> None:
    for refuse in (read_run, load_rounds):
        with pytest.raises(HandreplayError, match=r"folder of a batch; name one of its runs, .*TABLE"):
            refuse(out)
    with pytest.raises(LogError, match=r"idle\.mp4.*: no round was rebuilt"):
        load_rounds(with_an_idle_hour(out))
