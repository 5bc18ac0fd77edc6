"""Ever fewer variables, judged by an SVM: recursive elimination, and rankings cut the same way.

A part of the rows is held out. On the others an SVM is trained with all variables, then with the
better half of them, and so on down to one; the set with which the SVM does best on the rows that
were held out is the answer (Brown 2009, section III.7). Recursive feature elimination (Guyon et al.
2002) rates the variables anew in each round; a ranking such as Relief's is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen, without_rounding
from eiderdown.errors import InputError, OptionError
from eiderdown.progress import Cancelled, Trace
from eiderdown.svm.cross_validation import hold_out, score_models
from eiderdown.svm.model import PolynomialModel
from eiderdown.svm.monomials import Matrix, numeric_matrix
from eiderdown.svm.training import SVMParams, train
from eiderdown.svm.weights.contributions import variable_norms

_SAME = 1e-9
"""Scores this close are equal."""

Rating: TypeAlias = Callable[[IntArray, tuple[PolynomialModel, ...]], FloatArray]
"""Rates variables, given which are left and the models trained with them; high is good."""

Ranking: TypeAlias = Callable[[Matrix, Any], FloatArray]
"""Rates all columns once, given rows and their target; high is good."""


@dataclass(frozen=True)
class Narrowing:
    """How ever smaller sets of variables are tried."""

    degree: int
    C: float
    keep: float = 0.5  # share of the variables that is kept in each round, rounded down
    test_share: float = 0.2  # of the rows, held out to judge each round
    random_state: int | None = 0
    params: SVMParams = field(default_factory=SVMParams)

    def __post_init__(self) -> None:
        if not 0.0 < self.keep < 1.0:
            raise OptionError(
                f"keep must be between 0 and 1, not {self.keep!r}; 0.5 halves every round."
            )


@dataclass(frozen=True)
class SubsetScore:
    """One set of variables."""

    n_variables: int
    score: float
    converged: bool = True


@dataclass(frozen=True, eq=False)
class SubsetSelection:
    """Ever smaller sets of variables, and the best of them."""

    rounds: tuple[SubsetScore, ...]  # from all variables downward
    order: IntArray  # the first to go first; the last n of them are the set of n variables
    measure: str
    complete: bool = True

    @property
    def best(self) -> SubsetScore:
        """The round with the best score; of equals the smallest set."""
        highest = max(item.score for item in self.rounds)
        return next(item for item in reversed(self.rounds) if item.score >= highest - _SAME)

    @property
    def members(self) -> tuple[int, ...]:
        """The best set, the last to go first."""
        return tuple(int(v) for v in self.order[::-1][: self.best.n_variables])


def recursive_elimination(
    X: Matrix,
    y: Any,
    how: Narrowing,
    *,
    names: Sequence[str] | None = None,
    trace: Trace | None = None,
) -> SubsetSelection:
    """Train, drop the variables that the SVM makes least use of, and train again.

    A variable's use is the sum of the squared weights of all monomials that contain it (equation
    III.14 of the thesis), over the models of all pairs of classes. Cancelled, it returns the best
    so far.

    Examples
    --------
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], size=(200, 16))
    >>> found = recursive_elimination(X, X[:, 3] * X[:, 8] > 0, Narrowing(degree=2, C=1e3))
    >>> sorted(found.members), [item.n_variables for item in found.rounds], found.best.score
    ([3, 8], [16, 8, 4, 2, 1], 1.0)
    """
    data = _HeldOut.of(X, y, how, names)

    def use(_: IntArray, models: tuple[PolynomialModel, ...]) -> FloatArray:
        total: FloatArray = np.sum([variable_norms(model) for model in models], axis=0)
        return total

    return _narrow(data, use, how, trace or Trace())


def ranked_selection(
    X: Matrix,
    y: Any,
    how: Narrowing,
    ranking: Ranking,
    *,
    names: Sequence[str] | None = None,
    trace: Trace | None = None,
) -> SubsetSelection:
    """Rank the variables once, on the rows that are not held out, then narrow them down."""
    data = _HeldOut.of(X, y, how, names)
    scores = ranking(data.X_train, data.y_train)
    return _narrow(data, lambda left, _: scores[left], how, trace or Trace())


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """Rows to train on and rows that were held out, with columns in the order of their names.

    In that order nothing depends on the order in which the columns were given, not even rounding.
    """

    X_train: Matrix
    y_train: Any
    X_test: Matrix
    y_test: Any
    columns: IntArray
    params: SVMParams

    @classmethod
    def of(cls, X: Matrix, y: Any, how: Narrowing, names: Sequence[str] | None) -> _HeldOut:
        """Check the data and hold out a share of the rows."""
        matrix = numeric_matrix(X)
        target = how.params.target(y, matrix.shape[0])
        columns = _by_name(names, matrix.shape[1])
        rows, test = hold_out(
            target, how.test_share, how.random_state, regression=how.params.regression
        )
        sample, params = how.params.sampled(target[rows])
        rows = rows if sample is None else rows[sample]
        ordered = matrix if names is None else matrix[:, columns]
        return cls(ordered[rows], target[rows], ordered[test], target[test], columns, params)

    def judge(
        self, left: IntArray, how: Narrowing
    ) -> tuple[tuple[PolynomialModel, ...], SubsetScore]:
        """Train with some of the columns; return the models and how they did."""
        models, converged = train(
            self.X_train[:, left], self.y_train, degree=how.degree, C=how.C, params=self.params
        )
        value = score_models(models, self.X_test[:, left], self.y_test)
        return models, SubsetScore(len(left), value, converged)


def _narrow(data: _HeldOut, rate: Rating, how: Narrowing, trace: Trace) -> SubsetSelection:
    """Drop the variables with the lowest ratings, round by round, and judge what is left."""
    left = np.arange(len(data.columns))
    models: tuple[PolynomialModel, ...] = ()
    rounds: list[SubsetScore] = []
    gone: list[IntArray] = []
    try:
        while not models or len(left) > 1:
            if models:
                # Of equals (but for rounding), the last by name goes first.
                ratings = without_rounding(rate(left, models))
                worst_first = left[np.lexsort((-np.arange(len(left)), ratings))]
                n_kept = max(1, min(len(left) - 1, int(how.keep * len(left) + _SAME)))
                gone.append(worst_first[:-n_kept])
                left = np.sort(worst_first[-n_kept:])
            trace.progressed("narrowing", len(left))
            models, outcome = data.judge(left, how)
            rounds.append(outcome)
    except Cancelled:
        if not rounds:
            raise
    order = data.columns[np.concatenate([*gone, left])]
    complete = rounds[-1].n_variables == 1
    return SubsetSelection(tuple(rounds), frozen(order), how.params.measure, complete)


def _by_name(names: Sequence[str] | None, n_variables: int) -> IntArray:
    if names is None:
        return np.arange(n_variables)
    if len(names) != n_variables:
        raise InputError(
            f"names must have one name for each of the {n_variables} columns, not {len(names)}."
        )
    return np.array(sorted(range(n_variables), key=names.__getitem__), dtype=np.int64)
