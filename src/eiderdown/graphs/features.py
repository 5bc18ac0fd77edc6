"""What a graph says about pairs of nodes: edges, directed paths and Markov-blanket neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, frozen
from eiderdown.graphs.dag import DAG
from eiderdown.graphs.named_graph import IndexLists
from eiderdown.graphs.pdag import PDAG
from eiderdown.graphs.traversal import parents_first

FeatureKind: TypeAlias = Literal["directed", "undirected", "path", "neighbour"]
FeatureGroup: TypeAlias = Literal["edges", "paths", "neighbours"]

KINDS_OF_GROUP: dict[FeatureGroup, tuple[FeatureKind, ...]] = {
    "edges": ("directed", "undirected"),
    "paths": ("path",),
    "neighbours": ("neighbour",),
}
"""The groups that are looked at together, each with its kinds of feature."""

SYMMETRIC_KINDS: frozenset[FeatureKind] = frozenset({"undirected", "neighbour"})
"""The kinds in which a pair is the same either way round."""


@dataclass(frozen=True, eq=False)
class GraphFeatures:
    """The features of one graph, as read-only matrices of (n_nodes, n_nodes) truths.

    Attributes
    ----------
    directed : array of bool
        Directed edges: the row is the tail, the column the head.
    undirected : array of bool
        Undirected edges; symmetric.
    path : array of bool
        Paths of directed edges, one edge included: from the row to the column.
    neighbour : array of bool
        Pairs that have an edge, or directed edges into one and the same node; symmetric.
    """

    directed: BoolArray
    undirected: BoolArray
    path: BoolArray
    neighbour: BoolArray

    def of_kind(self, kind: FeatureKind) -> BoolArray:
        """Return the matrix of one kind of feature."""
        matrix: BoolArray = getattr(self, kind)
        return matrix


def features_of(graph: DAG | PDAG) -> GraphFeatures:
    """Return the features of a graph as it stands.

    To speak of a whole equivalence class, give its essential graph: there the directed paths are
    those that every graph of the class has.

    Parameters
    ----------
    graph : DAG or PDAG
        The graph; positions in the matrices are those of its nodes.

    Examples
    --------
    >>> found = features_of(PDAG.from_string("A->C<-B, C->D, E--A"))
    >>> found.path.astype(int).tolist()[0]  # from A to C and D
    [0, 1, 0, 1, 0]
    >>> found.neighbour.astype(int).tolist()[0]  # A with C, with B over C, and with E
    [0, 1, 1, 0, 1]
    """
    lines: IndexLists = graph.neighbour_indices if isinstance(graph, PDAG) else ()
    return GraphFeatures(
        directed=frozen(_pairs(graph.n_nodes, graph.child_indices)),
        undirected=frozen(_pairs(graph.n_nodes, lines)),
        path=frozen(_paths(graph)),
        neighbour=frozen(_neighbours(graph)),
    )


def _pairs(n_nodes: int, lists: Iterable[tuple[int, ...]]) -> BoolArray:
    found = np.zeros((n_nodes, n_nodes), dtype=np.bool_)
    for node, others in enumerate(lists):
        found[node, list(others)] = True
    return found


def _paths(graph: DAG | PDAG) -> BoolArray:
    """Give every node its children and what they reach, children before their parents."""
    reached = _pairs(graph.n_nodes, graph.child_indices)
    for node in reversed(parents_first(graph.parent_indices, graph.child_indices)):
        for child in graph.child_indices[node]:
            reached[node] |= reached[child]
    return reached


def _neighbours(graph: DAG | PDAG) -> BoolArray:
    found = _pairs(graph.n_nodes, graph.adjacent_indices)
    for parents in graph.parent_indices:
        if len(parents) > 1:
            found[np.ix_(parents, parents)] = True
    np.fill_diagonal(found, False)
    return found
