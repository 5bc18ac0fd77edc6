"""The model that predicts from some columns: an SVM of the thesis's grid, or what the user gives.

Classes are codes 0, 1, ... here, and a model has a probability for each of them, calibrated on rows
that it was not trained on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV

from eiderdown.arrays import FloatArray
from eiderdown.svm.cross_validation import make_folds, n_rarest
from eiderdown.svm.grid_svm import GridSVM

if TYPE_CHECKING:
    from eiderdown.api.column_sets import PredictionTask


def fit_model(task: PredictionTask, X: FloatArray, *, calibrated: bool = True) -> Any:
    """Train on the numbers of some columns; without columns, predict the shares or the mean."""
    if task.regression:
        return NumberModel(_trained(task, X, calibrated))
    return ClassModel(_trained(task, X, calibrated), int(task.y.max()) + 1)


def _trained(task: PredictionTask, X: FloatArray, calibrated: bool) -> Any:
    estimator = task.options["estimator"]
    if X.shape[1] == 0 or (not task.regression and len(np.unique(task.y)) < 2):
        return ConstantModel.of(task)
    if estimator is None:
        return GridSVM(
            regression=task.regression,
            folds=int(task.options["cv"]),
            random_state=task.options["random_state"],
        ).fit(X, task.y)
    model = clone(estimator)
    if task.regression or (not calibrated and hasattr(model, "predict_proba")):
        return model.fit(X, task.y)
    return _calibrated(model, X, task)


def _calibrated(model: Any, X: FloatArray, task: PredictionTask) -> Any:
    """Learn probabilities from predictions about rows that were not trained on (Platt 1999)."""
    n_folds = min(int(task.options["cv"]), n_rarest(task.y))
    if n_folds < 2:  # a class with a single row cannot be in both parts
        return model.fit(X, task.y)
    folds = make_folds(task.y, n_folds, task.options["random_state"])
    return CalibratedClassifierCV(model, cv=folds, ensemble=False).fit(X, task.y)


class ClassModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no types there
    """A trained classifier with a probability for every class, also for those it did not see."""

    def __init__(self, model: Any, n_classes: int) -> None:
        self.model = model
        self.n_classes = n_classes
        self.classes_ = np.arange(n_classes)

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the probability of each class."""
        found = np.zeros((len(X), self.n_classes))
        if hasattr(self.model, "predict_proba"):
            found[:, self.model.classes_] = self.model.predict_proba(X)
        else:
            found[np.arange(len(X)), self.model.predict(X)] = 1.0
        return found

    def predict(self, X: FloatArray) -> Any:
        """Return the most probable class."""
        return self.predict_proba(X).argmax(axis=1)


class NumberModel(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # no types there
    """A trained regression."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, X: FloatArray) -> Any:
        """Return a number for each row."""
        return self.model.predict(X)


@dataclass(frozen=True, eq=False)
class ConstantModel:
    """What is left where no column can be used: the shares of the classes, or the mean."""

    shares: FloatArray  # of the classes; empty for numbers
    mean: float

    @classmethod
    def of(cls, task: PredictionTask) -> ConstantModel:
        """Count the classes, or take the mean."""
        if task.regression:
            return cls(np.empty(0), float(np.mean(task.y)))
        return cls(np.bincount(task.y) / len(task.y), 0.0)

    @property
    def classes_(self) -> Any:
        """The codes of the classes."""
        return np.arange(len(self.shares))

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the same shares for every row."""
        return np.tile(self.shares, (len(X), 1))

    def predict(self, X: FloatArray) -> Any:
        """Return the same class or number for every row."""
        if len(self.shares):
            return np.full(len(X), int(self.shares.argmax()))
        return np.full(len(X), self.mean)
