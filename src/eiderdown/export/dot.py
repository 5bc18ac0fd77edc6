"""DOT, the language of Graphviz, which draws the graph."""

from __future__ import annotations

from eiderdown.errors import GraphError
from eiderdown.export.arrow_language import ArrowEdge, quoted, read_arrows
from eiderdown.export.sources import Exportable, built, edges_of, graph_of
from eiderdown.graphs import DAG, PDAG

_FORM = "DOT"


def to_dot(source: Exportable) -> str:
    """Write a graph as DOT; undirected edges are drawn without arrowheads.

    Examples
    --------
    >>> print(to_dot(PDAG.from_string("A->B, B--C")))
    digraph {
      "A";
      "B";
      "C";
      "A" -> "B";
      "B" -> "C" [dir=none];
    }
    <BLANKLINE>
    """
    graph = graph_of(source)
    directed, undirected = edges_of(graph)
    lines = [f"  {quoted(node)};" for node in graph.nodes]
    lines += [f"  {quoted(a)} -> {quoted(b)};" for a, b in directed]
    lines += [f"  {quoted(a)} -> {quoted(b)} [dir=none];" for a, b in undirected]
    return "\n".join(["digraph {", *lines, "}", ""])


def from_dot(text: str) -> DAG | PDAG:
    """Read a graph from DOT: nodes, edges, groups; of the attributes only ``dir``.

    Returns
    -------
    DAG or PDAG
        A PDAG if any edge is undirected: ``A -- B``, or ``A -> B [dir=none]``.

    Examples
    --------
    >>> from_dot("digraph g { A -> {B C}; }")
    DAG.from_string('A->B, A->C')
    """
    read = read_arrows(text, ("digraph", "graph"), _FORM)
    marked = [_ends(edge) for edge in read.edges]
    directed = [(a, b) for a, b, has_head in marked if has_head]
    return built(read.nodes, directed, [(a, b) for a, b, has_head in marked if not has_head])


def _ends(edge: ArrowEdge) -> tuple[str, str, bool]:
    """Return the two ends, and whether there is an arrowhead at the second."""
    way = edge.attributes.get("dir", "forward")
    if edge.arrow not in ("->", "--") or way not in ("forward", "back", "none"):
        raise GraphError(
            f"The edge between {edge.left!r} and {edge.right!r} is neither directed nor "
            "undirected; leave it out."
        )
    if way == "back" and edge.arrow == "->":
        return edge.right, edge.left, True
    return edge.left, edge.right, edge.arrow == "->" and way == "forward"
