"""The parts of a dataset, from columns, arrays, codes and sparse matrices just as they are given.

What is read of tables and files, where some is guessed and some left out, is in ``read``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.arrays import IntArray
from eiderdown.data.adapters import plain_categories, raw_column, raw_from_numpy, unmasked
from eiderdown.data.blocks import (
    Block,
    Category,
    CodeBlock,
    SparseBlock,
    as_codes,
    as_rows,
    merged,
)
from eiderdown.data.code_arrays import as_code_table
from eiderdown.data.columns import Kind, Kinds, checked_names, resolved_kinds
from eiderdown.data.dates import AnyRaw, RawDates
from eiderdown.data.encode import Column, check_n_categories, encode
from eiderdown.data.finer_kinds import finer_kinds, in_given_order
from eiderdown.errors import ColumnKindError, InputError, MissingValuesError, TooFewRowsError

Parts: TypeAlias = tuple[
    tuple[str, ...], tuple[Block, ...], tuple[tuple[Category, ...], ...], Mapping[str, Kind]
]
"""Names, blocks, categories and finer kinds, from which a dataset is made."""


def from_columns(columns: Mapping[str, Any], kinds: Kinds | None) -> Parts:
    """Encode one-dimensional columns by name."""
    names = checked_names(columns)
    return encoded(
        names, [raw_column(n, c) for n, c in zip(names, columns.values(), strict=True)], kinds
    )


def from_numpy(array: ArrayLike, names: Sequence[str] | None, kinds: Kinds | None) -> Parts:
    """Encode the columns of a two-dimensional array."""
    codes = as_code_table(array) if kinds is None else None
    if codes is not None:
        return _given_or_default(names, len(codes[1])), (codes[0],), codes[1], {}
    table = two_dimensional(array)
    texts = _given_or_default(names, table.shape[1])
    return encoded(
        texts, [raw_from_numpy(n, c) for n, c in zip(texts, table.T, strict=True)], kinds
    )


def two_dimensional(array: ArrayLike) -> NDArray[Any]:
    """Return a table as an array whose columns lie together in memory."""
    if isinstance(array, np.ma.MaskedArray):
        array = unmasked(array)
    # Lists go in as objects: NumPy would turn [[1, "a"]] into text without a word.
    table = np.asarray(array) if hasattr(array, "dtype") else np.array(array, dtype=object)
    if table.ndim != 2:
        raise InputError(f"The array has {table.ndim} dimensions; a table must have exactly two.")
    return table if table.dtype.kind == "O" else np.asfortranarray(table)


def from_codes(
    codes: NDArray[Any], names: Sequence[str], categories: Sequence[Sequence[Category]]
) -> Parts:
    """Check and copy codes that are given already."""
    codes = np.asarray(codes)
    texts = checked_names(names)
    if codes.dtype.kind not in "ui" or codes.ndim != 2:
        raise InputError("Codes must be a two-dimensional array of integers, one row per column.")
    if not len(codes) == len(texts) == len(categories):
        raise InputError(
            f"There are {len(codes)} rows of codes, {len(texts)} names and {len(categories)} sets "
            f"of categories; give one of each for every column."
        )
    _require_rows(codes.shape[1])
    tuples = _checked_categories(texts, categories)
    n_categories = np.fromiter(map(len, tuples), np.int64, len(tuples))
    least = codes.min(axis=1)
    outside = (codes.max(axis=1) >= n_categories) | (least < -1)
    if outside.any():
        i = int(outside.argmax())
        raise InputError(
            f"Column {texts[i]!r} has codes outside its {n_categories[i]} categories; "
            f"codes run from 0 to one less than the number of categories (-1 for a missing value)."
        )
    incomplete = least < 0
    n_codes = n_categories + incomplete
    check_n_categories(texts[int(n_codes.argmax())], int(n_codes.max()))
    blocks = []
    for chosen in (np.flatnonzero(n_codes <= 256), np.flatnonzero(n_codes > 256)):
        if len(chosen):
            own = codes if len(chosen) == len(codes) else codes[chosen]
            if incomplete[chosen].any():
                own = np.where(own < 0, n_categories[chosen, None], own)
            held = as_codes(own, int(n_codes[chosen[0]]))
            blocks.append(CodeBlock(chosen, n_categories[chosen], held, incomplete[chosen]))
    return texts, tuple(blocks), tuples, {}


def _checked_categories(
    names: Sequence[str], categories: Sequence[Sequence[Category]]
) -> tuple[tuple[Category, ...], ...]:
    # Columns often share one object: check it and keep it once.
    held = list(categories)
    checked: dict[int, tuple[Category, ...]] = {}
    for name, one in zip(names, held, strict=True):
        if id(one) not in checked:
            checked[id(one)] = plain_categories(name, one)
    return tuple(checked[id(one)] for one in held)


def from_sparse(matrix: Any, names: Sequence[str] | None, extra: Mapping[str, Any] | None) -> Parts:
    """Keep a SciPy sparse matrix of zeros and ones as lists of rows, and append dense columns."""
    if not hasattr(matrix, "tocsc") or matrix.ndim != 2:
        raise InputError("A sparse table must be a two-dimensional SciPy sparse matrix or array.")
    columns = matrix.tocsc(copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    n_rows, n_sparse = columns.shape
    sparse_names = _given_or_default(names, n_sparse)
    _require_rows(n_rows)
    _check_ones(columns, sparse_names)
    block = SparseBlock(
        np.arange(n_sparse),
        columns.indptr.astype(np.int64),
        as_rows(columns.indices, n_rows),
        n_rows,
    )
    both: tuple[Category, ...] = (False, True) if columns.dtype == np.bool_ else (0, 1)
    parts: Parts = sparse_names, (block,), (both,) * n_sparse, {}
    return joined(parts, from_columns(extra, None)) if extra else parts


def encoded(names: tuple[str, ...], raw: Sequence[AnyRaw], kinds: Kinds | None) -> Parts:
    """Encode raw columns; dates become days, and texts get the order that was given for them."""
    columns, finer = encoded_apart(names, raw, kinds)
    blocks = [replace(block, variables=np.array([i])) for i, (block, _) in enumerate(columns)]
    categories = tuple(own for _, own in columns)
    return names, merged(blocks), categories, finer


def encoded_apart(
    names: tuple[str, ...], raw: Sequence[AnyRaw], kinds: Kinds | None
) -> tuple[list[Column], dict[str, Kind]]:
    """Encode raw columns, each in a block of its own, and say which are of finer kinds."""
    numbers = (column.days() if isinstance(column, RawDates) else column for column in raw)
    plain, given = in_given_order(dict(zip(names, numbers, strict=True)), kinds or {})
    resolved = resolved_kinds(given, names)
    return encode(plain, resolved), finer_kinds(plain, resolved)


def joined(left: Parts, right: Parts) -> Parts:
    """Put two tables side by side, the columns of the left one first."""
    names = checked_names(left[0] + right[0])
    n_left, n_right = left[1][0].n_rows, right[1][0].n_rows
    if n_left != n_right:
        raise InputError(
            f"Column {right[0][0]!r} has {n_right} rows but the table has {n_left}; "
            f"all columns of a table must be equally long."
        )
    moved = [replace(block, variables=block.variables + len(left[0])) for block in right[1]]
    finer = {name: left[3][name] for name in left[0] if name in left[3]}
    return names, merged([*left[1], *moved]), left[2] + right[2], {**finer, **right[3]}


def default_names(n_columns: int) -> tuple[str, ...]:
    """Return the names of the columns of arrays, which have none: x0, x1 and so on."""
    return tuple([f"x{i}" for i in range(n_columns)])


def _given_or_default(names: Sequence[str] | None, n_columns: int) -> tuple[str, ...]:
    texts = checked_names(default_names(n_columns) if names is None else names)
    if len(texts) != n_columns:
        raise InputError(
            f"There are {len(texts)} names for {n_columns} columns; give one name per column."
        )
    return texts


def _require_rows(n_rows: int) -> None:
    if n_rows == 0:
        raise TooFewRowsError("The table has no rows; give it at least one.")


def row_numbers(row_indices: NDArray[Any], n_rows: int) -> IntArray:
    """Return the numbers of rows that were given as such or by a mask; there must be some."""
    if row_indices.dtype == np.bool_:
        if row_indices.shape != (n_rows,):
            raise InputError(f"A mask of rows must have {n_rows} values, one for each row.")
        row_indices = np.flatnonzero(row_indices)
    if row_indices.ndim != 1 or (row_indices.dtype.kind not in "ui" and len(row_indices)):
        raise InputError("Rows are taken by a list of row numbers or a boolean mask.")
    if len(row_indices) and (row_indices.min() < 0 or row_indices.max() >= n_rows):
        raise InputError(f"A row number is outside the table, whose rows are 0 to {n_rows - 1}.")
    _require_rows(len(row_indices))
    return row_indices.astype(np.int64)


def _check_ones(columns: Any, names: Sequence[str]) -> None:
    odd = np.flatnonzero(columns.data != 1)
    if len(odd) == 0:
        return
    name = names[int(np.searchsorted(columns.indptr, odd[0], side="right")) - 1]
    value = columns.data[odd[0]]
    if np.isnan(value):
        raise MissingValuesError(
            f"Missing values in column {name!r}; drop those rows or columns, or fill the values in."
        )
    raise ColumnKindError(
        f"Column {name!r} of the sparse matrix holds {value!s}, and sparse columns may only hold 0 "
        f"and 1; make it binary, or give it as a dense column."
    )
