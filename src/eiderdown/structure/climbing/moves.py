"""Single changes of a graph: which legal one gains most, and making it.

A *candidate edge* is an ordered pair (parent, child) that may be an edge. Those of a child lie next
to each other, so memory grows with the pairs that may be edges, not with all pairs. Nodes are
numbered in the order of their names, so a tie that the smaller number wins does not depend on the
order of the columns. A move is a kind and a candidate edge; turning an edge round is a deletion of
it and an addition of its reverse.

Ancestors are kept in bit sets, one row per node: row ``b`` has bit ``a`` set if there
is a directed path from a to b. An added edge is one OR for each descendant; a deleted one makes the
rows of the descendants anew, in the order of how many ancestors they had, which is a topological
order. Above ``MOST_NODES_WITH_BITS`` nodes the rows would not fit: there are none, and a path is
searched for when it is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount
from eiderdown.memory import require_memory

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


ADD, DELETE, REVERSE, NONE = range(4)
"""Kinds of moves."""

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)

_Int32s: TypeAlias = Annotated[NDArray[np.int32], "int32[::1]"]
_Int64s: TypeAlias = Annotated[IntArray, "int64[::1]"]
_Bools: TypeAlias = Annotated[BoolArray, "boolean[::1]"]
_Words: TypeAlias = Annotated[WordArray, "uint64[::1]"]


class CandidateEdges(NamedTuple):
    """The pairs that may be edges, and what the present graph has of them.

    Attributes
    ----------
    first : IntArray
        Where the candidate edges of each child begin, and an end.
    child, parent : int32 array
        The pair; the parents of a child are in order.
    reverse : int32 array
        The same pair the other way round, -1 if that may be no edge.
    gain : FloatArray
        What the score gains by adding the edge, or by deleting it where it is.
    by_gain : int32 array
        The candidate edges of each child once more, as a heap: those at 2 i + 1 and 2 i + 2 gain
        no more than the one at i, counted from the child's first.
    present, fixed : BoolArray
        Whether the edge is there, and whether it has to stay.
    held : int32 array
        The edges that are there, in the same order as the parents in the families.
    changed_at : int32 array
        At which move the edge was last added or deleted.
    max_parents : IntArray
        How many parents each child may have.
    """

    first: _Int64s
    child: _Int32s
    parent: _Int32s
    reverse: _Int32s
    gain: Annotated[FloatArray, "float64[::1]"]
    by_gain: _Int32s
    present: _Bools
    fixed: _Bools
    held: _Int32s
    changed_at: _Int32s
    max_parents: _Int64s


class Tabu(NamedTuple):
    """Hashes of the last graphs and of the present one, and how many moves were made."""

    hashes: _Words
    present: _Words
    n_moves: _Int64s


class Bounds(NamedTuple):
    """What no move gains more than, so that few moves need a look.

    Attributes
    ----------
    addition : FloatArray
        By child, of adding an edge to it; infinite where nobody has looked since the child's
        parents changed, or since fewer nodes became its descendants.
    listed : int32 array
        The edges that are there, in any order, each with its child and its parent.
    change : FloatArray
        By place in that list, of deleting or turning the edge.
    n_listed : IntArray
        How many they are.
    """

    addition: Annotated[FloatArray, "float64[::1]"]
    listed: Annotated[NDArray[np.int32], "int32[:, ::1]"]
    change: Annotated[FloatArray, "float64[::1]"]
    n_listed: _Int64s

    @classmethod
    def none(cls, n_nodes: int, n_edges: int) -> Bounds:
        """Begin with a graph without edges."""
        return cls(
            np.full(n_nodes, np.inf),
            np.empty((n_edges, 3), dtype=np.int32),
            np.empty(n_edges),
            np.zeros(1, dtype=np.int64),
        )


class Graph(NamedTuple):
    """A graph on the move."""

    edges: CandidateEdges
    families: Families
    ancestors: Ancestors
    tabu: Tabu
    bounds: Bounds


class Move(NamedTuple):
    """A kind, a candidate edge, and what the score gains."""

    kind: int
    edge: int
    gain: float


def empty_graph(
    possible_parents: Sequence[IntArray],
    max_parents: IntArray,
    *,
    tabu_length: int = 0,
    with_bits: bool | None = None,
) -> Graph:
    """Lay out the candidate edges of every child, and a graph without edges.

    Parameters
    ----------
    possible_parents : sequence of IntArray
        By child, the nodes that may be its parents, in increasing order.
    max_parents : IntArray
        How many parents each child may have.
    tabu_length : int
        To how many of the last graphs no best move leads back.
    with_bits : bool or None
        Whether ancestors are kept as bit sets; None to decide by the number of nodes.
    """
    sizes = np.array([len(nodes) for nodes in possible_parents], dtype=np.int64)
    n_nodes, n_edges = len(sizes), int(sizes.sum())
    require_memory_of_edges(66.0, n_edges, n_nodes)  # fourteen arrays, and keys to pair them
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    parent = np.concatenate([np.empty(0, np.int64), *possible_parents]).astype(np.int32)
    child = np.repeat(np.arange(n_nodes, dtype=np.int32), sizes)
    edges = CandidateEdges(
        first=first,
        child=child,
        parent=parent,
        reverse=_reversed(child, parent, n_nodes),
        gain=np.full(n_edges, -np.inf),
        by_gain=np.arange(n_edges, dtype=np.int32),
        present=np.zeros(n_edges, dtype=np.bool_),
        fixed=np.zeros(n_edges, dtype=np.bool_),
        held=np.zeros(n_edges, dtype=np.int32),
        changed_at=np.zeros(n_edges, dtype=np.int32),
        max_parents=max_parents.astype(np.int64),
    )
    families = Families(
        first[:-1].copy(), np.zeros(n_edges, dtype=np.int32), np.zeros(n_nodes, dtype=np.int64)
    )
    tabu = Tabu(
        np.zeros(tabu_length, dtype=np.uint64),
        np.ones(1, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )
    ancestors = no_ancestors(n_nodes, with_bits=with_bits)
    return Graph(edges, families, ancestors, tabu, Bounds.none(n_nodes, n_edges))


def require_memory_of_edges(each: float, n_edges: int, n_nodes: int) -> None:
    """Refuse possible edges that need more memory than is free, so many bytes each."""
    require_memory(
        each * n_edges,
        f"A climb among {n_edges:,} possible edges of {n_nodes:,} columns",
        "take mmhc, which climbs among few of them, or leave columns out",
    )


def _reversed(
    child: NDArray[np.int32], parent: NDArray[np.int32], n_nodes: int
) -> NDArray[np.int32]:
    """Find each pair the other way round; -1 where there is none."""
    keys = child.astype(np.int64) * n_nodes + parent
    wanted = parent.astype(np.int64) * n_nodes + child
    at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    return np.where(keys[at] == wanted, at, -1).astype(np.int32)


@kernel("uint64(CandidateEdges, int64)", inner=True)
def hash_of(edges, edge):  # type: ignore[no-untyped-def]
    """Hash an edge; the hash of a graph is the exclusive or of those of its edges."""
    value = np.uint64(edges.child[edge]) * _MIX_2 + np.uint64(edges.parent[edge]) + _MIX_1
    value = (value ^ (value >> np.uint64(30))) * _MIX_1
    value = (value ^ (value >> np.uint64(27))) * _MIX_2
    return value ^ (value >> np.uint64(31))


@kernel("uint64(Graph, int64, int64)", inner=True)
def _hash_after(graph, kind, edge):  # type: ignore[no-untyped-def]
    after = graph.tabu.present[0] ^ hash_of(graph.edges, edge)
    if kind == REVERSE:
        after ^= hash_of(graph.edges, graph.edges.reverse[edge])
    return after


@kernel("boolean(Graph, int64, int64)", inner=True)
def _is_tabu(graph, kind, edge):  # type: ignore[no-untyped-def]
    after = _hash_after(graph, kind, edge)
    found = False
    for k in range(min(graph.tabu.n_moves[0], graph.tabu.hashes.shape[0])):
        found |= graph.tabu.hashes[k] == after
    return found


@kernel("boolean(Graph, int64)", inner=True)
def _has_another_path(graph, edge):  # type: ignore[no-untyped-def]
    """Tell whether the edge's parent is also an ancestor of another parent of its child."""
    parent, child = graph.edges.parent[edge], graph.edges.child[edge]
    families = graph.families
    start = families.first[child]
    for k in range(start, start + families.n_parents[child]):
        other = families.parent[k]
        if other != parent and is_ancestor(graph.ancestors, families, parent, other):
            return True
    return False


