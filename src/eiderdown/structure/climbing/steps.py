"""Move after move of a climb, as far as scored families allow, in one compiled call."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from eiderdown.arrays import IntArray
from eiderdown.kernels import kernel
from eiderdown.scores.compiled import (
    CompiledScore,  # noqa: F401  named in signatures
    SweepAnswers,  # noqa: F401  named in signatures
    score_families,
)
from eiderdown.scores.sweeps import PackedSweeps
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
    N_ANSWERS,
    N_ASKED,
    N_BEGUN,
    N_NEW,
    N_NOTED,
    N_RESTARTS,
    N_SCORED,
    N_SWEEPS,
    N_WITHOUT_GAIN,
    ROUGH_SCORE,
    STALE,
    Climb,
    has_room,
    load_gains,
    remember,
)

CLIMBED, OUT_OF_MOVES, FAMILIES_MISSING = range(3)
"""What ends :func:`go_up`."""

_MOST_AT_ONCE = 30_000_000  # rows of families to score, between looks at the clock
_FEW_EDGES = 20_000  # candidates, among which moves are found quickly in Python, too
_ROUGHLY = 1e-8  # more of a score than rounding errors add up to


class Course(NamedTuple):
    """How climbs go on and when they end.

    Attributes
    ----------
    tolerance : float
        Gains that differ by no more than this are equal.
    patience : int
        How many changes without a new best graph end a climb.
    least_share : float
        The climb also ends when a change gains less than this share of the first change.
    more_than : float
        What every change has to gain more than.
    nodes : IntArray
        Those that lose their edges, one after the other, each before another climb.
    """

    tolerance: float
    patience: int
    least_share: float
    more_than: float
    nodes: Annotated[IntArray, "const(int64[::1])"]


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
def _isolate(climb, node):  # type: ignore[no-untyped-def]
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


@kernel("boolean(Climb, Course)", inner=True)
def _begin_again(climb, how):  # type: ignore[no-untyped-def]
    """Take the next node's edges away for another climb; False if there is no such node."""
    counters = climb.counters
    if counters[N_RESTARTS] == how.nodes.shape[0]:
        return False
    _isolate(climb, how.nodes[counters[N_RESTARTS]])
    counters[N_RESTARTS] += 1
    counters[N_WITHOUT_GAIN] = 0
    counters[N_BEGUN] = climb.graph.tabu.n_moves[0]
    climb.levels[MORE_THAN] = how.more_than
    return True


@kernel("boolean(Climb, Course)", inner=True)
def _make_best_move(climb, how):  # type: ignore[no-untyped-def]
    """Make the best move if it gains enough, and tell whether it does."""
    best = best_move(climb.graph, how.tolerance)
    if best.kind == NONE or best.gain <= climb.levels[MORE_THAN]:
        return False
    if how.least_share > 0.0 and climb.graph.tabu.n_moves[0] == climb.counters[N_BEGUN]:
        climb.levels[MORE_THAN] = how.least_share * best.gain
    change(climb, best.kind, best.edge)
    return True


def _are_few(climb: Climb, *_others: object) -> bool:
    return len(climb.graph.edges.parent) <= _FEW_EDGES


@kernel("int64(Climb, const(float64[::1]), Course, int64)", inner=True, small=_are_few)
def go_up(climb, scores, how, most_moves):  # type: ignore[no-untyped-def]
    """Make best moves until all climbs have ended, gains are missing, or many are made.

    ``scores`` answer what was asked for the last time.
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
            if _note_best(climb, how.tolerance):
                counters[N_WITHOUT_GAIN] = 0
        # 3. The next move, or the next climb.
        if counters[N_WITHOUT_GAIN] < how.patience:
            if most_moves == 0:
                return OUT_OF_MOVES
            if _make_best_move(climb, how):
                most_moves -= 1
                continue
        if not _begin_again(climb, how):
            return CLIMBED


@kernel("PackedSweeps(Climb)")
def asked_sweeps(climb):  # type: ignore[no-untyped-def]
    """Return what is asked: families, and those that are one parent larger or smaller."""
    sweeps, n = climb.questions.sweeps, climb.counters[N_SWEEPS]
    return PackedSweeps(
        sweeps.children[:n],
        sweeps.parents[:n],
        sweeps.starts[:n],
        sweeps.ends[:n],
        sweeps.candidates[: climb.counters[N_ANSWERS]],
    )


@kernel("int64(int64[::1], Climb, CompiledScore, SweepAnswers, Course, int64)")
def go_far_up(board, climb, score, found, how, most_moves):  # type: ignore[no-untyped-def]
    """Go up, and score families that are missing; it is told if that takes more than a kernel."""
    counters, n_moves = climb.counters, climb.graph.tabu.n_moves
    end, n_left = n_moves[0] + most_moves, _MOST_AT_ONCE // score.columns.codes.shape[1]
    counters[N_NEW] = 0
    while True:
        if counters[N_ASKED] > 0:
            if not has_room(climb):
                return FAMILIES_MISSING
            counters[N_NEW] = score_families(board, score, asked_sweeps(climb), found)
            if counters[N_NEW] != 0:
                return FAMILIES_MISSING
            counters[N_SCORED] += counters[N_ANSWERS]
            n_left -= counters[N_ANSWERS]
        most_moves = max(0, end - n_moves[0]) if n_left > 0 else 0
        state = go_up(climb, found.scores, how, most_moves)
        if state != FAMILIES_MISSING or counters[N_ASKED] == 0:
            return state
