"""Counts of small tables in terms of NumPy, for as long as the kernels are not compiled.

Each function does what the kernel of its name does (see :mod:`eiderdown.statistics.kernels`), on
the same arguments, and each has beside it how much work a kernel may have to be small.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eiderdown.arrays import IntArray, WordArray

_MOST_STEPS = 1_000_000
"""Entries that NumPy goes through in a few milliseconds."""

_MOST_AS_PYTHON = 500_000
"""Numbers that Python goes through in some tenths of a second."""

_BITS_OF_BYTE = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


def n_bits(words: WordArray) -> IntArray:
    """Count the bits that are set along the last axis."""
    counts: IntArray = _BITS_OF_BYTE[words.view(np.uint8)].sum(axis=-1, dtype=np.int64)
    return counts


def are_few_codes(codes: Any, columns: Any, cells: Any, tables: Any, out: Any) -> bool:  # noqa: ARG001
    """Whether ``count_codes`` has little to do."""
    return bool(len(columns) * len(cells) + out.size <= _MOST_STEPS)


def count_codes(codes: Any, columns: Any, cells: Any, tables: Any, out: Any) -> None:  # noqa: ARG001
    """Count every candidate's categories within cells."""
    n_cells, n_categories = out.shape[1:]
    place = cells.astype(np.int64) * n_categories
    for b, column in enumerate(columns.tolist()):
        counts = np.bincount(place + codes[column], minlength=n_cells * n_categories)
        out[b] = counts.reshape(n_cells, n_categories)


def are_few_planes(planes: Any, first_planes: Any, masks: Any, cell_sizes: Any, out: Any) -> bool:  # noqa: ARG001
    """Whether ``count_planes`` has little to do."""
    return bool(8 * len(first_planes) * (out.shape[2] - 1) * masks.size <= _MOST_STEPS)


def count_planes(planes: Any, first_planes: Any, masks: Any, cell_sizes: Any, out: Any) -> None:
    """Count every candidate's categories within cells, those as masks."""
    categories = np.arange(out.shape[2] - 1)
    for b, first in enumerate(first_planes.tolist()):
        counts = n_bits(planes[first + categories][:, None] & masks)
        out[b, :, 1:] = counts.T
        out[b, :, 0] = cell_sizes - counts.sum(axis=0)


def are_few_rows(rows: Any, *_others: Any) -> bool:
    """Whether ``fill_masks`` or ``refine_strata`` has little to do."""
    return len(rows) <= _MOST_STEPS // 100


def fill_masks(cells: Any, masks: Any) -> None:
    """Set bit i of the mask of row i's cell."""
    i = np.arange(len(cells))
    np.bitwise_or.at(masks, (cells, i >> 6), np.uint64(1) << (i & 63).astype(np.uint64))


def refine_strata(strata: Any, codes: Any, n_categories: Any, label_of: Any, refined: Any) -> int:
    """Split every stratum by one more column; return how many there are."""
    key = strata.astype(np.int64) * n_categories + codes
    label_of[key] = 1
    seen = np.flatnonzero(label_of)
    label_of[seen] = np.arange(len(seen))
    refined[:] = label_of[key]
    return len(seen)


def find_cells(strata: Any, codes: Any, n_codes: Any, cells: Any, sizes: Any) -> None:
    """Fill the cell of every row, and how many rows fall in each."""
    np.multiply(strata, n_codes, out=cells)
    cells += codes
    sizes[0] = np.bincount(cells, minlength=sizes.shape[1])


# --- moments, in kernels that then run as Python -------------------------------------------------


def are_few_numbers(values: Any, start: int, stop: int, _scaling: Any) -> bool:
    """Whether ``learn_scaling`` has little to do."""
    return bool((stop - start) * values.shape[1] <= _MOST_AS_PYTHON)


def are_few_products(_values: Any, _scaling: Any, others: Any, *args: Any) -> bool:
    """Whether ``correlate_numbers`` has little to do."""
    _, start, stop, _ = args
    return bool((stop - start) * others.size <= _MOST_AS_PYTHON)


def are_few_sums(_codes: Any, others: Any, *args: Any) -> bool:
    """Whether ``correlate_codes`` has little to do."""
    _, start, stop, *_ = args
    return bool((stop - start) * others.size <= _MOST_AS_PYTHON)
