"""Markov equivalence classes: from a DAG to its CPDAG and back, and Meek's orientation rules.

Two DAGs say the same about independence exactly when they have the same adjacencies and the same
v-structures, a -> c <- b with a and b not adjacent (T. Verma and J. Pearl, "Equivalence and
synthesis of causal models", UAI 1990). The CPDAG (essential graph) orients the edges on which all
DAGs of a class agree: those of the v-structures, and what Meek's rules conclude from them. A DAG
of the class is found again by the method of D. Dor and M. Tarsi, "A simple algorithm to construct
a consistent extension of a partially oriented graph" (UCLA, 1992).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import TypeAlias

from eiderdown.graphs.separation import AdjacencyLists, reached_from

IndexPairs: TypeAlias = list[tuple[int, int]]
Triple: TypeAlias = tuple[int, int, int]


def unshielded_colliders(parents: AdjacencyLists, adjacent: AdjacencyLists) -> Iterator[Triple]:
    """Yield (a, child, b) for every a -> child <- b with a before b and the two not adjacent.

    Examples
    --------
    >>> list(unshielded_colliders([[], [], [0, 1]], [[2], [2], [0, 1]]))
    [(0, 2, 1)]
    """
    for child, family in enumerate(parents):
        adjacent_to = {a: set(adjacent[a]) for a in family} if len(family) > 1 else {}
        for a, b in combinations(sorted(family), 2):
            if b not in adjacent_to[a]:
                yield a, child, b


def cpdag_edges(parents: AdjacencyLists, adjacent: AdjacencyLists) -> tuple[IndexPairs, IndexPairs]:
    """Return the directed and the undirected edges of the CPDAG of a DAG.

    Examples
    --------
    >>> cpdag_edges([[], [0], [1]], [[1], [0, 2], [1]])
    ([], [(0, 1), (1, 2)])
    """
    colliding = {
        (parent, child)
        for a, child, b in unshielded_colliders(parents, adjacent)
        for parent in (a, b)
    }
    edges = ((parent, child) for child, family in enumerate(parents) for parent in family)
    return close_under_meek(len(parents), colliding, [e for e in edges if e not in colliding])


class _EdgeSets:
    """A PDAG that changes while it is oriented or taken apart."""

    def __init__(
        self,
        n_nodes: int,
        directed: Iterable[tuple[int, int]],
        undirected: Iterable[tuple[int, int]],
    ) -> None:
        self.parents: list[set[int]] = [set() for _ in range(n_nodes)]
        self.children: list[set[int]] = [set() for _ in range(n_nodes)]
        self.undirected: list[set[int]] = [set() for _ in range(n_nodes)]
        for a, b in undirected:
            self.undirected[a].add(b)
            self.undirected[b].add(a)
        for tail, head in directed:
            self.children[tail].add(head)
            self.parents[head].add(tail)
        together = zip(self.parents, self.children, self.undirected, strict=True)
        self.adjacent = [a | b | c for a, b, c in together]

    def orient(self, tail: int, head: int) -> None:
        self.undirected[tail].remove(head)
        self.undirected[head].remove(tail)
        self.children[tail].add(head)
        self.parents[head].add(tail)

    def remove(self, node: int) -> None:
        for other in self.adjacent[node]:
            for sets in (self.parents, self.children, self.undirected, self.adjacent):
                sets[other].discard(node)


def close_under_meek(
    n_nodes: int,
    directed: Iterable[tuple[int, int]],
    undirected: Iterable[tuple[int, int]],
    *,
    ambiguous: Collection[Triple] = frozenset(),
    guarded: bool = False,
) -> tuple[IndexPairs, IndexPairs]:
    """Orient every undirected edge that Meek's rules can orient.

    C. Meek, "Causal inference and causal explanation with background knowledge" (UAI 1995). For an
    undirected edge a - b, the rules say a -> b when

    - R1: c -> a, and c is not adjacent to b (else c -> a <- b would be a new v-structure);
    - R2: a -> c -> b (else there would be a cycle);
    - R3: a - c -> b and a - d -> b, with c and d not adjacent;
    - R4: a - d -> c -> b, with d not adjacent to b and a adjacent to c.

    R1 to R3 complete a CPDAG whose v-structures are oriented; R4 is needed only when further edges
    were oriented from background knowledge. Every rule has a directed edge among its premises, so
    it is enough to look, once for each edge that is or becomes directed, at the rules in which
    that edge can play a part. A premise that asks for an undirected edge cannot be missed in this
    way: an edge that is undirected at the end was undirected all along.

    R1, R3 and R4 each rest on one triple whose middle is known to be no collider: c-a-b, c-a-d and
    d-a-b. A search that could not decide about a triple can say so; then no rule rests on it
    (J. Ramsey, J. Zhang and P. Spirtes, "Adjacency-faithfulness and conservative causal
    inference", UAI 2006): ``ambiguous`` triples (a, middle, b), a < b, may be colliders or not.
    ``guarded``, an edge stays undirected if its direction would close a cycle: only premises that
    contradict one another lead to one, and the guard takes time for each edge.

    Examples
    --------
    >>> close_under_meek(3, [(0, 1)], [(1, 2)])
    ([(0, 1), (1, 2)], [])
    >>> close_under_meek(3, [(0, 1)], [(1, 2)], ambiguous={(0, 1, 2)})
    ([(0, 1)], [(1, 2)])
    """
    graph = _Meek(n_nodes, directed, undirected)
    graph.ambiguous = ambiguous
    pending = [(tail, head) for tail, heads in enumerate(graph.children) for head in heads]
    while pending:
        for a, b in graph.conclusions(*pending.pop()):
            if guarded and a in reached_from([b], graph.children):
                continue
            graph.orient(a, b)
            pending.append((a, b))
    return (
        sorted((tail, head) for tail, heads in enumerate(graph.children) for head in heads),
        sorted((a, b) for a, others in enumerate(graph.undirected) for b in others if a < b),
    )


class _Meek(_EdgeSets):
    """A PDAG with the conclusions of each rule from one directed edge.

    No two conclusions are opposite: R1 points to a node not adjacent to ``tail``, R4 at first does
    so from one that is, and all others point to ``head`` or away from ``tail``.
    """

    ambiguous: Collection[Triple] = frozenset()

    def conclusions(self, tail: int, head: int) -> list[tuple[int, int]]:
        """Return the orientations that follow from ``tail -> head``, sorted."""
        if not self.undirected[tail] and not self.undirected[head]:
            return []  # every rule orients an edge of one of them
        rules = (self._r1, self._r2, self._r3, self._r4)
        return sorted({found for rule in rules for found in rule(tail, head)})

    def _is_decided(self, a: int, middle: int, b: int) -> bool:
        return (min(a, b), middle, max(a, b)) not in self.ambiguous

    def _r1(self, c: int, a: int) -> Iterator[tuple[int, int]]:
        for b in self.undirected[a] - self.adjacent[c]:
            if self._is_decided(c, a, b):
                yield a, b

    def _r2(self, tail: int, head: int) -> Iterator[tuple[int, int]]:
        # The edge as a -> c, then as c -> b.
        for b in self.children[head] & self.undirected[tail]:
            yield tail, b
        for a in self.parents[tail] & self.undirected[head]:
            yield a, head

    def _r3(self, c: int, b: int) -> Iterator[tuple[int, int]]:
        for a in self.undirected[b] & self.undirected[c]:
            others = (self.parents[b] & self.undirected[a]) - self.adjacent[c] - {c}
            if any(self._is_decided(c, a, d) for d in others):
                yield a, b

    def _r4(self, tail: int, head: int) -> Iterator[tuple[int, int]]:
        # The edge as d -> c, then as c -> b.
        for b in self.children[head] - self.adjacent[tail]:
            for a in self.undirected[tail] & self.undirected[b] & self.adjacent[head]:
                if self._is_decided(tail, a, b):
                    yield a, b
        for d in self.parents[tail] - self.adjacent[head]:
            for a in self.undirected[d] & self.undirected[head] & self.adjacent[tail]:
                if self._is_decided(d, a, head):
                    yield a, head


def consistent_extension(children: AdjacencyLists, undirected: AdjacencyLists) -> IndexPairs | None:
    """Orient the undirected edges so that no cycle and no v-structure is new (Dor and Tarsi).

    Examples
    --------
    >>> consistent_extension([[], [], []], [[1], [0, 2], [1]])
    [(1, 0), (2, 1)]
    """
    graph = _EdgeSets(
        len(children),
        ((tail, head) for tail, heads in enumerate(children) for head in heads),
        ((a, b) for a, others in enumerate(undirected) for b in others if a < b),
    )
    found: IndexPairs = []
    present = set(range(len(children)))
    waiting = deque(range(len(children)))
    while waiting:
        x = waiting.popleft()
        # x must be (a) a sink, with (b) its undirected neighbours adjacent to all around it.
        if x not in present or graph.children[x]:
            continue
        around = graph.adjacent[x]
        if any(around - graph.adjacent[y] != {y} for y in graph.undirected[x]):
            continue
        # Orient y -> x for all of them and remove x; then only nodes around it can be new sinks.
        found.extend((y, x) for y in sorted(graph.undirected[x]))
        present.remove(x)
        graph.remove(x)
        waiting.extend(sorted(around))
    return None if present else found
