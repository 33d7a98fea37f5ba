"""How times, places, cards and events are put into words, the same on the terminal and on pages."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from handreplay.core.cards import CARD_NUMBER
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
    Round,
    StubCounted,
    StubMoved,
)
from handreplay.core.money import Chips, usd, worth
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.errors import FootageError

GAMES = {
    "ultimate-texas-holdem": "Ultimate Texas Hold 'Em",
    "wpt-heads-up-holdem": "World Poker Tour Heads-Up Hold 'Em",
    "four-card-poker": "Four Card Poker",
    "let-it-ride": "Let It Ride",
    "three-card-poker": "Three Card Poker",
}
_MOMENT = re.compile(r"(?:(?:([0-9]{1,3}):)?([0-9]{1,4}):)?([0-9]{1,7}(?:\.[0-9]{1,6})?)")
RANK_WORDS = {"T": "10"}
SUIT_WORDS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
SHORT_WAGERS = {
    "let_it_ride_bonus": "LIR bonus",
    "three_card_bonus": "3-card",
    "six_card_bonus": "6-card",
    "pocket_bonus": "Pocket",
    "progressive": "Prog.",
}
SEATLESS = {
    "EX01": "Dealer",
    "MD01": "Dealer",
    "MD04": "Dealer",
    "DR01": "Dealer",
    "DR02": "Dealer",
    "MD07": "Community cards",
    "FT03": "Dealer or community cards",
    "FT05": "Dealer or community cards",
    "EX02": "Stub",
    "EX03": "Burn",
    "MD06": "Burn",
}
PLACES = {
    "dealer": "Dealer",
    "dealer.cards": "Dealer",
    "community": "Community cards",
    "rack": "Discard rack",
    "tray": "Chip tray",
    "shoe": "Shoe",
    "burn": "Burn",
    "stub": "Stub",
    "unused": "Unused",
}


def game(name: str) -> str:
    return GAMES.get(name, name)


def wager(name: str) -> str:
    """`"trips_plus"` is "Trips Plus"."""
    return (
        " ".join(word.capitalize() for word in name.replace("_", " ").split())
        .replace("Bet1", "Bet 1")
        .replace("Bet2", "Bet 2")
        .replace("Bet3", "Bet 3")
    )


def short_wager(name: str) -> str:
    """For drawings, where there is room for a word."""
    return SHORT_WAGERS.get(name, wager(name))


def place(zone: str) -> str:
    """`"seat3.blind"` is "Seat 3 Blind", `"seat3.cards"` and `"seat3"` are "Seat 3"."""
    if zone in PLACES:
        return PLACES[zone]
    seat, _, part = zone.partition(".")
    if not (seat.startswith("seat") and seat[4:].isdigit()):
        return zone
    return f"Seat {seat[4:]}" if part in ("", "cards") else f"Seat {seat[4:]} {wager(part)}"


def where(seat: int | None, wager_name: str | None, code: str = "") -> str:
    """The place that a finding names; for one without a seat, what its code is about."""
    if seat is None:
        return SEATLESS.get(code, "Round")
    return f"Seat {seat} {wager(wager_name)}" if wager_name else f"Seat {seat}"


def card(identity: str) -> str:
    """`"Td"` is "10 of diamonds"."""
    return f"{RANK_WORDS.get(identity[0], identity[0])} of {SUIT_WORDS[identity[1]]}"


def short_card(identity: str) -> str:
    """`"Td"` is "10♦"; what is no card stays as it is."""
    if identity not in CARD_NUMBER:
        return identity
    return RANK_WORDS.get(identity[0], identity[0]) + {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}[identity[1]]


def ascii_text(text: str) -> str:
    """Suits as letters, for consoles that cannot draw them."""
    return text.translate(str.maketrans("♣♦♥♠", "cdhs"))


def position(seconds: float | Fraction) -> str:
    """A place in the recording: `h:mm:ss.mmm`."""
    milliseconds = round(max(0.0, float(seconds)) * 1000)
    hours, rest = divmod(milliseconds, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    return f"{hours}:{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def seconds_of(text: str) -> float:
    """`41`, `41.5`, `00:41` or `01:12:31` as seconds from the first picture. Raises FootageError."""
    found = _MOMENT.fullmatch(text.strip())
    hours, minutes, seconds = (found.group(n) or "0" for n in (1, 2, 3)) if found else ("", "", "")
    if not found or (found.group(2) is not None and float(seconds) >= 60) or (hours != "0" and int(minutes) >= 60):
        raise FootageError(f'"{text}": is no moment of a recording; write it like 41, 41.5, 00:41 or 01:12:31')
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def duration(seconds: float) -> str:
    """`"48.0 s"`, `"1 min 43 s"`, `"7 h 02 min"`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def clock(round_: Round, seconds: float, timezone: str | None = None) -> str | None:
    """Clock time with its offset, `"01:10:12.400 -05:00"`, of a second in the recording; None when none is known."""
    moment = _moment(round_, seconds, timezone)
    if moment is None:
        return None
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d} {_offset(moment)}"


