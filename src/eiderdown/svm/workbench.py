"""Rows as numbers, a target and folds: what machines are trained and judged on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.randomness import as_generator
from eiderdown.svm.folds import make_folds
from eiderdown.svm.grid_scores import FoldScores, GridScore, NestedScore, Tuning
from eiderdown.svm.inner_products import linear_gram
from eiderdown.svm.linear_scores import linear_scores
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import PolynomialModel
from eiderdown.svm.svm_settings import SVMSettings
from eiderdown.svm.training import trained
from eiderdown.svm.tuning import (
    COSTS,
    DEGREES,
    Progress,
    choose_degree_and_cost,
    cross_validated_score,
    nested_score,
)


@dataclass(frozen=True, eq=False)
class Workbench:
    """Machines of one table: whatever is trained or judged here shares inner products and folds.

    Attributes
    ----------
    matrix : array or CSR matrix of shape (n_rows, n_variables)
        The rows as numbers.
    y : array of shape (n_rows,)
        Codes of classes, or numbers in regression.
    params : SVMSettings
        How machines are trained.
    n_folds : int
        Folds of the cross-validation, no more than the rarest class has rows.
    random_state : int
        Decides which row is in which fold.
    """

    matrix: Matrix
    y: Any
    params: SVMSettings
    n_folds: int
    random_state: int

    @cached_property
    def gram(self) -> FloatArray:
        """Inner products of the rows."""
        return linear_gram(self.matrix)

    @cached_property
    def folds(self) -> tuple[IntArray, ...]:
        """Rows of each fold; the tuning has the same."""
        generator = as_generator(self.random_state)
        return make_folds(self.y, self.n_folds, generator, regression=self.params.regression)

    def train(self, degree: int, cost: float) -> tuple[tuple[PolynomialModel, ...], bool]:
        """Train on all rows; also tell whether that came to an end."""
        return trained(
            self.matrix,
            self.y,
            degree=degree,
            cost=cost,
            params=self.params,
            gram=self.gram,
        )

    def tune(
        self,
        degrees: Sequence[int] = DEGREES,
        costs: Sequence[float] = COSTS,
        progress: Progress | None = None,
    ) -> Tuning:
        """Try degrees and costs; interrupted, it returns what there is so far."""
        return choose_degree_and_cost(
            self.matrix, self.y, degrees=degrees, costs=costs, progress=progress, **self._shared
        )

    def score(self, degree: int, cost: float) -> GridScore:
        """Judge one degree and cost."""
        return cross_validated_score(self.matrix, self.y, degree=degree, C=cost, **self._shared)

    def nested(
        self,
        degrees: Sequence[int] = DEGREES,
        costs: Sequence[float] = COSTS,
        progress: Progress | None = None,
    ) -> NestedScore | None:
        """Judge the choice of degree and cost; None if the rarest class has too few rows for it."""
        inner = self._inner_folds
        if inner < 2:
            return None
        return nested_score(
            self.matrix,
            self.y,
            degrees=degrees,
            costs=costs,
            inner_folds=inner,
            progress=progress,
            **self._shared,
        )

    def linear(self, columns: FloatArray) -> FoldScores:
        """Judge a linear model of some columns."""
        return linear_scores(columns, self.y, self.folds, regression=self.params.regression)

    @property
    def _inner_folds(self) -> int:
        """Folds for which the rarest class has rows enough when an outer fold is taken away."""
        if self.params.regression:
            return self.n_folds
        n_rarest = int(np.unique(self.y, return_counts=True)[1].min())
        return min(self.n_folds, n_rarest - -(-n_rarest // self.n_folds))

    @property
    def _shared(self) -> dict[str, Any]:
        return {
            "gram": self.gram,
            "folds": self.n_folds,
            "random_state": self.random_state,
            "regression": self.params.regression,
            "class_weight": self.params.class_weight,
        }
