"""Training of support vector machines with polynomial kernels, from inner products.

LIBSVM is given the kernel as a matrix of numbers, made by one matrix product: its own polynomial
kernel goes through the columns for every pair of rows, which takes ten times as long.

The kernel is divided by a unit u and the cost multiplied by it: in coefficients a' = u a the dual
problem ``min a'Qa/2 - sum a, 0 <= a <= C`` is the same one, times u.
"""

from __future__ import annotations

import warnings
from typing import Any, Unpack

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import EiderdownWarning
from eiderdown.svm.dual_solver import DualSolution, solve
from eiderdown.svm.inner_products import (
    kernel_unit,
    linear_gram,
    numeric_matrix,
    polynomial_kernel,
)
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import PolynomialModel, check_kernel
from eiderdown.svm.svm_settings import SVMKeywords, SVMSettings, check_cost


def fit_polynomial_svm(
    X: Matrix,
    y: Any,
    *,
    degree: int,
    C: float,
    gram: FloatArray | None = None,
    **params: Unpack[SVMKeywords],
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
    gram : array of shape (n_rows, n_rows) or None
        Inner products of the rows, if they are at hand.
    **params
        ``gamma``, ``coef0``, ``class_weight``, ``regression``, ``epsilon`` and ``tolerance``, as in
        :class:`SVMSettings`.

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
    chosen = SVMSettings(**params)
    models, converged = trained(X, y, degree=degree, cost=C, params=chosen, gram=gram)
    if not converged:
        warnings.warn(
            f"The machine of degree {degree} with C={C:g} was still improving when its training "
            "was ended; choose a smaller C, or scale the columns.",
            EiderdownWarning,
            stacklevel=2,
        )
    return models


def trained(
    X: Matrix,
    y: Any,
    *,
    degree: int,
    cost: float,
    params: SVMSettings,
    gram: FloatArray | None = None,
) -> tuple[tuple[PolynomialModel, ...], bool]:
    """Train as :func:`fit_polynomial_svm` does; also tell whether it was to the end."""
    check_kernel(degree, **params.kernel)
    check_cost(cost)
    degree = int(degree)
    matrix = numeric_matrix(X)
    target = params.target(y, matrix.shape[0])
    products = linear_gram(matrix) if gram is None else gram
    unit = kernel_unit(products, **params.kernel)
    kernel = polynomial_kernel(products, degree, **params.kernel, unit=unit)
    solution = solve(kernel, target, cost=cost * unit**degree, params=params)
    models = tuple(
        _model(matrix, solution, machine, degree, unit, params)
        for machine in range(len(solution.pairs))
    )
    return models, solution.converged


def _model(
    X: Matrix,
    solution: DualSolution,
    machine: int,
    degree: int,
    unit: float,
    params: SVMSettings,
) -> PolynomialModel:
    rows = np.flatnonzero(solution.alphas[machine])
    return PolynomialModel(
        X[rows],
        solution.alphas[machine, rows] / unit**degree,
        degree,
        **params.kernel,
        intercept=float(solution.intercepts[machine]),
        classes=solution.pairs[machine],
    )
