"""Observations as text, one JSON object a line, so that what the eyes saw can be kept and judged later.

What is read back equals what was written, to the last digit; only an `Unreadable` equals nothing, as ever.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from handreplay.core.money import Chips
from handreplay.core.observations import (
    Observation,
    PictureLost,
    Point,
    SeenCard,
    SeenStack,
    ZoneCovered,
    ZoneSeen,
    ZoneUncovered,
)
from handreplay.core.readings import Known, Reading, Unreadable

_KINDS: Mapping[str, type[Any]] = {
    "seen": ZoneSeen,
    "covered": ZoneCovered,
    "uncovered": ZoneUncovered,
    "lost": PictureLost,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def observation_line(observation: Observation) -> str:
    """One line, without its end."""
    told: dict[str, Any] = {"kind": _NAMES[type(observation)]}
    for field in fields(observation):
        told[field.name] = getattr(observation, field.name)
    if isinstance(observation, ZoneSeen):
        told["cards"] = [card_fields(card) for card in observation.cards]
        told["stacks"] = [{**_fields_of(stack), "chips": _reading_fields(stack.chips)} for stack in observation.stacks]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def observations_of(lines: Iterable[str]) -> Iterator[Observation]:
    """The observations again. Raises ValueError for a line that was not written by `observation_line`."""
    for number, line in enumerate(lines, 1):
        try:
            yield _observation(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"line {number} is no observation ({type(error).__name__})") from None


def card_fields(card: SeenCard) -> dict[str, Any]:
    """A card as JSON values."""
    return {**_fields_of(card), "identity": _reading_fields(card.identity)}


def card_of(told: Mapping[str, Any]) -> SeenCard:
    """The card again. Raises ValueError, KeyError or TypeError when it is none."""
    first, second, third, fourth = map(_point, told["corners_mm"])
    return SeenCard(
        **{
            **told,
            "corners_mm": (first, second, third, fourth),
            "identity": _reading(told["identity"]),
            "probabilities": tuple(map(float, told["probabilities"])),
            "tint": None if told.get("tint") is None else _point(told["tint"]),
        }
    )


def _observation(told: dict[str, Any]) -> Observation:
    kind = _KINDS[told.pop("kind")]
    if kind is ZoneSeen:
        told["cards"] = tuple(map(card_of, told["cards"]))
        told["stacks"] = tuple(
            SeenStack(
                base_mm=_point(stack["base_mm"]),
                chips=_chips_reading(stack["chips"]),
                top_mm=_point(stack.get("top_mm", (0, 0))),
                other_top=bool(stack.get("other_top")),
            )
            for stack in told["stacks"]
        )
    made: Observation = kind(**told)
    return made


def _fields_of(seen: SeenCard | SeenStack) -> dict[str, Any]:
    return {field.name: getattr(seen, field.name) for field in fields(seen)}


def _reading_fields(reading: Reading[Any]) -> dict[str, Any]:
    if isinstance(reading, Known):
        return {"value": reading.value, "confidence": reading.confidence}
    return {"reason": reading.reason, "candidates": reading.candidates}


def _reading(told: Mapping[str, Any]) -> Reading[str]:
    if "value" in told:
        return Known(str(told["value"]), float(told["confidence"]))
    return Unreadable(str(told["reason"]), tuple((str(value), float(chance)) for value, chance in told["candidates"]))


def _chips_reading(told: Mapping[str, Any]) -> Reading[Chips]:
    if "value" in told:
        return Known(_pile(told["value"]), float(told["confidence"]))
    return Unreadable(str(told["reason"]), tuple((_pile(value), float(chance)) for value, chance in told["candidates"]))


def _pile(told: Iterable[Any]) -> Chips:
    return tuple((str(denomination), int(count)) for denomination, count in told)


def _point(told: Any) -> Point:
    x, y = told
    return float(x), float(y)
