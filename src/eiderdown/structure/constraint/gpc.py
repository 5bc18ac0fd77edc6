"""AlgorithmGPC: the CPDAG of the region around a variable, grown from it.

J. Pena, J. Bjorkegren & J. Tegner, "Growing Bayesian network models of gene networks from seed
genes" (Bioinformatics 21, 2005), as Brown (2009, chapter IV) compares it: parents and children by
GetPC, ring by ring to one step beyond the region, then colliders and Meek's rules; the outermost
ring is pruned, for it was there to show which triples are colliders.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np

from eiderdown.boundary import TestProblem
from eiderdown.boundary.parents_children import ParentsChildrenSets
from eiderdown.boundary.pcmb import get_pcd
from eiderdown.boundary.problem import Symmetry
from eiderdown.progress import Cancelled
from eiderdown.registry import Algorithm
from eiderdown.structure.constraint.adjacencies import Adjacencies, may_be_adjacent
from eiderdown.structure.constraint.hidden_causes import with_ends
from eiderdown.structure.constraint.orientation import Colliders, find_colliders, orient
from eiderdown.structure.constraint.pc_stable import with_small_sets
from eiderdown.structure.problem import StructureFound, StructureProblem


def gpc(problem: StructureProblem, *, symmetry: Symmetry = "and") -> StructureFound:
    """Find the CPDAG of a region by tests.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a test.
    symmetry : {"and", "or", "none"}
        Who is a neighbour; "and" is the paper's, and the one that is exact.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> oracle = OracleTest(DAG.from_string("A->C<-B, C->D->E"))
    >>> target = oracle.names.index("C")
    >>> found = gpc(StructureProblem(5, test=oracle, target=target, depth=1))
    >>> sorted((oracle.names[i], oracle.names[j]) for i, j in found.directed)
    [('A', 'C'), ('B', 'C'), ('C', 'D')]
    """
    problem.refuse_limit_on_parents("gpc")
    target, depth = problem.the_region
    rings = _Rings(problem, target, symmetry)
    limited = with_small_sets(problem)
    try:
        rings.grow(depth + 1)
        colliders = find_colliders(limited, rings.graph, "standard", confirmed=True)
        complete = True
    except Cancelled:
        colliders, complete = Colliders(), False
    found = orient(limited, rings.graph, colliders, complete=complete)
    if problem.hidden_causes and complete:
        found = with_ends(limited, found)
    return found.cut(target, depth)


class _Rings:
    """Rings of neighbours around a target, with all edges between their members."""

    def __init__(self, problem: StructureProblem, target: int, symmetry: Symmetry) -> None:
        self.graph = Adjacencies.of([target])
        self._target, self._symmetry = target, symmetry
        self._knowledge = problem.knowledge
        self._test, self._alpha = problem.the_test, problem.alpha
        others = np.delete(np.arange(problem.n_variables), target)
        self._around = ParentsChildrenSets(
            TestProblem(
                self._test,
                target,
                others,
                problem.alpha,
                problem.max_given,
                trace=problem.trace,
            ),
            get_pcd,
        )
        self._required: defaultdict[int, set[int]] = defaultdict(set)
        for parent, child in problem.required_edges:
            self._required[parent].add(child)
            self._required[child].add(parent)

    def grow(self, depth: int) -> None:
        """Add rings up to a depth, the edges within them, and what separates their members."""
        ring = [self._target]
        for _ in range(depth):
            inside = set(self.graph.adjacent)
            for x in ring:
                for y in self._neighbours(x):
                    self._add_edge(x, y)
            ring = sorted(self.graph.adjacent.keys() - inside)
        for x, y in combinations(ring, 2):
            if self._are_adjacent(x, y):
                self._add_edge(x, y)
        for a, _, b in self.graph.unshielded_triples():
            first, second = sorted((a, b), key=self._test.name_rank.__getitem__)
            separation = self._around.separation(first, second)
            if separation is not None:
                self.graph.separated[frozenset((a, b))] = separation

    def _neighbours(self, x: int) -> list[int]:
        """Return the neighbours that knowledge allows, and those that it requires."""
        found = np.array(sorted(self._around.around(x, self._symmetry)), dtype=np.int64)
        if self._knowledge is not None:
            found = found[may_be_adjacent(self._knowledge, x, found)]
        return sorted({*found.tolist(), *self._required[x]})

    def _are_adjacent(self, x: int, y: int) -> bool:
        """Tell about members of the last ring, which were searched for the sake of symmetry."""
        if y in self._required[x]:
            return True
        return self._around.finds(x, y, self._symmetry) and (
            self._knowledge is None or bool(may_be_adjacent(self._knowledge, x, np.array([y]))[0])
        )

    def _add_edge(self, x: int, y: int) -> None:
        self.graph.adjacent.setdefault(y, set())
        around = self._around.uncorrected
        survived = around(x).members.get(y) or around(y).members.get(x)
        # A required neighbour may never have been a member.
        self.graph.add_edge(survived or self._test.test(x, y), self._alpha)


GPC = Algorithm(
    gpc,
    "Grows rings of parents and children by GetPC, then directs by colliders.",
    paper="Pena, Bjorkegren & Tegner 2005; Brown 2009, chapter IV",
    returns="CPDAG",
    needs=("test",),
    assumes=("faithfulness",),
)
