"""Training of the two chip networks on pictures drawn for the purpose.

    finder   felt-view crop                       -> where the topmost faces of stacks are
    reader   crop of one stack, lean, palette     -> level by level from the top: which denomination, or the felt

`make_shard` draws, `train` learns from the shards there are and goes on where it was stopped, `export` writes ONNX.
"""

import argparse
import math
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handreplay.synth.chip_scenes import Scene, cut, random_scenes
from handreplay.synth.chips import RADIUS_MM, ChipSet
from handreplay.vision.chip_geometry import (
    FINDER_PX_PER_MM,
    FINDER_STRIDE,
    MOST_CHIPS,
    STACK_CENTRE,
    STACK_PX_PER_MM,
    STACK_SIZE,
)

THICKNESS_MM = 3.3
FINDER_CROP = 144  # pixels, square, in training only
PALETTE = 8  # most denominations in one training palette
SCENES_PER_SHARD = 500
ROWS, COLUMNS = 2 * MOST_CHIPS + 6, 13  # of the unrolled wall: half chips from one above the rim; places across it
FACE_RINGS = (0.15, 0.4, 0.6, 0.72, 0.82, 0.92)  # radii at which the topmost face is sampled
PASS = -100  # a level that is not asked about
Arrays = dict[str, NDArray[Any]]


def palette_of(chipset: ChipSet) -> NDArray[np.float32]:
    """PALETTE x 6: face and edge as RGB from 0 to 1, NaN where there is no chip."""
    palette = np.full((PALETTE, 6), np.nan, np.float32)
    for row, look in enumerate(chipset.looks):
        palette[row] = np.array([*look.face[::-1], *look.edge[::-1]]) / 255
    return palette


