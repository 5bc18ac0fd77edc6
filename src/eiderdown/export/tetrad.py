"""The text in which Tetrad, and causal-learn after it, write graphs."""

from __future__ import annotations

import re

from eiderdown.errors import GraphError
from eiderdown.export.format import (
    Exportable,
    Format,
    built,
    graph_of,
    neither_directed_nor_undirected,
    require_plain_names,
)
from eiderdown.graphs import DAG, PDAG

_FORM = "Tetrad's text"
_SIGNS = ";, \t\n"
_EDGE = re.compile(r"\d+\.\s+(\S+)\s+(\S+)\s+(\S+)")


def to_tetrad(source: Exportable) -> str:
    """Write a graph as Tetrad does.

    Examples
    --------
    >>> print(to_tetrad(PDAG.from_string("A->B, B--C")))
    Graph Nodes:
    A;B;C
    <BLANKLINE>
    Graph Edges:
    1. A --> B
    2. B --- C
    <BLANKLINE>
    """
    graph = graph_of(source)
    require_plain_names(graph, _SIGNS, _FORM)
    edges = [f"{a} --> {b}" for a, b in graph.directed]
    edges += [f"{a} --- {b}" for a, b in graph.undirected]
    numbered = [f"{i}. {edge}" for i, edge in enumerate(edges, start=1)]
    return "\n".join(["Graph Nodes:", ";".join(graph.nodes), "", "Graph Edges:", *numbered, ""])


def from_tetrad(text: str) -> DAG | PDAG:
    r"""Read a graph from a text of Tetrad or causal-learn; a PDAG if any edge is undirected.

    Examples
    --------
    >>> from_tetrad("Graph Nodes:\nA;B\n\nGraph Edges:\n1. A --> B\n")
    DAG.from_string('A->B')
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or lines[0] != "Graph Nodes:":
        raise GraphError(f"This is not {_FORM}; it begins with a line 'Graph Nodes:'.")
    directed, undirected = [], []
    for left, mark, right in _EDGE.findall("\n".join(lines[2:])):
        if mark in ("-->", "<--"):
            directed.append((left, right) if mark == "-->" else (right, left))
        elif mark == "---":
            undirected.append((left, right))
        else:
            raise neither_directed_nor_undirected(left, right, mark)
    return built(re.split("[;,]", lines[1]), directed, undirected)


TETRAD = Format(
    to_tetrad, "Tetrad's text", name="tetrad", read=from_tetrad, suffixes=(".tetrad", ".txt")
)
