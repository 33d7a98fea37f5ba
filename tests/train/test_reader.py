"""An exported reader trained on: it begins where the file ends. Needs the train extra."""

from importlib.resources import as_file, files

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from handreplay.synth.card_crops import CropMaker  # noqa: E402
from handreplay.synth.decks import load_decks  # noqa: E402
from handreplay.train.reader import logits, net_of, tensors  # noqa: E402
from handreplay.train.reader_weights import exported_net  # noqa: E402


def test_a_net_to_train_on_answers_as_the_file_and_its_norms_are_those_of_its_crops() -> None:
    with as_file(files("handreplay") / "models" / "reader.onnx") as weights:
        net, (shipped, _) = net_of(weights), exported_net(weights.read_bytes())
    pictures, *_ = tensors(CropMaker(load_decks(5, None, drawn=2), 5, shots=1).sheet(12))
    for ours, theirs in zip(logits(net, pictures), logits(shipped, pictures), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-3)
    first = next(part for part in net.modules() if isinstance(part, torch.nn.BatchNorm2d))
    assert first.running_mean is not None and float(first.running_mean.abs().max()) > 0
