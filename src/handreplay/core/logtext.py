"""One event of a round log, from a value to the fields that are written."""

from typing import Any

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckChanged,
    DeckShuffled,
    Declared,
    Event,
    FootageGap,
    RackCard,
    StubCounted,
    StubMoved,
)
from handreplay.core.money import Chips
from handreplay.core.readings import Known, Reading, Unreadable

DECIMALS = 3  # times are written to the millisecond, probabilities to the thousandth


def event_fields(event: Event) -> dict[str, Any]:
    """The event as FORMATS.md, section 2, writes it; fields at their default are left out."""
    fields: dict[str, Any] = {"t": round(event.t, DECIMALS)}
    match event:
        case CardPlaced():
            fields |= {"type": "card_placed", "card": event.card, "zone": event.zone, "face": event.face}
            fields |= _identity(event.identity) | _optional(back=event.back)
        case CardTurned():
            fields |= {"type": "card_turned", "card": event.card, "face": event.face} | _identity(event.identity)
        case CardMoved():
            fields |= {"type": "card_moved", "card": event.card, "from": event.source, "to": event.to}
        case ChipsChanged():
            fields |= {"type": "chips_changed", "zone": event.zone, "before": _pile(event.before)}
            fields |= {"after": _pile(event.after)} | _pile_candidates(event.after) | _optional(to=event.to)
        case StubMoved():
            fields |= {"type": "stub_moved", "to": event.to, "exposed": event.exposed}
        case StubCounted():
            fields |= {"type": "stub_counted", "count": event.count}
        case DeckShuffled():
            fields |= {"type": "deck_shuffled"} | _optional(back=event.back)
        case DeckChanged():
            fields |= {"type": "deck_changed"} | _optional(back=event.back)
        case Declared():
            fields |= {"type": "declared", "what": event.what} | _optional(note=event.note, seat=event.seat)
            fields |= _optional(cents=event.cents, identity=event.identity)
        case FootageGap():
            fields |= {"type": "footage_gap", "until": round(event.until, DECIMALS)}
            fields |= ({"camera_moved": True} if event.camera_moved else {}) | _optional(zone=event.zone)
        case _:
            raise TypeError(f"no such event: {type(event).__name__}")
    return fields | _common(event)


def rack_fields(card: RackCard) -> dict[str, Any]:
    return {"card": card.card} | _identity(card.identity) | {"hand": card.hand}


def _common(event: Event) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if event.actor != "unknown":
        fields["actor"] = event.actor
    if event.confidence != 1.0:
        fields["confidence"] = round(event.confidence, DECIMALS)
    return fields | _optional(frame=event.frame)


def _optional(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _identity(reading: Reading[str]) -> dict[str, Any]:
    if isinstance(reading, Known):
        return {"identity": reading.value}
    candidates = [[card, share] for (card, _), share in zip(reading.candidates, _shares(reading), strict=True)]
    return {"identity": None, **({"candidates": candidates} if candidates else {})}


def _pile(reading: Reading[Chips]) -> dict[str, int] | None:
    return dict(reading.value) if isinstance(reading, Known) else None


def _pile_candidates(reading: Reading[Chips]) -> dict[str, Any]:
    if isinstance(reading, Known) or not reading.candidates:
        return {}
    shares = _shares(reading)
    return {"candidates": [[dict(pile), share] for (pile, _), share in zip(reading.candidates, shares, strict=True)]}


def _shares(reading: Unreadable[Any]) -> list[float]:
    """The candidates' probabilities as they are written: what rounding up adds beyond 1 the largest gives back."""
    unit = 10**DECIMALS
    parts = [round(probability * unit) for _, probability in reading.candidates]
    if sum(parts) > unit and sum(probability for _, probability in reading.candidates) < 1 + 1 / unit:
        largest = parts.index(max(parts))
        parts[largest] -= sum(parts) - unit
    return [part / unit for part in parts]
