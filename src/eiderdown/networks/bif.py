"""Discrete networks in the Bayesian Interchange Format (BIF, version 0.15): read and write.

A file is a ``network`` block, one ``variable`` block per node with its states, and one
``probability`` block per node. The latter lists a row of numbers per parent configuration
(``(yes, no) 0.9, 0.1;``), perhaps a ``default`` row for those not listed, or all numbers at once
after ``table``, in which case the node's own state varies slowest and its last parent fastest.
``property`` statements are ignored.

A word is anything but white space and the punctuation of the format, so that names such as ``<5``,
``5-12`` and ``Asy/Patch`` are words. Names with other characters stand in double quotes, inside
which a backslash protects a quote or a backslash.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import NoReturn

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import GraphError, NetworkFormatError
from eiderdown.files import read_text, write_text
from eiderdown.graphs import DAG
from eiderdown.networks.discrete import (
    MAX_AXES,
    MAX_CELLS,
    DiscreteNetwork,
    checked_table,
    configuration,
)

_TOKEN = re.compile(
    r"""
      (?P<skip>  \s+ | , | //[^\n]* | /\*.*?\*/ )
    | (?P<quoted> "(?:[^"\\]|\\.)*" )
    | (?P<word>   (?:[^\s{}()\[\],;|"/]|/(?![/*]))+ )
    | (?P<mark>   [{}()\[\];|] )
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r'(?:[^\s{}()\[\],;|"/\\]|/(?![/*]))+')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LONGEST = 100  # letters of a word that a message repeats


def read_bif(path: str | os.PathLike[str]) -> DiscreteNetwork:
    """Read a discrete Bayesian network from a BIF file, gzip-compressed or not.

    Parameters
    ----------
    path
        The file; a name ending in ``.gz`` is decompressed.

    Returns
    -------
    DiscreteNetwork
        The network, its nodes in the order of the file.

    Raises
    ------
    UnreadableFileError
        If the file is not there or is not text.
    NetworkFormatError
        If its content is not a Bayesian network; the message names the file and the line.
    """
    return parse_bif(read_text(path), source=str(path))


def write_bif(network: DiscreteNetwork, path: str | os.PathLike[str]) -> None:
    """Write a discrete Bayesian network to a BIF file.

    Names that are not plain words are quoted, and numbers are written so that they read back
    exactly.

    Parameters
    ----------
    network
        The network.
    path
        The file; a name ending in ``.gz`` is compressed.
    """
    write_text(to_bif(network), path)


def to_bif(network: DiscreteNetwork) -> str:
    """Return a discrete Bayesian network as BIF text.

    Examples
    --------
    >>> from eiderdown.graphs import DAG
    >>> coin = DiscreteNetwork(DAG.from_string("coin"), {"coin": ["heads", "tails"]},
    ...                        {"coin": [0.5, 0.5]})
    >>> print(to_bif(coin), end="")
    network unknown {
    }
    variable coin {
      type discrete [ 2 ] { heads, tails };
    }
    probability ( coin ) {
      table 0.5, 0.5;
    }
    """
    lines = ["network unknown {", "}"]
    for node in network.dag.nodes:
        states = network.states(node)
        declared = f"  type discrete [ {len(states)} ] {{ {_names(states)} }};"
        lines += [f"variable {_names([node])} {{", declared, "}"]
    for node in network.dag.nodes:
        lines += _probability(network, node)
    return "\n".join(lines) + "\n"


def _probability(network: DiscreteNetwork, node: str) -> Iterator[str]:
    parents = network.parents(node)
    rows = network.table(node).reshape(-1, len(network.states(node))).tolist()
    given = f" | {_names(parents)}" if parents else ""
    yield f"probability ( {_names([node])}{given} ) {{"
    configurations = product(*(network.states(parent) for parent in parents))
    for states, row in zip(configurations, rows, strict=True):
        yield f"  {f'({_names(states)})' if parents else 'table'} {', '.join(map(repr, row))};"
    yield "}"


def _names(names: Iterable[str]) -> str:
    """List names, in quotation marks where they need them."""
    escaped = ((name, name.replace("\\", "\\\\").replace('"', '\\"')) for name in names)
    return ", ".join(name if _PLAIN.fullmatch(name) else f'"{safe}"' for name, safe in escaped)


def parse_bif(text: str, *, source: str = "BIF text") -> DiscreteNetwork:
    """Read a discrete Bayesian network from BIF text.

    Parameters
    ----------
    text
        The text.
    source
        Where it came from, for messages.

    Examples
    --------
    >>> network = parse_bif('''
    ... network example { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... variable wet { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.75, 0.25; }
    ... probability ( wet | rain ) { (no) 1, 0; (yes) 0.5, 0.5; }
    ... ''')
    >>> network.table("wet")
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    tokens = _Tokens(text, source)
    states: dict[str, list[str]] = {}
    blocks: dict[str, _Probability] = {}
    while tokens.peek():
        _read_block(tokens, states, blocks)
    for block in blocks.values():
        for name in (block.node, *block.parents):
            if name not in states:
                tokens.fail(block.position, f"there is no variable named {name!r}")
    for node in states:
        if node not in blocks:
            tokens.fail(tokens.position, f"the file ends without the probabilities of {node!r}")
    edges = [(parent, block.node) for block in blocks.values() for parent in block.parents]
    try:
        dag = DAG(list(states), edges)
    except GraphError as error:
        raise NetworkFormatError(f"{source}: {error}") from error
    order = {node: i for i, node in enumerate(dag.nodes)}
    tables = {node: _table(tokens, block, states, order) for node, block in blocks.items()}
    return DiscreteNetwork(dag, states, tables)


class _Tokens:
    """A cursor over the words and marks of a BIF text; commas and comments are left out."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self.position = 0  # the number of the next token, to give to ``fail`` later
        self._tokens: list[str] = []
        self._offsets: list[int] = []
        end = 0
        for match in _TOKEN.finditer(text):
            if match.start() != end:
                break
            end = match.end()
            if match.lastgroup != "skip":
                self._tokens.append(match.group())
                self._offsets.append(match.start())
        if end != len(text):
            self._offsets.append(end)
            self.fail(len(self._tokens), "a quote or a comment is opened here and never closed")

    def peek(self) -> str:
        """Return the next token as written, or an empty text at the end."""
        return self._tokens[self.position] if self.position < len(self._tokens) else ""

    def next(self) -> str:
        """Return the next token as written and step over it."""
        if self.position >= len(self._tokens):
            self.fail(self.position, "the file ends in the middle of a block")
        self.position += 1
        return self._tokens[self.position - 1]

    def expect(self, *wanted: str) -> None:
        """Step over tokens that have to be there."""
        for token in wanted:
            found = self.next()
            if found != token:
                self.fail(self.position - 1, f"expected {token!r} but found {found[:_LONGEST]!r}")

    def name(self) -> str:
        """Return the next token as a name, without its quotes."""
        token = self.next()
        if token[0] == '"':
            return _ESCAPE.sub(r"\1", token[1:-1])
        if token in set("{}()[];|"):
            self.fail(self.position - 1, f"expected a name but found {token!r}")
        return token

    def names_until(self, mark: str) -> list[str]:
        """Return the names before a mark, and step over it, too."""
        names = []
        while self.peek() != mark:
            names.append(self.name())
        self.expect(mark)
        return names

    def number(self) -> float:
        """Return the next token as a number."""
        token = self.next()
        try:
            number = float(token)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail(self.position - 1, f"expected a number but found {token[:_LONGEST]!r}")
        return number

    def numbers(self) -> list[float]:
        """Return the numbers before the next semicolon, and step over it, too."""
        numbers = []
        while self.peek() != ";":
            numbers.append(self.number())
        self.expect(";")
        return numbers

    def skip_statement(self) -> None:
        """Step over everything up to and including the next semicolon."""
        while self.next() != ";":
            pass

    def fail(self, position: int, message: str) -> NoReturn:
        """Raise an error that names the file and the line of a token."""
        offset = self._offsets[position] if position < len(self._offsets) else len(self._text)
        line = self._text.count("\n", 0, offset) + 1
        raise NetworkFormatError(f"{self._source}, line {line}: {message}.")


@dataclass
class _Probability:
    """A ``probability`` block as written; ``position`` is its place in the file."""

    position: int
    node: str
    parents: list[str]
    rows: list[tuple[int, list[str], list[float]]] = field(default_factory=list)
    default: list[float] | None = None
    flat: list[float] | None = None


def _read_block(
    tokens: _Tokens, states: dict[str, list[str]], blocks: dict[str, _Probability]
) -> None:
    position = tokens.position
    keyword = tokens.next()
    if keyword == "network":
        while tokens.peek() not in ("{", ""):
            tokens.next()
        tokens.expect("{")
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(tokens.next(), 0)
    elif keyword == "variable":
        name, own = _read_variable(tokens)
        if name in states:
            tokens.fail(position, f"the variable {name!r} is declared twice")
        states[name] = own
    elif keyword == "probability":
        block = _read_probability(tokens, position)
        if block.node in blocks:
            tokens.fail(position, f"the probabilities of {block.node!r} are given twice")
        blocks[block.node] = block
    else:
        known = "'network', 'variable' or 'probability'"
        tokens.fail(position, f"expected {known} but found {keyword!r}")


def _read_variable(tokens: _Tokens) -> tuple[str, list[str]]:
    start = tokens.position
    name = tokens.name()
    states: list[str] = []
    tokens.expect("{")
    while tokens.peek() != "}":
        position = tokens.position
        if tokens.peek() != "type":
            tokens.skip_statement()
            continue
        tokens.expect("type")
        if tokens.peek() != "discrete":
            tokens.fail(position, f"the variable {name!r} is not discrete")
        tokens.expect("discrete", "[")
        n_states = tokens.number()
        tokens.expect("]", "{")
        states = tokens.names_until("}")
        tokens.expect(";")
        if len(states) != n_states or len(set(states)) < len(states):
            announced = f"announces {n_states:g} different states and lists {states}"
            tokens.fail(position, f"the variable {name!r} {announced}")
    tokens.expect("}")
    if not states:
        tokens.fail(start, f"the variable {name!r} has no states")
    return name, states


def _read_probability(tokens: _Tokens, position: int) -> _Probability:
    tokens.expect("(")
    node = tokens.name()
    # Some programs leave the bar out: the first name is always the node.
    if tokens.peek() == "|":
        tokens.next()
    block = _Probability(position, node, tokens.names_until(")"))
    tokens.expect("{")
    while tokens.peek() != "}":
        place = tokens.position
        opening = tokens.next()
        if opening == "(":
            block.rows.append((place, tokens.names_until(")"), tokens.numbers()))
        elif opening == "table":
            block.flat = tokens.numbers()
        elif opening == "default":
            block.default = tokens.numbers()
        elif opening == "property":
            tokens.skip_statement()
        else:
            known = f"a parent configuration, 'table' or 'default' for {node!r}"
            tokens.fail(place, f"expected {known} but found {opening!r}")
    tokens.expect("}")
    return block


def _table(
    tokens: _Tokens,
    block: _Probability,
    states: Mapping[str, list[str]],
    order: Mapping[str, int],
) -> FloatArray:
    """Return a block's table, checked, with its parents' axes moved into node order."""
    family = [states[name] for name in (*block.parents, block.node)]
    n_cells = math.prod(map(len, family))
    if n_cells > MAX_CELLS or len(family) > MAX_AXES:
        tokens.fail(
            block.position,
            f"the table of {block.node!r} given its {len(block.parents)} parents would have "
            f"{_in_digits(n_cells)} cells, more than {MAX_CELLS:,} or over more than {MAX_AXES} "
            "nodes; remove parents",
        )
    if block.flat is None:
        given = _from_rows(tokens, block, family)
    else:  # the node's own state varies slowest
        *shape, n_states = (len(own) for own in family)
        n_wanted = n_states * math.prod(shape)
        _require_length(tokens, block.position, block.node, n_wanted, len(block.flat))
        given = np.moveaxis(np.reshape(block.flat, [n_states, *shape]), 0, -1)
    try:
        table = checked_table(block.node, given, block.parents, family)
    except NetworkFormatError as error:
        tokens.fail(block.position, str(error).removesuffix("."))
    axes = sorted(range(len(block.parents)), key=lambda axis: order[block.parents[axis]])
    return table.transpose([*axes, len(block.parents)])


def _in_digits(n_cells: int) -> str:
    return f"{n_cells:,}" if n_cells < 10**15 else f"about 10^{int(math.log10(n_cells))}"


def _from_rows(tokens: _Tokens, block: _Probability, family: list[list[str]]) -> FloatArray:
    n_states = len(family[-1])
    table = np.full([len(states) for states in family], np.nan)
    if block.default is not None:
        _require_length(tokens, block.position, block.node, n_states, len(block.default))
        table[...] = block.default
    place = [{state: i for i, state in enumerate(states)} for states in family[:-1]]
    for position, given, numbers in block.rows:
        _require_length(tokens, position, block.node, n_states, len(numbers))
        if len(given) != len(place) or any(g not in p for g, p in zip(given, place, strict=True)):
            tokens.fail(
                position, f"{given} is not a configuration of the parents of {block.node!r}"
            )
        table[tuple(p[g] for g, p in zip(given, place, strict=True))] = numbers
    if np.isnan(table).any():
        index = np.argwhere(np.isnan(table[..., 0]))[0].tolist() if place else []
        where = configuration(index, block.parents, family)
        tokens.fail(block.position, f"there are no probabilities for {block.node!r} {where}")
    return table


def _require_length(tokens: _Tokens, position: int, node: str, wanted: int, found: int) -> None:
    if found != wanted:
        tokens.fail(position, f"{node!r} needs {wanted} numbers here but has {found}")
