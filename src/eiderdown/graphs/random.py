"""Random DAGs, for tests and experiments with a known truth."""

from __future__ import annotations

import math

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import OptionError, require_count
from eiderdown.graphs.dag import DAG
from eiderdown.randomness import RandomState, as_generator


def random_dag(
    n_nodes: int,
    *,
    expected_degree: float | None = None,
    edge_probability: float | None = None,
    max_parents: int | None = None,
    random_state: RandomState = None,
) -> DAG:
    """Draw a DAG: a random order of the nodes, and each forward edge with the same probability.

    Time and memory grow with the nodes and edges drawn, not with the pairs of nodes.

    Parameters
    ----------
    n_nodes : int
        The nodes are called ``v0``, ``v1``, ...
    expected_degree : float
        Mean number of edges at a node (in and out), before ``max_parents`` takes effect.
        Give either this or ``edge_probability``.
    edge_probability : float
        Probability of an edge between two nodes.
    max_parents : int, optional
        A node that drew more parents keeps this many of them, chosen at random.
    random_state : int, Generator or None
        Seed or source of the randomness.

    Returns
    -------
    DAG
        Its node order says nothing about the direction of its edges.

    Examples
    --------
    >>> random_dag(4, edge_probability=1, random_state=0).n_edges
    6
    >>> dag = random_dag(1000, expected_degree=3, max_parents=2, random_state=0)
    >>> max(map(len, dag.parent_indices))
    2
    """
    require_count("n_nodes", n_nodes)
    probability = _edge_probability(n_nodes, expected_degree, edge_probability)
    generator = as_generator(random_state)
    order = generator.permutation(n_nodes)
    n_pairs = math.comb(n_nodes, 2)
    n_edges = int(generator.binomial(n_pairs, probability))
    # generator.choice refuses to draw nothing from nothing.
    numbers = generator.choice(n_pairs, size=n_edges, replace=False) if n_edges else np.arange(0)
    earlier, later = numbered_pairs(numbers)
    if max_parents is not None:
        require_count("max_parents", max_parents)
        kept = _rank_within(later, n_nodes) < max_parents
        earlier, later = earlier[kept], later[kept]
    names = [f"v{i}" for i in range(n_nodes)]
    pairs = zip(order[earlier].tolist(), order[later].tolist(), strict=True)
    return DAG(names, [(names[tail], names[head]) for tail, head in pairs])


def numbered_pairs(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs i < j with the numbers j (j - 1) / 2 + i, exactly up to 10**15.

    Examples
    --------
    >>> i, j = numbered_pairs(np.arange(6))
    >>> i.tolist(), j.tolist()
    ([0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3])
    """
    later = ((1 + np.sqrt(1 + 8 * numbers)) // 2).astype(np.int64)
    return numbers - later * (later - 1) // 2, later


def _rank_within(groups: IntArray, n_groups: int) -> IntArray:
    """Return for every entry how many entries before it belong to the same group."""
    by_group = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=n_groups)
    begins = np.cumsum(sizes) - sizes
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[by_group] = np.arange(len(groups)) - begins[groups[by_group]]
    return ranks


def _edge_probability(
    n_nodes: int, expected_degree: float | None, edge_probability: float | None
) -> float:
    if (expected_degree is None) == (edge_probability is None):
        raise OptionError("Give exactly one of expected_degree and edge_probability.")
    if expected_degree is None:
        assert edge_probability is not None
        if not 0 <= edge_probability <= 1:
            raise OptionError(f"edge_probability must be in [0, 1], not {edge_probability!r}.")
        return edge_probability
    most = max(n_nodes - 1, 0)
    if not 0 <= expected_degree <= most:
        raise OptionError(
            f"expected_degree must be in [0, {most}] for {n_nodes} nodes, not {expected_degree!r}."
        )
    return expected_degree / most if most else 0.0
