"""What was seen, and what was not. An unread value has a type of its own and equals nothing."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

SEEN_CONFIDENCE = 0.96  # share of what is read from pictures that is right on measured clips; nothing is believed more


@dataclass(frozen=True, slots=True)
class Known(Generic[T]):
    value: T
    confidence: float  # 0 to 1, calibrated


@dataclass(frozen=True, slots=True, eq=False)
class Unreadable(Generic[T]):
    """Not read. `candidates` are the values it may have, with probabilities that add to at most 1."""

    reason: str
    candidates: tuple[tuple[T, float], ...] = ()


Reading = Known[T] | Unreadable[T]
