"""Builds the folder of a batch for the shift report's tests: run folders judged from true round logs, no footage."""

import dataclasses
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sample_round import changed

from handreplay.batch.record import Entry, Hole, Missing, Record, State, write_record
from handreplay.config import Profile, load_profile
from handreplay.core.events import CardTurned, ChipsChanged, FootageGap, Round
from handreplay.core.readings import Unreadable
from handreplay.core.roundlog import read_rounds
from handreplay.report.page_parts import Coverage
from handreplay.report.run_files import make_run_files
from handreplay.rules import audit_rounds
from handreplay.store import Provenance, safe_names, write_run

ROOT = Path(__file__).parents[1]
PROFILE = ROOT.parent / "sample_footage" / "uth-sample.table.toml"
LOGS = sorted((ROOT / "data" / "rounds").glob("*.jsonl"))
NIGHT = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)  # 22:00 in New York


def true_rounds(log: int) -> tuple[Round, ...]:
    return read_rounds(LOGS[log % len(LOGS)])


def sample_rounds() -> tuple[Round, ...]:
    """Two rounds, in which seat 5 is overpaid by $100."""
    return read_rounds(PROFILE.with_name("uth-sample.rounds.jsonl"))


def repeated(rounds: tuple[Round, ...], times: int, *, first: int = 1, every_s: float = 140.0) -> tuple[Round, ...]:
    """The rounds again and again, each time later, numbered on."""
    made = []
    for turn in range(times):
        for place, round_ in enumerate(rounds):
            made.append(moved(round_, first + turn * len(rounds) + place, turn * every_s))
    return tuple(made)


def moved(round_: Round, number: int, seconds: float) -> Round:
    events = []
    for event in round_.events:
        values: dict[str, Any] = {"t": round(event.t + seconds, 3)}
        if isinstance(event, FootageGap):
            values["until"] = round(event.until + seconds, 3)
        events.append(changed(event, **values))
    return dataclasses.replace(
        round_, number=number, start=round_.start + seconds, end=round_.end + seconds, events=tuple(events)
    )


def unread_chips(round_: Round) -> Round:
    """The last payment cannot be read."""
    paid = [n for n, e in enumerate(round_.events) if isinstance(e, ChipsChanged) and e.actor == "dealer"]
    event = changed(round_.events[paid[-1]], after=Unreadable("glare"))
    return dataclasses.replace(round_, events=(*round_.events[: paid[-1]], event, *round_.events[paid[-1] + 1 :]))


def unread_cards(round_: Round) -> Round:
    """No card that is turned up can be read, nor any in the rack."""
    events = (changed(e, identity=Unreadable("glare")) if isinstance(e, CardTurned) else e for e in round_.events)
    rack = tuple(dataclasses.replace(card, identity=Unreadable("glare")) for card in round_.rack)
    return dataclasses.replace(round_, events=tuple(events), rack=rack)


def with_gap(round_: Round, *, camera_moved: bool = False) -> Round:
    """Ten seconds in its middle are missing."""
    middle = (round_.start + round_.end) / 2
    gap = FootageGap(t=middle, until=middle + 10.0, camera_moved=camera_moved)
    events = sorted((*round_.events, gap), key=lambda event: event.t)
    return dataclasses.replace(round_, events=tuple(events))


