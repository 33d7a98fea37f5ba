"""Where things lie on a scripted table: a zone's middle, its sides, and the slots that cards and stacks take in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, degrees, hypot

from handreplay.errors import ProfileError

Point = tuple[float, float]  # table millimetres

CARD_MM = (63.5, 88.9)
CHIP_MM = 39.0
STACK_LIMIT = 20  # chips; a hand holds no more at once
_SIDE_BY_SIDE_MM = 67.0
_FAN_MM = 24.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A zone seen by whom it serves: `right` and `down` are his unit vectors, the half sides lie along them."""

    middle: Point
    right: Point
    down: Point
    half_right: float
    half_down: float

    def at(self, right_mm: float, down_mm: float) -> Point:
        return (
            self.middle[0] + right_mm * self.right[0] + down_mm * self.down[0],
            self.middle[1] + right_mm * self.right[1] + down_mm * self.down[1],
        )

    @property
    def turn(self) -> float:
        """How far a card that is upright for him is turned against the picture with the dealer at its top, degrees."""
        return degrees(atan2(self.right[1], self.right[0]))


class Layout:
    """The zones of a table profile (name -> outline in table mm) as places to put things."""

    def __init__(self, zones: Mapping[str, Sequence[Point]], *, upright_for_dealer: bool, fanned: bool) -> None:
        self._fanned = fanned
        self._upright_for_dealer = upright_for_dealer
        self._spots = {name: self._spot(name, outline, zones) for name, outline in zones.items()}

    def _spot(self, name: str, outline: Sequence[Point], zones: Mapping[str, Sequence[Point]]) -> Spot:
        seat, dot, _ = name.partition(".")
        if dot and seat.startswith("seat"):
            away = _middle(zones.get(f"{seat}.cards", outline))
            length = hypot(*away)
            down = (away[0] / length, away[1] / length)
        else:
            down = (0.0, -1.0) if self._upright_for_dealer else (0.0, 1.0)
        right = (down[1], -down[0])
        middle = _middle(outline)
        reach = [[abs((x - middle[0]) * u + (y - middle[1]) * v) for x, y in outline] for u, v in (right, down)]
        return Spot(middle, right, down, max(reach[0]), max(reach[1]))

    def spot(self, zone: str) -> Spot:
        """Raises ProfileError for a zone that the profile does not have."""
        if zone not in self._spots:
            raise ProfileError(f"the table profile has no zone {zone}, and the round log uses it")
        return self._spots[zone]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._spots)

    def seats(self) -> tuple[str, ...]:
        return tuple(name.partition(".")[0] for name in self._spots if name.endswith(".cards") and name[0] == "s")

    @property
    def community_places(self) -> int:
        """Five on a board, two in Let It Ride, told by the zone's width."""
        return 5 if self.spot("community").half_right > 180 else 2

    def slot(self, zone: str, number: int, count: int) -> Point:
        """Where card `number` of `count` lies when they are spread; the first is the leftmost and lies lowest."""
        spot = self.spot(zone)
        room = 2 * spot.half_right - CARD_MM[0] - 6
        step = _SIDE_BY_SIDE_MM if zone == "community" or not self._fanned else _FAN_MM
        step = min(step, room / max(count - 1, 1))
        return spot.at((number - (count - 1) / 2) * step, 0.0)

    def bank(self, seat: str, number: int) -> Point:
        """Where a player keeps chips of his own, outside every zone."""
        cards = self.spot(f"{seat}.cards")
        return cards.at(cards.half_right + 34 + 42 * (number % 2), -18 + 42 * (number // 2))

    def stack_places(self, zone: str) -> tuple[Point, ...]:
        """Where stacks may stand in a wager zone, the wager's own place first, then those of payments beside it."""
        spot = self.spot(zone)
        wide = spot.half_right >= spot.half_down
        room = max(spot.half_right, spot.half_down)
        first = max(-14.0, -(room - 21)) if room < 60 else -8.0
        steps = [first + number * (CHIP_MM + 2.5) for number in (0, 1, -1)]
        inside = [step for step in steps if abs(step) < room - 8]
        return tuple(spot.at(step, 0) if wide else spot.at(0, step) for step in inside)


def _middle(outline: Sequence[Point]) -> Point:
    return sum(x for x, _ in outline) / len(outline), sum(y for _, y in outline) / len(outline)
