"""Training of support vector machines with polynomial kernels, from inner products.

One matrix of inner products serves every degree, every C and every fold: the kernel is an
elementwise power of it, and folds are slices. LIBSVM is given the kernel as a matrix of numbers,
made by one matrix product: its own polynomial kernel goes through the columns for every pair of
rows, which takes ten times as long. Where LIBSVM gets nowhere, an interior point method takes over,
which also trains SVMs whose weights are sums over landmarks (``SVMParams.approximation``).

The kernel is divided by a unit u and C multiplied by it: in coefficients a' = u a the dual problem
``min a'Qa/2 - sum a, 0 <= a <= C`` is the same one, times u.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import (
    EiderdownWarning,
    InputError,
    NonFiniteError,
    OptionError,
    TooFewRowsError,
)
from eiderdown.svm.approximation import EXACT, Approximation
from eiderdown.svm.inner_products import (
    CACHE_MEGABYTES,
    kernel_unit,
    linear_gram,
    polynomial_kernel,
)
from eiderdown.svm.interior_point import low_rank_factor, solve_by_interior_point, threads_for
from eiderdown.svm.landmarks import Landmarks
from eiderdown.svm.model import PolynomialModel, check_kernel
from eiderdown.svm.monomials import Matrix, numeric_matrix

Pair: TypeAlias = tuple[int, int]

_MOST_ROWS = 6_000
"""Beyond, the factors for the interior point method take too much memory."""

_MOST_WORK = 4e8
"""Steps of LIBSVM times rows where there is no other method: some seconds, or half a minute."""

_STEPS_PER_ROW = 10
"""Steps of LIBSVM in regression, where there is another method."""

_AT_LIMIT = 1.0 - 1e-5
"""The interior point method comes only so close; to be wrong here costs a training at most."""


@dataclass(frozen=True)
class SVMParams:
    """How SVMs are trained."""

    gamma: float = 1.0
    coef0: float = 1.0
    class_weight: Literal["balanced"] | None = None
    regression: bool = False
    epsilon: float = 0.1
    tolerance: float = 1e-3
    approximation: Approximation = EXACT

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

    def sampled(self, y: Any) -> tuple[IntArray | None, Self]:
        """Return the rows to train with, None for all, and how to train with those."""
        rows = self.approximation.sampled(y, regression=self.regression)
        return rows, self if rows is None else replace(self, approximation=EXACT)

    def landmarks(self, X: Matrix, y: Any) -> Landmarks | None:
        """Return the landmarks of a table, if weights are to be sums over such."""
        rows = self.approximation.landmarks(y, regression=self.regression)
        if rows is None:
            return None
        return Landmarks(X, rows, **self.kernel, regression=self.regression)

    def row_weights(self, y: Any) -> FloatArray:
        """Return what multiplies C for each row."""
        if self.regression or self.class_weight is None:
            return np.ones(len(y))
        from sklearn.utils.class_weight import compute_sample_weight

        return np.asarray(compute_sample_weight("balanced", y), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DualSolution:
    """One SVM, or one for each pair of classes."""

    pairs: tuple[Pair | None, ...]  # classes for which each is negative and positive, or None
    alphas: FloatArray  # of shape (n_models, n_rows), with the sign of their class
    intercepts: FloatArray
    at_limit: bool  # some coefficient is as large as C allows; else no higher C changes anything
    converged: bool  # False if one was still improving when its training was ended

    def decisions(self, kernel: FloatArray) -> FloatArray:
        """Return a column for each SVM, given the kernel of new rows with the trained ones."""
        values: FloatArray = kernel @ self.alphas.T + self.intercepts
        return values


class _OneModel(NamedTuple):
    alphas: FloatArray
    intercept: float
    converged: bool


def solve(
    kernel: FloatArray, y: Any, *, C: float, params: SVMParams, to_the_end: bool = True
) -> DualSolution:
    """Train on a kernel matrix, which is not changed.

    Its diagonal is about 1, and C is in the units of such a kernel; y are codes of classes, or
    numbers in regression. Classes need not be told apart ``to_the_end``: where LIBSVM runs out of
    steps, it is left at that.
    """

    def fit_two(rows: IntArray, signs: FloatArray, limits: FloatArray) -> _OneModel:
        part = kernel if len(rows) == len(y) else kernel[np.ix_(rows, rows)]
        found = _fit_two(part, signs, limits, params.tolerance)
        if found.converged or not to_the_end or len(part) > _MOST_ROWS:
            return found
        with threads_for(len(part)):
            return _fit_two_by_factor(low_rank_factor(part), signs, limits, params.tolerance)

    return _solved(y, C, params, fit_two, lambda: _fit_numbers(kernel, y, C, params))


def solve_factor(factor: FloatArray, y: Any, *, C: float, params: SVMParams) -> DualSolution:
    """Train as :func:`solve` does, on the kernel ``F F'`` of a factor with few columns."""

    def fit_two(rows: IntArray, signs: FloatArray, limits: FloatArray) -> _OneModel:
        part = factor if len(rows) == len(y) else factor[rows]
        return _fit_two_by_factor(part, signs, limits, params.tolerance)

    return _solved(y, C, params, fit_two, lambda: _fit_numbers_by_factor(factor, y, C, params))