@kernel("boolean(Graph, int64, int64)", inner=True)
def is_legal(graph, kind, edge):  # type: ignore[no-untyped-def]
    """Tell whether a move leaves a graph without cycles that keeps what is known."""
    edges, n_parents = graph.edges, graph.families.n_parents
    parent, child = edges.parent[edge], edges.child[edge]
    if kind == ADD:
        may_have_more = n_parents[child] < edges.max_parents[child]
        is_new = may_have_more and not edges.present[edge]
        return is_new and not is_ancestor(graph.ancestors, graph.families, child, parent)
    if not edges.present[edge] or edges.fixed[edge]:
        return False
    if kind == DELETE:
        return True
    may_have_more = n_parents[parent] < edges.max_parents[parent]
    return may_have_more and edges.reverse[edge] >= 0 and not _has_another_path(graph, edge)


@kernel("boolean(CandidateEdges, int64, int64, Move)", inner=True)
def _comes_first(edges, kind, edge, best):  # type: ignore[no-untyped-def]
    """Of two moves that gain the same, tell whether this one is made.

    That is the one whose edge was left alone for longer. On a plateau, a search that preferred
    certain edges would turn a few of them to and fro and never come to the others; and an edge that
    comes back after it was deleted comes back the other way round, if that is as good.
    """
    if edges.changed_at[edge] != edges.changed_at[best.edge]:
        return edges.changed_at[edge] < edges.changed_at[best.edge]
    return kind < best.kind or (kind == best.kind and edge < best.edge)


