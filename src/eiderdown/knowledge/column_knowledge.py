"""Background knowledge as searches use it: about columns by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import BoolArray, IntArray

NO_TIER = -1


@dataclass(frozen=True, eq=False)
class ColumnKnowledge:
    """Background knowledge about columns by number; made by `Knowledge.of_columns`.

    Attributes
    ----------
    n_columns : int
        Columns of the table.
    tier : IntArray
        Tier of each column, -1 for those in none.
    forbid_within : bool
        Whether edges inside a tier are forbidden.
    required, forbidden : mapping of int to tuple of int
        By child, the parents that it must have, and those that it must not have.
    max_parents : int or None
        Most parents of any column.
    """

    n_columns: int
    tier: IntArray
    forbid_within: bool
    required: Mapping[int, tuple[int, ...]]
    forbidden: Mapping[int, tuple[int, ...]]
    max_parents: int | None

    def allowed(self, child: int, candidates: IntArray) -> BoolArray:
        """Tell, for each candidate, whether it may be a parent of ``child``."""
        may: BoolArray = candidates != child
        own = self.tier[child]
        if own != NO_TIER:
            theirs = self.tier[candidates]
            may &= theirs < own if self.forbid_within else theirs <= own
        never = self.forbidden.get(child)
        if never:
            may &= ~np.isin(candidates, never)
        return may

    def required_parents(self, child: int) -> tuple[int, ...]:
        """Return the parents that ``child`` must have, in column order."""
        return self.required.get(child, ())

    def required_edges(self) -> Iterator[tuple[int, int]]:
        """Yield every required (parent, child)."""
        return ((parent, child) for child, parents in self.required.items() for parent in parents)

    @property
    def restricts(self) -> bool:
        """Whether anything at all is required, forbidden or limited."""
        return bool(
            self.required
            or self.forbidden
            or self.max_parents is not None
            or np.any(self.tier != NO_TIER)
        )
