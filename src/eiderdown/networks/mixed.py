"""Bayesian networks over numbers and categories: samples and interventions.

A number is its baseline, plus what each parent adds, plus normal noise. A category is drawn by a
multinomial logistic function: every state has its baseline, each parent adds to it, and the chances
are the softmax of the sums. A parent that is a number adds its value times a slope; one that is a
category adds what stands for its state.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.missing import require_complete
from eiderdown.errors import NetworkFormatError, UnseenCategoryError, listed
from eiderdown.graphs import DAG
from eiderdown.networks.network import BayesianNetwork, require_one_per_node

Action: TypeAlias = str | Mapping[str, float] | float | tuple[float, float]


class MixedNetwork(BayesianNetwork):
    """A Bayesian network whose nodes are numbers or categories.

    Parameters
    ----------
    dag
        The graph.
    states
        The states of every category, in their declared order; other nodes are numbers.
    baselines
        For each number its mean, and for each category the logit of each state, where all parents
        add nothing.
    effects
        For every node with parents, what each parent adds (node -> parent -> array): a row for each
        state of the parent, or one row with the slopes of a number; a column for each state of the
        node, or one column for a number.
    standard_deviations
        The standard deviation of every number's noise; 0 means none.

    Examples
    --------
    >>> network = MixedNetwork(
    ...     DAG.from_string("dose->cured"),
    ...     {"cured": ["no", "yes"]},
    ...     {"dose": 1.0, "cured": [0.0, 0.0]},
    ...     {"cured": {"dose": [[0.0, 3.0]]}},
    ...     {"dose": 1.0},
    ... )
    >>> network.sample(5, random_state=0)
    Dataset(5 rows, 1 discrete and 1 continuous columns)
    >>> network.do({"dose": 9.0}).sample(5, random_state=0).codes(1).tolist()
    [1, 1, 1, 1, 1]
    """

    __slots__ = ("_baselines", "_effects", "_standard_deviations", "_states")

    def __init__(
        self,
        dag: DAG,
        states: Mapping[str, Sequence[str]],
        baselines: Mapping[str, ArrayLike],
        effects: Mapping[str, Mapping[str, ArrayLike]],
        standard_deviations: Mapping[str, float],
    ) -> None:
        super().__init__(dag)
        require_one_per_node(dag, baselines, "baseline")
        numbers = [node for node in dag.nodes if node not in states]
        require_one_per_node(DAG(numbers, []), standard_deviations, "standard deviation")
        self._states = {node: tuple(map(str, states[node])) for node in dag.nodes if node in states}
        self._standard_deviations = {node: float(standard_deviations[node]) for node in numbers}
        self._baselines = {
            node: self._shaped(node, np.atleast_1d(baselines[node]), (self._width(node),))
            for node in dag.nodes
        }
        self._effects: dict[str, dict[str, FloatArray]] = {}
        for node in dag.nodes:
            own = effects.get(node, {})
            if set(own) != dag.parents(node):
                raise NetworkFormatError(
                    f"The effects on node {node!r} are of {listed(sorted(own)) or 'no node'}, but "
                    f"its parents are {listed(sorted(dag.parents(node))) or 'none'}; give one each."
                )
            self._effects[node] = {
                p: self._shaped(node, own[p], (self._width(p), self._width(node)))
                for p in self.parents(node)
            }

    def states(self, node: str) -> tuple[str, ...] | None:
        """Return the states of a category, in their declared order, or None for a number."""
        self._dag.index(node)
        return self._states.get(node)

    def do(self, actions: Mapping[str, Action]) -> MixedNetwork:
        """Return the network after an intervention.

        Parameters
        ----------
        actions
            For each node acted on: the state, or the probabilities of the states, of a category;
            the value, or the (mean, standard deviation), of a number.

        Returns
        -------
        MixedNetwork
            The same network without the edges into those nodes.
        """
        baselines: dict[str, ArrayLike] = dict(self._baselines)
        spreads = dict(self._standard_deviations)
        for node, action in actions.items():
            if self.states(node) is not None:
                baselines[node] = self._imposed_logits(node, action)
            elif isinstance(action, tuple):
                baselines[node], spreads[node] = action
            elif isinstance(action, str | Mapping):
                raise NetworkFormatError(
                    f"Node {node!r} is a number and cannot be set to {action!r}; give a value, or "
                    f"a mean and a standard deviation."
                )
            else:
                baselines[node], spreads[node] = action, 0.0
        return MixedNetwork(
            self._dag.without_edges_into(list(actions)),
            self._states,
            baselines,
            {node: own for node, own in self._effects.items() if node not in actions},
            spreads,
        )

    def log_likelihood(self, data: Dataset) -> FloatArray:
        """Return the logarithm of the density of every row of a table.

        Parameters
        ----------
        data
            A table with a column for every node, of its kind; other columns are ignored.
        """
        require_complete(
            data, "The likelihood of a network", [data.index(node) for node in self._dag.nodes]
        )
        columns = {node: self._read(data, node) for node in self._dag.nodes}
        total = np.zeros(data.n_rows)
        for node, column in columns.items():
            sums = self._sums(node, columns, data.n_rows)
            if node in self._states:
                top = sums.max(axis=1, keepdims=True)
                log_total = np.log(np.exp(sums - top).sum(axis=1)) + top[:, 0]
                total += sums[np.arange(len(sums)), column.astype(np.int64)] - log_total
            else:
                spread = self._standard_deviations[node]
                standard = (column - sums[:, 0]) / spread
                total -= 0.5 * standard**2 + math.log(spread * math.sqrt(2 * math.pi))
        return total

    def _drawn(self, n_rows: int, generator: np.random.Generator) -> Dataset:
        drawn: dict[str, FloatArray | IntArray] = {}
        for node in (self._dag.nodes[i] for i in self._dag.topological_indices):
            sums = self._sums(node, drawn, n_rows)
            if node in self._states:  # the largest of logits plus Gumbel noise is such a draw
                drawn[node] = np.argmax(sums + generator.gumbel(size=sums.shape), axis=1)
            else:
                noise = self._standard_deviations[node] * generator.standard_normal(n_rows)
                drawn[node] = sums[:, 0] + noise
        categories = [node for node in self._dag.nodes if node in self._states]
        numbers = {node: drawn[node] for node in self._dag.nodes if node not in self._states}
        codes = np.array([drawn[node] for node in categories], dtype=np.uint16)
        parts = []
        if categories:
            states = [self._states[node] for node in categories]
            parts.append(Dataset.from_codes(codes, names=categories, categories=states))
        if numbers:
            kinds = dict.fromkeys(numbers, "continuous")
            parts.append(Dataset.from_columns(numbers, kinds=kinds))
        table = parts[0] if len(parts) == 1 else parts[0].beside(parts[1])
        return table.select(self._dag.nodes)

    def _sums(
        self, node: str, columns: Mapping[str, FloatArray | IntArray], n_rows: int
    ) -> FloatArray:
        """Return the mean of a number (one column), or the logits of a category, in each row."""
        sums = np.tile(self._baselines[node], (n_rows, 1))
        for parent, effect in self._effects[node].items():
            column = columns[parent]
            if parent in self._states:
                sums += effect[column.astype(np.int64)]
            else:
                sums += column[:, None] * effect
        return sums

    def _width(self, node: str) -> int:
        return len(self._states[node]) if node in self._states else 1

    def _shaped(self, node: str, numbers: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
        array = np.array(numbers, dtype=np.float64)
        if array.shape != shape or np.isnan(array).any():
            raise NetworkFormatError(
                f"Node {node!r} has numbers of shape {array.shape} in place of {shape}, or one "
                f"is missing; give one for each state, or one for a number."
            )
        return frozen(array)

    def _imposed_logits(self, node: str, action: Action) -> FloatArray:
        states = self._states[node]
        chances = action if isinstance(action, Mapping) else {str(action): 1.0}
        unknown = [state for state in chances if state not in states]
        if unknown:
            raise UnseenCategoryError(
                f"Node {node!r} cannot be set to {listed(unknown)}; its states are "
                f"{listed(states)}."
            )
        with np.errstate(divide="ignore"):
            return np.log([chances.get(state, 0.0) for state in states])

    def _read(self, data: Dataset, node: str) -> FloatArray | IntArray:
        column = data.index(node)
        if node not in self._states:
            return data.values(column)
        place = {state: code for code, state in enumerate(self._states[node])}
        codes: IntArray = np.array([place[str(c)] for c in data.categories(column)], dtype=np.int64)
        return codes[data.codes(column)]
