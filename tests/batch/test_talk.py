"""What is said while a batch goes on: to a log, and to somebody who watches."""

import io
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from batch_profiles import write_profile
from test_batch_command import add, call

from handreplay.batch.plan import Told
from handreplay.batch.record import Entry, Record, State
from handreplay.batch.talk import Lines, line_of


def told(number: int, seconds: float = 1.0) -> Told:
    return Told(name=f"{number}.mp4", state=State.READ, seconds=seconds)


def log_of(many: int, seconds: float) -> list[str]:
    stream = io.StringIO()
    lines = Lines(stream)
    lines.began(Record(entries=tuple(Entry(name=f"{n}.mp4", table="T", profile="T") for n in range(many))), [])
    for number in range(many):
        lines.told(told(number, seconds))
    lines.ended()
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(("many", "seconds"), [(1000, 1.0), (600, 60.0), (5, 3600.0)])
def test_a_log_has_fewer_than_50_lines_an_hour_of_video(many: int, seconds: float) -> None:
    lines = log_of(many, seconds)
    assert len(lines) < 50 * (1 + many * seconds / 3600)
    assert lines[-1].startswith(f"0 of {many} audited, {many} read ({many * seconds / 3600:.1f} h)")


def test_every_long_recording_has_its_line() -> None:
    assert [line for line in log_of(5, 1800.0) if "read, 1800.0 s" in line] == [
        f"{number}.mp4: read, 1800.0 s" for number in range(5)
    ]


def test_a_name_cannot_break_a_line_or_move_the_cursor() -> None:
    stream = io.StringIO()
    Lines(stream).told(Told(name="a\r\x1b[2Jb\n.mp4", state=State.SET_ASIDE, reason="bad"))
    assert stream.getvalue() == "a??[2Jb?.mp4: set aside: bad\n"


def test_a_line_says_what_became_of_a_recording() -> None:
    audited = Told(name="a.mp4", state=State.AUDITED, seconds=9.0, rounds=1, findings=2, questions=3)
    assert line_of(audited) == "a.mp4: 1 round, 2 faults, 3 open"


def test_somebody_who_watches_sees_one_line_that_grows_and_what_is_set_aside(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH-12")
    for name, order in (("a.mp4", "ok 60"), ("b.mp4", "bad"), ("c.mp4", "ok 60")):
        add(tmp_path, name, order)
    ours, theirs = pty.openpty()
    with subprocess.Popen(call(tmp_path), stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm"}):
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end was closed
            pass
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert "b.mp4: set aside: no picture in it can be decoded" in text
    assert re.search(r"3/3 files, .*100%", text)
