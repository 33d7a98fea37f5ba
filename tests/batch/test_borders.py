"""A recording split where it happens to be split is audited as if it were whole."""

import json
import re
from dataclasses import replace
from pathlib import Path

import av
import pytest

from handreplay.batch.judging import Part, judge, keep_part
from handreplay.batch.reading import MEMORY, Job, Reading, kept_reading, read_recording
from handreplay.config import load_profile
from handreplay.core.events import CardPlaced, Round
from handreplay.core.logtext import event_fields
from handreplay.errors import FootageError, OutputError

SAMPLE = Path(__file__).parent.parent.parent / "sample_footage"
PROFILE = SAMPLE / "uth-sample.table.toml"


def split(recording: Path, folder: Path) -> list[Path]:
    """Two recordings out of one, cut at the key picture nearest its middle, without coding anything anew."""
    with av.open(str(recording)) as whole:
        stream = whole.streams.video[0]
        packets = [packet for packet in whole.demux(stream) if packet.size]
        keys = [number for number, packet in enumerate(packets) if packet.is_keyframe]
        cut = min(keys, key=lambda number: abs(number - len(packets) // 2))
        paths = [folder / "cam1_0001.mp4", folder / "cam1_0002.mp4"]
        for path, own in zip(paths, (packets[:cut], packets[cut:]), strict=True):
            with av.open(str(path), "w") as piece:
                copy, origin = piece.add_stream_from_template(stream), own[0].dts
                assert origin is not None
                for packet in own:
                    assert packet.pts is not None and packet.dts is not None
                    packet.pts, packet.dts, packet.stream = packet.pts - origin, packet.dts - origin, copy
                    piece.mux(packet)
    return paths


def read_all(recordings: list[Path], out: Path) -> list[Part]:
    parts: list[Part] = []
    for recording in recordings:
        memory = parts[-1].reading.memory if parts else None
        job = Job(recording=recording, profile=PROFILE, folder=out / "read" / recording.name, memory=memory)
        start = parts[-1].end_s if parts else 0.0
        run = out / "runs" / recording.name
        parts.append(Part(recording=recording, reading=read_recording(job), run=run, offset_s=start))
    return parts


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> list[Part]:
    folder = tmp_path_factory.mktemp("pieces")
    return read_all(split(SAMPLE / "uth-sample.mp4", folder), folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Part]:
    return read_all([SAMPLE / "uth-sample.mp4"], tmp_path_factory.mktemp("whole"))


def told(rounds: tuple[Round, ...]) -> list[dict[str, object]]:
    """The events as a log has them, without times and pictures, and without how likely each candidate is."""
    events = [event_fields(event) for round_ in rounds for event in round_.events]
    return [{name: value for name, value in one.items() if name not in ("t", "frame", "candidates")} for one in events]


def times(rounds: tuple[Round, ...]) -> list[float]:
    return [event.t for round_ in rounds for event in round_.events]


def test_a_round_over_the_border_is_the_round_of_the_whole_recording(pieces: list[Part], whole: list[Part]) -> None:
    profile = load_profile(PROFILE)
    split_up, at_once = judge(pieces, profile), judge(whole, profile)
    assert told(split_up[0].rounds) == told(at_once[0].rounds)
    assert times(split_up[0].rounds) == pytest.approx(times(at_once[0].rounds), abs=0.2)
    assert split_up[1].rounds == ()
    assert [(f.code, f.t) for f in split_up[0].audit.findings] == [(f.code, f.t) for f in at_once[0].audit.findings]
    [follows] = split_up[0].rounds[0].source["continues"]
    assert (follows["file"], follows["from_s"]) == ("cam1_0002.mp4", pieces[1].offset_s)
    assert split_up[0].rounds[0].end > pieces[0].reading.end_s


def test_its_pictures_come_from_both_recordings(pieces: list[Part]) -> None:
    profile = load_profile(PROFILE)
    judged = judge(pieces, profile)
    keep_part(pieces, 0, judged[0], profile)
    findings = json.loads((pieces[0].run / "findings.json").read_text())["findings"]
    shown = [evidence["t"] for finding in findings for evidence in finding["evidence"]]
    assert max(shown) > pieces[0].reading.end_s
    page = (pieces[0].run / "report.html").read_text()
    assert re.search(r"Round 1 goes on in cam1_0002\.mp4", page)


def test_a_recording_that_is_missing_between_two_is_a_hole_in_the_round(pieces: list[Part]) -> None:
    late = replace(pieces[1], offset_s=pieces[1].offset_s + 30.0, hole="no recording")
    [round_] = judge([pieces[0], late], load_profile(PROFILE))[0].rounds
    [gap] = [event for event in round_.events if type(event).__name__ == "FootageGap"]
    assert (gap.t, gap.until) == (round(pieces[0].end_s, 3), round(late.offset_s, 3))
    assert sum(isinstance(event, CardPlaced) for event in round_.events) >= 11


def job_of(part: Part) -> Job:
    return Job(recording=part.recording, profile=PROFILE, folder=part.reading.folder)


def test_nothing_is_read_twice(pieces: list[Part], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handreplay.batch.reading.view", lambda *_: pytest.fail("read again"))
    again: Reading = read_recording(job_of(pieces[0]))
    assert (again.sha256, again.end_s, again.tally.keys) == (
        pieces[0].reading.sha256,
        pieces[0].reading.end_s,
        pieces[0].reading.tally.keys,
    )


def test_what_was_read_is_read_again_when_anything_it_hangs_on_changes(pieces: list[Part], tmp_path: Path) -> None:
    job = job_of(pieces[0])
    assert kept_reading(job) is not None
    assert kept_reading(Job(recording=job.recording, profile=PROFILE, folder=tmp_path)) is None
    assert kept_reading(replace(job, memory=pieces[1].reading.folder / MEMORY)) is None
    assert kept_reading(replace(job, recording=pieces[1].recording)) is None
    other = tmp_path / "other.table.toml"
    other.write_text(PROFILE.read_text() + "\n# moved\n")
    assert kept_reading(replace(job, profile=other)) is None


def test_a_recording_that_cannot_be_used_leaves_nothing_that_passes_for_a_reading(tmp_path: Path) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(b"no pictures here" * 100)
    job = Job(recording=bad, profile=PROFILE, folder=tmp_path / "read")
    with pytest.raises(FootageError, match=r"bad\.mp4"):
        read_recording(job)
    assert kept_reading(job) is None


def test_a_damaged_file_of_observations_is_one_clear_line(pieces: list[Part], tmp_path: Path) -> None:
    (tmp_path / "observations.jsonl.gz").write_bytes(b"\x1f\x8b nothing")
    with pytest.raises(OutputError, match="is damaged"):
        list(replace(pieces[0].reading, folder=tmp_path).observations())
