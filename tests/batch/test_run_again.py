"""What an earlier batch made stands: where people reviewed it, where triage comes later, where the file is away."""

import csv
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from batch_profiles import write_profile
from fake_reading import REPLACED
from night import OVERPAID, rounds_at
from test_run import Inline, Night, Notes

from handreplay.batch import judging, reading, run, work
from handreplay.batch.judging import Judged, Part
from handreplay.batch.ledger_place import ledger_at
from handreplay.batch.ledger_place import reading as asking
from handreplay.batch.ledger_tables import FINDINGS
from handreplay.batch.record import State
from handreplay.batch.run import Crew, Done, run_batch
from handreplay.batch.summary import summary
from handreplay.config import Profile
from handreplay.errors import ClusterError, FootageError, OutputError
from handreplay.rules import audit_rounds

FIRST, SECOND, THIRD = (f"UTH-1/part_{number:04}.mp4" for number in (1, 2, 3))


def judged(parts: Sequence[Part], profile: Profile, clock: object = None) -> tuple[Judged, ...]:
    """Each part has one round with an overpayment, whose number tells how many recordings the line has."""
    rounds = tuple(rounds_at(None, [OVERPAID], first=len(parts)))
    return tuple(Judged(part=part, rounds=rounds, audit=audit_rounds(rounds, profile.rules())) for part in parts)


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Night:
    for name, stand_in in REPLACED.items():
        monkeypatch.setattr(reading, name, stand_in)
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    monkeypatch.setattr(work, "judge", judged)
    monkeypatch.setattr(judging, "take", lambda recording, by_place, tally: iter(()))
    write_profile(tmp_path / "tables", "UTH-1")
    made = Night(tmp_path)
    made.add(FIRST)
    return made


def run_of(night: Night, name: str) -> Path:
    return night.out / str(night.entry(name)["run"])


def numbers(night: Night, name: str) -> list[int]:
    return [round_["round"] for round_ in json.loads((run_of(night, name) / "findings.json").read_bytes())["rounds"]]


def batch(night: Night, recordings: Path | None = None, *, triage: bool = False, engine: Inline | None = None) -> Done:
    crew = Crew(engine=engine or Inline(), slots=2, threads=1)
    return run_batch(
        recordings or night.recordings,
        night.tables,
        night.out,
        workers=lambda chains, watch: crew,
        follower=Notes(),
        triage=triage,
    )


def faults_in_ledger(night: Night) -> int:
    with asking(ledger_at(str(night.out / "ledger.sqlite"))) as connection:
        return len(connection.execute(FINDINGS.select()).all())


def test_a_reviewed_run_stays_and_counts_when_its_line_is_judged_again(night: Night) -> None:
    batch(night)
    folder = night.entry(FIRST)["run"]
    (run_of(night, FIRST) / "review.jsonl").write_text("{}\n")
    before = {path: path.read_bytes() for path in run_of(night, FIRST).rglob("*") if path.is_file()}
    night.add(SECOND)
    for _ in range(2):  # and again, when nothing is left to judge
        done = batch(night)
        assert done.record.counted(State.AUDITED) == 2 and done.exit_code == 1
        assert night.entry(FIRST)["run"] == folder
        assert str(night.entry(FIRST)["reason"]).startswith("its run was reviewed and was not made anew")
        assert night.entry(SECOND)["reason"] == ""
        assert {path: path.read_bytes() for path in before} == before
        assert (numbers(night, FIRST), numbers(night, SECOND)) == ([1], [2])
        assert faults_in_ledger(night) == 2
        assert any("was not made anew, though its line changed" in line for line in summary(done, night.out))


def test_a_line_that_is_again_as_it_was_reviewed_has_nothing_to_say(night: Night) -> None:
    batch(night)
    (run_of(night, FIRST) / "review.jsonl").write_text("{}\n")
    second = night.add(SECOND)
    batch(night)
    second.unlink()
    assert batch(night).exit_code == 1
    assert night.entry(FIRST)["reason"] == ""


def test_a_run_that_is_reviewed_no_more_is_made_anew(night: Night) -> None:
    batch(night)
    (run_of(night, FIRST) / "review.jsonl").write_text("{}\n")
    night.add(SECOND)
    batch(night)
    (run_of(night, FIRST) / "review.jsonl").unlink()
    batch(night)
    assert (night.entry(FIRST)["reason"], numbers(night, FIRST)) == ("", [2])