def _solved(
    y: Any,
    C: float,
    params: SVMParams,
    fit_two: Callable[[IntArray, FloatArray, FloatArray], _OneModel],
    fit_numbers: Callable[[], _OneModel],
) -> DualSolution:
    """Train an SVM of numbers, or one for each pair of classes."""
    limits = C * params.row_weights(y)
    pairs = (None,) if params.regression else _pairs(y)
    svms = [
        fit_numbers() if pair is None else _fit_pair(y, pair, limits, fit_two) for pair in pairs
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
    y: Any,
    pair: Pair,
    limits: FloatArray,
    fit_two: Callable[[IntArray, FloatArray, FloatArray], _OneModel],
) -> _OneModel:
    rows = np.flatnonzero((y == pair[0]) | (y == pair[1]))
    found = fit_two(rows, np.where(y[rows] == pair[1], 1.0, -1.0), limits[rows])
    alphas = np.zeros(len(y))
    alphas[rows] = found.alphas
    return found._replace(alphas=alphas)


def _fit_two(
    kernel: FloatArray, signs: FloatArray, limits: FloatArray, tolerance: float
) -> _OneModel:
    from sklearn.svm import SVC

    highest = limits.max()
    svm = SVC(C=highest, random_state=0, **_options(kernel, tolerance))
    return _by_libsvm(svm, kernel, signs, limits / highest)


def _fit_two_by_factor(
    factor: FloatArray, signs: FloatArray, limits: FloatArray, tolerance: float
) -> _OneModel:
    bounds = np.where(signs > 0, 0.0, -limits), np.where(signs > 0, limits, 0.0)
    with threads_for(len(factor)):
        return _OneModel(*solve_by_interior_point(factor, signs, *bounds, tolerance=tolerance))


def _fit_numbers(kernel: FloatArray, y: FloatArray, C: float, params: SVMParams) -> _OneModel:
    from sklearn.svm import SVR

    svm = SVR(C=C, epsilon=params.epsilon, **_options(kernel, params.tolerance))
    if 2 * len(kernel) <= _MOST_ROWS:  # what takes more steps is quicker by the other method
        svm.set_params(max_iter=_STEPS_PER_ROW * len(kernel))
    found = _by_libsvm(svm, kernel, y, None)
    if found.converged or 2 * len(kernel) > _MOST_ROWS:
        return found
    with threads_for(len(kernel)):
        return _fit_numbers_by_factor(low_rank_factor(kernel), y, C, params)


def _fit_numbers_by_factor(
    factor: FloatArray, y: FloatArray, C: float, params: SVMParams
) -> _OneModel:
    # Each row stands twice: once for being too low, once for being too high.
    bounds = np.repeat([0.0, -C], len(y)), np.repeat([C, 0.0], len(y))
    linear = np.concatenate([y - params.epsilon, y + params.epsilon])
    with threads_for(len(factor)):
        twice, intercept, converged = solve_by_interior_point(
            np.tile(factor, (2, 1)), linear, *bounds, tolerance=params.tolerance
        )
    return _OneModel(twice[: len(y)] + twice[len(y) :], intercept, converged)


