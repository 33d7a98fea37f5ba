"""Writes a table profile again with what was measured. Comments are lost; every value is checked to be the same."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from handreplay.adapt.chip_colours import ChipColour
from handreplay.errors import ProfileError


def adapted_profile(
    text: str,
    name: str,
    *,
    colours: Mapping[str, ChipColour] | None = None,
    temperature: float | None = None,
    reader: tuple[str, str] | None = None,
) -> str:
    """The profile `text` of the file `name` with measured chips, a temperature, or a reader (file name and sha256)."""
    data = tomllib.loads(text.removeprefix("\ufeff"))
    for chip in data.get("chips", []) if colours else []:
        assert colours is not None
        chip["face"], chip["edge"] = colours[chip["value"]].texts()
    deck = data.setdefault("deck", {}) if temperature is not None or reader is not None else {}
    if temperature is not None:
        deck["reader_temperature"] = float(temperature)
    if reader is not None:
        deck["reader"], deck["reader_sha256"] = reader
    written = f"# Made by handreplay adapt from {_one_line(name)}, where the comments are.\n\n{_table(data, ())}"
    if tomllib.loads(written) != data:
        raise ProfileError(f"{name}: could not be written again with the same values; enter the new ones by hand")
    return written


def _one_line(name: str) -> str:
    return "".join(letter for letter in name if letter.isprintable())


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> str:
    """A section's plain values first, then the sections within it."""
    inner = {key: value for key, value in data.items() if isinstance(value, dict) or _is_sections(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in data.items() if key not in inner]
    parts = ["\n".join(lines) + "\n"] if lines else []
    for key, value in inner.items():
        where = ".".join(_key(part) for part in (*path, key))
        if isinstance(value, dict):
            parts.append(f"[{where}]\n{_table(value, (*path, key))}")
        else:
            parts += [f"[[{where}]]\n{_table(entry, (*path, key))}" for entry in value]
    return "\n".join(parts)


def _is_sections(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else json.dumps(key, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)
