"""What the scores of families need beside their tables, found by how many categories they have.

Families of as many strata, whose children have as many categories, need the same: which tabulated
functions, and what their free parameters cost. Python computes that once, and kernels look it up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.scores.sweeps import PackedSweeps

TOO_MANY = -1
"""Strata of some family, to be counted in whole numbers of 64 bits."""

MOST_STRATA = 1 << 44
"""Of parents; a further column of bytes has 256 categories at most."""

_FEW, _FEW_SWEEPS = 2_000, 256


class FamilyTerms(NamedTuple):
    """A table by numbers of strata and of the child's categories; a slot of 0 strata is free."""

    keys: Annotated[IntArray, "int64[:, ::1]"]  # strata, categories
    rows: Annotated[IntArray, "int64[:, ::1]"]  # of the functions of cells, and of strata
    price: Annotated[FloatArray, "float64[::1]"]

    @classmethod
    def empty(cls, n_slots: int = 256) -> FamilyTerms:
        """Make room for half as many."""
        keys, rows = (np.zeros((n_slots, 2), dtype=np.int64) for _ in range(2))
        return cls(keys, rows, np.zeros(n_slots))

    def larger(self) -> FamilyTerms:
        """Return a table of the same with room for twice as many."""
        found = FamilyTerms.empty(2 * len(self.keys))
        for slot in np.flatnonzero(self.keys[:, 0]).tolist():
            n_strata, n_child = self.keys[slot].tolist()
            found.add(n_strata, n_child, self.rows[slot].tolist(), float(self.price[slot]))
        return found

    def add(self, n_strata: int, n_child: int, rows: Sequence[int], price: float) -> None:
        """Note what such families need; the key comes last, as kernels may be reading."""
        slot = slot_of.as_python(self.keys, n_strata, n_child)
        self.rows[slot], self.price[slot] = rows, price
        self.keys[slot, 1] = n_child
        self.keys[slot, 0] = n_strata


@kernel("int64(int64[:, ::1], int64, int64)", inner=True)
def slot_of(keys, n_strata, n_child):
    """Return the slot of some families, or the one that is free for them."""
    slot = ((n_strata ^ (n_strata >> 15)) * 31 + n_child) & (keys.shape[0] - 1)
    while keys[slot, 0] != 0 and (keys[slot, 0] != n_strata or keys[slot, 1] != n_child):
        slot = (slot + 1) & (keys.shape[0] - 1)
    return slot


def _are_few(
    _terms: FamilyTerms, _n: int, _categories: IntArray, sweeps: PackedSweeps, *_: object
) -> bool:
    return len(sweeps.candidates) <= _FEW and len(sweeps.children) <= _FEW_SWEEPS


@kernel(
    "int64(FamilyTerms, int64, const(int64[::1]), PackedSweeps,"
    " Tuple((int64[:, ::1], float64[::1], int64[::1])))",
    small=_are_few,
)
def look_up(terms, n_functions, n_categories, sweeps, needed):
    """Fill the rows and prices that each family of some sweeps needs.

    Returns how many sweeps have a family that is new, or needs a function that was tabulated since,
    and lists them; or ``TOO_MANY``.
    """
    rows, prices, new = needed
    n_new = 0
    for k in range(sweeps.children.shape[0]):
        n_child, n_strata = n_categories[sweeps.children[k]], 1
        for p in range(sweeps.parents.shape[1]):
            if sweeps.parents[k, p] >= 0:
                n_strata *= n_categories[sweeps.parents[k, p]]
            if n_strata > MOST_STRATA:
                return TOO_MANY
        is_new, slot, last = False, 0, 0
        for b in range(sweeps.starts[k], sweeps.ends[k]):
            x = sweeps.candidates[b]
            finer = n_strata * n_categories[x] if x >= 0 else n_strata
            if finer != last:  # of the candidate before, which most often has as many categories
                slot, last = slot_of(terms.keys, finer, n_child), finer
            is_new |= terms.keys[slot, 0] == 0
            rows[b, 0], rows[b, 1] = terms.rows[slot, 0], terms.rows[slot, 1]
            is_new |= max(rows[b, 0], rows[b, 1]) >= n_functions
            prices[b] = terms.price[slot]
        if is_new:
            new[n_new] = k
            n_new += 1
    return n_new
