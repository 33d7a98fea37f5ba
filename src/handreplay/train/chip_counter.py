"""Training of the chip counter on rendered clips whose frame labels say where stacks stand and of what.

    clips  ->  labelled stacks, and many more drawn on the clips' bare felt  ->  the wall's end
    labelled stacks, counted by nets that did not learn from their clip  ->  how to weigh the wall, the shadow and the
    reader's own count against each other

Prints how each clip is read by what was learnt from the others in both steps. `--measure` reads more clips, which are
not learnt from at all.
"""

import argparse
from collections import Counter
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

from handreplay.core.money import Chips
from handreplay.train.chip_samples import Clip, Sample, clip_of, drawn
from handreplay.vision.chip_counter import CHANNELS, COLUMNS, FIRST_MM, ROWS, STEP_MM, profile
from handreplay.vision.chip_geometry import MOST_CHIPS
from handreplay.vision.chip_mixes import mixes

COLUMNS_KEPT = 18  # of COLUMNS, at random in training
REAL_SHARE = 0.5  # of a batch
BATCH = 64
NOWHERE = 1e-4  # probability of an end that the wall does not show, before it is weighed
SURE, LEAST = 0.9, 1e-4
WEIGHING_STEPS, WEIGHING_RATE = 300, 0.05


class Wall(nn.Module):
    """Profiles (B x CHANNELS x ROWS) and millimetres a chip (B) to the logits of the wall's end, one a row."""

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.BatchNorm1d(CHANNELS + 1)]
        for inside, dilation in ((CHANNELS + 1, 1), (width, 2), (width, 4)):
            layers += [nn.Conv1d(inside, width, 5, padding=2 * dilation, dilation=dilation), nn.BatchNorm1d(width)]
            layers += [nn.ReLU(), nn.Dropout(0.15)]
        self.layers = nn.Sequential(*layers, nn.Conv1d(width, 1, 3, padding=1))

    def forward(self, rows: Tensor, chip_mm: Tensor) -> Tensor:
        lean = torch.log(chip_mm.clamp(0.05, 3.0))[:, None, None].expand(-1, 1, ROWS)
        logits: Tensor = self.layers(torch.cat([rows, lean], 1))[:, 0]
        return logits


def numbers_of(ends: Tensor, chip_mm: Tensor) -> Tensor:
    """Logarithm of how likely the wall's end is that of 1 to MOST_CHIPS chips: B x MOST_CHIPS."""
    row = (torch.arange(1, MOST_CHIPS + 1) * chip_mm[:, None] - FIRST_MM) / STEP_MM
    inside, row = row <= ROWS - 1, row.clamp(0, ROWS - 1.001)
    below, share = row.floor().long(), row - row.floor()
    chances = torch.softmax(ends, 1)
    found = chances.gather(1, below) * (1 - share) + chances.gather(1, below + 1) * share
    return torch.log(found * inside + NOWHERE)


class Weighing(nn.Module):
    """The wall, the shadow and the reader together: eight numbers, each with a meaning.

    The darkness of n chips spreads about a line in n with heavy tails (Student's t); the wall and the reader count with
    an exponent each, the shadow with one of at most 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.wall = nn.Parameter(torch.tensor(0.0))  # logarithm of the exponent
        self.reader = nn.Parameter(torch.tensor(0.2))
        self.shadow = nn.Parameter(torch.tensor(0.0))  # logit of the exponent
        self.line = nn.Parameter(torch.tensor([0.0, 0.7]))  # 10 mm2 at none, 10 mm2 a chip
        self.spread = nn.Parameter(torch.tensor([-0.3, -2.0]))  # logarithms of the same
        self.tails = nn.Parameter(torch.tensor(1.0))  # logarithm of the degrees of freedom

    def forward(self, wall: Tensor, shade: Tensor, read: Tensor) -> Tensor:
        """All B x MOST_CHIPS: what the wall says, the darkness given each number, the reader's logarithms."""
        number = torch.arange(1, MOST_CHIPS + 1).float()
        middle = 10 * (self.line[0] + self.line[1] * number)
        spread = 10 * (torch.exp(self.spread[0]) + torch.exp(self.spread[1]) * number)
        freedom, off = torch.exp(self.tails), (shade - middle) / spread
        shadow = -(freedom + 1) / 2 * torch.log1p(off * off / freedom) - torch.log(spread)
        said = torch.exp(self.wall) * wall + torch.sigmoid(self.shadow) * shadow + self.reader * read
        return torch.log_softmax(said, 1)