@dataclass
class Night:
    """A batch's folder in the making."""

    out: Path
    timezone: str = "America/New_York"
    entries: list[Entry] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    _profiles: dict[str, Profile] = field(default_factory=dict)

    def profile(self, table: str) -> Profile:
        if table not in self._profiles:
            text = PROFILE.read_text("utf-8").replace('id = "UTH-12"', f"id = {json.dumps(table)}")
            text = text.replace("America/New_York", self.timezone)
            path = self.out / "profiles" / f"{len(self._profiles)}.table.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            self._profiles[table] = load_profile(path)
        return self._profiles[table]

    def audited(
        self, table: str, name: str, rounds: tuple[Round, ...], *, start: datetime | None, length_s: float,
        holes: tuple[Hole, ...] = (), **more: Any,
    ) -> Path:  # fmt: skip
        """Judge the rounds and write their run folder; returns it."""
        profile = self.profile(table)
        rounds = tuple(dataclasses.replace(round_, table=table, clock_start=_clock(round_, start)) for round_ in rounds)
        provenance = Provenance(
            version="0.1.0", source_file=name, source_sha256="ab" * 32, profile_file=profile.path.name,
            profile_sha256=profile.sha256,
        )  # fmt: skip
        _, files = make_run_files(
            audit_rounds(rounds, profile.rules()), rounds, profile, provenance=provenance,
            coverage=Coverage(duration_s=length_s),
        )  # fmt: skip
        run = f"runs/{safe_names([table])[table]}/{safe_names([name])[name]}"
        write_run(self.out / run, files, provenance)
        unseen = sum(hole.end_s - hole.start_s for hole in holes)
        values: dict[str, Any] = {"read_s": length_s - unseen} | more
        self.entries.append(
            Entry(
                name=name, table=table, profile=profile.path.name, start=start, state=State.AUDITED, run=run,
                expected_s=length_s, holes=holes, **values,
            )
        )  # fmt: skip
        return self.out / run

    def other(self, table: str | None, name: str, state: State, reason: str, **more: Any) -> None:
        self.entries.append(Entry(name=name, table=table, profile=None, state=state, reason=reason, **more))

    def gap(self, table: str, start: datetime, minutes: float) -> None:
        self.missing.append(Missing(table=table, start=start, end=start + timedelta(minutes=minutes)))

    def write(self) -> Path:
        write_record(self.out, Record(entries=tuple(self.entries), missing=tuple(self.missing)))
        return self.out


def _clock(round_: Round, start: datetime | None) -> str | None:
    return None if start is None else (start + timedelta(seconds=round_.start)).isoformat(timespec="milliseconds")


def mixed_night(out: Path) -> Path:
    """Three tables, two dealers told, one recording set aside, one not audited, a hole, a gap, a triage."""
    night = Night(out)
    hour = timedelta(hours=1)
    flawed = (unread_chips(true_rounds(0)[0]), with_gap(true_rounds(0)[1]))
    night.audited("UTH-01", "cam1/2200.mp4", repeated(true_rounds(0), 12), start=NIGHT, length_s=3600, dealer="Ana B.")
    night.audited(
        "UTH-01", "cam1/2300.mp4", (*repeated(sample_rounds(), 10, first=25), *(
            moved(round_, 45 + n, 1500.0) for n, round_ in enumerate(flawed))),
        start=NIGHT + hour, length_s=3600, dealer="Chidi",
        holes=(Hole(start_s=1572.0, end_s=1592.0, reason="the file is damaged"),),
    )  # fmt: skip
    night.other("UTH-01", "cam1/0000.mp4", State.SET_ASIDE, "no picture could be decoded", start=NIGHT + 2 * hour,
                expected_s=1800.0)  # fmt: skip
    night.audited("Pit 1: BJ <b>", "pit/$1_a$.mp4", repeated(true_rounds(1), 8), start=NIGHT, length_s=2400,
                  dealer="Chidi", triage=True,
                  passed_over=(Hole(start_s=1200.0, end_s=1500.0, reason="nothing moved"),))  # fmt: skip
    night.gap("Pit 1: BJ <b>", NIGHT + timedelta(minutes=40), 20)
    night.audited("Pit 1: BJ <b>", "pit/second.mp4", repeated(true_rounds(2), 6, first=17), start=NIGHT + hour,
                  length_s=1800)  # fmt: skip
    night.other("Pit 1: BJ <b>", "pit/third.mp4", State.WAITING, "", start=NIGHT + hour * 1.5, expected_s=600.0)
    night.audited("=1+1", "=cmd|' /C calc'!A0.mp4", sample_rounds(), start=None, length_s=150, dealer="@SUM(A1)")
    night.other(None, "stray.mov", State.SET_ASIDE, "no table profile names it")
    return night.write()
