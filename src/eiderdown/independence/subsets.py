"""Conditioning sets as rows of an array: all subsets of a pool up to a size."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from eiderdown.arrays import IntArray, frozen


@lru_cache(maxsize=256)
def _positions(n: int, size: int) -> IntArray:
    """All ways to choose ``size`` of ``n`` positions, in lexicographic order."""
    chosen = np.array(list(combinations(range(n), size)), dtype=np.int64)
    return frozen(chosen.reshape(comb(n, size), size))


def subset_rows(pool: IntArray, max_given: int, always: tuple[int, ...] = ()) -> IntArray:
    """List every subset of the pool, smallest first, together with ``always``.

    Parameters
    ----------
    pool : IntArray
        Variables to choose from, in the order in which they should be tried.
    max_given : int
        Largest size of a conditioning set, ``always`` included.
    always : tuple of int
        Variables that every set holds.

    Returns
    -------
    IntArray of shape (n_subsets, largest size)
        One set per row, padded with -1.

    Examples
    --------
    >>> subset_rows(np.array([4, 7]), 2).tolist()
    [[-1, -1], [4, -1], [7, -1], [4, 7]]
    >>> subset_rows(np.array([4, 7]), 2, always=(5,)).tolist()
    [[5, -1], [5, 4], [5, 7]]
    """
    n_free = max(-1, min(len(pool), max_given - len(always)))
    parts = []
    for size in range(n_free + 1):
        rows = np.full((len(_positions(len(pool), size)), len(always) + n_free), -1, np.int64)
        rows[:, : len(always)] = always
        rows[:, len(always) : len(always) + size] = pool[_positions(len(pool), size)]
        parts.append(rows)
    return np.concatenate(parts) if parts else np.empty((0, len(always)), dtype=np.int64)
