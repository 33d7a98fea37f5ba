"""Training of the two chip networks on pictures drawn for the purpose.

    handreplay train chips FOLDER [--hours 1.5] [--shards 60]

Draws scenes into FOLDER, learns from them and writes chip_finder.onnx and chip_reader.onnx; started again it goes on
where it was stopped. Every shard of scenes is a function of its number.
"""

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handreplay.synth.chip_scenes import LARGE_MM, SMALL_MM, Scene, cut, random_scenes
from handreplay.synth.chips import ChipSet
from handreplay.train.chip_nets import Finder, OnlyLevels, Reader
from handreplay.vision.chip_geometry import (
    FINDER_PX_PER_MM,
    FINDER_STRIDE,
    MOST_CHIPS,
    STACK_CENTRE,
    STACK_PX_PER_MM,
    STACK_SIZE,
)

FINDER_CROP = 144  # pixels, square, in training only
PALETTE = 8  # most denominations in one training palette
LARGE_SCENES, SMALL_SCENES = 60, 240  # drawn for one shard, each photographed twice or three times
PASS = -100  # a level that is not asked about
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class StackSample:
    crop: NDArray[np.uint8]
    lean: float
    levels: NDArray[np.int8]  # palette row from the top down, PALETTE at the end, then PASS
    palette: NDArray[np.float32]
    foot: float  # mm that the lowest chip's foot is seen below the crop's centre; NaN without a stack


def palette_of(chipset: ChipSet) -> NDArray[np.float32]:
    """PALETTE x 6: face and edge as RGB from 0 to 1, NaN where there is no chip."""
    palette = np.full((PALETTE, 6), np.nan, np.float32)
    for row, look in enumerate(chipset.looks):
        palette[row] = np.array([*look.face[::-1], *look.edge[::-1]]) / 255
    return palette


def make_shard(seed: int) -> Arrays:
    """Samples for both networks."""
    rng = np.random.default_rng(seed)
    stacks: list[StackSample] = []
    places: list[tuple[NDArray[np.uint8], NDArray[np.float32]]] = []
    for _ in range(LARGE_SCENES):
        for scene in random_scenes(rng, 2, LARGE_MM):
            places.append(_finder_sample(scene, rng))
            stacks.extend(_stack_samples(scene, rng))
    for _ in range(SMALL_SCENES):
        for scene in random_scenes(rng, 3, SMALL_MM):
            stacks.extend(_stack_samples(scene, rng))
    return {
        "crops": np.stack([s.crop for s in stacks]),
        "lean": np.array([s.lean for s in stacks], np.float32),
        "levels": np.stack([s.levels for s in stacks]),
        "palette": np.stack([s.palette for s in stacks]),
        "foot": np.array([s.foot for s in stacks], np.float32),
        "scenes": np.stack([p[0] for p in places]),
        "tops": np.stack([p[1] for p in places]),
    }


