"""What is read at one moment: of the sample clip, and which pictures that takes."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from handreplay import pipeline
from handreplay.cli import app
from handreplay.config import load_profile
from handreplay.core.readings import Known
from handreplay.errors import FootageError, OutputError
from handreplay.footage import Frame, pictures, stretch
from handreplay.pipeline import look_at
from handreplay.report import look_picture
from handreplay.report.look_text import look_json, look_text
from handreplay.vision.look import Look
from tests.clips import number_of, record, scramble

SAMPLE = Path(__file__).parent.parent.parent / "sample_footage"
CLIP, TABLE = SAMPLE / "uth-sample.mp4", SAMPLE / "uth-sample.table.toml"


@pytest.fixture(scope="module")
def seen() -> Look:
    return look_at(CLIP, load_profile(TABLE), 41.0, before=4.0)[0]


def cards(seen: Look, zone: str) -> list[str]:
    (one,) = [one for one in seen.looks if one.zone == zone]
    return [card.identity.value for card in one.cards if isinstance(card.identity, Known)]


def test_the_faces_that_lie_open_at_that_moment_are_read(seen: Look) -> None:
    assert sorted(cards(seen, "community")) == ["2d", "4c", "4d", "7h", "Js"]
    assert sorted(cards(seen, "dealer.cards")) == ["Kh", "Qh"]


def test_what_lies_under_an_arm_is_said_to_be_covered(seen: Look) -> None:
    states = {one.zone: one.state for one in seen.looks}
    assert states["seat2.cards"] == "covered"
    assert states["seat3.ante"] == "empty"
    assert states["tray"] == "not read here"


def test_an_arm_is_told_with_the_side_that_it_comes_from(seen: Look) -> None:
    told = [text for _, text in look_picture.hands_of(seen)]
    assert any("from the players' side" in text for text in told)
    assert any("from the dealer's side" in text for text in told)


def test_the_lines_name_the_moment_every_card_and_what_was_not_measured(seen: Look) -> None:
    text = look_text(seen)
    assert text.startswith("uth-sample.mp4 at 0:00:41.000")
    assert "Kh >99%" in text and "100%" not in text
    assert "height not measured: the place was not seen empty" in text


def test_the_document_has_every_zone_and_places_in_the_picture(seen: Look) -> None:
    document = look_json(seen, TABLE, {"reader": "abc"})
    assert [zone["zone"] for zone in document["zones"]] == list(seen.zones.names)
    (king,) = [card for zone in document["zones"] for card in zone["cards"] if card["identity"] == "Kh"]
    assert all(0 <= x < 1920 and 0 <= y < 1080 for x, y in king["corners_px"])
    assert king["candidates"][0][0] == "Kh"


def test_both_drawings_fill_a_screen_and_show_more_than_the_picture(seen: Look) -> None:
    camera, felt = look_picture.camera_sheet(seen), look_picture.felt_sheet(seen)
    assert camera.shape == (1080 + look_picture.MARGIN_PX, 1920, 3)
    assert felt.shape[1] == 1920
    assert (camera[:1080] != seen.pixels).any(axis=2).mean() > 0.005


def test_the_command_draws_both_pictures_and_keeps_what_is_there(
    seen: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "look_at", lambda *given: (seen, {"reader": "abc"}))
    call = ["look", str(CLIP), "--table", str(TABLE), "--at", "00:41", "--out", str(tmp_path / "a.png")]
    first = CliRunner().invoke(app, call)
    assert first.exit_code == 0 and "Kh >99%" in first.output
    sizes = {path.name: cv2.imread(str(path)).shape[1] for path in tmp_path.iterdir()}
    assert sizes == {"a.png": 1920, "a-felt.png": 1920}
    again = CliRunner().invoke(app, call)
    assert isinstance(again.exception, OutputError) and "is there already" in str(again.exception)
    assert CliRunner().invoke(app, [*call, "--replace"]).exit_code == 0


def test_no_two_labels_lie_on_each_other() -> None:
    canvas = np.zeros((400, 600, 3), np.uint8)
    sheet = look_picture.Sheet(canvas, lambda points, high: points)
    for x in range(100, 460, 40):
        corners = np.array([[x, 180], [x + 36, 180], [x + 36, 230], [x, 230]], float)
        look_picture._label(sheet, corners, [f"Kh {x}%", "2 to 3 chips"], look_picture.FACE)
    boxes = sheet.taken
    assert all(look_picture._shared(a, b) == 0 for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("look") / "clip.mp4", 300)


def test_a_stretch_is_the_same_pictures_as_reading_all(clip: Path) -> None:
    whole = {item.seconds: number_of(item.luma) for item in pictures(clip) if isinstance(item, Frame)}
    part = [(item.seconds, number_of(item.luma)) for item in stretch(clip, 7.3, 9.0) if isinstance(item, Frame)]
    assert part == [(seconds, whole[seconds]) for seconds in whole if 7 <= seconds <= 9]


def test_a_stretch_with_damage_ends_in_a_gap(clip: Path, tmp_path: Path) -> None:
    damaged = scramble(clip, tmp_path / "damaged.mp4", 0.72, 9000)
    items = list(stretch(damaged, 8.0, 12.0))
    assert not isinstance(items[-1], Frame)
    assert len(items) < 100


def test_a_moment_after_the_end_is_refused_with_the_length() -> None:
    with pytest.raises(FootageError, match=r"ends at 55\.200 s"):
        look_at(CLIP, load_profile(TABLE), 55.3, before=1.0)
