"""How recordings follow one another: pieces, holes, sittings, and what would be audited twice."""

import dataclasses
import random
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from batch_profiles import write_profile
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.batch.names import natural
from handreplay.batch.record import Missing
from handreplay.batch.recordings import Recording, SetAside, find_recordings
from handreplay.batch.timelines import Joined, Timeline, possible_twins, same_content, timelines
from handreplay.config import Profile, load_profile

START = datetime(2026, 11, 30, 6, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Profile]:
    """Three profiles, two of them of the table UTH-07."""
    folder = tmp_path_factory.mktemp("tables")
    tables = {"UTH-07": "UTH-07", "moved": "UTH-07", "TCP-02": "TCP-02"}
    return {name: load_profile(write_profile(folder, name, table)) for name, table in tables.items()}


def recording(profile: Profile, name: str, after_s: float | None = None, *, size: int = 1) -> Recording:
    start = None if after_s is None else START + timedelta(seconds=after_s)
    return Recording(
        name=name, path=Path("/r") / name, table=profile.table.id, profile=profile, start=start, dealer=None, bytes=size
    )


def joined(profile: Profile, *recordings: tuple[str, float | None, float | None]) -> Joined:
    """Recordings of one profile: name, start in seconds after START, length in seconds."""
    return timelines(
        [recording(profile, name, after) for name, after, _ in recordings],
        {name: length for name, _, length in recordings},
    )


def names(timeline: Timeline) -> list[str]:
    return [piece.recording.name for piece in timeline.pieces]


def offsets(timeline: Timeline) -> list[Fraction | None]:
    return [piece.offset_s for piece in timeline.pieces]


def gaps(timeline: Timeline) -> list[Fraction | None]:
    return [piece.gap_before_s for piece in timeline.pieces]


def test_recordings_follow_one_another_by_their_starts(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("b.mp4", 0.0, 600.0), ("a.mp4", 600.0, 600.0), ("c.mp4", 1200.25, 60.0))
    (line,) = result.timelines
    assert names(line) == ["b.mp4", "a.mp4", "c.mp4"]
    assert offsets(line) == [0, 600, Fraction("1200.25")] and gaps(line) == [0, 0, 0]
    assert line.start == START and line.table == "UTH-07"
    assert not result.set_aside and not result.missing and not result.remarks


def test_a_recorders_jitter_is_neither_a_hole_nor_an_overlap(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("a.mp4", 0.0, 601.5), ("b.mp4", 600.0, 599.0), ("c.mp4", 1200.0, 10.0))
    (line,) = result.timelines
    assert offsets(line) == [0, Fraction("601.5"), Fraction("1200.5")] and gaps(line) == [0, 0, 0]
    assert not result.set_aside and not result.missing


def to_the_minute(profile: Profile, *recordings: tuple[str, float, float]) -> Joined:
    """As `joined`, of recordings whose names tell hour and minute."""
    return timelines(
        [
            dataclasses.replace(recording(profile, name, after), to_the_minute=after % 60 == 0)
            for name, after, _ in recordings
        ],
        {name: length for name, _, length in recordings},
    )


@pytest.mark.parametrize("length", [541.0, 590.0, 600.0, 612.0, 655.0])
def test_starts_told_to_the_minute_make_neither_overlaps_nor_holes(profiles: dict[str, Profile], length: float) -> None:
    result = to_the_minute(profiles["UTH-07"], ("a.mp4", 0.0, length), ("b.mp4", 600.0, 100.0))
    (line,) = result.timelines
    assert offsets(line) == [0, Fraction(length)] and gaps(line) == [0, 0]
    assert not result.set_aside and not result.missing
    assert START + timedelta(seconds=600) <= (line.pieces[1].start or START) < START + timedelta(seconds=660)


