"""A graph in layers, in which an edge that passes layers is a chain with a waypoint in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from eiderdown.graphs.named_graph import index_lists
from eiderdown.report.layout.order import Layers, uncrossed

_WAYPOINT_WIDTH = 0.12


@dataclass(frozen=True)
class Chains:
    """Nodes and waypoints; those up to ``n_boxes`` are nodes, the others waypoints.

    Attributes
    ----------
    n_boxes : int
        Number of nodes.
    widths : tuple of float
        How much room each node and each waypoint takes.
    depth : tuple of int
        Their layers.
    chains : tuple of tuple of int
        For each edge its upper node, its waypoints, and its lower node.
    """

    n_boxes: int
    widths: tuple[float, ...]
    depth: tuple[int, ...]
    chains: tuple[tuple[int, ...], ...]

    @cached_property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """The (upper, lower) pairs of all chains; each goes from one layer to the next."""
        return tuple(step for chain in self.chains for step in pairwise(chain))

    def is_box(self, node: int) -> bool:
        """Tell nodes from waypoints."""
        return node < self.n_boxes

    def ordered(self, first: Mapping[int, float] | None = None) -> Layers:
        """Return nodes and waypoints by layer, in an order with few crossings.

        Parameters
        ----------
        first : mapping of int to float or None
            How far to the right each node may stand at first; None to put nodes near those that
            they have an edge with.
        """
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

    Parameters
    ----------
    widths : sequence of float
        How much room each node takes.
    ends : sequence of (int, int)
        The (upper, lower) nodes of each edge.
    depth : sequence of int
        The layer of each node.

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
