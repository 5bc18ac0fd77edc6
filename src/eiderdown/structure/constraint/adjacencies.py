"""An undirected graph with its evidence: what every edge survived, and what separated other pairs.

Searches by tests find this first and directions afterwards. A pair without an edge need not have
been separated: knowledge may forbid its edge, or there may be insufficient data for any test of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, IntArray
from eiderdown.independence import IndependenceBatch, IndependenceResult
from eiderdown.knowledge import ColumnKnowledge
from eiderdown.structure.problem import StructureProblem

Pair: TypeAlias = frozenset[int]
Triple: TypeAlias = tuple[int, int, int]


class Separations(MutableMapping[Pair, IndependenceResult]):
    """Tests that separated pairs; those of a batch are made records when they are looked at."""

    def __init__(self) -> None:
        self.sets: dict[Pair, tuple[int, ...]] = {}  # what was given
        self._tests: dict[Pair, tuple[Sequence[IndependenceResult] | IndependenceBatch, int]] = {}

    def add(self, batch: IndependenceBatch) -> None:
        """Add a batch of tests."""
        pairs = list(map(frozenset, zip(batch.x.tolist(), batch.y.tolist(), strict=True)))
        self.sets.update(zip(pairs, batch.given, strict=True))
        self._tests.update((pair, (batch, i)) for i, pair in enumerate(pairs))

    def __getitem__(self, pair: Pair) -> IndependenceResult:
        batch, position = self._tests[pair]
        return batch[position]

    def __setitem__(self, pair: Pair, test: IndependenceResult) -> None:
        self.sets[pair] = test.given
        self._tests[pair] = ((test,), 0)

    def __delitem__(self, pair: Pair) -> None:
        del self.sets[pair], self._tests[pair]

    def __contains__(self, pair: object) -> bool:
        return pair in self.sets

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.sets)

    def __len__(self) -> int:
        return len(self.sets)


@dataclass(frozen=True, eq=False)
class Adjacencies:
    """An undirected graph with its evidence, as it stands during a search.

    Attributes
    ----------
    adjacent : dict of int to set of int
        The variables adjacent to each.
    survived : dict of pair to IndependenceResult
        The weakest test that each edge survived.
    separated : Separations
        The tests that separated pairs, as far as they are recorded.
    """

    adjacent: dict[int, set[int]]
    survived: dict[Pair, IndependenceResult] = field(default_factory=dict)
    separated: Separations = field(default_factory=Separations)

    @classmethod
    def of(cls, variables: Iterable[int]) -> Adjacencies:
        """Begin without edges."""
        return cls({x: set() for x in variables})

    def edges(self) -> list[tuple[int, int]]:
        """Return every edge, the smaller number first."""
        return sorted((x, y) for x, near in self.adjacent.items() for y in near if x < y)

    def unshielded_triples(self) -> Iterator[Triple]:
        """Yield (a, middle, b) for each path of two edges whose ends are not adjacent, a < b."""
        for middle, near in self.adjacent.items():
            for a, b in combinations(sorted(near), 2):
                if b not in self.adjacent[a]:
                    yield a, middle, b

    def add_edge(self, result: IndependenceResult, alpha: float) -> None:
        """Add an edge, because of a test."""
        self.adjacent[result.x].add(result.y)
        self.adjacent[result.y].add(result.x)
        self.keep_edge(result, alpha)

    def keep_edge(self, result: IndependenceResult, alpha: float) -> None:
        """Note that an edge survived a test; the weakest decided one is remembered."""
        pair = frozenset((result.x, result.y))
        known = self.survived.get(pair)
        if known is None or (
            result.decided(alpha) and not (known.decided(alpha) and known.log_p >= result.log_p)
        ):
            self.survived[pair] = result

    def separate(self, result: IndependenceResult) -> None:
        """Remove an edge, because of a test."""
        pair = frozenset((result.x, result.y))
        self.remove_edge(pair)
        self.separated[pair] = result

    def remove_edge(self, pair: Pair) -> None:
        """Remove an edge."""
        x, y = pair
        self.adjacent[x].discard(y)
        self.adjacent[y].discard(x)
        self.survived.pop(pair, None)


def possible_parents(problem: StructureProblem, child: int, others: Collection[int]) -> list[int]:
    """Return those of some variables that knowledge allows as parents of one.

    A variable is separated by its parents from what is no descendant of it, so these are all that
    a conditioning set needs.
    """
    if problem.knowledge is None or not others:
        return sorted(others)
    candidates = np.array(sorted(others), dtype=np.int64)
    allowed: list[int] = candidates[problem.knowledge.allowed(child, candidates)].tolist()
    return allowed


def may_be_adjacent(knowledge: ColumnKnowledge, x: int, others: IntArray) -> BoolArray:
    """Tell which edges of one variable knowledge allows in at least one direction."""
    may = knowledge.allowed(x, others)
    for i in np.flatnonzero(~may):
        may[i] = knowledge.allowed(int(others[i]), np.array([x]))[0]
    return may


def largest_set(problem: StructureProblem) -> int:
    """Return how many variables a conditioning set may have: all, unless the problem limits it."""
    return problem.n_variables if problem.max_given is None else problem.max_given


def separation(
    problem: StructureProblem, graph: Adjacencies, pair: Pair
) -> IndependenceResult | None:
    """Return the test that separated a pair, or look for one among subsets of what is adjacent.

    None if there is no such test.
    """
    if pair not in graph.separated:
        test, most = problem.the_test, largest_set(problem)
        first, second = sorted(pair, key=test.name_rank.__getitem__)
        for x, y in ((first, second), (second, first)):
            pool = possible_parents(problem, y, graph.adjacent[y])
            weakest = test.max_p_over_subsets([x], y, pool, alpha=problem.alpha, max_given=most)[0]
            if weakest.independent(problem.alpha):
                graph.separated[pair] = weakest
                break
    return graph.separated.get(pair)
