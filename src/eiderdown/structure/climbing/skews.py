"""Skews: weightings of the rows, each of which favours one category of every column.

A row's weight is multiplied by s for each column in which it has the favoured category, and by
1 - s for each other (Page & Ray 2003).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.kernels import kernel

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
        Where s and the favoured categories come from. Categories are drawn in the order of the
        columns' names, so that the order of the columns does not matter.
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
    check_favour(least_favour, most_favour)
    columns = sorted(range(data.n_columns), key=data.names.__getitem__)
    strengths = np.empty(n_weightings - 1)
    favoured = np.empty((n_weightings - 1, len(columns)), dtype=np.int64)
    for t in range(n_weightings - 1):
        # From the far end of [0, 1), so that s is never exactly 1/2, which skews nothing.
        strengths[t] = most_favour - (most_favour - least_favour) * generator.random()
        favoured[t] = generator.integers(data.n_categories[columns])
    n_favoured = _n_favoured(data, columns, favoured)
    weights = np.ones((n_weightings, data.n_rows))
    for t, s in enumerate(strengths.tolist()):
        weights[t + 1] = _weights(n_favoured[t], s, len(columns))
    return frozen(weights)


def check_favour(least_favour: float, most_favour: float) -> None:
    """Refuse strengths of skews that cannot be."""
    if not 0.5 <= least_favour <= most_favour <= 1.0:
        raise OptionError(
            "least_favour and most_favour must be from 0.5 to 1, the first not larger, not "
            f"{least_favour} and {most_favour}."
        )


def _n_favoured(data: Dataset, columns: list[int], favoured: IntArray) -> NDArray[np.int32]:
    """Count for each skew and row the columns in which the row has the favoured category."""
    found = np.zeros((len(favoured), data.n_rows), dtype=np.int32)
    for k, column in enumerate(columns):
        count_equal(data.codes(column), np.ascontiguousarray(favoured[:, k]), found)
    return found


@kernel(
    "void(const(uint8[::1]), const(int64[::1]), int32[:, ::1])",
    "void(const(uint16[::1]), const(int64[::1]), int32[:, ::1])",
    "void(const(uint32[::1]), const(int64[::1]), int32[:, ::1])",
)
def count_equal(codes, wanted, counts):  # type: ignore[no-untyped-def]
    """Add 1 to counts[t, i] where codes[i] is wanted[t]."""
    for t in range(wanted.shape[0]):
        for i in range(codes.shape[0]):
            counts[t, i] += codes[i] == wanted[t]


def _weights(n_favoured: NDArray[np.int32], s: float, n_columns: int) -> FloatArray:
    """Return s^a (1 - s)^(d - a) for a of d columns, scaled to sum to the number of rows.

    Relative to the row with the most favoured categories, in logarithms: with many columns the
    products themselves would underflow.
    """
    odds = math.log(s) - math.log1p(-min(s, _BELOW_ONE))
    most = int(n_favoured.max(initial=0))
    relative = np.exp(odds * (np.arange(n_columns + 1) - most).clip(max=0))[n_favoured]
    weights: FloatArray = relative * (len(relative) / relative.sum())
    return weights
