"""From tables to the numbers that a polynomial SVM works on.

Numbers are scaled to [-1, 1] by their least and greatest value, so that a column with two values
holds -1 and +1, whose even powers are redundant. Text with two categories is coded the same way,
text with more gets one column for each category. Sparse tables stay sparse, with values from 0 to
1. On demand all get mean 0 and standard deviation 1 instead. Columns are put in the order of their
names: sums of products then come out the same, to the last bit, whatever the order of the table's
columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.data import Category, Dataset, SparseBlock
from eiderdown.data.missing import require_complete
from eiderdown.data.rows import require_plain_rows
from eiderdown.errors import ColumnKindError, OptionError, UnseenCategoryError, listed
from eiderdown.svm.monomials import Matrix

CodingName: TypeAlias = Literal["auto", "signs", "zero_one", "standard"]

_MOST_CELLS = 2**27
"""No sparse table with more cells (a GiB of numbers) is made dense for a coding's sake."""


@dataclass(frozen=True, eq=False)
class NumericCoding:
    """How columns become numbers, learned from one table and applied to others."""

    names: tuple[str, ...]  # of the numeric columns, such as "age" or "colour=red"
    source_columns: tuple[str, ...]  # the column of the table that each comes from
    lows: FloatArray  # the raw numbers that become the lower end of the scale, or the means
    highs: FloatArray  # and 1
    floor: float  # the lower end: -1, or 0 for sparse tables and means
    categories: Mapping[str, tuple[Category, ...]]
    is_sparse: bool

    def matrix(self, data: Dataset) -> Matrix:
        """Return the numeric columns of a table that has all source columns."""
        sources = [data.index(column) for column in dict.fromkeys(self.source_columns)]
        require_complete(data, "An SVM", sources)
        if self.is_sparse:
            return self._sparse_matrix(data)
        matrix = np.empty((data.n_rows, len(self.names)))
        for column, part in self._parts():
            matrix[:, part] = self._scaled(data, column, part)
        return frozen(matrix)

    def _parts(self) -> Iterator[tuple[str, slice]]:
        """Give each source column, and where its numeric columns are."""
        first = 0
        while first < len(self.names):
            column, last = self.source_columns[first], first + 1
            while last < len(self.names) and self.source_columns[last] == column:
                last += 1
            yield column, slice(first, last)
            first = last

    def _scaled(self, data: Dataset, column: str, part: slice) -> FloatArray:
        index = data.index(column)
        raw = (
            _coded(data, index, self.categories[column])
            if column in self.categories
            else _numbers(data, index)[:, None]
        )
        share = (raw - self.lows[part]) / (self.highs[part] - self.lows[part])
        scaled: FloatArray = self.floor + (1.0 - self.floor) * share
        return scaled

    def _sparse_matrix(self, data: Dataset) -> Matrix:
        from scipy.sparse import coo_array, csr_array

        shape = (data.n_rows, len(self.names))
        at_once, columns, rows = self._held_sparse(data)
        values = np.ones(len(rows))
        others = [part for part in self._parts() if not at_once[part[1].start]]
        for column, part in others:
            scaled = self._scaled(data, column, part)
            row, offset = np.nonzero(scaled)
            rows = np.concatenate([rows, row])
            columns = np.concatenate([columns, part.start + offset])
            values = np.concatenate([values, scaled[row, offset]])
        return csr_array(coo_array((values, (rows, columns)), shape=shape))

    def _held_sparse(self, data: Dataset) -> tuple[BoolArray, IntArray, IntArray]:
        """Return which columns the table holds as lists of rows, and the entries of those."""
        indices = _positions(data, self.source_columns)
        at_once = np.zeros(len(indices), dtype=np.bool_)
        columns, rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for number, block in enumerate(data.blocks):
            if isinstance(block, SparseBlock):
                held = np.flatnonzero(data.block_of[indices] == number)
                owners, entries = block.entries(data.row_in_block[indices[held]])
                columns.append(held[owners])
                rows.append(entries.astype(np.int64))
                at_once[held] = True
        return at_once, np.concatenate(columns), np.concatenate(rows)


@dataclass(frozen=True, eq=False)
class NumericTarget:
    """A target as the numbers that an SVM learns."""

    values: Any  # numbers of classes, or a continuous target with mean 0 and variance 1
    classes: tuple[Category, ...]  # in the order of their numbers; () for a continuous target

    @property
    def is_continuous(self) -> bool:
        """Whether it is to be predicted by regression."""
        return not self.classes


