"""Walks over adjacency lists of integers, all linear in the part of the graph they see.

An adjacency list is a sequence whose entry ``i`` holds the indices that node ``i`` leads to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TypeAlias

AdjacencyLists: TypeAlias = Sequence[Sequence[int]]


def reached_from(starts: Iterable[int], steps: Sequence[Iterable[int]]) -> set[int]:
    """Return the starts and every node that a path of ``steps`` leads to.

    Examples
    --------
    >>> sorted(reached_from([1], [[1], [2], [], [0]]))
    [1, 2]
    """
    reached = set(starts)
    pending = list(reached)
    while pending:
        for node in steps[pending.pop()]:
            if node not in reached:
                reached.add(node)
                pending.append(node)
    return reached


def within(start: int, depth: int, steps: AdjacencyLists) -> set[int]:
    """Return the nodes at most ``depth`` steps from ``start``, itself included.

    Examples
    --------
    >>> sorted(within(0, 1, [[1], [0, 2], [1]]))
    [0, 1]
    """
    reached = {start}
    ring = [start]
    for _ in range(depth):
        ring = list({node for inner in ring for node in steps[inner]} - reached)
        if not ring:
            break
        reached.update(ring)
    return reached


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


def find_cycle(parents: AdjacencyLists, ordered: Iterable[int]) -> list[int]:
    """Return one directed cycle, given the nodes that `parents_first` could put in order.

    The first node is repeated at the end. A node that could not be ordered has a parent that
    could not either, so walking up from any of them must come round to a node seen before.
    """
    unordered = set(range(len(parents))) - set(ordered)
    node = min(unordered)
    seen_at: dict[int, int] = {}
    walk: list[int] = []
    while node not in seen_at:
        seen_at[node] = len(walk)
        walk.append(node)
        node = next(parent for parent in parents[node] if parent in unordered)
    return [*walk[seen_at[node] :], node][::-1]
