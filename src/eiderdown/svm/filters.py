"""Scores of single columns: how well each tells the classes apart on its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.svm.monomials import Coding, Matrix, coding_of

_BLOCK_CELLS = 2**22
"""Cells that are ranked at once."""


def kruskal_wallis_scores(X: Matrix, y: Any) -> FloatArray:
    """Return the Kruskal-Wallis statistic of each column, corrected for ties.

    It is n - 1 times the share of the ranks' variance that lies between the classes; 0 for a column
    that does not vary.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_columns)
        The columns.
    y : array of shape (n_rows,)
        Classes.

    Examples
    --------
    >>> kruskal_wallis_scores(np.array([[1.0, 3.0], [2.0, 3.0], [9.0, 3.0]]), [0, 0, 1])
    array([1.5, 0. ])
    """
    indicators = _indicators(y)
    if hasattr(X, "tocsr") and coding_of(X) is Coding.ZERO_ONE:
        # The ranks of two values are a linear function of them.
        return _between(X, indicators)
    return np.concatenate([_between(ranks, indicators) for ranks in _ranks(X)])


def signal_to_noise_scores(X: Matrix, y: Any) -> FloatArray:
    """Return the difference of two classes' means over the sum of their standard deviations.

    With more classes it is the largest of all pairs; it is infinite for a column that is constant
    within two classes and differs between them.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_columns)
        The columns.
    y : array of shape (n_rows,)
        Classes.

    Examples
    --------
    >>> signal_to_noise_scores(np.array([[1.0, 3.0], [3.0, 3.0], [8.0, 3.0]]), [0, 0, 1])
    array([6., 0.])
    """
    indicators = _indicators(y)
    counts = indicators.sum(axis=0)[:, None]
    means = _sums(X, indicators) / counts
    squares = _sums(X.power(2) if hasattr(X, "tocsr") else np.square(X), indicators) / counts
    deviations = np.sqrt(np.maximum(squares - np.square(means), 0.0))
    best = np.zeros(X.shape[1])
    for i, j in combinations(range(len(means)), 2):
        difference, noise = np.abs(means[i] - means[j]), deviations[i] + deviations[j]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(difference > 0.0, difference / noise, 0.0)
        best = np.maximum(best, ratio)
    return best


def _indicators(y: Any) -> FloatArray:
    """Return one column of zeros and ones for each class."""
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return np.eye(len(classes))[codes]


def _sums(X: Any, indicators: FloatArray) -> FloatArray:
    """Add up the columns within each class, one row for each class."""
    return np.asarray((X.T @ indicators).T)


def _between(values: Any, indicators: FloatArray) -> FloatArray:
    n_rows = len(indicators)
    counts = indicators.sum(axis=0)[:, None]
    sums = _sums(values, indicators)
    squares = values.power(2) if hasattr(values, "tocsr") else np.square(values)
    correction = np.square(sums.sum(axis=0)) / n_rows
    total = np.asarray(squares.sum(axis=0)).ravel() - correction
    between = (np.square(sums) / counts).sum(axis=0) - correction
    varies = total > 1e-12 * np.maximum(correction, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores: FloatArray = np.where(varies, (n_rows - 1) * between / total, 0.0)
    return np.maximum(scores, 0.0)


def _ranks(X: Any) -> Iterator[FloatArray]:
    from scipy.stats import rankdata

    columns = X.tocsc() if hasattr(X, "tocsr") else np.asarray(X)
    width = max(1, _BLOCK_CELLS // X.shape[0])
    for first in range(0, X.shape[1], width):
        block = columns[:, first : first + width]
        dense = block.toarray() if hasattr(block, "toarray") else block
        # Around zero, so that the sum of squares does not lose digits to their mean.
        yield rankdata(dense, axis=0) - (X.shape[0] + 1) / 2.0
