"""What a person corrects in a round log, applied to the fields of the machine's own lines.

A correction names an event by its place in the machine's log ("7"), an added event by the log entry that added it
("a12"). The machine's line is never touched: corrections are applied to a copy, in the order in which they were made.
What a person enters is certain (confidence 1).

    {"op": "identity", "card": "c05", "identity": "Kd"}        the face of a card, wherever it showed
    {"op": "amount", "event": "7", "after": {"25": 2}}         what stood there after the event
    {"op": "actor", "event": "7", "actor": "dealer"}           whose hand it was
    {"op": "to", "event": "7", "to": "player"}                 where chips that the dealer took away went
    {"op": "right", "event": "7"}                              looked at and right as read
    {"op": "remove", "event": "7"}                             did not happen; with a card's placing goes the whole card
    {"op": "add", "event": {"t": 12.3, "type": ...}}           was missed: an event as a round log writes it
    {"op": "undo", "entry": 12}                                takes an earlier correction back
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from types import UnionType
from typing import Any

from handreplay.core.events import Round
from handreplay.core.logfields import Limits
from handreplay.core.roundlog import parse_round
from handreplay.errors import HandreplayError, LogError

OPS: dict[str, tuple[str, ...]] = {
    "identity": ("card", "identity"),
    "amount": ("event", "after"),
    "actor": ("event", "actor"),
    "to": ("event", "to"),
    "right": ("event",),
    "remove": ("event",),
    "add": ("event",),
    "undo": ("entry",),
}
_KINDS: dict[str, type | UnionType] = {"after": dict | None, "identity": str | None, "to": str | None, "entry": int}
DECK_FACE_UP = ("card_placed", "card_turned")


class CorrectionError(HandreplayError):
    """A correction that does not fit the round. The message says why."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One entry of the log that changes a round. `entry` is its number there."""

    entry: int
    op: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A round as corrected. `ids` are the events' names, in the order of `round.events`; `touched` those corrected."""

    round: Round
    line: Mapping[str, Any]
    ids: tuple[str, ...]
    touched: frozenset[str]


def read_correction(raw: object, entry: int) -> Correction:
    """Raises CorrectionError for anything that is no correction."""
    if not isinstance(raw, dict) or raw.get("op") not in OPS:
        raise CorrectionError(f"a correction's op is one of {', '.join(OPS)}")
    needed = OPS[raw["op"]]
    if set(raw) != {"op", *needed}:
        raise CorrectionError(f"the correction {raw['op']!r} has the fields {', '.join(needed)}, and no others")
    for key in needed:
        kind = _KINDS.get(key, str) if raw["op"] != "add" else dict
        if not isinstance(raw[key], kind) or isinstance(raw[key], bool):
            raise CorrectionError(f"the correction's {key} is not of the right kind")
        if isinstance(raw[key], dict) and not _flat(raw[key], 2):
            raise CorrectionError(f"the correction's {key} is nested deeper than anything in a round log")
    return Correction(entry, raw["op"], {key: raw[key] for key in needed})


def _flat(value: object, levels: int) -> bool:
    if not isinstance(value, dict):
        return value is None or isinstance(value, str | int | float)
    return levels > 0 and all(_flat(part, levels - 1) for part in value.values())


def standing(corrections: Iterable[Correction]) -> tuple[Correction, ...]:
    """Those that were not taken back, in order."""
    kept: dict[int, Correction] = {}
    for correction in corrections:
        if correction.op == "undo":
            kept.pop(correction.fields["entry"], None)
        else:
            kept[correction.entry] = correction
    return tuple(kept.values())


def corrected(line: Mapping[str, Any], corrections: Sequence[Correction], limits: Limits) -> Corrected:
    """The machine's line with the standing corrections applied, and read again.

    Raises CorrectionError when one names what is not there, or when the round that results is no round log's.
    """
    fields = deepcopy(dict(line))
    events = [{**event, "#": str(number)} for number, event in enumerate(fields["events"], 1)]
    fields["events"] = events
    touched: set[str] = set()
    for correction in standing(corrections):
        touched |= _apply(fields, correction)
    ids = tuple(event.pop("#") for event in fields["events"])
    try:
        round_ = parse_round(fields, f"round {fields.get('round')}", limits)
    except LogError as error:
        raise CorrectionError(f"that does not fit: {error}") from None
    return Corrected(round_, fields, ids, frozenset(touched))


