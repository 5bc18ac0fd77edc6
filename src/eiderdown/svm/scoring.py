"""How well machines predict: the area under the ROC curve, or the share of variance explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray
from eiderdown.errors import TooFewRowsError


def area_under_curve(positive: BoolArray, values: FloatArray) -> float:
    """Return the probability that a positive row has a higher value than a negative one.

    Rows with equal values count half.

    Examples
    --------
    >>> area_under_curve(np.array([True, False, True]), np.array([2.0, 1.0, 1.0]))
    0.75
    """
    n_positive = int(np.count_nonzero(positive))
    n_negative = len(positive) - n_positive
    if n_positive == 0 or n_negative == 0:
        raise TooFewRowsError(
            "The rows to test on are all of one class, so there is no area under the curve; test "
            "on more rows."
        )
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(count) - (count - 1) / 2.0
    total = float(ranks[place][positive].sum()) - n_positive * (n_positive + 1) / 2.0
    return total / (n_positive * n_negative)


def explained_variance(truth: FloatArray, predicted: FloatArray) -> float:
    """Return R2: 1 for perfect predictions, 0 for those as bad as the mean.

    Examples
    --------
    >>> explained_variance(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    spread = float(np.square(truth - truth.mean()).sum())
    if spread == 0.0:
        raise TooFewRowsError(
            "The target has one value in all rows to test on, so there is no variance to explain; "
            "test on more rows."
        )
    return 1.0 - float(np.square(truth - predicted).sum()) / spread


def score(y: Any, decisions: FloatArray, pairs: Sequence[tuple[int, int] | None]) -> float:
    """Score the decisions of all machines, a column for each.

    With more than two classes it is the mean over pairs of classes, each judged on the rows of the
    two (Hand & Till 2001).
    """
    if pairs[0] is None:
        return explained_variance(y, decisions[:, 0])
    areas = []
    for column, pair in enumerate(pairs):
        assert pair is not None
        rows = (y == pair[0]) | (y == pair[1])
        areas.append(area_under_curve(y[rows] == pair[1], decisions[rows, column]))
    return float(np.mean(areas))
