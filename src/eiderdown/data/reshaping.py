"""The parts of a new dataset (names, blocks, categories) made from one that is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray
from eiderdown.data.blocks import Block
from eiderdown.data.construction import Parts, check_rows, from_columns, joined
from eiderdown.data.kinds import Kinds, resolved_kinds
from eiderdown.data.names import checked_names
from eiderdown.errors import ColumnKindError, InputError

if TYPE_CHECKING:
    from eiderdown.data.dataset import Dataset


def picked(data: Dataset, indices: IntArray) -> Parts:
    """Return the parts of some columns, in the order given."""
    names = checked_names(data.names[i] for i in indices)
    blocks: list[Block] = []
    for number, block in enumerate(data.blocks):
        variables = np.flatnonzero(data.block_of[indices] == number)
        if len(variables):
            blocks.append(block.pick(data.row_in_block[indices[variables]], variables))
    return names, tuple(blocks), tuple(data.categories(i) for i in indices)


def taken(data: Dataset, row_indices: NDArray[Any]) -> Parts:
    """Return the parts of some rows; declared categories stay."""
    names, blocks, categories = _parts(data)
    rows = _row_numbers(row_indices, data.n_rows)
    check_rows(len(rows))
    return names, tuple(block.take(rows) for block in blocks), categories


def widened(data: Dataset, columns: Mapping[str, Any], kinds: Kinds | None) -> Parts:
    """Return the parts of a dataset with more columns behind its own."""
    return joined(_parts(data), from_columns(columns, kinds))


def side_by_side(left: Dataset, right: Dataset) -> Parts:
    """Return the parts of the columns of two datasets, those of the left one first."""
    return joined(_parts(left), _parts(right))


def check_kinds(data: Dataset, kinds: Kinds | None) -> None:
    """Raise if a kind is asked for that a column of the dataset does not have."""
    for name, kind in resolved_kinds(kinds, data.names).items():
        own = data.kind(data.index(name))
        if kind is not own:
            raise ColumnKindError(
                f"Column {name!r} of the dataset is {own.value} already; give its kind as "
                f"{kind.value} when the dataset is made, or discretise it."
            )


def _parts(data: Dataset) -> Parts:
    return data.names, data.blocks, tuple(data.categories(i) for i in range(data.n_columns))


def _row_numbers(row_indices: NDArray[Any], n_rows: int) -> IntArray:
    if row_indices.dtype == np.bool_:
        if row_indices.shape != (n_rows,):
            raise InputError(f"A mask of rows must have {n_rows} values, one for each row.")
        return np.flatnonzero(row_indices)
    if row_indices.ndim != 1 or (row_indices.dtype.kind not in "ui" and len(row_indices)):
        raise InputError("Rows are taken by a list of row numbers or a boolean mask.")
    if len(row_indices) and (row_indices.min() < 0 or row_indices.max() >= n_rows):
        raise InputError(f"A row number is outside the table, whose rows are 0 to {n_rows - 1}.")
    return row_indices.astype(np.int64)