def test_starts_told_to_the_minute_hide_no_real_hole_and_no_real_overlap(profiles: dict[str, Profile]) -> None:
    result = to_the_minute(profiles["UTH-07"], ("a.mp4", 0.0, 500.0), ("b.mp4", 600.0, 70.0), ("c.mp4", 600.5, 70.0))
    (line,) = result.timelines
    assert names(line) == ["a.mp4", "b.mp4"] and gaps(line) == [0, 100] and len(result.missing) == 1
    assert [aside.name for aside in result.set_aside] == ["c.mp4"]
    over = to_the_minute(profiles["UTH-07"], ("a.mp4", 0.0, 700.0), ("b.mp4", 600.0, 70.0))
    assert [aside.name for aside in over.set_aside] == ["b.mp4"]


def test_holes_of_seconds_between_minutes_show_as_soon_as_they_are_certain(profiles: dict[str, Profile]) -> None:
    result = to_the_minute(profiles["UTH-07"], *((f"{n}.mp4", 60.0 * n, 50.0) for n in range(12)))
    (line,) = result.timelines
    assert gaps(line) == [*[0] * 7, 10, *[0] * 4]
    assert [hole.end - hole.start for hole in result.missing] == [timedelta(seconds=10)]


def test_jitter_that_adds_up_hides_no_hole(profiles: dict[str, Profile]) -> None:
    pieces = [(f"{n}.mp4", 100.0 * n, 101.5) for n in range(40)]
    result = joined(profiles["UTH-07"], *pieces, ("z.mp4", 4011.5, 10.0))
    (line,) = result.timelines
    assert gaps(line) == [0] * 40 + [10] and offsets(line)[-1] == 40 * Fraction("101.5") + 10
    assert len(result.missing) == 1


def test_a_hole_of_minutes_stays_in_the_timeline_and_is_told(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("a.mp4", 0.0, 600.0), ("b.mp4", 900.0, 60.0))
    (line,) = result.timelines
    assert offsets(line) == [0, 900] and gaps(line) == [0, 300]
    hole = Missing(table="UTH-07", start=START + timedelta(seconds=600), end=START + timedelta(seconds=900))
    assert result.missing == (hole,)


@pytest.mark.parametrize(("hole_s", "sittings"), [(600.0, 1), (600.1, 2)])
def test_a_hole_of_more_than_ten_minutes_begins_a_new_sitting(
    profiles: dict[str, Profile], hole_s: float, sittings: int
) -> None:
    result = joined(profiles["UTH-07"], ("a.mp4", 0.0, 60.0), ("b.mp4", 60.0 + hole_s, 60.0))
    assert len(result.timelines) == sittings
    assert offsets(result.timelines[-1])[0] == 0 and len(result.missing) == 1


def test_of_two_that_cover_the_same_minutes_the_later_is_set_aside(profiles: dict[str, Profile]) -> None:
    result = joined(
        profiles["UTH-07"],
        ("a.mp4", 0.0, 600.0),
        ("b.mp4", 550.0, 100.0),
        ("c.mp4", 620.0, 60.0),
        ("d.mp4", 0.0, 100.0),
    )
    (line,) = result.timelines
    assert names(line) == ["a.mp4", "c.mp4"] and gaps(line) == [0, 20]
    assert {aside.name: aside.reason for aside in result.set_aside} == {
        "b.mp4": "overlaps a.mp4 by 50 s; set aside so that nothing is audited twice",
        "d.mp4": "overlaps a.mp4 by 100 s; set aside so that nothing is audited twice",
    }
    assert not result.missing  # b.mp4 has those 20 s


def test_what_spans_others_is_compared_with_each_of_them(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("day.mp4", -1.0, 900.0), ("1.mp4", 0.0, 60.0), ("2.mp4", 600.0, 60.0))
    assert names(result.timelines[0]) == ["day.mp4"]
    assert ["day.mp4" in aside.reason for aside in result.set_aside] == [True, True]


def test_a_length_that_is_not_known_leaves_the_gap_unknown(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("a.ts", 0.0, None), ("b.ts", 3600.0, None), ("c.ts", 3601.0, None))
    (line,) = result.timelines
    assert names(line) == ["a.ts", "b.ts"] and offsets(line) == [0, 3600] and gaps(line) == [0, None]
    assert result.set_aside[0].reason.startswith("begins at the same time as b.ts")
    assert not result.missing


