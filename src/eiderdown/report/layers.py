"""Sugiyama's layers: edges go down, layers have few crossings, long edges have waypoints.

Edges are made to go down (:func:`downward`) and short (:func:`depths`), an edge that passes other
layers gets a waypoint in each of them (:class:`Chains`), and layers are put in an order with few
crossings (:func:`uncrossed`).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from eiderdown.graphs.named_graph import IndexLists, index_lists
from eiderdown.graphs.separation import parents_first, without_cycles

Layers: TypeAlias = list[list[int]]

_N_ROUNDS = 10  # depths do not change any more after a few
_N_SWEEPS = 24
_WAYPOINT_WIDTH = 0.12


class Link(NamedTuple):
    """An edge to draw: from one node to another, or between them if it has no direction."""

    tail: int
    head: int
    directed: bool = True


def downward(n_nodes: int, links: Sequence[Link]) -> list[bool]:
    """Say for each edge whether its tail is to be above its head, so that there is no cycle.

    Of edges that form a cycle the later ones point up.

    Examples
    --------
    >>> downward(3, [Link(0, 1), Link(1, 2), Link(2, 0)])
    [True, True, False]
    """
    pairs = without_cycles((tail, head) for tail, head, directed in links if directed)
    rank = {node: place for place, node in enumerate(_order(n_nodes, list(dict.fromkeys(pairs))))}
    return [rank[link.tail] < rank[link.head] for link in links]


def depths(n_nodes: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each node: below what it hangs from, and no further than it must.

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
            # Within the reach of its edges a node goes to the side with more of them.
            if len(below[node]) > len(above[node]):
                depth[node] = min(depth[other] for other in below[node]) - 1
            elif len(above[node]) > len(below[node]):
                depth[node] = max(depth[other] for other in above[node]) + 1
        if depth == before:
            break
    top = min(depth, default=0)
    return [place - top for place in depth]


def _families(n_nodes: int, pairs: Sequence[tuple[int, int]]) -> tuple[IndexLists, IndexLists]:
    return index_lists(n_nodes, [(low, up) for up, low in pairs]), index_lists(n_nodes, pairs)


def _order(n_nodes: int, pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return parents_first(*_families(n_nodes, pairs))


def uncrossed(layers: Layers, above: IndexLists, below: IndexLists) -> Layers:
    """Put the nodes of each layer in an order in which few edges cross, beginning with this one.

    Examples
    --------
    >>> uncrossed([[0, 1], [2, 3]], ((), (), (1,), (0,)), ((3,), (2,), (), ()))
    [[0, 1], [3, 2]]
    """
    current = [list(layer) for layer in layers]
    best, fewest = current, _crossings(current, below)
    for sweep in range(_N_SWEEPS):
        if fewest == 0:
            break
        current = [list(layer) for layer in current]
        down = sweep % 2 == 0
        places = range(1, len(current)) if down else range(len(current) - 2, -1, -1)
        for i in places:
            other = current[i - 1 if down else i + 1]
            _sort(current[i], other, above if down else below)
        _swap_adjacent(current, above, below)
        crossings = _crossings(current, below)
        if crossings < fewest:
            best, fewest = current, crossings
    return best


def _sort(layer: list[int], fixed: Sequence[int], joined: IndexLists) -> None:
    """Sort by the mean place of the nodes joined with; nodes without any keep their place."""
    place = {node: i for i, node in enumerate(fixed)}
    means = {
        node: sum(place[other] for other in joined[node]) / len(joined[node])
        for node in layer
        if joined[node]
    }
    movable = iter(sorted((node for node in layer if node in means), key=means.__getitem__))
    layer[:] = [next(movable) if node in means else node for node in layer]


def _swap_adjacent(layers: Layers, above: IndexLists, below: IndexLists) -> None:
    """Swap nodes side by side where fewer edges cross that way."""
    place = {node: i for layer in layers for i, node in enumerate(layer)}
    for layer in layers:
        for i in range(len(layer) - 1):
            left, right = layer[i], layer[i + 1]
            if _saved(left, right, above, place) + _saved(left, right, below, place) > 0:
                layer[i], layer[i + 1] = right, left
                place[left], place[right] = i + 1, i


def _saved(left: int, right: int, joined: IndexLists, place: Mapping[int, int]) -> int:
    """Count the crossings that go away, less those that come, when two nodes are swapped."""
    return sum(
        (place[a] > place[b]) - (place[a] < place[b]) for a in joined[left] for b in joined[right]
    )


def _crossings(layers: Layers, below: IndexLists) -> int:
    total = 0
    for layer, lower in pairwise(layers):
        place = {node: i for i, node in enumerate(lower)}
        seen: list[int] = []
        for node in layer:
            ends = [place[other] for other in below[node]]
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


@dataclass(frozen=True)
class Chains:
    """Nodes and waypoints; those up to ``n_boxes`` are nodes, the others waypoints."""

    n_boxes: int
    widths: tuple[float, ...]
    depth: tuple[int, ...]
    chains: tuple[tuple[int, ...], ...]  # of each edge: upper node, waypoints, lower node

    @cached_property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """The (upper, lower) pairs of all chains; each goes from one layer to the next."""
        return tuple(step for chain in self.chains for step in pairwise(chain))

    def is_box(self, node: int) -> bool:
        """Tell nodes from waypoints."""
        return node < self.n_boxes

    def ordered(self, first: Mapping[int, float] | None = None) -> Layers:
        """Return nodes and waypoints by layer, in an order with few crossings."""
        layers: Layers = [[] for _ in range(max(self.depth) + 1)]
        for node in self._walked() if first is None else self._sorted(first):
            layers[self.depth[node]].append(node)
        above = index_lists(len(self.widths), [(low, up) for up, low in self.steps])
        return uncrossed(layers, above, index_lists(len(self.widths), self.steps))

    def _walked(self) -> list[int]:
        both_ways = [pair for up, low in self.steps for pair in ((up, low), (low, up))]
        near = index_lists(len(self.widths), both_ways)
        seen: dict[int, None] = {}
        for start in range(self.n_boxes):
            pending = [start]
            while pending:
                node = pending.pop()
                if node not in seen:
                    seen[node] = None
                    pending += reversed(near[node])
        return list(seen)

    def _sorted(self, first: Mapping[int, float]) -> list[int]:
        """Sort by a first order, waypoints as the node that their edge goes down to."""
        key = dict(first)
        for chain in self.chains:
            key.update(dict.fromkeys(chain[1:-1], first[chain[-1]]))
        return sorted(range(len(self.widths)), key=lambda node: (key[node], node))


def chained(
    widths: Sequence[float], ends: Sequence[tuple[int, int]], depth: Sequence[int]
) -> Chains:
    """Give edges a waypoint in every layer that they pass.

    Examples
    --------
    >>> chained([1.0, 1.0, 1.0], [(0, 1), (1, 2), (0, 2)], [0, 1, 2]).chains
    ((0, 1), (1, 2), (0, 3, 2))
    """
    all_depths, chains = list(depth), []
    for upper, lower in ends:
        passed = range(depth[upper] + 1, depth[lower])
        chains.append((upper, *range(len(all_depths), len(all_depths) + len(passed)), lower))
        all_depths += passed
    room = (*widths, *[_WAYPOINT_WIDTH] * (len(all_depths) - len(widths)))
    return Chains(len(widths), room, tuple(all_depths), tuple(chains))
