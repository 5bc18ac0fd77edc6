"""DOT, the language of Graphviz, and DAGitty (dagitty.net, and the R package of that name).

Both write ``dag { A -> B; C -- D [attributes] }`` and are read by one reader: nodes, chains of
edges, groups in braces and attributes of edges; attributes of anything else are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
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
    read = read_arrows(text, ("digraph", "graph"), "DOT")
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
    read = read_arrows(text, ("dag", "pdag"), "DAGitty")
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


@dataclass(frozen=True)
class ArrowEdge:
    """One edge as it was written: left, arrow, right, and its attributes."""

    left: str
    arrow: str
    right: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class ArrowText:
    """A text that was read.

    Attributes
    ----------
    keyword : str
        The word it begins with, in small letters.
    nodes : dict of str to None
        Nodes in the order in which they appear.
    edges : list of ArrowEdge
        Edges in the order in which they appear.
    """

    keyword: str
    nodes: dict[str, None] = field(default_factory=dict)
    edges: list[ArrowEdge] = field(default_factory=list)


def quoted(name: str) -> str:
    r"""Write a name in quotation marks.

    Examples
    --------
    >>> print(quoted('a "b"'))
    "a \"b\""
    """
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_arrows(text: str, keywords: Collection[str], form: str) -> ArrowText:
    """Read a text that begins with one of some keywords.

    Examples
    --------
    >>> read = read_arrows("dag { {A B} -> C -> D; E }", ["dag"], "DAGitty")
    >>> [(edge.left, edge.arrow, edge.right) for edge in read.edges]
    [('A', '->', 'C'), ('B', '->', 'C'), ('C', '->', 'D')]
    >>> list(read.nodes)
    ['A', 'B', 'C', 'D', 'E']
    """
    return _Reader(_tokens(text, form), form).read(keywords)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


_END = _Token("end", "the end")


def _tokens(text: str, form: str) -> list[_Token]:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            line = text.count("\n", 0, at) + 1
            raise GraphError(f"{form} cannot be read at {text[at]!r} in line {line}; correct it.")
        if match.lastgroup == "quoted":
            tokens.append(_Token("name", _ESCAPED.sub(r"\1", match["quoted"])))
        elif match.lastgroup != "space":
            tokens.append(_Token(str(match.lastgroup), match.group()))
        at = match.end()
    return tokens


class _Reader:
    """Goes through the tokens once."""

    def __init__(self, tokens: list[_Token], form: str) -> None:
        self._tokens = [*tokens, _END]
        self._at = 0
        self._form = form

    def read(self, keywords: Collection[str]) -> ArrowText:
        if self._next.text.lower() == "strict":
            self._take()
        keyword = self._take().text.lower()
        if keyword not in keywords:
            raise GraphError(
                f"{self._form} begins with {' or '.join(keywords)}, not with {keyword!r}; give a "
                "text in this format."
            )
        if self._next.kind in ("word", "name"):
            self._take()
        found = ArrowText(keyword)
        self._group(found)
        if self._next is not _END:
            raise self._unexpected("nothing after the last brace")
        return found

    def _group(self, found: ArrowText) -> list[str]:
        """Read statements in braces and return the nodes that they name."""
        self._expect("{")
        named: dict[str, None] = {}
        while self._next.text != "}" or self._next.kind != "sign":
            if self._next.text in (";", ",") and self._next.kind == "sign":
                self._take()
            else:
                named.update(dict.fromkeys(self._statement(found)))
        self._take()
        return list(named)

    def _statement(self, found: ArrowText) -> list[str]:
        """Read a chain, or pass over a setting, and return the nodes that it names."""
        if self._is_setting():
            return []
        ends, arrows = [self._end_of_edge(found)], []
        while self._next.kind == "arrow":
            arrows.append(self._take().text)
            ends.append(self._end_of_edge(found))
        attributes = self._attributes()
        for (left, right), arrow in zip(pairwise(ends), arrows, strict=True):
            found.edges.extend(ArrowEdge(a, arrow, b, attributes) for a in left for b in right)
        return [name for end in ends for name in end]

    def _is_setting(self) -> bool:
        """Pass over ``name = value`` and the defaults of nodes and edges, if they come next."""
        after = self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        if after == _Token("sign", "="):
            for _ in range(3):
                self._take()
            return True
        defaults = self._next.kind == "word" and self._next.text in ("graph", "node", "edge")
        if defaults and after == _Token("sign", "["):
            self._take()
            self._attributes()
            return True
        return False

    def _end_of_edge(self, found: ArrowText) -> list[str]:
        """Read a node, or a group of them."""
        if self._next == _Token("word", "subgraph"):
            self._take()
            if self._next.kind in ("word", "name"):
                self._take()
        if self._next == _Token("sign", "{"):
            return self._group(found)
        if self._next.kind not in ("word", "name"):
            raise self._unexpected("a node")
        name = self._take().text
        found.nodes[name] = None
        return [name]

    def _attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while self._next == _Token("sign", "["):
            self._take()
            while self._next != _Token("sign", "]"):
                key = self._take().text
                if self._next == _Token("sign", "="):
                    self._take()
                    attributes[key] = self._take().text
            self._take()
        return attributes

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        if token is _END:
            raise self._unexpected("a closing brace")
        self._at += 1
        return token

    def _expect(self, sign: str) -> None:
        if self._next != _Token("sign", sign):
            raise self._unexpected(repr(sign))
        self._take()

    def _unexpected(self, wanted: str) -> GraphError:
        return GraphError(
            f"{self._form} cannot be read: {self._next.text!r} came where {wanted} was expected."
        )
