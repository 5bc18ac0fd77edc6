"""The model string of bnlearn, an R package: ``[A][B|A][C|A:B]``."""

from __future__ import annotations

import re

from eiderdown.errors import GraphError
from eiderdown.export.format import Exportable, Format, directed_graph_of, require_plain_names
from eiderdown.graphs import DAG

_FORM = "bnlearn's model string"
_SIGNS = "[]|:"
_NODE = re.compile(r"\[([^\[\]|:]+)(?:\|([^\[\]|]+))?\]")


def to_bnlearn(source: Exportable) -> str:
    """Write a directed graph as the argument of bnlearn's ``model2network``.

    Examples
    --------
    >>> to_bnlearn(DAG.from_string("A->B, A->C, B->C"))
    '[A][B|A][C|A:B]'
    """
    graph = directed_graph_of(source, _FORM)
    require_plain_names(graph, _SIGNS, _FORM)
    return "".join(map(_node, [graph] * graph.n_nodes, graph.topological_order))


def from_bnlearn(text: str) -> DAG:
    """Read a directed graph from what bnlearn's ``modelstring`` returns.

    Examples
    --------
    >>> from_bnlearn("[A][B|A][C|A:B]")
    DAG.from_string('A->B, A->C, B->C')
    """
    whole = text.strip()
    families = [match.groups() for match in _NODE.finditer(whole)]
    if not families or _NODE.sub("", whole).strip():
        raise GraphError(f"This is not {_FORM}; write one such as '[A][B|A][C|A:B]'.")
    edges = [(parent, node) for node, own in families if own for parent in own.split(":")]
    return DAG([node for node, _ in families], edges)


def _node(graph: DAG, node: str) -> str:
    parents = ":".join(graph.ordered_parents(node))
    return f"[{node}|{parents}]" if parents else f"[{node}]"


def _line(source: Exportable) -> str:
    return to_bnlearn(source) + "\n"


BNLEARN = Format(
    _line, "bnlearn's model string", name="bnlearn", read=from_bnlearn, suffixes=(".bnlearn",)
)
