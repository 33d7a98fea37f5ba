"""Medians of columns, by sorting, which processors do far quicker than picking the middle out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def medians(rows: NDArray[Any]) -> NDArray[Any]:
    """The median of each column of N x D values without NaN, N at least 1: as `np.median(rows, axis=0)`."""
    ordered = np.sort(rows.T, axis=1)
    count = ordered.shape[1]
    return np.asarray(ordered[:, (count - 1) // 2 : count // 2 + 1].mean(axis=1))
