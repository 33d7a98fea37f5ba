"""Hands typed in: words of a command line become cards and wagers of seats.

    dealer 7d Jc  board Kh 7h 2h As 3c  1: Ah 4s ante 25 blind 25 play 100  3: 9h4h ante 25 blind 25 paid 25 fold

Whether words are quoted together or not makes no difference. A seat begins with its number; one seat needs none.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from handreplay.core.cards import DECK
from handreplay.core.money import Cents, usd
from handreplay.errors import HandreplayError
from handreplay.games.game import Game
from handreplay.games.paytables import chosen
from handreplay.games.table import TableRules

CARD = re.compile(r"(10|[2-9tjqka])([cdhs♣♦♥♠])", re.IGNORECASE)
SUITS = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
AMOUNT = re.compile(r"\$?([0-9]{1,9})(\.[0-9]{1,2})?")
SEAT = re.compile(r"(?:seat)?([1-9])")
THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
DIVIDERS = re.compile(r"[\s,;:=|/]+")
MOST_WORDS = 2_000
FOLDS = ("fold", "folds", "folded")
KEPT = ("left", "pushed", "push", "returned")
GONE = ("taken", "collected", "lost")


@dataclass(slots=True)
class TypedSeat:
    """One seat: its cards, its wagers in cents, and what the dealer did with them as far as it was typed."""

    number: int
    cards: list[str] = field(default_factory=list)
    wagers: dict[str, Cents] = field(default_factory=dict)
    net: dict[str, Cents] = field(default_factory=dict)  # what the dealer added less what was taken
    folded: bool = False
    silent_fold: bool = False  # no later wager was typed, nor a fold


@dataclass(slots=True)
class Typed:
    seats: dict[int, TypedSeat] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)
    board: list[str] = field(default_factory=list)
    meter_cents: Cents | None = None


def typed(words: Iterable[str], game: Game, table: TableRules) -> Typed:
    """The words as cards and wagers. Raises HandreplayError, in one line, for a word or a hand that cannot be."""
    parts = [word for text in words for word in DIVIDERS.split(THOUSANDS.sub("", text)) if word]
    reader = _Reader(parts, game, table)
    found = reader.read()
    _check(found, game, table)
    return found


class _Reader:
    def __init__(self, words: list[str], game: Game, table: TableRules) -> None:
        if len(words) > MOST_WORDS:
            raise HandreplayError(f"{len(words)} words are more than one round needs")
        self.words, self.game, self.table = words, game, table
        self.place = 0
        self.found = Typed()
        self.holder: list[str] | None = None  # whose cards come next
        self.seat: TypedSeat | None = None
        self.names = {_plain(name): wager.name for wager in game.wagers for name in (wager.name, wager.title)}

    def read(self) -> Typed:
        while self.place < len(self.words):
            word = self.words[self.place].lower()
            if not (self._heading(word) or self._cards(word) or self._fate(word) or self._wager()):
                self._refuse(self.words[self.place])
        if not self.found.seats:
            raise HandreplayError('no seat was typed; write one like "1: Ah Kd ante 25"')
        return self.found

    def _take(self) -> str:
        self.place += 1
        return self.words[self.place - 1]

    def _heading(self, word: str) -> bool:
        if word in ("dealer", "board", "community"):
            self._take()
            self.seat, self.holder = None, self.found.dealer if word == "dealer" else self.found.board
            return True
        if word == "meter":
            self._take()
            self.found.meter_cents = self._amount("meter")
            return True
        if word == "seat" and self.place + 1 < len(self.words):
            self._take()
            word = self.words[self.place].lower()
        number = SEAT.fullmatch(word)
        if number is None:
            return False
        self._take()
        self._open_seat(int(number[1]))
        return True

    def _open_seat(self, number: int) -> TypedSeat:
        if number > self.table.seats:
            raise HandreplayError(f"seat {number}: the table has {self.table.seats} seats")
        if number in self.found.seats:
            raise HandreplayError(f"seat {number} was typed twice")
        self.seat = self.found.seats[number] = TypedSeat(number)
        self.holder = self.seat.cards
        return self.seat

    def _own_seat(self) -> TypedSeat:
        """The seat that is being typed; the first needs no number."""
        if self.seat is None:
            if self.found.seats:
                raise HandreplayError(f'"{self.words[self.place]}": say whose it is, like "3: ..."')
            self._open_seat(1)
        assert self.seat is not None
        return self.seat

    def _cards(self, word: str) -> bool:
        cards = [
            f"{rank.upper().replace('10', 'T')}{SUITS.get(suit, suit.lower())}" for rank, suit in CARD.findall(word)
        ]
        if not cards or CARD.sub("", word):
            return False
        whole = {id(self.found.dealer): self.game.dealer_cards, id(self.found.board): self.game.community_cards}
        full = self.holder is not None and len(self.holder) >= whole.get(id(self.holder), len(DECK))
        if self.holder is None or (full and not self.found.seats):
            self._own_seat()
        assert self.holder is not None
        self._take()
        self.holder += cards
        return True

    def _fate(self, word: str) -> bool:
        if word not in FOLDS:
            return False
        if not self.game.folds:
            raise HandreplayError(f"{self.game.title} knows no fold; a bet that was taken back is simply not typed")
        self._own_seat().folded = True
        self._take()
        return True

    def _wager(self) -> bool:
        """A wager's name in one to three words, its amount, and perhaps what became of it."""
        for count in (4, 3, 2, 1):
            words = self.words[self.place : self.place + count]
            name = self.names.get(_plain("".join(words)))
            if len(words) == count and name is not None:
                seat = self._own_seat()
                self.place += count
                amount = self._amount(name)
                if name in seat.wagers:
                    raise HandreplayError(f"seat {seat.number} {name} was typed twice")
                seat.wagers[name] = amount
                self._outcome(seat, name)
                return True
        alike = [wager.name for wager in self.game.wagers if "bets" in wager.paytables]
        if alike and self.words[self.place].lower() == "bets":
            seat = self._own_seat()
            self._take()
            seat.wagers |= dict.fromkeys(alike, self._amount("bets"))
            return True
        return False

    def _amount(self, name: str) -> Cents:
        return dollars(self._take() if self.place < len(self.words) else "", name)

    def _outcome(self, seat: TypedSeat, name: str) -> None:
        word = self.words[self.place].lower() if self.place < len(self.words) else ""
        if word == "paid":
            self._take()
            seat.net[name] = self._amount("paid")
        elif word in KEPT:
            self._take()
            seat.net[name] = 0
        elif word in GONE:
            self._take()
            seat.net[name] = -seat.wagers[name]

    def _refuse(self, word: str) -> None:
        if _plain(word) in {"paid", *KEPT, *GONE}:
            raise HandreplayError(f'"{word[:40]}" stands after a wager, and only once: ante 25 paid 25')
        known = [*self.names.values(), "dealer", "board", "fold", "paid", "taken", "left", "meter"]
        close = difflib.get_close_matches(_plain(word), known, n=1, cutoff=0.6)
        hint = (
            f'did you mean "{close[0]}"?'
            if close
            else f"cards are like Ah or 10h, wagers {', '.join(self.names.values())}"
        )
        raise HandreplayError(f'"{word[:40]}" is neither a card nor a wager of {self.game.title}; {hint}')


