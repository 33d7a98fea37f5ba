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
from handreplay.batch.talk import Counts, Lines, duration, line_of


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


@pytest.mark.parametrize(
    ("many", "seconds", "whole"), [(1000, 1.0, "16.7 min"), (600, 60.0, "10.0 h"), (5, 3600.0, "5.0 h")]
)
def test_a_log_has_fewer_than_50_lines_an_hour_of_video(many: int, seconds: float, whole: str) -> None:
    lines = log_of(many, seconds)
    assert len(lines) < 50 * (1 + many * seconds / 3600)
    assert lines[-1].startswith(f"0 of {many} audited, {many} read ({whole})")


def test_every_long_recording_has_its_line() -> None:
    assert [line for line in log_of(5, 1800.0) if "read, 1800.0 s" in line] == [
        f"{number}.mp4: read, 1800.0 s" for number in range(5)
    ]


def test_a_recording_counts_once_whatever_is_told_of_it() -> None:
    names = ("a", "b", "c", "d", "e", "f")
    states = (State.SET_ASIDE, State.SET_ASIDE, *(State.WAITING,) * 4)
    entries = (
        Entry(name=name, table="T", profile="T", state=state, reason="bad" if state is State.SET_ASIDE else "")
        for name, state in zip(names, states, strict=True)
    )
    stream = io.StringIO()
    lines, counts = Lines(stream), Counts()
    record = Record(entries=tuple(entries))
    lines.began(record, [])
    counts.begin(record)
    for name in names[2:]:
        for state, seconds, rounds in ((State.READ, 30.0, 0), (State.READ, 30.0, 0), (State.AUDITED, 30.0, 2)):
            counts.add(Told(name=name, state=state, seconds=seconds, rounds=rounds, findings=rounds))
    counts.add(Told(name="c", state=State.AUDITED, seconds=30.0, rounds=3))
    counts.add(Told(name="f", state=State.SET_ASIDE, reason="overlaps"))
    counts.add(Told(name="a", state=State.SET_ASIDE, reason="bad"))
    assert counts.short() == "6/6 files, 2.0 min, 7 rounds, 4 faults, 3 set aside"
    assert str(counts) == "3 of 6 audited, 4 read (2.0 min), 7 rounds, 4 faults, 0 open, 3 set aside"
    for _ in range(2):
        lines.told(Told(name="f", state=State.SET_ASIDE, reason="overlaps"))
    lines.told(Told(name="a", state=State.SET_ASIDE, reason="bad"))
    assert stream.getvalue().splitlines() == [
        "a: set aside: bad",
        "b: set aside: bad",
        "6 recordings, 2 set aside",
        "f: set aside: overlaps",
    ]


def test_what_was_kept_from_an_earlier_batch_is_not_said_to_be_read() -> None:
    kept = Told(name="a.mp4", state=State.READ, seconds=28.0, kept=True)
    counts = Counts()
    counts.begin(Record(entries=(Entry(name="a.mp4", table="T", profile="T"),)))
    counts.add(kept)
    assert line_of(kept) == "a.mp4: kept, 28.0 s"
    assert str(counts).startswith("0 of 1 audited, 0 read, 1 kept from before (28 s)")


def test_a_line_says_what_stands_from_an_earlier_batch() -> None:
    audited = Told(name="a.mp4", state=State.AUDITED, rounds=1, reason="the recording is not there now")
    assert line_of(audited) == "a.mp4: 1 round, 0 faults, 0 open; the recording is not there now"


@pytest.mark.parametrize(("seconds", "said"), [(28.4, "28 s"), (59.6, "1.0 min"), (90, "1.5 min"), (3600, "1.0 h")])
def test_a_duration_is_told_in_the_unit_that_says_something(seconds: float, said: str) -> None:
    assert duration(seconds) == said


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
