"""The choice among sets of columns by their scores in the same folds.

One standard error is that of the *paired* differences. The plain one of the best takes it for noise
that some folds are hard for all sets, and so gives away more than is uncertain.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.results.predictive_columns import WORTH_SAYING

N_FOLDS = 5

Scores: TypeAlias = FloatArray
"""A row for each set of columns, a column for each fold."""


def chosen_set(scores: Scores) -> int:
    """Choose the first set whose paired differences to the best are within one standard error.

    Folds that are hard are hard for all sets: the differences between the sets vary less than their
    scores. A difference of less than ``WORTH_SAYING`` is not worth more columns.

    Examples
    --------
    >>> folds = np.array([[0.67, 0.77, 0.87], [0.71, 0.80, 0.91], [0.71, 0.82, 0.90]])
    >>> chosen_set(folds)
    1
    """
    behind = scores[scores.mean(axis=1).argmax()] - scores
    n_folds = scores.shape[1]
    errors = behind.std(axis=1, ddof=1) / math.sqrt(n_folds) if n_folds > 1 else 0.0
    return int(np.argmax(behind.mean(axis=1) <= np.maximum(errors, WORTH_SAYING)))


def fallback(scores: Scores, nothing: float) -> tuple[int, list[int]]:
    """Choose behind the empty set, if that is better than nothing by more than a standard error.

    In folds the first set need not be empty, so it is no measure of nothing.
    """
    folds = np.arange(scores.shape[1])
    by_others = [1 + chosen_set(np.delete(scores[1:], i, axis=1)) for i in folds]
    honest = scores[by_others, folds]
    if float(honest.mean()) - corrected_error(honest) <= nothing:
        return 0, [0] * len(folds)
    return 1 + chosen_set(scores[1:]), by_others


def best_models(cube: FloatArray) -> Scores:
    """Return the scores of sets x folds from sets x models x folds.

    In each fold the model is the one that is best in the others, so that being best of several
    flatters no set.
    """
    n_sets, _, n_folds = cube.shape
    found = np.empty((n_sets, n_folds))
    for fold in range(n_folds):
        best = np.delete(cube, fold, axis=2).mean(axis=2).argmax(axis=1)
        found[:, fold] = cube[np.arange(n_sets), best, fold]
    return found


def corrected_error(scores: FloatArray) -> float:
    """Return the standard error of a mean over folds, whose rows to train on overlap.

    The variance is that of Nadeau & Bengio (2003): folds are not independent.
    """
    n_folds = len(scores)
    overlap = 1.0 / (min(n_folds, N_FOLDS) - 1)
    return float(np.std(scores, ddof=1)) * math.sqrt(1.0 / n_folds + overlap)


def interval(scores: FloatArray) -> tuple[float, float]:
    """Return a 95% interval of a mean over folds."""
    from scipy.stats import t

    mean = float(np.mean(scores))
    reach = float(t.ppf(0.975, len(scores) - 1)) * corrected_error(scores)
    return mean - reach, mean + reach
