"""From raw columns to encoded ones: kinds are inferred, categories ordered, bad cells refused.

A raw column is what a table of another library gave (see ``adapters``): plain numbers, codes into
a list of categories, or the rows of the ones in a sparse column.  Text, categories, booleans and
integers with few distinct values are discrete; floats, even if all are whole numbers, and
other integers are continuous.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import CodeArray, FloatArray
from eiderdown.config import MAX_CATEGORIES, MAX_INTEGER_CATEGORIES, MIN_ROWS_FOR_CATEGORY_CHECK
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
    AllMissingColumnError,
    ColumnKindError,
    InputError,
    MissingValuesError,
    NonFiniteError,
    TooFewRowsError,
    TooManyCategoriesError,
    listed,
)

_EXACT_INTEGERS = 2**53
_PEEK = 4096


@dataclass(frozen=True, eq=False)
class RawNumbers:
    """Booleans, integers or floats; the values at missing cells do not matter."""

    values: NDArray[Any]
    n_missing: int = 0

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class RawCategories:
    """Codes into categories, -1 where missing; those ``declared`` keep their order and all stay."""

    codes: NDArray[np.signedinteger[Any]]
    categories: tuple[Category, ...]
    declared: bool
    n_missing: int = 0

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class RawSparse:
    """Zeros and ones as the ascending rows of the ones."""

    rows: NDArray[np.integer[Any]]
    n_rows: int
    categories: tuple[Category, ...]
    n_missing: int = 0

    def __len__(self) -> int:
        return self.n_rows


RawColumn: TypeAlias = RawNumbers | RawCategories | RawSparse
Column: TypeAlias = tuple[Block, tuple[Category, ...]]
"""An encoded column: a block that holds it alone, and its categories."""


def encode(raw: Mapping[str, RawColumn], kinds: Mapping[str, Kind]) -> list[Column]:
    """Encode the columns of one table, each as its given or inferred kind.

    Every block holds column 0; the table then numbers them.
    """
    _check_lengths(raw)
    _check_missing(raw)
    _check_finite(raw)
    return [_encode_one(name, column, kinds.get(name)) for name, column in raw.items()]


def _encode_one(name: str, column: RawColumn, kind: Kind | None) -> Column:
    if isinstance(column, RawCategories):
        return _encode_categories(name, column, kind)
    if isinstance(column, RawSparse):
        return _encode_sparse(column, kind)
    if column.values.dtype.kind not in "bf":
        return _encode_integers(name, column.values, kind)
    is_boolean = column.values.dtype.kind == "b"
    if kind is Kind.CONTINUOUS or (kind is None and not is_boolean):
        return _as_numbers(column.values.astype(np.float64))
    if is_boolean:
        return _as_codes_column(column.values.astype(np.uint8), (False, True))
    return _discrete(name, *np.unique(column.values, return_inverse=True))


def _encode_categories(name: str, column: RawCategories, kind: Kind | None) -> Column:
    if kind is Kind.CONTINUOUS:
        raise ColumnKindError(
            f"Column {name!r} holds text or categories and cannot be continuous; "
            f"turn it into numbers first, or leave its kind as discrete."
        )
    if kind is None:
        _check_identifier(name, column)
    check_n_categories(name, len(column.categories))
    if column.declared:
        return _as_codes_column(as_codes(column.codes, len(column.categories)), column.categories)
    order = sorted(range(len(column.categories)), key=column.categories.__getitem__)
    rank = as_codes(np.argsort(order), len(order))
    return _as_codes_column(rank[column.codes], tuple(column.categories[i] for i in order))


def _encode_sparse(column: RawSparse, kind: Kind | None) -> Column:
    if kind is Kind.CONTINUOUS:
        values = np.zeros(column.n_rows)
        values[column.rows] = 1.0
        return _as_numbers(values)
    rows, indptr = as_rows(column.rows, column.n_rows), np.array([0, len(column.rows)])
    return SparseBlock(np.zeros(1, np.int64), indptr, rows, column.n_rows), column.categories


def _encode_integers(name: str, values: NDArray[np.integer[Any]], kind: Kind | None) -> Column:
    low, high = int(values.min()), int(values.max())
    if kind is Kind.CONTINUOUS or (kind is None and _many_distinct(values, low, high)):
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


def _as_codes_column(codes: CodeArray, categories: tuple[Category, ...]) -> Column:
    n_categories = np.array([len(categories)], np.int64)
    return CodeBlock(np.zeros(1, np.int64), n_categories, codes[None, :]), categories


def _as_numbers(values: FloatArray) -> Column:
    return FloatBlock(np.zeros(1, np.int64), values[None, :]), ()


def _check_lengths(raw: Mapping[str, RawColumn]) -> None:
    lengths = {name: len(column) for name, column in raw.items()}
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


def _check_missing(raw: Mapping[str, RawColumn]) -> None:
    missing = {name: column.n_missing for name, column in raw.items() if column.n_missing}
    empty = [name for name, count in missing.items() if count == len(raw[name])]
    if empty:
        raise AllMissingColumnError(
            f"Nothing but missing values in column {listed(empty)}; drop it from the table."
        )
    if missing:
        shown = [f"{name!r} ({count})" for name, count in list(missing.items())[:8]]
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        raise MissingValuesError(
            f"Missing values (and how many) in column {', '.join(shown)}{more}; "
            f"drop those rows or columns, or fill the values in."
        )


def _check_finite(raw: Mapping[str, RawColumn]) -> None:
    infinite = [
        name
        for name, column in raw.items()
        if isinstance(column, RawNumbers)
        and column.values.dtype.kind == "f"
        and not np.isfinite(column.values).all()
    ]
    if infinite:
        raise NonFiniteError(
            f"Infinite numbers in column {listed(infinite)}; "
            f"drop those rows or columns, or replace the values."
        )


def _check_identifier(name: str, column: RawCategories) -> None:
    n_rows = len(column)
    if n_rows < MIN_ROWS_FOR_CATEGORY_CHECK or len(column.categories) <= n_rows / 2:
        return
    n_observed = len(np.unique(column.codes)) if column.declared else len(column.categories)
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
