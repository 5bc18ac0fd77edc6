"""Who is an ancestor of whom while a graph changes: bit sets, one row per node.

Row ``b`` of ``ancestors`` has bit ``a`` set if there is a directed path from a to b. An added edge
is one OR for each node below it; a deleted one makes the rows below it anew, in the order of how
many ancestors they had, which is a topological order. Above ``MOST_NODES_WITH_BITS`` nodes the rows
would not fit: ``ancestors`` then has no rows, and a path is searched for when it is asked about.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, WordArray
from eiderdown.compiled import popcount

MOST_NODES_WITH_BITS = 20_000
"""Fifty megabytes of bits."""


class Families(NamedTuple):
    """The parents of every node: ``parent[first[b]]`` and the ``n_parents[b] - 1`` after it."""

    first: IntArray
    parent: NDArray[np.int32]
    n_parents: IntArray


class Paths(NamedTuple):
    """Bits of the ancestors of every node, and what a search for a path writes on."""

    ancestors: WordArray
    stack: IntArray
    seen: IntArray


_INTS: Any = types.int64[::1]
_BITS: Any = types.uint64[:, ::1]
FAMILIES_TYPE: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (_INTS, types.int32[::1], _INTS), Families
)
PATHS_TYPE: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (_BITS, _INTS, _INTS), Paths
)


def no_paths(n_nodes: int, *, with_bits: bool | None = None) -> Paths:
    """Begin with a graph that has no edges.

    Parameters
    ----------
    n_nodes : int
        How many nodes.
    with_bits : bool or None
        Whether to keep bit sets; None to decide by the number of nodes.
    """
    kept = n_nodes <= MOST_NODES_WITH_BITS if with_bits is None else with_bits
    shape = (n_nodes, (n_nodes + 63) // 64) if kept else (0, 0)
    searched = 0 if kept else n_nodes
    return Paths(
        np.zeros(shape, dtype=np.uint64),
        np.zeros(searched, dtype=np.int64),
        np.zeros(searched, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def _search_upwards(paths, families, a, b):  # type: ignore[no-untyped-def]
    """Go from b to its parents, theirs, and so on; tell whether a comes up."""
    stack, seen = paths.stack, paths.seen
    seen[:] = 0
    stack[0], height = b, 1
    while height > 0:
        height -= 1
        node = stack[height]
        start = families.first[node]
        for k in range(start, start + families.n_parents[node]):
            above = families.parent[k]
            if above == a:
                return True
            if seen[above] == 0:
                seen[above] = 1
                stack[height] = above
                height += 1
    return False


@njit(types.boolean(_BITS, types.int64, types.int64), cache=True, nogil=True)
def _has(ancestors, b, a):  # type: ignore[no-untyped-def]
    return (ancestors[b, a >> 6] >> np.uint64(a & 63)) & np.uint64(1) == np.uint64(1)


@njit(types.void(_BITS, types.int64, types.int64), cache=True, nogil=True)
def _inherit(ancestors, b, parent):  # type: ignore[no-untyped-def]
    """Give b an ancestor and all of the ancestor's."""
    for w in range(ancestors.shape[1]):
        ancestors[b, w] |= ancestors[parent, w]
    ancestors[b, parent >> 6] |= np.uint64(1) << np.uint64(parent & 63)


@njit(types.boolean(PATHS_TYPE, FAMILIES_TYPE, types.int64, types.int64), cache=True, nogil=True)
def is_ancestor(paths, families, a, b):  # type: ignore[no-untyped-def]
    """Tell whether a directed path leads from a to b; no node is its own ancestor."""
    if paths.ancestors.shape[0] == 0:
        return _search_upwards(paths, families, a, b)
    return _has(paths.ancestors, b, a)


@njit(types.void(_BITS, types.int64, types.int64), cache=True, nogil=True)
def note_added(ancestors, parent, child):  # type: ignore[no-untyped-def]
    """Take in a new edge."""
    for b in range(ancestors.shape[0]):
        if b == child or _has(ancestors, b, child):
            _inherit(ancestors, b, parent)


@njit(types.void(_BITS, FAMILIES_TYPE, types.int64), cache=True, nogil=True)
def note_deleted(ancestors, families, child):  # type: ignore[no-untyped-def]
    """Take in that an edge into ``child`` is gone, after it is out of the families."""
    n_nodes = ancestors.shape[0]
    n_above = np.full(n_nodes, -1, dtype=np.int64)
    place = np.zeros(n_nodes + 1, dtype=np.int64)
    for b in range(n_nodes):
        if b == child or _has(ancestors, b, child):
            count = np.uint64(0)
            for w in range(ancestors.shape[1]):
                word = ancestors[b, w]
                ancestors[b, w] = np.uint64(0)
                count += popcount(word)  # type: ignore[call-arg]
            n_above[b] = np.int64(count)
            place[n_above[b] + 1] += 1
    # Counting sort: who had fewer ancestors comes first.
    for k in range(n_nodes):
        place[k + 1] += place[k]
    below = np.empty(place[n_nodes], dtype=np.int64)
    for b in range(n_nodes):
        if n_above[b] >= 0:
            below[place[n_above[b]]] = b
            place[n_above[b]] += 1
    for i in range(below.shape[0]):
        b = below[i]
        start = families.first[b]
        for k in range(start, start + families.n_parents[b]):
            _inherit(ancestors, b, families.parent[k])
