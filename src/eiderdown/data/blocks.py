"""How columns are held: blocks of columns that share one form, each an immutable record.

A table is at most four blocks: codes in one byte, codes in two bytes, sparse binary columns
and floating-point columns.  ``variables`` tells which columns of the table a block holds,
in ascending order; row ``r`` of a block's array is column ``variables[r]`` of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, CodeArray, FloatArray, IntArray, frozen

Category: TypeAlias = bool | int | float | str
RowArray: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class DiscreteColumn:
    """One column as codes; code ``k`` stands for ``categories[k]``."""

    codes: CodeArray
    categories: tuple[Category, ...]


@dataclass(frozen=True, eq=False)
class ContinuousColumn:
    """One column as finite numbers."""

    values: FloatArray


@dataclass(frozen=True, eq=False)
class SparseColumn:
    """One binary column as the ascending rows that hold code 1."""

    rows: RowArray
    n_rows: int
    categories: tuple[Category, ...]


Column: TypeAlias = DiscreteColumn | ContinuousColumn | SparseColumn


@dataclass(frozen=True, eq=False)
class CodeBlock:
    """Discrete columns as codes of one dtype, one row of ``codes`` for each column.

    Attributes
    ----------
    variables
        The table's column numbers, ascending.
    n_categories
        Declared categories of each column.
    codes
        ``(len(variables), n_rows)``, C-contiguous, ``uint8`` or ``uint16``.
    """

    variables: IntArray
    n_categories: IntArray
    codes: CodeArray

    def __post_init__(self) -> None:
        _freeze(self.variables, self.n_categories, self.codes)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.codes.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.variables.nbytes + self.n_categories.nbytes + self.codes.nbytes

    def pick(self, columns: IntArray, variables: IntArray) -> CodeBlock:
        """Return a block of some of the columns, under new column numbers."""
        return CodeBlock(variables, self.n_categories[columns], self.codes[columns])

    def take(self, row_indices: IntArray) -> CodeBlock:
        """Return a block of the given rows, in their order and as often as they are listed."""
        return CodeBlock(self.variables, self.n_categories, self.codes.take(row_indices, axis=1))

    def constant(self) -> tuple[BoolArray, IntArray]:
        """Return which columns hold one single code, and each column's least code."""
        least = self.codes.min(axis=1)
        return least == self.codes.max(axis=1), least.astype(np.int64)


