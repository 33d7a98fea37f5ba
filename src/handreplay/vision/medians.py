"""Medians of columns, by counting or sorting, which processors do far quicker than picking the middle out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def medians(rows: NDArray[Any]) -> NDArray[Any]:
    """The median of each column of N x D values without NaN, N at least 1: as `np.median(rows, axis=0)`."""
    middle = [(len(rows) - 1) // 2, len(rows) // 2]
    if rows.dtype == np.uint8:
        reached = [np.bincount(column, minlength=256).cumsum() for column in rows.T]
        return np.array([counts.searchsorted(middle, side="right").mean() for counts in reached])
    return np.asarray(np.sort(rows.T, axis=1)[:, middle].mean(axis=1))
