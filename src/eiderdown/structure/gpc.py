"""AlgorithmGPC: the pattern of the region around a variable, grown from it.

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
from eiderdown.structure.adjacencies import Adjacencies, joinable
from eiderdown.structure.colliders import Verdicts, judged
from eiderdown.structure.orientation import oriented
from eiderdown.structure.pc_stable import refuse_limit_on_parents
from eiderdown.structure.search import StructureFound, StructureSearch


def gpc(search: StructureSearch) -> StructureFound:
    """Find the pattern of a region by tests.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a test, a target and a depth.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> oracle = OracleTest(DAG.from_string("A->C<-B, C->D->E"))
    >>> target = oracle.names.index("C")
    >>> found = gpc(StructureSearch(5, test=oracle, target=target, depth=1))
    >>> sorted((oracle.names[i], oracle.names[j]) for i, j in found.directed)
    [('A', 'C'), ('B', 'C'), ('C', 'D')]
    """
    refuse_limit_on_parents(search, "gpc")
    target, depth = search.the_region
    rings = _Rings(search, target)
    try:
        rings.grow(depth + 1)
        verdicts, complete = judged(search, rings.graph, "standard"), True
    except KeyboardInterrupt:
        verdicts, complete = Verdicts(), False
    return oriented(search, rings.graph, verdicts, complete=complete).cut(target, depth)


class _Rings:
    """Rings of neighbours around a target, with all edges between their members."""

    def __init__(self, search: StructureSearch, target: int) -> None:
        self.graph = Adjacencies.of([target])
        self._target = target
        self._knowledge = search.knowledge
        self._test = search.the_test
        others = np.delete(np.arange(search.n_variables), target)
        self._around = ParentsChildrenSets(
            TestProblem(
                self._test,
                target,
                others,
                search.alpha,
                search.max_given,
                trace=search.trace,
            ),
            get_pcd,
        )
        self._required: defaultdict[int, set[int]] = defaultdict(set)
        for parent, child in () if search.knowledge is None else search.knowledge.required_edges():
            self._required[parent].add(child)
            self._required[child].add(parent)

    def grow(self, depth: int) -> None:
        """Add rings up to a depth, the edges within them, and what separates their members."""
        ring = [self._target]
        for _ in range(depth):
            inside = set(self.graph.adjacent)
            for x in ring:
                for y in self._neighbours(x):
                    self._join(x, y)
            ring = sorted(self.graph.adjacent.keys() - inside)
        for x, y in combinations(ring, 2):
            if self._are_joined(x, y):
                self._join(x, y)
        for a, _, b in self.graph.triples():
            first, second = sorted((a, b), key=self._test.name_rank.__getitem__)
            separation = self._around.separation(first, second)
            if separation is not None:
                self.graph.separated[frozenset((a, b))] = separation

    def _neighbours(self, x: int) -> list[int]:
        """Return the neighbours that knowledge allows, and those that it requires."""
        found = np.array(sorted(self._around.corrected(x)), dtype=np.int64)
        if self._knowledge is not None:
            found = found[joinable(self._knowledge, x, found)]
        return sorted({*found.tolist(), *self._required[x]})

    def _are_joined(self, x: int, y: int) -> bool:
        """Tell about members of the last ring, which were searched for the sake of symmetry."""
        if y in self._required[x]:
            return True
        around = self._around.uncorrected
        mutual = y in around(x).members and x in around(y).members
        return mutual and (
            self._knowledge is None or bool(joinable(self._knowledge, x, np.array([y]))[0])
        )

    def _join(self, x: int, y: int) -> None:
        self.graph.adjacent.setdefault(y, set())
        survived = self._around.uncorrected(x).members.get(y)
        # A required neighbour may never have been a member.
        self.graph.join(survived or self._test.test(x, y))