def make_shard(seed: int) -> Arrays:
    """Samples for both networks from SCENES_PER_SHARD scenes."""
    rng = np.random.default_rng(seed)
    stacks: list[tuple[NDArray[np.uint8], float, NDArray[np.int8], NDArray[np.float32]]] = []
    places: list[tuple[NDArray[np.uint8], NDArray[np.float32]]] = []
    for _ in range(SCENES_PER_SHARD // 2):
        for scene in random_scenes(rng):
            places.append(_finder_sample(scene, rng))
            stacks.extend(_stack_samples(scene, rng))
    return {
        "crops": np.stack([s[0] for s in stacks]),
        "lean": np.array([s[1] for s in stacks], np.float32),
        "levels": np.stack([s[2] for s in stacks]),
        "palette": np.stack([s[3] for s in stacks]),
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


def _stack_samples(
    scene: Scene, rng: np.random.Generator
) -> list[tuple[NDArray[np.uint8], float, NDArray[np.int8], NDArray[np.float32]]]:
    values = [look.value for look in scene.chipset.looks]
    palette, samples = palette_of(scene.chipset), []
    for stack, covered in zip(scene.stacks, scene.covered, strict=True):
        if covered:
            continue
        levels = np.full(MOST_CHIPS + 1, PASS, np.int8)
        levels[: len(stack.values)] = [values.index(value) for value in reversed(stack.values)]
        levels[len(stack.values)] = PALETTE
        samples.append((_stack_crop(scene, np.array(stack.top) + rng.normal(0, 0.8, 2)), scene.lean, levels, palette))
    nowhere = rng.uniform((45, 45), (125, 130))
    far = all(np.hypot(*(nowhere - stack.top)) > 14 for stack in scene.stacks)
    if far and rng.random() < 0.2:
        levels = np.full(MOST_CHIPS + 1, PASS, np.int8)
        levels[0] = PALETTE
        samples.append((_stack_crop(scene, nowhere), scene.lean, levels, palette))
    return samples


def _stack_crop(scene: Scene, top_mm: NDArray[np.float64]) -> NDArray[np.uint8]:
    corner = top_mm - np.array(STACK_CENTRE) / STACK_PX_PER_MM
    return cut(scene, corner.tolist(), STACK_PX_PER_MM, STACK_SIZE)


def _conv(before: int, after: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(after), nn.ReLU()
    )


def _conv_rows(before: int, after: int, size: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv1d(before, after, size, padding=size // 2, bias=False), nn.BatchNorm1d(after), nn.SiLU()
    )


class Finder(nn.Module):
    """B x 3 x H x W crops from 0 to 1 -> B x 3 x H/4 x W/4: logit of a face's centre in the cell, its x and y there."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 12, 2), _conv(12, 24, 2), _conv(24, 32), _conv(32, 32, dilation=2), _conv(32, 32, dilation=3)
        )
        self.out = nn.Conv2d(32, 3, 1)

    def forward(self, crops: Tensor) -> Tensor:
        answer: Tensor = self.out(self.body(crops - 0.5))
        return answer


class Reader(nn.Module):
    """Stack crops (B x 3 x H x W, RGB, 0 to 1), lean (B; mm per mm), palette (B x D x 6) -> B x 21 x (D + 1), log p.

    Level 0 is the topmost chip; the last column says that the stack has ended above this level. What lies under the
    topmost face is unrolled so that a row is a height in chips, whatever the camera's lean: the same weights read
    every level.
    """

    def __init__(self) -> None:
        super().__init__()
        width, height = STACK_SIZE
        radius = RADIUS_MM * STACK_PX_PER_MM
        xs = ((torch.arange(0, width, 2) + 1 - STACK_CENTRE[0]) / radius).expand(height // 2, -1)
        ys = ((torch.arange(0, height, 2) + 1 - STACK_CENTRE[1]) / radius)[:, None].expand(-1, width // 2)
        below = ys - torch.sqrt(torch.clamp(1 - xs**2, min=0))
        self.register_buffer("place", torch.stack([xs, ys, below]).clone())
        turns, shares = torch.arange(16) * math.pi / 8, torch.tensor(FACE_RINGS)[:, None]
        face = torch.stack([shares * torch.cos(turns), shares * torch.sin(turns)], 2) * radius
        self.register_buffer("face", (face + torch.tensor(STACK_CENTRE)) / torch.tensor(STACK_SIZE) * 2 - 1)
        columns = torch.linspace(-0.96, 0.96, COLUMNS)
        self.register_buffer("columns", columns * radius + STACK_CENTRE[0])
        self.register_buffer("rim", torch.sqrt(1 - columns**2) * radius + STACK_CENTRE[1])
        self.register_buffer("rows", torch.arange(ROWS) / 2 - 1.0)
        self.stem, self.stand = nn.Conv2d(3, 24, 5, 2, 2, bias=False), nn.Conv2d(4, 24, 1)
        self.fine = nn.Sequential(nn.BatchNorm2d(24), nn.ReLU(), _conv(24, 28))
        self.coarse = nn.Sequential(_conv(28, 40, 2), _conv(40, 40, dilation=2))
        self.lift = nn.Conv2d(40, 28, 1)
        self.wall = nn.Sequential(_conv(28 + 4, 36), _conv(36, 36), _conv(36, 36, dilation=2))
        self.gist = nn.Sequential(nn.Linear(80 + 56 + 1 + 3 * len(FACE_RINGS), 64), nn.LayerNorm(64), nn.SiLU())
        self.levels = nn.Sequential(_conv_rows(72 + 64, 72, 3), _conv_rows(72, 72, 5))
        self.end = nn.Sequential(nn.Linear(3 * 72, 48), nn.SiLU(), nn.Linear(48, 1))
        self.colour = nn.Sequential(nn.Linear(12, 48), nn.SiLU(), nn.Linear(48, 24))
        self.seen, self.light, self.near = nn.Conv2d(28, 24, 1), nn.Linear(64, 24), nn.Conv1d(72, 24, 1)
        self.match = nn.Linear(24, 1)
        self.look_face, self.look_wall = nn.Conv2d(28, 1, 1), nn.Conv2d(36, 1, 1)
        self.tone, self.shade = nn.Linear(64, 9), nn.Conv1d(72, 2, 1)
        self.trust = nn.Conv1d(72, 2, 1)
        self.sharp = nn.Parameter(torch.tensor([3.0, 3.0]))
        for layer in (self.match, self.tone, self.shade):
            nn.init.zeros_(layer.bias)
            nn.init.normal_(layer.weight, std=0.01)
        nn.init.zeros_(self.trust.weight)
        nn.init.constant_(self.trust.bias, -0.7)

    def forward(self, crops: Tensor, lean: Tensor, palette: Tensor, given: Tensor | None = None) -> Tensor:
        batch, (width, height) = crops.shape[0], STACK_SIZE
        step = torch.clamp(lean * (THICKNESS_MM * STACK_PX_PER_MM), min=0.05)
        narrow = torch.log(step)
        constant = (narrow / 2).view(-1, 1, 1, 1).expand(batch, 1, height // 2, width // 2)
        stand = self.stand(torch.cat([self.place.expand(batch, 3, height // 2, width // 2), constant], 1))
        fine = self.fine(self.stem(crops - 0.5) + stand)
        coarse = self.coarse(fine)
        maps = fine + functional.interpolate(self.lift(coarse), scale_factor=2.0, mode="bilinear")
        grid = self._under(step)
        wall = _sample(maps, grid)
        seen = self.wall(torch.cat([wall, self._where(wall, step)], 1))
        on_face = self.face.expand(batch, len(FACE_RINGS), 16, 2)
        face, bare = _sample(maps, on_face), _sample(crops, on_face)
        gist = [coarse.mean((2, 3)), coarse.amax((2, 3)), face.mean((2, 3)), face.amax((2, 3)), narrow.view(-1, 1)]
        gist = self.gist(torch.cat([*gist, bare.mean(3).flatten(1)], 1))
        rows = torch.cat([seen.mean(3), seen.amax(3), gist[:, :, None].expand(-1, -1, ROWS)], 1)
        rows = self.levels(rows)
        last = 2 * MOST_CHIPS + 2
        own = torch.cat([rows[:, :, 1:last:2], rows[:, :, 2 : last + 1 : 2], rows[:, :, 3 : last + 2 : 2]], 1)
        end = self.end(own.transpose(1, 2))
        chips = self.colour(torch.cat([palette, palette.mean(1, keepdim=True).expand_as(palette)], 2) - 0.5)
        chips = chips + self.light(gist)[:, None]
        top = self._on_face(face, self._relit(bare, gist), chips, palette)
        bare = self._relit(_sample(crops, grid[:, :, ::2]), gist)
        levels = self._on_wall(wall[..., ::2], bare, self.look_wall(seen[..., ::2]), rows, chips, palette)
        trust = torch.exp(self.trust(rows))[:, :, None, 2 : last + 1 : 2]
        below = levels * trust[:, 0] + top[:, :, None] * trust[:, 1]  # a chip is most often as the one on top
        kinds = torch.cat([(top + 0.2 * levels[:, :, 0])[:, :, None], below[:, :, 1:]], 2).transpose(1, 2)
        if given is not None:
            kinds = kinds.masked_fill(~given[:, None], -30.0)
        end = end.float()
        kinds = torch.log_softmax(kinds.float(), 2) + functional.logsigmoid(-end)
        return torch.cat([kinds, functional.logsigmoid(end)], 2)

    def _relit(self, colours: Tensor, gist: Tensor) -> Tensor:
        """Colours (B x 3 x ...) as they would be in the light of the palette, as far as the crop tells the light."""
        gain, mix, lift = self.tone(gist)[:, :, None, None].chunk(3, 1)
        grey = colours.mean(1, keepdim=True)
        return grey + (colours - grey) * torch.exp(mix) * 1.3 + (torch.exp(gain) - 1) * colours + lift - 0.08

    def _fit(self, colours: Tensor, palette: Tensor) -> Tensor:
        """B x D x ...: how likely colours (B x ... x 3) are the face or the edge of each denomination (logarithm)."""
        shape = (palette.shape[0], palette.shape[1], *[1] * (colours.dim() - 2), 3)
        face = ((colours[:, None] - palette[..., :3].view(shape)) ** 2).sum(-1) * torch.exp(self.sharp[0])
        edge = ((colours[:, None] - palette[..., 3:].view(shape)) ** 2).sum(-1) * torch.exp(self.sharp[1])
        return -torch.minimum(face, edge + 0.5)

    def _on_face(self, face: Tensor, bare: Tensor, chips: Tensor, palette: Tensor) -> Tensor:
        """B x D: how well what is seen on the topmost face fits each denomination."""
        learnt = self.seen(face).flatten(2).transpose(1, 2)[:, None] + chips[:, :, None]
        fit = self.match(functional.relu(learnt))[..., 0] + self._fit(bare.flatten(2).transpose(1, 2), palette)
        return (fit * torch.softmax(self.look_face(face).flatten(1), 1)[:, None]).sum(2)

    def _on_wall(
        self, wall: Tensor, bare: Tensor, look: Tensor, rows: Tensor, chips: Tensor, palette: Tensor
    ) -> Tensor:
        """B x D x 21: how well what is seen at each level fits each denomination."""
        learnt = (self.seen(wall) + self.near(rows)[..., None]).permute(0, 2, 3, 1)[:, None]
        learnt = self.match(functional.relu(learnt + chips[:, :, None, None]))[..., 0]
        shade = self.shade(rows)[..., None]
        lit = bare * torch.exp(shade[:, :1] + 0.2) + shade[:, 1:]
        fit = learnt + self._fit(lit.permute(0, 2, 3, 1), palette)
        weight = torch.exp(torch.clamp(look, -8, 8))
        total, mass = (fit * weight).sum(3), weight.sum(3)
        last = 2 * MOST_CHIPS + 2
        summed = total[:, :, 2 : last + 1 : 2] + total[:, :, 3 : last + 2 : 2]
        return summed / (mass[:, :, 2 : last + 1 : 2] + mass[:, :, 3 : last + 2 : 2])

    def _under(self, step: Tensor) -> Tensor:
        """B x ROWS x COLUMNS x 2: where in the crop a place `rows` chips under the rim of the topmost face is."""
        width, height = STACK_SIZE
        ys = self.rim + self.rows[:, None] * step.view(-1, 1, 1)
        return torch.stack([self.columns.expand_as(ys) / width, ys / height], 3) * 2 - 1

    def _where(self, wall: Tensor, step: Tensor) -> Tensor:
        shape = (wall.shape[0], 1, ROWS, COLUMNS)
        rows, columns = self.rows[:, None] / 10, (self.columns - STACK_CENTRE[0]) / STACK_CENTRE[0]
        under = self.rows[:, None] * step.view(-1, 1, 1, 1) / 20
        narrow = torch.log(step).view(-1, 1, 1, 1) / 2
        return torch.cat([rows.expand(shape), columns.expand(shape), under.expand(shape), narrow.expand(shape)], 1)


def _sample(maps: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(maps, grid, mode="bilinear", padding_mode="border", align_corners=False)


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
    logits = model(crops, shard["lean"][rows], torch.where(given[..., None], filled, mean), given)
    levels = shard["levels"][rows].long()
    asked = levels != PASS
    each = functional.cross_entropy(logits.flatten(0, 1), levels.flatten(), ignore_index=PASS, reduction="none")
    weight = asked.sum(1, keepdim=True) ** -0.5  # so that tall stacks do not drown short ones
    loss = (each.view_as(levels) * weight).sum() / (asked * weight).sum()
    right = ((logits.argmax(2) == levels) | ~asked).all(1)
    return loss, right


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
        chosen = torch.randperm(len(numbers))[:6]
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["make", "train", "export"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--which", choices=["reader", "finder"], default="reader")
    parser.add_argument("--checkpoint", type=Path)
    chosen = parser.parse_args()
    if chosen.what == "make":
        make(chosen.data, chosen.first, chosen.count)
    elif chosen.what == "train":
        train(chosen.data, chosen.out, chosen.hours, chosen.which)
    else:
        export(chosen.checkpoint, chosen.out, chosen.which)
