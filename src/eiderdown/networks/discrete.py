"""Bayesian networks over discrete variables: tables, samples, interventions, exact marginals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.arrays import CodeArray, FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.errors import NetworkFormatError, OptionError, UnseenCategoryError, listed
from eiderdown.graphs import DAG
from eiderdown.networks.arguments import require_count, require_one_per_node
from eiderdown.networks.conditional_tables import checked_table
from eiderdown.networks.elimination import MAX_CELLS, Factor, marginal_table
from eiderdown.randomness import RandomState, as_generator

_ROWS_AT_ONCE = 65_536  # the working arrays of one block of rows stay in the processor's cache


class DiscreteNetwork:
    """A Bayesian network whose variables all have finitely many categories.

    Parameters
    ----------
    dag
        The graph.
    categories
        The categories of every node, in their declared order.
    tables
        The conditional table of every node: one axis per parent, in the order of
        ``dag.nodes`` (see ``parents``), and the node's own categories on the last axis. Rows that
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

    __slots__ = ("_categories", "_dag", "_tables")

    def __init__(
        self,
        dag: DAG,
        categories: Mapping[str, Sequence[str]],
        tables: Mapping[str, ArrayLike],
    ) -> None:
        require_one_per_node(dag, categories, "categories")
        require_one_per_node(dag, tables, "table")
        self._dag = dag
        self._categories = tuple(_checked_categories(node, categories[node]) for node in dag.nodes)
        self._tables = tuple(
            self._checked_table(i, tables[node]) for i, node in enumerate(dag.nodes)
        )

    @property
    def dag(self) -> DAG:
        """The graph."""
        return self._dag

    @property
    def n_categories(self) -> IntArray:
        """The number of categories of every node, in node order."""
        return frozen(np.array([len(own) for own in self._categories], dtype=np.int64))

    def categories(self, node: str) -> tuple[str, ...]:
        """Return the categories of a node, in their declared order."""
        return self._categories[self._dag.index(node)]

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node in the order of its table's axes, which is node order."""
        return tuple(self._dag.nodes[p] for p in self._dag.parent_indices[self._dag.index(node)])

    def table(self, node: str) -> FloatArray:
        """Return the conditional table of a node: parents first, its own categories last."""
        return self._tables[self._dag.index(node)]

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
            One discrete column per node, in node order, with the network's categories.
        """
        require_count("n_rows", n_rows, least=1)
        generator = as_generator(random_state)
        codes = _no_codes(self._dag.n_nodes, n_rows, max(map(len, self._categories), default=0))
        samplers = [self._sampler(i) for i in self._dag.topological_indices]
        for start in range(0, n_rows, _ROWS_AT_ONCE):
            block = codes[:, start : start + _ROWS_AT_ONCE]
            for node, parents, thresholds in samplers:
                stratum = _stratum(block, parents, self._categories)
                draws = generator.random(block.shape[1])
                for at in thresholds:
                    block[node] += draws >= at[stratum]
        return Dataset.from_codes(codes, names=self._dag.nodes, categories=self._categories)

    def do(self, actions: Mapping[str, str | Mapping[str, float]]) -> DiscreteNetwork:
        """Return the network after an intervention.

        Parameters
        ----------
        actions
            For each node acted on, the category it is set to, or the probabilities (category ->
            probability, absent categories 0) with which it is set at random.

        Returns
        -------
        DiscreteNetwork
            The same network without the edges into those nodes.
        """
        imposed = {node: self._imposed(node, action) for node, action in actions.items()}
        nodes = self._dag.nodes
        return DiscreteNetwork(
            self._dag.without_edges_into(list(imposed)),
            dict(zip(nodes, self._categories, strict=True)),
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
        factors = [self._factor(i) for i in sorted(map(self._dag.index, relevant))]
        return marginal_table(factors, wanted, max_cells=max_cells)

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
            If a column holds a category that its node does not have.
        """
        codes = np.stack([self._recoded(data, i) for i in range(self._dag.n_nodes)])
        total = np.zeros(data.n_rows)
        for i, table in enumerate(self._tables):
            family = (*self._dag.parent_indices[i], i)
            with np.errstate(divide="ignore"):
                log_table = np.log(table).ravel()
            total += log_table[_stratum(codes, family, self._categories)]
        return total

    def __repr__(self) -> str:
        return f"DiscreteNetwork({self._dag.n_nodes} nodes, {self._dag.n_edges} edges)"

    def _checked_table(self, i: int, table: ArrayLike) -> FloatArray:
        parents = self._dag.parent_indices[i]
        names = [self._dag.nodes[p] for p in parents]
        own = [self._categories[p] for p in (*parents, i)]
        return checked_table(self._dag.nodes[i], table, names, own)

    def _factor(self, i: int) -> Factor:
        return Factor((*self._dag.parent_indices[i], i), self._tables[i])

    def _sampler(self, i: int) -> tuple[int, tuple[int, ...], FloatArray]:
        """Return the node, its parents, and thresholds[l, stratum] of the draw for category > l."""
        rows = self._tables[i].reshape(-1, len(self._categories[i]))
        cumulative = np.cumsum(rows, axis=1)
        # Dividing by the last sum makes it exactly one, so an impossible last category is never drawn.
        cumulative /= cumulative[:, -1:]
        return i, self._dag.parent_indices[i], np.ascontiguousarray(cumulative[:, :-1].T)

    def _imposed(self, node: str, action: str | Mapping[str, float]) -> FloatArray:
        chances = action if isinstance(action, Mapping) else {action: 1.0}
        categories = self.categories(node)
        unknown = [category for category in chances if category not in categories]
        if unknown:
            raise UnseenCategoryError(
                f"Node {node!r} cannot be set to {listed(unknown)}; "
                f"its categories are {listed(categories)}."
            )
        return np.array([chances.get(category, 0.0) for category in categories], dtype=np.float64)

    def _recoded(self, data: Dataset, i: int) -> NDArray[np.uint16]:
        """Return a column's codes in the order of the network's own categories."""
        node = self._dag.nodes[i]
        column = data.index(node)
        codes, categories = data.codes(column), data.categories(column)
        place = {category: code for code, category in enumerate(self._categories[i])}
        recode = np.array([place.get(str(category), -1) for category in categories], dtype=np.int64)
        unseen = [categories[code] for code in np.unique(codes) if recode[code] < 0]
        if unseen:
            raise UnseenCategoryError(
                f"Column {node!r} holds {listed(unseen)}, which the network does not know; "
                f"its categories are {listed(self._categories[i])}."
            )
        return recode.astype(np.uint16)[codes]


def _checked_categories(node: str, categories: Sequence[str]) -> tuple[str, ...]:
    own = tuple(str(category) for category in categories)
    if not own:
        raise NetworkFormatError(f"Node {node!r} has no categories; give it at least one.")
    if len(set(own)) < len(own):
        raise NetworkFormatError(
            f"Node {node!r} has a category twice in {listed(own)}; name each once."
        )
    return own


def _no_codes(n_nodes: int, n_rows: int, most_categories: int) -> CodeArray:
    if most_categories <= 256:
        return np.zeros((n_nodes, n_rows), dtype=np.uint8)
    return np.zeros((n_nodes, n_rows), dtype=np.uint16)


def _stratum(
    codes: CodeArray, variables: Sequence[int], categories: Sequence[Sequence[str]]
) -> IntArray:
    """Return the row-major index of the variables' codes, for every row."""
    stratum = np.zeros(codes.shape[1], dtype=np.int64)
    for v in variables:
        stratum *= len(categories[v])
        stratum += codes[v]
    return stratum
