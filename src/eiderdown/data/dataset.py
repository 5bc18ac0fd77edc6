"""The table that everything else works on: encoded once, immutable, columns by number.

A `Dataset` knows each column's name, kind and categories, and holds the cells in blocks of equal
form (see ``blocks``).  Names become column numbers here; only results turn them back.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.arrays import BoolArray, CodeArray, FloatArray, IntArray, frozen
from eiderdown.data import adapters, parts, read
from eiderdown.data.blocks import (
    BitPlanes,
    Block,
    Category,
    CodeBlock,
    FloatBlock,
    SparseBlock,
    build_bit_planes,
)
from eiderdown.data.columns import (
    Kind,
    Kinds,
    NameIndex,
    checked_names,
    fingerprint_of,
    names_of_label,
    resolved_kinds,
)
from eiderdown.data.rows import RowRoles
from eiderdown.errors import ColumnKindError, UnknownColumnError
from eiderdown.options import declared
from eiderdown.read_options import ReadOptions

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """An immutable table of discrete and continuous columns.

    Make one with `Dataset.of` or with the constructor named after the table at hand; they
    copy what they need, so that later changes to the original do not show through.

    Text, categories, booleans and integers with at most ``config.MAX_INTEGER_CATEGORIES``
    distinct values are discrete.  Floats (even if all are whole numbers) and other integers
    are continuous.  ``kinds`` overrides this for the columns it names.  Categories are sorted,
    except those of categories, which keep their declared order, seen or not.  Missing values stay
    missing: NaN among numbers, and one further code, the last, behind the categories.

    Attributes
    ----------
    names : tuple of str
        Column names, in the table's order.
    blocks : tuple of Block
        The cells.
    notes : tuple of str
        What was guessed, changed and left out when the table was read; results repeat it.
    left_out : mapping
        The columns that were left out then, each with the reason.
    roles : RowRoles or None
        Weights and groups of the rows.

    Examples
    --------
    >>> data = Dataset.from_columns({"smoker": ["no", "yes", "no"], "age": [31.5, 40.0, 28.0]})
    >>> data
    Dataset(3 rows, 1 discrete and 1 continuous columns)
    >>> data.categories(0)
    ('no', 'yes')
    >>> data.codes(0)
    array([0, 1, 0], dtype=uint8)
    """

    names: tuple[str, ...]
    blocks: tuple[Block, ...]
    _categories: tuple[tuple[Category, ...], ...]
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    roles: RowRoles | None = None
    _planes: dict[int, BitPlanes] = field(default_factory=dict, init=False)

    # Constructors

    @classmethod
    @declared
    def of(cls, table: Any, **options: Unpack[ReadOptions]) -> Dataset:
        """Make a dataset from any table that Eiderdown knows.

        Columns that number or name the rows are left out, which ``notes`` says.

        Parameters
        ----------
        table
            A `Dataset` (returned as it is, but for excluded columns), a pandas or polars frame,
            an Arrow table, a two-dimensional NumPy array, a SciPy sparse matrix, a mapping from
            names to columns, or the path of a file.
        **options
        """
        if isinstance(table, cls):
            table._require_kinds(options["kinds"])
            excluded = [x for x in options["exclude"] if not table.has_left_out(x)]
            return table.drop(excluded) if excluded else table
        return cls(*read.read_table(table, options))

    from_pandas = from_polars = from_arrow = of

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any], *, kinds: Kinds | None = None) -> Dataset:
        """Make a dataset from one-dimensional columns by name."""
        return cls(*parts.from_columns(columns, kinds))

    @classmethod
    def from_numpy(
        cls, array: ArrayLike, *, names: Sequence[str] | None = None, kinds: Kinds | None = None
    ) -> Dataset:
        """Make a dataset from a two-dimensional array; the default names are x0, x1, ..."""
        return cls(*parts.from_numpy(array, names, kinds))

    @classmethod
    def from_sparse(
        cls,
        matrix: Any,
        *,
        names: Sequence[str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Dataset:
        """Make a dataset from a SciPy sparse matrix of zeros and ones, which stays sparse.

        Parameters
        ----------
        matrix
            Rows by columns; every stored value is 0, 1 or a boolean.
        names
            Column names; x0, x1, ... if not given.
        extra
            Dense columns to append, by name; their kinds are inferred.

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> data = Dataset.from_sparse(csr_array([[0, 1], [0, 0]]), extra={"y": ["a", "b"]})
        >>> data.names
        ('x0', 'x1', 'y')
        >>> data.codes(1)
        array([1, 0], dtype=uint8)
        """
        return cls(*parts.from_sparse(matrix, names, extra))

    @classmethod
    def from_codes(
        cls, codes: NDArray[Any], *, names: Sequence[str], categories: Sequence[Sequence[Category]]
    ) -> Dataset:
        """Make a dataset of discrete columns that are encoded already.

        Parameters
        ----------
        codes
            ``(n_columns, n_rows)`` integers; code ``k`` of column ``i`` stands for
            ``categories[i][k]``, and code -1 for a missing value.
        names
            Column names.
        categories
            The categories of each column, seen or not.

        Examples
        --------
        >>> data = Dataset.from_codes(np.array([[0, 2]]), names=["a"], categories=[("x", "y", "z")])
        >>> int(data.n_categories[0])
        3
        """
        return cls(*parts.from_codes(codes, names, categories))

    @classmethod
    @declared
    def from_csv(cls, path: str | Path, **options: Unpack[ReadOptions]) -> Dataset:
        """Read a text file of any delimiter; what is not told is guessed.

        Parameters
        ----------
        path
            The file.
        **options
        """
        return cls(*read.read_table(Path(path), options, "delimited"))

    @classmethod
    @declared
    def from_parquet(cls, path: str | Path, **options: Unpack[ReadOptions]) -> Dataset:
        """Read a Parquet file, all columns or only those named.

        Parameters
        ----------
        path
            The file.
        **options
        """
        return cls(*read.read_table(Path(path), options, "Parquet"))

    # Facts

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.blocks[0].n_rows

    @property
    def n_columns(self) -> int:
        """Columns of the table."""
        return len(self.names)

    @cached_property
    def n_categories(self) -> IntArray:
        """Declared categories of each column, 0 for a continuous one."""
        counts = np.zeros(self.n_columns, np.int64)
        for block in self.blocks:
            if isinstance(block, CodeBlock):
                counts[block.variables] = block.n_categories
            elif isinstance(block, SparseBlock):
                counts[block.variables] = 2
        return frozen(counts)

    @cached_property
    def has_missing(self) -> BoolArray:
        """Whether each column has missing values."""
        incomplete = np.zeros(self.n_columns, np.bool_)
        for block in self.blocks:
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
        for number, block in enumerate(self.blocks):
            where[block.variables] = number
        return frozen(where)

    @cached_property
    def row_in_block(self) -> IntArray:
        """The row of its block that holds each column."""
        where = np.empty(self.n_columns, np.int64)
        for block in self.blocks:
            where[block.variables] = np.arange(len(block.variables))
        return frozen(where)

    @cached_property
    def _index(self) -> NameIndex:
        return NameIndex(self.names)

    def index(self, label: Any) -> int:
        """Return the number of a column, given its name or the label that its table had for it."""
        if self.has_left_out(label):
            name = next(name for name in names_of_label(label) if name in self.left_out)
            raise UnknownColumnError(f"Column {name!r} was left out: {self.left_out[name]}.")
        return self._index.position(label)

    def has_left_out(self, label: Any) -> bool:
        """Say whether a column of the table was left out when it was read."""
        return any(name in self.left_out for name in names_of_label(label))

    def name(self, label: Any) -> str:
        """Return the name of a column, given the label that its table had for it."""
        return self.names[self.index(label)]

    def kind(self, i: int) -> Kind:
        """Return the kind of column ``i``."""
        return Kind.DISCRETE if self.is_discrete[i] else Kind.CONTINUOUS

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
        >>> data = Dataset.from_columns({"smoker": ["no", None, "yes"], "age": [31.5, 40.0, None]})
        >>> data.missing(0), data.codes(0), data.n_categories
        (array([False,  True, False]), array([0, 2, 1], dtype=uint8), array([2, 0]))
        >>> data.values(1)
        array([31.5, 40. ,  nan])
        """
        block: Block = self.blocks[self.block_of[i]]
        return block.missing(int(self.row_in_block[i]))

    def complete_rows(self, columns: Sequence[int] | IntArray | None = None) -> BoolArray:
        """Return which rows have a value in each of some columns, or in all."""
        complete = np.ones(self.n_rows, np.bool_)
        chosen = np.arange(self.n_columns) if columns is None else np.asarray(columns, np.int64)
        for i in chosen[self.has_missing[chosen]]:
            complete &= ~self.missing(int(i))
        return complete

    def constant_columns(self) -> tuple[str, ...]:
        """Return the names of the columns with a single value, missing ones aside, or none."""
        constant = np.zeros(self.n_columns, bool)
        for block in self.blocks:
            constant[block.variables] = block.constant()[0]
        return tuple(self.names[i] for i in np.flatnonzero(constant))

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
        return fingerprint_of(self.names, self._categories, self.blocks)

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

    def __repr__(self) -> str:
        n_discrete = int(self.is_discrete.sum())
        return (
            f"Dataset({self.n_rows} rows, {n_discrete} discrete and "
            f"{self.n_columns - n_discrete} continuous columns)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Without caches: the name index rests on hashes that differ between processes.
        return Dataset, (*self._parts, self.notes, dict(self.left_out), self.roles)

    # New datasets

    def select(self, names: Sequence[str]) -> Dataset:
        """Return a dataset of the named columns, in the order given."""
        return self._picked(np.array([self.index(name) for name in names], np.int64))

    def drop(self, names: Sequence[str]) -> Dataset:
        """Return a dataset without the named columns."""
        kept = np.ones(self.n_columns, bool)
        kept[[self.index(name) for name in names]] = False
        return self._picked(np.flatnonzero(kept))

    def take(self, row_indices: ArrayLike) -> Dataset:
        """Return a dataset of the given rows (numbers, repeats allowed, or a boolean mask).

        Declared categories stay.
        """
        rows = parts.row_numbers(np.asarray(row_indices), self.n_rows)
        blocks = tuple(block.take(rows) for block in self.blocks)
        roles = None if self.roles is None else self.roles.take(rows)
        return replace(self._like((self.names, blocks, self._categories)), roles=roles)

    def with_columns(self, columns: Mapping[str, Any], *, kinds: Kinds | None = None) -> Dataset:
        """Return a dataset with more columns, appended in the order given."""
        return self.beside(Dataset.from_columns(columns, kinds=kinds))

    def beside(self, other: Dataset) -> Dataset:
        """Return a dataset with the columns of another behind its own."""
        return self._like(parts.joined(self._parts, other._parts))

    @property
    def _parts(self) -> parts.Parts:
        return self.names, self.blocks, self._categories

    def _picked(self, columns: IntArray) -> Dataset:
        names = checked_names(self.names[i] for i in columns)
        blocks: list[Block] = []
        for number, block in enumerate(self.blocks):
            variables = np.flatnonzero(self.block_of[columns] == number)
            if len(variables):
                blocks.append(block.pick(self.row_in_block[columns[variables]], variables))
        return self._like((names, tuple(blocks), tuple(self._categories[i] for i in columns)))

    def _like(self, held: parts.Parts) -> Dataset:
        """Return a dataset of other parts that was read as this one was."""
        return Dataset(*held, notes=self.notes, left_out=self.left_out, roles=self.roles)

    def _require_kinds(self, kinds: Kinds | None) -> None:
        for name, kind in resolved_kinds(kinds, self.names).items():
            own = self.kind(self.index(name))
            if kind is not own:
                raise ColumnKindError(
                    f"Column {name!r} of the dataset is {own.value} already; give its kind as "
                    f"{kind.value} when the dataset is made, or discretise it."
                )

    # Converters

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas frame; sparse columns stay sparse."""
        return adapters.to_pandas(self)

    def to_polars(self) -> polars.DataFrame:
        """Return the table as a polars frame; text categories become an Enum."""
        return adapters.to_polars(self)

    def to_arrow(self) -> Any:
        """Return the table as an Arrow table; declared categories become a dictionary."""
        return adapters.to_arrow(self)
