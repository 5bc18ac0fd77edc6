"""The cells of a table and what can be said of them, by column number."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from eiderdown.arrays import BoolArray, CodeArray, FloatArray, IntArray, frozen
from eiderdown.data.blocks import (
    BitPlanes,
    Block,
    Category,
    CodeBlock,
    FloatBlock,
    SparseBlock,
    build_bit_planes,
)
from eiderdown.data.columns import Kind, NameIndex, fingerprint_of
from eiderdown.errors import ColumnKindError


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The encoded columns of a table.

    Attributes
    ----------
    names : tuple of str
        Column names, in the table's order.
    held : tuple of Block
        The cells; of a table whose rows are elsewhere, blocks of the same form without rows.
    finer : mapping of str to Kind
        Which columns of categories are in order, and which of numbers are counts.
    """

    names: tuple[str, ...]
    held: tuple[Block, ...]
    _categories: tuple[tuple[Category, ...], ...]
    finer: Mapping[str, Kind] = field(default_factory=dict)
    _planes: dict[int, BitPlanes] = field(default_factory=dict, init=False)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The cells, in memory."""
        return self.held

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.held[0].n_rows

    @property
    def n_columns(self) -> int:
        """Columns of the table."""
        return len(self.names)

    @cached_property
    def n_categories(self) -> IntArray:
        """Declared categories of each column, 0 for a continuous one."""
        counts = np.zeros(self.n_columns, np.int64)
        for block in self.held:
            if isinstance(block, CodeBlock):
                counts[block.variables] = block.n_categories
            elif isinstance(block, SparseBlock):
                counts[block.variables] = 2
        return frozen(counts)

    @cached_property
    def has_missing(self) -> BoolArray:
        """Whether each column has missing values."""
        incomplete = np.zeros(self.n_columns, np.bool_)
        for block in self.held:
            incomplete[block.variables] = block.has_missing
        return frozen(incomplete)

    @cached_property
    def n_codes(self) -> IntArray:
        """Codes of each column: its categories, and one more, the last, if values are missing."""
        return frozen(self.n_categories + (self.has_missing & self.is_discrete))

    @cached_property
    def is_discrete(self) -> BoolArray:
        """Whether each column is discrete."""
        return frozen(self.n_categories > 0)

    @cached_property
    def block_of(self) -> IntArray:
        """The block that holds each column."""
        where = np.empty(self.n_columns, np.int64)
        for number, block in enumerate(self.held):
            where[block.variables] = number
        return frozen(where)

    @cached_property
    def row_in_block(self) -> IntArray:
        """The row of its block that holds each column."""
        where = np.empty(self.n_columns, np.int64)
        for block in self.held:
            where[block.variables] = np.arange(len(block.variables))
        return frozen(where)

    @cached_property
    def _index(self) -> NameIndex:
        return NameIndex(self.names)

    def kind(self, i: int) -> Kind:
        """Return the kind of column ``i``."""
        kind = Kind.DISCRETE if self.is_discrete[i] else Kind.CONTINUOUS
        finer = self.finer.get(self.names[i], kind)
        return finer if finer.is_discrete is kind.is_discrete else kind  # numbers may be cut since

    def categories(self, i: int) -> tuple[Category, ...]:
        """Return the categories of column ``i`` in the order of their codes, () if continuous."""
        return self._categories[i]

    def codes(self, i: int) -> CodeArray:
        """Return the codes of discrete column ``i``; a sparse column is expanded.

        The code of a missing value is the number of categories.
        """
        block, row = self.blocks[self.block_of[i]], int(self.row_in_block[i])
        if isinstance(block, FloatBlock):
            raise ColumnKindError(
                f"Column {self.names[i]!r} is continuous and has no codes; discretise it first."
            )
        codes: CodeArray
        codes = block.codes[row] if isinstance(block, CodeBlock) else frozen(block.expand(row))
        return codes

    def values(self, i: int) -> FloatArray:
        """Return the numbers of continuous column ``i``, NaN where they are missing."""
        block = self.blocks[self.block_of[i]]
        if not isinstance(block, FloatBlock):
            raise ColumnKindError(
                f"Column {self.names[i]!r} is discrete and has no numbers; "
                f"give its kind as continuous when the table is read."
            )
        values: FloatArray = block.values[self.row_in_block[i]]
        return values

    def missing(self, i: int) -> BoolArray:
        """Return in which rows column ``i`` has no value.

        Examples
        --------
        >>> from eiderdown import Dataset
        >>> data = Dataset.from_columns({"smoker": ["no", None, "yes"], "age": [31.5, 40.0, None]})
        >>> data.missing(0), data.codes(0), data.n_categories
        (array([False,  True, False]), array([0, 2, 1], dtype=uint8), array([2, 0]))
        >>> data.values(1)
        array([31.5, 40. ,  nan])
        """
        block: Block = self.blocks[self.block_of[i]]
        return block.missing(int(self.row_in_block[i]))

    def n_missing(self, i: int) -> int:
        """Return in how many rows column ``i`` has no value."""
        return int(self.missing(i).sum()) if self.has_missing[i] else 0

    def complete_rows(self, columns: Sequence[int] | IntArray | None = None) -> BoolArray:
        """Return which rows have a value in each of some columns, or in all."""
        complete = np.ones(self.n_rows, np.bool_)
        chosen = np.arange(self.n_columns) if columns is None else np.asarray(columns, np.int64)
        for i in chosen[self.has_missing[chosen]]:
            complete &= ~self.missing(int(i))
        return complete

    def category_counts(self, i: int) -> IntArray:
        """Return how many rows have each category of discrete column ``i``, seen or not."""
        n_categories = int(self.n_categories[i])
        return np.bincount(self.codes(i), minlength=n_categories)[:n_categories]

    def quantiles(self, i: int, shares: Sequence[float]) -> FloatArray:
        """Return quantiles of the numbers of continuous column ``i``; zeros if it has none."""
        values = self.values(i)
        known = values[~np.isnan(values)]
        found: FloatArray = np.quantile(known, shares) if len(known) else np.zeros(len(shares))
        return found

    def n_complete(self, columns: Sequence[int]) -> int:
        """Return how many rows have a value in each of some columns."""
        return int(self.complete_rows(columns).sum())

    def constant_columns(self) -> tuple[str, ...]:
        """Return the names of the columns with a single value, missing ones aside, or none."""
        constant = np.zeros(self.n_columns, bool)
        for block in self.blocks:
            constant[block.variables] = block.constant()[0]
        return tuple(self.names[i] for i in np.flatnonzero(constant))

    def has_bit_planes(self, block_id: int) -> bool:
        """Whether the bit planes of a block were built already."""
        return block_id in self._planes

    def bit_planes(self, block_id: int) -> BitPlanes:
        """Return the bit planes of a discrete block, built when first asked for."""
        if block_id not in self._planes:
            block = self.blocks[block_id]
            if isinstance(block, FloatBlock):
                raise ColumnKindError(
                    f"Column {self.names[int(block.variables[0])]!r} is continuous and has no "
                    f"bit planes; discretise it first."
                )
            self._planes[block_id] = build_bit_planes(block)
        return self._planes[block_id]

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, kinds, categories and cells, the same however they are held.

        A sparse and a dense dataset of the same table agree; a change to any cell, name,
        category or to the order of the columns shows.  Of a constant column only the one
        category seen counts.
        """
        kinds = []
        if self.finer:
            kinds = [self.kind(i) for i, name in enumerate(self.names) if name in self.finer]
        return fingerprint_of(self.names, self._categories, self.blocks, kinds)

    @property
    def nbytes(self) -> int:
        """Bytes of everything held now: cells, bit planes, names, categories and indices."""
        arrays = (
            self.n_categories,
            self.has_missing,
            self.is_discrete,
            self.block_of,
            self.row_in_block,
        )
        shared = {id(categories): sys.getsizeof(categories) for categories in self._categories}
        return (
            sum(block.nbytes for block in self.blocks)
            + sum(planes.nbytes for planes in self._planes.values())
            + sum(array.nbytes for array in arrays)
            + self._index.nbytes
            + sum(map(sys.getsizeof, self.names))
            + sys.getsizeof(self.names)
            + sys.getsizeof(self._categories)
            + sum(shared.values())
        )
