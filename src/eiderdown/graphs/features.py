"""Graph features: what a graph says about pairs of nodes.

They are those of Pena, Kocka & Nielsen (2004): edges, directed paths, and pairs of which one is in
the Markov boundary of the other (their "Markov blanket neighbours").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, frozen
from eiderdown.graphs.dag import DAG
from eiderdown.graphs.pdag import PDAG

FeatureKind: TypeAlias = Literal["directed", "undirected", "path", "boundary"]
FeatureGroup: TypeAlias = Literal["edges", "paths", "boundaries"]

KINDS_OF_GROUP: dict[FeatureGroup, tuple[FeatureKind, ...]] = {
    "edges": ("directed", "undirected"),
    "paths": ("path",),
    "boundaries": ("boundary",),
}
"""The groups that are looked at together, each with its kinds of graph feature."""

SYMMETRIC_KINDS: frozenset[FeatureKind] = frozenset({"undirected", "boundary"})
"""The kinds in which a pair is the same either way round."""


@dataclass(frozen=True, eq=False)
class GraphFeatures:
    """The features of one graph, as read-only matrices of (n_nodes, n_nodes) truths."""

    directed: BoolArray  # the row is the tail, the column the head
    undirected: BoolArray  # symmetric
    path: BoolArray  # of directed edges, one included, from the row to the column
    boundary: BoolArray  # an edge, or directed edges into one and the same node; symmetric

    def of_kind(self, kind: FeatureKind) -> BoolArray:
        """Return the matrix of one kind of feature."""
        matrix: BoolArray = getattr(self, kind)
        return matrix


def features_of(graph: DAG | PDAG) -> GraphFeatures:
    """Return the features of a graph as it stands.

    To speak of a whole equivalence class, give its CPDAG: there the directed paths are
    those that every graph of the class has.

    Examples
    --------
    >>> found = features_of(PDAG.from_string("A->C<-B, C->D, E--A"))
    >>> found.path.astype(int).tolist()[0]  # from A to C and D
    [0, 1, 0, 1, 0]
    >>> found.boundary.astype(int).tolist()[0]  # A with C, with B over C, and with E
    [0, 1, 1, 0, 1]
    """
    directed = _pairs(graph.n_nodes, graph.child_indices)
    path = directed.copy()
    for node in reversed(graph.topological_indices):
        for child in graph.child_indices[node]:
            path[node] |= path[child]
    boundary = _pairs(graph.n_nodes, graph.adjacent_indices)
    for parents in graph.parent_indices:
        if len(parents) > 1:
            boundary[np.ix_(parents, parents)] = True
    np.fill_diagonal(boundary, False)
    return GraphFeatures(
        directed=frozen(directed),
        undirected=frozen(_pairs(graph.n_nodes, graph.undirected_indices)),
        path=frozen(path),
        boundary=frozen(boundary),
    )


def _pairs(n_nodes: int, lists: Iterable[tuple[int, ...]]) -> BoolArray:
    found = np.zeros((n_nodes, n_nodes), dtype=np.bool_)
    for node, others in enumerate(lists):
        found[node, list(others)] = True
    return found
