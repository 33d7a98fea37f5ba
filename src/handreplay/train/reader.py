"""Trains the card reader from nothing: crops made on the fly, fixed seeds, checkpoints, resumes after a kill.

Run as `handreplay train reader runs/reader [--art ARTWORK]`.
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from handreplay.core.cards import DECK, RANKS, SUITS
from handreplay.synth.card_crops import KINDS, Crop, CropMaker
from handreplay.synth.decks import load_decks
from handreplay.train.reader_net import ExportedReader, ReaderNet
from handreplay.train.reader_weights import exported_net

_RANK_OF = torch.tensor([RANKS.index(card[0]) for card in DECK])
_SUIT_OF = torch.tensor([SUITS.index(card[1]) for card in DECK])
_HELD_OUT_SEED = 9001  # decks that training never sees
_NORMS_SEED = 77
_BUFFER = 4096


@dataclass(frozen=True)
class Plan:
    """How long and with what to train."""

    out: Path
    art: Path | None = None
    start: Path | None = None  # an exported reader to train on from, instead of from nothing
    seed: int = 1
    steps: int = 7000
    batch: int = 64
    peak_rate: float = 2e-3
    drawn_decks: int = 300
    steps_per_sheet: int = 4
    check_every: int = 250


class _Batches:
    """Random batches from a buffer of fresh crops."""

    def __init__(self, maker: CropMaker, plan: Plan, start_step: int) -> None:
        self._maker, self._plan = maker, plan
        self._rng = np.random.default_rng([plan.seed, start_step, 2])
        self._buffer: list[Crop] = []

    def next(self, step: int) -> list[Crop]:
        while len(self._buffer) < self._plan.batch * 8:
            self._buffer += self._maker.sheet()
        if step % self._plan.steps_per_sheet == 0:
            self._buffer += self._maker.sheet()
        if len(self._buffer) > _BUFFER:
            self._buffer = self._buffer[len(self._buffer) - _BUFFER :]
        return [self._buffer[i] for i in self._rng.choice(len(self._buffer), self._plan.batch, replace=False)]


def tensors(crops: list[Crop]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Pictures (N x 152 x 112 x 3 bytes), card numbers (-1: no face), kinds, readable."""
    pictures = torch.from_numpy(np.stack([crop.picture for crop in crops]))
    cards = torch.tensor([crop.card for crop in crops])
    kinds = torch.tensor([crop.kind for crop in crops])
    return pictures, cards, kinds, torch.tensor([float(crop.readable) for crop in crops])


def _card_loss(rank: torch.Tensor, suit: torch.Tensor, cards: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """How surprising the cards are, averaged by weight."""
    surprise = functional.cross_entropy(rank, _RANK_OF[cards], reduction="none")
    surprise = surprise + functional.cross_entropy(suit, _SUIT_OF[cards], reduction="none")
    return (surprise * weight).sum() / weight.sum().clamp(min=1)


def _loss(net: ReaderNet, crops: list[Crop]) -> torch.Tensor:
    pictures, cards, kinds, readable = tensors(crops)
    with torch.autocast("cpu", torch.bfloat16):
        told = net(pictures)
    face = cards >= 0
    # What is half covered still teaches: the best answer there is the honest spread of probabilities.
    weight = torch.where(readable[face] > 0, 1.0, 0.3)
    total = _card_loss(told.rank[face], told.suit[face], cards[face], weight)
    shown = torch.tensor([crop.index_shown[end] for end in (0, 1) for crop in crops])
    twice = torch.cat([cards, cards])[shown]
    total = total + 0.5 * _card_loss(told.corner_rank[shown], told.corner_suit[shown], twice, torch.ones(len(twice)))
    total = total + 0.3 * functional.cross_entropy(told.kind, kinds)
    return total + 0.2 * functional.binary_cross_entropy_with_logits(told.readable[face], readable[face])


def _rate(plan: Plan, step: int) -> float:
    warm = min(1.0, (step + 1) / 200)
    share = min(1.0, step / plan.steps)
    return plan.peak_rate * warm * (0.5 * (1 + float(np.cos(np.pi * share))) * 0.99 + 0.01)


def net_of(weights: Path) -> ReaderNet:
    """An exported reader as a net to train on: its norms, folded away in the file, are measured afresh on drawn crops,
    so that it answers as the file does."""
    net, _ = exported_net(weights.read_bytes())
    maker = CropMaker(load_decks(_NORMS_SEED, None, drawn=40), _NORMS_SEED)
    pictures, _, _, _ = tensors([crop for _ in range(8) for crop in maker.sheet()])
    seen: dict[nn.BatchNorm2d, list[torch.Tensor]] = {}
    norms = [part for part in net.modules() if isinstance(part, nn.BatchNorm2d)]
    watched = [
        norm.register_forward_pre_hook(lambda part, told: seen.setdefault(part, []).append(told[0].detach()))
        for norm in norms
    ]
    logits(net, pictures)
    for watch in watched:
        watch.remove()
    with torch.no_grad():
        for norm in norms:
            spread, mean = torch.var_mean(torch.cat(seen[norm]), dim=(0, 2, 3), correction=0)
            norm.weight.copy_(torch.sqrt(spread + norm.eps))
            norm.bias.add_(mean)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread)
    return net