def _finder_sample(scene: Scene, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A crop and up to 6 rows x, y, weight: weight 0 where a covered stack may or may not be found."""
    corner = np.array([85.0, 95.0]) - FINDER_CROP / 2 + rng.uniform(-12, 12, 2)
    crop = cut(scene, corner.tolist(), FINDER_PX_PER_MM, (FINDER_CROP, FINDER_CROP))
    tops = np.full((6, 3), -1000, np.float32)
    for row, (stack, covered) in enumerate(zip(scene.stacks, scene.covered, strict=True)):
        tops[row] = (*((np.array(stack.top) - corner) * FINDER_PX_PER_MM), 0.0 if covered else 1.0)
    return crop, tops


def _stack_samples(scene: Scene, rng: np.random.Generator) -> list[StackSample]:
    values = [look.value for look in scene.chipset.looks]
    palette, samples = palette_of(scene.chipset), []
    for stack, covered in zip(scene.stacks, scene.covered, strict=True):
        if covered:
            continue
        levels = np.full(MOST_CHIPS + 1, PASS, np.int8)
        levels[: len(stack.values)] = [values.index(value) for value in reversed(stack.values)]
        levels[len(stack.values)] = PALETTE
        at = np.array(stack.top) + rng.normal(0, 0.8, 2)
        foot = float(stack.base[1] - at[1])
        samples.append(StackSample(_stack_crop(scene, at), scene.lean, levels, palette, foot))
    nowhere = rng.uniform((30, 40), (66, 80))
    far = all(np.hypot(*(nowhere - stack.top)) > 14 for stack in scene.stacks)
    if far and rng.random() < 0.2:
        levels = np.full(MOST_CHIPS + 1, PASS, np.int8)
        levels[0] = PALETTE
        samples.append(StackSample(_stack_crop(scene, nowhere), scene.lean, levels, palette, float("nan")))
    return samples


def _stack_crop(scene: Scene, top_mm: NDArray[np.float64]) -> NDArray[np.uint8]:
    corner = top_mm - np.array(STACK_CENTRE) / STACK_PX_PER_MM
    return cut(scene, corner.tolist(), STACK_PX_PER_MM, STACK_SIZE)


def reader_loss(model: Reader, shard: dict[str, Tensor], rows: Tensor) -> tuple[Tensor, Tensor]:
    """Mean loss over the levels asked, and which stacks were read without an error."""
    crops = shard["crops"][rows].permute(0, 3, 1, 2).flip(1).float() / 255
    if torch.rand(()) < 0.5:
        crops = crops.flip(3)
    palette = shard["palette"][rows]
    given = ~torch.isnan(palette[..., 0])
    filled = torch.nan_to_num(palette, 0.0)
    filled = filled + given[..., None] * 0.04 * torch.randn_like(filled)
    mean = filled.sum(1, keepdim=True) / given.sum(1).view(-1, 1, 1)
    out, seen = model(crops, shard["lean"][rows], torch.where(given[..., None], filled, mean))
    out = out.float()
    kinds, run, end = out[..., :-2].masked_fill(~given[:, None], -30.0), out[..., -2], out[..., -1]
    levels = shard["levels"][rows].long()
    asked, ended = levels != PASS, levels == PALETTE
    above = functional.one_hot(levels[:, :-1].clamp(0, PALETTE), PALETTE + 1)[..., :PALETTE]
    runs = torch.cat([torch.zeros_like(above[:, :1]), above], 1) * run[..., None]
    kind = functional.cross_entropy((kinds + runs).transpose(1, 2), levels.clamp(0, PALETTE - 1), reduction="none")
    stop = functional.binary_cross_entropy_with_logits(end, ended.float(), reduction="none")
    each = asked * stop + (asked & ~ended) * kind
    weight = asked.sum(1, keepdim=True) ** -0.5  # so that tall stacks do not drown short ones
    loss = (each * weight).sum() / (asked * weight).sum()
    foot = shard["foot"][rows] * STACK_PX_PER_MM
    stands = ~torch.isnan(foot)
    target = torch.softmax(-0.5 * ((model.edge_rows - torch.nan_to_num(foot)[:, None]) / 0.5) ** 2, 1)
    missed = -(target * torch.log_softmax(seen, 1)).sum(1)
    loss = loss + 0.15 * (missed * stands).sum() / stands.sum()
    best = torch.where(end > 0, PALETTE, (kinds + runs).argmax(2))
    return loss, ((best == levels) | ~asked).all(1)


def finder_loss(model: Finder, shard: dict[str, Tensor], rows: Tensor) -> Tensor:
    crops = shard["scenes"][rows].permute(0, 3, 1, 2).flip(1).float() / 255
    answer = model(crops)
    cells = answer.shape[2]
    tops = shard["tops"][rows] / FINDER_STRIDE
    grid = torch.arange(cells) + 0.5
    dx, dy = tops[:, :, 0, None, None] - grid.view(1, 1, 1, -1), tops[:, :, 1, None, None] - grid.view(1, 1, -1, 1)
    sure = shard["tops"][rows][:, :, 2, None, None]
    distance = torch.hypot(dx.expand(-1, -1, cells, cells), dy.expand(-1, -1, cells, cells))
    nearest, which = distance.min(1)
    target = torch.exp(-((nearest / 0.7) ** 2))
    weight = torch.where(nearest < 0.8, torch.full_like(nearest, 6.0), torch.ones_like(nearest))
    weight = weight * ~((distance < 7) & (sure == 0)).any(1)
    found = functional.binary_cross_entropy_with_logits(answer[:, 0], target, weight)
    shift = torch.stack([dx.expand_as(distance), dy.expand_as(distance)], 2)
    shift = torch.gather(shift, 1, which[:, None, None].expand(-1, 1, 2, -1, -1))[:, 0]
    near = (nearest < 1.6)[:, None]
    error = (
        functional.smooth_l1_loss(answer[:, 1:], shift, reduction="none", beta=0.1) * near
    ).sum() / near.sum().clamp(1)
    return found + 0.1 * error


def _load(path: Path) -> dict[str, Tensor]:
    with np.load(path) as arrays:
        shard = {name: torch.from_numpy(arrays[name]) for name in arrays.files}
    return shard


def make(folder: Path, first: int, count: int) -> None:
    """Write shards that are not there yet; each is a function of its number."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        path = folder / f"{number:05d}.npz"
        if not path.exists():
            np.savez(path.with_suffix(".part.npz"), **make_shard(number))
            path.with_suffix(".part.npz").rename(path)


def train(folder: Path, out: Path, hours: float, which: str, fast: float = 2e-3) -> None:
    """Learn for `hours` in all from the shards in `folder`; shard 0 is kept for measuring. Goes on from `out`."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model: Reader | Finder = Reader() if which == "reader" else Finder()
    model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = torch.optim.AdamW(model.parameters(), lr=fast, weight_decay=1e-3)
    spent, steps = 0.0, 0
    if out.exists():
        state = torch.load(out, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        spent, steps = state["spent"], state["steps"]
    held, started, saved = _load(folder / "00000.npz"), time.monotonic(), spent
    while spent < hours * 3600:
        numbers = sorted(path for path in folder.glob("[0-9]*.npz") if ".part" not in path.name)[1:]
        chosen = torch.randperm(len(numbers))[:3]
        shards = [_load(numbers[index]) for index in chosen]
        pool = {name: torch.cat([shard[name] for shard in shards]) for name in shards[0]}
        order = torch.randperm(len(pool["crops" if which == "reader" else "scenes"]))
        total = 0.0
        for rows in order.split(32 if which == "reader" else 24):
            for group in optimiser.param_groups:
                group["lr"] = (
                    fast
                    * min(1, steps / 100)
                    * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1, spent / hours / 3600))))
                )
            with torch.autocast("cpu", torch.bfloat16):
                loss = (
                    reader_loss(model, pool, rows)[0] if isinstance(model, Reader) else finder_loss(model, pool, rows)
                )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimiser.step()
            steps += 1
            total += float(loss.detach()) * len(rows)
            now = time.monotonic()
            spent, started = spent + now - started, now
        learnt = f"{which} {spent:7.0f} s {steps} steps {len(numbers)} shards loss {total / len(order):.4f}"
        print(f"{learnt} {measure(model, held)}", flush=True)
        if spent - saved > 60 or spent >= hours * 3600:
            torch.save(
                {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "spent": spent, "steps": steps}, out
            )
            saved = spent


def measure(model: Reader | Finder, held: dict[str, Tensor]) -> str:
    """Loss, and for the reader the share of stacks read without an error, on pictures that were not learnt from."""
    model.eval()
    with torch.no_grad():
        if isinstance(model, Finder):
            rows = torch.arange(min(200, len(held["scenes"])))
            answer = f"held {float(finder_loss(model, held, rows)):.4f}"
        else:
            loss, right = reader_loss(model, held, torch.arange(len(held["crops"])))
            size = (held["levels"] != PASS).sum(1) - 1
            parts = " ".join(
                f"{a}-{b}:{float(right[(size >= a) & (size <= b)].float().mean()):.3f}"
                for a, b in ((0, 0), (1, 1), (2, 3), (4, 6), (7, 20))
            )
            answer = f"held {float(loss):.4f} exact {float(right.float().mean()):.3f} {parts}"
    model.train()
    return answer


def export(checkpoint: Path, out: Path, which: str) -> None:
    model: Reader | Finder = Reader() if which == "reader" else Finder()
    model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    model.eval()
    if which == "reader":
        model = OnlyLevels(model)
        example: tuple[Tensor, ...] = (torch.rand(2, 3, *STACK_SIZE[::-1]), torch.rand(2), torch.rand(2, 5, 6))
        names, axes = (
            ["crops", "lean", "palette"],
            {"crops": {0: "n"}, "lean": {0: "n"}, "palette": {0: "n", 1: "d"}, "levels": {0: "n", 2: "e"}},
        )
    else:
        example, names = (torch.rand(1, 3, FINDER_CROP, FINDER_CROP),), ["crops"]
        axes = {"crops": {0: "n", 2: "h", 3: "w"}, "levels": {0: "n", 2: "a", 3: "b"}}
    torch.onnx.export(
        model,
        example,
        str(out),
        input_names=names,
        output_names=["levels"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def main(arguments: Sequence[str]) -> None:
    """`handreplay train chips`: see the module's head."""
    parser = argparse.ArgumentParser(prog="handreplay train chips", description="Train the chip finder and reader.")
    parser.add_argument("folder", type=Path, help="for scenes, checkpoints and the exported models")
    parser.add_argument("--hours", type=float, default=1.5, help="of learning for the reader; a fifth for the finder")
    parser.add_argument("--shards", type=int, default=60, help=f"of {LARGE_SCENES + SMALL_SCENES} drawn scenes each")
    chosen = parser.parse_args(arguments)
    make(chosen.folder / "scenes", 0, max(2, chosen.shards))
    for which, hours in (("finder", chosen.hours / 5), ("reader", chosen.hours)):
        checkpoint = chosen.folder / f"{which}.pt"
        train(chosen.folder / "scenes", checkpoint, hours, which)
        export(checkpoint, chosen.folder / f"chip_{which}.onnx", which)
