"""Triage on real pictures: key pictures first, which accuse nobody, and a close look at the rounds that ask for one."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from handreplay import pipeline, rules
from handreplay.batch.reading import Job, kept_reading, read_recording
from handreplay.config import load_profile
from handreplay.core.readings import Known
from handreplay.core.roundlog import parse_round, round_line
from handreplay.footage import Frame, Tally, key_pictures, pictures
from handreplay.footage_keys import MOST_BETWEEN
from handreplay.pipeline import AuditResult, audit
from handreplay.report.run_files import coverage_of
from handreplay.rules.triage import Span, joined
from tests.clips import record

SAMPLE = Path(__file__).parent.parent / "sample_footage"
RECORDING, PROFILE = SAMPLE / "uth-sample.mp4", SAMPLE / "uth-sample.table.toml"


@pytest.fixture(scope="module")
def result() -> AuditResult:
    return audit(RECORDING, load_profile(PROFILE), triage=True)


@pytest.fixture(scope="module")
def of_keys_alone() -> AuditResult:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pipeline, "close_looks", lambda *_, **__: ())
        return audit(RECORDING, load_profile(PROFILE), triage=True)


def test_cards_that_lay_open_are_read_from_key_pictures(of_keys_alone: AuditResult) -> None:
    [round_] = of_keys_alone.rounds
    faces = [card.identity.value for card in round_.rack if isinstance(card.identity, Known)]
    shown = {"Qs", "Jd", "9h", "Qc", "4d", "4c", "2d", "7h", "Js", "Qh", "Kh"}
    assert len(faces) >= 9 and set(faces) <= shown


def test_key_pictures_alone_accuse_nobody_and_it_says_what_was_not_looked_at(of_keys_alone: AuditResult) -> None:
    assert {finding.status for finding in of_keys_alone.audit.findings} == {"review"}
    assert "PY02" in {finding.code for finding in of_keys_alone.audit.findings}
    assert of_keys_alone.exit_code == 3
    assert of_keys_alone.passed_over == (Span(0.0, float(of_keys_alone.tally.seconds)),)
    told = coverage_of(of_keys_alone.tally, of_keys_alone.profile, of_keys_alone.passed_over).remarks
    assert any(line.startswith("Triage: of ") and "key pictures" in line for line in told)
    assert [one.code for one in of_keys_alone.audit.findings if "Triage looked" in one.message] == ["FT01"]


def test_of_what_was_looked_at_closely_it_is_not_said_that_it_was_passed_over(
    result: AuditResult, of_keys_alone: AuditResult
) -> None:
    whole = replace(result.tally, passed_over_microseconds=0)
    assert result.tally.passed_over_microseconds == sum(round(span.seconds * 1e6) for span in result.passed_over)
    assert coverage_of(result.tally, result.profile, result.passed_over) == coverage_of(
        whole, result.profile, result.passed_over
    )
    rest = (Span(38.5, 55.0),)  # key pictures lie four seconds apart
    told = coverage_of(of_keys_alone.tally, result.profile, rest).remarks[-1]
    assert told.startswith("Triage: of 16 of 55 seconds only 4 key pictures were looked at.")
    told = coverage_of(of_keys_alone.tally, result.profile, (Span(38.5, 41.0),)).remarks[-1]
    assert "only one key picture was looked at" in told


def test_where_no_picture_is_no_key_picture_was_looked_at(tmp_path: Path) -> None:
    bare = next(picture for picture in pictures(RECORDING) if isinstance(picture, Frame)).bgr()[:, :, ::-1].copy()
    path = tmp_path / "hole.mp4"
    record(path, 30, rate=15, draw=lambda _: bare, key_every=10, at=[n + (60 if n >= 12 else 0) for n in range(30)])
    result = audit(path, load_profile(PROFILE), triage=True)
    [hole] = result.tally.gaps
    assert result.passed_over == (
        Span(0.0, float(hole.start)),
        Span(float(hole.end), float(result.tally.seconds)),
    )


def test_the_round_of_a_suspicion_is_looked_at_closely_and_judged_as_a_full_audit_would(result: AuditResult) -> None:
    in_full = audit(RECORDING, load_profile(PROFILE))
    assert [span for span in result.passed_over if span.start < 50.0] == []
    told = [(f.code, f.seat, f.wager, f.status, f.variance_cents) for f in result.audit.findings]
    assert told == [(f.code, f.seat, f.wager, f.status, f.variance_cents) for f in in_full.audit.findings]
    assert ("PY02", 5, "blind", "probable") in [one[:4] for one in told]


def test_pictures_of_the_close_look_have_the_numbers_that_they_have_among_all(result: AuditResult) -> None:
    close = [event for event in result.rounds[0].events if 30.5 < event.t < 39.5 and event.frame is not None]
    assert close and all(abs(event.frame - event.t * 15) < 4 for event in close if event.frame is not None)


def test_its_log_gives_the_same_findings_when_it_is_replayed(result: AuditResult) -> None:
    [line] = [round_line(round_) for round_ in result.rounds]
    again = rules.audit_rounds([parse_round(json.loads(line), "line")], result.profile.rules())
    assert [(f.code, f.t, f.status) for f in again.findings] == [(f.code, f.t, f.status) for f in result.audit.findings]


def test_key_pictures_have_the_times_and_numbers_that_they_have_among_all() -> None:
    tally, all_keys, picture_times = Tally(), {}, []
    for picture in pictures(RECORDING):
        assert isinstance(picture, Frame)
        picture_times.append(picture.seconds)
        if picture.key:
            all_keys[picture.index] = picture.seconds
    found = [picture for picture in key_pictures(RECORDING, 0.0, tally=tally) if isinstance(picture, Frame)]
    assert {picture.index: picture.seconds for picture in found} == all_keys
    assert tally.whole and tally.pictures == tally.shown + tally.passed_over
    assert tally.seconds == picture_times[-1]


def test_key_pictures_may_be_taken_more_seldom() -> None:
    seconds = [picture.seconds for picture in key_pictures(RECORDING, 5.0) if isinstance(picture, Frame)]
    assert min(after - before for before, after in pairwise(seconds)) >= 5


HOLE = [number + (150 if number >= 45 else 0) for number in range(90)]
WITHIN = [number + (75 if number >= 50 else 0) for number in range(90)]  # the hole ends between two key pictures
SLOWER = [number if number < 40 else 2 * number - 40 for number in range(90)]
CLOCK_SET = [number + (900 * 15 if number >= 40 else 0) for number in range(90)]
SELDOM = [
    75 * number for number in range(200)
]  # one picture every five seconds, key pictures a quarter of an hour apart
ONE_KEY = list(range(MOST_BETWEEN + 500))


@pytest.mark.parametrize(
    ("times", "key_every", "b_frames"),
    [
        (HOLE, 15, 0),
        (HOLE, 15, 3),
        (WITHIN, 15, 0),
        (SLOWER, 15, 0),
        (CLOCK_SET, 20, 0),
        (SELDOM, 180, 0),
        (ONE_KEY, 100_000, 0),
        (ONE_KEY, 100_000, 3),
    ],
)
@pytest.mark.parametrize("container", ["mp4", "mkv"])
def test_key_pictures_alone_give_the_holes_and_the_end_that_all_pictures_give(
    tmp_path: Path, times: list[int], key_every: int, b_frames: int, container: str
) -> None:
    path = tmp_path / f"clip.{container}"
    small = np.zeros((64, 64, 3), np.uint8)
    record(path, len(times), rate=15, draw=lambda _: small, key_every=key_every, b_frames=b_frames, at=times)
    by_keys, in_full = Tally(), Tally()
    keys = list(key_pictures(path, 2.0, tally=by_keys))
    everything = {
        picture.index: picture.seconds for picture in pictures(path, tally=in_full) if isinstance(picture, Frame)
    }
    assert by_keys.gaps == in_full.gaps
    assert all(gap.end <= in_full.seconds for gap in in_full.gaps)
    assert (by_keys.seconds, by_keys.pictures) == (in_full.seconds, in_full.pictures)
    shown = {picture.index: picture.seconds for picture in keys if isinstance(picture, Frame)}
    assert shown and shown.items() <= everything.items()
    hidden_s = sum(float(gap.end - gap.start) for gap in in_full.gaps)
    assert by_keys.passed_over_microseconds / 1e6 <= float(in_full.seconds) - hidden_s + 1 / 15


def test_what_leans_on_key_pictures_at_both_sides_is_no_hole(tmp_path: Path) -> None:
    path = tmp_path / "open.mkv"
    options = {"x264-params": "open-gop=1:bframes=3:b-adapt=0"}
    record(path, 90, rate=15, key_every=20, b_frames=3, options=options)
    by_keys, in_full = Tally(), Tally()
    assert len([one for one in key_pictures(path, 0.0, tally=by_keys) if isinstance(one, Frame)]) >= 3
    assert len(list(pictures(path, tally=in_full))) == by_keys.pictures == 90
    assert (by_keys.gaps, by_keys.out_of_order, by_keys.seconds) == ([], 0, in_full.seconds)


def test_where_the_clock_was_set_no_second_is_looked_at_closely(tmp_path: Path) -> None:
    """The file's own seconds are no longer those of the line, and a wrong moment would be taken for the right one."""
    set_clock = tmp_path / "set.mp4"
    with av.open(str(RECORDING)) as given, av.open(str(set_clock), "w") as output:
        stream = output.add_stream_from_template(given.streams.video[0])
        for packet in given.demux(given.streams.video[0]):
            if packet.dts is not None and packet.pts is not None and packet.time_base is not None:
                later = int(900 / packet.time_base) if packet.pts * packet.time_base >= 8 else 0
                packet.pts, packet.dts, packet.stream = packet.pts + later, packet.dts + later, stream
                output.mux(packet)
    result = audit(set_clock, load_profile(PROFILE), triage=True)
    [jump] = result.tally.gaps
    whole = joined([*result.passed_over, Span(float(jump.start), float(jump.end))])
    assert whole == (Span(0.0, float(result.tally.seconds)),)
    assert result.tally.seconds == pytest.approx(55, abs=0.5)


def test_a_recording_read_in_triage_is_read_again_in_full(tmp_path: Path) -> None:
    triage = Job(recording=RECORDING, profile=PROFILE, folder=tmp_path, triage=True)
    reading = read_recording(triage)
    assert kept_reading(triage) is not None and reading.triage
    assert kept_reading(Job(recording=RECORDING, profile=PROFILE, folder=tmp_path)) is None