class Trainer:
    """The net being trained, its running average (which is what ships), and where they are kept."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        torch.manual_seed(plan.seed)
        self.net = (ReaderNet() if plan.start is None else net_of(plan.start)).to(memory_format=torch.channels_last)
        self.average = ReaderNet()
        self.average.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=plan.peak_rate, weight_decay=0.02)
        self.step = 0
        if self.checkpoint.is_file():
            kept = torch.load(self.checkpoint, weights_only=True)
            self.net.load_state_dict(kept["net"])
            self.average.load_state_dict(kept["average"])
            self.optimizer.load_state_dict(kept["optimizer"])
            self.step = int(kept["step"])

    @property
    def checkpoint(self) -> Path:
        return self.plan.out / "last.pt"

    def save(self) -> None:
        state = {"net": self.net.state_dict(), "average": self.average.state_dict(), "step": self.step}
        state["optimizer"] = self.optimizer.state_dict()
        written = self.checkpoint.with_suffix(".part")
        torch.save(state, written)
        written.replace(self.checkpoint)

    def advance(self, crops: list[Crop]) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = _rate(self.plan, self.step)
        self.net.train()
        loss = _loss(self.net, crops)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimizer.step()
        self.step += 1
        keep = min(0.998, self.step / (self.step + 10))
        with torch.no_grad():
            ours = self.net.state_dict()
            for name, value in self.average.state_dict().items():
                if value.dtype.is_floating_point:
                    value.lerp_(ours[name], 1 - keep)
                else:
                    value.copy_(ours[name])
        return float(loss.detach())


def logits(net: ReaderNet, pictures: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Rank, suit, kind and readable logits, in pieces that fit a small machine."""
    net.eval()
    with torch.inference_mode():
        parts = [net(pictures[i : i + 64])[:4] for i in range(0, len(pictures), 64)]
    return tuple(torch.cat(piece) for piece in zip(*parts, strict=True))


def fit_temperature(net: ReaderNet, crops: list[Crop]) -> float:
    """The temperature at which held-out crops are least surprising, 0.5 to 3."""
    pictures, cards, _, _ = tensors(crops)
    rank, suit, _, _ = logits(net, pictures)
    face = cards >= 0

    def surprise(temperature: float) -> float:
        by_rank = functional.cross_entropy(rank[face] / temperature, _RANK_OF[cards[face]])
        return float(by_rank + functional.cross_entropy(suit[face] / temperature, _SUIT_OF[cards[face]]))

    return float(min(np.linspace(0.5, 3.0, 51), key=surprise))


