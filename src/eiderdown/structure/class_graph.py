"""An essential graph on the move, in bit sets: one row of words per node.

A change of the graph leaves directed and undirected edges that no longer are an essential graph.
:func:`settle` makes it one again: it finds a DAG with these edges and no further v-structure (Dor
and Tarsi, 1992), and keeps the directions on which all equivalent DAGs agree (Meek, 1995). The slow
and obvious twin is :meth:`eiderdown.graphs.PDAG.to_dag` followed by ``to_cpdag``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from eiderdown.arrays import IntArray, WordArray
from eiderdown.structure.bit_sets import after, has, is_within, meet, put, take, words_for

_ONE = np.uint64(1)
_NONE = np.uint64(0)


class ClassGraph(NamedTuple):
    """Who is a parent, child or neighbour of whom, and what :func:`settle` writes on.

    Attributes
    ----------
    parents, children : WordArray of shape (nodes, words)
        Ends of directed edges.
    neighbours : WordArray
        Ends of undirected edges.
    adjacent : WordArray
        All three together.
    dag_parents : WordArray
        Parents in a DAG of the class.
    sinks_first : IntArray
        The order in which the last DAG was taken apart, to be tried first the next time.
    """

    parents: WordArray
    children: WordArray
    neighbours: WordArray
    adjacent: WordArray
    dag_parents: WordArray
    sinks_first: IntArray


class Known(NamedTuple):
    """Background knowledge in bit sets: which parents a node may have, and which it must.

    Attributes
    ----------
    allowed, required : WordArray of shape (nodes, words)
        By child.
    anything : bool
        Whether any direction is forbidden or required.
    room : int
        Most parents of a node.
    """

    allowed: WordArray
    required: WordArray
    anything: bool
    room: int


def no_edges(n_nodes: int) -> ClassGraph:
    """Begin with a graph without edges."""
    parents, children, neighbours, adjacent, dag_parents = (
        np.zeros((n_nodes, words_for(n_nodes)), dtype=np.uint64) for _ in range(5)
    )
    return ClassGraph(
        parents, children, neighbours, adjacent, dag_parents, np.arange(n_nodes, dtype=np.int64)
    )


@njit(cache=True, nogil=True)
def join(graph, a, b):  # type: ignore[no-untyped-def]
    """Add the directed edge a -> b between nodes that are not adjacent."""
    put(graph.parents, b, a)
    put(graph.children, a, b)
    put(graph.adjacent, a, b)
    put(graph.adjacent, b, a)


@njit(cache=True, nogil=True)
def direct(graph, a, b):  # type: ignore[no-untyped-def]
    """Turn the undirected edge a - b into a -> b."""
    take(graph.neighbours, a, b)
    take(graph.neighbours, b, a)
    put(graph.parents, b, a)
    put(graph.children, a, b)


@njit(cache=True, nogil=True)
def part(graph, a, b):  # type: ignore[no-untyped-def]
    """Remove the edge between a and b, whatever it is."""
    for one, other in ((a, b), (b, a)):
        take(graph.parents, one, other)
        take(graph.children, one, other)
        take(graph.neighbours, one, other)
        take(graph.adjacent, one, other)


@njit(cache=True, nogil=True)
def _is_last(children, neighbours, adjacent, node, left):  # type: ignore[no-untyped-def]
    """Whether a node can be a sink of what is left: Dor and Tarsi's two conditions."""
    if meet(children, node, left, 0):
        return False
    neighbour = after(neighbours, node, -1)
    while neighbour >= 0:
        if has(left, 0, neighbour):
            for w in range(left.shape[1]):
                apart = adjacent[node, w] & left[0, w] & ~adjacent[neighbour, w]
                if w == neighbour >> 6:
                    apart &= ~(_ONE << np.uint64(neighbour & 63))
                if apart != _NONE:
                    return False
        neighbour = after(neighbours, node, neighbour)
    return True


@njit(cache=True, nogil=True)
def _extend(graph):  # type: ignore[no-untyped-def]
    """Write a DAG of the class to ``dag_parents``; tell whether there is one."""
    parents, children, neighbours, adjacent, dag_parents, sinks_first = graph
    n_nodes, n_words = parents.shape
    left = np.zeros((1, n_words), dtype=np.uint64)
    for node in range(n_nodes):
        put(left, 0, node)
    waiting = sinks_first.copy()
    n_waiting, n_removed = n_nodes, 0
    while n_waiting > 0:
        n_kept = 0
        for i in range(n_waiting):
            node = waiting[i]
            if not _is_last(children, neighbours, adjacent, node, left):
                waiting[n_kept] = node
                n_kept += 1
                continue
            for w in range(n_words):
                dag_parents[node, w] = parents[node, w] | (neighbours[node, w] & left[0, w])
            take(left, 0, node)
            sinks_first[n_removed] = node
            n_removed += 1
        if n_kept == n_waiting:
            for i in range(n_kept):
                sinks_first[n_removed + i] = waiting[i]  # so that it stays a permutation
            return False
        n_waiting = n_kept
    return True


