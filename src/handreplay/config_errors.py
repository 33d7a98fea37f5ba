"""What is wrong with a profile, in a sentence: pydantic's error list becomes one line with key and hint."""

import difflib
from collections.abc import Iterable
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

_PLAIN = {
    "missing": "is missing",
    "int_type": "must be a whole number without quotes",
    "float_type": "must be a number without quotes",
    "string_type": 'must be text in quotes, like "25"',
    "bool_type": "must be true or false",
    "finite_number": "must be an ordinary number, not inf or nan",
    "model_type": "must be a section with keys of its own",
    "dict_type": "must be a section with keys of its own",
    "tuple_type": "must be a list",
}


def explain(error: ValidationError, root: type[BaseModel]) -> str:
    """The first fault with its key, and how many more there are."""
    faults = error.errors(include_url=False)
    misspelt = [fault for fault in faults if fault["type"] == "extra_forbidden"]
    first = (misspelt or faults)[0]  # a misspelt key also explains the one that is missing
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{_one(first, root)}{more}"


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean "..."?` when a known name is close, else nothing."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""


def _one(fault: Any, root: type[BaseModel]) -> str:
    path = [part for part in fault["loc"] if not (isinstance(part, str) and part in ("bool", "int", "str"))]
    if fault["type"] == "extra_forbidden":
        keys = _keys(root, path[:-1])
        where = _key(path[:-1])
        hint = nearest(str(path[-1]), keys) or f"; known keys: {', '.join(keys)}"
        return f'{where}: unknown key "{path[-1]}"{hint}' if where else f'unknown key "{path[-1]}"{hint}'
    return f"{_key(path)}: {_what(fault)}"


def _what(fault: Any) -> str:
    kind, given, limits = fault["type"], fault["input"], fault.get("ctx", {})
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind == "value_error":
        return str(limits["error"])
    if kind == "literal_error":
        return f"{_shown(given)} is not allowed; it must be {limits['expected']}"
    if kind == "string_pattern_mismatch" and "0-9a-f" in str(limits.get("pattern")):
        return f'{_shown(given)} is no colour; write it like "#b3262e"'
    if kind == "too_short":
        return f"needs at least {limits['min_length']} items, has {limits['actual_length']}"
    if kind == "too_long":
        return f"has {limits['actual_length'] or 'more'} items, at most {limits['max_length']} are allowed"
    return f"{_shown(given)}: {fault['msg'].removeprefix('Input ')}"


def _keys(root: type[BaseModel], path: list[str | int]) -> list[str]:
    """Keys that the section at `path` may have."""
    model = root
    for part in path:
        if isinstance(part, int):
            continue
        field = next((f for n, f in model.model_fields.items() if part in (n, f.alias)), None)
        inner = _model(field.annotation) if field else None
        if inner is None:
            continue  # a key that a site chooses itself, under a section of like entries
        model = inner
    return [field.alias or name for name, field in model.model_fields.items()]


def _model(annotation: Any) -> type[BaseModel] | None:
    """The section class inside `X | None`, `tuple[X, ...]` or `dict[str, X]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for inner in get_args(annotation) if (model := _model(inner))), None)


def _key(path: list[str | int]) -> str:
    """`zones[3].polygon[1]`, entries counted from 1 as people do."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _shown(value: Any) -> str:
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
