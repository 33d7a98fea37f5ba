"""Training of the table net: for every cell of 4 x 4 px of a felt view, what is there and which card it belongs to.

One process draws shards of tiles, this one learns from them. Every visible cell of a card tells that card's whole
outline, so that a strip 6 mm wide under another card is enough to find it; the eye joins the cells' votes.
Batches depend on the seed and the step alone, so a run that was stopped goes on as if it had not been.

    python -m handreplay.train.table WORK [--kind table|photo] [--art DECKS] [--steps N] [--export FILE]
"""

import argparse
import json
import multiprocessing
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handreplay.synth import scene
from handreplay.synth.decks import load_decks
from handreplay.synth.photos import photo_tiles
from handreplay.vision.table_eye import CHANNELS, INPUT

TILES_PER_SHARD = 128
BATCH = 16
BATCHES_PER_SHARD = 90  # each tile is seen 11 times on average, turned, mirrored and relit another way
SHARDS_KEPT = 60
OFFSET_PX = 16.0  # one unit of the net's lengths
LEAN = 400.0  # one unit of the net's lean, per px
Arrays = dict[str, NDArray[Any]]


# ---------------------------------------------------------------------------------------------------------- shards


def make_shard(kind: str, stock: scene.Stock, seed: int, number: int) -> Arrays:
    """TILES_PER_SHARD tiles with their truth, the same for the same numbers."""
    tiles: list[scene.Tile] = []
    while len(tiles) < TILES_PER_SHARD:
        rng = np.random.default_rng([seed, number, len(tiles)])
        tiles += scene.table_tiles(stock, rng) if kind == "table" else photo_tiles(stock, rng)
    tiles = tiles[:TILES_PER_SHARD]
    return {name: np.stack([getattr(tile, name) for tile in tiles]) for name in ("picture", "kind", "thing", "things")}


def _shard_path(work: Path, number: int) -> Path:
    return work / f"shard-{number:05d}.npz"


def draw_shards(work: Path, kind: str, art: Path | None, seed: int, first: int, last: int) -> None:
    """Write the shards that are not there yet. Runs in a process of its own."""
    import cv2

    cv2.setNumThreads(1)
    stock = scene.Stock(tuple(load_decks(seed, art)))
    for number in range(first, last):
        path = _shard_path(work, number)
        if path.exists():
            continue
        part = path.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as file:
            np.savez(file, **make_shard(kind, stock, seed, number))
        part.replace(path)


