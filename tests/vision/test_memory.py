import io
import zipfile

import numpy as np
import pytest

from handreplay.core.observations import SeenCard
from handreplay.core.readings import Known
from handreplay.vision.change import ZoneLooks
from handreplay.vision.memory import TableMemory, memory_bytes, memory_of

CARD = SeenCard(
    corners_mm=((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0)),
    face_up=True,
    face_confidence=0.99,
    identity=Known("Kd", 0.99),
)


def a_memory() -> TableMemory:
    level = np.arange(12, dtype=np.float32).reshape(3, 4)
    tint = np.full((3, 4, 2), 128, np.float32)
    return TableMemory(
        looks={"seat1.ante": ZoneLooks(level, level + 1, tint, None), "rack": ZoneLooks(None, None, None, None)},
        empty={"seat1.ante": np.full((6, 8, 3), 7, np.uint8)},
        shown={"seat1.cards": (CARD,)},
        backs=np.array([[1.5, -20.0]]),
        holder_share=0.25,
        rack_filled=True,
    )


def test_a_memory_comes_back_as_it_was_kept() -> None:
    kept, back = a_memory(), memory_of(memory_bytes(a_memory()))
    looks, known = back.looks["seat1.ante"], kept.looks["seat1.ante"]
    assert np.array_equal(looks.reference, known.reference) and np.array_equal(looks.empty, known.empty)
    assert np.array_equal(looks.tint_reference, known.tint_reference) and looks.tint_empty is None
    assert np.array_equal(back.empty["seat1.ante"], kept.empty["seat1.ante"])
    assert (back.shown, back.holder_share, back.rack_filled) == (kept.shown, 0.25, True)
    assert np.array_equal(back.backs, kept.backs)


def test_the_same_memory_makes_the_same_bytes() -> None:
    assert memory_bytes(a_memory()) == memory_bytes(a_memory())


def an_archive(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def test_pickles_and_other_files_are_refused() -> None:
    pickled = an_archive(about=np.array([{"a": 1}], dtype=object))
    empty_zip = io.BytesIO()
    zipfile.ZipFile(empty_zip, "w").close()
    for content in (b"", b"not an archive", pickled, empty_zip.getvalue(), an_archive(about=np.zeros(3))):
        with pytest.raises(ValueError):
            memory_of(content)
