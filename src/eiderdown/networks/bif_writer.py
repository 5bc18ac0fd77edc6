"""Write Bayesian networks in the Bayesian Interchange Format (BIF, version 0.15)."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from eiderdown.networks.bif_tokens import quoted
from eiderdown.networks.discrete import DiscreteNetwork


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
    content = to_bif(network).encode("utf-8")
    target = Path(path)
    if target.suffix == ".gz":
        # A fixed time stamp: the same network gives the same bytes.
        content = gzip.compress(content, mtime=0)
    target.write_bytes(content)


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
        categories = network.categories(node)
        names = ", ".join(map(quoted, categories))
        declared = f"  type discrete [ {len(categories)} ] {{ {names} }};"
        lines += [f"variable {quoted(node)} {{", declared, "}"]
    for node in network.dag.nodes:
        lines += _probability(network, node)
    return "\n".join(lines) + "\n"


def _probability(network: DiscreteNetwork, node: str) -> Iterator[str]:
    parents = network.parents(node)
    rows = network.table(node).reshape(-1, len(network.categories(node))).tolist()
    if not parents:
        yield f"probability ( {quoted(node)} ) {{"
        yield f"  table {_numbers(rows[0])};"
    else:
        yield f"probability ( {quoted(node)} | {', '.join(map(quoted, parents))} ) {{"
        given = product(*(network.categories(parent) for parent in parents))
        for categories, row in zip(given, rows, strict=True):
            yield f"  ({', '.join(map(quoted, categories))}) {_numbers(row)};"
    yield "}"


def _numbers(row: list[float]) -> str:
    return ", ".join(map(repr, row))
