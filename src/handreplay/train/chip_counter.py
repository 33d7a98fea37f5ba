"""Training of the chip counter on rendered clips whose frame labels say where stacks stand and of what.

    NAME.mp4, NAME.table.toml, NAME.labels.jsonl  ->  each labelled stack against its zone when it was empty

`--leave-out` trains once without each clip in turn and prints how that clip is then counted.
"""

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from handreplay.config import load_profile
from handreplay.footage import Frame, pictures
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.chip_counter import CHANNELS, COLUMNS, FIRST_MM, ROWS, STEP_MM, counts, profile, unrolled
from handreplay.vision.zones import Zones

TILE_MM = 190.0
PICTURES_APART_S = 0.2  # around a labelled moment, averaged
LOOKS = 8  # moments a stack, at most
JITTERS = 3
JITTER_MM = 0.5
COLUMNS_KEPT = 18  # of COLUMNS, at random in training


@dataclass(frozen=True)
class Sample:
    """One look at one stack: what is there, what was there, how many chips, millimetres a chip."""

    clip: str
    stack: str
    now: np.ndarray[Any, Any]
    empty: np.ndarray[Any, Any]
    number: int
    chip_mm: float
    exact: bool  # cut at the labelled place, not beside it


class Net(nn.Module):
    """CHANNELS x ROWS to the logits of the wall's end, one a row."""

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.BatchNorm1d(CHANNELS)]
        for inside, dilation in ((CHANNELS, 1), (width, 2), (width, 4)):
            layers += [nn.Conv1d(inside, width, 5, padding=2 * dilation, dilation=dilation), nn.BatchNorm1d(width)]
            layers += [nn.ReLU(), nn.Dropout(0.15)]
        self.layers = nn.Sequential(*layers, nn.Conv1d(width, 1, 3, padding=1))

    def forward(self, rows: Tensor) -> Tensor:
        return self.layers(rows)[:, 0]


def samples_of(folder: Path, name: str) -> list[Sample]:
    profile_ = load_profile(folder / f"{name}.table.toml")
    calibration = Calibration.from_profile(profile_)
    zones = Zones(profile_.zones, calibration)
    wagers = [zone for zone in zones.names if zone.startswith("seat") and not zone.endswith(".cards")]
    patches = {zone: calibration.patch(zones.center_mm(zone), (TILE_MM, TILE_MM), px_per_mm=2.0) for zone in wagers}
    labels = [json.loads(line) for line in (folder / f"{name}.labels.jsonl").read_text("utf-8").splitlines()]
    stacks = _stacks(labels)
    tiles, empties = _tiles(folder / f"{name}.mp4", labels, stacks, patches)
    rng = np.random.default_rng(1)
    found = []
    for (key, _), cuts in sorted(tiles.items(), key=lambda item: str(item[0])):
        zone = key[0]
        if zone not in empties:
            continue
        bare = np.median(np.stack(empties[zone]), axis=0)
        top = calibration.to_felt_mm([np.mean(stacks[key][0][1]["top"], axis=0)])[0]
        for turn in range(JITTERS):
            at = top + (rng.normal(0, JITTER_MM, 2) if turn else 0)
            mean = np.mean(np.stack(cuts), axis=0)
            (now, empty), chip_mm = unrolled([mean, bare], patches[zone], at, calibration)
            chip_mm /= 1 - len(key[1]) * 3.3 / calibration.camera_mm[2]
            found.append(Sample(name, str(key), now, empty, len(key[1]), chip_mm, turn == 0))
    return found


def _stacks(labels: list[dict[str, Any]]) -> dict[Any, list[tuple[float, dict[str, Any]]]]:
    stacks: dict[Any, list[tuple[float, dict[str, Any]]]] = defaultdict(list)
    for label in labels:
        for stack in label["chips"]:
            if not stack["moving"] and stack["visible"] > 0.97:
                key = (stack["zone"], tuple(stack["denominations"]), tuple(stack["xy_mm"]))
                stacks[key].append((label["t"], stack))
    return stacks


