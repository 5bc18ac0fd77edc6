"""Selectors that train a model with a penalty, and keep what has a weight in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eiderdown.api.selection_task import Columns, SelectionTask, accepted, folds_of, jobs
from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError
from eiderdown.svm.sparse import choose_sparse_cost, fit_sparse_svms

_L1_RATIOS = (0.1, 0.5, 0.9)
_L1_CS = tuple(10.0**power for power in range(-3, 3))
_ZERO = 1e-10


def elastic_net(task: SelectionTask) -> Columns:
    """Keep what has a coefficient in a linear model with an elastic net, tuned by folds."""
    from sklearn.linear_model import ElasticNetCV

    used = np.zeros(task.X.shape[1], dtype=np.bool_)
    for numbers in _as_numbers(task):
        model = ElasticNetCV(l1_ratio=list(_L1_RATIOS), cv=folds_of(task), n_jobs=jobs(task))
        used |= np.abs(model.fit(accepted(task.X), numbers).coef_) > _ZERO
    return task.sources(np.flatnonzero(used))


def l1(task: SelectionTask) -> Columns:
    """Keep what has a coefficient in a linear SVM with an L1 penalty, tuned by folds."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    if task.params.regression:
        coefficients = LassoCV(cv=folds_of(task)).fit(accepted(task.X), task.y).coef_
    else:
        svm = LinearSVC(
            penalty="l1",
            dual=False,
            class_weight=task.params.class_weight,
            random_state=task.random_state,
        )
        two = len(np.unique(task.y)) == 2
        tuned = GridSearchCV(
            svm,
            {"C": list(_L1_CS)},
            scoring="roc_auc" if two else "balanced_accuracy",
            cv=folds_of(task),
        )
        coefficients = tuned.fit(accepted(task.X), task.y).best_estimator_.coef_
    used = np.abs(np.atleast_2d(coefficients)).max(axis=0) > _ZERO
    return task.sources(np.flatnonzero(used))


def _as_numbers(task: SelectionTask) -> Iterator[FloatArray]:
    """Give the target as numbers: itself, or each class against the others."""
    if task.params.regression:
        yield task.y
        return
    codes = np.unique(task.y)
    for code in codes[1:] if len(codes) == 2 else codes:
        yield np.where(task.y == code, 1.0, -1.0)


def l1_products(task: SelectionTask) -> Columns:
    """Keep the columns of products that have a weight in a sparse polynomial SVM."""
    if task.params.regression:
        raise OptionError(
            f"It needs classes, but target {task.target!r} is continuous; use elastic_net."
        )
    degree, weight = task.degree, task.params.class_weight
    C = choose_sparse_cost(
        task.X,
        task.y,
        degree=degree,
        folds=len(folds_of(task)),
        random_state=task.random_state,
        class_weight=weight,
    )
    models = fit_sparse_svms(task.X, task.y, degree=degree, C=C, class_weight=weight)
    return task.sources({v for svm in models for q in svm.monomials for v in q.variables})
