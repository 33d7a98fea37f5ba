"""Renders the review pages. Every value is escaped; scripts and styles come from files alone."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment

from handreplay import __version__
from handreplay.report import words
from handreplay.report.page import environment
from handreplay.review.desk import Desk, State
from handreplay.review.playback import Playback
from handreplay.review.views import local_time

PACKAGE = "handreplay.review"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One run in the list of runs."""

    table: str
    game: str
    recording: str
    folder: str
    day: str | None
    rounds: int
    playback: Playback
    entries: int
    timezone: str


def render(template: str, **values: Any) -> str:
    values.setdefault("reviewer", None)
    return _environment().get_template(template).render(version=__version__, **values)


@cache
def _environment() -> Environment:
    made = environment(PACKAGE)
    made.filters.update(
        dollars_plain=lambda amount: f"{amount // 100}.{amount % 100:02d}",
        fromjson=json.loads,
        local=local_time,
        position_name=words.place,
        tojson_text=lambda value: json.dumps(value, ensure_ascii=False),
    )
    return made


def shared_style() -> bytes:
    return files("handreplay.report").joinpath("templates", "base.css").read_bytes()


def run_line(desk: Desk, playback: Playback, state: State) -> RunLine:
    return RunLine(
        table=desk.table.table,
        game=words.game(desk.table.game),
        recording=desk.name,
        folder=str(desk.folder),
        day=words.date(state.rounds[0], desk.timezone) if state.rounds else None,
        rounds=len(state.rounds),
        playback=playback,
        entries=len(state.entries),
        timezone=desk.timezone,
    )