def score(net: ReaderNet, crops: list[Crop]) -> dict[str, float]:
    """Shares right on labelled crops: cards and kinds; `legible` counts only the crops said to be readable."""
    pictures, cards, kinds, readable = tensors(crops)
    rank, suit, kind, legible = logits(net, pictures)
    face = cards >= 0
    right = (rank.argmax(1)[face] == _RANK_OF[cards[face]]) & (suit.argmax(1)[face] == _SUIT_OF[cards[face]])
    wanted = readable[face] > 0
    return {
        "cards": float(right.float().mean()),
        "legible": float(right[wanted].float().mean()),
        "kinds": float((kind.argmax(1) == kinds).float().mean()),
        "readable": float(((legible[face] > 0) == wanted).float().mean()),
    }


def held_out_crops(plan: Plan, sheets: int) -> list[Crop]:
    """Crops of decks that training does not see: drawn from another seed, no artwork."""
    fonts_only = load_decks(_HELD_OUT_SEED, plan.art, drawn=40)[:40]
    maker = CropMaker(fonts_only, _HELD_OUT_SEED, art_share=0.0, shots=1)
    return [crop for _ in range(sheets) for crop in maker.sheet()]


def export(net: ReaderNet, temperature: float, path: Path) -> None:
    """Write ONNX with everything by name: the cards in order, the kinds, the colour order of the input."""
    import onnx

    example = torch.zeros((2, 152, 112, 3), dtype=torch.uint8)
    model = ExportedReader(net.eval(), temperature)
    torch.onnx.export(
        model, (example,), str(path), input_names=["crops"], output_names=["cards", "kinds", "readable"],
        dynamic_axes={name: {0: "n"} for name in ("crops", "cards", "kinds", "readable")}, opset_version=17,
        dynamo=False,
    )  # fmt: skip
    written = onnx.load(str(path))
    about = {"model": "reader", "names": json.dumps(DECK), "kinds": json.dumps(KINDS), "input": "BGR 112x152"}
    about["temperature"] = f"{temperature:.3f}"
    for key, value in about.items():
        entry = written.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(written, str(path))


def _say(plan: Plan, **facts: Any) -> None:
    with (plan.out / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(facts) + "\n")


def train(plan: Plan) -> Path:
    """Train to the end of the plan, or on from the last checkpoint; the path of the exported weights."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    plan.out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(plan)
    _say(plan, start=trainer.step, settings={key: str(value) for key, value in asdict(plan).items()})
    decks = load_decks(plan.seed, plan.art, drawn=plan.drawn_decks)
    batches = _Batches(CropMaker(decks, plan.seed * 1000 + trainer.step), plan, trainer.step)
    held_out = held_out_crops(plan, 24)
    began, losses = time.monotonic(), []
    while trainer.step < plan.steps:
        losses.append(trainer.advance(batches.next(trainer.step)))
        if trainer.step % 50 == 0:
            _say(plan, step=trainer.step, loss=float(np.mean(losses)), seconds=round(time.monotonic() - began))
            losses = []
        if trainer.step % plan.check_every == 0 or trainer.step == plan.steps:
            _say(plan, step=trainer.step, **score(trainer.average, held_out))
            trainer.save()
    return finish(trainer, held_out)


def finish(trainer: Trainer, held_out: list[Crop]) -> Path:
    """Calibrate and export what the trainer holds."""
    path = trainer.plan.out / "reader.onnx"
    temperature = fit_temperature(trainer.average, held_out)
    export(trainer.average, temperature, path)
    _say(trainer.plan, exported=path.name, temperature=temperature, **score(trainer.average, held_out))
    return path


def main(arguments: list[str]) -> None:
    """`handreplay train reader`."""
    parser = argparse.ArgumentParser(prog="handreplay train reader", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for checkpoints, log.jsonl and reader.onnx")
    parser.add_argument("--art", type=Path, help="artwork prepared by python -m handreplay.synth.art")
    parser.add_argument("--start", type=Path, help="an exported reader to train on from, instead of from nothing")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--steps", type=int, default=Plan.steps)
    parser.add_argument("--rate", type=float, default=Plan.peak_rate, help="the highest step size")
    given = parser.parse_args(arguments)
    plan = Plan(given.out, given.art, given.start, given.seed, given.steps, peak_rate=given.rate)
    print(train(plan))
