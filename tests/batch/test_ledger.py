"""The ledger says what the run folders say, however often it is made and whatever stops it. SQLite and PostgreSQL."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import night
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.batch import ledger as ledgers
from handreplay.batch.ledger import fill
from handreplay.batch.ledger_names import claim
from handreplay.batch.ledger_place import ledger_at, reading
from handreplay.batch.ledger_rows import Neighbours, judged_s, rows_of
from handreplay.batch.ledger_tables import METADATA, RECORDINGS
from handreplay.batch.record import Entry, Hole, Record, State, read_record, write_record
from handreplay.errors import OutputError
from handreplay.report.page_parts import frame_shown
from handreplay.store import Provenance, read_run, write_run

Dump = Callable[[str], dict[str, list[tuple]]]


def rows(dump: dict[str, list[tuple]], table: str, *columns: str) -> list[tuple]:
    places = [list(METADATA.tables[table].c.keys()).index(column) for column in columns]
    return [tuple(row[place] for place in places) for row in dump[table]]


def documents(out: Path) -> dict[str, dict]:
    return {
        entry.name: json.loads((out / entry.run / "findings.json").read_bytes())
        for entry in read_record(out).entries
        if entry.run is not None
    }


def test_every_round_wager_and_finding_of_the_run_folders_is_in_it(place: str, out: Path, dump: Dump) -> None:
    filled = fill(place, out)
    assert (filled.recordings, filled.changed, filled.removed) == (4, 4, 0)
    found, made = documents(out), dump(place)
    assert sorted(rows(made, "rounds", "recording", "round", "verdict")) == sorted(
        (name, r["round"], r["verdict"]) for name, document in found.items() for r in document["rounds"]
    )
    columns = ("recording", "round", "code", "seat", "wager", "status", "t_s", "expected_cents", "observed_cents")
    columns += ("variance_cents", "message")
    assert sorted(rows(made, "findings", *columns), key=repr) == sorted(
        (
            (name, *(f[column.removesuffix("_s")] for column in columns[1:]))
            for name, document in found.items()
            for f in document["findings"]
        ),
        key=repr,
    )
    columns = ("recording", "round", "seat", "wager", "staked_cents", "expected_result", "expected_cents")
    columns += ("observed_result", "observed_cents")
    assert sorted(rows(made, "wagers", *columns), key=repr) == sorted(
        (
            (
                name,
                r["round"],
                w["seat"],
                w["wager"],
                w["staked_cents"],
                *w["expected"].values(),
                *w["observed"].values(),
            )
            for name, document in found.items()
            for r in document["rounds"]
            for w in r["settlement"]
        ),
        key=repr,
    )


def test_what_was_set_aside_holes_and_time_without_a_recording_are_in_it(place: str, out: Path, dump: Dump) -> None:
    fill(place, out)
    made = dump(place)
    assert ("UTH-12/zero.mp4", "set aside", "holds no picture") in rows(
        made, "recordings", "recording", "state", "reason"
    )
    assert rows(made, "holes", "recording", "kind", "start_s", "end_s", "reason") == [
        ("UTH-12/one.mp4", "not read", 500.0, 502.0, "damaged pictures")
    ]
    assert rows(made, "missing", "table_id", "start_utc", "start_local", "seconds") == [
        ("UTH-05", "2026-11-30T06:10:00.000Z", "2026-11-30T01:10:00.000-05:00", 3600.0)
    ]


def test_the_same_batch_twice_leaves_the_same_rows(place: str, out: Path, dump: Dump) -> None:
    fill(place, out)
    before = dump(place)
    assert fill(place, out).changed == 0
    assert dump(place) == before


def test_a_recording_whose_run_changed_is_replaced_and_no_other(place: str, out: Path, dump: Dump) -> None:
    fill(place, out)
    before = dump(place)
    record = read_record(out)
    later = night.START + timedelta(seconds=night.LENGTH_S)
    night.recording(out, "UTH-12/two.mp4", night.rounds_at(later, [night.LOGS[0]], first=5), start=later)
    assert fill(place, out).changed == 1
    after = dump(place)
    assert rows(after, "recordings", "recording") == [
        (entry.name,) for entry in sorted(record.entries, key=lambda e: e.name)
    ]
    untouched = [row for row in before["findings"] if "UTH-12/two.mp4" not in row]
    assert [row for row in after["findings"] if "UTH-12/two.mp4" not in row] == untouched
    assert [r for r in rows(after, "rounds", "recording", "round") if r[0] == "UTH-12/two.mp4"] == [
        ("UTH-12/two.mp4", 5)
    ]


def test_a_recording_that_the_batch_no_longer_has_is_taken_out(place: str, out: Path, dump: Dump) -> None:
    fill(place, out)
    record = read_record(out)
    write_record(out, dataclasses.replace(record, entries=record.entries[:1], missing=()))
    filled = fill(place, out)
    made = dump(place)
    assert (filled.changed, filled.removed) == (0, 3)
    for table in ("recordings", "rounds", "wagers", "findings"):
        assert {name for (name,) in rows(made, table, "recording")} == {"UTH-05/quiet.mp4"}
    assert made["missing"] == []


def test_an_altered_run_is_refused_in_one_line_and_the_others_are_put_in_place(
    place: str, out: Path, dump: Dump
) -> None:
    fill(place, out)
    before = dump(place)
    altered = out / read_record(out).entries[1].run / "findings.json"
    altered.write_bytes(altered.read_bytes().replace(b"10000", b"20000"))
    later = night.START + timedelta(seconds=night.LENGTH_S)
    night.recording(out, "UTH-12/two.mp4", night.rounds_at(later, [night.LOGS[0]], first=5), start=later)
    with pytest.raises(OutputError, match=r"findings\.json is missing or was altered since the audit") as told:
        fill(place, out)
    assert "\n" not in str(told.value)
    after = dump(place)
    of_one = [row for row in before["findings"] if "UTH-12/one.mp4" in row]
    assert [row for row in after["findings"] if "UTH-12/one.mp4" in row] == of_one
    assert len([row for row in after["rounds"] if "UTH-12/two.mp4" in row]) == 1


def test_a_stop_in_the_middle_leaves_the_recording_as_it_was(
    place: str, out: Path, dump: Dump, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(place, out)
    before = dump(place)
    night.recording(out, "UTH-12/one.mp4", night.rounds_at(night.START, [night.LOGS[0]]))

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ledgers, "_insert", stopped)  # by then the old rows are gone, in that transaction
        with pytest.raises(KeyboardInterrupt):
            fill(place, out)
    assert dump(place) == before
    assert fill(place, out).changed == 1


KILLED = """
import os, sys
from pathlib import Path
from handreplay.batch import ledger
ledger._insert = lambda *_: os._exit(9)
ledger.fill(sys.argv[1], Path(sys.argv[2]))
"""


def test_a_kill_in_the_middle_of_writing_leaves_the_recording_as_it_was(place: str, out: Path, dump: Dump) -> None:
    fill(place, out)
    before = dump(place)
    night.recording(out, "UTH-12/one.mp4", night.rounds_at(night.START, [night.LOGS[0]]))
    killed = subprocess.run([sys.executable, "-c", KILLED, place, str(out)], timeout=60, check=False)
    assert killed.returncode == 9
    assert dump(place) == before
    assert fill(place, out).changed == 1


def another_batch(out: Path, tmp_path: Path, name: str = "other") -> Path:
    """A batch with a recording that `out` has too, of which it found less, and one of its own."""
    other = tmp_path / name
    again = night.recording(other, "copied/one.mp4", night.rounds_at(night.START, [night.OVERPAID]))
    again = dataclasses.replace(again, sha256=read_record(out).entries[1].sha256)
    own = night.recording(other, "UTH-12/late.mp4", night.rounds_at(None, [night.LOGS[0]]), start=None, dealer=None)
    write_record(other, Record(entries=(again, own)))
    return other


def test_batches_that_share_a_ledger_keep_their_own_rows_of_the_same_recording(
    place: str, out: Path, tmp_path: Path, dump: Dump
) -> None:
    fill(place, out)
    alone = dump(place)
    assert fill(place, another_batch(out, tmp_path)).changed == 2
    both = dump(place)
    for table in ("recordings", "holes", "missing", "rounds", "wagers", "findings"):
        assert [row for row in both[table] if row[0] == "night"] == alone[table]
    assert [row for row in rows(both, "recordings", "batch", "recording") if row[0] == "other"] == [
        ("other", "UTH-12/late.mp4"),
        ("other", "copied/one.mp4"),
    ]
    assert fill(place, out).changed == 0


def namesake(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere" / "night"
    write_record(folder, Record(entries=(night.recording(folder, "other.mp4", ()),)))
    return folder


def test_another_folder_of_the_same_name_is_refused_in_one_line_and_changes_nothing(
    place: str, out: Path, tmp_path: Path, dump: Dump
) -> None:
    fill(place, out)
    before = dump(place)
    for other in (namesake(tmp_path), Path(shutil.copytree(out, tmp_path / "copied" / "night"))):
        for try_it in (fill, lambda place, other: claim(place, other, read_record(other))):
            with pytest.raises(
                OutputError, match=r"the name night is of the batch in .*night; .* with --batch NAME"
            ) as e:
                try_it(place, other)
            assert str(out) in str(e.value) and "\n" not in str(e.value)
    assert dump(place) == before
    assert fill(place, namesake(tmp_path), batch="second pit").recordings == 1
    assert {row[0] for row in dump(place)["recordings"]} == {"night", "second pit"}


def test_a_batch_made_anew_where_another_had_been_does_not_take_its_rows(place: str, out: Path, dump: Dump) -> None:
    fill(place, out)
    before = dump(place)
    shutil.rmtree(out)
    write_record(out, Record(entries=(night.recording(out, "other.mp4", ()),)))
    with pytest.raises(OutputError, match=r"another batch that was in .*night before; .* with --batch NAME"):
        fill(place, out)
    assert dump(place) == before


def test_a_batch_keeps_the_name_it_was_given_however_far_it_has_gone(place: str, out: Path, dump: Dump) -> None:
    assert fill(place, out, batch="pit 2").batch == "pit 2"
    record = read_record(out)
    write_record(out, dataclasses.replace(record, entries=record.entries[:2]))
    filled = fill(place, out)
    assert (filled.batch, filled.removed) == ("pit 2", 2)
    assert fill(place, out, batch="pit 3").removed == 0
    made = dump(place)
    for table in ("batches", "recordings", "missing", "rounds", "wagers", "findings"):
        assert {row[0] for row in made[table]} == {"pit 3"}, table


def test_the_frame_is_that_of_the_picture_on_show_as_the_audit_prints_it(
    place: str, tmp_path: Path, dump: Dump
) -> None:
    entry = night.recording(tmp_path / "b", "a.mp4", night.rounds_at(night.START, [night.OVERPAID]))
    run = tmp_path / "b" / entry.run
    document = json.loads((run / "findings.json").read_bytes())
    found = document["findings"][0]
    found["frame"] = 499  # of the picture in which the change was first seen
    found["evidence"] = [{"t": round(found["t"] - 0.037, 3), "frame": 501, "image": "evidence/a.jpg"}]
    rewritten(run, document)
    write_record(tmp_path / "b", Record(entries=(entry,)))
    fill(place, tmp_path / "b")
    assert rows(dump(place), "findings", "frame") == [(501,)]
    assert frame_shown(found) == 501 and frame_shown({**found, "evidence": []}) is None


def test_unknown_amounts_times_and_dealers_stay_unknown(place: str, tmp_path: Path, dump: Dump) -> None:
    entry = night.recording(tmp_path / "b", "x.mp4", night.rounds_at(None, [night.LOGS[0]]), start=None, dealer=None)
    document = json.loads((tmp_path / "b" / entry.run / "findings.json").read_bytes())
    document["rounds"][0]["settlement"][0]["staked_cents"] = None
    rewritten(tmp_path / "b" / entry.run, document)
    write_record(tmp_path / "b", Record(entries=(entry,)))
    fill(place, tmp_path / "b")
    made = dump(place)
    assert rows(made, "rounds", "dealer", "start_utc", "start_local", "local_hour") == [(None, None, None, None)]
    assert None in [amount for (amount,) in rows(made, "wagers", "staked_cents")]


def rewritten(run: Path, document: dict) -> None:
    """The run, whole, with another findings.json."""
    found = read_run(run)
    files = {name: (run / name).read_bytes() for name in found.manifest["files"]}
    source, used = found.manifest["source"], found.manifest["profile"]
    provenance = Provenance(
        version="0",
        source_file=source["file"],
        source_sha256=source["sha256"],
        profile_file=used["file"],
        profile_sha256=used["sha256"],
    )
    write_run(run, {**files, "findings.json": json.dumps(document).encode()}, provenance)


def test_the_night_when_clocks_go_back_has_two_half_past_ones_in_the_right_order(
    place: str, tmp_path: Path, dump: Dump
) -> None:
    first = datetime(2024, 11, 3, 5, 30, tzinfo=UTC)
    entries = [
        night.recording(tmp_path / "b", name, night.rounds_at(start, [night.LOGS[0]], first=n), start=start)
        for n, (name, start) in enumerate([("a.mp4", first), ("b.mp4", first + timedelta(hours=1))], 1)
    ]
    write_record(tmp_path / "b", Record(entries=tuple(entries)))
    fill(place, tmp_path / "b")
    assert rows(dump(place), "rounds", "start_utc", "start_local", "local_hour") == [
        ("2024-11-03T05:30:02.000Z", "2024-11-03T01:30:02.000-04:00", 1),
        ("2024-11-03T06:30:02.000Z", "2024-11-03T01:30:02.000-05:00", 1),
    ]


def test_a_finding_in_a_round_that_runs_on_is_looked_for_in_the_recording_that_shows_it(
    place: str, tmp_path: Path, dump: Dump
) -> None:
    after = night.recording(tmp_path / "b", "b.mp4", (), start=night.START + timedelta(seconds=21))
    goes_on = [{"file": "b", "sha256": after.sha256, "from_s": 21.0}, {"file": "c", "sha256": "", "from_s": 40.0}]
    [round_] = night.rounds_at(night.START, [night.OVERPAID])
    round_ = dataclasses.replace(round_, source={"continues": goes_on})
    cut_short = night.recording(tmp_path / "b", "a.mp4", [round_], expected_s=20.0, read_s=20.0)
    write_record(tmp_path / "b", Record(entries=(cut_short, after)))
    fill(place, tmp_path / "b")
    assert rows(dump(place), "findings", "recording", "t_s", "look_recording", "look_s", "at_utc") == [
        ("a.mp4", 35.897, "b.mp4", 14.897, "2026-11-30T06:10:35.897Z")
    ]


def test_an_incomplete_round_that_runs_on_leaves_its_time_unjudged_in_the_next_recording(tmp_path: Path) -> None:
    opened = [night.with_gap(night.rounds_at(night.START, [night.LOGS[0]])[0])]  # 2.0 s to 47.424 s
    first = night.recording(tmp_path, "a.mp4", opened, expected_s=20.0, read_s=20.0)
    second = night.recording(tmp_path, "b.mp4", (), start=night.START + timedelta(seconds=20))
    neighbours = Neighbours.of(Record(entries=(first, second)), tmp_path)
    made = rows_of(first, tmp_path, batch="b", neighbours=neighbours)
    assert made.tables["recordings"][0]["judged_s"] == 2.0
    following = rows_of(second, tmp_path, batch="b", neighbours=neighbours, unjudged_until=made.unjudged_until)
    assert following.tables["recordings"][0]["judged_s"] == pytest.approx(night.LENGTH_S - 27.424)


def test_a_copy_of_an_audited_recording_is_not_expected_a_second_time(tmp_path: Path) -> None:
    one = night.recording(tmp_path, "a.mp4", ())
    copy = dataclasses.replace(one, name="b.mp4", state=State.SET_ASIDE, reason="the same as a.mp4", run=None)
    neighbours = Neighbours.of(Record(entries=(one, copy)), tmp_path)
    assert rows_of(copy, tmp_path, batch="b", neighbours=neighbours).tables["recordings"][0]["expected_s"] == 0.0


spans = st.lists(st.tuples(st.floats(0, 900), st.floats(0, 900)).map(sorted).map(tuple), max_size=6)


@given(holes=spans, passed=spans, unjudged=spans, read_s=st.floats(0, 700))
def test_no_more_is_judged_than_was_read_and_nothing_of_a_hole(
    holes: list[tuple], passed: list[tuple], unjudged: list[tuple], read_s: float
) -> None:
    entry = Entry(
        name="x",
        table="T",
        profile=None,
        state=State.AUDITED,
        expected_s=600.0,
        read_s=read_s,
        holes=tuple(Hole(start_s=a, end_s=b, reason="") for a, b in holes),
        passed_over=tuple(Hole(start_s=a, end_s=b, reason="") for a, b in passed),
    )
    judged = judged_s(entry, unjudged)
    longest = max((min(b, 600.0) - a for a, b in (*holes, *passed, *unjudged)), default=0.0)
    assert 0 <= judged <= read_s + 0.001
    assert judged <= max(600.0, read_s) - longest + 0.002


@pytest.mark.parametrize("run", [None, "", "../elsewhere", "/etc", "runs/../../x"])
def test_a_run_folder_outside_the_batch_is_refused(place: str, tmp_path: Path, run: str | None) -> None:
    entry = dataclasses.replace(night.recording(tmp_path / "b", "a.mp4", ()), run=run)
    write_record(tmp_path / "b", Record(entries=(entry,)))
    with pytest.raises(OutputError, match="none below the batch"):
        fill(place, tmp_path / "b")


def test_a_log_that_does_not_fit_its_findings_is_refused_in_one_line(place: str, tmp_path: Path) -> None:
    entry = night.recording(tmp_path / "b", "a.mp4", night.rounds_at(night.START, [night.LOGS[0]]))
    document = json.loads((tmp_path / "b" / entry.run / "findings.json").read_bytes())
    document["rounds"][0]["round"] = 7
    rewritten(tmp_path / "b" / entry.run, document)
    write_record(tmp_path / "b", Record(entries=(entry,)))
    with pytest.raises(OutputError, match="do not fit each other"):
        fill(place, tmp_path / "b")


def test_texts_that_no_database_takes_are_stored_without_what_it_refuses(
    place: str, tmp_path: Path, dump: Dump
) -> None:
    entry = dataclasses.replace(night.recording(tmp_path / "b", "a.mp4", ()), dealer="A\x00nn Ünal 🂡")
    write_record(tmp_path / "b", Record(entries=(entry,)))
    fill(place, tmp_path / "b")
    assert rows(dump(place), "recordings", "dealer") == [("A\ufffdnn Ünal 🂡",)]


def test_a_ledger_of_another_version_is_left_alone(place: str, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("handreplay.batch.ledger_place.SCHEMA", "handreplay.ledger/0")
        fill(place, out)
    with pytest.raises(OutputError, match="another version"):
        fill(place, out)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_one_line(out: Path) -> None:
    out.chmod(0o500)
    with pytest.raises(OutputError, match=r"ledger\.sqlite"):
        fill(out, out)


def test_a_ledger_that_is_damaged_says_what_to_do(out: Path) -> None:
    fill(out, out)
    ledger = out / "ledger.sqlite"
    ledger.write_bytes(ledger.read_bytes()[:5000])
    with pytest.raises(OutputError, match="is damaged; remove it"):
        fill(out, out)


def test_a_ledger_on_a_disk_for_reading_only_can_be_asked_but_not_made(out: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=9m", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        fill(out, out)
        shutil.copy(out / "ledger.sqlite", disk)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with reading(ledger_at(disk)) as connection:
            assert connection.execute(RECORDINGS.select()).all()
        with pytest.raises(OutputError, match="for reading only"):
            fill(disk, out)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_file_that_is_no_ledger_is_one_line(out: Path) -> None:
    (out / "ledger.sqlite").write_text("something else, longer than the head of a database " * 40)
    with pytest.raises(OutputError, match="is no ledger"):
        fill(out, out)
