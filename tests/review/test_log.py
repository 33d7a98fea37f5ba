"""The review log is only added to; one altered byte is found; a kill loses nothing that was acknowledged."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from handreplay.errors import OutputError
from handreplay.review.desk import Desk
from handreplay.review.log import (
    NO_ENTRY,
    AlteredError,
    ReviewLog,
    check_head,
    line_of,
    made,
    read_chain,
)
from handreplay.review.verify import verify


def filled(folder: Path, count: int = 4) -> ReviewLog:
    log = ReviewLog(folder)
    for number in range(count):
        log.append({"kind": "note", "text": f"entry {number} é"})
    return log


def test_entries_come_back_in_order_and_chained(tmp_path: Path) -> None:
    filled(tmp_path)
    entries = ReviewLog(tmp_path).entries()
    assert [(entry.body or {})["text"] for entry in entries] == [f"entry {n} é" for n in range(4)]
    assert [entry.previous for entry in entries] == [NO_ENTRY, *(entry.hash for entry in entries[:-1])]


@pytest.mark.parametrize("flip", [0x01, 0x80])
def test_one_altered_byte_anywhere_is_found(tmp_path: Path, flip: int) -> None:
    log = filled(tmp_path, 2)
    for path in (log.path, log.head_path):
        whole = path.read_bytes()
        for place in range(len(whole)):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :])
            with pytest.raises(AlteredError):
                ReviewLog(tmp_path).entries()
        path.write_bytes(whole)
    assert len(ReviewLog(tmp_path).entries()) == 2


@pytest.mark.parametrize("change", ["last", "first", "middle", "swapped", "head", "log"])
def test_entries_taken_out_or_moved_are_missed(tmp_path: Path, change: str) -> None:
    log = filled(tmp_path)
    lines = log.path.read_bytes().splitlines(keepends=True)
    kept = {
        "last": lines[:-1],
        "first": lines[1:],
        "middle": [lines[0], *lines[2:]],
        "swapped": [lines[1], lines[0], *lines[2:]],
    }
    if change == "head":
        log.head_path.unlink()
    elif change == "log":
        log.path.unlink()
    else:
        log.path.write_bytes(b"".join(kept[change]))
    with pytest.raises(AlteredError):
        ReviewLog(tmp_path).entries()


def test_an_entry_cut_off_in_the_middle_is_set_aside_and_kept(tmp_path: Path) -> None:
    log = filled(tmp_path)
    with log.path.open("ab") as stream:
        stream.write(b'{"body":{"half')
    assert len(ReviewLog(tmp_path).entries()) == 4
    again = ReviewLog(tmp_path)
    again.append({"kind": "note", "text": "after"})
    bodies = [entry.body or {} for entry in ReviewLog(tmp_path).entries()]
    assert [body["kind"] for body in bodies[4:]] == ["recovered", "note"]
    assert bodies[4]["unfinished"] == '{"body":{"half'


def test_a_whole_entry_whose_writer_was_killed_before_the_head_is_kept(tmp_path: Path) -> None:
    log = filled(tmp_path)
    entries = log.entries()
    with log.path.open("ab") as stream:
        stream.write(line_of(made(5, entries[-1].hash, {"kind": "note", "text": "unheard"})))
    assert len(ReviewLog(tmp_path).entries()) == 5
    ReviewLog(tmp_path).append({"kind": "note", "text": "next"})
    assert len(ReviewLog(tmp_path).entries()) == 6


def test_withheld_bodies_leave_the_chain_whole(tmp_path: Path) -> None:
    entries = filled(tmp_path).entries()
    content = b"".join(line_of(entry, withheld=entry.number != 2) for entry in entries)
    read, rest = read_chain(content, "review.jsonl")
    assert [entry.hash for entry in read] == [entry.hash for entry in entries] and not rest
    assert [entry.body is not None for entry in read] == [False, True, False, False]


def test_a_log_of_one_entry_needs_no_head_yet_and_of_two_does(tmp_path: Path) -> None:
    one = made(1, NO_ENTRY, {})
    check_head(tmp_path / "none", (one,))
    with pytest.raises(AlteredError):
        check_head(tmp_path / "none", (one, made(2, one.hash, {})))


def test_an_entry_that_is_too_long_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    log = filled(tmp_path)
    with pytest.raises(OutputError, match="too long"):
        log.append({"text": "x" * 300_000})
    assert len(log.entries()) == 4


def _writer(folder: Path, name: str, count: int) -> None:
    log = ReviewLog(folder)
    for number in range(count):
        log.append({"kind": "note", "by": name, "number": number})


def test_two_programs_at_once_lose_none_of_each_others_entries(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    people = [context.Process(target=_writer, args=(tmp_path, name, 25)) for name in ("a", "b")]
    for one in people:
        one.start()
    for one in people:
        one.join()
    bodies = [entry.body or {} for entry in ReviewLog(tmp_path).entries()]
    for name in ("a", "b"):
        assert [body["number"] for body in bodies if body["by"] == name] == list(range(25))


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from handreplay.review.desk import Desk, Reviewer
desk, chance = Desk(Path(sys.argv[1])), random.Random(6)
for run in range(10):
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        number = 0
        while True:
            actor = ("dealer", "player", "unknown")[number % 3]
            raw = {"op": "actor", "event": str(1 + chance.randrange(20)), "actor": actor}
            entry = desk.correct(Reviewer(f"reviewer {run}"), 1, raw)
            os.write(told, f"{entry.number} {entry.hash}\\n".encode())
            number += 1
    os.close(told)
    time.sleep(0.15 + chance.uniform(0, 0.1))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(heard) as stream:
        sys.stdout.write(stream.read())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork a process to be killed")
def test_ten_kills_at_random_moments_during_corrections_lose_no_acknowledged_entry(run: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(run)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    acknowledged = [line.split() for line in done.stdout.splitlines()]
    entries = {entry.number: entry for entry in ReviewLog(run).entries()}
    for number, digest in acknowledged:
        assert entries[int(number)].hash == digest
    people = {(entry.body or {}).get("by") for entry in entries.values()}
    assert len(people) == 10 and len(acknowledged) >= 10
    assert verify(run).whole
    assert Desk(run).state().refused == {}
