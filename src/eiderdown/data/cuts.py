"""Cut points for one continuous column.

Cuts ``c[0] < c[1] < ...`` divide the line into ``(-inf, c[0]]``, ``(c[0], c[1]]``, ... : a
value equal to a cut belongs to the interval below it.

`mdl_cuts` follows U. M. Fayyad and K. B. Irani, "Multi-interval discretization of
continuous-valued attributes for classification learning", IJCAI 1993.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.errors import InputError, NonFiniteError, OptionError


def equal_width_cuts(values: ArrayLike, n_bins: int) -> FloatArray:
    """Return the cuts of ``n_bins`` intervals of equal width between least and greatest value.

    A constant column has no cuts.

    Examples
    --------
    >>> equal_width_cuts([0.0, 1.0, 4.0], 4)
    array([1., 2., 3.])
    """
    numbers = _finite(values)
    check_n_bins(n_bins)
    low, high = numbers.min(), numbers.max()
    cuts = np.unique(np.linspace(low, high, n_bins + 1)[1:-1])
    inside: FloatArray = cuts[cuts < high]
    return inside


def equal_frequency_cuts(values: ArrayLike, n_bins: int) -> FloatArray:
    """Return the cuts of at most ``n_bins`` intervals with about the same number of values.

    A cut lies midway between two neighbouring distinct values.  Equal values are never
    divided, so that ties may leave fewer intervals.

    Examples
    --------
    >>> equal_frequency_cuts([1.0, 2.0, 3.0, 4.0], 2)
    array([2.5])
    >>> equal_frequency_cuts([0.0, 0.0, 0.0, 5.0], 2)
    array([2.5])
    """
    numbers = _finite(values)
    check_n_bins(n_bins)
    distinct, counts = np.unique(numbers, return_counts=True)
    below = np.cumsum(counts)[:-1]
    if len(below) == 0:
        return np.empty(0)
    wanted = np.arange(1, n_bins) * (len(numbers) / n_bins)
    # The gap whose number of values below it is closest to what is wanted; the lower one if tied.
    right = np.clip(np.searchsorted(below, wanted), 0, len(below) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(wanted - below[left] <= below[right] - wanted, left, right)
    return _midpoints(distinct, np.unique(nearest))


def mdl_cuts(values: ArrayLike, classes: ArrayLike) -> FloatArray:
    """Return the cuts that tell most about the classes, as long as they pay for themselves.

    Each interval is divided where the class entropy of its two sides is least, if the gain
    of information exceeds the cost of describing the division (minimum description length);
    then its two sides likewise.

    Parameters
    ----------
    values
        The numbers to be cut.
    classes
        The class of each number: integers, text or booleans.

    Examples
    --------
    >>> mdl_cuts([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 1, 1, 1, 1])
    array([4.5])
    >>> mdl_cuts([1, 2, 3, 4], [0, 1, 0, 1])
    array([], dtype=float64)
    """
    numbers = _finite(values)
    labels = np.unique(np.asarray(classes), return_inverse=True)[1].reshape(-1)
    if len(labels) != len(numbers):
        raise InputError(f"There are {len(numbers)} values but {len(labels)} classes.")
    distinct, which = np.unique(numbers, return_inverse=True)
    counts = np.zeros((len(distinct), int(labels.max()) + 1), np.int64)
    np.add.at(counts, (which, labels), 1)
    # below[i] are the class counts of all values before the i-th distinct one.
    below = np.concatenate([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)])
    gaps = _accepted_gaps(below, _boundary_gaps(counts))
    return _midpoints(distinct, gaps)


def _boundary_gaps(counts: IntArray) -> BoolArray:
    """Tell which gaps between distinct values can hold a best cut (Fayyad and Irani, Theorem 1).

    A gap is no boundary point if all values on both its sides are of one and the same class.
    """
    pure = (counts > 0).sum(axis=1) == 1
    main = counts.argmax(axis=1)
    same: BoolArray = pure[:-1] & pure[1:] & (main[:-1] == main[1:])
    return ~same


def _accepted_gaps(below: IntArray, boundary: BoolArray) -> IntArray:
    accepted: list[int] = []
    pending = [(0, len(boundary) + 1)]
    while pending:
        start, stop = pending.pop()
        gap = _best_gap(below, boundary, start, stop)
        if gap is not None:
            accepted.append(gap)
            pending += [(start, gap + 1), (gap + 1, stop)]
    return np.array(sorted(accepted), np.int64)


def _best_gap(below: IntArray, boundary: BoolArray, start: int, stop: int) -> int | None:
    """Return the gap that divides distinct values start..stop-1 best, if it is worth its cost."""
    gaps = start + np.flatnonzero(boundary[start : stop - 1])
    if len(gaps) == 0:
        return None
    whole = below[stop] - below[start]
    left = below[gaps + 1] - below[start]
    right = whole - left
    n_left, n_right, n = left.sum(axis=1), right.sum(axis=1), int(whole.sum())
    remaining = (n_left * _entropy(left) + n_right * _entropy(right)) / n
    # Rounding must not decide between cuts that tell the same: the lowest wins.
    best = int(np.flatnonzero(remaining <= remaining.min() + 1e-12)[0])
    gain = float(_entropy(whole[None, :])[0] - remaining[best])
    cost = (np.log2(n - 1) + _description(whole, left[best], right[best])) / n
    return int(gaps[best]) if gain > cost else None


def _description(whole: IntArray, left: IntArray, right: IntArray) -> float:
    """Return Delta(A, T; S) = log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2))."""
    parts = np.stack([whole, left, right])
    n_classes = (parts > 0).sum(axis=1).astype(np.float64)
    weighted = n_classes * _entropy(parts)
    # log2(3^k - 2), written so that it does not overflow for many classes.
    choices = n_classes[0] * np.log2(3.0) + np.log1p(-2 * 3.0 ** -n_classes[0]) / np.log(2.0)
    return float(choices - (weighted[0] - weighted[1] - weighted[2]))


def _entropy(counts: IntArray) -> FloatArray:
    """Return the entropy, in bits, of each row of class counts."""
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / totals
    logs = np.log2(shares, out=np.zeros_like(shares), where=counts > 0)
    entropy: FloatArray = -(shares * logs).sum(axis=1)
    return entropy


def _midpoints(distinct: FloatArray, gaps: IntArray) -> FloatArray:
    low, high = distinct[gaps], distinct[gaps + 1]
    middle = 0.5 * low + 0.5 * high
    # Between neighbouring floats there is no middle: then the lower one is the cut.
    return np.where((low <= middle) & (middle < high), middle, low)


def _finite(values: ArrayLike) -> FloatArray:
    numbers = np.asarray(values, np.float64)
    if numbers.ndim != 1 or len(numbers) == 0:
        raise InputError("Cuts need a one-dimensional array with at least one value.")
    if not np.isfinite(numbers).all():
        raise NonFiniteError("Cuts need finite values; drop or replace the others.")
    return numbers


def check_n_bins(n_bins: int) -> None:
    """Raise unless a column can be cut into this many intervals."""
    if n_bins < 2:
        raise OptionError(f"n_bins must be at least 2, not {n_bins!r}.")
