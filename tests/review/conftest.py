"""A run of the sample clip with a hand-written log, as a perfect eye would have left it, and a copy for every test."""

import dataclasses
import shutil
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handreplay.config import Profile, load_profile
from handreplay.core.events import Round
from handreplay.core.findings import Audit
from handreplay.core.roundlog import read_rounds
from handreplay.footage import Stamp, Tally, pictures, sha256_of, stamp_of
from handreplay.report.run_files import keep_run
from handreplay.review.desk import Desk, Reviewer
from handreplay.rules import audit_rounds
from handreplay.rules.triage import Span

SAMPLE = Path(__file__).parents[2] / "sample_footage"
CLIP = SAMPLE / "uth-sample.mp4"
ANN, BOB = Reviewer("Ann"), Reviewer("Bob", blind=True)


@dataclasses.dataclass(frozen=True)
class Judged:
    profile: Profile
    rounds: tuple[Round, ...]
    audit: Audit
    footage: Path = CLIP
    footage_sha256: str = ""
    tally: Tally = dataclasses.field(default_factory=Tally)
    models: dict[str, str] = dataclasses.field(default_factory=dict)
    passed_over: tuple[Span, ...] = ()

    @property
    def stamp(self) -> Stamp | None:
        return stamp_of(self.footage)


def judged(*rounds: Round) -> Judged:
    profile = load_profile(SAMPLE / "uth-sample.table.toml")
    found = rounds or read_rounds(SAMPLE / "uth-sample.rounds.jsonl")
    tally = Tally()
    deque(pictures(CLIP, tally=tally), maxlen=0)
    return Judged(profile, found, audit_rounds(found, profile.rules()), footage_sha256=sha256_of(CLIP), tally=tally)


@pytest.fixture(scope="session")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review") / "run"
    keep_run(folder, judged())
    return folder


@pytest.fixture
def run(made_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_run, tmp_path / "run"))


def clock() -> Iterator[datetime]:
    moment = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
    while True:
        yield moment
        moment += timedelta(seconds=1)


@pytest.fixture
def desk(run: Path) -> Desk:
    ticking = clock()
    return Desk(run, clock=lambda: next(ticking))
