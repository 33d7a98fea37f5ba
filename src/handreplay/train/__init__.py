"""Trains the models and exports them to ONNX; the only place that loads torch.

Every module named in MODELS has `main(arguments)`, which reads its own command line.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from handreplay.errors import ModelError

MODELS: dict[str, str] = {
    "chip_counter": "handreplay.train.chip_counter",
    "chips": "handreplay.train.chips",
    "quick": "handreplay.train.quick",
    "reader": "handreplay.train.reader",
    "table": "handreplay.train.table",
}
_NEEDED = ("torch", "onnx", "PIL")


def train(model: str, arguments: Sequence[str]) -> None:
    """Train the named model. Raises ModelError for an unknown name, or when the training extra is not installed."""
    if model not in MODELS:
        raise ModelError(f"train {model}: no such model; choose one of {', '.join(sorted(MODELS))}")
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ModelError(f"train {model}: needs {' and '.join(missing)}; in the checkout run: pip install '.[train]'")
    import_module(MODELS[model]).main(list(arguments))
