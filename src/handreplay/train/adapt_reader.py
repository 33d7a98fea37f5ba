"""Trains the shipped card reader on for a few steps with crops of a property's own cards.

    shipped ONNX -> the net with the same answers -> a few steps on own crops and on drawn decks -> ONNX

Half of every batch are drawn decks, so that what the reader knew is not forgotten. Same crops and seed, same weights.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional

from handreplay.adapt.run import CHECKPOINT
from handreplay.core.cards import CARD_NUMBER
from handreplay.synth.card_crops import CropMaker
from handreplay.synth.decks import load_decks
from handreplay.train.reader import _RANK_OF, _SUIT_OF, export, tensors
from handreplay.train.reader_net import ReaderNet
from handreplay.train.reader_weights import exported_net
from handreplay.vision.straighten import CROP_HEIGHT_PX, CROP_WIDTH_PX, Picture

_SEED = 77


@dataclass(frozen=True)
class Steps:
    """How far to train on."""

    count: int = 150
    batch: int = 32
    rate: float = 3e-4
    save_every: int = 50
    drawn_decks: int = 60
    drawn_sheets: int = 40


def trained_on(
    net: ReaderNet,
    crops: Sequence[Picture],
    cards: Sequence[str],
    folder: Path,
    steps: Steps,
    say: Callable[[int, float], None],
) -> ReaderNet:
    """Train a net on with labelled crops (152 x 112 x 3 BGR each). Goes on from a checkpoint of the same task."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(_SEED)
    maker = CropMaker(load_decks(_SEED, None, drawn=steps.drawn_decks), _SEED)
    drawn = [crop for _ in range(steps.drawn_sheets) for crop in maker.sheet() if crop.card >= 0]
    numbers = torch.tensor([CARD_NUMBER[card] for card in cards])
    optimizer = torch.optim.AdamW(net.parameters(), lr=steps.rate, weight_decay=0.01)
    checkpoint, task = folder / CHECKPOINT, _task(crops, cards, steps)
    start = _resumed(checkpoint, task, net, optimizer)
    for step in range(start, steps.count):
        rng = np.random.default_rng([_SEED, step])
        for group in optimizer.param_groups:
            group["lr"] = steps.rate * min(1.0, (step + 1) / 10) * (1 - step / steps.count)
        own = rng.integers(0, len(crops), steps.batch // 2)
        old = rng.integers(0, len(drawn), steps.batch - len(own))
        pictures, old_cards, _, _ = tensors([drawn[i] for i in old])
        views = torch.from_numpy(np.stack([varied(crops[i], rng) for i in own]))
        told = net(torch.cat([views, pictures]))
        truth = torch.cat([numbers[own], old_cards])
        loss = functional.cross_entropy(told.rank, _RANK_OF[truth])
        loss = loss + functional.cross_entropy(told.suit, _SUIT_OF[truth])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        if (step + 1) % steps.save_every == 0 or step + 1 == steps.count:
            say(step + 1, float(loss.detach()))
            written = checkpoint.with_suffix(".part")
            torch.save(
                {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1, "task": task}, written
            )
            written.replace(checkpoint)
    return net


def varied(crop: Picture, rng: np.random.Generator) -> Picture:
    """The card as another picture might show it: its outline a little off, coarser, in other light, either end up."""
    view = crop[::-1, ::-1] if rng.random() < 0.5 else crop
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * [CROP_WIDTH_PX, CROP_HEIGHT_PX]
    moved = corners + rng.normal(0, 1.6, (4, 2)) + rng.normal(0, 1.2, 2)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    view = cv2.warpPerspective(view, matrix, (CROP_WIDTH_PX, CROP_HEIGHT_PX), borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < 0.5:
        share = float(rng.uniform(0.4, 1.0))
        small = cv2.resize(view, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        view = cv2.resize(small, (CROP_WIDTH_PX, CROP_HEIGHT_PX), interpolation=cv2.INTER_CUBIC)
    light = view.astype(np.float32) * rng.uniform(0.75, 1.25) * rng.uniform(0.95, 1.05, 3) + rng.uniform(-12, 12)
    return np.asarray(np.clip(light + rng.normal(0, rng.uniform(0, 4), view.shape), 0, 255), np.uint8)


def _task(crops: Sequence[Picture], cards: Sequence[str], steps: Steps) -> str:
    digest = hashlib.sha256(repr((steps, tuple(cards))).encode())
    for crop in crops:
        digest.update(crop.tobytes())
    return digest.hexdigest()


def _resumed(checkpoint: Path, task: str, net: ReaderNet, optimizer: torch.optim.Optimizer) -> int:
    """The step to go on from."""
    if not checkpoint.is_file():
        return 0
    kept = torch.load(checkpoint, weights_only=True)
    if kept.get("task") != task:
        return 0
    net.load_state_dict(kept["net"])
    optimizer.load_state_dict(kept["optimizer"])
    return int(kept["step"])


def train_on(
    crops: Sequence[Picture], cards: Sequence[str], path: Path, say: Callable[[str], None], steps: Steps | None = None
) -> str:
    """Train the shipped reader on with these crops and write it to `path`; the file's sha256.

    A checkpoint lies beside it until the end, so that a run that was stopped goes on.
    """
    steps = steps or Steps()
    net, temperature = exported_net((files("handreplay") / "models" / "reader.onnx").read_bytes())
    net = trained_on(net, crops, cards, path.parent, steps, lambda step, loss: say(f"step {step} loss {loss:.3f}"))
    export(net, temperature, path)
    (path.parent / CHECKPOINT).unlink(missing_ok=True)
    return hashlib.sha256(path.read_bytes()).hexdigest()
