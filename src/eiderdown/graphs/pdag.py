"""Partially directed acyclic graphs (PDAGs), CPDAGs among them, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike

from eiderdown.errors import GraphError
from eiderdown.graphs.equivalence import (
    close_under_meek,
    consistent_extension,
    cpdag_edges,
    unshielded_colliders,
)
from eiderdown.graphs.exchange import (
    Convention,
    MatrixArray,
    matrix_from_pairs,
    networkx_from_pairs,
    pairs_from_matrix,
    pairs_from_networkx,
)
from eiderdown.graphs.named_graph import Edge, NamedGraph, Skeleton

if TYPE_CHECKING:
    import networkx

    from eiderdown.graphs.dag import DAG


class DirectedGraph(NamedGraph):
    """What DAGs and PDAGs share."""

    @classmethod
    def _of_pairs(cls, nodes: Sequence[str], pairs: Iterable[Edge]) -> Self:
        """Return a graph with an arrow for every (tail, head), as matrices have them."""
        return cls(nodes, pairs)

    def parents(self, node: str) -> frozenset[str]:
        """Return the tails of the directed edges into ``node``, its direct causes."""
        return self.names(self.parent_indices[self.index(node)])

    def ordered_parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of ``node`` in node order, as the axes of its table are."""
        return tuple(self.nodes[i] for i in self.parent_indices[self.index(node)])

    def children(self, node: str) -> frozenset[str]:
        """Return the heads of the directed edges out of ``node``, its direct effects."""
        return self.names(self.child_indices[self.index(node)])

    def v_structures(self) -> frozenset[tuple[str, str, str]]:
        """Return (a, child, b) for each a -> child <- b with a and b not adjacent.

        The one of ``a`` and ``b`` that is earlier in the node order comes first.
        """
        found = unshielded_colliders(self.parent_indices, self.adjacent_indices)
        return frozenset((self.nodes[a], self.nodes[c], self.nodes[b]) for a, c, b in found)

    def skeleton(self) -> Skeleton:
        """Return the same adjacencies without directions."""
        return Skeleton(self.nodes, self.directed + self.undirected)

    def to_networkx(self) -> networkx.DiGraph:
        """Return a ``networkx.DiGraph`` in which an undirected edge is a pair of opposite edges."""
        backward = tuple((right, left) for left, right in self.undirected)
        pairs = self.directed + self.undirected + backward
        return networkx_from_pairs(self.nodes, pairs, directed=True)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph) -> Self:
        """Read a ``networkx.DiGraph``, whose nodes must be strings.

        For a PDAG, a pair of opposite edges is an undirected one.
        """
        return cls._of_pairs(*pairs_from_networkx(graph, directed=True))

    def to_adjacency(self, *, convention: Convention) -> MatrixArray:
        """Return a matrix of zeros and ones; an undirected edge has a 1 both ways.

        Parameters
        ----------
        convention : {"row_to_column", "column_to_row"}
            Which of ``a[i, j]`` and ``a[j, i]`` is 1 for the edge i -> j.

        Examples
        --------
        >>> PDAG.from_string("A->B").to_adjacency(convention="row_to_column").tolist()
        [[0, 1], [0, 0]]
        """
        steps = zip(self.child_indices, self.undirected_indices, strict=True)
        pairs = ((i, j) for i, (heads, others) in enumerate(steps) for j in heads + others)
        return matrix_from_pairs(self.n_nodes, pairs, convention=convention)

    @classmethod
    def from_adjacency(
        cls, matrix: ArrayLike, *, nodes: Sequence[str], convention: Convention
    ) -> Self:
        """Read a matrix of zeros and ones; for a PDAG, a 1 both ways is an undirected edge.

        Parameters
        ----------
        matrix : array-like of shape (n_nodes, n_nodes)
            The entries.
        nodes : sequence of str
            Names of the rows and of the columns.
        convention : {"row_to_column", "column_to_row"}
            Which of ``a[i, j]`` and ``a[j, i]`` is 1 for the edge i -> j.
        """
        pairs = pairs_from_matrix(matrix, nodes=nodes, convention=convention)
        return cls._of_pairs(nodes, pairs)


