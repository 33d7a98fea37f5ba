"""Batches over recordings that are only orders of what shall happen (see fake_reading)."""

import json
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from batch_profiles import write_profile
from fake_reading import LOG, REPLACED
from night import LOGS, OVERPAID, profile, rounds_at, with_gap

from handreplay.batch import reading
from handreplay.batch.kept_runs import verdict_of
from handreplay.batch.plan import Told
from handreplay.batch.record import Record, State, read_record
from handreplay.batch.run import Crew, Done, run_batch
from handreplay.batch.work import Outcome, Task, perform
from handreplay.core.findings import exit_code
from handreplay.errors import OutputError
from handreplay.report.findings_json import findings_document
from handreplay.rules import audit_rounds
from handreplay.store import read_run


@dataclass
class Inline:
    """An engine without processes."""

    waiting: deque[Task] = field(default_factory=deque)
    given: list[Task] = field(default_factory=list)

    def submit(self, task: Task) -> None:
        self.waiting.append(task)
        self.given.append(task)

    def next_outcome(self) -> Outcome:
        return perform(self.waiting.popleft())

    def close(self) -> None:
        self.waiting.clear()


@dataclass
class Notes:
    """A follower that keeps what it is told."""

    told_: list[Told] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def began(self, record: Record, remarks: Sequence[str]) -> None:
        self.remarks += remarks

    def reading(self, name: str, seconds: float, promised: float | None) -> None: ...
    def told(self, told: Told) -> None:
        self.told_.append(told)

    def ended(self) -> None: ...


@dataclass
class Night:
    """A folder with recordings, one with profiles, and one for results."""

    folder: Path

    @property
    def recordings(self) -> Path:
        return self.folder / "recordings"

    @property
    def tables(self) -> Path:
        return self.folder / "tables"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def add(self, name: str, order: str = "ok 60") -> Path:
        path = self.recordings / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{order} # {name}")
        return path

    def run(self, engine: Inline | None = None, slots: int = 2) -> Done:
        crew = Crew(engine=engine or Inline(), slots=slots, threads=1)
        return run_batch(self.recordings, self.tables, self.out, workers=lambda chains, watch: crew, follower=Notes())

    def reads(self) -> list[str]:
        """Names of what was read since last asked."""
        log = list(self.recordings.rglob(LOG))
        names = [name for path in log for name in path.read_text().splitlines()]
        for path in log:
            path.unlink()
        return sorted(names)

    def entry(self, name: str) -> dict[str, object]:
        document = json.loads((self.out / "batch.json").read_text())
        [found] = [entry for entry in document["recordings"] if entry["name"] == name]
        return found


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Night:
    for name, stand_in in REPLACED.items():
        monkeypatch.setattr(reading, name, stand_in)
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # nobody pulls the plug
    for table in ("UTH-1", "UTH-2"):
        write_profile(tmp_path / "tables", table)
    return Night(tmp_path)


def test_200_recordings_with_five_bad_ones_leave_195_audited_and_five_named(night: Night) -> None:
    bad = {f"UTH-1/part_{number:04}.mp4" for number in (7, 50, 51)} | {"UTH-2/part_0001.mp4", "UTH-2/part_0099.mp4"}
    for table in ("UTH-1", "UTH-2"):
        for number in range(1, 101):
            name = f"{table}/part_{number:04}.mp4"
            night.add(name, "bad" if name in bad else "ok 60")
    done = night.run()
    aside = {entry.name for entry in done.record.entries if entry.state is State.SET_ASIDE}
    assert (done.record.counted(State.AUDITED), aside) == (195, bad)
    assert done.exit_code == 3
    assert read_record(night.out) == done.record
    assert night.entry("UTH-1/part_0007.mp4")["reason"] == (
        "no picture in it can be decoded; export it again from the recorder"
    )
    assert len(night.reads()) == 200


def test_nothing_is_read_or_judged_twice(night: Night) -> None:
    for name in ("UTH-1/part_0001.mp4", "UTH-1/part_0002.mp4", "UTH-2/a.mp4"):
        night.add(name)
    night.add("UTH-2/b.mp4", "bad")
    first = night.run()
    night.reads()
    before = files_of(night.out)
    assert night.run() == first
    assert night.reads() == ["b.mp4"]  # whether it can be read now is worth a look
    assert files_of(night.out) == before


