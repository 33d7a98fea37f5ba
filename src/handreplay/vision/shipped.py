"""The models that come with the product, opened for one table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from handreplay.vision.calibration import Calibration
from handreplay.vision.card_reader import CardReader
from handreplay.vision.chip_counter import ChipEye
from handreplay.vision.chip_reader import ChipColours, ChipReader
from handreplay.vision.table_eye import TableEye
from handreplay.vision.weights import Model, hash_of, load, load_file
from handreplay.vision.zone_reader import Eyes

NAMES = ("table", "reader", "chip_finder", "chip_reader", "chip_counter")


class OwnReader(Protocol):
    """What a profile's `[deck]` says of a card reader fitted to that deck."""

    @property
    def reader(self) -> str | None: ...
    @property
    def reader_sha256(self) -> str | None: ...
    @property
    def reader_temperature(self) -> float: ...


def shipped_eyes(
    calibration: Calibration,
    palette: Sequence[ChipColours],
    deck: OwnReader | None = None,
    folder: Path | None = None,
) -> tuple[Eyes, Mapping[str, str]]:
    """Eyes for one camera and its chips, and the hash of each model by name. Raises ModelError.

    `deck` may name a card reader of the property's own, which lies in `folder`.
    """
    models = {name: _reader(deck, folder) if name == "reader" else load(name, threads=_threads(name)) for name in NAMES}
    eyes = Eyes(
        TableEye(models["table"], chips=False),
        CardReader(models["reader"], deck.reader_temperature if deck else 1.0),
        ChipEye(ChipReader(calibration, palette, models["chip_finder"], models["chip_reader"]), models["chip_counter"]),
    )
    return eyes, {name: model.sha256 for name, model in models.items()}


def model_hashes(deck: OwnReader | None = None) -> Mapping[str, str]:
    """What `shipped_eyes` would tell of its models, without opening them. Raises ModelError."""
    own = deck.reader_sha256 if deck is not None and deck.reader is not None else None
    return {name: own if name == "reader" and own is not None else hash_of(name) for name in NAMES}


def _reader(deck: OwnReader | None, folder: Path | None) -> Model:
    if deck is None or folder is None or deck.reader is None or deck.reader_sha256 is None:
        return load("reader", threads=_threads("reader"))
    return load_file(folder / deck.reader, deck.reader_sha256, threads=_threads("reader"))


def _threads(name: str) -> int:
    """The small nets are quicker in one thread."""
    return 1 if name.startswith("chip_") else 2
