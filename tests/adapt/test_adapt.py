"""A still of the sample clip goes in; how it is read, questions and drafts come out."""

import json
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner

from handreplay.adapt.measure import Question, questions
from handreplay.adapt.profile_text import adapted_profile
from handreplay.adapt.views import Face, open_picture
from handreplay.cli import app
from handreplay.core.cards import CARD_NUMBER
from handreplay.errors import FootageError, HandreplayError, ModelError
from handreplay.vision.card_reader import CardReader, CardReading
from handreplay.vision.weights import load_file

SAMPLE = Path(__file__).parent.parent.parent / "sample_footage"
TABLE = SAMPLE / "uth-sample.table.toml"
SHOWN = ["2d", "4c", "4d", "7h", "Js", "Kh", "Qh"]


def test_a_moment_after_the_end_of_a_clip_has_no_picture() -> None:
    with pytest.raises(FootageError, match=r"ends at .* before 99:00; choose an earlier moment"):
        open_picture(f"{SAMPLE / 'uth-sample.mp4'}@99:00")


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("still") / "still.png"
    picture = open_picture(f"{SAMPLE / 'uth-sample.mp4'}@00:41")
    cv2.imwrite(str(path), picture)
    return path


@pytest.fixture(scope="module")
def run(still: Path) -> Path:
    still.with_suffix(".toml").write_text(f"cards = {json.dumps(SHOWN)}\n", "utf-8")
    out = still.parent / "out"
    result = CliRunner().invoke(app, ["adapt", str(still), "--table", str(TABLE), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "Cards as shipped: 6 of 6 right" in result.output
    assert "still.png: no face was found for Qh" in result.output  # it lies half under the king
    return out


def test_the_report_says_how_every_face_was_read_and_that_more_are_needed(run: Path) -> None:
    report = json.loads((run / "report.json").read_text("utf-8"))
    assert sorted(face["read"] for face in report["faces"] if face["label"]) == [card for card in SHOWN if card != "Qh"]
    assert [one["kept"] for one in report["tried"]] == [False, False]
    assert "20 are needed" in report["tried"][0]["why"]


def test_the_page_holds_every_crop_in_itself(run: Path) -> None:
    page = (run / "report.html").read_text("utf-8")
    assert page.count("data:image/jpeg;base64,") >= 6
    assert "://" not in page


def test_without_help_no_profile_and_no_weights_are_written(run: Path) -> None:
    assert sorted(path.name for path in run.iterdir()) == ["labels", "report.html", "report.json"]


def test_the_draft_can_be_put_beside_the_picture(run: Path, still: Path) -> None:
    text = (run / "labels" / "still.toml").read_text("utf-8")
    assert 'identity = "Kh"' in text and "[[stack]]" in text


def test_a_folder_with_other_files_is_refused(tmp_path: Path, still: Path) -> None:
    (tmp_path / "mine.txt").write_text("x", "utf-8")
    result = CliRunner().invoke(app, ["adapt", str(still), "--table", str(TABLE), "--out", str(tmp_path)])
    assert isinstance(result.exception, HandreplayError) and "holds other files" in str(result.exception)


def refusal(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["adapt", *map(str, arguments)])
    assert isinstance(result.exception, HandreplayError)
    return str(result.exception)


def test_the_profile_that_is_read_is_never_written_over(tmp_path: Path, still: Path) -> None:
    own = tmp_path / "own.table.toml"
    own.write_text(TABLE.read_text("utf-8"), "utf-8")
    (tmp_path / "report.json").write_text("{}", "utf-8")
    assert "holds the profile itself" in refusal(still, "--table", own, "--out", tmp_path)


def test_an_adapted_profile_is_not_adapted_again(tmp_path: Path, still: Path) -> None:
    own = tmp_path / "own.table.toml"
    own.write_text(adapted_profile(TABLE.read_text("utf-8"), "a", temperature=1.5), "utf-8")
    assert "is adapted already" in refusal(still, "--table", own, "--out", tmp_path / "out")


def test_two_pictures_of_one_name_are_refused(tmp_path: Path, still: Path) -> None:
    assert "same name" in refusal(still, still, "--table", TABLE, "--out", tmp_path / "out")


def test_a_moment_that_the_clip_lacks_is_refused() -> None:
    with pytest.raises(FootageError, match=r"still\.png@1"):
        open_picture("still.png@1")


def a_face(card: str, chance: float, crop: object) -> Face:
    rest = (1 - chance) / 51
    probabilities = tuple(chance if number == CARD_NUMBER[card] else rest for number in range(52))
    return Face("a.png", (1.0, 2.0), crop, CardReading(probabilities, 1.0, "face", 1.0), None)  # type: ignore[arg-type]


def test_readings_that_contradict_each_other_or_themselves_are_asked_about() -> None:
    crop = cv2.resize(cv2.imread(str(next((SAMPLE.parent / "src").rglob("reader_check.png")))), (112, 152))
    faces = [a_face("As", 0.99, crop), a_face("As", 0.98, crop), a_face("Kd", 0.5, crop), a_face("2c", 0.99, crop)]

    def always(card: str) -> list[Question]:
        return questions(faces, lambda crops: [a_face(card, 0.9, None).reading] * len(crops), decks=1)

    assert [one.why for one in always("2c")] == ["2 cards of this picture are read so"] * 2 + ["read at 50% only"]
    assert always("3c")[-1].why == "8 of 8 other views of it are read as 3c"


def test_a_reader_of_another_hash_than_the_profile_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reader.onnx").write_bytes(b"something")
    with pytest.raises(ModelError, match="is not the file that the profile names"):
        load_file(tmp_path / "reader.onnx", "0" * 64)
    with pytest.raises(ModelError, match="cannot be read"):
        load_file(tmp_path / "none.onnx", "0" * 64)


def test_a_deck_of_a_higher_temperature_is_read_less_surely() -> None:
    strip = cv2.imread(str(next((SAMPLE.parent / "src").rglob("reader_check.png"))))
    crops = [strip[:, start : start + 112] for start in (0, 112, 224)]
    plain, cautious = CardReader().read(crops), CardReader(temperature=3.0).read(crops)
    assert [one.card for one in plain] == [one.card for one in cautious]
    assert all(b.confidence < a.confidence for a, b in zip(plain, cautious, strict=True))


def test_a_refusal_leaves_no_folder_and_labels_are_checked_before_anything_is_read(tmp_path: Path, still: Path) -> None:
    first, wrong = tmp_path / "first.png", tmp_path / "wrong.png"
    first.write_bytes(b"not looked at")
    wrong.write_bytes(still.read_bytes())
    wrong.with_suffix(".toml").write_text("stacks = [5]\n", "utf-8")
    told = refusal(first, wrong, "--table", TABLE, "--out", tmp_path / "out")
    assert "wrong.toml: stacks: must be a list of texts in quotes" in told and '["5", "25"]' in told
    assert not (tmp_path / "out").exists()


def test_a_clip_without_a_moment_is_told_how_to_name_one(tmp_path: Path) -> None:
    told = refusal(SAMPLE / "uth-sample.mp4", "--table", TABLE, "--out", tmp_path / "out")
    assert "CLIP.mp4@00:41" in told
