"""Two passes from tables in parts to a dataset in parts, equal to that of all rows together.

learn(part)  on each part    tallies of its columns
Plan.of      once            kinds, categories, notes, by the rules for tables in memory
plan.encode  on each part    a `Dataset` with the codes of the whole
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data.blocks import (
    Block,
    Category,
    CodeBlock,
    FloatBlock,
    SparseBlock,
    as_rows,
    merged,
)
from eiderdown.data.cluster.tallies import (
    NumberTally,
    SparseTally,
    Tally,
    added,
    sorted_positions,
    tally_of,
)
from eiderdown.data.columns import Kind
from eiderdown.data.dataset import Dataset
from eiderdown.data.dates import AnyRaw, RawDates
from eiderdown.data.encode import Column, RawCategories, RawNumbers, RawSparse
from eiderdown.data.files import Guesses
from eiderdown.data.read import (
    Columns,
    Selection,
    all_raw,
    given_kinds,
    of_arrow,
    of_pandas,
    of_polars,
    settle,
)
from eiderdown.data.screen import EXCLUDED, unique_names
from eiderdown.errors import InputError, TooFewRowsError
from eiderdown.shared_options import ReadOptions


@dataclass(frozen=True, eq=False)
class Learned:
    """What one or more consecutive parts say.

    Attributes
    ----------
    names : tuple of str
        All columns of the table.
    tallies : dict
        Of those that are read; empty where there are no rows.
    n_rows : list of int
        Rows of each part.
    """

    names: tuple[str, ...]
    tallies: dict[str, Tally]
    n_rows: list[int]

    def __add__(self, other: Learned) -> Learned:
        if self.names != other.names:
            odd = [name for name in other.names if name not in self.names] or other.names
            raise InputError(
                f"The columns of the parts differ, such as {odd[0]!r}; give parts of the same "
                "columns in the same order."
            )
        n_rows = [*self.n_rows, *other.n_rows]
        if not self.tallies or not other.tallies:
            return Learned(self.names, self.tallies or other.tallies, n_rows)
        tallies = {
            name: added(name, own, other.tallies[name]) for name, own in self.tallies.items()
        }
        return Learned(self.names, tallies, n_rows)


def raw_columns(part: Any, options: ReadOptions) -> tuple[tuple[str, ...], dict[str, AnyRaw]]:
    """Return the names of a part's columns, and those that are read made raw."""
    columns = _columns_of(part)
    names, _ = unique_names(columns.labels)
    position = {name: i for i, name in enumerate(names)}
    wanted = Selection(options)(names)
    return names, all_raw({name: partial(columns.raw, position[name], name) for name in wanted})


def _columns_of(part: Any) -> Columns:
    library = type(part).__module__.partition(".")[0]
    takers = {"pandas": of_pandas, "pyarrow": of_arrow, "polars": of_polars}
    if library not in takers:
        raise InputError(
            f"A part of the table is a {type(part).__name__}; give pandas or polars frames, or "
            "Arrow tables."
        )
    return takers[library](part)


def learn(options: ReadOptions, part: Any) -> Learned:
    """Look through one part."""
    names, raw = raw_columns(part, options)
    n_rows = len(next(iter(raw.values()))) if raw else 0
    if n_rows == 0:
        return Learned(names, {}, [0])
    given = given_kinds(options, names, Selection(options).excluded or ())
    tallies = {
        name: tally_of(name, column, categories=name in given and given[name] not in _NUMBERS)
        for name, column in raw.items()
    }
    return Learned(names, tallies, [n_rows])


_NUMBERS = ("number", "count")


@dataclass(frozen=True, eq=False)
class _Source:
    """A column of the parts, and what becomes of it.

    Attributes
    ----------
    cells : AnyRaw or None
        Its distinct cells; None where numbers are taken as they are.
    has_missing_cell : bool
        Whether the last of them is a missing one.
    outputs : tuple of int
        Which columns of the dataset come of it.
    """

    cells: AnyRaw | None
    has_missing_cell: bool
    outputs: tuple[int, ...]

    def positions(self, column: AnyRaw) -> IntArray:
        """Return which of the distinct cells each row has."""
        assert self.cells is not None
        n_cells = len(self.cells)
        if isinstance(self.cells, RawCategories):
            if not isinstance(column, RawCategories):  # a part of missing values
                return np.full(len(column), n_cells - 1)
            known = self.cells.codes[: n_cells - self.has_missing_cell].tolist()
            place = {self.cells.categories[code]: k for k, code in enumerate(known)}
            places = [place.get(category, n_cells - 1) for category in column.categories]
            # Code -1, a missing value, finds the last cell, that of missing values.
            found: IntArray = np.array([*places, n_cells - 1])[column.codes]
            return found
        assert not isinstance(self.cells, RawSparse)
        if isinstance(column, RawCategories | RawSparse):
            return np.full(len(column), n_cells - 1)
        missing = column.missing
        if missing is not None and missing.all():
            return np.full(len(column), n_cells - 1)
        ordered, first = sorted_positions(self.cells.values[: n_cells - self.has_missing_cell])
        places_of_rows = np.searchsorted(ordered, column.values.astype(ordered.dtype, copy=False))
        at: IntArray = first[np.minimum(places_of_rows, len(ordered) - 1)]
        return at if missing is None else np.where(missing, n_cells - 1, at)