def stood_before(before: Corrected, correction: Correction) -> list[Mapping[str, Any]]:
    """The events, as they stood, that a correction changes: what its log entry keeps beside it."""
    events = dict(zip(before.ids, before.line["events"], strict=True))
    if correction.op == "identity":
        return [
            event for event in events.values() if event.get("card") == correction.fields["card"] and "face" in event
        ]
    name = correction.fields.get("event")
    return [events[name]] if isinstance(name, str) and name in events else []


def _apply(fields: dict[str, Any], correction: Correction) -> set[str]:
    """Change the fields; returns the names of the events that changed."""
    given = correction.fields
    match correction.op:
        case "identity":
            return _identity(fields, given["card"], given["identity"])
        case "amount":
            return _amount(fields["events"], _event(fields, given["event"], "chips_changed"), given["after"])
        case "actor":
            event = _event(fields, given["event"])
            event |= {"actor": given["actor"], "confidence": 1.0}
        case "to":
            event = _event(fields, given["event"], "chips_changed")
            event |= {"to": given["to"], "confidence": 1.0}
        case "right":
            event = _event(fields, given["event"])
            event["confidence"] = 1.0
        case "remove":
            return _remove(fields, _event(fields, given["event"]))
        case _:
            return _add(fields, correction)
    return {event["#"]}


def _event(fields: Mapping[str, Any], name: object, kind: str | None = None) -> dict[str, Any]:
    for event in fields["events"]:
        if event["#"] == name and kind in (None, event.get("type")):
            found: dict[str, Any] = event
            return found
    what = "change of chips" if kind else "event"
    raise CorrectionError(f"the round has no {what} {name!r} any more; look at it again")


def _identity(fields: dict[str, Any], card: object, identity: object) -> set[str]:
    shown = [e for e in fields["events"] if e.get("card") == card and e.get("type") in DECK_FACE_UP]
    if not shown:
        raise CorrectionError(f"the round has no card {card!r}")
    faces = [e for e in shown if e.get("face") == "up"]
    told = [*faces, *(row for row in fields.get("rack") or [] if row.get("card") == card)]
    if not told:
        raise CorrectionError(f"card {card!r} never showed its face; first add that it was turned up")
    for item in told:
        item["identity"] = identity
        item.pop("candidates", None)
    for event in faces:
        event["confidence"] = 1.0
    return {event["#"] for event in faces or shown}


def _amount(events: list[dict[str, Any]], event: dict[str, Any], after: object) -> set[str]:
    event |= {"after": after, "confidence": 1.0}
    event.pop("candidates", None)
    own = [e for e in events if e.get("type") == "chips_changed" and e.get("zone") == event["zone"]]
    for one, following in pairwise(own):
        if one is event:
            following["before"] = after
    return {event["#"]}


def _remove(fields: dict[str, Any], event: dict[str, Any]) -> set[str]:
    events = fields["events"]
    gone = [event]
    if event["type"] == "card_placed":
        gone = [e for e in events if e.get("card") == event["card"]]
        fields["rack"] = [row for row in fields.get("rack") or [] if row.get("card") != event["card"]]
    elif event["type"] == "chips_changed":
        own = [e for e in events if e["type"] == "chips_changed" and e["zone"] == event["zone"]]
        place = next(n for n, e in enumerate(own) if e is event)
        if place + 1 < len(own):
            own[place + 1]["before"] = event["before"]
    fields["events"] = [e for e in events if not any(e is one for one in gone)]
    return {e["#"] for e in gone}


def _add(fields: dict[str, Any], correction: Correction) -> set[str]:
    raw = correction.fields["event"]
    if not isinstance(raw, dict) or "#" in raw:
        raise CorrectionError("an added event is written as in a round log")
    t = raw.get("t")
    if isinstance(t, bool) or not isinstance(t, int | float) or not fields["start"] <= t <= fields["end"]:
        span = f"{fields['start']:.3f} to {fields['end']:.3f}"
        raise CorrectionError(f"an added event lies within its round: its t is from {span} seconds")
    event = {**deepcopy(raw), "#": f"a{correction.entry}"}
    events = fields["events"]
    if event.get("type") == "chips_changed":
        own = [e for e in events if e["type"] == "chips_changed" and e["zone"] == event.get("zone")]
        earlier = [e for e in own if e["t"] <= t]
        event.setdefault("before", earlier[-1]["after"] if earlier else {})
        later = [e for e in own if e["t"] > t]
        if later:
            later[0]["before"] = event.get("after")
    if event.get("type") == "card_placed":
        event.setdefault("card", f"r{correction.entry}")
    place = next((n for n, e in enumerate(events) if e["t"] > t), len(events))
    events.insert(place, event)
    return {event["#"]}
