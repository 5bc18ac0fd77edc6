"""Continuous columns made discrete: cut points, and the interval between cuts of each value.

Cuts ``c[0] < c[1] < ...`` divide the line into ``(-inf, c[0]]``, ``(c[0], c[1]]``, ... : a
value equal to a cut belongs to the interval below it.  Missing numbers (NaN) decide nothing about
the cuts, and become missing categories.

`mdl_cuts` follows U. M. Fayyad and K. B. Irani, "Multi-interval discretization of
continuous-valued attributes for classification learning", IJCAI 1993. `hartemink_cuts` follows
A. J. Hartemink, "Principled computational methods for the validation and discovery of genetic
regulatory networks", PhD thesis, MIT 2001.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data.dataset import Dataset
from eiderdown.data.encode import MAX_CATEGORIES
from eiderdown.errors import InputError, MissingValuesError, NonFiniteError, OptionError
from eiderdown.option_types import fit, shown

_MOST_BINS = 100_000


def equal_width_cuts(values: ArrayLike, n_bins: int) -> FloatArray:
    """Return the cuts of ``n_bins`` intervals of equal width between least and greatest value.

    A constant column has no cuts.

    Examples
    --------
    >>> equal_width_cuts([0.0, 1.0, 4.0], 4)
    array([1., 2., 3.])
    """
    numbers = _finite(values)
    _check_n_bins(n_bins)
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
    _check_n_bins(n_bins)
    distinct, counts = np.unique(numbers, return_counts=True)
    below = np.cumsum(counts)[:-1]
    if len(below) == 0:
        return np.empty(0)
    wanted = np.arange(1, n_bins) * (len(numbers) / n_bins)
    # The gap whose number of values below it is closest to what is wanted; the lower one if tied.
    right = np.clip(np.searchsorted(below, wanted), 0, len(below) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(wanted - below[left] <= below[right] - wanted, left, right)
    return midpoints(distinct, np.unique(nearest))


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
    known = np.asarray(classes)
    if len(known) != len(np.asarray(values)):
        raise InputError(f"There are {len(np.asarray(values))} values but {len(known)} classes.")
    numbers = _finite(values)
    known = known[~np.isnan(np.asarray(values, np.float64))]
    labels = np.unique(known, return_inverse=True)[1].reshape(-1)
    distinct, which = np.unique(numbers, return_inverse=True)
    counts = np.zeros((len(distinct), int(labels.max()) + 1), np.int64)
    np.add.at(counts, (which, labels), 1)
    # below[i] are the class counts of all values before the i-th distinct one.
    below = np.concatenate([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)])
    boundary, accepted = _boundary_gaps(counts), list[int]()
    pending = [(0, len(distinct))]
    while pending:
        start, stop = pending.pop()
        gap = _best_gap(below, boundary, start, stop)
        if gap is not None:
            accepted.append(gap)
            pending += [(start, gap + 1), (gap + 1, stop)]
    return midpoints(distinct, np.array(sorted(accepted), np.int64))


def _boundary_gaps(counts: IntArray) -> BoolArray:
    """Tell which gaps between distinct values can hold a best cut (Fayyad and Irani, Theorem 1).

    A gap is no boundary point if all values on both its sides are of one and the same class.
    """
    pure = (counts > 0).sum(axis=1) == 1
    main = counts.argmax(axis=1)
    same: BoolArray = pure[:-1] & pure[1:] & (main[:-1] == main[1:])
    return ~same


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


def midpoints(distinct: FloatArray, gaps: IntArray) -> FloatArray:
    """Return the cuts midway between some distinct values, in order, and those behind them."""
    low, high = distinct[gaps], distinct[gaps + 1]
    middle = 0.5 * low + 0.5 * high
    # Between neighbouring floats there is no middle: then the lower one is the cut.
    return np.where((low <= middle) & (middle < high), middle, low)


def _finite(values: ArrayLike) -> FloatArray:
    """Return the numbers that are not missing, all of them finite."""
    numbers = np.asarray(values, np.float64)
    if numbers.ndim == 1:
        numbers = numbers[~np.isnan(numbers)]
    if numbers.ndim != 1 or len(numbers) == 0:
        raise InputError("Cuts need a one-dimensional array with at least one value.")
    if not np.isfinite(numbers).all():
        raise NonFiniteError("Cuts need finite values; drop or replace the others.")
    return numbers


def _check_n_bins(n_bins: int, option: str = "n_bins") -> None:
    fits, number = fit(int, n_bins)
    if not fits:
        raise OptionError(f"{option} must be a whole number, not {shown(n_bins)}.")
    if number < 2:
        raise OptionError(f"{option} must be at least 2, not {number}.")
    if number > _MOST_BINS:
        raise OptionError(f"{option} must be at most {_MOST_BINS:,}, not {shown(n_bins)}.")


def hartemink_cuts(
    columns: Mapping[str, FloatArray], n_bins: int, *, n_initial_bins: int = 60
) -> dict[str, FloatArray]:
    """Return cuts of several continuous columns, chosen so that they keep telling of each other.

    Every column starts with many intervals of equal frequency. Then, one column after the other,
    the two neighbouring intervals are merged whose merging loses the least mutual information with
    all other columns, until the wanted number of intervals is left.

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
    _check_n_bins(n_bins)
    if len(columns) < 2:
        raise InputError("Discretising columns together needs at least two of them.")
    _check_n_bins(n_initial_bins, "n_initial_bins")
    if n_initial_bins < n_bins:
        raise OptionError(
            f"n_initial_bins must be at least n_bins ({n_bins}), not {n_initial_bins!r}."
        )
    if any(np.isnan(values).any() for values in columns.values()):
        raise MissingValuesError(
            "Columns with missing values cannot be cut together; drop rows with missing values "
            "first, or cut each column by itself."
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


def discretise(data: Dataset, cuts: Mapping[str, FloatArray]) -> Dataset:
    """Return a dataset with some continuous columns cut into intervals.

    Parameters
    ----------
    data
        The table.
    cuts
        For each column to be cut, its ascending cuts; none at all make it constant.

    Returns
    -------
    Dataset
        The same columns in the same order; the categories of a cut column are its intervals, in
        ascending order, seen or not. Missing numbers become missing categories.

    Examples
    --------
    >>> data = Dataset.from_columns({"age": [31.5, 40.0, 28.0], "sex": ["f", "m", "f"]})
    >>> cut = discretise(data, {"age": np.array([30.0])})
    >>> cut.categories(0)
    ('(-inf, 30]', '(30, inf)')
    >>> cut.codes(0)
    array([1, 1, 0], dtype=uint8)
    """
    if not cuts:
        return data
    checked = {name: _checked_cuts(name, points) for name, points in cuts.items()}
    codes = np.stack([codes_at(data.values(data.index(n)), c) for n, c in checked.items()])
    for own, name in zip(codes, checked, strict=True):
        own[data.missing(data.index(name))] = -1
    categories = [interval_names(points) for points in checked.values()]
    cut = Dataset.from_codes(codes, names=tuple(checked), categories=categories)
    if cut.n_columns < data.n_columns:
        cut = data.drop(tuple(checked)).beside(cut)
    return replace(cut.select(data.names), roles=data.roles)


def codes_at(values: FloatArray, cuts: FloatArray) -> IntArray:
    """Return the number of the interval that holds each value.

    Examples
    --------
    >>> codes_at(np.array([0.0, 1.0, 1.5]), np.array([1.0]))
    array([0, 0, 1])
    """
    return np.searchsorted(cuts, values, side="left")


def interval_names(cuts: FloatArray) -> tuple[str, ...]:
    """Return a readable name for each interval between the cuts.

    Examples
    --------
    >>> interval_names(np.array([0.5, 2.0]))
    ('(-inf, 0.5]', '(0.5, 2]', '(2, inf)')
    """
    texts = [f"{cut:.6g}" for cut in cuts]
    if len(set(texts)) < len(texts):  # six digits would confuse two of them
        texts = [repr(float(cut)) for cut in cuts]
    ends = ["-inf", *texts, "inf"]
    closed = [f"({low}, {high}]" for low, high in itertools.pairwise(ends[:-1])]
    return (*closed, f"({ends[-2]}, inf)")


def _checked_cuts(name: str, cuts: FloatArray) -> FloatArray:
    points = np.asarray(cuts, np.float64)
    if points.ndim != 1 or not np.isfinite(points).all() or (np.diff(points) <= 0).any():
        raise InputError(f"The cuts of column {name!r} must be finite numbers in ascending order.")
    if len(points) >= MAX_CATEGORIES:
        raise InputError(
            f"Column {name!r} has {len(points)} cuts; use fewer than {MAX_CATEGORIES}."
        )
    return points