@dataclass(frozen=True, eq=False)
class Plan:
    """How parts become parts of one dataset.

    Attributes
    ----------
    options : ReadOptions
        How they are read.
    sources : dict
        What becomes of each column.
    names : tuple of str
        The columns of the dataset.
    columns : list of Column
        Their distinct cells, encoded, and their categories.
    finer, notes, left_out
        As of :class:`~eiderdown.data.dataset.Dataset`.
    """

    options: ReadOptions
    sources: dict[str, _Source]
    names: tuple[str, ...]
    columns: list[Column]
    finer: Mapping[str, Kind]
    notes: tuple[str, ...]
    left_out: Mapping[str, str]

    @classmethod
    def of(cls, learned: Learned, options: ReadOptions) -> Plan:
        """Decide what all parts together are."""
        if not sum(learned.n_rows):
            raise TooFewRowsError("The table has no rows; give it at least one.")
        select = Selection(options)
        _, renamed = unique_names(learned.names)
        select(learned.names)
        excluded = select.excluded or ()
        given = given_kinds(options, learned.names, excluded)
        raw = {name: tally.raw() for name, tally in learned.tallies.items()}
        settled = settle(raw, Guesses(), options, given)
        columns, finer, changed = settled.encoded_apart()
        names = tuple(settled.columns)
        place = {name: i for i, name in enumerate(names)}
        sources = {}
        for name, cells in raw.items():
            made = settle({name: cells}, Guesses(), options, given).columns
            outputs = tuple(place[output] for output in made if output in place)
            if outputs:
                sources[name] = _source(cells, learned.tallies[name], outputs, columns)
        left_out = settled.left_out | dict.fromkeys(excluded, EXCLUDED)
        notes = (*renamed, *settled.notes, *changed)
        return cls(options, sources, names, columns, finer, notes, left_out)

    def encode(self, part: Any) -> Dataset:
        """Encode one part."""
        _, raw = raw_columns(part, self.options)
        blocks: dict[int, Block] = {}
        for name, source in self.sources.items():
            positions = None if source.cells is None else source.positions(raw[name])
            for i in source.outputs:
                blocks[i] = _block(self.columns[i][0], raw[name], positions)
        return self._dataset(blocks)

    def without_rows(self) -> Dataset:
        """Return a dataset of the same form, without rows."""
        blocks = {
            i: _taken(block, np.zeros(0, np.int64)) for i, (block, _) in enumerate(self.columns)
        }
        return self._dataset(blocks)

    def _dataset(self, blocks: Mapping[int, Block]) -> Dataset:
        placed = [replace(blocks[i], variables=np.array([i])) for i in range(len(self.names))]
        categories: tuple[tuple[Category, ...], ...] = tuple(own for _, own in self.columns)
        return Dataset(
            self.names,
            merged(placed),
            categories,
            self.finer,
            notes=self.notes,
            left_out=self.left_out,
        )


def _source(
    cells: AnyRaw, tally: Tally, outputs: tuple[int, ...], columns: Sequence[Column]
) -> _Source:
    """Say how the rows of a column are looked up."""
    are_numbers = all(isinstance(columns[i][0], FloatBlock) for i in outputs)
    as_they_are = isinstance(tally, SparseTally) or (
        isinstance(tally, NumberTally) and are_numbers and len(outputs) == 1
    )
    if isinstance(tally, NumberTally) and as_they_are and tally.all_distinct:
        # Integers that are dates in truth become other numbers.
        known = tally.raw()
        block = columns[outputs[0]][0]
        assert isinstance(block, FloatBlock)
        as_they_are = _are_same(known, block)
    n_missing = 0 if isinstance(tally, SparseTally) else tally.n_missing
    return _Source(None if as_they_are else cells, n_missing > 0, outputs)


def _are_same(cells: RawNumbers, block: FloatBlock) -> bool:
    """Say whether numbers were encoded as themselves, missing and infinite ones aside."""
    values, encoded = cells.values.astype(np.float64), block.values[0]
    known = ~np.isnan(encoded)
    return bool(np.array_equal(values[known], encoded[known]))


def _block(form: Block, column: AnyRaw, positions: IntArray | None) -> Block:
    """Return the rows of a part in the form of the whole."""
    if positions is not None:
        return _taken(form, positions)
    if isinstance(column, RawSparse):
        indptr = np.array([0, len(column.rows)])
        rows = as_rows(column.rows, column.n_rows)
        return SparseBlock(np.zeros(1, np.int64), indptr, rows, column.n_rows)
    assert isinstance(form, FloatBlock)
    if not isinstance(column, RawNumbers):  # a part of missing values
        assert not isinstance(column, RawDates)
        return FloatBlock(form.variables, np.full((1, len(column)), np.nan), form.has_missing)
    values = column.values.astype(np.float64)
    if form.has_missing[0]:
        values[~np.isfinite(values)] = np.nan
        if column.missing is not None:
            values[column.missing] = np.nan
    return FloatBlock(form.variables, values[None, :], form.has_missing)


def _taken(form: Block, positions: IntArray) -> Block:
    """Return cells of a block of one column, which keeps what it says of missing values."""
    if isinstance(form, CodeBlock):
        return replace(form, codes=form.codes[:, positions])
    if isinstance(form, FloatBlock):
        return replace(form, values=form.values[:, positions])
    return SparseBlock(form.variables, np.zeros(2, np.int64), form.rows[:0], 0)
