"""What a look read, as lines and as JSON; and the moment that a person typed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handreplay.core.cards import DECK
from handreplay.core.money import worth
from handreplay.core.observations import SeenCard, SeenStack
from handreplay.core.readings import Known, Unreadable
from handreplay.report import words
from handreplay.report.look_picture import chips_between, hands_of, likeliest, percent, stack_lines
from handreplay.vision.look import Look, ZoneLook

SCHEMA = "handreplay.look/1"
LEAST_NAMED = 0.005  # probability of a card from which it is named among the candidates


def look_text(look: Look) -> str:
    """A line for the moment, one for each zone that holds or hides something, and what could not be read."""
    frame = "" if look.frame is None else f", frame {look.frame}"
    lines = [f"{look.file} at {words.position(look.seconds)}{frame}"]
    lines += list(look.remarks)
    empty = [one for one in look.looks if one.state == "empty"]
    for one in look.looks:
        if one.state not in ("empty", "not read here"):
            lines += _zone_lines(one)
    lines += [f"{text[0].upper()}{text[1:]}" for _, text in hands_of(look)]
    if look.felt.strays:
        lines.append(f"Cards in no zone: {len(look.felt.strays)}")
    if empty:
        lines.append(f"Empty: {', '.join(_name(one) for one in empty)}")
    return "\n".join(lines)


def _zone_lines(one: ZoneLook) -> list[str]:
    notes = {"covered": " (covered: an audit waits)", "moving": " (moving: an audit waits)"}
    parts = [card_words(card) for card in one.cards] + [stack_words(stack, one) for stack in one.stacks]
    return [f"{_name(one)}{notes.get(one.state, '')}: {'; '.join(parts) or 'nothing read'}"]


def _name(one: ZoneLook) -> str:
    place = words.place(one.zone)
    return f"{place} cards" if one.zone.startswith("seat") and one.zone.endswith(".cards") else place


def card_words(card: SeenCard) -> str:
    """`Kh >99%`, `face down 98%`, or `not read, likeliest Kh 41%`."""
    if not card.face_up:
        return f"face down {percent(card.face_confidence)}"
    if isinstance(card.identity, Known):
        return f"{card.identity.value} {percent(card.identity.confidence)}"
    best, chance = likeliest(card)
    return f"not read, likeliest {best} {percent(chance)}"


def stack_words(stack: SeenStack, one: ZoneLook) -> str:
    """`3x25 98%`, or what it may be and why that is open."""
    if isinstance(stack.chips, Known):
        return stack_lines(stack)[0]
    likeliest_pile, *between = stack_lines(stack)
    notes = [*between] if stack.chips.candidates else [stack.chips.reason]
    if not one.compared:
        notes.append("height not measured: the place was not seen empty")
    return f"{likeliest_pile} ({', '.join(notes)})"


def look_json(look: Look, profile: Path, models: Mapping[str, str]) -> dict[str, Any]:
    """The same as a document; places in millimetres on the felt and in pixels of the camera's picture."""
    return {
        "schema": SCHEMA,
        "source": {"file": look.file, "profile": profile.name},
        "models": dict(models),
        "t": round(look.seconds, 3),
        "frame": look.frame,
        "remarks": list(look.remarks),
        "zones": [_zone_json(one, look) for one in look.looks],
        "hands": [{"outline_px": _px(look, outline), "what": text} for outline, text in hands_of(look)],
        "cards_in_no_zone": [_px(look, look.felt.patch.to_mm(box.corners)) for box in look.felt.strays],
    }


def _zone_json(one: ZoneLook, look: Look) -> dict[str, Any]:
    return {
        "zone": one.zone,
        "state": one.state,
        "pictures": one.pictures,
        "height_measured": one.compared,
        "cards": [_card_json(card, look) for card in one.cards],
        "stacks": [_stack_json(stack) for stack in one.stacks],
    }


def _card_json(card: SeenCard, look: Look) -> dict[str, Any]:
    ranked = sorted(zip(DECK, card.probabilities, strict=True), key=lambda pair: -pair[1]) if card.probabilities else []
    return {
        "face": "up" if card.face_up else "down",
        "face_probability": card.face_confidence,
        "identity": card.identity.value if isinstance(card.identity, Known) else None,
        "candidates": [[name, round(p, 4)] for name, p in ranked[:5] if p >= LEAST_NAMED],
        "visible": card.visible,
        "corners_mm": [list(corner) for corner in card.corners_mm],
        "corners_px": _px(look, card.corners_mm),
    }


def _stack_json(stack: SeenStack) -> dict[str, Any]:
    known = isinstance(stack.chips, Known)
    piles = [(stack.chips.value, stack.chips.confidence)] if isinstance(stack.chips, Known) else stack.chips.candidates
    return {
        "read": known,
        "why": stack.chips.reason if isinstance(stack.chips, Unreadable) else None,
        "piles": [{"chips": dict(pile), "cents": worth(pile), "probability": round(p, 4)} for pile, p in piles],
        "chips_between": list(chips_between(stack)),
        "base_mm": list(stack.base_mm),
    }


def _px(look: Look, points_mm: Any) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in look.calibration.to_picture_px(points_mm)]
