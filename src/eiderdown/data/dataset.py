"""The table that everything else works on: encoded once, immutable, columns by number.

A `Dataset` knows each column's name, kind and categories, and holds the cells in blocks of equal
form (see ``blocks``).  Names become column numbers here; only results turn them back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.arrays import IntArray
from eiderdown.data import adapters, parts, read
from eiderdown.data.blocks import Block, Category
from eiderdown.data.cells import Cells
from eiderdown.data.columns import Kinds, checked_names, names_of_label, resolved_kinds
from eiderdown.data.rows import RowRoles
from eiderdown.errors import ColumnKindError, UnknownColumnError
from eiderdown.options import declared, options_of
from eiderdown.shared_options import ClusterOptions, MemoryOptions, ReadOptions

if TYPE_CHECKING:
    import pandas
    import polars


R = TypeVar("R")


@dataclass(frozen=True)
class Origin:
    """The file that a dataset was read from, as it was named, and how, where that was said."""

    path: str
    reading: Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Cells):
    """An immutable table of discrete and continuous columns.

    Make one with `Dataset.of` or with the constructor named after the table at hand; they
    copy what they need, so that later changes to the original do not show through.

    Text, categories, booleans and integers with at most 20
    distinct values are discrete.  Floats (even if all are whole numbers) and other integers
    are continuous.  ``kinds`` overrides this for the columns it names.  Categories are sorted,
    except those that were declared, which keep their order, seen or not.  Missing values stay
    missing: NaN among numbers, and one further code, the last, behind the categories.

    Attributes
    ----------
    names : tuple of str
        Column names, in the table's order.
    held : tuple of Block
        The cells.
    finer : mapping of str to Kind
        Which columns of categories are in order, and which of numbers are counts.
    notes : tuple of str
        What was guessed, changed and left out when the table was read; results repeat it.
    left_out : mapping
        The columns that were left out then, each with the reason.
    roles : RowRoles or None
        Weights and groups of the rows.
    origin : Origin or None
        The file that it was read from; None if it has been changed since.

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

    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    roles: RowRoles | None = None
    origin: Origin | None = None

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
            names to columns, the path of a file, or several files of one table: a folder, a glob
            or a list of paths. With ``client`` also a dask DataFrame, or a list of delayed parts.
        **options
        """
        if options["client"] is not None:
            from eiderdown.data.cluster.tables import on_cluster

            there = on_cluster(table, options["client"], options)
            origin = _origin_of(table, options)
            return there if origin is None else replace(there, origin=origin)
        if isinstance(table, cls):
            table._require_kinds(options["kinds"])
            excluded = [x for x in options["exclude"] if not table.has_left_out(x)]
            return table.drop(excluded) if excluded else table
        if isinstance(table, str | os.PathLike | list | tuple):
            from eiderdown.data.large import read_files

            found = read_files(table, options)
            if found is not None:
                return replace(found, origin=_origin_of(table, options))
        return cls(*read.read_table(table, options), origin=_origin_of(table, options))

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
        origin = _origin_of(path, options)
        return cls(*read.read_table(Path(path), options, "delimited"), origin=origin)

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
        origin = _origin_of(path, options)
        return cls(*read.read_table(Path(path), options, "Parquet"), origin=origin)

    # Names

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

    def __repr__(self) -> str:
        n_discrete = int(self.is_discrete.sum())
        return (
            f"Dataset({self.n_rows} rows, {n_discrete} discrete and "
            f"{self.n_columns - n_discrete} continuous columns)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Without caches: the name index rests on hashes that differ between processes.
        return Dataset, (*self._parts, self.notes, dict(self.left_out), self.roles, self.origin)

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
        return replace(self, held=blocks, roles=roles, origin=None)

    def holds_whole(self, i: int) -> bool:
        """Whether all numbers of continuous column ``i`` are whole."""
        values = self.values(i)
        return bool(np.all((values == np.floor(values)) | np.isnan(values)))

    def holds_counts(self, i: int) -> bool:
        """Whether continuous column ``i`` holds whole numbers from 0 on, and 0 among them."""
        values = self.values(i)
        return bool(np.fmin.reduce(values, initial=np.inf) == 0.0) and self.holds_whole(i)

    def complete_in(self, columns: Sequence[int]) -> Dataset:
        """Return a dataset of the rows in which some columns, by number, have values."""
        return self.take(self.complete_rows(columns))

    def reduce(
        self, work: Callable[[Dataset], R], merge: Callable[[R, R], R], columns: Sequence[int]
    ) -> R:
        """Do some work on some columns, and merge what parts of the table answer, if it has any."""
        del merge  # there is one part
        return work(self._picked(np.asarray(columns, np.int64)))

    def in_memory(self, needed_by: str = "this step") -> Dataset:  # noqa: ARG002  of tables in parts
        """Return the table with all its rows in memory, where these are."""
        return self

    def with_columns(self, columns: Mapping[str, Any], *, kinds: Kinds | None = None) -> Dataset:
        """Return a dataset with more columns, appended in the order given."""
        return self.beside(Dataset.from_columns(columns, kinds=kinds))

    def beside(self, other: Dataset) -> Dataset:
        """Return a dataset with the columns of another behind its own."""
        return self._like(parts.joined(self._parts, other._parts))

    @property
    def _parts(self) -> parts.Parts:
        return self.names, self.blocks, self._categories, self.finer

    def _picked(self, columns: IntArray) -> Dataset:
        names = checked_names(self.names[i] for i in columns)
        blocks: list[Block] = []
        for number, block in enumerate(self.blocks):
            variables = np.flatnonzero(self.block_of[columns] == number)
            if len(variables):
                blocks.append(block.pick(self.row_in_block[columns[variables]], variables))
        categories = tuple(self._categories[i] for i in columns)
        return self._like((names, tuple(blocks), categories, self.finer))

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


def _origin_of(table: Any, options: Mapping[str, Any]) -> Origin | None:
    """Return which file a table is, and what was said about reading it."""
    if not isinstance(table, str | os.PathLike):
        return None
    known = options_of(ReadOptions)
    places = {*options_of(MemoryOptions), *options_of(ClusterOptions)}
    said = {
        name: value
        for name, value in options.items()
        if name not in places and not known[name].is_default(value)
    }
    return Origin(os.fsdecode(table), said)
