"""The one place that joins the stages for one recording: pictures, observations, rounds, findings."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from zoneinfo import ZoneInfo

from handreplay import rules
from handreplay.config import Profile
from handreplay.core.ahead import ahead
from handreplay.core.events import Round
from handreplay.core.findings import Audit
from handreplay.core.heap import give_back
from handreplay.core.observations import Observation, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.core.timeline import JUMP, Gap
from handreplay.errors import FootageError, ProfileError
from handreplay.footage import (
    FootageInfo,
    Frame,
    Stamp,
    Tally,
    check_unchanged,
    has_exact_keys,
    key_pictures,
    pictures,
    probe,
    sha256_of,
    stamp_of,
    stretch,
)
from handreplay.footage_tone import Tone, tone_of
from handreplay.games import game_of
from handreplay.games.table import TableRules
from handreplay.reconstruct.assemble import TableView
from handreplay.reconstruct.deal import Deal
from handreplay.reconstruct.rounds import rounds
from handreplay.rules.triage import KEY_SECONDS, Span, as_looked_at, between, close_looks, in_one, joined
from handreplay.vision.calibration import Calibration
from handreplay.vision.colours import tint_of
from handreplay.vision.look import BEFORE_SECONDS, Look, look
from handreplay.vision.observe import Observer, Prepared, observe
from handreplay.vision.shipped import keep_image_work_together, shipped_eyes
from handreplay.vision.zone_reader import Eyes
from handreplay.vision.zones import Zones

FEW_AHEAD = 4  # key pictures
AHEAD_BYTES = 256 << 20  # of pictures decoded before they are needed, and of what is made ready with them

FIRST_YEAR, LAST_YEAR = 1970, 2999

Progress = Callable[[float, float | None], None]  # seconds read, seconds promised


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What an audit of one recording found, and what it stands on."""

    footage: Path
    info: FootageInfo
    tally: Tally
    profile: Profile
    footage_sha256: str
    models: Mapping[str, str]  # model -> sha256
    rounds: tuple[Round, ...]
    audit: Audit
    observations: tuple[Observation, ...]
    passed_over: tuple[Span, ...] = ()  # seconds of which triage looked at key pictures only
    stamp: Stamp | None = None  # of the recording when its reading began

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings, 3 nothing found but seconds, readings or any round at all are missing."""
        code = rules.exit_code(self.audit)
        return 3 if code == 0 and (self.tally.gaps or not self.rounds) else code


@dataclass(frozen=True, slots=True)
class Triaged:
    """What triage saw of a recording, and of which seconds it looked at key pictures only."""

    observations: tuple[Observation, ...]
    passed_over: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Viewing:
    """A recording about to be seen, and what it will be seen with. `tally` fills as the observations are taken."""

    footage: Path
    profile: Profile
    info: FootageInfo
    tally: Tally
    footage_sha256: str
    models: Mapping[str, str]  # model -> sha256
    observer: Observer
    threads: int | None = None
    stamp: Stamp | None = None
    tone: Tone | None = None  # where the recording is dark or veiled

    def triaged(self, progress: Progress | None = None) -> Triaged:
        """Key pictures first, then a close look at the rounds that ask for one. Once only.

        A recording whose pictures cannot be passed over is looked at in full.
        """
        if not self.observer.keys_only:
            return Triaged(tuple(self.observations(progress)))
        found = key_pictures(self.footage, KEY_SECONDS, tally=self.tally, threads=self.threads, tone=self.tone)
        ready = self.observer.prepared(found)
        if self.threads != 1:
            ready = ahead(ready, FEW_AHEAD)
        coarse = list(observe(_reported(ready, self.info, progress), self.observer))
        end = float(self.tally.seconds)
        close = [(span, seen) for span in self._wanted(coarse, end) if (seen := self._closely(span)) is not None]
        lost = [Span(float(gap.start), float(gap.end)) for gap in self.tally.gaps]
        passed_over = between(joined([*lost, *(span for span, _ in close)]), end)
        self.tally.passed_over_microseconds = round(sum(span.seconds for span in passed_over) * 1_000_000)
        return Triaged(tuple(in_one(coarse, close)), passed_over)

    def _wanted(self, coarse: Iterable[Observation], end: float) -> tuple[Span, ...]:
        """The seconds that deserve a close look by what key pictures showed."""
        if any(gap.reason.startswith(JUMP) for gap in self.tally.gaps):  # then no second can be sought in the file
            return ()
        table = self.profile.rules()
        found = tuple(rounds_of(coarse, table_view(self.profile, None, {}), table))
        steps = [float(after.seconds - before.seconds) for before, after in pairwise(self.tally.keys)]
        return close_looks(found, rules.audit_rounds(found, table), end, apart=median(steps or [KEY_SECONDS]))

    def _closely(self, span: Span) -> list[Observation] | None:
        """All that is seen in some seconds, by one who knows nothing of the rest; None if that fails."""
        observer = self.observer.another()
        ready = observer.prepared(map(self._numbered, stretch(self.footage, span.start, span.end, self.tone)))
        seen: list[Observation] = []
        for prepared in ready if self.threads == 1 else ahead(ready, pictures_ahead(self.info)):
            if isinstance(prepared.picture, Gap):
                return None
            seen.extend(observer.feed(prepared))
        return [*seen, *observer.finish()]

    def _numbered(self, picture: Frame | Gap) -> Frame | Gap:
        """With its number, counted on from the key picture before it at the file's own rate."""
        if isinstance(picture, Gap):
            return picture
        place = bisect_right(self.tally.keys, picture.seconds, key=lambda key: key.seconds)
        before = self.tally.keys[max(0, place - 1)]
        return replace(picture, index=before.index + round((picture.seconds - before.seconds) * (self.info.rate or 0)))

    def observations(self, progress: Progress | None = None) -> Iterator[Observation]:
        """All that is seen in it, in order. Once only."""
        quiet, most = self.observer.quiet, pictures_ahead(self.info)
        quiet.behind = most
        found = pictures(self.footage, tally=self.tally, stillness=quiet, threads=self.threads, tone=self.tone)
        ready = self.observer.prepared(found)
        if self.threads != 1:
            ready = ahead(ready, most)
        return observe(_reported(ready, self.info, progress), self.observer)


