"""From adjacencies and colliders to a pattern.

Knowledge directs first. Then come the colliders, the strongest first: one that contradicts what is
directed already, or would close a cycle, is left out and counted. Meek's rules do the rest. Nodes
are in the order of their names meanwhile, so that even where tests contradict each other the order
of the columns decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from eiderdown.graphs.equivalence import IndexPairs, close_under_meek, consistent_extension
from eiderdown.graphs.named_graph import index_lists
from eiderdown.graphs.separation import parents_first, reached_from
from eiderdown.independence import IndependenceResult
from eiderdown.knowledge import ColumnKnowledge
from eiderdown.structure.adjacencies import Adjacencies, Triple
from eiderdown.structure.colliders import Verdicts
from eiderdown.structure.search import Edge, StructureFound, StructureSearch, ordered


def oriented(
    search: StructureSearch,
    graph: Adjacencies,
    verdicts: Verdicts,
    *,
    complete: bool = True,
    notes: Sequence[str] = (),
) -> StructureFound:
    """Direct what the verdicts and knowledge direct, and what follows from it.

    Parameters
    ----------
    search : StructureSearch
        The question.
    graph : Adjacencies
        The edges; those that knowledge turns out to forbid are removed from it.
    verdicts : Verdicts
        Which triples are colliders.
    complete : bool
        Whether the search came to its end.
    notes : sequence of str
        What the user should know already.
    """
    arrows = _Arrows(search, graph)
    if search.knowledge is not None:
        arrows.follow(search.knowledge)
    for triple in verdicts.colliders:
        arrows.collide(triple)
    directed, undirected = arrows.closed(verdicts.undecided)
    return StructureFound(
        nodes=tuple(sorted(graph.adjacent)),
        directed=tuple(sorted(directed)),
        undirected=ordered(undirected),
        is_cpdag=True,
        separating_sets={pair: test.given for pair, test in graph.separated.items()},
        edge_evidence=_evidence(graph, directed, ordered(undirected)),
        complete=complete,
        notes=(*notes, *(arrows.notes(verdicts, directed, undirected) if complete else ())),
    )


class _Arrows:
    """Directions of some of the edges, which form no cycle."""

    def __init__(self, search: StructureSearch, graph: Adjacencies) -> None:
        self._order = sorted(graph.adjacent, key=search.the_test.name_rank.__getitem__)
        self._place = {node: i for i, node in enumerate(self._order)}
        self._graph = graph
        self._children: list[set[int]] = [set() for _ in self._order]
        self._n_left_out = 0
        self._n_removed = 0

    def follow(self, knowledge: ColumnKnowledge) -> None:
        """Direct the edges that knowledge allows one way only, the strongest first.

        Tests may join variables that knowledge would then direct in a circle; the weakest edge of
        the circle is removed.
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
                self._graph.remove(frozenset((tail, head)))
                self._n_removed += 1
            else:
                self._direct(tail, head)

    def collide(self, triple: Triple) -> None:
        """Direct both edges to the middle, unless that contradicts what is directed already."""
        a, middle, b = triple
        if not self._graph.adjacent[middle].issuperset((a, b)):
            return
        if self._reaches(middle, a) or self._reaches(middle, b):
            self._n_left_out += 1
            return
        self._direct(a, middle)
        self._direct(b, middle)

    def closed(self, undecided: Iterable[Triple]) -> tuple[list[Edge], list[Edge]]:
        """Direct what follows by Meek's rules; return all edges, directed and undirected."""
        place, order, children = self._place, self._order, self._children
        arrows = [(i, j) for i, heads in enumerate(children) for j in heads]
        edges = [(place[x], place[y]) for x, y in self._graph.edges()]
        lines = [(i, j) for i, j in edges if j not in children[i] and i not in children[j]]
        ambiguous = {
            (min(place[a], place[b]), place[middle], max(place[a], place[b]))
            for a, middle, b in undecided
        }
        found = close_under_meek(len(order), arrows, lines, ambiguous=ambiguous)
        if not _is_acyclic(len(order), found[0]):
            found = close_under_meek(len(order), arrows, lines, ambiguous=ambiguous, guarded=True)
        directed, undirected = ([(order[i], order[j]) for i, j in pairs] for pairs in found)
        return directed, undirected

    def notes(
        self, verdicts: Verdicts, directed: Iterable[Edge], undirected: Iterable[Edge]
    ) -> list[str]:
        """Say what the directions leave open."""
        said = []
        if self._n_removed:
            said.append(
                "Edges left out because what is known would direct them in a circle: "
                f"{self._n_removed}."
            )
        if self._n_left_out:
            said.append(
                "V-structures left out because they contradict stronger ones or what is known: "
                f"{self._n_left_out} of {len(verdicts.colliders)}."
            )
        if verdicts.undecided:
            said.append(
                f"Triples that may or may not be v-structures: {len(verdicts.undecided)}; no "
                "direction rests on them."
            )
        elif not self._has_extension(directed, undirected):
            said.append(
                "No directed acyclic graph has these edges and just these v-structures, because "
                "some tests contradict each other."
            )
        return said

    def _has_extension(self, directed: Iterable[Edge], undirected: Iterable[Edge]) -> bool:
        place, n = self._place, len(self._order)
        arrows = [(place[x], place[y]) for x, y in directed]
        lines = [(place[x], place[y]) for x, y in undirected]
        both_ways = lines + [(j, i) for i, j in lines]
        return consistent_extension(index_lists(n, arrows), index_lists(n, both_ways)) is not None

    def _direct(self, tail: int, head: int) -> None:
        self._children[self._place[tail]].add(self._place[head])

    def _reaches(self, start: int, end: int) -> bool:
        return self._place[end] in reached_from([self._place[start]], self._children)

    def _strength(self, edge: Edge) -> tuple[float, float, list[int]]:
        test = self._graph.survived[frozenset(edge)]
        return test.log_p, -test.statistic, sorted(self._place[x] for x in edge)


def _is_acyclic(n_nodes: int, arrows: IndexPairs) -> bool:
    parents = index_lists(n_nodes, ((head, tail) for tail, head in arrows))
    return len(parents_first(parents, index_lists(n_nodes, arrows))) == n_nodes


def _evidence(
    graph: Adjacencies, directed: Iterable[Edge], undirected: Iterable[Edge]
) -> dict[Edge, IndependenceResult]:
    """Tell each edge's test as one of its first node against its second."""
    return {
        (x, y): replace(graph.survived[frozenset((x, y))], x=x, y=y)
        for x, y in (*directed, *undirected)
    }
