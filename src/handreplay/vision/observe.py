"""Pictures in, observations out: waits for zones to come to rest, reads them once, and says who reached in.

A region under a hand is not read, it is waited for. Several still pictures are averaged, which beats noise better than
any reading of a single one.

What can be told of a picture alone is made ready first (`Observer.prepared`), so that it can be done in another thread.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import (
    Observation,
    PictureLost,
    SeenCard,
    SeenStack,
    ZoneCovered,
    ZoneSeen,
    ZoneUncovered,
)
from handreplay.core.readings import Unreadable
from handreplay.core.timeline import Gap
from handreplay.footage import Frame
from handreplay.vision.areas import areas
from handreplay.vision.calibration import Calibration, FeltPatch, PictureWindow, in_bytes
from handreplay.vision.change import Motion, Moved, Plane, Rest, Watcher, of_size, scale_for, working_plane
from handreplay.vision.chip_tops import ChipTops
from handreplay.vision.colours import Colours
from handreplay.vision.fit import Fit, FitWatch
from handreplay.vision.glimpses import Glimpses
from handreplay.vision.key_watch import KeyWatcher
from handreplay.vision.later_looks import AGAIN_SECONDS, AGAIN_TIMES, LaterLook, together, unread, withheld
from handreplay.vision.light import Light
from handreplay.vision.memory import TableMemory
from handreplay.vision.plain_cards import plain_cards
from handreplay.vision.quiet import Quiet
from handreplay.vision.table_eye import CardBox
from handreplay.vision.zone_reader import FINE_PX_PER_MM, Eyes, ZoneReader, closer, kind_of, patch_of
from handreplay.vision.zones import Zones

Picture = NDArray[np.uint8]

TILE_MARGIN_MM = 45.0
CLOSE_MARGIN_MM = 12.0  # for the many looks at busy zones
LEAST_STEP_SECONDS = 0.045  # between pictures that are looked at: 12 to 22 a second
STILLS = {"cards": 3, "shoe": 3, "wager": 8}  # pictures averaged
UNCHANGED = 0.008
CHIPS_LAG_SECONDS = 0.17
LIKE_EMPTY_SHARE = 0.01
FILLED_RACK_SHARE = 0.04
HOLDERS = {"rack", "shoe"}  # hands rest there, and cards may lie there when no round is under way
MOST_BRIEFS = 5  # of one visit
UNLIKE_EMPTY_SHARE = 0.08  # of the zone; as much unlike empty felt, with nothing read, is something not read


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A picture, its planes as the watcher wants them, and whether it fits the profile if a look was due. Or a gap."""

    picture: Frame | Gap
    plane: Plane | None = None
    moved: Moved | None = None
    chroma: tuple[Plane, Plane] | None = None
    fit: Fit | None = None


@dataclass(slots=True)
class _Look:
    """A zone that rests and is being averaged."""

    rest: Rest
    wanted: int
    left: int = AGAIN_TIMES  # further looks, if a face cannot be read
    before: ZoneSeen | None = None  # what earlier looks at this rest saw
    sum: NDArray[np.uint16] | None = None  # of what the zone's window shows
    summed: int = 0
    end: float = 0.0

    def add(self, part: Picture, seconds: float) -> None:
        if self.sum is None:
            self.sum = np.zeros(part.shape, np.uint16)
        np.add(self.sum, part, out=self.sum)
        self.summed += 1
        self.end = seconds

    def mean(self) -> NDArray[np.float32] | None:
        """None before the first picture."""
        return None if self.sum is None else np.asarray(self.sum / np.float32(self.summed), np.float32)


@dataclass(frozen=True, slots=True)
class _Brief:
    """What a wager's place showed for a moment while it was visited."""

    rest: Rest
    part: Picture  # what the zone's window showed
    end: float


