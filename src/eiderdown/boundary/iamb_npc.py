"""IAMBnPC and inter-IAMBnPC: IAMB whose shrinking phase is the PC algorithm.

Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery".
The growing phase gathers a blanket; PC among its members and the target then conditions on small
sets instead of on everything else. Those adjacent to the target in that graph stay, and so do
spouses, T -> C <- S. (Removing whatever some subset separates from T would lose every spouse.)

Differences from the papers: those of IAMB; a spouse whose test given the shared child contradicts
the v-structure is removed; inter-IAMBnPC, where PC throws out what the growing phase brings in over
and over, goes on without shrinking in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from eiderdown.boundary.grow_shrink import grow, until_a_boundary_returns
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.independence import IndependenceBatch, IndependenceResult, IndependenceTest
from eiderdown.registry import Algorithm


def iamb_npc(problem: TestProblem) -> Found:
    """Find a Markov boundary by adding the strongest, then shrinking by PC."""
    with best_so_far(problem) as found:
        found.require(problem)
        # Growing as in IAMB; shrinking by PC among the members and T.
        while grow(problem, found):
            pass
        shrink_by_pc(problem, found)
    return found


def inter_iamb_npc(problem: TestProblem) -> Found:
    """Find a Markov boundary by adding the strongest, shrinking by PC after every addition."""
    with best_so_far(problem) as found:
        found.require(problem)
        shrink_by_pc(problem, found)
        for _ in until_a_boundary_returns(found):
            if not grow(problem, found):
                break
            shrink_by_pc(problem, found)
        else:  # PC throws out what comes in, over and over: go on without shrinking in between.
            while grow(problem, found):
                pass
            shrink_by_pc(problem, found)
    return found


def shrink_by_pc(problem: TestProblem, found: Found) -> None:
    """Keep those adjacent to the target, and its spouses, in the PC graph of it and the members."""
    target, blanket = problem.target, list(found.members)
    graph = pc_among(
        problem.test, [target, *blanket], alpha=problem.alpha, max_given=problem.max_subset
    )
    adjacent = [x for x in blanket if x in graph.adjacent[target]]
    proofs = _proofs_of_spouses(problem, graph, [x for x in blanket if x not in adjacent])
    found.keep(
        problem.test.max_p_over_subsets(
            adjacent, target, adjacent, alpha=problem.alpha, max_given=problem.max_subset
        ),
        problem.alpha,
    )
    found.parents_children = tuple(adjacent)
    found.spouses = {x: child for x, (child, _) in proofs.items()}
    for x in blanket:
        if x in adjacent:
            continue
        result = proofs[x][1] if x in proofs else graph.separation(x, target)
        if x in proofs or x in problem.required:
            found.keep(IndependenceBatch.of([result]), problem.alpha)
        else:
            found.remove(result)


def _proofs_of_spouses(
    problem: TestProblem, graph: SeparatedGraph, apart: list[int]
) -> dict[int, tuple[int, IndependenceResult]]:
    """Find a child C for every S with T -> C <- S, unless ind(S; T | what separated them u {C})."""
    proofs: dict[int, tuple[int, IndependenceResult]] = {}
    for x in apart:
        separating = graph.separation(x, problem.target).given
        children = graph.colliders(x, problem.target)
        for child in sorted(children, key=problem.tie_rank.__getitem__):
            if not problem.allows(len(separating) + 1):
                continue
            result = problem.test.test(x, problem.target, [*separating, child])
            if not result.independent(problem.alpha):
                proofs[x] = child, result
                break
    return proofs


# --- the PC algorithm restricted to a few variables ---------------------------------------------


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
    """Find the graph of a few variables by PC, as if there were no others.

    Spirtes, Glymour & Scheines (2000), chapter 5, in the form of Colombo & Maathuis (2014), in
    which the adjacent variables of a level are those from before it, so that the order of the
    variables decides nothing about the skeleton. Tests with insufficient data separate nothing.

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


IAMB_NPC = Algorithm(
    iamb_npc,
    "IAMB that shrinks by the PC algorithm, given small sets only.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS)",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
)
INTER_IAMB_NPC = Algorithm(
    inter_iamb_npc,
    "IAMB that shrinks by the PC algorithm after every addition.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS)",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
)
