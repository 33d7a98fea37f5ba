"""Reads rank and suit from straightened card crops, as probabilities over the 52 cards.

straighten(picture, quad)  ->  crop  ->  CardReader.read  ->  CardReading
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK
from handreplay.errors import ModelError
from handreplay.vision.straighten import CROP_HEIGHT_PX, CROP_WIDTH_PX, Picture, straighten
from handreplay.vision.weights import Model, load

__all__ = ["KINDS", "CardReader", "CardReading", "straighten"]

Kind = Literal["face", "back", "none"]
Shares = NDArray[np.float64]
KINDS: tuple[Kind, ...] = ("face", "back", "none")

_BATCH = 32
_AT_EASE = 0.99
_CHECK_CARDS = ("As", "Kd", "9h")
_INPUT = f"BGR {CROP_WIDTH_PX}x{CROP_HEIGHT_PX}"


@dataclass(frozen=True, slots=True)
class CardReading:
    """What one crop shows. `probabilities` runs over core.cards.DECK and means something only for a face."""

    probabilities: tuple[float, ...]
    readable: float  # probability that enough of the face shows to tell the card
    kind: Kind
    kind_confidence: float

    def spread(self) -> tuple[float, ...]:
        """The probabilities, levelled as far as the crop may not show enough to tell the card."""
        blind = (1 - self.readable) / len(DECK)
        return tuple(p * self.readable + blind for p in self.probabilities)

    @property
    def card(self) -> str:
        """The likeliest card."""
        return DECK[max(range(len(DECK)), key=self.probabilities.__getitem__)]

    @property
    def confidence(self) -> float:
        return max(self.probabilities)


class CardReader:
    """The reader model, opened once and checked on a built-in picture of three cards.

    `temperature` is that of a deck, as `handreplay adapt` measured it: above 1 the reader says that it is less sure.
    Raises ModelError when the model is not the one it should be or misreads the built-in picture.
    """

    def __init__(self, model: Model | None = None, temperature: float = 1.0) -> None:
        self._model = model if model is not None else load("reader")
        self._temperature = temperature
        if self._model.said.get("input") != _INPUT:
            raise ModelError(f"model {self._model.name}: reads {self._model.said.get('input')}, not {_INPUT} crops")
        self._cards = self._model.columns("names", DECK)
        self._kinds = self._model.columns("kinds", KINDS)
        self._check()

    @property
    def sha256(self) -> str:
        """Hash of the weights, for the record of a run."""
        return self._model.sha256

    def read(self, crops: Sequence[Picture]) -> list[CardReading]:
        """One reading for each crop (152 x 112 x 3, BGR, bytes), in order."""
        readings: list[CardReading] = []
        for start in range(0, len(crops), _BATCH):
            readings += self._read_batch(np.stack(crops[start : start + _BATCH]))
        return readings

    def _read_batch(self, crops: Picture) -> list[CardReading]:
        """Crops that are not read with ease are looked at from their other end too, and both views count."""
        shares, kinds, readable = self._look(crops)
        again = np.flatnonzero(shares.max(axis=1) < _AT_EASE)
        if len(again):
            other_shares, other_kinds, other_readable = self._look(crops[again, ::-1, ::-1])
            both = np.sqrt(shares[again] * other_shares)
            shares[again] = both / both.sum(axis=1, keepdims=True)
            kinds[again] = (kinds[again] + other_kinds) / 2
            readable[again] = (readable[again] + other_readable) / 2
        readings = []
        for row in range(len(crops)):
            kind = int(kinds[row].argmax())
            spread = tuple(shares[row].tolist())
            readings.append(CardReading(spread, float(readable[row]), KINDS[kind], float(kinds[row, kind])))
        return readings

    def _look(self, crops: Picture) -> tuple[Shares, Shares, Shares]:
        """Cards (N x 52, each row adding to 1), kinds (N x 3), readable (N)."""
        cards, kinds, readable = self._model.run(np.ascontiguousarray(crops, np.uint8))
        shares = np.maximum(cards[:, self._cards].astype(float), 1e-12) ** (1 / self._temperature)
        return shares / shares.sum(axis=1, keepdims=True), kinds[:, self._kinds].astype(float), readable.astype(float)

    def _check(self) -> None:
        """Read the built-in picture: a model that has its colours or classes mixed up fails here, not in an audit."""
        data = np.frombuffer((files("handreplay") / "models" / "reader_check.png").read_bytes(), np.uint8)
        strip = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        seen = [reading.card for reading in self.read(np.split(strip, len(_CHECK_CARDS), axis=1))]
        if tuple(seen) != _CHECK_CARDS:
            raise ModelError(
                f"model {self._model.name}: reads the built-in picture as {' '.join(seen)}, "
                f"not {' '.join(_CHECK_CARDS)}; install handreplay again"
            )
