"""Cards that lie still though a hand moves over another part of their zone.

Hands hover over the dealer's place for seconds, and a face may show there for a third of one. So pictures a few apart
are compared in pairs: what lies there in both, and was not reported before, is reported. Looking is dear and most pairs
hold nothing new; so one picture of a pair is looked at only where enough of the zone both keeps still between the two
and differs from how the zone was last seen, and the other only if the first one shows something new. Those looks are
glances, by a net that gives outlines a little off; what they agree on is looked at closely before it is reported.
"""

from collections import deque
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known
from handreplay.vision.calibration import PictureWindow
from handreplay.vision.change import Plane, Watcher
from handreplay.vision.colours import Colours
from handreplay.vision.zone_reader import ZoneReader, middle_mm
from handreplay.vision.zones import Zones

Floats = NDArray[np.float64]

DEALERS = ("dealer.cards", "community")  # zones that the dealer's hands hover over
DEALER_EVERY = 2  # pictures; how often cards are looked for while their zone is busy
OTHERS_EVERY = 2
BUSY_SECONDS = 0.7
STEADY_SHARE = 0.6  # of a zone; while more of it moves, nothing lies steady there
STEADY_MM = 2.5  # between the two pictures of a pair
GLANCE_MM = 1.0  # by which an outline of a glance may be off
MOVED_MM = 5.0  # against what was last reported
KNOWN_LOOKS = 4  # a hand that hovers looks much the same again and again
KNOWN_SECONDS = 3.0
NEW_MM2 = 400.0  # still, lighter than the felt and unlike before, at least: a fourteenth of a card

Shown = MutableMapping[str, tuple[SeenCard, ...]]  # by zone, as last reported


@dataclass(slots=True)
class _Glimpse:
    """One picture of a busy zone. `cards` is None until it was glanced at, and empty where that showed nothing new."""

    seconds: float
    frame: int
    turn: int  # number among the pictures that were fed
    colours: Colours
    cards: tuple[SeenCard, ...] | None = None


class Glimpses:
    """Feed it every picture after the watcher has had it. `shown` is shared with whoever reads zones at rest."""

    def __init__(
        self,
        reader: ZoneReader,
        watcher: Watcher,
        windows: Mapping[str, PictureWindow],
        zones: Zones,
        shown: Shown,
    ) -> None:
        self._reader, self._watcher, self._windows, self._shown = reader, watcher, windows, shown
        outlines = {name: zones.polygons_mm[name].astype(np.float32) for name in windows}
        self._least = {name: NEW_MM2 / cv2.contourArea(outline) for name, outline in outlines.items()}
        self._turn = -1
        self._last: dict[str, _Glimpse] = {}
        self._nothing_new: dict[str, deque[tuple[float, Plane]]] = {}  # how zones looked, and when, with nothing new

    def feed(self, frame: int, seconds: float, colours: Colours) -> Iterator[ZoneSeen]:
        """What a picture shows to lie in busy zones that was not reported before."""
        self._turn += 1
        for zone in sorted(self._windows):
            dealers = zone in DEALERS
            busy = self._watcher.busy_seconds(zone, seconds)
            if busy is None or (not dealers and busy < BUSY_SECONDS):
                self._last.pop(zone, None)
                self._nothing_new.pop(zone, None)
                continue
            every = DEALER_EVERY if dealers else OTHERS_EVERY
            if self._turn % every or (not dealers and self._watcher.moving_share(zone) > STEADY_SHARE):
                continue
            now = _Glimpse(seconds, frame, self._turn, colours)
            before, self._last[zone] = self._last.get(zone), now
            if before is not None:
                yield from self._compare(zone, before, now, every, seconds - busy)

    def _compare(self, zone: str, before: _Glimpse, now: _Glimpse, every: int, busy_since: float) -> Iterator[ZoneSeen]:
        known = [plane for at, plane in self._nothing_new.get(zone, ()) if now.seconds - at <= KNOWN_SECONDS]
        if self._watcher.still_news(zone, before.frame, now.frame, known) < self._least[zone]:
            return
        first, second = (now, before) if before.cards is None and now.turn % (2 * every) == 0 else (before, now)
        if not self._cards(zone, first) or not self._cards(zone, second):
            return
        assert before.cards is not None and now.cards is not None
        shown = self._shown.get(zone, ())
        if not _same_cards(now.cards, before.cards) or not _news(now.cards, shown, MOVED_MM):
            return
        cards = self._look(zone, now, closely=True)
        if not _same_cards(now.cards, cards) or not _news(cards, shown, MOVED_MM):
            return
        self._shown[zone] = now.cards = cards
        yield ZoneSeen(
            start=before.seconds,
            end=now.seconds,
            frame=before.frame,
            zone=zone,
            busy_since=busy_since,
            changed=1.0,
            dealer_hand=1.0,
            cards=now.cards,
            partly=True,
        )

    def _cards(self, zone: str, glimpse: _Glimpse) -> tuple[SeenCard, ...]:
        """The cards of a glimpse, at a glance, if one of them is new."""
        if glimpse.cards is None:
            glimpse.cards = self._look(zone, glimpse, closely=False)
            plane = self._watcher.looks(zone, glimpse.frame)
            if not glimpse.cards and plane is not None:
                self._nothing_new.setdefault(zone, deque(maxlen=KNOWN_LOOKS)).append((glimpse.seconds, plane.copy()))
        return glimpse.cards

    def _look(self, zone: str, glimpse: _Glimpse, *, closely: bool) -> tuple[SeenCard, ...]:
        window, shown, within = self._windows[zone], self._shown.get(zone, ()), MOVED_MM - STEADY_MM
        patch = window.patch
        tile = patch.warp(glimpse.colours.part(window.rows, window.columns))
        sighting = self._reader.look(tile, closely=closely)
        boxes = self._reader.boxes(patch, zone, sighting)
        before = [_lying(middle_mm(box, patch), box.face_up, shown, within) for box in boxes]
        if None not in before or self._reader.under_cover(tile, patch, zone, sighting):
            return ()
        fresh = [box for box, known in zip(boxes, before, strict=True) if known is None]
        cards = self._reader.cards(tile, patch, zone, fresh, glimpse.frame)
        if not _news(cards, shown, within):
            return ()
        cards += [replace(known, probabilities=()) for known in before if known is not None]  # one reading, one vote
        if zone not in DEALERS or self._reader.covered(zone, patch, sighting):
            cards = [card for card in cards if isinstance(card.identity, Known)]
        return tuple(cards) if _news(cards, shown, within) else ()


def _news(cards: Sequence[SeenCard], shown: Sequence[SeenCard], within_mm: float) -> bool:
    """Does a card lie where none of that side was reported?"""
    return any(_lying(_middle(card), card.face_up, shown, within_mm) is None for card in cards)


def _lying(middle_mm: Floats, face_up: bool, shown: Sequence[SeenCard], within_mm: float) -> SeenCard | None:
    """The card of that side that was reported there."""
    near = (card for card in shown if card.face_up == face_up and np.abs(middle_mm - _middle(card)).max() <= within_mm)
    return next(near, None)


def _same_cards(first: Sequence[SeenCard], second: Sequence[SeenCard]) -> bool:
    """As many cards of the same faces at the same places."""
    left = list(second)
    for card in first:
        same = [
            other
            for other in left
            if other.face_up == card.face_up and np.abs(_middle(card) - _middle(other)).max() <= STEADY_MM + GLANCE_MM
        ]
        if not same:
            return False
        left.remove(same[0])
    return not left


def _middle(card: SeenCard) -> Floats:
    return np.asarray(np.mean(card.corners_mm, axis=0))
