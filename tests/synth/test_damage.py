"""Damaged copies of a clip keep a truth and a profile that fit them."""

from fractions import Fraction
from pathlib import Path

import pytest

from handreplay.config import load_profile
from handreplay.core.roundlog import read_rounds, write_rounds
from handreplay.footage import Frame, pictures
from handreplay.synth import damage

SAMPLE = Path(__file__).parents[2] / "sample_footage" / "uth-sample.mp4"


def test_what_is_cut_off_is_gone_from_pictures_and_truth(tmp_path: Path) -> None:
    out = tmp_path / "cut.mp4"
    gone = damage.cut(SAMPLE, out)
    kept = [p for p in pictures(out) if isinstance(p, Frame)]
    assert gone > 0 and kept[0].seconds == pytest.approx(0.0, abs=0.05)
    log = tmp_path / "cut.rounds.jsonl"
    write_rounds(log, damage.later(read_rounds(SAMPLE.with_suffix(".rounds.jsonl")), gone))
    rounds = read_rounds(log)
    assert rounds[0].partial is not None and rounds[0].start == 0.0
    assert all(event.t >= 0 for round_ in rounds for event in round_.events)
    assert max(e.t for r in rounds for e in r.events) <= float(kept[-1].seconds)


def test_a_smaller_picture_has_a_smaller_camera(tmp_path: Path) -> None:
    profile = SAMPLE.with_suffix(".table.toml")
    small = tmp_path / "small.table.toml"
    small.write_text(damage.scaled(profile.read_text("utf-8"), Fraction(2, 3)), "utf-8")
    before, after = load_profile(profile), load_profile(small)
    assert before.camera and after.camera and before.zones == after.zones
    assert after.camera.size[0] == pytest.approx(before.camera.size[0] * 2 / 3, abs=2)
    assert after.camera.image_points[5][0] == pytest.approx(before.camera.image_points[5][0] * 2 / 3, abs=0.01)
