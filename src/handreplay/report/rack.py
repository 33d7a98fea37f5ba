"""The discard rack of one round, top to bottom, so that a floor supervisor can check it against the real one.

What was not seen is said to be not seen. An identity is only inferred when no other card is left that it could be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from rich.console import Group
from rich.table import Table
from rich.text import Text

from handreplay.core.events import CardMoved, CardPlaced, Round, StubCounted, StubMoved
from handreplay.core.plain import plain
from handreplay.core.readings import Known, Reading
from handreplay.core.roundlog import read_rounds
from handreplay.errors import LogError
from handreplay.report import places, words
from handreplay.report.page import render, style
from handreplay.report.states import card_lives
from handreplay.store import MANIFEST, REVIEW_LOG, raise_for_batch, read_run

SCHEMA = "handreplay.rack/1"
DECK_SIZE = 52
ALL_BUT_CERTAIN = 0.999

ABSENT, STILL_OUT = "Dealt, but not seen to reach the rack", "Dealt, and not in the rack then"

How = Literal["read", "seen earlier", "by elimination", "not seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RackCardRow:
    """One card, or the stub. `place` counts from the top; the stub has none, since its cards are not told apart."""

    place: int | None
    card: str | None
    identity: str | None
    hand: str
    how: How
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RackSheet:
    table: str
    game: str
    round: int
    clock: str | None
    position: str
    source: str  # the recording that shows the rack then
    rows: tuple[RackCardRow, ...]  # top to bottom
    absent: tuple[RackCardRow, ...]  # dealt, but not seen to have reached the rack by then
    whole: bool = True  # the round was over by then

    @property
    def unseen(self) -> int:
        return sum(row.place is not None and row.identity is None for row in self.rows)


def load_rounds(place: Path) -> tuple[Round, ...]:
    """The rounds of a run folder, or of a round log named itself.

    Raises LogError when there is none, OutputError when a run's files are not those that the audit wrote.
    """
    if place.is_file():
        return read_rounds(place)
    if not place.is_dir():
        raise LogError(f"no such run folder: {place}")
    if (place / MANIFEST).exists():
        read_run(place)
    log = place / "rounds.jsonl"
    if log.is_file() and not log.stat().st_size:
        raise LogError(f"{place}: no round was rebuilt from this recording")
    if not log.is_file():
        raise_for_batch(place)
        raise LogError(f"{place} holds no finished audit (no rounds.jsonl); run handreplay audit with --out {place}")
    return read_rounds(log)


def was_reviewed(place: Path) -> bool:
    """Have people entered something about this run? The rack is told as the machine read it all the same."""
    return (place / REVIEW_LOG).is_file()


def pick_round(rounds: Sequence[Round], number: int, place: Path) -> Round:
    """The round of that number; LogError, naming the rounds that there are, when it is not there."""
    for round_ in rounds:
        if round_.number == number:
            return round_
    raise LogError(f"{place}: no round {number}; rounds there: {spans([round_.number for round_ in rounds])}")


def round_at(rounds: Sequence[Round], seconds: float, place: Path) -> Round:
    """The round whose cards lay in the rack then: the last one that had begun. LogError when none had, and when all had
    ended, since nothing tells how long its cards lay there."""
    begun = [round_ for round_ in rounds if round_.start <= seconds]
    if not begun:
        first = min((round_.start for round_ in rounds), default=0.0)
        then = f"the first begins at {words.position(first)}" if rounds else "there is none"
        raise LogError(f"{place}: no round had begun at {words.position(seconds)}; {then}")
    last = max(begun, key=lambda round_: round_.start)
    if seconds > max(round_.end for round_ in rounds):
        raise LogError(
            f"{place}: the last round ended at {words.position(last.end)}, before {words.position(seconds)}; "
            f"ask for it by its number, --round {last.number}{_by_the_clock(rounds, seconds)}"
        )
    return last


def _by_the_clock(rounds: Sequence[Round], seconds: float) -> str:
    """Where in the recording the table's clock showed that time of day, if it did while a round was played."""
    for round_ in rounds:
        if round_.clock_start is not None:
            began = datetime.fromisoformat(round_.clock_start)
            of_day = began.hour * 3600 + began.minute * 60 + began.second + began.microsecond / 1e6
            into = round_.start + (seconds - of_day) % 86400
            if into <= round_.end:
                return f" (the table's clock showed that time at {words.position(into)})"
    return ""


