"""Graphs as one line of text, as adjacency matrices and as networkx graphs.

Text is ``A -> B <- C, C -- D, E``. A matrix never comes without a stated convention: half of the
field writes ``a[i, j] = 1`` for i -> j, the other half for j -> i, and a transposed matrix looks
like any other. networkx is imported only when it is asked for; of its graphs only nodes and edges
are read, attributes are left behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.errors import GraphError, OptionError
from eiderdown.memory import require_memory

if TYPE_CHECKING:
    import networkx

Arrow: TypeAlias = Literal["->", "--"]
Convention: TypeAlias = Literal["row_to_column", "column_to_row"]
MatrixArray: TypeAlias = NDArray[np.int8]

_ARROW = re.compile(r"(->|<-|--)")


class MarkedEdge(NamedTuple):
    """One edge between two nodes: directed from left to right, or undirected."""

    left: str
    arrow: Arrow
    right: str


def parse_graph(text: str) -> tuple[tuple[str, ...], tuple[MarkedEdge, ...]]:
    """Read the nodes, in order of first appearance, and the edges of a line of text.

    Items are separated by commas; an item is a node or a chain of nodes joined by ``->``, ``<-``
    or ``--``. Spaces around names do not count.

    Examples
    --------
    >>> nodes, edges = parse_graph("A -> B <- C, D")
    >>> nodes
    ('A', 'B', 'C', 'D')
    >>> [tuple(edge) for edge in edges]
    [('A', '->', 'B'), ('C', '->', 'B')]
    """
    nodes: dict[str, None] = {}
    edges: list[MarkedEdge] = []
    for item in text.split(",") if text.strip() else ():
        parts = [part.strip() for part in _ARROW.split(item)]
        names, arrows = parts[::2], parts[1::2]
        if not all(names):
            raise GraphError(
                f"The item {item.strip()!r} of the graph text lacks a node name; "
                f"write items such as 'A->B', 'A--B' or 'A', with commas between them."
            )
        nodes.update(dict.fromkeys(names))
        for left, arrow, right in zip(names, arrows, names[1:], strict=False):
            if arrow == "<-":
                edges.append(MarkedEdge(right, "->", left))
            else:
                edges.append(MarkedEdge(left, "--" if arrow == "--" else "->", right))
    return tuple(nodes), tuple(edges)


def format_graph(nodes: Iterable[str], edges: Iterable[MarkedEdge]) -> str:
    """Write edges, then the nodes without any, as a line that `parse_graph` reads back.

    Examples
    --------
    >>> format_graph(["A", "B", "C"], [MarkedEdge("A", "->", "B")])
    'A->B, C'
    """
    edges = tuple(edges)
    joined = {name for edge in edges for name in (edge.left, edge.right)}
    return ", ".join(["".join(edge) for edge in edges] + [v for v in nodes if v not in joined])


def matrix_from_pairs(
    n_nodes: int, pairs: Iterable[tuple[int, int]], *, convention: Convention
) -> MatrixArray:
    """Return the matrix with a 1 for every (tail, head) pair.

    Examples
    --------
    >>> matrix_from_pairs(2, [(0, 1)], convention="row_to_column").tolist()
    [[0, 1], [0, 0]]
    """
    _check_convention(convention)
    require_memory(
        2.0 * n_nodes**2,
        f"The adjacency matrix of {n_nodes:,} nodes",
        "take the edges, or leave out nodes without any",
    )
    matrix = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    for tail, head in pairs:
        matrix[tail, head] = 1
    return matrix if convention == "row_to_column" else np.ascontiguousarray(matrix.T)


def pairs_from_matrix(
    matrix: ArrayLike, *, nodes: Sequence[str], convention: Convention
) -> list[tuple[str, str]]:
    """Return the (tail, head) names for every 1 in a square matrix of zeros and ones.

    Examples
    --------
    >>> pairs_from_matrix([[0, 1], [0, 0]], nodes=["A", "B"], convention="column_to_row")
    [('B', 'A')]
    """
    _check_convention(convention)
    array = np.asarray(matrix)
    if array.shape != (len(nodes), len(nodes)):
        raise GraphError(
            f"The adjacency matrix has shape {array.shape} but there are {len(nodes)} nodes; "
            f"it must have one row and one column per node."
        )
    for i, j in np.argwhere(~np.isin(array, (0, 1)))[:1]:
        raise GraphError(
            f"The adjacency matrix holds {array[i, j].item()!r} at row {nodes[i]!r}, column "
            f"{nodes[j]!r}; only 0 and 1 are allowed, so compare weights with zero first."
        )
    rows_to_columns = array if convention == "row_to_column" else array.T
    return [(nodes[i], nodes[j]) for i, j in np.argwhere(rows_to_columns == 1)]


def networkx_from_pairs(
    nodes: Iterable[str], pairs: Iterable[tuple[str, str]], *, directed: bool
) -> networkx.Graph:
    """Return a ``networkx.DiGraph`` (or ``Graph``) with the given nodes and edges."""
    import networkx

    graph = networkx.DiGraph() if directed else networkx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(pairs)
    return graph


def pairs_from_networkx(
    graph: networkx.Graph, *, directed: bool
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return nodes and edges of a networkx graph, which must be of the directedness asked for."""
    wanted = "DiGraph" if directed else "Graph"
    if not hasattr(graph, "is_multigraph"):
        raise GraphError(f"A networkx {wanted} is needed here, not a {type(graph).__name__}.")
    if graph.is_directed() != directed or graph.is_multigraph():
        raise GraphError(
            f"A networkx {wanted} is needed here, not a {type(graph).__name__}; "
            f"convert it with networkx.{wanted}(graph) first."
        )
    return list(graph.nodes), list(graph.edges)


def _check_convention(convention: str) -> None:
    if convention not in ("row_to_column", "column_to_row"):
        raise OptionError(
            f"convention must be 'row_to_column' (a[i, j] = 1 means i -> j) or "
            f"'column_to_row' (a[i, j] = 1 means j -> i), not {convention!r}."
        )
