"""Films of scripted tables: pictures that show what the script has, with the calibration written beside them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

pytest.importorskip("PIL", reason="drawing decks needs the train extra")

from handreplay import footage
from handreplay.config import load_profile
from handreplay.pipeline import audit
from handreplay.report.evaluation.clips import find_clips
from handreplay.report.evaluation.compare import compare
from handreplay.report.evaluation.sources import made, truth_of
from handreplay.synth.hands import long_arm
from handreplay.synth.scripted import Order, main, make_film, orders_of
from handreplay.synth.scripted_camera import CAMERAS, FilmCamera, film_camera
from handreplay.synth.scripted_film import Film, record
from handreplay.synth.scripted_layout import Layout
from handreplay.synth.scripted_look import felt_px, film_look
from handreplay.synth.scripted_stage import Change, Script, Thing, Way
from handreplay.vision.calibration import Calibration
from tests.synth.scripted_cases import unpack

CASES = ("uth569/PY02-push-paid", "fcp/NEAR-fold-all")
SOUND_ROUNDS = (
    "uth569/PY02-push-paid",
    "lir/WG04-bet3-withdrawn",
    "tcp/PY07-side-taken-early",
    "wpt/PY01-flush-paid-even",
    "fcp/NEAR-fold-all",
)
SIZE = (640, 360)
FPS = 10.0
ACE = Thing("card 0 c01", "card", 0.0, 338.0, 180.0, "Ac")
CHIPS = Thing("stack seat1.ante 1", "stack", 650.0, 230.0, values=("5",) * 4)


@dataclass(frozen=True)
class Filmed:
    camera: FilmCamera


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A folder with two logs and their profiles: Ultimate, and Four Card with seven seats."""
    folder = tmp_path_factory.mktemp("logs")
    for case in CASES:
        unpack(case, folder)
    return folder


@pytest.fixture(scope="module")
def profile(logs):
    return load_profile(logs / "uth569-PY02-push-paid.table.toml")


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
@pytest.mark.parametrize("case", CASES)
def test_a_camera_sees_every_zone_and_its_calibration_is_exact(kind, case, logs):
    name = case.replace("/", "-")
    outlines = [zone.polygon for zone in load_profile(logs / f"{name}.table.toml").zones]
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


def test_an_unread_card_lies_under_a_reflection_that_leaves_no_ink(profile, calibration):
    glaring = replace(ACE, glaring=True)
    script = Script(0.1, (glaring,), [], [], [])
    felt = np.full((4600, 4600, 3), (40, 90, 40), np.uint8)
    ((_, picture),) = Film(calibration, film_look(profile, 2, SIZE), felt, script, 2, held=False).pictures(FPS)
    assert around(calibration, picture, ACE.x, ACE.y, 8).min() > 170


def test_a_dealers_arm_is_dark_and_reaches_in_from_the_edge():
    for seed in range(4):
        colours, alpha = long_arm(900, (450.0, 800.0), 1.0, 600.0, np.random.default_rng(seed), dark=True)
        sleeve = colours[0][alpha[0] > 0.5]
        assert len(sleeve) > 20
        assert sleeve.mean() < 70


def test_the_felt_is_drawn_at_table_millimetres():
    (left, top), (right, bottom) = felt_px(0.0, 0.0), felt_px(100.0, 50.0)
    assert (right - left, bottom - top) == (200.0, 100.0)


def test_spread_cards_leave_the_index_of_each_in_sight(profile):
    layout = Layout({zone.name: zone.polygon for zone in profile.zones}, upright_for_dealer=True, fanned=True)
    places = [layout.slot("dealer.cards", number, 2) for number in range(2)]
    assert abs(places[0][0] - places[1][0]) > 15


def test_a_log_that_tells_nothing_of_some_chips_is_refused_in_one_line(logs, tmp_path, capsys):
    log = (logs / "uth569-PY02-push-paid.rounds.jsonl").read_text()
    first = log.index('"after": {"') + len('"after": ')
    (tmp_path / "x.rounds.jsonl").write_text(log[:first] + "null" + log[log.index("}", first) + 1 :])
    table = str(logs / "uth569-PY02-push-paid.table.toml")
    assert main([str(tmp_path / "x.rounds.jsonl"), "--table", table, "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert told.startswith("x.rounds.jsonl: round 14 at ")


def test_a_folder_of_logs_gives_each_its_name_seed_and_camera(logs, tmp_path):
    first = Order(log=logs, table=logs, out=tmp_path, name="", seed=5)
    orders = orders_of(logs, tmp_path, first)
    assert [(order.name, order.seed, order.camera) for order in orders] == [
        ("fcp-NEAR-fold-all", 5, CAMERAS[0]),
        ("uth569-PY02-push-paid", 6, CAMERAS[1]),
    ]
    assert all(order.table.is_file() for order in orders)


def test_a_folder_without_logs_is_refused_in_one_line(tmp_path, capsys):
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == f"{tmp_path}: holds no NAME.rounds.jsonl to film\n"


@pytest.mark.slow
def test_films_of_every_game_are_audited_without_an_invented_finding(tmp_path):
    """About five minutes: one round of each game, from five cameras, through the whole audit."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for case in SOUND_ROUNDS:
        unpack(case, logs)
    first = Order(log=logs, table=logs, out=tmp_path / "films", name="", seed=1, size=(1920, 1080), fps=12.5)
    for order in orders_of(logs, tmp_path / "films", first):
        make_film(order)
    for clip in find_clips(tmp_path / "films"):
        truth, result = truth_of(clip), audit(clip.footage, load_profile(clip.profile))
        seen = made(result.rounds, result.audit, result.profile)
        score = compare(truth.rounds, seen.rounds, truth.findings, seen.findings)
        assert (score.faults.invented_confirmed, score.faults.invented_probable) == (0, 0), clip.name
