"""networkx graphs with the evidence on their edges, and GraphML by way of networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from eiderdown.errors import GraphError
from eiderdown.export.format import Exportable, Format, built, graph_of
from eiderdown.graphs import DAG, PDAG
from eiderdown.results import LearnedEdge, LearnedGraph

if TYPE_CHECKING:
    import networkx


def to_networkx(source: Exportable) -> networkx.DiGraph:
    """Return a ``networkx.DiGraph``; an undirected edge becomes a pair of opposite ones.

    Edges of a result carry its evidence: ``gain``, or ``log_p`` and ``effect`` of the test.

    Examples
    --------
    >>> to_networkx(DAG.from_string("A->B")).edges
    OutEdgeView([('A', 'B')])
    """
    graph = graph_of(source).to_networkx()
    for edge in source.edges if isinstance(source, LearnedGraph) else ():
        for ends in ((edge.left, edge.right), (edge.right, edge.left)):
            if graph.has_edge(*ends):
                graph.edges[ends].update(_evidence(edge))
    return graph


def from_networkx(graph: networkx.DiGraph) -> DAG | PDAG:
    """Read a ``networkx.DiGraph``; a pair of opposite edges becomes an undirected one."""
    read = PDAG.from_networkx(graph)
    return built(read.nodes, read.directed, read.undirected)


def to_graphml(source: Exportable) -> str:
    """Write a graph as GraphML, which Gephi, Cytoscape, yEd, igraph and networkx read.

    An undirected edge becomes a pair of opposite ones, because few of them read mixed graphs.

    Examples
    --------
    >>> "</graphml>" in to_graphml(DAG.from_string("A->B"))
    True
    """
    import networkx

    return "\n".join([*networkx.generate_graphml(to_networkx(source)), ""])


def from_graphml(text: str) -> DAG | PDAG:
    """Read a graph from GraphML; a PDAG if any edge goes both ways.

    Examples
    --------
    >>> from_graphml(to_graphml(PDAG.from_string("A->B, B--C")))
    PDAG.from_string('A->B, B--C')
    """
    import networkx

    try:
        graph = networkx.parse_graphml(text)
    except (ParseError, networkx.NetworkXError) as problem:
        raise GraphError(
            f"This is not GraphML of one graph whose edges are all directed ({problem}); write it "
            "again with the program that made it."
        ) from problem
    return from_networkx(graph if graph.is_directed() else graph.to_directed())


def _evidence(edge: LearnedEdge) -> dict[str, float]:
    if edge.test is not None:
        return {"log_p": edge.test.log_p, "effect": edge.test.effect}
    return {} if edge.gain is None else {"gain": edge.gain}


GRAPHML = Format(to_graphml, "GraphML", name="graphml", read=from_graphml, suffixes=(".graphml",))
