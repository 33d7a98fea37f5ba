"""The quick reader is the reader: same cards, same names of classes, same file again."""

import hashlib
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("torch")

from handreplay.train.quick import compared, quantise
from handreplay.vision.card_reader import CardReader
from handreplay.vision.weights import load_file

MODELS = Path(str(files("handreplay") / "models"))


def crops() -> list[np.ndarray]:
    strip = cv2.imread(str(MODELS / "reader_check.png"))
    cards = np.split(strip, 3, axis=1)
    return cards + [card[::-1, ::-1] for card in cards]


def test_rounding_keeps_the_cards_and_the_names_and_gives_the_same_file_each_time(tmp_path: Path) -> None:
    hashes = []
    for name in ("a", "b"):
        quantise(MODELS / "reader.onnx", crops(), tmp_path / f"{name}.onnx")
        hashes.append(hashlib.sha256((tmp_path / f"{name}.onnx").read_bytes()).hexdigest())
    assert hashes[0] == hashes[1]
    quick = CardReader(load_file(tmp_path / "a.onnx", hashes[0]))
    assert [one.card for one in quick.read(crops())] == ["As", "Kd", "9h"] * 2
    assert compared(CardReader(), quick, crops()).endswith("0 surely read as another card")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", "b.onnx"]
