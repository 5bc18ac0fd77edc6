"""The PC algorithm, in a form in which the order of the columns decides nothing.

P. Spirtes, C. Glymour & R. Scheines, "Causation, Prediction, and Search" (2000), chapter 5; the
levels as in D. Colombo & M. Maathuis, "Order-independent constraint-based causal structure
learning" (JMLR 15, 2014): the neighbours of a level are those from before it. Both ends of an edge
look for a separating set, and if both find one, the test with the larger p-value counts.
"""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import KnowledgeError
from eiderdown.independence import IndependenceResult
from eiderdown.structure.adjacencies import (
    Adjacencies,
    Pair,
    joinable,
    largest_set,
    possible_parents,
)
from eiderdown.structure.colliders import Verdicts, check_rule, judged
from eiderdown.structure.orientation import oriented
from eiderdown.structure.search import StructureFound, StructureSearch

MOST_COLUMNS_LISTED = 500
"""With more columns, the very many pairs that are independent given nothing are not listed."""


def pc_stable(search: StructureSearch, *, orientation: str = "standard") -> StructureFound:
    """Find the pattern of the network by tests: adjacencies first, then directions.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a test.
    orientation : {"standard", "majority", "conservative"}
        Which sets say whether the middle of a path is a collider: the one that separated the ends,
        more than half of all that do, or all of them.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> oracle = OracleTest(DAG.from_string("A->C<-B, C->D"))
    >>> found = pc_stable(StructureSearch(4, test=oracle))
    >>> sorted((oracle.names[i], oracle.names[j]) for i, j in found.directed)
    [('A', 'C'), ('B', 'C'), ('C', 'D')]
    """
    check_rule(orientation)
    refuse_limit_on_parents(search, "pc_stable")
    skeleton = _Skeleton(search)
    try:
        skeleton.find()
        verdicts, complete = judged(search, skeleton.graph, orientation), True
    except KeyboardInterrupt:
        verdicts, complete = Verdicts(), False
    return oriented(search, skeleton.graph, verdicts, complete=complete, notes=skeleton.notes())


def refuse_limit_on_parents(search: StructureSearch, algorithm: str) -> None:
    """Say that a search by tests cannot keep a limit on parents."""
    if search.knowledge is not None and search.knowledge.max_parents is not None:
        raise KnowledgeError(
            f"{algorithm!r} cannot limit the number of parents; leave out max_parents, or use a "
            "search with a score, such as 'hill_climbing'."
        )


class _Skeleton:
    """The search for adjacencies, level by level."""

    def __init__(self, search: StructureSearch) -> None:
        self.graph = Adjacencies.of(range(search.n_variables))
        self._search = search
        self._test = search.the_test
        self._order: IntArray = np.argsort(self._test.name_rank)
        self._n_untested = 0
        self._required: set[Pair] = set()
        if search.knowledge is not None:
            self._required = {frozenset(edge) for edge in search.knowledge.required_edges()}

    def find(self) -> None:
        """Join what depends on each other given nothing; then separate by ever larger sets."""
        for n, x in enumerate(self._order.tolist()):
            self._join(x, self._order[n + 1 :])
            self._search.trace.progressed("testing pairs", n + 1)
        for size in range(1, largest_set(self._search) + 1):
            if not self._separate_by(size):
                break

    def notes(self) -> tuple[str, ...]:
        """Say what could not be tested."""
        if self._n_untested == 0:
            return ()
        return (
            "Pairs of columns that could not be tested even given nothing, and have no edge: "
            f"{self._n_untested:,}; collect rows, merge levels, or relax the reliability rule.",
        )

    def _join(self, x: int, others: IntArray) -> None:
        """Join one variable with those later ones that it depends on given nothing."""
        if self._search.knowledge is not None:
            others = others[joinable(self._search.knowledge, x, others)]
        batch = self._test.sweep(others, x)
        required = np.array([frozenset((x, y)) in self._required for y in others.tolist()], bool)
        self._n_untested += int(np.count_nonzero(~batch.reliable & ~required))
        joined = batch.dependent(self._search.alpha) | required
        for i in np.flatnonzero(joined):
            self.graph.join(batch[int(i)])
        if self._search.n_variables <= MOST_COLUMNS_LISTED:
            for i in np.flatnonzero(batch.reliable & ~joined):
                self.graph.separate(batch[int(i)])

    def _separate_by(self, size: int) -> bool:
        """Try all sets of a size; return whether there was any.

        Smaller sets were tried before; asking for them again costs a look into memory.
        """
        search, tried = self._search, False
        before = {x: frozenset(near) for x, near in self.graph.adjacent.items()}
        separated: dict[Pair, IndependenceResult] = {}
        for n, x in enumerate(self._order.tolist()):
            pool = possible_parents(search, x, before[x])
            open_ = self._open(x, before[x], pool, size)
            if not open_:
                continue
            tried = True
            for test in self._test.max_p_over_subsets(
                open_, x, pool, alpha=search.alpha, max_given=size
            ):
                pair = frozenset((test.x, test.y))
                if not test.independent(search.alpha):
                    self.graph.survive(test)
                elif pair not in separated or test.log_p > separated[pair].log_p:
                    separated[pair] = test
            search.trace.progressed(f"separating by sets of {size}", n + 1)
        for test in separated.values():
            self.graph.separate(test)
        return tried

    def _open(self, x: int, near: frozenset[int], pool: list[int], size: int) -> list[int]:
        """Return the neighbours that a set of this size from the pool could separate from x."""
        return [
            y
            for y in sorted(near)
            if len(pool) - (y in pool) >= size and frozenset((x, y)) not in self._required
        ]
