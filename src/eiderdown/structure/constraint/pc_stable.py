"""The PC algorithm, in a form in which the order of the columns decides nothing.

P. Spirtes, C. Glymour & R. Scheines, "Causation, Prediction, and Search" (2000), chapter 5; the
sizes as in D. Colombo & M. Maathuis, "Order-independent constraint-based causal structure
learning" (JMLR 15, 2014), whose steps are numbered below. Both ends of an edge look for a
separating set, and if both find one, the test with the larger p-value counts.
"""

from __future__ import annotations

from dataclasses import replace

from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.structure.constraint.orientation import (
    Colliders,
    Orientation,
    find_colliders,
    orient,
)
from eiderdown.structure.constraint.skeleton import SkeletonSearch
from eiderdown.structure.problem import StructureFound, StructureProblem

CONFIRMED_MAX_GIVEN = 2
"""Largest conditioning set of ``pc_confirmed`` unless the user says otherwise.

Three variables adjacent to one often say nearly all about it, so that a fourth seems redundant and
a true edge is lost; on samples of the reference networks sets of two did better or as well.
"""


def pc_stable(
    problem: StructureProblem, *, orientation: Orientation = "standard"
) -> StructureFound:
    """Find the CPDAG of the network by tests: adjacencies first, then directions.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> oracle = OracleTest(DAG.from_string("A->C<-B, C->D"))
    >>> found = pc_stable(StructureProblem(4, test=oracle))
    >>> sorted((oracle.names[i], oracle.names[j]) for i, j in found.directed)
    [('A', 'C'), ('B', 'C'), ('C', 'D')]
    """
    problem.refuse_limit_on_parents("pc_stable")
    return _pc(problem, orientation, confirmed=False)


def pc_confirmed(
    problem: StructureProblem, *, orientation: Orientation = "standard"
) -> StructureFound:
    """Run PC with small conditioning sets, and colliders only where a test confirms them."""
    problem.refuse_limit_on_parents("pc_confirmed")
    return _pc(with_small_sets(problem), orientation, confirmed=True)


def with_small_sets(problem: StructureProblem) -> StructureProblem:
    """Limit conditioning sets, where the user does not."""
    limit = CONFIRMED_MAX_GIVEN if problem.max_given is None else problem.max_given
    return replace(problem, max_given=limit)


def _pc(problem: StructureProblem, orientation: str, *, confirmed: bool) -> StructureFound:
    search = SkeletonSearch(problem)
    try:
        # Step 1: the skeleton, and the separating sets.
        search.run()
        # Step 2: v-structures.
        colliders = find_colliders(problem, search.graph, orientation, confirmed=confirmed)
        complete = True
    except Cancelled:
        colliders, complete = Colliders(), False
    # Step 3: Meek's rules.
    return orient(problem, search.graph, colliders, complete=complete, notes=search.notes())


PC_STABLE = Algorithm(
    pc_stable,
    "Removes edges whose ends some set separates, then directs by colliders.",
    paper="Spirtes, Glymour & Scheines 2000; Colombo & Maathuis 2014",
    returns="CPDAG",
    needs=("test",),
    assumes=("faithfulness",),
    fewer_rows="boss_restarts",
)

PC_CONFIRMED = Algorithm(
    pc_confirmed,
    "PC with sets of at most two, and colliders only where a test confirms them.",
    paper="Eiderdown's own, after Colombo & Maathuis 2014",
    returns="CPDAG",
    needs=("test",),
    assumes=("faithfulness",),
    fewer_rows="boss_restarts",
)
