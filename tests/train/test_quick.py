"""The quick nets are those that they were made of: same cards, same names of classes, same file again."""

import hashlib
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

from handreplay.synth import scene
from handreplay.synth.decks import load_decks
from handreplay.train.quick import batches, compared, planes, quantise, views_compared
from handreplay.vision.card_reader import CardReader
from handreplay.vision.table_eye import TableEye
from handreplay.vision.weights import load, load_file

MODELS = Path(str(files("handreplay") / "models"))


def crops() -> list[np.ndarray]:
    strip = cv2.imread(str(MODELS / "reader_check.png"))
    cards = np.split(strip, 3, axis=1)
    return cards + [card[::-1, ::-1] for card in cards]


def test_rounding_keeps_the_cards_and_the_names_and_gives_the_same_file_each_time(tmp_path: Path) -> None:
    hashes = []
    for name in ("a", "b"):
        quantise(MODELS / "reader.onnx", batches(crops(), 4), tmp_path / f"{name}.onnx")
        hashes.append(hashlib.sha256((tmp_path / f"{name}.onnx").read_bytes()).hexdigest())
    assert hashes[0] == hashes[1]
    quick = CardReader(load_file(tmp_path / "a.onnx", hashes[0]))
    assert [one.card for one in quick.read(crops())] == ["As", "Kd", "9h"] * 2
    assert compared(CardReader(), quick, crops()).endswith("0 surely read as another card")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", "b.onnx"]


def test_the_table_net_rounded_finds_the_same_cards(tmp_path: Path) -> None:
    stock = scene.Stock(tuple(load_decks(3, None)))
    shown, others = (
        [tile.picture for tile in scene.table_tiles(stock, np.random.default_rng(seed))] for seed in (1, 2)
    )
    quantise(MODELS / "table.onnx", [planes(views) for views in batches(shown, 2)], tmp_path / "table_quick.onnx")
    made = (tmp_path / "table_quick.onnx").read_bytes()
    quick = TableEye(load_file(tmp_path / "table_quick.onnx", hashlib.sha256(made).hexdigest()))
    found = [len(TableEye().look(view).cards) for view in others]
    again = [len(quick.look(view).cards) for view in others]
    assert sum(found) >= 4
    assert abs(sum(again) - sum(found)) <= 0.2 * sum(found)
    assert views_compared(TableEye(), quick, others).startswith("8 views")
    assert views_compared(TableEye(), TableEye(load("table_quick")), others).startswith("8 views")
