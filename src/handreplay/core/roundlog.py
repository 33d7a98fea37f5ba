"""Round logs: one JSON object a line, one line a round (FORMATS.md, section 2). Reading refuses, writing repeats.

Reading names the file and the line of whatever it cannot use; it never repairs. Illegal play is no fault of a log.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from handreplay.core.events import Event, RackCard, Round
from handreplay.core.logfields import Fields, Limits, read_event, read_rack_card
from handreplay.core.logtext import event_fields, rack_fields
from handreplay.errors import LogError

SCHEMA = "handreplay.round/1"
LINE_LIMIT_BYTES = 32 * 1024 * 1024  # a round of an hour has some hundred kilobytes
HALF_A_LETTER = re.compile(r"\\u[dD][89a-fA-F]")
ROUND_FIELDS = frozenset(
    {"schema", "table", "game", "round", "source", "start", "end", "clock_start", "events", "rack", "partial"}
)

__all__ = ["SCHEMA", "Limits", "parse_round", "read_rounds", "round_line", "write_rounds"]


def read_rounds(path: Path, limits: Limits | None = None) -> tuple[Round, ...]:
    """All rounds of a log, in file order.

    `limits` is what the table profile allows (game, seats, wagers, chips); without it those are not checked.
    Raises LogError, naming file and line, for anything that cannot be used, and for a log without a round.
    """
    try:
        with path.open("rb") as stream:
            rounds = tuple(_parse(_numbered_lines(stream, path.name), path.name, limits or Limits()))
    except IsADirectoryError:
        raise LogError(f"{path}: is a folder; name the round log in it, such as {path / 'rounds.jsonl'}") from None
    except OSError as error:
        raise LogError(f"{path}: the round log cannot be read ({error.strerror or error})") from None
    if not rounds:
        raise LogError(f"{path.name}: the log holds no round")
    return rounds


def parse_round(fields: Mapping[str, Any], where: str, limits: Limits | None = None) -> Round:
    """One round from the fields of its line. Raises LogError, which begins with `where`."""
    return _round(Fields(fields, where), limits or Limits())


def round_line(round_: Round) -> str:
    """The round as one line of a log, without the line end. The same round always gives the same text."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "table": round_.table,
        "game": round_.game,
        "round": round_.number,
        "source": dict(round_.source),
        "start": round_.start,
        "end": round_.end,
    }
    if round_.clock_start is not None:
        fields["clock_start"] = round_.clock_start
    if round_.partial is not None:
        fields["partial"] = round_.partial
    fields.update((key, value) for key, value in round_.extra.items() if key not in ROUND_FIELDS)
    fields["events"] = [event_fields(event) for event in round_.events]
    fields["rack"] = [rack_fields(card) for card in round_.rack]
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)


def write_rounds(path: Path, rounds: Iterable[Round]) -> None:
    """Write a log. Raises OSError when the file cannot be written."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for round_ in rounds:
            stream.write(round_line(round_) + "\n")


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str


def _numbered_lines(stream: BinaryIO, name: str) -> Iterator[_Line]:
    for number, raw in enumerate(iter(lambda: stream.readline(LINE_LIMIT_BYTES + 1), b""), start=1):
        if len(raw) > LINE_LIMIT_BYTES:
            raise LogError(f"{name} line {number}: longer than {LINE_LIMIT_BYTES} bytes, which is no round")
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise LogError(f"{name} line {number}: not UTF-8 text") from None
        if text:
            yield _Line(number, text)


def _parse(lines: Iterable[_Line], name: str, limits: Limits) -> Iterator[Round]:
    first_seen: dict[int, int] = {}
    for line in lines:
        where = f"{name} line {line.number}"
        round_ = _round(Fields(_object(line.text, where), where), limits)
        if round_.number in first_seen:
            earlier = first_seen[round_.number]
            raise LogError(
                f"{where}: round {round_.number} is already on line {earlier}; give each round its own number"
            )
        first_seen[round_.number] = line.number
        yield round_


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant)
        if HALF_A_LETTER.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise LogError(f"{where}: nested too deeply to be a round") from None
    except UnicodeEncodeError:
        raise LogError(f"{where}: holds half a letter (\\ud800 to \\udfff without its other half)") from None
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error).partition(";")[0]
        raise LogError(f"{where}: not one JSON object ({reason})") from None
    if not isinstance(value, dict):
        raise LogError(f"{where}: not a JSON object but {_kind(value)}; each line holds one round")
    return value


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _kind(value: object) -> str:
    names: Mapping[type, str] = {list: "an array", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _round(fields: Fields, limits: Limits) -> Round:
    schema = fields.text("schema")
    if schema != SCHEMA:
        fields.refuse(f"schema is {schema!r}, and this version reads {SCHEMA!r}")
    game = fields.text("game")
    if limits.game is not None and game != limits.game:
        fields.refuse(f"the round is of {game}, and the table profile is of {limits.game}; use the table's own profile")
    start, end = fields.number("start"), fields.number("end")
    if end < start:
        fields.refuse(f"end {end} is before start {start}")
    raw = fields.raw
    source = {} if raw.get("source") is None else raw["source"]
    if not isinstance(source, dict):
        fields.refuse("source is not an object")
    for value in source.values():
        fields.plain("source", value if isinstance(value, str) else "")
    return Round(
        number=fields.whole("round"),
        table=fields.text("table"),
        game=game,
        start=start,
        end=end,
        events=_events(fields, limits),
        rack=_rack(fields, limits),
        clock_start=fields.clock("clock_start"),
        source=source,
        partial=fields.optional_text("partial"),
        extra={key: value for key, value in raw.items() if key not in ROUND_FIELDS},
    )


def _events(fields: Fields, limits: Limits) -> tuple[Event, ...]:
    events: list[Event] = []
    placed: set[str] = set()
    latest = -math.inf
    for number, raw in enumerate(fields.list("events"), start=1):
        event = read_event(Fields.of(raw, f"{fields.where}, event {number}"), limits, placed)
        if event.t < latest:
            fields.refuse(
                f"event {number} is at {event.t} s, before the one above it at {latest} s; put events in time order"
            )
        latest = event.t
        events.append(event)
    return tuple(events)


def _rack(fields: Fields, limits: Limits) -> tuple[RackCard, ...]:
    raw = fields.list("rack") if fields.raw.get("rack") is not None else []
    where = fields.where
    return tuple(
        read_rack_card(Fields.of(card, f"{where}, rack card {n}"), limits) for n, card in enumerate(raw, start=1)
    )
