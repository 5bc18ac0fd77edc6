"""Sweeps of scores cut into items that threads take: equally much work, a long sweep in parts.

What two parts of a sweep need is made for each of them, so a sweep is cut only where that costs
little beside its candidates. What is estimated decides about time only.
"""

from __future__ import annotations

from eiderdown.kernels import kernel
from eiderdown.scores.cell_masks import CodedColumns  # noqa: F401  named in signatures
from eiderdown.scores.sweeps import PackedSweeps  # noqa: F401  named in signatures
from eiderdown.statistics.cost import (
    PER_MASK,
    PER_MASKED_WORD,
    PER_SCATTERED_CELL,
    PER_SCATTERED_ROW,
)

MOST_ITEMS = 64
"""Room for the items of some sweeps."""

SHARED, CANDIDATES = 0, 1
"""Costs of a sweep, in nanoseconds: of what all its parts need, and of its candidates."""

_ENOUGH = 8  # items; up to three times as many may come
_SHORTEST = 6_000.0  # nanoseconds of an item; estimates are high
_LEAST_GAIN = 8.0  # one part more for so many times what all parts share

_PER_SWEEP = 300.0
_PER_LABELLED_ROW = 0.3  # by each column
_PER_MASKED_ROW = 1.0
_PER_TERM = 1.5


@kernel("void(CodedColumns, PackedSweeps, float64[:, ::1])", inner=True)
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
        n_categories_more = 0
        for b in range(sweeps.starts[k], sweeps.ends[k]):
            if sweeps.candidates[b] >= 0:
                n_categories_more += n_categories[sweeps.candidates[b]] - 1
        by_rows = PER_SCATTERED_ROW * n_rows + PER_SCATTERED_CELL * n_cells
        each = min(n_cells * per_mask, by_rows) + _PER_TERM * n_cells
        labels = (_PER_LABELLED_ROW * (n_columns + 1) + PER_SCATTERED_ROW) * n_rows
        if n_categories_more > 0:
            labels += _PER_MASKED_ROW * n_rows
        costs[k, SHARED] = _PER_SWEEP + min(labels, 4.0 * n_cells * per_mask)
        costs[k, CANDIDATES] = each * n_categories_more


@kernel("int64(PackedSweeps, float64[:, ::1], int64[:, ::1])", inner=True)
def cut(sweeps, costs, items):
    """Fill the items of sweeps: first sweep, first candidate, and the one after the last.

    Returns how many there are.
    """
    ends, total = sweeps.ends, 0.0
    for k in range(ends.shape[0]):
        total += costs[k, SHARED] + costs[k, CANDIDATES]
    enough = max(total / _ENOUGH, _SHORTEST)
    n, begun, so_far, start = 0, 0, 0.0, 0
    items[0, 0], items[0, 1] = 0, 0
    for k in range(ends.shape[0]):
        whole = costs[k, SHARED] + costs[k, CANDIDATES]
        few = 1.0 + costs[k, CANDIDATES] / (_LEAST_GAIN * costs[k, SHARED])
        n_parts = int(min(whole / enough, few))
        if n_parts > 1 and start > begun:
            items[n, 2] = start
            n += 1
        for part in range(1, max(n_parts, 1)):
            items[n, 0], items[n, 1] = k, start + (part - 1) * (ends[k] - start) // n_parts
            items[n, 2] = start + part * (ends[k] - start) // n_parts
            n += 1
            items[n, 0], items[n, 1] = k, items[n - 1, 2]
        so_far += whole
        start = ends[k]
        if so_far >= enough or n_parts > 1:
            items[n, 2] = start
            n += 1
            items[n, 0], items[n, 1] = k + 1, start
            begun, so_far = start, 0.0
    if start > begun:
        items[n, 2] = start
        n += 1
    return n
