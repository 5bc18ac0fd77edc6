"""Sweeps of discrete scores shared out to threads: as much work for each, a long sweep cut in two.

Whoever has a part of a sweep labels its rows anew, so a cut moves to the sweep's end or beginning
where labels would cost more than that loses. What is estimated decides about time only.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.kernels import kernel
from eiderdown.scores.cell_masks import CodedColumns
from eiderdown.statistics.cost import (
    PER_MASK,
    PER_MASKED_WORD,
    PER_SCATTERED_CELL,
    PER_SCATTERED_ROW,
)

SHARING_PAYS_FROM = 600_000.0
"""Nanoseconds of one thread; waking another takes some 50,000, and estimates are high."""

_MANY_PAY_FROM = 4_000_000.0
_MANY = 4  # shares of each thread, so that wrong estimates even out

_PER_LABELLED_ROW = 0.3  # by each column
_PER_MASKED_ROW = 1.0
_PER_TERM = 1.5
_FEW = 1_000

_LABELS, _CANDIDATES, _CATEGORY = range(3)
"""Costs of a sweep: of labels, of all candidates, and of each category but one of a candidate."""


CodedSweeps: TypeAlias = tuple[IntArray, IntArray, IntArray, IntArray]
"""Children, a row of parents for each, where their candidates end, and all candidates."""


class Share(NamedTuple):
    """What one thread does: sweeps from which to which, and of their candidates these."""

    sweeps: slice
    candidates: slice


def _are_few(*args: IntArray) -> bool:
    return len(args[5]) <= _FEW


@kernel(
    "float64(const(int64[::1]), int64, const(int64[::1]), const(int64[:, ::1]),"
    " const(int64[::1]), const(int64[::1]), float64[:, ::1])",
    small=_are_few,
)
def estimate(n_categories, n_rows, children, parent_sets, ends, candidates, costs):  # type: ignore[no-untyped-def]
    """Estimate the nanoseconds of all sweeps, and fill the costs of each."""
    total, start = 0.0, 0
    per_mask = PER_MASKED_WORD * ((n_rows + 63) // 64) + PER_MASK
    for k in range(children.shape[0]):
        n_cells, n_columns = float(n_categories[children[k]]), 1
        for p in range(parent_sets.shape[1]):
            if parent_sets[k, p] >= 0:
                n_cells *= n_categories[parent_sets[k, p]]
                n_columns += 1
        n_cells = min(n_cells, float(n_rows))
        n_categories_more = 0
        for b in range(start, ends[k]):
            if candidates[b] >= 0:
                n_categories_more += n_categories[candidates[b]] - 1
        by_rows = PER_SCATTERED_ROW * n_rows + PER_SCATTERED_CELL * n_cells
        each = min(n_cells * per_mask, by_rows) + _PER_TERM * n_cells
        labels = (_PER_LABELLED_ROW * (n_columns + 1) + PER_SCATTERED_ROW) * n_rows
        if n_categories_more > 0:
            labels += _PER_MASKED_ROW * n_rows
        costs[k, _LABELS] = min(labels, 2.0 * n_cells * per_mask)
        costs[k, _CANDIDATES] = each * n_categories_more
        costs[k, _CATEGORY] = each
        total += costs[k, _LABELS] + costs[k, _CANDIDATES]
        start = ends[k]
    return total


@kernel(
    "void(const(int64[::1]), const(int64[::1]), const(int64[::1]), float64[:, ::1], float64,"
    " int64[::1])",
    small=lambda *args: len(args[2]) <= _FEW,
)
def cut(n_categories, ends, candidates, costs, share, cuts):  # type: ignore[no-untyped-def]
    """Fill after how many candidates each share but the last ends; all take as long."""
    done, start, n = 0.0, 0, 0
    for k in range(ends.shape[0]):
        labels, all_of_it = costs[k, _LABELS], costs[k, _LABELS] + costs[k, _CANDIDATES]
        while n < cuts.shape[0] and done + all_of_it >= share * (n + 1):
            inside = share * (n + 1) - done  # of this sweep
            cuts[n] = start
            if all_of_it - inside <= labels:
                cuts[n] = ends[k]
            elif inside > 2.0 * labels:
                so_far = labels
                while so_far < inside:
                    x = candidates[cuts[n]]
                    if x >= 0:
                        so_far += costs[k, _CATEGORY] * (n_categories[x] - 1)
                    cuts[n] += 1
            n += 1
        done += all_of_it
        start = ends[k]
    for i in range(n, cuts.shape[0]):
        cuts[i] = candidates.shape[0]


def shares(columns: CodedColumns, sweeps: CodedSweeps, n_jobs: int) -> list[Share]:
    """Share sweeps out to so many threads, or leave them together where that is sooner done."""
    children, sets, ends, candidates = sweeps
    together = [Share(slice(0, len(children)), slice(0, len(candidates)))]
    if n_jobs == 1:
        return together
    costs = np.empty((len(children), 3))
    n_rows = columns.codes.shape[1]
    total = estimate(columns.n_categories, n_rows, children, sets, ends, candidates, costs)
    if total < SHARING_PAYS_FROM:
        return together
    n_shares = n_jobs if total < _MANY_PAY_FROM else _MANY * n_jobs
    cuts = np.empty(n_shares - 1, dtype=np.int64)
    cut(columns.n_categories, ends, candidates, costs, total / n_shares, cuts)
    bounds = [(a, b) for a, b in pairwise([0, *cuts.tolist(), len(candidates)]) if a < b]
    first = np.searchsorted(ends, [a for a, _ in bounds], side="right").tolist()
    last = np.searchsorted(ends, [b for _, b in bounds], side="left").tolist()
    return [
        Share(slice(i, j + 1), slice(a, b))
        for i, j, (a, b) in zip(first, last, bounds, strict=True)
    ]
