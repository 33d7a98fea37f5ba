"""Makes the quick nets that audits use: the weights of others in whole numbers of eight bits.

    models/reader.onnx  ->  ranges of its values, measured on drawn crops         ->  WORK/reader_quick.onnx
    models/table.onnx   ->  the same on drawn felt views (`--model table`)        ->  WORK/table_quick.onnx

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

from handreplay.synth import scene
from handreplay.synth.card_crops import CropMaker
from handreplay.synth.decks import load_decks
from handreplay.vision.card_reader import CardReader, Picture
from handreplay.vision.table_eye import CardBox, TableEye
from handreplay.vision.weights import load_file

SEED = 7001  # of decks that no training uses
CROPS, CROPS_AT_ONCE = 800, 32
VIEWS, VIEWS_AT_ONCE = 240, 8
SURE = 0.9
SAME_CARD_PX = 5.0  # the middles of one card's outlines lie nearer
Batch = NDArray[Any]


def drawn_crops(decks: Path | None, seed: int) -> list[Picture]:
    """CROPS crops of drawn cards; `decks` as for the training of the reader."""
    maker, crops = CropMaker(load_decks(seed, decks), seed, shots=1), []
    while len(crops) < CROPS:
        crops += [crop.picture for crop in maker.sheet()]
    return crops[:CROPS]


def drawn_views(decks: Path | None, seed: int) -> list[Picture]:
    """VIEWS drawn felt views; `decks` as for the training of the table net."""
    stock, views = scene.Stock(tuple(load_decks(seed, decks))), []
    while len(views) < VIEWS:
        views += [tile.picture for tile in scene.table_tiles(stock, np.random.default_rng([seed, len(views)]))]
    return views[:VIEWS]


def batches(pictures: list[Picture], at_once: int) -> list[Batch]:
    return [np.stack(pictures[start : start + at_once]) for start in range(0, len(pictures), at_once)]


def planes(views: Batch) -> Batch:
    """Felt views as the table net takes them."""
    return np.ascontiguousarray(views.transpose(0, 3, 1, 2), np.float32)


class _Shown(CalibrationDataReader):
    def __init__(self, slot: str, shown: list[Batch]) -> None:
        self._left = iter([{slot: batch} for batch in shown])

    def get_next(self) -> dict[str, Batch] | None:
        return next(self._left, None)


def quantise(weights: Path, shown: list[Batch], target: Path) -> None:
    """Write the net of `weights` in whole numbers, their ranges measured on what is shown, as `target`."""
    plain = target.with_suffix(".plain.onnx")
    quant_pre_process(str(weights), str(plain), skip_symbolic_shape=True)
    graph = onnx.load(plain).graph
    layers = [node.name for node in graph.node if node.op_type == "Conv"]
    quantize_static(
        str(plain),
        str(target),
        _Shown(graph.input[0].name, shown),
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


def views_compared(exact: TableEye, quick: TableEye, views: list[Picture]) -> str:
    """How far what both nets find in these views differs, in words."""
    found, moved, more = 0, [], 0
    for view in views:
        cards, again = exact.look(view).cards, list(quick.look(view).cards)
        found += len(cards)
        for card in cards:
            same = next((other for other in again if _apart(card, other) < SAME_CARD_PX), None)
            if same is not None:
                again.remove(same)
                moved.append(_apart(card, same))
        more += len(again)
    return (
        f"{len(views)} views: of {found} cards {len(moved) / found:.1%} are found too, {more} others; "
        f"their middles lie {np.median(moved):.2f} px apart (median), {np.quantile(moved, 0.95):.2f} at most of 95%"
    )


def _apart(card: CardBox, other: CardBox) -> float:
    return float(np.hypot(*(card.corners.mean(axis=0) - other.corners.mean(axis=0))))


def _quick_reader(weights: Path, art: Path | None, target: Path) -> str:
    quantise(weights, batches(drawn_crops(art, SEED), CROPS_AT_ONCE), target)
    return compared(CardReader(), CardReader(load_file(target, _digest(target))), drawn_crops(art, SEED + 1))


def _quick_table(weights: Path, art: Path | None, target: Path) -> str:
    quantise(weights, [planes(views) for views in batches(drawn_views(art, SEED), VIEWS_AT_ONCE)], target)
    return views_compared(TableEye(), TableEye(load_file(target, _digest(target))), drawn_views(art, SEED + 1))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


MAKERS = {"reader": _quick_reader, "table": _quick_table}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="handreplay train quick", description=__doc__)
    parser.add_argument("work", type=Path, help="folder for the file")
    parser.add_argument("--model", choices=MAKERS, default="reader", help="whose weights")
    parser.add_argument("--art", type=Path, help="decks prepared by handreplay.synth.art")
    given = parser.parse_args(arguments)
    given.work.mkdir(parents=True, exist_ok=True)
    target = given.work / f"{given.model}_quick.onnx"
    weights = Path(str(files("handreplay") / "models" / f"{given.model}.onnx"))
    said = MAKERS[given.model](weights, given.art, target)
    print(target, _digest(target), said, sep="\n  ")


if __name__ == "__main__":
    main()
