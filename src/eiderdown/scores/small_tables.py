"""Scores of small tables in terms of NumPy, for as long as the kernel is not compiled.

:func:`score_sweeps` answers what the kernel of that name in :mod:`eiderdown.scores.kernels` does,
on the same arguments. Sums are those of whole numbers, so the answers are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import IntArray

if TYPE_CHECKING:
    from eiderdown.scores.cell_masks import CodedColumns
    from eiderdown.scores.kernels import Terms
    from eiderdown.scores.sweeps import PackedSweeps

_MOST_STEPS = 20_000_000
_MOST_LABELS = 1_024


def are_small_sweeps(
    _board: IntArray, columns: CodedColumns, _terms: Terms, sweeps: PackedSweeps, *_others: IntArray
) -> bool:
    """Whether the kernel has little to do."""
    return len(sweeps.candidates) * int(columns.codes.shape[1]) <= _MOST_STEPS


def score_sweeps(
    _board: IntArray,
    columns: CodedColumns,
    terms: Terms,
    sweeps: PackedSweeps,
    rows: IntArray,
    answers: IntArray,
) -> None:
    """Score each child with each of its candidates added to its parents."""
    children, parent_sets, _, ends, candidates = sweeps
    start = 0
    for k, end in enumerate(ends.tolist()):
        if start < end:
            part = slice(start, end)
            cells = _cells(columns, int(children[k]), parent_sets[k])
            counts = _counts(columns, *cells, candidates[part])
            answers[part, 0] = sum(
                sign * _sums(terms, rows[part, row], *counts[row])
                for row, sign in ((0, 1), (1, -1))
            )
            of_strata, starts = counts[1]
            answers[part, 1] = np.add.reduceat((of_strata > 0).astype(np.int64), starts)
        start = end


def _cells(columns: CodedColumns, child: int, parents: IntArray) -> tuple[IntArray, int, int]:
    """Label the rows by stratum of the parents and child category.

    Returns the labels, how many there may be, and the number of the child's categories.
    """
    labels = np.zeros(columns.codes.shape[1], dtype=np.int64)
    n_labels = n_x = 1
    for x in [*parents[parents >= 0].tolist(), child]:
        if n_labels > _MOST_LABELS:
            seen, labels = np.unique(labels, return_inverse=True)
            n_labels = len(seen)
        n_x = int(columns.n_categories[x])
        labels = labels * n_x + columns.codes[columns.row[x]]
        n_labels *= n_x
    return labels, n_labels, n_x


def _counts(
    columns: CodedColumns, cells: IntArray, n_cells: int, n_child: int, candidates: IntArray
) -> list[tuple[IntArray, IntArray]]:
    """Count rows by cell and candidate, then by stratum and candidate; and where each begins."""
    is_none = candidates < 0
    n_x = np.where(is_none, 1, columns.n_categories[candidates])
    codes = columns.codes[columns.row[candidates]].astype(np.int64)
    codes[is_none] = 0
    counts = []
    for labels, n_labels in ((cells, n_cells), (cells // n_child, n_cells // n_child)):
        ends = np.cumsum(n_x * n_labels)
        starts = ends - n_x * n_labels
        place = labels * n_x[:, None] + codes + starts[:, None]
        counts.append((np.bincount(place.ravel(), minlength=int(ends[-1])), starts))
    return counts


def _sums(terms: Terms, rows: IntArray, counts: IntArray, starts: IntArray) -> IntArray:
    """Sum the terms of counts from one start to the next, each part by a row of its own."""
    from eiderdown.scores.kernels import term

    row = np.repeat(rows, np.diff(starts, append=len(counts)))
    is_large = counts >= terms.table.shape[1]
    found = terms.table[row, np.where(is_large, 0, counts)]
    for i in np.flatnonzero(is_large).tolist():
        found[i] = term.as_python(terms, row[i], counts[i])
    sums: IntArray = np.add.reduceat(found, starts)
    return sums
