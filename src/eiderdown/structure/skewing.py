"""Skewed distributions: the same rows, weighted as if some categories of the columns were commoner.

What is correlation-immune in the rows as they are, such as parity, need not be so when they are
weighted (Page & Ray 2003). A skew favours one category of every column: a row's weight is multiplied
by s for each column in which it has the favoured category, and by 1 - s for each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.errors import OptionError

_BELOW_ONE = math.nextafter(1.0, 0.0)


def skewed_weights(
    data: Dataset,
    n_weightings: int,
    *,
    generator: np.random.Generator,
    least_favour: float = 0.5,
    most_favour: float = 1.0,
) -> FloatArray:
    """Draw weightings of the rows; the first leaves them as they are.

    Parameters
    ----------
    data : Dataset
        The table; its columns must be discrete.
    n_weightings : int
        How many weightings, the plain one included.
    generator : numpy Generator
        Where s and the favoured categories come from. Categories are drawn in the order of the columns'
        names, so that the order of the columns does not matter.
    least_favour, most_favour : float
        Between which s is drawn for each skew, evenly.

    Returns
    -------
    FloatArray of shape (n_weightings, n_rows)
        What each row counts for; every weighting sums to the number of rows.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    >>> plain, skewed = skewed_weights(data, 2, generator=np.random.default_rng(0))
    >>> plain.tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> skewed.round(2).tolist()
    [0.87, 0.41, 1.86, 0.87]
    """
    check_skews("n_weightings", n_weightings)
    check_favour(least_favour, most_favour)
    columns = sorted(range(data.n_columns), key=data.names.__getitem__)
    weights = np.ones((n_weightings, data.n_rows))
    for t in range(1, n_weightings):
        # From the far end of [0, 1), so that s is never exactly 1/2, which skews nothing.
        s = most_favour - (most_favour - least_favour) * generator.random()
        favoured = generator.integers(data.n_categories[columns])
        weights[t] = _weights(_n_favoured(data, columns, favoured), s)
    return frozen(weights)


def check_skews(option: str, n_weightings: int) -> None:
    """Refuse fewer than one weighting."""
    if n_weightings < 1:
        raise OptionError(f"{option} must be at least 1, the plain data, not {n_weightings}.")


def check_favour(least_favour: float, most_favour: float) -> None:
    """Refuse a range of s that does not lie between 1/2 and 1."""
    if not 0.5 <= least_favour <= most_favour <= 1.0:
        raise OptionError(
            "least_favour and most_favour must be from 0.5 to 1, the first not larger, not "
            f"{least_favour} and {most_favour}."
        )


def _n_favoured(data: Dataset, columns: Sequence[int], favoured: IntArray) -> IntArray:
    """Count for each row the columns in which it has the favoured category."""
    found = np.zeros(data.n_rows, dtype=np.int64)
    for column, category in zip(columns, favoured.tolist(), strict=True):
        found += data.codes(column) == category
    return found


def _weights(n_favoured: IntArray, s: float) -> FloatArray:
    """Return s^a (1 - s)^(d - a) for a of d columns, scaled to sum to the number of rows.

    Relative to the row with the most favoured categories, in logarithms: with many columns the
    products themselves would underflow.
    """
    odds = math.log(s) - math.log1p(-min(s, _BELOW_ONE))
    relative = np.exp(odds * (n_favoured - n_favoured.max()))
    weights: FloatArray = relative * (len(relative) / relative.sum())
    return weights
