"""The PC algorithm, in a form in which the order of the columns decides nothing.

P. Spirtes, C. Glymour & R. Scheines, "Causation, Prediction, and Search" (2000), chapter 5; the
sizes as in D. Colombo & M. Maathuis, "Order-independent constraint-based causal structure
learning" (JMLR 15, 2014), whose steps are numbered below. Both ends of an edge look for a
separating set, and if both find one, the test with the larger p-value counts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.independence import IndependenceResult
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.structure.constraint.adjacencies import (
    Adjacencies,
    Pair,
    largest_set,
    may_be_adjacent,
    possible_parents,
)
from eiderdown.structure.constraint.orientation import (
    Colliders,
    Orientation,
    find_colliders,
    orient,
)
from eiderdown.structure.problem import StructureFound, StructureProblem

MOST_COLUMNS_LISTED = 500
"""With more columns, the very many pairs that are independent given nothing are not listed."""

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
    search = _SkeletonSearch(problem)
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


class _SkeletonSearch:
    """Step 1 of PC-stable (Colombo & Maathuis 2014, algorithm 4.1)."""

    def __init__(self, problem: StructureProblem) -> None:
        self.graph = Adjacencies.of(range(problem.n_variables))
        self._problem = problem
        self._test = problem.the_test
        self._order: IntArray = np.argsort(self._test.name_rank)
        self._n_untested = 0
        self._required = {frozenset(edge) for edge in problem.required_edges}

    def run(self) -> None:
        """Join what depends on each other given nothing; then separate by ever larger sets."""
        # Lines 1-2, and l = 0: the complete graph without the pairs that the empty set separates.
        for n, x in enumerate(self._order.tolist()):
            self._test_pairs(x, self._order[n + 1 :])
            self._problem.trace.progressed("testing pairs", n + 1)
        # Lines 3-18: l = 1, 2, ... until no vertex has more than l others adjacent to it.
        for size in range(1, largest_set(self._problem) + 1):
            if not self._separate_by(size):
                break

    def notes(self) -> tuple[str, ...]:
        """Say what could not be tested."""
        if self._n_untested == 0:
            return ()
        return (
            "Pairs of columns of which the tests cannot say anything even given nothing, and which "
            f"have no edge: {self._n_untested:,}; collect rows or merge categories.",
        )

    def _test_pairs(self, x: int, others: IntArray) -> None:
        """Join one variable with those later ones that it depends on given nothing."""
        if self._problem.knowledge is not None:
            others = others[may_be_adjacent(self._problem.knowledge, x, others)]
        batch = self._test.sweep(others, x)
        required = np.array([frozenset((x, y)) in self._required for y in others.tolist()], bool)
        undecided = ~batch.decided(self._problem.alpha)
        self._n_untested += int(np.count_nonzero(undecided & ~required))
        joined = batch.dependent(self._problem.alpha) | required
        for test in batch.take(joined):
            self.graph.add_edge(test, self._problem.alpha)
        if self._problem.n_variables <= MOST_COLUMNS_LISTED:
            for test in batch.take(~undecided & ~joined):
                self.graph.separate(test)

    def _separate_by(self, size: int) -> bool:
        """Try all sets of a size; return whether there was any.

        Smaller sets were tried before; asking for them again costs a look into memory.
        """
        problem, tried = self._problem, False
        # Lines 5-7: a(X), what is adjacent to X before any set of this size was tried.
        before = {x: frozenset(near) for x, near in self.graph.adjacent.items()}
        separated: dict[Pair, IndependenceResult] = {}
        for n, x in enumerate(self._order.tolist()):
            pool = possible_parents(problem, x, before[x])
            # Line 9: the Y in a(X) with at least l others in a(X).
            open_ = [
                y
                for y in sorted(before[x])
                if len(pool) - (y in pool) >= size and frozenset((x, y)) not in self._required
            ]
            if not open_:
                continue
            tried = True
            # Lines 10-16: all S in a(X) \ {Y} with l members, until one separates X and Y.
            for test in self._test.max_p_over_subsets(
                open_, x, pool, alpha=problem.alpha, max_given=size
            ):
                pair = frozenset((test.x, test.y))
                if not test.independent(problem.alpha):
                    self.graph.keep_edge(test, problem.alpha)
                elif pair not in separated or test.log_p > separated[pair].log_p:
                    separated[pair] = test
            problem.trace.progressed(f"separating by sets of {size}", n + 1)
        for test in separated.values():
            self.graph.separate(test)
        return tried


PC_STABLE = Algorithm(
    pc_stable,
    "Removes edges whose ends some set separates, then directs by colliders.",
    paper="Spirtes, Glymour & Scheines 2000; Colombo & Maathuis 2014",
    returns="CPDAG",
    needs=("test",),
    assumes=("faithfulness",),
)

PC_CONFIRMED = Algorithm(
    pc_confirmed,
    "PC with sets of at most two, and colliders only where a test confirms them.",
    paper="Eiderdown's own, after Colombo & Maathuis 2014",
    returns="CPDAG",
    needs=("test",),
    assumes=("faithfulness",),
)
