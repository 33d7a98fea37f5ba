"""Puts trained weights among the models that ship: copies the file and writes its entry in manifest.toml.

    python -m handreplay.train.manifest NAME FILE FACTS.json [--models FOLDER]

FACTS.json holds what the manifest shall say of it: input, training, data, scores, licence.
"""

import argparse
import hashlib
import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

MODELS = Path(__file__).parents[1] / "models"


def enter(name: str, weights: Path, facts: dict[str, Any], models: Path = MODELS) -> str:
    """Copy `weights` into `models` as `NAME.onnx` and write its entry; the file's sha256."""
    manifest = models / "manifest.toml"
    listed: dict[str, Any] = tomllib.loads(manifest.read_text("utf-8")) if manifest.is_file() else {}
    models.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(weights, models / f"{name}.onnx")
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    listed[name] = {"file": f"{name}.onnx", "sha256": digest} | facts
    lines = ["# Weights that ship. A file whose hash is not the one here is refused.", ""]
    for key in sorted(listed):
        lines += [f"[{key}]"] + [f"{field} = {_toml(value)}" for field, value in listed[key].items()] + [""]
    text = "\n".join(lines)
    tomllib.loads(text)
    manifest.write_text(text, "utf-8")
    return digest


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(str(key))} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Put trained weights among the models that ship.")
    parser.add_argument("name")
    parser.add_argument("file", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--models", type=Path, default=MODELS)
    given = parser.parse_args()
    print(enter(given.name, given.file, json.loads(given.facts.read_text("utf-8")), given.models))


if __name__ == "__main__":
    _main()