@kernel("Move(Graph, float64, Move, int64, int64)", inner=True)
def _better(graph, tolerance, best, kind, edge):  # type: ignore[no-untyped-def]
    """Return the better of the best move so far and another, if that is legal and not tabu."""
    edges = graph.edges
    gain = edges.gain[edge]
    if kind == REVERSE:
        gain += edges.gain[edges.reverse[edge]]
    is_tie = gain <= best.gain + tolerance
    if gain == -np.inf or (is_tie and not _comes_first(edges, kind, edge, best)):
        return best
    if not is_legal(graph, kind, edge) or _is_tabu(graph, kind, edge):
        return best
    return Move(int(kind), int(edge), gain)


@kernel("Move(Graph, float64, Move, int64)", inner=True)
def _best_addition(graph, tolerance, best, child):  # type: ignore[no-untyped-def]
    """Return the better of the best move so far and the best new edge into a child."""
    edges, bits = graph.edges, graph.ancestors.bits
    start, end, at, most = edges.first[child], edges.first[child + 1], 0, -np.inf
    while True:
        edge = edges.by_gain[start + at] if start + at < end else np.int32(-1)
        if edge >= 0 and edges.gain[edge] >= min(most, best.gain - tolerance):
            # Most of these are descendants of the child: told here, before anything else.
            is_below = bits.shape[0] > 0 and has_ancestor(bits, edges.parent[edge], child)
            if not is_below and not edges.present[edge]:
                most = max(most, edges.gain[edge])
                if edges.gain[edge] >= best.gain - tolerance:
                    best = _better(graph, tolerance, best, ADD, edge)
            at = 2 * at + 1
            continue
        # Nothing below gains as much: on to the right, or up and to the right.
        while at > 0 and at & 1 == 0:
            at = (at - 1) >> 1
        if at == 0:
            graph.bounds.addition[child] = most
            return best
        at += 1


@kernel("void(Graph, int64)", inner=True)
def bound_changes(graph, node):  # type: ignore[no-untyped-def]
    """Take in that the gains of a node's candidate edges are others than before."""
    edges, bounds = graph.edges, graph.bounds
    bounds.addition[node] = np.inf
    for k in range(bounds.n_listed[0]):
        if bounds.listed[k, 1] == node or bounds.listed[k, 2] == node:
            edge = bounds.listed[k, 0]
            reverse = edges.reverse[edge]
            of_reverse = edges.gain[reverse] if reverse >= 0 else 0.0
            bounds.change[k] = edges.gain[edge] + max(0.0, of_reverse)


