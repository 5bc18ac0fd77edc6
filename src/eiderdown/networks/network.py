"""What discrete and linear-Gaussian networks share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.errors import NetworkFormatError, listed, require_count
from eiderdown.graphs import DAG
from eiderdown.memory import require_memory
from eiderdown.randomness import RandomState, as_generator

_BYTES_PER_CELL = 8  # of the number that a cell is drawn by, or is


class BayesianNetwork(ABC):
    """A graph with a distribution of each node given its parents."""

    __slots__ = ("_dag",)

    def __init__(self, dag: DAG) -> None:
        self._dag = dag

    @property
    def dag(self) -> DAG:
        """The graph."""
        return self._dag

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, in node order."""
        return self._dag.ordered_parents(node)

    def sample(self, n_rows: int, *, random_state: RandomState = None) -> Dataset:
        """Draw rows from the network.

        Parameters
        ----------
        n_rows
            How many rows.
        random_state
            A seed, a generator, or None for fresh entropy. The same seed gives the same rows.

        Returns
        -------
        Dataset
            One column per node, in node order: continuous ones, or discrete ones with the node's
            states as categories.
        """
        require_count("n_rows", n_rows, least=1)
        require_memory(
            float(_BYTES_PER_CELL * (1 + self._dag.n_nodes)) * n_rows,
            f"A sample of {n_rows:,} rows",
            "draw fewer rows, or in parts",
        )
        return self._drawn(n_rows, as_generator(random_state))

    @abstractmethod
    def log_likelihood(self, data: Dataset) -> FloatArray:
        """Return the logarithm of the probability, or of the density, of every row of a table."""

    @abstractmethod
    def _drawn(self, n_rows: int, generator: np.random.Generator) -> Dataset:
        """Draw rows."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._dag.n_nodes} nodes, {self._dag.n_edges} edges)"


def require_one_per_node(dag: DAG, given: Mapping[str, object], what: str) -> None:
    """Raise unless a mapping has exactly the nodes of a graph as its keys."""
    missing = [node for node in dag.nodes if node not in given]
    if missing:
        raise NetworkFormatError(f"There is no {what} for {listed(missing)}; every node needs one.")
    unknown = sorted(set(given) - set(dag.nodes))
    if unknown:
        raise NetworkFormatError(
            f"There is a {what} for {listed(unknown)}, which the graph does not have; "
            f"add the node or leave it out."
        )