def test_a_day_after_a_recording_of_unknown_length_is_another_sitting(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("a.ts", 0.0, None), ("b.ts", 90_000.0, None))
    assert len(result.timelines) == 2


def test_profiles_are_kept_apart_but_what_is_missing_is_told_of_the_table(profiles: dict[str, Profile]) -> None:
    recordings = [
        recording(profiles["UTH-07"], "a.mp4", 0.0),
        recording(profiles["moved"], "b.mp4", 600.0),
        recording(profiles["UTH-07"], "c.mp4", 1200.0),
        recording(profiles["TCP-02"], "d.mp4", 0.0),
    ]
    result = timelines(recordings, dict.fromkeys(("a.mp4", "b.mp4", "c.mp4", "d.mp4"), 600.0))
    assert [names(line) for line in result.timelines] == [["d.mp4"], ["a.mp4", "c.mp4"], ["b.mp4"]]
    assert gaps(result.timelines[1]) == [0, 600]
    assert not result.missing


def test_time_of_which_the_recording_was_set_aside_is_not_missing(profiles: dict[str, Profile]) -> None:
    own = [recording(profiles["UTH-07"], name, after) for name, after in (("a.mp4", 0.0), ("c.mp4", 1200.0))]
    bad = SetAside(
        name="b.mp4", path=None, table="UTH-07", reason="cut", start=START + timedelta(seconds=600), profile=None
    )
    lengths = {"a.mp4": 600.0, "c.mp4": 60.0, "b.mp4": 590.0}
    (hole,) = timelines(own, lengths, [bad]).missing
    assert (hole.start - START, hole.end - START) == (timedelta(seconds=1190), timedelta(seconds=1200))
    (hole,) = timelines(own, {**lengths, "b.mp4": None}, [bad]).missing
    assert hole.start - START == timedelta(seconds=600)


# Without starts


def test_numbered_pieces_without_times_are_joined_and_a_remark_says_so(profiles: dict[str, Profile]) -> None:
    result = joined(
        profiles["UTH-07"],
        ("cam12_0010.mp4", None, 60.0),
        ("cam12_0009.mp4", None, 30.5),
        ("cam12_0011.mp4", None, None),
    )
    (line,) = result.timelines
    assert names(line) == ["cam12_0009.mp4", "cam12_0010.mp4", "cam12_0011.mp4"]
    assert offsets(line) == [0, Fraction("30.5"), Fraction("90.5")] and line.start is None
    (remark,) = result.remarks
    assert remark.startswith("cam12_0009.mp4 to cam12_0011.mp4: no start is told; joined by their numbers")


def test_a_number_that_is_missing_ends_the_timeline(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("c_1.mp4", None, 60.0), ("c_3.mp4", None, 60.0), ("c_4.mp4", None, 60.0))
    assert [names(line) for line in result.timelines] == [["c_1.mp4"], ["c_3.mp4", "c_4.mp4"]]
    assert any(remark.startswith("c_1.mp4, c_3.mp4: not joined") for remark in result.remarks)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hall.mp4", "pit.mp4"),
        ("cam1.mp4", "cam2.mp4"),
        ("clip (1).mp4", "clip (2).mp4"),
        ("20261129.mp4", "20261130.mp4"),
        ("c_1.mp4", "c_2.mkv"),
        ("x/c_1.mp4", "y/c_2.mp4"),
        ("c_#.mp4", "c_1.mp4"),
    ],
)
def test_no_continuity_is_invented_between_other_names(profiles: dict[str, Profile], one: str, other: str) -> None:
    result = joined(profiles["UTH-07"], (one, None, 60.0), (other, None, 60.0))
    assert len(result.timelines) == 2 and not result.remarks


def test_clips_that_are_numbered_but_have_profiles_of_their_own_are_not_joined(profiles: dict[str, Profile]) -> None:
    recordings = [recording(profiles["UTH-07"], "uth-01.mp4"), recording(profiles["moved"], "uth-02.mp4")]
    assert len(timelines(recordings, {}).timelines) == 2


