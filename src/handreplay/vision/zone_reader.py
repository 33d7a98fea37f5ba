"""What lies in one zone, from a straightened view of it: whether it can be read at all, and its cards."""

import math
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import Point, SeenCard, Tint
from handreplay.core.readings import Known, Unreadable
from handreplay.vision.calibration import Calibration, FeltPatch, PictureWindow
from handreplay.vision.card_reader import CardReading
from handreplay.vision.change import Watcher
from handreplay.vision.chip_counter import ChipNets
from handreplay.vision.fans import laid_open, row_of
from handreplay.vision.medians import medians
from handreplay.vision.read_twice import each_read_once
from handreplay.vision.second_look import CardNet, second_look
from handreplay.vision.straighten import straighten
from handreplay.vision.table_eye import CardBox, Sighting
from handreplay.vision.zones import Zones

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

FINE_PX_PER_MM = 2.0  # for reading; the table net looks at every second pixel
TILE_STEP_MM = 32
COVERED_SHARE = 0.12  # of the zone; more under hands and other objects and it is waited for
CLEAR_SHARE = 0.02  # of the zone; with less under hands and objects it lies clear
CARD_ZONE_MARGIN_MM = 25.0
TUCKED_SHARE = 0.15  # of a card's area
KNOWN_CARD = 0.9
LEAST_OF_A_CARD = 0.2  # share of a card's place that looks other than empty felt, at least
LEAST_VISIBLE = 0.08
BACKS_KEPT = 60
FELT_COLOURS = 5.0  # in Lab; a place that is this near to the felt's colour is felt, whatever is printed round it
COVER_COLOURS = 25.0  # in Lab, brightness left out; a back this far from all others is a cover card
NO_CARD = 0.9  # the card reader's word that a found card is none
A_BACK = 0.8  # its word that a card lies face down: of white-edged backs strips show that look like faces
DECK_CHROMA = 8.0  # less is grey, which only a grey back is
SAME_HUE = math.radians(50)  # a lamp turns a back's colour by less; two reds are not told apart
TINT_VISIBLE = 0.8  # share of a back, at least, whose colour is believed
LEAST_FACE = 0.75  # the table net's word that a card lies face up, where its face cannot be read


class TableNet(Protocol):
    def look(self, view_bgr: Picture) -> Sighting: ...


@dataclass(frozen=True, slots=True)
class Eyes:
    """The nets. `backs`: the colours of the decks' backs, as the table's profile names them; `glance`: a table net that
    is quicker and not quite as exact, for the many looks that show nothing."""

    table: TableNet
    cards: CardNet
    chips: ChipNets
    backs: tuple[Tint, ...] = ()
    glance: TableNet | None = None


