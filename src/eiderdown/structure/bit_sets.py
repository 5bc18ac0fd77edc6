"""Sets of nodes as bits: one row of words per set, several sets in one array.

Kernels name a set by its array and row, for a view of the row would cost more than the work.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from eiderdown.arrays import WordArray
from eiderdown.compiled import popcount

_ONE = np.uint64(1)
_NONE = np.uint64(0)


def words_for(n_nodes: int) -> int:
    """Return how many words hold one bit per node."""
    return (n_nodes + 63) // 64


def members(words: WordArray) -> list[int]:
    """List the nodes of a bit set.

    Examples
    --------
    >>> members(np.array([5, 1], dtype=np.uint64))
    [0, 2, 64]
    """
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), bitorder="little")
    found: list[int] = np.flatnonzero(bits).tolist()
    return found


def pairs(sets: WordArray) -> list[tuple[int, int]]:
    """List (row, node) for every node of every bit set.

    Examples
    --------
    >>> pairs(np.array([[5], [2]], dtype=np.uint64))
    [(0, 0), (0, 2), (1, 1)]
    """
    bits = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1, bitorder="little")
    rows, nodes = np.nonzero(bits)
    return list(zip(rows.tolist(), nodes.tolist(), strict=True))


@njit(cache=True, nogil=True)
def has(sets, row, node):  # type: ignore[no-untyped-def]
    """Whether a bit set, one row of several, holds a node."""
    return (sets[row, node >> 6] >> np.uint64(node & 63)) & _ONE != _NONE


@njit(cache=True, nogil=True)
def put(sets, row, node):  # type: ignore[no-untyped-def]
    """Put a node into a bit set."""
    sets[row, node >> 6] |= _ONE << np.uint64(node & 63)


@njit(cache=True, nogil=True)
def take(sets, row, node):  # type: ignore[no-untyped-def]
    """Take a node out of a bit set."""
    sets[row, node >> 6] &= ~(_ONE << np.uint64(node & 63))


@njit(cache=True, nogil=True)
def after(sets, row, node):  # type: ignore[no-untyped-def]
    """Return the first node of a bit set that comes after ``node``; -1 if there is none."""
    start = node + 1
    w = start >> 6
    if w >= sets.shape[1]:
        return -1
    word = sets[row, w] & ~((_ONE << np.uint64(start & 63)) - _ONE)
    while word == _NONE:
        w += 1
        if w >= sets.shape[1]:
            return -1
        word = sets[row, w]
    return (w << 6) + np.int64(popcount(~word & (word - _ONE)))  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def is_empty(sets, row):  # type: ignore[no-untyped-def]
    """Whether a bit set holds no node."""
    union = _NONE
    for w in range(sets.shape[1]):
        union |= sets[row, w]
    return union == _NONE


@njit(cache=True, nogil=True)
def size(sets, row):  # type: ignore[no-untyped-def]
    """Count the nodes of a bit set."""
    total = _NONE
    for w in range(sets.shape[1]):
        total += popcount(sets[row, w])  # type: ignore[call-arg]
    return np.int64(total)


@njit(cache=True, nogil=True)
def meet(left, i, right, j):  # type: ignore[no-untyped-def]
    """Whether two bit sets share a node."""
    shared = _NONE
    for w in range(left.shape[1]):
        shared |= left[i, w] & right[j, w]
    return shared != _NONE


@njit(cache=True, nogil=True)
def is_within(inner, i, outer, j):  # type: ignore[no-untyped-def]
    """Whether one bit set holds all nodes of another."""
    beyond = _NONE
    for w in range(inner.shape[1]):
        beyond |= inner[i, w] & ~outer[j, w]
    return beyond == _NONE
