"""How columns are held: blocks of columns that share one form, each an immutable record.

A table is at most four blocks: codes in one byte, codes in two bytes, sparse binary columns
and floating-point columns.  ``variables`` tells which columns of the table a block holds,
in ascending order; row ``r`` of a block's array is column ``variables[r]`` of the table.

A missing number is NaN.  A missing category is one code more than there are categories, the last
of the column; sparse columns have no missing values.

Bit planes hold, for each code of a discrete column but the first, one bit for each row: row
``i`` of the table is bit ``i % 64`` of word ``i // 64``, and the padding bits are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, CodeArray, FloatArray, IntArray, WordArray, frozen

MAX_PLANE_CATEGORIES: Final = 16
"""Columns with more categories get no bit planes: a scatter over codes is always cheaper."""

Category: TypeAlias = bool | int | float | str
RowArray: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]

# Bounds the temporary arrays of one step: about this many cells or entries at a time.
_STEP = 1 << 22


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
    has_missing
        Whether each column has missing values, whose code is ``n_categories``.
    """

    variables: IntArray
    n_categories: IntArray
    codes: CodeArray
    has_missing: BoolArray

    def __post_init__(self) -> None:
        _freeze(self.variables, self.n_categories, self.codes, self.has_missing)

    @property
    def n_codes(self) -> IntArray:
        """Categories of each column, and one more where values are missing."""
        return self.n_categories + self.has_missing

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
        return CodeBlock(
            variables, self.n_categories[columns], self.codes[columns], self.has_missing[columns]
        )

    def take(self, row_indices: IntArray) -> CodeBlock:
        """Return a block of the given rows, in their order and as often as they are listed."""
        codes = self.codes.take(row_indices, axis=1)
        incomplete = self.has_missing.copy()
        incomplete[incomplete] = _greatest(codes, incomplete) == self.n_categories[incomplete]
        return CodeBlock(self.variables, self.n_categories, codes, incomplete)

    def missing(self, column: int) -> BoolArray:
        """Return in which rows a column has no value."""
        return np.asarray(self.codes[column] == self.n_categories[column])

    def constant(self) -> tuple[BoolArray, IntArray]:
        """Return which columns hold one single category or none, and each column's least code."""
        least, greatest = self.codes.min(axis=1), self.codes.max(axis=1)
        for i in np.flatnonzero(self.has_missing):
            greatest[i] = np.where(self.missing(int(i)), 0, self.codes[i]).max()
        return least >= greatest, least.astype(np.int64)


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
    def has_missing(self) -> BoolArray:
        """Whether each column has missing values: none has."""
        return np.zeros(len(self.variables), np.bool_)

    def missing(self, column: int) -> BoolArray:  # noqa: ARG002  of any column
        """Return in which rows a column has no value: in none."""
        return np.zeros(self.n_rows, np.bool_)

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
    """Continuous columns, one row of ``values`` for each column, C-contiguous.

    ``has_missing`` says whether each column has missing values, which are NaN.
    """

    variables: IntArray
    values: FloatArray
    has_missing: BoolArray

    def __post_init__(self) -> None:
        _freeze(self.variables, self.values, self.has_missing)

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
        return FloatBlock(variables, self.values[columns], self.has_missing[columns])

    def take(self, row_indices: IntArray) -> FloatBlock:
        """Return a block of the given rows, in their order and as often as they are listed."""
        values = self.values.take(row_indices, axis=1)
        incomplete = self.has_missing.copy()
        incomplete[incomplete] = np.isnan(_greatest(values, incomplete))
        return FloatBlock(self.variables, values, incomplete)

    def missing(self, column: int) -> BoolArray:
        """Return in which rows a column has no value."""
        return np.asarray(np.isnan(self.values[column]))

    def constant(self) -> tuple[BoolArray, IntArray]:
        """Return which columns hold one single value or none; numbers have no code, so zeros."""
        least, greatest = self.values.min(axis=1), self.values.max(axis=1)
        for i in np.flatnonzero(self.has_missing):
            least[i], greatest[i] = np.fmin.reduce(self.values[i]), np.fmax.reduce(self.values[i])
        return ~(least < greatest), np.zeros(len(self.variables), np.int64)


Block: TypeAlias = CodeBlock | SparseBlock | FloatBlock


def as_codes(array: NDArray[Any], n_codes: int) -> CodeArray:
    """Return a contiguous copy of codes in the smallest dtype that holds so many."""
    if n_codes <= 256:
        return array.astype(np.uint8, order="C")
    return array.astype(np.uint16, order="C")


