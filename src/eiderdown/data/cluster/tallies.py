"""What a column is known by when its rows are in parts: its distinct cells, and how often each is.

A tally of some rows and one of the rows behind them add up to one of all. What a table is read as
(kinds, categories, what is left out and said) follows from the tallies of its columns by the same
rules as in memory, because a tally gives a raw column of distinct cells (``raw``). Of numbers that
are measurements it keeps no more than those rules look at.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray
from eiderdown.data.blocks import Category
from eiderdown.data.dates import AnyRaw, RawDates
from eiderdown.data.encode import (
    MAX_CATEGORIES,
    MAX_INTEGER_CATEGORIES,
    Numbering,
    RawCategories,
    RawNumbers,
    RawSparse,
)
from eiderdown.data.screen import may_identify
from eiderdown.errors import InputError

_HEAD: Final = 256  # first known numbers, in their order, which the rules of reading look at first
_SOME: Final = 2 * MAX_INTEGER_CATEGORIES  # distinct numbers that show that there are many
_MOST: Final = MAX_CATEGORIES + 1  # distinct numbers beyond which none can be a category


@dataclass(frozen=True, eq=False)
class CategoryTally:
    """Categories in the order in which they came, with their rows.

    Attributes
    ----------
    counts : dict
        Rows of each category; of declared ones also where there are none.
    n_missing : int
        Rows without one.
    declared, ordered : bool
        As of :class:`~eiderdown.data.encode.RawCategories`.
    """

    counts: dict[Category, int]
    n_missing: int
    declared: bool = False
    ordered: bool = False

    @classmethod
    def of(cls, column: RawCategories) -> CategoryTally:
        """Look through a column."""
        known = column.codes[column.codes >= 0]
        rows = np.bincount(known, minlength=len(column.categories)).tolist()
        pairs = zip(column.categories, rows, strict=True)
        counts = {category: n for category, n in pairs if n or column.declared}
        return cls(counts, len(column) - len(known), column.declared, column.ordered)

    @property
    def n_rows(self) -> int:
        """Rows of the column."""
        return sum(self.counts.values()) + self.n_missing

    def __add__(self, other: CategoryTally) -> CategoryTally:
        counts = Counter(self.counts)
        counts.update(other.counts)  # which keeps the order, and zeros
        same = list(self.counts) == list(other.counts) and self.ordered == other.ordered
        declared = self.declared and other.declared and same
        total = {category: counts[category] for category in counts}
        return CategoryTally(
            total, self.n_missing + other.n_missing, declared, declared and self.ordered
        )

    def raw(self) -> RawCategories:
        """Return a column of distinct cells, a missing one last."""
        seen = [k for k, n in enumerate(self.counts.values()) if n]
        codes, rows = np.array(seen, np.int64), [n for n in self.counts.values() if n]
        if self.n_missing:
            codes, rows = np.append(codes, -1), [*rows, self.n_missing]
        cells = RawCategories(codes, tuple(self.counts), self.declared, self.ordered)
        return replace(cells, rows=np.array(rows, np.int64))


@dataclass(frozen=True, eq=False)
class NumberTally:
    """Numbers by their type, their distinct values if there are few, and those at the ends.

    Attributes
    ----------
    dtype : dtype
        Of all of them.
    n_rows, n_missing : int
        How many rows there are, and how many without a number.
    head : array
        The first known ones, in their order.
    distinct : array
        Some of those known, sorted and each once.
    all_distinct : bool
        Whether ``distinct`` has all.
    numbering : Numbering or None
        What complete integers say about the order of the rows; ``last`` is that of the last row.
    identifiers : array or None
        All distinct integers, of a column that may be one of identifiers.
    keeps_all : bool
        Whether all distinct numbers are wanted, however many.
    """

    dtype: np.dtype[Any]
    n_rows: int
    n_missing: int
    head: NDArray[Any]
    distinct: NDArray[Any]
    all_distinct: bool
    numbering: Numbering | None = None
    last: int = 0
    identifiers: NDArray[Any] | None = None
    keeps_all: bool = False

    @classmethod
    def of(cls, name: str, column: RawNumbers, *, categories: bool) -> NumberTally:
        """Look through a column; ``categories`` says that each distinct number is wanted."""
        n_missing = column.n_missing
        known = column.values[~column.missing] if n_missing else column.values  # type: ignore[operator]
        distinct, complete = (np.unique(known), True) if categories else _distinct(known)
        numbering, last, identifiers = None, 0, None
        if column.values.dtype.kind in "ui" and not n_missing and len(known):
            numbering, last = Numbering.of(known), int(known[-1])
            if may_identify(name, numbering.first):
                identifiers = np.unique(known)
        return cls(
            column.values.dtype,
            len(column),
            n_missing,
            known[:_HEAD].copy(),
            distinct,
            complete,
            numbering,
            last,
            identifiers,
            categories,
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is no number at all, which says nothing about the type."""
        return self.n_missing == self.n_rows

    def __add__(self, other: NumberTally) -> NumberTally:
        distinct = np.union1d(self.distinct, other.distinct)
        complete = self.all_distinct and other.all_distinct
        if complete and len(distinct) > _MOST and not self.keeps_all:
            distinct, complete = _ends(distinct), False
        numbering = None
        if self.numbering is not None and other.numbering is not None:
            follows = other.numbering.first == self.last + 1
            consecutive = (
                self.numbering.is_consecutive and other.numbering.is_consecutive and follows
            )
            numbering = Numbering(self.numbering.first, consecutive)
        identifiers = None
        if self.identifiers is not None and other.identifiers is not None:
            identifiers = np.union1d(self.identifiers, other.identifiers)
        return NumberTally(
            _common_type(self, other),
            self.n_rows + other.n_rows,
            self.n_missing + other.n_missing,
            np.concatenate([self.head, other.head])[:_HEAD],
            distinct,
            complete,
            numbering,
            other.last,
            identifiers,
            self.keeps_all,
        )

    def raw(self) -> RawNumbers:
        """Return a column of the first numbers and the distinct ones, a missing one last."""
        others = np.setdiff1d(self.distinct, self.head)
        values = np.concatenate([self.head, others]).astype(self.dtype)
        n_known = self.n_rows - self.n_missing
        rows = np.ones(len(values), np.int64)
        if len(rows):
            rows[0] += n_known - len(rows)
        missing = None
        if self.n_missing:
            values = np.append(values, np.zeros(1, self.dtype))
            rows = np.append(rows, self.n_missing)
            missing = np.arange(len(values)) == len(values) - 1
        numbering = self.numbering
        if numbering is not None and self.identifiers is not None:
            numbering = replace(numbering, n_distinct=len(self.identifiers))
        return RawNumbers(values, missing, rows, numbering)


