"""A small night of recordings for the tests of the ledger: run folders and batch.json, made from round logs alone."""

import dataclasses
import functools
import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from handreplay.batch.record import Entry, Hole, Missing, Record, State, write_record
from handreplay.config import Profile, load_profile
from handreplay.core.events import FootageGap, Round
from handreplay.core.roundlog import read_rounds
from handreplay.report.page_parts import Coverage
from handreplay.report.run_files import make_run_files
from handreplay.rules import audit_rounds
from handreplay.store import Provenance, safe_names, write_run

ROOT = Path(__file__).parents[2]
START = datetime(2026, 11, 30, 6, 10, tzinfo=UTC)  # 01:10 in New York
NEW_YORK = ZoneInfo("America/New_York")
OVERPAID = (
    ROOT / "sample_footage" / "uth-sample.rounds.jsonl"
)  # one round: seat 5's Blind is paid $100 that should push
LOGS = [ROOT / "tests" / "data" / "rounds" / f"uth-0{n}.rounds.jsonl" for n in (1, 2, 3)]
LENGTH_S = 600.0


@functools.cache
def profile() -> Profile:
    return load_profile(ROOT / "sample_footage" / "uth-sample.table.toml")


def moved(round_: Round, seconds: float, *, number: int, start: datetime | None = None) -> Round:
    """The round, `seconds` later in its recording, whose first picture was at `start`."""
    clock = None if start is None else (start + timedelta(seconds=round_.start + seconds)).astimezone(NEW_YORK)
    return dataclasses.replace(
        round_,
        number=number,
        start=round(round_.start + seconds, 3),
        end=round(round_.end + seconds, 3),
        clock_start=None if clock is None else clock.isoformat(timespec="milliseconds"),
        events=tuple(dataclasses.replace(event, t=round(event.t + seconds, 3)) for event in round_.events),
    )


def rounds_at(start: datetime | None, logs: Iterable[Path], *, first: int = 1) -> list[Round]:
    """The first round of each log, one after another, a minute and a half apart."""
    return [
        moved(read_rounds(log)[0], 90.0 * place, number=first + place, start=start) for place, log in enumerate(logs)
    ]


def with_gap(round_: Round, after_s: float = 5.0, lasts_s: float = 2.0) -> Round:
    """The round, with nothing known of two seconds of it."""
    t = round(round_.start + after_s, 3)
    gap = FootageGap(t=t, until=t + lasts_s)
    return dataclasses.replace(round_, events=tuple(sorted((*round_.events, gap), key=lambda event: event.t)))


def recording(
    out: Path,
    name: str,
    rounds: Sequence[Round],
    *,
    table: str = "UTH-12",
    start: datetime | None = START,
    dealer: str | None = "Ann",
    **more: object,
) -> Entry:
    """An audited recording of ten minutes, with its run folder below `out`."""
    own = profile()
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    provenance = Provenance(
        version="0", source_file=name, source_sha256=sha256, profile_file="t.table.toml", profile_sha256=own.sha256
    )
    audit = audit_rounds(rounds, own.rules())
    _, files = make_run_files(
        audit, rounds, own, provenance=provenance, coverage=Coverage(duration_s=LENGTH_S, gaps=(), remarks=())
    )
    run = f"runs/{safe_names([table])[table]}/{safe_names([name])[name]}"
    write_run(out / run, files, provenance)
    entry = Entry(
        name=name,
        table=table,
        profile="t.table.toml",
        start=start,
        dealer=dealer,
        state=State.AUDITED,
        run=run,
        bytes=17,
        sha256=sha256,
        expected_s=LENGTH_S,
        read_s=LENGTH_S,
    )
    return dataclasses.replace(entry, **more)


def night(out: Path) -> Record:
    """Two tables, three dealers, an overpayment, a round with a gap, a bad file, an hour not recorded."""
    later = START + timedelta(seconds=LENGTH_S)
    quiet = START + timedelta(hours=1)
    gap = rounds_at(quiet, LOGS[:2])
    entries = (
        recording(out, "UTH-05/quiet.mp4", [with_gap(gap[0]), gap[1]], table="UTH-05", start=quiet, dealer="Bob"),
        recording(out, "UTH-12/one.mp4", rounds_at(START, [OVERPAID, *LOGS]), read_s=598.0, holes=(HOLE,)),
        recording(
            out, "UTH-12/two.mp4", rounds_at(later, [LOGS[1], OVERPAID], first=5), start=later, dealer="D. Núñez"
        ),
        Entry(
            name="UTH-12/zero.mp4",
            table="UTH-12",
            profile="t.table.toml",
            start=later + timedelta(seconds=LENGTH_S),
            state=State.SET_ASIDE,
            reason="holds no picture",
        ),
    )
    missing = (Missing(table="UTH-05", start=START, end=quiet),)
    record = Record(entries=entries, missing=missing)
    write_record(out, record)
    return record


HOLE = Hole(start_s=500.0, end_s=502.0, reason="damaged pictures")
