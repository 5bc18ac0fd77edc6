"""Monomials: the monomials of a polynomial kernel, as values.

A polynomial kernel of degree d over m variables works in the space of all monomials of degree at
most d. Brown (2009) calls them monomials: ``x3 * x7^2`` is one of degree three.
"""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import InputError, NonFiniteError
from eiderdown.memory import require_memory

Matrix: TypeAlias = Any
"""A dense float array or a SciPy sparse matrix; rows are samples."""


class Coding(enum.Enum):
    """Which numbers a matrix holds; it decides which powers are redundant."""

    NUMBERS = "numbers"
    ZERO_ONE = "zero_one"
    SIGNS = "signs"

    def fold(self, exponent: int) -> int:
        """Return the smallest exponent with the same values.

        Examples
        --------
        >>> Coding.ZERO_ONE.fold(3), Coding.SIGNS.fold(2), Coding.NUMBERS.fold(2)
        (1, 0, 2)
        """
        if self is Coding.ZERO_ONE:
            return min(exponent, 1)
        return exponent % 2 if self is Coding.SIGNS else exponent


@dataclass(frozen=True, order=True)
class Monomial:
    """A product of powers of variables.

    Parameters
    ----------
    factors : tuple of pairs of int
        Variable and exponent (at least 1), by variable; empty for the constant.

    Examples
    --------
    >>> monomial = Monomial.of([7, 3, 7])
    >>> monomial.factors, monomial.degree, monomial.variables
    (((3, 1), (7, 2)), 3, (3, 7))
    >>> monomial.name([f"x{i}" for i in range(8)])
    'x3 * x7^2'
    """

    factors: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        variables = self.variables
        assert list(variables) == sorted(set(variables)), "factors must be by variable"
        assert all(exponent >= 1 for _, exponent in self.factors)

    @classmethod
    def of(cls, variables: Iterable[int]) -> Monomial:
        """Multiply variables; one that is named twice is squared."""
        return cls(tuple(sorted(Counter(int(v) for v in variables).items())))

    @property
    def degree(self) -> int:
        """Sum of the exponents."""
        return sum(exponent for _, exponent in self.factors)

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables, each once."""
        return tuple(variable for variable, _ in self.factors)

    def name(self, names: Sequence[str]) -> str:
        """Write for people, given the names of the variables; the constant is ``1``."""
        powers = [names[v] if e == 1 else f"{names[v]}^{e}" for v, e in self.factors]
        return " * ".join(powers) or "1"

    def folded(self, coding: Coding) -> Monomial:
        """Return the simplest monomial with the same values in such data.

        Examples
        --------
        >>> Monomial.of([0, 0, 1]).folded(Coding.SIGNS)
        Monomial(factors=((1, 1),))
        """
        powers = ((variable, coding.fold(exponent)) for variable, exponent in self.factors)
        return Monomial(tuple((variable, exponent) for variable, exponent in powers if exponent))


def count_monomials(n_variables: int, degree: int) -> int:
    """Count the monomials of at most this degree, the constant among them.

    Examples
    --------
    >>> count_monomials(139_351, 2)
    9709559628
    """
    return math.comb(n_variables + degree, degree)


def monomial_bytes(degree: int) -> float:
    """Return the bytes of one monomial of such a degree, as it is found and kept."""
    return 220.0 + 43.0 * degree


def coding_of(matrix: Matrix) -> Coding:
    """Tell which numbers a matrix holds.

    Examples
    --------
    >>> coding_of(np.array([[1.0, -1.0], [-1.0, -1.0]]))
    <Coding.SIGNS: 'signs'>
    """
    stored = matrix.data if is_sparse(matrix) else np.asarray(matrix)
    squares_fold = bool(np.all((stored == 0) | (stored == 1)))
    if squares_fold:
        return Coding.ZERO_ONE
    if not is_sparse(matrix) and bool(np.all(np.abs(stored) == 1)):
        return Coding.SIGNS
    return Coding.NUMBERS


def map_to_monomials(matrix: Matrix, monomials: Sequence[Monomial]) -> Any:
    """Compute the columns of some monomials.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_rows, n_variables)
        The data.
    monomials : sequence of Monomial
        Which columns to make.

    Returns
    -------
    array of shape (n_rows, count_monomials), or a CSC matrix if the data are sparse

    Examples
    --------
    >>> map_to_monomials(np.array([[2.0, 3.0]]), [Monomial.of([0, 1, 1]), Monomial.of([])])
    array([[18.,  1.]])
    """
    if not is_sparse(matrix):
        return _dense_columns(np.asarray(matrix, dtype=np.float64), monomials)
    from scipy import sparse

    by_column = sparse.csc_matrix(matrix, dtype=np.float64)
    columns = [_sparse_column(by_column, monomial) for monomial in monomials]
    if not columns:
        return sparse.csc_matrix((matrix.shape[0], 0))
    return sparse.hstack(columns, format="csc")


def _dense_columns(matrix: FloatArray, monomials: Sequence[Monomial]) -> FloatArray:
    require_memory(
        8.0 * len(matrix) * len(monomials),
        f"A table of {len(monomials):,} monomials and {len(matrix):,} rows",
        "ask for fewer monomials",
    )
    columns = np.ones((len(matrix), len(monomials)))
    for position, monomial in enumerate(monomials):
        for variable, exponent in monomial.factors:
            columns[:, position] *= matrix[:, variable] ** exponent
    return columns


def _sparse_column(matrix: Any, monomial: Monomial) -> Any:
    from scipy import sparse

    powers = [matrix[:, [variable]].power(exponent) for variable, exponent in monomial.factors]
    if not powers:
        return sparse.csc_matrix(np.ones((matrix.shape[0], 1)))
    product = powers[0]
    for power in powers[1:]:
        product = product.multiply(power)
    return sparse.csc_matrix(product)


def is_sparse(matrix: Matrix) -> bool:
    """Say whether a matrix is one of SciPy's sparse ones."""
    return hasattr(matrix, "tocsr")


def dense(matrix: Matrix) -> FloatArray:
    """Return a matrix, or the product of two, as an array."""
    if not hasattr(matrix, "toarray"):
        return np.asarray(matrix)
    n_rows, n_columns = matrix.shape
    require_memory(
        8.0 * n_rows * n_columns,
        f"A dense table of {n_rows:,} rows and {n_columns:,} columns",
        "give fewer of them",
    )
    return np.asarray(matrix.toarray())


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
