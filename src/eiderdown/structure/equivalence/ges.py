"""GES: Chickering's greedy equivalence search, in two phases.

D. M. Chickering, "Optimal structure identification with greedy search" (JMLR 3, 2002).
"""

from __future__ import annotations

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
DELETES_TURNS_INSERTS, ANY_OPERATOR = (2, 0, 1), (0, 0, 0)
START_K = 0.5
"""Of a run of KES with which another start begins."""


def two_phases(state: SearchState, *, k: float | None = None) -> None:
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
        two_phases(state)
    except Cancelled:
        return state.found(complete=False)
    return state.found()


def ges_parents(search: EquivalenceSearch, *, trace: Trace | None = None) -> list[tuple[int, ...]]:
    """Run GES once and return the parents of each variable in one graph of the class, no more.

    Cancelled it has nothing to show, and passes ``Cancelled`` on.
    """
    state = SearchState(search, trace=trace)
    two_phases(state)
    return state.families()


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
    two_phases(first, k=1.0)
    states = [first]
    for _ in range(n_starts):
        states.append(SearchState(search, first.generator, trace))
        states[-1].climb(ANY_OPERATOR, k=START_K)
    best = max(states, key=lambda state: state.score)
    best.climb(DELETES_TURNS_INSERTS)
    return best.found()


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
