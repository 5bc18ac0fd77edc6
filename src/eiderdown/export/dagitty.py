"""The text of DAGitty (dagitty.net, and the R package of that name)."""

from __future__ import annotations

import re

from eiderdown.errors import GraphError
from eiderdown.export.arrow_language import quoted, read_arrows
from eiderdown.export.sources import Exportable, edges_of, graph_of
from eiderdown.graphs import DAG, PDAG

_FORM = "DAGitty"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = ("subgraph", "graph", "node", "edge", "strict")


def to_dagitty(source: Exportable) -> str:
    """Write a graph as the text of DAGitty.

    Examples
    --------
    >>> print(to_dagitty(DAG.from_string("A->B, C")))
    dag {
    A
    B
    C
    A -> B
    }
    <BLANKLINE>
    """
    graph = graph_of(source)
    directed, undirected = edges_of(graph)
    lines = [_name(node) for node in graph.nodes]
    lines += [f"{_name(a)} -> {_name(b)}" for a, b in directed]
    lines += [f"{_name(a)} -- {_name(b)}" for a, b in undirected]
    return "\n".join(["dag {" if isinstance(graph, DAG) else "pdag {", *lines, "}", ""])


def from_dagitty(text: str) -> DAG | PDAG:
    """Read a graph from the text of DAGitty; ``pdag`` gives a PDAG, ``dag`` a DAG.

    Examples
    --------
    >>> from_dagitty('dag { exposure [exposure]; exposure -> outcome <- {age sex} }')
    DAG.from_string('exposure->outcome, age->outcome, sex->outcome')
    """
    read = read_arrows(text, ("dag", "pdag"), _FORM)
    directed, undirected = [], []
    for edge in read.edges:
        if edge.arrow == "--" and read.keyword == "pdag":
            undirected.append((edge.left, edge.right))
        elif edge.arrow in ("->", "<-"):
            ends = (edge.left, edge.right)
            directed.append(ends if edge.arrow == "->" else ends[::-1])
        else:
            raise GraphError(
                f"The edge {edge.left} {edge.arrow} {edge.right} stands for something that a "
                f"{read.keyword} of Eiderdown does not have; leave it out, or write 'pdag' for a "
                "graph with undirected edges."
            )
    if read.keyword == "pdag":
        return PDAG(read.nodes, directed, undirected)
    return DAG(read.nodes, directed)


def _name(node: str) -> str:
    return node if _PLAIN.fullmatch(node) and node.lower() not in _RESERVED else quoted(node)
