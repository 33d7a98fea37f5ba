"""What is known of a table's looks when a recording ends, for the recording that goes on from there."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import SeenCard
from handreplay.core.observationtext import card_fields, card_of
from handreplay.vision.change import ZoneLooks

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

SCHEMA = "handreplay.memory/1"
MAX_BYTES = 200_000_000
_ABOUT = "about"


@dataclass(frozen=True, slots=True, eq=False)
class TableMemory:
    """How zones looked when last read and when last empty, what was reported of them, and what was learned."""

    looks: Mapping[str, ZoneLooks]
    empty: Mapping[str, Picture]  # views (H, W, 3) of zones with nothing on them
    shown: Mapping[str, tuple[SeenCard, ...]]
    backs: Floats  # N x 2, Lab a and b of cards' backs
    holder_share: float | None  # of the rack's zone that its holder covers
    rack_filled: bool


def memory_bytes(memory: TableMemory) -> bytes:
    """The content of a memory file: a numpy archive without pickles. Brightness is kept to whole levels."""
    about = {
        "schema": SCHEMA,
        "shown": {zone: [card_fields(card) for card in cards] for zone, cards in sorted(memory.shown.items())},
        "holder_share": memory.holder_share,
        "rack_filled": memory.rack_filled,
    }
    arrays: dict[str, NDArray[np.generic]] = {
        _ABOUT: np.frombuffer(json.dumps(about).encode(), np.uint8),
        "backs": memory.backs,
    }
    for zone, looks in sorted(memory.looks.items()):
        for field in fields(looks):
            array = getattr(looks, field.name)
            if array is not None:
                arrays[f"{field.name}:{zone}"] = array.round().astype(np.uint8)
    arrays |= {f"tile:{zone}": tile for zone, tile in sorted(memory.empty.items())}
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def memory_of(content: bytes) -> TableMemory:
    """The memory again. Raises ValueError when the bytes are no memory file."""
    try:
        return _memory(content)
    except (zipfile.BadZipFile, OSError, KeyError, TypeError, EOFError, RecursionError) as error:
        raise ValueError(f"no memory of a table ({type(error).__name__})") from None


def _memory(content: bytes) -> TableMemory:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(part.file_size for part in archive.infolist()) > MAX_BYTES:
            raise ValueError("no memory of a table (too large)")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    about = json.loads(arrays.pop(_ABOUT).tobytes())
    if about["schema"] != SCHEMA:
        raise ValueError("no memory of a table (another schema)")
    backs = np.asarray(arrays.pop("backs"), np.float64)
    parts: dict[str, dict[str, NDArray[np.generic]]] = {}
    for name, array in arrays.items():
        kind, _, zone = name.partition(":")
        parts.setdefault(zone, {})[kind] = array
    return TableMemory(
        looks={zone: _looks(kinds) for zone, kinds in parts.items()},
        empty={zone: np.asarray(kinds["tile"], np.uint8) for zone, kinds in parts.items() if "tile" in kinds},
        shown={zone: tuple(map(card_of, cards)) for zone, cards in about["shown"].items()},
        backs=backs.reshape(-1, 2),
        holder_share=None if about["holder_share"] is None else float(about["holder_share"]),
        rack_filled=bool(about["rack_filled"]),
    )


def _looks(kinds: Mapping[str, NDArray[np.generic]]) -> ZoneLooks:
    found = {
        field.name: np.asarray(kinds[field.name], np.float32) if field.name in kinds else None
        for field in fields(ZoneLooks)
    }
    return ZoneLooks(**found)
