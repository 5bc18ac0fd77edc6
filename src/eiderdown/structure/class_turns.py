"""Turn: an edge X - Y or Y -> X becomes X -> Y, together with a clique C of neighbours of Y.

A. Hauser and P. Buehlmann, "Characterization and greedy learning of interventional Markov
equivalence classes" (JMLR 13, 2012), propositions 31 and 34. What is gained is

    s(Y, Pa(Y), C, X) - s(Y, Pa(Y), C) + s(X, P) - s(X, P, Y)

where P is Pa(X) - Y for a directed edge, and Pa(X) with C & Ne(X) for an undirected one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from eiderdown.structure.bit_sets import after, has, is_within, meet, take
from eiderdown.structure.class_records import TURN, add, gain_of

_NONE = np.uint64(0)


@njit(cache=True, nogil=True)
def _is_separated(neighbours, x, y, cliques, depth):  # type: ignore[no-untyped-def]
    """Whether C & Ne(X) separates C - Ne(X) from Ne(X) - C among the neighbours of Y."""
    n_words = neighbours.shape[1]
    sets = np.empty((4, n_words), dtype=np.uint64)
    inside, seen, goal, fresh = 0, 1, 2, 3
    for w in range(n_words):
        clique = cliques[depth, w]
        sets[inside, w] = neighbours[y, w] & ~(clique & neighbours[x, w])
        sets[seen, w] = clique & ~neighbours[x, w]
        sets[goal, w] = neighbours[y, w] & neighbours[x, w] & ~clique
        sets[fresh, w] = sets[seen, w]
    take(sets, inside, x)
    node = after(sets, fresh, -1)
    while node >= 0:
        take(sets, fresh, node)
        for w in range(n_words):
            new = neighbours[node, w] & sets[inside, w] & ~sets[seen, w]
            sets[seen, w] |= new
            sets[fresh, w] |= new
        node = after(sets, fresh, -1)
    return not meet(sets, seen, sets, goal)


@njit(cache=True, nogil=True)
def _is_turnable(neighbours, adjacent, x, y, cliques, depth):  # type: ignore[no-untyped-def]
    """Whether C fulfils the conditions, but for the one about paths, which waits."""
    if has(neighbours, y, x):
        # (1) C is a clique, and so it was listed.
        # (2) C has a member that is no neighbour of X, else the class would stay the same.
        # (3) C & Ne(X) separates C - Ne(X) from the other common neighbours.
        return not is_within(cliques, depth, neighbours, x) and _is_separated(
            neighbours, x, y, cliques, depth
        )
    # (1) C is a clique. (2) C holds all of NA(Y, X).
    for w in range(neighbours.shape[1]):
        if neighbours[y, w] & adjacent[x, w] & ~cliques[depth, w] != _NONE:
            return False
    return True


@njit(cache=True, nogil=True)
def list_turns(graph, known, memory, operators, wanted, desk, y, depth, hair):  # type: ignore[no-untyped-def]
    """List the Turns into X -> Y whose clique is the one at this depth."""
    parents, neighbours, adjacent = graph.parents, graph.neighbours, graph.adjacent
    cliques, lost = desk.cliques, desk.lost
    x = after(adjacent, y, -1)
    while x >= 0:
        stays = has(parents, y, x) or has(known.required, x, y) or has(cliques, depth, x)
        if (
            not stays
            and has(known.allowed, y, x)
            and _is_turnable(neighbours, adjacent, x, y, cliques, depth)
        ):
            undirected = has(neighbours, y, x)
            for w in range(lost.shape[1]):
                lost[0, w] = parents[x, w]
                if undirected:
                    lost[0, w] |= cliques[depth, w] & neighbours[x, w]
            take(lost, 0, y)
            gain = gain_of(memory, wanted, y, desk.base, 0, x)
            gain -= gain_of(memory, wanted, x, lost, 0, y)
            if gain > hair:
                add(operators, gain, TURN, x, y, cliques, depth)
        x = after(adjacent, y, x)
