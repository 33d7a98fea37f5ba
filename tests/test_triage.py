"""Triage on real pictures: key pictures first, a close look where they ask for one, and no accusation."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from handreplay import rules
from handreplay.batch.reading import Job, kept_reading, read_recording
from handreplay.config import load_profile
from handreplay.core.readings import Known
from handreplay.core.roundlog import parse_round, round_line
from handreplay.footage import Frame, Tally, key_pictures, pictures
from handreplay.pipeline import AuditResult, audit
from handreplay.report.run_files import coverage_of

SAMPLE = Path(__file__).parent.parent / "sample_footage"
RECORDING, PROFILE = SAMPLE / "uth-sample.mp4", SAMPLE / "uth-sample.table.toml"


@pytest.fixture(scope="module")
def result() -> AuditResult:
    return audit(RECORDING, load_profile(PROFILE), triage=True)


def test_cards_that_lay_open_are_read_from_key_pictures(result: AuditResult) -> None:
    [round_] = result.rounds
    faces = [card.identity.value for card in round_.rack if isinstance(card.identity, Known)]
    shown = {"Qs", "Jd", "9h", "Qc", "4d", "4c", "2d", "7h", "Js", "Qh", "Kh"}
    assert len(faces) >= 9 and set(faces) <= shown


def test_it_looks_closely_at_the_payment_that_was_wrong_and_accuses_nobody(result: AuditResult) -> None:
    wrong = 36.0  # seconds; see uth-sample.expected.json
    assert not any(span.start < wrong < span.end for span in result.passed_over)
    blind = [event for event in result.rounds[0].events if getattr(event, "zone", "") == "seat5.blind"]
    assert [round(event.t) for event in blind][1:2] == [36]
    assert {finding.status for finding in result.audit.findings} == {"review"}
    assert result.exit_code == 3


def test_it_says_what_it_did_not_look_at(result: AuditResult) -> None:
    passed = sum(span.seconds for span in result.passed_over)
    assert 0.75 * float(result.tally.seconds) < passed < float(result.tally.seconds)
    told = coverage_of(result.tally, result.profile, result.passed_over).remarks
    assert any(line.startswith("Triage: of ") and "key pictures" in line for line in told)
    assert [one.code for one in result.audit.findings if "Triage looked" in one.message] == ["FT01"]


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


def test_a_recording_read_in_triage_is_read_again_in_full(tmp_path: Path) -> None:
    triage = Job(recording=RECORDING, profile=PROFILE, folder=tmp_path, triage=True)
    reading = read_recording(triage)
    assert kept_reading(triage) is not None and reading.passed_over
    assert kept_reading(Job(recording=RECORDING, profile=PROFILE, folder=tmp_path)) is None
