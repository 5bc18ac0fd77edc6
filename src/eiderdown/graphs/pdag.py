"""Partially directed acyclic graphs: patterns, and what can be concluded from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike

from eiderdown.errors import GraphError
from eiderdown.graphs.adjacency import (
    Convention,
    MatrixArray,
    matrix_from_pairs,
    pairs_from_matrix,
)
from eiderdown.graphs.equivalence import essential_edges, extension_edges, unshielded_colliders
from eiderdown.graphs.meek import close_under_meek
from eiderdown.graphs.named_graph import (
    IndexLists,
    NamedGraph,
    acyclic_order,
    index_lists,
    refuse_repeated,
)
from eiderdown.graphs.networkx_border import networkx_from_pairs, pairs_from_networkx
from eiderdown.graphs.notation import MarkedEdge, parse_graph
from eiderdown.graphs.skeleton import Skeleton

if TYPE_CHECKING:
    import networkx

    from eiderdown.graphs.dag import DAG


class PDAG(NamedGraph):
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
    >>> pattern = PDAG(["A", "B", "C"], directed=[("A", "B")], undirected=[("C", "B")])
    >>> pattern
    PDAG.from_string('A->B, B--C')
    >>> pattern.apply_meek_rules()
    PDAG.from_string('A->B, B->C')
    """

    parent_indices: IndexLists
    child_indices: IndexLists
    neighbour_indices: IndexLists

    def __init__(
        self,
        nodes: Iterable[str],
        directed: Iterable[tuple[str, str]] = (),
        undirected: Iterable[tuple[str, str]] = (),
    ) -> None:
        super().__init__(nodes)
        arrows, lines = self._index_pairs(directed), self._index_pairs(undirected)
        both_ways = lines + [(right, left) for left, right in lines]
        refuse_repeated(arrows + both_ways + [(j, i) for i, j in arrows], self.nodes)
        self._freeze(
            parent_indices=index_lists(self.n_nodes, ((head, tail) for tail, head in arrows)),
            child_indices=index_lists(self.n_nodes, arrows),
            neighbour_indices=index_lists(self.n_nodes, both_ways),
        )
        acyclic_order(self.nodes, self.parent_indices, self.child_indices)

    @classmethod
    def from_string(cls, text: str) -> PDAG:
        """Read a line such as ``"A->B, B--C, D"``; the nodes are in order of appearance."""
        nodes, edges = parse_graph(text)
        return cls(
            nodes,
            directed=[(edge.left, edge.right) for edge in edges if edge.arrow == "->"],
            undirected=[(edge.left, edge.right) for edge in edges if edge.arrow == "--"],
        )

    @cached_property
    def adjacent_indices(self) -> IndexLists:
        """For every node, the nodes it has an edge with, in node order."""
        together = zip(self.parent_indices, self.child_indices, self.neighbour_indices, strict=True)
        return tuple(tuple(sorted(a + b + c)) for a, b, c in together)

    @cached_property
    def directed(self) -> tuple[tuple[str, str], ...]:
        """The directed edges as (tail, head), sorted by node order."""
        return self._named_pairs(
            (i, j) for i, heads in enumerate(self.child_indices) for j in heads
        )

    @cached_property
    def undirected(self) -> tuple[tuple[str, str], ...]:
        """The undirected edges, sorted by node order and with the earlier node first."""
        return self._named_pairs(
            (i, j) for i, others in enumerate(self.neighbour_indices) for j in others if i < j
        )

    @property
    def n_edges(self) -> int:
        """Number of edges of either sort."""
        return len(self.directed) + len(self.undirected)

    def marked_edges(self) -> Iterator[MarkedEdge]:
        """Yield every edge once, as it is written in a line of text."""
        yield from (MarkedEdge(tail, "->", head) for tail, head in self.directed)
        yield from (MarkedEdge(left, "--", right) for left, right in self.undirected)

    def parents(self, node: str) -> frozenset[str]:
        """Return the tails of the directed edges into ``node``."""
        return self.names(self.parent_indices[self.index(node)])

    def children(self, node: str) -> frozenset[str]:
        """Return the heads of the directed edges out of ``node``."""
        return self.names(self.child_indices[self.index(node)])

    def neighbours(self, node: str) -> frozenset[str]:
        """Return the nodes that have an undirected edge with ``node``."""
        return self.names(self.neighbour_indices[self.index(node)])

    def v_structures(self) -> frozenset[tuple[str, str, str]]:
        """Return (a, child, b) for each a -> child <- b with a and b not adjacent.

        The one of ``a`` and ``b`` that is earlier in the node order comes first.
        """
        found = unshielded_colliders(self.parent_indices, self.adjacent_indices)
        return frozenset((self.nodes[a], self.nodes[c], self.nodes[b]) for a, c, b in found)

    def skeleton(self) -> Skeleton:
        """Return the same adjacencies without directions."""
        return Skeleton(self.nodes, self.directed + self.undirected)

    def apply_meek_rules(self, *, known: Iterable[tuple[str, str]] = ()) -> PDAG:
        """Direct every undirected edge whose direction follows from the directed ones.

        Parameters
        ----------
        known : iterable of (str, str)
            Background knowledge: (tail, head) directions of undirected edges, applied first.

        Returns
        -------
        PDAG
            The closure under Meek's four rules. For a CPDAG and knowledge that some DAG of its
            class satisfies, it directs exactly the edges on which all such DAGs agree.

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
        directed, undirected = self._with_known(known)
        arrows, lines = close_under_meek(
            self.n_nodes, self._index_pairs(directed), self._index_pairs(undirected)
        )
        try:
            return PDAG(self.nodes, self._named_pairs(arrows), self._named_pairs(lines))
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

        extension = extension_edges(self.child_indices, self.neighbour_indices)
        if extension is None:
            raise GraphError(
                "The undirected edges cannot be directed without a cycle or a new v-structure; "
                "check the directed edges, for this graph stands for no DAG."
            )
        return DAG(self.nodes, self.directed + self._named_pairs(extension))

    @cached_property
    def is_cpdag(self) -> bool:
        """Whether this is the essential graph of some DAG.

        Examples
        --------
        >>> PDAG.from_string("A--B--C").is_cpdag, PDAG.from_string("A->B").is_cpdag
        (True, False)
        """
        extension = extension_edges(self.child_indices, self.neighbour_indices)
        if extension is None:
            return False
        dag = PDAG(self.nodes, self.directed + self._named_pairs(extension))
        arrows, _ = essential_edges(dag.parent_indices, dag.adjacent_indices)
        return self._named_pairs(arrows) == self.directed

    def to_networkx(self) -> networkx.DiGraph:
        """Return a ``networkx.DiGraph`` in which an undirected edge is a pair of opposite edges."""
        backward = tuple((right, left) for left, right in self.undirected)
        pairs = self.directed + self.undirected + backward
        return networkx_from_pairs(self.nodes, pairs, directed=True)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph) -> PDAG:
        """Read a ``networkx.DiGraph``; a pair of opposite edges becomes an undirected one."""
        nodes, pairs = pairs_from_networkx(graph, directed=True)
        return cls(nodes, *_split(pairs))

    def to_adjacency(self, *, convention: Convention) -> MatrixArray:
        """Return a matrix of zeros and ones; an undirected edge has a 1 both ways.

        Parameters
        ----------
        convention : {"row_to_column", "column_to_row"}
            Which of ``a[i, j]`` and ``a[j, i]`` is 1 for the edge i -> j.
        """
        steps = zip(self.child_indices, self.neighbour_indices, strict=True)
        pairs = [(i, j) for i, (heads, others) in enumerate(steps) for j in heads + others]
        return matrix_from_pairs(self.n_nodes, pairs, convention=convention)

    @classmethod
    def from_adjacency(
        cls, matrix: ArrayLike, *, nodes: Sequence[str], convention: Convention
    ) -> PDAG:
        """Read a matrix of zeros and ones; a 1 both ways is an undirected edge.

        Parameters
        ----------
        matrix : array-like of shape (n_nodes, n_nodes)
            The entries.
        nodes : sequence of str
            Names of the rows and of the columns.
        convention : {"row_to_column", "column_to_row"}
            Which of ``a[i, j]`` and ``a[j, i]`` is 1 for the edge i -> j.
        """
        return cls(nodes, *_split(pairs_from_matrix(matrix, nodes=nodes, convention=convention)))

    def _cut(self, nodes: Sequence[str], kept: frozenset[str]) -> Self:
        return type(self)(
            nodes,
            directed=[edge for edge in self.directed if kept.issuperset(edge)],
            undirected=[edge for edge in self.undirected if kept.issuperset(edge)],
        )

    def _with_known(
        self, known: Iterable[tuple[str, str]]
    ) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
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
        return directed, undirected


def _split(
    pairs: Iterable[tuple[str, str]],
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Tell the pairs that occur one way only from those that occur both ways."""
    distinct = dict.fromkeys(pairs)
    directed = [(a, b) for a, b in distinct if (b, a) not in distinct]
    # A loop is its own reverse; it is passed on, to be refused by name.
    undirected = [(a, b) for a, b in distinct if (b, a) in distinct and a <= b]
    return directed, undirected
