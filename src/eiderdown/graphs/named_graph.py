"""What all graphs share (named nodes, identity, adjacencies), and skeletons, which have no more.

Inside, a node is its position in ``nodes`` and edges are tuples of positions; names are for the
people who use it. Graphs never change: every method that seems to change one returns another.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.errors import DuplicateNamesError, GraphError, listed, require_count
from eiderdown.graphs.exchange import (
    Arrow,
    MarkedEdge,
    MatrixArray,
    format_graph,
    matrix_from_pairs,
    networkx_from_pairs,
    pairs_from_matrix,
    pairs_from_networkx,
    parse_graph,
)
from eiderdown.graphs.separation import find_cycle, parents_first, reached_from

if TYPE_CHECKING:
    import networkx

Edge: TypeAlias = tuple[str, str]
IndexLists: TypeAlias = tuple[tuple[int, ...], ...]

_MOST_EDGES_SHOWN = 20


class NamedGraph:
    """Base of the graph classes; two graphs are equal when their nodes and edges are the same.

    The order of the nodes does not count for equality: it only says which integer stands for
    which name.

    Attributes
    ----------
    nodes : tuple of str
        The names, in order.
    parent_indices, child_indices, undirected_indices : tuple of tuple of int
        For every node, the positions of its parents, its children and its undirected neighbours,
        in node order.
    topological_indices : tuple of int
        The positions of all nodes, parents first.
    """

    nodes: tuple[str, ...]
    parent_indices: IndexLists
    child_indices: IndexLists
    undirected_indices: IndexLists
    topological_indices: tuple[int, ...]
    _position: dict[str, int]
    _arrows: ClassVar[tuple[Arrow, ...]] = ("->", "--")

    def __init__(
        self, nodes: Iterable[str], directed: Iterable[Edge] = (), undirected: Iterable[Edge] = ()
    ) -> None:
        names = _checked_names(nodes)
        self._freeze(nodes=names, _position={name: i for i, name in enumerate(names)})
        arrows = [self._index_pair(edge) for edge in directed]
        lines = [self._index_pair(edge) for edge in undirected]
        parents = index_lists(len(names), ((head, tail) for tail, head in arrows))
        children = index_lists(len(names), arrows)
        self._freeze(
            parent_indices=parents,
            child_indices=children,
            undirected_indices=index_lists(len(names), lines + [(j, i) for i, j in lines]),
            topological_indices=_acyclic_order(names, parents, children),
        )
        self._refuse_repeated(arrows + lines)

    @classmethod
    def _of(cls, nodes: Sequence[str], directed: list[Edge], undirected: list[Edge]) -> Self:
        """Give the constructor the sorts of edges that it knows."""
        sorts: dict[Arrow, list[Edge]] = {"->": directed, "--": undirected}
        return cls(nodes, *(sorts[arrow] for arrow in cls._arrows))

    @classmethod
    def from_string(cls, text: str) -> Self:
        """Read a line such as ``"A->B, B--C, D"``; the nodes are in order of appearance.

        Examples
        --------
        >>> Skeleton.from_string("A--B--C, D").edges
        (('A', 'B'), ('B', 'C'))
        """
        nodes, edges = parse_graph(text)
        for edge in edges:
            if edge.arrow not in cls._arrows:
                raise GraphError(
                    f"A {cls.__name__} has no edge such as {''.join(edge)!r}; write "
                    f"{cls._arrows[0]!r}, or use PDAG, which has both sorts."
                )
        return cls._of(
            nodes,
            directed=[(edge.left, edge.right) for edge in edges if edge.arrow == "->"],
            undirected=[(edge.left, edge.right) for edge in edges if edge.arrow == "--"],
        )

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """Number of edges of any sort."""
        return sum(map(len, self.child_indices)) + sum(map(len, self.undirected_indices)) // 2

    @cached_property
    def adjacent_indices(self) -> IndexLists:
        """For every node, the nodes it has an edge with, in node order."""
        together = zip(
            self.parent_indices, self.child_indices, self.undirected_indices, strict=True
        )
        return tuple(tuple(sorted(a + b + c)) for a, b, c in together)

    @cached_property
    def directed(self) -> tuple[Edge, ...]:
        """The directed edges as (tail, head), sorted by node order."""
        return self._named_pairs(
            (i, j) for i, heads in enumerate(self.child_indices) for j in heads
        )

    @cached_property
    def undirected(self) -> tuple[Edge, ...]:
        """The undirected edges, sorted by node order and with the earlier node first."""
        return self._named_pairs(
            (i, j) for i, others in enumerate(self.undirected_indices) for j in others if i < j
        )

    def marked_edges(self) -> Iterator[MarkedEdge]:
        """Yield every edge once, as it is written in a line of text."""
        yield from (MarkedEdge(tail, "->", head) for tail, head in self.directed)
        yield from (MarkedEdge(left, "--", right) for left, right in self.undirected)

    def index(self, node: str) -> int:
        """Return the position of a node; `GraphError` when there is no such node."""
        position: int | None = self._position.get(node) if isinstance(node, str) else None
        if position is None:
            close = difflib.get_close_matches(str(node), self.nodes)
            way_out = f"did you mean {listed(close)}?" if close else f"it has {listed(self.nodes)}."
            raise GraphError(f"The graph has no node {node!r}; {way_out}")
        return position

    def indices(self, nodes: str | Iterable[str]) -> list[int]:
        """Return the positions of one node or of several."""
        return [self.index(node) for node in ([nodes] if isinstance(nodes, str) else nodes)]

    def names(self, indices: Iterable[int]) -> frozenset[str]:
        """Return the names of the nodes at some positions."""
        return frozenset(self.nodes[i] for i in indices)

    def adjacent(self, node: str) -> frozenset[str]:
        """Return every node that has an edge with ``node``."""
        return self.names(self.adjacent_indices[self.index(node)])

    def region(self, node: str, depth: int) -> Self:
        """Return the part of the graph within ``depth`` steps of a node, arrowheads ignored.

        Parameters
        ----------
        node : str
            The centre of the region.
        depth : int
            0 gives the node alone, 1 its adjacent nodes as well, and so on.

        Returns
        -------
        graph
            The nodes within reach, in this graph's order, with all edges between them.
        """
        require_count("depth", depth)
        within = reached_from([self.index(node)], self.adjacent_indices, depth=depth)
        return self.subgraph(self.names(within))

    def subgraph(self, nodes: str | Iterable[str]) -> Self:
        """Return the given nodes, in this graph's order, and every edge between them."""
        kept = self.names(self.indices(nodes))
        return self._of(
            [name for name in self.nodes if name in kept],
            directed=[edge for edge in self.directed if kept.issuperset(edge)],
            undirected=[edge for edge in self.undirected if kept.issuperset(edge)],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedGraph) or type(self) is not type(other):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        name = type(self).__name__
        if max(self.n_edges, self.n_nodes) > _MOST_EDGES_SHOWN:
            return f"<{name} with {self.n_nodes} nodes and {self.n_edges} edges>"
        return f"{name}.from_string({format_graph(self.nodes, self.marked_edges())!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} cannot be changed (attribute {name!r}).")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} cannot be changed (attribute {name!r}).")

    @cached_property
    def _identity(self) -> tuple[frozenset[str], frozenset[Edge], frozenset[frozenset[str]]]:
        lines = frozenset(map(frozenset, self.undirected))
        return frozenset(self.nodes), frozenset(self.directed), lines

    def _freeze(self, **attributes: Any) -> None:
        """Set attributes; for constructors only."""
        vars(self).update(attributes)

    def _named_pairs(self, pairs: Iterable[tuple[int, int]]) -> tuple[Edge, ...]:
        return tuple((self.nodes[i], self.nodes[j]) for i, j in pairs)

    def _index_pair(self, edge: Edge) -> tuple[int, int]:
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise GraphError(
                f"The edge {edge!r} is not a pair of node names; "
                f"give pairs such as ('A', 'B'), or use from_string for text."
            )
        left, right = edge
        if left == right:
            raise GraphError(f"The edge from {left!r} to itself is a loop; remove it.")
        return self.index(left), self.index(right)

    def _refuse_repeated(self, pairs: list[tuple[int, int]]) -> None:
        either_way = [(i, j) if i < j else (j, i) for i, j in pairs]
        if len(set(either_way)) < len(either_way):
            (i, j), _ = Counter(either_way).most_common(1)[0]
            raise GraphError(
                f"The edge between {self.nodes[i]!r} and {self.nodes[j]!r} is given more than "
                f"once; keep one."
            )


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

    _arrows = ("--",)

    def __init__(self, nodes: Iterable[str], edges: Iterable[Edge] = ()) -> None:
        super().__init__(nodes, undirected=edges)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge once, sorted by node order and with the earlier node first."""
        return self.undirected

    def to_networkx(self) -> networkx.Graph:
        """Return a ``networkx.Graph`` with the same nodes and edges."""
        return networkx_from_pairs(self.nodes, self.edges, directed=False)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph) -> Self:
        """Take the nodes (which must be strings) and edges of a ``networkx.Graph``."""
        return cls(*pairs_from_networkx(graph, directed=False))

    def to_adjacency(self) -> MatrixArray:
        """Return a symmetric matrix of zeros and ones; symmetry makes a convention needless."""
        pairs = ((i, j) for i, others in enumerate(self.undirected_indices) for j in others)
        return matrix_from_pairs(self.n_nodes, pairs, convention="row_to_column")

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, *, nodes: Sequence[str]) -> Self:
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


def _checked_names(nodes: Iterable[str]) -> tuple[str, ...]:
    """Return node names as a tuple, refusing anything but distinct, non-empty strings."""
    if isinstance(nodes, str):
        raise GraphError(f"The nodes must be a list of names, not the single text {nodes!r}.")
    names = tuple(nodes)
    for name in names:
        if not isinstance(name, str) or not name:
            raise GraphError(f"The node {name!r} has no usable name; use non-empty strings.")
    if len(set(names)) < len(names):
        repeated = [name for name, n_uses in Counter(names).items() if n_uses > 1]
        raise DuplicateNamesError(
            f"Several nodes are called {listed(repeated)}; give every node a name of its own."
        )
    return names


def index_lists(n_nodes: int, pairs: Iterable[tuple[int, int]]) -> IndexLists:
    """Return, for every node, the sorted second members of the pairs that begin with it."""
    lists: list[list[int]] = [[] for _ in range(n_nodes)]
    for first, second in pairs:
        lists[first].append(second)
    return tuple(tuple(sorted(members)) for members in lists)


def _acyclic_order(
    nodes: Sequence[str], parents: IndexLists, children: IndexLists
) -> tuple[int, ...]:
    """Return the nodes, parents first; `GraphError` names a cycle when there is one."""
    order = parents_first(parents, children)
    if len(order) < len(nodes):
        names = [nodes[i] for i in find_cycle(parents, order)]
        shown = names if len(names) <= _MOST_EDGES_SHOWN else [*names[:8], "...", names[-1]]
        cycle = " -> ".join(shown)
        raise GraphError(f"The directed edges form the cycle {cycle}; remove or turn one of them.")
    return order
