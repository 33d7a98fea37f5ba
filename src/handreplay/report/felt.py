"""The felt of one round as a drawing: who held what, what was staked, and what became of it.

Coordinates are millimetres of the felt, turned so that the drawing lies as the picture does; the template only draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any, Literal

from handreplay.core.events import Round
from handreplay.core.money import worth
from handreplay.core.readings import Known
from handreplay.report import words
from handreplay.report.states import CardLife, ChipState, card_lives, chip_states
from handreplay.report.wager_verdicts import Told, wager_verdict

Point = tuple[float, float]
Zones = Mapping[str, Sequence[Point]]
Fields = Mapping[str, Any]

CARD_MM = (70.0, 96.0)
CARD_STEP_MM = 76.0
ROW_STEP_MM = 102.0
SEAT_CARD_SCALE = 0.9  # a seat's cards lie close to its wagers
SEAT_CARDS_MM = 140.0  # and have no more room than this beside them
OUTWARD_MM = 16.0
LABEL_OFF_MM = 22.0  # from the edge of the cards
LINES_OFF_MM = (-23.0, 1.0, 24.0)
MARGIN_MM = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCard:
    x: float  # top left corner
    y: float
    scale: float
    identity: str | None
    kind: str  # "face", "back" (never shown), "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnWager:
    name: str
    outline: str  # SVG points
    lines: tuple[Point, ...]  # middles for its name, its stake and its outcome
    staked: str
    outcome: str  # "+$100", "lost", "push"
    state: str  # "right", "wrong", "open", "withdrawn" (nothing to settle), "idle"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLabel:
    x: float
    y: float
    text: str
    idle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Felt:
    """`view` is an SVG viewBox, `edge` the outline of the table as an SVG path."""

    view: str
    edge: str
    width: float
    height: float
    boxes: tuple[tuple[str, str], ...]  # (outline, "cards" or "fixture")
    wagers: tuple[DrawnWager, ...]
    cards: tuple[DrawnCard, ...]
    labels: tuple[DrawnLabel, ...]


def draw_felt(
    round_: Round,
    settlement: Iterable[Fields],
    zones: Zones,
    *,
    findings: Sequence[Fields] = (),
    turned: bool = False,
) -> Felt:
    """Draw a round as its findings judge it.

    `turned` puts the dealer at the bottom, as a camera above the dealer's shoulder sees it.
    """
    sign = -1.0 if turned else 1.0
    placed = {name: [(sign * x, sign * y) for x, y in outline] for name, outline in zones.items()}
    rows = {f"seat{row['seat']}.{row['wager']}": row for row in settlement}
    told = {name: wager_verdict(row, findings)[0] for name, row in rows.items()}
    states = chip_states(round_)
    seats_in_play = {zone.split(".")[0] for zone in (*rows, *states)}
    lives = [life for life in card_lives(round_) if life.zone in placed and life.zone not in ("rack", "shoe")]
    seats_in_play |= {life.zone.split(".")[0] for life in lives}
    boxes, wagers, labels = [], [], []
    for name, outline in placed.items():
        part = name.partition(".")[2]
        if name in ("rack", "tray", "shoe", "community", "dealer.cards") or part == "cards":
            boxes.append((_svg_points(outline), "fixture" if name in ("rack", "tray", "shoe") else "cards"))
            held = [life for life in lives if life.zone == name]
            idle = _is_idle(name, seats_in_play)
            labels.append(_label(name, outline, placed, sign=sign, cards=len(held), idle=idle))
        else:
            wagers.append(
                _wager(name, outline, rows.get(name), told.get(name), states.get(name, ()), settled=bool(rows))
            )
    edge, view = _table_edge(placed, labels, sign)
    return Felt(
        view=view,
        edge=edge,
        width=float(view.split()[2]),
        height=float(view.split()[3]),
        boxes=tuple(boxes),
        wagers=tuple(wagers),
        cards=tuple(_cards(lives, placed)),
        labels=tuple(labels),
    )


def _is_idle(name: str, seats_in_play: set[str]) -> bool:
    return name.startswith("seat") and name.split(".")[0] not in seats_in_play


def _centre(outline: Sequence[Point]) -> Point:
    return sum(x for x, _ in outline) / len(outline), sum(y for _, y in outline) / len(outline)


def _table_edge(zones: Zones, labels: Sequence[DrawnLabel], sign: float) -> tuple[str, str]:
    """A straight edge at the dealer and an arc around the players that leaves every zone and label some room."""
    points = [(x, sign * y) for outline in zones.values() for x, y in outline] or [(800.0, 900.0)]
    points += [(abs(label.x) + 44, sign * label.y + 12) for label in labels]
    half_width = max(abs(x) for x, _ in points) + MARGIN_MM
    depth = max(y for _, y in points) + MARGIN_MM
    reach = max(hypot(x / half_width, max(y, 0.0) / depth) for x, y in points)
    half_width, depth = half_width * max(1.0, reach * 1.04), depth * max(1.0, reach * 1.04)
    back = min(0.0, min(y for _, y in points)) - MARGIN_MM
    sweep = 1 if sign < 0 else 0
    edge = (
        f"M {-half_width:.0f} {sign * back:.0f} L {-half_width:.0f} 0 "
        f"A {half_width:.0f} {depth:.0f} 0 0 {sweep} {half_width:.0f} 0 L {half_width:.0f} {sign * back:.0f} Z"
    )
    top = back - 14 if sign > 0 else -depth - 14
    view = f"{-half_width - 14:.0f} {top:.0f} {2 * half_width + 28:.0f} {depth - back + 28:.0f}"
    return edge, view


def _label(name: str, outline: Sequence[Point], zones: Zones, *, sign: float, cards: int, idle: bool) -> DrawnLabel:
    """On the far side of a seat's cards from the dealer, beside the board, in the middle of what is empty."""
    x, y = _centre(outline)
    if name in ("rack", "tray", "shoe"):
        return DrawnLabel(x=x, y=y, text={"rack": "Rack", "tray": "Tray", "shoe": "Shoe"}[name], idle=True)
    if name in ("community", "dealer.cards"):
        side = min(px for px, _ in outline)
        return DrawnLabel(x=side - 14, y=y, text="Dealer" if name == "dealer.cards" else "Board")
    text = f"Seat {name.partition('.')[0][4:]}"
    if idle:
        return DrawnLabel(x=x, y=y, text=text, idle=True)
    x, y = _seat_cards_centre(outline, zones)
    rows, _, scale = _arrangement(cards, at_seat=True)
    half = (ROW_STEP_MM * (rows - 1) + CARD_MM[1]) * scale / 2
    return DrawnLabel(x=x, y=y + sign * (half + LABEL_OFF_MM), text=text)


