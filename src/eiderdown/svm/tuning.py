"""Degree and C by cross-validation, and an honest estimate of what that is worth.

One matrix of inner products serves every degree, every C and every fold, or one of rows and
landmarks (:mod:`eiderdown.svm.landmarks`). Along the values of C an
SVM is trained again only where that can change it: once no coefficient is at its limit, a higher C
gives the same SVM. What takes long to train is trained to the end only where it may be the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import OptionError
from eiderdown.progress import Cancelled, Trace, stop_if_cancelled
from eiderdown.svm.cross_validation import (
    FoldScores,
    Split,
    linear_scores,
    make_folds,
    n_rarest,
    score,
    usable_folds,
)
from eiderdown.svm.inner_products import linear_gram
from eiderdown.svm.landmarks import Landmarks
from eiderdown.svm.model import PolynomialModel, check_kernel
from eiderdown.svm.monomials import Matrix, numeric_matrix
from eiderdown.svm.trained_folds import trained_fold
from eiderdown.svm.training import SVMParams, check_C, train, train_by_landmarks

DEGREES = (1, 2, 3, 4)
CS = tuple(10.0**power for power in range(-8, 4))
"""Degrees and values of C that are tried, as in the thesis."""

_SAME = 1e-9
"""Scores this close are equal."""

_HOPELESS = 0.1
"""Where R2 is so far below the best of a lower C, a higher one fits the noise more closely still,
and takes the longest to train."""

_MANY_ROWS = 1_000
"""With fewer, every SVM is trained to the end within a second or so; so are those of degree 1."""

_BEHIND = 0.005
"""An SVM that LIBSVM did not train to the end, and whose AUC is so far below the best of a lower C,
fits the noise; training it to the end takes ten times as long, and would not make it the best."""


@dataclass(frozen=True)
class GridScore(FoldScores):
    """How one degree and C did."""

    degree: int
    C: float
    converged: bool = True


@dataclass(frozen=True)
class Tuning:
    """Every degree and C that was tried."""

    table: tuple[GridScore, ...]
    measure: str
    complete: bool = True

    @property
    def best(self) -> GridScore:
        """The best mean among those tried in most folds; of equals the lowest degree and C."""
        most = max(len(point.scores) for point in self.table)
        finished = [point for point in self.table if len(point.scores) == most]
        highest = max(point.mean for point in finished)
        equals = (point for point in finished if point.mean >= highest - _SAME)
        return min(equals, key=lambda point: (point.degree, point.C))


@dataclass(frozen=True)
class NestedScore(FoldScores):
    """What choosing degree and C by cross-validation is worth on rows that took no part in it."""

    chosen: tuple[GridScore, ...]
    complete: bool = True


@dataclass(frozen=True, eq=False)
class Tuner:
    """SVMs of one table: whatever is trained or judged here shares inner products and folds.

    Judged by AUC, with more than two classes by its mean over pairs of classes, and in regression
    by R2.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> tuning = Tuner.of(X, X[:, 0] * X[:, 1] > 0).tune()
    >>> tuning.best.degree, tuning.best.mean > 0.9
    (2, True)
    """

    X: Matrix
    y: Any
    params: SVMParams
    n_folds: int
    random_state: int | None

    @classmethod
    def of(
        cls,
        X: Matrix,
        y: Any,
        params: SVMParams | None = None,
        *,
        folds: int = 5,
        random_state: int | None = 0,
    ) -> Tuner:
        """Check the data, and sample rows if the parameters say so.

        There are fewer folds, with a warning, if the rarest class has fewer rows.
        """
        chosen = params or SVMParams()
        matrix = numeric_matrix(X)
        target = chosen.target(y, matrix.shape[0])
        rows, chosen = chosen.sampled(target)
        if rows is not None:
            matrix, target = matrix[rows], target[rows]
        n_folds = usable_folds(target, folds, regression=chosen.regression)
        return cls(matrix, target, chosen, n_folds, random_state)

    @cached_property
    def gram(self) -> FloatArray:
        """Inner products of the rows."""
        return linear_gram(self.X)

    def forget_gram(self) -> None:
        """Give back the memory of the inner products; they are made again where they are asked."""
        vars(self).pop("gram", None)

    @cached_property
    def landmarks(self) -> Landmarks | None:
        """Landmarks among the rows, if weights are to be sums over such."""
        return self.params.landmarks(self.X, self.y)

    @cached_property
    def folds(self) -> list[Split]:
        """The folds; everything is judged on the same ones."""
        regression = self.params.regression
        return make_folds(self.y, self.n_folds, self.random_state, regression=regression)

    def train(self, degree: int, C: float) -> tuple[tuple[PolynomialModel, ...], bool]:
        """Train on all rows; also tell whether that came to an end."""
        if self.landmarks is not None:
            return train_by_landmarks(
                self.landmarks, self.X, self.y, degree=degree, C=C, params=self.params
            )
        return train(self.X, self.y, degree=degree, C=C, params=self.params, gram=self.gram)

    def tune(
        self,
        degrees: Sequence[int] = DEGREES,
        Cs: Sequence[float] = CS,
        trace: Trace | None = None,
    ) -> Tuning:
        """Try degrees and values of C; interrupted, it returns what there is so far."""
        counted = _Counted(trace)
        return self._grid(degrees, Cs).search(self.folds, counted)

    def score(self, degree: int, C: float) -> GridScore:
        """Judge one degree and C."""
        return self.tune((degree,), (C,)).best

    def nested(
        self,
        degrees: Sequence[int] = DEGREES,
        Cs: Sequence[float] = CS,
        trace: Trace | None = None,
    ) -> NestedScore | None:
        """Judge the choice of degree and C itself.

        For each fold they are chosen by cross-validation within the other folds, and the SVM
        trained on those is judged on the fold. None if the rarest class has too few rows for that.
        """
        grid, counted = self._grid(degrees, Cs), _Counted(trace)
        n_left = min(
            n_rarest(self.y[rows], regression=self.params.regression) for rows, _ in self.folds
        )
        n_inner = min(self.n_folds, n_left)
        if n_inner < 2:
            return None
        scores: list[float] = []
        chosen: list[GridScore] = []
        for rows, test in self.folds:
            within = replace(grid, rows=rows, y=grid.y[rows])
            inner = make_folds(
                within.y, n_inner, self.random_state, regression=self.params.regression
            )
            tuning = within.search(inner, counted)
            if not tuning.complete:
                break
            best = tuning.best
            ((value, _),) = replace(grid, Cs=(best.C,)).path(best.degree, rows, test)
            scores.append(value)
            chosen.append(best)
        if not scores:
            raise Cancelled
        return NestedScore(tuple(scores), tuple(chosen), complete=len(scores) == self.n_folds)

    def linear(self, columns: FloatArray) -> FoldScores:
        """Judge a linear model of some columns on the same folds."""
        return linear_scores(columns, self.y, self.folds, regression=self.params.regression)

    def _grid(self, degrees: Sequence[int], Cs: Sequence[float]) -> _Grid:
        check_grid(degrees, Cs, self.params)
        return _Grid(
            self.gram if self.landmarks is None else self.landmarks,
            self.y,
            tuple(sorted({int(degree) for degree in degrees})),
            tuple(sorted({float(C) for C in Cs})),
            self.params,
        )


def check_grid(degrees: Sequence[int], Cs: Sequence[float], params: SVMParams) -> None:
    """Refuse degrees and values of C among which there is nothing to choose."""
    if len(degrees) == 0 or len(Cs) == 0:
        raise OptionError("degrees and Cs must each name at least one value to try.")
    for degree in degrees:
        check_kernel(degree, **params.kernel)
    for C in Cs:
        check_C(C)


class _Counted:
    """Counts the SVMs that have been judged."""

    def __init__(self, trace: Trace | None) -> None:
        self._trace = trace or Trace()
        self._n_judged = 0

    def add(self, phase: str, n_judged: int) -> None:
        self._n_judged += n_judged
        self._trace.progressed(phase, self._n_judged)


@dataclass(frozen=True, eq=False)
class _Grid:
    """Inner products and the target of some rows, and what to try on them, ascending."""

    source: FloatArray | Landmarks  # inner products of all rows of the table, or landmarks
    y: Any
    degrees: tuple[int, ...]
    Cs: tuple[float, ...]
    params: SVMParams
    rows: IntArray | None = None  # which rows of the table these are; None for all

    def search(self, folds: Sequence[Split], counted: _Counted) -> Tuning:
        """Try everything in every fold; interrupted, return what there is."""
        found: dict[tuple[int, float], list[tuple[float, bool]]] = {
            point: [] for point in product(self.degrees, self.Cs)
        }
        complete = True
        try:
            for degree, split in product(self.degrees, folds):
                for C, outcome in zip(self.Cs, self.path(degree, *split), strict=True):
                    found[degree, C].append(outcome)
                counted.add(f"degree {degree}", len(self.Cs))
        except Cancelled:
            complete = False
        table = tuple(
            GridScore(
                tuple(value for value, _ in outcomes),
                degree,
                C,
                converged=all(converged for _, converged in outcomes),
            )
            for (degree, C), outcomes in found.items()
            if outcomes
        )
        if not table:
            raise Cancelled
        return Tuning(table, self.params.measure, complete)

    def path(self, degree: int, rows: IntArray, test: IntArray) -> list[tuple[float, bool]]:
        """Train on some rows at each C; return scores on others, and if it was to the end.

        What is not trained to the end at one C is not tried at a higher one, which is harder. Nor
        is, in regression, what follows the noise. Of many rows, what takes long is trained to the
        end only if it comes near the best of the lower ones.
        """
        of = np.arange(len(self.y)) if self.rows is None else self.rows
        fold = trained_fold(self.source, degree, of, (rows, test), self.params)
        outcomes: list[tuple[float, bool]] = []
        can_change, best = True, -np.inf
        at_once = self.params.regression or degree == 1 or len(rows) < _MANY_ROWS
        for C in self.Cs:
            if can_change:
                stop_if_cancelled()
                solution = fold.solve(self.y[rows], C, to_the_end=at_once)
                value = score(self.y[test], fold.decisions(solution), solution.pairs)
                if not (at_once or solution.converged) and value >= best - _BEHIND:
                    solution = fold.solve(self.y[rows], C)
                    value = score(self.y[test], fold.decisions(solution), solution.pairs)
                can_change = solution.at_limit and solution.converged
                best = max(best, value)
                if self.params.regression and value < best - _HOPELESS:
                    can_change = False
            outcomes.append((value, solution.converged))
        return outcomes
