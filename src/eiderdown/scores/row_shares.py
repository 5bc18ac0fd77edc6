"""Sweeps of a long table shared by rows: whoever takes a share cuts masks of its own rows only.

Cut at a candidate (:mod:`eiderdown.scores.shares`), a sweep costs each thread all of its masks; of
few candidates in a long table these are a third of the work. Counts of rows add up, so each thread
counts all tables in a share of the rows, and the one that shares the work adds them up. A share is
counted some words at a time, so that masks and planes stay near.
"""

from __future__ import annotations

from eiderdown.kernels import kernel
from eiderdown.scores.cell_masks import (
    CodedColumns,  # noqa: F401  named in signatures
    n_cut_cells,
)
from eiderdown.scores.shares import Costs  # noqa: F401  named in signatures
from eiderdown.scores.sweeps import PackedSweeps  # noqa: F401  named in signatures

_LONG = 512  # words of 64 rows
_MASKS_AT_ONCE = 1 << 14  # words of all cells
_MOST_NEAR = 1 << 16  # words of masks that one thread makes at once
_PAYS_FROM = 6_000.0  # nanoseconds; estimates are high
_MOST_COUNTS = 1 << 18


@kernel("int64(CodedColumns, PackedSweeps, int64[::1])", inner=True)
def place_tables(columns, sweeps, places):
    """Fill where the table of each candidate begins, and an end, which is returned.

    It is 0 where some masks are not cut from planes, or tables would be too large.
    """
    at = 0
    for k in range(sweeps.children.shape[0]):
        n_cells = n_cut_cells(columns, sweeps.children[k], sweeps.parents, k)
        if n_cells == 0:
            return 0
        for b in range(sweeps.starts[k], sweeps.ends[k]):
            places[b] = at
            x = sweeps.candidates[b]
            at += n_cells * columns.n_categories[x] if x >= 0 else n_cells
    places[sweeps.candidates.shape[0]] = at
    return at if at <= _MOST_COUNTS else 0


@kernel("boolean(CodedColumns, PackedSweeps, Costs)", inner=True)
def are_worth_sharing(columns, sweeps, costs):
    """Whether rows are many, and sweeps long enough for threads to share them."""
    cost = 0.0
    for k in range(sweeps.children.shape[0]):
        cost += costs.shared[k]
        for b in range(sweeps.starts[k], sweeps.ends[k]):
            cost += costs.each[b]
    return columns.planes.shape[1] >= _LONG and cost >= _PAYS_FROM


@kernel("boolean(CodedColumns, PackedSweeps)", inner=True)
def have_large_masks(columns, sweeps):
    """Whether masks of all rows are so large that one thread, too, had better make them by rows."""
    most = 0
    for k in range(sweeps.children.shape[0]):
        most = max(most, n_cut_cells(columns, sweeps.children[k], sweeps.parents, k))
    return most * columns.planes.shape[1] > _MOST_NEAR


@kernel("int64(int64)", inner=True)
def n_words_at_once(n_cells):
    """Return how many words of rows are counted at a time, so that masks stay near."""
    return max(64, _MASKS_AT_ONCE // n_cells)