def files_of(out: Path) -> dict[str, tuple[int, bytes]]:
    """Run folders and readings, with the time of each file's last change."""
    paths = [path for top in ("runs", "read") for path in (out / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def test_a_new_recording_at_the_end_of_a_line_leaves_the_run_folders_before_it_alone(night: Night) -> None:
    for number in (1, 2):
        night.add(f"UTH-1/part_{number:04}.mp4")
    night.run()
    night.reads()
    before = {name: told for name, told in files_of(night.out).items() if name.startswith("runs")}
    night.add("UTH-1/part_0003.mp4")
    assert night.run().record.counted(State.AUDITED) == 3
    assert night.reads() == ["part_0003.mp4"]
    after = files_of(night.out)
    assert {name: after[name] for name in before} == before
    assert "runs/UTH-1/UTH-1_part_0003.mp4/manifest.json" in after


def test_a_changed_recording_is_read_again_but_not_what_goes_on_from_the_same_table(
    night: Night,
) -> None:
    for number in (1, 2, 3):
        night.add(f"UTH-1/part_{number:04}.mp4")
    night.run()
    night.reads()
    night.add("UTH-1/part_0002.mp4", "ok 90")
    done = night.run()
    assert night.reads() == ["part_0002.mp4"]
    assert night.entry("UTH-1/part_0002.mp4")["expected_s"] == 90.0
    assert done.record.counted(State.AUDITED) == 3


def test_a_run_folder_that_was_tampered_with_is_made_again(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    night.run()
    run = night.out / "runs" / "UTH-1" / "UTH-1_a.mp4"
    page = (run / "report.html").read_bytes()
    (run / "report.html").write_bytes(page[:-1] + b" ")
    night.run()
    assert read_run(run).manifest["source"]["file"] == "a.mp4"


def test_what_was_kept_of_a_reading_is_read_again_once_a_number_in_it_is_another_one(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    night.run()
    night.reads()
    about = night.out / "read" / "UTH-1" / "UTH-1_a.mp4" / "read.json"
    whole = about.read_bytes()
    for wrong in (b'"picture_s": 1e9', b'"picture_s": NaN', b'"picture_s": 0.05'):
        about.write_bytes(whole.replace(b'"picture_s": 0.04', wrong))
        assert about.read_bytes() != whole
        night.run()
        assert night.reads() == ["a.mp4"] and about.read_bytes() == whole


def test_only_what_a_run_folder_says_itself_is_told_of_it(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    night.run()
    note = night.out / "read" / "UTH-1" / "UTH-1_a.mp4" / "judged.json"
    told = json.loads(note.read_text())
    note.write_text(json.dumps({**told, "verdict": {"rounds": 5, "findings": 0, "questions": 0, "exit_code": 0}}))
    assert night.run().exit_code == 3  # no round was seen


@pytest.mark.parametrize("log", [OVERPAID, *LOGS])
def test_a_findings_file_comes_to_what_its_audit_came_to(log: Path) -> None:
    own = profile()
    for found in (rounds_at(None, [log]), [with_gap(rounds_at(None, [log])[0])], []):
        audit = audit_rounds(found, own.rules())
        verdict = verdict_of(findings_document(audit, own.rules()))
        faults = sum(finding.counts_as_fault for finding in audit.findings)
        assert (verdict.exit_code, verdict.rounds) == (exit_code(audit), len(found))
        assert (verdict.findings, verdict.questions) == (faults, len(audit.findings) - faults)


def test_a_run_folder_whose_manifest_is_damaged_says_what_to_do(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    night.run()
    (night.out / "runs" / "UTH-1" / "UTH-1_a.mp4" / "manifest.json").write_text("{")
    done = night.run()
    assert done.exit_code == 3
    assert str(night.entry("UTH-1/a.mp4")["reason"]).endswith("or move that folder away and run the batch again")


def test_the_recordings_of_a_table_go_on_from_one_another_and_a_bad_one_cuts_the_line(night: Night) -> None:
    for number in (1, 2, 3, 4):
        night.add(f"UTH-1/part_{number:04}.mp4", "bad" if number == 3 else "ok 60")
    engine = Inline()
    done = night.run(engine)
    reads = {task.job.recording.name: task.job.memory for task in engine.given if hasattr(task, "job")}
    assert reads["part_0001.mp4"] is None
    assert reads["part_0002.mp4"] == night.out / "read" / "UTH-1" / "UTH-1_part_0001.mp4" / "memory.npz"
    assert reads["part_0004.mp4"] is None
    lines = [[place.job.recording.name for place in task.places] for task in engine.given if hasattr(task, "places")]
    assert sorted(lines) == [["part_0001.mp4", "part_0002.mp4"], ["part_0004.mp4"]]
    assert done.exit_code == 3


def test_a_bad_recording_within_a_sitting_is_a_hole_that_says_so(night: Night) -> None:
    for minute, order in ((0, "ok 300"), (5, "bad"), (10, "ok 300"), (16, "ok 60")):
        night.add(f"UTH-1/UTH-1_20261130_01{minute:02}00.mp4", order)
    engine = Inline()
    night.run(engine)
    [line] = [task.places for task in engine.given if hasattr(task, "places")]
    assert [(place.offset_s, place.hole) for place in line] == [
        (0.0, ""),
        (600.0, "UTH-1/UTH-1_20261130_010500.mp4 could not be read"),
        (960.0, "no recording"),
    ]
    assert [(hole.start.minute, hole.end.minute) for hole in read_record(night.out).missing] == [(15, 16)]


def test_a_full_disk_ends_the_batch_with_one_line_and_what_was_done_is_kept(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    full = night.add("UTH-2/b.mp4", "full")
    full.write_text(full.read_text().replace("# ", "#"))  # smaller: its turn comes later
    with pytest.raises(OutputError, match="No space left on device; what was done is kept"):
        night.run(slots=1)
    assert night.entry("UTH-1/a.mp4")["state"] == "audited"
    assert night.entry("UTH-2/b.mp4")["state"] == "waiting"
    night.reads()
    night.add("UTH-2/b.mp4", "ok 60")
    assert night.run().record.counted(State.AUDITED) == 2
    assert night.reads() == ["b.mp4"]


def test_a_recording_that_vanishes_once_it_was_read_takes_only_itself_along(night: Night) -> None:
    for number in (1, 2, 3):
        night.add(f"UTH-1/part_{number:04}.mp4", "gone" if number == 3 else "ok 60")
    done = night.run()
    assert done.record.counted(State.AUDITED) == 2
    assert (
        night.entry("UTH-1/part_0003.mp4")["reason"] == "has changed, or gone, since it was read; run the batch again"
    )


def test_a_recording_that_vanishes_before_its_turn_is_named(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    late = night.add("UTH-2/b.mp4")

    class Slow(Inline):
        def next_outcome(self) -> Outcome:
            late.unlink(missing_ok=True)
            return super().next_outcome()

    done = night.run(Slow(), slots=1)
    assert done.exit_code == 3
    assert night.entry("UTH-2/b.mp4")["reason"] == "no such file; check the name, and that its drive is there"


def test_recordings_that_a_review_has_begun_on_are_never_written_over(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    night.run()
    run = night.out / "runs" / "UTH-1" / "UTH-1_a.mp4"
    (run / "review.jsonl").write_text("{}\n")
    assert night.run().record.counted(State.AUDITED) == 1
    night.add("UTH-1/a.mp4", "ok 90")
    before = (run / "findings.json").read_bytes()
    assert night.run().exit_code == 3
    assert (run / "findings.json").read_bytes() == before
    assert "has a review log" in str(night.entry("UTH-1/a.mp4")["reason"])


def test_the_same_recording_twice_is_audited_once(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    (night.recordings / "UTH-1" / "copy.mp4").write_bytes((night.recordings / "UTH-1" / "a.mp4").read_bytes())
    done = night.run()
    assert night.reads() == ["a.mp4"]
    assert night.entry("UTH-1/copy.mp4")["reason"] == "has the same content as UTH-1/a.mp4; it is audited once"
    assert done.exit_code == 3


def test_a_recording_that_overlaps_another_one_is_set_aside_once_that_is_known(night: Night) -> None:
    night.add("UTH-1/UTH-1_20261130_010000.mp4", "ok 300")
    night.add("UTH-1/UTH-1_20261130_010400.mp4", "ok 300")
    night.run()
    assert night.reads() == ["UTH-1_20261130_010000.mp4"]
    assert "overlaps" in str(night.entry("UTH-1/UTH-1_20261130_010400.mp4")["reason"])


def test_names_that_no_windows_disk_can_hold_get_folders_that_it_can_and_stay_in_the_record(
    night: Night, tmp_path: Path
) -> None:
    for table, file in (("AUX", "aux"), ("Pit 1: BJ", "pit1"), ("pit 1: bj", "pit2")):
        write_profile(night.tables, file, table)
    long = "x" * 240
    for name in ("aux/NUL.mp4", f"pit1/{long}/a.mp4", f"pit1/{long}/b.mp4", "pit2/A.mp4", "pit2/a.mp4"):
        night.add(name)
    done = night.run()
    assert done.record.counted(State.AUDITED) == 5
    runs = {entry.name: entry.run or "" for entry in done.record.entries}
    assert runs["aux/NUL.mp4"] == "runs/_AUX/aux_NUL.mp4"
    assert len({run.casefold() for run in runs.values()}) == 5
    assert all(
        len(part.encode()) <= 125 and not set(part) & set('<>:"\\|?*')
        for run in runs.values()
        for part in run.split("/")
    )
    assert {entry.table for entry in done.record.entries} == {"AUX", "Pit 1: BJ", "pit 1: bj"}


def test_a_folder_name_stays_with_its_recording_when_another_one_would_take_it(night: Night) -> None:
    night.add("UTH-1/b/a.mp4")
    night.run()
    night.reads()
    night.add("UTH-1/b a.mp4")
    done = night.run()
    runs = {entry.name: entry.run for entry in done.record.entries}
    assert runs == {"UTH-1/b/a.mp4": "runs/UTH-1/UTH-1_b_a.mp4", "UTH-1/b a.mp4": "runs/UTH-1/UTH-1_b_a.mp4-2"}
    assert night.reads() == ["b a.mp4"]


def test_a_second_batch_into_the_same_folder_is_refused_and_the_first_goes_on(night: Night) -> None:
    night.add("UTH-1/a.mp4")

    class Meanwhile(Inline):
        def next_outcome(self) -> Outcome:
            with pytest.raises(OutputError, match="another batch is at work in it"):
                night.run()
            return super().next_outcome()

    assert night.run(Meanwhile()).record.counted(State.AUDITED) == 1


def test_a_folder_with_other_files_is_refused_and_left_as_it_was(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    night.out.mkdir()
    (night.out / "holiday.jpg").write_bytes(b"sea")
    with pytest.raises(OutputError, match=r"already holds other files \(holiday\.jpg\)"):
        night.run()
    assert [path.name for path in night.out.iterdir()] == ["holiday.jpg"]


def test_recordings_may_not_lie_among_the_results_but_results_may_lie_among_the_recordings(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    inside = Night(night.folder)
    with pytest.raises(OutputError, match="holds the recordings"):
        run_batch(
            night.recordings,
            night.tables,
            night.recordings,
            workers=lambda chains, watch: pytest.fail("began"),
            follower=Notes(),
        )
    crew = Crew(engine=Inline(), slots=1, threads=1)
    for _ in range(2):
        done = run_batch(
            inside.recordings,
            inside.tables,
            inside.recordings / "out",
            workers=lambda chains, watch: crew,
            follower=Notes(),
        )
        assert [entry.name for entry in done.record.entries] == ["UTH-1/a.mp4"]


def test_a_ledger_that_cannot_be_opened_is_told_before_anything_is_read(night: Night) -> None:
    night.add("UTH-1/a.mp4")
    with pytest.raises(OutputError, match="no kind of ledger"):
        run_batch(
            night.recordings,
            night.tables,
            night.out,
            workers=lambda chains, watch: pytest.fail("began"),
            follower=Notes(),
            ledger="mysql://here/there",
        )
    assert night.reads() == []