def _chord_middle(outline: Sequence[Point], y: float, otherwise: float) -> float:
    """Half way from the box's middle to the middle of a slanting box at the height of a line of text."""
    crossed = [
        x0 + (x1 - x0) * (y - y0) / (y1 - y0)
        for (x0, y0), (x1, y1) in zip(outline, (*outline[1:], outline[0]), strict=True)
        if (y0 <= y) != (y1 <= y)
    ]
    return (min(crossed) + max(crossed) + 2 * otherwise) / 4 if crossed else otherwise


def _seat_cards_centre(outline: Sequence[Point], zones: Zones) -> Point:
    """The middle of a seat's cards, moved a little outward to leave its wagers room."""
    x, y = _centre(outline)
    middle = _centre([_centre(other) for other in zones.values()])
    away = hypot(x - middle[0], y - middle[1]) or 1.0
    return x + OUTWARD_MM * (x - middle[0]) / away, y + OUTWARD_MM * (y - middle[1]) / away


def _svg_points(outline: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)


def _staked(states: Sequence[ChipState]) -> int | None:
    """What first stood there; None when nothing did or it was not read."""
    amounts = [worth(state.chips.value) for state in states if isinstance(state.chips, Known) and state.chips.value]
    return amounts[0] if amounts else None


def _wager(
    name: str,
    outline: Sequence[Point],
    row: Fields | None,
    told: Told | None,
    states: Sequence[ChipState],
    *,
    settled: bool,
) -> DrawnWager:
    """One spot. Without a row of its own in a settled round, what stood there was taken back by right."""
    state: Told | Literal["withdrawn", "idle"]
    x, y = _centre(outline)
    staked = row["staked_cents"] if row else _staked(states)
    if row and told:
        state, outcome = told, _outcome(row)
    elif staked is None:
        state, outcome = "idle", ""
    else:
        state, outcome = ("withdrawn", "back") if settled else ("open", "")
    return DrawnWager(
        name=words.short_wager(name.partition(".")[2]),
        outline=_svg_points(outline),
        lines=tuple((_chord_middle(outline, y + off, x), y + off) for off in LINES_OFF_MM),
        staked=words.dollars(staked) if staked is not None else "",
        outcome=outcome,
        state=state,
    )


def _outcome(row: Fields) -> str:
    got = row["observed"]
    if got["result"] is None or got["pay_cents"] is None:
        return "?"
    if got["pay_cents"]:
        return f"+{words.dollars(got['pay_cents'])}"
    return {"lose": "lost", "push": "push", "returned": "back", "win": "+$0", "unsettled": "open"}[got["result"]]


def _cards(lives: Sequence[CardLife], zones: Zones) -> list[DrawnCard]:
    by_zone: dict[str, list[CardLife]] = {}
    for life in lives:
        by_zone.setdefault(life.zone, []).append(life)
    drawn = []
    for zone, cards in by_zone.items():
        drawn += _laid_out(cards, zone.startswith("seat"), zones[zone], zones)
    return drawn


def _arrangement(cards: int, *, at_seat: bool) -> tuple[int, int, float]:
    """Rows, columns and scale for so many cards."""
    rows = 2 if at_seat and cards > 3 else 1
    columns = max(1, -(-cards // rows))
    scale = min(SEAT_CARD_SCALE, SEAT_CARDS_MM / (columns * CARD_STEP_MM)) if at_seat else 1.0
    return rows, columns, scale


def _laid_out(cards: Sequence[CardLife], at_seat: bool, outline: Sequence[Point], zones: Zones) -> list[DrawnCard]:
    """In one row; at a seat, where there is little room, smaller, and four or more in two rows."""
    x, y = _seat_cards_centre(outline, zones) if at_seat else _centre(outline)
    rows, columns, scale = _arrangement(len(cards), at_seat=at_seat)
    step = CARD_STEP_MM * scale if at_seat else min(CARD_STEP_MM, 400.0 / len(cards))
    left = x - (step * (columns - 1) + CARD_MM[0] * scale) / 2
    top = y - (ROW_STEP_MM * (rows - 1) + CARD_MM[1]) * scale / 2
    drawn = []
    for number, life in enumerate(cards):
        identity = life.identity
        known = identity.value if isinstance(identity, Known) else None
        drawn.append(
            DrawnCard(
                x=left + step * (number % columns),
                y=top + ROW_STEP_MM * scale * (number // columns),
                scale=round(scale, 3),
                identity=known,
                kind="face" if known else "unread" if life.shown else "back",
            )
        )
    return drawn
