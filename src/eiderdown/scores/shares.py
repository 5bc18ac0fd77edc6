"""Sweeps of scores cut into items that threads take, so that each has as much to do.

Whoever scores a part of a sweep makes the masks or labels of its parents anew, so a sweep is cut
only where one thread's share of all work ends and the next one's begins: into two for two threads,
at the candidate where the halves cost the same. Sweeps that stay whole are items of their own, as
they are long enough, and long items come first, so that threads finish together. What is estimated
decides about time only.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.kernels import kernel
from eiderdown.scores.cell_masks import CodedColumns  # noqa: F401  named in signatures
from eiderdown.scores.sweeps import PackedSweeps  # noqa: F401  named in signatures
from eiderdown.statistics.cost import (
    PER_MASK,
    PER_MASKED_WORD,
    PER_SCATTERED_CELL,
    PER_SCATTERED_ROW,
)

MOST_ITEMS = 128
"""Room for the items of some sweeps."""

SWEEP, START, END, COST = range(4)
"""Columns of items: the first sweep, the first candidate, the one after the last, nanoseconds."""

_ITEMS_EACH = 8  # of whole sweeps, for each thread
_SHORTEST = 6_000.0  # nanoseconds of an item; estimates are high

_PER_SWEEP = 300.0
_PER_LABELLED_ROW = 0.3  # by each column
_PER_MASKED_ROW = 1.0
_PER_TERM = 1.5


class Costs(NamedTuple):
    """Nanoseconds: of what all parts of a sweep need, by sweep, and of each candidate."""

    shared: Annotated[FloatArray, "float64[::1]"]
    each: Annotated[FloatArray, "float64[::1]"]


@kernel("void(CodedColumns, PackedSweeps, Costs)", inner=True)
def estimate(columns, sweeps, costs):
    """Fill the costs of sweeps of a discrete score."""
    n_rows, n_categories = columns.codes.shape[1], columns.n_categories
    per_mask = PER_MASKED_WORD * ((n_rows + 63) // 64) + PER_MASK
    for k in range(sweeps.children.shape[0]):
        n_cells, n_columns = float(n_categories[sweeps.children[k]]), 1
        for p in range(sweeps.parents.shape[1]):
            if sweeps.parents[k, p] >= 0:
                n_cells *= n_categories[sweeps.parents[k, p]]
                n_columns += 1
        n_cells = min(n_cells, float(n_rows))
        n_others, cost, before = 0, 0.0, 0
        for b in range(sweeps.starts[k], sweeps.ends[k]):
            costs.each[b] = _PER_TERM * n_cells
            if sweeps.candidates[b] >= 0:
                n_x = n_categories[sweeps.candidates[b]]
                if n_x != before:
                    by_rows = PER_SCATTERED_ROW * n_rows + PER_SCATTERED_CELL * n_cells * n_x
                    cost, before = min((n_x - 1) * n_cells * per_mask, by_rows), n_x
                costs.each[b] += cost
                n_others += 1
        labels = (_PER_LABELLED_ROW * (n_columns + 1) + PER_SCATTERED_ROW) * n_rows
        if n_others > 0:
            labels += _PER_MASKED_ROW * n_rows
        costs.shared[k] = _PER_SWEEP + min(labels, 4.0 * n_cells * per_mask)


@kernel("int64(int64[:, ::1], int64, int64, int64, float64)", inner=True)
def _end_item(items, n, sweep, end, cost):
    """End the last item, if it has begun; the next begins with this sweep. Returns their number."""
    items[n, END], items[n, COST] = end, np.int64(cost)
    n += items[n, START] < end
    items[n, SWEEP], items[n, START] = sweep, end
    return n


@kernel("void(int64[:, ::1], int64)", inner=True)
def _longest_first(items, n_items):
    for i in range(1, n_items):
        for j in range(i, 0, -1):
            if items[j, COST] <= items[j - 1, COST]:
                break
            for field in range(items.shape[1]):
                items[j, field], items[j - 1, field] = items[j - 1, field], items[j, field]


@kernel("int64(PackedSweeps, Costs, int64, int64[:, ::1])", inner=True)
def cut(sweeps, costs, n_threads, items):
    """Fill the items of sweeps, for so many threads; return how many there are."""
    left = 0.0  # of all work that is in no earlier thread's share
    for k in range(sweeps.ends.shape[0]):
        left += costs.shared[k]
        for b in range(sweeps.starts[k], sweeps.ends[k]):
            left += costs.each[b]
    enough = max(left / (_ITEMS_EACH * n_threads), _SHORTEST)
    n, of_share, of_item = 0, 0.0, 0.0
    items[0, SWEEP], items[0, START] = 0, 0
    for k in range(sweeps.ends.shape[0]):
        shared, rest, b = costs.shared[k], 0.0, sweeps.starts[k]
        for x in range(b, sweeps.ends[k]):
            rest += costs.each[x]
        while n_threads > 1 and of_share + shared + rest > (left + shared) / n_threads:
            wanted, least = (left + shared) / n_threads - of_share - shared, max(shared, _SHORTEST)
            if of_share == 0.0:
                wanted = max(wanted, least)
            if rest - wanted < least:
                break
            if wanted >= least:
                of_share, of_item, left = of_share + shared, of_item + shared, left + shared
                while wanted > 0.0:
                    wanted -= costs.each[b]
                    rest -= costs.each[b]
                    of_share += costs.each[b]
                    of_item += costs.each[b]
                    b += 1
            n = _end_item(items, n, k, b, of_item)
            left, of_share, of_item, n_threads = left - of_share, 0.0, 0.0, n_threads - 1
        of_share, of_item = of_share + shared + rest, of_item + shared + rest
        if of_item >= enough:
            n = _end_item(items, n, k + 1, sweeps.ends[k], of_item)
            of_item = 0.0
        if n_threads > 1 and of_share >= left / n_threads:
            left, of_share, n_threads = left - of_share, 0.0, n_threads - 1
    n = _end_item(items, n, 0, sweeps.candidates.shape[0], of_item)
    _longest_first(items, n)
    return n