class PDAG(DirectedGraph):
    """An immutable graph with directed edges, which form no cycle, and undirected ones.

    Parameters
    ----------
    nodes : iterable of str
        Distinct names; their order gives the integer indices.
    directed : iterable of (str, str)
        (tail, head) pairs.
    undirected : iterable of (str, str)
        Pairs either way round; no two nodes may have more than one edge of any sort.

    Examples
    --------
    >>> pdag = PDAG(["A", "B", "C"], directed=[("A", "B")], undirected=[("C", "B")])
    >>> pdag
    PDAG.from_string('A->B, B--C')
    >>> pdag.apply_meek_rules()
    PDAG.from_string('A->B, B->C')
    """

    @classmethod
    def _of_pairs(cls, nodes: Sequence[str], pairs: Iterable[Edge]) -> Self:
        distinct = dict.fromkeys(pairs)
        directed = [(a, b) for a, b in distinct if (b, a) not in distinct]
        # A loop is its own reverse; it is passed on, to be refused by name.
        undirected = [(a, b) for a, b in distinct if (b, a) in distinct and a <= b]
        return cls(nodes, directed, undirected)

    def undirected_neighbours(self, node: str) -> frozenset[str]:
        """Return the nodes that have an undirected edge with ``node``."""
        return self.names(self.undirected_indices[self.index(node)])

    def apply_meek_rules(self, *, known: Iterable[Edge] = ()) -> PDAG:
        """Orient every undirected edge whose direction follows from the directed ones.

        Parameters
        ----------
        known : iterable of (str, str)
            Background knowledge: (tail, head) directions of undirected edges, applied first.

        Returns
        -------
        PDAG
            The closure under Meek's four rules. For a CPDAG and knowledge that some DAG of its
            class satisfies, it orients exactly the edges on which all such DAGs agree.

        Raises
        ------
        GraphError
            When the directions contradict one another or name an edge that is not there.

        Examples
        --------
        >>> chain = PDAG.from_string("A--B--C")
        >>> chain.apply_meek_rules(known=[("A", "B")])
        PDAG.from_string('A->B, B->C')
        """
        directed, undirected = set(self.directed), set(self.undirected)
        for tail, head in known:
            lines = undirected & {(tail, head), (head, tail)}
            if not lines and (tail, head) not in directed:
                raise GraphError(
                    f"The edge between {tail!r} and {head!r} cannot be directed as known: it is "
                    f"missing or points the other way; name only undirected edges."
                )
            undirected -= lines
            directed.add((tail, head))
        arrows, lines_left = close_under_meek(
            self.n_nodes, map(self._index_pair, directed), map(self._index_pair, undirected)
        )
        try:
            return PDAG(self.nodes, self._named_pairs(arrows), self._named_pairs(lines_left))
        except GraphError as error:
            raise GraphError(f"The directions contradict one another: {error}") from error

    def to_dag(self) -> DAG:
        """Return a DAG with these directed edges, this skeleton and no further v-structure.

        Raises
        ------
        GraphError
            When there is no such DAG.

        Examples
        --------
        >>> PDAG.from_string("A->B<-C, B--D").to_dag()
        DAG.from_string('A->B, B->D, C->B')
        """
        from eiderdown.graphs.dag import DAG

        extension = consistent_extension(self.child_indices, self.undirected_indices)
        if extension is None:
            raise GraphError(
                "The undirected edges cannot be directed without a cycle or a new v-structure; "
                "check the directed edges, for this graph stands for no DAG."
            )
        return DAG(self.nodes, self.directed + self._named_pairs(extension))

    @cached_property
    def is_cpdag(self) -> bool:
        """Whether this is the CPDAG of some DAG.

        Examples
        --------
        >>> PDAG.from_string("A--B--C").is_cpdag, PDAG.from_string("A->B").is_cpdag
        (True, False)
        """
        extension = consistent_extension(self.child_indices, self.undirected_indices)
        if extension is None:
            return False
        dag = PDAG(self.nodes, self.directed + self._named_pairs(extension))
        arrows, _ = cpdag_edges(dag.parent_indices, dag.adjacent_indices)
        return self._named_pairs(arrows) == self.directed
