"""Quick models that judge sets of columns: a linear one, and an SVM that bends.

Columns become numbers once for all folds: numbers as they are, categories that are text as
indicators, and a missing value as an indicator of its own. In each fold they are standardised by
the rows to train on.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.memory import require_memory
from eiderdown.results.predictive_columns import Measure
from eiderdown.svm.grid_svm import area_under_curve, r2

LINEAR, GAUSSIAN = "linear model", "Gaussian SVM"

MODELS: tuple[tuple[str, float], ...] = ((LINEAR, 0.01), (LINEAR, 1.0), (GAUSSIAN, 3.0))
"""What predicts, and its C; a set of columns is judged by its best.

A forest would do as well, but takes ten times as long: on few rows its trees cost more to make
than to train.
"""

MOST_CATEGORIES = 30
"""Of a column of text, categories that are rarer than so many others have no indicator."""

_ROWS_PER_COLUMN = 10  # beyond which a linear model needs no stronger penalty


@dataclass(frozen=True, eq=False)
class ColumnNumbers:
    """The columns of a table as numbers; each is coded when it is first asked for."""

    data: Dataset
    _coded: dict[str, FloatArray] = field(default_factory=dict)

    def matrix(
        self, names: Sequence[str], train: IntArray, test: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the numbers of some columns in rows to train on and in rows to test on."""
        parts = [self._numbers(name) for name in sorted(names)]
        table = np.hstack(parts) if parts else np.empty((self.data.n_rows, 0))
        trained, tested = table[train], table[test]
        known = ~np.isnan(trained)
        n_known = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, trained, 0.0).sum(axis=0) / n_known
        spread = np.sqrt((np.where(known, trained - mean, 0.0) ** 2).sum(axis=0) / n_known)
        varies = spread > 0.0
        scale = np.where(varies, spread, 1.0)

        def standardised(part: FloatArray) -> FloatArray:
            return np.asarray(np.nan_to_num((part - mean) / scale)[:, varies])

        return standardised(trained), standardised(tested)

    def _numbers(self, name: str) -> FloatArray:
        if name not in self._coded:
            self._coded[name] = _coded(self.data, self.data.index(name))
        return self._coded[name]


def _coded(data: Dataset, index: int) -> FloatArray:
    """Return a column's numbers or indicators, and where a value is missing."""
    categories = data.categories(index)
    missing = data.missing(index) if data.has_missing[index] else None
    if any(isinstance(category, str) for category in categories):
        codes = data.codes(index)
        counts = np.bincount(codes, minlength=len(categories))[: len(categories)]
        frequent = np.sort(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES])
        kept = frequent[1:] if len(categories) == 2 else frequent
        numbers: FloatArray = (codes[:, None] == kept).astype(np.float64)
    else:
        values = np.array([*categories, np.nan])[data.codes(index)] if categories else None
        numbers = (data.values(index) if values is None else values)[:, None].astype(np.float64)
    if missing is None or not missing.any():
        return numbers
    return np.hstack([numbers, missing[:, None].astype(np.float64)])


@dataclass(frozen=True, eq=False)
class Judge:
    """What is predicted, and by which models."""

    y: Any  # codes of classes, or numbers
    measure: Measure
    random_state: int

    @property
    def nothing(self) -> float:
        """What predictions without any column score on average, about."""
        if self.measure == "accuracy":
            return float(np.bincount(self.y).max() / len(self.y))
        return 0.5 if self.measure == "AUC" else 0.0

    def scores(
        self, X: Any, tested: Any, train: IntArray, test: IntArray, models: Sequence[int]
    ) -> list[float]:
        """Train each of some models, by their places in MODELS, and score the rows to test.

        Of few columns C says little, and one linear model serves for all.
        """
        y = self.y[train]
        if X.shape[1] == 0 or np.ptp(y) == 0:
            return [self._constant(y, self.y[test])] * len(models)
        with warnings.catch_warnings():
            # What is not trained to the end is judged as it is.
            warnings.simplefilter("ignore")
            few = X.shape[1] * _ROWS_PER_COLUMN <= len(y)
            wanted = {i: MODELS[1] if few and MODELS[i][0] == LINEAR else MODELS[i] for i in models}
            rotated = _rotated(X, tested)
            found = {m: self._score(m, *rotated, y, self.y[test]) for m in set(wanted.values())}
            return [found[wanted[i]] for i in models]

    def _score(self, model: tuple[str, float], X: Any, tested: Any, y: Any, truth: Any) -> float:
        estimator = self._linear(model[1]) if model[0] == LINEAR else self._gaussian(model[1])
        estimator.fit(X, y)
        if self.measure == "R2":
            return r2(truth, estimator.predict(tested))
        if self.measure == "accuracy":
            return float(np.mean(estimator.predict(tested) == truth))
        return area_under_curve(truth, estimator.decision_function(tested))

    def _constant(self, y: Any, truth: Any) -> float:
        if self.measure == "accuracy":
            return float(np.mean(truth == np.bincount(y).argmax()))
        return 0.5 if self.measure == "AUC" else r2(truth, np.full(len(truth), y.mean()))

    def _linear(self, C: float) -> Any:
        from sklearn.linear_model import LogisticRegression, Ridge

        if self.measure == "R2":
            return Ridge(alpha=1.0 / C)
        return LogisticRegression(C=C, max_iter=200, tol=1e-3)

    def _gaussian(self, C: float) -> Any:
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC, SVR

        if self.measure == "R2":
            return TransformedTargetRegressor(SVR(C=C), transformer=StandardScaler())
        return SVC(C=C, random_state=0)


def _rotated(X: FloatArray, tested: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Turn wide rows into as many numbers as there are rows.

    Neither a penalty on squares nor a distance sees a turn.
    """
    if X.shape[1] <= 1.5 * len(X):
        return X, tested
    require_memory(
        32.0 * len(X) ** 2, f"A rotation of {len(X):,} wide rows", "give fewer rows or columns"
    )
    values, vectors = np.linalg.eigh(X @ X.T)
    kept = values > values[-1] * 1e-10
    axes = vectors[:, kept] / np.sqrt(values[kept])
    return vectors[:, kept] * np.sqrt(values[kept]), (tested @ X.T) @ axes
