"""Bayesian networks over discrete variables: tables, samples, interventions, exact marginals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.arrays import CodeArray, FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.missing import require_complete
from eiderdown.errors import (
    NetworkFormatError,
    OptionError,
    TooManyCellsError,
    UnseenCategoryError,
    listed,
)
from eiderdown.graphs import DAG
from eiderdown.networks.network import BayesianNetwork, require_one_per_node

MAX_CELLS = 2**22
"""The largest table held: 32 MB of probabilities."""

ROW_SUM_TOLERANCE = 1e-5
"""Published tables are rounded to a few decimals, so their rows miss one by about this much."""

MAX_AXES = 32  # what NumPy 1.26 allows
_ROWS_AT_ONCE = 65_536  # the working arrays of one block of rows stay in the processor's cache


class DiscreteNetwork(BayesianNetwork):
    """A Bayesian network whose variables all have finitely many states.

    Parameters
    ----------
    dag
        The graph.
    states
        The states of every node, in their declared order.
    tables
        The conditional table of every node: one axis per parent, in the order of
        ``dag.nodes`` (see ``parents``), and the node's own states on the last axis. Rows that
        miss one by at most 1e-5 are rescaled.

    Examples
    --------
    >>> network = DiscreteNetwork(
    ...     DAG.from_string("rain->wet"),
    ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
    ...     {"rain": [0.75, 0.25], "wet": [[1.0, 0.0], [0.5, 0.5]]},
    ... )
    >>> network.marginal("wet")
    array([0.875, 0.125])
    >>> network.do({"rain": "yes"}).marginal("wet")
    array([0.5, 0.5])
    >>> network.sample(5, random_state=0).n_rows
    5
    """

    __slots__ = ("_states", "_tables")

    def __init__(
        self, dag: DAG, states: Mapping[str, Sequence[str]], tables: Mapping[str, ArrayLike]
    ) -> None:
        require_one_per_node(dag, states, "list of states")
        require_one_per_node(dag, tables, "table")
        super().__init__(dag)
        self._states = tuple(_checked_states(node, states[node]) for node in dag.nodes)
        self._tables = tuple(
            checked_table(
                node, tables[node], self.parents(node), [self._states[v] for v in self._family(i)]
            )
            for i, node in enumerate(dag.nodes)
        )

    @property
    def n_states(self) -> IntArray:
        """The number of states of every node, in node order."""
        return frozen(np.array([len(own) for own in self._states], dtype=np.int64))

    def states(self, node: str) -> tuple[str, ...]:
        """Return the states of a node, in their declared order."""
        return self._states[self._dag.index(node)]

    def table(self, node: str) -> FloatArray:
        """Return the conditional table of a node: parents first, its own states last."""
        return self._tables[self._dag.index(node)]

    def do(self, actions: Mapping[str, str | Mapping[str, float]]) -> DiscreteNetwork:
        """Return the network after an intervention.

        Parameters
        ----------
        actions
            For each node acted on, the state it is set to, or the probabilities (state ->
            probability, absent states 0) with which it is set at random.

        Returns
        -------
        DiscreteNetwork
            The same network without the edges into those nodes.
        """
        imposed = {node: self._imposed(node, action) for node, action in actions.items()}
        nodes = self._dag.nodes
        return DiscreteNetwork(
            self._dag.without_edges_into(list(imposed)),
            dict(zip(nodes, self._states, strict=True)),
            dict(zip(nodes, self._tables, strict=True)) | imposed,
        )

    def marginal(self, *nodes: str, max_cells: int = MAX_CELLS) -> FloatArray:
        """Return the exact joint distribution of a few nodes, one axis per node as named.

        Parameters
        ----------
        *nodes
            The nodes.
        max_cells
            Refuse when a table on the way would have more cells than this.

        Raises
        ------
        TooManyCellsError
            If the network is too densely connected for an exact answer.
        """
        wanted = [self._dag.index(node) for node in nodes]
        if len(set(wanted)) < len(wanted):
            raise OptionError(f"The marginal names a node twice: {listed(nodes)}; name each once.")
        relevant = set(nodes).union(*(self._dag.ancestors(node) for node in nodes))
        # In node order: the last bits of a product depend on the order of its factors.
        factors = [
            _Factor(self._family(i), self._tables[i])
            for i in sorted(map(self._dag.index, relevant))
        ]
        return _sum_product(factors, wanted, max_cells)

    def joint(self) -> FloatArray:
        """Return the exact joint distribution of a small network, one axis per node.

        Raises
        ------
        TooManyCellsError
            If the distribution has more than 2^22 cells.
        """
        return self.marginal(*self._dag.nodes)

    def log_likelihood(self, data: Dataset) -> FloatArray:
        """Return the log-probability of every row of a table (minus infinity if impossible).

        Parameters
        ----------
        data
            A table with a discrete column for every node; other columns are ignored.

        Raises
        ------
        UnseenCategoryError
            If a column holds a category that is no state of its node.
        """
        columns = [data.index(node) for node in self._dag.nodes]
        require_complete(data, "The likelihood of a network", columns)
        codes = np.stack([self._recoded(data, i) for i in range(self._dag.n_nodes)])
        total = np.zeros(data.n_rows)
        for i, table in enumerate(self._tables):
            with np.errstate(divide="ignore"):
                log_table = np.log(table).ravel()
            total += log_table[self._stratum(codes, self._family(i))]
        return total

    def _drawn(self, n_rows: int, generator: np.random.Generator) -> Dataset:
        shape = (self._dag.n_nodes, n_rows)
        fits_bytes = max(map(len, self._states), default=0) <= 256
        codes: CodeArray = np.zeros(shape, np.uint8) if fits_bytes else np.zeros(shape, np.uint16)
        samplers = [(i, self._thresholds(i)) for i in self._dag.topological_indices]
        for start in range(0, n_rows, _ROWS_AT_ONCE):
            block = codes[:, start : start + _ROWS_AT_ONCE]
            for i, thresholds in samplers:
                stratum = self._stratum(block, self._dag.parent_indices[i])
                draws = generator.random(block.shape[1])
                for at in thresholds:
                    block[i] += draws >= at[stratum]
        return Dataset.from_codes(codes, names=self._dag.nodes, categories=self._states)

    def _family(self, i: int) -> tuple[int, ...]:
        return (*self._dag.parent_indices[i], i)

    def _thresholds(self, i: int) -> FloatArray:
        """Return thresholds[s, stratum]: from there on, a uniform draw gives a state after s."""
        cumulative = np.cumsum(self._tables[i].reshape(-1, len(self._states[i])), axis=1)
        # Dividing by the last sum makes it exactly one: an impossible last state is never drawn.
        cumulative /= cumulative[:, -1:]
        return np.ascontiguousarray(cumulative[:, :-1].T)

    def _stratum(self, codes: CodeArray, variables: Sequence[int]) -> IntArray:
        """Return the row-major index of the variables' codes, for every row."""
        stratum = np.zeros(codes.shape[1], dtype=np.int64)
        for v in variables:
            stratum *= len(self._states[v])
            stratum += codes[v]
        return stratum

    def _imposed(self, node: str, action: str | Mapping[str, float]) -> FloatArray:
        chances = action if isinstance(action, Mapping) else {action: 1.0}
        states = self.states(node)
        unknown = [state for state in chances if state not in states]
        if unknown:
            raise UnseenCategoryError(
                f"Node {node!r} cannot be set to {listed(unknown)}; its states are "
                f"{listed(states)}."
            )
        return np.array([chances.get(state, 0.0) for state in states], dtype=np.float64)

    def _recoded(self, data: Dataset, i: int) -> NDArray[np.uint16]:
        """Return a column's codes in the order of the node's own states."""
        node = self._dag.nodes[i]
        column = data.index(node)
        codes, categories = data.codes(column), data.categories(column)
        place = {state: code for code, state in enumerate(self._states[i])}
        recode = np.array([place.get(str(category), -1) for category in categories], dtype=np.int64)
        unseen = [categories[code] for code in np.unique(codes) if recode[code] < 0]
        if unseen:
            raise UnseenCategoryError(
                f"Column {node!r} holds {listed(unseen)}, which the network does not know; "
                f"its states are {listed(self._states[i])}."
            )
        return recode.astype(np.uint16)[codes]