def test_lengths_that_are_not_known_leave_the_offsets_behind_them_unknown(profiles: dict[str, Profile]) -> None:
    pieces = [("c_1.ts", None, 60.0), ("c_2.ts", None, None), ("c_3.ts", None, 60.0)]
    assert offsets(joined(profiles["UTH-07"], *pieces).timelines[0]) == [0, 60, None]
    pieces[1] = ("c_2.ts", None, 5.0)
    assert offsets(joined(profiles["UTH-07"], *pieces).timelines[0]) == [0, 60, 65]


def test_pieces_that_all_have_the_start_of_their_recording_are_counted_on(profiles: dict[str, Profile]) -> None:
    stem = "cam_20261130_011000"
    first = (f"{stem}_0001.mp4", 0.0, 600.0)
    result = joined(profiles["UTH-07"], (f"{stem}_0002.mp4", 0.0, 600.0), first, ("later.mp4", 1500.0, 60.0))
    (line,) = result.timelines
    assert offsets(line) == [0, 600, 1500] and gaps(line) == [0, 0, 300]
    assert [piece.start for piece in line.pieces] == [START + timedelta(seconds=s) for s in (0, 600, 1500)]
    assert "all have the same start" in result.remarks[0] and not result.set_aside


def test_without_their_first_piece_nobody_knows_when_the_others_began(profiles: dict[str, Profile]) -> None:
    result = joined(profiles["UTH-07"], ("c_3.mp4", 0.0, 60.0), ("c_4.mp4", 0.0, 60.0))
    assert [names(line) for line in result.timelines] == [["c_3.mp4", "c_4.mp4"]]
    assert result.timelines[0].start is None and "when it began is not known" in " ".join(result.remarks)


def test_pieces_after_one_of_unknown_length_stay_in_the_timeline(profiles: dict[str, Profile]) -> None:
    result = joined(
        profiles["UTH-07"], ("c_1.ts", 0.0, None), ("c_2.ts", 0.0, 60.0), ("c_3.ts", 0.0, 60.0), ("x.ts", 900.0, 60.0)
    )
    (line,) = result.timelines
    assert names(line) == ["c_1.ts", "c_2.ts", "c_3.ts", "x.ts"] and offsets(line) == [0, None, None, 900]
    assert gaps(line) == [0, 0, 0, None]


# Clock changes


@pytest.mark.parametrize(
    ("day", "next_day", "hours"),
    [("2024-11-02", "2024-11-03", 9), ("2024-03-09", "2024-03-10", 7), ("2024-06-01", "2024-06-02", 8)],
)
def test_a_night_with_a_clock_change_is_as_long_as_it_was(tmp_path: Path, day: str, next_day: str, hours: int) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    for name in ("a.mp4", "b.mp4"):
        (tmp_path / name).write_bytes(name.encode())
    manifest = tmp_path / "night.csv"
    manifest.write_text(f"file,table,start\na.mp4,UTH-07,{day}T22:00:00\nb.mp4,UTH-07,{next_day}T06:00:00\n", "utf-8")
    found = find_recordings(manifest, tmp_path / "tables")
    (line,) = timelines(found.recordings, {"a.mp4": hours * 3600.0}).timelines
    assert offsets(line) == [0, hours * 3600] and gaps(line) == [0, 0]


