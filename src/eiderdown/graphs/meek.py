"""Meek's four orientation rules, applied until none of them fits.

C. Meek, "Causal inference and causal explanation with background knowledge" (UAI 1995). For an
undirected edge a - b, the rules say a -> b when

1. c -> a, and c is not adjacent to b (else c -> a <- b would be a new collider);
2. a -> c -> b (else there would be a cycle);
3. a - c -> b and a - d -> b, with c and d not adjacent;
4. a - d -> c -> b, with d not adjacent to b and a adjacent to c.

Rules 1 to 3 complete a pattern whose colliders are directed; rule 4 is needed only when further
edges were directed from background knowledge. Every rule has a directed edge among its premises,
so it is enough to look, once for each edge that is or becomes directed, at the rules in which
that edge can play a part. A premise that asks for an undirected edge cannot be missed in this way:
an edge that is undirected at the end was undirected all along.

Rules 1, 3 and 4 each rest on one triple of which it is known that its middle is no collider: c-a-b,
c-a-d and d-a-b. A search that could not decide about a triple can say so; then no rule rests on it
(J. Ramsey, J. Zhang and P. Spirtes, "Adjacency-faithfulness and conservative causal inference",
UAI 2006).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from eiderdown.graphs.traversal import reached_from

IndexPairs = list[tuple[int, int]]
Triple = tuple[int, int, int]


def close_under_meek(
    n_nodes: int,
    directed: Iterable[tuple[int, int]],
    undirected: Iterable[tuple[int, int]],
    *,
    ambiguous: Collection[Triple] = frozenset(),
    guarded: bool = False,
) -> tuple[IndexPairs, IndexPairs]:
    """Direct every undirected edge that Meek's rules can direct.

    Parameters
    ----------
    n_nodes : int
        Nodes are 0 to ``n_nodes - 1``.
    directed, undirected : iterable of (int, int)
        The edges to begin with; those in ``directed`` are (tail, head) and stay as they are.
    ambiguous : collection of (int, int, int)
        Triples (a, middle, b), a < b, whose middle may or may not be a collider.
    guarded : bool
        Leave an edge undirected if its direction would close a cycle. Only premises that contradict
        one another lead to one, and the guard takes time for each edge.

    Returns
    -------
    directed, undirected : list of (int, int)
        The edges afterwards, sorted; an undirected one has its lower node first.

    Examples
    --------
    >>> close_under_meek(3, [(0, 1)], [(1, 2)])
    ([(0, 1), (1, 2)], [])
    >>> close_under_meek(3, [(0, 1)], [(1, 2)], ambiguous={(0, 1, 2)})
    ([(0, 1)], [(1, 2)])
    """
    graph = _Orientation(n_nodes, directed, undirected, ambiguous)
    pending = graph.directed()
    while pending:
        tail, head = pending.pop()
        for a, b in sorted(set(_implied(graph, tail, head))):
            if guarded and a in reached_from([b], graph.children):
                continue
            graph.direct(a, b)
            pending.append((a, b))
    return sorted(graph.directed()), sorted(graph.undirected())


class _Orientation:
    """A graph whose undirected edges can be directed, one by one and for good."""

    def __init__(
        self,
        n_nodes: int,
        directed: Iterable[tuple[int, int]],
        undirected: Iterable[tuple[int, int]],
        ambiguous: Collection[Triple],
    ) -> None:
        self.ambiguous = ambiguous
        self.parents: list[set[int]] = [set() for _ in range(n_nodes)]
        self.children: list[set[int]] = [set() for _ in range(n_nodes)]
        self.neighbours: list[set[int]] = [set() for _ in range(n_nodes)]
        self.adjacent: list[set[int]] = [set() for _ in range(n_nodes)]
        for a, b in undirected:
            self.neighbours[a].add(b)
            self.neighbours[b].add(a)
            self.adjacent[a].add(b)
            self.adjacent[b].add(a)
        for tail, head in directed:
            self.children[tail].add(head)
            self.parents[head].add(tail)
            self.adjacent[tail].add(head)
            self.adjacent[head].add(tail)

    def direct(self, tail: int, head: int) -> None:
        self.neighbours[tail].remove(head)
        self.neighbours[head].remove(tail)
        self.children[tail].add(head)
        self.parents[head].add(tail)

    def is_decided(self, a: int, middle: int, b: int) -> bool:
        return (min(a, b), middle, max(a, b)) not in self.ambiguous

    def directed(self) -> IndexPairs:
        return [(tail, head) for tail, heads in enumerate(self.children) for head in heads]

    def undirected(self) -> IndexPairs:
        return [(a, b) for a, others in enumerate(self.neighbours) for b in others if a < b]


def _implied(graph: _Orientation, tail: int, head: int) -> Iterator[tuple[int, int]]:
    """Yield what each rule concludes from the directed edge ``tail -> head``.

    No two conclusions are opposite: rule 1 points to a node not adjacent to ``tail``, rule 4 at
    first does so from one that is, and all others point to ``head`` or away from ``tail``.
    """
    yield from _by_rule_1(graph, tail, head)
    yield from _by_rule_2(graph, tail, head)
    yield from _by_rule_3(graph, tail, head)
    yield from _by_rule_4(graph, tail, head)


def _by_rule_1(graph: _Orientation, c: int, a: int) -> Iterator[tuple[int, int]]:
    for b in graph.neighbours[a] - graph.adjacent[c]:
        if graph.is_decided(c, a, b):
            yield a, b


def _by_rule_2(graph: _Orientation, tail: int, head: int) -> Iterator[tuple[int, int]]:
    # The edge as a -> c, then as c -> b.
    for b in graph.children[head] & graph.neighbours[tail]:
        yield tail, b
    for a in graph.parents[tail] & graph.neighbours[head]:
        yield a, head


def _by_rule_3(graph: _Orientation, c: int, b: int) -> Iterator[tuple[int, int]]:
    for a in graph.neighbours[b] & graph.neighbours[c]:
        others = (graph.parents[b] & graph.neighbours[a]) - graph.adjacent[c] - {c}
        if any(graph.is_decided(c, a, d) for d in others):
            yield a, b


def _by_rule_4(graph: _Orientation, tail: int, head: int) -> Iterator[tuple[int, int]]:
    neighbours, adjacent = graph.neighbours, graph.adjacent
    # The edge as d -> c, then as c -> b.
    for b in graph.children[head] - adjacent[tail]:
        for a in neighbours[tail] & neighbours[b] & adjacent[head]:
            if graph.is_decided(tail, a, b):
                yield a, b
    for d in graph.parents[tail] - adjacent[head]:
        for a in neighbours[d] & neighbours[head] & adjacent[tail]:
            if graph.is_decided(d, a, head):
                yield a, head
