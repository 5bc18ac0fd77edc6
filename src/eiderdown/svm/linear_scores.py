"""How well a linear model of some columns predicts: logistic regression, or ridge for numbers.

A machine sees an interaction wherever its kernel has it; a linear model of the features sees it
only if it is among them. If the two predict alike, the features tell what the machine knows.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.svm.grid_scores import FoldScores
from eiderdown.svm.scoring import score


def linear_scores(
    columns: FloatArray, y: Any, folds: Sequence[IntArray], *, regression: bool = False
) -> FoldScores:
    """Train a linear model without each fold, and judge it on the fold.

    Parameters
    ----------
    columns : array of shape (n_rows, n_columns)
        What to predict from.
    y : array of shape (n_rows,)
        Codes of classes, or numbers in regression.
    folds : sequence of arrays
        Rows of each fold.
    regression : bool
        Whether the target is a number.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(60, 1))
    >>> folds = np.split(np.arange(60), 3)
    >>> linear_scores(x, (x[:, 0] > 0).astype(int), folds).mean
    1.0
    """
    values = []
    for test in folds:
        train = np.setdiff1d(np.arange(len(y)), test)
        centre, spread = columns[train].mean(axis=0), columns[train].std(axis=0)
        scaled = (columns - centre) / np.where(spread > 0.0, spread, 1.0)
        decisions, pairs = _decisions(scaled[train], y[train], scaled[test], regression)
        values.append(score(y[test], decisions, pairs))
    return FoldScores(tuple(values))


def _decisions(
    columns: FloatArray, y: Any, new: FloatArray, regression: bool
) -> tuple[FloatArray, Sequence[tuple[int, int] | None]]:
    """Train, and return decisions for new rows: one column for each pair of classes."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression, Ridge

    if regression:
        return Ridge(alpha=1.0).fit(columns, y).predict(new)[:, None], (None,)
    with warnings.catch_warnings():
        # Classes that can be separated pull coefficients outward for ever; the order is settled.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(max_iter=1_000).fit(columns, y)
    logs = model.predict_log_proba(new)
    pairs = list(combinations(range(len(model.classes_)), 2))
    decisions = np.column_stack([logs[:, j] - logs[:, i] for i, j in pairs])
    return decisions, [(int(model.classes_[i]), int(model.classes_[j])) for i, j in pairs]
