"""Bit masks of the cells of a family, and counts by them.

Masks come from labels, or are cut from the bit planes of the family's columns: 64 rows at a time,
which is quicker for all but large families, and no row needs a label then. Masks that are cut may
be those of some of the words of 64 rows, ``words`` from the first to the one after the last.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount
from eiderdown.statistics.cost import (
    PER_MASK,
    PER_MASKED_WORD,
    PER_SCATTERED_CELL,
    PER_SCATTERED_ROW,
)

_MOST_CUT = 256  # cells whose masks are cut from planes; more are sooner labelled
_MOST_CUT_WORDS = 1 << 20
_MOST_LABELS = 32  # more strata than these are renumbered, so that no table is mostly empty


class CodedColumns(NamedTuple):
    """All discrete columns: codes, where each column's are, its categories, and its bit planes."""

    codes: Annotated[NDArray[np.uint8], "const(uint8[:, ::1])"]
    row: Annotated[IntArray, "const(int64[::1])"]
    n_categories: Annotated[IntArray, "const(int64[::1])"]
    planes: Annotated[WordArray, "const(uint64[:, ::1])"]
    first_plane: Annotated[IntArray, "const(int64[::1])"]


@kernel("int64(const(int32[::1]), int64[::1], int64[::1])", inner=True)
def find_cells(cells, sizes, place):
    """Count the rows of every cell and number those that occur; return how many occur."""
    for cell in range(sizes.shape[0]):
        sizes[cell] = 0
        place[cell] = -1
    for i in range(cells.shape[0]):
        sizes[cells[i]] += 1
    n_seen = 0
    for cell in range(sizes.shape[0]):
        if sizes[cell] > 0:
            place[cell] = n_seen
            n_seen += 1
    return n_seen


@kernel("void(const(int32[::1]), const(int64[::1]), int64, int64[::1])", inner=True)
def fill_masks(cells, place, n_words, masks):
    """Turn labels into one bit mask per cell that occurs."""
    for at in range(masks.shape[0]):
        masks[at] = 0
    for i in range(cells.shape[0]):
        masks[place[cells[i]] * n_words + (i >> 6)] |= np.int64(1) << np.int64(i & 63)


@kernel(
    "void(CodedColumns, int64, UniTuple(int64, 2), const(int64[::1]), const(int64[::1]),"
    " const(int64[::1]), int64[::1])",
    inner=True,
)
def count_by_masks(columns, x, words, masks, sizes, place, table):
    """Count each category of a column within every cell."""
    begin, n_words = words[0], words[1] - words[0]
    n_x, first = columns.n_categories[x], columns.first_plane[x]
    for cell in range(place.shape[0]):
        rest, start = sizes[cell], place[cell] * n_words
        for category in range(1, n_x):
            plane, count = first + category - 1, np.uint64(0)
            if start >= 0:
                for w in range(n_words):
                    word = columns.planes[plane, np.uint64(begin + w)] & np.uint64(masks[start + w])
                    count += popcount(word)
            table[cell * n_x + category] = np.int64(count)
            rest -= np.int64(count)
        table[cell * n_x] = rest


@kernel("int64(CodedColumns, int64, const(int64[:, ::1]), int64)", inner=True)
def n_cut_cells(columns, child, parent_sets, k):
    """Return how many cells are cut from planes, those that are empty too; 0 for none."""
    n_cells, found = columns.n_categories[child], columns.first_plane[child] >= 0
    for p in range(parent_sets.shape[1]):
        x = parent_sets[k, p]
        if x >= 0 and n_cells <= _MOST_CUT:
            found = found and columns.first_plane[x] >= 0
            n_cells *= columns.n_categories[x]
    few = n_cells <= _MOST_CUT and n_cells * columns.planes.shape[1] <= _MOST_CUT_WORDS
    return n_cells if found and few else 0


