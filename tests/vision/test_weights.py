"""A model is opened by name and hash, and its classes are mapped by their text."""

import hashlib
import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from handreplay.core.cards import DECK
from handreplay.errors import ModelError
from handreplay.vision.card_reader import CardReader
from handreplay.vision.weights import load

SHIPPED = Path(str(files("handreplay") / "models"))


def altered_copy(folder: Path, old: bytes, new: bytes) -> Path:
    """The shipped reader with some of its bytes changed and a manifest that vouches for the result."""
    data = (SHIPPED / "reader.onnx").read_bytes()
    assert data.count(old) == 1
    assert len(new) == len(old)
    data = data.replace(old, new)
    (folder / "reader.onnx").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    (folder / "manifest.toml").write_text(f'[reader]\nfile = "reader.onnx"\nsha256 = "{digest}"\n')
    return folder


def names_as_written(names: list[str]) -> bytes:
    return json.dumps(names).encode()


def test_the_shipped_reader_opens_and_lists_the_52_cards():
    model = load("reader")
    assert model.columns("names", DECK) == list(range(52))
    assert len(model.sha256) == 64


def test_classes_in_another_order_are_mapped_by_name(tmp_path):
    shuffled = list(DECK)
    shuffled[3], shuffled[40] = shuffled[40], shuffled[3]
    folder = altered_copy(tmp_path, names_as_written(list(DECK)), names_as_written(shuffled))
    columns = load("reader", folder).columns("names", DECK)
    assert (columns[3], columns[40]) == (40, 3)


def test_a_file_that_does_not_list_its_classes_is_refused(tmp_path):
    folder = altered_copy(tmp_path, b"\x05names", b"\x05nomes")
    with pytest.raises(ModelError, match="does not say its names"):
        CardReader(load("reader", folder))


def test_a_file_with_the_classes_of_another_product_is_refused(tmp_path):
    ours = names_as_written(list(DECK))
    theirs = names_as_written(["person", "bicycle", "car"]).ljust(len(ours))
    with pytest.raises(ModelError, match=r"not the 52 that handreplay knows"):
        CardReader(load("reader", altered_copy(tmp_path, ours, theirs)))


def test_cards_that_have_changed_places_fail_on_the_built_in_picture(tmp_path):
    swapped = list(DECK)
    ace, king = DECK.index("As"), DECK.index("Kd")
    swapped[ace], swapped[king] = swapped[king], swapped[ace]
    folder = altered_copy(tmp_path, names_as_written(list(DECK)), names_as_written(swapped))
    with pytest.raises(ModelError, match="built-in picture as Kd As 9h"):
        CardReader(load("reader", folder))


def test_an_altered_file_is_refused_by_its_hash(tmp_path):
    shutil.copy(SHIPPED / "manifest.toml", tmp_path)
    data = bytearray((SHIPPED / "reader.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "reader.onnx").write_bytes(data)
    with pytest.raises(ModelError, match="not the file in the manifest"):
        load("reader", tmp_path)


def test_a_missing_file_or_entry_or_manifest_is_one_clear_line(tmp_path):
    with pytest.raises(ModelError, match="list of models is missing"):
        load("reader", tmp_path)
    (tmp_path / "manifest.toml").write_text("[table]\n")
    with pytest.raises(ModelError, match="no entry"):
        load("reader", tmp_path)
    (tmp_path / "manifest.toml").write_text('[reader]\nfile = "reader.onnx"\nsha256 = "00"\n')
    with pytest.raises(ModelError, match=r"reader\.onnx is missing"):
        load("reader", tmp_path)
    (tmp_path / "manifest.toml").write_text('[reader]\nfile = "../reader.onnx"\nsha256 = "00"\n')
    with pytest.raises(ModelError, match="plain file name"):
        load("reader", tmp_path)


def test_a_pickle_in_place_of_weights_never_runs(tmp_path):
    marker = tmp_path / "ran"
    data = b"cos\nsystem\n(S'touch " + str(marker).encode() + b"'\ntR."
    (tmp_path / "reader.onnx").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    (tmp_path / "manifest.toml").write_text(f'[reader]\nfile = "reader.onnx"\nsha256 = "{digest}"\n')
    with pytest.raises(ModelError, match="cannot open"):
        load("reader", tmp_path)
    assert not marker.exists()
