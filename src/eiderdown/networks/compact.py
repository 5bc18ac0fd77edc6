"""The form in which reference networks are stored: JSON, with repeated categories and tables once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

import numpy as np

from eiderdown.graphs import DAG
from eiderdown.networks.discrete import DiscreteNetwork
from eiderdown.networks.gaussian import GaussianNetwork

_Item = TypeVar("_Item", bound=Hashable)


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
        return {"kind": "gaussian", **graph, **_gaussian_numbers(network)}
    categories, category_of = _distinct([network.categories(node) for node in dag.nodes])
    tables, table_of = _distinct([_flat(network, node) for node in dag.nodes])
    return {
        "kind": "discrete",
        **graph,
        "levels": categories,
        "level_of": category_of,
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
    categories = [document["levels"][at] for at in document["level_of"]]
    flat = [document["tables"][at] for at in document["table_of"]]
    tables = {
        node: np.reshape(flat[i], [len(categories[v]) for v in (*parents[i], i)])
        for i, node in enumerate(nodes)
    }
    return DiscreteNetwork(dag, dict(zip(nodes, categories, strict=True)), tables)


def _gaussian_numbers(network: GaussianNetwork) -> dict[str, Any]:
    nodes = network.dag.nodes
    return {
        "intercepts": [_short(network.intercept(node)) for node in nodes],
        "coefficients": [
            [_short(c) for c in network.coefficients(node).values()] for node in nodes
        ],
        "standard_deviations": [_short(network.standard_deviation(node)) for node in nodes],
    }


def _flat(network: DiscreteNetwork, node: str) -> tuple[float, ...]:
    return tuple(_short(p) for p in network.table(node).ravel().tolist())


def _short(number: float) -> float:
    return float(f"{number:.9g}")


def _distinct(items: list[_Item]) -> tuple[list[_Item], list[int]]:
    """Return the different items in order of appearance, and the place of every item."""
    place: dict[_Item, int] = {}
    places = [place.setdefault(item, len(place)) for item in items]
    return list(place), places
