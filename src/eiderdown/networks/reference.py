"""The reference networks that come with the library, and the form in which they are stored.

They are in the folder ``reference`` beside this file, whose README.md names the origin and the
licence of each; ``tools/build_networks.py`` makes them. A network is a JSON document in which
lists of states and tables that occur repeatedly are held once.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Literal, TypeVar

import numpy as np

from eiderdown.errors import OptionError
from eiderdown.graphs import DAG
from eiderdown.networks.discrete import DiscreteNetwork
from eiderdown.networks.gaussian import GaussianNetwork

_Item = TypeVar("_Item", bound=Hashable)


@dataclass(frozen=True)
class NetworkSummary:
    """What is known of a reference network before it is loaded.

    Attributes
    ----------
    kind
        Whether it is a discrete or a linear-Gaussian network.
    n_nodes, n_edges
        Its size.
    """

    kind: Literal["discrete", "gaussian"]
    n_nodes: int
    n_edges: int


def available() -> dict[str, NetworkSummary]:
    """Return the names of the reference networks, each with a summary.

    Examples
    --------
    >>> available()["alarm"]
    NetworkSummary(kind='discrete', n_nodes=37, n_edges=46)
    """
    index = json.loads(_stored("index.json"))
    return {name: NetworkSummary(**summary) for name, summary in index.items()}


def load(name: str) -> DiscreteNetwork | GaussianNetwork:
    """Load a reference network.

    Parameters
    ----------
    name
        One of the names that ``available`` lists.

    Returns
    -------
    DiscreteNetwork or GaussianNetwork
        The network.

    Examples
    --------
    >>> load("asia")
    DiscreteNetwork(8 nodes, 8 edges)
    """
    names = sorted(available())
    if name not in names:
        near = get_close_matches(str(name).lower(), names, n=1)
        hint = f"perhaps {near[0]!r} was meant" if near else f"the names are {', '.join(names)}"
        raise OptionError(f"There is no reference network named {name!r}; {hint}.")
    return from_document(json.loads(gzip.decompress(_stored(f"{name}.json.gz"))))


def _stored(file_name: str) -> bytes:
    return (files("eiderdown.networks") / "reference" / file_name).read_bytes()


def to_document(network: DiscreteNetwork | GaussianNetwork) -> dict[str, Any]:
    """Return a network as plain lists and numbers, with nine significant digits.

    Examples
    --------
    >>> coin = DiscreteNetwork(DAG.from_string("coin"), {"coin": ["heads", "tails"]},
    ...                        {"coin": [0.5, 0.5]})
    >>> from_document(to_document(coin)).table("coin")
    array([0.5, 0.5])
    """
    dag = network.dag
    graph = {"nodes": list(dag.nodes), "parents": [list(p) for p in dag.parent_indices]}
    if isinstance(network, GaussianNetwork):
        rows = [network.coefficients(node).values() for node in dag.nodes]
        return {
            "kind": "gaussian",
            **graph,
            "intercepts": [_short(network.intercept(node)) for node in dag.nodes],
            "coefficients": [list(map(_short, row)) for row in rows],
            "standard_deviations": [_short(network.standard_deviation(v)) for v in dag.nodes],
        }
    states, states_of = _distinct([network.states(node) for node in dag.nodes])
    flat = [tuple(map(_short, network.table(node).ravel().tolist())) for node in dag.nodes]
    tables, table_of = _distinct(flat)
    return {
        "kind": "discrete",
        **graph,
        "levels": states,
        "level_of": states_of,
        "tables": tables,
        "table_of": table_of,
    }


def from_document(document: Mapping[str, Any]) -> DiscreteNetwork | GaussianNetwork:
    """Return the network of a document made by ``to_document``."""
    nodes: list[str] = document["nodes"]
    parents: list[list[int]] = document["parents"]
    dag = DAG(nodes, [(nodes[p], nodes[i]) for i, own in enumerate(parents) for p in own])
    if document["kind"] == "gaussian":
        coefficients = {
            node: {nodes[p]: c for p, c in zip(own, row, strict=True)}
            for node, own, row in zip(nodes, parents, document["coefficients"], strict=True)
        }
        return GaussianNetwork(
            dag,
            dict(zip(nodes, document["intercepts"], strict=True)),
            coefficients,
            dict(zip(nodes, document["standard_deviations"], strict=True)),
        )
    states = [document["levels"][at] for at in document["level_of"]]
    flat = [document["tables"][at] for at in document["table_of"]]
    tables = {
        node: np.reshape(flat[i], [len(states[v]) for v in (*parents[i], i)])
        for i, node in enumerate(nodes)
    }
    return DiscreteNetwork(dag, dict(zip(nodes, states, strict=True)), tables)


def _short(number: float) -> float:
    return float(f"{number:.9g}")


def _distinct(items: list[_Item]) -> tuple[list[_Item], list[int]]:
    """Return the different items in order of appearance, and the place of every item."""
    place: dict[_Item, int] = {}
    places = [place.setdefault(item, len(place)) for item in items]
    return list(place), places
