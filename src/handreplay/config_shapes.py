"""Plane geometry for checking a profile's drawings: outlines, overlaps, calibration points. Millimetres or pixels."""

from collections.abc import Sequence
from math import hypot

Point = tuple[float, float]

_SAMPLES = 16  # per side of the shared box


def area(outline: Sequence[Point]) -> float:
    """Area inside a closed outline that does not cross itself, by the shoelace formula."""
    pairs = zip(outline, (*outline[1:], outline[0]), strict=True)
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2


def contains(outline: Sequence[Point], point: Point) -> bool:
    """Is the point inside? Counts the sides that a ray to the right crosses."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return inside


def crosses_itself(outline: Sequence[Point]) -> bool:
    """Do two sides that are no neighbours touch or cross?"""
    count = len(outline)
    sides = [(outline[i], outline[(i + 1) % count]) for i in range(count)]
    for i in range(count):
        for j in range(i + 2, count):
            if (i, j) != (0, count - 1) and _cross(*sides[i], *sides[j]):
                return True
    return False


def shared_share(one: Sequence[Point], other: Sequence[Point]) -> float:
    """Area that two outlines share, as a share of the smaller; sampled, to about one part in a hundred."""
    left, right = max(_low(one, 0), _low(other, 0)), min(_high(one, 0), _high(other, 0))
    bottom, top = max(_low(one, 1), _low(other, 1)), min(_high(one, 1), _high(other, 1))
    if left >= right or bottom >= top:
        return 0.0
    hits = 0
    for i in range(_SAMPLES):
        for j in range(_SAMPLES):
            point = (left + (right - left) * (i + 0.5) / _SAMPLES, bottom + (top - bottom) * (j + 0.5) / _SAMPLES)
            hits += contains(one, point) and contains(other, point)
    return hits / _SAMPLES**2 * (right - left) * (top - bottom) / min(area(one), area(other))


def on_one_line(points: Sequence[Point], tolerance: float = 0.02) -> bool:
    """Do the points lie so close to one line that no plane can be fitted through them?

    True when the spread across the line is under `tolerance` of the spread along it.
    """
    count = len(points)
    cx, cy = sum(p[0] for p in points) / count, sum(p[1] for p in points) / count
    xx = sum((p[0] - cx) ** 2 for p in points)
    yy = sum((p[1] - cy) ** 2 for p in points)
    xy = sum((p[0] - cx) * (p[1] - cy) for p in points)
    root = hypot(xx - yy, 2 * xy)
    large, small = (xx + yy + root) / 2, (xx + yy - root) / 2
    return large <= 0 or small <= tolerance**2 * large


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Do the segments a-b and c-d have a point in common?"""
    first, second = _turn(c, d, a), _turn(c, d, b)
    third, fourth = _turn(a, b, c), _turn(a, b, d)
    if first * second < 0 and third * fourth < 0:
        return True
    return (
        (first == 0 and _between(c, d, a))
        or (second == 0 and _between(c, d, b))
        or (third == 0 and _between(a, b, c))
        or (fourth == 0 and _between(a, b, d))
    )


def _turn(a: Point, b: Point, p: Point) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def _between(a: Point, b: Point, p: Point) -> bool:
    return min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])


def _low(outline: Sequence[Point], axis: int) -> float:
    return min(point[axis] for point in outline)


def _high(outline: Sequence[Point], axis: int) -> float:
    return max(point[axis] for point in outline)
