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


def fallback(scores: Scores) -> tuple[int, list[int]]:
    """Choose among sets behind the empty one, if that predicts clearly better than nothing."""
    folds = np.arange(scores.shape[1])
    by_others = [1 + chosen_set(np.delete(scores[1:], i, axis=1)) for i in folds]
    low, _ = interval(scores[by_others, folds] - scores[0])
    return (1 + chosen_set(scores[1:]), by_others) if low > 0.0 else (0, [0] * len(folds))


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


def interval(scores: FloatArray) -> tuple[float, float]:
    """Return a 95% interval of a mean over folds, whose rows to train on overlap.

    The variance is that of Nadeau & Bengio (2003): folds are not independent.
    """
    from scipy.stats import t

    mean, sd = float(np.mean(scores)), float(np.std(scores, ddof=1))
    n_folds = len(scores)
    error = sd * math.sqrt(1.0 / n_folds + 1.0 / (min(n_folds, N_FOLDS) - 1))
    reach = float(t.ppf(0.975, n_folds - 1)) * error
    return mean - reach, mean + reach
