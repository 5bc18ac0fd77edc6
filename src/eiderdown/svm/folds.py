"""Rows to train on and rows to test on: folds, and a part that is held out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import EiderdownWarning, OptionError, TooFewRowsError


def usable_folds(y: Any, folds: int, *, regression: bool = False) -> int:
    """Return how many folds there can be if every fold is to hold rows of every class.

    Fewer than were asked for come with a warning.

    Examples
    --------
    >>> usable_folds(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]), 5)
    5
    """
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise OptionError(f"folds must be a whole number of at least 2, not {folds!r}.")
    rarest, n_rows = _rarest(y, regression)
    if n_rows < 2:
        raise TooFewRowsError(f"{rarest} has {n_rows} row, but two are needed for two folds.")
    if n_rows < folds:
        warnings.warn(
            f"{rarest} has only {n_rows} rows, so there are {n_rows} folds, not {folds}.",
            EiderdownWarning,
            stacklevel=3,
        )
    return min(int(folds), n_rows)


def make_folds(
    y: Any, folds: int, generator: np.random.Generator, *, regression: bool = False
) -> tuple[IntArray, ...]:
    """Deal the rows of each class out to the folds in turn; return the rows of each fold.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> [y[rows].tolist() for rows in make_folds(y, 2, np.random.default_rng(0))]
    [[0, 0, 1], [0, 0, 1]]
    """
    groups = _groups(y, regression)
    dealt = np.concatenate([generator.permutation(rows) for rows in groups])
    return tuple(np.sort(dealt[first::folds]) for first in range(folds))


def hold_out(
    y: Any, share: float, generator: np.random.Generator, *, regression: bool = False
) -> tuple[IntArray, IntArray]:
    """Return rows to train on and, of each class, a share of the rows to test on.

    Examples
    --------
    >>> y = np.array([0] * 10 + [1] * 5)
    >>> train, test = hold_out(y, 0.2, np.random.default_rng(0))
    >>> y[test].tolist()
    [0, 0, 1]
    """
    if not 0.0 < share < 1.0:
        raise OptionError(f"test_share must be between 0 and 1, not {share!r}; 0.2 is common.")
    rarest, n_rows = _rarest(y, regression)
    if n_rows < 2:
        raise TooFewRowsError(
            f"{rarest} has {n_rows} row, but one is needed to train on and one to test on."
        )
    held = [
        generator.permutation(rows)[: min(max(1, round(share * len(rows))), len(rows) - 1)]
        for rows in _groups(y, regression)
    ]
    test = np.sort(np.concatenate(held))
    return np.setdiff1d(np.arange(len(y)), test), test


def n_rarest(y: Any, *, regression: bool = False) -> int:
    """Return the number of rows of the rarest class, or in regression of all rows."""
    return _rarest(y, regression)[1]


def _groups(y: Any, regression: bool) -> list[IntArray]:
    if regression:
        return [np.arange(len(y))]
    return [np.flatnonzero(y == code) for code in np.unique(y)]


def _rarest(y: Any, regression: bool) -> tuple[str, int]:
    if regression:
        return "The table", len(y)
    codes, counts = np.unique(y, return_counts=True)
    position = int(counts.argmin())
    return f"Class {codes[position]} of the target", int(counts[position])