def _checked_states(node: str, states: Sequence[str]) -> tuple[str, ...]:
    own = tuple(map(str, states))
    if not own:
        raise NetworkFormatError(f"Node {node!r} has no states; give it at least one.")
    if len(set(own)) < len(own):
        raise NetworkFormatError(
            f"Node {node!r} has a state twice in {listed(own)}; name each once."
        )
    return own


def checked_table(
    node: str, table: ArrayLike, parents: Sequence[str], states: Sequence[Sequence[str]]
) -> FloatArray:
    """Return a read-only copy of a conditional table whose rows sum to one.

    Examples
    --------
    >>> checked_table("rain", [0.25, 0.75], [], [["yes", "no"]])
    array([0.25, 0.75])
    """
    array = np.array(table, dtype=np.float64)
    shape = tuple(map(len, states))
    if array.shape != shape:
        raise NetworkFormatError(
            f"The table of node {node!r} has shape {array.shape}, but its parents and own states "
            f"ask for {shape}; give one axis per parent and the node's states last."
        )
    sums = array.sum(axis=-1)
    wrong = ~(np.abs(sums - 1.0) <= ROW_SUM_TOLERANCE) | ~(array >= 0.0).all(axis=-1)
    if wrong.any():
        index = tuple(np.argwhere(wrong)[0].tolist()) if parents else ()
        row, where = array[index], configuration(index, parents, states)
        if not np.isfinite(row).all() or (row < 0).any():
            raise NetworkFormatError(
                f"The probabilities of node {node!r} {where} must be numbers from 0 to 1, "
                f"not {row.tolist()}."
            )
        raise NetworkFormatError(
            f"The probabilities of node {node!r} {where} sum to {row.sum():.8g} instead of 1; "
            f"correct that row."
        )
    return frozen(array / sums[..., np.newaxis])