def test_the_two_half_past_ones_of_an_autumn_night_are_an_hour_apart(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    for name in ("1.mp4", "2.mp4"):
        (tmp_path / name).write_bytes(name.encode())
    manifest = tmp_path / "night.csv"
    manifest.write_text("file,start\n2.mp4,2024-11-03T01:30:00-05:00\n1.mp4,2024-11-03T01:30:00-04:00\n", "utf-8")
    found = find_recordings(manifest, tmp_path / "tables")
    (line,) = timelines(found.recordings, {"1.mp4": 3600.0}).timelines
    assert names(line) == ["1.mp4", "2.mp4"] and offsets(line) == [0, 3600]
    assert [piece.start.hour for piece in line.pieces if piece.start] == [5, 6]


# Content


def test_copies_are_audited_once(profiles: dict[str, Profile]) -> None:
    own = [
        recording(profiles["UTH-07"], name, after) for name, after in (("b.mp4", 0.0), ("a.mp4", None), ("c.mp4", 9.0))
    ]
    asides = same_content(own, {"a.mp4": "x", "b.mp4": "x", "c.mp4": "y"})
    assert [(aside.name, aside.reason) for aside in asides] == [
        ("a.mp4", "has the same content as b.mp4; it is audited once")
    ]


def test_one_content_under_two_tables_is_audited_under_neither(profiles: dict[str, Profile]) -> None:
    both = [recording(profiles["UTH-07"], "a.mp4"), recording(profiles["TCP-02"], "b.mp4")]
    asides = same_content(both, {"a.mp4": "x", "b.mp4": "x"})
    assert [aside.name for aside in asides] == ["a.mp4", "b.mp4"]
    assert "a.mp4" in asides[1].reason and "another table (UTH-07, UTH-07.table.toml)" in asides[1].reason


def test_content_that_is_not_known_is_equal_to_nothing(profiles: dict[str, Profile]) -> None:
    both = [recording(profiles["UTH-07"], "a.mp4"), recording(profiles["UTH-07"], "b.mp4")]
    assert not same_content(both, {"a.mp4": None})
    others = [both[0], dataclasses.replace(both[1], bytes=2)]
    assert not same_content(others, {"a.mp4": "x", "b.mp4": "x"})
    assert possible_twins(both) == tuple(both) and not possible_twins(others)


# Whatever comes

recorded = st.tuples(
    st.sampled_from(["UTH-07", "moved", "TCP-02"]),
    st.sampled_from(["a", "c_1", "c_2", "c_3", "c_10", "cam1", "cam2"]),
    st.none() | st.integers(0, 4000).map(lambda tenths: tenths / 10) | st.integers(0, 200_000).map(float),
    st.none() | st.floats(-1, 2000) | st.sampled_from([float("nan"), float("inf"), 0.5, 60.0, 600.0]),
)


@settings(deadline=None)
@given(st.lists(recorded, max_size=12), st.randoms(use_true_random=False))
def test_whatever_comes_nothing_is_lost_nothing_is_doubled_and_time_rises(
    profiles: dict[str, Profile], drawn: list[tuple[str, str, float | None, float | None]], mixer: random.Random
) -> None:
    recordings, lengths = [], {}
    for number, (profile, stem, after, length) in enumerate(drawn):
        name = f"{number % 3}/{stem}.mp4" if number < 9 else f"{stem}{number}x.mp4"
        if name not in lengths:
            recordings.append(recording(profiles[profile], name, after))
            lengths[name] = length
    result = timelines(recordings, lengths)
    mixed = list(recordings)
    mixer.shuffle(mixed)
    assert timelines(mixed, lengths) == result
    placed = [piece.recording.name for line in result.timelines for piece in line.pieces]
    aside = [item.name for item in result.set_aside]
    assert sorted(placed + aside) == sorted(item.name for item in recordings)
    assert aside == sorted(aside, key=natural)
    for line in result.timelines:
        _check_line(line, lengths)
    for hole in result.missing:
        assert (hole.end - hole.start).total_seconds() >= 2
        inside = [r for r in recordings if r.table == hole.table and r.start and hole.start <= r.start < hole.end]
        assert all(r.path.stem.startswith("c_") for r in inside)  # the start of its series, not its own


def _check_line(line: Timeline, lengths: dict[str, float | None]) -> None:
    assert line.pieces and line.pieces[0].offset_s == 0
    known = [piece.offset_s for piece in line.pieces if piece.offset_s is not None]
    assert all(one < other for one, other in pairwise(known))
    starts = [piece.start for piece in line.pieces if piece.start is not None]
    assert starts == sorted(starts)
    for before, after in pairwise(line.pieces):
        assert before.recording.profile is after.recording.profile
        length = lengths[before.recording.name]
        if after.offset_s is not None and before.offset_s is not None and length and 1e-6 < length < 10**9:
            assert after.gap_before_s is not None
            length_s = Fraction(round(length * 1_000_000), 1_000_000)
            assert after.offset_s >= before.offset_s + length_s + after.gap_before_s