class Shelf:
    """The newest shards in memory, loaded as training reaches them."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.shards: dict[int, Arrays] = {}

    def batch(self, step: int, seed: int, pause_s: float = 0.5) -> Arrays:
        """The batch of a step; waits for the shard that this step is the first to need."""
        newest = step // BATCHES_PER_SHARD
        oldest = max(0, newest - SHARDS_KEPT + 1)
        for number in range(oldest, newest + 1):
            if number not in self.shards:
                self.shards[number] = self._load(number, pause_s)
        for number in [number for number in self.shards if number < oldest]:
            del self.shards[number]
        rng = np.random.default_rng([seed, 1, step])
        fresh = rng.random(BATCH) < 0.3
        shard = np.where(fresh, newest, rng.integers(oldest, newest + 1, BATCH))
        rows = rng.integers(0, TILES_PER_SHARD, BATCH)
        samples = [self._turned(self.shards[int(s)], int(r), rng) for s, r in zip(shard, rows, strict=True)]
        return {name: np.stack([sample[name] for sample in samples]) for name in samples[0]}

    def _load(self, number: int, pause_s: float) -> Arrays:
        path = _shard_path(self.work, number)
        while not path.exists():
            time.sleep(pause_s)
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}

    @staticmethod
    def _turned(shard: Arrays, row: int, rng: np.random.Generator) -> Arrays:
        """One tile turned by quarters, perhaps mirrored: eight tiles for one."""
        quarters, mirror = int(rng.integers(4)), bool(rng.random() < 0.5)
        sample = {name: shard[name][row] for name in shard}
        for name in ("picture", "kind", "thing"):
            turned = np.rot90(sample[name], quarters)
            sample[name] = np.ascontiguousarray(turned[:, ::-1] if mirror else turned)
        matrix = np.linalg.matrix_power(np.array([[0.0, 1.0], [-1.0, 0.0]]), quarters)
        matrix = (np.diag([-1.0, 1.0]) @ matrix if mirror else matrix).astype(np.float32)
        things = sample["things"].copy()
        middle = (scene.TILE_PX - 1) / 2
        things[:, 0:2] = (things[:, 0:2] - middle) @ matrix.T + middle
        chip = np.zeros(len(things), bool)
        rows = sample["thing"][(sample["kind"] == scene.CHIP) & (sample["thing"] >= 0)]
        chip[np.unique(rows)] = True
        for part in (slice(2, 4), slice(4, 6), slice(6, 8)):
            things[~chip, part] = things[~chip, part] @ matrix.T
        sample["things"] = things
        return sample


# ------------------------------------------------------------------------------------------------------------- net


def _conv(before: int, after: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(width, width), nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        )

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.body(x))


class TableNet(nn.Module):
    """B x 3 x H x W pictures (BGR, 0 to 255; sides multiples of 32) -> B x 16 x H/4 x W/4.

    Channels as in `table_eye.CHANNELS`, chances as logits. A card's half sides are vectors of doubled angle, so that
    half a turn changes nothing; the spread is its logarithm. Lengths in OFFSET_PX.
    """

    def __init__(self) -> None:
        super().__init__()
        self.to4 = nn.Sequential(_conv(3, 16, 2), _conv(16, 32, 2), _Residual(32))
        self.to8 = nn.Sequential(_conv(32, 56, 2), _Residual(56))
        self.to16 = nn.Sequential(_conv(56, 80, 2), _Residual(80))
        self.to32 = nn.Sequential(_conv(80, 96, 2), _Residual(96))
        self.up16 = nn.Conv2d(96, 80, 1)
        self.at16 = _conv(80, 80)
        self.up8 = nn.Conv2d(80, 56, 1)
        self.at8 = _Residual(56)
        self.up4 = nn.Conv2d(56, 32, 1)
        self.at4 = _Residual(32)
        self.head = nn.Sequential(_conv(32, 40), nn.Conv2d(40, len(CHANNELS), 1))

    def forward(self, picture: Tensor) -> Tensor:
        at4 = self.to4(picture / 128 - 1)
        at8 = self.to8(at4)
        at16 = self.to16(at8)
        x = self.at16(at16 + _doubled(self.up16(self.to32(at16))))
        x = self.at8(at8 + _doubled(self.up8(x)))
        x = self.at4(at4 + _doubled(self.up4(x)))
        answer: Tensor = self.head(x)
        return answer


def _doubled(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


class Exported(nn.Module):
    """The net as the eye runs it: chances instead of logits, lengths in px, spread in px."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, picture: Tensor) -> Tensor:
        raw = self.net(picture)
        return torch.cat(
            [
                torch.sigmoid(raw[:, :4]),
                raw[:, 4:10] * OFFSET_PX,
                raw[:, 10:12] / LEAN,
                torch.exp(raw[:, 12:13]) * OFFSET_PX,
                raw[:, 13:16] * OFFSET_PX,
            ],
            dim=1,
        )


# ------------------------------------------------------------------------------------------------------------ loss


def _doubled_angle(vector: Tensor) -> Tensor:
    """B x 2 x ... vectors, turned to twice their angle, their length kept."""
    x, y = vector[:, 0], vector[:, 1]
    length = torch.sqrt(x * x + y * y).clamp(min=1e-6)
    return torch.stack([(x * x - y * y) / length, 2 * x * y / length], dim=1)


def targets(batch: Arrays) -> dict[str, Tensor]:
    """What every cell should say: `shape` (B x 8), `chip` (B x 3), in the net's units, and `kind`, `weight`."""
    kind, thing = torch.from_numpy(batch["kind"]).long(), torch.from_numpy(batch["thing"]).long()
    things = torch.from_numpy(batch["things"])
    b, h, w = kind.shape
    index = thing.clamp(min=0).reshape(b, -1)
    dense = torch.gather(things, 1, index[:, :, None].expand(-1, -1, 8)).permute(0, 2, 1).reshape(b, 8, h, w)
    middles = torch.arange(w) * scene.CELL_PX + (scene.CELL_PX - 1) / 2
    cells = torch.stack(torch.meshgrid(middles, middles, indexing="xy"))
    centre = (dense[:, :2] - cells) / OFFSET_PX
    long, short = _doubled_angle(dense[:, 2:4]) / OFFSET_PX, _doubled_angle(dense[:, 4:6]) / OFFSET_PX
    count = torch.zeros(b, scene.THINGS_KEPT).scatter_add_(1, index, (thing >= 0).float().reshape(b, -1))
    seen = torch.gather(count, 1, index).reshape(b, h, w).clamp(min=1)
    return {
        "shape": torch.cat([centre, long, short, dense[:, 6:8] * LEAN], dim=1),
        "chip": torch.cat([centre, dense[:, 2:3] / OFFSET_PX], dim=1),
        "kind": kind,
        "weight": torch.where(thing >= 0, (300 / seen).sqrt().clamp(1.0, 4.0), torch.ones_like(seen)),
    }