@dataclass(slots=True)
class Observer:
    """Feed it frames and gaps in order; it yields observations."""

    calibration: Calibration
    zones: Zones
    eyes: Eyes
    keys_only: bool = False  # the pictures are key pictures alone, seconds apart
    cuts: dict[float, dict[str, PictureWindow]] = field(default_factory=dict)  # by margin in mm; made where missing
    quiet: Quiet = field(init=False)  # may be asked by who gives the pictures that are `prepared`
    _motion: Motion = field(init=False)
    _watcher: Watcher = field(init=False)
    _windows: "_Windows" = field(init=False)
    _fit: FitWatch = field(init=False)
    _reader: ZoneReader = field(init=False)
    _glimpses: Glimpses = field(init=False)
    _rack_filled: bool = False
    _covered_until: dict[str, float] = field(default_factory=dict)
    _under: set[str] = field(default_factory=set)  # zones that were covered when last looked at
    _unclear: set[str] = field(default_factory=set)  # zones, but for holders, that are not known to be empty
    _empty: dict[str, Picture] = field(default_factory=dict)  # tiles of zones with nothing on them
    _uncut: dict[str, NDArray[np.float32]] = field(default_factory=dict)  # what newer ones will be cut from, if needed
    _misfit: Fit | None = None
    _colourless: bool = False
    _seen_until: float = 0.0
    _looks: dict[str, _Look] = field(default_factory=dict)
    _later: dict[str, LaterLook] = field(default_factory=dict)
    _shown: dict[str, tuple[SeenCard, ...]] = field(default_factory=dict)  # as last reported
    _tops: ChipTops = field(default_factory=ChipTops)
    _last: Colours | None = None  # of the picture before; None after a gap
    _briefs: dict[str, list[_Brief]] = field(default_factory=dict)  # of each wager since it was still

    def __post_init__(self) -> None:
        self._fit = FitWatch(self.calibration, self.zones)
        watched = [name for name in self.zones.names if kind_of(name) != "other"]
        outlines = {name: area for name, area in areas(self.zones, self.calibration).items() if name in watched}
        scale = scale_for(self.calibration.size[0])
        self._motion, self.quiet = Motion(outlines, scale), Quiet(outlines.values(), scale)
        wagers = frozenset(name for name in watched if kind_of(name) == "wager")
        self._watcher = KeyWatcher(outlines, scale) if self.keys_only else Watcher(outlines, scale, wagers)
        self._unclear = set(watched) - HOLDERS
        self._reader = ZoneReader(self.calibration, self.zones, self.eyes, self._watcher)
        cards = [name for name in watched if kind_of(name) == "cards" and name != "rack"]
        self._windows = _Windows(watched, self._cut, self.cuts.setdefault(TILE_MARGIN_MM, {}))
        close = _Windows(cards, self._cut_closely, self.cuts.setdefault(CLOSE_MARGIN_MM, {}))
        self._glimpses = Glimpses(self._reader, self._watcher, close, self.zones, self._shown)

    def another(self) -> "Observer":
        """One that sees every picture of the same table, and knows nothing yet."""
        return Observer(self.calibration, self.zones, self.eyes, cuts=self.cuts)

    def recall(self, memory: TableMemory) -> None:
        """Before the first picture: how the table looked at the end of the recording that this one goes on from."""
        self._watcher.recall(memory.looks)
        self._reader.recall(memory.backs, memory.holder_share)
        self._rack_filled = memory.rack_filled
        self._empty.update(
            (zone, tile) for zone, tile in memory.empty.items() if zone in self._windows and self._fits_in(zone, tile)
        )
        self._shown.update((zone, cards) for zone, cards in memory.shown.items() if zone in self._windows)

    def memory(self) -> TableMemory:
        """How the table looks now, for the recording that goes on from here."""
        for zone in sorted(self._uncut):
            self._tile_of_empty(zone)
        return TableMemory(
            looks=self._watcher.remembered(),
            empty=dict(self._empty),
            shown=dict(self._shown),
            backs=self._reader.backs,
            holder_share=self._reader.holder_share,
            rack_filled=self._rack_filled,
        )

    def _fits_in(self, zone: str, tile: Picture) -> bool:
        width, height = self._windows[zone].patch.size_px
        return tile.shape == (height, width, 3)

    def _tile_of_empty(self, zone: str) -> Picture | None:
        """The zone's place with nothing on it, if it was ever seen so."""
        mean = self._uncut.pop(zone, None)
        if mean is not None:
            self._empty[zone] = in_bytes(self._windows[zone].straight(mean))
        return self._empty.get(zone)

    def _cut(self, zone: str) -> PictureWindow:
        patch = patch_of(self.calibration, self.zones.polygons_mm[zone], TILE_MARGIN_MM)
        return patch.window(self.calibration.size)

    def _cut_closely(self, zone: str) -> PictureWindow:
        return closer(self._windows[zone], self.zones.polygons_mm[zone], CLOSE_MARGIN_MM)

    def prepared(self, pictures: Iterable[Frame | Gap]) -> Generator[Prepared]:
        """The pictures with what can be told of each before the one before it is read. Only one of these at a time.

        Of many pictures a second some are left out: what rests and what moves is told from a few pictures in a row.
        """
        fits, due, light = True, 0.0, Light()
        for picture in pictures:
            if isinstance(picture, Gap):
                self._motion.forget()
                self.quiet.forget()
                due = 0.0
                yield Prepared(picture)
                continue
            if picture.seconds < due:
                continue
            due = float(picture.seconds) + LEAST_STEP_SECONDS
            fit = self._fit.look(picture)
            fits = fits if fit is None else fit.ok
            if not fits:
                self._motion.forget()
                self.quiet.forget()
                yield Prepared(picture, fit=fit)
                continue
            as_shown = working_plane(picture.luma)
            plane = light.evened(as_shown)
            moved, chroma = self._motion.feed(plane), of_size(picture.chroma, plane)
            self.quiet.note(float(picture.seconds), as_shown, moved, chroma)
            yield Prepared(picture, plane, moved, chroma, fit)

    def feed(self, prepared: Prepared) -> Iterator[Observation]:
        picture = prepared.picture
        self.quiet.told(self._bare())
        if isinstance(picture, Gap):
            yield from self._finish_all()
            self._forget()
            yield PictureLost(start=float(picture.start), end=float(picture.end), reason=picture.reason)
            return
        seconds = float(picture.seconds)
        if not (yield from self._fits(prepared.fit, seconds)) or prepared.plane is None:
            return
        for rest in self._watcher.update(seconds, picture.index, prepared.plane, prepared.moved, prepared.chroma):
            if rest.brief:
                self._note_brief(rest)
                continue
            briefs = self._briefs.pop(rest.zone, [])
            if rest.changed < UNCHANGED and briefs and (came := self._came_and_went(rest.zone, briefs)) is not None:
                yield came
                self._looks[rest.zone] = _Look(_gone(rest, came), STILLS["wager"])
            elif rest.changed < UNCHANGED:
                if rest.zone in self._unclear and self._like_empty(rest.zone):
                    self._unclear.remove(rest.zone)
                self._watcher.accept(rest.zone, empty=False)
                if rest.zone in self._under:
                    self._under.remove(rest.zone)
                    yield ZoneUncovered(t=rest.arrived, zone=rest.zone)
            else:
                self._looks[rest.zone] = _Look(rest, 1 if self.keys_only else STILLS[kind_of(rest.zone)])
        yield from self._look_again(seconds)
        self._last = colours = Colours(picture)
        for zone in sorted(self._looks):
            look = self._looks[zone]
            if self._watcher.is_still(zone):
                window = self._windows[zone]
                look.add(colours.part(window.rows, window.columns), seconds)
            if look.summed >= look.wanted or not self._watcher.is_still(zone):
                del self._looks[zone]
                yield from self._read(look)
        yield from self._glimpses.feed(picture.index, seconds, colours)

    def _forget(self) -> None:
        """Something was not seen: of what was going on before it, nothing goes on after it."""
        self._watcher.forget()
        self._tops.forget()
        self._last = None
        self._briefs.clear()

    def _look_again(self, seconds: float) -> Iterator[Observation]:
        """Start the later looks that are due; where the zone has moved, what was seen until then is all there is."""
        for zone, later in sorted(self._later.items()):
            if not self._watcher.is_still(zone):
                yield self._later.pop(zone).seen
            elif seconds >= later.due:
                del self._later[zone]
                self._looks[zone] = _Look(later.rest, STILLS[kind_of(zone)], later.left, later.seen)

    def finish(self) -> Iterator[Observation]:
        """What was still being looked at when the footage ended."""
        yield from self._finish_all()
        if self._misfit is not None:
            yield self._lost(self._seen_until)

    def _fits(self, fit: Fit | None, seconds: float) -> Generator[Observation, None, bool]:
        """Does the picture fit the table profile? While it does not, nothing is read."""
        self._seen_until = seconds
        if fit is not None:
            self._colourless = fit.colour_lost
            if not fit.ok and self._misfit is None:
                self._misfit = fit
                self._looks.clear()
                yield from self._unlooked()
                self._forget()
            elif fit.ok and self._misfit is not None:
                yield self._lost(seconds)
                self._misfit = None
        return self._misfit is None

    def _lost(self, end: float) -> PictureLost:
        assert self._misfit is not None
        return PictureLost(start=self._misfit.at, end=end, reason=self._misfit.why or "", camera_moved=True)

    def _finish_all(self) -> Iterator[Observation]:
        for zone in sorted(self._looks):
            yield from self._read(self._looks.pop(zone))
        yield from self._unlooked()

    def _unlooked(self) -> Iterator[Observation]:
        """What was seen where a later look will not come."""
        for zone in sorted(self._later):
            yield self._later.pop(zone).seen

    def _read(self, look: _Look) -> Iterator[Observation]:
        rest, window, mean = look.rest, self._windows[look.rest.zone], look.mean()
        if mean is None:
            if look.before is not None:
                yield look.before
            return
        unlike = self._watcher.unlike_empty(rest.zone)
        cards: list[SeenCard] = []
        stacks: list[SeenStack] = []
        if unlike is None or unlike >= LIKE_EMPTY_SHARE:  # else the eyes would only tell the same, at some cost
            found = self._look_at(rest.zone, window.straight(mean))
            if found is None:
                yield look.before or self._cover(look)
                return
            cards, stacks = found
        if look.before is not None:
            cards = together(look.before.cards, cards)
        least = FILLED_RACK_SHARE if rest.zone == "rack" else UNLIKE_EMPTY_SHARE
        something = not cards and not stacks and unlike is not None and unlike > least
        if something and rest.zone not in HOLDERS:
            yield self._cover(look)
            return
        filled = bool(cards or stacks)
        if rest.zone == "rack":
            filled |= something
            filled = self._rack_filled = filled or (unlike is None and self._rack_filled)
        self._watcher.accept(rest.zone, empty=not (filled or something))
        if rest.zone not in HOLDERS:
            (self._unclear.add if filled else self._unclear.discard)(rest.zone)
        if not (filled or something):
            self._uncut[rest.zone] = mean
        self._shown[rest.zone] = tuple(cards)
        self._under.discard(rest.zone)
        seen = self._seen(rest, look.end, cards, stacks, filled=filled)
        if unread(cards) and look.left and not self.keys_only:
            self._later[rest.zone] = LaterLook(look.end + AGAIN_SECONDS, look.left - 1, rest, seen)
            if look.before is None:
                yield withheld(seen)
        else:
            yield seen

    def _note_brief(self, rest: Rest) -> None:
        """Keep what a wager's empty place showed between two hands, in case that it is gone when they are."""
        if self._last is None:
            return
        unlike = self._watcher.unlike_empty(rest.zone)
        if unlike is not None and unlike > LIKE_EMPTY_SHARE:
            window = self._windows[rest.zone]
            part = self._last.part(window.rows, window.columns).copy()
            briefs = self._briefs.setdefault(rest.zone, [])
            briefs.append(_Brief(rest, part, float(self._last.frame.seconds)))
            del briefs[:-MOST_BRIEFS]

    def _came_and_went(self, zone: str, briefs: Iterable[_Brief]) -> ZoneSeen | None:
        """Chips that came into an empty place and went within one visit. None where nothing but hands was seen."""
        for brief in briefs if self._like_empty(zone) else ():
            found = self._look_at(zone, self._windows[zone].straight(brief.part.astype(np.float32)))
            if found is not None and found[1]:
                return self._seen(brief.rest, brief.end, *found, filled=True)
        return None

    def _seen(
        self, rest: Rest, end: float, cards: Iterable[SeenCard], stacks: Iterable[SeenStack], *, filled: bool
    ) -> ZoneSeen:
        start = max(self._settled(rest), self._covered_until.get(rest.zone, 0.0))
        shown = self._watcher.frame_at(start)
        return ZoneSeen(
            start=start,
            end=end,
            frame=rest.frame if shown is None else shown,
            zone=rest.zone,
            busy_since=rest.busy_since,
            changed=rest.changed,
            dealer_hand=rest.dealer_hand,
            player_hand=rest.player_hand,
            unwatched=rest.unwatched,
            cards=tuple(cards),
            stacks=tuple(stacks),
            filled=filled,
        )

    def _look_at(self, zone: str, straight: NDArray[np.float32]) -> tuple[list[SeenCard], list[SeenStack]] | None:
        """The cards and stacks of a zone at rest; None when something lies over it."""
        patch, tile = self._windows[zone].patch, in_bytes(straight)
        if kind_of(zone) == "shoe":
            return self._reader.faces(tile, patch, zone), []
        sighting = self._reader.look(tile)
        if self._reader.covered(zone, patch, sighting) or self._reader.under_cover(tile, patch, zone, sighting):
            return None
        boxes = self._reader.boxes(patch, zone, sighting, self._tucked(zone)) or self._plain(zone, tile, patch)
        cards = self._reader.cards(tile, patch, zone, boxes)
        if kind_of(zone) != "wager":
            return None if not cards and self._still_there(zone) else (cards, [])
        empty, faint = self._tile_of_empty(zone), self._reader.lies_clear(zone, patch, sighting)
        stacks = self.eyes.chips.read([straight], self.zones.polygons_mm[zone], patch, empty, faint=faint)
        stacks = self._tops.compared(zone, stacks, straight, patch)
        if self._colourless:
            stacks = [replace(stack, chips=Unreadable("no colour in the picture")) for stack in stacks]
        return cards, stacks

    def _tucked(self, zone: str) -> list[str]:
        """The wagers of a wager's seat at which cards were last seen."""
        seat = zone.partition(".")[0] + "."
        if kind_of(zone) != "wager":
            return []
        return [
            name
            for name in sorted(self._shown)
            if name.startswith(seat) and kind_of(name) == "wager" and self._shown[name]
        ]

    def _plain(self, zone: str, tile: Picture, patch: FeltPatch) -> list[CardBox]:
        """Cards that the table net does not find where cards belong."""
        if zone == "rack" or kind_of(zone) != "cards" or (bare := self._tile_of_empty(zone)) is None:
            return []
        middles = [np.mean(card.corners_mm, axis=0) for card in self._shown.get(zone, ())]
        lying = [(float(x), float(y)) for x, y in middles]
        return plain_cards(self.eyes.cards, tile, bare, patch, self.zones.polygons_mm[zone], FINE_PX_PER_MM, lying)

    def _still_there(self, zone: str) -> bool:
        """Does a place where a card was last seen look otherwise than when empty? For where no card is found now."""
        if zone == "rack" or self._watcher.unlike_empty(zone) is None:
            return False
        return any(self._reader.compared(card, zone) is not None for card in self._shown.get(zone, ()))

    def _bare(self) -> bool:
        """Has all of the table been read as it lies, and does nothing lie there? Cards in the rack may."""
        return not (self._unclear or self._looks or self._under or self._misfit) and self._watcher.is_settled()

    def _like_empty(self, zone: str) -> bool:
        unlike = self._watcher.unlike_empty(zone)
        return unlike is not None and unlike < LIKE_EMPTY_SHARE

    def _cover(self, look: _Look) -> ZoneCovered:
        self._covered_until[look.rest.zone] = look.end
        self._under.add(look.rest.zone)
        return ZoneCovered(start=look.rest.arrived, end=look.end, zone=look.rest.zone)

    def _settled(self, rest: Rest) -> float:
        """Chips lie before the fingers have left them, cards are let go at once."""
        lag = CHIPS_LAG_SECONDS if kind_of(rest.zone) == "wager" else 0.0
        return rest.arrived + min(lag, max(0.0, rest.since - rest.arrived))


