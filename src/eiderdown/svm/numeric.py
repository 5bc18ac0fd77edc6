"""From tables to the numbers that a polynomial SVM works on, and from its monomials to a table.

Numbers are scaled to [-1, 1] by their least and greatest value, so that a column with two values
holds -1 and +1, whose even powers are redundant. Text with two categories is coded the same way,
text with more gets one column for each category. Sparse tables stay sparse, with values from 0 to
1. Columns are put in the order of their names: sums of products then come out the same, to the last
bit, whatever the order of the table's columns.

Monomials become columns of a table, so that a local search can judge them. Those that hold the
same information on all rows (equal, or one a linear function of the other) would explain each other
away: of those only the simplest becomes a column.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen, without_rounding
from eiderdown.data import Category, Dataset, Kind, SparseBlock
from eiderdown.data.missing import require_complete
from eiderdown.data.rows import require_plain_rows
from eiderdown.errors import ColumnKindError, OptionError, UnseenCategoryError, listed
from eiderdown.memory import require_memory
from eiderdown.svm.monomials import Matrix, Monomial, dense, map_to_monomials

CodingName: TypeAlias = Literal["auto", "signs", "zero_one"]

_MOST_CELLS = 2**27
"""No sparse table with more cells (a GiB of numbers) is made dense for a coding's sake."""


