"""One event of a round log, field by field, from JSON to a value. Every refusal names the line and the event."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NoReturn, cast

from handreplay.core.cards import CARD_NUMBER
from handreplay.core.events import (
    Actor,
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckChanged,
    DeckShuffled,
    Declared,
    Event,
    Face,
    FootageGap,
    RackCard,
    StubCounted,
    StubMoved,
)
from handreplay.core.money import Chips, chips
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.errors import LogError

ACTORS = ("dealer", "player", "unknown")
FACES = ("up", "down")
PLAIN_ZONES = frozenset({"dealer.cards", "community", "rack", "tray", "shoe"})
RACK_HANDS = frozenset({"dealer", "community", "burn", "stub", "unused"})
DECLARED = {
    "no_more_bets": None,
    "shoe_jam": None,
    "shuffler_jam": None,
    "round_void": None,
    "player_left": "seat",
    "progressive_meter": "cents",
    "lucky_seat": "seat",
    "magic_card": "identity",
}
PROBABILITY_SLACK = 1e-6  # probabilities are written with few digits
LARGEST = 1e12
MOST_CHIPS = 100_000  # of one denomination in one zone


@dataclass(frozen=True)
class Limits:
    """What a table profile allows in a log. None: not checked."""

    game: str | None = None
    seats: int | None = None
    wagers: frozenset[str] | None = None
    denominations: frozenset[str] | None = None
    _canonical: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def denomination(self, text: str) -> str | None:
        """The profile's own spelling of a denomination; None when the table has no such chip."""
        if text not in self._canonical:
            found = self._find(text)
            if found is None:
                return None
            self._canonical[text] = found
        return self._canonical[text]

    def _find(self, text: str) -> str | None:
        try:
            value = Decimal(text)
        except InvalidOperation:
            return None
        if not value.is_finite() or value <= 0:
            return None
        if self.denominations is None:
            return text
        return next((known for known in sorted(self.denominations) if Decimal(known) == value), None)


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object and where it stands."""

    raw: Mapping[str, Any]
    where: str

    @staticmethod
    def of(raw: object, where: str) -> "Fields":
        if not isinstance(raw, dict):
            raise LogError(f"{where}: not a JSON object")
        return Fields(raw, where)

    def refuse(self, why: str) -> NoReturn:
        raise LogError(f"{self.where}: {why}")

    def need(self, key: str) -> Any:
        if key not in self.raw:
            self.refuse(f"the field {key!r} is missing")
        return self.raw[key]

    def text(self, key: str) -> str:
        value = self.need(key)
        if not isinstance(value, str) or not value:
            self.refuse(f"{key} is not a text")
        return self.plain(key, value)

    def optional_text(self, key: str) -> str | None:
        value = self.raw.get(key)
        if value is not None and not isinstance(value, str):
            self.refuse(f"{key} is not a text")
        return None if value is None else self.plain(key, value)

    def plain(self, key: str, value: str) -> str:
        """Without control characters, which would speak to the terminal that shows them."""
        strange = next((c for c in value if unicodedata.category(c) == "Cc" and c not in "\n\t"), None)
        if strange is not None:
            self.refuse(f"{key} holds the control character U+{ord(strange):04X}; write plain text")
        return value

    def number(self, key: str) -> float:
        value = self.need(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(f"{key} is not a finite number")
        if not -LARGEST <= value <= LARGEST:  # not a number and the infinities too
            self.refuse(f"{key} is not a finite number below {LARGEST:.0e}")
        return value

    def whole(self, key: str) -> int:
        value = self.need(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
            self.refuse(f"{key} is not a whole number from 0 to {LARGEST:.0e}")
        return value

    def optional_whole(self, key: str) -> int | None:
        return None if self.raw.get(key) is None else self.whole(key)

    def flag(self, key: str) -> bool:
        value = self.raw.get(key, False)
        if not isinstance(value, bool):
            self.refuse(f"{key} is not true or false")
        return value

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.need(key)
        if value not in allowed:
            self.refuse(f"{key} is {value!r}, and must be one of {', '.join(allowed)}")
        return cast(str, value)

    def list(self, key: str) -> list[Any]:
        value = self.need(key)
        if not isinstance(value, list):
            self.refuse(f"{key} is not a list")
        return value

    def clock(self, key: str) -> str | None:
        text = self.optional_text(key)
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.refuse(f"{key} {text!r} is not a time such as 2026-11-30T01:10:12.400-05:00")
        if moment.tzinfo is None:
            self.refuse(f"{key} {text!r} has no offset from UTC; write it such as 2026-11-30T01:10:12.400-05:00")
        return text


def read_event(fields: Fields, limits: Limits, placed: set[str]) -> Event:
    """One event. `placed` holds the cards of this round so far, and is added to."""
    kind = fields.text("type")
    if kind not in READERS:
        fields.refuse(f"the event type {kind!r} is unknown; known are {', '.join(READERS)}")
    raw = fields.raw
    confidence = 1.0 if raw.get("confidence") is None else fields.number("confidence")
    if not 0 <= confidence <= 1:
        fields.refuse(f"confidence {confidence} is not between 0 and 1")
    common: dict[str, Any] = {
        "t": fields.number("t"),
        "actor": cast(Actor, "unknown" if raw.get("actor") is None else fields.one_of("actor", ACTORS)),
        "confidence": confidence,
        "frame": fields.optional_whole("frame"),
    }
    return READERS[kind](fields, common, limits, placed)


def read_rack_card(fields: Fields, limits: Limits) -> RackCard:
    hand = fields.text("hand")
    seat = re.fullmatch(r"seat([1-9][0-9]?)", hand)
    if hand not in RACK_HANDS and not (seat and _seat_fits(int(seat[1]), limits)):
        fields.refuse(f"hand {hand!r} is not seat<N>, {', '.join(sorted(RACK_HANDS))}")
    return RackCard(card=fields.text("card"), identity=_identity(fields, 1.0, "not read"), hand=hand)


def _card_placed(fields: Fields, common: dict[str, Any], limits: Limits, placed: set[str]) -> Event:
    card = fields.text("card")
    if card in placed:
        fields.refuse(f"card {card} is placed a second time; a card that goes on is moved")
    placed.add(card)
    face = cast(Face, fields.one_of("face", FACES))
    return CardPlaced(
        card=card,
        zone=_zone(fields, "zone", limits),
        face=face,
        identity=_identity(fields, common["confidence"], _why_unread(face)),
        back=fields.optional_whole("back"),
        **common,
    )


def _card_turned(fields: Fields, common: dict[str, Any], _: Limits, placed: set[str]) -> Event:
    face = cast(Face, fields.one_of("face", FACES))
    identity = _identity(fields, common["confidence"], _why_unread(face))
    return CardTurned(card=_placed_card(fields, placed), face=face, identity=identity, **common)


def _card_moved(fields: Fields, common: dict[str, Any], limits: Limits, placed: set[str]) -> Event:
    source, to = _zone(fields, "from", limits), _zone(fields, "to", limits)
    return CardMoved(card=_placed_card(fields, placed), source=source, to=to, **common)


def _chips_changed(fields: Fields, common: dict[str, Any], limits: Limits, _: set[str]) -> Event:
    zone = _zone(fields, "zone", limits)
    to = None if fields.raw.get("to") is None else fields.one_of("to", ("tray", "player"))
    confidence = common["confidence"]
    after = _pile(fields, fields.need("after"), limits)
    candidates = _candidates(fields, lambda value: _known_pile(fields, value, limits)) if after is None else ()
    before = _pile(fields, fields.need("before"), limits)
    return ChipsChanged(
        zone=zone,
        before=Unreadable("not read") if before is None else Known(before, confidence),
        after=Unreadable("not read", candidates) if after is None else Known(after, confidence),
        to=cast(Literal["tray", "player"] | None, to),
        **common,
    )


def _stub_moved(fields: Fields, common: dict[str, Any], limits: Limits, _: set[str]) -> Event:
    return StubMoved(to=_zone(fields, "to", limits), exposed=fields.flag("exposed"), **common)


def _stub_counted(fields: Fields, common: dict[str, Any], _limits: Limits, _placed: set[str]) -> Event:
    return StubCounted(count=fields.whole("count"), **common)


def _deck_shuffled(fields: Fields, common: dict[str, Any], _limits: Limits, _placed: set[str]) -> Event:
    return DeckShuffled(back=fields.optional_whole("back"), **common)


def _deck_changed(fields: Fields, common: dict[str, Any], _limits: Limits, _placed: set[str]) -> Event:
    return DeckChanged(back=fields.optional_whole("back"), **common)


def _declared(fields: Fields, common: dict[str, Any], limits: Limits, _: set[str]) -> Event:
    what = fields.one_of("what", tuple(DECLARED))
    needed = DECLARED[what]
    if needed is not None:
        fields.need(needed)
    seat, identity = fields.optional_whole("seat"), fields.optional_text("identity")
    if seat is not None and not _seat_fits(seat, limits):
        fields.refuse(f"the table has no seat {seat}")
    if identity is not None and identity not in CARD_NUMBER:
        fields.refuse(f"identity {identity!r} is no card")
    cents, note = fields.optional_whole("cents"), fields.optional_text("note")
    return Declared(what=what, note=note, seat=seat, cents=cents, identity=identity, **common)


def _footage_gap(fields: Fields, common: dict[str, Any], limits: Limits, _: set[str]) -> Event:
    until = fields.number("until")
    if until < common["t"]:
        fields.refuse(f"the gap ends at {until} s, before it begins")
    zone = None if fields.raw.get("zone") is None else _zone(fields, "zone", limits)
    return FootageGap(until=until, camera_moved=fields.flag("camera_moved"), zone=zone, **common)


Reader = Callable[[Fields, dict[str, Any], Limits, set[str]], Event]
READERS: dict[str, Reader] = {
    "card_placed": _card_placed,
    "card_turned": _card_turned,
    "card_moved": _card_moved,
    "chips_changed": _chips_changed,
    "stub_moved": _stub_moved,
    "stub_counted": _stub_counted,
    "deck_shuffled": _deck_shuffled,
    "deck_changed": _deck_changed,
    "declared": _declared,
    "footage_gap": _footage_gap,
}


def _why_unread(face: Face) -> str:
    return "not read" if face == "up" else "face down"


def _placed_card(fields: Fields, placed: set[str]) -> str:
    card = fields.text("card")
    if card not in placed:
        fields.refuse(f"card {card} was never placed in this round")
    return card


def _zone(fields: Fields, key: str, limits: Limits) -> str:
    zone = fields.text(key)
    if zone in PLAIN_ZONES:
        return zone
    seat, _, place = zone.partition(".")
    number = re.fullmatch(r"seat([1-9][0-9]?)", seat)
    if not number or not place:
        fields.refuse(f"the zone {zone!r} is unknown")
    if not _seat_fits(int(number[1]), limits):
        fields.refuse(f"the zone {zone!r} is at no seat of this table, which has {limits.seats}")
    if place != "cards" and limits.wagers is not None and place not in limits.wagers:
        fields.refuse(f"the zone {zone!r} is no wager of this game, which has {', '.join(sorted(limits.wagers))}")
    return zone


def _seat_fits(seat: int, limits: Limits) -> bool:
    return seat >= 1 and (limits.seats is None or seat <= limits.seats)


def _identity(fields: Fields, confidence: float, why_unread: str) -> Reading[str]:
    value = fields.raw.get("identity")
    if value is not None:
        return Known(_known_card(fields, value), confidence)
    return Unreadable(why_unread, _candidates(fields, lambda card: _known_card(fields, card)))


def _known_card(fields: Fields, value: object) -> str:
    if not isinstance(value, str) or value not in CARD_NUMBER:
        fields.refuse(
            f"identity {value!r} is no card; cards are a rank of 23456789TJQKA and a suit of cdhs, such as Td"
        )
    return value


def _pile(fields: Fields, value: object, limits: Limits) -> Chips | None:
    return None if value is None else _known_pile(fields, value, limits)


def _known_pile(fields: Fields, value: object, limits: Limits) -> Chips:
    if not isinstance(value, dict):
        fields.refuse("chips are an object of denomination and count")
    counts: dict[str, int] = {}
    for text, count in value.items():
        denomination = limits.denomination(text)
        if denomination is None:
            fields.refuse(f"the table has no {text!r} chip")
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_CHIPS:
            fields.refuse(f"the number of {text} chips is {count!r}, not a whole number from 0 to {MOST_CHIPS:,}")
        counts[denomination] = counts.get(denomination, 0) + count
    return chips(counts)


def _candidates(fields: Fields, read: Callable[[object], Any]) -> tuple[tuple[Any, float], ...]:
    if fields.raw.get("candidates") is None:
        return ()
    found: list[tuple[Any, float]] = []
    for pair in fields.list("candidates"):
        if not isinstance(pair, list) or len(pair) != 2:
            fields.refuse("a candidate is a value and its probability")
        value, probability = pair
        if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 <= probability <= 1:
            fields.refuse(f"the probability {probability!r} is not between 0 and 1")
        found.append((read(value), float(probability)))
    if sum(probability for _, probability in found) > 1 + PROBABILITY_SLACK:
        fields.refuse("the candidates' probabilities add to more than 1")
    return tuple(found)
