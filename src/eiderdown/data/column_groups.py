"""Indicator columns of one category, joined: they come in or stay out of an answer together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data.dataset import Dataset
from eiderdown.errors import ColumnKindError, OptionError

if TYPE_CHECKING:
    from eiderdown.arrays import FloatArray

NONE_OF_THEM = "none of them"
"""The category of rows in which no indicator is 1."""


def with_column_groups(data: Dataset, groups: Mapping[str, Sequence[Any]] | None) -> Dataset:
    """Join groups of indicator columns into one discrete column each.

    Parameters
    ----------
    data : Dataset
        The table.
    groups : mapping of str to sequence of labels, or None
        What each joined column is called, and its indicators: columns of 0 and 1, or of booleans,
        of which at most one is 1 in each row. A row with a missing indicator and no 1 is missing.

    Examples
    --------
    >>> data = Dataset.from_columns({"red": [1, 0, 0], "blue": [0, 1, 0], "size": [0.5, 1.5, 2.5]})
    >>> found = with_column_groups(data, {"colour": ["red", "blue"]})
    >>> found.names, found.categories(1), found.codes(1)
    (('size', 'colour'), ('red', 'blue', 'none of them'), array([0, 1, 2], dtype=uint8))
    """
    if not groups:
        return data
    if not isinstance(groups, Mapping) or not all(len(labels) > 1 for labels in groups.values()):
        raise OptionError(
            "column_groups must map the name of each group to its columns, at least two."
        )
    table = data
    for name, labels in groups.items():
        columns = [data.index(label) for label in labels]
        names = [data.names[i] for i in columns]
        codes = _codes(name, names, np.stack([_indicator(data, i) for i in columns]))
        categories = (*names, NONE_OF_THEM) if (codes == len(names)).any() else tuple(names)
        joined = Dataset.from_codes(codes[None, :], names=[name], categories=[categories])
        left = [other for other in table.names if other not in names]
        table = table.select(left).beside(joined) if left else replace(joined, roles=data.roles)
    return table


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


def _indicator(data: Dataset, i: int) -> FloatArray:
    """Return a column of 0 and 1 as numbers, NaN where they are missing."""
    categories = data.categories(i)
    values = np.array([*categories, np.nan])[data.codes(i)] if categories else data.values(i)
    if values.dtype.kind != "f" or not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise ColumnKindError(
            f"Column {data.names[i]!r} holds more than 0 and 1, and only indicators can be joined "
            "to a group; take it out of column_groups."
        )
    return values


def _codes(name: str, names: Sequence[str], indicators: FloatArray) -> IntArray:
    """Return which indicator is 1, the number of them for none, and -1 for a missing value."""
    n_ones = np.nansum(indicators, axis=0)
    if (n_ones > 1).any():
        raise ColumnKindError(
            f"Of the columns of group {name!r} more than one is 1 in {np.sum(n_ones > 1):,} rows; "
            "only indicators of one category can be joined."
        )
    codes = np.where(n_ones == 1, np.nan_to_num(indicators).argmax(axis=0), len(names))
    return np.where((n_ones == 0) & np.isnan(indicators).any(axis=0), -1, codes)