def date(round_: Round, timezone: str | None = None) -> str | None:
    """The calendar day on which a round began, `"30 November 2026"`."""
    moment = _moment(round_, round_.start, timezone)
    return None if moment is None else f"{moment.day} {moment:%B %Y}"


def _moment(round_: Round, seconds: float, timezone: str | None) -> datetime | None:
    if round_.clock_start is None:
        return None
    try:
        start = datetime.fromisoformat(round_.clock_start)
    except ValueError:
        return None
    try:
        moment = start + timedelta(milliseconds=round((seconds - round_.start) * 1000))
        return moment.astimezone(ZoneInfo(timezone)) if timezone and moment.tzinfo else moment
    except OverflowError:  # beyond the years that a calendar here has
        return None


def _offset(moment: datetime) -> str:
    return moment.isoformat()[-6:] if moment.tzinfo else "(no offset known)"


def dollars(amount: int) -> str:
    """Short money for drawings: whole dollars without cents."""
    text = usd(amount)
    return text.removesuffix(".00")


def signed(amount: int) -> str:
    return f"+{usd(amount)}" if amount > 0 else usd(amount)


def pile(chips: Reading[Chips]) -> str:
    """`"$75.00 (3 x 25)"`, "nothing", or why it is not known."""
    if isinstance(chips, Unreadable):
        return f"not read ({chips.reason})" if chips.reason not in ("", "not read") else "not read"
    if not chips.value:
        return "nothing"
    parts = " + ".join(f"{count} x {denomination}" for denomination, count in reversed(chips.value))
    return f"{usd(worth(chips.value))} ({parts})"


def face(identity: Reading[str]) -> str:
    if isinstance(identity, Known):
        return short_card(identity.value)
    likely = ", ".join(f"{short_card(value)} {share:.0%}" for value, share in identity.candidates[:3])
    return f"not read ({likely})" if likely else "not read"


def describe(event: Event, place_of: Callable[[float], str] = position) -> str:
    """One event as a sentence without its time. `place_of` puts a second of the recording into words."""
    match event:
        case CardPlaced(zone="rack", face="down"):
            return f"{event.card} straight into the discard rack, face down"
        case CardPlaced(face="up"):
            return f"{event.card} to {place(event.zone)}, face up: {face(event.identity)}"
        case CardPlaced():
            return f"{event.card} to {place(event.zone)}, face down"
        case CardTurned(face="up"):
            return f"{event.card} turned up: {face(event.identity)}"
        case CardTurned():
            return f"{event.card} turned face down"
        case CardMoved():
            return f"{event.card} from {place(event.source)} to {place(event.to)}"
        case ChipsChanged():
            to = " and pushed back to the player" if event.to == "player" else ""
            if isinstance(event.before, Unreadable) and isinstance(event.after, Unreadable):
                return f"{place(event.zone)}: chips changed, amounts not read{to}"
            return f"{place(event.zone)}: {pile(event.before)} to {pile(event.after)}{to}"
        case StubMoved():
            return f"Stub to {place(event.to)}{', faces showing' if event.exposed else ''}"
        case StubCounted():
            return f"Stub counted: {event.count}"
        case DeckShuffled():
            return "New shuffle"
        case DeckChanged():
            return "Fresh cards come to the table"
        case Declared():
            return _declared(event)
        case FootageGap(zone=str(zone)):
            return f"Something lay over {place(zone)} until {place_of(event.until)}"
        case FootageGap():
            return f"Nothing is known until {place_of(event.until)}"
        case _:
            return type(event).__name__


def _declared(event: Declared) -> str:
    parts = [event.what.replace("_", " ")]
    if event.seat is not None:
        parts.append(f"seat {event.seat}")
    if event.cents is not None:
        parts.append(usd(event.cents))
    if event.identity is not None:
        parts.append(short_card(event.identity))
    if event.note:
        parts.append(event.note)
    return f"Entered by an operator: {', '.join(parts)}"
