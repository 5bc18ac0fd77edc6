"""Linear-Gaussian Bayesian networks: samples, interventions, exact mean and covariance."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from eiderdown.arrays import FloatArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.missing import require_complete
from eiderdown.errors import NetworkFormatError, listed
from eiderdown.graphs import DAG
from eiderdown.memory import require_memory
from eiderdown.networks.network import BayesianNetwork, require_one_per_node


class GaussianNetwork(BayesianNetwork):
    """A Bayesian network in which every node is a noisy linear function of its parents.

    A node is its intercept, plus each parent times its coefficient, plus normal noise.

    Parameters
    ----------
    dag
        The graph.
    intercepts
        The intercept of every node.
    coefficients
        For every node with parents, the coefficient of each parent (node -> parent -> number).
    standard_deviations
        The standard deviation of every node's noise; 0 means none.

    Examples
    --------
    >>> network = GaussianNetwork(
    ...     DAG.from_string("dose->effect"),
    ...     {"dose": 1.0, "effect": 0.0},
    ...     {"effect": {"dose": 2.0}},
    ...     {"dose": 1.0, "effect": 0.5},
    ... )
    >>> network.mean()
    array([1., 2.])
    >>> network.covariance()
    array([[1.  , 2.  ],
           [2.  , 4.25]])
    >>> network.do({"dose": 3.0}).mean()
    array([3., 6.])
    """

    __slots__ = ("_coefficients", "_intercepts", "_standard_deviations")

    def __init__(
        self,
        dag: DAG,
        intercepts: Mapping[str, float],
        coefficients: Mapping[str, Mapping[str, float]],
        standard_deviations: Mapping[str, float],
    ) -> None:
        require_one_per_node(dag, intercepts, "intercept")
        require_one_per_node(dag, standard_deviations, "standard deviation")
        _require_parents(dag, coefficients)
        super().__init__(dag)
        self._intercepts = _vector(dag, intercepts, "intercept")
        self._standard_deviations = _vector(dag, standard_deviations, "standard deviation")
        self._coefficients = tuple(_row(dag, node, coefficients) for node in dag.nodes)
        if (self._standard_deviations < 0).any():
            node = dag.nodes[int(np.argmin(self._standard_deviations))]
            raise NetworkFormatError(
                f"The standard deviation of node {node!r} is negative; give zero or more."
            )

    def intercept(self, node: str) -> float:
        """Return the intercept of a node."""
        return float(self._intercepts[self._dag.index(node)])

    def coefficients(self, node: str) -> dict[str, float]:
        """Return the coefficient of each parent of a node."""
        own = self._coefficients[self._dag.index(node)]
        return dict(zip(self.parents(node), own.tolist(), strict=True))

    def standard_deviation(self, node: str) -> float:
        """Return the standard deviation of a node's noise."""
        return float(self._standard_deviations[self._dag.index(node)])

    def do(self, actions: Mapping[str, float | tuple[float, float]]) -> GaussianNetwork:
        """Return the network after an intervention.

        Parameters
        ----------
        actions
            For each node acted on, the value it is set to, or the (mean, standard deviation) of
            the normal distribution it is drawn from.

        Returns
        -------
        GaussianNetwork
            The same network without the edges into those nodes.
        """
        imposed = {
            node: action if isinstance(action, tuple) else (action, 0.0)
            for node, action in actions.items()
        }
        nodes = self._dag.nodes
        means = {node: mean for node, (mean, _) in imposed.items()}
        spreads = {node: spread for node, (_, spread) in imposed.items()}
        return GaussianNetwork(
            self._dag.without_edges_into(list(imposed)),
            dict(zip(nodes, self._intercepts.tolist(), strict=True)) | means,
            {node: self.coefficients(node) for node in nodes if node not in imposed},
            dict(zip(nodes, self._standard_deviations.tolist(), strict=True)) | spreads,
        )

    def mean(self) -> FloatArray:
        """Return the exact mean of every node, in node order."""
        mean = np.linalg.solve(self._noise_from_values(), self._intercepts)
        return frozen(mean.astype(np.float64, copy=False))

    def covariance(self) -> FloatArray:
        """Return the exact covariance matrix of the nodes, in node order."""
        n_nodes = self._dag.n_nodes
        require_memory(
            24.0 * n_nodes**2, f"The covariance matrix of {n_nodes:,} nodes", "sample rows instead"
        )
        spread = np.linalg.solve(self._noise_from_values(), np.diag(self._standard_deviations))
        return frozen(spread @ spread.T)

    def log_likelihood(self, data: Dataset) -> FloatArray:
        """Return the log-density of every row of a table.

        Parameters
        ----------
        data
            A table with a continuous column for every node; other columns are ignored.

        Raises
        ------
        NetworkFormatError
            If a node has no noise, and hence no density.
        """
        fixed = [self._dag.nodes[i] for i in np.flatnonzero(self._standard_deviations == 0)]
        if fixed:
            raise NetworkFormatError(
                f"There is no density because {listed(fixed)} has no noise; "
                f"give it a standard deviation above zero."
            )
        columns = [data.index(node) for node in self._dag.nodes]
        require_complete(data, "The likelihood of a network", columns)
        values = np.stack([data.values(data.index(node)) for node in self._dag.nodes])
        total = np.full(data.n_rows, -0.5 * math.log(2 * math.pi) * self._dag.n_nodes)
        for i, spread in enumerate(self._standard_deviations):
            total -= np.log(spread) + 0.5 * ((values[i] - self._expected(i, values)) / spread) ** 2
        return total

    def _drawn(self, n_rows: int, generator: np.random.Generator) -> Dataset:
        values = np.empty((self._dag.n_nodes, n_rows))
        for i in self._dag.topological_indices:
            noise = self._standard_deviations[i] * generator.standard_normal(n_rows)
            values[i] = self._expected(i, values) + noise
        columns = dict(zip(self._dag.nodes, values, strict=True))
        return Dataset.from_columns(columns, kinds=dict.fromkeys(columns, "continuous"))

    def _expected(self, i: int, values: FloatArray) -> FloatArray:
        expected = np.full(values.shape[1], self._intercepts[i])
        for parent, coefficient in zip(
            self._dag.parent_indices[i], self._coefficients[i], strict=True
        ):
            expected += coefficient * values[parent]
        return expected

    def _noise_from_values(self) -> FloatArray:
        """Return the matrix that turns centred values into noise: identity minus coefficients."""
        matrix = np.eye(self._dag.n_nodes)
        for i, parents in enumerate(self._dag.parent_indices):
            matrix[i, list(parents)] -= self._coefficients[i]
        return matrix


