"""Support vector machines from a kernel matrix: LIBSVM, and what to do when it gets nowhere."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import InputError, NonFiniteError, OptionError, TooFewRowsError
from eiderdown.svm.interior_point import low_rank_factor, solve_by_interior_point

Pair: TypeAlias = tuple[int, int]

_CACHE_MEGABYTES = 1_000
"""LIBSVM keeps a copy of the kernel in single precision, up to this much of it."""

_MOST_ROWS = 6_000
"""Beyond, the factors for the interior point method take too much memory."""

_MOST_WORK = 4e8
"""Steps of LIBSVM times rows where there is no other method: some seconds, or half a minute."""

_AT_LIMIT = 1.0 - 1e-5
"""The interior point method comes only so close; to be wrong here costs a training at most."""


@dataclass(frozen=True)
class SVMParams:
    """How SVMs are trained.

    Parameters
    ----------
    gamma, coef0 : float
        The kernel is ``(gamma x.x' + coef0)^degree``; both must be positive.
    class_weight : "balanced" or None
        Whether an error on a rare class costs more, so that all classes weigh the same.
    regression : bool
        Whether the target is a number and not a class.
    epsilon : float
        In regression, the error that costs nothing.
    tolerance : float
        How far margins may be from those of the solution.
    """

    gamma: float = 1.0
    coef0: float = 1.0
    class_weight: Literal["balanced"] | None = None
    regression: bool = False
    epsilon: float = 0.1
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        if self.class_weight not in (None, "balanced"):
            raise OptionError(
                f"class_weight must be 'balanced' or None, not {self.class_weight!r}."
            )
        if not self.epsilon >= 0.0:
            raise OptionError(f"epsilon must be at least 0, not {self.epsilon!r}.")
        if not self.tolerance > 0.0:
            raise OptionError(f"tolerance must be positive, not {self.tolerance!r}.")

    @property
    def kernel(self) -> dict[str, float]:
        """Scale and offset of the kernel."""
        return {"gamma": self.gamma, "coef0": self.coef0}

    @property
    def measure(self) -> str:
        """How SVMs are judged: "AUC", or "R2" in regression."""
        return "R2" if self.regression else "AUC"

    def target(self, y: Any, n_rows: int) -> Any:
        """Check a target and return it as codes, or in regression as numbers."""
        target: Any = np.asarray(y, dtype=np.float64 if self.regression else np.int64)
        if target.shape != (n_rows,):
            raise InputError(
                f"y must have one value for each of the {n_rows} rows, not shape {target.shape}."
            )
        if not np.isfinite(target).all():
            raise NonFiniteError("y has a value that is missing or infinite; drop such rows first.")
        if not self.regression and len(np.unique(target)) < 2:
            raise TooFewRowsError(
                "All rows are of one class, so there is nothing to tell apart; give rows of at "
                "least two classes."
            )
        return target

    def row_weights(self, y: Any) -> FloatArray:
        """Return what multiplies C for each row."""
        if self.regression or self.class_weight is None:
            return np.ones(len(y))
        from sklearn.utils.class_weight import compute_sample_weight

        return np.asarray(compute_sample_weight("balanced", y), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DualSolution:
    """One SVM, or one for each pair of classes.

    Attributes
    ----------
    pairs : tuple of pairs or None
        For each SVM the classes for which it is negative and positive; None in regression.
    alphas : array of shape (n_models, n_rows)
        Coefficients of the rows, with the sign of their class.
    intercepts : array of shape (n_models,)
        What is added to the sums.
    at_limit : bool
        Whether some coefficient is as large as C allows; if none is, no higher C changes
        anything.
    converged : bool
        False if some SVM was still improving when its training was ended.
    """

    pairs: tuple[Pair | None, ...]
    alphas: FloatArray
    intercepts: FloatArray
    at_limit: bool
    converged: bool

    def decisions(self, kernel: FloatArray) -> FloatArray:
        """Return a column for each SVM, given the kernel of new rows with the trained ones."""
        values: FloatArray = kernel @ self.alphas.T + self.intercepts
        return values


class _OneModel(NamedTuple):
    alphas: FloatArray
    intercept: float
    converged: bool


def solve(kernel: FloatArray, y: Any, *, C: float, params: SVMParams) -> DualSolution:
    """Train on a kernel matrix, which is not changed.

    Its diagonal is about 1, and C is in the units of such a kernel; y are codes of classes, or
    numbers in regression.
    """
    limits = C * params.row_weights(y)
    pairs = (None,) if params.regression else _pairs(y)
    svms = [
        _fit_numbers(kernel, y, C, params)
        if pair is None
        else _fit_pair(kernel, y, pair, limits, params.tolerance)
        for pair in pairs
    ]
    alphas = np.array([svm.alphas for svm in svms])
    return DualSolution(
        pairs,
        alphas,
        np.array([svm.intercept for svm in svms]),
        at_limit=bool((np.abs(alphas) >= _AT_LIMIT * limits).any()),
        converged=all(svm.converged for svm in svms),
    )


def _pairs(y: Any) -> tuple[Pair, ...]:
    """Pair the classes as scikit-learn does: of more than two, the first of a pair is positive."""
    classes = [int(code) for code in np.unique(y)]
    if len(classes) == 2:
        return ((classes[0], classes[1]),)
    return tuple((second, first) for first, second in combinations(classes, 2))


def _fit_pair(
    kernel: FloatArray, y: Any, pair: Pair, limits: FloatArray, tolerance: float
) -> _OneModel:
    rows = np.flatnonzero((y == pair[0]) | (y == pair[1]))
    part = kernel if len(rows) == len(y) else kernel[np.ix_(rows, rows)]
    signs = np.where(y[rows] == pair[1], 1.0, -1.0)
    found = _fit_two(part, signs, limits[rows], tolerance)
    alphas = np.zeros(len(y))
    alphas[rows] = found.alphas
    return found._replace(alphas=alphas)


def _fit_two(
    kernel: FloatArray, signs: FloatArray, limits: FloatArray, tolerance: float
) -> _OneModel:
    from sklearn.svm import SVC

    highest = limits.max()
    svm = SVC(C=highest, random_state=0, **_options(kernel, tolerance))
    found = _by_libsvm(svm, kernel, signs, limits / highest)
    if found.converged or len(kernel) > _MOST_ROWS:
        return found
    bounds = np.where(signs > 0, 0.0, -limits), np.where(signs > 0, limits, 0.0)
    factor = low_rank_factor(kernel)
    return _OneModel(*solve_by_interior_point(factor, signs, *bounds, tolerance=tolerance))


def _fit_numbers(kernel: FloatArray, y: FloatArray, C: float, params: SVMParams) -> _OneModel:
    from sklearn.svm import SVR

    tolerance, epsilon = params.tolerance, params.epsilon
    svm = SVR(C=C, epsilon=epsilon, **_options(kernel, tolerance))
    found = _by_libsvm(svm, kernel, y, None)
    if found.converged or 2 * len(kernel) > _MOST_ROWS:
        return found
    # Each row stands twice: once for being too low, once for being too high.
    factor = np.tile(low_rank_factor(kernel), (2, 1))
    bounds = np.repeat([0.0, -C], len(y)), np.repeat([C, 0.0], len(y))
    linear = np.concatenate([y - epsilon, y + epsilon])
    twice, intercept, converged = solve_by_interior_point(
        factor, linear, *bounds, tolerance=tolerance
    )
    return _OneModel(twice[: len(y)] + twice[len(y) :], intercept, converged)


def _by_libsvm(svm: Any, kernel: FloatArray, y: Any, weights: FloatArray | None) -> _OneModel:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # That it ran out of steps; the caller is told.
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm.fit(kernel, y, sample_weight=weights)
    alphas = np.zeros(len(y))
    alphas[svm.support_] = svm.dual_coef_[0]
    return _OneModel(alphas, float(svm.intercept_[0]), svm.fit_status_ == 0)


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