def as_rows(array: NDArray[Any], n_rows: int) -> RowArray:
    """Return a copy of the row numbers in the smallest dtype that holds a table's."""
    return array.astype(np.uint16) if n_rows <= 65_536 else array.astype(np.uint32)


def merged(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Join blocks of the same form, where later blocks hold later variables."""
    codes = [block for block in blocks if isinstance(block, CodeBlock)]
    narrow = [block for block in codes if block.codes.dtype == np.uint8]
    wide = [block for block in codes if block.codes.dtype == np.uint16]
    sparse = [block for block in blocks if isinstance(block, SparseBlock)]
    floats = [block for block in blocks if isinstance(block, FloatBlock)]
    return tuple(
        group[0] if len(group) == 1 else _joined(group)
        for group in (narrow, wide, sparse, floats)
        if group
    )


def _joined(blocks: Sequence[Any]) -> Block:
    """Join blocks of one form."""

    def together(name: str) -> Any:
        return np.concatenate([getattr(block, name) for block in blocks])

    if isinstance(blocks[0], CodeBlock):
        names = ("variables", "n_categories", "codes", "has_missing")
        return CodeBlock(*map(together, names))
    if isinstance(blocks[0], FloatBlock):
        return FloatBlock(together("variables"), together("values"), together("has_missing"))
    counts = np.concatenate([np.diff(block.indptr) for block in blocks])
    rows = together("rows")
    return SparseBlock(together("variables"), _offsets(counts), rows, blocks[0].n_rows)


def _offsets(counts: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _greatest(table: NDArray[Any], rows: BoolArray) -> NDArray[Any]:
    """Return the greatest entry, or NaN, of some rows of a table."""
    greatest: NDArray[Any] = (table if rows.all() else table[rows]).max(axis=1, initial=0)
    return greatest


def _freeze(*arrays: NDArray[np.generic]) -> None:
    for array in arrays:
        frozen(array)


@dataclass(frozen=True, eq=False)
class BitPlanes:
    """The bit planes of one block.

    Attributes
    ----------
    planes
        ``(n_planes, n_words)``.
    first
        Column ``r`` of the block, with L codes, owns planes ``first[r]`` up to (not with)
        ``first[r + 1]``, for its codes 1 to L - 1; code 0 is what remains.  A column with
        more than ``MAX_PLANE_CATEGORIES`` codes owns none.
    """

    planes: WordArray
    first: IntArray

    def __post_init__(self) -> None:
        _freeze(self.planes, self.first)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.planes.nbytes + self.first.nbytes


def n_words(n_rows: int) -> int:
    """Return how many 64-bit words hold one bit for each row."""
    return -(-n_rows // 64)


def build_bit_planes(block: CodeBlock | SparseBlock) -> BitPlanes:
    """Build all planes of a block."""
    n_planes = np.ones(len(block.variables), np.int64)
    if isinstance(block, CodeBlock):
        n_planes = np.where(block.n_codes <= MAX_PLANE_CATEGORIES, block.n_codes - 1, 0)
    first = np.concatenate([[0], np.cumsum(n_planes)])
    columns = np.repeat(np.arange(len(n_planes)), n_planes)
    categories = np.arange(len(columns)) - first[columns] + 1
    planes = np.empty((len(columns), n_words(block.n_rows)), np.uint64)
    step = max(1, _STEP // block.n_rows)
    for start in range(0, len(columns), step):
        stop = start + step
        planes[start:stop] = pack(block, columns[start:stop], categories[start:stop])
    return BitPlanes(planes, first)


def pack(block: CodeBlock | SparseBlock, columns: IntArray, categories: IntArray) -> WordArray:
    """Return one plane for each pair of a block's column and a code of it."""
    if isinstance(block, SparseBlock):
        return _pack_sparse(block, columns)
    planes = np.zeros((len(columns), n_words(block.n_rows)), np.uint64)
    hits = block.codes[columns] == categories.astype(block.codes.dtype)[:, None]
    packed = np.packbits(hits, axis=1, bitorder="little")
    planes.view(np.uint8)[:, : packed.shape[1]] = packed
    return planes


def _pack_sparse(block: SparseBlock, columns: IntArray) -> WordArray:
    planes = np.zeros((len(columns), n_words(block.n_rows)), np.uint64)
    owners, rows = block.entries(columns)
    if len(rows) == 0:
        return planes
    # Entries come sorted by column and row, so those of one word are neighbours.
    words = owners * planes.shape[1] + (rows >> 6)
    bits = np.uint64(1) << (rows & 63).astype(np.uint64)
    starts = np.flatnonzero(np.diff(words, prepend=-1))
    planes.reshape(-1)[words[starts]] = np.bitwise_or.reduceat(bits, starts)
    return planes