class CountingNet(nn.Module):
    """What ships: everything a stack shows to logarithms of the probabilities of 1 to MOST_CHIPS chips."""

    def __init__(self, wall: Wall, weighing: Weighing) -> None:
        super().__init__()
        self.wall, self.weighing = wall, weighing

    def forward(self, rows: Tensor, chip_mm: Tensor, shade: Tensor, read: Tensor) -> Tensor:
        said: Tensor = self.weighing(numbers_of(self.wall(rows, chip_mm), chip_mm), shade, read)
        return said


@dataclass(frozen=True)
class Rows:
    """Profiles of many samples, ready to learn from."""

    profiles: Tensor
    chip_mm: Tensor
    number: Tensor


def rows_of(samples: Sequence[Sample], rng: np.random.Generator | None = None) -> Rows:
    """With `rng` in other light, with noise, and of some of the columns only."""
    profiles = []
    for sample in samples:
        now, empty = sample.now, sample.empty
        if rng is not None:
            light = 1 + 0.12 * rng.standard_normal((1, 1, 3))
            kept = np.sort(rng.choice(COLUMNS, COLUMNS_KEPT, replace=False))
            noise = 0.012 * rng.random() * rng.standard_normal(now.shape)
            now, empty = np.maximum(now * light + noise, 0)[:, kept], np.maximum(empty * light, 0)[:, kept]
        profiles.append(profile(now.astype(np.float32), empty.astype(np.float32)))
    heights = torch.tensor([sample.chip_mm for sample in samples], dtype=torch.float32)
    return Rows(torch.from_numpy(np.stack(profiles)), heights, torch.tensor([sample.number for sample in samples]))


def both(first: Rows, second: Rows) -> Rows:
    return Rows(
        torch.cat([first.profiles, second.profiles]),
        torch.cat([first.chip_mm, second.chip_mm]),
        torch.cat([first.number, second.number]),
    )


def train_wall(real: Rows, painted: Rows, steps: int, seed: int) -> Wall:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    wall = Wall()
    optimiser = torch.optim.AdamW(wall.parameters(), 8e-3, weight_decay=3e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 8e-3, steps, pct_start=0.15)
    seldom = 1 / np.sqrt(np.bincount(real.number)[real.number])
    rows_mm = torch.arange(ROWS) * STEP_MM + FIRST_MM
    own = round(BATCH * REAL_SHARE)
    for _ in range(steps):
        first = rng.choice(len(real.number), own, p=seldom / seldom.sum())
        second = rng.choice(len(painted.number), BATCH - own)
        heights = torch.cat([real.chip_mm[first], painted.chip_mm[second]])
        number = torch.cat([real.number[first], painted.number[second]])
        ends = wall(torch.cat([real.profiles[first], painted.profiles[second]]), heights)
        aim = torch.softmax(-(((rows_mm - (number * heights)[:, None]) / 0.5) ** 2) / 2, 1)
        loss = functional.cross_entropy(numbers_of(ends, heights), number - 1)
        loss = loss - 0.3 * (aim * torch.log_softmax(ends, 1)).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(wall.parameters(), 5.0)
        optimiser.step()
        schedule.step()
    return wall.eval()


@dataclass(frozen=True)
class Words:
    """What each look at a labelled stack says of its number, the wall's word by a net that never saw the clip."""

    looks: Sequence[Sample]
    wall: Tensor
    shade: Tensor
    read: Tensor
    number: Tensor
    weight: Tensor  # every stack counts once, however many looks at it there are


def words_of(looks: Sequence[Sample], wall: Wall) -> Words:
    rows = rows_of(looks)
    with torch.no_grad():
        said = numbers_of(wall(rows.profiles, rows.chip_mm), rows.chip_mm)
    stacks = [(look.clip, look.stack) for look in looks]
    times = Counter(stacks)
    return Words(
        looks=looks,
        wall=said,
        shade=torch.from_numpy(np.stack([look.shade for look in looks if look.shade is not None])),
        read=torch.from_numpy(np.stack([look.read for look in looks if look.read is not None])),
        number=rows.number,
        weight=torch.tensor([1 / times[stack] for stack in stacks]),
    )


def joined(words: Sequence[Words]) -> Words:
    tensors: dict[str, Any] = {
        name: torch.cat([getattr(one, name) for one in words]) for name in ("wall", "shade", "read", "number", "weight")
    }
    return Words([look for one in words for look in one.looks], **tensors)


def train_weighing(words: Words) -> Weighing:
    weighing = Weighing()
    optimiser = torch.optim.Adam(weighing.parameters(), WEIGHING_RATE)
    for _ in range(WEIGHING_STEPS):
        said = weighing(words.wall, words.shade, words.read).gather(1, words.number[:, None] - 1)[:, 0]
        loss = -(said * words.weight).sum() / words.weight.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return weighing.eval()


