"""Traversals of a graph, among them d-separation, all linear in what they see of it.

One search serves them all: `reached_from` follows a rule table that says, for every state, which
states may come next (the ``gensearch`` of the program gadjid, after Algorithm 6 of
arXiv:2211.16468). The adjacency lists of a graph are the rule table of its plain paths: children
give descendants, parents give ancestors. d-connecting paths have a rule table of their own, because
whether a path may go on depends on how it came to a node.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from eiderdown.arrays import BoolArray

AdjacencyLists: TypeAlias = Sequence[Sequence[int]]
"""Entry ``i`` holds the indices that node ``i`` leads to."""


Node = TypeVar("Node", bound=Hashable)


class RuleTable(Protocol[Node]):
    """The states that may follow each state."""

    def __getitem__(self, state: Node, /) -> Iterable[Node]: ...


def reached_from(
    starts: Iterable[Node], rules: RuleTable[Node], *, depth: int | None = None
) -> set[Node]:
    """Return the starts and every state that the rules lead to, within ``depth`` steps if given.

    Examples
    --------
    >>> sorted(reached_from([1], [[1], [2], [], [0]]))
    [1, 2]
    >>> sorted(reached_from([0], [[1], [0, 2], [1]], depth=1))
    [0, 1]
    """
    reached = set(starts)
    frontier = set(reached)
    while frontier and depth != 0:
        found: set[Node] = set()
        for state in frontier:
            found.update(rules[state])
        frontier = found - reached
        reached |= frontier
        depth = None if depth is None else depth - 1
    return reached


class _OpenPaths:
    """The rule table of d-connecting paths: Bayes ball (R. D. Shachter, UAI 1998).

    A path carries dependence when every collider on it is in ``given`` or has a descendant there,
    and no other node on it is in ``given``. State ``v`` is node v entered against an arrow, state
    ``v + n`` node v entered along one:

    ================  ======================  ============================
    entered           v not in given          v in given
    ================  ======================  ============================
    against an arrow  to parents, children    nowhere
    along an arrow    to children             to parents (v is a collider)
    ================  ======================  ============================

    The descendants of a collider need no rule: the path goes down to the one in ``given``, turns
    round there, and comes back up through the collider.
    """

    def __init__(self, parents: AdjacencyLists, children: AdjacencyLists, given: Set[int]) -> None:
        self._parents, self._children, self._given = parents, children, given
        self._n_nodes = len(parents)

    def __getitem__(self, state: int) -> Iterator[int]:
        n_nodes = self._n_nodes
        along = state >= n_nodes
        node = state - n_nodes if along else state
        is_given = node in self._given
        if not is_given:
            for child in self._children[node]:
                yield child + n_nodes
        if along == is_given:
            yield from self._parents[node]


def reachable(
    parents: AdjacencyLists, children: AdjacencyLists, x: int | Iterable[int], given: Iterable[int]
) -> BoolArray:
    """Tell for every node whether it is d-connected to ``x`` given ``given``.

    Parameters
    ----------
    parents, children : sequence of sequence of int
        The two adjacency lists of one DAG.
    x : int or iterable of int
        Where the paths begin; with several, a node counts when it is d-connected to any of them.
    given : iterable of int
        The conditioning set. It must not hold a member of ``x``; that is the caller's to check.

    Returns
    -------
    ndarray of bool
        One entry per node; False for the nodes of ``x`` and of ``given`` themselves.

    Examples
    --------
    The collider 0 -> 2 <- 1 keeps 0 and 1 apart until 2 is given:

    >>> parents, children = [[], [], [0, 1]], [[2], [2], []]
    >>> reachable(parents, children, 0, []).tolist()
    [False, False, True]
    >>> reachable(parents, children, 0, [2]).tolist()
    [False, True, False]
    """
    starts = [int(x)] if isinstance(x, int | np.integer) else list(x)
    conditions = set(given)
    # Paths leave x in both directions, as if it had been entered against an arrow.
    states = reached_from(starts, _OpenPaths(parents, children, conditions))
    connected = np.zeros((2, len(parents)), dtype=np.bool_)
    connected.ravel()[list(states)] = True
    result: BoolArray = connected[0] | connected[1]
    result[starts] = False
    result[list(conditions)] = False
    return result


def parents_first(parents: AdjacencyLists, children: AdjacencyLists) -> tuple[int, ...]:
    """Return the nodes in an order with parents first; nodes on or below a cycle are left out.

    Examples
    --------
    >>> parents_first([[1], [], [0]], [[2], [0], []])
    (1, 0, 2)
    """
    n_waiting = [len(family) for family in parents]
    ready = deque(node for node, n_parents in enumerate(n_waiting) if n_parents == 0)
    order = []
    while ready:
        node = ready.popleft()
        order.append(node)
        for child in children[node]:
            n_waiting[child] -= 1
            if n_waiting[child] == 0:
                ready.append(child)
    return tuple(order)


def without_cycles(edges: Iterable[tuple[Node, Node]]) -> list[tuple[Node, Node]]:
    """Return the edges (tail, head) that close no cycle with those before them.

    Examples
    --------
    >>> without_cycles([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")])
    [('a', 'b'), ('b', 'c'), ('a', 'c')]
    """
    children: defaultdict[Node, set[Node]] = defaultdict(set)
    kept = []
    for tail, head in edges:
        if tail not in reached_from([head], children):
            children[tail].add(head)
            kept.append((tail, head))
    return kept


def find_cycle(parents: AdjacencyLists, ordered: Iterable[int]) -> list[int]:
    """Return one directed cycle, its first node repeated at the end.

    ``ordered`` are the nodes that `parents_first` could put in order. A node that it could not has
    a parent that it could not either, so going up from any of them must come round.
    """
    unordered = set(range(len(parents))) - set(ordered)
    node = min(unordered)
    place: dict[int, int] = {}
    while node not in place:
        place[node] = len(place)
        node = next(parent for parent in parents[node] if parent in unordered)
    return [*list(place)[place[node] :], node][::-1]
