"""Opens the models that ship in `handreplay/models`: by name and hash, with every class mapped by its text.

    models/manifest.toml  ->  file, sha256, names  ->  one ONNX Runtime session

A file that is missing, altered or says other names than the product's own is refused: a shift must never be audited
by a model that calls hearts spades.
"""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from handreplay.errors import ModelError

_LARGEST_BYTES = 200_000_000
_AGAIN = "install handreplay again, or train it again and put it in the manifest"


@dataclass(frozen=True)
class Model:
    """One opened model. `about` is its entry in the manifest, `said` what the file says of itself."""

    name: str
    sha256: str
    about: dict[str, Any]
    said: dict[str, str]
    session: onnxruntime.InferenceSession

    def run(self, *inputs: NDArray[Any]) -> list[NDArray[Any]]:
        """All outputs, in the file's order, for the inputs in the file's order."""
        feed = {slot.name: array for slot, array in zip(self.session.get_inputs(), inputs, strict=True)}
        return [np.asarray(output) for output in self.session.run(None, feed)]

    def columns(self, key: str, wanted: Sequence[str]) -> list[int]:
        """Where each wanted name stands in the model's output, by the list the file itself carries under `key`.

        Raises ModelError unless the file lists exactly the wanted names, in whatever order.
        """
        try:
            names = json.loads(self.said.get(key, "null"))
        except json.JSONDecodeError:
            names = None
        if not isinstance(names, list):
            raise ModelError(f"model {self.name}: the file does not say its {key}; {_AGAIN}")
        if sorted(map(str, names)) != sorted(wanted):
            raise ModelError(
                f"model {self.name}: its {key} ({len(names)}, {str(names[0]) if names else 'none'}...) are not the "
                f"{len(wanted)} that handreplay knows; {_AGAIN}"
            )
        return [names.index(name) for name in wanted]


def load(name: str, folder: Traversable | None = None, threads: int = 2) -> Model:
    """The model called `name` in the manifest of `folder` (default: the package's own models).

    Raises ModelError when the manifest or the file is missing or unfit, or the file's hash is another.
    """
    place = folder if folder is not None else files("handreplay") / "models"
    about = _entry(place, name)
    path = place / str(about["file"])
    if not path.is_file():
        raise ModelError(f"model {name}: {about['file']} is missing from {place}; {_AGAIN}")
    data = path.read_bytes()
    if len(data) > _LARGEST_BYTES:
        raise ModelError(f"model {name}: {about['file']} is larger than any model of handreplay; {_AGAIN}")
    found = hashlib.sha256(data).hexdigest()
    if found != about["sha256"]:
        raise ModelError(
            f"model {name}: {about['file']} is not the file in the manifest (sha256 {found[:12]}...); {_AGAIN}"
        )
    session = _session(name, data, threads)
    return Model(name, found, about, dict(session.get_modelmeta().custom_metadata_map), session)


def hash_of(name: str) -> str:
    """The hash that the package's own model must have. Raises ModelError when the manifest does not have it."""
    return str(_entry(files("handreplay") / "models", name)["sha256"])


def load_file(path: Path, sha256: str, name: str = "reader", threads: int = 2) -> Model:
    """A model of the property's own, for the task of the shipped one called `name`. Raises ModelError."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise ModelError(f"model {path}: is larger than any model of handreplay; run handreplay adapt again")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"model {path}: cannot be read ({error.strerror}); run handreplay adapt again") from None
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ModelError(f"model {path}: is not the file that the profile names (sha256 {found[:12]}...)")
    session = _session(name, data, threads)
    return Model(name, found, {}, dict(session.get_modelmeta().custom_metadata_map), session)


def _entry(place: Traversable, name: str) -> dict[str, Any]:
    manifest = place / "manifest.toml"
    try:
        listed = _listed(manifest.read_text("utf-8"))
    except OSError:
        raise ModelError(f"{manifest}: the list of models is missing; install handreplay again") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{manifest}: not a list of models ({error}); install handreplay again") from None
    about = listed.get(name)
    if (
        not isinstance(about, dict)
        or not isinstance(about.get("file"), str)
        or not isinstance(about.get("sha256"), str)
    ):
        raise ModelError(f"model {name}: no entry with file and sha256 in {manifest}; {_AGAIN}")
    if "/" in about["file"] or "\\" in about["file"]:
        raise ModelError(f"model {name}: {about['file']} is not a plain file name in {manifest}")
    return about


@lru_cache(maxsize=4)
def _listed(text: str) -> dict[str, Any]:
    """What a manifest says. Asked for again and again by whoever looks whether many readings still stand."""
    return tomllib.loads(text)


def _session(name: str, data: bytes, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # a spinning thread starves the decoder
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises a family of its own without a common public base
        raise ModelError(f"model {name}: ONNX Runtime cannot open it ({type(error).__name__}); {_AGAIN}") from None
