"""Move after move of a climb, as far as scored families allow, in one compiled call."""

from __future__ import annotations

from eiderdown.kernels import kernel
from eiderdown.structure.climbing.moves import (
    ADD,
    DELETE,
    NONE,
    REVERSE,
    best_move,
    make_move,
)
from eiderdown.structure.climbing.scored_families import (
    BEST_SCORE,
    CHANGED,
    MORE_THAN,
    N_NOTED,
    N_WITHOUT_GAIN,
    ROUGH_SCORE,
    STALE,
    Climb,  # noqa: F401  named in signatures
    load_gains,
    remember,
)

CLIMBED, OUT_OF_MOVES, FAMILIES_MISSING = range(3)
"""What ends :func:`go_up`."""

_ROUGHLY = 1e-8  # more of a score than rounding errors add up to


@kernel("float64(float64[::1])", inner=True)
def _total(numbers):  # type: ignore[no-untyped-def]
    """Sum with the rounding errors made up for (Neumaier 1974)."""
    total, lost = 0.0, 0.0
    for i in range(numbers.shape[0]):
        more = total + numbers[i]
        larger, smaller = total, numbers[i]
        if abs(larger) < abs(smaller):
            larger, smaller = smaller, larger
        lost += (larger - more) + smaller
        total = more
    return total + lost


@kernel("boolean(Climb, float64)", inner=True)
def _note_best(climb, tolerance):  # type: ignore[no-untyped-def]
    """Keep the present graph if it scores higher than all before; tell whether it does."""
    best, edges = climb.levels[BEST_SCORE], climb.graph.edges
    if climb.levels[ROUGH_SCORE] < best - _ROUGHLY * abs(best):
        return False
    score = _total(climb.local)
    climb.levels[ROUGH_SCORE] = score
    if score <= best + tolerance:
        return False
    for node in range(climb.columns.shape[0]):
        if climb.marks[CHANGED, node]:
            climb.best_local[node] = climb.local[node]
            for edge in range(edges.first[node], edges.first[node + 1]):
                climb.best_present[edge] = edges.present[edge]
            climb.marks[CHANGED, node] = False
    climb.levels[BEST_SCORE] = score
    return True


@kernel("void(Climb, int64, int64)", inner=True)
def change(climb, kind, edge):  # type: ignore[no-untyped-def]
    """Make one move, and mark the nodes whose parents it changes."""
    edges = climb.graph.edges
    make_move(climb.graph, kind, edge)
    for end in (edges.child[edge], edges.parent[edge]):
        if end == edges.child[edge] or kind == REVERSE:
            climb.marks[CHANGED, end] = True
            climb.marks[STALE, end] = True


@kernel("int64(Climb, const(float64[::1]), float64, int64, float64, int64)")
def go_up(climb, scores, tolerance, patience, least_share, most_moves):  # type: ignore[no-untyped-def]
    """Make best moves until patience ends, none will do, gains are missing, or many are made.

    ``scores`` answer what was asked for the last time. Without a share that is asked for,
    ``least_share`` is 0; else the first move decides how much others have to gain.
    """
    counters, n_moves = climb.counters, climb.graph.tabu.n_moves
    remember(climb, scores)
    while True:
        # 1. What moves gain, here.
        if not load_gains(climb):
            return FAMILIES_MISSING
        # 2. Whether it was worth it.
        if n_moves[0] > counters[N_NOTED]:
            counters[N_NOTED] = n_moves[0]
            counters[N_WITHOUT_GAIN] += 1
            if _note_best(climb, tolerance):
                counters[N_WITHOUT_GAIN] = 0
        if counters[N_WITHOUT_GAIN] >= patience:
            return CLIMBED
        if most_moves == 0:
            return OUT_OF_MOVES
        # 3. The next move.
        best = best_move(climb.graph, tolerance)
        if best.kind == NONE or best.gain <= climb.levels[MORE_THAN]:
            return CLIMBED
        if least_share > 0.0:
            climb.levels[MORE_THAN] = least_share * best.gain
            least_share = 0.0
        change(climb, best.kind, best.edge)
        most_moves -= 1


@kernel("boolean(Climb, const(float64[::1]))")
def begin(climb, scores):  # type: ignore[no-untyped-def]
    """Score the present graph and note it as the best; False if gains are missing."""
    remember(climb, scores)
    if not load_gains(climb):
        return False
    climb.counters[N_NOTED] = climb.graph.tabu.n_moves[0]
    _note_best(climb, 0.0)
    return True


@kernel("void(Climb, int64)", inner=True)
def _repair(climb, kind):  # type: ignore[no-untyped-def]
    """Delete the edges that the best graph does not have, or add those that only it has."""
    edges = climb.graph.edges
    for child in range(climb.columns.shape[0]):
        if climb.marks[CHANGED, child]:
            for edge in range(edges.first[child], edges.first[child + 1]):
                present = edges.present[edge]
                if present != climb.best_present[edge] and present == (kind == DELETE):
                    make_move(climb.graph, kind, edge)
                    climb.marks[STALE, child] = True


@kernel("void(Climb, int64)", inner=True)
def isolate(climb, node):  # type: ignore[no-untyped-def]
    """Go back to the best graph, and take away all edges of a node that may go."""
    edges, families = climb.graph.edges, climb.graph.families
    _repair(climb, DELETE)
    _repair(climb, ADD)
    for child in range(climb.columns.shape[0]):
        climb.marks[CHANGED, child] = False
    for child in range(climb.columns.shape[0]):
        if child == node:
            for edge in range(edges.first[child], edges.first[child + 1]):
                if edges.present[edge] and not edges.fixed[edge]:
                    change(climb, DELETE, edge)
            continue
        for k in range(families.first[child], families.first[child] + families.n_parents[child]):
            if families.parent[k] == node:
                if not edges.fixed[edges.held[k]]:
                    change(climb, DELETE, edges.held[k])
                break
    climb.counters[N_NOTED] = climb.graph.tabu.n_moves[0]
