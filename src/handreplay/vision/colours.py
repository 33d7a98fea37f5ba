"""The colours of one picture, converted as far as somebody asks for them."""

from dataclasses import dataclass

from handreplay.footage import Frame, Picture


@dataclass(slots=True)
class Colours:
    """Colours of a picture in part; nobody may write to them."""

    frame: Frame
    _whole: Picture | None = None

    def part(self, rows: slice, columns: slice) -> Picture:
        """H x W x 3, BGR."""
        if self._whole is None:
            part = self.frame.bgr_part(rows, columns)
            if part is not None:
                return part
            self._whole = self.frame.bgr()
        return self._whole[rows, columns]
