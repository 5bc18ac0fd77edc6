"""Graphs from and to networkx, which is imported only when it is asked for.

Only nodes and edges cross; attributes of a networkx graph are left behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eiderdown.errors import GraphError

if TYPE_CHECKING:
    import networkx


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
    if graph.is_directed() != directed or graph.is_multigraph():
        raise GraphError(
            f"A networkx {wanted} is needed here, not a {type(graph).__name__}; "
            f"convert it with networkx.{wanted}(graph) first."
        )
    return list(graph.nodes), list(graph.edges)
