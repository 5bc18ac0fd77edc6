"""Tables with a known truth, and how a check fails."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.graphs import DAG
from eiderdown.networks import DiscreteNetwork, GaussianNetwork
from eiderdown.randomness import RandomState

TableKind: TypeAlias = Literal["discrete", "continuous"]

KNOWN_DAG = DAG.from_string("A->B, B->C, C->E, D->E, F")
"""A chain, a collider (C->E<-D) and a variable apart."""

_N_STATES = 3
_LOYALTY = 0.75  # how often a discrete node takes the level of one of its parents


def sampled(dag: DAG, kind: TableKind, n_rows: int, random_state: RandomState) -> Dataset:
    """Draw a table in which every edge of the graph is a strong dependence.

    Examples
    --------
    >>> sampled(DAG.from_string("A->B"), "continuous", 10, 0)
    Dataset(10 rows, 0 discrete and 2 continuous columns)
    """
    network = _discrete_network(dag) if kind == "discrete" else _gaussian_network(dag)
    return network.sample(n_rows, random_state=random_state)


def hub_and_pairs(n_pairs: int) -> DAG:
    """Make a star: one hub with an edge to both variables of each pair.

    Examples
    --------
    >>> hub_and_pairs(2).edges
    (('hub', 'x0'), ('hub', 'y0'), ('hub', 'x1'), ('hub', 'y1'))
    """
    leaves = [f"{side}{i}" for i in range(n_pairs) for side in "xy"]
    return DAG(["hub", *leaves], [("hub", leaf) for leaf in leaves])


def four_rows(kind: TableKind) -> Dataset:
    """Make a table too small for any decision, in which the first two columns agree."""
    numbers = {
        "a": [0.0, 0.1, 1.0, 1.2],
        "b": [0.0, 0.1, 1.1, 1.2],
        "c": [0.0, 1.0, 0.1, 1.0],
        "d": [0.0, 1.0, 1.1, 0.1],
    }
    if kind == "continuous":
        return Dataset.from_columns(numbers)
    texts = {name: ["high" if n > 0.5 else "low" for n in row] for name, row in numbers.items()}
    return Dataset.from_columns(texts)


def require(promise: bool, violation: str) -> None:
    """Raise an ``AssertionError`` with the sentence ``violation`` unless the promise holds.

    Unlike an assert statement this also works under ``python -O``.

    Examples
    --------
    >>> require(1 + 1 == 2, "Sums are wrong.")
    >>> require(1 + 1 == 3, "Sums are wrong.")
    Traceback (most recent call last):
    AssertionError: Sums are wrong.
    """
    if not promise:
        raise AssertionError(violation)


def _gaussian_network(dag: DAG) -> GaussianNetwork:
    coefficients = {
        node: {dag.nodes[p]: 1.0 for p in parents}
        for node, parents in zip(dag.nodes, dag.parent_indices, strict=True)
    }
    ones = dict.fromkeys(dag.nodes, 1.0)
    return GaussianNetwork(dag, dict.fromkeys(dag.nodes, 0.0), coefficients, ones)


def _discrete_network(dag: DAG) -> DiscreteNetwork:
    states = dict.fromkeys(dag.nodes, tuple(f"state{i}" for i in range(_N_STATES)))
    tables = {
        node: _loyal_table(len(parents))
        for node, parents in zip(dag.nodes, dag.parent_indices, strict=True)
    }
    return DiscreteNetwork(dag, states, tables)


def _loyal_table(n_parents: int) -> FloatArray:
    """Take the state of a parent drawn at random, or now and then any state."""
    table = np.full((_N_STATES,) * (n_parents + 1), 1.0 / _N_STATES)
    if n_parents == 0:
        return table
    table *= 1.0 - _LOYALTY
    for parent_states in np.ndindex(table.shape[:-1]):
        for state in parent_states:
            table[(*parent_states, state)] += _LOYALTY / n_parents
    return table
