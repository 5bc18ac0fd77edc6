"""Undirected graphs: who is adjacent to whom, and nothing about direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.errors import GraphError
from eiderdown.graphs.adjacency import MatrixArray, matrix_from_pairs, pairs_from_matrix
from eiderdown.graphs.named_graph import IndexLists, NamedGraph, index_lists, refuse_repeated
from eiderdown.graphs.networkx_border import networkx_from_pairs, pairs_from_networkx
from eiderdown.graphs.notation import MarkedEdge, parse_graph

if TYPE_CHECKING:
    import networkx


class Skeleton(NamedGraph):
    """The adjacencies of a DAG or PDAG, as an immutable undirected graph.

    Parameters
    ----------
    nodes : iterable of str
        Distinct names; their order gives the integer indices.
    edges : iterable of (str, str)
        Each pair once, either way round.

    Examples
    --------
    >>> skeleton = Skeleton(["A", "B", "C"], [("B", "A")])
    >>> skeleton.edges
    (('A', 'B'),)
    >>> skeleton.adjacent("C")
    frozenset()
    """

    neighbour_indices: IndexLists

    def __init__(self, nodes: Iterable[str], edges: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__(nodes)
        pairs = self._index_pairs(edges)
        both_ways = pairs + [(right, left) for left, right in pairs]
        refuse_repeated(both_ways, self.nodes)
        self._freeze(neighbour_indices=index_lists(self.n_nodes, both_ways))

    @classmethod
    def from_string(cls, text: str) -> Skeleton:
        """Read a line such as ``"A--B, B--C, D"``; the nodes are in order of appearance.

        Examples
        --------
        >>> Skeleton.from_string("A--B--C, D").edges
        (('A', 'B'), ('B', 'C'))
        """
        nodes, edges = parse_graph(text)
        for edge in edges:
            if edge.arrow != "--":
                raise GraphError(f"A skeleton has no directed edge {''.join(edge)!r}; write '--'.")
        return cls(nodes, [(edge.left, edge.right) for edge in edges])

    @property
    def adjacent_indices(self) -> IndexLists:
        """For every node, the nodes it has an edge with, in node order."""
        return self.neighbour_indices

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every edge once, sorted by node order and with the earlier node first."""
        return self._named_pairs(
            (i, j) for i, others in enumerate(self.neighbour_indices) for j in others if i < j
        )

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    def marked_edges(self) -> Iterator[MarkedEdge]:
        """Yield every edge once, as it is written in a line of text."""
        return (MarkedEdge(left, "--", right) for left, right in self.edges)

    def to_networkx(self) -> networkx.Graph:
        """Return a ``networkx.Graph`` with the same nodes and edges."""
        return networkx_from_pairs(self.nodes, self.edges, directed=False)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph) -> Skeleton:
        """Take the nodes (which must be strings) and edges of a ``networkx.Graph``."""
        return cls(*pairs_from_networkx(graph, directed=False))

    def to_adjacency(self) -> MatrixArray:
        """Return a symmetric matrix of zeros and ones; symmetry makes a convention needless."""
        pairs = [(i, j) for i, others in enumerate(self.neighbour_indices) for j in others]
        return matrix_from_pairs(self.n_nodes, pairs, convention="row_to_column")

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, *, nodes: Sequence[str]) -> Skeleton:
        """Read a symmetric matrix of zeros and ones; `GraphError` when it is not symmetric."""
        pairs = pairs_from_matrix(matrix, nodes=nodes, convention="row_to_column")
        if not np.array_equal(np.asarray(matrix), np.asarray(matrix).T):
            left, right = min(set(pairs) - {(right, left) for left, right in pairs})
            raise GraphError(
                f"The adjacency matrix is not symmetric between {left!r} and {right!r}; "
                f"use PDAG.from_adjacency for directed edges."
            )
        position = {name: i for i, name in enumerate(nodes)}
        return cls(nodes, [pair for pair in pairs if position[pair[0]] <= position[pair[1]]])

    def _cut(self, nodes: Sequence[str], kept: frozenset[str]) -> Self:
        return type(self)(nodes, [edge for edge in self.edges if kept.issuperset(edge)])