@dataclass(frozen=True, eq=False)
class NumericCoding:
    """How columns become numbers, learned from one table and applied to others."""

    names: tuple[str, ...]  # of the numeric columns, such as "age" or "colour=red"
    source_columns: tuple[str, ...]  # the column of the table that each comes from
    lows: FloatArray  # the raw numbers that become the lower end of the scale
    highs: FloatArray  # and 1
    floor: float  # the lower end: -1, or 0 for sparse tables
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
    if signs and held.any() and data.n_rows * len(names) > _MOST_CELLS:
        raise OptionError(
            f"coding='signs' would fill a sparse table of {data.n_rows:,} rows x {len(names):,} "
            "columns; use 'zero_one' or 'auto'."
        )
    learned = [
        column
        for name, sparse in zip(names, held, strict=True)
        for column in ([_Column(name, name)] if sparse else _learned(data, name))
    ]
    # No indicator has the name of a column of the table.
    indicators = iter(distinct([c.name for c in learned if c.name != c.source], data.names))
    return NumericCoding(
        names=tuple(c.name if c.name == c.source else next(indicators) for c in learned),
        source_columns=tuple(column.source for column in learned),
        lows=np.array([column.low for column in learned], dtype=np.float64),
        highs=np.array([column.high for column in learned], dtype=np.float64),
        floor=-1.0 if signs else 0.0,
        categories={column.source: column.categories for column in learned if column.categories},
        is_sparse=bool(held.any()) and not signs,
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


# --- monomials as columns ------------------------------------------------------------------------

MOST_DISTINCT = 10
"""A monomial with at most this many values is discrete; G2 would need too many rows for more."""

_ROWS_PER_VALUE = 5  # with fewer, no test of categories would say anything
_DECIMALS = 12  # products that are equal but for rounding are one value
_SAME = 1.0 - 1e-9  # correlation from which on one monomial is a linear function of another


@dataclass(frozen=True, eq=False)
class MonomialTable:
    """Monomials with different information, and their values."""

    monomials: tuple[Monomial, ...]  # by falling absolute weight
    weights: FloatArray
    values: FloatArray  # a column each, without the factor that the kernel gives them
    names: tuple[str, ...]  # all different
    twins: tuple[tuple[str, ...], ...]  # for each those of the same information, left out
    n_constant: int  # left out because they do not vary

    def __len__(self) -> int:
        return len(self.monomials)

    def name_of(self, monomial: Monomial) -> str:
        """Return the name of a monomial."""
        return self.names[self.monomials.index(monomial)]


def monomial_table(
    matrix: Matrix,
    names: Sequence[str],
    monomials: Sequence[Monomial],
    weights: FloatArray,
    *,
    required: Collection[Monomial] = (),
    reserved: Collection[str] = (),
) -> MonomialTable:
    """Compute monomials and leave out those that are constant or repeat a simpler one.

    Examples
    --------
    >>> matrix = np.array([[1.0, 0.5], [-1.0, 0.5], [1.0, -1.0], [-1.0, -1.0]])
    >>> monomials = [Monomial.of([0, 1]), Monomial.of([0, 0, 1]), Monomial.of([1])]
    >>> table = monomial_table(matrix, ["a", "b"], monomials, np.array([3.0, 2.0, 1.0]))
    >>> table.names, table.twins
    (('a * b', 'b'), ((), ('a^2 * b',)))
    """
    n_rows, n_monomials = matrix.shape[0], len(monomials)
    require_memory(
        table_bytes(n_rows, n_monomials),
        f"A table of {n_monomials:,} monomials and {n_rows:,} rows",
        "give a smaller n_monomials",
    )
    weight_of = dict(zip(monomials, weights.tolist(), strict=True))
    # From the simplest on: the first of equal monomials stands for all. Their weights differ by the
    # kernel's factors only, which say nothing about the data.
    order = sorted(
        monomials,
        key=lambda q: (
            q not in required,
            q.degree,
            len(q.variables),
            -_size(weight_of[q]),
            q.name(names),
        ),
    )
    values = dense(map_to_monomials(matrix, order))
    largest = np.abs(values).max(axis=0, initial=0.0)
    varies: BoolArray = values.max(axis=0) - values.min(axis=0) > 1e-12 * largest
    values, order = values[:, varies], [q for q, yes in zip(order, varies, strict=True) if yes]
    stands_for = _representatives(values, np.array([q in required for q in order], dtype=np.bool_))
    texts = distinct([q.name(names) for q in order], reserved)
    kept = sorted(np.unique(stands_for), key=lambda k: (-_size(weight_of[order[k]]), texts[k]))
    twins = [
        tuple(texts[other] for other in np.flatnonzero(stands_for == k) if other != k) for k in kept
    ]
    return MonomialTable(
        monomials=tuple(order[k] for k in kept),
        weights=frozen(np.array([weight_of[order[k]] for k in kept], dtype=np.float64)),
        values=frozen(values[:, kept]),
        names=tuple(texts[k] for k in kept),
        twins=tuple(twins),
        n_constant=int(np.count_nonzero(~varies)),
    )


def table_bytes(n_rows: int, n_monomials: int) -> float:
    """Return the bytes that a table of monomials needs: three copies, and all pairs of columns."""
    return 24.0 * n_rows * n_monomials + 16.0 * n_monomials**2


def monomial_dataset(
    table: MonomialTable, data: Dataset, target: str, *, as_numbers: bool
) -> Dataset:
    """Put the target and the monomials into one dataset.

    With ``as_numbers`` all columns are continuous, classes being numbered from 0; otherwise the
    target is as it is, and monomials with few distinct values are discrete.
    """
    alone = data.select([target])
    if as_numbers and data.is_discrete[data.index(target)]:
        codes = numeric_target(data, target).values.astype(np.float64)
        alone = Dataset.from_columns({target: codes})
    values = np.round(table.values, _DECIMALS)
    discrete = np.zeros(len(table), dtype=np.bool_) if as_numbers else few_valued(table)
    kinds = [Kind.DISCRETE if few else Kind.CONTINUOUS for few in discrete]
    return alone.with_columns(
        dict(zip(table.names, values.T, strict=True)),
        kinds=dict(zip(table.names, kinds, strict=True)),
    )


def few_valued(table: MonomialTable) -> BoolArray:
    """Tell which monomials have so few distinct values, for their rows, that they are discrete."""
    values = np.round(table.values, _DECIMALS)
    counts = np.array([len(np.unique(column)) for column in values.T], dtype=np.int64)
    return counts <= min(MOST_DISTINCT, max(2, len(values) // _ROWS_PER_VALUE))


def _size(weight: float) -> float:
    """Return the absolute weight without what may be rounding, which must not decide."""
    return float(without_rounding(np.abs(np.array([weight])))[0])


def _representatives(values: FloatArray, required: BoolArray) -> IntArray:
    """Find for each column the first one that it is a linear function of, maybe itself."""
    centred = values - values.mean(axis=0)
    units = centred / np.linalg.norm(centred, axis=0)
    same = np.abs(units.T @ units) >= _SAME
    found = np.arange(len(same))
    for k in range(len(same)):
        if not required[k]:
            # Only columns that stand for themselves, and come earlier, can stand for others.
            earlier = np.flatnonzero(same[k, :k] & (found[:k] == np.arange(k)))
            found[k] = earlier[0] if len(earlier) else k
    return found
