"""The order of nodes within layers, such that few edges cross."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from eiderdown.graphs.named_graph import IndexLists

Layers: TypeAlias = list[list[int]]

_N_SWEEPS = 24


def uncrossed(layers: Layers, above: IndexLists, below: IndexLists) -> Layers:
    """Put the nodes of each layer in an order in which few edges cross.

    Parameters
    ----------
    layers : list of list of int
        Nodes by layer, from the top; the first order to try.
    above, below : sequence of sequence of int
        The nodes in the next layers that each node has edges with.

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
        _swap_neighbours(current, above, below)
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


def _swap_neighbours(layers: Layers, above: IndexLists, below: IndexLists) -> None:
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
