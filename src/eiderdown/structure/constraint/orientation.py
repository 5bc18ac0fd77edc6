"""From adjacencies to a CPDAG: v-structures first, then Meek's rules.

In an unshielded triple (a - middle - b, with a and b not adjacent) the middle is a collider,
a -> middle <- b, exactly if the sets that separate the ends lack it. Tests err, and rules differ in
which sets they ask:

    standard       the one that separated the ends (Spirtes, Glymour & Scheines 2000)
    majority       all that separate them among what is adjacent to either end; more than half must
                   agree (Colombo & Maathuis 2014)
    conservative   the same sets; all must agree (Ramsey, Zhang & Spirtes 2006)

Searches may ask for a collider to be *confirmed*: given the middle as well, the ends must depend on
each other. This is ours. Without it a middle that was merely not needed passes for a collider. On
ten samples of 5,000 rows of the network Child, which has 25 edges, the standard rule got 9.0 of
them wrong on average without confirmation, and 1.5 with it.

The papers leave open what becomes of v-structures that contradict each other. Here knowledge
directs first, then the colliders in the order of their evidence: one that contradicts what is
directed already, or would close a cycle, is left out and counted. Nodes are in the order of their
names meanwhile, so that even then the order of the columns decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Literal, TypeAlias

import numpy as np

from eiderdown.graphs.equivalence import IndexPairs, close_under_meek, consistent_extension
from eiderdown.graphs.named_graph import index_lists
from eiderdown.graphs.separation import parents_first, reached_from
from eiderdown.independence import IndependenceResult
from eiderdown.knowledge import ColumnKnowledge
from eiderdown.options import Option
from eiderdown.structure.constraint.adjacencies import (
    Adjacencies,
    Pair,
    Triple,
    largest_set,
    possible_parents,
    separation,
)
from eiderdown.structure.problem import Edge, StructureFound, StructureProblem

Orientation: TypeAlias = Annotated[
    Literal["standard", "majority", "conservative"],
    Option("which separating sets decide about colliders"),
]
Decision: TypeAlias = Literal["collider", "no collider", "ambiguous"]
SeparatingSets: TypeAlias = list[tuple[int, ...]]


@dataclass(frozen=True)
class Colliders:
    """What is thought of the unshielded triples; those not mentioned are no colliders.

    Attributes
    ----------
    colliders : tuple of triple
        From the strongest evidence to the weakest.
    ambiguous : frozenset of triple
        Those that may or may not be colliders.
    """

    colliders: tuple[Triple, ...] = ()
    ambiguous: frozenset[Triple] = frozenset()


def find_colliders(
    problem: StructureProblem, graph: Adjacencies, rule: str, *, confirmed: bool
) -> Colliders:
    """Decide about every unshielded triple.

    Colliders are in the order of their evidence, equal ones in the order of names: by the p-value
    of the test that separated the ends, the largest first; or, confirmed, by that of their
    dependence given the middle, the smallest first.
    """
    sets_of = _recorded_sets if rule == "standard" else _all_sets
    separating = dict(sets_of(problem, graph))
    rank = problem.the_test.name_rank
    colliders: list[tuple[tuple[float, ...], Triple]] = []
    ambiguous = set[Triple]()
    for triple in graph.unshielded_triples():
        a, middle, b = triple
        sets = separating[frozenset((a, b))]
        decision = _decide(sets, middle, rule)
        if decision == "collider":
            test = _evidence(problem, graph, triple, sets, confirmed=confirmed)
            if not confirmed or test.dependent(problem.alpha):
                sign = 1.0 if confirmed else -1.0
                names = (rank[middle], *sorted((rank[a], rank[b])))
                colliders.append(((sign * test.log_p, -sign * abs(test.statistic), *names), triple))
            elif rule == "conservative":
                decision = "ambiguous"
        if decision == "ambiguous":
            ambiguous.add(triple)
    return Colliders(tuple(triple for _, triple in sorted(colliders)), frozenset(ambiguous))


def _decide(sets: SeparatingSets, middle: int, rule: str) -> Decision:
    """Ask the separating sets; if there is none, nothing can be said."""
    n_with = sum(middle in given for given in sets)
    n_without = len(sets) - n_with
    disputed = n_with > 0 and n_without > 0
    if n_with == n_without or (rule == "conservative" and disputed):
        return "ambiguous"
    return "collider" if n_without > n_with else "no collider"


def _evidence(
    problem: StructureProblem,
    graph: Adjacencies,
    triple: Triple,
    sets: SeparatingSets,
    *,
    confirmed: bool,
) -> IndependenceResult:
    """Return the separation of the ends, or their strongest dependence given the middle as well."""
    a, middle, b = triple
    test = problem.the_test
    # The earlier name first, for numerically the order of the two may matter.
    x, y = sorted((a, b), key=test.name_rank.__getitem__)
    if not confirmed:
        recorded = separation(problem, graph, frozenset((a, b)))
        return recorded or test.test(x, y, sets[0])
    given = [(*separating, middle) for separating in sets if middle not in separating]
    tests = (test.test(x, y, conditions) for conditions in given)
    alpha = problem.alpha
    return min(
        tests, key=lambda found: (not found.dependent(alpha), found.log_p, -abs(found.statistic))
    )


def _recorded_sets(
    problem: StructureProblem, graph: Adjacencies
) -> Iterator[tuple[Pair, SeparatingSets]]:
    """Yield the set that separated each pair, if any did."""
    for pair in {frozenset((a, b)) for a, _, b in graph.unshielded_triples()}:
        if pair not in graph.separated:
            separation(problem, graph, pair)
        given = graph.separated.sets.get(pair)
        yield pair, [] if given is None else [given]


def _all_sets(
    problem: StructureProblem, graph: Adjacencies
) -> Iterator[tuple[Pair, SeparatingSets]]:
    """Yield every set among what is adjacent to either end that separates a pair."""
    partners: dict[int, set[int]] = {x: set() for x in graph.adjacent}
    found: dict[Pair, dict[frozenset[int], tuple[int, ...]]] = {}
    for a, _, b in graph.unshielded_triples():
        partners[a].add(b)
        partners[b].add(a)
        found[frozenset((a, b))] = {}
    for x in sorted(partners, key=problem.the_test.name_rank.__getitem__):
        for y, given in _separated_around(problem, graph, x, partners[x]):
            found[frozenset((x, y))][frozenset(given)] = given
    for pair, sets in found.items():
        recorded = separation(problem, graph, pair)
        if recorded is not None:
            sets[frozenset(recorded.given)] = recorded.given
        yield pair, list(sets.values())


def _separated_around(
    problem: StructureProblem, graph: Adjacencies, x: int, others: set[int]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield which of the others are separated from x by which subset of what is adjacent to it."""
    pool = possible_parents(problem, x, graph.adjacent[x]) if others else []
    for size in range(min(len(pool), largest_set(problem)) + 1):
        for given in combinations(pool, size):
            # Partners are not adjacent to x, so none of them is in the set.
            batch = problem.the_test.sweep(sorted(others), x, given)
            for i in np.flatnonzero(batch.independent(problem.alpha)):
                yield int(batch.x[i]), batch.given[int(i)]


