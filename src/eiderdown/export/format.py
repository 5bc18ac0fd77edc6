"""What a format of graphs is, and what all formats share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeAlias

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG
from eiderdown.registry import Entry
from eiderdown.results import LearnedGraph

P = ParamSpec("P")

Exportable: TypeAlias = DAG | PDAG | LearnedGraph
"""A graph, or a result that holds one."""


@dataclass(frozen=True, eq=False, repr=False)
class Format(Entry[P, str]):
    """A format of files: a function from a graph to text, and the way back.

    Attributes
    ----------
    read : callable
        From a text to a graph.
    suffixes : tuple of str
        Ends of file names that say this format.
    needs_data : bool
        Whether the function takes a table as well, because the format holds numbers.
    """

    read: Callable[[str], DAG | PDAG] = field(kw_only=True)
    suffixes: tuple[str, ...] = field(default=(), kw_only=True)
    needs_data: bool = field(default=False, kw_only=True)


def graph_of(source: Exportable) -> DAG | PDAG:
    """Return the graph itself."""
    graph = source.graph if isinstance(source, LearnedGraph) else source
    if not isinstance(graph, DAG | PDAG):
        raise GraphError(
            f"A {type(source).__name__} is no graph; give a DAG, a PDAG, or a result that has one."
        )
    return graph


def directed_graph_of(source: Exportable, form: str) -> DAG:
    """Return the graph, which must be directed, because the format knows nothing else."""
    graph = graph_of(source)
    if isinstance(graph, PDAG):
        raise GraphError(
            f"{form} has no undirected edges, but this graph is a PDAG; export one of the directed "
            "graphs it stands for, graph.to_dag(), or choose another format."
        )
    return graph


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


def require_plain_names(
    graph: DAG | PDAG,
    forbidden: re.Pattern[str],
    form: str,
    why: str = "has a meaning of its own there",
) -> None:
    """Refuse names with characters that the format cannot hold, or that mean something else."""
    for node in graph.nodes:
        bad = forbidden.search(node)
        if bad:
            raise GraphError(
                f"{form} cannot hold the node {node!r}, because {bad.group()!r} {why}; rename the "
                "column, or choose another format."
            )


def neither_directed_nor_undirected(left: str, right: str, mark: str = "") -> GraphError:
    """Say that an edge is of a kind that the graphs here do not have."""
    shown = f" ({mark})" if mark else ""
    return GraphError(
        f"The edge between {left!r} and {right!r}{shown} is neither directed nor undirected; leave "
        "it out."
    )
