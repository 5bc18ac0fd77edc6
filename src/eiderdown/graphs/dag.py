"""Directed acyclic graphs, and what the Markov condition lets one read off them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike

from eiderdown.errors import GraphError, TargetAmongCandidatesError, listed
from eiderdown.graphs.adjacency import (
    Convention,
    MatrixArray,
    matrix_from_pairs,
    pairs_from_matrix,
)
from eiderdown.graphs.equivalence import essential_edges, unshielded_colliders
from eiderdown.graphs.named_graph import (
    IndexLists,
    NamedGraph,
    acyclic_order,
    index_lists,
    refuse_repeated,
)
from eiderdown.graphs.networkx_border import networkx_from_pairs, pairs_from_networkx
from eiderdown.graphs.notation import MarkedEdge, parse_graph
from eiderdown.graphs.pdag import PDAG
from eiderdown.graphs.separation import reachable
from eiderdown.graphs.skeleton import Skeleton
from eiderdown.graphs.traversal import reached_from

if TYPE_CHECKING:
    import networkx


class DAG(NamedGraph):
    """An immutable directed acyclic graph over named nodes.

    Parameters
    ----------
    nodes : iterable of str
        Distinct names; their order gives the integer indices.
    edges : iterable of (str, str)
        (tail, head) pairs, each once and without a cycle.

    Attributes
    ----------
    nodes : tuple of str
        The names, in order.
    parent_indices, child_indices : tuple of tuple of int
        For every node, the positions of its parents (children), in node order.
    topological_indices : tuple of int
        The positions of all nodes, parents first.

    Examples
    --------
    >>> dag = DAG(["A", "B", "C"], [("A", "C"), ("B", "C")])
    >>> dag
    DAG.from_string('A->C, B->C')
    >>> sorted(dag.markov_boundary("A"))
    ['B', 'C']
    >>> dag.d_separated("A", "B"), dag.d_separated("A", "B", given=["C"])
    (True, False)
    """

    parent_indices: IndexLists
    child_indices: IndexLists
    topological_indices: tuple[int, ...]

    def __init__(self, nodes: Iterable[str], edges: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__(nodes)
        pairs = self._index_pairs(edges)
        refuse_repeated(pairs, self.nodes)
        parents = index_lists(self.n_nodes, ((head, tail) for tail, head in pairs))
        children = index_lists(self.n_nodes, pairs)
        self._freeze(
            parent_indices=parents,
            child_indices=children,
            topological_indices=acyclic_order(self.nodes, parents, children),
        )

    @classmethod
    def from_string(cls, text: str) -> DAG:
        """Read a line such as ``"A->B, B->C, D"``; the nodes are in order of appearance.

        Examples
        --------
        >>> DAG.from_string("A->B<-C, D").edges
        (('A', 'B'), ('C', 'B'))
        """
        nodes, edges = parse_graph(text)
        for edge in edges:
            if edge.arrow != "->":
                raise GraphError(
                    f"A DAG has no undirected edge {''.join(edge)!r}; use '->', or PDAG."
                )
        return cls(nodes, [(edge.left, edge.right) for edge in edges])

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The edges as (tail, head), sorted by node order."""
        return self._named_pairs(self._pairs())

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(map(len, self.child_indices))

    @property
    def topological_order(self) -> tuple[str, ...]:
        """All nodes, parents before children."""
        return tuple(self.nodes[i] for i in self.topological_indices)

    @cached_property
    def adjacent_indices(self) -> IndexLists:
        """For every node, the nodes it has an edge with, in node order."""
        together = zip(self.parent_indices, self.child_indices, strict=True)
        return tuple(tuple(sorted(a + b)) for a, b in together)

    def marked_edges(self) -> Iterator[MarkedEdge]:
        """Yield every edge once, as it is written in a line of text."""
        return (MarkedEdge(tail, "->", head) for tail, head in self.edges)

    def parents(self, node: str) -> frozenset[str]:
        """Return the direct causes of a node."""
        return self.names(self.parent_indices[self.index(node)])

    def children(self, node: str) -> frozenset[str]:
        """Return the direct effects of a node."""
        return self.names(self.child_indices[self.index(node)])

    def ancestors(self, node: str) -> frozenset[str]:
        """Return every node with a directed path to ``node``, itself excluded."""
        return self.names(reached_from([self.index(node)], self.parent_indices)) - {node}

    def descendants(self, node: str) -> frozenset[str]:
        """Return every node with a directed path from ``node``, itself excluded."""
        return self.names(reached_from([self.index(node)], self.child_indices)) - {node}

    def parents_children(self, node: str) -> frozenset[str]:
        """Return the parents and the children of a node."""
        return self.adjacent(node)

    def spouses(self, node: str) -> frozenset[str]:
        """Return the other parents of the node's children, unless adjacent to the node."""
        return self.markov_boundary(node) - self.adjacent(node)

    def markov_boundary(self, node: str) -> frozenset[str]:
        """Return the parents, the children and the children's other parents.

        Under faithfulness this is the smallest set that makes all other nodes irrelevant to
        ``node``.

        Examples
        --------
        >>> sorted(DAG.from_string("A->T->B<-C<-D").markov_boundary("T"))
        ['A', 'B', 'C']
        """
        i = self.index(node)
        others = {j for child in self.child_indices[i] for j in self.parent_indices[child]}
        return self.names(others | set(self.adjacent_indices[i])) - {node}

    def d_separated(
        self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Tell whether ``given`` blocks every path between ``x`` and ``y``.

        Parameters
        ----------
        x, y, given : str or iterable of str
            Single nodes or sets of them; no node may be in two of the three.

        Raises
        ------
        TargetAmongCandidatesError
            When the sets are not disjoint.
        """
        sets = [self.indices(x), self.indices(y), self.indices(given)]
        self._refuse_shared(sets)
        starts, ends, conditions = sets
        connected = reachable(self.parent_indices, self.child_indices, starts, conditions)
        return not connected[ends].any()

    def d_connected(
        self, x: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> frozenset[str]:
        """Return every node that ``given`` does not d-separate from ``x``, in linear time.

        Examples
        --------
        >>> sorted(DAG.from_string("A->B->C<-D").d_connected("A", given=["C"]))
        ['B', 'D']
        """
        sets = [self.indices(x), self.indices(given)]
        self._refuse_shared(sets)
        connected = reachable(self.parent_indices, self.child_indices, *sets)
        return self.names(connected.nonzero()[0].tolist())

    def v_structures(self) -> frozenset[tuple[str, str, str]]:
        """Return (a, child, b) for each a -> child <- b with a and b not adjacent.

        The one of ``a`` and ``b`` that is earlier in the node order comes first.
        """
        found = unshielded_colliders(self.parent_indices, self.adjacent_indices)
        return frozenset((self.nodes[a], self.nodes[c], self.nodes[b]) for a, c, b in found)

    def skeleton(self) -> Skeleton:
        """Return the same adjacencies without directions."""
        return Skeleton(self.nodes, self.edges)

    def to_cpdag(self) -> PDAG:
        """Return the essential graph: directed where every Markov equivalent DAG agrees.

        Examples
        --------
        >>> DAG.from_string("A->B->C").to_cpdag()
        PDAG.from_string('A--B, B--C')
        >>> DAG.from_string("A->B<-C, B->D").to_cpdag()
        PDAG.from_string('A->B, B->D, C->B')
        """
        directed, undirected = essential_edges(self.parent_indices, self.adjacent_indices)
        return PDAG(self.nodes, self._named_pairs(directed), self._named_pairs(undirected))

    def without_edges_into(self, nodes: str | Iterable[str]) -> DAG:
        """Return the graph after an intervention: the given nodes lose their parents.

        Examples
        --------
        >>> DAG.from_string("A->B->C").without_edges_into("B")
        DAG.from_string('B->C, A')
        """
        fixed = self.names(self.indices(nodes))
        return DAG(self.nodes, [edge for edge in self.edges if edge[1] not in fixed])

    def to_networkx(self) -> networkx.DiGraph:
        """Return a ``networkx.DiGraph`` with the same nodes and edges."""
        return networkx_from_pairs(self.nodes, self.edges, directed=True)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph) -> DAG:
        """Take the nodes (which must be strings) and edges of a ``networkx.DiGraph``."""
        return cls(*pairs_from_networkx(graph, directed=True))

    def to_adjacency(self, *, convention: Convention) -> MatrixArray:
        """Return a matrix of zeros and ones.

        Parameters
        ----------
        convention : {"row_to_column", "column_to_row"}
            Which of ``a[i, j]`` and ``a[j, i]`` is 1 for the edge i -> j.

        Examples
        --------
        >>> DAG.from_string("A->B").to_adjacency(convention="row_to_column").tolist()
        [[0, 1], [0, 0]]
        """
        return matrix_from_pairs(self.n_nodes, self._pairs(), convention=convention)

    @classmethod
    def from_adjacency(
        cls, matrix: ArrayLike, *, nodes: Sequence[str], convention: Convention
    ) -> DAG:
        """Read a matrix of zeros and ones.

        Parameters
        ----------
        matrix : array-like of shape (n_nodes, n_nodes)
            The entries.
        nodes : sequence of str
            Names of the rows and of the columns.
        convention : {"row_to_column", "column_to_row"}
            Which of ``a[i, j]`` and ``a[j, i]`` is 1 for the edge i -> j.
        """
        return cls(nodes, pairs_from_matrix(matrix, nodes=nodes, convention=convention))

    def _cut(self, nodes: Sequence[str], kept: frozenset[str]) -> Self:
        return type(self)(nodes, [edge for edge in self.edges if kept.issuperset(edge)])

    def _pairs(self) -> list[tuple[int, int]]:
        return [(i, j) for i, heads in enumerate(self.child_indices) for j in heads]

    def _refuse_shared(self, sets: Sequence[list[int]]) -> None:
        shared = {i for a, b in combinations(sets, 2) for i in set(a) & set(b)}
        if shared:
            raise TargetAmongCandidatesError(
                f"x, y and given must not share nodes, but {listed(sorted(self.names(shared)))} "
                f"came up twice; leave it out of one of them."
            )
