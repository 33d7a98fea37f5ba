"""A picture's colours, converted when first asked for."""

from dataclasses import dataclass

from handreplay.footage import Frame, Picture


@dataclass(slots=True)
class Colours:
    """Colours of one picture, for whoever asks; nobody may write to them."""

    frame: Frame
    _bgr: Picture | None = None

    def bgr(self) -> Picture:
        """H x W x 3."""
        if self._bgr is None:
            self._bgr = self.frame.bgr()
        return self._bgr
