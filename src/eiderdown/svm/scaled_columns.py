"""Columns scaled to [0, 1], and sums of their absolute differences.

Where a column has two values, ``|x - x'| = x + x' - 2xx'`` after scaling: distances and weighted
sums are matrix products, and sparse columns stay sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.svm.monomials import Matrix

_BLOCK_BYTES = 2**26
"""Rows and pairs of rows are gone through in blocks of about this size."""

_DECIMALS = 9
"""Distances that differ by less are equal, so that rounding decides nothing."""


@dataclass(frozen=True, eq=False)
class ScaledColumns:
    """Columns of two values apart from all others.

    Attributes
    ----------
    switches : array or CSR matrix of shape (n_rows, n_switches)
        The columns of two values (or one), as 0 and 1.
    graded : array of shape (n_rows, n_graded)
        The others, from 0 to 1.
    is_switch : array of shape (n_variables,)
        Which columns are which.
    """

    switches: Matrix
    graded: FloatArray
    is_switch: BoolArray

    @classmethod
    def of(cls, matrix: Matrix) -> ScaledColumns:
        """Scale the columns of a matrix; those of a sparse one that have more values get dense."""
        is_sparse = hasattr(matrix, "tocsr")
        switches, is_switch = _sparse_switches(matrix) if is_sparse else _dense_switches(matrix)
        others = matrix[:, np.flatnonzero(~is_switch)]
        graded = np.asarray(others.toarray() if is_sparse else others)
        if graded.size:
            lowest = graded.min(axis=0)
            graded = (graded - lowest) / (graded.max(axis=0) - lowest)
        return cls(switches, graded, is_switch)

    def distances(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield blocks of rows with their distances to all rows; none is near to itself."""
        from scipy.spatial.distance import cdist

        ones = np.asarray(self.switches.sum(axis=1)).ravel()
        for rows in self._blocks(8 * len(ones)):
            product = self.switches[rows] @ self.switches.T
            both = np.asarray(product.toarray() if hasattr(product, "toarray") else product)
            distances = ones[rows, None] + ones - 2.0 * both
            if self.graded.shape[1]:
                distances += cdist(self.graded[rows], self.graded, "cityblock")
                np.round(distances, _DECIMALS, out=distances)
            distances[np.arange(len(rows)), rows] = np.inf
            yield rows, distances

    def weighted_differences(
        self, first: IntArray, second: IntArray, weights: FloatArray
    ) -> FloatArray:
        """Sum the absolute differences of pairs of rows, times weights, for each variable."""
        from scipy.sparse import csr_array

        n_rows = self.graded.shape[0]
        pairs = csr_array((weights, (first, second)), shape=(n_rows, n_rows))
        sums = np.empty(len(self.is_switch))
        sums[self.is_switch] = self._of_switches(pairs)
        sums[~self.is_switch] = self._of_graded(pairs.tocoo())
        return sums

    def _of_switches(self, pairs: Any) -> FloatArray:
        switches = self.switches
        alone = np.asarray(switches.T @ (pairs.sum(axis=0) + pairs.sum(axis=1))).ravel()
        together = np.zeros(switches.shape[1])
        # Of a sparse row and all its neighbours together; a dense row takes as much as it takes.
        entries_per_row = (pairs.nnz * getattr(switches, "nnz", 0) // switches.shape[0] ** 2) or (
            switches.shape[1]
        )
        for rows in self._blocks(8 * entries_per_row):
            block, beside = switches[rows], pairs[rows] @ switches
            product = block.multiply(beside) if hasattr(block, "multiply") else block * beside
            together += np.asarray(product.sum(axis=0)).ravel()
        total: FloatArray = alone - 2.0 * together
        return total

    def _of_graded(self, pairs: Any) -> FloatArray:
        sums = np.zeros(self.graded.shape[1])
        width = max(1, _BLOCK_BYTES // (8 * max(1, len(sums))))
        for start in range(0, len(pairs.data), width):
            block = slice(start, start + width)
            first, second = self.graded[pairs.row[block]], self.graded[pairs.col[block]]
            sums += pairs.data[block] @ np.abs(first - second)
        return sums

    def _blocks(self, bytes_per_row: int) -> Iterator[IntArray]:
        n_rows = self.graded.shape[0]
        height = max(1, _BLOCK_BYTES // max(1, bytes_per_row))
        for start in range(0, n_rows, height):
            yield np.arange(start, min(start + height, n_rows))


def _dense_switches(matrix: FloatArray) -> tuple[FloatArray, BoolArray]:
    lowest, highest = matrix.min(axis=0), matrix.max(axis=0)
    is_switch: BoolArray = ((matrix == lowest) | (matrix == highest)).all(axis=0)
    return (matrix[:, is_switch] == highest[is_switch]).astype(np.float64), is_switch


def _sparse_switches(matrix: Any) -> tuple[Any, BoolArray]:
    """Find the columns with two values; a value other than 0 becomes 1, so that zeros stay."""
    from scipy.sparse import csr_array

    entries = matrix.tocoo()
    n_rows, n_columns = matrix.shape
    stored = entries.data != 0.0
    row, column, value = entries.row[stored], entries.col[stored], entries.data[stored]
    lowest, highest = (
        np.asarray(extreme.toarray()).ravel()
        for extreme in (matrix.min(axis=0), matrix.max(axis=0))
    )
    between = (value != lowest[column]) & (value != highest[column])
    n_stored = np.bincount(column, minlength=n_columns)
    is_switch = np.bincount(column[between], minlength=n_columns) == 0
    is_switch &= (n_stored == n_rows) | (lowest == 0.0) | (highest == 0.0)
    one = np.where(highest == 0.0, lowest, highest)
    marked = value == one[column]
    switches = csr_array((np.ones(marked.sum()), (row[marked], column[marked])), shape=matrix.shape)
    return switches[:, np.flatnonzero(is_switch)], is_switch
