"""Who is read when, and what a batch comes to, without reading anything."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from batch_profiles import write_profile

from handreplay.batch.plan import Plan, Told
from handreplay.batch.record import State
from handreplay.batch.recordings import find_recordings
from handreplay.batch.work import Failure, JudgeOutcome, JudgeTask, Outcome, ReadOutcome, ReadTask, Task


def planned(folder: Path, *names: str) -> Plan:
    for table in ("UTH-1", "UTH-2"):
        write_profile(folder / "tables", table)
    for number, name in enumerate(names):
        path = folder / "recordings" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * (number + 1))
    return Plan(find_recordings(folder / "recordings", folder / "tables"), folder / "out")


def read(task: Task, seconds: float = 60.0, holes: tuple[tuple[float, float, str], ...] = ()) -> ReadOutcome:
    assert isinstance(task, ReadTask)
    return ReadOutcome(
        key=task.key,
        end_s=seconds,
        read_s=seconds - sum(end - start for start, end, _ in holes),
        expected_s=seconds,
        bytes=1,
        sha256=task.key,
        holes=holes,
        models=(("table", "ab"),),
    )


def judged(task: Task, *, rounds: int = 1, findings: int = 0, exit_code: int = 0) -> JudgeOutcome:
    assert isinstance(task, JudgeTask)
    many = len(task.places)
    return JudgeOutcome(
        key=task.key, rounds=(rounds,) * many, findings=(findings,) * many, exit_codes=(exit_code,) * many
    )


def steps(plan: Plan) -> Iterator[Task]:
    while (task := plan.next_task()) is not None:
        yield task


def carried_out(plan: Plan, **outcome: int) -> list[Told]:
    """Everything goes well."""
    told = []
    for task in steps(plan):
        told += plan.take(read(task) if isinstance(task, ReadTask) else judged(task, **outcome))
    return told


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ({"exit_code": 0}, 0),
        ({"exit_code": 1, "findings": 2}, 1),
        ({"exit_code": 3}, 3),
        ({"exit_code": 0, "rounds": 0}, 3),
    ],
)
def test_the_exit_code_is_that_of_the_worst_that_was_found(tmp_path: Path, outcome: dict[str, int], code: int) -> None:
    plan = planned(tmp_path, "UTH-1/a.mp4", "UTH-2/b.mp4")
    carried_out(plan, **outcome)
    assert plan.exit_code == code


def test_what_was_set_aside_goes_before_any_finding(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/a.mp4", "UTH-2/b.mp4")
    task = plan.next_task()
    assert task is not None
    plan.take(Failure(key=task.key, reason="no picture in it"))
    carried_out(plan, exit_code=1, findings=1)
    assert plan.exit_code == 3


def test_a_stretch_that_could_not_be_read_keeps_a_batch_from_being_clean(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/a.mp4")
    for task in steps(plan):
        plan.take(read(task, holes=((5.0, 6.0, "damaged"),)) if isinstance(task, ReadTask) else judged(task))
    assert plan.exit_code == 3


def test_a_minute_without_a_recording_in_the_middle_of_a_sitting_does_so_too(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/20261130_010000.mp4", "UTH-1/20261130_010200.mp4")
    carried_out(plan)
    assert plan.exit_code == 3


def test_recordings_that_join_on_are_clean_together(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/20261130_010000.mp4", "UTH-1/20261130_010100.mp4")
    carried_out(plan)
    assert plan.exit_code == 0


def test_one_recording_of_a_line_is_read_at_a_time_and_lines_stand_side_by_side(tmp_path: Path) -> None:
    plan = planned(tmp_path, *(f"UTH-{table}/part_{number}.mp4" for table in (1, 2) for number in (1, 2, 3)))
    assert plan.chains == 2
    at_once = list(steps(plan))
    assert [task.key for task in at_once] == ["UTH-2/UTH-2_part_1.mp4", "UTH-1/UTH-1_part_1.mp4"]  # most bytes first
    plan.take(read(at_once[1]))
    following = plan.next_task()
    assert isinstance(following, ReadTask)
    assert following.job.memory == tmp_path / "out" / "read" / "UTH-1" / "UTH-1_part_1.mp4" / "memory.npz"
    assert plan.next_task() is None


def test_a_line_is_judged_as_soon_as_all_of_it_was_read(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/a.mp4", "UTH-2/part_1.mp4", "UTH-2/part_2.mp4")
    tasks = {task.key: task for task in steps(plan)}
    plan.take(read(tasks["UTH-1/UTH-1_a.mp4"]))
    line = plan.next_task()
    assert isinstance(line, JudgeTask)
    [told] = plan.take(judged(line, rounds=3, findings=1))
    assert (told.name, told.state, told.rounds, told.findings) == ("UTH-1/a.mp4", State.AUDITED, 3, 1)


def test_an_outcome_that_comes_twice_counts_once(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/a.mp4")
    task = plan.next_task()
    assert task is not None
    outcome: Outcome = read(task)
    assert len(plan.take(outcome)) == 1
    assert plan.take(outcome) == []


def test_a_line_that_cannot_be_judged_is_set_aside_as_a_whole(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/part_1.mp4", "UTH-1/part_2.mp4")
    for task in steps(plan):
        plan.take(
            read(task) if isinstance(task, ReadTask) else Failure(key=task.key, reason="judging it ended the worker")
        )
    assert {entry.reason for entry in plan.record().entries} == {"judging it ended the worker"}
    assert plan.exit_code == 3


def test_times_of_pieces_that_share_the_start_of_the_first_are_counted_on(tmp_path: Path) -> None:
    plan = planned(tmp_path, *(f"UTH-1/20261130_010000_part{number}.mp4" for number in (1, 2, 3)))
    carried_out(plan)
    starts = [entry.start for entry in plan.record().entries]
    assert [start.strftime("%H:%M:%S") for start in starts if start] == ["06:00:00", "06:01:00", "06:02:00"]


def test_folders_have_no_blanks_but_those_that_an_earlier_batch_named_stay(tmp_path: Path) -> None:
    plan = planned(tmp_path, "UTH-1/monday night/a  b.mp4")
    carried_out(plan)
    (entry,) = plan.record().entries
    assert entry.run == "runs/UTH-1/UTH-1_monday_night_a_b.mp4"
    old = replace(plan.record(), entries=(replace(entry, run="runs/UTH-1/UTH-1 monday night a  b.mp4"),))
    again = Plan(find_recordings(tmp_path / "recordings", tmp_path / "tables"), tmp_path / "out", former=old)
    task = again.next_task()
    assert task is not None and task.key == "UTH-1/UTH-1 monday night a  b.mp4"
