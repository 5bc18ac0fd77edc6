"""Single changes of a graph: which legal one gains most, and making it.

A move is a kind and a candidate edge; turning an edge round is a deletion of it and an addition of
its reverse.
"""

from __future__ import annotations

import numpy as np

from eiderdown.kernels import kernel
from eiderdown.structure.climbing.ancestors import (
    has_ancestor,
    is_ancestor,
    note_added,
    note_deleted,
)
from eiderdown.structure.climbing.moving_graph import (
    CandidateEdges,  # noqa: F401  named in signatures
    Graph,  # noqa: F401  named in signatures
    Move,
    hash_of,
)

ADD, DELETE, REVERSE, NONE = range(4)
"""Kinds of moves."""


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