def _require_parents(dag: DAG, coefficients: Mapping[str, Mapping[str, float]]) -> None:
    for node in dag.nodes:
        given, parents = set(coefficients.get(node, {})), dag.parents(node)
        if given != parents:
            raise NetworkFormatError(
                f"The coefficients of node {node!r} are for {listed(sorted(given)) or 'no node'}, "
                f"but its parents are {listed(sorted(parents)) or 'none'}; give one per parent."
            )
    unknown = sorted(set(coefficients) - set(dag.nodes))
    if unknown:
        raise NetworkFormatError(
            f"There are coefficients for {listed(unknown)}, which the graph does not have; "
            f"add the node or leave it out."
        )


def _vector(dag: DAG, numbers: Mapping[str, float], what: str) -> FloatArray:
    vector = np.array([numbers[node] for node in dag.nodes], dtype=np.float64)
    if not np.isfinite(vector).all():
        node = dag.nodes[int(np.argmin(np.isfinite(vector)))]
        raise NetworkFormatError(f"The {what} of node {node!r} is not a finite number; correct it.")
    return frozen(vector)


def _row(dag: DAG, node: str, coefficients: Mapping[str, Mapping[str, float]]) -> FloatArray:
    row = np.array([coefficients[node][p] for p in dag.ordered_parents(node)], np.float64)
    if not np.isfinite(row).all():
        raise NetworkFormatError(
            f"A coefficient of node {node!r} is not a finite number; correct it."
        )
    return frozen(row)
