"""Selectors and scores that scikit-learn has, under the library's own conventions.

Columns come in the order of their names, and random choices from the task's seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from eiderdown.api.selection_task import SelectionTask
from eiderdown.arrays import FloatArray
from eiderdown.svm.monomials import Coding, Matrix, coding_of

_N_TREES = 500
_L1_RATIOS = (0.1, 0.5, 0.9)
_L1_COSTS = tuple(10.0**power for power in range(-3, 3))
_N_FOLDS = 5
_ZERO = 1e-10


def elastic_net(task: SelectionTask) -> tuple[str, ...]:
    """Keep what has a coefficient in a linear model with an elastic net, tuned by folds."""
    from sklearn.linear_model import ElasticNetCV

    used = np.zeros(task.X.shape[1], dtype=np.bool_)
    for numbers in _as_numbers(task):
        model = ElasticNetCV(l1_ratio=list(_L1_RATIOS), cv=_folds(task), n_jobs=_jobs(task))
        used |= np.abs(model.fit(_accepted(task.X), numbers).coef_) > _ZERO
    return task.columns_behind(np.flatnonzero(used))


def l1(task: SelectionTask) -> tuple[str, ...]:
    """Keep what has a coefficient in a linear machine with an L1 penalty, tuned by folds."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    if task.params.regression:
        coefficients = LassoCV(cv=_folds(task)).fit(_accepted(task.X), task.y).coef_
    else:
        machine = LinearSVC(
            penalty="l1",
            dual=False,
            class_weight=task.params.class_weight,
            random_state=task.random_state,
        )
        two = len(np.unique(task.y)) == 2
        tuned = GridSearchCV(
            machine,
            {"C": list(_L1_COSTS)},
            scoring="roc_auc" if two else "balanced_accuracy",
            cv=_folds(task),
        )
        coefficients = tuned.fit(_accepted(task.X), task.y).best_estimator_.coef_
    used = np.abs(np.atleast_2d(coefficients)).max(axis=0) > _ZERO
    return task.columns_behind(np.flatnonzero(used))


def forest_scores(task: SelectionTask, X: Matrix, y: Any) -> FloatArray:
    """Score columns by their importance in a random forest."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    options = {
        "n_estimators": _N_TREES,
        "random_state": task.random_state,
        "n_jobs": _jobs(task),
    }
    if task.params.regression:
        forest = RandomForestRegressor(**options)
    else:
        forest = RandomForestClassifier(class_weight=task.params.class_weight, **options)
    return np.asarray(forest.fit(_accepted(X), y).feature_importances_)


def f_scores(task: SelectionTask, X: Matrix, y: Any) -> FloatArray:
    """Score columns by an F test of their means in the classes, or of their correlation."""
    from sklearn.feature_selection import f_classif, f_regression

    statistics, _ = (f_regression if task.params.regression else f_classif)(_accepted(X), y)
    return np.asarray(np.nan_to_num(statistics, nan=0.0), dtype=np.float64)


def information_scores(task: SelectionTask, X: Matrix, y: Any) -> FloatArray:
    """Score columns by their mutual information with the target."""
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

    estimate = mutual_info_regression if task.params.regression else mutual_info_classif
    discrete = coding_of(X) is not Coding.NUMBERS
    scores = estimate(_accepted(X), y, discrete_features=discrete, random_state=task.random_state)
    return np.asarray(scores, dtype=np.float64)


def _as_numbers(task: SelectionTask) -> Iterator[FloatArray]:
    """Give the target as numbers: itself, or each class against the others."""
    if task.params.regression:
        yield task.y
        return
    codes = np.unique(task.y)
    for code in codes[1:] if len(codes) == 2 else codes:
        yield np.where(task.y == code, 1.0, -1.0)


def _accepted(X: Matrix) -> Matrix:
    """Return a matrix that all of scikit-learn takes: it knows no sparse ones with long indices."""
    if not hasattr(X, "indptr"):
        return X
    accepted = X.copy()
    accepted.indices = X.indices.astype(np.int32)
    accepted.indptr = X.indptr.astype(np.int32)
    return accepted


def _jobs(task: SelectionTask) -> int:
    """Return scikit-learn's number for as many workers."""
    return -1 if task.n_jobs is None else task.n_jobs


def _folds(task: SelectionTask) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    if task.params.regression:
        return KFold(_N_FOLDS, shuffle=True, random_state=task.random_state)
    n_folds = max(2, min(_N_FOLDS, int(np.bincount(task.y).min())))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=task.random_state)
    # As a list, because a model of one class against others would be split by those two.
    return list(splitter.split(np.zeros((len(task.y), 1)), task.y))