def view(
    footage: Path, profile: Profile, *, eyes: Eyes | None = None, threads: int | None = None, triage: bool = False
) -> Viewing:
    """Open a recording of a table. `eyes` defaults to the shipped models.

    `threads` is how many this process may use for it, as many as help if nothing is said; what is seen does not hang on
    it. Raises FootageError or ProfileError when recording or profile cannot be used.
    """
    keep_image_work_together()
    give_back()  # what the recording before has left
    stamp, info = stamp_of(footage), probe(footage)
    calibration = Calibration.from_profile(profile)
    check_size(info, profile, calibration, footage)
    models: Mapping[str, str] = {}
    if eyes is None:
        eyes, models = shipped_eyes(calibration, profile.chips, profile.deck, profile.path.parent, threads)
    keys_only = triage and has_exact_keys(footage)
    observer = Observer(calibration, Zones(profile.zones, calibration), eyes, keys_only)
    sha256, tone = sha256_of(footage), tone_of(footage)
    return Viewing(footage, profile, info, Tally(), sha256, models, observer, threads, stamp, tone)


def audit(
    footage: Path,
    profile: Profile,
    *,
    eyes: Eyes | None = None,
    clock: datetime | None = None,
    progress: Progress | None = None,
    triage: bool = False,
) -> AuditResult:
    """Read a recording and judge its rounds; in `triage` by its key pictures, and closely only where that asks for it.

    `eyes` defaults to the shipped models; `clock` is the time of the first picture (without an offset: in the table's
    time zone). Raises FootageError or ProfileError when recording or profile cannot be used.
    """
    viewing = view(footage, profile, eyes=eyes, triage=triage)
    table = table_view(profile, _clock(clock, profile), {"file": footage.name, "sha256": viewing.footage_sha256})
    seen: list[Observation] = []
    passed_over: tuple[Span, ...] = ()
    if triage:
        triaged = viewing.triaged(progress)
        source, passed_over = iter(triaged.observations), triaged.passed_over
    else:
        source = viewing.observations(progress)
    made = rounds_of(_kept(source, seen), table, profile.rules())
    looked_at = tuple(made)  # all of it, so the tally is full
    check_unchanged(footage, viewing.stamp)
    step_s = viewing.tally.usual_step_s
    found = tuple(as_looked_at(round_, passed_over, step_s) for round_ in looked_at)
    judged = rules.audit_rounds(found, profile.rules())
    return AuditResult(
        footage=footage,
        info=viewing.info,
        tally=viewing.tally,
        profile=profile,
        footage_sha256=viewing.footage_sha256,
        models=viewing.models,
        rounds=found,
        audit=judged,
        observations=tuple(seen),
        passed_over=passed_over,
        stamp=viewing.stamp,
    )