def _tiles(
    footage: Path, labels: list[dict[str, Any]], stacks: dict[Any, Any], patches: dict[str, FeltPatch]
) -> tuple[dict[Any, list[Any]], dict[str, list[Any]]]:
    """Cuts of every stack at some moments, and of every zone when it was empty."""
    wanted: dict[int, list[Any]] = defaultdict(list)
    for key, seen in stacks.items():
        for t, _ in seen[:: max(1, len(seen) // LOOKS)][:LOOKS]:
            wanted[round(t)].append(key)
    bare = {round(x["t"]): set(patches) - {stack["zone"] for stack in x["chips"]} for x in labels}
    tiles: dict[Any, list[Any]] = defaultdict(list)
    empties: dict[str, list[Any]] = defaultdict(list)
    for frame in pictures(footage):
        if not isinstance(frame, Frame) or abs(float(frame.seconds) - round(frame.seconds)) > PICTURES_APART_S:
            continue
        second, bgr = round(frame.seconds), frame.bgr()
        for key in wanted.get(second, ()):
            tiles[key, second].append(patches[key[0]].warp(bgr))
        for zone in bare.get(second, ()):
            if len(empties[zone]) < 9:
                empties[zone].append(patches[zone].warp(bgr))
    return tiles, empties


def batch_of(samples: list[Sample], rng: np.random.Generator | None) -> Tensor:
    """Profiles; with `rng` in other light, with noise, and of some of the columns only."""
    rows = []
    for sample in samples:
        now, empty = sample.now, sample.empty
        if rng is not None:
            light = 1 + 0.12 * rng.standard_normal((1, 1, 3))
            kept = np.sort(rng.choice(COLUMNS, COLUMNS_KEPT, replace=False))
            noise = 0.012 * rng.random() * rng.standard_normal(now.shape)
            now, empty = (now * light + noise)[:, kept], (empty * light)[:, kept]
            now, empty = np.maximum(now, 0), np.maximum(empty, 0)
        rows.append(profile(now.astype(np.float32), empty.astype(np.float32)))
    return torch.from_numpy(np.stack(rows))


def train_net(samples: list[Sample], steps: int, seed: int) -> Net:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Net()
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=5e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 8e-3, steps, pct_start=0.2)
    numbers = np.array([sample.number for sample in samples])
    weight = 1 / np.sqrt(np.bincount(numbers)[numbers])
    rows_mm = torch.arange(ROWS) * STEP_MM + FIRST_MM
    for _ in range(steps):
        chosen = [samples[i] for i in rng.choice(len(samples), 64, p=weight / weight.sum())]
        ends = torch.tensor([sample.number * sample.chip_mm for sample in chosen])
        aim = torch.softmax(-(((rows_mm - ends[:, None]) / 0.5) ** 2) / 2, 1)
        loss = -(aim * torch.log_softmax(net(batch_of(chosen, rng)), 1)).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return net.eval()


def score(net: Net, samples: list[Sample]) -> tuple[int, int, int]:
    """Stacks, counted right, counted within one; the looks at a stack taken together."""
    looks: dict[str, list[Any]] = defaultdict(list)
    numbers = {}
    for sample in (sample for sample in samples if sample.exact):
        with torch.no_grad():
            logits = net(batch_of([sample], None))[0].numpy()
        looks[sample.stack].append(np.log(counts(logits, sample.chip_mm)))
        numbers[sample.stack] = sample.number
    off = [abs(int(np.mean(logs, axis=0).argmax()) + 1 - numbers[stack]) for stack, logs in looks.items()]
    return len(off), sum(x == 0 for x in off), sum(x <= 1 for x in off)


def export(net: Net, path: Path) -> None:
    torch.onnx.export(
        net,
        (torch.zeros(1, CHANNELS, ROWS),),
        str(path),
        input_names=["profile"],
        output_names=["end"],
        dynamic_axes={"profile": {0: "n"}, "end": {0: "n"}},
        dynamo=False,
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="handreplay train chip_counter")
    parser.add_argument("footage", type=Path, help="folder of clips with frame labels")
    parser.add_argument("clips", nargs="+", help="names of the clips to learn from")
    parser.add_argument("--out", type=Path, required=True, help="where the ONNX file goes")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--leave-out", action="store_true", help="only measure, without each clip in turn")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    clips = {name: samples_of(given.footage, name) for name in given.clips}
    if given.leave_out:
        for name, own in clips.items():
            others = [sample for other, samples in clips.items() if other != name for sample in samples]
            number, right, near = score(train_net(others, given.steps, given.seed), own)
            print(f"{name}: {number} stacks, {right} right, {near} within one")
        return
    net = train_net([sample for samples in clips.values() for sample in samples], given.steps, given.seed)
    export(net, given.out)
    print(f"{given.out}: {sum(len(samples) for samples in clips.values())} samples of {len(clips)} clips")
