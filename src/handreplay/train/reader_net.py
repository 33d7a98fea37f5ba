"""The card reader's network: a small residual net on one straightened crop, with one head for each question."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from handreplay.core.cards import RANKS, SUITS


class _Step(nn.Module):
    """Two 3x3 convolutions around a shortcut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.first_norm(self.first(x)), inplace=True)
        return functional.relu(x + self.second_norm(self.second(inner)), inplace=True)


def _halve(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class _CornerNet(nn.Module):
    """Looks at the corner where an index stands, 64 x 48 px (40 x 30 mm), and at nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(_halve(3, 24), _Step(24), _halve(24, 48), _Step(48), _halve(48, 96))
        self.mix = nn.Sequential(nn.Linear(96 * 8 * 6, 128), nn.ReLU(inplace=True))
        self.rank, self.suit = nn.Linear(128, len(RANKS)), nn.Linear(128, len(SUITS))

    def forward(self, corners: Tensor) -> Tensor:
        return self.mix(self.body(corners).flatten(1))


class Logits(NamedTuple):
    """Before any softmax: rank (N x 13), suit (N x 4), kind (N x 3), readable (N), and the same rank and suit as told
    by the two index corners alone, top ends first (2N)."""

    rank: Tensor
    suit: Tensor
    kind: Tensor
    readable: Tensor
    corner_rank: Tensor
    corner_suit: Tensor


class ReaderNet(nn.Module):
    """N x 152 x 112 x 3 BGR bytes in, logits out. One part sees the whole card, another only its two index corners."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _halve(3, 16),
            _halve(16, 32), _Step(32),
            _halve(32, 64), _Step(64), _Step(64),
            _halve(64, 128), _Step(128),
        )  # fmt: skip
        self.corner = _CornerNet()
        self.narrow = nn.Sequential(nn.Conv2d(128, 32, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True))
        self.mix = nn.Sequential(nn.Linear(32 * 10 * 7 + 256 + 256, 256), nn.ReLU(inplace=True), nn.Dropout(0.15))
        self.rank, self.suit = nn.Linear(256, len(RANKS)), nn.Linear(256, len(SUITS))
        self.kind, self.readable = nn.Linear(256, 3), nn.Linear(256, 1)

    def forward(self, crops: Tensor) -> Logits:
        x = crops.permute(0, 3, 1, 2).float() / 127.5 - 1.0
        if self.training:
            x = x.contiguous(memory_format=torch.channels_last)
        corners = self.corner(torch.cat([x[:, :, :64, :48], x[:, :, 88:, 64:].flip((2, 3))]))
        count = crops.shape[0]
        x = self.body(x)
        parts = [self.narrow(x).flatten(1), x.mean((2, 3)), x.amax((2, 3)), corners[:count], corners[count:]]
        mixed = self.mix(torch.cat(parts, dim=1)).float()
        by_corner = corners.float()
        return Logits(
            self.rank(mixed), self.suit(mixed), self.kind(mixed), self.readable(mixed)[:, 0],
            self.corner.rank(by_corner), self.corner.suit(by_corner),
        )  # fmt: skip


class ExportedReader(nn.Module):
    """The net as it ships: probabilities of the 52 cards in the order of core.cards.DECK, kinds, and readable."""

    def __init__(self, net: ReaderNet, temperature: float) -> None:
        super().__init__()
        self.net, self.temperature = net, temperature

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rank, suit, kind, readable = self.net(crops)[:4]
        ranks = torch.softmax(rank / self.temperature, dim=1)
        suits = torch.softmax(suit / self.temperature, dim=1)
        cards = (ranks[:, :, None] * suits[:, None, :]).flatten(1)
        return cards, torch.softmax(kind, dim=1), torch.sigmoid(readable)
