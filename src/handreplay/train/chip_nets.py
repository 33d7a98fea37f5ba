"""The two chip networks.

finder   felt-view crop                       -> where the topmost faces of stacks are
reader   crop of one stack, lean, palette     -> level by level from the top: which denomination, or the felt
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from handreplay.vision.chip_geometry import (
    DIAMETER_MM,
    MOST_CHIPS,
    STACK_CENTRE,
    STACK_PX_PER_MM,
    STACK_SIZE,
    THICKNESS_MM,
)

RADIUS_MM = DIAMETER_MM / 2
ROWS, COLUMNS = 2 * MOST_CHIPS + 6, 13  # of the unrolled wall: half chips from one above the rim; places across it
EDGE_ROWS, EDGE_STEP_PX, EDGE_FIRST_PX = 84, 0.75, -6.0  # where the lowest chip's foot may be seen under the rim
FACE_RINGS = (0.15, 0.4, 0.6, 0.72, 0.82, 0.92)  # radii at which the topmost face is sampled


def _conv(before: int, after: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(after), nn.ReLU()
    )


def _conv_rows(before: int, after: int, size: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv1d(before, after, size, padding=size // 2, bias=False), nn.BatchNorm1d(after), nn.SiLU()
    )


def _conv_bands(before: int, after: int, stride: tuple[int, int]) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, (5, 3), stride, (2, 1), bias=False), nn.BatchNorm2d(after), nn.ReLU())


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
    """Stack crops (B x 3 x H x W, RGB, 0 to 1), lean (B; mm per mm), palette (B x D x 6) -> B x 21 x (D + 2),
    and B x EDGE_ROWS logits of where the stack's foot is seen.

    Level 0 is the topmost chip. The columns are the logits of each denomination, what to add to the denomination of the
    chip above (stacks come in runs), and the logit that the stack has ended above this level. What lies under the
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
        fine = torch.linspace(-0.96, 0.96, 2 * COLUMNS - 1)
        self.register_buffer("fine_columns", fine * radius + STACK_CENTRE[0])
        self.register_buffer("fine_rim", torch.sqrt(1 - fine**2) * radius + STACK_CENTRE[1])
        self.register_buffer("fine_rows", torch.arange(2 * ROWS) / 4 - 1.0)
        self.register_buffer("edge_rows", torch.arange(EDGE_ROWS) * EDGE_STEP_PX + EDGE_FIRST_PX)
        self.stem, self.stand = nn.Conv2d(3, 24, 5, 2, 2, bias=False), nn.Conv2d(4, 24, 1)
        self.fine = nn.Sequential(nn.BatchNorm2d(24), nn.ReLU(), _conv(24, 28))
        self.coarse = nn.Sequential(_conv(28, 40, 2), _conv(40, 40, dilation=2))
        self.lift = nn.Conv2d(40, 28, 1)
        self.wall = nn.Sequential(_conv(28 + 4, 36), _conv(36, 36), _conv(36, 36, dilation=2))
        self.gist = nn.Sequential(nn.Linear(80 + 56 + 1 + 3 * len(FACE_RINGS), 64), nn.LayerNorm(64), nn.SiLU())
        self.bands = nn.Sequential(_conv_bands(3 + 4, 20, (1, 2)), _conv_bands(20, 24, (2, 2)), _conv(24, 24))
        self.levels = nn.Sequential(_conv_rows(72 + 48 + 64, 72, 3), _conv_rows(72, 72, 5))
        self.edge = nn.Sequential(
            _conv_bands(3 + 4, 20, (1, 2)), _conv_bands(20, 24, (1, 2)), _conv(24, 32, dilation=2)
        )
        self.foot = nn.Sequential(_conv_rows(64 + 64, 48, 5), _conv_rows(48, 48, 7), nn.Conv1d(48, 1, 3, padding=1))
        self.from_foot = nn.Linear(5, 3 * 72)
        self.end = nn.Sequential(nn.Linear(3 * 72, 48), nn.SiLU(), nn.Linear(48, 1))
        self.colour = nn.Sequential(nn.Linear(12, 48), nn.SiLU(), nn.Linear(48, 24))
        self.seen, self.light, self.near = nn.Conv2d(28, 24, 1), nn.Linear(64, 24), nn.Conv1d(72, 24, 1)
        self.match = nn.Linear(24, 1)
        self.look_face, self.look_wall = nn.Conv2d(28, 1, 1), nn.Conv2d(36, 1, 1)
        self.tone, self.shade = nn.Linear(64, 9), nn.Conv1d(72, 2, 1)
        self.trust, self.run = nn.Conv1d(72, 2, 1), nn.Conv1d(72, 1, 1)
        self.sharp = nn.Parameter(torch.tensor([3.0, 3.0]))
        for layer in (self.match, self.tone, self.shade):
            nn.init.zeros_(layer.bias)
            nn.init.normal_(layer.weight, std=0.01)
        nn.init.zeros_(self.trust.weight)
        nn.init.zeros_(self.run.weight)
        nn.init.constant_(self.run.bias, 1.5)
        nn.init.constant_(self.trust.bias, -0.7)

    def forward(self, crops: Tensor, lean: Tensor, palette: Tensor) -> tuple[Tensor, Tensor]:
        batch, (width, height) = crops.shape[0], STACK_SIZE
        step = torch.clamp(lean * (THICKNESS_MM * STACK_PX_PER_MM), min=0.05)
        narrow = torch.log(step)
        constant = (narrow / 2).view(-1, 1, 1, 1).expand(batch, 1, height // 2, width // 2)
        stand = self.stand(torch.cat([self.place.expand(batch, 3, height // 2, width // 2), constant], 1))
        fine = self.fine(self.stem(crops - 0.5) + stand)
        coarse = self.coarse(fine)
        maps = fine + functional.interpolate(self.lift(coarse), scale_factor=2.0, mode="bilinear")
        grid = _under(self.columns, self.rim, self.rows, step)
        wall = _sample(maps, grid)
        seen = self.wall(torch.cat([wall, _where(self.columns, self.rows, step)], 1))
        close = _sample(crops, _under(self.fine_columns, self.fine_rim, self.fine_rows, step)) - 0.5
        bands = self.bands(torch.cat([close, _where(self.fine_columns, self.fine_rows, step)], 1))
        on_face = self.face.expand(batch, len(FACE_RINGS), 16, 2)
        face, bare = _sample(maps, on_face), _sample(crops, on_face)
        gist = [coarse.mean((2, 3)), coarse.amax((2, 3)), face.mean((2, 3)), face.amax((2, 3)), narrow.view(-1, 1)]
        gist = self.gist(torch.cat([*gist, bare.mean(3).flatten(1)], 1))
        pooled = [seen.mean(3), seen.amax(3), gist[:, :, None].expand(-1, -1, ROWS), bands.mean(3), bands.amax(3)]
        rows = self.levels(torch.cat(pooled, 1))
        last = 2 * MOST_CHIPS + 2
        own = torch.cat([rows[:, :, 1:last:2], rows[:, :, 2 : last + 1 : 2], rows[:, :, 3 : last + 2 : 2]], 1)
        foot = self._foot(crops, gist, narrow)
        end = self.end(own.transpose(1, 2) + self.from_foot(self._heights(foot, step)))
        chips = self.colour(torch.cat([palette, palette.mean(1, keepdim=True).expand_as(palette)], 2) - 0.5)
        chips = chips + self.light(gist)[:, None]
        top = self._on_face(face, self._relit(bare, gist), chips, palette)
        bare = self._relit(_sample(crops, grid[:, :, ::2]), gist)
        levels = self._on_wall(wall[..., ::2], bare, self.look_wall(seen[..., ::2]), rows, chips, palette)
        trust = torch.exp(self.trust(rows))[:, :, None, 2 : last + 1 : 2]
        below = levels * trust[:, 0] + top[:, :, None] * trust[:, 1]  # a chip is most often as the one on top
        kinds = torch.cat([(top + 0.2 * levels[:, :, 0])[:, :, None], below[:, :, 1:]], 2).transpose(1, 2)
        run = self.run(rows)[:, :, 2 : last + 1 : 2].transpose(1, 2)
        return torch.cat([kinds, run, end], 2), foot

    def _foot(self, crops: Tensor, gist: Tensor, narrow: Tensor) -> Tensor:
        """B x EDGE_ROWS: logits of how far under the topmost rim the lowest chip's rim meets the felt."""
        one = torch.ones_like(narrow)
        close = _sample(crops, _under(self.fine_columns, self.fine_rim, self.edge_rows, one)) - 0.5
        seen = self.edge(torch.cat([close, _where(self.fine_columns, self.edge_rows / 6, one)], 1))
        pooled = [seen.mean(3), seen.amax(3), gist[:, :, None].expand(-1, -1, EDGE_ROWS)]
        foot: Tensor = self.foot(torch.cat(pooled, 1))[:, 0].float()
        return foot

    def _heights(self, foot: Tensor, step: Tensor) -> Tensor:
        """B x 21 x 5: where a stack that ends at each level would have its foot, against where the foot is seen."""
        share = torch.softmax(foot, 1)
        middle = share @ self.edge_rows
        spread = torch.sqrt(torch.clamp(share @ self.edge_rows**2 - middle**2, min=0.04))
        ends = torch.arange(MOST_CHIPS + 1, device=step.device) * step[:, None]
        miss = (ends - middle[:, None]) / 3
        wide = spread[:, None].expand_as(miss)
        near = torch.exp(-((miss * 3) ** 2) / (2 * wide**2 + 2))
        return torch.stack([miss, miss.abs(), near, torch.log(wide), torch.log(step)[:, None].expand_as(miss)], 2)

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


class OnlyLevels(nn.Module):
    """A reader without its second answer, which only training needs."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, crops: Tensor, lean: Tensor, palette: Tensor) -> Tensor:
        levels: Tensor = self.reader(crops, lean, palette)[0]
        return levels


def _under(columns: Tensor, rim: Tensor, rows: Tensor, step: Tensor) -> Tensor:
    """B x rows x columns x 2: where in the crop a place so many chips under the rim of the topmost face is."""
    width, height = STACK_SIZE
    ys = rim + rows[:, None] * step.view(-1, 1, 1)
    return torch.stack([columns.expand_as(ys) / width, ys / height], 3) * 2 - 1


def _where(columns: Tensor, rows: Tensor, step: Tensor) -> Tensor:
    """B x 4 x rows x columns: height in chips, place across, height in pixels, pixels per chip; all about 1."""
    shape = (step.shape[0], 1, len(rows), len(columns))
    height, across = rows[:, None] / 10, (columns - STACK_CENTRE[0]) / STACK_CENTRE[0]
    under = rows[:, None] * step.view(-1, 1, 1, 1) / 20
    narrow = torch.log(step).view(-1, 1, 1, 1) / 2
    return torch.cat([height.expand(shape), across.expand(shape), under.expand(shape), narrow.expand(shape)], 1)


def _sample(maps: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(maps, grid, mode="bilinear", padding_mode="border", align_corners=False)
