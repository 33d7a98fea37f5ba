"""A run folder is whole or absent, never touches what is not its own, and has names that every disk can hold."""

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay import store
from handreplay.errors import OutputError

PROVENANCE = store.Provenance(
    version="1.2.3",
    source_file="cam12.mp4",
    source_sha256="ab" * 32,
    profile_file="uth.table.toml",
    profile_sha256="cd" * 32,
    models={"cards.onnx": "ef" * 32},
)
FIRST = {"findings.json": b"{}", "rounds.jsonl": b"", "evidence/r0001_PY02_1.jpg": b"jpeg"}
SECOND = {"findings.json": b'{"later": 1}', "rounds.jsonl": b"x\n"}


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != store.MANIFEST
    }


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    store.write_run(tmp_path / "out", FIRST, PROVENANCE)
    run = store.read_run(tmp_path / "out")
    assert content(run.folder) == FIRST
    assert run.manifest["source"] == {"file": "cam12.mp4", "sha256": "ab" * 32}
    assert run.manifest["tool"] == {"name": "handreplay", "version": "1.2.3", "models": {"cards.onnx": "ef" * 32}}


def test_the_same_run_twice_leaves_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        store.write_run(tmp_path / name, FIRST, PROVENANCE)
    assert (tmp_path / "a" / store.MANIFEST).read_bytes() == (tmp_path / "b" / store.MANIFEST).read_bytes()


def test_a_second_run_replaces_the_first_without_leftovers(tmp_path: Path) -> None:
    store.write_run(tmp_path, FIRST, PROVENANCE)
    store.write_run(tmp_path, SECOND, PROVENANCE)
    assert content(tmp_path) == SECOND
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["findings.json", "manifest.json", "rounds.jsonl"]


def test_a_note_laid_beside_a_finished_run_survives_the_next_run(tmp_path: Path) -> None:
    store.write_run(tmp_path, FIRST, PROVENANCE)
    (tmp_path / "supervisor notes.txt").write_text("called the pit")
    store.write_run(tmp_path, SECOND, PROVENANCE)
    assert (tmp_path / "supervisor notes.txt").read_text() == "called the pit"


@pytest.mark.parametrize("name", ["holiday.jpg", "findings.json", "rounds.jsonl"])
def test_a_folder_with_other_content_is_refused_untouched(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match="already holds other files"):
        store.write_run(tmp_path, FIRST, PROVENANCE)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


def test_a_stranger_under_a_name_that_the_run_needs_is_not_overwritten(tmp_path: Path) -> None:
    store.write_run(tmp_path, SECOND, PROVENANCE)
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(OutputError, match="not from an earlier audit"):
        store.write_run(tmp_path, {**SECOND, "report.html": b"new"}, PROVENANCE)
    assert (tmp_path / "report.html").read_text() == "mine"


def test_a_file_in_the_way_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    for target in (tmp_path / "out", tmp_path / "out" / "deeper"):
        with pytest.raises(OutputError, match="out") as caught:
            store.check_writable(target)
        assert "\n" not in str(caught.value)


def test_of_a_run_that_cannot_be_written_no_folder_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(27, "File too large")

    monkeypatch.setattr(store, "_write", full)
    with pytest.raises(OutputError, match="File too large"):
        store.write_run(tmp_path / "out", FIRST, PROVENANCE)
    assert not (tmp_path / "out").exists()


def test_a_name_that_is_too_long_is_an_output_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        store.check_writable(tmp_path / ("x" * 300))


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs a folder that nobody can write to")
def test_an_unwritable_place_is_found_before_the_work_starts() -> None:
    with pytest.raises(OutputError, match="cannot write"):
        store.check_writable(Path("/proc/handreplay"))


def test_checking_leaves_no_trace(tmp_path: Path) -> None:
    store.check_writable(tmp_path / "new" / "deep")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_former_run_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write_run(tmp_path, FIRST, PROVENANCE)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        store.write_run(tmp_path, SECOND, PROVENANCE)
    assert content(store.read_run(tmp_path).folder) == FIRST


@pytest.mark.parametrize("renames_before_the_kill", [0, 1, 2])
def test_a_run_killed_while_taking_its_place_never_passes_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames_before_the_kill: int
) -> None:
    store.write_run(tmp_path, FIRST, PROVENANCE)
    rename, done = os.replace, 0

    def killed(source: Path, target: Path) -> None:
        nonlocal done
        if done == renames_before_the_kill:
            raise SystemExit
        done += 1
        rename(source, target)

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(SystemExit):
        store.write_run(tmp_path, SECOND, PROVENANCE)
    monkeypatch.undo()
    with pytest.raises(OutputError, match="no finished run"):
        store.read_run(tmp_path)
    store.write_run(tmp_path, FIRST, PROVENANCE)
    assert content(store.read_run(tmp_path).folder) == FIRST


