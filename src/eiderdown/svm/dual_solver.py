"""Support vector machines from a kernel matrix: LIBSVM, and what to do when it gets nowhere."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.svm.interior_point import low_rank_factor, solve_by_interior_point
from eiderdown.svm.svm_settings import SVMSettings

Pair: TypeAlias = tuple[int, int]

_CACHE_MEGABYTES = 1_000
"""LIBSVM keeps a copy of the kernel in single precision, up to this much of it."""

_MOST_ROWS = 6_000
"""Beyond, the factors for the interior point method take too much memory."""

_MOST_WORK = 4e8
"""Steps of LIBSVM times rows where there is no other method: some seconds, or half a minute."""

_AT_LIMIT = 1.0 - 1e-5
"""The interior point method comes only so close; to be wrong here costs a training at most."""


@dataclass(frozen=True, eq=False)
class DualSolution:
    """One machine, or one for each pair of classes.

    Attributes
    ----------
    pairs : tuple of pairs or None
        For each machine the classes for which it is negative and positive; None in regression.
    alphas : array of shape (n_machines, n_rows)
        Coefficients of the rows, with the sign of their class.
    intercepts : array of shape (n_machines,)
        What is added to the sums.
    at_limit : bool
        Whether some coefficient is as large as the cost allows; if none is, no higher cost changes
        anything.
    converged : bool
        False if some machine was still improving when its training was ended.
    """

    pairs: tuple[Pair | None, ...]
    alphas: FloatArray
    intercepts: FloatArray
    at_limit: bool
    converged: bool

    def decisions(self, kernel: FloatArray) -> FloatArray:
        """Return a column for each machine, given the kernel of new rows with the trained ones."""
        values: FloatArray = kernel @ self.alphas.T + self.intercepts
        return values


class _Machine(NamedTuple):
    alphas: FloatArray
    intercept: float
    converged: bool


def solve(kernel: FloatArray, y: Any, *, cost: float, params: SVMSettings) -> DualSolution:
    """Train on a kernel matrix.

    Parameters
    ----------
    kernel : array of shape (n_rows, n_rows)
        Kernel of all pairs of rows, with a diagonal of about 1; it is not changed.
    y : array of shape (n_rows,)
        Codes of classes, or numbers in regression.
    cost : float
        Cost of errors, for a kernel in these units; positive.
    params : SVMSettings
        The rest; scale and offset of the kernel are not used.
    """
    limits = cost * params.row_weights(y)
    pairs = (None,) if params.regression else _pairs(y)
    machines = [
        _fit_numbers(kernel, y, cost, params)
        if pair is None
        else _fit_pair(kernel, y, pair, limits, params.tolerance)
        for pair in pairs
    ]
    alphas = np.array([machine.alphas for machine in machines])
    return DualSolution(
        pairs,
        alphas,
        np.array([machine.intercept for machine in machines]),
        at_limit=bool((np.abs(alphas) >= _AT_LIMIT * limits).any()),
        converged=all(machine.converged for machine in machines),
    )


def _pairs(y: Any) -> tuple[Pair, ...]:
    """Pair the classes as scikit-learn does: of more than two, the first of a pair is positive."""
    classes = [int(code) for code in np.unique(y)]
    if len(classes) == 2:
        return ((classes[0], classes[1]),)
    return tuple((second, first) for first, second in combinations(classes, 2))


def _fit_pair(
    kernel: FloatArray, y: Any, pair: Pair, limits: FloatArray, tolerance: float
) -> _Machine:
    rows = np.flatnonzero((y == pair[0]) | (y == pair[1]))
    part = kernel if len(rows) == len(y) else kernel[np.ix_(rows, rows)]
    signs = np.where(y[rows] == pair[1], 1.0, -1.0)
    found = _fit_two(part, signs, limits[rows], tolerance)
    alphas = np.zeros(len(y))
    alphas[rows] = found.alphas
    return found._replace(alphas=alphas)


def _fit_two(
    kernel: FloatArray, signs: FloatArray, limits: FloatArray, tolerance: float
) -> _Machine:
    from sklearn.svm import SVC

    highest = limits.max()
    machine = SVC(C=highest, random_state=0, **_options(kernel, tolerance))
    found = _by_libsvm(machine, kernel, signs, limits / highest)
    if found.converged or len(kernel) > _MOST_ROWS:
        return found
    bounds = np.where(signs > 0, 0.0, -limits), np.where(signs > 0, limits, 0.0)
    factor = low_rank_factor(kernel)
    return _Machine(*solve_by_interior_point(factor, signs, *bounds, tolerance=tolerance))


def _fit_numbers(kernel: FloatArray, y: FloatArray, cost: float, params: SVMSettings) -> _Machine:
    from sklearn.svm import SVR

    tolerance, epsilon = params.tolerance, params.epsilon
    machine = SVR(C=cost, epsilon=epsilon, **_options(kernel, tolerance))
    found = _by_libsvm(machine, kernel, y, None)
    if found.converged or 2 * len(kernel) > _MOST_ROWS:
        return found
    # Each row stands twice: once for being too low, once for being too high.
    factor = np.tile(low_rank_factor(kernel), (2, 1))
    bounds = np.repeat([0.0, -cost], len(y)), np.repeat([cost, 0.0], len(y))
    linear = np.concatenate([y - epsilon, y + epsilon])
    twice, intercept, converged = solve_by_interior_point(
        factor, linear, *bounds, tolerance=tolerance
    )
    return _Machine(twice[: len(y)] + twice[len(y) :], intercept, converged)


def _by_libsvm(machine: Any, kernel: FloatArray, y: Any, weights: FloatArray | None) -> _Machine:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # That it ran out of steps; the caller is told.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(kernel, y, sample_weight=weights)
    alphas = np.zeros(len(y))
    alphas[machine.support_] = machine.dual_coef_[0]
    return _Machine(alphas, float(machine.intercept_[0]), machine.fit_status_ == 0)


def _options(kernel: FloatArray, tolerance: float) -> dict[str, Any]:
    n_rows = len(kernel)
    # Up to some rows what takes more steps is better left to the other method.
    steps = max(20 * n_rows, 20_000 if n_rows <= _MOST_ROWS else _MOST_WORK / n_rows)
    return {
        "kernel": "precomputed",
        "tol": tolerance,
        "max_iter": int(steps),
        "cache_size": min(_CACHE_MEGABYTES, 1 + kernel.nbytes / 2**21),
    }
