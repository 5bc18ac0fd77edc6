"""Graphs as one line of text: ``A -> B <- C, C -- D, E``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from eiderdown.errors import GraphError

Arrow: TypeAlias = Literal["->", "--"]

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
        edges.extend(map(_marked, names, arrows, names[1:]))
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


def _marked(left: str, arrow: str, right: str) -> MarkedEdge:
    if arrow == "<-":
        return MarkedEdge(right, "->", left)
    return MarkedEdge(left, "--" if arrow == "--" else "->", right)
