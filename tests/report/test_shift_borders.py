"""Rounds that run on into another recording, and rounds before a hole, in the shift report."""

import csv
import dataclasses
import io
from datetime import timedelta
from pathlib import Path

from shift_night import NIGHT, Night, sample_rounds

from handreplay.batch.shift import batch_shift
from handreplay.report.shift.page import shift_page
from handreplay.report.shift.tables import shift_csv

SECOND_SHA256 = "cd" * 32


def border_night(out: Path) -> Path:
    """Seat 5 is overpaid 35.897 s into a round that begins in a1 and runs on, after 28 s, into a2."""
    night = Night(out)
    continues = [{"file": "a2.mp4", "sha256": SECOND_SHA256, "from_s": 28.0}]
    [one] = sample_rounds()
    one = dataclasses.replace(one, source={**one.source, "continues": continues})
    later = NIGHT + timedelta(seconds=28)
    night.audited("UTH-12", "cam/a1.mp4", (one,), start=NIGHT, length_s=28.0)
    night.audited("UTH-12", "cam/a2.mp4", (), start=later, length_s=28.0, sha256=SECOND_SHA256)
    return night.write()


def test_a_finding_beyond_the_border_is_looked_for_in_the_recording_that_shows_it(tmp_path: Path) -> None:
    shift = batch_shift(border_night(tmp_path / "night"))
    rows = list(csv.DictReader(io.StringIO(shift_csv(shift).decode("utf-8-sig"))))
    [found] = [row for row in rows if row["row"] == "finding"]
    assert (found["recording"], found["seconds"], found["position"]) == ("cam/a2.mp4", "7.897", "00:00:07")
    assert found["run"].endswith("a1.mp4") and found["clock"].endswith("22:00:35-05:00")
    [round_] = [row for row in rows if row["row"] == "round"]
    assert (round_["recording"], round_["position"]) == ("cam/a1.mp4", "00:00:02")
    page = shift_page(shift)
    assert "cam/a2.mp4 00:00:07" in page and "cam/a1.mp4 00:00:35" not in page
