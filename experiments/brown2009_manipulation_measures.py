"""How the strategies of ``brown2009_manipulation.py`` are measured.

One cheap model for all of them, since it is sets of columns that are compared. For tables of
categories it is gradient boosting (40 trees of at most 8 leaves): a logistic regression cannot say
how two causes work together, and what it learns in their stead changes when they are set. Where
there are numbers it is a logistic regression, or a ridge regression for a number, on indicators of
the categories and standardised numbers: these networks are linear.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score, roc_auc_score

from eiderdown.data import Dataset, Kind
from eiderdown.graphs import DAG

LEAST_R2 = -1.0
"""Predictions from manipulated effects can be wrong without bound; worse counts as this."""

RELATIONS = (
    "direct causes",
    "direct effects",
    "other causes",
    "other effects",
    "spouses",
    "other relatives",
    "unrelated",
)
"""Figure V-5 of the thesis."""

FloatMatrix = NDArray[np.float64]


@dataclass
class EqualModel:
    """Measures sets of columns by one and the same model, trained once for each set."""

    train: Dataset
    target: str
    boosts: bool = True

    def __post_init__(self) -> None:
        self._fitted: dict[tuple[str, ...], Any] = {}
        column = self.train.index(self.target)
        self._is_class = self.train.kind(column) is Kind.DISCRETE
        kinds = {self.train.kind(i) for i in range(len(self.train.names))}
        self.boosts = self.boosts and kinds == {Kind.DISCRETE}

    def score(self, columns: Collection[str], test: Dataset) -> float:
        """Return the AUC, as a mean over classes, or R2, on a table."""
        chosen = tuple(name for name in self.train.names if name in set(columns))
        truth = self._values(test)
        if not chosen:
            return 0.5 if self._is_class else max(LEAST_R2, self._r2_of_mean(truth))
        model = self._model(chosen)
        rows = self._matrix(test, chosen)
        if self._is_class:
            return mean_auc(truth, model.predict_proba(rows), model.classes_)
        return max(LEAST_R2, float(r2_score(truth, model.predict(rows))))

    def _model(self, chosen: tuple[str, ...]) -> Any:
        if chosen not in self._fitted:
            model = self._unfitted()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(self._matrix(self.train, chosen), self._values(self.train))
            self._fitted[chosen] = model
        return self._fitted[chosen]

    def _unfitted(self) -> Any:
        if self.boosts:
            return HistGradientBoostingClassifier(
                max_iter=40, max_leaf_nodes=8, learning_rate=0.15, early_stopping=False
            )
        return LogisticRegression(max_iter=200) if self._is_class else Ridge(alpha=1.0)

    def _matrix(self, data: Dataset, chosen: Sequence[str]) -> FloatMatrix:
        """Return indicators of categories, and numbers on the scale of the training rows."""
        parts = []
        for name in chosen:
            column = data.index(name)
            if data.kind(column) is Kind.DISCRETE:
                parts.append(np.eye(len(data.categories(column)))[data.codes(column)])
            else:
                known = self.train.values(self.train.index(name))
                parts.append((data.values(column)[:, None] - known.mean()) / (known.std() or 1.0))
        return np.concatenate(parts, axis=1)

    def _values(self, data: Dataset) -> Any:
        column = data.index(self.target)
        return data.codes(column) if self._is_class else data.values(column)

    def _r2_of_mean(self, truth: Any) -> float:
        return float(r2_score(truth, np.full(len(truth), self._values(self.train).mean())))


def mean_auc(truth: Any, chances: Any, classes: Any) -> float:
    """Return the AUC of each class against the others, as a mean over classes."""
    aucs = []
    for code in np.unique(truth):
        is_it = truth == code
        if 0 < is_it.sum() < len(is_it):
            known = np.flatnonzero(classes == code)
            score = chances[:, known[0]] if len(known) else np.zeros(len(truth))
            aucs.append(roc_auc_score(is_it, score))
    return float(np.mean(aucs)) if aucs else 0.5


def relation(dag: DAG, column: str, target: str) -> str:
    """Say how a column is related to a target, in the words of figure V-5."""
    if column in dag.parents(target):
        return "direct causes"
    if column in dag.children(target):
        return "direct effects"
    if column in dag.ancestors(target):
        return "other causes"
    if column in dag.descendants(target):
        return "other effects"
    if column in dag.spouses(target):
        return "spouses"
    return "unrelated" if dag.d_separated(column, target) else "other relatives"


def interval(numbers: Sequence[float], *, seed: int = 0) -> tuple[float, float, float]:
    """Return the mean with the ends of its 95 % interval, by the bootstrap."""
    values = np.asarray(numbers, dtype=np.float64)
    if not len(values):
        return float("nan"), float("nan"), float("nan")
    drawn = np.random.default_rng(seed).integers(0, len(values), size=(2_000, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(values.mean()), float(low), float(high)
