"""DOT, the language of Graphviz, and DAGitty (dagitty.net, and the R package of that name).

Both write ``dag { A -> B; C -- D [attributes] }`` and are read by one reader: nodes, chains of
edges, groups in braces and attributes of edges; attributes of anything else are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from eiderdown.errors import GraphError
from eiderdown.export.format import (
    Exportable,
    Format,
    built,
    graph_of,
    neither_directed_nor_undirected,
)
from eiderdown.graphs import DAG, PDAG

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = ("subgraph", "graph", "node", "edge", "strict")


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
    lines = [f"  {quoted(node)};" for node in graph.nodes]
    lines += [f"  {quoted(a)} -> {quoted(b)};" for a, b in graph.directed]
    lines += [f"  {quoted(a)} -> {quoted(b)} [dir=none];" for a, b in graph.undirected]
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
    read = ArrowReader(text, ("digraph", "graph"), "DOT")
    marked = [_ends(edge) for edge in read.edges]
    directed = [(a, b) for a, b, has_head in marked if has_head]
    return built(read.nodes, directed, [(a, b) for a, b, has_head in marked if not has_head])


def _ends(edge: ArrowEdge) -> tuple[str, str, bool]:
    """Return the two ends, and whether there is an arrowhead at the second."""
    way = edge.attributes.get("dir", "forward")
    if edge.arrow not in ("->", "--") or way not in ("forward", "back", "none"):
        raise neither_directed_nor_undirected(edge.left, edge.right, edge.arrow)
    if way == "back" and edge.arrow == "->":
        return edge.right, edge.left, True
    return edge.left, edge.right, edge.arrow == "->" and way == "forward"


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
    lines = [_name(node) for node in graph.nodes]
    lines += [f"{_name(a)} -> {_name(b)}" for a, b in graph.directed]
    lines += [f"{_name(a)} -- {_name(b)}" for a, b in graph.undirected]
    return "\n".join(["dag {" if isinstance(graph, DAG) else "pdag {", *lines, "}", ""])


def from_dagitty(text: str) -> DAG | PDAG:
    """Read a graph from the text of DAGitty; ``pdag`` gives a PDAG, ``dag`` a DAG.

    Examples
    --------
    >>> from_dagitty('dag { exposure [exposure]; exposure -> outcome <- {age sex} }')
    DAG.from_string('exposure->outcome, age->outcome, sex->outcome')
    """
    read = ArrowReader(text, ("dag", "pdag"), "DAGitty")
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


DOT = Format(to_dot, "Graphviz", name="dot", read=from_dot, suffixes=(".dot", ".gv"))
DAGITTY = Format(to_dagitty, "DAGitty", name="dagitty", read=from_dagitty, suffixes=(".dagitty",))


# --- the reader ----------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""
    (?P<space>  \s+ | //[^\n]* | \#[^\n]* | /\*.*?\*/ )
  | "(?P<quoted> (?: [^"\\] | \\. )* )"
  | (?P<arrow>  <-> | @-> | <-@ | @-@ | @-- | --@ | -> | <- | -- )
  | (?P<sign>   [{}\[\];,=] )
  | (?P<word>   [\w.]+ )
  | (?P<number> -[\d.]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r'\\(["\\])')
_END = ("end", "the end")
_DEEPEST = 50  # groups within groups
_MOST_EDGES = 1_000_000  # two groups of a few thousand nodes can ask for more than memory holds


@dataclass(frozen=True)
class ArrowEdge:
    """One edge as it was written: left, arrow, right, and its attributes."""

    left: str
    arrow: str
    right: str
    attributes: dict[str, str]


def quoted(name: str) -> str:
    r"""Write a name in quotation marks.

    Examples
    --------
    >>> print(quoted('a "b"'))
    "a \"b\""
    """
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _tokens(text: str, form: str) -> Iterator[tuple[str, str]]:
    """Cut a text into pairs of a kind and what it says."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            line = text.count("\n", 0, at) + 1
            raise GraphError(f"{form} cannot be read at {text[at]!r} in line {line}; correct it.")
        if match.lastgroup == "quoted":
            yield "name", _ESCAPED.sub(r"\1", match["quoted"])
        elif match.lastgroup != "space":
            yield str(match.lastgroup), match.group()
        at = match.end()


