"""Time of a recording: seconds from its first picture, strictly rising, with every hole named.

A recorder's timestamps wrap, jump, repeat or are missing. `Clock` turns them into one rising line and says where it
had to; `Holes` tells a hole in the footage from a camera that merely takes fewer pictures for a while.
"""

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import median

LONGEST_HOLE = 600  # seconds; a longer step is a clock that was set, not footage that is missing
BACKWARD_JUMP = 1  # seconds; a smaller step back is a picture out of order
JUMP = "discontinuity"  # begins the reason of a gap where the clock was set, and times are no longer the file's
MOST_OUT_OF_ORDER = 25  # pictures in a row; more is a clock that was set


@dataclass(frozen=True, slots=True)
class Gap:
    """Nothing is known between two times, seconds from the first picture."""

    start: Fraction
    end: Fraction
    reason: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture's place in time. `jump` says why the line before it was cut, when it was."""

    seconds: Fraction
    jump: str | None = None


@dataclass(slots=True)
class Clock:
    """Places timestamps on one rising line that starts at 0. `interval` is the usual time between pictures."""

    interval: Fraction
    estimated: int = 0  # pictures without a timestamp
    out_of_order: int = 0  # pictures left out, since their time had passed
    jumped: Fraction = Fraction(0)  # seconds that the stamps of the last picture are ahead of the line, by jumps
    _origin: Fraction | None = None
    _last: Fraction | None = None
    _step: Fraction | None = None  # between the last two timestamps
    _backward: int = 0

    @property
    def step(self) -> Fraction:
        """The time that one picture is taken to last: as between the last two, else the usual one."""
        return self._step or self.interval

    @property
    def last_stamp(self) -> Fraction:
        """The last picture's stamp as the file has it."""
        return (self._last or Fraction(0)) + (self._origin or Fraction(0))

    def place(self, stamp: Fraction | None) -> Placed | None:
        """The place of the next picture; None when its time has passed already."""
        if stamp is None:
            self.estimated += 1
            return self._at(Fraction(0) if self._last is None else self._last + self.step)
        if self._origin is None:
            self._origin = stamp if self._last is None else stamp - self._last - self.step
        seconds = stamp - self._origin
        if self._last is None:
            return self._at(seconds)
        step = seconds - self._last
        if -BACKWARD_JUMP < step <= 0 and self._backward < MOST_OUT_OF_ORDER:
            self._backward += 1
            self.out_of_order += 1
            return None
        if step <= 0 or step > LONGEST_HOLE:
            self._origin += step - self.step
            self.jumped += step - self.step
            return self._at(self._last + self.step, f"{JUMP}: the timestamps jump by {clock_text(step)}")
        if step <= 4 * self.interval:
            self._step = step
        return self._at(seconds)

    def _at(self, seconds: Fraction, jump: str | None = None) -> Placed:
        self._last, self._backward = seconds, 0
        return Placed(seconds, jump)


@dataclass(slots=True)
class Holes:
    """Tells which steps between pictures are holes. Feed every step; ask once the step after it is known."""

    usual: float | None  # seconds between pictures as the file says, when it does
    _steps: deque[float] = field(default_factory=lambda: deque(maxlen=33))
    _odd: deque[bool] = field(default_factory=lambda: deque(maxlen=50))

    def looks_long(self, step: float) -> bool:
        """Is the step half as long again as the usual one?"""
        return step > 1.5 * self._median()

    def is_hole(self, step: float, following: float | None) -> bool:
        """Is a long step a hole, given the step after it (None at the end)?

        A camera that slows down goes on with long steps; a hole stands alone. A camera whose steps vary all the time
        has a hole only where a step is far beyond all of them.
        """
        if sum(self._odd) > 5:
            return step > max(1.0, 4 * sorted(self._steps)[len(self._steps) * 9 // 10])
        return step >= 1.0 or following is None or not self.looks_long(following)

    def note(self, step: float) -> None:
        self._odd.append(self.looks_long(step))
        self._steps.append(step)

    def _median(self) -> float:
        if self.usual is not None and len(self._steps) < 3:
            return max([self.usual, *self._steps])
        return median(self._steps) if self._steps else float("inf")


def clock_text(seconds: Fraction | float) -> str:
    """`+13:15:31` or `-0:00:03`."""
    whole = round(abs(float(seconds)))
    return f"{'-' if seconds < 0 else '+'}{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