@dataclass(frozen=True, eq=False)
class DateTally:
    """Distinct points in time, sorted."""

    distinct: NDArray[np.datetime64]
    n_rows: int
    n_missing: int

    @classmethod
    def of(cls, column: RawDates) -> DateTally:
        """Look through a column."""
        known = column.values[~np.isnat(column.values)]
        return cls(np.unique(known), len(column), len(column) - len(known))

    def __add__(self, other: DateTally) -> DateTally:
        distinct = np.union1d(self.distinct, other.distinct)
        return DateTally(distinct, self.n_rows + other.n_rows, self.n_missing + other.n_missing)

    def raw(self) -> RawDates:
        """Return a column of distinct dates, a missing one last."""
        values, n_known = self.distinct, self.n_rows - self.n_missing
        rows = np.ones(len(values), np.int64)
        if len(rows):
            rows[0] += n_known - len(rows)
        if self.n_missing:
            values = np.append(values, np.array(["NaT"], values.dtype))
            rows = np.append(rows, self.n_missing)
        return RawDates(values, rows)


@dataclass(frozen=True)
class SparseTally:
    """Zeros and ones, whose categories are known before."""

    n_rows: int
    categories: tuple[Category, ...]

    def __add__(self, other: SparseTally) -> SparseTally:
        return SparseTally(self.n_rows + other.n_rows, self.categories)

    def raw(self) -> RawSparse:
        """Return a column without ones."""
        return RawSparse(np.zeros(0, np.int64), self.n_rows, self.categories)


