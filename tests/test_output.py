"""Where the output goes when nobody can take it: one line, and never an exit code that reads as a verdict."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.cases import recorded

PROGRAM = [sys.executable, "-c", "from handreplay.cli import main; main()"]
FULL = Path("/dev/full")


def call(folder: Path, *options: str) -> list[str]:
    case = recorded()["uth569/NEAR-plain"]
    (folder / "t.table.toml").write_text(case["table"])
    (folder / "r.jsonl").write_text(case["log"])
    return [*PROGRAM, "replay", str(folder / "r.jsonl"), "--table", str(folder / "t.table.toml"), *options]


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("shape", ["text", "json", "csv"])
def test_an_output_that_is_full_is_one_line_and_exit_code_2(shape: str, tmp_path: Path) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            call(tmp_path, "--format", shape), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1 and "No space left" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")
@pytest.mark.parametrize("shape", ["text", "json", "csv"])
def test_a_reader_that_closes_the_pipe_gets_neither_a_verdict_nor_a_traceback(shape: str, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        call(tmp_path, "--format", shape), stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999-12:00"])
def test_a_clock_at_the_ends_of_the_calendar_is_left_out_and_breaks_nothing(moment: str, tmp_path: Path) -> None:
    call(tmp_path)
    round_ = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[0])
    (tmp_path / "r.jsonl").write_text(json.dumps(round_ | {"clock_start": moment}) + "\n")
    rack = [*PROGRAM, "rack", str(tmp_path / "r.jsonl"), "--round", str(round_["round"]), "--format"]
    for shape in ("text", "html", "json"):
        done = subprocess.run([*rack, shape], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_clock_in_no_year_of_recordings_is_refused_before_reading(tmp_path: Path) -> None:
    sample = Path(__file__).parent.parent / "sample_footage" / "uth-sample.mp4"
    profile = sample.with_suffix(".table.toml")
    out = tmp_path / "run"
    options = ["--table", str(profile), "--out", str(out), "--clock", "9999-12-31T23:59:59"]
    done = subprocess.run([*PROGRAM, "audit", str(sample), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--clock: 9999" in done.stderr.splitlines()[-1] and not out.exists()


@pytest.mark.parametrize("told", ["nonsense", "2026-11-30", "01:10", "11/30/2026 1:10"])
def test_a_clock_that_is_no_moment_is_refused_in_one_plain_line(tmp_path: Path, told: str) -> None:
    sample = Path(__file__).parent.parent / "sample_footage" / "uth-sample.mp4"
    options = ["--table", str(sample.with_suffix(".table.toml")), "--out", str(tmp_path / "run"), "--clock", told]
    done = subprocess.run([*PROGRAM, "audit", str(sample), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and not (tmp_path / "run").exists()
    assert f"--clock: {told} is no date with a time; write 2026-11-30T01:10:00" in done.stderr


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("2026-11-01T01:30:00", "came twice in America/New_York, when clocks were put back; give the offset"),
        ("2026-03-08T02:30:00", "never was in America/New_York, where clocks were put forward"),
    ],
)
def test_a_clock_that_may_be_two_moments_or_none_is_not_guessed(tmp_path: Path, told: str, why: str) -> None:
    sample = Path(__file__).parent.parent / "sample_footage" / "uth-sample.mp4"
    options = ["--table", str(sample.with_suffix(".table.toml")), "--out", str(tmp_path / "run"), "--clock", told]
    done = subprocess.run([*PROGRAM, "audit", str(sample), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and why in done.stderr and not (tmp_path / "run").exists()


FAULTY = """
import sys
from handreplay import cli
@cli.app.command()
def fail() -> None:
    try:
        raise {cause}
    except BaseException as error:
        raise ImportError("initialization failed") from error
sys.argv = ["handreplay", "fail"]
cli.main()
"""


@pytest.mark.parametrize(("cause", "code"), [("ValueError('x')", 2), ("KeyboardInterrupt", 130)])
def test_a_fault_of_the_program_is_no_finding_and_an_interrupted_start_is_an_interruption(
    cause: str, code: int
) -> None:
    program = [sys.executable, "-c", FAULTY.format(cause=cause)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == code and done.stdout == ""
    lines = done.stderr.splitlines()
    assert not lines if code == 130 else len(lines) == 1 and "ImportError: initialization failed" in lines[0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file can have such a name")
def test_a_name_that_is_not_text_is_refused_in_one_line_that_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\x1b[31m.mp4"
    done = subprocess.run([*PROGRAM, "probe", name], capture_output=True, check=False)
    assert done.returncode == 2 and done.stdout == b""
    assert b"not UTF-8" in done.stderr and b"\x1b" not in done.stderr and done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_picture_that_is_no_ordinary_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless.png")
    program = [*PROGRAM, "read", str(tmp_path / "endless.png")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "no ordinary file" in done.stderr