def loss(raw: Tensor, batch: Arrays) -> tuple[Tensor, dict[str, float]]:
    """Chances by cross entropy; shapes by absolute error in units of the spread that the net itself gives."""
    truth = targets(batch)
    kind, weight = truth["kind"], truth["weight"]
    wanted = torch.stack([kind == scene.FACE, kind == scene.BACK, kind == scene.CHIP, kind == scene.COVERED], dim=1)
    told = torch.ones_like(raw[:, :4])
    told[:, 3][(kind == scene.EITHER) | (kind == scene.UNTOLD)] = 0
    told[:, :2][(kind == scene.UNTOLD)[:, None].expand(-1, 2, -1, -1)] = 0
    entropy = functional.binary_cross_entropy_with_logits(raw[:, :4], wanted.float(), reduction="none")
    chance = (entropy * told * weight[:, None]).sum(1).mean()
    card = (wanted[:, 0] | wanted[:, 1]).float() * weight
    spread = raw[:, 12].clamp(-6, 4)
    error = (raw[:, 4:10] - truth["shape"][:, :6]).abs()
    shape = ((error.sum(1) * torch.exp(-spread) + 6 * spread) * card).sum() / card.sum().clamp(min=1)
    lean = ((raw[:, 10:12] - truth["shape"][:, 6:]).abs().sum(1) * card).sum() / card.sum().clamp(min=1)
    top = wanted[:, 2].float()
    chip = ((raw[:, 13:16] - truth["chip"]).abs().sum(1) * top).sum() / top.sum().clamp(min=1)
    total = 4 * chance + shape + 0.5 * lean + chip
    px = float((error.detach().mean(1) * card).sum() / card.sum().clamp(min=1)) * OFFSET_PX
    return total, {"chance": float(chance.detach()), "card_px": px, "chip": float(chip.detach())}


# -------------------------------------------------------------------------------------------------------- training


@dataclass(frozen=True)
class Plan:
    work: Path
    kind: str
    art: Path | None
    steps: int
    seed: int
    rate: float
    start: Path | None  # a checkpoint whose weights to begin with


def _relit(pictures: Tensor, step: int, seed: int) -> Tensor:
    """Pictures (B x H x W x 3) as B x 3 x H x W floats, each a little brighter, darker or tinted."""
    luck = torch.Generator().manual_seed(seed * 1_000_003 + step)
    gain = 1 + 0.12 * torch.randn(len(pictures), 1, 1, 1, generator=luck)
    tint = 1 + 0.05 * torch.randn(len(pictures), 3, 1, 1, generator=luck)
    lift = 6 * torch.randn(len(pictures), 1, 1, 1, generator=luck)
    return (pictures.permute(0, 3, 1, 2).float() * gain * tint + lift).clamp(0, 255)


def _learning_rate(step: int, plan: Plan) -> float:
    warm = min(1.0, (step + 1) / 200)
    return float(plan.rate * warm * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * min(1.0, step / plan.steps)))))