def _gone(rest: Rest, came: ZoneSeen) -> Rest:
    """A visit that left a zone as it was, from when what had come into it was last seen."""
    return replace(
        rest,
        busy_since=came.end,
        changed=came.changed,
        dealer_hand=rest.dealer_hand - came.dealer_hand,
        player_hand=rest.player_hand - came.player_hand,
    )


class _Windows(Mapping[str, PictureWindow]):
    """The windows of zones, each cut when it is first asked for: pictures are decoded meanwhile, and no start waits."""

    def __init__(
        self, zones: Iterable[str], cut: Callable[[str], PictureWindow], made: dict[str, PictureWindow]
    ) -> None:
        self._zones, self._cut, self._made = frozenset(zones), cut, made

    def __getitem__(self, zone: str) -> PictureWindow:
        if zone not in self._zones:
            raise KeyError(zone)
        if zone not in self._made:
            self._made[zone] = self._cut(zone)
        return self._made[zone]

    def __contains__(self, zone: object) -> bool:
        return zone in self._zones

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._zones))

    def __len__(self) -> int:
        return len(self._zones)


def observe(pictures: Iterable[Prepared], observer: Observer) -> Iterator[Observation]:
    """All observations of a recording, in the order in which they became certain."""
    for picture in pictures:
        yield from observer.feed(picture)
    yield from observer.finish()
