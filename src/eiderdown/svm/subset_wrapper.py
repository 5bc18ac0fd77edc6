"""Ever fewer variables, judged by a machine: what recursive elimination and Relief share.

A part of the rows is held out. On the others a machine is trained with all variables, then with
the better half of them, and so on down to one; the set with which the machine does best on the rows
that were held out is the answer (Brown 2009, section III.7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen, without_rounding
from eiderdown.errors import InputError, OptionError
from eiderdown.randomness import RandomState, as_generator
from eiderdown.svm.folds import hold_out
from eiderdown.svm.inner_products import numeric_matrix
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import PolynomialModel
from eiderdown.svm.scoring import score
from eiderdown.svm.svm_settings import SVMSettings
from eiderdown.svm.training import trained

_SAME = 1e-9
"""Scores this close are equal."""

Progress: TypeAlias = Callable[[str, int], None]
"""Told what is being done, and how many variables are left."""

Rating: TypeAlias = Callable[[IntArray, tuple[PolynomialModel, ...]], FloatArray]
"""Rates variables, given which are left and the machines trained with them; high is good."""


@dataclass(frozen=True)
class Round:
    """One set of variables.

    Attributes
    ----------
    n_variables : int
        How many there are in it.
    score : float
        AUC (or R2) on the rows that were held out.
    converged : bool
        False if the machine was still improving when its training was ended.
    """

    n_variables: int
    score: float
    converged: bool = True


@dataclass(frozen=True, eq=False)
class SubsetSelection:
    """Ever smaller sets of variables, and the best of them.

    Attributes
    ----------
    rounds : tuple of Round
        From all variables downward.
    order : IntArray
        All variables, the first to go first; the last n of them are the set of n variables.
    measure : str
        "AUC" or "R2".
    complete : bool
        False if it was interrupted and this is the best so far.
    """

    rounds: tuple[Round, ...]
    order: IntArray
    measure: str
    complete: bool = True

    @property
    def best(self) -> Round:
        """The round with the best score; of equals the smallest set."""
        highest = max(item.score for item in self.rounds)
        return next(item for item in reversed(self.rounds) if item.score >= highest - _SAME)

    @property
    def members(self) -> tuple[int, ...]:
        """The best set, the last to go first."""
        return tuple(int(v) for v in self.order[::-1][: self.best.n_variables])


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows to train on and rows that were held out, with columns in the order of their names.

    In that order nothing depends on the order in which the columns were given, not even rounding.
    """

    X_train: Matrix
    y_train: Any
    X_test: Matrix
    y_test: Any
    columns: IntArray

    @classmethod
    def of(
        cls,
        X: Matrix,
        y: Any,
        *,
        test_share: float,
        random_state: RandomState,
        names: Sequence[str] | None,
        params: SVMSettings,
    ) -> HeldOut:
        """Check the data and hold out a share of the rows."""
        matrix = numeric_matrix(X)
        target = params.target(y, matrix.shape[0])
        columns = _by_name(names, matrix.shape[1])
        train, test = hold_out(
            target, test_share, as_generator(random_state), regression=params.regression
        )
        ordered = matrix if names is None else matrix[:, columns]
        return cls(ordered[train], target[train], ordered[test], target[test], columns)

    def judge(
        self, left: IntArray, *, degree: int, cost: float, params: SVMSettings
    ) -> tuple[tuple[PolynomialModel, ...], Round]:
        """Train with some of the columns; return the machines and how they did."""
        models, converged = trained(
            self.X_train[:, left], self.y_train, degree=degree, cost=cost, params=params
        )
        seen = self.X_test[:, left]
        decisions = np.column_stack([model.decision(seen) for model in models])
        value = score(self.y_test, decisions, [model.classes for model in models])
        return models, Round(len(left), value, converged)


def narrow(
    data: HeldOut,
    rate: Rating,
    *,
    degree: int,
    cost: float,
    keep: float,
    params: SVMSettings,
    progress: Progress | None = None,
) -> SubsetSelection:
    """Drop the variables with the lowest ratings, round by round, and judge what is left.

    Parameters
    ----------
    data : HeldOut
        Rows to train on and to test on.
    rate : callable
        Called in each round with the columns of ``data`` that are left and the trained machines.
    degree, cost, params
        How the machines are trained.
    keep : float
        Share of the variables that is kept in each round, rounded down; at least one goes.
    progress : callable or None
        Called with what is being done and the number of variables left.
    """
    if not 0.0 < keep < 1.0:
        raise OptionError(f"keep must be between 0 and 1, not {keep!r}; 0.5 halves every round.")
    left = np.arange(len(data.columns))
    models: tuple[PolynomialModel, ...] = ()
    rounds: list[Round] = []
    gone: list[IntArray] = []
    try:
        while not models or len(left) > 1:
            if models:
                worst_first = left[_worst_first(rate(left, models))]
                n_kept = max(1, min(len(left) - 1, int(keep * len(left) + _SAME)))
                gone.append(worst_first[:-n_kept])
                left = np.sort(worst_first[-n_kept:])
            if progress is not None:
                progress("narrowing", len(left))
            models, outcome = data.judge(left, degree=degree, cost=cost, params=params)
            rounds.append(outcome)
    except KeyboardInterrupt:
        if not rounds:
            raise
    order = data.columns[np.concatenate([*gone, left])]
    complete = rounds[-1].n_variables == 1
    return SubsetSelection(tuple(rounds), frozen(order), params.measure, complete)


def _worst_first(ratings: FloatArray) -> IntArray:
    """Order by rating; of equals, the last by name goes first.

    Ratings that differ by rounding only, as those of two equal columns may, are equal.
    """
    return np.lexsort((-np.arange(len(ratings)), without_rounding(ratings)))


def _by_name(names: Sequence[str] | None, n_variables: int) -> IntArray:
    if names is None:
        return np.arange(n_variables)
    if len(names) != n_variables:
        raise InputError(
            f"names must have one name for each of the {n_variables} columns, not {len(names)}."
        )
    return np.array(sorted(range(n_variables), key=names.__getitem__), dtype=np.int64)
