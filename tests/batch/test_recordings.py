"""Which recordings a batch has, whose table they show, and when they began."""

import os
import random
import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from batch_profiles import write_profile
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handreplay.batch.manifest import read_manifest
from handreplay.batch.names import Series, natural, series_of, start_in, utc
from handreplay.batch.recordings import Found, find_recordings
from handreplay.batch.tables import load_tables, table_folders
from handreplay.errors import FootageError, ProfileError

NEW_YORK = ZoneInfo("America/New_York")


def footage(folder: Path, *names: str) -> Path:
    """Files that are no more than named like recordings."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.fsencode(name))
    return folder


def tables_of(found: Found) -> dict[str, str]:
    return {recording.name: recording.profile.path.name.removesuffix(".table.toml") for recording in found.recordings}


def reasons(found: Found) -> dict[str, str]:
    return {aside.name: aside.reason for aside in found.set_aside}


def manifest(tmp_path: Path, text: str | bytes) -> Found:
    """What a manifest in tmp_path finds, with the tables UTH-07 and TCP-02."""
    for table in ("UTH-07", "TCP-02"):
        write_profile(tmp_path / "tables", table)
    path = tmp_path / "night.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return find_recordings(path, tmp_path / "tables")


# Tables


def test_a_folder_named_like_a_table_holds_its_recordings(tmp_path: Path) -> None:
    for table in ("UTH-07", "TCP-02"):
        write_profile(tmp_path / "tables", table)
    footage(tmp_path / "night", "UTH-07/a.mp4", "pit 1/TCP-02/monday/b.mkv", "tcp-02/c.ts")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert tables_of(found) == {
        "UTH-07/a.mp4": "UTH-07",
        "pit 1/TCP-02/monday/b.mkv": "TCP-02",
        "tcp-02/c.ts": "TCP-02",
    }
    assert not found.set_aside


def test_tables_with_names_that_no_disk_holds_are_found_by_their_safe_names(tmp_path: Path) -> None:
    for stem, table in (("one", "Pit 1: BJ"), ("two", "pit 1: bj"), ("three", "AUX")):
        write_profile(tmp_path / "tables", stem, table)
    folders = table_folders(load_tables(tmp_path / "tables").profiles)
    assert len({name.casefold() for name in folders.values()}) == 3
    for path, name in folders.items():
        footage(tmp_path / "night", f"{name}/{path.name[:3]}.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert {recording.name.split("/")[0]: recording.table for recording in found.recordings} == {
        folders[profile.path]: profile.table.id for profile in found.profiles
    }


def test_the_beginning_of_a_name_tells_the_table_and_the_longest_id_wins(tmp_path: Path) -> None:
    for table in ("UTH-1", "UTH-1-B"):
        write_profile(tmp_path / "tables", table)
    footage(tmp_path / "night", "UTH-1_0001.mp4", "UTH-1-B_0001.mp4", "UTH-10_0001.mp4", "uth-1.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert tables_of(found) == {"UTH-1_0001.mp4": "UTH-1", "UTH-1-B_0001.mp4": "UTH-1-B", "uth-1.mp4": "UTH-1"}
    assert "cannot be told" in reasons(found)["UTH-10_0001.mp4"]
    assert "UTH-1, UTH-1-B" in reasons(found)["UTH-10_0001.mp4"]


def test_with_one_profile_all_recordings_are_its(tmp_path: Path) -> None:
    path = write_profile(tmp_path, "UTH-07")
    footage(tmp_path / "night", "anything.mp4", "cam/two.MP4")
    for tables in (path, tmp_path):
        found = find_recordings(tmp_path / "night", tables)
        assert set(tables_of(found)) == {"anything.mp4", "cam/two.MP4"}


def test_a_profile_beside_its_recording_wins_though_tables_share_an_id(tmp_path: Path) -> None:
    for name in ("clip-01", "clip-02"):
        write_profile(tmp_path, name, "UTH-12")
        write_profile(tmp_path / "more", name, "UTH-12")
    footage(tmp_path, "clip-01.mp4", "clip-02.mp4", "more/clip-02.mp4")
    found = find_recordings(tmp_path, tmp_path)
    assert {recording.name: recording.profile.path for recording in found.recordings} == {
        name: tmp_path / name.replace(".mp4", ".table.toml")
        for name in ("clip-01.mp4", "clip-02.mp4", "more/clip-02.mp4")
    }
    assert len(set(table_folders(found.profiles).values())) == 4


def test_two_profiles_of_one_table_are_refused_when_nothing_says_which_is_meant(tmp_path: Path) -> None:
    for name in ("old", "new"):
        write_profile(tmp_path / "tables", name, "UTH-12")
    footage(tmp_path / "night", "UTH-12/a.mp4")
    with pytest.raises(ProfileError, match=r"new\.table\.toml and .*old\.table\.toml: both are of table \"UTH-12\""):
        find_recordings(tmp_path / "night", tmp_path / "tables")


def test_a_folder_and_a_name_that_contradict_each_other_are_not_weighed(tmp_path: Path) -> None:
    for table in ("UTH-07", "TCP-02"):
        write_profile(tmp_path / "tables", table)
    footage(tmp_path / "night", "UTH-07/TCP-02_0001.mp4", "UTH-07/TCP-02/x.mp4", "UTH-07/UTH-07_0001.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert tables_of(found) == {"UTH-07/UTH-07_0001.mp4": "UTH-07"}
    assert "folder says table UTH-07, its name TCP-02" in reasons(found)["UTH-07/TCP-02_0001.mp4"]
    assert "more than one table" in reasons(found)["UTH-07/TCP-02/x.mp4"]


def test_the_folder_that_is_named_may_itself_be_a_tables(tmp_path: Path) -> None:
    for table in ("UTH-07", "TCP-02"):
        write_profile(tmp_path / "tables", table)
    footage(tmp_path / "TCP-02", "a.mp4")
    assert tables_of(find_recordings(tmp_path / "TCP-02", tmp_path / "tables")) == {"a.mp4": "TCP-02"}


def test_a_profile_that_cannot_be_used_is_named_and_its_recordings_are_set_aside(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH")
    (tmp_path / "tables" / "UTH-08.table.toml").write_text("schema = 1", "utf-8")
    footage(tmp_path / "night", "UTH-08.mp4", "UTH-08/a.mp4", "UTH-08_0001.mp4", "UTH_0001.mp4", "other.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert tables_of(found) == {"UTH_0001.mp4": "UTH"}
    assert all("UTH-08.table.toml" in reason for reason in reasons(found).values())
    assert len(found.set_aside) == 4
    assert "UTH-08.table.toml" in found.remarks[0]


def test_without_any_profile_that_can_be_used_the_call_is_refused(tmp_path: Path) -> None:
    footage(tmp_path / "night", "a.mp4")
    with pytest.raises(ProfileError, match="holds no table profile"):
        find_recordings(tmp_path / "night", tmp_path / "night")
    (tmp_path / "bad.table.toml").write_text("[", "utf-8")
    with pytest.raises(ProfileError, match="not valid TOML"):
        find_recordings(tmp_path / "night", tmp_path)


def test_a_profile_that_is_no_ordinary_file_is_named_and_nobody_waits_for_it(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH")
    os.mkfifo(tmp_path / "tables" / "UTH-08.table.toml")
    footage(tmp_path / "night", "UTH-08.mp4", "UTH-09.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert "is no ordinary file" in reasons(found)["UTH-08.mp4"]
    assert "is no ordinary file" in found.remarks[0]


def test_a_profile_without_a_camera_serves_no_footage(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH-07", camera=False)
    footage(tmp_path / "night", "a.mp4")
    assert "has no [camera] section" in reasons(find_recordings(tmp_path / "night", tmp_path / "tables"))["a.mp4"]


# Folders


def test_a_bad_file_is_set_aside_by_name_and_side_cars_are_passed_over(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    footage(
        tmp_path / "night",
        "good1.mp4",
        "good2.mp4",
        "._good1.mp4",
        ".DS_Store",
        "Thumbs.db",
        "good1.idx",
        "@eaDir/x.mp4",
    )
    (tmp_path / "night" / "empty.mp4").touch()
    (tmp_path / "night" / "folder.mp4").mkdir()
    os.mkfifo(tmp_path / "night" / "pipe.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert set(tables_of(found)) == {"good1.mp4", "good2.mp4"}
    assert reasons(found) == {"empty.mp4": "empty file; copy or export it again", "pipe.mp4": "is no ordinary file"}
    assert found.ignored == 5


def test_what_is_set_aside_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    (tmp_path / "empty_20261130_061000Z.mp4").touch()
    (aside,) = manifest(tmp_path, "file,table,dealer\nempty_20261130_061000Z.mp4,UTH-07,Ana\n").set_aside
    assert (aside.table, aside.dealer, aside.start) == ("UTH-07", "Ana", datetime(2026, 11, 30, 6, 10, tzinfo=UTC))
    assert aside.reason == "manifest line 2: empty file; copy or export it again"


def test_links_are_not_followed_out_of_the_folder(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    night = footage(tmp_path / "night", "day/good.mp4")
    footage(tmp_path / "elsewhere", "far.mp4")
    (night / "far.mp4").symlink_to(tmp_path / "elsewhere" / "far.mp4")
    (night / "away").symlink_to(tmp_path / "elsewhere")
    (night / "gone.mp4").symlink_to(night / "nothing.mp4")
    (night / "again").symlink_to(night)
    (night / "near.mp4").symlink_to(night / "day" / "good.mp4")
    os.link(night / "day" / "good.mp4", night / "twin.mp4")
    found = find_recordings(night, tmp_path / "tables")
    assert set(tables_of(found)) == {"twin.mp4"} and found.ignored == 2
    assert set(reasons(found)) == {"far.mp4", "away", "gone.mp4", "day/good.mp4"}
    assert reasons(found)["day/good.mp4"] == "is the same file as twin.mp4; it is audited once"


def test_results_of_an_earlier_batch_are_no_recordings(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    footage(tmp_path / "night", "a.mp4", "out/batch.json", "out/runs/UTH-07/a.mp4/clip.mp4")
    assert set(tables_of(find_recordings(tmp_path / "night", tmp_path / "tables"))) == {"a.mp4"}


def test_a_name_that_is_no_text_is_set_aside_in_writable_words(tmp_path: Path) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    footage(tmp_path / "night", "Стол.mp4", "\udcff.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert set(tables_of(found)) == {"Стол.mp4"}
    assert reasons(found) == {"\\udcff.mp4": "its name is not UTF-8; rename it"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "no such folder or manifest"),
        ("empty", "no recordings in it"),
        ("one.mp4", "is one recording"),
        ("pipe.csv", "no ordinary file"),
    ],
)
def test_a_call_without_recordings_is_refused(tmp_path: Path, name: str, words: str) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    footage(tmp_path, "one.mp4")
    with pytest.raises(FootageError, match=words):
        find_recordings(tmp_path / name, tmp_path / "tables")


def test_recordings_come_in_natural_order_however_the_disk_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    names = ["cam2.mp4", "cam10.mp4", "b/1.mp4", "b/02.mp4", "b/2.mp4", "a/1.mp4"]
    footage(tmp_path / "night", *names)
    plain, walk = find_recordings(tmp_path / "night", tmp_path / "tables"), os.walk

    def shuffled(*args, **options):  # type: ignore[no-untyped-def]
        for place, folders, files in walk(*args, **options):
            random.Random(3).shuffle(folders)
            random.Random(4).shuffle(files)
            yield place, folders, files

    monkeypatch.setattr(os, "walk", shuffled)
    assert find_recordings(tmp_path / "night", tmp_path / "tables") == plain
    assert [recording.name for recording in plain.recordings] == [
        "a/1.mp4", "b/1.mp4", "b/02.mp4", "b/2.mp4", "cam2.mp4", "cam10.mp4"
    ]  # fmt: skip


# Manifests


def test_a_manifest_names_file_table_start_and_dealer(tmp_path: Path) -> None:
    footage(tmp_path, "x/one.mp4", "two.bin", "TCP-02/three.mp4")
    found = manifest(
        tmp_path,
        "\ufeffDealer;Start;FILE; Ta ble;\r\n"
        '"Núñez; Ana";2026-11-30T01:10:00;x\\one.mp4;UTH-07;\r\n'
        "\r\n"
        ";2026-11-30 06:10:00Z;two.bin;UTH-07.table.toml;seen\r\n"
        ";;TCP-02/three.mp4\r\n",
    )
    assert [(r.name, r.table, r.start, r.dealer) for r in found.recordings] == [
        ("TCP-02/three.mp4", "TCP-02", None, None),
        ("two.bin", "UTH-07", datetime(2026, 11, 30, 6, 10, tzinfo=UTC), None),
        ("x\\one.mp4", "UTH-07", datetime(2026, 11, 30, 6, 10, tzinfo=UTC), "Núñez; Ana"),
    ]
    assert not found.set_aside and not found.remarks


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a.mp4,BJ-01,,", 'no table profile for "BJ-01"; known tables: TCP-02, UTH-07'),
        ("a.mp4,,,", "its table cannot be told"),
        ("gone.mp4,UTH-07,,", "no such file"),
        ("empty.mp4,UTH-07,,", "empty file"),
        (".,UTH-07,,", "is a folder"),
        (",UTH-07,,", "names no file"),
        ("a.mp4,UTH-07,yesterday,", 'start: "yesterday" is no date with a time'),
        ("a.mp4,UTH-07,2026-11-30,", "is no date with a time"),
        ("a.mp4,UTH-07,11/30/2026 1:10,", "is no date with a time"),
        ("a.mp4,UTH-07,0001-01-01T00:00:00+10:00,", "is no date with a time"),
        ("a.mp4,UTH-07,2024-11-03T01:30:00,", "came twice in America/New_York.* give the offset, -04:00 or -05:00"),
        ("a.mp4,UTH-07,2024-03-10T02:30:00,", "never was in America/New_York"),
        ("good.mp4,UTH-07,,", "is the same file as ./good.mp4; it is audited once"),
        ("a.mp4,UTH-07,,Núñez, Ana", "more cells than the first line has columns"),
        ('a.mp4,UTH-07,,"Ann\nb.mp4,UTH-07,,"', "a cell of several lines; look for a quote"),
    ],
)
def test_a_row_that_cannot_be_used_is_set_aside_with_its_line(tmp_path: Path, row: str, reason: str) -> None:
    footage(tmp_path, "a.mp4", "good.mp4")
    (tmp_path / "empty.mp4").touch()
    text = f"file,table,start,dealer\n./good.mp4,UTH-07,,\n{row}\n"
    found = manifest(tmp_path, text)
    assert [recording.name for recording in found.recordings] == ["./good.mp4"]
    (aside,) = found.set_aside
    assert re.match(f"manifest line 3: .*{reason}", aside.reason)


def test_a_file_twice_is_audited_once_and_both_rows_keep_a_name(tmp_path: Path) -> None:
    footage(tmp_path, "a.mp4")
    found = manifest(tmp_path, "file,table\na.mp4,BJ\na.mp4,UTH-07\na.mp4,TCP-02\n")
    assert {r.name: r.table for r in found.recordings} == {"a.mp4 (line 3)": "UTH-07"}
    assert set(reasons(found)) == {"a.mp4", "a.mp4 (line 4)"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", 'no column "file"'),
        (b"name,table\na.mp4,UTH-07\n", 'no column "file"'),
        (b"name,table\na.mp4,UTH-07\n", 'is it "name" \\(rename it "file"\\)'),
        (b"begin,table\n1,UTH-07\n", 'no column "file" in its first line; a manifest'),
        (b"file,table,File\n", 'column "file" twice'),
        (b"file,Table,begin,delaer\n", '"begin" \\(rename it "start"\\), "delaer" \\(rename it "dealer"\\); known col'),
        (b"file,tabel\n", 'unknown column "tabel"'),
        (b"file,Start Time\n", '"Start Time" \\(rename it "start"'),
        (b"file,Dealer ID\n", '"Dealer ID" \\(rename it "dealer"'),
        (b"file,croupier\n", '"croupier" \\(rename it "dealer"'),
        (b"file,table\n", "names no recordings"),
        (b"file\n\x81\x8d\n", "no text that can be read"),
        (b"\x89PNG\0\0", "no text that can be read"),
        (b"file\na\0.mp4\n", "no text that can be read"),
        (b"\xff\xfea", "no text that can be read"),
        (b"file\n" + b"a" * 200_000 + b"\n", "line 2 is not CSV"),
        (b'file,table\na.mp4,"UTH-07\nb.mp4,UTH-07\n', "line 2 is not CSV"),  # the rest would be one cell
    ],
)
def test_what_is_no_manifest_is_refused_in_one_line(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(FootageError, match=words) as refusal:
        manifest(tmp_path, content)
    assert "\n" not in str(refusal.value)


def test_columns_of_ones_own_are_allowed_and_named(tmp_path: Path) -> None:
    footage(tmp_path, "a.mp4")
    found = manifest(
        tmp_path, "file,table,Seen  by,file size,start,time,\na.mp4,UTH-07,Ann,17,2026-11-30 01:10,early,\n"
    )
    assert found.recordings[0].start == datetime(2026, 11, 30, 6, 10, tzinfo=UTC)
    (remark,) = found.remarks
    assert 'nothing is taken from "Seen by", "file size", "time"; ' in remark
    assert remark.endswith("(known: file, table, start, dealer)")


def test_a_manifest_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handreplay.batch.manifest.MAX_BYTES", 10)
    with pytest.raises(FootageError, match="larger than"):
        manifest(tmp_path, "file\n" + "a" * 20)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8"])
def test_manifests_as_spreadsheets_save_them_are_read(tmp_path: Path, encoding: str) -> None:
    footage(tmp_path, "Türe.mp4")
    found = manifest(tmp_path, "sep=\t\nfile\ttable\nTüre.mp4\tUTH-07\ngone.mp4\tUTH-07\n".encode(encoding))
    assert set(tables_of(found)) == {"Türe.mp4"}
    assert found.set_aside[0].reason.startswith("manifest line 4: ")
    assert bool(found.remarks) == (encoding == "cp1252")


@settings(deadline=None)
@given(st.sampled_from([b"", b"file,table,start,dealer\n"]), st.binary(max_size=300))
@example(b"file\n", b"\x00")
@example(b"file\n", b'"a\n')
def test_no_bytes_make_a_manifest_fail_in_another_way(
    tmp_path_factory: pytest.TempPathFactory, header: bytes, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(header + content)
    try:
        rows, _ = read_manifest(path)
    except FootageError as error:
        assert "any.csv" in str(error) and "\n" not in str(error)
    else:
        lines = [row.line for row in rows]
        assert lines == sorted(set(lines)) and min(lines, default=2) >= 2


# Starts


@pytest.mark.parametrize(
    ("stem", "local"),
    [
        ("cam12_20261130_011000", "2026-11-30T01:10:00-05:00"),
        ("NVR_ch1_main_20261130011000_20261130012000", "2026-11-30T01:10:00-05:00"),
        ("2026-11-30T01-10-00", "2026-11-30T01:10:00-05:00"),
        ("2026-11-30_01.10.00", "2026-11-30T01:10:00-05:00"),
        ("2026-11-30 at 01.10.00 PM", "2026-11-30T13:10:00-05:00"),
        ("UTH-07 2026-07-01 12-00-00 AM", "2026-07-01T00:00:00-04:00"),
        ("20261130T061000Z", "2026-11-30T01:10:00-05:00"),
        ("20261130T071000+0100", "2026-11-30T01:10:00-05:00"),
        ("20261130T011000-0500_0003", "2026-11-30T01:10:00-05:00"),
        ("20261130_011000-0100", "2026-11-30T01:10:00-05:00"),
        ("20261130011000250", "2026-11-30T01:10:00.250-05:00"),
    ],
)
def test_a_name_with_a_full_date_and_time_tells_the_start(stem: str, local: str) -> None:
    assert start_in(stem, NEW_YORK) == datetime.fromisoformat(local)


@pytest.mark.parametrize(
    "stem",
    ["cam12_0001", "20261130", "20261130_0110", "20261399_011000", "20261130_256000", "1202611300110001", "uth-01"],
)
def test_a_name_without_a_full_date_and_time_tells_none(stem: str) -> None:
    assert start_in(stem, NEW_YORK) is None


NO_TIMES = (
    ("20261130_0001", "20261130_0002"),
    ("20261130_0110", "20261130_0111", "20261130_0315"),
    ("20261130_0059", "20261130_0060", "20261130_0110"),
    ("20261130_0110", "20261201_0111"),
    ("20261130_0030",),
    ("2026-11-30_01-10-0003",),
    ("20261130_1920x1080",),
    ("2026-11-30_1080p",),
    ("20261130",),
    ("20261130_256000",),
)


@pytest.mark.parametrize(
    ("stem", "local"),
    [
        ("UTH-07_20261130_0110", "2026-11-30T01:10:00-05:00"),
        ("2026-11-30_01-10", "2026-11-30T01:10:00-05:00"),
        ("20261130 0510", "2026-11-30T05:10:00-05:00"),
        ("cam12_202611300110_202611300120", "2026-11-30T01:10:00-05:00"),
        ("20261130_0110-0120", "2026-11-30T01:10:00-05:00"),
        ("20261130_0110_0003", "2026-11-30T01:10:00-05:00"),
        ("2026-11-30 01.10 PM", "2026-11-30T13:10:00-05:00"),
        ("20261130T0001", "2026-11-30T00:01:00-05:00"),
        ("20261130T0610Z", "2026-11-30T01:10:00-05:00"),
        ("20261130T0110-0500", "2026-11-30T01:10:00-05:00"),
    ],
)
def test_a_name_with_a_date_hour_and_minute_tells_the_start_to_the_minute(
    tmp_path: Path, stem: str, local: str
) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    (found,) = [find_recordings(footage(tmp_path / "night", f"{stem}.mp4"), tmp_path / "tables")]
    (recording,) = found.recordings
    assert recording.start == datetime.fromisoformat(local) and recording.to_the_minute
    (remark,) = found.remarks
    assert remark.startswith(f"{stem}.mp4: the start is read from the name to the minute only")


@pytest.mark.parametrize("stems", NO_TIMES)
def test_digits_behind_a_date_that_may_number_pieces_tell_no_start_and_the_first_is_named(
    tmp_path: Path, stems: tuple[str, ...]
) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    found = find_recordings(footage(tmp_path / "night", *(f"{stem}.mp4" for stem in stems)), tmp_path / "tables")
    assert {recording.start for recording in found.recordings} == {None}
    (remark,) = found.remarks
    more = f" and {len(stems) - 1} more" if len(stems) > 1 else ""
    assert remark.startswith(f"{stems[0]}.mp4{more}: a date stands in the name and no time that is certain")
    assert "in a manifest" in remark and "seconds" in remark


def test_a_count_in_one_folder_makes_no_doubt_of_the_times_in_another(tmp_path: Path) -> None:
    for table in ("UTH-07", "TCP-02"):
        write_profile(tmp_path / "tables", table)
    names = ("UTH-07/20261130_0110.mp4", "UTH-07/20261130_0240.mp4", "UTH-07/cam_20261130_011000.mp4")
    counted = ("TCP-02/20261130_0110.mp4", "TCP-02/20261130_0111.mp4")
    found = find_recordings(footage(tmp_path / "night", *names, *counted), tmp_path / "tables")
    assert {r.name: (r.start is not None, r.to_the_minute) for r in found.recordings} == {
        **dict.fromkeys(names, (True, True)),
        **dict.fromkeys(counted, (False, False)),
        names[2]: (True, False),
    }
    assert len(found.remarks) == 2


def test_a_start_in_a_manifest_is_exact_whatever_the_name_says(tmp_path: Path) -> None:
    footage(tmp_path, "20261130_0110.mp4")
    found = manifest(tmp_path, "file,table,start\n20261130_0110.mp4,UTH-07,2026-11-30T02:00:07\n")
    (recording,) = found.recordings
    assert recording.start == datetime(2026, 11, 30, 7, 0, 7, tzinfo=UTC) and not recording.to_the_minute
    assert not found.remarks


@pytest.mark.parametrize(
    ("stem", "words"),
    [
        ("cam_20241103_013000", "came twice"),
        ("cam_20240310_023000", "never was"),
        ("cam_20241103_0130", "came twice"),
        ("export_20261201_120000_cam_20261130_011000", "not the earliest"),
    ],
)
def test_a_start_that_would_have_to_be_guessed_stays_unknown_with_a_remark(
    tmp_path: Path, stem: str, words: str
) -> None:
    write_profile(tmp_path / "tables", "UTH-07")
    footage(tmp_path / "night", f"{stem}.mp4")
    found = find_recordings(tmp_path / "night", tmp_path / "tables")
    assert found.recordings[0].start is None
    assert len(found.remarks) == 1 and stem in found.remarks[0] and words in found.remarks[0]


@given(st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1)))
@example(datetime(2024, 11, 3, 1, 30))
@example(datetime(2024, 3, 10, 2, 30))
def test_a_local_time_is_either_one_moment_or_refused(local: datetime) -> None:
    moments = {local.replace(tzinfo=NEW_YORK, fold=fold).astimezone(UTC) for fold in (0, 1)}
    shown = {moment for moment in moments if moment.astimezone(NEW_YORK).replace(tzinfo=None) == local}
    if len(shown) == 1:
        assert utc(local, NEW_YORK) in shown
    else:
        with pytest.raises(ValueError, match="came twice" if shown else "never was"):
            utc(local, NEW_YORK)


# Names


@pytest.mark.parametrize(
    ("stem", "series"),
    [
        ("cam12_0001", Series("cam12_#", 1)),
        ("cam12_0010_main", Series("cam12_#_main", 10)),
        ("20261130_011000_0002", Series("20261130_011000_#", 2)),
        ("uth-02", Series("uth-#", 2)),
        ("cam2", None),
        ("hall ch 3", None),
        ("20261130_011000", None),
        ("night 2026-11-30", None),
        ("clip (2)", None),
        ("clip", None),
        ("serial 12345678", None),
    ],
)
def test_the_last_number_of_a_name_counts_pieces_unless_it_counts_something_else(
    stem: str, series: Series | None
) -> None:
    assert series_of(stem) == series


@given(st.data())
def test_natural_order_is_the_same_for_any_order_of_names(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.text("aB019_./٣", max_size=8), unique=True, max_size=8))
    mixed = data.draw(st.permutations(names))
    assert sorted(names, key=natural) == sorted(mixed, key=natural)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_natural_order_goes_by_numbers(one: int, other: int) -> None:
    if one != other:
        assert (natural(f"cam{one}.mp4") < natural(f"cam{other}.mp4")) == (one < other)