def test_a_reviewed_run_without_findings_is_never_clean_once_its_line_changed(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = work.Verdict(rounds=1, findings=0, questions=0, exit_code=0)
    monkeypatch.setattr(work.kept_runs, "verdict_of", lambda document: clean)
    assert batch(night).exit_code == 0
    (run_of(night, FIRST) / "review.jsonl").write_text("{}\n")
    night.add(SECOND)
    assert batch(night).exit_code == 3


def test_a_reviewed_run_of_what_was_another_recording_does_not_pass_for_this_one(night: Night) -> None:
    batch(night)
    (run_of(night, FIRST) / "review.jsonl").write_text("{}\n")
    night.add(FIRST, "ok 90")
    assert batch(night).exit_code == 3
    assert (night.entry(FIRST)["state"], night.entry(FIRST)["run"]) == ("set aside", None)


def test_triage_takes_a_full_audit_as_it_is_and_a_full_batch_does_not_take_triage(night: Night) -> None:
    night.add(SECOND)
    batch(night)
    night.reads()
    before = {path: path.read_bytes() for path in night.out.rglob("*/UTH-1?part*/*") if path.is_file()}
    assert batch(night, triage=True).exit_code == 1
    assert night.reads() == []
    assert {path: path.read_bytes() for path in before} == before
    night.add(THIRD)
    batch(night, triage=True)
    assert night.reads() == ["part_0003.mp4"]
    assert [night.entry(name)["triage"] for name in (FIRST, SECOND, THIRD)] == [False, False, True]
    batch(night)
    assert night.reads() == ["part_0003.mp4"]
    assert night.entry(THIRD)["triage"] is False


def test_triage_leaves_the_full_audit_of_what_goes_on_from_a_recording_that_changed(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.add(SECOND)
    batch(night)
    night.add(FIRST, "ok 90")
    monkeypatch.setattr(reading, "memory_bytes", lambda memory: b"another table")
    night.reads()
    batch(night, triage=True)
    assert night.reads() == ["part_0001.mp4"]
    assert [night.entry(name)["triage"] for name in (FIRST, SECOND)] == [True, False]


def test_a_reviewed_triage_run_says_so_though_its_recording_was_read_in_full_since(night: Night) -> None:
    batch(night, triage=True)
    (run_of(night, FIRST) / "review.jsonl").write_text("{}\n")
    batch(night)
    assert night.entry(FIRST)["triage"] is True
    assert night.entry(FIRST)["passed_over"] != []
    assert str(night.entry(FIRST)["reason"]).startswith("its run was reviewed")


def manifest(night: Night, *names: str) -> Path:
    path = night.folder / "night.csv"
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["file", "table"])
        rows.writerows([f"recordings/{name}", "UTH-1"] for name in names)
    return path


def test_what_was_audited_of_a_recording_stays_while_its_drive_is_unplugged(night: Night) -> None:
    named = {name: f"recordings/{name}" for name in (FIRST, SECOND)}
    night.add(SECOND)
    rows = manifest(night, FIRST, SECOND)
    assert batch(night, rows).exit_code == 1
    night.reads()
    kept = night.recordings / "UTH-1" / "drive"
    (night.recordings / FIRST).rename(kept)
    for _ in range(2):
        done = batch(night, rows)
        assert done.exit_code == 3 and done.record.counted(State.AUDITED) == 2
        assert night.entry(named[FIRST])["reason"] == "the recording is not there now; audited before"
        assert night.entry(named[SECOND])["reason"] == ""
        assert night.reads() == []  # the one behind it still goes on from what it left
        assert faults_in_ledger(night) == 2
    kept.rename(night.recordings / FIRST)
    assert batch(night, rows).exit_code == 1
    assert night.entry(named[FIRST])["reason"] == ""
    assert night.reads() == []


@pytest.mark.parametrize("lost", ["read", "runs"])
def test_a_recording_that_is_away_is_set_aside_once_its_results_are_not_whole(night: Night, lost: str) -> None:
    rows = manifest(night, FIRST)
    batch(night, rows)
    (night.recordings / FIRST).unlink()
    [folder] = (night.out / lost / "UTH-1").iterdir()
    (folder / {"read": "memory.npz", "runs": "report.html"}[lost]).unlink()
    assert batch(night, rows).exit_code == 3
    entry = night.entry(f"recordings/{FIRST}")
    assert (entry["state"], entry["run"]) == ("set aside", None)
    assert "no such file" in str(entry["reason"])


def test_the_run_of_a_recording_that_is_away_stays_when_its_line_changes(night: Night) -> None:
    rows = manifest(night, FIRST)
    batch(night, rows)
    (night.recordings / FIRST).unlink()
    night.add(SECOND)
    batch(night, manifest(night, FIRST, SECOND))
    assert night.entry(f"recordings/{FIRST}")["reason"] == (
        "the recording is not there now; audited before; its run was not made anew, though its line changed"
    )
    assert numbers(night, f"recordings/{FIRST}") == [1]


def test_what_is_away_and_fits_no_more_stands_by_itself(night: Night) -> None:
    rows = manifest(night, FIRST)
    batch(night, rows)
    (night.recordings / FIRST).unlink()
    profile = night.tables / "UTH-1.table.toml"
    profile.write_text(profile.read_text() + "\n# moved\n")
    assert batch(night, rows).exit_code == 3
    assert night.entry(f"recordings/{FIRST}")["state"] == "audited"
    assert faults_in_ledger(night) == 1


def test_a_drive_that_is_unplugged_as_the_batch_goes_on_loses_no_findings(night: Night) -> None:
    batch(night)

    class Unplugged(Inline):
        def next_outcome(self) -> work.Outcome:
            (night.recordings / FIRST).unlink(missing_ok=True)
            return super().next_outcome()

    night.add(SECOND)
    done = batch(night, engine=Unplugged())
    assert done.exit_code == 3 and done.record.counted(State.AUDITED) == 2
    assert str(night.entry(FIRST)["reason"]).startswith("the recording is not there now; audited before")


def test_what_is_away_under_one_name_and_here_under_another_counts_once(night: Night) -> None:
    rows = manifest(night, FIRST)
    batch(night, rows)
    (night.recordings / FIRST).rename(night.recordings / SECOND)
    batch(night, manifest(night, FIRST, SECOND))
    assert night.entry(f"recordings/{FIRST}")["reason"] == (
        f"has the same content as recordings/{SECOND}; it is audited once"
    )
    assert faults_in_ledger(night) == 1


def test_workers_that_are_not_there_leave_the_record_as_it_was(night: Night) -> None:
    def none(chains: int, watch: object) -> Crew:
        raise ClusterError("tcp://127.0.0.1:1: no scheduler answers")

    call = {"workers": none, "follower": Notes()}
    with pytest.raises(ClusterError):
        run_batch(night.recordings, night.tables, night.out, **call)  # type: ignore[arg-type]
    assert not (night.out / "batch.json").exists()
    batch(night)
    before = (night.out / "batch.json").read_bytes()
    night.add(SECOND)
    (night.recordings / FIRST).unlink()
    with pytest.raises(ClusterError):
        run_batch(night.recordings, night.tables, night.out, **call)  # type: ignore[arg-type]
    assert (night.out / "batch.json").read_bytes() == before


def test_a_ledger_that_does_not_take_the_batch_leaves_the_record_as_it_was(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch(night)
    before = (night.out / "batch.json").read_bytes()

    def taken(*batch: object) -> str:
        raise OutputError("the name night is of another batch")

    monkeypatch.setattr(run, "claim", taken)
    night.add(SECOND)
    with pytest.raises(OutputError, match="another batch"):
        batch(night)
    assert (night.out / "batch.json").read_bytes() == before


def test_a_summary_says_how_many_faults_are_certain(night: Night) -> None:
    done = batch(night)
    assert summary(done, night.out)[:2] == ["1 fault found.", "1 of 1 recording audited, 0 set aside."]
    path = run_of(night, FIRST) / "findings.json"
    path.write_text(path.read_text().replace('"status": "confirmed"', '"status": "probable"'))
    assert summary(done, night.out)[0] == "1 fault found (none confirmed)."


def test_a_copy_is_told_once_and_a_recording_that_was_kept_is_called_kept(night: Night) -> None:
    (night.recordings / "UTH-1" / "zz.mp4").write_bytes((night.recordings / FIRST).read_bytes())
    batch(night)
    follower = Notes()
    crew = Crew(engine=Inline(), slots=2, threads=1)
    run_batch(night.recordings, night.tables, night.out, workers=lambda chains, watch: crew, follower=follower)
    assert [(told.name, told.state, told.kept) for told in follower.told_] == [
        (FIRST, State.READ, True),
        (FIRST, State.AUDITED, False),
    ]


def test_a_recording_that_is_no_longer_named_leaves_the_record(night: Night) -> None:
    first = night.recordings / FIRST
    night.add(SECOND)
    batch(night)
    first.unlink()
    assert [entry.name for entry in batch(night).record.entries] == [SECOND]


def test_a_run_whose_pictures_cannot_be_taken_again_stays_as_it_was(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch(night)

    def gone(recording: Path, by_place: object, tally: object) -> object:
        raise FootageError(f"{recording}: no such file")

    monkeypatch.setattr(judging, "take", gone)
    night.add(SECOND)
    done = batch(night)
    assert "was not made anew, though its line changed: " in str(night.entry(FIRST)["reason"])
    assert night.entry(SECOND)["state"] == "set aside"
    assert (done.exit_code, numbers(night, FIRST)) == (3, [1])
