import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from handreplay.batch.record import Entry, Hole, Missing, Record, State, read_record, time_text, write_record
from handreplay.errors import OutputError

START = datetime(2026, 11, 30, 6, 10, tzinfo=UTC)


def a_record() -> Record:
    audited = Entry(
        name="UTH-07/cam12_0110.mp4",
        table="UTH-07",
        profile="UTH-07.table.toml",
        start=START,
        dealer="D. Núñez",
        state=State.AUDITED,
        run="runs/UTH-07/cam12_0110.mp4",
        bytes=17,
        sha256="ab",
        expected_s=60.0,
        read_s=58.5,
        holes=(Hole(start_s=1.0, end_s=2.5, reason="damaged pictures"),),
        triage=True,
        passed_over=(Hole(start_s=3.0, end_s=4.0, reason="nothing moved"),),
    )
    bad = Entry(name="notes.mp4", table=None, profile=None, state=State.SET_ASIDE, reason="no such table")
    missing = Missing(table="UTH-07", start=START, end=START + timedelta(minutes=3))
    return Record(entries=(audited, bad), missing=(missing,), models={"table": "cd"})


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_record(tmp_path, a_record())
    assert read_record(tmp_path) == a_record()


def test_times_are_stored_in_utc_whatever_their_offset() -> None:
    eastern = timezone(timedelta(hours=-5))
    assert time_text(START.astimezone(eastern)) == "2026-11-30T06:10:00.000Z"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "handreplay.batch/1"}', "\x00", "[" * 100_000])
def test_a_damaged_record_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "batch.json").write_text(text)
    with pytest.raises(OutputError, match=r"batch\.json: is damaged"):
        read_record(tmp_path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("read_s", "NaN"),
        ("read_s", "1e999"),
        ("read_s", "-1"),
        ("expected_s", "-Infinity"),
        ("expected_s", "1e10"),
        ("bytes", "1e999"),
    ],
)
def test_a_record_with_numbers_that_are_none_is_damaged(tmp_path: Path, field: str, value: str) -> None:
    write_record(tmp_path, a_record())
    path = tmp_path / "batch.json"
    text, count = re.subn(rf'"{field}": [0-9.]+', f'"{field}": {value}', path.read_text())
    assert count
    path.write_text(text)
    with pytest.raises(OutputError, match=r"batch\.json: is damaged"):
        read_record(tmp_path)


@pytest.mark.parametrize("year", ["0001", "1492", "9999"])
def test_a_record_of_another_age_is_damaged(tmp_path: Path, year: str) -> None:
    write_record(tmp_path, a_record())
    path = tmp_path / "batch.json"
    path.write_text(path.read_text().replace("2026-11-30T06:10", f"{year}-11-30T06:10"))
    with pytest.raises(OutputError, match=r"batch\.json: is damaged"):
        read_record(tmp_path)


def test_a_folder_without_a_record_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="run handreplay batch"):
        read_record(tmp_path)
