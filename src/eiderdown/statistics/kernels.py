"""Counting kernels: the only compiled code that touches rows.

All three count the same thing. A *cell* is one target category within one stratum of the
conditioning set; ``cells[i]`` is the cell of row i. Each kernel fills ``out[b, cell, category]``,
which comes in as zeros, with the number of rows of that cell in which candidate ``b`` has that
category:

    count_codes    one increment per row                        dense, any number of categories
    count_planes   AND + popcount, 64 rows at a time            few categories, few cells
    count_sparse   one increment per listed row, rest by sum    binary columns that are mostly 0

Each has a slow, obvious twin in tests/naive.py. Kernels release the GIL; any number of threads may
run them on disjoint ``out``.
"""

from __future__ import annotations

import numpy as np

from eiderdown.kernels import kernel, popcount

_WORD_TILE = 1_024  # words of a plane and its masks that stay in the first-level cache


@kernel(
    "void(const(uint8[:, ::1]), const(int64[::1]), const(int32[::1]), int32[:, ::1],"
    " int32[:, :, ::1])",
    "void(const(uint16[:, ::1]), const(int64[::1]), const(int32[::1]), int32[:, ::1],"
    " int32[:, :, ::1])",
    "void(const(uint32[:, ::1]), const(int64[::1]), const(int32[::1]), int32[:, ::1],"
    " int32[:, :, ::1])",
)
def count_codes(codes, columns, cells, tables, out):
    """Scatter: out[b, cells[i], codes[columns[b], i]] += 1 for every row i.

    Rows go to four ``tables`` in turn where they are small: neighbours then often fall in the same
    cell, and an increment that waits for the one before it is several times slower.
    """
    n_rows = cells.shape[0]
    n_categories = out.shape[2]
    size = out.shape[1] * n_categories
    n_tables = tables.shape[0]
    for b in range(columns.shape[0]):
        column = codes[columns[b]]
        for j in range(n_tables):
            for k in range(size):
                tables[j, k] = 0
        unrolled = n_rows - n_rows % 4 if n_tables == 4 else 0
        for i in range(0, unrolled, 4):
            tables[0, cells[i] * n_categories + column[i]] += 1
            tables[1, cells[i + 1] * n_categories + column[i + 1]] += 1
            tables[2, cells[i + 2] * n_categories + column[i + 2]] += 1
            tables[3, cells[i + 3] * n_categories + column[i + 3]] += 1
        for i in range(unrolled, n_rows):
            tables[0, cells[i] * n_categories + column[i]] += 1
        for k in range(size):
            total = tables[0, k]
            for j in range(1, n_tables):
                total += tables[j, k]
            out[b, k // n_categories, k % n_categories] = total


@kernel("void(int32[:, ::1], const(int32[::1]))", inner=True)
def _first_category_by_subtraction(table, cell_sizes):
    for cell in range(table.shape[0]):
        rest = cell_sizes[cell]
        for category in range(1, table.shape[1]):
            rest -= table[cell, category]
        table[cell, 0] = rest


@kernel(
    "void(const(uint64[:, ::1]), const(int64[::1]), const(uint64[:, ::1]), const(int32[::1]),"
    " int32[:, :, ::1])"
)
def count_planes(planes, first_planes, masks, cell_sizes, out):
    """Popcount of plane & mask for every category but the first, which is what remains."""
    n_words = masks.shape[1]
    n_categories = out.shape[2]
    for b in range(first_planes.shape[0]):
        for start in range(0, n_words, _WORD_TILE):
            stop = min(start + _WORD_TILE, n_words)
            for category in range(1, n_categories):
                plane = planes[first_planes[b] + category - 1, start:stop]
                for cell in range(masks.shape[0]):
                    mask = masks[cell, start:stop]
                    total = np.uint64(0)
                    # From 0, so that LLVM sees that no index is negative and vectorises.
                    for w in range(plane.shape[0]):
                        total += popcount(plane[w] & mask[w])
                    out[b, cell, category] += np.int32(total)
        _first_category_by_subtraction(out[b], cell_sizes)


@kernel(
    "void(const(int64[::1]), const(uint16[::1]), const(int64[::1]), const(int32[::1]),"
    " const(int32[::1]), int32[:, :, ::1])",
    "void(const(int64[::1]), const(uint32[::1]), const(int64[::1]), const(int32[::1]),"
    " const(int32[::1]), int32[:, :, ::1])",
)
def count_sparse(indptr, rows, columns, cells, cell_sizes, out):
    """Count the listed rows as category 1; category 0 is what remains of each cell."""
    for b in range(columns.shape[0]):
        table = out[b]
        for k in range(indptr[columns[b]], indptr[columns[b] + 1]):
            table[cells[rows[k]], 1] += 1
        _first_category_by_subtraction(table, cell_sizes)


@kernel("void(const(int32[::1]), uint64[:, ::1])")
def fill_masks(cells, masks):
    """Set bit i of the mask of row i's cell; ``masks`` comes in as zeros."""
    for i in range(cells.shape[0]):
        masks[cells[i], i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@kernel(
    "int64(const(int32[::1]), const(uint8[::1]), int64, int32[::1], int32[::1])",
    "int64(const(int32[::1]), const(uint16[::1]), int64, int32[::1], int32[::1])",
    "int64(const(int32[::1]), const(uint32[::1]), int64, int32[::1], int32[::1])",
)
def refine_strata(strata, codes, n_categories, label_of, refined):
    """Split every stratum by one more column; keep only the combinations that occur.

    ``label_of`` has one zero per (stratum, category); new labels follow the order of (stratum,
    category), so they do not depend on the order of the rows. Returns how many there are.
    """
    for i in range(strata.shape[0]):
        label_of[strata[i] * n_categories + codes[i]] = 1
    n_strata = 0
    for key in range(label_of.shape[0]):
        if label_of[key]:
            label_of[key] = n_strata
            n_strata += 1
    for i in range(strata.shape[0]):
        refined[i] = label_of[strata[i] * n_categories + codes[i]]
    return n_strata
