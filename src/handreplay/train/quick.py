"""Makes the quick card reader that audits read with: the reader's weights in whole numbers of eight bits.

    models/reader.onnx  ->  ranges of its values, measured on drawn crops  ->  WORK/reader_quick.onnx

Nothing is learnt: weights are rounded, channel by channel. The first and the last convolution and what follows stay as
they were, since most of the loss comes from them and little of the time goes there. Same weights and decks, same file.
"""

import argparse
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from handreplay.synth.card_crops import CropMaker
from handreplay.synth.decks import load_decks
from handreplay.vision.card_reader import CardReader, Picture
from handreplay.vision.weights import load_file

SEED = 7001  # of decks that no training uses
CROPS, AT_ONCE = 800, 32
SURE = 0.9


def drawn_crops(decks: Path | None, seed: int) -> list[Picture]:
    """CROPS crops of drawn cards; `decks` as for the training of the reader."""
    maker, crops = CropMaker(load_decks(seed, decks), seed, shots=1), []
    while len(crops) < CROPS:
        crops += [crop.picture for crop in maker.sheet()]
    return crops[:CROPS]


class _Shown(CalibrationDataReader):
    def __init__(self, crops: list[Picture]) -> None:
        batches = [np.stack(crops[start : start + AT_ONCE]) for start in range(0, len(crops), AT_ONCE)]
        self._left = iter([{"crops": batch} for batch in batches])

    def get_next(self) -> dict[str, NDArray[Any]] | None:
        return next(self._left, None)


def quantise(weights: Path, crops: list[Picture], target: Path) -> None:
    """Write the reader of `weights` in whole numbers, their ranges measured on these crops, as `target`."""
    plain = target.with_suffix(".plain.onnx")
    quant_pre_process(str(weights), str(plain), skip_symbolic_shape=True)
    layers = [node.name for node in onnx.load(plain).graph.node if node.op_type == "Conv"]
    quantize_static(
        str(plain),
        str(target),
        _Shown(crops),
        quant_format=QuantFormat.QDQ,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,  # else sums overflow on processors without VNNI, and other cards are seen
        op_types_to_quantize=["Conv", "Add", "Relu"],
        nodes_to_exclude=[layers[0], layers[-1]],
    )
    plain.unlink()
    made = onnx.load(target)
    onnx.helper.set_model_props(made, {entry.key: entry.value for entry in onnx.load(weights).metadata_props})
    onnx.save(made, target)


def compared(exact: CardReader, quick: CardReader, crops: list[Picture]) -> str:
    """How far both readers' answers to these crops differ, in words."""
    pairs = list(zip(exact.read(crops), quick.read(crops), strict=True))
    same = np.mean([one.card == other.card for one, other in pairs])
    still = np.mean([other.confidence >= SURE for one, other in pairs if one.confidence >= SURE])
    others = sum(one.card != other.card for one, other in pairs if min(one.confidence, other.confidence) >= SURE)
    return (
        f"{len(pairs)} crops: likeliest card the same in {same:.1%}; of those read surely {still:.1%} still are; "
        f"{others} surely read as another card"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="handreplay train quick", description=__doc__)
    parser.add_argument("work", type=Path, help="folder for reader_quick.onnx")
    parser.add_argument("--art", type=Path, help="decks prepared by handreplay.synth.art")
    given = parser.parse_args(arguments)
    given.work.mkdir(parents=True, exist_ok=True)
    target = given.work / "reader_quick.onnx"
    quantise(Path(str(files("handreplay") / "models" / "reader.onnx")), drawn_crops(given.art, SEED), target)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    quick = CardReader(load_file(target, digest))
    print(target, digest, compared(CardReader(), quick, drawn_crops(given.art, SEED + 1)), sep="\n  ")


if __name__ == "__main__":
    main()
