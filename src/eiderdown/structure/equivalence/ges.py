"""GES: Chickering's greedy equivalence search, in two phases; and ways out of its local optimum.

D. M. Chickering, "Optimal structure identification with greedy search" (JMLR 3, 2002).

GES with restarts is no published algorithm: it adds other starts, turned edges, and edges undone.
The starts are short runs of KES; undoing edges is after A. Nazaret & D. Blei, "Extremely greedy
equivalence search" (UAI 2024).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eiderdown.progress import Cancelled, Trace
from eiderdown.registry import Algorithm
from eiderdown.structure.equivalence.search import (
    EquivalenceFound,
    EquivalenceSearch,
    SearchState,
)
from eiderdown.structure.problem import StructureFound, StructureProblem

if TYPE_CHECKING:
    import numpy as np

_INSERTS, _DELETES = (0, -1, -1), (-1, 0, -1)
_DELETES_TURNS_INSERTS, _ANY_OPERATOR = (2, 0, 1), (0, 0, 0)
_START_K = 0.5  # of the runs of KES with which a start begins
_RETRY_K = 0.8  # of those around an edge
_MOST_STARTS, _STARTS_TIMES_NODES = 30, 1_000  # fewer starts where each takes long
_STARTS_PER_KEPT = 6


def _two_phases(state: SearchState, *, k: float | None = None) -> None:
    """Apply the two phases to the graph without edges (or with those that are required).

    k is 1 where kernels of other searches are needed, too; see :meth:`SearchState.climb`.
    """
    # 1. Forward: apply the valid Insert with the largest gain, while there is one that gains.
    state.climb(_INSERTS, k=k)
    # 2. Backward: apply the valid Delete with the largest gain, while there is one that gains.
    state.climb(_DELETES, k=k)


def run_ges(search: EquivalenceSearch, *, trace: Trace | None = None) -> EquivalenceFound:
    """Run GES once.

    Examples
    --------
    >>> from eiderdown import networks
    >>> from eiderdown.scores import make_score
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> len(run_ges(EquivalenceSearch(make_score("bic", data))).parents)
    8
    """
    state = SearchState(search, trace=trace)
    try:
        _two_phases(state)
    except Cancelled:
        return state.found(complete=False)
    return state.found()


def ges_parents(search: EquivalenceSearch, *, trace: Trace | None = None) -> list[tuple[int, ...]]:
    """Run GES once and return the parents of each variable in one graph of the class, no more.

    Cancelled it has nothing to show, and passes ``Cancelled`` on.
    """
    state = SearchState(search, trace=trace)
    _two_phases(state)
    return state.families()


def ges(problem: StructureProblem) -> StructureFound:
    """Search all equivalence classes by GES."""
    search = EquivalenceSearch(problem.the_score, knowledge=problem.knowledge)
    return run_ges(search, trace=problem.trace).described(problem.the_score)


GES = Algorithm(
    ges,
    "Inserts edges into the class of graphs while the score rises, then deletes.",
    paper="Chickering 2002",
    returns="CPDAG",
    needs=("score",),
    assumes=("faithfulness",),
    complete_rows=True,
)


# --- with restarts -------------------------------------------------------------------------------


def run_ges_restarts(
    search: EquivalenceSearch,
    *,
    generator: np.random.Generator | None = None,
    trace: Trace | None = None,
) -> EquivalenceFound:
    """Run GES, and then look for ways out of its optimum and of others."""
    first = SearchState(search, generator, trace)
    states, complete = [first], True
    try:
        # 1. The two phases of GES.
        _two_phases(first, k=1.0)
        # 2. Other starts: climb from the empty graph with chance, Turns included.
        n_starts = min(_MOST_STARTS, _STARTS_TIMES_NODES // first.n_nodes)
        for _ in range(n_starts):
            state = SearchState(search, first.generator, trace)
            state.n_steps = _n_steps(states)
            states.append(state)
            state.climb(_ANY_OPERATOR, k=_START_K)
        # 3. From the best of these: undo and climb again, until nothing helps.
        n_kept = max(1, n_starts // _STARTS_PER_KEPT)
        for state in sorted(states, key=lambda state: -state.score)[:n_kept]:
            state.n_steps = _n_steps(states)
            state.climb(_DELETES_TURNS_INSERTS)
            while _retry_around_edges(state) or _retry_without_edges(state):
                pass
    except Cancelled:
        complete = False
    best = max(states, key=lambda state: state.score)
    best.n_steps = _n_steps(states)
    return best.found(complete=complete)


def run_ges_starts(
    search: EquivalenceSearch,
    *,
    n_starts: int,
    generator: np.random.Generator | None = None,
    trace: Trace | None = None,
) -> EquivalenceFound:
    """Run GES and some climbs with chance, and turn edges in the best; quick, for repeated runs.

    These are steps 1 and 2 of GES with restarts. Unlike the others it has nothing to show when it
    is cancelled, and passes ``Cancelled`` on.
    """
    first = SearchState(search, generator, trace)
    _two_phases(first, k=1.0)
    states = [first]
    for _ in range(n_starts):
        states.append(SearchState(search, first.generator, trace))
        states[-1].climb(_ANY_OPERATOR, k=_START_K)
    best = max(states, key=lambda state: state.score)
    best.climb(_DELETES_TURNS_INSERTS)
    return best.found()


def _n_steps(states: list[SearchState]) -> int:
    """Return the steps of all: each state goes on counting where the last one ended."""
    return max(state.n_steps for state in states)


def _retry_around_edges(state: SearchState) -> bool:
    """Take away all edges at both ends of each edge in turn, and climb, first with chance."""
    start = state.score
    edges = {(min(e), max(e)) for node in range(state.n_nodes) for e in state.edges_at(node)}
    for a, b in state.generator.permutation(sorted(edges)).tolist():
        with _attempt(state):
            state.remove([*state.edges_at(a), *state.edges_at(b)])
            state.climb(_ANY_OPERATOR, k=_RETRY_K)
            state.climb(_DELETES_TURNS_INSERTS)
    return state.score > start


def _retry_without_edges(state: SearchState) -> bool:
    """Delete each edge in turn, in every way, forbid it, and climb, until that leads nowhere.

    Nazaret and Blei: an edge that came too early bars the way to better classes, and its loss is
    made up for later.
    """
    start, improved = state.score, True
    while improved:
        improved = False
        deletes = state.deletes()
        for i in range(int(deletes.n[0])):
            with _attempt(state) as enough:
                if state.force(deletes, i):
                    state.climb(_DELETES_TURNS_INSERTS)
                improved = state.score > enough
            if improved:
                state.climb(_DELETES_TURNS_INSERTS)  # with the edge allowed again
                break
    return state.score > start


@contextmanager
def _attempt(state: SearchState) -> Iterator[float]:
    """Return to where the search was if it ends no higher, or is cancelled on the way.

    Gives the score that is to be exceeded.
    """
    best = state.saved()
    enough = best.score + state.search.tolerance
    try:
        yield enough
    finally:
        state.allow_all()
        if state.score <= enough:
            state.return_to(best)


def ges_restarts(problem: StructureProblem) -> StructureFound:
    """Search all equivalence classes by GES with restarts."""
    search = EquivalenceSearch(problem.the_score, knowledge=problem.knowledge)
    found = run_ges_restarts(search, generator=problem.generator, trace=problem.trace)
    return found.described(problem.the_score)


GES_RESTARTS = GES.variant(
    ges_restarts,
    "GES, then other starts, turned edges, and each edge undone and retried.",
    paper="Eiderdown's own, after Chickering 2002 and Nazaret & Blei 2024",
    random=True,
)
