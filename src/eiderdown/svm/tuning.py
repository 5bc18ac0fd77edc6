"""Degree and cost by cross-validation, and an honest estimate of what that is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.randomness import RandomState, as_generator
from eiderdown.svm.folds import make_folds, n_rarest, usable_folds
from eiderdown.svm.grid_scores import GridScore, NestedScore, Tuning
from eiderdown.svm.grid_search import Grid, Progress, Tally
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.svm_settings import SVMKeywords, SVMSettings

__all__ = [
    "COSTS",
    "DEGREES",
    "Progress",
    "choose_degree_and_cost",
    "cross_validated_score",
    "nested_score",
]

DEGREES = (1, 2, 3, 4)
COSTS = tuple(10.0**power for power in range(-8, 4))
"""Degrees and costs that are tried, as in the thesis."""


def choose_degree_and_cost(
    X: Matrix,
    y: Any,
    *,
    degrees: Sequence[int] = DEGREES,
    costs: Sequence[float] = COSTS,
    folds: int = 5,
    random_state: RandomState = None,
    gram: FloatArray | None = None,
    progress: Progress | None = None,
    **params: Unpack[SVMKeywords],
) -> Tuning:
    """Try degrees and costs by cross-validation, in stratified folds.

    Judged by AUC, with more than two classes by its mean over pairs of classes, and in regression
    by R2. Interrupted with Ctrl-C it returns what there is so far.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_variables)
        The data.
    y : array of shape (n_rows,)
        Codes of classes, or numbers in regression.
    degrees : sequence of int
        Degrees to try.
    costs : sequence of float
        Costs to try.
    folds : int
        Number of folds; fewer, with a warning, if the rarest class has fewer rows.
    random_state : int, numpy Generator or None
        Decides which row is in which fold.
    gram : array of shape (n_rows, n_rows) or None
        Inner products of the rows, if they are at hand.
    progress : callable or None
        Called with what is being done and the number of machines judged so far.
    **params
        As in :class:`SVMSettings`.

    Returns
    -------
    Tuning
        The table, and in it the best.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> tuning = choose_degree_and_cost(X, X[:, 0] * X[:, 1] > 0, random_state=0)
    >>> tuning.best.degree, tuning.best.mean > 0.9
    (2, True)
    """
    grid = Grid.of(X, y, degrees, costs, SVMSettings(**params), gram)
    regression = grid.params.regression
    n_folds = usable_folds(grid.y, folds, regression=regression)
    parts = make_folds(grid.y, n_folds, as_generator(random_state), regression=regression)
    return grid.search(parts, Tally(progress))


def cross_validated_score(
    X: Matrix,
    y: Any,
    *,
    degree: int,
    C: float,
    folds: int = 5,
    random_state: RandomState = None,
    gram: FloatArray | None = None,
    **params: Unpack[SVMKeywords],
) -> GridScore:
    """Judge one degree and cost as :func:`choose_degree_and_cost` does.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> found = cross_validated_score(X, X[:, 0] > 0, degree=1, C=1.0, random_state=0)
    >>> round(found.mean, 2), len(found.scores)
    (1.0, 5)
    """
    return choose_degree_and_cost(
        X,
        y,
        degrees=(degree,),
        costs=(C,),
        folds=folds,
        random_state=random_state,
        gram=gram,
        **params,
    ).best


def nested_score(
    X: Matrix,
    y: Any,
    *,
    degrees: Sequence[int] = DEGREES,
    costs: Sequence[float] = COSTS,
    folds: int = 5,
    inner_folds: int | None = None,
    random_state: RandomState = None,
    gram: FloatArray | None = None,
    progress: Progress | None = None,
    **params: Unpack[SVMKeywords],
) -> NestedScore:
    """Judge the choice of degree and cost itself.

    For each fold degree and cost are chosen by cross-validation within the other folds, and the
    machine trained on those is judged on the fold.

    Parameters
    ----------
    X, y, degrees, costs, random_state, gram, progress, **params
        As in :func:`choose_degree_and_cost`.
    folds : int
        Number of outer folds.
    inner_folds : int or None
        Number of folds within the others; None for as many.

    Returns
    -------
    NestedScore
        Scores of the outer folds, and what was chosen for each.
    """
    grid = Grid.of(X, y, degrees, costs, SVMSettings(**params), gram)
    generator, regression = as_generator(random_state), grid.params.regression
    n_folds = usable_folds(grid.y, folds, regression=regression)
    tests = make_folds(grid.y, n_folds, generator, regression=regression)
    inner = [grid.y[np.setdiff1d(np.arange(len(grid.y)), test)] for test in tests]
    scarcest = min(inner, key=lambda y: n_rarest(y, regression=regression))
    n_inner = usable_folds(scarcest, inner_folds or n_folds, regression=regression)
    tally = Tally(progress)
    scores: list[float] = []
    chosen: list[GridScore] = []
    for test in tests:
        within = grid.among(np.setdiff1d(np.arange(len(grid.y)), test))
        parts = make_folds(within.y, n_inner, generator, regression=regression)
        tuning = within.search(parts, tally)
        if not tuning.complete:
            break
        scores.append(grid.judge(tuning.best.degree, tuning.best.C, test))
        chosen.append(tuning.best)
    if not scores:
        raise KeyboardInterrupt
    complete = len(scores) == n_folds
    return NestedScore(tuple(scores), tuple(chosen), grid.params.measure, complete)