def score(name: str, words: Words, weighing: Weighing) -> str:
    """One line of how the looks at a clip's stacks are read; every stack counts once.

    Of the number and of the whole pile: the share of stacks where the likeliest is right, and the mean logarithm of the
    probability given to the truth. Of the piles given 0.9 or more, how many are wrong.
    """
    with torch.no_grad():
        said = weighing(words.wall, words.shade, words.read).numpy()
    number, weight = words.number.numpy(), words.weight.numpy() / words.weight.numpy().sum()
    off = np.abs(said.argmax(axis=1) + 1 - number)
    piles = [_piles(look, row) for look, row in zip(words.looks, said, strict=True)]
    best = [found[0] for found in piles]
    right = np.array([pile == look.pile for (pile, _), look in zip(best, words.looks, strict=True)])
    truth = [dict(found).get(look.pile, 0.0) for found, look in zip(piles, words.looks, strict=True)]
    sure = np.array([chance >= SURE for _, chance in best])
    figures = (off == 0, off <= 1, said[np.arange(len(said)), number - 1], right, np.log(np.maximum(truth, LEAST)))
    exact, near, likely, pile, piles_likely = (f"{(figure * weight).sum():.3f}" for figure in figures)
    stacks = round(words.weight.numpy().sum())
    return (
        f"{name:8} {stacks:3} stacks, {len(said):4} looks: number {exact} right, {near} within one, log {likely}; "
        f"pile {pile} right, log {piles_likely}; {sure.sum()} looks sure, {(sure & ~right).sum()} of them wrong"
    )


def _piles(look: Sample, said: NDArray[np.float32]) -> tuple[tuple[Chips, float], ...]:
    assert look.reading is not None
    return mixes(look.reading.piles, look.reading.topmost, np.exp(said.astype(np.float64)), look.values)


class Trainer:
    """Clips with their rows, and nets that leave one out."""

    def __init__(self, clips: Sequence[Clip], painted: int, steps: int, seed: int) -> None:
        self.clips, self.steps, self.seed = clips, steps, seed
        self.real: dict[str, Rows] = {}
        self.painted: dict[str, Rows] = {}
        for clip in clips:
            rng = np.random.default_rng([seed, *clip.name.encode()])
            self.real[clip.name] = both(rows_of(clip.looks), rows_of(clip.looks + clip.beside, rng))
            stacks = drawn(clip, painted, seed)
            self.painted[clip.name] = both(rows_of(stacks), rows_of(stacks, rng))
            print(f"{clip.name}: {len(clip.looks)} looks at stacks, {len(stacks)} drawn", flush=True)

    def wall(self, without: str | None) -> Wall:
        names = [clip.name for clip in self.clips if clip.name != without]
        real, painted = self.real[names[0]], self.painted[names[0]]
        for name in names[1:]:
            real, painted = both(real, self.real[name]), both(painted, self.painted[name])
        return train_wall(real, painted, self.steps, self.seed)


def export(net: CountingNet, path: Path) -> None:
    example = (torch.zeros(2, CHANNELS, ROWS), torch.ones(2), torch.zeros(2, MOST_CHIPS), torch.zeros(2, MOST_CHIPS))
    names = ["profile", "chip_mm", "shade", "read"]
    torch.onnx.export(
        net.eval(),
        example,
        str(path),
        input_names=names,
        output_names=["number"],
        dynamic_axes={name: {0: "n"} for name in [*names, "number"]},
        opset_version=17,
        dynamo=False,
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="handreplay train chip_counter")
    parser.add_argument("footage", type=Path, help="folder of clips with frame labels")
    parser.add_argument("clips", nargs="+", help="names of the clips to learn from")
    parser.add_argument("--out", type=Path, help="where the ONNX file goes")
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--drawn", type=int, default=1200, help="stacks to draw on each clip's felt")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--measure", nargs="*", default=[], help="clips to count with what was learnt from the others")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    trainer = Trainer([clip_of(given.footage, name) for name in given.clips], given.drawn, given.steps, given.seed)
    words = [words_of(clip.looks, trainer.wall(clip.name)) for clip in trainer.clips]
    for own in words:
        others = joined([other for other in words if other is not own])
        print(score(own.looks[0].clip, own, train_weighing(others)), flush=True)
    net = CountingNet(trainer.wall(None), train_weighing(joined(words)))
    for name in given.measure:
        print(score(name, words_of(clip_of(given.footage, name).looks, net.wall), net.weighing), flush=True)
    if given.out is not None:
        export(net, given.out)
        print(f"{given.out}: {len(trainer.clips)} clips")
