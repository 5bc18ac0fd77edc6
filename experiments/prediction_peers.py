"""Ways to select columns for prediction, and the models that judge what they select.

A way takes an array (or a sparse matrix) and what is to be predicted, and returns the columns.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from prediction_tables import RealTable
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFECV, f_classif, f_regression
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from eiderdown.estimators import MarkovBoundarySelector

SEED = 14
MOST_COLUMNS = 500
"""Boruta, mRMR and RFECV get so many columns, the strongest by F, where there are more."""

SIZES = (5, 10, 20, 50)
SCORING = {"AUC": "roc_auc", "accuracy": "accuracy", "R2": "r2"}
Chosen = Any


def ours(goal: str, X: Any, y: Any, measure: str) -> Chosen:
    """Return what our selector keeps."""
    kind = "continuous" if measure == "R2" else "discrete"
    # All zeros and ones: sparse columns stay sparse.
    table = X.astype(np.int8) if sparse.issparse(X) else X
    selector = MarkovBoundarySelector(goal=goal, target_kind=kind)  # type: ignore[arg-type]
    return np.flatnonzero(selector.fit(table, y).get_support())


def all_columns(X: Any, y: Any, measure: str) -> Chosen:  # noqa: ARG001  a way like the others
    """Return all."""
    return np.arange(X.shape[1])


def l1(X: Any, y: Any, measure: str) -> Chosen:
    """Return the columns that a linear model with an L1 penalty uses, C by cross-validation."""
    table = X if sparse.issparse(X) else StandardScaler().fit_transform(X)
    if measure == "R2":
        return np.flatnonzero(LassoCV(cv=3, random_state=SEED).fit(table, y).coef_)
    svm = LinearSVC(penalty="l1", dual=False, max_iter=300, random_state=SEED)
    grid = GridSearchCV(svm, {"C": [0.003, 0.01, 0.03, 0.1, 0.3]}, cv=3, scoring=SCORING[measure])
    return np.flatnonzero(np.abs(grid.fit(table, y).best_estimator_.coef_).max(axis=0) > 1e-9)


def forest_importance(X: Any, y: Any, measure: str) -> Chosen:
    """Return the columns of more than mean importance."""
    importance = forest(measure).fit(X, y).feature_importances_
    return np.flatnonzero(importance > importance.mean())


def boruta(X: Any, y: Any, measure: str) -> Chosen:
    """Return what Boruta confirms."""
    from boruta import BorutaPy

    trees = forest(measure).set_params(max_depth=5)
    codes = y if measure == "R2" else np.unique(y, return_inverse=True)[1]
    found = BorutaPy(trees, n_estimators=50, max_iter=20, random_state=SEED).fit(X, codes)
    return np.flatnonzero(found.support_)


def mrmr(X: Any, y: Any, measure: str) -> Chosen:
    """Return the best of several numbers of columns by F over mean absolute correlation."""
    order = _mrmr_order(X, y, measure, max(SIZES))
    folds = splits(y, measure, 3)
    scores = []
    for n in SIZES:
        model = make_pipeline(StandardScaler(), _quick_linear(measure))
        found = cross_val_score(model, X[:, order[:n]], y, cv=folds, scoring=SCORING[measure])
        scores.append(found.mean())
    return np.array(order[: SIZES[int(np.argmax(scores))]])


def _mrmr_order(X: Any, y: Any, measure: str, n: int) -> list[int]:
    relevance = np.nan_to_num(_f(X, y, measure))
    table = StandardScaler().fit_transform(X)
    redundancy, order = np.zeros(X.shape[1]), [int(relevance.argmax())]
    while len(order) < min(n, X.shape[1]):
        redundancy += np.abs(table.T @ table[:, order[-1]]) / len(table)
        score = relevance / np.maximum(redundancy / len(order), 1e-3)
        score[order] = -np.inf
        order.append(int(score.argmax()))
    return order


def rfecv(X: Any, y: Any, measure: str) -> Chosen:
    """Return what recursive elimination by a linear model leaves."""
    table = StandardScaler().fit_transform(X)
    model = _quick_linear(measure)
    folds = splits(y, measure, 3)
    found = RFECV(model, step=0.2, cv=folds, scoring=SCORING[measure]).fit(table, y)
    return np.flatnonzero(found.support_)


def _quick_linear(measure: str) -> Any:
    return Ridge() if measure == "R2" else LogisticRegression(C=0.1, max_iter=100, tol=1e-2)


def narrowed(way: Callable[..., Chosen], X: Any, y: Any, measure: str) -> Chosen:
    """Give a slow way the strongest columns only."""
    columns = np.arange(X.shape[1])
    if X.shape[1] > MOST_COLUMNS:
        columns = np.sort(np.argsort(-np.nan_to_num(_f(X, y, measure)))[:MOST_COLUMNS])
    table = X[:, columns]
    table = table.toarray().astype(float) if sparse.issparse(table) else table
    return columns[way(table, y, measure)]


def _f(X: Any, y: Any, measure: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (f_regression if measure == "R2" else f_classif)(X, y)[0]


WAYS: dict[str, Callable[..., Chosen]] = {
    "boundary": partial(ours, "boundary"),
    "goal=prediction": partial(ours, "prediction"),
    "all columns": all_columns,
    "L1": l1,
    "forest": forest_importance,
    "Boruta": partial(narrowed, boruta),
    "mRMR": partial(narrowed, mrmr),
    "RFECV": partial(narrowed, rfecv),
}


def ways() -> dict[str, Callable[..., Chosen]]:
    """Return the ways whose packages are installed."""
    left_out = set() if importlib.util.find_spec("boruta") else {"Boruta"}
    return {name: way for name, way in WAYS.items() if name not in left_out}


# --- models --------------------------------------------------------------------------------------


def forest(measure: str) -> Any:
    """Return a random forest."""
    kind = RandomForestRegressor if measure == "R2" else RandomForestClassifier
    return kind(100, max_features=1 / 3 if measure == "R2" else "sqrt", random_state=SEED)


def linear(measure: str) -> Any:
    """Return a linear model, its penalty by cross-validation."""
    model = Ridge() if measure == "R2" else LogisticRegression(max_iter=200, tol=1e-3)
    grid = {"alpha": [0.1, 1, 10, 100]} if measure == "R2" else {"C": [0.01, 0.1, 1.0]}
    tuned = GridSearchCV(model, grid, cv=3, scoring=SCORING[measure])
    return make_pipeline(StandardScaler(with_mean=False), tuned)


def model_of(table: RealTable, rows: Any) -> tuple[str, Any]:
    """Choose the model for a table: what predicts best from all columns in the rows to train."""
    folds = splits(table.y[rows], table.measure, 3)
    models = {"linear": linear(table.measure), "forest": forest(table.measure)}
    scoring = SCORING[table.measure]
    scores = {
        name: cross_val_score(model, table.X[rows], table.y[rows], cv=folds, scoring=scoring).mean()
        for name, model in models.items()
    }
    best = max(scores, key=lambda name: scores[name])
    return best, models[best]


def score(table: RealTable, model: Any, columns: Any, train: Any, test: Any) -> float:
    """Train with some columns and score other rows; without columns, nothing is known."""
    y, truth, measure = table.y[train], table.y[test], table.measure
    if len(columns) == 0:
        if measure == "accuracy":
            values, counts = np.unique(y, return_counts=True)
            return float(np.mean(truth == values[counts.argmax()]))
        return 0.5 if measure == "AUC" else 0.0
    fitted = clone(model).fit(table.X[train][:, columns], y)
    asked = table.X[test][:, columns]
    if measure == "AUC":
        return float(roc_auc_score(truth == fitted.classes_[1], fitted.predict_proba(asked)[:, 1]))
    judge = r2_score if measure == "R2" else accuracy_score
    return float(judge(truth, fitted.predict(asked)))


def splits(y: Any, measure: str, n_folds: int) -> Iterable[Any]:
    """Divide rows into folds, classes alike."""
    kind = KFold if measure == "R2" else StratifiedKFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(kind(n_folds, shuffle=True, random_state=SEED).split(np.zeros(len(y)), y))
