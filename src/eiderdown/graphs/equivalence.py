"""Markov equivalence classes: from a DAG to its essential graph and back.

Two DAGs say the same about independence exactly when they have the same adjacencies and the same
colliders with non-adjacent parents (T. Verma and J. Pearl, "Equivalence and synthesis of causal
models", UAI 1990). The essential graph (CPDAG) directs the edges on which all DAGs of a class
agree. A DAG of the class is found again by the method of D. Dor and M. Tarsi, "A simple algorithm
to construct a consistent extension of a partially oriented graph" (UCLA, 1992).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import combinations

from eiderdown.graphs.meek import IndexPairs, close_under_meek
from eiderdown.graphs.traversal import AdjacencyLists


def unshielded_colliders(
    parents: AdjacencyLists, adjacent: AdjacencyLists
) -> Iterator[tuple[int, int, int]]:
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


def essential_edges(
    parents: AdjacencyLists, adjacent: AdjacencyLists
) -> tuple[IndexPairs, IndexPairs]:
    """Return the directed and the undirected edges of the essential graph of a DAG.

    Examples
    --------
    >>> essential_edges([[], [0], [1]], [[1], [0, 2], [1]])
    ([], [(0, 1), (1, 2)])
    """
    colliding = {
        (parent, child)
        for a, child, b in unshielded_colliders(parents, adjacent)
        for parent in (a, b)
    }
    free = [
        (parent, child)
        for child, family in enumerate(parents)
        for parent in family
        if (parent, child) not in colliding
    ]
    return close_under_meek(len(parents), colliding, free)


def extension_edges(children: AdjacencyLists, neighbours: AdjacencyLists) -> IndexPairs | None:
    """Direct the undirected edges so that no cycle and no unshielded collider is new.

    Returns
    -------
    list of (int, int) or None
        The directions of the undirected edges alone; None when there are none that will do.

    Examples
    --------
    >>> extension_edges([[], [], []], [[1], [0, 2], [1]])
    [(1, 0), (2, 1)]
    """
    remaining = _Remaining(children, neighbours)
    found: IndexPairs = []
    # Only the nodes adjacent to a removed one can have become removable.
    waiting = deque(range(len(children)))
    while waiting:
        node = waiting.popleft()
        if remaining.is_removable(node):
            found.extend((other, node) for other in sorted(remaining.neighbours[node]))
            waiting.extend(remaining.remove(node))
    return None if any(remaining.present) else found


class _Remaining:
    """What is left of a graph while Dor and Tarsi's method takes it apart, sinks first."""

    def __init__(self, children: AdjacencyLists, neighbours: AdjacencyLists) -> None:
        self.present = [True] * len(children)
        self.n_children = [len(heads) for heads in children]
        self.neighbours = [set(others) for others in neighbours]
        self.parents: list[set[int]] = [set() for _ in children]
        for tail, heads in enumerate(children):
            for head in heads:
                self.parents[head].add(tail)
        self.adjacent = [set(heads) | set(children[v]) for v, heads in enumerate(neighbours)]
        for node, family in enumerate(self.parents):
            self.adjacent[node] |= family

    def is_removable(self, node: int) -> bool:
        """Tell whether a node is a sink and its neighbours adjacent to all around it."""
        if not self.present[node] or self.n_children[node]:
            return False
        around = self.adjacent[node]
        return all(around - self.adjacent[other] == {other} for other in self.neighbours[node])

    def remove(self, node: int) -> list[int]:
        """Take a sink out; return the nodes it was adjacent to, in order."""
        self.present[node] = False
        for parent in self.parents[node]:
            self.n_children[parent] -= 1
        for other in self.neighbours[node]:
            self.neighbours[other].remove(node)
        around = sorted(self.adjacent[node])
        for other in around:
            self.adjacent[other].remove(node)
        return around
