"""KES: from the graph without edges to the best of a random share of the better classes, and on.

J. D. Nielsen, T. Kocka & J. M. Pena, "On local optima in learning Bayesian networks" (UAI 2003);
J. M. Pena, T. Kocka & J. D. Nielsen (2004). Run again and again it ends in different local optima.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from eiderdown.errors import OptionError
from eiderdown.options import Option
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

_INSERTS_AND_DELETES, _ANY_OPERATOR = (0, 0, -1), (0, 0, 0)


def run_kes(
    search: EquivalenceSearch,
    *,
    k: float = 0.8,
    turning: bool = False,
    generator: np.random.Generator | None = None,
    trace: Trace | None = None,
) -> EquivalenceFound:
    """Run KES once; all runs over one ``search`` share its memory of gains.

    Parameters
    ----------
    search : EquivalenceSearch
        Score, constraints and memory.
    k : float, default=0.8
        Share of the better classes next to the present one of which the best is taken, from 0
        (any of them) to 1 (the best of all).
    turning : bool, default=False
        Whether the classes that one turned edge leads to count as next to the present one.
    generator : numpy Generator or None
        Where random choices come from; None for always the same.
    trace : Trace or None
        Where progress is told.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown import networks
    >>> from eiderdown.scores import make_score
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> search = EquivalenceSearch(make_score("bic", data))
    >>> found = [run_kes(search, k=0.5, generator=np.random.default_rng(i)) for i in range(20)]
    >>> len({run.directed + run.undirected for run in found}) > 1
    True
    """
    if not 0.0 <= k <= 1.0:
        raise OptionError(f"k must be from 0 to 1, not {k}.")
    # 1. M = the graph without edges.
    model = SearchState(search, generator, trace)
    try:
        # 2. B = the classes in the inclusion boundary of M that score higher; until there is none:
        # 3. C = a random subset of B of size max(1, |B| k); M = the best of C.
        model.climb(_ANY_OPERATOR if turning else _INSERTS_AND_DELETES, k=k)
    except Cancelled:
        return model.found(complete=False)
    return model.found()


def kes(
    problem: StructureProblem,
    *,
    k: Annotated[
        float, Option("share of the better classes of which the best is taken", between=(0, 1))
    ] = 0.8,
    turning: Annotated[bool, Option("also turn edges, which the paper does not")] = False,
) -> StructureFound:
    """Search all equivalence classes by one run of KES."""
    search = EquivalenceSearch(problem.the_score, knowledge=problem.knowledge)
    found = run_kes(search, k=k, turning=turning, generator=problem.generator, trace=problem.trace)
    return found.described(problem.the_score)


KES = Algorithm(
    kes,
    "Moves to the best of a random share of the better classes next to the last.",
    paper="Nielsen, Kocka & Pena 2003",
    returns="CPDAG",
    needs=("score",),
    assumes=("faithfulness",),
    random=True,
    complete_rows=True,
)
