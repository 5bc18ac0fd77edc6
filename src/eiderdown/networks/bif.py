"""Read Bayesian networks from the Bayesian Interchange Format (BIF, version 0.15).

A file is a ``network`` block, one ``variable`` block per node with its categories, and one
``probability`` block per node. The latter lists a row of numbers per parent configuration
(``(yes, no) 0.9, 0.1;``), perhaps a ``default`` row for those not listed, or all numbers at once
after ``table``, in which case the node's own category varies slowest and its last parent fastest.
``property`` statements are ignored.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import GraphError, NetworkFormatError, UnreadableFileError
from eiderdown.graphs import DAG
from eiderdown.networks.bif_tokens import Tokens
from eiderdown.networks.conditional_tables import checked_table, configuration
from eiderdown.networks.discrete import DiscreteNetwork


@dataclass
class _Probability:
    """A ``probability`` block as written; ``position`` is its place in the file."""

    position: int
    node: str
    parents: list[str]
    rows: list[tuple[int, list[str], list[float]]] = field(default_factory=list)
    default: list[float] | None = None
    flat: list[float] | None = None


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
    return parse_bif(_text(Path(path)), source=str(path))


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
    tokens = Tokens(text, source)
    categories: dict[str, list[str]] = {}
    blocks: dict[str, _Probability] = {}
    while tokens.peek():
        _read_block(tokens, categories, blocks)
    _require_matching_nodes(tokens, categories, blocks)
    edges = [(parent, block.node) for block in blocks.values() for parent in block.parents]
    try:
        dag = DAG(list(categories), edges)
        order = {node: i for i, node in enumerate(dag.nodes)}
        tables = {node: _table(tokens, block, categories, order) for node, block in blocks.items()}
        return DiscreteNetwork(dag, categories, tables)
    except GraphError as error:
        raise NetworkFormatError(f"{source}: {error}") from error


def _text(path: Path) -> str:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        # newline="" keeps a line end inside a quoted name as it is.
        with opener(path, "rt", encoding="utf-8", newline="") as file:
            return str(file.read())
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise UnreadableFileError(
            f"The file {str(path)!r} cannot be read as BIF text ({error}); check the path."
        ) from error


def _read_block(
    tokens: Tokens, categories: dict[str, list[str]], blocks: dict[str, _Probability]
) -> None:
    position = tokens.position
    keyword = tokens.take()
    if keyword == "network":
        while tokens.peek() not in ("{", ""):
            tokens.take()
        tokens.skip_block()
    elif keyword == "variable":
        name, own = _read_variable(tokens)
        if name in categories:
            tokens.fail(position, f"the variable {name!r} is declared twice")
        categories[name] = own
    elif keyword == "probability":
        block = _read_probability(tokens, position)
        if block.node in blocks:
            tokens.fail(position, f"the probabilities of {block.node!r} are given twice")
        blocks[block.node] = block
    else:
        tokens.fail(
            position, f"expected 'network', 'variable' or 'probability' but found {keyword!r}"
        )


def _read_variable(tokens: Tokens) -> tuple[str, list[str]]:
    start = tokens.position
    name = tokens.name()
    categories: list[str] = []
    tokens.expect("{")
    while tokens.peek() != "}":
        if tokens.peek() == "type":
            categories = _read_type(tokens, name)
        else:
            tokens.skip_statement()
    tokens.expect("}")
    if not categories:
        tokens.fail(start, f"the variable {name!r} has no categories")
    return name, categories


def _read_type(tokens: Tokens, name: str) -> list[str]:
    position = tokens.position
    tokens.expect("type")
    if tokens.peek() != "discrete":
        tokens.fail(position, f"the variable {name!r} is not discrete")
    tokens.expect("discrete")
    tokens.expect("[")
    n_categories = tokens.number()
    tokens.expect("]")
    tokens.expect("{")
    categories = []
    while tokens.peek() != "}":
        categories.append(tokens.name())
    tokens.expect("}")
    tokens.expect(";")
    if len(categories) != n_categories or len(set(categories)) < len(categories):
        tokens.fail(
            position,
            f"the variable {name!r} announces {n_categories:g} different categories and lists {categories}",
        )
    return categories


def _read_probability(tokens: Tokens, position: int) -> _Probability:
    tokens.expect("(")
    block = _Probability(position, tokens.name(), [])
    # Some programs leave the bar out: the first name is always the node.
    if tokens.peek() == "|":
        tokens.take()
    while tokens.peek() != ")":
        block.parents.append(tokens.name())
    tokens.expect(")")
    tokens.expect("{")
    while tokens.peek() != "}":
        _read_entry(tokens, block)
    tokens.expect("}")
    return block


def _read_entry(tokens: Tokens, block: _Probability) -> None:
    position = tokens.position
    opening = tokens.take()
    if opening == "(":
        given = []
        while tokens.peek() != ")":
            given.append(tokens.name())
        tokens.expect(")")
        block.rows.append((position, given, _numbers(tokens)))
    elif opening == "table":
        block.flat = _numbers(tokens)
    elif opening == "default":
        block.default = _numbers(tokens)
    elif opening == "property":
        tokens.skip_statement()
    else:
        tokens.fail(
            position,
            f"expected a parent configuration, 'table' or 'default' for {block.node!r} "
            f"but found {opening!r}",
        )


def _numbers(tokens: Tokens) -> list[float]:
    numbers = []
    while tokens.peek() != ";":
        numbers.append(tokens.number())
    tokens.expect(";")
    return numbers


def _require_matching_nodes(
    tokens: Tokens, categories: Mapping[str, list[str]], blocks: Mapping[str, _Probability]
) -> None:
    for block in blocks.values():
        for name in (block.node, *block.parents):
            if name not in categories:
                tokens.fail(block.position, f"there is no variable named {name!r}")
    for node in categories:
        if node not in blocks:
            tokens.fail(tokens.position, f"the file ends without the probabilities of {node!r}")


def _table(
    tokens: Tokens,
    block: _Probability,
    categories: Mapping[str, list[str]],
    order: Mapping[str, int],
) -> FloatArray:
    """Return a block's table, checked, with its parents' axes moved into node order."""
    own = [categories[name] for name in (*block.parents, block.node)]
    if block.flat is not None:
        table = _from_flat(tokens, block, own)
    else:
        table = _from_rows(tokens, block, own)
    try:
        table = checked_table(block.node, table, block.parents, own)
    except NetworkFormatError as error:
        tokens.fail(block.position, str(error).removesuffix("."))
    axes = sorted(range(len(block.parents)), key=lambda axis: order[block.parents[axis]])
    return table.transpose([*axes, len(block.parents)])


def _from_flat(tokens: Tokens, block: _Probability, own: list[list[str]]) -> FloatArray:
    shape = [len(categories) for categories in own]
    numbers = np.array(block.flat, dtype=np.float64)
    if numbers.size != np.prod(shape):
        _fail_length(tokens, block.position, block.node, int(np.prod(shape)), numbers.size)
    return np.moveaxis(numbers.reshape([shape[-1], *shape[:-1]]), 0, -1)


def _from_rows(tokens: Tokens, block: _Probability, own: list[list[str]]) -> FloatArray:
    shape = tuple(len(categories) for categories in own)
    table = np.full(shape, np.nan)
    if block.default is not None:
        if len(block.default) != shape[-1]:
            _fail_length(tokens, block.position, block.node, shape[-1], len(block.default))
        table[...] = block.default
    place = [{category: i for i, category in enumerate(categories)} for categories in own[:-1]]
    for position, given, numbers in block.rows:
        if len(numbers) != shape[-1]:
            _fail_length(tokens, position, block.node, shape[-1], len(numbers))
        if len(given) != len(place) or any(g not in p for g, p in zip(given, place, strict=True)):
            tokens.fail(
                position, f"{given} is not a configuration of the parents of {block.node!r}"
            )
        table[tuple(p[g] for g, p in zip(given, place, strict=True))] = numbers
    if np.isnan(table).any():
        index = [int(i) for i in np.argwhere(np.isnan(table[..., 0]))[0]] if place else []
        where = configuration(index, block.parents, own)
        tokens.fail(block.position, f"there are no probabilities for {block.node!r} {where}")
    return table


def _fail_length(tokens: Tokens, position: int, node: str, wanted: int, found: int) -> NoReturn:
    tokens.fail(position, f"{node!r} needs {wanted} numbers here but has {found}")