def orient(
    problem: StructureProblem,
    graph: Adjacencies,
    found: Colliders,
    *,
    complete: bool = True,
    notes: Sequence[str] = (),
) -> StructureFound:
    """Direct what knowledge and the colliders direct, and what follows from it by Meek's rules.

    Edges that knowledge turns out to forbid are removed from the graph.
    """
    arrows = _Arrows(problem, graph)
    if problem.knowledge is not None:
        arrows.follow(problem.knowledge)
    for triple in found.colliders:
        arrows.collide(triple)
    directed, undirected = arrows.closed_under_meek(found.ambiguous)
    lines = tuple(sorted((min(x, y), max(x, y)) for x, y in undirected))
    return StructureFound(
        nodes=tuple(sorted(graph.adjacent)),
        directed=tuple(sorted(directed)),
        undirected=lines,
        is_cpdag=True,
        separating_sets=dict(graph.separated.sets),
        # Each edge's test as one of its first node against its second.
        edge_evidence={
            (x, y): replace(graph.survived[frozenset((x, y))], x=x, y=y)
            for x, y in (*directed, *lines)
        },
        complete=complete,
        notes=(*notes, *(arrows.notes(found, directed, undirected) if complete else ())),
    )


class _Arrows:
    """Directions of some of the edges, which form no cycle; nodes by the rank of their names."""

    def __init__(self, problem: StructureProblem, graph: Adjacencies) -> None:
        self._order = sorted(graph.adjacent, key=problem.the_test.name_rank.__getitem__)
        self._rank = {node: i for i, node in enumerate(self._order)}
        self._graph = graph
        self._children: list[set[int]] = [set() for _ in self._order]
        self._n_left_out = 0
        self._n_removed = 0

    def follow(self, knowledge: ColumnKnowledge) -> None:
        """Direct the edges that knowledge allows one way only, the strongest first.

        Tests may join variables that knowledge would then direct in a cycle; the weakest edge of
        the cycle is removed.
        """
        required = set(knowledge.required_edges())
        known = [
            (tail, head)
            for x, y in self._graph.edges()
            for tail, head in ((x, y), (y, x))
            if not knowledge.allowed(tail, np.array([head]))[0]
        ]
        known.sort(key=lambda edge: (edge not in required, self._strength(edge)))
        for tail, head in known:
            if self._reaches(head, tail):
                self._graph.remove_edge(frozenset((tail, head)))
                self._n_removed += 1
            else:
                self._orient(tail, head)

    def collide(self, triple: Triple) -> None:
        """Direct both edges to the middle, unless that contradicts what is directed already."""
        a, middle, b = triple
        if not self._graph.adjacent[middle].issuperset((a, b)):
            return
        if self._reaches(middle, a) or self._reaches(middle, b):
            self._n_left_out += 1
            return
        self._orient(a, middle)
        self._orient(b, middle)

    def closed_under_meek(self, ambiguous: Iterable[Triple]) -> tuple[list[Edge], list[Edge]]:
        """Direct what follows by Meek's rules; return all edges, directed and undirected."""
        rank, order, children = self._rank, self._order, self._children
        arrows = [(i, j) for i, heads in enumerate(children) for j in heads]
        edges = [(rank[x], rank[y]) for x, y in self._graph.edges()]
        lines = [(i, j) for i, j in edges if j not in children[i] and i not in children[j]]
        left_open = {
            (min(rank[a], rank[b]), rank[middle], max(rank[a], rank[b]))
            for a, middle, b in ambiguous
        }
        found = close_under_meek(len(order), arrows, lines, ambiguous=left_open)
        if not _is_acyclic(len(order), found[0]):
            found = close_under_meek(len(order), arrows, lines, ambiguous=left_open, guarded=True)
        directed, undirected = ([(order[i], order[j]) for i, j in pairs] for pairs in found)
        return directed, undirected

    def notes(
        self, found: Colliders, directed: Iterable[Edge], undirected: Iterable[Edge]
    ) -> Iterator[str]:
        """Say what the directions leave open."""
        if self._n_removed:
            yield (
                "Edges left out because what is known would direct them in a cycle: "
                f"{self._n_removed}."
            )
        if self._n_left_out:
            yield (
                "V-structures left out because they contradict stronger ones or what is known: "
                f"{self._n_left_out} of {len(found.colliders)}."
            )
        if found.ambiguous:
            yield (
                f"Triples that may or may not be v-structures: {len(found.ambiguous)}; no "
                "direction rests on them."
            )
        elif not self._has_extension(directed, undirected):
            yield (
                "No directed acyclic graph has these edges and just these v-structures, because "
                "some tests contradict each other."
            )

    def _has_extension(self, directed: Iterable[Edge], undirected: Iterable[Edge]) -> bool:
        rank, n = self._rank, len(self._order)
        arrows = [(rank[x], rank[y]) for x, y in directed]
        lines = [(rank[x], rank[y]) for x, y in undirected]
        both_ways = lines + [(j, i) for i, j in lines]
        return consistent_extension(index_lists(n, arrows), index_lists(n, both_ways)) is not None

    def _orient(self, tail: int, head: int) -> None:
        self._children[self._rank[tail]].add(self._rank[head])

    def _reaches(self, start: int, end: int) -> bool:
        return self._rank[end] in reached_from([self._rank[start]], self._children)

    def _strength(self, edge: Edge) -> tuple[float, float, list[int]]:
        test = self._graph.survived[frozenset(edge)]
        return test.log_p, -abs(test.statistic), sorted(self._rank[x] for x in edge)


def _is_acyclic(n_nodes: int, arrows: IndexPairs) -> bool:
    parents = index_lists(n_nodes, ((head, tail) for tail, head in arrows))
    return len(parents_first(parents, index_lists(n_nodes, arrows))) == n_nodes
