"""What the edges of a learned graph say if hidden variables may be causes.

D. Colombo, M. Maathuis, M. Kalisch & T. Richardson, "Learning high-dimensional directed acyclic
graphs with latent and selection variables" (Annals of Statistics 40, 2012): the rules of RFCI. They
need the adjacencies of a graph and what separates other pairs, and no search over all columns, so
they do for a region as well.

A triple is decided by a set that separates its ends, of which no variable can be spared, if either
end depends on the middle given the rest of that set (their lemma 3.1). Then the middle is a cause
of one of the ends if it is in the set, and of neither if it is not. Ours is that in the second case
the ends must also depend on each other given the middle as well; and that an edge that a separating
set of others turns out to explain is not removed, but the triple left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from eiderdown.graphs.ancestral import MarkedGraph, Triple
from eiderdown.progress import Cancelled
from eiderdown.structure.problem import Edge, StructureFound, StructureProblem

MOST_SUBSETS_OF = 8
"""Of a separating set with more variables, not all subsets are tried: the path stays undecided."""


def with_ends(problem: StructureProblem, found: StructureFound) -> StructureFound:
    """Mark the ends of every edge, as far as tests decide about them.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a test.
    found : StructureFound
        A graph, with sets that separated pairs without an edge.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> from eiderdown.independence import OracleTest
    >>> oracle = OracleTest(DAG.from_string("A->C<-B, C->D"))
    >>> found = StructureFound(
    ...     nodes=(0, 1, 2, 3),
    ...     directed=((0, 1), (1, 3), (2, 1)),
    ...     separating_sets={frozenset((0, 2)): (), frozenset((0, 3)): (1,)},
    ... )
    >>> oracle.names
    ('A', 'C', 'B', 'D')
    >>> with_ends(StructureProblem(4, test=oracle), found).ends
    {(0, 1): ('circle', 'arrow'), (1, 3): ('tail', 'arrow'), (2, 1): ('circle', 'arrow')}
    """
    edges = (*found.directed, *found.undirected)
    evidence = _Evidence(problem, found, edges)
    try:
        graph = evidence.marked()
    except Cancelled:
        return replace(found, complete=False)
    return replace(found, ends={edge: graph.ends(*edge) for edge in edges})


class _Evidence:
    """Tests about the triples and paths of a graph."""

    def __init__(
        self, problem: StructureProblem, found: StructureFound, edges: Sequence[Edge]
    ) -> None:
        self._problem, self._test = problem, problem.the_test
        rank = self._test.name_rank
        near: dict[int, set[int]] = {node: set() for node in found.nodes}
        for x, y in edges:
            near[x].add(y)
            near[y].add(x)
        # In the order of names, so that the order of the columns decides nothing.
        self._adjacent = {
            x: sorted(near[x], key=rank.__getitem__) for x in sorted(near, key=rank.__getitem__)
        }
        self._known = found.separating_sets
        self._minimal: dict[frozenset[int], tuple[int, ...] | None] = {}

    def marked(self) -> MarkedGraph:
        """Decide about triples, and place every mark that follows."""
        colliders: list[Triple] = []
        others: list[Triple] = []
        for triple in self._unshielded():
            decided = self._is_collider(triple)
            if decided is not None:
                (colliders if decided else others).append(triple)
            self._problem.trace.progressed("marking ends", len(colliders) + len(others))
        graph = MarkedGraph(self._adjacent, others, self._known.keys())
        graph.collide(colliders)
        graph.apply_rules(self._is_collider_on)
        return graph

    def _unshielded(self) -> Iterator[Triple]:
        for middle, near in self._adjacent.items():
            for a, b in combinations(near, 2):
                if b not in self._adjacent[a]:
                    yield a, middle, b

    def _is_collider(self, triple: Triple) -> bool | None:
        """Lemma 3.1: decide by a minimal separating set; None if it does not decide."""
        a, middle, b = triple
        given = self._separating(a, b)
        if given is None:
            return None
        rest = tuple(z for z in given if z != middle)
        if not (self._dependent(a, middle, rest) and self._dependent(b, middle, rest)):
            return None
        if middle in given:
            return False
        return True if self._dependent(a, b, (*given, middle)) else None

    def _is_collider_on(self, path: Sequence[int]) -> bool | None:
        """Lemma 3.2: decide about the last node but one of a discriminating path.

        Its first node and its last were separated. Neighbours on the path must depend on each
        other given every subset of what separated these two.
        """
        given = self._separating(path[0], path[-1])
        if given is None or len(given) > MOST_SUBSETS_OF:
            return None
        for x, y in pairwise(path):
            others = [z for z in given if z not in (x, y)]
            subsets = (s for n in range(len(others) + 1) for s in combinations(others, n))
            if not all(self._dependent(x, y, subset) for subset in subsets):
                return None
        return path[-2] not in given

    def _separating(self, a: int, b: int) -> tuple[int, ...] | None:
        """Return a set that separates two nodes, of which no variable can be spared."""
        pair = frozenset((a, b))
        if pair not in self._minimal:
            known = self._known.get(pair)
            self._minimal[pair] = None if known is None else self._reduced(a, b, known)
        return self._minimal[pair]

    def _reduced(self, a: int, b: int, known: tuple[int, ...]) -> tuple[int, ...] | None:
        """Spare variables while the rest separates; None if by a test of its own nothing does."""
        kept = sorted(known, key=self._test.name_rank.__getitem__)
        if not self._independent(a, b, kept):
            return None
        for z in list(kept):
            rest = [other for other in kept if other != z]
            if self._independent(a, b, rest):
                kept = rest
        return tuple(kept)

    def _independent(self, x: int, y: int, given: Sequence[int]) -> bool:
        first, second = sorted((x, y), key=self._test.name_rank.__getitem__)
        return self._test.test(first, second, tuple(given)).independent(self._problem.alpha)

    def _dependent(self, x: int, y: int, given: Sequence[int]) -> bool:
        most = self._problem.max_given
        if most is not None and len(given) > most:
            return False
        first, second = sorted((x, y), key=self._test.name_rank.__getitem__)
        return self._test.test(first, second, tuple(given)).dependent(self._problem.alpha)
