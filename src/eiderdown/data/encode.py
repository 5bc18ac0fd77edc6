"""From raw columns to encoded ones: kinds are inferred, categories ordered, bad cells refused.

Missing values stay: NaN among numbers, one further code behind the categories.  A column of nothing
but missing values is a continuous one, unless its categories were declared.

A raw column is what a table of another library gave (see ``adapters``): plain numbers, codes into
a list of categories, or the rows of the ones in a sparse column.  Text, categories, booleans and
integers with few distinct values are discrete; floats, even if all are whole numbers, and
other integers are continuous.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, CodeArray, FloatArray, IntArray
from eiderdown.data.blocks import (
    Block,
    Category,
    CodeBlock,
    FloatBlock,
    SparseBlock,
    as_codes,
    as_rows,
)
from eiderdown.data.columns import Kind
from eiderdown.errors import (
    ColumnKindError,
    InputError,
    NonFiniteError,
    TooFewRowsError,
    TooManyCategoriesError,
    listed,
)

MAX_INTEGER_CATEGORIES: Final = 20
"""An integer column with at most this many distinct values is taken as discrete."""

MAX_CATEGORIES: Final = 65_536
"""No discrete column may have more categories; beyond this it is an identifier or a measurement."""

MIN_ROWS_FOR_CATEGORY_CHECK: Final = 20
"""In a table with fewer rows, a text column with a category per row is no surprise."""

_EXACT_INTEGERS = 2**53
_PEEK = 4096


@dataclass(frozen=True)
class Numbering:
    """What integers say about the order of the rows.

    Attributes
    ----------
    first : int
        The integer of the first row.
    is_consecutive : bool
        Whether each row has one more than the row before it.
    n_distinct : int or None
        How many different ones there are; None if nobody has counted.
    """

    first: int
    is_consecutive: bool
    n_distinct: int | None = None

    @classmethod
    def of(cls, values: NDArray[np.integer[Any]]) -> Numbering:
        """Look through the integers of a column."""
        first, last = int(values[0]), int(values[-1])
        in_order = last - first == len(values) - 1
        if in_order:
            expected = np.arange(first, last + 1).astype(values.dtype)
            in_order = np.array_equal(values, expected)
        return cls(first, in_order)


@dataclass(frozen=True, eq=False)
class RawNumbers:
    """Booleans, integers or floats; the values at missing cells do not matter.

    ``rows`` says how many rows each cell stands for, where that is not one: a table that is packed
    on disk is known by its distinct cells. What its order says is ``numbering`` then.
    """

    values: NDArray[Any]
    missing: BoolArray | None = None
    rows: IntArray | None = None
    numbering: Numbering | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self) if self.rows is None else int(self.rows.sum())

    @property
    def n_missing(self) -> int:
        """How many rows have no value."""
        return 0 if self.missing is None else n_rows_of(self.missing, self.rows)


@dataclass(frozen=True, eq=False)
class RawCategories:
    """Codes into categories, -1 where missing; those ``declared`` keep their order and all stay.

    ``ordered`` says that the order means something; ``rows`` is that of `RawNumbers`; ``n_more``
    says how many further categories there are, too many to be listed.
    """

    codes: NDArray[np.signedinteger[Any]]
    categories: tuple[Category, ...]
    declared: bool
    ordered: bool = False
    rows: IntArray | None = None
    n_more: int = 0

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self) if self.rows is None else int(self.rows.sum())

    @property
    def n_missing(self) -> int:
        """How many rows have no value."""
        return n_rows_of(self.codes < 0, self.rows)


@dataclass(frozen=True, eq=False)
class RawSparse:
    """Zeros and ones as the ascending rows of the ones."""

    rows: NDArray[np.integer[Any]]
    n_rows: int
    categories: tuple[Category, ...]

    def __len__(self) -> int:
        return self.n_rows


def n_rows_of(cells: BoolArray, rows: IntArray | None) -> int:
    """Return how many rows some cells stand for, one each unless it is said."""
    return int(cells.sum() if rows is None else rows[cells].sum())


RawColumn: TypeAlias = RawNumbers | RawCategories | RawSparse
Column: TypeAlias = tuple[Block, tuple[Category, ...]]
"""An encoded column: a block that holds it alone, and its categories."""


def encode(raw: Mapping[str, RawColumn], kinds: Mapping[str, Kind]) -> list[Column]:
    """Encode the columns of one table, each as its given or inferred kind.

    Every block holds column 0; the table then numbers them.
    """
    _check_lengths(raw)
    _check_finite(raw)
    return [_encode_one(name, column, kinds.get(name)) for name, column in raw.items()]


def _is_number(kind: Kind | None) -> bool:
    return kind is not None and not kind.is_discrete


def _encode_one(name: str, column: RawColumn, kind: Kind | None) -> Column:
    if isinstance(column, RawCategories):
        return _encode_categories(name, column, kind)
    if isinstance(column, RawSparse):
        return _encode_sparse(column, kind)
    n_missing = column.n_missing
    if n_missing == column.n_rows:
        return _as_numbers(np.full(len(column), np.nan), has_missing=True)
    if column.missing is None or n_missing == 0:
        return _encode_numbers(name, column.values, kind)
    seen = _encode_numbers(name, column.values[~column.missing], kind)
    return _spread(name, seen, column.missing)


def _encode_numbers(name: str, values: NDArray[Any], kind: Kind | None) -> Column:
    """Encode booleans, integers or floats, none of them missing."""
    if values.dtype.kind not in "bf":
        return _encode_integers(name, values, kind)
    is_boolean = values.dtype.kind == "b"
    if _is_number(kind) or (kind is None and not is_boolean):
        return _as_numbers(values.astype(np.float64))
    if is_boolean:
        return _as_codes_column(values.astype(np.uint8), (False, True))
    return _discrete(name, *np.unique(values, return_inverse=True))


def _spread(name: str, column: Column, missing: BoolArray) -> Column:
    """Put the missing values between those of a column that was encoded without them."""
    block, categories = column
    if isinstance(block, FloatBlock):
        values = np.full(len(missing), np.nan)
        values[~missing] = block.values[0]
        return _as_numbers(values, has_missing=True)
    assert isinstance(block, CodeBlock)
    check_n_categories(name, len(categories) + 1)
    codes = np.full(len(missing), len(categories), np.int64)
    codes[~missing] = block.codes[0]
    return _as_codes_column(as_codes(codes, len(categories) + 1), categories, has_missing=True)


def _encode_categories(name: str, column: RawCategories, kind: Kind | None) -> Column:
    if _is_number(kind):
        raise ColumnKindError(
            f"Column {name!r} holds text or categories and cannot be continuous; "
            f"turn it into numbers first, or leave its kind as discrete."
        )
    n_categories, has_missing = len(column.categories), column.n_missing > 0
    if n_categories == 0:
        return _as_numbers(np.full(len(column), np.nan), has_missing=True)
    if kind is None:
        _check_identifier(name, column)
    n_codes = n_categories + has_missing
    check_n_categories(name, n_codes + column.n_more)
    order = list(range(n_categories))
    if not column.declared:
        order.sort(key=column.categories.__getitem__)
    # Code -1, a missing value, finds the last rank.
    rank = as_codes(np.append(np.argsort(order), n_categories), n_codes)
    categories = tuple(column.categories[i] for i in order)
    return _as_codes_column(rank[column.codes], categories, has_missing=has_missing)


def _encode_sparse(column: RawSparse, kind: Kind | None) -> Column:
    if _is_number(kind):
        values = np.zeros(column.n_rows)
        values[column.rows] = 1.0
        return _as_numbers(values)
    rows, indptr = as_rows(column.rows, column.n_rows), np.array([0, len(column.rows)])
    return SparseBlock(np.zeros(1, np.int64), indptr, rows, column.n_rows), column.categories


def _encode_integers(name: str, values: NDArray[np.integer[Any]], kind: Kind | None) -> Column:
    low, high = int(values.min()), int(values.max())
    if _is_number(kind) or (kind is None and _many_distinct(values, low, high)):
        if low < -_EXACT_INTEGERS or high > _EXACT_INTEGERS:
            raise ColumnKindError(
                f"Column {name!r} holds integers too large to be exact as floating-point numbers; "
                f"drop it if it is an identifier, or scale it down."
            )
        return _as_numbers(values.astype(np.float64))
    if high - low >= MAX_CATEGORIES or high >= 2**63:
        return _discrete(name, *np.unique(values, return_inverse=True))
    # A narrow range needs no sort: mark what is there, then number the marks.
    offsets = np.subtract(values, low, dtype=np.int64)
    present = np.bincount(offsets, minlength=high - low + 1) > 0
    rank = np.cumsum(present) - 1
    return _discrete(name, np.flatnonzero(present) + low, rank.astype(np.uint16)[offsets])


def _many_distinct(values: NDArray[np.integer[Any]], low: int, high: int) -> bool:
    if high - low < MAX_INTEGER_CATEGORIES:
        return False
    if len(np.unique(values[:_PEEK])) > MAX_INTEGER_CATEGORIES:
        return True
    return len(np.unique(values)) > MAX_INTEGER_CATEGORIES


def _discrete(name: str, categories: NDArray[Any], codes: NDArray[Any]) -> Column:
    check_n_categories(name, len(categories))
    return _as_codes_column(as_codes(codes, len(categories)), tuple(categories.tolist()))


def _as_codes_column(
    codes: CodeArray, categories: tuple[Category, ...], *, has_missing: bool = False
) -> Column:
    n_categories = np.array([len(categories)], np.int64)
    block = CodeBlock(np.zeros(1, np.int64), n_categories, codes[None, :], np.array([has_missing]))
    return block, categories


def _as_numbers(values: FloatArray, *, has_missing: bool = False) -> Column:
    return FloatBlock(np.zeros(1, np.int64), values[None, :], np.array([has_missing])), ()


def _check_lengths(raw: Mapping[str, RawColumn]) -> None:
    lengths = {name: column.n_rows for name, column in raw.items()}
    if not lengths:
        raise InputError("The table has no columns; give it at least one.")
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise InputError(
                f"Column {name!r} has {length} rows but column {first!r} has {lengths[first]}; "
                f"all columns of a table must be equally long."
            )
    if lengths[first] == 0:
        raise TooFewRowsError("The table has no rows; give it at least one.")


def _check_finite(raw: Mapping[str, RawColumn]) -> None:
    infinite = [
        name
        for name, column in raw.items()
        if isinstance(column, RawNumbers)
        and column.values.dtype.kind == "f"
        and np.isinf(column.values).any()
    ]
    if infinite:
        raise NonFiniteError(
            f"Infinite numbers in column {listed(infinite)}; replace them, or leave it out "
            f"(--exclude {quote(infinite[0])}, exclude=[{infinite[0]!r}])."
        )


def _check_identifier(name: str, column: RawCategories) -> None:
    n_rows = column.n_rows
    n_observed = len(column.categories) + column.n_more
    if n_rows < MIN_ROWS_FOR_CATEGORY_CHECK or n_observed <= n_rows / 2:
        return
    if column.declared:
        n_observed = len(np.unique(column.codes[column.codes >= 0]))
    if n_observed > n_rows / 2:
        raise TooManyCategoriesError(
            f"Column {name!r} has {n_observed} categories in {n_rows} rows: it looks like an "
            f"identifier; drop it, group its categories, or give its kind as discrete to keep it."
        )


def check_n_categories(name: str, n_categories: int) -> None:
    """Raise if a discrete column has more categories than any may have."""
    if n_categories > MAX_CATEGORIES:
        raise TooManyCategoriesError(
            f"Column {name!r} has {n_categories} categories, more than the {MAX_CATEGORIES} that a "
            f"discrete column may have; drop it, group its categories, or make it continuous."
        )
