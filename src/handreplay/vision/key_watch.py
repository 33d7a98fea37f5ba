"""A watcher of pictures that lie seconds apart: nothing is known of how one became the next.

A zone is reported whenever a picture shows it other than it was last read; a hand over it is for the eyes to see.
"""

from collections.abc import Iterator

import cv2
import numpy as np

from handreplay.vision.change import CHANGE_LEVELS, Moved, Plane, Rest, Watcher

KEPT = 3  # pictures
NO_HAND = 0.0  # nobody was seen to reach in


class KeyWatcher(Watcher):
    """Feed it key pictures in order; it says which zones look other than they were last read."""

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
        before = self._recent[-1][0] if self._recent else seconds
        rests = list(self._changed(seconds, frame, small, chroma, before))
        self._recent.append((seconds, frame, small))
        while len(self._recent) > KEPT:
            self._recent.popleft()
        return rests

    def _changed(
        self, seconds: float, frame: int, small: Plane, chroma: tuple[Plane, Plane] | None, before: float
    ) -> Iterator[Rest]:
        for name, zone in self._zones.items():
            zone.known_different.clear()
            zone.now, zone.still_since = zone.window.cut(small).astype(np.float32), seconds
            zone.tint = None
            if chroma is not None:
                tint = np.dstack([zone.window.cut(plane) for plane in chroma]).astype(np.float32)
                zone.tint = np.asarray(cv2.blur(tint, (3, 3)), np.float32)
            different = zone.different(CHANGE_LEVELS, since_empty=False)
            changed = 1.0 if different is None else float(different.sum()) / max(1, zone.window.area)
            if changed:
                since = seconds if different is None else before
                yield Rest(name, seconds, seconds, frame, since, changed, NO_HAND, NO_HAND)
