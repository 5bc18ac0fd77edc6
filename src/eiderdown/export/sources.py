"""What can be exported, and what is made of something that was read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG
from eiderdown.results import LearnedGraph

Exportable: TypeAlias = DAG | PDAG | LearnedGraph
"""A graph, or a result that holds one."""


def graph_of(source: Exportable) -> DAG | PDAG:
    """Return the graph itself."""
    return source.graph if isinstance(source, LearnedGraph) else source


def directed_graph_of(source: Exportable, form: str) -> DAG:
    """Return the graph, which must be directed, because the format knows nothing else."""
    graph = graph_of(source)
    if isinstance(graph, PDAG):
        raise GraphError(
            f"{form} has no undirected edges, but this graph is a pattern; export one of the "
            "directed graphs it stands for, graph.to_dag(), or choose another format."
        )
    return graph


def edges_of(graph: DAG | PDAG) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Return the directed and the undirected edges."""
    if isinstance(graph, DAG):
        return graph.edges, ()
    return graph.directed, graph.undirected


def built(
    nodes: Iterable[str],
    directed: Iterable[tuple[str, str]],
    undirected: Iterable[tuple[str, str]] = (),
) -> DAG | PDAG:
    """Return a PDAG if any edge is undirected, and a DAG otherwise.

    Examples
    --------
    >>> built(["A", "B"], [("A", "B")])
    DAG.from_string('A->B')
    >>> built(["A", "B"], [], [("A", "B")])
    PDAG.from_string('A--B')
    """
    lines = list(undirected)
    return PDAG(nodes, directed, lines) if lines else DAG(nodes, directed)


def require_plain_names(graph: DAG | PDAG, forbidden: str, form: str) -> None:
    """Refuse names with characters that mean something else to the format."""
    for node in graph.nodes:
        bad = [sign for sign in node if sign in forbidden]
        if bad:
            raise GraphError(
                f"{form} cannot hold the node {node!r}, because {bad[0]!r} has a meaning of its "
                "own there; rename the column, or choose another format."
            )
