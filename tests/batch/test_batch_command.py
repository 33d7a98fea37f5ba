"""`handreplay batch` as people call it: what it says, how it ends, and how it goes on after being stopped."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from batch_profiles import write_profile
from fake_reading import LOG
from test_borders import PROFILE, SAMPLE, split
from test_workers import is_alive, wait_for

from tests.clips import cut, record, sound_only

HERE = Path(__file__).parent


def call(folder: Path, *more: str, real: bool = False) -> list[str]:
    program = ["-m", "handreplay.cli"] if real else [str(HERE / "fake_command.py")]
    places = [str(folder / "recordings"), "--tables", str(folder / "tables"), "--out", str(folder / "out")]
    return [sys.executable, *program, "batch", *places, *more]


def run(folder: Path, *more: str, real: bool = False, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONUTF8": "1", **environment}
    return subprocess.run(call(folder, *more, real=real), capture_output=True, text=True, env=env, errors="replace")


def add(folder: Path, name: str, order: str = "ok 60") -> Path:
    path = folder / "recordings" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{order} # {name}", "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_profile(tmp_path / "tables", "UTH-12")
    (tmp_path / "recordings").mkdir()
    return tmp_path


def states(folder: Path) -> dict[str, str]:
    document = json.loads((folder / "out" / "batch.json").read_text("utf-8"))
    return {entry["name"]: entry["state"] for entry in document["recordings"]}


def test_one_bad_file_never_ends_a_batch_and_the_verdict_is_never_clean(folder: Path) -> None:
    """Case D01, with real recordings: the halves of the sample, and files that cannot be used."""
    recordings = folder / "recordings"
    for half, name in zip(split(SAMPLE / "uth-sample.mp4", recordings), ("good1.mp4", "good2.mp4"), strict=True):
        half.rename(recordings / name)
    (folder / "tables" / "UTH-12.table.toml").write_bytes(PROFILE.read_bytes())
    cut(record(folder / "whole.mp4"), recordings / "a03_nomoov.mp4", 0.6)
    sound_only(recordings / "a15_audio.mp4")
    (recordings / "a15_zero.mp4").write_bytes(b"")
    (recordings / "._cam1.mp4").write_bytes(bytes(4096))
    done = run(folder, real=True)
    assert done.returncode == 3, done.stderr
    assert "2 of 5 recordings audited, 3 set aside:" in done.stdout
    assert done.stdout.startswith("1 fault found (none confirmed), but not everything could be audited.")
    for name, reason in (
        ("a03_nomoov", "cut short|index"),
        ("a15_audio", "no video stream"),
        ("a15_zero", "empty file"),
    ):
        assert re.search(rf"^  {name}\.mp4: .*({reason})", done.stdout, re.MULTILINE), done.stdout
    assert "PY02 overpaid: 1, the house lost $100.00" in done.stdout
    assert "._cam1" not in done.stdout + done.stderr
    assert states(folder)["good2.mp4"] == "audited"
    assert "Traceback" not in done.stderr


def test_a_log_has_plain_lines_whatever_the_console_can_show(folder: Path) -> None:
    """Case D08."""
    for number in range(1, 121):
        add(folder, f"стол_{number:04}.mp4")
    add(folder, "смена.mp4", "bad")
    done = run(folder, PYTHONUTF8="0", PYTHONIOENCODING="cp1252")
    assert done.returncode == 3
    assert "\r" not in done.stdout + done.stderr and "\x1b" not in done.stdout + done.stderr
    assert "120 of 121 recordings audited, 1 set aside:" in done.stdout
    assert 20 < len(done.stderr.splitlines()) < 3 * 50  # two hours of video, and the hour that begins


def unheard(folder: Path, log: str) -> subprocess.CompletedProcess[str]:
    """The call with its standard error sent there, and kept back until the end as it is by default."""
    told = ["bash", "-c", f'"$@" {log}', "call", *call(folder)]
    return subprocess.run(told, capture_output=True, text=True, env={**os.environ, "PYTHONUNBUFFERED": ""})


@pytest.mark.parametrize("log", ["2>&-", "2>/dev/full", "2>&- <&-"])
def test_a_log_that_nobody_can_write_costs_the_log_only(folder: Path, log: str) -> None:
    add(folder, "a.mp4")
    done = unheard(folder, log)
    assert done.returncode == 3
    assert "1 of 1 recording audited, 0 set aside." in done.stdout
    assert (folder / "out" / "batch.lock").read_bytes() == b""  # not taken for standard error by a library


@pytest.mark.parametrize("log", ["2>&-", "2>/dev/full"])
def test_a_refusal_that_nobody_can_read_is_no_finding(folder: Path, log: str) -> None:
    done = unheard(folder, log)
    assert done.returncode == 2


def test_a_folder_for_results_that_goes_is_not_made_again(folder: Path) -> None:
    for name in ("a.mp4", "b.mp4"):
        add(folder, name, "slow 2")
    with started(folder, "--workers", "1") as batch:
        wait_for(lambda: (folder / "out" / "read").exists(), 60)
        (folder / "out").rename(folder / "taken away")
        _, said = batch.communicate(timeout=60)
    assert batch.returncode == 2
    assert said.splitlines()[-1].endswith("what was done is kept: run the batch again when that is mended")
    assert not (folder / "out").exists()


def test_ctrl_c_stops_it_with_one_line_and_the_same_command_goes_on(folder: Path) -> None:
    for number in range(6):
        add(folder, f"part_{number}.mp4", "slow 2" if number else "ok 60")
    with started(folder) as batch:
        wait_for(lambda: "read" in states_or_nothing(folder).values(), 60)
        batch.send_signal(signal.SIGINT)
        _, said = batch.communicate(timeout=30)
    assert batch.returncode == 130
    assert said.splitlines()[-1] == "stopped; what was done is kept, and the same command goes on from there"
    assert "Traceback" not in said
    assert goes_on(folder) == 6


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_batch_that_is_killed_loses_no_more_than_what_was_in_work(folder: Path, workers: str) -> None:
    for number in range(4):
        add(folder, f"{'abcd'[number]}.mp4", "slow 0.5")
    with started(folder, "--workers", workers) as batch:
        wait_for(lambda: len(reads(folder)) >= 3, 60)
        children = children_of(batch.pid)
        batch.kill()
    wait_for(lambda: not any(map(is_alive, children)), 10)
    assert goes_on(folder) == 4
    assert len(reads(folder)) <= 4 + int(workers)


def test_it_is_over_at_once_when_the_disk_is_full(folder: Path) -> None:
    add(folder, "a.mp4", "full")
    done = run(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"^handreplay: cannot write what .*No space left on device; what was done", done.stderr, re.M)


def test_a_disk_that_fills_up_costs_nothing_but_the_space_that_is_missing(folder: Path) -> None:
    for letter in "abcdefgh":
        add(folder, f"{letter}.mp4")
    disk = folder / "out"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=420k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        full = run(folder)
        assert full.returncode == 2
        assert full.stderr.splitlines()[-1].endswith(
            "No space left on device; what was done is kept: run the batch again when that is mended"
        )
        assert 0 < len(list(disk.glob("runs/*/*/manifest.json"))) < 8
        subprocess.run(["mount", "-o", "remount,size=40m", str(disk)], check=True)
        assert goes_on(folder) == 8
        assert len(reads(folder)) <= 8 + 2
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--workers", "2", "--cluster", "tcp://127.0.0.1:1"], "do not go together"),
        (["--workers", "0"], "workers"),
        (["--ledger", "mysql://a/b"], "no kind of ledger"),
    ],
)
def test_calls_that_make_no_sense_are_refused_in_one_line(folder: Path, wrong: list[str], said: str) -> None:
    add(folder, "a.mp4")
    done = run(folder, *wrong)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_folder_without_recordings_and_one_without_profiles_are_refused(folder: Path) -> None:
    assert run(folder).returncode == 2
    add(folder, "a.mp4")
    (folder / "tables" / "UTH-12.table.toml").unlink()
    done = run(folder)
    assert done.returncode == 2 and "holds no table profile" in done.stderr


@contextmanager
def started(folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(call(folder, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as batch:
        try:
            yield batch
        finally:
            if batch.poll() is None:
                batch.kill()


def states_or_nothing(folder: Path) -> dict[str, str]:
    return states(folder) if (folder / "out" / "batch.json").exists() else {}


def goes_on(folder: Path) -> int:
    """How many recordings are audited once the same command has come to its end."""
    done = run(folder)
    assert "set aside." in done.stdout, done.stderr
    return list(states(folder).values()).count("audited")


def reads(folder: Path) -> list[str]:
    log = folder / "recordings" / LOG
    return log.read_text().splitlines() if log.exists() else []


def children_of(process: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == process:
            found.append(int(path.parent.name))
    return found