def dollars(word: str, name: str) -> Cents:
    """`25`, `$12.50` or `1,250` in cents. Raises HandreplayError, which says what it is for, for anything else."""
    match = AMOUNT.fullmatch(THOUSANDS.sub("", word.strip()))
    if match is None:
        raise HandreplayError(f'{name}: "{word[:40]}" is no amount of dollars; write {name} 25 or {name} 12.50')
    return int(Decimal(match[1] + (match[2] or "")) * 100)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _check(found: Typed, game: Game, table: TableRules) -> None:
    places: dict[str, str] = {}
    hands = [(f"seat {number}", seat.cards) for number, seat in found.seats.items()]
    for place, cards in (*hands, ("the dealer", found.dealer), ("the board", found.board)):
        for card in cards:
            if card in places:
                also = "twice" if places[card] == place else f"and also in {places[card]}"
                raise HandreplayError(f"{card} was typed in {place} {also}; one deck has it once")
            places[card] = place
    for place, cards, needed in (
        *((place, cards, game.hand_cards) for place, cards in hands),
        ("the dealer", found.dealer, game.dealer_cards),
        ("the board", found.board, game.community_cards),
    ):
        if cards and len(cards) != needed:
            told = f"{needed} cards" if needed else "no cards"
            raise HandreplayError(f"{place}: {len(cards)} cards were typed, {game.title} has {told} there")
    for seat in found.seats.values():
        _check_seat(seat, game, table)


def _check_seat(seat: TypedSeat, game: Game, table: TableRules) -> None:
    if not any(seat.wagers.values()):
        raise HandreplayError(f"seat {seat.number} has no wager; write one like {game.limited[0]} 25")
    still = {wager.name for wager in game.wagers if wager.take_back_at is None}  # others may have come back by right
    if not any(all(seat.wagers.get(name) for name in needed & still) for needed in game.qualifying):
        needed = " or ".join(" and ".join(sorted(names & still)) for names in game.qualifying)
        raise HandreplayError(f"seat {seat.number} is not dealt in: that takes {needed}")
    for name, amount in seat.wagers.items():
        missing = next((key for key in game.wager(name).paytables if amount and not chosen(table, key)), None)
        if missing:
            raise HandreplayError(f"{name}: the table profile names no paytable for {missing}, and none is assumed")
    if game.later and game.folds and seat.wagers.get(str(game.asked_with)):
        later = bool(seat.wagers.get(game.later))
        if later and seat.folded:
            raise HandreplayError(
                f"seat {seat.number} has a {game.later} wager of {usd(seat.wagers[game.later])} and folds"
            )
        seat.silent_fold = not later and not seat.folded
        seat.folded = seat.folded or not later
    elif seat.wagers.get(str(game.later)):
        raise HandreplayError(f"seat {seat.number}: {game.later} needs {game.asked_with}")
