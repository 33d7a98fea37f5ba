"""Films of scripted tables: pictures that show what the script has, with the calibration written beside them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="drawing decks needs the train extra")

from handreplay import footage
from handreplay.config import load_profile
from handreplay.synth.scripted import main
from handreplay.synth.scripted_camera import CAMERAS, FilmCamera, film_camera
from handreplay.synth.scripted_film import Film, record
from handreplay.synth.scripted_layout import Layout
from handreplay.synth.scripted_look import felt_px, film_look
from handreplay.synth.scripted_stage import Change, Script, Thing, Way
from handreplay.vision.calibration import Calibration

DATA = Path(__file__).parent.parent / "data" / "scripted"
SIZE = (640, 360)
FPS = 10.0
ACE = Thing("card 0 c01", "card", 0.0, 338.0, 180.0, "Ac")
CHIPS = Thing("stack seat1.ante 1", "stack", 650.0, 230.0, values=("5",) * 4)


@dataclass(frozen=True)
class Filmed:
    camera: FilmCamera


@pytest.fixture(scope="module")
def profile():
    return load_profile(DATA / "uth-push-paid.table.toml")


@pytest.fixture(scope="module")
def calibration(profile):
    outlines = [zone.polygon for zone in profile.zones]
    return Calibration.from_profile(Filmed(film_camera("ceiling", SIZE, outlines, np.random.default_rng(1))))


@pytest.fixture(scope="module")
def film(profile, calibration):
    """Two seconds: an ace and a stack come after one second, and an arm goes to and fro on the other side."""
    way = Way(
        "dealer", (-150.0, -330.0), (-150.0, -95.0), [(0.3, -150.0, -95.0), (0.9, -500.0, 300.0), (1.6, -150.0, -95.0)]
    )
    script = Script(2.0, (), [Change(1.0, (), (ACE, CHIPS))], [], [way], [(1.35, 1.65)])
    look = film_look(profile, 2, SIZE)
    felt = np.full((4600, 4600, 3), (40, 90, 40), np.uint8)
    return Film(calibration, look, felt, script, 2, held=False)


@pytest.fixture(scope="module")
def pictures(film):
    return dict(film.pictures(FPS))


def around(calibration, picture, x, y, half=9):
    column, row = np.round(calibration.to_picture_px([(x, y)])[0]).astype(int)
    return picture[row - half : row + half, column - half : column + half].astype(float)


@pytest.mark.parametrize("kind", CAMERAS)
@pytest.mark.parametrize("name", ["uth-push-paid", "fcp-all-fold"])
def test_a_camera_sees_every_zone_and_its_calibration_is_exact(kind, name):
    outlines = [zone.polygon for zone in load_profile(DATA / f"{name}.table.toml").zones]
    camera = film_camera(kind, (1280, 720), outlines, np.random.default_rng(4))
    assert len(camera.table_points) == sum(len(outline) for outline in outlines)
    calibration = Calibration.from_profile(Filmed(camera))
    assert calibration.residual_px < 0.02
    assert calibration.warnings == ()
    place = tuple(round(value) for value in camera.position_mm)
    free = Calibration.from_profile(Filmed(FilmCamera(**{**vars(camera), "position_mm": None})))
    assert free.camera_mm == pytest.approx(place, abs=40)


def test_a_card_shows_where_the_script_lays_it_and_only_from_then_on(calibration, pictures):
    before, after = (around(calibration, pictures[number], ACE.x, ACE.y) for number in (9, 11))
    assert before.mean() + 60 < after.mean()


def test_a_stack_has_its_chips_colour(calibration, pictures):
    blue, _, red = around(calibration, pictures[12], CHIPS.x, CHIPS.y, 5).mean(axis=(0, 1))
    assert red > blue + 20


def test_an_arm_is_over_the_felt_where_its_grip_is(calibration, pictures):
    still, reached = (around(calibration, pictures[number], -480.0, 270.0) for number in (0, 9))
    assert abs(still.mean(axis=(0, 1)) - reached.mean(axis=(0, 1))).max() > 15


def test_no_picture_is_taken_in_a_hole(pictures):
    assert sorted(pictures) == [number for number in range(20) if number not in (14, 15, 16)]


def test_the_same_film_is_the_same_file_and_its_pictures_keep_their_times(film, tmp_path):
    for name in ("one", "two"):
        record(tmp_path / f"{name}.mp4", film.pictures(FPS), SIZE, FPS, 200_000)
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()
    seen = [found for found in footage.pictures(tmp_path / "one.mp4") if isinstance(found, footage.Frame)]
    assert [float(picture.seconds) for picture in seen] == [n / 10 for n in range(20) if n not in (14, 15, 16)]


def test_the_felt_is_drawn_at_table_millimetres():
    (left, top), (right, bottom) = felt_px(0.0, 0.0), felt_px(100.0, 50.0)
    assert (right - left, bottom - top) == (200.0, 100.0)


def test_spread_cards_leave_the_index_of_each_in_sight(profile):
    layout = Layout({zone.name: zone.polygon for zone in profile.zones}, upright_for_dealer=True, fanned=True)
    places = [layout.slot("dealer.cards", number, 2) for number in range(2)]
    assert abs(places[0][0] - places[1][0]) > 15


def test_a_log_that_tells_nothing_of_some_chips_is_refused_in_one_line(tmp_path, capsys):
    log = (DATA / "uth-push-paid.rounds.jsonl").read_text()
    first = log.index('"after": {"') + len('"after": ')
    (tmp_path / "x.rounds.jsonl").write_text(log[:first] + "null" + log[log.index("}", first) + 1 :])
    table = str(DATA / "uth-push-paid.table.toml")
    assert main([str(tmp_path / "x.rounds.jsonl"), "--table", table, "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "x.rounds.jsonl: round" in told
