"""Columns that look like indicators of one category: taken for single ones they mislead."""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data import Dataset


def undeclared_groups(data: Dataset) -> list[tuple[str, ...]]:
    """Return sets of columns that look like indicators of one category, taken for single columns.

    They are at least three columns of 0 and 1 whose names follow each other, exactly one of which
    is 1 in each row.

    Examples
    --------
    >>> columns = {"is_a": [1, 0, 0, 1], "is_b": [0, 1, 0, 0], "is_c": [0, 0, 1, 0]}
    >>> undeclared_groups(Dataset.from_columns({**columns, "y": [0, 1, 1, 0]}))
    [('is_a', 'is_b', 'is_c')]
    """
    found: list[tuple[str, ...]] = []
    names: list[str] = []
    total = np.zeros(data.n_rows, dtype=np.int64)
    for name in sorted(data.names):
        own = _zero_or_one(data, data.index(name))
        if own is None or (total + own).max() > 1:
            names, total = [], np.zeros(data.n_rows, dtype=np.int64)
        if own is None:
            continue
        names, total = [*names, name], total + own
        if len(names) > 2 and total.min() == 1:
            found.append(tuple(names))
            names, total = [], np.zeros(data.n_rows, dtype=np.int64)
    return found


def _zero_or_one(data: Dataset, i: int) -> IntArray | None:
    """Return a column of 0 and 1 without missing values, or None if it is another."""
    if not data.is_discrete[i] or data.has_missing[i] or tuple(data.categories(i)) != (0, 1):
        return None
    return data.codes(i).astype(np.int64)
