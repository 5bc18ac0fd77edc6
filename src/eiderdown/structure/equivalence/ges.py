"""GES: Chickering's greedy equivalence search, in two phases.

D. M. Chickering, "Optimal structure identification with greedy search" (JMLR 3, 2002).
"""

from __future__ import annotations

from eiderdown.progress import Cancelled, Trace
from eiderdown.registry import Algorithm
from eiderdown.structure.equivalence.search import (
    EquivalenceFound,
    EquivalenceSearch,
    SearchState,
)
from eiderdown.structure.problem import StructureFound, StructureProblem

_INSERTS, _DELETES = (0, -1, -1), (-1, 0, -1)


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
)