Tally: TypeAlias = CategoryTally | NumberTally | DateTally | SparseTally


def tally_of(name: str, column: AnyRaw, *, categories: bool) -> Tally:
    """Return the tally of a column of some rows."""
    if isinstance(column, RawCategories):
        return CategoryTally.of(column)
    if isinstance(column, RawDates):
        return DateTally.of(column)
    if isinstance(column, RawSparse):
        return SparseTally(column.n_rows, column.categories)
    return NumberTally.of(name, column, categories=categories)


def added(name: str, left: Tally, right: Tally) -> Tally:
    """Add the tallies of one column, in the order of the rows."""
    if isinstance(left, NumberTally) and isinstance(right, NumberTally):
        _require_one_type(name, left, right)
        return left + right
    for one, other in ((left, right), (right, left)):
        if isinstance(one, NumberTally) and one.is_empty:  # nothing says that it is numbers
            return _with_missing(other, one.n_rows)
    if type(left) is not type(right):
        raise InputError(
            f"Column {name!r} is of one type in some parts and of another in others; give it the "
            "same type in all of them."
        )
    return left + right  # type: ignore[operator]


def _with_missing(tally: Tally, n: int) -> Tally:
    if isinstance(tally, SparseTally):
        raise InputError("A sparse column has no missing values; give it as a dense one.")
    if isinstance(tally, CategoryTally):
        return replace(tally, n_missing=tally.n_missing + n)
    return replace(tally, n_rows=tally.n_rows + n, n_missing=tally.n_missing + n)


def _require_one_type(name: str, left: NumberTally, right: NumberTally) -> None:
    if left.is_empty or right.is_empty:
        return
    if (left.dtype.kind == "b") != (right.dtype.kind == "b"):
        raise InputError(
            f"Column {name!r} is true or false in some parts and numbers in others; give it the "
            "same type in all of them."
        )


def _common_type(left: NumberTally, right: NumberTally) -> np.dtype[Any]:
    if left.is_empty or right.is_empty:
        return right.dtype if left.is_empty else left.dtype
    return np.result_type(left.dtype, right.dtype)


def _distinct(known: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """Return the distinct numbers if they are few, or some of them, and say which of both."""
    if known.dtype.kind == "f":
        fraction = _fraction_among(known)
        if fraction is not None:
            finite = known[np.isfinite(known)] if not np.isfinite(known).all() else known
            ends = [finite.min(), finite.max()] if len(finite) else []
            infinite = known[np.isinf(known)][:1].tolist()
            head = np.unique(known[:_HEAD])[:_SOME]
            return np.unique([*head, *ends, fraction, *infinite]), False
    distinct = _distinct_in_range(known) if known.dtype.kind in "ui" else None
    if distinct is None:
        distinct = np.unique(known)
    return (distinct, True) if len(distinct) <= _MOST else (_ends(distinct), False)


def _distinct_in_range(known: NDArray[np.integer[Any]]) -> NDArray[Any] | None:
    """Return distinct integers of a narrow range, which needs no sort."""
    if not len(known):
        return known
    low, high = int(known.min()), int(known.max())
    if high - low > _MOST or high >= 2**63:
        return None
    present = np.bincount(np.subtract(known, low, dtype=np.int64))
    return (np.flatnonzero(present) + low).astype(known.dtype)


def _fraction_among(known: NDArray[Any]) -> float | None:
    """Return a number that is not whole, if there is one; infinite ones are none."""
    for start, stop in ((0, _HEAD), (_HEAD, len(known))):
        values = known[start:stop]
        with np.errstate(invalid="ignore"):
            found = np.isfinite(values) & ((values != np.floor(values)) | (np.abs(values) > 2**53))
        if found.any():
            return float(values[found.argmax()])
    return None


def _ends(distinct: NDArray[Any]) -> NDArray[Any]:
    """Return some of many distinct numbers, the least and the greatest among them."""
    return np.concatenate([distinct[:_SOME], distinct[-_SOME:]])


def sorted_positions(values: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return distinct values in order, each with its first position."""
    found, first = np.unique(values, return_index=True)
    return found, first
