"""Large networks made of joined copies of a small one.

Copies ("tiles") of a network are put in an order, and some nodes that have no parents in their own
copy receive parents from earlier copies. What is guaranteed is that **the joint distribution of
every copy, over all its nodes, is exactly that of the original**. The argument, by induction:

1. Inside a copy every node with parents keeps its table. So the copy's joint distribution is the
   original's as soon as its roots are mutually independent and have their original marginals.
2. All new parents of one copy, whichever root they are for, are chosen with pairwise disjoint
   ancestral sets (a node with its ancestors). Then they are mutually independent, so the roots
   of the copy are mutually independent too, and the joint distribution of the new parents of one
   root is the product of their marginals.
3. Those marginals are the original network's, because the earlier copies are exact. A random
   table fitted to them gives the root its original marginal.

The idea of tiling is from Tsamardinos, Statnikov, Brown and Aliferis, "Generating realistic large
Bayesian networks by tiling" (FLAIRS 2006); rule 2 is this library's own choice. The tables are
fitted by iterative proportional fitting (Deming and Stephan, 1940): scale the columns and the rows
of a positive table in turn until both have the wanted sums. The odds ratios of the start survive,
so a random start gives a random dependence.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import TooManyCellsError, require_count
from eiderdown.graphs import DAG
from eiderdown.networks.discrete import DiscreteNetwork
from eiderdown.randomness import RandomState, as_generator

_MAX_TRIES = 20  # draws of one new parent before it is given up
_MAX_CONFIGURATIONS = 1_024  # of the new parents of one root
_MAX_CELLS = 2**18  # of a table on the way to a marginal; keeps thousands of them quick
_CERTAIN = 1 - 1e-9  # a node this sure of its state cannot be seen to depend on anything
_TOLERANCE = 1e-14  # of the sums in proportional fitting
_MAX_SWEEPS = 10_000


def tile(
    network: DiscreteNetwork,
    n_tiles: int,
    *,
    max_new_parents: int = 2,
    random_state: RandomState = None,
) -> DiscreteNetwork:
    """Join copies of a network into a large one in which each copy keeps its distribution.

    Copies are ordered. Each root of a copy draws its number of new parents uniformly from 0 to
    ``max_new_parents`` (the first root asked, at least 1), and draws them from all earlier copies.
    A draw that would make two roots of the copy dependent is repeated, and given up after a while;
    so is a node that is nearly certain of its state or whose marginal is too costly to compute.
    The joint distribution of the nodes of every single copy is exactly the original's.

    Parameters
    ----------
    network
        The network to copy.
    n_tiles
        The number of copies.
    max_new_parents
        The most parents that a root receives; 0 leaves the copies unconnected.
    random_state
        A seed, a generator, or None for fresh entropy.

    Returns
    -------
    DiscreteNetwork
        Node ``v`` of copy ``k`` is named ``v_tk``; copies count from 0.

    Examples
    --------
    >>> from eiderdown.networks import random_network
    >>> small = random_network(5, random_state=1)
    >>> large = tile(small, 3, random_state=1)
    >>> large.dag.nodes[:6]
    ('x0_t0', 'x1_t0', 'x2_t0', 'x3_t0', 'x4_t0', 'x0_t1')
    >>> np.allclose(large.marginal("x0_t2", "x1_t2"), small.marginal("x0", "x1"))
    True
    """
    require_count("max_new_parents", max_new_parents)
    require_count("n_tiles", n_tiles, least=1)
    generator = as_generator(random_state)
    joiner = _Joiner(network, max_new_parents, generator)
    dag = network.dag
    edges: list[tuple[str, str]] = []
    states, tables = {}, {}
    for k in range(n_tiles):
        new_parents = joiner.add_copy()
        edges += [(f"{a}_t{k}", f"{b}_t{k}") for a, b in dag.edges]
        for node in dag.nodes:
            name = f"{node}_t{k}"
            parents = new_parents.get(node, [])
            edges += [(f"{dag.nodes[i]}_t{tile_number}", name) for tile_number, i in parents]
            states[name] = network.states(node)
            tables[name] = joiner.table(node, [i for _, i in parents])
    return DiscreteNetwork(DAG(list(states), edges), states, tables)


class _Joiner:
    """Chooses the new parents of one copy after the other, and their tables.

    Node ``i`` of copy ``k`` has the number ``k * n_nodes + i``; a set of nodes is an integer with
    the bits of its members.
    """

    def __init__(
        self, network: DiscreteNetwork, max_new_parents: int, generator: np.random.Generator
    ) -> None:
        self._network = network
        self._max_new_parents = max_new_parents
        self._generator = generator
        self._ancestral: list[int] = []
        self._marginals: dict[int, FloatArray | None] = {}
        self._n_states = network.n_states.tolist()

    def add_copy(self) -> dict[str, list[tuple[int, int]]]:
        """Add a copy and return, for each root joined, its new parents as (copy, node)."""
        nodes, n_nodes = self._network.dag.nodes, self._network.dag.n_nodes
        chosen = self._choose() if self._ancestral else {}
        self._extend(chosen)
        return {
            nodes[root]: [divmod(parent, n_nodes) for parent in parents]
            for root, parents in chosen.items()
        }

    def table(self, node: str, new_parents: list[int]) -> FloatArray:
        """Return the table of a node: its own, or a fitted one if it has new parents."""
        table = self._network.table(node)
        if not new_parents:
            return table
        marginals = [m for m in map(self._marginal, new_parents) if m is not None]
        weights: FloatArray = reduce(np.multiply.outer, marginals)
        fitted = random_table_with_marginal(weights.ravel(), table, generator=self._generator)
        return fitted.reshape(*weights.shape, len(table))

    def _choose(self) -> dict[int, list[int]]:
        parents_of = self._network.dag.parent_indices
        roots = np.array([i for i, parents in enumerate(parents_of) if not parents])
        chosen: dict[int, list[int]] = {}
        used = 0
        for root in self._generator.permutation(roots).tolist():
            if self._marginal(root) is None:
                continue
            fewest = 0 if chosen or self._max_new_parents == 0 else 1
            n_wanted = int(self._generator.integers(fewest, self._max_new_parents + 1))
            parents: list[int] = []
            for _ in range(n_wanted):
                parent = self._draw(parents, used)
                if parent is not None:
                    parents.append(parent)
                    used |= self._ancestral[parent]
            if parents:
                chosen[root] = sorted(parents)  # the axes of a table are in node order
        return chosen

    def _draw(self, parents: list[int], used: int) -> int | None:
        """Draw a node of an earlier copy that shares no ancestor with those in use."""
        n_nodes, n_states = self._network.dag.n_nodes, self._n_states
        n_configurations = math.prod(n_states[p % n_nodes] for p in parents)
        for drawn in self._generator.integers(len(self._ancestral), size=_MAX_TRIES):
            candidate = int(drawn)
            i = candidate % n_nodes
            if (
                not self._ancestral[candidate] & used
                and n_configurations * n_states[i] <= _MAX_CONFIGURATIONS
                and self._marginal(i) is not None
            ):
                return candidate
        return None

    def _extend(self, chosen: dict[int, list[int]]) -> None:
        """Record the ancestral sets of the nodes of a new copy."""
        dag, start = self._network.dag, len(self._ancestral)
        self._ancestral += [0] * dag.n_nodes
        for i in dag.topological_indices:
            parents = chosen.get(i) or [start + p for p in dag.parent_indices[i]]
            ancestral = 1 << (start + i)
            for parent in parents:
                ancestral |= self._ancestral[parent]
            self._ancestral[start + i] = ancestral

    def _marginal(self, i: int) -> FloatArray | None:
        """Return the original marginal of a node, or None if it cannot take part.

        It cannot if it is (nearly) certain of its state or if its marginal is too costly.
        """
        if i not in self._marginals:
            try:
                found = self._network.marginal(self._network.dag.nodes[i], max_cells=_MAX_CELLS)
                self._marginals[i] = found if found.max() < _CERTAIN else None
            except TooManyCellsError:
                self._marginals[i] = None
        return self._marginals[i]


def random_table_with_marginal(
    weights: FloatArray, marginal: FloatArray, *, generator: np.random.Generator
) -> FloatArray:
    """Draw a conditional table whose rows, weighted and summed, give a marginal distribution.

    Examples
    --------
    >>> weights, marginal = np.array([0.25, 0.75]), np.array([0.5, 0.4, 0.1])
    >>> table = random_table_with_marginal(weights, marginal, generator=np.random.default_rng(3))
    >>> np.allclose(weights @ table, marginal)
    True
    """
    table = np.tile(marginal, (len(weights), 1))
    # What never happens needs no fitting: such a configuration keeps the marginal itself.
    rows, columns = np.flatnonzero(weights), np.flatnonzero(marginal)
    row_sums, column_sums = weights[rows], marginal[columns]
    joint: FloatArray = generator.exponential(size=(len(rows), len(columns)))
    for _ in range(_MAX_SWEEPS):
        joint = joint * (column_sums / joint.sum(axis=0))
        joint *= (row_sums / joint.sum(axis=1))[:, np.newaxis]
        if np.abs(joint.sum(axis=0) - column_sums).max() <= _TOLERANCE:
            break
    table[np.ix_(rows, columns)] = joint / joint.sum(axis=1, keepdims=True)
    return table