def _save(path: Path, values: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    torch.save(values, part)
    part.replace(path)


def train(plan: Plan) -> Path:
    """Train until `steps`, going on from the last checkpoint in the work folder; returns the checkpoint."""
    plan.work.mkdir(parents=True, exist_ok=True)
    checkpoint = plan.work / "checkpoint.pt"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(plan.seed)
    net = TableNet().to(device)
    optimiser = torch.optim.AdamW(net.parameters(), plan.rate, weight_decay=1e-3)
    average = {name: value.detach().clone() for name, value in net.state_dict().items()}
    first = 0
    if checkpoint.exists() or plan.start:
        saved = torch.load(checkpoint if checkpoint.exists() else plan.start, weights_only=True, map_location=device)
        net.load_state_dict(saved["net"] if checkpoint.exists() else saved["average"])
        average = saved["average"]
        if checkpoint.exists():
            optimiser.load_state_dict(saved["optimiser"])
            first = int(saved["step"])
    last_shard = plan.steps // BATCHES_PER_SHARD + 1
    drawer = multiprocessing.get_context("spawn").Process(
        target=draw_shards,
        args=(plan.work, plan.kind, plan.art, plan.seed, max(0, first // BATCHES_PER_SHARD - SHARDS_KEPT), last_shard),
        daemon=True,
    )
    drawer.start()
    shelf, sums, began = Shelf(plan.work), {"chance": 0.0, "card_px": 0.0, "chip": 0.0}, time.monotonic()
    for step in range(first, plan.steps):
        for group in optimiser.param_groups:
            group["lr"] = _learning_rate(step, plan)
        batch = shelf.batch(step, plan.seed)
        picture = _relit(torch.from_numpy(batch["picture"]), step, plan.seed).to(device)
        net.train()
        with torch.autocast(device, torch.bfloat16):
            raw = net(picture.contiguous(memory_format=torch.channels_last))
        total, parts = loss(raw.float().cpu(), batch)
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        keep = min(0.998, (1 + step) / (10 + step))
        for name, value in net.state_dict().items():
            if value.dtype.is_floating_point:
                average[name].mul_(keep).add_(value.detach(), alpha=1 - keep)
            else:
                average[name].copy_(value)
        sums = {name: value + parts[name] for name, value in sums.items()}
        if (step + 1) % 50 == 0:
            shown = "  ".join(f"{name} {value / 50:.3f}" for name, value in sums.items())
            print(f"step {step + 1}/{plan.steps}  {shown}  {(time.monotonic() - began) / 50:.2f} s/step", flush=True)
            sums, began = dict.fromkeys(sums, 0.0), time.monotonic()
        if (step + 1) % 250 == 0 or step + 1 == plan.steps:
            state = {"net": net.state_dict(), "average": average, "optimiser": optimiser.state_dict(), "step": step + 1}
            _save(checkpoint, state)
    drawer.terminate()
    return checkpoint


def export(checkpoint: Path, target: Path, other: Path | None = None) -> None:
    """Write the averaged weights as ONNX, sizes and batch free.

    With another checkpoint of the same descent, the mean of both: what one learnt without what it forgot.
    """
    net = TableNet()
    weights = torch.load(checkpoint, weights_only=True, map_location="cpu")["average"]
    if other is not None:
        more = torch.load(other, weights_only=True, map_location="cpu")["average"]
        weights = {k: (v + more[k]) / 2 if v.dtype.is_floating_point else v for k, v in weights.items()}
    net.load_state_dict(weights)
    model = Exported(net).eval()
    sample = torch.zeros(1, 3, scene.TILE_PX, scene.TILE_PX)
    axes = {"picture": {0: "batch", 2: "height", 3: "width"}, "cells": {0: "batch", 2: "rows", 3: "columns"}}
    torch.onnx.export(
        model, (sample,), str(target), input_names=["picture"], output_names=["cells"], dynamic_axes=axes,
        opset_version=17, dynamo=False,
    )  # fmt: skip
    said = {"channels": json.dumps(CHANNELS), "input": INPUT}
    file = onnx.load(target)
    onnx.helper.set_model_props(file, said)
    onnx.save(file, target)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="handreplay train table", description=__doc__)
    parser.add_argument("work", type=Path, help="folder for shards and checkpoint; going on there if it has any")
    parser.add_argument("--kind", choices=["table", "photo"], default="table")
    parser.add_argument("--art", type=Path, help="decks prepared by handreplay.synth.art")
    parser.add_argument("--steps", type=int, default=7500)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--start", type=Path, help="checkpoint to begin with")
    parser.add_argument("--export", type=Path, help="ONNX file to write")
    parser.add_argument("--only-export", action="store_true")
    parser.add_argument("--mean-with", type=Path, help="checkpoint whose weights are averaged with these on export")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1 if not torch.cuda.is_available() else torch.get_num_threads())
    plan = Plan(options.work, options.kind, options.art, options.steps, options.seed, options.rate, options.start)
    checkpoint = options.work / "checkpoint.pt" if options.only_export else train(plan)
    if options.export:
        export(checkpoint, options.export, options.mean_with)


if __name__ == "__main__":
    main()
