"""Y-tests: which edges are causal, with no hidden common cause; Brown (2009), section V.2.5.

A -> C <- B and C -> D. The two that collide in C say on which side of C the causes are, and that C
separates them from D says that nothing hidden joins C and D: it would let them through.

The six conditions of Proposition V.1 for distinct A, B, C, D, with the sets that a search for
adjacencies has found already (an edge means that no set separates the pair):

    1-3  the edges A-C, B-C and C-D are there
    4    A and B are separated by some Z1
    5    A and B are dependent given Z1 and C
    6    A and D are separated by some Z2 that holds C; the same is asked of B and D

Then C is an ancestor of D, and no hidden variable is a cause of both. The proposition as printed
says more, that nothing but hidden variables is on the way from C to D. That is too strong: in
A -> C <- B, C -> M -> D, H -> M, H -> D with H hidden, no set separates C from D, all conditions
hold, and the only way runs through M, which is observed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

from eiderdown.independence import IndependenceTest
from eiderdown.results import YStructure


class YTests:
    """Y-tests in a region whose adjacencies and separating sets are known.

    Parameters
    ----------
    test : IndependenceTest
        The test, of data or of an oracle; with its memory (CachedTest) most answers are known.
    adjacent : mapping of int to collection of int
        For each variable of the region those that no set separates from it; both ways.
    separating_sets : mapping of frozenset to collection of int
        For pairs without an edge, a set that separates them.
    alpha : float
        Significance level.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> test = OracleTest(DAG.from_string("A->C<-B, C->D"))
    >>> a, c, b, d = range(4)
    >>> separated = {frozenset((a, b)): (), frozenset((a, d)): (c,), frozenset((b, d)): (c,)}
    >>> adjacent = {a: [c], b: [c], c: [a, b, d], d: [c]}
    >>> [str(found) for found in YTests(test, adjacent, separated).all()]
    ['A -> C <- B, C -> D']
    """

    def __init__(
        self,
        test: IndependenceTest,
        adjacent: Mapping[int, Collection[int]],
        separating_sets: Mapping[frozenset[int], Collection[int]],
        *,
        alpha: float = 0.01,
    ) -> None:
        self._test, self._alpha = test, alpha
        self._adjacent = {
            x: sorted(near, key=test.name_rank.__getitem__) for x, near in adjacent.items()
        }
        self._separating_sets = separating_sets
        self._colliders: dict[tuple[int, int, int], bool] = {}

    def all(self) -> list[YStructure]:
        """Return every Y-test of the region that is passed, the highest p-scores first."""
        edges = ((c, d) for c, near in self._adjacent.items() for d in near)
        return in_order(found for c, d in edges for found in self.of_edge(c, d))

    def around(self, target: int) -> list[YStructure]:
        """Return those about the edges of a variable: into it and out of it."""
        edges = [edge for x in self._adjacent[target] for edge in ((x, target), (target, x))]
        return in_order(found for c, d in edges for found in self.of_edge(c, d))

    def of_edge(self, c: int, d: int) -> Iterator[YStructure]:
        """Give the Y-tests that make c an unconfounded cause of d."""
        # Conditions 1-3, and 6 for both: A and B are adjacent to C, which separates them from D.
        sources = [a for a in self._adjacent[c] if a != d and self._screened(a, c, d)]
        for a, b in combinations(sources, 2):
            if self.collide(a, c, b):  # conditions 4 and 5
                yield self._described(a, b, c, d)

    def collide(self, a: int, c: int, b: int) -> bool:
        """Whether a and b are separated by a set without c, and dependent given it and c."""
        key = (min(a, b), c, max(a, b))
        if key not in self._colliders:
            given = self._separating_set(a, b)
            self._colliders[key] = (
                given is not None
                and c not in given
                and self._test.test(a, b, [*given, c]).dependent(self._alpha)
            )
        return self._colliders[key]

    def _screened(self, a: int, c: int, d: int) -> bool:
        """Whether the set that separates a from d holds c."""
        given = self._separating_set(a, d)
        return given is not None and c in given

    def _separating_set(self, x: int, y: int) -> Collection[int] | None:
        if y in self._adjacent[x]:
            return None
        return self._separating_sets.get(frozenset((x, y)))

    def _described(self, a: int, b: int, c: int, d: int) -> YStructure:
        """Name the variables, with the least p-value of the independences in 4 and 6."""
        names = self._test.names
        tests = [
            self._test.test(x, y, list(self._of_pair(x, y))) for x, y in ((a, b), (a, d), (b, d))
        ]
        p_score = math.exp(min(found.log_p for found in tests))
        return YStructure(names[a], names[b], names[c], names[d], p_score)

    def _of_pair(self, x: int, y: int) -> Collection[int]:
        return self._separating_sets[frozenset((x, y))]


def in_order(found: Iterator[YStructure]) -> list[YStructure]:
    """Put Y-structures in order: the highest p-scores first, then by names."""
    return sorted(found, key=lambda y: (-y.p_score, y.c, y.d, y.a, y.b))