def configuration(
    index: Sequence[int], parents: Sequence[str], states: Sequence[Sequence[str]]
) -> str:
    """Put a parent configuration in words, for messages.

    Examples
    --------
    >>> configuration([1, 0], ["a", "b"], [["no", "yes"], ["low", "high"]])
    "given a='yes', b='low'"
    """
    if not parents:
        return "without parents"
    facts = zip(parents, states, index, strict=False)
    return "given " + ", ".join(f"{name}={own[i]!r}" for name, own, i in facts)


class _Factor(NamedTuple):
    """A table of non-negative numbers, one axis per variable."""

    variables: tuple[int, ...]
    table: FloatArray


def _sum_product(factors: Iterable[_Factor], keep: Sequence[int], max_cells: int) -> FloatArray:
    """Sum the product of factors over all variables but those kept, by variable elimination.

    Variables are summed out one at a time; the one whose elimination makes the smallest table
    goes first. The axes of the answer are in the order of ``keep``.
    """
    pool = list(factors)
    sizes = {v: n for f in pool for v, n in zip(f.variables, f.table.shape, strict=True)}
    for variable in _elimination_order(pool, sizes, keep):
        touched = [f for f in pool if variable in f.variables]
        pool = [f for f in pool if variable not in f.variables]
        scope = sorted({v for f in touched for v in f.variables} - {variable})
        whole = _product(touched, [*scope, variable], sizes, max_cells)
        pool.append(_Factor(tuple(scope), whole.sum(axis=-1)))
    return _product(pool, keep, sizes, max_cells)


def _elimination_order(
    factors: Sequence[_Factor], sizes: Mapping[int, int], keep: Sequence[int]
) -> list[int]:
    adjacent: dict[int, set[int]] = {}  # in the moral graph
    for factor in factors:
        for v in factor.variables:
            adjacent.setdefault(v, set()).update(u for u in factor.variables if u != v)
    n_cells = {v: math.prod(sizes[u] for u in adjacent[v]) for v in adjacent.keys() - set(keep)}
    order = []
    while n_cells:
        chosen = min(n_cells, key=lambda v: (n_cells[v], v))
        order.append(chosen)
        del n_cells[chosen]
        around = adjacent.pop(chosen)
        for v in around:
            adjacent[v] = (adjacent[v] | around) - {v, chosen}
            if v in n_cells:
                n_cells[v] = math.prod(sizes[u] for u in adjacent[v])
    return order


def _product(
    factors: Sequence[_Factor], scope: Sequence[int], sizes: Mapping[int, int], max_cells: int
) -> FloatArray:
    shape = [sizes[v] for v in scope]
    if math.prod(shape) > max_cells or len(shape) > MAX_AXES:
        raise TooManyCellsError(
            f"An exact answer would need a table of {math.prod(shape):.3g} cells over {len(shape)} "
            f"nodes; ask for fewer nodes, or estimate it from a sample."
        )
    axis = {v: i for i, v in enumerate(scope)}
    result = np.ones(shape)
    for factor in factors:
        axes = [axis[v] for v in factor.variables]
        aligned = factor.table.transpose(np.argsort(axes))
        result *= aligned.reshape([n if i in axes else 1 for i, n in enumerate(shape)])
    return result
