"""Pictures in, observations out: waits for zones to come to rest, reads them once, and says who reached in.

A region under a hand is not read, it is waited for. Several still pictures are averaged, which beats noise better than
any reading of a single one.
"""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import (
    Observation,
    PictureLost,
    Point,
    SeenCard,
    SeenStack,
    ZoneCovered,
    ZoneSeen,
    ZoneUncovered,
)
from handreplay.core.readings import Known, Unreadable
from handreplay.core.timeline import Gap
from handreplay.footage import Frame
from handreplay.vision.areas import areas
from handreplay.vision.calibration import Calibration, FeltPatch
from handreplay.vision.card_reader import CardReading
from handreplay.vision.change import Rest, Watcher
from handreplay.vision.chip_counter import ChipNets
from handreplay.vision.fit import Fit, FitWatch
from handreplay.vision.straighten import straighten
from handreplay.vision.table_eye import CardBox, Sighting
from handreplay.vision.zones import Zones

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

TILE_MARGIN_MM = 45.0
CLOSE_MARGIN_MM = 12.0
TILE_STEP_MM = 32
FINE_PX_PER_MM = 2.0  # for reading; the table net looks at every second pixel
STILLS = {"cards": 3, "wager": 8}  # pictures averaged
UNCHANGED = 0.008
CHIPS_LAG_SECONDS = 0.17
COVERED_SHARE = 0.12  # of the zone; more under hands and other objects and it is waited for
LIKE_EMPTY_SHARE = 0.01
FILLED_RACK_SHARE = 0.04
UNLIKE_EMPTY_SHARE = 0.08  # of the zone; as much unlike empty felt, with nothing read, is something not read
DEALER_EVERY = 2  # pictures; how often cards are looked at while their zone is busy
OTHERS_EVERY = 4
BUSY_SECONDS = 0.7
STEADY_SHARE = 0.25  # of the zone; while more of it moves, nothing lies steady there
STEADY_MM = 2.5  # between two such looks
MOVED_MM = 5.0  # against what was last reported
CARD_ZONE_MARGIN_MM = 25.0
TUCKED_SHARE = 0.15  # of a card's area
KNOWN_CARD = 0.9
LEAST_OF_A_CARD = 0.2  # share of a card's place that looks other than empty felt, at least
LEAST_VISIBLE = 0.08
BACKS_KEPT = 60
FELT_COLOURS = 5.0  # in Lab; a place that is this near to the felt's colour is felt, whatever is printed round it
COVER_COLOURS = 25.0  # in Lab, brightness left out; a back this far from all others is a cover card
NO_CARD = 0.9  # the card reader's word that a found card is none


class TableNet(Protocol):
    def look(self, view_bgr: Picture) -> Sighting: ...


class CardNet(Protocol):
    def read(self, crops: list[Picture]) -> list[CardReading]: ...


@dataclass(frozen=True, slots=True)
class Eyes:
    """The three nets."""

    table: TableNet
    cards: CardNet
    chips: ChipNets


@dataclass(slots=True)
class _Colours:
    """A picture's colours, converted when first asked for."""

    frame: Frame
    _bgr: Picture | None = None

    def bgr(self) -> Picture:
        if self._bgr is None:
            self._bgr = self.frame.bgr()
        return self._bgr


@dataclass(slots=True)
class _Look:
    """A zone that rests and is being averaged."""

    rest: Rest
    wanted: int
    tiles: list[Picture] = field(default_factory=list)
    end: float = 0.0


@dataclass(frozen=True, slots=True)
class _Sample:
    """The cards of a busy zone in one picture."""

    seconds: float
    frame: int
    cards: tuple[SeenCard, ...]


