"""Functions of counts, tabulated: from 0 up to the number of rows, or only where they are needed.

A logarithm for every cell of every test would cost more than counting does, so tests and scores
look n ln n and its kin up. For a table in memory they are tabulated whole. Where rows are beyond
memory the table is as long, but its far pages are empty and take no memory; before a block of
counts is judged, :meth:`Tabulated.require` fills in the counts that it holds. The numbers are the
same in either way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, frozen

FIRST = 1 << 22
"""Counts up to this one are tabulated at once, whoever asks."""

_Number = TypeVar("_Number", np.int64, np.float64)


class Tabulated(Generic[_Number]):
    """One function of counts.

    Parameters
    ----------
    first : array
        Its values at 0, 1, ..., up to the number of rows or ``FIRST``, whichever is less.
    n_rows : int
        The largest count.
    beyond : callable
        Its values at larger counts, which come as an array.
    whole : bool
        Whether to tabulate all of it now.

    Examples
    --------
    >>> squares = Tabulated(np.arange(4) ** 2, 3, lambda counts: counts**2)
    >>> squares.table
    array([0, 1, 4, 9])
    """

    def __init__(
        self,
        first: NDArray[_Number],
        n_rows: int,
        beyond: Callable[[IntArray], NDArray[Any]],
        *,
        whole: bool = True,
    ) -> None:
        self._values: NDArray[_Number] = first
        self._beyond = beyond
        self._n_first = len(first)
        if n_rows >= self._n_first:
            self._values = np.empty(n_rows + 1, dtype=first.dtype)
            self._values[: self._n_first] = first
            if whole:
                for start in range(self._n_first, n_rows + 1, FIRST):
                    self._fill(np.arange(start, min(start + FIRST, n_rows + 1)))
        self.table: NDArray[_Number] = frozen(self._values.view())

    def require(self, counts: IntArray) -> None:
        """See to it that the function is known at some counts."""
        large = counts[counts >= self._n_first]
        if len(large):
            self._fill(np.unique(large))

    def _fill(self, counts: IntArray) -> None:
        self._values[counts] = self._beyond(counts)


def counts_of(counts: NDArray[np.int32], table: NDArray[np.int32]) -> IntArray:
    """Return every count that judging a block may look up: of cells, categories and strata."""
    of_categories = counts.sum(axis=2, dtype=np.int64)
    of_strata = table.sum(axis=1, dtype=np.int64)
    parts = (counts.ravel(), of_categories.ravel(), table.ravel(), of_strata)
    return np.unique(np.concatenate([part.astype(np.int64, copy=False) for part in parts]))
