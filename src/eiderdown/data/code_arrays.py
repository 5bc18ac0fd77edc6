"""Arrays of booleans and small whole numbers, which are codes already: encoded at once.

Column by column such an array would be copied three times and cost some 40 microseconds for each
column; here it is copied once, whatever its order in memory. What comes out is the same.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray
from eiderdown.data.blocks import Category, CodeBlock
from eiderdown.data.encode import MAX_INTEGER_CATEGORIES

FEWEST_COLUMNS: Final = 256
"""From how many columns on this pays."""

_TILE: Final = 256  # rows and columns that are turned at a time stay in the cache
_STEP: Final = 1 << 22

CodeTable = tuple[CodeBlock, tuple[tuple[Category, ...], ...]]


def as_code_table(array: Any) -> CodeTable | None:
    """Encode a wide array of booleans, or of whole numbers from 0 to 19.

    None if it is something else: floats, other numbers, few columns or few rows, among which
    numbers may be those of the rows.
    """
    if type(array) is not np.ndarray or array.ndim != 2 or array.dtype.kind not in "bui":
        return None
    n_rows, n_columns = array.shape
    if n_columns < FEWEST_COLUMNS or n_rows <= MAX_INTEGER_CATEGORIES:
        return None
    if array.dtype == np.bool_:
        both: tuple[Category, ...] = (False, True)
        return _block(_turned(array), np.full(n_columns, 2)), (both,) * n_columns
    if array.min() < 0 or array.max() >= MAX_INTEGER_CATEGORIES:
        return None
    codes = _turned(array)
    seen = _values_seen(codes, int(array.max()) + 1)
    n_categories = seen.sum(axis=1)
    shared: list[tuple[Category, ...]] = [tuple(range(n)) for n in range(seen.shape[1] + 1)]
    categories = [shared[n] for n in n_categories.tolist()]
    largest = seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
    for column in np.flatnonzero(largest >= n_categories):  # which leaves numbers out
        codes[column] = (np.cumsum(seen[column]) - 1)[codes[column]]
        categories[column] = tuple(np.flatnonzero(seen[column]).tolist())
    return _block(codes, n_categories), tuple(categories)


def _block(codes: NDArray[np.uint8], n_categories: NDArray[np.int64]) -> CodeBlock:
    n_columns = len(codes)
    return CodeBlock(np.arange(n_columns), n_categories, codes, np.zeros(n_columns, np.bool_))


def _turned(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a copy in bytes, with a row for each column."""
    n_rows, n_columns = array.shape
    turned = np.empty((n_columns, n_rows), np.uint8)
    for first in range(0, n_columns, _TILE):
        for row in range(0, n_rows, _TILE):
            tile = array[row : row + _TILE, first : first + _TILE]
            turned[first : first + _TILE, row : row + _TILE] = tile.T
    return turned


def _values_seen(codes: NDArray[np.uint8], n_values: int) -> BoolArray:
    """Return whether each column has each value."""
    seen = np.zeros((len(codes), n_values), np.bool_)
    step = max(1, _STEP // codes.shape[1])
    for start in range(0, len(codes), step):
        part = codes[start : start + step]
        for value in range(n_values):
            seen[start : start + step, value] = (part == value).any(axis=1)
    return seen