def _by_libsvm(svm: Any, kernel: FloatArray, y: Any, weights: FloatArray | None) -> _OneModel:
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning

    checked = config_context(assume_finite=True, skip_parameter_validation=True)
    with checked, warnings.catch_warnings():
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
        "cache_size": min(CACHE_MEGABYTES, 1 + kernel.nbytes / 2**21),
    }


def fit_polynomial_svm(
    X: Matrix,
    y: Any,
    *,
    degree: int,
    C: float,
    params: SVMParams | None = None,
    gram: FloatArray | None = None,
) -> tuple[PolynomialModel, ...]:
    """Train a support vector machine with the kernel ``(gamma x.x' + coef0)^degree``.

    Examples
    --------
    >>> points = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    >>> (model,) = fit_polynomial_svm(points, [0, 1, 1, 0], degree=2, C=1e3)
    >>> model.decision(points).round(3).tolist()
    [-1.0, 1.0, 1.0, -1.0]
    """
    chosen = params or SVMParams()
    models, converged = train(X, y, degree=degree, C=C, params=chosen, gram=gram)
    if not converged:
        warnings.warn(
            f"The SVM of degree {degree} with C={C:g} was still improving when its training "
            "was ended; choose a smaller C, or scale the columns.",
            EiderdownWarning,
            stacklevel=2,
        )
    return models


def train(
    X: Matrix,
    y: Any,
    *,
    degree: int,
    C: float,
    params: SVMParams,
    gram: FloatArray | None = None,
) -> tuple[tuple[PolynomialModel, ...], bool]:
    """Train as :func:`fit_polynomial_svm` does; also tell whether it was to the end."""
    check_kernel(degree, **params.kernel)
    check_C(C)
    degree = int(degree)
    matrix = numeric_matrix(X)
    target = params.target(y, matrix.shape[0])
    rows, params = params.sampled(target)
    if rows is not None:
        matrix, target, gram = matrix[rows], target[rows], None
    landmarks = params.landmarks(matrix, target)
    if landmarks is not None:
        return train_by_landmarks(landmarks, matrix, target, degree=degree, C=C, params=params)
    products = linear_gram(matrix) if gram is None else gram
    unit = kernel_unit(np.diagonal(products), **params.kernel)
    kernel = polynomial_kernel(products, degree, **params.kernel, unit=unit)
    solution = solve(kernel, target, C=C * unit**degree, params=params)
    alphas = solution.alphas / unit**degree
    everyone = np.arange(matrix.shape[0])
    return _models(matrix, everyone, alphas, solution, degree, params), solution.converged


def train_by_landmarks(
    landmarks: Landmarks, X: Matrix, y: Any, *, degree: int, C: float, params: SVMParams
) -> tuple[tuple[PolynomialModel, ...], bool]:
    """Train with all rows SVMs whose weights are sums over landmarks."""
    factor = landmarks.factor(degree)
    solution = solve_factor(factor.values, y, C=C * factor.unit**degree, params=params)
    alphas = np.array([factor.coefficients(of_model) for of_model in solution.alphas])
    return _models(X, factor.rows, alphas, solution, degree, params), solution.converged


def _models(
    X: Matrix,
    rows: IntArray,
    alphas: FloatArray,
    solution: DualSolution,
    degree: int,
    params: SVMParams,
) -> tuple[PolynomialModel, ...]:
    """Make a model of each SVM, of the rows with coefficients other than 0."""
    models = []
    for of_model, intercept, pair in zip(alphas, solution.intercepts, solution.pairs, strict=True):
        used = np.flatnonzero(of_model)
        model = PolynomialModel(
            X[rows[used]],
            of_model[used],
            degree,
            **params.kernel,
            intercept=float(intercept),
            classes=pair,
        )
        models.append(model)
    return tuple(models)


def check_C(C: float) -> None:  # noqa: N802  what it is called everywhere
    """Refuse a C that is not positive."""
    if not C > 0.0:
        raise OptionError(f"C must be positive, not {C!r}; try powers of ten.")
