"""What other libraries read: networkx, GraphML, Tetrad's text, causal-learn's and pcalg's matrices.

Graphs of networkx have the evidence on their edges; GraphML goes by way of them. causal-learn marks
both ends of an edge, -1 for a tail and 1 for a head: entry (i, j) is the mark at i. pcalg (its
``amat.cpdag``) has a 1 in row i and column j for an arrow from j to i, and a 1 both ways for an
undirected edge. Tetrad's text is what causal-learn writes, too.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.etree.ElementTree import ParseError

import numpy as np
from numpy.typing import NDArray

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
from eiderdown.memory import require_memory
from eiderdown.results import LearnedEdge, LearnedGraph
from eiderdown.spreadsheets import as_meant, harmless

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

    require_plain_names(graph_of(source), _NOT_IN_XML, "GraphML", "cannot be written in XML")
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
    except (ParseError, networkx.NetworkXError, *_OF_DAMAGED_FILES) as problem:
        raise GraphError(
            f"This is not GraphML of one graph whose edges are all directed ({problem}); write it "
            "again with the program that made it."
        ) from problem
    return from_networkx(graph if graph.is_directed() else graph.to_directed())


_OF_DAMAGED_FILES = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What networkx raises of GraphML that it cannot read, beside errors of its own."""

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _evidence(edge: LearnedEdge) -> dict[str, float]:
    if edge.test is not None:
        return {"log_p": edge.test.log_p, "effect": edge.test.effect}
    return {} if edge.gain is None else {"gain": edge.gain}


GRAPHML = Format(to_graphml, "GraphML", name="graphml", read=from_graphml, suffixes=(".graphml",))


Marks: TypeAlias = NDArray[np.int64]

_TAIL, _HEAD = -1, 1
_LONGEST_MARK = 18  # letters that fit into 64 bits


def to_causal_learn(source: Exportable) -> Marks:
    """Return the matrix that causal-learn keeps in the ``graph`` of a graph.

    Rows and columns are in the order of the graph's nodes.

    Examples
    --------
    >>> to_causal_learn(PDAG.from_string("A->B, B--C")).tolist()
    [[0, -1, 0], [1, 0, -1], [0, -1, 0]]
    """
    graph = graph_of(source)
    require_memory(
        8.0 * graph.n_nodes**2,
        f"The matrix of a graph of {graph.n_nodes:,} nodes",
        "take the edges, or leave out nodes without any",
    )
    matrix = np.zeros((graph.n_nodes, graph.n_nodes), dtype=np.int64)
    for left, arrow, right in graph.marked_edges():
        i, j = graph.index(left), graph.index(right)
        matrix[i, j], matrix[j, i] = _TAIL, _HEAD if arrow == "->" else _TAIL
    return matrix


def from_causal_learn(source: Any, *, nodes: Sequence[str] | None = None) -> DAG | PDAG:
    """Read a graph of causal-learn: a PDAG if any edge is undirected.

    Parameters
    ----------
    source : graph of causal-learn, result of its searches, or array-like
        What its searches return, the graph in it, or the matrix of the graph.
    nodes : sequence of str or None
        Names of the rows; needed for a bare matrix.

    Examples
    --------
    >>> from_causal_learn([[0, -1], [1, 0]], nodes=["A", "B"])
    DAG.from_string('A->B')
    """
    held = getattr(source, "G", source)
    if nodes is None and hasattr(held, "get_node_names"):
        nodes = held.get_node_names()
    if nodes is None:
        raise GraphError("A matrix has no names; give those of its rows as nodes=[...].")
    return _of_marks(_square(getattr(held, "graph", held), nodes), list(nodes))


def to_pcalg(source: Exportable) -> str:
    """Write pcalg's matrix as CSV with the names of the nodes.

    R reads it with ``as.matrix(read.csv(file, row.names = 1, check.names = FALSE))``. Names that
    spreadsheets would take for formulas have an apostrophe in front, which :func:`from_pcalg` takes
    off again.

    Examples
    --------
    >>> print(to_pcalg(DAG.from_string("A->B")))
    ,A,B
    A,0,0
    B,1,0
    <BLANKLINE>
    """
    graph = graph_of(source)
    return to_csv(graph.to_adjacency(convention="column_to_row").tolist(), graph.nodes)