def table_view(profile: Profile, clock: datetime | None, source: Mapping[str, str]) -> TableView:
    """What reconstruction needs to know of a table. `clock` is the time of the first picture, with an offset."""
    return TableView(
        table=profile.table.id,
        game=profile.table.game,
        deal=deal_of(profile.rules()),
        clock=clock,
        source=source,
        backs=tuple(map(tint_of, profile.deck.backs)) if profile.table.decks == 2 else (),
    )


def rounds_of(seen: Iterable[Observation], view: TableView, table: TableRules) -> Iterator[Round]:
    """The rounds that the observations show, their wagers weighed, as they end."""
    return (rules.weighed(one, table) for one in rounds(seen, view))


def look_at(
    footage: Path, profile: Profile, at: float, before: float = BEFORE_SECONDS
) -> tuple[Look, Mapping[str, str]]:
    """What the shipped models see in the picture on show at `at` seconds, and the hash of each by name.

    Up to `before` seconds before it are read for how places looked when they were empty. Raises as `audit` does, and
    FootageError when nothing is on show then.
    """
    info = probe(footage)
    calibration = Calibration.from_profile(profile)
    check_size(info, profile, calibration, footage)
    eyes, models = shipped_eyes(calibration, profile.chips, profile.deck, profile.path.parent)
    zones = Zones(profile.zones, calibration)
    return look(footage, at, calibration=calibration, zones=zones, eyes=eyes, before=before), models


def deal_of(table: TableRules) -> Deal:
    """What the table's rules let one expect of a deal."""
    game, shoe = game_of(table), table.dealing == "automated-shoe"
    return Deal(
        hand=game.hand_cards,
        dealer=game.dealer_cards,
        dealer_down=min(game.dealer_cards, game.dealer_open_from),
        community=game.community_cards,
        community_down=game.community_with_deal,
        at_once=shoe,
        burns=bool(game.burns_before),
        unseen=game.unseen_in_shoe if shoe else 0,
    )


def pictures_ahead(info: FootageInfo) -> int:
    """How many pictures to decode ahead: some, however large they are, and no more than help."""
    return max(4, min(64, AHEAD_BYTES // (2 * info.width * info.height)))


def _clock(clock: datetime | None, profile: Profile) -> datetime | None:
    if clock is None:
        return None
    if not FIRST_YEAR <= clock.year <= LAST_YEAR:
        raise FootageError(f"--clock: {clock.year} is no year of a recording; give the time of the first picture")
    zone = ZoneInfo(profile.table.timezone)
    return clock.replace(tzinfo=zone) if clock.tzinfo is None else clock.astimezone(zone)


def check_size(info: FootageInfo, profile: Profile, calibration: Calibration, footage: Path) -> None:
    """Raises ProfileError when the recording is not of the size that the profile was made for."""
    width, height = calibration.size
    if (info.width, info.height) != (width, height):
        raise ProfileError(
            f"{profile.path}: camera.size is {width}x{height} but {footage.name} shows {info.width}x{info.height}; "
            "use the profile of this camera, or export the footage at its full size"
        )


def _reported(source: Iterator[Prepared], info: FootageInfo, progress: Progress | None) -> Iterator[Prepared]:
    promised = float(info.promised_seconds) if info.promised_seconds else None
    for prepared in source:
        if progress is not None and isinstance(prepared.picture, Frame):
            progress(float(prepared.picture.seconds), promised)
        yield prepared


def _kept(source: Iterator[Observation], kept: list[Observation]) -> Iterator[Observation]:
    for observation in source:
        kept.append(slim(observation))
        yield observation


def slim(observation: Observation) -> Observation:
    """Without what cards and stacks might be, which nobody asks for once the rounds are made."""
    if not isinstance(observation, ZoneSeen):
        return observation
    cards = tuple(replace(card, probabilities=()) for card in observation.cards)
    stacks = tuple(
        stack if isinstance(stack.chips, Known) else replace(stack, chips=Unreadable(stack.chips.reason))
        for stack in observation.stacks
    )
    return replace(observation, cards=cards, stacks=stacks)