class ArrowReader:
    """Reads a text that begins with one of some keywords.

    Examples
    --------
    >>> read = ArrowReader("dag { {A B} -> C -> D; E }", ["dag"], "DAGitty")
    >>> [(edge.left, edge.arrow, edge.right) for edge in read.edges]
    [('A', '->', 'C'), ('B', '->', 'C'), ('C', '->', 'D')]
    >>> list(read.nodes)
    ['A', 'B', 'C', 'D', 'E']
    """

    def __init__(self, text: str, keywords: Collection[str], form: str) -> None:
        self._form, self._at, self._depth = form, 0, 0
        self._tokens = [*_tokens(text, form), _END]
        self.nodes: dict[str, None] = {}
        self.edges: list[ArrowEdge] = []
        if self._next[1].lower() == "strict":
            self._take()
        self.keyword = self._take().lower()
        if self.keyword not in keywords:
            raise GraphError(
                f"{form} begins with {' or '.join(keywords)}, not with {self.keyword!r}; give a "
                "text in this format."
            )
        if self._next_is_name:
            self._take()
        if not self._passed("{"):
            raise self._unexpected("'{'")
        self._group()
        if self._next is not _END:
            raise self._unexpected("nothing after the last brace")

    def _group(self) -> list[str]:
        """Read statements up to a closing brace and return the nodes that they name."""
        named: dict[str, None] = {}
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._unexpected(f"an end of more than {_DEEPEST} groups within each other")
        while not self._passed("}"):
            if not (self._passed(";") or self._passed(",")):
                named.update(dict.fromkeys(self._statement()))
        self._depth -= 1
        return list(named)

    def _statement(self) -> list[str]:
        """Read a chain, or pass over a setting, and return the nodes that it names."""
        if self._passed_setting():
            return []
        ends, arrows = [self._end_of_edge()], []
        while self._next[0] == "arrow":
            arrows.append(self._take())
            ends.append(self._end_of_edge())
        attributes = self._attributes()
        for (left, right), arrow in zip(pairwise(ends), arrows, strict=True):
            if len(self.edges) + len(left) * len(right) > _MOST_EDGES:
                raise GraphError(f"{self._form} has more than {_MOST_EDGES:,} edges; give fewer.")
            self.edges.extend(ArrowEdge(a, arrow, b, attributes) for a in left for b in right)
        return [name for end in ends for name in end]

    def _passed_setting(self) -> bool:
        """Pass over ``name = value`` and the defaults of nodes and edges, if they come next."""
        after = self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        if after == ("sign", "="):
            for _ in range(3):
                self._take()
            return True
        kind, text = self._next
        if kind == "word" and text in ("graph", "node", "edge") and after == ("sign", "["):
            self._take()
            self._attributes()
            return True
        return False

    def _end_of_edge(self) -> list[str]:
        """Read a node, or a group of them."""
        if self._next == ("word", "subgraph"):
            self._take()
            if self._next_is_name:
                self._take()
        if self._passed("{"):
            return self._group()
        if not self._next_is_name:
            raise self._unexpected("a node")
        name = self._take()
        self.nodes[name] = None
        return [name]

    def _attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while self._passed("["):
            while not self._passed("]"):
                key = self._take()
                if self._passed("="):
                    attributes[key] = self._take()
        return attributes

    @property
    def _next(self) -> tuple[str, str]:
        return self._tokens[self._at]

    @property
    def _next_is_name(self) -> bool:
        return self._next[0] in ("word", "name")

    def _take(self) -> str:
        if self._next is _END:
            raise self._unexpected("a closing brace")
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _passed(self, sign: str) -> bool:
        """Pass over a sign, if it comes next."""
        found = self._next == ("sign", sign)
        self._at += found
        return found

    def _unexpected(self, wanted: str) -> GraphError:
        return GraphError(
            f"{self._form} cannot be read: {self._next[1]!r} came where {wanted} was expected."
        )