@njit(cache=True, nogil=True)
def _collides(dag_parents, adjacent, a, b):  # type: ignore[no-untyped-def]
    """Whether some other DAG parent of b is not adjacent to a."""
    for w in range(adjacent.shape[1]):
        others = dag_parents[b, w] & ~adjacent[a, w]
        if w == a >> 6:
            others &= ~(_ONE << np.uint64(a & 63))
        if others != _NONE:
            return True
    return False


@njit(cache=True, nogil=True)
def _follows(parents, children, neighbours, adjacent, a, b, with_knowledge):  # type: ignore[no-untyped-def]
    """Whether a -> b follows from the directed edges by one of Meek's rules."""
    # Rule 1: c -> a - b with c and b not adjacent.
    if not is_within(parents, a, adjacent, b):
        return True
    # Rule 2: a -> c -> b.
    if meet(children, a, parents, b):
        return True
    # Rule 3: a - c -> b and a - d -> b with c and d not adjacent.
    c = after(neighbours, a, -1)
    while c >= 0:
        if has(parents, b, c):
            d = after(neighbours, a, c)
            while d >= 0:
                if has(parents, b, d) and not has(adjacent, c, d):
                    return True
                d = after(neighbours, a, d)
        c = after(neighbours, a, c)
    # Rule 4, which only knowledge calls for: a - d -> c -> b, a and c adjacent, d and b not.
    if with_knowledge:
        d = after(neighbours, a, -1)
        while d >= 0:
            if not has(adjacent, b, d) and d != b:
                c = after(children, d, -1)
                while c >= 0:
                    if has(parents, b, c) and has(adjacent, a, c):
                        return True
                    c = after(children, d, c)
            d = after(neighbours, a, d)
    return False


@njit(cache=True, nogil=True)
def settle(graph, known):  # type: ignore[no-untyped-def]
    """Make the graph essential again; False if no DAG has its edges and the knowledge allows it.

    Where something is known, the directions that follow from it are kept, too.
    """
    if not _extend(graph):
        return False
    parents, children, neighbours, adjacent, dag_parents, _ = graph
    allowed, required, anything, _ = known
    n_nodes = parents.shape[0]
    parents[:] = _NONE
    children[:] = _NONE
    neighbours[:] = _NONE
    for b in range(n_nodes):
        if anything and not is_within(dag_parents, b, allowed, b):
            return False
        a = after(dag_parents, b, -1)
        while a >= 0:
            is_known = anything and (not has(allowed, a, b) or has(required, b, a))
            if is_known or _collides(dag_parents, adjacent, a, b):
                put(parents, b, a)
                put(children, a, b)
            else:
                put(neighbours, a, b)
                put(neighbours, b, a)
            a = after(dag_parents, b, a)
    changed = True
    while changed:
        changed = False
        for b in range(n_nodes):
            a = after(neighbours, b, -1)
            while a >= 0:
                # All DAGs of the class agree with this one where they agree with each other.
                if has(dag_parents, b, a) and _follows(
                    parents, children, neighbours, adjacent, a, b, anything
                ):
                    direct(graph, a, b)
                    changed = True
                a = after(neighbours, b, a)
    return True


@njit(cache=True, nogil=True)
def reach(children, neighbours, start, blocked, i, reached, j, fresh):  # type: ignore[no-untyped-def]
    """Fill row j of ``reached`` with the nodes that semi-directed paths from ``start`` lead to.

    Such a path follows edges forward or undirected ones, and does not enter the nodes in row i of
    ``blocked``. ``fresh`` has one row to write on.
    """
    n_words = reached.shape[1]
    for w in range(n_words):
        reached[j, w] = _NONE
        fresh[0, w] = _NONE
    put(reached, j, start)
    node = start
    while node >= 0:
        for w in range(n_words):
            new = children[node, w] | neighbours[node, w]
            new &= ~(reached[j, w] | blocked[i, w])
            reached[j, w] |= new
            fresh[0, w] |= new
        node = after(fresh, 0, -1)
        if node >= 0:
            take(fresh, 0, node)
