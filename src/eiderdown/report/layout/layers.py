"""Which nodes are above which: edges without cycles, and short ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eiderdown.graphs.named_graph import IndexLists, index_lists
from eiderdown.graphs.separation import parents_first, reached_from

_N_ROUNDS = 10  # layers settle after a few


class Link(NamedTuple):
    """An edge to draw: from one node to another, or between them if it has no direction."""

    tail: int
    head: int
    directed: bool = True


def downward(n_nodes: int, links: Sequence[Link]) -> list[bool]:
    """Say for each edge whether its tail is to be above its head, so that there is no cycle.

    Parameters
    ----------
    n_nodes : int
        The nodes are 0, 1, ...
    links : sequence of Link
        The edges; of those that form a cycle the later ones point up.

    Examples
    --------
    >>> downward(3, [Link(0, 1), Link(1, 2), Link(2, 0)])
    [True, True, False]
    """
    below: list[set[int]] = [set() for _ in range(n_nodes)]
    for tail, head, directed in links:
        if directed and tail not in reached_from([head], below):
            below[tail].add(head)
    pairs = [(node, other) for node, others in enumerate(below) for other in others]
    rank = {node: place for place, node in enumerate(_order(n_nodes, pairs))}
    return [rank[link.tail] < rank[link.head] for link in links]


def depths(n_nodes: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each node: below what it hangs from, and no further than it must.

    Parameters
    ----------
    n_nodes : int
        The nodes are 0, 1, ...
    pairs : sequence of (int, int)
        (upper, lower) nodes, without a cycle.

    Examples
    --------
    >>> depths(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    above, below = _families(n_nodes, pairs)
    order = _order(n_nodes, pairs)
    depth = [0] * n_nodes
    for node in order:
        depth[node] = 1 + max((depth[other] for other in above[node]), default=-1)
    for _ in range(_N_ROUNDS):
        before = list(depth)
        for node in reversed(order):
            depth[node] = _shortest(node, depth, above[node], below[node])
        if depth == before:
            break
    top = min(depth, default=0)
    return [place - top for place in depth]


def _shortest(node: int, depth: list[int], above: Sequence[int], below: Sequence[int]) -> int:
    """Move a node, within the reach of its edges, to the side with more of them."""
    if len(below) > len(above):
        return min(depth[other] for other in below) - 1
    if len(above) > len(below):
        return max(depth[other] for other in above) + 1
    return depth[node]


def _families(n_nodes: int, pairs: Sequence[tuple[int, int]]) -> tuple[IndexLists, IndexLists]:
    return index_lists(n_nodes, [(low, up) for up, low in pairs]), index_lists(n_nodes, pairs)


def _order(n_nodes: int, pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return parents_first(*_families(n_nodes, pairs))
