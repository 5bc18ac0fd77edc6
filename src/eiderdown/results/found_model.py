"""One of the distinct models that repeated searches found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eiderdown.graphs import PDAG


@dataclass(frozen=True)
class FoundModel:
    """A model and how often it was found.

    Attributes
    ----------
    directed : tuple of (str, str)
        The directed edges of its essential graph, as (tail, head).
    undirected : tuple of (str, str)
        The undirected ones.
    score : float or None
        Its score, where the search has one.
    n_runs : int
        How many runs found it.
    neighbours : tuple of (str, str) or None
        Markov-blanket neighbours, for a boundary that was found by itself; None for a graph, where
        they follow from the edges.
    """

    directed: tuple[tuple[str, str], ...]
    undirected: tuple[tuple[str, str], ...]
    score: float | None
    n_runs: int
    neighbours: tuple[tuple[str, str], ...] | None = None

    @property
    def n_edges(self) -> int:
        """Number of edges of either sort."""
        return len(self.directed) + len(self.undirected)

    def graph(self, nodes: Iterable[str]) -> PDAG:
        """Return the essential graph over some columns.

        Examples
        --------
        >>> FoundModel((("A", "B"),), (("B", "C"),), -10.0, 3).graph(["A", "B", "C"])
        PDAG.from_string('A->B, B--C')
        """
        return PDAG(nodes, self.directed, self.undirected)
