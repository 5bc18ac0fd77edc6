"""Directed acyclic graphs, what the Markov condition lets one read off them, and random ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import OptionError, TargetAmongCandidatesError, listed, require_count
from eiderdown.graphs.equivalence import cpdag_edges
from eiderdown.graphs.named_graph import Edge
from eiderdown.graphs.pdag import PDAG, DirectedGraph
from eiderdown.graphs.separation import reachable, reached_from
from eiderdown.randomness import RandomState, as_generator


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


def random_dag(
    n_nodes: int,
    *,
    expected_degree: float | None = None,
    edge_probability: float | None = None,
    max_parents: int | None = None,
    random_state: RandomState = None,
) -> DAG:
    """Draw a DAG: a random order of the nodes, and each forward edge with the same probability.

    Time and memory grow with the nodes and edges drawn, not with the pairs of nodes.

    Parameters
    ----------
    n_nodes : int
        The nodes are called ``v0``, ``v1``, ...
    expected_degree : float
        Mean number of edges at a node (in and out), before ``max_parents`` takes effect.
        Give either this or ``edge_probability``.
    edge_probability : float
        Probability of an edge between two nodes.
    max_parents : int, optional
        A node that drew more parents keeps this many of them, chosen at random.
    random_state : int, Generator or None
        Seed or source of the randomness.

    Returns
    -------
    DAG
        Its node order says nothing about the direction of its edges.

    Examples
    --------
    >>> random_dag(4, edge_probability=1, random_state=0).n_edges
    6
    >>> dag = random_dag(1000, expected_degree=3, max_parents=2, random_state=0)
    >>> max(map(len, dag.parent_indices))
    2
    """
    require_count("n_nodes", n_nodes)
    probability = _edge_probability(n_nodes, expected_degree, edge_probability)
    generator = as_generator(random_state)
    order = generator.permutation(n_nodes)
    n_pairs = math.comb(n_nodes, 2)
    n_edges = int(generator.binomial(n_pairs, probability))
    # generator.choice refuses to draw nothing from nothing.
    numbers = generator.choice(n_pairs, size=n_edges, replace=False) if n_edges else np.arange(0)
    earlier, later = numbered_pairs(numbers)
    if max_parents is not None:
        require_count("max_parents", max_parents)
        kept = _rank_within(later, n_nodes) < max_parents
        earlier, later = earlier[kept], later[kept]
    names = [f"v{i}" for i in range(n_nodes)]
    pairs = zip(order[earlier].tolist(), order[later].tolist(), strict=True)
    return DAG(names, [(names[tail], names[head]) for tail, head in pairs])


def numbered_pairs(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs i < j with the numbers j (j - 1) / 2 + i, exactly up to 10**15.

    Examples
    --------
    >>> i, j = numbered_pairs(np.arange(6))
    >>> i.tolist(), j.tolist()
    ([0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3])
    """
    later = ((1 + np.sqrt(1 + 8 * numbers)) // 2).astype(np.int64)
    return numbers - later * (later - 1) // 2, later


def _rank_within(groups: IntArray, n_groups: int) -> IntArray:
    """Return for every entry how many entries before it belong to the same group."""
    by_group = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=n_groups)
    begins = np.cumsum(sizes) - sizes
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[by_group] = np.arange(len(groups)) - begins[groups[by_group]]
    return ranks


def _edge_probability(
    n_nodes: int, expected_degree: float | None, edge_probability: float | None
) -> float:
    if (expected_degree is None) == (edge_probability is None):
        raise OptionError("Give exactly one of expected_degree and edge_probability.")
    if expected_degree is None:
        assert edge_probability is not None
        if not 0 <= edge_probability <= 1:
            raise OptionError(f"edge_probability must be in [0, 1], not {edge_probability!r}.")
        return edge_probability
    most = max(n_nodes - 1, 0)
    if not 0 <= expected_degree <= most:
        raise OptionError(
            f"expected_degree must be in [0, {most}] for {n_nodes} nodes, not {expected_degree!r}."
        )
    return expected_degree / most if most else 0.0
