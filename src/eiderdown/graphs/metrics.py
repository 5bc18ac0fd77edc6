"""What graphs say about pairs of nodes, and how far a learned graph or boundary is from the truth.

Graph features are those of Pena, Kocka & Nielsen (2004): edges, directed paths, and pairs of which
one is in the Markov boundary of the other (their "Markov blanket neighbours").
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from eiderdown.arrays import BoolArray, frozen
from eiderdown.errors import GraphError, OptionError, listed
from eiderdown.graphs.dag import DAG
from eiderdown.graphs.named_graph import NamedGraph, Skeleton
from eiderdown.graphs.pdag import PDAG
from eiderdown.memory import require_memory

_Graph = TypeVar("_Graph", DAG, PDAG, Skeleton)


@dataclass(frozen=True)
class SetScores:
    """How well a learned set matches the true one.

    Attributes
    ----------
    precision : float
        Share of the learned members that are true; 1 when nothing was learned.
    recall : float
        Share of the true members that were learned; 1 when there is nothing to learn.
    f1 : float
        Harmonic mean of the two; 0 when both are 0.
    distance : float
        Euclidean distance of (precision, recall) from the perfect (1, 1).
    """

    precision: float
    recall: float
    f1: float
    distance: float


def boundary_scores(learned: Iterable[str], truth: Iterable[str]) -> SetScores:
    """Compare a learned Markov boundary (or any set of variables) with the true one.

    An empty learned set has precision 1, for nothing in it is wrong, and an empty true set has
    recall 1; two empty sets match perfectly.

    Examples
    --------
    >>> boundary_scores(["A", "B"], ["A", "C"])
    SetScores(precision=0.5, recall=0.5, f1=0.5, distance=0.7071067811865476)
    >>> boundary_scores([], ["A"])
    SetScores(precision=1.0, recall=0.0, f1=0.0, distance=1.0)
    """
    return _set_scores(_as_set(learned), _as_set(truth))


def adjacency_scores(learned: NamedGraph, truth: NamedGraph) -> SetScores:
    """Compare the adjacencies of two graphs over the same nodes, whatever their directions.

    Examples
    --------
    >>> adjacency_scores(DAG.from_string("A->B, C"), DAG.from_string("B->A, B->C"))
    SetScores(precision=1.0, recall=0.5, f1=0.6666666666666666, distance=0.5)
    """
    _check_same_nodes(learned, truth)
    return _set_scores(set(_arrowheads(learned)), set(_arrowheads(truth)))


def sensitivity_specificity_distance(
    learned: Iterable[str], truth: Iterable[str], *, n_candidates: int
) -> float:
    """Return the distance of (sensitivity, specificity) from the perfect (1, 1).

    Parameters
    ----------
    learned, truth : iterable of str
        The two sets.
    n_candidates : int
        How many variables could have been in a set: for a Markov boundary, all but the target.

    Returns
    -------
    float
        Sensitivity is 1 when the truth is empty, specificity when it is everything.

    Examples
    --------
    >>> sensitivity_specificity_distance(["A", "B"], ["A"], n_candidates=11)
    0.1
    """
    found, true = _as_set(learned), _as_set(truth)
    if n_candidates < len(found | true):
        raise OptionError(
            f"n_candidates is {n_candidates} but the two sets name {len(found | true)} variables; "
            f"give the number of all variables that could have been chosen."
        )
    return math.hypot(
        _share(len(true - found), len(true)), _share(len(found - true), n_candidates - len(true))
    )


def structural_hamming_distance(a: _Graph, b: _Graph) -> int:
    """Count the edges to add, delete or orient otherwise to turn one graph into the other.

    Parameters
    ----------
    a, b : DAG, PDAG or Skeleton
        Two graphs of one class over the same nodes. An edge that is turned round, or directed in
        one graph only, counts once.

    See Also
    --------
    cpdag_distance : Compares equivalence classes, so that equivalent DAGs are at distance 0.

    Examples
    --------
    >>> structural_hamming_distance(DAG.from_string("A->B->C"), DAG.from_string("B->A, C"))
    2
    """
    if type(a) is not type(b):
        raise GraphError(
            f"A {type(a).__name__} cannot be compared with a {type(b).__name__}; use "
            f"cpdag_distance for a DAG and a PDAG, or compare skeletons."
        )
    _check_same_nodes(a, b)
    of_a, of_b = _arrowheads(a), _arrowheads(b)
    return sum(of_a.get(pair) != of_b.get(pair) for pair in of_a.keys() | of_b.keys())


def cpdag_distance(a: DAG | PDAG, b: DAG | PDAG) -> int:
    """Return the structural Hamming distance between CPDAGs; a DAG stands for its CPDAG.

    Examples
    --------
    >>> cpdag_distance(DAG.from_string("A->B->C"), DAG.from_string("C->B->A"))
    0
    >>> cpdag_distance(DAG.from_string("A->B->C"), PDAG.from_string("A->B<-C"))
    2
    """
    one, other = (graph.to_cpdag() if isinstance(graph, DAG) else graph for graph in (a, b))
    return structural_hamming_distance(one, other)


def _arrowheads(graph: NamedGraph) -> dict[frozenset[str], str]:
    """Map every adjacent pair to the node its arrow points to, "" for an undirected edge."""
    return {
        frozenset((left, right)): right if arrow == "->" else ""
        for left, arrow, right in graph.marked_edges()
    }


def _check_same_nodes(a: NamedGraph, b: NamedGraph) -> None:
    lonely = sorted(set(a.nodes) ^ set(b.nodes))
    if lonely:
        raise GraphError(
            f"The graphs must have the same nodes, but only one of them has {listed(lonely)}; "
            f"add the missing nodes or compare subgraphs."
        )


def _as_set(names: Iterable[str]) -> set[str]:
    if isinstance(names, str):
        raise OptionError(f"A set of names is needed, not the single text {names!r}; use a list.")
    return set(names)


_Member = TypeVar("_Member")


def _set_scores(learned: set[_Member], truth: set[_Member]) -> SetScores:
    missed = _share(len(truth - learned), len(truth))
    wrong = _share(len(learned - truth), len(learned))
    precision, recall = 1 - wrong, 1 - missed
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return SetScores(precision, recall, f1, math.hypot(wrong, missed))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


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
    require_memory(
        4.0 * graph.n_nodes**2,
        f"A matrix of features of a graph of {graph.n_nodes:,} nodes",
        "leave out nodes without edges",
    )
    directed = _pairs(graph.n_nodes, graph.child_indices)
    path = directed.copy()
    for node in reversed(graph.topological_indices):
        for child in graph.child_indices[node]:
            path[node] |= path[child]
    boundary = _pairs(graph.n_nodes, graph.adjacent_indices)
    for parents in graph.parent_indices:
        if len(parents) > 1:
            married = np.array(parents)
            boundary[married[:, None], married] = True
    np.fill_diagonal(boundary, False)
    return GraphFeatures(
        directed=frozen(directed),
        undirected=frozen(_pairs(graph.n_nodes, graph.undirected_indices)),
        path=frozen(path),
        boundary=frozen(boundary),
    )


def _pairs(n_nodes: int, lists: Iterable[tuple[int, ...]]) -> BoolArray:
    found = np.zeros((n_nodes, n_nodes), dtype=np.bool_)
    joined = [node * n_nodes + other for node, others in enumerate(lists) for other in others]
    found.reshape(-1)[joined] = True
    return found
