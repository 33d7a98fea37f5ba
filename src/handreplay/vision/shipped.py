"""The models that come with the product, opened for one table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import cv2

from handreplay.vision.calibration import Calibration
from handreplay.vision.card_reader import CardReader
from handreplay.vision.chip_counter import ChipEye
from handreplay.vision.chip_reader import ChipColours, ChipReader
from handreplay.vision.colours import tint_of
from handreplay.vision.table_eye import TableEye
from handreplay.vision.weights import Model, hash_of, load, load_file
from handreplay.vision.zone_reader import Eyes

FILES = {  # an audit reads cards with the quick reader
    "table": "table",
    "glance": "table_quick",
    "reader": "reader_quick",
    "chip_finder": "chip_finder",
    "chip_reader": "chip_reader",
    "chip_counter": "chip_counter",
}


class OwnDeck(Protocol):
    """What a profile's `[deck]` says of the deck's backs, and of a card reader fitted to it."""

    @property
    def backs(self) -> Sequence[str]: ...
    @property
    def reader(self) -> str | None: ...
    @property
    def reader_sha256(self) -> str | None: ...
    @property
    def reader_temperature(self) -> float: ...


def shipped_eyes(
    calibration: Calibration,
    palette: Sequence[ChipColours],
    deck: OwnDeck | None = None,
    folder: Path | None = None,
    threads: int | None = None,
) -> tuple[Eyes, Mapping[str, str]]:
    """Eyes for one camera and its chips, and the hash of each model by name. Raises ModelError.

    `deck` may name a card reader of the property's own, which lies in `folder`. `threads` is how many a model may use.
    """
    models = {name: _model(name, deck, folder, min(_threads(name), threads or 2)) for name in FILES}
    eyes = Eyes(
        TableEye(models["table"], chips=False),
        CardReader(models["reader"], deck.reader_temperature if deck else 1.0),
        ChipEye(ChipReader(calibration, palette, models["chip_finder"], models["chip_reader"]), models["chip_counter"]),
        tuple(map(tint_of, deck.backs)) if deck else (),
        TableEye(models["glance"], chips=False),
    )
    return eyes, {name: model.sha256 for name, model in models.items()}


def model_hashes(deck: OwnDeck | None = None) -> Mapping[str, str]:
    """What `shipped_eyes` would tell of its models, without opening them. Raises ModelError."""
    own = deck.reader_sha256 if deck is not None and deck.reader is not None else None
    return {name: own if name == "reader" and own is not None else hash_of(FILES[name]) for name in FILES}


def keep_image_work_together() -> None:
    """Let each piece of image work in this process be done in one thread from now on.

    The pieces are small: to share one out costs all threads together up to twice as much as to do it, and they have
    pictures to decode meanwhile.
    """
    cv2.setNumThreads(1)


def _model(name: str, deck: OwnDeck | None, folder: Path | None, threads: int) -> Model:
    if name != "reader" or deck is None or folder is None or deck.reader is None or deck.reader_sha256 is None:
        return load(FILES[name], threads=threads)
    return load_file(folder / deck.reader, deck.reader_sha256, threads=threads)


def _threads(name: str) -> int:
    """The small nets are quicker in one thread."""
    return 1 if name.startswith("chip_") else 2
