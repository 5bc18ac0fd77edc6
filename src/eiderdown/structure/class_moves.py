"""Whether a listed move leads to a class at all, and what it does to the edges."""

from __future__ import annotations

import numpy as np
from numba import njit

from eiderdown.structure.bit_sets import after, has, is_within, put, take
from eiderdown.structure.class_graph import direct, join, part, reach
from eiderdown.structure.class_records import DELETE, INSERT, TURN

_NONE = np.uint64(0)


@njit(cache=True, nogil=True)
def _ask_the_same(ys, clique, i, j):  # type: ignore[no-untyped-def]
    """Whether two Inserts have the same Y and C, so that they are about the same paths."""
    same = ys[i] == ys[j]
    for w in range(clique.shape[1]):
        same &= clique[i, w] == clique[j, w]
    return same


@njit(cache=True, nogil=True)
def _turn_is_valid(graph, operators, i, desk):  # type: ignore[no-untyped-def]
    x, y, clique = operators.x[i], operators.y[i], operators.clique
    if has(graph.neighbours, y, x):
        return True
    # (3) Every semi-directed path from Y to X but Y -> X itself has a node in C | Ne(X).
    for w in range(clique.shape[1]):
        desk.blocked[0, w] = clique[i, w] | graph.neighbours[x, w]
    take(graph.children, y, x)
    reach(graph.children, graph.neighbours, y, desk.blocked, 0, desk.lost, 0, desk.fresh)
    put(graph.children, y, x)
    return not has(desk.lost, 0, x)


@njit(cache=True, nogil=True)
def keep_valid(graph, operators, moves, most, desk):  # type: ignore[no-untyped-def]
    """Bring the moves that lead to a class at all to the front; return how many there are.

    Moves marked as skipped are not among them, and the search ends when ``most`` are found.
    """
    children, neighbours, reached, fresh = (
        graph.children,
        graph.neighbours,
        desk.reached,
        desk.fresh,
    )
    kind, xs, ys, clique = operators.kind, operators.x, operators.y, operators.clique
    n_valid, last = 0, -1
    for i in moves:
        if operators.skipped[i]:
            continue
        if kind[i] == TURN and not _turn_is_valid(graph, operators, i, desk):
            continue
        if kind[i] == INSERT:
            # (2) Every semi-directed path from Y to X has a node in NA(Y, X) | T.
            if last < 0 or not _ask_the_same(ys, clique, i, last):
                reach(children, neighbours, ys[i], clique, i, reached, 0, fresh)
                last = i
            if has(reached, 0, xs[i]):
                continue
        moves[n_valid] = i
        n_valid += 1
        if n_valid == most:
            break
    return n_valid


@njit(cache=True, nogil=True)
def drop_mirrors(graph, operators, moves, desk):  # type: ignore[no-untyped-def]
    """Bring the valid moves to the front that lead to different classes; return how many.

    Insert(X, Y, T) and Insert(Y, X, T') lead to the same class if neither makes a v-structure: T
    and T' are empty, and all parents of each end are adjacent to the other. The one with the
    smaller X counts.
    """
    parents, adjacent, plain = graph.parents, graph.adjacent, desk.plain
    kind, xs, ys, clique = operators.kind, operators.x, operators.y, operators.clique
    plain[:] = _NONE
    for i in moves:
        if (
            kind[i] == INSERT
            and is_within(clique, i, adjacent, xs[i])
            and is_within(parents, ys[i], adjacent, xs[i])
        ):
            put(plain, ys[i], xs[i])
    n_kept = 0
    for i in moves:
        x, y = xs[i], ys[i]
        is_plain = kind[i] == INSERT and is_within(clique, i, adjacent, x) and has(plain, y, x)
        if not (is_plain and y < x and has(plain, x, y)):
            moves[n_kept] = i
            n_kept += 1
    return n_kept


@njit(cache=True, nogil=True)
def make(graph, operators, i):  # type: ignore[no-untyped-def]
    """Change the edges as the move says; the graph is then to be settled."""
    kind, x, y, clique = operators.kind[i], operators.x[i], operators.y[i], operators.clique
    if kind == DELETE:
        _make_delete(graph, x, y, clique, i)
        return
    if kind == TURN:
        part(graph, x, y)
    join(graph, x, y)
    node = after(clique, i, -1)
    while node >= 0:
        if has(graph.neighbours, y, node):
            direct(graph, node, y)
        node = after(clique, i, node)


@njit(cache=True, nogil=True)
def _make_delete(graph, x, y, clique, i):  # type: ignore[no-untyped-def]
    part(graph, x, y)
    h = after(graph.neighbours, y, -1)
    while h >= 0:
        # H are the neighbours of Y that are adjacent to X and not in C: now children of both.
        if has(graph.adjacent, x, h) and not has(clique, i, h):
            direct(graph, y, h)
            if has(graph.neighbours, x, h):
                direct(graph, x, h)
        h = after(graph.neighbours, y, h)
