"""Random graphs, and discrete, linear-Gaussian and mixed networks, for tests and experiments."""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import OptionError, require_count
from eiderdown.graphs import DAG
from eiderdown.networks.discrete import DiscreteNetwork
from eiderdown.networks.gaussian import GaussianNetwork
from eiderdown.networks.mixed import MixedNetwork
from eiderdown.randomness import RandomState, as_generator


def random_fan_in_dag(
    n_nodes: int,
    *,
    max_parents: int = 5,
    min_parents: int = 0,
    random_state: RandomState = None,
) -> DAG:
    """Draw a random graph with nodes ``x0``, ``x1``, ... in an order unrelated to its edges.

    The nodes are put in a random order; each draws its number of parents uniformly from
    ``min_parents`` to ``max_parents`` (or to the number of nodes before it, if that is less), and
    then that many of the nodes before it. The random networks of Brown (2009), IV.5, have 1 to 5:
    their 138, 284 and 1,497 edges of 50, 100 and 500 nodes fit that, and not 0 to 5.

    Examples
    --------
    >>> random_fan_in_dag(4, max_parents=2, random_state=1).n_nodes
    4
    """
    require_count("n_nodes", n_nodes, least=1)
    require_count("max_parents", max_parents)
    require_count("min_parents", min_parents)
    if min_parents > max_parents:
        raise OptionError(
            f"min_parents must be at most max_parents, {max_parents}, not {min_parents}."
        )
    generator = as_generator(random_state)
    order = generator.permutation(n_nodes)
    edges = []
    for i, node in enumerate(order):
        n_parents = int(generator.integers(min(min_parents, i), min(max_parents, i) + 1))
        parents = generator.choice(i, size=n_parents, replace=False)
        edges += [(f"x{order[p]}", f"x{node}") for p in parents]
    return DAG([f"x{i}" for i in range(n_nodes)], edges)


def random_network(
    graph: DAG | int,
    *,
    n_states: tuple[int, int] = (2, 3),
    max_parents: int = 5,
    min_parents: int = 0,
    concentration: float = 1.0,
    random_state: RandomState = None,
) -> DiscreteNetwork:
    """Draw a random discrete network.

    Parameters
    ----------
    graph
        A graph, or a number of nodes for a random one (see ``random_fan_in_dag``).
    n_states
        The fewest and the most states; each node draws its number uniformly between them.
    max_parents, min_parents
        The largest and the smallest number of parents in a random graph, where there are so many
        nodes before; not used with a given graph.
    concentration
        Every row of every table is drawn from a symmetric Dirichlet distribution with this
        parameter: 1 is uniform, less gives rows nearer to certainty.
    random_state
        A seed, a generator, or None for fresh entropy.

    Examples
    --------
    >>> random_network(20, random_state=1).dag.n_nodes
    20
    """
    fewest, most = _checked_states(n_states)
    if not concentration > 0:
        raise OptionError(f"concentration must be above zero, not {concentration}.")
    generator = as_generator(random_state)
    dag = _graph(graph, max_parents, generator, min_parents)
    sizes = generator.integers(fewest, most + 1, size=dag.n_nodes)
    states = {
        node: [str(state) for state in range(size)]
        for node, size in zip(dag.nodes, sizes, strict=True)
    }
    tables = {
        node: generator.dirichlet(np.full(size, concentration), size=sizes[list(parents)])
        for node, size, parents in zip(dag.nodes, sizes, dag.parent_indices, strict=True)
    }
    return DiscreteNetwork(dag, states, tables)


