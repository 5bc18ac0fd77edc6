"""Edges counted over graphs: in how many two columns were joined, and which way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from eiderdown.data import Dataset
from eiderdown.graphs.named_graph import NamedGraph
from eiderdown.results import EdgeFrequency

Learner: TypeAlias = Callable[[Dataset, int], NamedGraph]
"""Learns a graph from a table; the number is a seed for random choices."""


@dataclass
class Tally:
    """What was counted so far; sums, so that the order of the graphs does not matter.

    Attributes
    ----------
    n_graphs : int
        How many graphs there were.
    nodes : Counter
        In how many graphs each column was.
    directed, undirected : Counter
        In how many graphs each pair was joined: (tail, head), or two names in order.

    Examples
    --------
    >>> from eiderdown.graphs import PDAG
    >>> tally = Tally()
    >>> for edges in ("a->b, c", "a--b, c", "a, b, c", "a--b--c"):
    ...     tally.add(PDAG.from_string(edges))
    >>> tally.edge_frequencies()[0]
    EdgeFrequency(left='a', right='b', adjacent=0.75, forward=0.25, backward=0.0)
    """

    n_graphs: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    directed: Counter[tuple[str, str]] = field(default_factory=Counter)
    undirected: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, graph: NamedGraph) -> None:
        """Count the edges of one graph."""
        self.n_graphs += 1
        self.nodes.update(graph.nodes)
        for left, arrow, right in graph.marked_edges():
            if arrow == "->":
                self.directed[left, right] += 1
            else:
                self.undirected[min(left, right), max(left, right)] += 1

    def node_shares(self) -> dict[str, float]:
        """Return how often each column was in a graph, in the order of names."""
        return {name: self.nodes[name] / self.n_graphs for name in sorted(self.nodes)}

    def edge_frequencies(self) -> tuple[EdgeFrequency, ...]:
        """Return the edges, the most frequent first, then by names."""
        pairs = {(min(pair), max(pair)) for pair in (*self.directed, *self.undirected)}
        found = [self._frequency(left, right) for left, right in pairs]
        return tuple(sorted(found, key=lambda edge: (-edge.adjacent, edge.left, edge.right)))

    def _frequency(self, left: str, right: str) -> EdgeFrequency:
        forward, backward = self.directed[left, right], self.directed[right, left]
        adjacent = forward + backward + self.undirected[left, right]
        n = self.n_graphs
        return EdgeFrequency(left, right, adjacent / n, forward / n, backward / n)
