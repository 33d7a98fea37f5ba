"""The shipped reader trained on: needs the train extra."""

from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from handreplay.train.adapt_reader import Steps, train_on, varied  # noqa: E402
from handreplay.train.reader_weights import exported_net  # noqa: E402
from handreplay.vision.card_reader import CardReader  # noqa: E402
from handreplay.vision.weights import load_file  # noqa: E402

CARDS = ("As", "Kd", "9h")


def crops() -> list[np.ndarray]:
    data = np.frombuffer((files("handreplay") / "models" / "reader_check.png").read_bytes(), np.uint8)
    return list(np.split(cv2.imdecode(data, cv2.IMREAD_COLOR), 3, axis=1))


def test_the_net_rebuilt_from_the_shipped_file_gives_the_same_answers() -> None:
    net, temperature = exported_net((files("handreplay") / "models" / "reader.onnx").read_bytes())
    with torch.inference_mode():
        told = net(torch.from_numpy(np.stack(crops())))
    kinds = torch.softmax(told.kind, dim=1).numpy()
    assert temperature > 0
    assert kinds.max(axis=1) == pytest.approx([one.kind_confidence for one in CardReader().read(crops())], abs=1e-4)


def test_training_on_gives_a_reader_that_opens_and_the_same_one_again(tmp_path: Path) -> None:
    said: list[str] = []
    steps = Steps(count=2, batch=8, save_every=1, drawn_decks=2, drawn_sheets=1)
    hashes = [train_on(crops() * 2, CARDS * 2, tmp_path / name, said.append, steps) for name in ("a.onnx", "b.onnx")]
    assert hashes[0] == hashes[1] and len(said) == 4
    assert [one.card for one in CardReader(load_file(tmp_path / "a.onnx", hashes[0])).read(crops())] == list(CARDS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", "b.onnx"]


def test_a_varied_view_is_another_picture_of_the_same_size() -> None:
    rng = np.random.default_rng(1)
    view = varied(crops()[0], rng)
    assert view.shape == crops()[0].shape and view.dtype == np.uint8
    assert (view != crops()[0]).any()
