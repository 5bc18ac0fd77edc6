"""Step after step from class to class, as far as the gains at hand allow, in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from eiderdown.structure.bit_sets import after, has, meet, put
from eiderdown.structure.class_graph import part, settle
from eiderdown.structure.class_moves import drop_mirrors, keep_valid, make
from eiderdown.structure.class_operators import EVERYTHING_KNOWN, list_again
from eiderdown.structure.class_records import TURN

NOTHING_LEFT, OUT_OF_CHANCE = 3, 4
"""What ends :func:`advance`, beside what ends the listing of moves."""


@njit(cache=True, nogil=True)
def _comes_first(operators, i, j):  # type: ignore[no-untyped-def]
    """Order moves of equal gain by nodes, so that it does not matter which was listed first."""
    if operators.kind[i] != operators.kind[j]:
        return operators.kind[i] < operators.kind[j]
    if operators.y[i] != operators.y[j]:
        return operators.y[i] < operators.y[j]
    if operators.x[i] != operators.x[j]:
        return operators.x[i] < operators.x[j]
    for w in range(operators.clique.shape[1]):
        if operators.clique[i, w] != operators.clique[j, w]:
            return operators.clique[i, w] < operators.clique[j, w]
    return False


@njit(cache=True, nogil=True)
def _best_first(operators, moves):  # type: ignore[no-untyped-def]
    """Order some moves by gain."""
    gain = operators.gain[moves]
    order = moves[np.argsort(-gain)]
    for i in range(1, order.shape[0]):
        j = i
        while j > 0 and operators.gain[order[j - 1]] == operators.gain[order[j]]:
            if not _comes_first(operators, order[j], order[j - 1]):
                break
            order[j - 1], order[j] = order[j], order[j - 1]
            j -= 1
    return order


@njit(cache=True, nogil=True)
def _rank_drawn(n, k, chance):  # type: ignore[no-untyped-def]
    """Return the rank of the best of a random subset of max(1, n k) out of n moves.

    The best of all is in the subset with probability m / n, the next with m / (n - 1) if the best
    is not, and so on: one random number is enough.
    """
    m = max(1, int(n * k))
    rank, surely = 0, 1.0
    while rank < n - m:
        missed = surely * (n - m - rank) / (n - rank)
        if chance >= missed:
            return rank
        surely = missed
        rank += 1
    return rank


@njit(cache=True, nogil=True)
def choose(graph, operators, desk, rank, k, chance):  # type: ignore[no-untyped-def]
    """Choose a valid move that is not marked as skipped; -1 if there is none.

    With k = 1 it is the best one of the kind that ranks first, else the best of a random share.
    """
    moves = np.arange(operators.n[0])
    if k >= 1.0:
        order = _best_first(operators, moves)
        for wanted in range(rank.shape[0]):
            ranked = order[rank[operators.kind[order]] == wanted]
            if keep_valid(graph, operators, ranked, 1, desk) > 0:
                return ranked[0]
        return -1
    # Checked as they were listed: moves with the same node and clique ask about the same paths.
    n = keep_valid(graph, operators, moves, moves.shape[0], desk)
    n = drop_mirrors(graph, operators, moves[:n], desk)
    return _best_first(operators, moves[:n])[_rank_drawn(n, k, chance)] if n > 0 else -1


@njit(cache=True, nogil=True)
def mark_outdated(graph, backup, outdated, turning):  # type: ignore[no-untyped-def]
    """Mark the nodes whose moves a change of the graph may have changed.

    They depend on a node's parents, its neighbours, and what its neighbours are adjacent to.
    """
    parents, neighbours, adjacent = graph.parents, graph.neighbours, graph.adjacent
    n_nodes, n_words = parents.shape
    moved = np.zeros((1, n_words), dtype=np.uint64)
    for node in range(n_nodes):
        for w in range(n_words):
            if adjacent[node, w] != backup.adjacent[node, w]:
                put(moved, 0, node)
                break
    for node in range(n_nodes):
        changed = has(moved, 0, node)
        for w in range(n_words):
            changed |= parents[node, w] != backup.parents[node, w]
            changed |= neighbours[node, w] != backup.neighbours[node, w]
            changed |= neighbours[node, w] & moved[0, w] != 0
        outdated[node] |= changed
    if turning:
        # A Turn at a node also depends on the parents and neighbours of those it is joined with.
        for node in range(n_nodes):
            if outdated[node]:
                put(moved, 0, node)
        for node in range(n_nodes):
            outdated[node] |= meet(adjacent, node, moved, 0)


@njit(cache=True, nogil=True)
def copy_edges(source, goal):  # type: ignore[no-untyped-def]
    """Give one graph the edges of another."""
    goal.parents[:] = source.parents
    goal.children[:] = source.children
    goal.neighbours[:] = source.neighbours
    goal.adjacent[:] = source.adjacent
    goal.dag_parents[:] = source.dag_parents


@njit(cache=True, nogil=True)
def advance(  # type: ignore[no-untyped-def]
    graph, known, memory, operators, wanted, desk, backup, rank, k, chances, hair
):
    """Make moves until none is left, gains are missing, or the chances are used up.

    ``rank`` says by kind which moves are made before others; those with -1 are not made at all.
    ``backup`` is a graph to write on.

    Returns
    -------
    tuple of (int, int, float)
        Why it ended, how many moves were made (each uses up one chance), and what they gained.
    """
    kinds = rank >= 0
    gained = 0.0
    for n_moves in range(chances.shape[0]):
        state = list_again(graph, known, memory, operators, wanted, desk, kinds, hair)
        if state != EVERYTHING_KNOWN:
            return state, n_moves, gained
        operators.skipped[: operators.n[0]] = False
        copy_edges(graph, backup)
        while True:
            i = choose(graph, operators, desk, rank, k, chances[n_moves])
            if i < 0:
                return NOTHING_LEFT, n_moves, gained
            make(graph, operators, i)
            if settle(graph, known):
                break
            # Only knowledge can make a valid move impossible.
            copy_edges(backup, graph)
            operators.skipped[i] = True
        gained += operators.gain[i]
        desk.chosen[0] = i
        mark_outdated(graph, backup, desk.outdated, kinds[TURN])
    return OUT_OF_CHANCE, chances.shape[0], gained


@njit(cache=True, nogil=True)
def force(graph, known, operators, i, backup, outdated):  # type: ignore[no-untyped-def]
    """Make one move, whatever it gains; False if it is impossible."""
    copy_edges(graph, backup)
    make(graph, operators, i)
    if not settle(graph, known):
        copy_edges(backup, graph)
        return False
    mark_outdated(graph, backup, outdated, True)
    return True


@njit(cache=True, nogil=True)
def remove_edges(graph, known, edges, backup, outdated):  # type: ignore[no-untyped-def]
    """Take edges, rows of ``edges``, out of a DAG of the class, and settle what is left."""
    copy_edges(graph, backup)
    graph.parents[:] = graph.dag_parents
    graph.children[:] = 0
    graph.neighbours[:] = 0
    for child in range(graph.parents.shape[0]):
        parent = after(graph.parents, child, -1)
        while parent >= 0:
            put(graph.children, parent, child)
            parent = after(graph.parents, child, parent)
    for i in range(edges.shape[0]):
        part(graph, edges[i, 0], edges[i, 1])
    settle(graph, known)
    mark_outdated(graph, backup, outdated, True)
