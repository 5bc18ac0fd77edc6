"""From the decisions of support vector machines to probabilities of classes (Platt 1999).

The logistic function is learned from decisions about rows that a machine was not trained on. These
come from several machines, one for each fold, which differ in where they put zero and in how far
their decisions spread. So all are measured by the machine's decisions about its own rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from eiderdown.arrays import FloatArray


def as_columns(decisions: FloatArray) -> FloatArray:
    """Return a column for each class; one for two classes."""
    return decisions[:, None] if decisions.ndim == 1 else decisions


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean 0 and variance 1 among the rows that a machine was trained on."""

    centre: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, decisions: FloatArray, weights: FloatArray) -> Scale:
        """Measure decisions about rows of some weights."""
        centre = np.average(decisions, axis=0, weights=weights)
        spread = np.sqrt(np.average((decisions - centre) ** 2, axis=0, weights=weights))
        return cls(centre, np.where(spread > 0.0, spread, 1.0))

    def __call__(self, decisions: FloatArray) -> FloatArray:
        """Return scaled decisions."""
        return np.asarray((decisions - self.centre) / self.spread)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A logistic function of each class's decisions, learned from rows not trained on.

    That is Platt's (1999). It never turns the order of the decisions around; where they are worth
    nothing it gives the shares of the classes.
    """

    scale: Scale
    slopes: FloatArray
    intercepts: FloatArray

    @classmethod
    def of(cls, decisions: FloatArray, y: Any, scale: Scale) -> Calibration:
        """Learn from scaled decisions, a column for each class; for two, the second's only."""
        found = []
        for place, column in enumerate(decisions.T):
            of_class = y == (1 if decisions.shape[1] == 1 else place)
            found.append(_logistic(column, of_class))
        slopes, intercepts = np.array(found).T
        return cls(scale, slopes, intercepts)

    def __call__(self, decisions: FloatArray) -> FloatArray:
        """Return a probability for each class."""
        logits = self.slopes * self.scale(as_columns(decisions)) + self.intercepts
        shares = 1.0 / (1.0 + np.exp(-np.clip(logits, -500.0, 500.0)))
        if shares.shape[1] == 1:
            return np.hstack([1.0 - shares, shares])
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _logistic(decisions: FloatArray, of_class: Any) -> tuple[float, float]:
    """Return slope and intercept; a slope of 0 if the decisions are worth nothing."""
    if of_class.any() and not of_class.all():
        model = LogisticRegression(C=100.0, max_iter=1_000).fit(decisions[:, None], of_class)
        if model.coef_[0, 0] > 0.0:
            return float(model.coef_[0, 0]), float(model.intercept_[0])
    share = np.clip(of_class.mean(), 1e-6, 1.0 - 1e-6)
    return 0.0, float(np.log(share / (1.0 - share)))
