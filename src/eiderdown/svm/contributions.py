"""How much each variable contributes to a polynomial machine, level by level.

``s[l][v]`` is the sum of the squared weights of all features of degree exactly l that contain v.
With G the inner products of the support vectors it is, for the kernel ``(x.x' + 1)^d``,

    C(d, l) * sum_kj alpha_k alpha_j (G_kj^l - (G_kj - x_kv x_jv)^l),

and the binomial theorem turns the difference into quadratic forms that need no loop over variables
(the factor C(d, l) is missing from equation II.37 of the thesis).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import PolynomialModel

_BLOCK_BYTES = 2**27
"""Memory for one block of variables: large enough for BLAS, small beside the data."""


def contributions(model: PolynomialModel) -> FloatArray:
    """Sum the squared weights of the features of each degree that contain each variable.

    Parameters
    ----------
    model : PolynomialModel
        The machine.

    Returns
    -------
    array of shape (degree, n_variables)
        Row ``l - 1`` is for features of degree l.

    Examples
    --------
    >>> model = PolynomialModel(np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([1.0, -1.0]), degree=2)
    >>> contributions(model).tolist()
    [[8.0, 2.0], [66.0, 11.0]]
    """
    sums = np.zeros((model.degree, model.n_variables))
    for power in range(model.degree):
        forms = _power(model.gram, power)
        for times in range(1, model.degree - power + 1):
            level = power + times
            quadratic = quadratic_forms(model.vectors, model.alphas, forms, times)
            sign = 1 if times % 2 else -1
            sums[level - 1] += (
                sign * level_factor(model, level) * math.comb(level, times) * quadratic
            )
    # Sums of squares: what is below zero is rounding.
    return np.maximum(sums, 0.0)


def variable_norms(model: PolynomialModel) -> FloatArray:
    """Return the squared norm of the weights of all features that contain each variable."""
    norms: FloatArray = contributions(model).sum(axis=0)
    return norms


def level_factor(model: PolynomialModel, level: int) -> float:
    """Return what level l of the kernel is multiplied with: C(d, l) gamma^l coef0^(d - l)."""
    return (
        math.comb(model.degree, level) * model.gamma**level * model.coef0 ** (model.degree - level)
    )


def quadratic_forms(
    vectors: Matrix, alphas: FloatArray, forms: FloatArray | None, times: int = 1
) -> FloatArray:
    """Return ``u' F u`` for each variable v, with ``u_k = alpha_k x_kv^times``.

    ``forms`` is the symmetric matrix F; None stands for all ones.
    """
    powers = vectors if times == 1 else _power(vectors, times)
    if forms is None:
        totals: FloatArray = np.asarray(powers.T @ alphas, dtype=np.float64).ravel()
        return np.square(totals)
    n_vectors, n_variables = vectors.shape
    width = max(1, _BLOCK_BYTES // (8 * max(n_vectors, 1)))
    weighted = forms * np.outer(alphas, alphas)
    found = np.empty(n_variables)
    columns = powers.tocsc() if hasattr(powers, "tocsc") else powers
    for first in range(0, n_variables, width):
        block = slice(first, first + width)
        found[block] = _diagonal(columns[:, block], weighted)
    return found


def _diagonal(block: Any, forms: FloatArray) -> FloatArray:
    """Return the diagonal of ``B' F B``."""
    if hasattr(block, "tocsr"):
        half = block.T @ forms
        return np.asarray(block.T.multiply(half).sum(axis=1), dtype=np.float64).ravel()
    product: FloatArray = np.einsum("kv,kv->v", forms @ block, block)
    return product


def _power(matrix: Any, power: int) -> Any:
    """Raise each entry; None for the matrix of ones that power 0 makes."""
    if power == 0:
        return None
    if power == 1:
        return matrix
    return matrix.power(power) if hasattr(matrix, "tocsr") else matrix**power