@kernel(
    "void(CodedColumns, int64, const(int64[:, ::1]), int64, UniTuple(int64, 2), int64[::1])",
    inner=True,
)
def cut_masks(columns, child, parent_sets, k, words, masks):
    """Fill the bit mask of every cell, split by the categories of one column after the other."""
    n_rows, n_parents = columns.codes.shape[1], parent_sets.shape[1]
    begin, n_words = words[0], words[1] - words[0]
    for w in range(n_words):
        masks[w] = -1
    if n_rows & 63 and words[1] == columns.planes.shape[1]:
        masks[n_words - 1] = (np.int64(1) << np.int64(n_rows & 63)) - 1
    n_cells = 1
    for p in range(n_parents + 1):
        x = parent_sets[k, p] if p < n_parents else child
        if x < 0:
            continue
        n_x, first = columns.n_categories[x], columns.first_plane[x]
        # From the last cell on, so that none is written before it is split.
        for cell in range(n_cells - 1, -1, -1):
            old, new = cell * n_words, cell * n_x * n_words
            for category in range(1, n_x):
                into, plane = new + category * n_words, first + category - 1
                for w in range(n_words):
                    masks[into + w] = masks[old + w] & np.int64(
                        columns.planes[plane, np.uint64(begin + w)]
                    )
            for w in range(n_words):
                masks[new + w] = masks[old + w]
            for category in range(1, n_x):
                into = new + category * n_words
                for w in range(n_words):
                    masks[new + w] ^= masks[into + w]
        n_cells *= n_x


@kernel("int64(const(int64[::1]), int64, int64[::1], int64[::1])", inner=True)
def size_masks(masks, n_words, sizes, place):
    """Count the rows of every cell; return how many cells occur."""
    n_seen = 0
    for cell in range(sizes.shape[0]):
        n, start = np.uint64(0), cell * n_words
        for w in range(n_words):
            n += popcount(np.uint64(masks[start + w]))
        sizes[cell] = np.int64(n)
        place[cell] = cell if n > np.uint64(0) else -1
        n_seen += n > np.uint64(0)
    return n_seen


@kernel("boolean(CodedColumns, int64, int64)", inner=True)
def masks_pay(columns, x, n_cells):
    """Whether bit masks of all cells count a column quicker than a walk along the rows."""
    n_rows, n_x = columns.codes.shape[1], columns.n_categories[x]
    per_mask = PER_MASKED_WORD * ((n_rows + 63) // 64) + PER_MASK
    by_rows = PER_SCATTERED_ROW * n_rows + PER_SCATTERED_CELL * n_cells * n_x
    return columns.first_plane[x] >= 0 and (n_x - 1) * n_cells * per_mask < by_rows


@kernel(
    "void(CodedColumns, int64, const(int64[:, ::1]), int64, UniTuple(int64, 2), int32[::1])",
    inner=True,
)
def label_cut_cells(columns, child, parent_sets, k, words, labels):
    """Label the rows of some words by their cells, which have the numbers of their masks."""
    first, n_parents = 64 * words[0], parent_sets.shape[1]
    for i in range(labels.shape[0]):
        labels[i] = 0
    for p in range(n_parents + 1):
        x = parent_sets[k, p] if p < n_parents else child
        if x >= 0:
            row, n_x = columns.row[x], columns.n_categories[x]
            for i in range(labels.shape[0]):
                labels[i] = labels[i] * n_x + columns.codes[row, first + i]


@kernel("int64(int32[::1], int64)")
def _renumber(labels, n_labels):
    """Give the labels that occur new numbers without gaps; return how many occur."""
    new_label = np.empty(n_labels, np.int64)
    for label in range(n_labels):
        new_label[label] = 0
    for i in range(labels.shape[0]):
        new_label[labels[i]] = 1
    n_seen = 0
    for label in range(n_labels):
        if new_label[label] == 1:
            new_label[label] = n_seen
            n_seen += 1
    for i in range(labels.shape[0]):
        labels[i] = new_label[labels[i]]
    return n_seen


@kernel("int64(CodedColumns, int64, const(int64[:, ::1]), int64, int32[::1])", inner=True)
def label_cells(columns, child, parent_sets, k, cells):
    """Label the rows by stratum of a set of parents and child category; return how many labels.

    Labels are split by the categories of one column after the other.
    """
    n_rows, n_parents = cells.shape[0], parent_sets.shape[1]
    for i in range(n_rows):
        cells[i] = 0
    n_labels = 1
    for p in range(n_parents + 1):
        x = parent_sets[k, p] if p < n_parents else child
        if x >= 0:
            row, n_x = columns.row[x], columns.n_categories[x]
            for i in range(n_rows):
                cells[i] = cells[i] * n_x + columns.codes[row, i]
            n_labels *= n_x
            if n_labels > _MOST_LABELS and p < n_parents:
                n_labels = _renumber(cells, n_labels)
    return n_labels
