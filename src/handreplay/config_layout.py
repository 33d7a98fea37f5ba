"""What a table profile may say about each game, and where its zones lie when a profile draws none.

The standard layouts follow from a few seat-local figures: seats stand on an arc around the dealer, each wager has
its place between a seat's cards and the dealer. A site with a printed layout of its own draws its zones instead.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import cos, radians, sin

Point = tuple[float, float]  # millimetres on the felt


@dataclass(frozen=True, slots=True)
class Box:
    """A box of the layout, in millimetres.

    At a seat: `across` from the middle of the cards to the player's right, `inward` to the dealer. In front of the
    dealer: x and y of the table.
    """

    across: float
    inward: float
    width: float
    depth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFacts:
    """What a profile of this game may name. `required` paytables have no default; letters are the regulation's own."""

    rules: tuple[str, ...]
    seats: int  # at most
    wagers: Mapping[str, Box]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    letters: Mapping[str, str]
    cards: Box
    middle: Mapping[str, Box]  # zones in front of the dealer, in table millimetres


_DEALER_SIDE = {
    "rack": Box(-395, 75, 120, 150),
    "tray": Box(0, 78, 560, 140),
    "shoe": Box(356, 76, 124, 136),
}
_BOARD = {"dealer.cards": Box(0, 216, 250, 116), "community": Box(0, 338, 400, 112)}

GAMES: dict[str, GameFacts] = {
    "ultimate-texas-holdem": GameFacts(
        rules=("pa-569", "pa-653a"),
        seats=6,
        wagers={
            "play": Box(0, 106, 124, 76),
            "ante": Box(-58, 190, 106, 76),
            "blind": Box(58, 190, 106, 76),
            "trips": Box(0, 274, 124, 76),
        },
        required=("blind",),
        optional=("trips",),
        letters={"blind": "AB", "trips": "ABCD", "bad_beat_bonus": "C"},
        cards=Box(0, 0, 210, 122),
        middle=_BOARD,
    ),
    "wpt-heads-up-holdem": GameFacts(
        rules=("pa-677a",),
        seats=6,
        wagers={
            "raise": Box(0, 106, 124, 76),
            "ante": Box(-58, 190, 106, 76),
            "odds": Box(58, 190, 106, 76),
            "trips_plus": Box(-58, 274, 106, 76),
            "pocket_bonus": Box(58, 274, 106, 76),
        },
        required=("odds", "bad_beat"),
        optional=("trips_plus", "pocket_bonus"),
        letters={},
        cards=Box(0, 0, 210, 122),
        middle=_BOARD,
    ),
    "four-card-poker": GameFacts(
        rules=("pa-641a",),
        seats=7,
        wagers={
            "play": Box(0, 114, 120, 74),
            "ante": Box(0, 196, 120, 74),
            "aces_up": Box(0, 278, 120, 74),
            "progressive": Box(0, 350, 70, 54),
        },
        required=("ante_bonus",),
        optional=("aces_up", "progressive", "envy"),
        letters={"ante_bonus": "A", "aces_up": "ABCDEF", "progressive": "AB", "envy": "AB"},
        cards=Box(0, 0, 262, 130),
        middle={"dealer.cards": Box(0, 216, 420, 116)},
    ),
    "let-it-ride": GameFacts(
        rules=("pa-643a",),
        seats=7,
        wagers={
            "bet1": Box(-92, 118, 86, 96),
            "bet2": Box(0, 118, 86, 96),
            "bet3": Box(92, 118, 86, 96),
            "three_card_bonus": Box(-50, 216, 94, 76),
            "let_it_ride_bonus": Box(50, 216, 94, 76),
        },
        required=("bets",),
        optional=("let_it_ride_bonus", "three_card_bonus"),
        letters={},
        cards=Box(0, 0, 250, 122),
        middle={"community": Box(0, 235, 230, 112)},
    ),
    "three-card-poker": GameFacts(
        rules=("pa-649a",),
        seats=7,
        wagers={
            "play": Box(0, 110, 120, 74),
            "ante": Box(0, 192, 120, 74),
            "pair_plus": Box(0, 274, 120, 74),
            "six_card_bonus": Box(-52, 348, 92, 60),
            "progressive": Box(52, 348, 70, 54),
        },
        required=("ante_bonus",),
        optional=("pair_plus", "six_card_bonus", "progressive"),
        letters={"ante_bonus": "A", "pair_plus": "ABCDE"},
        cards=Box(0, 0, 250, 124),
        middle={"dealer.cards": Box(0, 216, 300, 116)},
    ),
}

_FIRST_SEAT_DEGREES = 15.3  # seen from the middle of the dealer's edge, from the dealer's left


def zone_names(game: str, seats: int, site_wagers: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Every zone that a profile of this game may draw, seats first; `site_wagers` are those that it defines."""
    facts = GAMES[game]
    places = (*facts.wagers, *(name for name in site_wagers if name not in facts.wagers), "cards")
    at_seats = tuple(f"seat{seat}.{place}" for seat in range(1, seats + 1) for place in places)
    return (*at_seats, *facts.middle, *_DEALER_SIDE)


def standard_zones(game: str, seats: int, paytables: Collection[str]) -> dict[str, tuple[Point, ...]]:
    """The game's standard layout: zone name to outline in millimetres.

    An optional wager is drawn only when `paytables` names it, since a table without its paytable does not offer it.
    """
    facts = GAMES[game]
    zones: dict[str, tuple[Point, ...]] = {}
    for seat in range(1, seats + 1):
        middle, angle = _seat(seat, seats)
        for wager, box in facts.wagers.items():
            if wager not in facts.optional or wager in paytables:
                zones[f"seat{seat}.{wager}"] = _outline(middle, angle, box)
        zones[f"seat{seat}.cards"] = _outline(middle, angle, facts.cards)
    for name, box in {**facts.middle, **_DEALER_SIDE}.items():
        zones[name] = _upright(box)
    return zones


def _seat(seat: int, seats: int) -> tuple[Point, float]:
    """Where a seat's cards lie and the direction, in degrees, that its player looks away from."""
    span = 180.0 - 2 * _FIRST_SEAT_DEGREES
    degrees = 90.0 if seats == 1 else _FIRST_SEAT_DEGREES + span * (seat - 1) / (seats - 1)
    angle = radians(degrees)
    radius = 888.0 - 60.0 * cos(angle) ** 2 + 55.0 * abs(sin(2 * angle))
    return (radius * cos(angle), radius * sin(angle)), degrees


def _upright(box: Box) -> tuple[Point, ...]:
    """Corners of a box in front of the dealer, from its corner at the dealer's far left."""
    left, right = box.across + box.width / 2, box.across - box.width / 2
    far, near = box.inward + box.depth / 2, box.inward - box.depth / 2
    return ((left, far), (right, far), (right, near), (left, near))


def _outline(origin: Point, degrees: float, box: Box) -> tuple[Point, ...]:
    """Corners of a seat-local box, in millimetres to the tenth."""
    outward = (cos(radians(degrees)), sin(radians(degrees)))
    across = (outward[1], -outward[0])
    half_width, half_depth = box.width / 2, box.depth / 2
    corners = []
    for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        a, i = box.across + u * half_width, box.inward + v * half_depth
        x = origin[0] + a * across[0] - i * outward[0]
        y = origin[1] + a * across[1] - i * outward[1]
        corners.append((round(x, 1), round(y, 1)))
    return tuple(corners)
