"""What DAGs, PDAGs and skeletons share: named nodes, identity, neighbourhoods.

Inside, a node is its position in ``nodes`` and edges are tuples of positions; names live only at
the border. Graphs never change: every method that seems to change one returns another.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn, Self, TypeAlias

import numpy as np

from eiderdown.errors import DuplicateNamesError, GraphError, OptionError, listed
from eiderdown.graphs.notation import MarkedEdge, format_graph
from eiderdown.graphs.traversal import find_cycle, parents_first, within

IndexLists: TypeAlias = tuple[tuple[int, ...], ...]

_MOST_EDGES_SHOWN = 20


class NamedGraph(ABC):
    """Base of the graph classes; two graphs are equal when their nodes and edges are the same.

    The order of the nodes does not count for equality: it only says which integer stands for
    which name.
    """

    nodes: tuple[str, ...]
    _position: dict[str, int]

    def __init__(self, nodes: Iterable[str]) -> None:
        names = checked_names(nodes)
        self._freeze(nodes=names, _position={name: i for i, name in enumerate(names)})

    @property
    @abstractmethod
    def adjacent_indices(self) -> IndexLists:
        """For every node, the nodes it has an edge with, in node order."""

    @abstractmethod
    def marked_edges(self) -> Iterator[MarkedEdge]:
        """Yield every edge once, as it is written in a line of text."""

    @abstractmethod
    def _cut(self, nodes: Sequence[str], kept: frozenset[str]) -> Self:
        """Return a graph of ``nodes``, which are ``kept`` in order, with the edges inside."""

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    def index(self, node: str) -> int:
        """Return the position of a node; `GraphError` when there is no such node."""
        position: int | None = self._position.get(node) if isinstance(node, str) else None
        if position is None:
            raise GraphError(self._unknown(node))
        return position

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
        if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 0:
            raise OptionError(f"depth must be a non-negative integer, not {depth!r}.")
        return self.subgraph(self.names(within(self.index(node), depth, self.adjacent_indices)))

    def subgraph(self, nodes: str | Iterable[str]) -> Self:
        """Return the given nodes, in this graph's order, and every edge between them."""
        kept = self.names(self.indices(nodes))
        return self._cut([name for name in self.nodes if name in kept], kept)

    def names(self, indices: Iterable[int]) -> frozenset[str]:
        """Return the names of the nodes at some positions."""
        return frozenset(self.nodes[i] for i in indices)

    def indices(self, nodes: str | Iterable[str]) -> list[int]:
        """Return the positions of one node or of several."""
        return [self.index(node) for node in ([nodes] if isinstance(nodes, str) else nodes)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedGraph) or type(self) is not type(other):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        edges = tuple(self.marked_edges())
        if max(len(edges), self.n_nodes) > _MOST_EDGES_SHOWN:
            return f"<{type(self).__name__} with {self.n_nodes} nodes and {len(edges)} edges>"
        return f"{type(self).__name__}.from_string({format_graph(self.nodes, edges)!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} cannot be changed (attribute {name!r}).")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} cannot be changed (attribute {name!r}).")

    @cached_property
    def _identity(self) -> tuple[frozenset[str], frozenset[MarkedEdge]]:
        return frozenset(self.nodes), frozenset(
            MarkedEdge(right, arrow, left) if arrow == "--" and right < left else edge
            for edge in self.marked_edges()
            for left, arrow, right in [edge]
        )

    def _freeze(self, **attributes: Any) -> None:
        """Set attributes; for constructors only."""
        vars(self).update(attributes)

    def _named_pairs(self, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
        return tuple((self.nodes[i], self.nodes[j]) for i, j in pairs)

    def _index_pairs(self, edges: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
        return [self._index_pair(edge) for edge in edges]

    def _index_pair(self, edge: tuple[str, str]) -> tuple[int, int]:
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise GraphError(
                f"The edge {edge!r} is not a pair of node names; "
                f"give pairs such as ('A', 'B'), or use from_string for text."
            )
        left, right = edge
        if left == right:
            raise GraphError(f"The edge from {left!r} to itself is a loop; remove it.")
        return self.index(left), self.index(right)

    def _unknown(self, node: object) -> str:
        close = difflib.get_close_matches(str(node), self.nodes)
        way_out = f"did you mean {listed(close)}?" if close else f"it has {listed(self.nodes)}."
        return f"The graph has no node {node!r}; {way_out}"


def checked_names(nodes: Iterable[str]) -> tuple[str, ...]:
    """Return node names as a tuple, refusing anything but distinct, non-empty strings."""
    if isinstance(nodes, str):
        raise GraphError(f"The nodes must be a list of names, not the single text {nodes!r}.")
    names = tuple(nodes)
    for name in names:
        if not isinstance(name, str) or not name:
            raise GraphError(f"The node {name!r} has no usable name; use non-empty strings.")
    repeated = [name for name, n_uses in Counter(names).items() if n_uses > 1]
    if repeated:
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


def refuse_repeated(pairs: Iterable[tuple[int, int]], nodes: Sequence[str]) -> None:
    """Raise `GraphError` when two pairs join the same two nodes the same way round."""
    repeated = [pair for pair, n_uses in Counter(pairs).items() if n_uses > 1]
    if repeated:
        left, right = repeated[0]
        raise GraphError(
            f"The edge between {nodes[left]!r} and {nodes[right]!r} is given more than once; "
            f"keep one."
        )


def acyclic_order(
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
