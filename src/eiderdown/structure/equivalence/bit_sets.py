"""Sets of nodes as bits: rows of words in planes, such as the parents of every node.

All sets of one owner are in one array, because every array that a kernel takes costs time to
compile. Kernels name a set by its array, plane and row; a view would cost more than the work::

    has_bit(edges, NEIGHBOURS, y, x)    # X in Ne(Y)
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.arrays import WordArray
from eiderdown.kernels import kernel, popcount

BitSets: TypeAlias = Annotated[WordArray, "uint64[:, :, ::1]"]

_ONE = np.uint64(1)
_NONE = np.uint64(0)


def words_for(n_nodes: int) -> int:
    """Return how many words hold one bit per node."""
    return (n_nodes + 63) // 64


def empty_sets(n_planes: int, n_sets: int, n_nodes: int) -> WordArray:
    """Return planes of sets without members."""
    return np.zeros((n_planes, n_sets, words_for(n_nodes)), dtype=np.uint64)


def members(words: WordArray) -> list[int]:
    """List the nodes of a set.

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


@kernel("boolean(uint64[:, :, ::1], int64, int64, int64)", inner=True)
def has_bit(sets, plane, row, node):
    """Whether a set holds a node."""
    return (sets[plane, row, node >> 6] >> np.uint64(node & 63)) & _ONE != _NONE


@kernel("void(uint64[:, :, ::1], int64, int64, int64)", inner=True)
def set_bit(sets, plane, row, node):
    """Put a node into a set."""
    sets[plane, row, node >> 6] |= _ONE << np.uint64(node & 63)


@kernel("void(uint64[:, :, ::1], int64, int64, int64)", inner=True)
def clear_bit(sets, plane, row, node):
    """Take a node out of a set."""
    sets[plane, row, node >> 6] &= ~(_ONE << np.uint64(node & 63))


@kernel("int64(uint64[:, :, ::1], int64, int64, int64)", inner=True)
def next_bit(sets, plane, row, node):
    """Return the first node of a set that comes after ``node``; -1 if there is none."""
    start = node + 1
    w = start >> 6
    if w >= sets.shape[2]:
        return -1
    word = sets[plane, row, w] & ~((_ONE << np.uint64(start & 63)) - _ONE)
    while word == _NONE:
        w += 1
        if w >= sets.shape[2]:
            return -1
        word = sets[plane, row, w]
    return (w << 6) + np.int64(popcount(~word & (word - _ONE)))


@kernel("int64(uint64[:, :, ::1], int64, int64)", inner=True)
def size(sets, plane, row):
    """Count the nodes of a set."""
    total = _NONE
    for w in range(sets.shape[2]):
        total += popcount(sets[plane, row, w])
    return np.int64(total)


@kernel("boolean(uint64[:, :, ::1], int64, int64, uint64[:, :, ::1], int64, int64)", inner=True)
def intersects(left, p, i, right, q, j):
    """Whether two sets share a node."""
    shared = _NONE
    for w in range(left.shape[2]):
        shared |= left[p, i, w] & right[q, j, w]
    return shared != _NONE


@kernel("boolean(uint64[:, :, ::1], int64, int64, uint64[:, :, ::1], int64, int64)", inner=True)
def is_subset(inner, p, i, outer, q, j):
    """Whether one set holds all nodes of another."""
    beyond = _NONE
    for w in range(inner.shape[2]):
        beyond |= inner[p, i, w] & ~outer[q, j, w]
    return beyond == _NONE