def learn_coding(
    data: Dataset, columns: Iterable[str], *, coding: CodingName = "auto"
) -> NumericCoding:
    """Learn how columns of a table become numbers; those that do not vary are left out.

    Examples
    --------
    >>> data = Dataset.from_columns({"age": [20, 60, 40], "hat": ["red", "blue", "green"]})
    >>> coding = learn_coding(data, ["hat", "age"])
    >>> coding.names
    ('age', 'hat=blue', 'hat=green', 'hat=red')
    >>> coding.matrix(data)[0]
    array([-1., -1., -1.,  1.])
    """
    if coding not in get_args(CodingName):
        raise OptionError(f"coding must be one of {get_args(CodingName)}, not {coding!r}.")
    constant = set(data.constant_columns())
    names = sorted(set(columns) - constant)
    require_complete(data, "An SVM", [data.index(name) for name in names])
    require_plain_rows(data, "An SVM")
    held = _held_sparse(data, names)
    signs = coding == "signs" or (coding == "auto" and not held.any())
    fills = signs or coding == "standard"
    if fills and held.any() and data.n_rows * len(names) > _MOST_CELLS:
        raise OptionError(
            f"coding={coding!r} would fill a sparse table of {data.n_rows:,} rows x {len(names):,} "
            "columns; use 'zero_one' or 'auto'."
        )
    learned = [
        column
        for name, sparse in zip(names, held, strict=True)
        for column in ([_Column(name, name)] if sparse else _learned(data, name))
    ]
    if coding == "standard":
        learned = [_standardised(data, column) for column in learned]
    # No indicator has the name of a column of the table.
    indicators = iter(distinct([c.name for c in learned if c.name != c.source], data.names))
    return NumericCoding(
        names=tuple(c.name if c.name == c.source else next(indicators) for c in learned),
        source_columns=tuple(column.source for column in learned),
        lows=np.array([column.low for column in learned], dtype=np.float64),
        highs=np.array([column.high for column in learned], dtype=np.float64),
        floor=-1.0 if signs else 0.0,
        categories={column.source: column.categories for column in learned if column.categories},
        is_sparse=bool(held.any()) and not fills,
    )


def numeric_target(data: Dataset, target: str) -> NumericTarget:
    """Read a column as a target: classes if it is discrete, numbers otherwise.

    Examples
    --------
    >>> data = Dataset.from_columns({"y": ["no", "yes", "no"]})
    >>> numeric_target(data, "y")
    NumericTarget(values=array([0, 1, 0]), classes=('no', 'yes'))
    """
    index = data.index(target)
    if not data.is_discrete[index]:
        numbers = data.values(index)
        return NumericTarget(frozen((numbers - numbers.mean()) / numbers.std()), ())
    seen, codes = np.unique(data.codes(index), return_inverse=True)
    categories = data.categories(index)
    return NumericTarget(frozen(codes.astype(np.int64)), tuple(categories[code] for code in seen))


class _Column(NamedTuple):
    """One numeric column: raw numbers from low to high, or indicators of categories."""

    name: str
    source: str
    low: float = 0.0
    high: float = 1.0
    categories: tuple[Category, ...] = ()


def _learned(data: Dataset, name: str) -> list[_Column]:
    index = data.index(name)
    categories = data.categories(index)
    if all(isinstance(category, int | float) for category in categories):
        numbers = _numbers(data, index)
        return [_Column(name, name, float(numbers.min()), float(numbers.max()))]
    seen = tuple(categories[code] for code in np.unique(data.codes(index)))
    if len(seen) == 2:
        return [_Column(name, name, categories=seen)]
    return [_Column(f"{name}={category}", name, categories=seen) for category in seen]


def _standardised(data: Dataset, column: _Column) -> _Column:
    """Put a mean in the place of 0 and a standard deviation above it in the place of 1."""
    index = data.index(column.source)
    if column.categories:
        raw = _coded(data, index, column.categories)
        labels = [f"{column.source}={category}" for category in column.categories]
        numbers = raw[:, labels.index(column.name) if raw.shape[1] > 1 else 0]
    else:
        numbers = _numbers(data, index)
    mean = float(numbers.mean())
    return column._replace(low=mean, high=mean + float(numbers.std()))


def _numbers(data: Dataset, index: int) -> FloatArray:
    categories = data.categories(index)
    if not categories:
        return data.values(index)
    if any(isinstance(category, str) for category in categories):
        raise ColumnKindError(
            f"Column {data.names[index]!r} held numbers when it was learned from and holds text "
            "now; give it as numbers again."
        )
    numbers: FloatArray = np.array(categories, dtype=np.float64)[data.codes(index)]
    return numbers


def _coded(data: Dataset, index: int, known: Sequence[Category]) -> FloatArray:
    """Return the code of a text with two categories, or an indicator for each of more."""
    number = {category: code for code, category in enumerate(known)}
    categories = data.categories(index)
    seen, codes = np.unique(data.codes(index), return_inverse=True)
    new = [str(categories[code]) for code in seen if categories[code] not in number]
    if new:
        raise UnseenCategoryError(
            f"Column {data.names[index]!r} holds categories that were not there when it was "
            f"learned from: {listed(new)}; leave those rows out, or learn from data that have them."
        )
    places = np.array([number[categories[code]] for code in seen])[codes]
    indicators: FloatArray = (places[:, None] == np.arange(len(known))).astype(np.float64)
    return indicators[:, 1:] if len(known) == 2 else indicators


def _held_sparse(data: Dataset, names: Sequence[str]) -> BoolArray:
    sparse = [k for k, block in enumerate(data.blocks) if isinstance(block, SparseBlock)]
    return np.isin(data.block_of[_positions(data, names)], sparse)


def _positions(data: Dataset, names: Sequence[str]) -> IntArray:
    """Look up many columns at once."""
    where = {name: index for index, name in enumerate(data.names)}
    found = [where[name] if name in where else data.index(name) for name in names]
    return np.array(found, dtype=np.int64)


def distinct(names: Iterable[str], reserved: Iterable[str]) -> list[str]:
    """Change names that are reserved, or come again."""
    taken, found = set(reserved), []
    for name in names:
        free = name
        while free in taken:
            free += "_"
        taken.add(free)
        found.append(free)
    return found
