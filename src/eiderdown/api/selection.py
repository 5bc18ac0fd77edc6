"""Selectors of columns in scikit-learn's pipelines: a table, a selection of columns, a tuned SVM.

What goes through such a pipeline are numbers of rows, because a selector needs columns of all
kinds, and the SVM needs numbers::

    make_pipeline(ColumnSelection(selector, table, seed), TunedSVM(table, seed))
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

import joblib
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from eiderdown.api.selection_task import SelectionTask
from eiderdown.api.selectors import Selector
from eiderdown.arrays import IntArray
from eiderdown.data.prepare import Prepared
from eiderdown.errors import TooFewRowsError
from eiderdown.progress import Cancelled, watched
from eiderdown.randomness import as_generator
from eiderdown.svm.approximation import EXACT, Approximation
from eiderdown.svm.cross_validation import (
    Split,
    affordable_folds,
    hold_out,
    make_folds,
    score_models,
    usable_folds,
)
from eiderdown.svm.model import PolynomialModel
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.numeric import learn_coding, numeric_target
from eiderdown.svm.training import SVMParams, train
from eiderdown.svm.tuning import Tuner, check_grid


class TooSlow(Exception):  # noqa: N818  nothing went wrong
    """A selection took longer than it may."""


class SelectionTable:
    """A table of which a selector sees some rows and is judged on others.

    Columns become numbers once, with all rows, which needs no look at the target.
    """

    def __init__(
        self,
        problem: Prepared,
        *,
        degrees: Sequence[int],
        Cs: Sequence[float],
        inner_folds: int = 5,
        class_weight: Any = None,
        n_jobs: int | None = None,
        approximation: Approximation = EXACT,
    ) -> None:
        check_grid(degrees, Cs, SVMParams())
        self._degrees, self._Cs, self._inner_folds = tuple(degrees), tuple(Cs), inner_folds
        self._n_jobs = n_jobs
        self._data, self._target_name = problem.data, problem.target_name
        self._target = numeric_target(problem.data, problem.target_name)
        self._coding = learn_coding(problem.data, list(problem.candidate_names))
        self._tuned: dict[str, tuple[int, float]] = {}
        self.n_variables = len(problem.candidates)
        self.notes = list(problem.warnings)
        self.params = SVMParams(
            regression=self._target.is_continuous,
            class_weight=class_weight,
            approximation=approximation,
        )
        self.X: Matrix = self._coding.matrix(problem.data)
        self.y: Any = self._target.values

    def __sklearn_clone__(self) -> Self:
        """Let the clones of a pipeline share the table, and what was tuned on it."""
        return self

    @property
    def _is_chosen(self) -> bool:
        return len(self._degrees) == len(self._Cs) == 1

    def splits(self, folds: int, test_share: float | None, random_state: int | None) -> list[Split]:
        """Split the rows, by folds or once."""
        regression = self.params.regression
        wanted = folds if test_share is None else 2
        affordable, few = affordable_folds(self._target, self._target_name, wanted)
        self.notes += few
        if test_share is not None:
            parts = [hold_out(self.y, test_share, random_state, regression=regression)]
        else:
            n_folds = usable_folds(self.y, affordable, regression=regression)
            parts = make_folds(self.y, n_folds, random_state, regression=regression)
        self._afford_inner_folds([rows for rows, _ in parts])
        return parts

    def _afford_inner_folds(self, trains: Sequence[IntArray]) -> None:
        """Tune SVMs with no more folds than the rarest class has rows to train with."""
        if self.params.regression or self._is_chosen:
            return
        counts = np.min([np.bincount(self.y[rows]) for rows in trains], axis=0)
        rarest, n_rows = self._target.classes[int(counts.argmin())], int(counts.min())
        if n_rows < 2:
            raise TooFewRowsError(
                f"Class {rarest!r} of target {self._target_name!r} has a single row to choose "
                "degree and C with; give one of each, leave the class out, or merge it."
            )
        if n_rows < self._inner_folds:
            self.notes.append(
                f"Degree and C were chosen with {n_rows} folds, because only {n_rows} rows of "
                f"class {rarest!r} were left to choose with."
            )
            self._inner_folds = n_rows

    def tuned(self, X: Matrix, y: Any, seed: int) -> tuple[int, float]:
        """Return the degree and C that do best on folds of some rows; remember them."""
        if self._is_chosen:
            return self._degrees[0], float(self._Cs[0])
        key = str(joblib.hash((X, y, seed)))
        if key not in self._tuned:
            with watched("tuning", progress=False) as trace:
                tuner = Tuner.of(X, y, self.params, folds=self._inner_folds, random_state=seed)
                tuning = tuner.tune(self._degrees, self._Cs, trace)
            if not tuning.complete:
                raise Cancelled
            self._tuned[key] = tuning.best.degree, tuning.best.C
        return self._tuned[key]

    def task(self, rows: IntArray, seed: int) -> SelectionTask:
        """Give some rows to a selector, with the columns that vary in them."""
        data = self._data.take(rows)
        used = self.varying(rows)
        sources = tuple(self._coding.source_columns[i] for i in used)
        X, y = self.X[rows][:, used], self.y[rows]
        degree, C = self.tuned(X, y, seed)
        return SelectionTask(
            data=data.select([*dict.fromkeys(sources), self._target_name]),
            target=self._target_name,
            X=X,
            source_columns=sources,
            y=y,
            params=self.params,
            degree=degree,
            C=C,
            random_state=seed,
            n_jobs=self._n_jobs,
        )

    def varying(self, rows: IntArray) -> IntArray:
        """Return the numeric columns whose source varies in some rows."""
        constant = set(self._data.take(rows).constant_columns())
        return np.flatnonzero([name not in constant for name in self._coding.source_columns])

    def numeric_of(self, columns: Iterable[str], rows: IntArray) -> IntArray:
        """Return the numeric columns that come from some columns and vary in some rows."""
        wanted, sources = set(columns), self._coding.source_columns
        return np.array([i for i in self.varying(rows) if sources[i] in wanted], dtype=np.int64)


def seeds(random_state: int | None, n: int) -> list[int]:
    """Draw a seed for what happens in each of n splits."""
    return [int(seed) for seed in as_generator(random_state).integers(2**31, size=n)]


class ColumnSelection(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """From numbers of rows to the columns that a selector selects, as numbers."""

    def __init__(
        self,
        selector: Selector,
        table: SelectionTable,
        seed: int = 0,
        max_seconds: float | None = None,
    ) -> None:
        self.selector, self.table = selector, table
        self.seed, self.max_seconds = seed, max_seconds

    def fit(self, rows: IntArray, y: Any = None) -> Self:  # noqa: ARG002
        """Select columns with some rows."""
        task = self.table.task(rows, self.seed)
        started = time.perf_counter()
        with watched(self.selector.name, progress=False, time_limit=self.max_seconds) as trace:
            try:
                self.columns_ = self.selector.run(replace(task, trace=trace))
            except Cancelled:
                if trace.cancellation is not None and trace.cancellation.out_of_time:
                    raise TooSlow from None
                raise
        self.seconds_ = time.perf_counter() - started
        if self.max_seconds is not None and self.seconds_ > self.max_seconds:
            raise TooSlow
        self._numeric = self.table.numeric_of(self.columns_, rows)
        return self

    def transform(self, rows: IntArray) -> Matrix:
        """Return the selected columns of some rows."""
        return self.table.X[rows][:, self._numeric]


class TunedSVM(BaseEstimator):  # type: ignore[misc]
    """An SVM whose degree and C are chosen by cross-validation."""

    def __init__(self, table: SelectionTable, seed: int = 0) -> None:
        self.table, self.seed = table, seed

    def fit(self, X: Matrix, y: Any) -> Self:
        """Choose degree and C, and train."""
        self.degree_: int | None = None
        self.C_: float | None = None
        self.models_: tuple[PolynomialModel, ...] = ()
        if X.shape[1]:
            self.degree_, self.C_ = self.table.tuned(X, y, self.seed)
            self.models_, _ = train(X, y, degree=self.degree_, C=self.C_, params=self.table.params)
        return self

    def score(self, X: Matrix, y: Any) -> float:
        """Return AUC or R2; without columns, what guessing gets."""
        if not self.models_:
            return 0.0 if self.table.params.regression else 0.5
        return score_models(self.models_, X, y)
