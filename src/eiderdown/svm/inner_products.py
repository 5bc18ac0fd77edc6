"""Inner products of rows, polynomial kernels made of them, and the memory that both take."""

from __future__ import annotations

from typing import Final

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.memory import require_memory
from eiderdown.svm.monomials import Matrix, dense

CACHE_MEGABYTES: Final = 1_000
"""LIBSVM keeps a copy of the kernel in single precision, up to this much of it."""

_BLOCK_BYTES = 2**22
"""Rows of a kernel are made in blocks of about this size, so that they stay in the cache."""


def linear_gram(X: Matrix) -> FloatArray:
    """Return the inner products of all pairs of rows.

    Examples
    --------
    >>> linear_gram(np.array([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [[5.0, 6.0], [6.0, 9.0]]
    """
    n_rows = X.shape[0]
    require_memory(
        kernel_bytes(n_rows),
        f"A support vector machine of {n_rows:,} rows",
        "give approximate='sample' or approximate='nystroem', or fewer rows",
    )
    return dense(X @ X.T)


def kernel_bytes(n_rows: int) -> float:
    """Return the bytes that a training needs: inner products, a kernel, and LIBSVM's cache."""
    return 16.0 * n_rows**2 + min(CACHE_MEGABYTES * 2.0**20, 4.0 * n_rows**2)


def polynomial_kernel(
    products: FloatArray,
    degree: int,
    part: tuple[IntArray, IntArray] | None = None,
    /,
    *,
    gamma: float = 1.0,
    coef0: float = 1.0,
    unit: float = 1.0,
) -> FloatArray:
    """Return ``((gamma G + coef0) / unit)^degree`` elementwise, in one new array.

    ``part`` are rows and columns, for those alone: no part of G is copied as a whole.

    Examples
    --------
    >>> polynomial_kernel(np.array([[1.0, 3.0]]), 2).tolist()
    [[4.0, 16.0]]
    """
    n_rows, n_columns = products.shape if part is None else map(len, part)
    kernel = np.empty((n_rows, n_columns))
    n_at_once = max(1, _BLOCK_BYTES // (8 * max(products.shape[1], 1)))
    for first in range(0, n_rows, n_at_once):
        block = slice(first, first + n_at_once)
        some = products[block] if part is None else products[part[0][block]][:, part[1]]
        base = some * (gamma / unit)
        base += coef0 / unit
        kernel[block] = base
        for _ in range(degree - 1):
            kernel[block] *= base
    return kernel


def kernel_unit(diagonal: FloatArray, *, gamma: float = 1.0, coef0: float = 1.0) -> float:
    """Return the mean of ``gamma G + coef0`` on the diagonal: over it, the kernel is about 1.

    Kernels of high degree over many columns reach numbers that LIBSVM, which keeps them in single
    precision, cannot hold.
    """
    return float(gamma * diagonal.mean() + coef0)
