"""A watcher of pictures that lie seconds apart: nothing is known of how one became the next.

A zone is reported when two pictures in a row show it alike, and other than it was last read: hands are mostly gone by
then, and what is laid down or taken away for good lies so for some seconds. Where no two do for a while, as in a quick
deal, it is reported as it is; a hand over it is then for the eyes to see.
"""

import cv2
import numpy as np

from handreplay.vision.change import CHANGE_LEVELS, MOTION_LEVELS, Moved, Plane, Rest, Watcher

KEPT = 3  # pictures
PATIENCE_SECONDS = 3.0  # for so long a place may differ from picture to picture before it is read as it is
NO_HAND = 0.0  # nobody was seen to reach in


class KeyWatcher(Watcher):
    """Feed it key pictures in order; it says which zones have come to rest other than they were last read."""

    def update(
        self,
        seconds: float,
        frame: int,
        small: Plane,
        moved: Moved | None = None,
        chroma: tuple[Plane, Plane] | None = None,
    ) -> list[Rest]:
        if not self._zones:
            self._start((small.shape[0], small.shape[1]))
        settled = self._settled(seconds, small) if self._recent else []
        rests = [rest for name in settled if (rest := self._rest(name, small, chroma)) is not None]
        self._recent.append((seconds, frame, small))
        while len(self._recent) > KEPT:
            self._recent.popleft()
        return rests

    def _settled(self, seconds: float, small: Plane) -> list[str]:
        """The zones to compare with how they were last read."""
        before, _, last = self._recent[-1]
        moved = (cv2.absdiff(small, last) > MOTION_LEVELS).astype(np.uint8)
        settled = []
        for name, zone in self._zones.items():
            zone.still_since = None
            if zone.window.pixels(moved) > zone.window.unmoved:
                if not zone.busy:
                    zone.busy, zone.busy_since = True, before
                self._unsettled.add(name)
                if seconds - zone.busy_since > PATIENCE_SECONDS:
                    settled.append(name)
            elif name in self._unsettled:
                settled.append(name)
        return settled

    def _rest(self, name: str, small: Plane, chroma: tuple[Plane, Plane] | None) -> Rest | None:
        zone, (seconds, frame, _) = self._zones[name], self._recent[-1]
        self._unsettled.discard(name)
        zone.known_different.clear()
        zone.now, zone.still_since, zone.tint = zone.window.cut(small).astype(np.float32), seconds, None
        if chroma is not None:
            tint = np.dstack([zone.window.cut(plane) for plane in chroma]).astype(np.float32)
            zone.tint = np.asarray(cv2.blur(tint, (3, 3)), np.float32)
        if not (zone.busy or zone.reference is None or zone.unwatched):
            return None
        zone.unwatched = False
        different = zone.different(CHANGE_LEVELS, since_empty=False)
        changed = 1.0 if different is None else float(different.sum()) / max(1, zone.window.area)
        since = zone.busy_since if zone.busy else seconds
        return Rest(name, seconds, seconds, frame, since, changed, NO_HAND, NO_HAND)
