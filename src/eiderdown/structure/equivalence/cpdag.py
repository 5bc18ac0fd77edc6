"""CPDAGs (essential graphs) on the move, in sets of bits.

Sets of nodes are rows of words in planes, such as the parents of every node. All sets of one owner
are in one array, because every array that a kernel takes costs time to compile. Kernels name a set
by its array, plane and row; a view would cost more than the work::

    has_bit(edges, NEIGHBOURS, y, x)    # X in Ne(Y)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount
from eiderdown.structure.problem import Edge

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
    rows, nodes = np.divmod(np.flatnonzero(bits.view(np.bool_)), bits.shape[1])
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


PARENTS, CHILDREN, NEIGHBOURS, ADJACENT, DAG_PARENTS, LEFT = 0, 1, 2, 3, 4, 5
"""Planes of ``CPDAG.edges``: Pa(Y), Ch(Y), undirected Ne(Y), all Ad(Y), and Pa(Y) in one DAG; row 0
of the last are the nodes that are left while that DAG is looked for."""

CHANGED, CONCERNED, SETTLED = 0, 1, 2
"""Rows of ``CPDAG.marks``: nodes whose edges may differ from those of the last copy, and nodes that
the change under way may concern; the first of the last says whether ``sinks_first`` takes the DAG
of these edges apart."""

ALLOWED, REQUIRED = 0, 1
"""Planes of ``Constraints.parents``: which a node may have, and which it must."""


class CPDAG(NamedTuple):
    """The edges of a class, and a DAG of it."""

    edges: BitSets  # (6, nodes, words): who is joined with a node, in planes
    # (2, nodes): the order in which the last DAG was taken apart, tried first the next time, and a
    # row to write on: nodes that wait for their turn, or from where a path came to each
    sinks_first: Annotated[IntArray, "int64[:, ::1]"]
    marks: Annotated[BoolArray, "boolean[:, ::1]"]  # (3, nodes)


class Constraints(NamedTuple):
    """Background knowledge."""

    parents: BitSets  # (2, nodes, words): by child, in planes
    orienting: bool  # whether any direction is forbidden or required
    max_parents: int

    @classmethod
    def of(cls, possible: BoolArray, required: Iterable[Edge], max_parents: int) -> Constraints:
        """Make them from who may be a parent of each node, and the edges that must be there."""
        n = len(possible)
        words = empty_sets(2, n, n)
        packed = np.packbits(possible, axis=1, bitorder="little")
        words[ALLOWED].view(np.uint8)[:, : packed.shape[1]] = packed
        for parent, child in required:
            words[REQUIRED, child, parent >> 6] |= _ONE << np.uint64(parent & 63)
        orienting = bool(words[REQUIRED].any() or possible.sum() < n * (n - 1))
        return cls(words, orienting, max_parents)


def empty_cpdag(n_nodes: int) -> CPDAG:
    """Begin with a graph without edges."""
    order = np.arange(2 * n_nodes).reshape(2, n_nodes)
    marks = np.zeros((3, n_nodes), dtype=np.bool_)
    marks[CHANGED] = True
    return CPDAG(empty_sets(6, n_nodes, n_nodes), order, marks)


@kernel("void(uint64[:, :, ::1], int64, int64)", inner=True)
def add_edge(edges, a, b):
    """Add the directed edge a -> b between nodes that are not adjacent."""
    set_bit(edges, PARENTS, b, a)
    set_bit(edges, CHILDREN, a, b)
    set_bit(edges, ADJACENT, a, b)
    set_bit(edges, ADJACENT, b, a)


@kernel("void(uint64[:, :, ::1], int64, int64)", inner=True)
def orient(edges, a, b):
    """Turn the undirected edge a - b into a -> b."""
    clear_bit(edges, NEIGHBOURS, a, b)
    clear_bit(edges, NEIGHBOURS, b, a)
    set_bit(edges, PARENTS, b, a)
    set_bit(edges, CHILDREN, a, b)


@kernel("void(uint64[:, :, ::1], int64, int64)", inner=True)
def remove_edge(edges, a, b):
    """Remove the edge between a and b, whatever it is."""
    for plane in range(DAG_PARENTS):
        clear_bit(edges, plane, a, b)
        clear_bit(edges, plane, b, a)


@kernel("void(CPDAG, uint64[:, :, ::1])", inner=True)
def copy_changed(graph, goal):
    """Bring a copy of the edges up to date: only where they changed since the last time."""
    for node in range(goal.shape[1]):
        if graph.marks[CHANGED, node]:
            graph.marks[CHANGED, node] = False
            _copy_node(graph.edges, goal, node)


@kernel("void(CPDAG, uint64[:, :, ::1])", inner=True)
def replace_all(graph, source):
    """Take over edges from elsewhere; nothing is known of them."""
    for node in range(source.shape[1]):
        _copy_node(source, graph.edges, node)
    unsettle(graph)


@kernel("void(CPDAG)", inner=True)
def unsettle(graph):
    """Let nothing count as known of the edges."""
    graph.marks[SETTLED, 0] = False
    for node in range(graph.marks.shape[1]):
        graph.marks[CHANGED, node] = True


@kernel("void(uint64[:, :, ::1], uint64[:, :, ::1], int64)", inner=True)
def _copy_node(source, goal, node):
    for plane in range(LEFT):
        for w in range(source.shape[2]):
            goal[plane, node, w] = source[plane, node, w]


@kernel("void(CPDAG, int64, int64, uint64[:, :, ::1], int64, uint64[:, :, ::1], int64)", inner=True)
def semi_directed_reachable(graph, start, end, blocked, i, sets, into):
    """Fill row ``into`` of some sets with the nodes that semi-directed paths lead to.

    Such a path leads from ``start`` along edges forward or undirected ones, and does not enter the
    nodes in row i of ``blocked``. The search stops when ``end`` is reached, -1 for never. Row 0 of
    the sets is written on; all are in plane 0.
    """
    edges, came_from = graph.edges, graph.sinks_first
    for w in range(sets.shape[2]):
        sets[0, into, w] = _NONE
        sets[0, 0, w] = _NONE
    set_bit(sets, 0, into, start)
    node = start
    while node >= 0:
        for w in range(sets.shape[2]):
            new = edges[CHILDREN, node, w] | edges[NEIGHBOURS, node, w]
            new &= ~(sets[0, into, w] | blocked[0, i, w])
            sets[0, into, w] |= new
            sets[0, 0, w] |= new
            while new != _NONE:
                came_from[1, (w << 6) + np.int64(popcount(~new & (new - _ONE)))] = node
                new &= new - _ONE
        if end >= 0 and has_bit(sets, 0, into, end):
            return
        node = next_bit(sets, 0, 0, -1)
        if node >= 0:
            clear_bit(sets, 0, 0, node)


@kernel("void(CPDAG, int64, int64, uint64[:, :, ::1], int64)", inner=True)
def note_path(graph, start, end, path, i):
    """Write to row i of ``path`` the nodes by which the last search came to ``end``, but for it."""
    for w in range(path.shape[2]):
        path[0, i, w] = _NONE
    node = end
    while node != start:
        node = graph.sinks_first[1, node]
        set_bit(path, 0, i, node)
