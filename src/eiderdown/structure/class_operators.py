"""All moves from an equivalence class to those next to it, listed and scored.

D. M. Chickering, "Optimal structure identification with greedy search" (JMLR 3, 2002), theorems 15
and 17. Ne(Y) are the neighbours of Y, Pa(Y) its parents, and NA(Y, X) = Ne(Y) & Adj(X). The moves
at Y are listed clique by clique of Ne(Y): a clique C joins the parents of Y, and one row of gains
then serves every X at once.

    Insert(X, Y, T)  C = NA(Y, X) | T   gains  s(Y, Pa(Y), C, X) - s(Y, Pa(Y), C)
    Delete(X, Y, H)  C = NA(Y, X) - H   gains  s(Y, Pa(Y) - X, C) - s(Y, Pa(Y) - X, C, X)

No class is listed twice: different T, or different H, give different v-structures at Y. A Delete of
an undirected edge leads to the same class from both ends, and is listed at one. An Insert that
makes no v-structure may have a mirror image, which is left out when both turn out to be valid.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from eiderdown.structure.bit_sets import after, has, is_within, put, size, take
from eiderdown.structure.class_records import DELETE, INSERT, TURN, add, gain_of, want
from eiderdown.structure.class_turns import list_turns
from eiderdown.structure.gain_table import hash_of, row_of

EVERYTHING_KNOWN, GAINS_MISSING, NO_ROOM = 0, 1, 2

_NONE = np.uint64(0)


@njit(cache=True, nogil=True)
def _list_inserts(graph, known, memory, operators, wanted, desk, y, depth, hair):  # type: ignore[no-untyped-def]
    """List the Inserts at Y whose NA(Y, X) | T is the clique at this depth."""
    adjacent, neighbours, able, gains = graph.adjacent, graph.neighbours, desk.able, memory.gains
    # (1) NA(Y, X) | T is a clique: C is one, and has to hold all of NA(Y, X), so that X is not
    #     adjacent to any other neighbour of Y.
    for w in range(able.shape[1]):
        able[0, w] = known.allowed[y, w] & ~adjacent[y, w]
    node = after(neighbours, y, -1)
    while node >= 0:
        if not has(desk.cliques, depth, node):
            for w in range(able.shape[1]):
                able[0, w] &= ~adjacent[node, w]
        node = after(neighbours, y, node)
    x = after(able, 0, -1)
    if x < 0:
        return
    word = hash_of(memory.word_of_child, memory.word_of_parent, y, desk.base, 0)
    row = row_of(memory.row, memory.check, word)
    while x >= 0:
        gain = np.nan if row < 0 else gains[row, x]
        if np.isnan(gain):
            want(wanted, y, desk.base, 0, -1)
            return
        if gain > hair:
            add(operators, gain, INSERT, x, y, desk.cliques, depth)
        x = after(able, 0, x)


@njit(cache=True, nogil=True)
def _list_deletes(graph, known, memory, operators, wanted, desk, y, depth, hair):  # type: ignore[no-untyped-def]
    """List the Deletes at Y whose NA(Y, X) - H is the clique at this depth.

    (1) NA(Y, X) - H is a clique: C is one, and has to lie within NA(Y, X).
    """
    cliques, base, adjacent = desk.cliques, desk.base, graph.adjacent
    x = after(graph.neighbours, y, -1)
    while 0 <= x < y:
        if not has(cliques, depth, x) and is_within(cliques, depth, adjacent, x):
            gain = -gain_of(memory, wanted, y, base, 0, x)
            if gain > hair:
                add(operators, gain, DELETE, x, y, cliques, depth)
        x = after(graph.neighbours, y, x)
    x = after(graph.parents, y, -1)
    while x >= 0:
        if is_within(cliques, depth, adjacent, x) and not has(known.required, y, x):
            take(base, 0, x)
            gain = -gain_of(memory, wanted, y, base, 0, x)
            put(base, 0, x)
            if gain > hair:
                add(operators, gain, DELETE, x, y, cliques, depth)
        x = after(graph.parents, y, x)


@njit(cache=True, nogil=True)
def _next_clique(adjacent, desk, depth):  # type: ignore[no-untyped-def]
    """Go on to the next clique of the neighbours; return its size, or -1 after the last."""
    cliques, candidates = desk.cliques, desk.candidates
    while depth >= 0:
        node = after(candidates, depth, -1)
        if node < 0:
            depth -= 1
            continue
        take(candidates, depth, node)
        for w in range(cliques.shape[1]):
            cliques[depth + 1, w] = cliques[depth, w]
            candidates[depth + 1, w] = candidates[depth, w] & adjacent[node, w]
        put(cliques, depth + 1, node)
        return depth + 1
    return -1


@njit(cache=True, nogil=True)
def _list_at(graph, known, memory, operators, wanted, desk, y, kinds, hair):  # type: ignore[no-untyped-def]
    """List all moves at Y: one clique of its neighbours after the other, the empty one first."""
    n_parents = size(graph.parents, y)
    for w in range(desk.base.shape[1]):
        desk.cliques[0, w] = _NONE
        desk.candidates[0, w] = graph.neighbours[y, w]
    depth = 0
    while depth >= 0:
        for w in range(desk.base.shape[1]):
            desk.base[0, w] = graph.parents[y, w] | desk.cliques[depth, w]
        has_room = n_parents + depth < known.room
        if kinds[INSERT] and has_room:
            _list_inserts(graph, known, memory, operators, wanted, desk, y, depth, hair)
        if kinds[DELETE]:
            _list_deletes(graph, known, memory, operators, wanted, desk, y, depth, hair)
        if kinds[TURN] and has_room:
            list_turns(graph, known, memory, operators, wanted, desk, y, depth, hair)
        depth = _next_clique(graph.adjacent, desk, depth)


@njit(cache=True, nogil=True)
def _forget_outdated(operators, outdated):  # type: ignore[no-untyped-def]
    gain, kind, xs, ys, clique, _, n = operators
    kept = 0
    for i in range(n[0]):
        if outdated[ys[i]]:
            continue
        if kept < i:
            gain[kept] = gain[i]
            kind[kept] = kind[i]
            xs[kept] = xs[i]
            ys[kept] = ys[i]
            for w in range(clique.shape[1]):
                clique[kept, w] = clique[i, w]
        kept += 1
    n[0] = kept


@njit(cache=True, nogil=True)
def list_again(graph, known, memory, operators, wanted, desk, kinds, hair):  # type: ignore[no-untyped-def]
    """List the moves at the nodes where the last change made them outdated, and only there.

    Nodes whose gains are missing stay outdated; the gains that they want are in ``wanted``.
    """
    _forget_outdated(operators, desk.outdated)
    wanted.n[0] = 0
    for y in range(desk.outdated.shape[0]):
        if not desk.outdated[y]:
            continue
        n_before, n_wanted = operators.n[0], wanted.n[0]
        if n_wanted == wanted.child.shape[0]:
            return GAINS_MISSING
        _list_at(graph, known, memory, operators, wanted, desk, y, kinds, hair)
        if wanted.n[0] > n_wanted:
            operators.n[0] = n_before
        elif operators.n[0] > operators.gain.shape[0]:
            operators.n[0] = n_before
            return NO_ROOM
        else:
            desk.outdated[y] = False
    return GAINS_MISSING if wanted.n[0] > 0 else EVERYTHING_KNOWN