def spans(numbers: Sequence[int]) -> str:
    """`[1, 2, 3, 7]` is "1-3, 7"."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def rack_sheet(round_: Round, at: float | None = None) -> RackSheet:
    """The rack when the round was over, or as it lay `at` so many seconds into its log."""
    moment = round_.end if at is None else at
    arrived = _arrivals(round_)
    in_rack = [card for card in round_.rack if arrived.get(card.card, moment) <= moment]
    seen_earlier = {life.card: life.identity for life in card_lives(round_) if life.shown}
    rows = []
    for number, card in enumerate(reversed(in_rack), 1):
        identity, how = _identify(card.card, card.identity, seen_earlier)
        rows.append(RackCardRow(place=number, card=card.card, identity=identity, hand=card.hand, how=how))
    racked = {card.card for card in in_rack}
    dealt = {event.card for event in round_.events if isinstance(event, CardPlaced) and event.t <= moment}
    absent = []
    for life in card_lives(round_):
        if life.card in dealt - racked:
            identity, how = _identify(life.card, life.identity, seen_earlier)
            hand = "burn" if life.zone == "rack" else life.zone.removesuffix(".cards")
            absent.append(RackCardRow(place=None, card=life.card, identity=identity, hand=hand, how=how))
    shown, second = places.spot(round_.source, moment)
    return RackSheet(
        table=round_.table,
        game=words.game(round_.game),
        round=round_.number,
        clock=words.clock(round_, moment),
        position=words.position(second),
        source=shown.file if shown is not None else str(round_.source.get("file", "")),
        rows=_with_stub(round_, rows, moment),
        absent=tuple(absent),
        whole=moment >= round_.end,
    )


def _identify(card: str, in_rack: Reading[str], shown: Mapping[str, Reading[str]]) -> tuple[str | None, How]:
    if isinstance(in_rack, Known):
        return in_rack.value, "read"
    earlier = shown.get(card)
    if isinstance(earlier, Known):
        return earlier.value, "seen earlier"
    elsewhere = {
        reading.value
        for other, reading in shown.items()
        if other != card and isinstance(reading, Known) and reading.confidence >= ALL_BUT_CERTAIN
    }
    for reading in (in_rack, earlier):
        candidates = reading.candidates if reading is not None and not isinstance(reading, Known) else ()
        left = [value for value, _ in candidates if value not in elsewhere]
        if len(left) == 1 and sum(share for _, share in candidates) >= ALL_BUT_CERTAIN:
            return left[0], "by elimination"
    return None, "not seen"


def _arrivals(round_: Round) -> dict[str, float]:
    """When each card came to the rack, in seconds; the last time, if it came more than once."""
    arrived: dict[str, float] = {}
    for event in round_.events:
        if (isinstance(event, CardPlaced) and event.zone == "rack") or (
            isinstance(event, CardMoved) and event.to == "rack"
        ):
            arrived[event.card] = event.t
    return arrived


def _with_stub(round_: Round, rows: list[RackCardRow], moment: float) -> tuple[RackCardRow, ...]:
    """The stub lies on what had reached the rack before it, and is not told apart into cards."""
    stubs = (event for event in round_.events if isinstance(event, StubMoved) and event.to == "rack")
    stub = next((event for event in stubs if event.t <= moment), None)
    if stub is None:
        return tuple(rows)
    arrived = _arrivals(round_)
    above = next(
        (index for index, row in enumerate(rows) if arrived.get(row.card or "", stub.t + 1) <= stub.t), len(rows)
    )
    counted = next((event.count for event in round_.events if isinstance(event, StubCounted)), None)
    dealt = len(card_lives(round_))
    note = f"counted: {counted} cards" if counted is not None else f"{DECK_SIZE - dealt} cards if the deck was whole"
    if stub.exposed:
        note += "; faces showed as it went in"
    row = RackCardRow(place=None, card=None, identity=None, hand="stub", how="not seen", note=note)
    return (*rows[:above], row, *rows[above:])


def rack_json(sheet: RackSheet) -> dict[str, Any]:
    return {"schema": SCHEMA, **asdict(sheet)}


def rack_text(sheet: RackSheet) -> Group:
    """Renderable for rich; ASCII, so that any console can hold it."""
    into = f"{sheet.position} into {plain(sheet.source) or 'the recording'}"
    moment = f"{sheet.clock}, {into}" if sheet.clock else into
    head = Text(f"Discard rack of table {sheet.table}, round {sheet.round}, top to bottom, at {moment}", style="bold")
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("Place", justify="right")
    for column in ("Card", "Hand", "How known"):
        table.add_column(column)
    for row in sheet.rows:
        place = "" if row.place is None else str(row.place)
        table.add_row(place, _card_words(row), words.place(row.hand), row.note or row.how)
    parts: list[Any] = [head, Text(), table]
    if not any(row.place for row in sheet.rows):
        parts = [head, Text(), Text("No card was seen to reach the rack.")]
    if sheet.absent:
        parts += [Text(), Text(f"{ABSENT if sheet.whole else STILL_OUT}:", style="bold")]
        parts += [Text(f"  {_card_words(row)}, {words.place(row.hand)}") for row in sheet.absent]
    parts += [Text(), Text(summary(sheet))]
    return Group(*parts)


def _card_words(row: RackCardRow) -> str:
    if row.hand == "stub":
        return "the undealt rest"
    return words.card(row.identity) if row.identity else "not seen"


def summary(sheet: RackSheet) -> str:
    cards = sum(row.place is not None for row in sheet.rows)
    placed = "1 card" if cards == 1 else f"{cards} cards"
    return f"{placed} placed one by one, {cards - sheet.unseen} of them known, {sheet.unseen} not seen."


def rack_page(sheet: RackSheet) -> str:
    """One printable page with a box to tick for each card."""
    absent = ABSENT if sheet.whole else STILL_OUT
    return render("rack.html", sheet=sheet, absent=absent, summary=summary(sheet), style=style("base.css", "rack.css"))