def from_pcalg(text: str) -> DAG | PDAG:
    r"""Read pcalg's matrix from CSV, as :func:`to_pcalg` or R's ``write.csv`` wrote it.

    Examples
    --------
    >>> from_pcalg(",A,B\nA,0,0\nB,1,0\n")
    DAG.from_string('A->B')
    """
    matrix, nodes = from_csv(text)
    graph = PDAG.from_adjacency(matrix, nodes=nodes, convention="column_to_row")
    return built(nodes, graph.directed, graph.undirected)


def to_csv(rows: Iterable[Sequence[int]], nodes: Sequence[str]) -> str:
    """Write a matrix with the names of its columns and rows."""
    names = [_csv_name(node) for node in nodes]
    lines = [",".join(["", *names])]
    lines += [",".join([name, *map(str, row)]) for name, row in zip(names, rows, strict=True)]
    return "\n".join([*lines, ""])


def _csv_name(node: str) -> str:
    """Write a name; Python's own writer would leave a bare return without quotes."""
    name = harmless(node)
    quoted = name.replace('"', '""')
    return f'"{quoted}"' if any(sign in name for sign in ',"\r\n') else name


def from_csv(text: str) -> tuple[Marks, list[str]]:
    """Read what :func:`to_csv` wrote."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as problem:
        raise GraphError(
            f"This is not the CSV of a matrix ({problem}); write it again with the program that "
            "made it."
        ) from problem
    nodes = [as_meant(name) for name in rows[0][1:]] if rows else []
    try:
        cells = [[_mark(cell) for cell in row[1:]] for row in rows[1:]]
    except ValueError as problem:
        raise GraphError(
            "The matrix holds something that is not a whole number; give a CSV file with names in "
            "its first row and column, and numbers elsewhere."
        ) from problem
    if [as_meant(row[0]) for row in rows[1:]] != nodes:
        raise GraphError("The matrix must have the same names in its first row and first column.")
    return _square(cells, nodes), nodes


def _mark(cell: str) -> int:
    """Read a small whole number."""
    if len(cell) > _LONGEST_MARK:
        raise ValueError(f"{cell[:_LONGEST_MARK]}... is too long")
    return int(cell)


def _square(cells: Any, nodes: Sequence[str]) -> Marks:
    shape = (len(nodes), len(nodes))
    try:
        given = np.array(cells).reshape(shape) if len(nodes) == 0 else np.array(cells)
        with np.errstate(invalid="ignore"):
            matrix = given.astype(np.int64)
        whole = bool((matrix == given).all())
    except (TypeError, ValueError, OverflowError):
        matrix, whole = np.zeros((0, 1), dtype=np.int64), False
    if matrix.shape != shape or not whole:
        raise GraphError(
            f"The matrix must have {len(nodes)} rows and columns, one for each name, and hold "
            "small whole numbers."
        )
    return matrix


def _of_marks(matrix: Marks, nodes: list[str]) -> DAG | PDAG:
    directed, undirected = [], []
    for i, j in np.argwhere((matrix != 0) | (matrix.T != 0)).tolist():
        marks = (int(matrix[i, j]), int(matrix[j, i]))
        if marks == (_TAIL, _HEAD):
            directed.append((nodes[i], nodes[j]))
        elif marks == (_TAIL, _TAIL):
            undirected += [(nodes[i], nodes[j])] if i < j else []
        elif marks != (_HEAD, _TAIL):
            raise neither_directed_nor_undirected(nodes[i], nodes[j])
    return built(nodes, directed, undirected)


def _causal_learn_csv(source: Exportable) -> str:
    return to_csv(to_causal_learn(source).tolist(), graph_of(source).nodes)


def _of_causal_learn_csv(text: str) -> DAG | PDAG:
    matrix, nodes = from_csv(text)
    return from_causal_learn(matrix, nodes=nodes)


PCALG = Format(to_pcalg, "pcalg's matrix", name="pcalg", read=from_pcalg, suffixes=(".csv",))
CAUSAL_LEARN = Format(
    _causal_learn_csv, "causal-learn's matrix", name="causal_learn", read=_of_causal_learn_csv
)


_FORM = "Tetrad's text"
_SIGNS = re.compile(r"[;,\s]")
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