@kernel("Move(Graph, float64)", inner=True)
def best_move(graph, tolerance):  # type: ignore[no-untyped-def]
    """Return the best legal move to a graph that is not tabu; its kind is NONE if there is none.

    Gains that differ by no more than the tolerance are equal.
    """
    best = Move(int(NONE), (-1), -np.inf)
    gain, reverse, bounds = graph.edges.gain, graph.edges.reverse, graph.bounds
    for k in range(bounds.n_listed[0]):
        if bounds.change[k] >= best.gain - tolerance:
            edge = bounds.listed[k, 0]
            if gain[edge] >= best.gain - tolerance:
                best = _better(graph, tolerance, best, DELETE, edge)
            if reverse[edge] >= 0 and gain[edge] + gain[reverse[edge]] >= best.gain - tolerance:
                best = _better(graph, tolerance, best, REVERSE, edge)
    for child in range(bounds.addition.shape[0]):
        if bounds.addition[child] >= best.gain - tolerance:
            best = _best_addition(graph, tolerance, best, child)
    return best


@kernel("void(Graph, int64)", inner=True)
def _list_edge(graph, edge):  # type: ignore[no-untyped-def]
    """Put a new edge on the list."""
    edges, bounds = graph.edges, graph.bounds
    n = bounds.n_listed[0]
    bounds.listed[n, 0] = edge
    bounds.listed[n, 1] = edges.child[edge]
    bounds.listed[n, 2] = edges.parent[edge]
    bounds.change[n] = np.inf
    bounds.n_listed[0] = n + 1


@kernel("void(Graph, int64)", inner=True)
def _unlist_edge(graph, edge):  # type: ignore[no-untyped-def]
    """Take an edge off the list; what is no longer below its parent may be added to it."""
    bounds, bits = graph.bounds, graph.ancestors.bits
    last = bounds.n_listed[0] - 1
    for k in range(last):
        if bounds.listed[k, 0] == edge:
            for i in range(3):
                bounds.listed[k, i] = bounds.listed[last, i]
            bounds.change[k] = bounds.change[last]
    bounds.n_listed[0] = last
    parent = graph.edges.parent[edge]
    for node in range(bounds.addition.shape[0]):
        if node == parent or bits.shape[0] == 0 or has_ancestor(bits, parent, node):
            bounds.addition[node] = np.inf


@kernel("void(Graph, int64)", inner=True)
def _add_edge(graph, edge):  # type: ignore[no-untyped-def]
    edges, families = graph.edges, graph.families
    parent, child = edges.parent[edge], edges.child[edge]
    end = families.first[child] + families.n_parents[child]
    families.parent[end] = parent
    edges.held[end] = edge
    families.n_parents[child] += 1
    edges.present[edge] = True
    _list_edge(graph, edge)
    note_added(graph.ancestors, parent, child)


@kernel("void(Graph, int64)", inner=True)
def _remove_edge(graph, edge):  # type: ignore[no-untyped-def]
    edges, families = graph.edges, graph.families
    child = edges.child[edge]
    families.n_parents[child] -= 1
    last = families.first[child] + families.n_parents[child]
    for k in range(families.first[child], last):
        if edges.held[k] == edge:
            families.parent[k] = families.parent[last]
            edges.held[k] = edges.held[last]
    edges.present[edge] = False
    _unlist_edge(graph, edge)
    note_deleted(graph.ancestors, families, child)


@kernel("void(Graph, int64, int64)", inner=True)
def make_move(graph, kind, edge):  # type: ignore[no-untyped-def]
    """Change the graph; the gains around the children that it changes are left to the caller."""
    edges, tabu = graph.edges, graph.tabu
    if tabu.hashes.shape[0] > 0:
        tabu.hashes[tabu.n_moves[0] % tabu.hashes.shape[0]] = tabu.present[0]
    tabu.n_moves[0] += 1
    tabu.present[0] = _hash_after(graph, kind, edge)
    edges.changed_at[edge] = tabu.n_moves[0]
    if kind != ADD:
        _remove_edge(graph, edge)
    if kind == REVERSE:
        edges.changed_at[edges.reverse[edge]] = tabu.n_moves[0]
        _add_edge(graph, edges.reverse[edge])
    if kind == ADD:
        _add_edge(graph, edge)