@dataclass(frozen=True, eq=False)
class SparseBlock:
    """Binary columns as the sorted list of the rows that hold code 1.

    Attributes
    ----------
    variables
        The table's column numbers, ascending.
    indptr
        Column ``r`` owns ``rows[indptr[r]:indptr[r + 1]]``.
    rows
        Row numbers, ascending in each column, ``uint16`` or ``uint32``.
    n_rows
        Rows of the table.
    """

    variables: IntArray
    indptr: IntArray
    rows: RowArray
    n_rows: int

    def __post_init__(self) -> None:
        _freeze(self.variables, self.indptr, self.rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.variables.nbytes + self.indptr.nbytes + self.rows.nbytes

    def entries(self, columns: IntArray) -> tuple[IntArray, RowArray]:
        """Return, for each entry of the given columns, its position in ``columns`` and its row."""
        starts = self.indptr[columns]
        lengths = self.indptr[columns + 1] - starts
        owners = np.repeat(np.arange(len(columns)), lengths)
        before = np.cumsum(lengths) - lengths
        return owners, self.rows[np.arange(len(owners)) + (starts - before)[owners]]

    def pick(self, columns: IntArray, variables: IntArray) -> SparseBlock:
        """Return a block of some of the columns, under new column numbers."""
        owners, rows = self.entries(columns)
        counts = np.bincount(owners, minlength=len(columns))
        return SparseBlock(variables, _offsets(counts), rows, self.n_rows)

    def take(self, row_indices: IntArray) -> SparseBlock:
        """Return a block of the given rows, in their order and as often as they are listed."""
        from scipy.sparse import csc_array

        ones = np.ones(len(self.rows), np.uint8)
        shape = (self.n_rows, len(self.variables))
        matrix = csc_array((ones, self.rows.astype(np.int32), self.indptr), shape=shape)
        taken = matrix.tocsr()[row_indices].tocsc()
        taken.sort_indices()
        rows = as_rows(taken.indices, len(row_indices))
        return SparseBlock(self.variables, taken.indptr.astype(np.int64), rows, len(row_indices))

    def constant(self) -> tuple[BoolArray, IntArray]:
        """Return which columns hold one single code, and each column's least code."""
        counts = np.diff(self.indptr)
        full = counts == self.n_rows
        return full | (counts == 0), full.astype(np.int64)

    def expand(self, column: int) -> NDArray[np.uint8]:
        """Return one column as dense codes."""
        codes = np.zeros(self.n_rows, np.uint8)
        codes[self.rows[self.indptr[column] : self.indptr[column + 1]]] = 1
        return codes


@dataclass(frozen=True, eq=False)
class FloatBlock:
    """Continuous columns, one row of ``values`` for each column, C-contiguous."""

    variables: IntArray
    values: FloatArray

    def __post_init__(self) -> None:
        _freeze(self.variables, self.values)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.values.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.variables.nbytes + self.values.nbytes

    def pick(self, columns: IntArray, variables: IntArray) -> FloatBlock:
        """Return a block of some of the columns, under new column numbers."""
        return FloatBlock(variables, self.values[columns])

    def take(self, row_indices: IntArray) -> FloatBlock:
        """Return a block of the given rows, in their order and as often as they are listed."""
        return FloatBlock(self.variables, self.values.take(row_indices, axis=1))

    def constant(self) -> tuple[BoolArray, IntArray]:
        """Return which columns hold one single value; numbers have no code, so zeros."""
        constant = self.values.min(axis=1) == self.values.max(axis=1)
        return constant, np.zeros(len(self.variables), np.int64)


Block: TypeAlias = CodeBlock | SparseBlock | FloatBlock


def as_codes(array: NDArray[Any], n_categories: int) -> CodeArray:
    """Return a contiguous copy of codes in the smallest dtype that holds a column's categories."""
    if n_categories <= 256:
        return array.astype(np.uint8, order="C")
    return array.astype(np.uint16, order="C")


def as_rows(array: NDArray[Any], n_rows: int) -> RowArray:
    """Return a copy of the row numbers in the smallest dtype that holds a table's."""
    return array.astype(np.uint16) if n_rows <= 65_536 else array.astype(np.uint32)


def block_of_one(column: Column, variable: int) -> Block:
    """Return a block of a single column."""
    variables = np.array([variable], np.int64)
    if isinstance(column, ContinuousColumn):
        return FloatBlock(variables, column.values[None, :])
    if isinstance(column, SparseColumn):
        indptr = np.array([0, len(column.rows)], np.int64)
        return SparseBlock(variables, indptr, column.rows, column.n_rows)
    n_categories = np.array([len(column.categories)], np.int64)
    return CodeBlock(variables, n_categories, column.codes[None, :])


def merged(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Join blocks of the same form, where later blocks hold later variables."""
    narrow = [b for b in blocks if isinstance(b, CodeBlock) and b.codes.dtype == np.uint8]
    wide = [b for b in blocks if isinstance(b, CodeBlock) and b.codes.dtype == np.uint16]
    sparse = [b for b in blocks if isinstance(b, SparseBlock)]
    floats = [b for b in blocks if isinstance(b, FloatBlock)]
    joined: list[Block] = [_join_codes(group) for group in (narrow, wide) if group]
    if sparse:
        joined.append(_join_sparse(sparse))
    if floats:
        joined.append(_join_floats(floats))
    return tuple(joined)


def _join_codes(blocks: list[CodeBlock]) -> CodeBlock:
    if len(blocks) == 1:
        return blocks[0]
    return CodeBlock(
        np.concatenate([b.variables for b in blocks]),
        np.concatenate([b.n_categories for b in blocks]),
        np.concatenate([b.codes for b in blocks]),
    )


def _join_sparse(blocks: list[SparseBlock]) -> SparseBlock:
    if len(blocks) == 1:
        return blocks[0]
    counts = np.concatenate([np.diff(b.indptr) for b in blocks])
    rows = np.concatenate([b.rows for b in blocks])
    variables = np.concatenate([b.variables for b in blocks])
    return SparseBlock(variables, _offsets(counts), rows, blocks[0].n_rows)


def _join_floats(blocks: list[FloatBlock]) -> FloatBlock:
    if len(blocks) == 1:
        return blocks[0]
    return FloatBlock(
        np.concatenate([b.variables for b in blocks]), np.concatenate([b.values for b in blocks])
    )


def _offsets(counts: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _freeze(*arrays: NDArray[np.generic]) -> None:
    for array in arrays:
        frozen(array)