def random_gaussian_network(
    graph: DAG | int,
    *,
    max_parents: int = 5,
    coefficient_sizes: tuple[float, float] = (0.5, 1.5),
    standard_deviations: tuple[float, float] = (0.5, 1.5),
    random_state: RandomState = None,
) -> GaussianNetwork:
    """Draw a random linear-Gaussian network with intercepts of zero.

    Parameters
    ----------
    graph
        A graph, or a number of nodes for a random one (see ``random_fan_in_dag``).
    max_parents
        The largest number of parents in a random graph; not used with a given graph.
    coefficient_sizes
        Coefficients have a random sign and an absolute value drawn uniformly between these.
    standard_deviations
        Noise standard deviations are drawn uniformly between these.
    random_state
        A seed, a generator, or None for fresh entropy.

    Examples
    --------
    >>> random_gaussian_network(20, random_state=1).dag.n_nodes
    20
    """
    _require_range("coefficient_sizes", coefficient_sizes)
    _require_range("standard_deviations", standard_deviations)
    generator = as_generator(random_state)
    dag = _graph(graph, max_parents, generator)
    coefficients = {}
    for node, parents in zip(dag.nodes, dag.parent_indices, strict=True):
        signs: FloatArray = generator.choice([-1.0, 1.0], size=len(parents))
        sizes = signs * generator.uniform(*coefficient_sizes, size=len(parents))
        coefficients[node] = {dag.nodes[p]: float(c) for p, c in zip(parents, sizes, strict=True)}
    spreads = generator.uniform(*standard_deviations, size=dag.n_nodes)
    return GaussianNetwork(
        dag,
        dict.fromkeys(dag.nodes, 0.0),
        coefficients,
        dict(zip(dag.nodes, spreads.tolist(), strict=True)),
    )


def random_mixed_network(
    graph: DAG | int,
    *,
    n_states: tuple[int, int] = (2, 3),
    max_parents: int = 5,
    effect_sizes: tuple[float, float] = (0.5, 1.5),
    random_state: RandomState = None,
) -> MixedNetwork:
    """Draw a random network in which half of the nodes are numbers and half are categories.

    Parameters
    ----------
    graph
        A graph, or a number of nodes for a random one (see ``random_fan_in_dag``).
    n_states
        The fewest and the most states of a category.
    max_parents
        The largest number of parents in a random graph; not used with a given graph.
    effect_sizes
        Slopes, and what each state of a category adds, have a random sign and an absolute value
        drawn uniformly between these; what the states of one parent add is zero on average. The
        noise of numbers has a standard deviation of 1.
    random_state
        A seed, a generator, or None for fresh entropy.

    Examples
    --------
    >>> random_mixed_network(20, random_state=1).sample(9, random_state=1)
    Dataset(9 rows, 10 discrete and 10 continuous columns)
    """
    fewest, most = _checked_states(n_states)
    _require_range("effect_sizes", effect_sizes)
    generator = as_generator(random_state)
    dag = _graph(graph, max_parents, generator)
    is_number = generator.permutation(np.arange(dag.n_nodes) % 2 == 0)
    sizes = np.where(is_number, 1, generator.integers(fewest, most + 1, size=dag.n_nodes))

    def effect(parent: int, node: int) -> FloatArray:
        drawn = generator.uniform(*effect_sizes, size=(sizes[parent], sizes[node]))
        drawn *= generator.choice([-1.0, 1.0], size=drawn.shape)
        return drawn if is_number[parent] else drawn - drawn.mean(axis=0)

    return MixedNetwork(
        dag,
        {
            node: [str(state) for state in range(sizes[i])]
            for i, node in enumerate(dag.nodes)
            if not is_number[i]
        },
        {node: np.zeros(sizes[i]) for i, node in enumerate(dag.nodes)},
        {
            node: {dag.nodes[p]: effect(p, i) for p in dag.parent_indices[i]}
            for i, node in enumerate(dag.nodes)
        },
        {node: 1.0 for i, node in enumerate(dag.nodes) if is_number[i]},
    )


def _checked_states(n_states: tuple[int, int]) -> tuple[int, int]:
    fewest, most = n_states
    if not 1 <= fewest <= most:
        raise OptionError(
            f"n_states must be (fewest, most) with 1 <= fewest <= most, not {n_states}."
        )
    return fewest, most


def _graph(
    graph: DAG | int, max_parents: int, generator: np.random.Generator, min_parents: int = 0
) -> DAG:
    if isinstance(graph, DAG):
        return graph
    return random_fan_in_dag(
        graph, max_parents=max_parents, min_parents=min_parents, random_state=generator
    )


def _require_range(option: str, bounds: tuple[float, float]) -> None:
    low, high = bounds
    if not 0 <= low <= high < np.inf:
        raise OptionError(f"{option} must be (low, high) with 0 <= low <= high, not {bounds}.")
