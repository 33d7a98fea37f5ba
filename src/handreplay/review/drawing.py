"""What the page draws: outlines on the picture, and the felt as it stood after each event of a round."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from handreplay.core.events import CardMoved, CardPlaced, CardTurned, ChipsChanged, Event, Round
from handreplay.core.money import worth
from handreplay.core.readings import Known, Unreadable
from handreplay.report import words
from handreplay.report.felt import draw_felt
from handreplay.review.corrections import Corrected
from handreplay.review.desk import Desk
from handreplay.vision.calibration import Calibration

CHIP_RADIUS_MM = 19.5
MAX_SEEN_BYTES = 400_000_000

Drawing = dict[str, Any]


def outlines(desk: Desk, start: float, end: float) -> Drawing:
    """Zones, and what was read in them from `start` to `end` seconds, as SVG points in pixels of the picture.

    A reading holds until the next one of its zone. Without a camera nothing can be outlined.
    """
    calibration = desk.calibration
    if calibration is None:
        return {"size": None, "zones": [], "readings": []}
    zones = [
        {"zone": name, "words": words.place(name), "points": _points(calibration, outline)}
        for name, outline in desk.zones.items()
    ]
    return {
        "size": list(calibration.size),
        "zones": zones,
        "readings": [_reading(one, calibration) for one in _seen(desk, start, end)],
    }


def _seen(desk: Desk, start: float, end: float) -> list[Mapping[str, Any]]:
    """The readings of the time, and the last one before it of each zone."""
    if "seen.jsonl" not in desk.run.manifest["files"]:
        return []
    path = desk.run.path("seen.jsonl")
    if path.stat().st_size > MAX_SEEN_BYTES:
        return []
    before: dict[str, Mapping[str, Any]] = {}
    within: list[Mapping[str, Any]] = []
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            one = json.loads(line)
            if one["t"] <= start:
                before[one["zone"]] = one
            elif one["t"] <= end:
                within.append(one)
    return [*before.values(), *within]


def _reading(one: Mapping[str, Any], calibration: Calibration) -> Drawing:
    cards = [{"points": _points(calibration, c["corners_mm"]), "label": _card(c["label"])} for c in one["cards"]]
    stacks = [
        {"points": _points(calibration, _ring(s["base_mm"])), "label": str(s["label"]).removesuffix(".00")}
        for s in one["stacks"]
    ]
    return {"t": one["t"], "zone": one["zone"], "cards": cards, "stacks": stacks}


def _card(label: str) -> str:
    return words.short_card(label) if len(label) == 2 else label


def _ring(base_mm: Sequence[float]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    return np.asarray(base_mm, dtype=np.float64) + CHIP_RADIUS_MM * np.stack([np.cos(turns), np.sin(turns)], axis=1)


def _points(calibration: Calibration, outline_mm: Any) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in calibration.to_picture_px(np.asarray(outline_mm, dtype=np.float64)))


# ---- the felt, step by step


def steps(corrected: Corrected, desk: Desk) -> list[Drawing]:
    """What lay where after each event; the first is before all of them. Cards carry their names, so that one can be
    pointed at."""
    round_ = corrected.round
    told = [_step(desk, round_, 0, "", round_.start)]
    for number, (name, event) in enumerate(zip(corrected.ids, round_.events, strict=True), 1):
        told.append(_step(desk, round_, number, name, event.t))
    return told


def _step(desk: Desk, round_: Round, number: int, name: str, t: float) -> Drawing:
    there = standing_after(round_, number)
    felt = draw_felt(there, (), desk.zones, turned=desk.turned)
    cards = [event for event in there.events if isinstance(event, CardPlaced) and _on_felt(event.zone, desk)]
    drawn = _by_zone(cards)
    piles = {event.zone: event for event in there.events if isinstance(event, ChipsChanged)}
    return {
        "event": name,
        "t": t,
        "cards": [
            {**asdict(card), "card": event.card, "rank": _rank(card.identity), "suit": (card.identity or "  ")[1]}
            for card, event in zip(felt.cards, drawn, strict=True)
        ],
        "labels": [asdict(label) for label in felt.labels],
        "chips": {
            zone: words.dollars(worth(e.after.value)) if isinstance(e.after, Known) else "?"
            for zone, e in piles.items()
        },
        "places": {event.card: event.zone for event in there.events if isinstance(event, CardPlaced)},
        "rack": sum(isinstance(event, CardPlaced) and event.zone == "rack" for event in there.events),
    }


def _on_felt(zone: str, desk: Desk) -> bool:
    return zone in desk.zones and zone not in ("rack", "shoe")


def _rank(identity: str | None) -> str:
    return words.RANK_WORDS.get(identity[0], identity[0]) if identity else ""


def _by_zone(cards: Sequence[CardPlaced]) -> list[CardPlaced]:
    """In the order in which a felt draws them."""
    zones: dict[str, list[CardPlaced]] = {}
    for event in cards:
        zones.setdefault(event.zone, []).append(event)
    return [event for group in zones.values() for event in group]


def standing_after(round_: Round, number: int) -> Round:
    """A round of placings alone: what lay where after so many events, each card with the face that shows then."""
    cards: dict[str, CardPlaced] = {}
    piles: dict[str, ChipsChanged] = {}
    for event in round_.events[:number]:
        match event:
            case CardPlaced():
                cards[event.card] = event
            case CardTurned() if event.card in cards:
                cards[event.card] = replace(cards[event.card], face=event.face, identity=event.identity)
            case CardMoved() if event.card in cards:
                cards[event.card] = replace(cards[event.card], zone=event.to)
            case ChipsChanged():
                piles[event.zone] = event
            case _:
                pass
    left = [pile for pile in piles.values() if isinstance(pile.after, Unreadable) or pile.after.value]
    events: tuple[Event, ...] = (*cards.values(), *left)
    return replace(round_, events=events, rack=())


def felt_frame(desk: Desk, round_: Round) -> Drawing:
    """The empty felt: table edge, boxes and spots with their names, for the steps to be drawn into."""
    felt = draw_felt(replace(round_, events=(), rack=()), (), desk.zones, turned=desk.turned)
    spots = [name for name in desk.zones if name not in ("rack", "tray", "shoe", "community", "dealer.cards")]
    spots = [name for name in spots if not name.endswith(".cards")]
    return {
        "view": felt.view,
        "edge": felt.edge,
        "boxes": felt.boxes,
        "spots": [
            {"zone": zone, **{k: v for k, v in asdict(w).items() if k in ("name", "outline", "lines")}}
            for zone, w in zip(spots, felt.wagers, strict=True)
        ],
    }