def test_an_altered_result_is_noticed(tmp_path: Path) -> None:
    store.write_run(tmp_path, FIRST, PROVENANCE)
    (tmp_path / "findings.json").write_text("[]")
    with pytest.raises(OutputError, match="altered"):
        store.read_run(tmp_path)


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside", "a/b/c.txt", "..", "evidence/../../x"])
def test_a_manifest_cannot_point_outside_its_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("mine")
    manifest = {"schema": store.SCHEMA, "files": {name: {"sha256": "", "bytes": 0}}}
    (folder / store.MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(OutputError):
        store.write_run(folder, FIRST, PROVENANCE)
    assert (tmp_path / "outside.txt").read_text() == "mine"


def test_a_linked_evidence_folder_is_not_followed(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    elsewhere.mkdir()
    store.write_run(folder, SECOND, PROVENANCE)
    (folder / "evidence").symlink_to(elsewhere)
    with pytest.raises(OutputError, match="link"):
        store.write_run(folder, FIRST, PROVENANCE)
    assert list(elsewhere.iterdir()) == []


def test_one_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write_file(tmp_path / "page.html", b"old")

    def refused(source: str, target: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OutputError, match="Permission denied"):
        store.write_file(tmp_path / "page.html", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("page.html", b"old")]


@pytest.mark.skipif(os.name == "nt", reason="no umask")
@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_every_file_has_the_mode_that_the_umask_gives(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store.write_file(tmp_path / "batch.json", b"{}")
        store.put_file(tmp_path / "review.head", b"{}", synced=True)
        store.write_run(tmp_path / "run", FIRST, PROVENANCE)
    finally:
        os.umask(before)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2 + len(FIRST) + 1
    assert {path.stat().st_mode & 0o777 for path in files} == {0o666 & ~umask}


def test_table_names_that_windows_cannot_hold_get_names_of_their_own() -> None:
    assert store.safe_names(["AUX", "Pit 1: BJ", "pit 1: bj", "com1.table", "-vn", "  ", "Straße 7"]) == {
        "AUX": "_AUX",
        "Pit 1: BJ": "Pit 1_ BJ",
        "pit 1: bj": "pit 1_ bj-2",
        "com1.table": "_com1.table",
        "-vn": "_-vn",
        "  ": "unnamed",
        "Straße 7": "Straße 7",
    }


@given(st.lists(st.text(max_size=300), max_size=12))
def test_safe_names_are_distinct_on_a_disk_without_capitals(names: list[str]) -> None:
    given_names = store.safe_names(names)
    assert set(given_names) == set(names)
    assert len({choice.casefold() for choice in given_names.values()}) == len(given_names)
    for choice in given_names.values():
        assert 0 < len(choice.encode()) < 160
        assert choice.rstrip(" .") == choice and not set(choice) & set('<>:"/\\|?*%\n\0')


def test_a_manifest_with_one_byte_changed_is_refused(tmp_path: Path) -> None:
    store.write_run(tmp_path, SECOND, PROVENANCE)
    path = tmp_path / store.MANIFEST
    for old, new in ((b"1.2.3", b"1.2.4"), (b"{\n", b"{ "), (b"cam12", b"cam13")):
        whole = path.read_bytes()
        path.write_bytes(whole.replace(old, new, 1))
        with pytest.raises(OutputError, match="altered"):
            store.read_run(tmp_path)
        path.write_bytes(whole)
    store.read_run(tmp_path)


def test_an_audit_never_takes_the_place_of_a_run_that_people_have_entered_things_about(tmp_path: Path) -> None:
    store.write_run(tmp_path, SECOND, PROVENANCE)
    (tmp_path / store.REVIEW_LOG).write_text("entries")
    with pytest.raises(OutputError, match="name another folder for a new audit"):
        store.check_writable(tmp_path)
    with pytest.raises(OutputError, match="name another folder for a new audit"):
        store.write_run(tmp_path, FIRST, PROVENANCE)
    assert content(tmp_path) == {**SECOND, store.REVIEW_LOG: b"entries"}


def test_of_two_audits_into_one_folder_at_once_one_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    contents = [{f"evidence/{n}.jpg": bytes([who]) * 500 for n in range(40)} | {f"{who}.json": b""} for who in range(4)]
    with ThreadPoolExecutor(len(contents)) as pool:
        for run in pool.map(lambda files: store.write_run(folder, files, PROVENANCE), contents):
            assert run.folder == folder
    assert set(store.read_run(folder).manifest["files"]) in [set(files) for files in contents]
    assert {path.name for path in folder.iterdir()} - {"evidence", "manifest.json"} < {f"{n}.json" for n in range(4)}