class ZoneReader:
    """Reads views of zones, cut by patches of FINE_PX_PER_MM.

    It learns on the way what the deck's backs look like and how much of the rack's zone its holder covers.
    """

    def __init__(self, calibration: Calibration, zones: Zones, eyes: Eyes, watcher: Watcher) -> None:
        self._calibration, self._zones, self._eyes, self._watcher = calibration, zones, eyes, watcher
        self._backs: deque[Floats] = deque(maxlen=BACKS_KEPT)
        self._holder_share: float | None = None  # of the rack, as first seen

    @property
    def holder_share(self) -> float | None:
        """Share of the rack's zone that its holder covers, as first seen."""
        return self._holder_share

    @property
    def backs(self) -> Floats:
        """Colours of the backs seen so far (N, 2), of Lab a and b."""
        return np.asarray(self._backs, np.float64).reshape(-1, 2)

    def recall(self, backs: Floats, holder_share: float | None) -> None:
        """What was learned in the recording before."""
        self._backs.extend(backs)
        self._holder_share = holder_share

    def look(self, tile: Picture, *, closely: bool = True) -> Sighting:
        """What the table net finds in a view, or else the one for a glance."""
        half = cv2.resize(tile, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        net = self._eyes.table if closely else self._eyes.glance or self._eyes.table
        return net.look(np.asarray(half, np.uint8))

    def covered(self, zone: str, patch: FeltPatch, sighting: Sighting) -> bool:
        """Do hands and objects that are neither card nor chip lie over the zone?"""
        share = self._share_covered(zone, patch, sighting)
        if zone == "rack":  # its holder is an object too
            self._holder_share = share if self._holder_share is None else self._holder_share
            share -= self._holder_share
        return share > COVERED_SHARE

    def _share_covered(self, zone: str, patch: FeltPatch, sighting: Sighting) -> float:
        inside = _mask(patch, self._zones.polygons_mm[zone], sighting.occluder.shape)
        return float((sighting.occluder[inside] > 0.5).mean())

    def lies_clear(self, zone: str, patch: FeltPatch, sighting: Sighting) -> bool:
        """Does no card of this zone or another reach over it, and hardly a hand or sleeve?"""
        reaches = (self._shared_mm2(patch.to_mm(box.corners * FINE_PX_PER_MM), zone) > 0 for box in sighting.cards)
        return self._share_covered(zone, patch, sighting) <= CLEAR_SHARE and not any(reaches)

    def under_cover(self, tile: Picture, patch: FeltPatch, zone: str, sighting: Sighting) -> bool:
        """Does a cover card lie there? It has another colour than all backs seen so far. (The rack's floor may too.)

        A deck's own colour first shows before a player, where no cover card comes to lie.
        """
        boxes = self.boxes(patch, zone, sighting) if zone != "rack" else []
        strange = [box for box in boxes if self._of_another_colour(tile, box)]
        dealt = _is_players(zone) and all(self._of_a_deck(_colour(tile, box)[1:]) for box in strange)
        return bool(strange) and not dealt

    def _of_a_deck(self, tint: Floats) -> bool:
        """May a back of this colour be of one of the table's decks, in whatever light?"""
        grey = math.hypot(*tint) < DECK_CHROMA
        named = [back for back in self._eyes.backs if (math.hypot(*back) < DECK_CHROMA) is grey]
        turns = [abs(math.atan2(tint[1], tint[0]) - math.atan2(b, a)) for a, b in named]
        return bool(turns) and (grey or any(min(turn, 2 * math.pi - turn) < SAME_HUE for turn in turns))

    def _of_another_colour(self, tile: Picture, box: CardBox) -> bool:
        if box.face_up or not self._backs:
            return False
        own = _colour(tile, box)[1:]
        return min(float(np.linalg.norm(own - back)) for back in self._backs) > COVER_COLOURS

    def boxes(self, patch: FeltPatch, zone: str, sighting: Sighting, tucked: Collection[str] = ()) -> list[CardBox]:
        """The outlines of cards that lie in this zone and in no other.

        A hand laid open where it was tucked reaches over other places: all of it lies in that of `tucked`, the wagers
        under which cards lay.
        """
        hand = [box for name in tucked for box in self._laid_open_at(name, patch, sighting)]
        own = [box for box in sighting.cards if self._belongs(box, patch, zone)]
        if zone in tucked:
            return own + [box for box in hand if not any(box is one for one in own)]
        return [box for box in own if not any(box is one for one in hand)]

    def _laid_open_at(self, wager: str, patch: FeltPatch, sighting: Sighting) -> list[CardBox]:
        """The open cards of a row that lies over this wager's place in part."""
        row = row_of(sighting.cards)
        outlines = [patch.to_mm(box.corners * FINE_PX_PER_MM) for box in row]
        over = [self._shared_mm2(corners, wager) >= TUCKED_SHARE * _area(corners) for corners in outlines]
        return row if any(over) else []

    def faces(self, tile: Picture, patch: FeltPatch, zone: str) -> list[SeenCard]:
        """The faces that are surely read in a zone where a machine, a pack and hands lie too."""
        boxes = [box for box in self.boxes(patch, zone, self.look(tile)) if box.face_up]
        return [card for card in self.cards(tile, patch, zone, boxes) if isinstance(card.identity, Known)]

    def cards(
        self, tile: Picture, patch: FeltPatch, zone: str, boxes: Collection[CardBox], frame: int | None = None
    ) -> list[SeenCard]:
        """The cards in these outlines, read. `frame` is the picture of a view that does not show the zone at rest."""
        readings = self._readings(tile, boxes, again=frame is None)
        boxes = [_as_read(box, reading) for box, reading in zip(boxes, readings, strict=True)]
        read = list(zip(boxes, readings, strict=True))
        if frame is None and zone != "community":  # whose cards are laid apart: there is nothing between to look for
            read = each_read_once(self._eyes.cards, tile, FINE_PX_PER_MM, read)
            read = laid_open(self._eyes.cards, tile, FINE_PX_PER_MM, read)
        felt = np.zeros(3) if all(box.face_up for box, _ in read) else _felt_colour(tile)
        seen = [
            _seen(box, patch, reading, tile)
            for box, reading in read
            if box.visible >= LEAST_VISIBLE and not (_is_none(reading) if box.face_up else _is_felt(tile, box, felt))
            if zone != "rack" or not self._of_another_colour(tile, box)
        ]
        self._note_backs(tile, zone, boxes)
        return [changed for card in seen if (changed := self.compared(card, zone, frame)) is not None]

    def _readings(self, tile: Picture, boxes: Collection[CardBox], *, again: bool) -> list[CardReading]:
        """What the card net makes of each outline; `again`: a face that it cannot read gets a second look."""
        outlines = [box.corners * FINE_PX_PER_MM for box in boxes]
        readings = self._eyes.cards.read([straighten(tile, outline) for outline in outlines]) if outlines else []
        if not again:
            return readings
        return [
            second_look(self._eyes.cards, tile, outline, reading) if box.face_up else reading
            for box, outline, reading in zip(boxes, outlines, readings, strict=True)
        ]

    def _note_backs(self, tile: Picture, zone: str, boxes: Iterable[CardBox]) -> None:
        """Players' cards tell what the deck's backs look like."""
        if _is_players(zone):
            self._backs.extend(_colour(tile, box)[1:] for box in boxes if not box.face_up and box.visible > 0.5)

    def compared(self, card: SeenCard, zone: str, frame: int | None = None) -> SeenCard | None:
        """The card with the share of its place that has changed; None when the felt there looks as if it were empty."""
        outline = self._calibration.to_picture_px(card.corners_mm)
        since_empty = self._watcher.share_changed(zone, outline, since_empty=True, frame=frame)
        if since_empty is not None and since_empty < LEAST_OF_A_CARD:
            return None
        since_look = self._watcher.share_changed(zone, outline, since_empty=False, frame=frame)
        return replace(card, changed=1.0 if since_look is None else round(since_look, 3))

    def _belongs(self, box: CardBox, patch: FeltPatch, zone: str) -> bool:
        """A card lies in the zone that holds its middle; tucked under a wager, in the one that it covers most of.

        One that lies beside the shoe is not in it.
        """
        corners = patch.to_mm(box.corners * FINE_PX_PER_MM)
        if kind_of(zone) != "wager":
            margin = 0.0 if kind_of(zone) == "shoe" else CARD_ZONE_MARGIN_MM
            return self._zones.zone_at(corners.mean(axis=0), margin) == zone
        seat = zone.partition(".")[0] + "."
        own = self._shared_mm2(corners, zone)
        if own < TUCKED_SHARE * _area(corners):
            return False
        wagers = [name for name in self._zones.names if name.startswith(seat) and kind_of(name) == "wager"]
        return all(self._shared_mm2(corners, name) <= own for name in wagers)

    def _shared_mm2(self, corners_mm: Floats, zone: str) -> float:
        outline = cv2.convexHull(self._zones.polygons_mm[zone].astype(np.float32))
        return float(cv2.intersectConvexConvex(corners_mm.astype(np.float32), outline)[0])


def _area(corners: Floats) -> float:
    return float(cv2.contourArea(corners.astype(np.float32)))


def kind_of(zone: str) -> str:
    """`cards`, `wager`, `shoe` of which only faces are read, or `other`, which is not read."""
    name = zone.rpartition(".")[2]
    if name == "shoe":
        return "shoe"
    if name in ("cards", "community", "rack"):
        return "cards"
    return "wager" if zone.startswith("seat") else "other"


def _is_players(zone: str) -> bool:
    """Is it where a player's cards lie?"""
    return zone.startswith("seat") and zone.endswith(".cards")


def patch_of(calibration: Calibration, polygon_mm: Floats, margin_mm: float) -> FeltPatch:
    """The zone and its surroundings, straight with the table, in whole steps of the table net."""
    (x, y), size = _around(polygon_mm, margin_mm)
    return calibration.patch((float(x), float(y)), size, px_per_mm=FINE_PX_PER_MM)


def closer(window: PictureWindow, polygon_mm: Floats, margin_mm: float) -> PictureWindow:
    """The window of a zone with a smaller margin than that of `window`, at a fraction of the cost of a new one."""
    _, (width, height) = _around(polygon_mm, margin_mm)
    return window.middle((round(width * FINE_PX_PER_MM), round(height * FINE_PX_PER_MM)))


def _around(polygon_mm: Floats, margin_mm: float) -> tuple[Floats, tuple[float, float]]:
    """Middle and size of a rectangle round a zone, in whole steps of the table net."""
    low, high = polygon_mm.min(axis=0) - margin_mm, polygon_mm.max(axis=0) + margin_mm
    width, height = np.ceil((high - low) / TILE_STEP_MM) * TILE_STEP_MM
    return (low + high) / 2, (float(width), float(height))


def middle_mm(box: CardBox, patch: FeltPatch) -> Floats:
    """The middle of a card's outline on the table, (2,)."""
    return np.asarray(patch.to_mm(box.corners * FINE_PX_PER_MM).mean(axis=0))


def _mask(patch: FeltPatch, polygon_mm: Floats, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which cells of the table net's answer lie in the zone."""
    mask = np.zeros(shape, np.uint8)
    scale = shape[1] / patch.size_px[0]
    cv2.fillPoly(mask, [np.round(patch.to_px(polygon_mm) * scale).astype(np.int32)], 1)
    return mask > 0


def _seen(box: CardBox, patch: FeltPatch, reading: CardReading, tile: Picture) -> SeenCard:
    corners = patch.to_mm(box.corners * FINE_PX_PER_MM)
    points: tuple[Point, ...] = tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners)
    identity: Known[str] | Unreadable[str] = Unreadable("back")
    probabilities = reading.spread() if box.face_up else ()
    sure = max(probabilities, default=0.0)
    face_up = sure >= KNOWN_CARD or (box.face_up and box.face_chance >= LEAST_FACE)
    if face_up:
        identity = Known(reading.card, sure) if sure >= KNOWN_CARD else Unreadable("index not clear")
    return SeenCard(
        corners_mm=(points[0], points[1], points[2], points[3]),
        face_up=face_up,
        face_confidence=round(max(box.face_chance, 1 - box.face_chance), 4),
        identity=identity,
        probabilities=probabilities if face_up else (),
        visible=round(box.visible, 3),
        tint=None if face_up or box.visible < TINT_VISIBLE else _tint(tile, box),
    )


def _tint(tile: Picture, box: CardBox) -> Tint:
    _, a, b = _colour(tile, box)
    return round(float(a), 1), round(float(b), 1)


def _colour(tile: Picture, box: CardBox) -> Floats:
    """Lab of the middle of a card's place, median."""
    middle = box.corners.mean(axis=0)
    inner = np.round((middle + (box.corners - middle) * 0.6) * FINE_PX_PER_MM).astype(np.int32)
    low = np.clip(inner.min(axis=0), 0, None)
    part = tile[low[1] : max(0, inner[:, 1].max() + 1), low[0] : max(0, inner[:, 0].max() + 1)]
    mask = np.zeros(part.shape[:2], np.uint8)
    if mask.size:
        cv2.fillPoly(mask, [inner - low], 1)
    pixels = part[mask > 0]
    return _lab(pixels) if len(pixels) else np.zeros(3)


def _lab(pixels: Picture) -> Floats:
    """Median colour of N x 3 BGR pixels, as Lab in its usual units."""
    median = medians(pixels).astype(np.float32) / 255
    return np.asarray(cv2.cvtColor(median.reshape(1, 1, 3), cv2.COLOR_BGR2Lab).reshape(3), np.float64)


def _felt_colour(tile: Picture) -> Floats:
    """Lab of what most of a view shows."""
    return _lab(tile[::4, ::4].reshape(-1, 3))


def _is_felt(tile: Picture, box: CardBox, felt: Floats) -> bool:
    return float(np.linalg.norm(_colour(tile, box) - felt)) < FELT_COLOURS


def _as_read(box: CardBox, reading: CardReading) -> CardBox:
    """The outline with the side up that the card reader sees; it hardly ever takes a face for a back."""
    a_back = reading.kind == "back" and reading.kind_confidence >= A_BACK
    return replace(box, face_up=False) if box.face_up and a_back else box


def _is_none(reading: CardReading) -> bool:
    return reading.kind == "none" and reading.kind_confidence >= NO_CARD
