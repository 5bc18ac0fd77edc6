"""Directed acyclic graphs, and what the Markov condition lets one read off them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from eiderdown.errors import TargetAmongCandidatesError, listed
from eiderdown.graphs.equivalence import cpdag_edges
from eiderdown.graphs.named_graph import Edge
from eiderdown.graphs.pdag import PDAG, DirectedGraph
from eiderdown.graphs.separation import reachable, reached_from


class DAG(DirectedGraph):
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

    _arrows = ("->",)

    def __init__(self, nodes: Iterable[str], edges: Iterable[Edge] = ()) -> None:
        super().__init__(nodes, directed=edges)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges as (tail, head), sorted by node order."""
        return self.directed

    @property
    def topological_order(self) -> tuple[str, ...]:
        """All nodes, parents before children."""
        return tuple(self.nodes[i] for i in self.topological_indices)

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
        starts, ends, conditions = self._disjoint(x, y, given)
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
        starts, conditions = self._disjoint(x, given)
        connected = reachable(self.parent_indices, self.child_indices, starts, conditions)
        return self.names(connected.nonzero()[0].tolist())

    def to_cpdag(self) -> PDAG:
        """Return the CPDAG: directed where every Markov equivalent DAG agrees.

        Examples
        --------
        >>> DAG.from_string("A->B->C").to_cpdag()
        PDAG.from_string('A--B, B--C')
        >>> DAG.from_string("A->B<-C, B->D").to_cpdag()
        PDAG.from_string('A->B, B->D, C->B')
        """
        directed, undirected = cpdag_edges(self.parent_indices, self.adjacent_indices)
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

    def _disjoint(self, *sets: str | Iterable[str]) -> list[list[int]]:
        positions = [self.indices(nodes) for nodes in sets]
        shared = {i for a, b in combinations(positions, 2) for i in set(a) & set(b)}
        if shared:
            raise TargetAmongCandidatesError(
                f"x, y and given must not share nodes, but {listed(sorted(self.names(shared)))} "
                f"came up twice; leave it out of one of them."
            )
        return positions
