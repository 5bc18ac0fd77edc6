"""The PC algorithm restricted to a few variables: skeleton, separating sets, v-structures.

Spirtes, Glymour & Scheines (2000), chapter 5, in the form of Colombo & Maathuis (2014), in which
the adjacent variables of a level are those from before it, so that the order of the variables
decides nothing about the skeleton. Tests with insufficient data separate nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from eiderdown.independence import IndependenceResult, IndependenceTest


@dataclass(frozen=True)
class SeparatedGraph:
    """An undirected graph in which every missing edge has its reason.

    Attributes
    ----------
    adjacent : dict of int to set of int
        Those adjacent to every variable.
    reasons : dict of pair to IndependenceResult
        The test that separated two variables, the smaller number first.
    """

    adjacent: dict[int, set[int]]
    reasons: dict[tuple[int, int], IndependenceResult] = field(default_factory=dict)

    @classmethod
    def complete(cls, variables: Iterable[int]) -> SeparatedGraph:
        """Begin with every edge."""
        everyone = set(variables)
        return cls({x: everyone - {x} for x in everyone})

    def separate(self, result: IndependenceResult) -> None:
        """Remove an edge because of a test."""
        self.adjacent[result.x].discard(result.y)
        self.adjacent[result.y].discard(result.x)
        self.reasons[min(result.x, result.y), max(result.x, result.y)] = result

    def separation(self, x: int, y: int) -> IndependenceResult:
        """Return the test that separated two variables, as one of x against y."""
        return replace(self.reasons[min(x, y), max(x, y)], x=x, y=y)

    def colliders(self, x: int, y: int) -> set[int]:
        """Return every C of a v-structure x -> C <- y; none if x and y are adjacent."""
        if y in self.adjacent[x]:
            return set()
        return self.adjacent[x] & self.adjacent[y] - set(self.separation(x, y).given)


def pc_among(
    test: IndependenceTest, variables: Iterable[int], *, alpha: float, max_given: int
) -> SeparatedGraph:
    """Find the graph of a few variables, as if there were no others.

    Parameters
    ----------
    test : IndependenceTest
        The evidence.
    variables : iterable of int
        The variables.
    alpha : float
        Significance level.
    max_given : int
        Largest conditioning set.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> oracle = OracleTest(DAG.from_string("A->C, B->C, C->D"))
    >>> graph = pc_among(oracle, range(4), alpha=0.01, max_given=2)
    >>> {oracle.names[x]: sorted(oracle.names[y] for y in ys) for x, ys in graph.adjacent.items()}
    {'A': ['C'], 'C': ['A', 'B', 'D'], 'B': ['C'], 'D': ['C']}
    >>> a, b = oracle.names.index("A"), oracle.names.index("B")
    >>> [oracle.names[c] for c in graph.colliders(a, b)]
    ['C']
    """
    graph = SeparatedGraph.complete(variables)
    size = 0
    while size <= max_given and any(len(near) > size for near in graph.adjacent.values()):
        _separate_by(size, graph, test, alpha)
        size += 1
    return graph


def _separate_by(size: int, graph: SeparatedGraph, test: IndependenceTest, alpha: float) -> None:
    """For every edge x - y: if ind(x; y | Z) for Z adjacent to x, remove the edge."""
    rank = test.name_rank.__getitem__
    before = {x: sorted(near, key=rank) for x, near in graph.adjacent.items()}
    for x in sorted(before, key=rank):
        for given in combinations(before[x], size):
            still = [y for y in before[x] if y in graph.adjacent[x] and y not in given]
            batch = test.sweep(still, x, given)
            for position in np.flatnonzero(batch.independent(alpha)):
                graph.separate(batch[int(position)])