@dataclass(slots=True)
class Observer:
    """Feed it frames and gaps in order; it yields observations."""

    calibration: Calibration
    zones: Zones
    eyes: Eyes
    _watcher: Watcher = field(init=False)
    _patches: dict[str, FeltPatch] = field(init=False)
    _close: dict[str, FeltPatch] = field(init=False)  # cut closer, for the many looks at busy zones
    _fit: FitWatch = field(init=False)
    _backs: deque[Floats] = field(default_factory=lambda: deque(maxlen=BACKS_KEPT))
    _holder_share: float | None = None  # of the rack, as first seen
    _rack_filled: bool = False
    _covered_until: dict[str, float] = field(default_factory=dict)
    _under: set[str] = field(default_factory=set)  # zones that were covered when last looked at
    _empty: dict[str, Picture] = field(default_factory=dict)  # tiles of zones with nothing on them
    _misfit: Fit | None = None
    _colourless: bool = False
    _seen_until: float = 0.0
    _looks: dict[str, _Look] = field(default_factory=dict)
    _shown: dict[str, tuple[SeenCard, ...]] = field(default_factory=dict)  # as last reported
    _sampled: dict[str, _Sample] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._fit = FitWatch(self.calibration, self.zones)
        watched = [name for name in self.zones.names if _kind(name) != "other"]
        self._watcher = Watcher(
            {name: area for name, area in areas(self.zones, self.calibration).items() if name in watched}
        )
        outlines = self.zones.polygons_mm
        self._patches = {name: _patch(self.calibration, outlines[name], TILE_MARGIN_MM) for name in watched}
        sampled = [name for name in watched if _kind(name) == "cards" and name != "rack"]
        self._close = {name: _patch(self.calibration, outlines[name], CLOSE_MARGIN_MM) for name in sampled}

    def feed(self, picture: Frame | Gap) -> Iterator[Observation]:
        if isinstance(picture, Gap):
            yield from self._finish_all()
            self._watcher.forget()
            yield PictureLost(start=float(picture.start), end=float(picture.end), reason=picture.reason)
            return
        seconds = float(picture.seconds)
        if not (yield from self._fits(picture, seconds)):
            return
        for rest in self._watcher.update(seconds, picture.index, picture.luma):
            if rest.changed < UNCHANGED:
                self._watcher.accept(rest.zone, empty=False)
                if rest.zone in self._under:
                    self._under.remove(rest.zone)
                    yield ZoneUncovered(t=rest.arrived, zone=rest.zone)
            else:
                self._looks[rest.zone] = _Look(rest, STILLS[_kind(rest.zone)])
        colours = _Colours(picture)
        for zone in sorted(self._looks):
            look = self._looks[zone]
            if self._watcher.is_still(zone):
                look.tiles.append(self._patches[zone].warp(colours.bgr()))
                look.end = seconds
            if len(look.tiles) >= look.wanted or not self._watcher.is_still(zone):
                del self._looks[zone]
                yield from self._read(look)
        yield from self._sample(picture, colours, seconds)

    def finish(self) -> Iterator[Observation]:
        """What was still being looked at when the footage ended."""
        yield from self._finish_all()
        if self._misfit is not None:
            yield self._lost(self._seen_until)

    def _fits(self, picture: Frame, seconds: float) -> Generator[Observation, None, bool]:
        """Does the picture fit the table profile? While it does not, nothing is read."""
        fit = self._fit.look(picture)
        self._seen_until = seconds
        if fit is not None:
            self._colourless = fit.colour_lost
            if not fit.ok and self._misfit is None:
                self._misfit = fit
                self._looks.clear()
                self._watcher.forget()
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

    def _read(self, look: _Look) -> Iterator[Observation]:
        rest, patch = look.rest, self._patches[look.rest.zone]
        if not look.tiles:
            return
        tile = np.mean(np.stack(look.tiles), axis=0).round().astype(np.uint8)
        sighting = self.eyes.table.look(_half(tile))
        if self._covered(rest.zone, patch, sighting) or self._under_cover(tile, patch, rest.zone, sighting):
            yield self._cover(look)
            return
        cards = self._cards(tile, patch, rest.zone, sighting)
        stacks: list[SeenStack] = []
        if _kind(rest.zone) == "wager":
            stacks = self.eyes.chips.read(
                look.tiles, self.zones.polygons_mm[rest.zone], patch, self._empty.get(rest.zone)
            )
            if self._colourless:
                stacks = [replace(stack, chips=Unreadable("no colour in the picture")) for stack in stacks]
        unlike = self._watcher.unlike_empty(rest.zone)
        if unlike is not None and unlike < LIKE_EMPTY_SHARE:
            cards, stacks = [], []
        least = FILLED_RACK_SHARE if rest.zone == "rack" else UNLIKE_EMPTY_SHARE
        unread = not cards and not stacks and unlike is not None and unlike > least
        if unread and rest.zone != "rack":
            yield self._cover(look)
            return
        filled = bool(cards or stacks) or unread
        if rest.zone == "rack":
            filled = self._rack_filled = filled or (unlike is None and self._rack_filled)
        self._watcher.accept(rest.zone, empty=not filled)
        if not filled:
            self._empty[rest.zone] = tile
        self._shown[rest.zone] = tuple(cards)
        self._under.discard(rest.zone)
        yield ZoneSeen(
            start=max(self._settled(rest), self._covered_until.get(rest.zone, 0.0)),
            end=look.end,
            frame=rest.frame,
            zone=rest.zone,
            busy_since=rest.busy_since,
            changed=rest.changed,
            dealer_hand=rest.dealer_hand,
            player_hand=rest.player_hand,
            cards=tuple(cards),
            stacks=tuple(stacks),
            filled=filled,
        )

    def _cover(self, look: _Look) -> ZoneCovered:
        self._covered_until[look.rest.zone] = look.end
        self._under.add(look.rest.zone)
        return ZoneCovered(start=look.rest.arrived, end=look.end, zone=look.rest.zone)

    def _settled(self, rest: Rest) -> float:
        """Chips lie before the fingers have left them, cards are let go at once."""
        lag = CHIPS_LAG_SECONDS if _kind(rest.zone) == "wager" else 0.0
        return rest.arrived + min(lag, max(0.0, rest.since - rest.arrived))

    def _covered(self, zone: str, patch: FeltPatch, sighting: Sighting) -> bool:
        inside = _mask(patch, self.zones.polygons_mm[zone], sighting.occluder.shape)
        share = float((sighting.occluder[inside] > 0.5).mean())
        if zone == "rack":  # its holder is an object too
            self._holder_share = share if self._holder_share is None else self._holder_share
            share -= self._holder_share
        return share > COVERED_SHARE

    def _cards(self, tile: Picture, patch: FeltPatch, zone: str, sighting: Sighting) -> list[SeenCard]:
        boxes = [box for box in sighting.cards if self._belongs(box, patch, zone)]
        crops = [straighten(tile, box.corners * FINE_PX_PER_MM) for box in boxes]
        readings = self.eyes.cards.read(crops) if crops else []
        pairs = zip(boxes, readings, strict=True)
        seen = [
            _seen(box, patch, reading)
            for box, reading in pairs
            if box.visible >= LEAST_VISIBLE and not (_is_none(reading) if box.face_up else _is_felt(tile, box))
        ]
        self._note_backs(tile, zone, boxes)
        return [changed for card in seen if (changed := self._compared(card, zone)) is not None]

    def _note_backs(self, tile: Picture, zone: str, boxes: list[CardBox]) -> None:
        """Players' cards tell what the deck's backs look like."""
        if zone.startswith("seat") and zone.endswith(".cards"):
            self._backs.extend(_colour(tile, box)[1:] for box in boxes if not box.face_up and box.visible > 0.5)

    def _under_cover(self, tile: Picture, patch: FeltPatch, zone: str, sighting: Sighting) -> bool:
        """Does a cover card lie there? It has another colour than all backs seen so far."""
        if not self._backs:
            return False
        for box in sighting.cards:
            if not box.face_up and self._belongs(box, patch, zone):
                own = _colour(tile, box)[1:]
                if min(float(np.linalg.norm(own - back)) for back in self._backs) > COVER_COLOURS:
                    return True
        return False

    def _compared(self, card: SeenCard, zone: str) -> SeenCard | None:
        """The card with the share of its place that has changed; None when the felt there looks as if it were empty."""
        outline = self.calibration.to_picture_px(card.corners_mm)
        since_empty = self._watcher.share_changed(zone, outline, since_empty=True)
        if since_empty is not None and since_empty < LEAST_OF_A_CARD:
            return None
        since_look = self._watcher.share_changed(zone, outline, since_empty=False)
        return replace(card, changed=1.0 if since_look is None else round(since_look, 3))

    def _belongs(self, box: CardBox, patch: FeltPatch, zone: str) -> bool:
        """A card lies in the zone that holds its middle; tucked under a wager, it reaches well into that zone."""
        corners = patch.to_mm(box.corners * FINE_PX_PER_MM)
        if _kind(zone) == "cards":
            return self.zones.zone_at(corners.mean(axis=0), CARD_ZONE_MARGIN_MM) == zone
        outline = self.zones.polygons_mm[zone].astype(np.float32)
        shared, _ = cv2.intersectConvexConvex(corners.astype(np.float32), cv2.convexHull(outline))
        return float(shared) >= TUCKED_SHARE * cv2.contourArea(corners.astype(np.float32))

    def _sample(self, picture: Frame, colours: _Colours, seconds: float) -> Iterator[Observation]:
        """Cards that lie still and uncovered though a hand moves over another part of their zone.

        Hands hover over the dealer's place for seconds, and a face may show there for a third of one.
        """
        for zone in sorted(self._close):
            every = DEALER_EVERY if zone == "dealer.cards" else OTHERS_EVERY
            busy = self._watcher.busy_seconds(zone, seconds)
            if busy is None or (zone != "dealer.cards" and busy < BUSY_SECONDS):
                self._sampled.pop(zone, None)
                continue
            if picture.index % every or (zone != "dealer.cards" and self._watcher.moving_share(zone) > STEADY_SHARE):
                continue
            tile = self._close[zone].warp(colours.bgr())
            sighting = self.eyes.table.look(_half(tile))
            if self._under_cover(tile, self._close[zone], zone, sighting):
                continue
            partly = self._covered(zone, self._close[zone], sighting)
            cards = self._cards(tile, self._close[zone], zone, sighting)
            if partly:
                cards = [card for card in cards if isinstance(card.identity, Known)]
            now = _Sample(seconds, picture.index, tuple(cards))
            before, self._sampled[zone] = self._sampled.get(zone), now
            lying = now.cards and before is not None and _same_cards(now.cards, before.cards, STEADY_MM)
            if before is None or not lying or _same_cards(now.cards, self._shown.get(zone, ()), MOVED_MM):
                continue
            self._shown[zone] = now.cards
            yield ZoneSeen(
                start=before.seconds,
                end=seconds,
                frame=before.frame,
                zone=zone,
                busy_since=seconds - busy,
                changed=1.0,
                dealer_hand=1.0,
                cards=now.cards,
                partly=True,
            )


