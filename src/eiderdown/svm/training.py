"""Training of support vector machines with polynomial kernels, from inner products.

One matrix of inner products serves every degree, every C and every fold: the kernel is an
elementwise power of it, and folds are slices. LIBSVM is given the kernel as a matrix of numbers,
made by one matrix product: its own polynomial kernel goes through the columns for every pair of
rows, which takes ten times as long. Where LIBSVM gets nowhere, an interior point method takes over.

The kernel is divided by a unit u and C multiplied by it: in coefficients a' = u a the dual problem
``min a'Qa/2 - sum a, 0 <= a <= C`` is the same one, times u.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import (
    EiderdownWarning,
    InputError,
    NonFiniteError,
    OptionError,
    TooFewRowsError,
)
from eiderdown.svm.inner_products import (
    CACHE_MEGABYTES,
    kernel_unit,
    linear_gram,
    polynomial_kernel,
)
from eiderdown.svm.interior_point import low_rank_factor, solve_by_interior_point, threads_for
from eiderdown.svm.model import PolynomialModel, check_kernel
from eiderdown.svm.monomials import Matrix, is_sparse

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
    with threads_for(len(kernel)):
        factor = low_rank_factor(kernel)
        return _OneModel(*solve_by_interior_point(factor, signs, *bounds, tolerance=tolerance))


def _fit_numbers(kernel: FloatArray, y: FloatArray, C: float, params: SVMParams) -> _OneModel:
    from sklearn.svm import SVR

    tolerance, epsilon = params.tolerance, params.epsilon
    svm = SVR(C=C, epsilon=epsilon, **_options(kernel, tolerance))
    if 2 * len(kernel) <= _MOST_ROWS:  # what takes more steps is quicker by the other method
        svm.set_params(max_iter=_STEPS_PER_ROW * len(kernel))
    found = _by_libsvm(svm, kernel, y, None)
    if found.converged or 2 * len(kernel) > _MOST_ROWS:
        return found
    # Each row stands twice: once for being too low, once for being too high.
    bounds = np.repeat([0.0, -C], len(y)), np.repeat([C, 0.0], len(y))
    linear = np.concatenate([y - epsilon, y + epsilon])
    with threads_for(len(kernel)):
        factor = np.tile(low_rank_factor(kernel), (2, 1))
        twice, intercept, converged = solve_by_interior_point(
            factor, linear, *bounds, tolerance=tolerance
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
    products = linear_gram(matrix) if gram is None else gram
    unit = kernel_unit(np.diagonal(products), **params.kernel)
    kernel = polynomial_kernel(products, degree, **params.kernel, unit=unit)
    solution = solve(kernel, target, C=C * unit**degree, params=params)
    models = []
    found = zip(solution.alphas, solution.intercepts, solution.pairs, strict=True)
    for alphas, intercept, pair in found:
        rows = np.flatnonzero(alphas)
        scaled = alphas[rows] / unit**degree
        model = PolynomialModel(
            matrix[rows],
            scaled,
            degree,
            **params.kernel,
            intercept=float(intercept),
            classes=pair,
        )
        models.append(model)
    return tuple(models), solution.converged


def check_C(C: float) -> None:  # noqa: N802  what it is called everywhere
    """Refuse a C that is not positive."""
    if not C > 0.0:
        raise OptionError(f"C must be positive, not {C!r}; try powers of ten.")


def numeric_matrix(X: Any) -> Matrix:
    """Return a matrix as dense or CSR numbers of double precision, without a copy if it is one.

    Examples
    --------
    >>> numeric_matrix([[1, 2]])
    array([[1., 2.]])
    """
    if is_sparse(X):
        matrix = X.tocsr().astype(np.float64, copy=False)
        stored = matrix.data
    else:
        matrix = stored = np.asarray(X, dtype=np.float64)
    if matrix.ndim != 2:
        raise InputError(f"X must be a table with rows and columns, not of shape {matrix.shape}.")
    if not np.isfinite(stored).all():
        raise NonFiniteError(
            f"{_first_bad_column(matrix)} of X has a value that is missing or infinite; drop such "
            "rows or fill them in first."
        )
    return matrix


def _first_bad_column(matrix: Matrix) -> str:
    if is_sparse(matrix):
        entries = matrix.tocoo()
        first = entries.col[~np.isfinite(entries.data)].min()
    else:
        first = np.flatnonzero(~np.isfinite(matrix).all(axis=0))[0]
    return f"Column {int(first)} (counted from 0)"
