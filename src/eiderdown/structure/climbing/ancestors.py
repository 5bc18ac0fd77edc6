"""Ancestors in a graph that changes edge by edge.

They are kept in bit sets, one row per node: row ``b`` has bit ``a`` set if there is a directed path
from a to b. An added edge is one OR for each descendant; a deleted one makes the rows of the
descendants anew, in the order of how many ancestors they had, which is a topological order. Above
``MOST_NODES_WITH_BITS`` nodes the rows would not fit: there are none, and a path is searched for
when it is asked about.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount

MOST_NODES_WITH_BITS = 20_000
"""Fifty megabytes of bits."""


class Families(NamedTuple):
    """The parents of every node: ``parent[first[b]]`` and the ``n_parents[b] - 1`` after it."""

    first: Annotated[IntArray, "int64[::1]"]
    parent: Annotated[NDArray[np.int32], "int32[::1]"]
    n_parents: Annotated[IntArray, "int64[::1]"]


class Ancestors(NamedTuple):
    """Bits of the ancestors of every node, if any, and three arrays to write on."""

    bits: Annotated[WordArray, "uint64[:, ::1]"]
    counts: Annotated[IntArray, "int64[::1]"]
    offsets: Annotated[IntArray, "int64[::1]"]
    nodes: Annotated[IntArray, "int64[::1]"]


def no_ancestors(n_nodes: int, *, with_bits: bool | None = None) -> Ancestors:
    """Begin with a graph without edges, with bit sets or (None) as the number of nodes decides."""
    kept = n_nodes <= MOST_NODES_WITH_BITS if with_bits is None else with_bits
    shape = (n_nodes, (n_nodes + 63) // 64) if kept else (0, 0)
    scratch = (np.zeros(n, dtype=np.int64) for n in (n_nodes, n_nodes + 1, n_nodes))
    return Ancestors(np.zeros(shape, dtype=np.uint64), *scratch)


@kernel("boolean(Ancestors, Families, int64, int64)", inner=True)
def _search_upwards(ancestors, families, a, b):  # type: ignore[no-untyped-def]
    """Go from b to its parents, theirs, and so on; tell whether a comes up."""
    seen, stack = ancestors.counts, ancestors.nodes
    for node in range(seen.shape[0]):
        seen[node] = 0
    stack[0] = b
    height = 1
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


@kernel("boolean(uint64[:, ::1], int64, int64)", inner=True)
def has_ancestor(bits, b, a):  # type: ignore[no-untyped-def]
    """Tell by the bits whether a is an ancestor of b."""
    return (bits[b, a >> 6] >> np.uint64(a & 63)) & np.uint64(1) == np.uint64(1)


@kernel("void(uint64[:, ::1], int64, int64)", inner=True)
def _inherit(bits, b, parent):  # type: ignore[no-untyped-def]
    """Give b an ancestor and all of the ancestor's."""
    for w in range(bits.shape[1]):
        bits[b, w] |= bits[parent, w]
    bits[b, parent >> 6] |= np.uint64(1) << np.uint64(parent & 63)


@kernel("boolean(Ancestors, Families, int64, int64)", inner=True)
def is_ancestor(ancestors, families, a, b):  # type: ignore[no-untyped-def]
    """Tell whether a directed path leads from a to b; no node is its own ancestor."""
    if ancestors.bits.shape[0] == 0:
        return _search_upwards(ancestors, families, a, b)
    return has_ancestor(ancestors.bits, b, a)


@kernel("void(Ancestors, int64, int64)", inner=True)
def note_added(ancestors, parent, child):  # type: ignore[no-untyped-def]
    """Take in a new edge."""
    bits = ancestors.bits
    for b in range(bits.shape[0]):
        if b == child or has_ancestor(bits, b, child):
            _inherit(bits, b, parent)


@kernel("void(Ancestors, Families, int64)", inner=True)
def note_deleted(ancestors, families, child):  # type: ignore[no-untyped-def]
    """Take in that an edge into ``child`` is gone, after it is out of the families."""
    bits, counts, offsets = ancestors.bits, ancestors.counts, ancestors.offsets
    n_nodes = bits.shape[0]
    for k in range(n_nodes + 1):
        offsets[k] = 0
    for b in range(n_nodes):
        counts[b] = -1
        if b == child or has_ancestor(bits, b, child):
            counts[b] = 0
            for w in range(bits.shape[1]):
                counts[b] += np.int64(popcount(bits[b, w]))
                bits[b, w] = np.uint64(0)
            offsets[counts[b] + 1] += 1
    # Counting sort: who had fewer ancestors comes first.
    for k in range(n_nodes):
        offsets[k + 1] += offsets[k]
    n_below = offsets[n_nodes]
    for b in range(n_nodes):
        if counts[b] >= 0:
            ancestors.nodes[offsets[counts[b]]] = b
            offsets[counts[b]] += 1
    for i in range(n_below):
        b = ancestors.nodes[i]
        start = families.first[b]
        for k in range(start, start + families.n_parents[b]):
            _inherit(bits, b, families.parent[k])
