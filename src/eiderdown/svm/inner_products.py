"""Inner products of rows, and the polynomial kernel made from them.

One matrix of inner products serves every degree, every cost and every fold: the kernel is an
elementwise power of it, and folds are slices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import InputError, NonFiniteError
from eiderdown.svm.monomials import Matrix

_BLOCK_BYTES = 2**22
"""Rows of a kernel are made in blocks of about this size, so that they stay in the cache."""


def numeric_matrix(X: Any) -> Matrix:
    """Return a matrix as dense or CSR numbers of double precision, without a copy if it is one.

    Examples
    --------
    >>> numeric_matrix([[1, 2]])
    array([[1., 2.]])
    """
    from scipy import sparse

    is_sparse = bool(sparse.issparse(X))
    if is_sparse:
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
    product = X @ X.T
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)


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
