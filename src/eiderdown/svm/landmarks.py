"""SVMs of many rows whose weights are sums over a few of them (Williams & Seeger 2001).

An SVM's weights are a sum over its rows, ``w = sum_i a_i Phi(x_i)`` with Phi(x) the monomials of x.
Here w is a sum over the landmarks l_1 ... l_r alone, and within that space the best one for all n
rows. With the kernel K of the landmarks and its Cholesky factor, ``K = L L'``, the rows

    z(x) = L^-1 (k(l_1, x), ..., k(l_r, x))

have the inner products of what Phi(x) is within the span of the landmarks, so the SVM of the kernel
``z(x).z(x')`` is that best one. Its dual coefficients a give ``v = sum_i a_i z(x_i)`` and

    f(x) = v.z(x) + b = sum_k beta_k k(l_k, x) + b,    beta = L'^-1 v,

so f is a polynomial with "support vectors" l_k and dual coefficients beta_k, and the weight of a
monomial q is ``sum_k beta_k c_q l_k^q``, exactly, as that of any other
:class:`~eiderdown.svm.model.PolynomialModel`. Only the choice of the span is an approximation. It
is none where the landmarks span all monomials that there are, ``C(m + d, d)`` of m columns: 66 for
ten columns and degree 2.

Of r landmarks among D monomials of signs, a weight that stands alone keeps a share r / D of its
size, and what it loses is spread over all others, of which each gets about 1 / sqrt(r) of what it
keeps: with 500 landmarks a product that matters still stands out twentyfold.

Landmarks that depend on others, but for rounding, are left out by the pivots of the Cholesky
factor. Memory and time of a step grow with n r and n r^2, not with n^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.memory import require_memory
from eiderdown.svm.inner_products import kernel_unit, linear_gram, polynomial_kernel
from eiderdown.svm.monomials import Matrix, dense

_DEPENDENT: Final = 1e-10
"""A landmark whose square length beyond the others' span is below this share adds rounding."""

_BLOCK_BYTES: Final = 2**22
"""Kernels of rows with landmarks are made in blocks of about this size."""

_COPIES: Final = 3
"""Matrices of rows x landmarks that live at once, besides the factor: that of a fold or of a pair
of classes, and two of the interior point method."""


@dataclass(frozen=True, eq=False)
class LandmarkFactor:
    """Rows z of one degree, and the way back to landmarks."""

    values: FloatArray  # z(x) for every row x
    rows: IntArray  # the landmarks that are independent
    triangle: FloatArray  # L
    degree: int
    unit: float  # by which the kernel was divided, to the power of the degree

    def coefficients(self, alphas: FloatArray) -> FloatArray:
        """Return beta, for dual coefficients a of all rows."""
        from scipy.linalg import solve_triangular

        found = solve_triangular(self.triangle, alphas @ self.values, lower=True, trans="T")
        return np.asarray(found / self.unit**self.degree)


class Landmarks:
    """A table and the landmarks among its rows.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> factor = Landmarks(X, np.arange(30), gamma=1.0, coef0=1.0).factor(2)
    >>> factor.values.shape  # 1, x, y, x^2, xy, y^2
    (200, 6)
    >>> exact = polynomial_kernel(X @ X.T, 2, unit=factor.unit)
    >>> bool(np.allclose(factor.values @ factor.values.T, exact))
    True
    """

    def __init__(
        self, X: Matrix, rows: IntArray, *, gamma: float, coef0: float, regression: bool = False
    ) -> None:
        self._X, self._rows, self._regression = X, rows, regression
        self._kernel = {"gamma": gamma, "coef0": coef0}
        self._gram = linear_gram(X[rows])
        self._unit = kernel_unit(np.diagonal(self._gram), **self._kernel)
        self.factor = lru_cache(maxsize=1)(self._factor)  # of one degree: they are large

    def _factor(self, degree: int) -> LandmarkFactor:
        from scipy.linalg import solve_triangular
        from scipy.linalg.lapack import dpstrf

        kernel = polynomial_kernel(self._gram, degree, **self._kernel, unit=self._unit)
        least = _DEPENDENT * float(np.diagonal(kernel).max())
        lower, order, rank, _ = dpstrf(kernel, lower=1, tol=least)
        triangle = np.tril(lower[:rank, :rank])
        rows = self._rows[order[:rank] - 1]
        landmarks = self._X[rows]
        require_memory(
            landmark_bytes(self._X.shape[0], rank, regression=self._regression),
            f"A support vector machine of {self._X.shape[0]:,} rows and {rank:,} landmarks",
            "give fewer n_landmarks, or approximate='sample'",
        )
        values = np.empty((self._X.shape[0], rank))
        n_at_once = max(1, _BLOCK_BYTES // (8 * rank))
        for first in range(0, len(values), n_at_once):
            block = slice(first, first + n_at_once)
            products = dense(self._X[block] @ landmarks.T)
            some = polynomial_kernel(products, degree, **self._kernel, unit=self._unit)
            values[block] = solve_triangular(triangle, some.T, lower=True).T
        return LandmarkFactor(values, rows, triangle, degree, self._unit)


def landmark_bytes(n_rows: int, n_landmarks: int, *, regression: bool = False) -> float:
    """Return the bytes that a training with independent landmarks needs.

    In regression each row stands twice in what the interior point method is given.
    """
    copies = 1 + _COPIES * (2 if regression else 1)
    return 8.0 * copies * n_rows * n_landmarks
