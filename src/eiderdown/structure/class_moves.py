"""Whether a listed move leads to a class at all, and what it does to the edges."""

from __future__ import annotations

import numpy as np
from numba import njit

from eiderdown.structure.bit_sets import after, has, is_empty, is_within, meet, put, size, take
from eiderdown.structure.class_graph import direct, join, part, reach
from eiderdown.structure.class_records import DELETE, INSERT, TURN

_NONE = np.uint64(0)


@njit(cache=True, nogil=True)
def _is_clique(adjacent, sets, row, rest):  # type: ignore[no-untyped-def]
    """Whether the members of a bit set are all adjacent; ``rest`` has one row to write on."""
    for w in range(sets.shape[1]):
        rest[0, w] = sets[row, w]
    node = after(sets, row, -1)
    while node >= 0:
        take(rest, 0, node)
        if not is_within(rest, 0, adjacent, node):
            return False
        node = after(sets, row, node)
    return True


@njit(cache=True, nogil=True)
def _paths_from(graph, desk, start, blocked, i):  # type: ignore[no-untyped-def]
    """Return the row of ``desk.reached`` that says where semi-directed paths lead.

    What was found out about this graph before is used again.
    """
    row = start
    if not is_empty(blocked, i):
        row = desk.reached.shape[0] - 1
        same = desk.last_start[0] == start
        for w in range(blocked.shape[1]):
            same &= blocked[i, w] == desk.last_blocked[0, w]
        if not same:
            desk.is_reached[row] = False
            desk.last_start[0] = start
            for w in range(blocked.shape[1]):
                desk.last_blocked[0, w] = blocked[i, w]
    if not desk.is_reached[row]:
        reach(graph.children, graph.neighbours, start, blocked, i, desk.reached, row, desk.fresh)
        desk.is_reached[row] = True
    return row


@njit(cache=True, nogil=True)
def _mirror_is_valid(graph, known, x, y, desk):  # type: ignore[no-untyped-def]
    """Whether Insert(Y, X, {}) is valid."""
    for w in range(desk.blocked.shape[1]):
        desk.blocked[0, w] = graph.neighbours[x, w] & graph.adjacent[y, w]
    if size(graph.parents, x) + size(desk.blocked, 0) >= known.room:
        return False
    if not _is_clique(graph.adjacent, desk.blocked, 0, desk.fresh):
        return False
    return not has(desk.reached, _paths_from(graph, desk, x, desk.blocked, 0), y)


@njit(cache=True, nogil=True)
def _turn_is_valid(graph, operators, i, desk):  # type: ignore[no-untyped-def]
    x, y, clique = operators.x[i], operators.y[i], operators.clique
    if has(graph.neighbours, y, x):
        return True
    # (3) Every semi-directed path from Y to X but Y -> X itself has a node in C | Ne(X).
    for w in range(clique.shape[1]):
        desk.blocked[0, w] = clique[i, w] | graph.neighbours[x, w]
    take(graph.children, y, x)
    reach(graph.children, graph.neighbours, y, desk.blocked, 0, desk.base, 0, desk.fresh)
    put(graph.children, y, x)
    return not has(desk.base, 0, x)


@njit(cache=True, nogil=True)
def keep_valid(graph, known, operators, order, most, desk):  # type: ignore[no-untyped-def]
    """Move the valid ones of some moves to the front of ``order``; return how many there are.

    A move is valid if it leads to a class at all, and if of two mirror images it is the one that
    counts. Moves marked as skipped are not, and the search ends when ``most`` are found.
    ``desk.is_reached`` must be all False after every change of the graph.
    """
    parents, adjacent, allowed = graph.parents, graph.adjacent, known.allowed
    reached, is_reached = desk.reached, desk.is_reached
    kind, xs, ys, clique = operators.kind, operators.x, operators.y, operators.clique
    neighbours, no_limit = graph.neighbours, known.room >= parents.shape[0]
    n_valid = 0
    for i in order:
        if operators.skipped[i]:
            continue
        if kind[i] == TURN and not _turn_is_valid(graph, operators, i, desk):
            continue
        if kind[i] == INSERT:
            x, y = xs[i], ys[i]
            # (2) Every semi-directed path from Y to X has a node in NA(Y, X) | T.
            row = y
            if not is_reached[y] or not is_empty(clique, i):
                row = _paths_from(graph, desk, y, clique, i)
            if has(reached, row, x):
                continue
            # An Insert and its mirror image lead to the same class if neither makes a v-structure:
            # T is empty, and all parents of each end are adjacent to the other.
            if (
                y < x
                and has(allowed, x, y)
                and is_within(clique, i, adjacent, x)
                and is_within(parents, y, adjacent, x)
                and is_within(parents, x, adjacent, y)
            ):
                if is_reached[x] and no_limit and not meet(neighbours, x, adjacent, y):
                    mirrored = not has(reached, x, y)
                else:
                    mirrored = _mirror_is_valid(graph, known, x, y, desk)
                if mirrored:
                    continue
        order[n_valid] = i
        n_valid += 1
        if n_valid == most:
            break
    return n_valid


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
