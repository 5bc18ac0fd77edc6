"""Training of support vector machines with polynomial kernels, from inner products.

One matrix of inner products serves every degree, every C and every fold: the kernel is an
elementwise power of it, and folds are slices. LIBSVM is given the kernel as a matrix of numbers,
made by one matrix product: its own polynomial kernel goes through the columns for every pair of
rows, which takes ten times as long.

The kernel is divided by a unit u and C multiplied by it: in coefficients a' = u a the dual problem
``min a'Qa/2 - sum a, 0 <= a <= C`` is the same one, times u.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import EiderdownWarning, InputError, NonFiniteError, OptionError
from eiderdown.svm.dual_solver import DualSolution, SVMParams, solve
from eiderdown.svm.model import PolynomialModel, check_kernel
from eiderdown.svm.monomials import Matrix, dense, is_sparse

_BLOCK_BYTES = 2**22
"""Rows of a kernel are made in blocks of about this size, so that they stay in the cache."""


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

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_variables)
        The data.
    y : array of shape (n_rows,)
        Codes of classes, or numbers in regression.
    degree : int
        Degree of the kernel.
    C : float
        Cost of errors.
    params : SVMParams or None
        The rest: ``gamma``, ``coef0``, ``class_weight``, ``regression``, ``epsilon``,
        ``tolerance``.
    gram : array of shape (n_rows, n_rows) or None
        Inner products of the rows, if they are at hand.

    Returns
    -------
    tuple of PolynomialModel
        One for regression or two classes; for more, one for each pair of classes.

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
    unit = kernel_unit(products, **params.kernel)
    kernel = polynomial_kernel(products, degree, **params.kernel, unit=unit)
    solution = solve(kernel, target, C=C * unit**degree, params=params)
    return _models(matrix, solution, degree, unit, params), solution.converged


def _models(
    X: Matrix, solution: DualSolution, degree: int, unit: float, params: SVMParams
) -> tuple[PolynomialModel, ...]:
    models = []
    for alphas, intercept, pair in zip(
        solution.alphas, solution.intercepts, solution.pairs, strict=True
    ):
        rows = np.flatnonzero(alphas)
        models.append(
            PolynomialModel(
                X[rows],
                alphas[rows] / unit**degree,
                degree,
                **params.kernel,
                intercept=float(intercept),
                classes=pair,
            )
        )
    return tuple(models)


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
    entries = matrix.tocoo() if hasattr(matrix, "tocoo") else None
    if entries is not None:
        return f"Column {int(entries.col[~np.isfinite(entries.data)].min())} (counted from 0)"
    return f"Column {int(np.flatnonzero(~np.isfinite(matrix).all(axis=0))[0])} (counted from 0)"


def linear_gram(X: Matrix) -> FloatArray:
    """Return the inner products of all pairs of rows.

    Examples
    --------
    >>> linear_gram(np.array([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [[5.0, 6.0], [6.0, 9.0]]
    """
    return dense(X @ X.T)


def polynomial_kernel(
    products: FloatArray, degree: int, *, gamma: float = 1.0, coef0: float = 1.0, unit: float = 1.0
) -> FloatArray:
    """Return ``((gamma G + coef0) / unit)^degree`` elementwise, in one new array.

    Examples
    --------
    >>> polynomial_kernel(np.array([[1.0, 3.0]]), 2).tolist()
    [[4.0, 16.0]]
    """
    kernel = np.empty(products.shape)
    n_rows = max(1, _BLOCK_BYTES // (8 * max(products.shape[1], 1)))
    for first in range(0, len(products), n_rows):
        block = slice(first, first + n_rows)
        base = products[block] * (gamma / unit)
        base += coef0 / unit
        kernel[block] = base
        for _ in range(degree - 1):
            kernel[block] *= base
    return kernel


def kernel_unit(gram: FloatArray, *, gamma: float = 1.0, coef0: float = 1.0) -> float:
    """Return the mean of the diagonal of ``gamma G + coef0``: divided by it, the kernel is about 1.

    Kernels of high degree over many columns reach numbers that LIBSVM, which keeps them in single
    precision, cannot hold.
    """
    return float(gamma * np.diagonal(gram).mean() + coef0)
