"""Continuous columns made discrete: the interval between cuts that holds each value."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.config import MAX_CATEGORIES
from eiderdown.data.dataset import Dataset
from eiderdown.data.reshaping import side_by_side
from eiderdown.errors import InputError


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
        ascending order, seen or not.

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
    checked = {name: _checked(name, points) for name, points in cuts.items()}
    codes = np.stack([codes_at(data.values(data.index(n)), c) for n, c in checked.items()])
    categories = [interval_names(points) for points in checked.values()]
    cut = Dataset.from_codes(codes, names=tuple(checked), categories=categories)
    if cut.n_columns < data.n_columns:
        cut = Dataset(*side_by_side(data.drop(tuple(checked)), cut))
    return cut.select(data.names)


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
    ends = ["-inf", *_texts(cuts), "inf"]
    closed = [f"({low}, {high}]" for low, high in itertools.pairwise(ends[:-1])]
    return (*closed, f"({ends[-2]}, inf)")


def _texts(cuts: FloatArray) -> list[str]:
    """Return the cuts as text, with more digits only where six would confuse two of them."""
    short = [f"{cut:.6g}" for cut in cuts]
    return short if len(set(short)) == len(short) else [repr(float(cut)) for cut in cuts]


def _checked(name: str, cuts: FloatArray) -> FloatArray:
    points = np.asarray(cuts, np.float64)
    if points.ndim != 1 or not np.isfinite(points).all() or (np.diff(points) <= 0).any():
        raise InputError(f"The cuts of column {name!r} must be finite numbers in ascending order.")
    if len(points) >= MAX_CATEGORIES:
        raise InputError(
            f"Column {name!r} has {len(points)} cuts; use fewer than {MAX_CATEGORIES}."
        )
    return points
