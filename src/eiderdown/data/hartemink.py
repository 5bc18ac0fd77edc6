"""Pairwise-information discretisation: merge intervals so that columns keep telling of each other.

A. J. Hartemink, "Principled computational methods for the validation and discovery of genetic
regulatory networks", PhD thesis, MIT 2001.  Every column starts with many intervals of equal
frequency.  Then, one column after the other, the two neighbouring intervals are merged whose
merging loses the least mutual information with all other columns, until the wanted number
of intervals is left.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.cuts import check_n_bins, equal_frequency_cuts
from eiderdown.data.intervals import codes_at
from eiderdown.errors import InputError, OptionError


def hartemink_cuts(
    columns: Mapping[str, FloatArray], n_bins: int, *, n_initial_bins: int = 60
) -> dict[str, FloatArray]:
    """Return the cuts of each of several continuous columns, chosen together.

    Parameters
    ----------
    columns
        At least two columns of finite numbers, by name.
    n_bins
        The intervals that each column ends with (fewer if its values are too often equal).
    n_initial_bins
        The intervals of equal frequency that each column starts with, at most.

    Returns
    -------
    dict
        The ascending cuts of each column, by name.

    Examples
    --------
    >>> x = np.arange(12.0)
    >>> cuts = hartemink_cuts({"x": x, "y": (x > 8) + 0.0}, 2, n_initial_bins=4)
    >>> cuts["x"]
    array([8.5])
    """
    check_n_bins(n_bins)
    if len(columns) < 2:
        raise InputError("Discretising columns together needs at least two of them.")
    if n_initial_bins < n_bins:
        raise OptionError(
            f"n_initial_bins must be at least n_bins ({n_bins}), not {n_initial_bins!r}."
        )
    cuts = [equal_frequency_cuts(values, n_initial_bins) for values in columns.values()]
    codes = np.stack([codes_at(v, c) for v, c in zip(columns.values(), cuts, strict=True)])
    most = max(map(len, cuts)) + 1
    # Each round leaves every column with one interval less, if it still has too many.
    for _ in range(most - n_bins):
        for i in range(len(cuts)):
            if len(cuts[i]) >= n_bins:
                gap = _cheapest_merge(codes, i, [len(c) + 1 for c in cuts])
                cuts[i] = np.delete(cuts[i], gap)
                codes[i] -= codes[i] > gap
    return dict(zip(columns, cuts, strict=True))


def _cheapest_merge(codes: IntArray, i: int, n_categories: list[int]) -> int:
    """Return the gap of column ``i`` whose removal loses the least information in all pairs."""
    loss = np.zeros(n_categories[i] - 1)
    for j in range(len(codes)):
        if j != i:
            pairs = codes[i] * n_categories[j] + codes[j]
            table = np.bincount(pairs, minlength=n_categories[i] * n_categories[j])
            loss += _losses(table.reshape(n_categories[i], n_categories[j]))
    # Rounding must not decide between merges that lose the same.
    return int(np.flatnonzero(loss <= loss.min() + 1e-9 * len(codes[i]))[0])


def _losses(table: IntArray) -> FloatArray:
    """Return n times the mutual information (nats) lost by merging each row with the next.

    With N ln N for counts N, the information of a table is the sum over its cells less the
    sums over its margins; merging two rows touches only these rows and their totals.
    """
    merged = table[:-1] + table[1:]
    cells = _n_log_n(table).sum(axis=1)
    totals = _n_log_n(table.sum(axis=1))
    before = cells[:-1] + cells[1:] - totals[:-1] - totals[1:]
    after = _n_log_n(merged).sum(axis=1) - _n_log_n(merged.sum(axis=1))
    lost: FloatArray = before - after
    return lost


def _n_log_n(counts: IntArray) -> FloatArray:
    numbers = counts.astype(np.float64)
    product: FloatArray = numbers * np.log(np.maximum(numbers, 1.0))
    return product