def observe(pictures: Iterable[Frame | Gap], observer: Observer) -> Iterator[Observation]:
    """All observations of a recording, in the order in which they became certain."""
    for picture in pictures:
        yield from observer.feed(picture)
    yield from observer.finish()


def _kind(zone: str) -> str:
    name = zone.rpartition(".")[2]
    if name in ("cards", "community", "rack"):
        return "cards"
    return "wager" if zone.startswith("seat") else "other"


def _patch(calibration: Calibration, polygon_mm: Floats, margin_mm: float) -> FeltPatch:
    """The zone and its surroundings, straight with the table, in whole steps of the table net."""
    low, high = polygon_mm.min(axis=0) - margin_mm, polygon_mm.max(axis=0) + margin_mm
    width, height = np.ceil((high - low) / TILE_STEP_MM) * TILE_STEP_MM
    x, y = (low + high) / 2
    return calibration.patch((float(x), float(y)), (float(width), float(height)), px_per_mm=FINE_PX_PER_MM)


def _half(tile: Picture) -> Picture:
    return np.asarray(cv2.resize(tile, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)


def _mask(patch: FeltPatch, polygon_mm: Floats, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which cells of the table net's answer lie in the zone."""
    mask = np.zeros(shape, np.uint8)
    scale = shape[1] / patch.size_px[0]
    cv2.fillPoly(mask, [np.round(patch.to_px(polygon_mm) * scale).astype(np.int32)], 1)
    return mask > 0


def _seen(box: CardBox, patch: FeltPatch, reading: CardReading) -> SeenCard:
    corners = patch.to_mm(box.corners * FINE_PX_PER_MM)
    points: tuple[Point, ...] = tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners)
    identity: Known[str] | Unreadable[str] = Unreadable("back")
    probabilities: tuple[float, ...] = ()
    if box.face_up:
        probabilities = reading.spread()
        sure = max(probabilities)
        identity = Known(reading.card, sure) if sure >= KNOWN_CARD else Unreadable("index not clear")
    return SeenCard(
        corners_mm=(points[0], points[1], points[2], points[3]),
        face_up=box.face_up,
        face_confidence=round(max(box.face_chance, 1 - box.face_chance), 4),
        identity=identity,
        probabilities=probabilities,
        visible=round(box.visible, 3),
    )


def _colour(tile: Picture, box: CardBox) -> Floats:
    """Lab of the middle of a card's place, median."""
    middle = box.corners.mean(axis=0)
    mask = np.zeros(tile.shape[:2], np.uint8)
    inner = (middle + (box.corners - middle) * 0.6) * FINE_PX_PER_MM
    cv2.fillPoly(mask, [np.round(inner).astype(np.int32)], 1)
    pixels = tile[mask > 0]
    return _lab(pixels) if len(pixels) else np.zeros(3)


def _lab(pixels: Picture) -> Floats:
    """Median colour of N x 3 BGR pixels, as Lab in its usual units."""
    median = np.median(pixels, axis=0).astype(np.float32) / 255
    return np.asarray(cv2.cvtColor(median.reshape(1, 1, 3), cv2.COLOR_BGR2Lab).reshape(3), np.float64)


def _is_felt(tile: Picture, box: CardBox) -> bool:
    return float(np.linalg.norm(_colour(tile, box) - _lab(tile[::4, ::4].reshape(-1, 3)))) < FELT_COLOURS


def _is_none(reading: CardReading) -> bool:
    return reading.kind == "none" and reading.kind_confidence >= NO_CARD


def _same_cards(first: tuple[SeenCard, ...], second: tuple[SeenCard, ...], within_mm: float) -> bool:
    """As many cards of the same faces at the same places."""
    left = list(second)
    for card in first:
        same = [
            other
            for other in left
            if other.face_up == card.face_up and np.abs(_middle(card) - _middle(other)).max() <= within_mm
        ]
        if not same:
            return False
        left.remove(same[0])
    return not left


def _middle(card: SeenCard) -> Floats:
    return np.asarray(np.mean(card.corners_mm, axis=0))
